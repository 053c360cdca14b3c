"""Worked cases of every edition: tests/rulesets/fide/tie-breaks/<edition>.toml, and the text before September 2023."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from qiyi_analysis.model.event import Event, Scoring, make_event
from qiyi_analysis.rules.ruleset import ruleset
from qiyi_analysis.tiebreaks import standings

CASES = Path(__file__).parents[1] / "rulesets" / "fide" / "tie-breaks"
CELL = re.compile(r"(\d+)([wb])([10=+-])")
BYES = {"H": "half_bye", "F": "full_bye", "U": "pab", "Z": "zero_bye"}


def event_of(
    rows: list[str], *, format: str = "swiss", ratings: list[int] | None = None, **facts: Any
) -> Event:
    """An event from a cross table; every game is taken from the side with the first move."""
    results = {"1": "1", "+": "1", "=": "=", "0": "0", "-": "0"}
    games = []
    for number, row in enumerate(rows, 1):
        for round_, text in enumerate(row.split(), 1):
            cell = CELL.fullmatch(text)
            if not cell:
                games.append({"round": round_, "first": number, "second": 0, "kind": BYES[text]})
            elif cell[2] == "w":
                other = CELL.fullmatch(rows[int(cell[1]) - 1].split()[round_ - 1])
                assert other, f"row {cell[1]} does not point back"
                kind = (
                    "played"
                    if cell[3] in "10="
                    else "forfeit"
                    if "+" in (cell[3], other[3])
                    else "double_forfeit"
                )
                games.append(
                    {
                        "round": round_,
                        "first": number,
                        "second": int(cell[1]),
                        "first_result": results[cell[3]],
                        "second_result": results[other[3]],
                        "kind": kind,
                    }
                )
    players = [
        {"number": n, "name": f"P{n}", **({"rating": ratings[n - 1]} if ratings else {})}
        for n in range(1, len(rows) + 1)
    ]
    rounds = len(rows[0].split())
    return make_event(players=players, games=games, format=format, rounds=rounds, **facts)


def cases() -> list[Any]:
    found = []
    for path in sorted(CASES.glob("*.toml")):
        for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]:
            for code in case["expect"]:
                found.append(pytest.param(path.stem, case, code, id=f"{path.stem}: {case['name']}: {code}"))
    return found


@pytest.mark.parametrize(("edition", "case", "code"), cases())
def test_worked_case(edition: str, case: dict[str, Any], code: str) -> None:
    event = event_of(case["rows"], format=case["format"], ratings=case["ratings"])
    column = standings(event, ["PTS", code], ruleset(f"fide/tie-breaks/{edition}")).column(code)
    for number, (own, expected) in enumerate(zip(column.texts(), case["expect"][code], strict=True), 1):
        if expected:
            assert abs(Decimal(own) - Decimal(expected)) <= Decimal("0.005"), (
                f"player {number}: {own}, expected {expected}"
            )


@pytest.mark.parametrize(
    ("before", "cell", "round_", "expected"),
    [
        ("1=", "-", 3, "5.5"),  # the player stays away: 1.5 + 1 + 6 halves
        ("111=0", "+", 6, "5.0"),  # the opponent stays away: 3.5 + 0 + 3 halves
    ],
)
def test_virtual_opponent_of_the_handbook_before_september_2023(
    before: str, cell: str, round_: int, expected: str
) -> None:
    """The two examples printed in the Handbook, nine rounds; the rounds after do not matter to the virtual opponent."""
    back = {"1": "0", "=": "=", "0": "1", "+": "-", "-": "+"}
    results = (before + cell).ljust(9, "0")
    rows = [" ".join(f"{i}w{result}" for i, result in enumerate(results, 2))]
    for i, result in enumerate(results):
        rows.append(" ".join(f"1b{back[result]}" if j == i else "Z" for j in range(9)))
    result = standings(event_of(rows), "PTS,BH", ruleset("fide/tie-breaks/2009-07-01"))
    working = result.working(1, "BH").set_index("round")
    assert working.loc[round_, "seen"] == expected


def test_unplayed_rounds_of_opponents_were_draws_before_september_2023() -> None:
    """Opponent 2 has one win and two byes of no points: 1 + 2 halves."""
    event = event_of(["2w0 Z Z", "1b1 Z Z", "4w= 4w= 4w=", "3b= 3b= 3b="])
    old = standings(event, "PTS,BH", ruleset("fide/tie-breaks/2009-07-01")).working(1, "BH")
    assert old.loc[0, "seen"] == "2.0"
    new = standings(event, "PTS,BH", ruleset("fide/tie-breaks/2023-09-01")).working(1, "BH")
    assert new.loc[0, "seen"] == "2.0"  # the two byes are the last rounds
    returned = event_of(["2w0 Z Z", "1b1 Z 3w1", "Z Z 2b0"])
    assert (
        standings(returned, "PTS,BH", ruleset("fide/tie-breaks/2009-07-01")).working(1, "BH").loc[0, "seen"]
        == "2.5"
    )
    assert (
        standings(returned, "PTS,BH", ruleset("fide/tie-breaks/2023-09-01")).working(1, "BH").loc[0, "seen"]
        == "2.0"
    )


def test_the_editions_side_by_side_on_one_player() -> None:
    """3.5 of 5 with a half-point bye in round 2: 15.0 until February 2026, 14.0 since."""
    case = tomllib.loads((CASES / "2026-03-01.toml").read_text(encoding="utf-8"))["case"][0]
    result = standings(event_of(case["rows"]), "PTS,BH@2023,BH@2024,BH@2026")
    assert [result.column(f"BH@{name}").texts()[3] for name in ("2023", "2024", "2026")] == [
        "15.0",
        "15.0",
        "14.0",
    ]


@pytest.mark.parametrize(
    ("reading", "values"), [("scheduled-opponent", ["0.5", "0.5"]), ("draw", ["0.0", "0.0"])]
)
def test_standard_points_of_a_double_forfeit(reading: str, values: list[str]) -> None:
    """7.7 compares with the scheduled opponent: nothing to nothing is level."""
    rules = ruleset("fide/tie-breaks/2026-03-01").with_block("standard_points", compared_with=reading)
    assert list(standings(event_of(["2w-", "1b-"]), "PTS,STD", rules).column("STD").texts()) == values


@pytest.mark.parametrize(("reading", "won", "black"), [("definition", 0, 0), ("regular-games", 1, 1)])
def test_whether_a_forfeit_of_a_round_robin_is_a_game_over_the_board(
    reading: str, won: int, black: int
) -> None:
    rules = ruleset("fide/tie-breaks/2026-03-01").with_block("round_robin", over_the_board=reading)
    event = event_of(["2b+ 3w=", "1w- .".replace(".", "Z"), "Z 1b="], format="round-robin")
    result = standings(event, "PTS,WON,BPG", rules)
    assert (result.column("WON").values()[0], result.column("BPG").values()[0]) == (won, black)


@pytest.mark.parametrize(("reading", "places"), [("excluded", [0, 0]), ("included", [1, 2])])
def test_forfeits_in_the_direct_encounter(reading: str, places: list[int]) -> None:
    rules = ruleset("fide/tie-breaks/2026-03-01").with_block("direct", forfeits=reading)
    event = event_of(["2w+ Z", "1b- 3w1", "Z 2b0"])
    assert list(standings(event, "PTS,DE", rules).column("DE").values()[:2]) == places


@pytest.mark.parametrize(("reading", "value"), [("scheduled", "2.0"), ("played", "1.0")])
def test_rounds_of_the_cap_before_the_end(reading: str, value: str) -> None:
    """16.4.2 after two of four rounds: two halves or four; the own score is two."""
    import dataclasses

    rules = ruleset("fide/tie-breaks/2026-03-01").with_block("unplayed", cap_rounds=reading)
    event = dataclasses.replace(event_of(["U 2w1", "3w1 1b0", "2b0 Z"]), rounds=4)
    assert standings(event, "PTS,BH", rules).working(1, "BH").loc[0, "seen"] == value


def test_points_of_another_scoring_scale_the_buchholz() -> None:
    event = event_of(["2w1 3w=", "1b0 Z", "H 1b="], scoring=Scoring.of(3, 1, 0))
    result = standings(event, "PTS,BH@2024")
    assert result.column("PTS").texts()[0] == "4.0"
    # 2 has no points and a trailing bye seen as a draw of one; 3 has two points.
    assert result.column("BH@2024").texts()[0] == "3.0"


def test_every_named_reading_of_the_fide_files() -> None:
    for name in ("2009-07-01", "2023-09-01", "2024-08-01", "2026-03-01"):
        rules = ruleset(f"fide/tie-breaks/{name}")
        for reading in rules.rows("reading"):
            assert rules.need(reading["block"])[reading["key"]] == reading["taken"], (name, reading["name"])
