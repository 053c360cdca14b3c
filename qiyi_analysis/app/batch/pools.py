"""Jobs in worker processes with a warm kernel each: of a local pool, or of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.app.batch.jobs import Job
from qiyi_analysis.app.batch.outcome import Outcome, lost, perform
from qiyi_analysis.model.errors import QiyiError, of_system

#: Worker processes are renewed after so many notebooks (memory of old outputs).
JOBS_PER_WORKER = 25
#: A job whose worker dies is given to another one so many times.
RETRIES = 3


def in_pool(
    waiting: list[tuple[Job, str]], out: Path, count: int, started: Callable[[Job], None]
) -> Iterator[Outcome]:
    """Worker processes, each with one kernel that is reset between notebooks.

    As many jobs are handed out as there are workers, so that ``started`` names what really runs. A worker that
    is lost breaks the pool: the jobs that ran are lost with it, the others go to a new pool.
    """
    queue = list(reversed(waiting))
    while queue:
        yield from _until_broken(queue, out, count, started)


def _until_broken(
    queue: list[tuple[Job, str]], out: Path, count: int, started: Callable[[Job], None]
) -> Iterator[Outcome]:
    """Take jobs from the end of ``queue`` until it is empty or a worker was lost."""
    import multiprocessing
    from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("spawn")
    running: dict[Future[Outcome], Job] = {}
    broken = False
    with ProcessPoolExecutor(count, mp_context=context, max_tasks_per_child=JOBS_PER_WORKER) as pool:
        try:
            while running or (queue and not broken):
                while queue and not broken and len(running) < count:
                    job, key = queue[-1]
                    try:
                        future = pool.submit(perform_warm, job, out, key)
                    except BrokenProcessPool:
                        broken = True
                        break
                    queue.pop()
                    started(job)
                    running[future] = job
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    job = running.pop(future)
                    try:
                        yield future.result()
                    except BrokenProcessPool:
                        broken = True
                        yield lost(job, out, words.said("worker.gone"))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def perform_warm(job: Job, out: Path, key: str) -> Outcome:
    """Do one job with this thread's warm kernel."""
    from qiyi_analysis.app.batch.warm import run_warm

    return perform(job, out, key, run_warm)


def perform_on_cluster(job: Job, out: Path, key: str, topic: str) -> Outcome:
    """Do one job on a worker of a cluster and tell the client, by its line, that it has begun."""
    from distributed import get_worker

    get_worker().log_event(topic, job.line)
    return perform_warm(job, out, key)


def on_cluster(
    waiting: list[tuple[Job, str]], out: Path, address: str, started: Callable[[Job], None]
) -> Iterator[Outcome]:
    """A Dask cluster; its machines must see inputs and outputs under the same paths.

    ``started`` is called in the client's own thread when a worker says that it has begun.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise QiyiError("cluster-without-dask") from error
    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise QiyiError("cluster-no-answer", address=address, error=of_system(error)) from error
    by_line = {job.line: job for job, _ in waiting}
    topic = f"qiyi-{client.id}"

    def begun(event: tuple[float, Any]) -> None:
        started(by_line[event[1]])

    with client:
        client.subscribe_topic(topic, begun)
        # The line is part of the name: the same job may stand in the table twice.
        futures = {
            client.submit(
                perform_on_cluster,
                job,
                out.absolute(),
                key,
                topic,
                key=f"qiyi-{job.line}-{key}",
                pure=False,
                retries=RETRIES,
            ): job
            for job, key in waiting
        }
        try:
            for future in as_completed(list(futures)):
                try:
                    yield future.result()
                except Exception as error:  # the scheduler's word that a worker was lost for good
                    yield lost(futures[future], out, words.said("worker.lost", error=error))
        finally:
            client.cancel(list(futures))
