"""Simulation with known truth, inflation, fairness, metrics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from research_plain import made_history

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.studies.inflation import (
    anchor_cohort,
    gains,
    had_k_been,
    levels,
    points_created,
    split,
    stability,
)
from qiyi_analysis.research.studies.metrics import calibration, calibration_slope, murphy, summary, wilson
from qiyi_analysis.research.studies.simulate_federation import parse_rule, simulate_federation
from qiyi_analysis.research.studies.simulation import (
    Federation,
    against_truth,
    recovery,
    rule_change,
    simulate,
)
from qiyi_analysis.research.sweeps.k_schedule import KSchedule, by_age
from qiyi_analysis.research.systems.over_history import elo

SMALL = Federation(players=200, months=40, seed=4)


def test_the_same_seed_plays_the_same_games() -> None:
    one, two = simulate(SMALL), simulate(SMALL)
    for name in ("first", "second", "half_points", "period"):
        assert np.array_equal(getattr(one.history, name), getattr(two.history, name))
    other = simulate(Federation(players=200, months=40, seed=5))
    assert not np.array_equal(one.history.half_points[:100], other.history.half_points[:100])


def test_results_follow_the_assumed_law() -> None:
    made = simulate(Federation(players=3000, months=12, nu=0.9, first_move=30, closeness=1000, seed=2))
    history = made.history
    strength = made.truth
    x = (
        (strength[history.period, history.first] - strength[history.period, history.second] + 30)
        * np.log(10)
        / 400
        * (1 + 0.45)
    )
    odds = np.exp(-x)
    z = 1 + odds + 0.9 * np.sqrt(odds)
    assert (history.half_points == 2).mean() == pytest.approx((1 / z).mean(), abs=0.006)
    assert (history.half_points == 1).mean() == pytest.approx((0.9 * np.sqrt(odds) / z).mean(), abs=0.006)


def test_ratings_find_the_truth_and_a_larger_k_moves_more() -> None:
    rows = rule_change(SMALL, {"slow": 5, "usual": 24}, replicates=3, warm_up=20).groupby("rule").mean()
    assert rows.loc["usual", "rmse"] < rows.loc["slow", "rmse"]
    assert rows.loc["usual", "correlation"] > 0.8
    assert rows.loc["usual", "median_change"] > rows.loc["slow", "median_change"]
    with pytest.raises(ParameterError, match="expected snapshots"):
        against_truth(simulate(SMALL), elo(simulate(SMALL).history, 20))
    with pytest.raises(ParameterError, match="longer simulation"):
        rule_change(SMALL, {"a": 20}, replicates=1, warm_up=99)


def test_recovery_reaches_the_jump_sooner_with_a_larger_k() -> None:
    slow, fast = (recovery(k, jump=200, months=24) for k in (10, 40))
    assert fast["mean"].iloc[6] > 1.5 * slow["mean"].iloc[6]
    assert fast["mean"].iloc[-1] == pytest.approx(200, abs=15)


@pytest.mark.parametrize("wrong", [{"players": 1}, {"games_per_month": 0}, {"entries": 1.0}])
def test_impossible_assumptions_are_refused(wrong: dict) -> None:
    with pytest.raises(ParameterError, match="federation"):
        Federation(**wrong)


def test_rules_are_written_as_text() -> None:
    name, rule = parse_rule("new=40 if under_age 18 and games_below 50; 10 if peak_at_least 2400; 20")
    assert name == "new"
    assert rule.rows == (
        {"k": 40, "under_age": 18, "games_below": 50},
        {"k": 10, "peak_at_least": 2400},
        {"k": 20},
    )
    assert parse_rule("K=20")[1].rows == ({"k": 20.0},)
    for bad in ("20", "x=", "x=twenty", "x=20 if age 3; 10", "x=40 if under_age 18", "x=nan"):
        with pytest.raises(ParameterError):
            parse_rule(bad)


def test_a_rule_change_is_judged_on_the_same_games() -> None:
    study = simulate_federation(
        rules=["K 5=5", "K 24=24"], replicates=4, seed=3, players=200, months=40, warm_up=20
    )
    own = study.tables["differences"].set_index("measure").loc["rmse"]
    assert own["evidence"] == "lower"
    assert study.evidence == "clear"
    same = simulate_federation(rules=["a=20", "b=20"], replicates=3, seed=3, players=200, months=40)
    assert (same.tables["differences"]["evidence"] == "none").all()
    assert same.tables["differences"]["difference"].abs().max() == 0
    with pytest.raises(ParameterError, match="unknown ages"):
        simulate_federation(ages=3)


def test_the_change_of_the_mean_is_split_exactly() -> None:
    history = simulate(SMALL).history
    run = elo(history, by_age([20], [40, 20]), snapshots="half-year")
    rows = split(history, run.snapshots)
    assert len(rows) > 3
    assert np.abs(rows["change"] - rows["stayers"] - rows["entrants"] - rows["leavers"]).max() < 1e-9
    pool = levels(history, run.snapshots)
    assert (pool["q10"] <= pool["q50"]).all()
    assert pool["newcomers"].sum() == (run.players["games"] > 0).sum()
    assert anchor_cohort(history, run.snapshots)["cohort"].eq("25-35").all()


def test_points_created_is_zero_sum_for_equal_k_only() -> None:
    history = made_history()
    equal = elo(history, 20)
    book = points_created(history, equal, 20)
    assert book["unequal_k"].abs().max() < 1e-9
    assert equal.players["rating"].mean() == pytest.approx(1500)
    rule = by_age([40], [40, 10])
    unequal = elo(history, rule)
    total = points_created(history, unequal, rule)["unequal_k"].sum()
    assert abs(total) > 1
    assert total == pytest.approx((unequal.players["rating"] - 1500).sum(), abs=1e-6)
    lifted = points_created(history, equal, 20, floor=1495.0, round_to=1.0)
    assert lifted["floor"].sum() > 0
    assert lifted["rounding"].sum() != 0


def test_gains_are_about_the_mean_of_all() -> None:
    history = made_history()
    rows = gains(history, elo(history, 10), elo(history, 40))
    assert rows.loc[rows["group"] == "all", "mean_gain"].iloc[0] == pytest.approx(0)
    ages = rows[rows["group"] == "age"]
    assert set(ages["band"]) >= {"20-60", "unknown"}
    assert ages["players"].sum() == rows.loc[rows["group"] == "all", "players"].iloc[0]
    # The strong are nearer to their strength with the larger K.
    bands = rows[rows["group"] == "rating"]["mean_gain"].tolist()
    assert bands[-1] > bands[0]


def test_stability_of_a_larger_k_is_lower() -> None:
    history = made_history()
    quiet, lively = (stability(elo(history, k, snapshots="month").snapshots) for k in (10, 40))
    assert lively["median_change"] > 2 * quiet["median_change"]


def test_metrics_of_perfect_and_of_spread_predictions() -> None:
    rng = np.random.default_rng(1)
    p = rng.uniform(0.05, 0.95, 60_000)
    halves = rng.binomial(2, p).astype(np.int8)
    history, every = (
        replace(made_history(games=60_000, players=400), half_points=halves),
        np.ones(60_000, bool),
    )
    own = calibration_slope(p, history, every)
    assert own.slope == pytest.approx(1, abs=3 * own.slope_error)
    x = np.log(p / (1 - p))
    assert calibration_slope(1 / (1 + np.exp(-2 * x)), history, every, 1e-6).slope == pytest.approx(
        0.5, abs=0.01
    )
    parts = murphy(p, halves)
    assert parts["reliability"] < 1e-4
    assert parts["brier"] == pytest.approx(
        parts["reliability"] - parts["resolution"] + parts["uncertainty"] + parts["within_bins"]
    )
    bins = calibration(p, history, every)
    assert ((bins["low"] <= bins["expected"]) & (bins["expected"] <= bins["high"])).sum() >= 8
    assert bins[["losses", "draws", "wins"]].sum(axis=1).to_numpy() == pytest.approx(1)
    assert wilson(1.0, 10)[0] == pytest.approx(0.7225, abs=1e-4)
    with pytest.raises(ParameterError, match="no game to score"):
        summary(np.zeros(0), np.zeros(0, np.int8))


def test_fide_rule_on_a_history() -> None:
    from qiyi_analysis.research.sweeps.k_schedule import of_rules
    from qiyi_analysis.research.systems.over_history import fide
    from qiyi_analysis.research.systems.plain import expected_scores
    from qiyi_analysis.rules.ruleset import ruleset

    history = made_history(games=1500, players=30, periods=12)
    rules = ruleset("fide/rating-standard/2024-03-01")
    run = fide(history, rules, start=2000.0)
    # The same by hand: hundredths of the table, one rounding a period, K x n at most the product of the edition.
    schedule = of_rules(rules)
    from qiyi_analysis.rating.expected import expected_scores as edition_scores

    table = edition_scores(rules).high / 100
    rating, peak, games = np.full(30, 2000.0), np.full(30, 2000.0), np.zeros(30)
    born = history.players["birth_year"].to_numpy()
    limit = rules.need("k_limit")["product"]
    for period in range(12):
        rows = np.flatnonzero(history.period == period)
        change, count, k = np.zeros(30), np.zeros(30), {}
        year = 1970 + int(history.day[rows[0]].astype("datetime64[D]").astype("datetime64[Y]").astype(int))
        for g in rows:
            a, b, y = history.first[g], history.second[g], history.half_points[g] / 2
            p = float(expected_scores(np.array([rating[a] - rating[b]]), table, 400.0)[0])
            for i, s in ((a, y - p), (b, p - y)):
                k.setdefault(
                    i, schedule.at(games=games[i], age=year - born[i], rating=rating[i], peak=peak[i])
                )
                change[i] += round(100 * s)
                count[i] += 1
        for i, full in k.items():
            used = full if full * count[i] <= limit else limit // count[i]
            exact = used * change[i]
            rating[i] += np.sign(exact) * ((abs(exact) + 50) // 100)
            games[i] += count[i]
        peak = np.maximum(peak, rating)
    assert run.players["rating"].tolist() == rating.tolist()
    assert run.points_created["rounding"] != 0


def test_a_schedule_for_newcomers_in_a_history_with_starts() -> None:
    from qiyi_analysis.research.systems.over_history import fide

    history = made_history(games=2000, players=40, periods=24)
    start = np.where(np.arange(40) < 20, 2000.0, np.nan)
    own = type(history)(
        **{
            **{f: getattr(history, f) for f in history.__dataclass_fields__},
            "players": history.players.assign(start=start),
        }
    )
    run = fide(own, newcomers="rule")
    assert np.isnan(run.expected).any()
    assert run.players["rating"].notna().all()
    assert (run.players["rating"] == run.players["rating"].round()).all()
    with pytest.raises(ParameterError, match="start rating of at least some"):
        fide(history, newcomers="rule")
    assert isinstance(pd.DataFrame(run.players), pd.DataFrame)
    assert KSchedule("x", ({"k": 1},)).name == "x"


def test_one_period_of_the_history_equals_the_official_calculation() -> None:
    """Research uses floats; here it is tied to `rate`: same event, same rules, same K, same rounded change."""
    from itertools import combinations

    from qiyi_analysis import rate, ruleset
    from qiyi_analysis.model.event import make_event
    from qiyi_analysis.research.history.from_table import history_from_table
    from qiyi_analysis.research.systems.over_history import fide

    rng = np.random.default_rng(8)
    ratings = [2510, 2390, 2210, 2055, 1890, 1702, 1640, 2100]
    born = [1980, 1990, 2010, 1975, 2009, 1960, 2000, 1999]
    players = [
        {
            "number": i + 1, "name": f"p{i + 1}", "rating": float(r), "birth_year": float(b), "games_before": 200.0,
            "peak": float(max(r, 2000)),
        }
        for i, (r, b) in enumerate(zip(ratings, born, strict=True))
    ]  # fmt: skip
    games, rows = [], []
    for number, (a, b) in enumerate(combinations(range(1, 9), 2)):
        halves = int(rng.integers(0, 3))
        result = ("0", "=", "1")[halves]
        games.append(
            {
                "round": number // 4 + 1, "first": a, "second": b, "first_result": result,
                "second_result": {"0": "1", "=": "=", "1": "0"}[result], "kind": "played",
            }
        )  # fmt: skip
        rows.append((f"p{a}", f"p{b}", halves / 2, "2024-05-10"))
    event = make_event(
        players=players, games=games, discipline="chess", start=pd.Timestamp("2024-05-10").date(), rounds=7
    )
    rules = ruleset("fide/rating-standard/2024-03-01")
    official = rate(event, rules).players.set_index("number")
    people = pd.DataFrame(players).rename(columns={"name": "player", "rating": "start"})
    history = history_from_table(
        pd.DataFrame(rows, columns=["first", "second", "score", "date"]), players=people
    )
    run = fide(history, rules)
    found = dict(zip(run.players["player"], run.players["rating"], strict=True))
    assert set(official["k"]) == {10, 20, 40}
    for number, row in official.iterrows():
        assert found[f"p{number}"] == float(row["new_rating"])


def test_where_everybody_would_stand_had_k_been_another() -> None:
    history = made_history(games=900, players=30, periods=12)
    same = had_k_been(history, 20, in_force=20)
    assert (same["change"] == 0).all()
    assert (same["places"] == 0).all()
    rows = had_k_been(history, 40)
    assert rows["change"].abs().is_monotonic_decreasing
    assert (
        rows.set_index("player")["other"]
        .sort_index()
        .equals(elo(history, 40).players.set_index("player")["rating"].sort_index().rename("other"))
    )
    assert (rows["rank"] - rows["other_rank"]).equals(rows["places"])
    assert rows["change"].abs().max() > 5
