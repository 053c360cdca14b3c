"""Ctrl-C, the end of a session and a closed window: a command ends within seconds, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: What ends a command, where the system has it. A signal that was to be ignored from the start (nohup) stays so.
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
#: Seconds in which a command ends by itself, removing what it made; then it is ended.
GRACE = 2.0


@contextmanager
def interruptible(say: Callable[[], None]) -> Iterator[None]:
    """While the block lasts a signal raises KeyboardInterrupt in it.

    Compiled code does not see that. Where the block has not ended in time, ``say`` is called and the process ended.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard_before = threading.Event()

    def interrupted(*_: Any) -> None:
        if not heard_before.is_set():  # a second one must not disturb the clearing up
            heard_before.set()
            raise KeyboardInterrupt

    ours = {one for one in SIGNALS if signal.getsignal(one) in (signal.SIG_DFL, signal.default_int_handler)}
    earlier = {one: signal.signal(one, interrupted) for one in ours}
    heard, told = socket.socketpair()
    told.setblocking(False)
    woken = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    ended = threading.Event()
    watch = threading.Thread(target=_watch, args=(heard, ended, say, frozenset(ours)), daemon=True)
    watch.start()
    try:
        yield
    finally:
        ended.set()
        signal.set_wakeup_fd(woken)
        for one, handler in earlier.items():
            signal.signal(one, handler)
        told.close()
        watch.join(GRACE)
        heard.close()


def _watch(
    heard: socket.socket, ended: threading.Event, say: Callable[[], None], ours: frozenset[int]
) -> None:
    while received := heard.recv(64):
        if ours.intersection(received) and not ended.wait(GRACE):
            say()
            os._exit(2)
