"""Inputs on which a right publication was accused, or a number read as another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qiyi_analysis import audit, read_event
from qiyi_analysis.model.time_control import player_minutes
from qiyi_analysis.readers.tables.html import page_tables

PLAYERS = "no,name,sex,birth_year,rating,k\n1,A,m,1980,1510,20\n2,B,m,1980,1520,20\n3,C,w,1980,1530,20\n4,D,m,1980,1540,20\n"
GAMES = "round,white,black,white_score,black_score,kind\n1,1,2,1,0,played\n1,3,4,0.5,0.5,played\n"
META = {
    "title": "T", "game": "chess", "format": "swiss", "rounds": 1, "start": "2025-03-01", "end": "2025-03-01",
    "rules": ["fide/rating-standard/2024-03-01"],
}  # fmt: skip


def folder(place: Path, official: str, games: str = GAMES, players: str = PLAYERS, **meta: Any) -> Path:
    place.mkdir(exist_ok=True)
    (place / "players.csv").write_text(players, encoding="utf-8")
    (place / "games.csv").write_text(games, encoding="utf-8")
    (place / "meta.json").write_text(json.dumps({**META, **meta}), encoding="utf-8")
    if official:
        (place / "official.csv").write_text(official, encoding="utf-8")
    return place


def asked(place: Path) -> list[tuple[str, str, int]]:
    """Code, reason and player of every finding that returns or asks."""
    return [(f.code, f.reason, f.player) for f in audit(read_event(place)).findings if f.severity in "EW"]


@pytest.mark.parametrize(
    "text",
    ["90/40+30", "1:30+30", "5400/30", "90 Min. + 30 Sek.", "1-40: 90 min, 41-: 30 min", "2 games of 30 min"],
)
def test_half_read_time_control_is_not_read(text: str) -> None:
    assert player_minutes(text) is None


@pytest.mark.parametrize(
    ("text", "minutes"), [("100'x40+15'+30\"", 145), ("90'/40 + 30' + 30''", 150), ("40/90+30", 120)]
)
def test_moves_are_no_time(text: str, minutes: int) -> None:
    assert player_minutes(text) == minutes


EXPECTED = ((0.49, 0.51, 0.49, 0.51), (10.2, -10.2, 0.2, -0.2))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_decimal_comma_with_three_digits(tmp_path: Path, separator: str, decimals: int) -> None:
    rows = [["no", "points", "expected_score", "rating_change"]]
    for number, points, we, change in zip((1, 2, 3, 4), (1, 0, 0.5, 0.5), *EXPECTED, strict=True):
        values = (f"{points:.1f}", f"{we:.{decimals}f}", f"{change:.{decimals}f}")
        rows.append([str(number), *(v if separator == "," else v.replace(".", ",") for v in values)])
    official = "\n".join(separator.join(row) for row in rows)
    event = read_event(folder(tmp_path / "e", official + "\n"))
    assert list(event.players["expected"]) == list(EXPECTED[0])
    assert asked(tmp_path / "e") == []


def test_thousands_in_ratings(tmp_path: Path) -> None:
    players = PLAYERS.replace("1510", "1.510").replace("1520", '"1,520"')
    official = 'no,points,new_rating\n1,1,1.520\n2,0,"1,510"\n3,0.5,1.530\n4,.5,1540\n'
    event = read_event(folder(tmp_path / "e", official, players=players))
    assert list(event.players["rating"]) == [1510, 1520, 1530, 1540]
    assert list(event.players["new_rating"]) == [1520, 1510, 1530, 1540]
    assert asked(tmp_path / "e") == []


def test_a_second_row_of_published_values_is_asked_about_and_accuses_nobody(tmp_path: Path) -> None:
    official = "no,points,rating_change\n1,1,10.2\n2,0,-10.2\n1,0,-10.2\n"
    assert asked(folder(tmp_path / "e", official)) == [
        ("CK09", "official-twice", 1),
        ("CK28", "published-players-missing", 0),
    ]


def test_new_ratings_may_be_printed_before_rounding(tmp_path: Path) -> None:
    official = "no,new_rating\n1,1520.2\n2,1509.8\n3,1530.20\n4,1539.80\n"
    assert asked(folder(tmp_path / "e", official)) == []
    wrong = asked(folder(tmp_path / "e", official.replace("1520.2", "1520.4")))
    assert wrong == [("CK26", "new-rating-differs", 1)]


KNOCK_OUT = "round,white,black,white_score,black_score,kind\n1,1,4,1,0,played\n1,2,3,0.5,0.5,played\n2,1,3,0.5,0.5,played\n"


def test_the_winner_of_a_knock_out_may_have_fewer_points(tmp_path: Path) -> None:
    official = "no,rank,points\n3,1,1\n1,2,1.5\n2,3,0.5\n4,3,0\n"
    assert asked(folder(tmp_path / "e", official, games=KNOCK_OUT, format="knock-out", rounds=2)) == []


@pytest.mark.parametrize(
    "scoring", [{"scoring": {"win": 0, "loss": 0}}, {"points_per_game": 0}, {"points_per_game": -1}]
)
def test_a_scoring_without_sense_does_not_become_impossible_results(
    tmp_path: Path, scoring: dict[str, Any]
) -> None:
    assert asked(folder(tmp_path / "e", "", **scoring)) == [("CK43", "scoring-unreadable", 0)]


def test_points_in_another_scoring_are_one_question(tmp_path: Path) -> None:
    official = "no,points\n1,2\n2,0\n3,1\n4,1\n"
    assert asked(folder(tmp_path / "e", official)) == [("CK17", "points-in-other-scoring", 0)]
    assert asked(folder(tmp_path / "e", official.replace("4,1", "4,2"))) != []


def test_an_edition_of_another_day_is_used_and_said(tmp_path: Path) -> None:
    result = audit(read_event(folder(tmp_path / "e", "", start="2019-03-01", end="2019-03-02")))
    said = [f for f in result.findings if f.reason == "edition-of-another-day"]
    assert [f.severity for f in said] == ["I"]
    assert "fide/rating-standard/2017-07-01" in said[0].message("en")


def test_a_marked_section_of_no_known_kind_is_passed_over() -> None:
    """Found by fuzzing: the standard library's parser fails at `<![OCTYPE html>`."""
    page = "<![OCTYPE html><table><tr><td>Name</td><td>Rtg</td></tr></table><![x"
    assert page_tables(page)[0].rows[0].cells == ["Name", "Rtg"]
