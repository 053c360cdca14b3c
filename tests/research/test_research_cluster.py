"""A real scheduler with several worker processes, one of them killed: the same numbers, nothing lost."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from research_plain import made_history

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.history_files import open_packed, write_history
from qiyi_analysis.research.studies import cluster as clusters
from qiyi_analysis.research.studies.resampling import resample
from qiyi_analysis.research.sweeps.k_sweep import sweep
from qiyi_analysis.research.sweeps.sweep_candidates import candidate_grid

distributed = pytest.importorskip("distributed")

HISTORY = made_history(games=4000, players=80, periods=30)
GRID = candidate_grid([5, 10, 20, 30, 40, 60, 80], [0, 30])[0][["k", "advantage"]]


@pytest.fixture(scope="module")
def client():
    with clusters.connected(workers=2) as one:
        yield one


def test_lanes_replicates_and_pools_are_the_same_as_on_one_process(client, tmp_path) -> None:
    alone = sweep(HISTORY, candidates=GRID, scored_from=6)
    shared = clusters.sweep_on(client, HISTORY, GRID, scored_from=6)
    assert np.array_equal(alone.sums, shared.sums)
    assert np.array_equal(alone.pair_sums, shared.pair_sums)
    assert shared.candidates["k"].tolist() == alone.candidates["k"].tolist()
    for by in ("player", "period"):
        assert np.array_equal(
            resample(alone, by, 90).drawn, clusters.resample_on(client, shared, by, 90).drawn
        )
    write_history(HISTORY, tmp_path / "pool.parquet", row_group=500)
    packed = clusters.sweep_on(client, open_packed(tmp_path / "pool.parquet"), GRID, scored_from=6)
    assert packed.table()["log_loss"].to_numpy() == pytest.approx(
        alone.table()["log_loss"].to_numpy(), abs=1e-12
    )
    pools = clusters.pools_on(
        client, {"a": HISTORY, "b": str(tmp_path / "pool.parquet")}, k=[20.0], scored_from=6
    )
    assert list(pools) == ["a", "b"]
    assert pools["a"].table()["log_loss"][0] == pytest.approx(pools["b"].table()["log_loss"][0], abs=1e-12)


def slow_loss(candidates: pd.DataFrame, games, choices: dict) -> object:
    """A part of the sweep that takes a while, so that its worker can be killed in the middle."""
    time.sleep(0.3)
    return sweep(games, candidates=candidates, **choices)


def test_a_killed_worker_loses_nothing() -> None:
    alone = sweep(HISTORY, candidates=GRID, scored_from=6)
    with clusters.connected(workers=3) as client:
        pids = client.run(os.getpid)
        assert len(set(pids.values())) == 3
        assert os.getpid() not in pids.values()
        shared = client.submit(clusters._same, HISTORY, retries=clusters.RETRIES, pure=False)
        shared.result()
        # Kill the worker that holds the games, while the parts are being computed.
        holder = next(iter(client.who_has([shared]).values()))[0]
        killed = pids[holder]
        timer = threading.Timer(0.8, os.kill, (killed, signal.SIGKILL))
        timer.start()
        parts = [GRID.iloc[[row]].reset_index(drop=True) for row in range(len(GRID))]
        joined = clusters.joined(clusters.map_tasks(client, slow_loss, parts, shared, {"scored_from": 6}))
        timer.join()
        assert killed not in client.run(os.getpid).values()
    assert np.array_equal(alone.sums, joined.sums)
    assert np.array_equal(alone.ratings, joined.ratings, equal_nan=True)


def test_no_scheduler_is_a_message() -> None:
    with (
        pytest.raises(ParameterError, match="no scheduler answers"),
        clusters.connected("tcp://127.0.0.1:9", timeout="1s"),
    ):
        pass


def test_without_workers_nothing_is_started() -> None:
    with clusters.connected() as none:
        assert none is None
    assert clusters.map_tasks(None, lambda x, y: x + y, [1, 2], 10) == [11, 12]
