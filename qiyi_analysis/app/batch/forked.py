"""Jobs in processes forked from a server that has imported everything and has a single thread.

Forking the caller itself would copy whatever locks its threads hold (a kernel's, Typst's, a progress bar's) and
the child would wait for them for ever. The server is multiprocessing's; a child that has done its job, was killed
or lost its caller is gone, and so is everything that its notebook changed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.app.batch.in_process import run_in_process
from qiyi_analysis.app.batch.jobs import Job
from qiyi_analysis.app.batch.outcome import Outcome, lost, perform, sweep
from qiyi_analysis.model.errors import ReportError

#: A job that takes longer than this is ended: one bad file must not hold up hundreds.
LONGEST_JOB = 900.0
#: A server that was ended is replaced within so many attempts, and seconds between them.
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

    process: ForkServerProcess
    pipe: Connection
    begun: float
    late: bool = False


def warm_up() -> None:
    """Start the server, which imports in the background, unless it runs already."""
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


def forked(
    waiting: list[tuple[Job, str]], out: Path, count: int, started: Callable[[Job], None]
) -> Iterator[Outcome]:
    """Do the jobs, ``count`` at a time, each in a child of its own; outcomes as they come."""
    queue = list(reversed(waiting))
    running: dict[Any, tuple[_Child, Job]] = {}
    try:
        while queue or running:
            while queue and len(running) < count:
                job, key = queue.pop()
                started(job)
                child = _start(perform, job, out, key, run_in_process)
                running[child.pipe] = (child, job)
            for pipe in wait(list(running), _patience([child for child, _ in running.values()])):
                child, job = running.pop(pipe)
                seconds = time.monotonic() - child.begun
                try:
                    outcome = _answer(child)
                except _Gone as end:
                    late = words.said("worker.late", seconds=f"{LONGEST_JOB:.0f}")
                    why = late if child.late else end.why
                    outcome = lost(job, out, why, seconds)
                yield outcome
            for child, _ in running.values():
                if time.monotonic() - child.begun > LONGEST_JOB:
                    child.late = True
                    child.process.kill()
    finally:
        for child, job in running.values():
            child.process.kill()
            child.process.join()
            sweep(out / job.folder)


def run_forked(path: Path, parameters: dict[str, Any], partial: Path) -> Any:
    """Run a notebook in a child; see qiyi_analysis.report.run.render.Runner."""
    warm_up()
    child = _start(run_in_process, path, parameters, partial)
    try:
        return _answer(child)
    except _Gone as end:
        raise ReportError("worker-gone", file=path.name, why=end.why) from end
    finally:
        child.process.kill()
        child.process.join()


class _Gone(Exception):
    """The child ended without an answer."""

    def __init__(self, why: words.Said) -> None:
        super().__init__(why)
        self.why = why


def _start(work: Callable[..., Any], *arguments: Any) -> _Child:
    pipe, theirs = multiprocessing.Pipe(duplex=False)
    for attempt in range(ATTEMPTS):
        process = _context().Process(target=_child, args=(theirs, work, arguments), daemon=True)
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
    return _Child(process, pipe, time.monotonic())


def _answer(child: _Child) -> Any:
    """What the child sent. Raises _Gone when it was killed, or what the work raised."""
    try:
        answer = child.pipe.recv()
    except (EOFError, OSError):
        answer = None
    child.pipe.close()
    child.process.join(10)
    if answer is None:
        code = child.process.exitcode
        raise _Gone(
            words.said("worker.signal", number=-code) if code and code < 0 else words.said("worker.gone")
        )
    fault, value = answer
    if fault is not None:
        raise fault
    return value


def _patience(children: list[_Child]) -> float:
    """Seconds until the first of the children has had its time."""
    first = min(child.begun for child in children)
    return max(0.0, min(60.0, first + LONGEST_JOB - time.monotonic() + 0.01))


def _context() -> multiprocessing.context.ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context


# --- in the child ---------------------------------------------------------------------------------


def _child(pipe: Connection, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    # Ctrl-C reaches the whole group of processes; the caller decides what becomes of its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_caller, daemon=True).start()
    answer: tuple[Exception | None, Any]
    try:
        answer = (None, work(*arguments))
    except Exception as error:
        answer = (error, None)
    pipe.send(answer)
    pipe.close()


def _end_with_caller() -> None:
    """End this process when the one that asked for it is gone, by whatever signal: a resumed batch must not
    meet the children of the killed one."""
    caller = multiprocessing.parent_process()
    if caller is not None:
        caller.join()
        os.kill(os.getpid(), signal.SIGKILL)
