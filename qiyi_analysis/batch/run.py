"""Running a batch: which jobs are already done, who does the others, what became of each.

Four ways give the same files: forked workers (POSIX; the parent has imported everything, each job runs in
a process of its own), worker processes with a warm kernel (elsewhere), one after the other with a kernel
each (``isolated``), and a Dask cluster. A job's mark is written after its files, so that a batch killed at
any moment can be resumed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from qiyi_analysis.batch.jobs import Job, fingerprint
from qiyi_analysis.batch.work import do_job
from qiyi_analysis.errors import QiyiError
from qiyi_analysis.report import Runner, write

MARK = ".done.json"
LOG = "failed.log"
#: A job that takes longer than this is ended: one bad file must not hold up hundreds.
LONGEST_JOB = 900.0
#: Worker processes with a warm kernel are renewed after so many notebooks (memory of old outputs).
JOBS_PER_WORKER = 25

DONE, SKIPPED, FAILED = "done", "skipped", "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a job. ``files`` are names below the batch's folder; ``seconds`` is for the screen."""

    line: int
    command: str
    input: str
    folder: str
    state: str
    verdict: str = ""
    findings: int = 0
    message: str = ""
    files: tuple[str, ...] = ()
    seconds: float = 0.0


Report = Callable[[Outcome], None]
Started = Callable[[Job], None]


def run_batch(
    jobs: Sequence[Job],
    out: Path,
    *,
    workers: int = 0,
    cluster: str = "",
    resume: bool = False,
    isolated: bool = False,
    started: Started = lambda job: None,
    finished: Report = lambda outcome: None,
) -> tuple[Outcome, ...]:
    """Do all jobs and return their outcomes in the order of the table.

    ``workers`` 0 means one for each core. ``finished`` is called for every job as it ends. A failed job
    leaves ``failed.log`` (and its partial notebook) in its folder and does not stop the others.
    """
    out.mkdir(parents=True, exist_ok=True)
    outcomes: dict[int, Outcome] = {}
    waiting: list[tuple[Job, str]] = []
    for job in jobs:
        key = fingerprint(job)
        earlier = _finished_before(job, out, key) if resume else None
        if earlier is not None:
            outcomes[job.line] = earlier
            finished(earlier)
        else:
            waiting.append((job, key))
    count = workers or os.cpu_count() or 1
    if cluster:
        results = _on_cluster(waiting, out, cluster)
    elif isolated or len(waiting) == 0:
        results = _one_by_one(waiting, out, started)
    elif hasattr(os, "fork") and sys.platform != "darwin":
        results = _forked(waiting, out, count, started)
    else:
        results = _in_pool(waiting, out, count)
    for outcome in results:
        outcomes[outcome.line] = outcome
        finished(outcome)
    return tuple(outcomes[job.line] for job in jobs)


def perform(job: Job, out: Path, key: str, runner: Runner | None) -> Outcome:
    """Do one job in this process; whatever goes wrong becomes a failed outcome with a log."""
    folder = out / job.folder
    begun = time.monotonic()
    facts: dict[str, Any] = {
        "line": job.line,
        "command": job.command,
        "input": job.input,
        "folder": job.folder,
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARK).unlink(missing_ok=True)
        for rest in folder.glob(".*.part*"):
            rest.unlink(missing_ok=True)
        done = do_job(job, folder, runner)
        files = tuple(path.relative_to(out).as_posix() for path in done.files)
        outcome = Outcome(
            **facts, state=DONE, verdict=done.verdict, findings=done.findings, files=files,
            seconds=time.monotonic() - begun,
        )  # fmt: skip
        hashes = {name: _sha256(out / name) for name in files}
        mark = {"fingerprint": key, "verdict": done.verdict, "findings": done.findings, "files": hashes}
        write(folder / MARK, json.dumps(mark, indent=1, sort_keys=True).encode("utf-8"))
        (folder / LOG).unlink(missing_ok=True)
        return outcome
    except (QiyiError, OSError) as error:
        message = str(error)
        _log(folder, message)
    except Exception as error:  # one job's fault, of whatever kind, is that job's outcome
        message = f"a fault of the program: {type(error).__name__}: {error}"
        _log(folder, traceback.format_exc())
    return Outcome(**facts, state=FAILED, message=message, seconds=time.monotonic() - begun)


