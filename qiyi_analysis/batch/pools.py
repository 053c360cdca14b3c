"""Jobs in worker processes with a warm kernel each: of a local pool, or of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qiyi_analysis.batch.jobs import Job
from qiyi_analysis.batch.outcome import Outcome, lost, perform
from qiyi_analysis.errors import QiyiError

#: Worker processes are renewed after so many notebooks (memory of old outputs).
JOBS_PER_WORKER = 25
#: A job whose worker dies is given to another one so many times.
RETRIES = 3


def in_pool(waiting: list[tuple[Job, str]], out: Path, count: int) -> Iterator[Outcome]:
    """Worker processes, each with one kernel that is reset between notebooks."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, max_tasks_per_child=JOBS_PER_WORKER) as pool:
        futures = {pool.submit(perform_warm, job, out, key): job for job, key in waiting}
        try:
            for future in as_completed(futures):
                try:
                    yield future.result()
                except BrokenProcessPool:
                    yield lost(futures[future], out, "the worker process was lost")
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def perform_warm(job: Job, out: Path, key: str) -> Outcome:
    """Do one job with this thread's warm kernel."""
    from qiyi_analysis.batch.warm import run_warm

    return perform(job, out, key, run_warm)


def on_cluster(waiting: list[tuple[Job, str]], out: Path, address: str) -> Iterator[Outcome]:
    """A Dask cluster; its machines must see inputs and outputs under the same paths."""
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise QiyiError("--cluster needs Dask: install qiyi-analysis[cluster]") from error
    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise QiyiError(f"--cluster {address}: no scheduler answers there ({error})") from error
    with client:
        # The line is part of the name: the same job may stand in the table twice.
        futures = {
            client.submit(
                perform_warm,
                job,
                out.absolute(),
                key,
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
                    yield lost(futures[future], out, str(error))
        finally:
            client.cancel(list(futures))
