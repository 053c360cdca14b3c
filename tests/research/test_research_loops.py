"""The compiled loops equal plain Python to 1e-9, whatever the number of lanes, threads or pieces."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from research_plain import made_history, plain_elo, plain_glicko, plain_glicko2

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.history_files import open_packed, write_history
from qiyi_analysis.research.sweeps.k_schedule import (
    KSchedule,
    by_age,
    by_games,
    by_rating,
    by_time_control,
    constant,
    table_of,
)
from qiyi_analysis.research.sweeps.k_sweep import sweep
from qiyi_analysis.research.systems.over_history import elo, glicko, glicko2, stephenson

HISTORY = made_history()
SCHEDULES = {
    "constant": constant(24),
    "games": by_games([10, 40], [60, 30, 12]),
    "age": by_age([18, 50], [40, 20, 10]),
    "rating": by_rating([1450, 1600], [40, 25, 10]),
    "peak": by_rating([1550], [40, 10], peak=True),
    "mixed": KSchedule(
        "mixed",
        (
            {"k": 10, "peak_at_least": 1650},
            {"k": 40, "under_age": 18, "peak_below": 1600},
            {"k": 40, "games_below": 30},
            {"k": 20},
        ),
    ),
}


def of(schedule: KSchedule):
    return lambda games, age, rating, peak, control: schedule.at(
        games=games, age=age, rating=rating, peak=peak, time_control=control or ""
    )


def test_power_and_logarithm_agree_with_the_library_to_rounding() -> None:
    from numba import njit

    from qiyi_analysis.research.loops.exponential import LOOP, natural_log, power_of_two

    options = {**LOOP, "cache": False}

    @njit(**options)
    def both(z, x, p, logs):
        for i in range(z.size):
            p[i] = power_of_two(z[i])
            logs[i] = natural_log(x[i])

    z = np.concatenate([np.linspace(-60, 60, 100_001), [0.0, 0.5, -0.5, 1e-12, 999.0, -999.0]])
    x = np.concatenate(
        [np.geomspace(1e-12, 1e12, 100_001), [1.0, 1 + 1e-15, 0.5, 2.0, math.sqrt(2), 1 / math.sqrt(2)]]
    )
    p, logs = np.empty_like(z), np.empty_like(x)
    both(z, x, p, logs)
    assert np.abs(p / np.exp2(z) - 1).max() < 1e-15
    assert np.abs(logs - np.log(x)).max() < 1e-14
    assert np.abs(logs[np.log(x) != 0] / np.log(x)[np.log(x) != 0] - 1).max() < 1e-14


@pytest.mark.parametrize("update", ["game", "period"])
@pytest.mark.parametrize("name", list(SCHEDULES))
def test_one_candidate_equals_plain_python(name: str, update: str) -> None:
    run = elo(HISTORY, SCHEDULES[name], update=update, advantage=25.0)
    _, ratings, predictions, _ = plain_elo(HISTORY, of(SCHEDULES[name]), update=update, advantage=25.0)
    assert np.abs(run.expected - predictions).max() < 1e-9
    assert max(abs(run.players["rating"][i] - r) for i, r in ratings.items()) < 1e-9


@pytest.mark.parametrize("more", [0.0, 15.0])  # without it the expected score of the update is scored
@pytest.mark.parametrize("update", ["game", "period"])
@pytest.mark.parametrize(
    "names",
    [["constant"], ["constant", "games", "age"], ["rating", "constant"], ["peak", "mixed", "constant"]],
)
def test_every_lane_of_a_sweep_equals_plain_python(names: list[str], update: str, more: float) -> None:
    schedules = [SCHEDULES[name] for name in names]
    swept = sweep(
        HISTORY,
        schedules,
        advantage=[0.0, 40.0],
        prediction_advantage=more,
        update=update,
        scored_from=8,
        known_games=5,
        draw_nu=0,
        clamp=0.2,
    )
    table = swept.table()
    for lane, (schedule, advantage) in enumerate((s, a) for s in schedules for a in (0.0, 40.0)):
        metrics, ratings, _, scored = plain_elo(
            HISTORY,
            of(schedule),
            update=update,
            advantage=advantage,
            more=more,
            scored_from=8,
            known_games=5,
            clamp=0.2,
        )
        assert swept.scored == scored
        for value, metric in zip(metrics, ("log_loss", "brier", "accuracy"), strict=True):
            assert table[metric][lane] == pytest.approx(value, abs=1e-9)
        assert max(abs(swept.ratings[i, lane] - r) for i, r in ratings.items()) < 1e-9


def test_entrants_start_elsewhere_than_founders() -> None:
    swept = sweep(HISTORY, [20.0], start=1500.0, entrants=[1300.0, 1500.0], entrants_from=2, update="period")
    for lane, start in enumerate((1300.0, 1500.0)):
        _, ratings, _, _ = plain_elo(
            HISTORY, of(constant(20)), update="period", entrants=start, entrants_from=2
        )
        assert max(abs(swept.ratings[i, lane] - r) for i, r in ratings.items()) < 1e-9


def test_davidsons_expected_score_in_the_update() -> None:
    swept = sweep(HISTORY, [20.0], draws="davidson", draw_nu=0.8, update="game", scored_from=4)
    metrics, ratings, _, _ = plain_elo(HISTORY, of(constant(20)), update="game", nu=0.8, scored_from=4)
    assert swept.table()["log_loss"][0] == pytest.approx(metrics[0], abs=1e-9)
    assert swept.table()["brier"][0] == pytest.approx(metrics[1], abs=1e-9)
    assert max(abs(swept.ratings[i, 0] - r) for i, r in ratings.items()) < 1e-9


def test_three_way_loss_is_davidsons_on_the_stretched_difference() -> None:
    from qiyi_analysis.research.studies.metrics import three_way_losses
    from qiyi_analysis.research.systems.draws import davidson

    nu = 0.9
    swept = sweep(HISTORY, [20.0], draw_nu=nu, update="game")
    p = elo(HISTORY, 20.0, update="game").expected
    x = np.clip(np.log(p / (1 - p)) * (1 + nu / 2), -math.log(99), math.log(99))
    three = davidson(x, nu)
    assert swept.table()["three_way"][0] == pytest.approx(
        three_way_losses(three, HISTORY.half_points, 1e-9).mean(), abs=1e-9
    )


def test_handicap_and_time_control() -> None:
    rng = np.random.default_rng(3)
    control = rng.integers(0, 2, len(HISTORY)).astype(np.int32)
    history = replace(
        HISTORY,
        shift=rng.integers(0, 3, len(HISTORY)) * 100.0,
        time_control=control,
        time_controls=("rapid", "blitz"),
    )
    schedule = by_time_control({"blitz": 10}, 25)
    _, ratings, predictions, _ = plain_elo(history, of(schedule), update="period")
    run = elo(history, schedule, update="period")
    swept = sweep(history, [schedule, 30.0], update="period")
    assert np.abs(run.expected - predictions).max() < 1e-9
    assert max(abs(swept.ratings[i, 0] - r) for i, r in ratings.items()) < 1e-9
    assert max(abs(run.players["rating"][i] - r) for i, r in ratings.items()) < 1e-9


@pytest.mark.parametrize("update", ["game", "period"])
def test_a_python_function_gives_k(update: str) -> None:
    calls = []

    def k(rating, games, age, time_control):
        calls.append(len(rating))
        return np.where(games < 10, 60.0, np.where(games < 40, 30.0, 12.0))

    run = elo(HISTORY, k, update=update)
    same = elo(HISTORY, SCHEDULES["games"], update=update)
    assert np.abs(run.expected - same.expected).max() < 1e-9
    assert calls
    with pytest.raises(ParameterError, match="a value that is no number"):
        elo(HISTORY, lambda rating, games, age, time_control: np.full(3, np.nan))


def test_lanes_threads_and_pieces_change_nothing(tmp_path) -> None:
    ks = list(range(1, 51))
    whole = sweep(HISTORY, ks, update="period", scored_from=6)
    threads = sweep(HISTORY, ks, update="period", scored_from=6, threads=3)
    one = sweep(HISTORY, [17], update="period", scored_from=6)
    assert np.array_equal(whole.sums, threads.sums)
    assert np.array_equal(whole.ratings, threads.ratings, equal_nan=True)
    assert np.array_equal(whole.ratings[:, 16], one.ratings[:, 0], equal_nan=True)
    write_history(HISTORY, tmp_path / "games.parquet", row_group=170)
    streamed = sweep(open_packed(tmp_path / "games.parquet"), ks, update="period", scored_from=6, threads=2)
    assert np.array_equal(whole.ratings, streamed.ratings, equal_nan=True)
    assert whole.table()["log_loss"].to_numpy() == pytest.approx(
        streamed.table()["log_loss"].to_numpy(), abs=1e-12
    )
    assert whole.pair_sums.sum(axis=0) == pytest.approx(whole.sums[0].sum(axis=0))


@pytest.mark.parametrize("pull", [0.0, 0.02])
def test_glicko_and_stephenson_equal_plain_python(pull: float) -> None:
    setting = {
        "c": 12.0,
        "h": 9.0 if pull else 0.0,
        "b": 0.01 if pull else 0.0,
        "pull": pull,
        "advantage": 20.0,
    }
    run = stephenson(HISTORY, **setting)
    ratings, deviations, predictions = plain_glicko(HISTORY, **setting)
    assert np.abs(run.expected - predictions).max() < 1e-9
    assert max(abs(run.players["rating"][i] - r) for i, r in ratings.items()) < 1e-9
    assert max(abs(run.players["deviation"][i] - d) for i, d in deviations.items()) < 1e-9


def test_glicko_2_equals_plain_python() -> None:
    run = glicko2(HISTORY, tau=0.5)
    ratings, deviations, sigmas = plain_glicko2(HISTORY, tau=0.5)
    assert max(abs(run.players["rating"][i] - r) for i, r in ratings.items()) < 1e-8
    assert max(abs(run.players["deviation"][i] - d) for i, d in deviations.items()) < 1e-8
    assert max(abs(run.players["volatility"][i] - s) for i, s in sigmas.items()) < 1e-9


def test_snapshots_cut_the_history_without_changing_it() -> None:
    for run in (
        lambda s: elo(HISTORY, 20.0, snapshots=s),
        lambda s: glicko(HISTORY, snapshots=s),
        lambda s: glicko2(HISTORY, snapshots=s),
    ):
        plain, cut = run(None), run("year")
        assert np.array_equal(plain.expected, cut.expected)
        assert cut.snapshots is not None
        assert np.array_equal(cut.snapshots.rating[-1], cut.players["rating"].to_numpy(), equal_nan=True)


def test_normal_law_and_printed_table_in_the_update() -> None:
    from qiyi_analysis.research.systems.plain import expected_scores

    table = np.round(0.5 + np.arange(801) / 1600, 2)
    for law in ("normal", table):
        run = elo(HISTORY, 20.0, update="game", law=law, cap=400.0)
        rating = np.full(len(HISTORY.players), 1500.0)
        worst = 0.0
        for g in range(400):
            a, b = HISTORY.first[g], HISTORY.second[g]
            p = float(expected_scores(np.array([rating[a] - rating[b]]), law, 400.0)[0])
            worst = max(worst, abs(p - run.expected[g]))
            rating[a] += 20 * (HISTORY.half_points[g] / 2 - p)
            rating[b] -= 20 * (HISTORY.half_points[g] / 2 - p)
        assert worst < 1e-9


def test_schedules_say_what_is_wrong() -> None:
    with pytest.raises(ParameterError, match="last row needs k without a condition"):
        KSchedule("x", ({"k": 20, "games_below": 30},))
    with pytest.raises(ParameterError, match="expected k and any of"):
        KSchedule("x", ({"k": 20, "under": 30}, {"k": 1}))
    with pytest.raises(ParameterError, match="rising limits"):
        by_games([30, 10], [40, 20, 10])
    with pytest.raises(ParameterError, match="rating and highest rating"):
        sweep(HISTORY, [SCHEDULES["rating"], SCHEDULES["peak"]])
    with pytest.raises(ParameterError, match="expected a number, rows"):
        sweep(HISTORY, "twenty")
    assert table_of(SCHEDULES["age"]).values.ravel().tolist() == [40, 20, 10]


def test_an_unknown_age_is_under_no_limit() -> None:
    assert by_age([18], [40, 20]).at(games=0, age=math.nan, rating=1500, peak=1500) == 20
    history = replace(HISTORY, players=HISTORY.players.assign(birth_year=np.nan))
    same = elo(history, by_age([18], [40, 20])).expected
    assert np.abs(same - elo(history, 20.0).expected).max() < 1e-12


def test_games_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ParameterError, match="order of time"):
        replace(HISTORY, period=HISTORY.period[::-1].copy())


def test_candidates_as_a_table() -> None:
    swept = sweep(HISTORY, candidates=pd.DataFrame({"k": [10.0, 20.0], "advantage": [0.0, 30.0]}))
    assert swept.candidates["candidate"].tolist() == ["K 10, advantage 0", "K 20, advantage 30"]
    with pytest.raises(ParameterError, match="one of them"):
        sweep(HISTORY, [10.0], candidates=pd.DataFrame({"k": [10.0]}))