def _log(folder: Path, text: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / LOG, (text.rstrip() + "\n").encode("utf-8"))
    except OSError:
        return  # the disk is full or read-only: the outcome still says what happened


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _finished_before(job: Job, out: Path, key: str) -> Outcome | None:
    """The outcome of an earlier run whose files are all there and unchanged."""
    try:
        mark = json.loads((out / job.folder / MARK).read_text(encoding="utf-8"))
        if mark["fingerprint"] != key or any(
            _sha256(out / name) != sha for name, sha in mark["files"].items()
        ):
            return None
        return Outcome(
            line=job.line, command=job.command, input=job.input, folder=job.folder, state=SKIPPED,
            verdict=mark["verdict"], findings=mark["findings"], files=tuple(mark["files"]),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _one_by_one(waiting: list[tuple[Job, str]], out: Path, started: Started) -> Iterator[Outcome]:
    for job, key in waiting:
        started(job)
        yield perform(job, out, key, None)


# --- forked workers -------------------------------------------------------------------------------


def _forked(waiting: list[tuple[Job, str]], out: Path, count: int, started: Started) -> Iterator[Outcome]:
    """A process forked for each job from this one, which has imported everything."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    from qiyi_analysis.batch.in_process import preload

    preload()
    results = out / ".results"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir()
    running: dict[int, tuple[Job, float]] = {}
    queue = list(reversed(waiting))
    try:
        while queue or running:
            while queue and len(running) < count:
                job, key = queue.pop()
                started(job)
                running[_fork(job, key, out, results)] = (job, time.monotonic())
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid in running:
                job, begun = running.pop(pid)
                yield _collected(job, results, status, time.monotonic() - begun, out)
                continue
            for late, (_job, begun) in running.items():
                if time.monotonic() - begun > LONGEST_JOB:
                    os.kill(late, signal.SIGKILL)
            time.sleep(0.005)
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        shutil.rmtree(results, ignore_errors=True)


def _fork(job: Job, key: str, out: Path, results: Path) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    # The child must never return into the parent's code, whatever happens.
    try:
        from qiyi_analysis.batch.in_process import run_in_process

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        outcome = perform(job, out, key, run_in_process)
        write(results / f"{job.line}.json", json.dumps(asdict(outcome)).encode("utf-8"))
    finally:
        os._exit(0)


def _collected(job: Job, results: Path, status: int, seconds: float, out: Path) -> Outcome:
    try:
        facts = json.loads((results / f"{job.line}.json").read_text(encoding="utf-8"))
        return Outcome(**{**facts, "files": tuple(facts["files"])})
    except (OSError, ValueError):
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        why = (
            f"took longer than {LONGEST_JOB:.0f} s"
            if seconds > LONGEST_JOB
            else f"worker ended by signal {number}"
        )
        _log(out / job.folder, why)
        return Outcome(
            line=job.line, command=job.command, input=job.input, folder=job.folder, state=FAILED, message=why,
            seconds=seconds,
        )  # fmt: skip


# --- worker processes with a warm kernel, and clusters --------------------------------------------


def _in_pool(waiting: list[tuple[Job, str]], out: Path, count: int) -> Iterator[Outcome]:
    """Worker processes, each with one kernel that is reset between notebooks."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, max_tasks_per_child=JOBS_PER_WORKER) as pool:
        futures = {pool.submit(perform_warm, job, out, key): job for job, key in waiting}
        for future in as_completed(futures):
            try:
                yield future.result()
            except BrokenProcessPool:
                yield _lost(futures[future])


def perform_warm(job: Job, out: Path, key: str) -> Outcome:
    """Do one job with this process's warm kernel."""
    from qiyi_analysis.batch.warm import run_warm

    return perform(job, out, key, run_warm)


def _on_cluster(waiting: list[tuple[Job, str]], out: Path, address: str) -> Iterator[Outcome]:
    """A Dask cluster; its machines must see inputs and outputs under the same paths."""
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise QiyiError("--cluster needs Dask: install qiyi-analysis[cluster]") from error
    try:
        client = Client(address, timeout="10s")
    except OSError as error:
        raise QiyiError(f"--cluster {address}: no scheduler answers there ({error})") from error
    with client:
        futures = {
            client.submit(perform_warm, job, out.absolute(), key, key=f"qiyi-{key}", pure=False): job
            for job, key in waiting
        }
        for future in as_completed(list(futures)):
            try:
                yield future.result()
            except Exception as error:  # the scheduler's word that a worker was lost for good
                yield _lost(futures[future], str(error))


def _lost(job: Job, why: str = "the worker process was lost") -> Outcome:
    return Outcome(
        line=job.line, command=job.command, input=job.input, folder=job.folder, state=FAILED, message=why
    )
