"""Questions about values that do not go together; silent where they do."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from test_missing_and_columns import eight
from test_verdicts import FIDE

from qiyi_analysis import audit
from qiyi_analysis.audit.checks.between_columns import check
from qiyi_analysis.model.event import make_event

NUMBERS = list(range(1, 13))


def twelve(**columns):
    """Twelve players in the order of their ratings; a game of everybody in each of three rounds, colors alternate."""
    players = [{"number": n, "id": f"{n}", "name": f"Family{n}, Given", "rating": 2300.0 - 40 * n, "federation": "NOR",
                "sex": "m", "birth_year": 1990.0, "line": n, "rank": float(n)} for n in NUMBERS]  # fmt: skip
    games = []
    for r in range(3):
        for n in range(1, 7):
            pair = (n, 12 - (n + r) % 6)
            first, second = pair if r % 2 == 0 else pair[::-1]
            games.append({"round": r + 1, "first": first, "second": second, "first_result": "=", "second_result": "=", "kind": "played"})  # fmt: skip
    event = make_event(
        players=players, games=games, format="swiss", rounds=3, start=date(2025, 1, 1), end=date(2025, 1, 3)
    )
    return event.with_players(**columns) if columns else event


def at(column, row, value):
    values = twelve().players[column].to_numpy().copy()
    values[row] = value
    return {column: values}


def test_nothing_is_asked_of_a_sound_event():
    assert check(twelve()) == ()
    assert [f for f in check(eight()) if f.reason != "colours-in-a-row"] == []


@pytest.mark.parametrize(
    ("columns", "reason", "player"),
    [
        (at("title", 3, "WGM"), "title-of-women", 4),
        (at("title", 11, "GM"), "title-and-rating", 12),
        (at("federation", 5, "NRO"), "federation-misspelt", 6),
        (at("name", 5, "Family1, Given"), "same-name-twice", 0),
        (at("rating", 4, 210.0), "rating-out-of-order", 5),
        (at("rating", 4, 2010.0), "rating-out-of-order", 5),
        (at("rating", 4, np.nan), "rating-left-out", 5),
        (at("birth_year", 4, 1890.0), "age-unlikely", 5),
        (at("rank", 4, 4.0), None, 0),
        (at("rank", 4, 7.0), "rank-twice", 0),
    ],
)
def test_what_does_not_go_together_is_asked(columns, reason, player):
    found = check(twelve(**columns))
    assert [f.reason for f in found] == ([reason] if reason else [])
    for finding in found:
        assert (finding.severity, finding.player) == ("W", player)
        assert "{" not in finding.message("zh") + finding.message("en")


def test_a_round_with_exchanged_colors_and_a_year_too_long():
    event = twelve()
    games = event.games.copy()
    row = games.index[games["round"] == 2][0]
    games.loc[row, ["first", "second"]] = games.loc[row, ["second", "first"]].tolist()
    assert [f.code for f in check(event.with_games(games))] == ["CK23"]
    assert [f.reason for f in check(replace(event, end=date(2026, 1, 3)))] == ["event-too-long"]


def test_questions_never_return_a_report():
    assert audit(twelve(**at("title", 3, "WGM")), [FIDE]).verdict in ("remarks", "insufficient")


def test_a_game_against_oneself_is_a_finding_and_no_fault_of_the_program():
    event = replace(twelve(), format="round-robin")
    games = event.games.copy()
    games.loc[0, "second"] = games.loc[0, "first"]
    assert audit(event.with_games(games), [FIDE]).findings
