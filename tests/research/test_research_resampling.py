"""Intervals: reproducible, honest about what cannot be said, wider for clusters than for games."""

from __future__ import annotations

import numpy as np
import pytest
from research_plain import made_history

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.studies.resampling import (
    clusters_of,
    draw,
    paired_clusters,
    power,
    replicated,
    resample,
)
from qiyi_analysis.research.sweeps.k_sweep import sweep

HISTORY = made_history(games=4000, players=80, periods=36, seed=7)
KS = [5, 10, 20, 40, 80, 160]
SWEPT = sweep(HISTORY, KS, scored_from=12)


def test_replicates_do_not_depend_on_how_they_are_shared_out() -> None:
    for by in ("player", "period", "game"):
        clusters = clusters_of(SWEPT, by)
        whole = draw(clusters, range(200), seed=3)
        parts = np.concatenate([draw(clusters, range(a, a + 40), seed=3) for a in range(0, 200, 40)])
        assert np.array_equal(whole, parts)
        assert not np.array_equal(whole, draw(clusters, range(200), seed=4))


def test_a_replicate_is_the_weighted_mean() -> None:
    clusters = clusters_of(SWEPT, "player")
    weights = np.random.default_rng([9, 0]).multinomial(
        clusters.count, np.full(clusters.count, 1 / clusters.count)
    )
    product = weights[clusters.sides[0]] * weights[clusters.sides[1]]
    plain = (product[:, None] * clusters.sums).sum(axis=0) / (product * clusters.games).sum()
    assert draw(clusters, range(1), seed=9)[0] == pytest.approx(plain)


def test_players_give_wider_intervals_than_games() -> None:
    width = {by: np.ptp(resample(SWEPT, by, 800).level_interval(3)) for by in ("player", "game")}
    assert width["player"] > 1.2 * width["game"]


def test_a_wrong_k_is_worse_and_a_near_one_undecided() -> None:
    drawn = resample(SWEPT, "player", 800)
    rows = drawn.differences().set_index("candidate")["evidence"]
    assert rows["K 160"] == "worse"
    assert rows.iloc[drawn.best()] == "none"
    assert drawn.best() in drawn.flat_region()
    low, high = drawn.best_interval()
    assert low <= SWEPT.candidates["k"][drawn.best()] <= high


def test_few_clusters_carry_no_interval() -> None:
    swept = sweep(HISTORY.with_periods("year"), KS, scored_from=1)
    drawn = resample(swept, "period", 200)
    assert drawn.clusters == 2
    assert not drawn.supported
    assert (drawn.differences()["evidence"] == "none").all()
    assert len(drawn.flat_region()) == len(KS)
    assert drawn.best_interval() == (5, 160)


def test_power_grows_with_the_square_root_of_the_games() -> None:
    drawn = resample(SWEPT, "game", 800)
    found = power(drawn, 5, drawn.best())
    assert found.games_needed <= found.games
    assert found.games_needed == pytest.approx(
        drawn.games * (2.801585 * found.error / found.difference) ** 2, rel=1e-5
    )
    assert np.isnan(power(drawn, 2, 2).games_needed)


def test_intervals_cover_the_truth() -> None:
    """Two candidates of the same expected loss: the 95 % interval of the difference holds 0 in about 95 of 100 cases."""
    rng = np.random.default_rng(11)
    covered = 0
    for case in range(200):
        label = np.repeat(np.arange(40), 25)
        noise = rng.normal(0, 1, (40, 2))[label] + rng.normal(0, 1, (1000, 2))
        clusters = paired_clusters(noise, label)
        import pandas as pd

        drawn = replicated(
            clusters, pd.DataFrame({"candidate": ["a", "b"]}), draw(clusters, range(300), case), case
        )
        covered += drawn.differences(against=0)["evidence"].iloc[1] == "none"
    assert 0.90 <= covered / 200 <= 0.985


def test_what_cannot_be_resampled_is_said() -> None:
    with pytest.raises(ParameterError, match="expected one of player, period, event, game"):
        resample(SWEPT, "month")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="names no events"):
        resample(SWEPT, "event")
    with pytest.raises(ParameterError, match="by_player"):
        resample(sweep(HISTORY, KS, by_player=False), "player")
    with pytest.raises(ParameterError, match="no game was scored"):
        resample(sweep(HISTORY, KS, scored_from=99), "game")
    with pytest.raises(ParameterError, match="at least 20"):
        resample(SWEPT, "game", replicates=1)


def test_parts_of_periods_are_not_called_games(monkeypatch) -> None:
    from qiyi_analysis.research.sweeps import sweep_units

    monkeypatch.setattr(sweep_units, "EXACT_UNITS", 10)
    monkeypatch.setattr(sweep_units, "UNITS", 24)
    with pytest.raises(ParameterError, match="not kept one by one"):
        resample(sweep(HISTORY, KS), "game")


def test_a_large_history_is_resampled_by_groups_of_players(monkeypatch) -> None:
    from qiyi_analysis.research.sweeps import sweep_units as k_sweep

    exact = resample(SWEPT, "player", 1500)
    monkeypatch.setattr(k_sweep, "EXACT_UNITS", 10)
    monkeypatch.setattr(k_sweep, "GROUPS", 64)
    swept = sweep(HISTORY, KS, scored_from=12)
    assert not swept.pairs_exact
    assert swept.pair_sums.sum(axis=0) == pytest.approx(SWEPT.pair_sums.sum(axis=0))
    assert swept.table()["log_loss"].to_numpy() == pytest.approx(SWEPT.table()["log_loss"].to_numpy())
    grouped = resample(swept, "player", 1500)
    assert grouped.clusters == 64
    ratio = grouped.differences()["error"].iloc[5] / exact.differences()["error"].iloc[5]
    assert 0.6 < ratio < 1.6
