"""Jobs in child processes, one a job: a child that has done its job, was killed or lost its caller is gone, and so is
everything that its notebook changed.

On Linux they are forked from a server that has imported everything and has a single thread: forking the caller itself
would copy whatever locks its threads hold (Typst's, a progress bar's) and the child would wait for them for ever.
Elsewhere every child starts anew.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.app.batch.jobs import Job
from qiyi_analysis.app.batch.outcome import Outcome, lost, perform
from qiyi_analysis.files.temporary import sweep

#: Forked children are cheap; macOS forbids much in them that its own libraries do.
FORKS = hasattr(os, "fork") and sys.platform != "darwin"
#: A job that takes longer than this is ended: one bad file must not hold up hundreds.
LONGEST_JOB = 900.0
#: A server that was ended is replaced within this many attempts, and seconds between them.
ATTEMPTS, PAUSE = 40, 0.05
PRELOADED = "qiyi_analysis.app.batch.preloaded"
#: What the server and its children find in their environment: one thread each, one order of sets.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


@dataclass(slots=True)
class _Child:
    """A running child; ``pipe`` gives its answer, or its end when it was killed."""

    process: Any
    pipe: Connection
    job: Job
    begun: float
    late: bool = False

    def ended(self, out: Path) -> Outcome:
        """What became of its job."""
        try:
            outcome = self.pipe.recv()
        except (EOFError, OSError):
            outcome = None
        self.pipe.close()
        self.process.join(10)
        return outcome or lost(self.job, out, self._why(), time.monotonic() - self.begun)

    def _why(self) -> words.Said:
        if self.late:
            return words.said("worker.late", seconds=f"{LONGEST_JOB:.0f}")
        code = self.process.exitcode
        return words.said("worker.signal", number=-code) if code and code < 0 else words.said("worker.gone")


def warm_up() -> None:
    """Start the server, which imports in the background, unless it runs already."""
    if not FORKS:
        return
    from multiprocessing import forkserver

    _context()
    before = {name: os.environ.get(name) for name in ENVIRONMENT}
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        forkserver.ensure_running()
    finally:
        for name, earlier in before.items():
            if earlier is None:
                del os.environ[name]


def in_children(
    waiting: list[tuple[Job, str]], out: Path, count: int, started: Callable[[Job], None]
) -> Iterator[Outcome]:
    """Do the jobs, ``count`` at a time; outcomes as they come."""
    queue = list(reversed(waiting))
    running: dict[Any, _Child] = {}
    try:
        while queue or running:
            while queue and len(running) < count:
                job, key = queue.pop()
                started(job)
                child = _start(job, out, key)
                running[child.pipe] = child
            for pipe in wait(list(running), _patience(running.values())):
                yield running.pop(pipe).ended(out)
            for child in running.values():
                if time.monotonic() - child.begun > LONGEST_JOB:
                    child.late = True
                    child.process.kill()
    finally:
        for child in running.values():
            child.process.kill()
            child.process.join()
            sweep(out / child.job.folder)


def _start(job: Job, out: Path, key: str) -> _Child:
    pipe, theirs = multiprocessing.Pipe(duplex=False)
    for attempt in range(ATTEMPTS):
        process = _context().Process(target=_child, args=(theirs, job, out, key), daemon=True)
        try:
            process.start()
        except (OSError, EOFError):
            # Somebody ended the server. The system may not have taken note of its end yet: until it has,
            # multiprocessing starts no new one.
            if attempt == ATTEMPTS - 1:
                raise
            time.sleep(PAUSE)
            warm_up()
        else:
            break
    theirs.close()
    return _Child(process, pipe, job, time.monotonic())


def _patience(children: Any) -> float:
    """Seconds until the first of the children has had its time."""
    first = min(child.begun for child in children)
    return max(0.0, min(60.0, first + LONGEST_JOB - time.monotonic() + 0.01))


def _context() -> Any:
    if not FORKS:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context


# --- in the child ---------------------------------------------------------------------------------


def _child(pipe: Connection, job: Job, out: Path, key: str) -> None:
    # Ctrl-C reaches the whole group of processes; the caller decides what becomes of its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_caller, daemon=True).start()
    pipe.send(perform(job, out, key))
    pipe.close()


def _end_with_caller() -> None:
    """End this process when the one that asked for it is gone, by whatever signal: a resumed batch must not
    meet the children of the killed one."""
    caller = multiprocessing.parent_process()
    if caller is not None:
        caller.join()
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
