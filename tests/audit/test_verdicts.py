"""The verdict says no more than what was calculated and compared."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from qiyi_analysis import audit, read_event
from qiyi_analysis.app.cli import main
from qiyi_analysis.model.event import make_event

EVENTS = Path(__file__).parents[2] / "data" / "events"
FIDE = "fide/rating-standard"


def nanjing():
    return read_event(EVENTS / "nanjing-2010")


def swiss(ratings=(2000, 1900, 1800, 1700), rounds=2, **facts):
    """Four players, White wins; K 20."""
    pairs = [[(1, 2), (3, 4)], [(1, 3), (2, 4)], [(1, 4), (2, 3)]]
    games = [
        {"round": r + 1, "first": a, "second": b, "first_result": "1", "second_result": "0", "kind": "played"}
        for r in range(rounds)
        for a, b in pairs[r]
    ]
    players = [
        {"number": n, "name": f"P{n}", "rating": rating, "k": 20.0, "line": n}
        for n, rating in enumerate(ratings, 1)
    ]
    known = {"format": "swiss", "start": date(2025, 1, 10)}
    return make_event(players=players, games=games, **(known | facts))


def test_right_numbers_show_by_which_rules_they_were_calculated():
    result = audit(replace(nanjing(), rules=()))
    assert result.verdict == "accept"
    done = result.coverage
    assert (done.rateable, done.calculated, done.compared, done.agree) == (6, 6, 12, 12)


def test_guessed_rules_neither_accept_nor_return():
    assert audit(swiss()).verdict == "insufficient"
    assert audit(swiss(), [FIDE]).verdict == "accept"
    # A clock that is too short for the guessed rules is asked about, and returns under rules that were named.
    short = replace(swiss(), time_control="65 min", extra={"system": "standard"})
    assert audit(short).verdict == "insufficient"
    assert audit(short, [FIDE]).verdict == "return"


def test_an_open_k_is_not_accepted():
    event = swiss((2000, 1900, 1800, 1700))
    open_k = event.with_players(k=np.nan, games_before=np.nan)
    result = audit(open_k, [FIDE])
    assert result.verdict == "insufficient"
    assert result.coverage.calculated < result.coverage.rateable
    assert any(f.reason.startswith("k-unknown") and f.severity == "W" for f in result.findings)


def test_no_games_are_not_accepted():
    assert audit(swiss().with_games(swiss().games.iloc[:0]), [FIDE]).verdict == "insufficient"


def test_the_command_leaves_with_1_and_prints_how_much_was_calculated(tmp_path, capsys):
    source = EVENTS / "nanjing-2010"
    for name in ("players.csv", "games.csv"):
        (tmp_path / name).write_bytes((source / name).read_bytes())
    with pytest.raises(SystemExit) as left:
        main(["audit", str(tmp_path), "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], left.value.code) == ("insufficient", 1)
    assert answer["coverage"]["published"] == 0


@pytest.mark.parametrize("rules", ["fide/rating-standard/2024-03-01", "icu/rating/undated", "uscf/rating/2025-07-26",
                                   "dsb/dwz/undated", "cca/rating/undated", "cxa/rating/undated"])  # fmt: skip
def test_a_published_number_of_an_unrated_player_overflows_no_sum(rules):
    event = swiss((2000, 1900, np.nan, 1700)).with_players(
        expected=[0.5, 0.4, 1.0, 0.9],
        change=[1.0, -1.0, 5.0, 2.0],
        new_rating=[2001.0, 1899.0, 1500.0, 1702.0],
    )
    texts = [
        f.published + f.recomputed + f.message("en") + f.message("zh") for f in audit(event, [rules]).findings
    ]
    assert not [text for text in texts if "92233720" in text]
