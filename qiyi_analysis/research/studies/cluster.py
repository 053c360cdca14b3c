"""The same study on several processes or machines, by Dask: lanes, replicates and pools are distributed.

Results do not depend on the number of workers: candidates are independent columns of a sweep, and replicate ``b`` of
a seed draws the same weights wherever it is drawn. Whatever a lost worker held is computed again: data travel inside
the tasks (or as a path that every worker can read), never only in a worker's memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import PackedHistory
from qiyi_analysis.research.studies.resampling import By, Clusters, Replicates, clusters_of, draw, replicated
from qiyi_analysis.research.sweeps.k_sweep import sweep
from qiyi_analysis.research.sweeps.sweep_result import Sweep

if TYPE_CHECKING:
    from distributed import Client

#: A task whose worker dies is given to another one so many times.
RETRIES = 5


@contextmanager
def connected(address: str | None = None, workers: int = 0, **choices: Any) -> Iterator[Client | None]:
    """A Dask client: of the scheduler at ``address``, of a local cluster of ``workers`` processes, or None for neither.

    A local cluster is closed at the end. Raises ParameterError when Dask is not installed or nobody answers.
    """
    if not address and workers <= 1:
        yield None
        return
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ParameterError("research-without-dask") from error
    if address:
        try:
            client = Client(address, **({"timeout": "15s"} | choices))
        except (OSError, TimeoutError, ValueError) as error:
            raise ParameterError("research-no-scheduler", address=address) from error
        try:
            yield client
        finally:
            client.close()
        return
    settings = {
        "n_workers": workers,
        "threads_per_worker": 1,
        "processes": True,
        "dashboard_address": ":0",
    } | choices
    with LocalCluster(**settings) as cluster, Client(cluster) as client:
        yield client


def map_tasks(
    client: Client | None, function: Callable[..., Any], tasks: Sequence[Any], *shared: Any
) -> list[Any]:
    """``[function(task, *shared) for task in tasks]`` in order, on the cluster where there is one."""
    if client is None:
        return [function(task, *shared) for task in tasks]
    futures = [client.submit(function, task, *shared, retries=RETRIES, pure=False) for task in tasks]
    return list(client.gather(futures))


def sweep_on(
    client: Client | None,
    games: History | PackedHistory,
    candidates: pd.DataFrame,
    tasks: int = 0,
    **choices: Any,
) -> Sweep:
    """A sweep whose candidates are shared out among the workers; equal to ``sweep(games, candidates=...)``.

    candidates: table with ``k`` (numbers, schedules) and perhaps advantage, start, entrants. A packed history is
    opened by each worker from its path; another travels in the tasks. tasks: pieces (default: two per worker).
    """
    if client is None:
        return sweep(games, candidates=candidates, **choices)
    count = tasks or 2 * max(1, len(client.scheduler_info()["workers"]))
    parts = [part for part in np.array_split(np.arange(len(candidates)), count) if part.size]
    tables = [candidates.iloc[part].reset_index(drop=True) for part in parts]
    if isinstance(games, History):
        # One task makes the arrays, the others depend on it: lost with its worker, it is run again.
        shared: Any = client.submit(_same, games, retries=RETRIES, pure=False)
    else:
        shared = games
    return joined(map_tasks(client, _sweep_part, tables, shared, choices))


def joined(parts: Sequence[Sweep]) -> Sweep:
    """Sweeps of different candidates over the same games as one."""
    first = parts[0]
    if any(part.settings != first.settings or part.scored != first.scored for part in parts):
        raise ParameterError("sweeps-differ")
    return replace(
        first,
        candidates=pd.concat([part.candidates for part in parts], ignore_index=True),
        sums=np.concatenate([part.sums for part in parts], axis=2),
        pair_sums=np.concatenate([part.pair_sums for part in parts], axis=1),
        ratings=np.concatenate([part.ratings for part in parts], axis=1),
    )


def resample_on(
    client: Client | None,
    swept: Sweep,
    by: By = "player",
    replicates: int = 1000,
    seed: int = 1,
    metric: str = "log_loss",
) -> Replicates:
    """``resample`` with the replicates shared out among the workers; equal to it replicate by replicate."""
    clusters = clusters_of(swept, by, metric)
    return draw_on(client, clusters, swept.candidates, replicates, seed)


def draw_on(
    client: Client | None, clusters: Clusters, candidates: pd.DataFrame, replicates: int, seed: int
) -> Replicates:
    """Replicates of any clusters, drawn on the cluster where there is one."""
    if client is None:
        return replicated(clusters, candidates, draw(clusters, range(replicates), seed), seed)
    count = 2 * max(1, len(client.scheduler_info()["workers"]))
    step = max(1, -(-replicates // count))
    pieces = [range(low, min(low + step, replicates)) for low in range(0, replicates, step)]
    shared = client.submit(_same, clusters, retries=RETRIES, pure=False)
    drawn = np.concatenate(map_tasks(client, _draw_part, pieces, shared, seed))
    return replicated(clusters, candidates, drawn, seed)


def pools_on(
    client: Client | None, pools: Mapping[str, History | PackedHistory | str | Path], **choices: Any
) -> dict[str, Sweep]:
    """The same sweep over independent pools (federations, sexes, time controls), one task each."""
    swept = map_tasks(client, _sweep_pool, list(pools.values()), choices)
    return dict(zip(pools, swept, strict=True))


def _same(value: Any) -> Any:
    # Arrays arrive read-only; made anew they are of the kind the loops are compiled for.
    return replace(value)


def _sweep_part(candidates: pd.DataFrame, games: Any, choices: dict[str, Any]) -> Sweep:
    return sweep(games, candidates=candidates, **choices)


def _sweep_pool(games: Any, choices: dict[str, Any]) -> Sweep:
    return sweep(games, **choices)


def _draw_part(replicates: range, clusters: Clusters, seed: int) -> np.ndarray:
    return draw(clusters, replicates, seed)
