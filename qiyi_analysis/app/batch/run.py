"""Running a batch: which jobs are already done, and who does the others.

Four ways give the same files: forked processes (Linux), worker processes with a warm kernel (elsewhere), one
after the other with a kernel each (``isolated``), and a Dask cluster.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from qiyi_analysis.app.batch.jobs import Job, fingerprint
from qiyi_analysis.app.batch.outcome import Outcome, finished_before, perform, sweep
from qiyi_analysis.report.run.render import Runner

#: Forked children are cheap and alone; macOS forbids much in them that its own libraries do.
FORKS = hasattr(os, "fork") and sys.platform != "darwin"

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
    leaves ``failed.log`` (and its partial notebook) in its folder and does not stop the others. An exception
    (Ctrl-C) ends the children and removes what they had half-written.
    """
    out.mkdir(parents=True, exist_ok=True)
    sweep(out)
    if FORKS and not cluster and not isolated:
        from qiyi_analysis.app.batch import forked

        # The server imports while the inputs are read here.
        forked.warm_up()
    outcomes: dict[int, Outcome] = {}
    waiting: list[tuple[Job, str]] = []
    for job in jobs:
        key = fingerprint(job)
        earlier = finished_before(job, out, key) if resume else None
        if earlier is not None:
            outcomes[job.line] = earlier
            finished(earlier)
        else:
            waiting.append((job, key))
    for outcome in _results(waiting, out, workers or _cores(), cluster, isolated, started):
        outcomes[outcome.line] = outcome
        finished(outcome)
    return tuple(outcomes[job.line] for job in jobs)


def _results(
    waiting: list[tuple[Job, str]], out: Path, count: int, cluster: str, isolated: bool, started: Started
) -> Iterator[Outcome]:
    if not waiting:
        return iter(())
    if cluster:
        from qiyi_analysis.app.batch.pools import on_cluster

        return on_cluster(waiting, out, cluster, started)
    if isolated:
        return _one_by_one(waiting, out, started)
    if FORKS:
        from qiyi_analysis.app.batch.forked import forked

        return forked(waiting, out, count, started)
    from qiyi_analysis.app.batch.pools import in_pool

    return in_pool(waiting, out, count, started)


def quick_runner(isolated: bool = False) -> Runner | None:
    """The runner for a single notebook beside a batch: a forked process where there are such."""
    if not FORKS or isolated:
        return None
    from qiyi_analysis.app.batch.forked import run_forked

    return run_forked


def _one_by_one(waiting: list[tuple[Job, str]], out: Path, started: Started) -> Iterator[Outcome]:
    for job, key in waiting:
        started(job)
        yield perform(job, out, key, None)


def _cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
