"""Running a batch: which jobs are already done, and who does the others.

Child processes on this machine and the workers of a Dask cluster give the same files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from qiyi_analysis.app.batch.jobs import Job, fingerprint
from qiyi_analysis.app.batch.outcome import Outcome, finished_before
from qiyi_analysis.app.batch.workers import in_children, warm_up
from qiyi_analysis.files.temporary import sweep

Report = Callable[[Outcome], None]
Started = Callable[[Job], None]


def run_batch(
    jobs: Sequence[Job],
    out: Path,
    *,
    workers: int = 0,
    cluster: str = "",
    resume: bool = False,
    started: Started = lambda job: None,
    finished: Report = lambda outcome: None,
) -> tuple[Outcome, ...]:
    """Do all jobs and return their outcomes in the order of the table.

    ``workers`` 0 means one for each core. ``finished`` is called for every job as it ends. A failed job
    leaves ``failed.log`` (and its notebook so far) in its folder and does not stop the others. An exception
    (Ctrl-C) ends the children and removes what they had half-written.
    """
    out.mkdir(parents=True, exist_ok=True)
    sweep(out)
    if not cluster:
        # The server imports while the inputs are read here.
        warm_up()
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
    for outcome in _results(waiting, out, workers or _cores(), cluster, started):
        outcomes[outcome.line] = outcome
        finished(outcome)
    return tuple(outcomes[job.line] for job in jobs)


def _results(
    waiting: list[tuple[Job, str]], out: Path, count: int, cluster: str, started: Started
) -> Iterator[Outcome]:
    if not waiting:
        return iter(())
    if not cluster:
        return in_children(waiting, out, count, started)
    from qiyi_analysis.app.batch.dask_jobs import on_cluster

    return on_cluster(waiting, out, cluster, started)


def _cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
