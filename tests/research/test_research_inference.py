"""Standard errors and intervals of comparisons: against the definition worked over all pairs of games."""

from __future__ import annotations

import math

import numpy as np
import pytest
from research_plain import made_history

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.studies.inference import clustered_errors, holm, of_games, of_sweep
from qiyi_analysis.research.sweeps import sweep_units
from qiyi_analysis.research.sweeps.k_sweep import sweep

HISTORY = made_history(games=400, players=20, periods=12)
SCORED = HISTORY.period >= 4


def by_definition(values: np.ndarray, history, scored: np.ndarray) -> float:
    """The error of a mean as docs/methods.md says it, over all pairs of games."""
    first, second, period = history.first[scored], history.second[scored], history.period[scored]
    n, centred = values.size, values - values.mean()
    variance = 0.0
    for player in range(len(history.players)):
        own = (first == player) | (second == player)
        variance += (centred[own].sum() / (1 - own.sum() / n)) ** 2
    pairs = {}
    for a, b, one in zip(first, second, centred, strict=True):
        key = (min(a, b), max(a, b))
        pairs[key] = pairs.get(key, 0.0) + one
    variance -= 0.5 * sum(one**2 for one in pairs.values())
    single = float((centred**2).sum())
    together = sum(centred[period == t].sum() ** 2 for t in np.unique(period)) - single
    return math.sqrt(max(variance, single) + max(together, 0.0)) / n


def test_the_error_is_the_one_of_the_definition() -> None:
    values = np.random.default_rng(4).normal(size=int(SCORED.sum()))
    values += np.random.default_rng(5).normal(size=20)[HISTORY.first[SCORED]]
    losses = of_games(np.stack([values, np.zeros_like(values)], axis=1), ["a", "b"], HISTORY, SCORED)
    found = losses.differences(1, corrected=False)
    assert found["difference"][0] == pytest.approx(values.mean())
    assert found["error"][0] == pytest.approx(by_definition(values, HISTORY, SCORED), rel=1e-12)
    assert clustered_errors(values[:, None], HISTORY, SCORED)[0] == pytest.approx(
        found["error"][0] * values.size
    )


def test_a_sweep_and_its_single_games_have_the_same_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    ks = [10.0, 20.0, 30.0, 40.0]
    swept = of_sweep(sweep(HISTORY, ks, scored_from=4))
    whole = sweep(HISTORY, ks, scored_from=4)
    games = of_games(whole.sums[0][SCORED], ks, HISTORY, SCORED)
    one, two = swept.differences(1), games.differences(1)
    for name in ("difference", "error", "low", "high"):
        np.testing.assert_allclose(one[name], two[name], rtol=1e-9, atol=1e-15)
    # Groups of players and parts of periods, as in a large history: wider or about the same, never absent.
    monkeypatch.setattr(sweep_units, "EXACT_UNITS", 50)
    coarse = of_sweep(sweep(HISTORY, ks, scored_from=4)).differences(1)
    assert np.isfinite(coarse["low"]).all()
    np.testing.assert_allclose(coarse["difference"], one["difference"], rtol=1e-9, atol=1e-15)


def test_holm_stops_at_the_first_that_does_not_hold() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == [True, False, False, True]
    assert holm(np.array([0.001, 0.002])).tolist() == [True, True]
    assert holm(np.array([0.06])).tolist() == [False]


def test_the_best_of_a_parabola_is_found_between_the_candidates() -> None:
    ks, rng = np.array([10.0, 20.0, 30.0, 40.0, 50.0]), np.random.default_rng(1)
    noise = rng.normal(size=(int(SCORED.sum()), 1))
    losses = of_games(((ks - 27.0) ** 2 + noise * ks) / 1000.0, ks, HISTORY, SCORED)
    losses = losses.__class__(**{**losses.__dict__, "candidates": losses.candidates.assign(k=ks)})
    best = losses.optimum()
    assert best.best == pytest.approx(27.0 - 0.5 * noise.mean(), abs=0.05)
    assert best.low < best.best < best.high
    assert not best.edge
    with pytest.raises(ParameterError, match="at least three"):
        of_sweep(sweep(HISTORY, [10.0, 20.0])).optimum()


def test_intervals_hold_in_simulated_federations() -> None:
    """A small part of benchmarks/research_coverage.py: of 40 open federations nearly all intervals hold the true best K."""
    from benchmarks.research_coverage import coverage

    found = coverage("open", 40)
    assert found["best K"] >= 0.87
    assert min(found["differences"]) >= 0.87
    assert found["excludes best + 20"] >= 0.8
