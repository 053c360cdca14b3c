"""A limit of time on work in this process: what takes longer is interrupted where it stands."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Seconds a notebook may take where nothing else is asked for: far more than the largest report needs.
LONGEST = 4 * 3600.0
#: Seconds after which work that swallowed the first interruption is interrupted again.
_AGAIN = 1.0


class Late(BaseException):
    """The work was not done in time. No ``except Exception`` on the way stops it."""


@contextmanager
def time_limit(seconds: float = LONGEST) -> Iterator[None]:
    """Raise Late inside the block when it takes longer; 0 for no limit.

    Compiled code is interrupted when it comes back to Python.
    """
    if not seconds:
        yield
    elif hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        yield from _by_signal(seconds)
    else:
        yield from _by_thread(seconds)


def _by_signal(seconds: float) -> Iterator[None]:
    def late(*_: Any) -> None:
        raise Late

    earlier = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


def _by_thread(seconds: float) -> Iterator[None]:
    """Where there is no signal for it (Windows) or the work is in another thread than the main one."""
    worker, done = ctypes.c_ulong(threading.get_ident()), threading.Event()
    interrupt = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def wait() -> None:
        left = seconds
        while not done.wait(left):
            interrupt(worker, ctypes.py_object(Late))
            left = _AGAIN

    watch = threading.Thread(target=wait, daemon=True)
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()
        interrupt(worker, None)
