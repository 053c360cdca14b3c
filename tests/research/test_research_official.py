"""Official procedures over histories: what a study says of an edition is what the command that rates an event says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from research_plain import made_history

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.from_table import history_from_table
from qiyi_analysis.research.studies.compare_systems import compare_systems
from qiyi_analysis.research.sweeps.k_schedule import from_function
from qiyi_analysis.research.systems.draws import davidson
from qiyi_analysis.research.systems.official import official
from qiyi_analysis.research.systems.over_history import elo, fide
from qiyi_analysis.research.systems.plain import elo_with_function, expected_scores
from qiyi_analysis.research.systems.static_fits import bradley_terry

HISTORY = made_history(games=900, players=30, periods=12)


def test_the_loop_and_the_rating_of_events_agree() -> None:
    loop = fide(HISTORY, start=2000.0)
    events = official(HISTORY, "fide/rating-standard/2024-03-01", start=2000.0, snapshots="year")
    assert np.array_equal(loop.players["rating"], events.players["rating"])
    assert np.array_equal(loop.expected, events.expected)
    assert np.array_equal(events.snapshots.rating[-1], events.players["rating"])


@pytest.mark.parametrize(
    ("rules", "block"),
    [
        ("cca/rating/undated", "[expected] by = average"), ("cwa/rating/undated", "[method] name"), ("egf/rating/2021-04-01", "[method] name = egf"),
        ("uscf/rating/2025-07-26", "[method] name"), ("fide/rating-standard/2022-01-01", "[cap] relief = widest-game-only"),
    ],
)  # fmt: skip
def test_another_procedure_is_refused_by_the_loop_and_run_as_itself(rules: str, block: str) -> None:
    with pytest.raises(ParameterError, match="official") as error:
        fide(HISTORY, rules)
    assert block in str(error.value)
    ratings = official(HISTORY, rules).players["rating"]
    assert ratings.std() > 5
    assert not np.array_equal(ratings, fide(HISTORY).players["rating"])


def test_an_edition_that_gives_no_rating_says_why() -> None:
    with pytest.raises(ParameterError, match=r"icu/rating/undated: gives no rating"):
        official(HISTORY, "icu/rating/undated")


def test_a_study_runs_the_edition_it_names() -> None:
    study = compare_systems(HISTORY, systems=["elo", "fide"], rules="cca/rating/undated", advantage=30)
    assert study.runs["fide"].system == "cca/rating/undated"


def test_first_ratings_have_a_ceiling_and_the_list_a_floor() -> None:
    wins = pd.DataFrame(
        [("2024-01-01", f"G{i}", "N", 0) for i in range(6)], columns=["date", "white", "black", "score"]
    )
    people = pd.DataFrame({"player": [f"G{i}" for i in range(6)], "start": 2300.0})
    rated = fide(history_from_table(wins, players=people), newcomers="rule").players.set_index("player")[
        "rating"
    ]
    assert rated["N"] == 2200
    losses = [("2024-01-01", "W", "L", 1)] + [
        (f"2024-0{m}-01", "W", "L", 1) for m in (2, 3) for _ in range(8)
    ]
    table = pd.DataFrame(losses, columns=["date", "white", "black", "score"])
    start = pd.DataFrame({"player": ["W", "L"], "start": [1450.0, 1410.0]})
    assert np.isnan(fide(history_from_table(table, players=start), newcomers="rule").players["rating"][1])


def test_draws_and_strengths_are_one_maximum() -> None:
    games = pd.DataFrame({"white": "A", "black": "B", "score": ["1"] * 6 + ["0.5"] * 2, "date": "2020-01-01"})
    fit = bradley_terry(history_from_table(games), draws="davidson", prior=1.0)
    # By hand: a Nelder-Mead search over strength and draw parameter together.
    assert fit.players["rating"][0] == pytest.approx(203.367, abs=1e-3)
    assert fit.parameter == pytest.approx(1.178109, abs=1e-5)
    assert fit.penalised == pytest.approx(-8.471706, abs=1e-6)


def test_elo_learns_by_davidsons_expectation_and_keeps_snapshots_of_functions() -> None:
    run = elo(HISTORY, 20, update="game", draw_nu=0.7)
    plain = elo_with_function(
        HISTORY,
        from_function("own", lambda rating, *_: np.full(rating.size, 20.0)),
        update="game",
        advantage=0.0,
        start=1500.0,
        draw_nu=0.7,
    )
    np.testing.assert_allclose(run.expected, plain.expected, atol=1e-12)
    three = davidson(np.array([0.4]), 0.7)[0]
    assert float(expected_scores(np.array([0.4 * 400 / np.log(10)]), draw_nu=0.7)[0]) == pytest.approx(
        three[2] + three[1] / 2
    )
    kept = elo(
        HISTORY,
        lambda rating, games, age, control: np.full(rating.size, 20.0),
        snapshots="month",
        name="mine",
    )
    usual = elo(HISTORY, 20, snapshots="month")
    assert kept.system == "mine"
    np.testing.assert_allclose(kept.snapshots.rating, usual.snapshots.rating, atol=1e-9)
    assert np.array_equal(kept.snapshots.period, usual.snapshots.period)


def test_the_names_of_research_are_listed_and_are_what_they_say() -> None:
    import qiyi_analysis.research.sweeps.k_sweep
    from qiyi_analysis import research

    assert {"elo", "sweep", "compare_k", "official"} <= set(dir(research))
    assert qiyi_analysis.research.sweeps.k_sweep.sweep is research.sweep
    for name in dir(research):
        assert getattr(research, name) is not None
    swept = research.sweep(HISTORY, [10, 20, 30])
    for shown in (swept, HISTORY, research.elo(HISTORY), research.resample(swept, replicates=20)):
        assert len(repr(shown)) < 200
    frame = research.elo(HISTORY).to_frame(HISTORY)
    assert len(frame) == len(HISTORY)
