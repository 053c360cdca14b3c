"""Events of which a source gives a part: games without a round, pairings that are missing, results of some players only."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest

from qiyi_analysis.audit.event_audit import Audit, audit
from qiyi_analysis.rating import rate
from qiyi_analysis.readers import read_event
from qiyi_analysis.readers.tables.unknown_rounds import rounds_for
from qiyi_analysis.rules.ruleset import ruleset

RATINGS = (2600, 2575, 2560, 2540, 2510, 2500, 2480, 2470)


def pairings(players: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(1, players + 1), 2))


def score(one: int, other: int) -> float:
    """The stronger of near neighbours draws, of others wins."""
    return 0.5 if other - one < 3 else 1.0


def folder(path: Path, games: list[tuple[Any, int, int]], meta: dict[str, Any], official: str = "") -> Path:
    """A folder of the eight players with (round, first, second) games."""
    path.mkdir(exist_ok=True)
    rows = [f"{n},P{n},{rating},10" for n, rating in enumerate(RATINGS, 1)]
    (path / "players.csv").write_text("\n".join(["no,name,rating,k", *rows]) + "\n", encoding="utf-8")
    lines = [f"{r},{a},{b},{score(a, b)},{1 - score(a, b)},played,0" for r, a, b in games]
    head = "round,white,black,white_score,black_score,kind,colours_known"
    (path / "games.csv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    facts = {
        "title": "Part",
        "format": "single round robin",
        "rounds": 7,
        "start": "2010-01-16",
        "end": "2010-01-31",
        **meta,
    }
    (path / "meta.json").write_text(json.dumps(facts), encoding="utf-8")
    if official:
        (path / "official.csv").write_text(official, encoding="utf-8")
    return path


def told(result: Audit) -> list[tuple[str, str, str]]:
    """Code, severity and reason of what an officer is asked or told to return, and of the notes about parts."""
    notes = (
        "rounds-unknown",
        "round-robin-partly-printed",
        "round-robin-meetings-many",
        "points-without-games",
    )
    return [(f.code, f.severity, f.reason) for f in result.findings if f.severity != "I" or f.reason in notes]


def points(games: list[tuple[Any, int, int]], number: int) -> float:
    return sum(score(a, b) if a == number else 1 - score(a, b) for _, a, b in games if number in (a, b))


# --- rounds ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [4, 8, 14, 20])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_complete_round_robin_fits_its_rounds(players: int, seed: int) -> None:
    meetings = pairings(players)
    random.Random(seed).shuffle(meetings)
    rounds = rounds_for(meetings, [], players - 1)
    assert max(rounds) <= players - 1
    busy = [(player, r) for meeting, r in zip(meetings, rounds, strict=True) for player in meeting]
    assert len(busy) == len(set(busy))


def test_known_rounds_stay_and_byes_are_placed() -> None:
    rounds = rounds_for([(1, 2), (1, 3), (2,), (1, 2)], [(1, 1), (4, 1)], 4)
    assert 1 not in (rounds[0], rounds[1], rounds[3])
    busy = [(1, 1), (1, rounds[0]), (2, rounds[0]), (1, rounds[1]), (3, rounds[1]), (2, rounds[2]), (1, rounds[3]), (2, rounds[3])]  # fmt: skip
    assert len(busy) == len(set(busy))
    assert max(rounds) <= 4


def test_more_games_than_rounds_go_beyond() -> None:
    assert sorted(rounds_for([(1, 2)] * 3, [], 2)) == [1, 2, 3]


@pytest.mark.parametrize(("form", "severity"), [("single round robin", "I"), ("Swiss", "W")])
def test_games_without_a_round_are_rated_as_with_one(tmp_path: Path, form: str, severity: str) -> None:
    blank = read_event(folder(tmp_path / "blank", [("", a, b) for a, b in pairings(8)], {"format": form}))
    rounds = rounds_for(pairings(8), [], 7)
    numbered = [(r, a, b) for r, (a, b) in zip(rounds, pairings(8), strict=True)]
    whole = read_event(folder(tmp_path / "whole", numbered, {"format": form}))
    rules = ruleset("fide/rating-standard/2009-07-01")
    columns = ["games", "score", "we", "change", "new_rating"]
    assert rate(blank, rules).players[columns].equals(rate(whole, rules).players[columns])
    assert rate(blank, rules).players["games"].tolist() == [7] * 8
    assert [(f.code, f.severity) for f in blank.faults if f.reason == "rounds-unknown"] == [
        ("CK43", severity)
    ]
    assert not [f for f in whole.faults if f.reason == "rounds-unknown"]


# --- pairings ------------------------------------------------------------------------------------------------


def three_of_eight() -> list[tuple[Any, int, int]]:
    """All games of the first three players: 18 of 28, ten pairings of the others are missing."""
    return [("", a, b) for a, b in pairings(8) if a <= 3]


def test_games_of_the_players_whose_results_are_printed_are_a_part_not_a_fault(tmp_path: Path) -> None:
    games = three_of_eight()
    event = read_event(folder(tmp_path / "part", games, {}))
    change = rate(event, ruleset("fide/rating-standard/2009-07-01")).players["change"]
    rows = [f"{n},{points(games, n)},{change[n - 1]}" for n in (1, 2, 3)]
    official = "\n".join(["no,points,rating_change", *rows]) + "\n"
    result = audit(read_event(folder(tmp_path / "part", games, {}, official)))
    assert told(result) == [("CK35", "I", "round-robin-partly-printed"), ("CK43", "I", "rounds-unknown")]
    assert result.verdict == "accept"


def test_points_that_missing_games_explain_are_not_called_wrong(tmp_path: Path) -> None:
    games = three_of_eight()
    full = [("", a, b) for a, b in pairings(8)]
    official = "no,points\n" + "".join(f"{n},{points(full, n)}\n" for n in range(1, 9))
    result = audit(read_event(folder(tmp_path / "part", games, {}, official)))
    assert sorted(told(result)) == [
        ("CK17", "I", "points-without-games"),
        ("CK35", "I", "round-robin-meetings-many"),
        # Nothing printed shows by which rules it was calculated.
        ("CK41", "W", "rules-assumed"),
        ("CK43", "I", "rounds-unknown"),
    ]


def test_points_below_the_games_at_hand_are_wrong_in_a_part_too(tmp_path: Path) -> None:
    games = three_of_eight()
    full = [("", a, b) for a, b in pairings(8)]
    printed = {n: points(full, n) for n in range(1, 9)}
    printed[1] -= 1
    official = "no,points\n" + "".join(f"{n},{p}\n" for n, p in printed.items())
    found = audit(read_event(folder(tmp_path / "part", games, {}, official))).findings
    assert 1 in {f.player for f in found if f.reason == "points-differ" and f.severity == "E"}
    assert [f.severity for f in found if f.reason == "round-robin-meetings-many"] == ["W"]


def test_a_single_missing_game_is_asked_about_and_its_points_are_wrong(tmp_path: Path) -> None:
    full = [("", a, b) for a, b in pairings(8)]
    official = "no,points\n" + "".join(f"{n},{points(full, n)}\n" for n in range(1, 9))
    games = [g for g in full if g[1:] != (1, 8)]
    result = told(audit(read_event(folder(tmp_path / "part", games, {}, official))))
    assert ("CK35", "W", "round-robin-meetings") in result
    assert ("CK17", "E", "points-differ") in result


def test_many_missing_pairings_are_one_question(tmp_path: Path) -> None:
    games = three_of_eight()
    found = audit(read_event(folder(tmp_path / "part", games, {}))).findings
    assert [(f.severity, f.values["pairs"], f.values["of"]) for f in found if f.code == "CK35"] == [
        ("W", 10, 28)
    ]
