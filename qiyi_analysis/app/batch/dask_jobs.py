"""Jobs on the workers of a Dask cluster, whose machines see inputs and outputs under the same paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.app.batch.jobs import Job
from qiyi_analysis.app.batch.outcome import Outcome, lost, perform
from qiyi_analysis.model.errors import QiyiError, of_system

#: A job whose worker dies is given to another one this many times.
RETRIES = 3


def perform_on_cluster(job: Job, out: Path, key: str, topic: str) -> Outcome:
    """Do one job on a worker of a cluster and tell the client, by its line, that it has begun."""
    from distributed import get_worker

    get_worker().log_event(topic, job.line)
    return perform(job, out, key)


def on_cluster(
    waiting: list[tuple[Job, str]], out: Path, address: str, started: Callable[[Job], None]
) -> Iterator[Outcome]:
    """Do the jobs; outcomes as they come.

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
        futures = {
            client.submit(
                perform_on_cluster, job, out.absolute(), key, topic,
                # The line is part of the name: the same job may stand in the table twice.
                key=f"qiyi-{job.line}-{key}", pure=False, retries=RETRIES,
            ): job
            for job, key in waiting
        }  # fmt: skip
        try:
            for future in as_completed(list(futures)):
                try:
                    yield future.result()
                except Exception as error:  # the scheduler's word that a worker was lost for good
                    yield lost(futures[future], out, words.said("worker.lost", error=error))
        finally:
            client.cancel(list(futures))
