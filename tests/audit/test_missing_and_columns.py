"""Rounds and boards that are missing, columns that are something else, and every published column compared or named."""

import json
from pathlib import Path

import numpy as np
import pytest
from test_verdicts import FIDE, swiss

from qiyi_analysis import audit, read_event
from qiyi_analysis.tiebreaks.ranking import standings
from qiyi_analysis.words import ranges, shown


def reasons(event, *rules):
    return [f.reason for f in audit(event, list(rules) or [FIDE]).findings]


def test_a_round_missing_inside_is_no_bye_of_everybody():
    whole = swiss(rounds=3)
    assert "rounds-missing" not in reasons(whole)
    gap = whole.with_games(whole.games[whole.games["round"] != 2])
    result = audit(gap, [FIDE])
    (finding,) = [f for f in result.findings if f.code == "CK22"]
    assert (finding.round, result.verdict) == (2, "insufficient")


def test_a_missing_board_is_asked_about():
    whole = swiss(rounds=3)
    without = whole.with_games(whole.games[~((whole.games["round"] == 2) & (whole.games["first"] == 2))])
    (finding,) = [f for f in audit(without, [FIDE]).findings if f.reason == "boards-missing"]
    assert (finding.round, shown(finding.values["players"], "en")) == (2, "2, 4")


def test_a_game_noted_as_unplayed_is_asked_about():
    event = swiss()
    notes = ["", "White did not appear", "", ""]
    (finding,) = [
        f
        for f in audit(event.with_games(event.games.assign(note=notes)), [FIDE]).findings
        if f.code == "CK21"
    ]
    assert (finding.round, finding.severity) == (1, "E")


OFFICIAL = "no,rank,points,expected_score,rating_change,performance,games,k,foo\n1,1,2,1.21,15.8,3000,9,40,7\n2,2,1,,3,,2,20,\n"


def test_every_published_column_is_compared_or_named(tmp_path: Path):
    (tmp_path / "players.csv").write_text("no,name,rating,k\n1,A,1900,20\n2,B,1850,20\n3,C,1800,20\n")
    (tmp_path / "games.csv").write_text(
        "round,white,black,white_score,black_score\n1,1,2,1,0\n2,1,3,1,0\n3,2,3,1,0\n"
    )
    (tmp_path / "official.csv").write_text(OFFICIAL)
    (tmp_path / "meta.json").write_text(json.dumps({"title": "X", "start": "2025-02-01", "rules": [FIDE]}))
    found = {f.reason: f for f in audit(read_event(tmp_path)).findings}
    assert (found["rated-games-differ"].published, found["rated-games-differ"].recomputed) == ("9", "2")
    assert found["published-k-differs"].player == 1
    assert shown(found["published-players-missing"].values["players"], "en") == "3"
    assert shown(found["columns-not-compared"].values["columns"], "en") == "foo, performance"


def eight(columns=None, **values):
    rng = np.random.default_rng(1)
    games = []
    for r in range(7):
        order = [0, *((np.arange(7) + r) % 7 + 1)]
        for a, b in zip(order[:4], order[:3:-1], strict=True):
            one, other = [("1", "0"), ("=", "="), ("0", "1")][rng.integers(3)]
            games.append({"round": r + 1, "first": a + 1, "second": b + 1, "first_result": one, "second_result": other, "kind": "played"})  # fmt: skip
    event = swiss(ratings=[2000 - 10 * i for i in range(8)])
    from qiyi_analysis.model.event import make_event

    return make_event(
        players=event.players.assign(**values), games=games, format="swiss", start=event.start, rounds=7,
        tie_break_columns=columns or {},
    )  # fmt: skip


def values_of(code):
    return [float(v) for v in standings(eight(), ["PTS", code], of="players").column(code).values()]


@pytest.mark.parametrize("words", ["", "TPR, performance"])
def test_a_column_is_taken_for_the_tie_break_that_its_values_are(words):
    printed = values_of("SB")
    printed[3] += 5
    event = eight({"tb1": words} if words else {}, tb1=printed)
    found = [f for f in audit(event, [FIDE]).findings if f.code == "CK33"]
    assert [(f.player, f.field) for f in found] == [(4, "tb1")]


def test_a_column_that_nothing_fits_is_one_finding():
    event = eight({"tb1": "Buchholz"}, tb1=[101.0, 3, 77, 12, 55, 91, 8, 40])
    found = [f for f in audit(event, [FIDE]).findings if f.code == "CK33"]
    assert [f.reason for f in found] == ["tie-break-column-differs"]


def test_what_cannot_be_calculated_accuses_nobody():
    event = eight({"tb1": "TPR"}, tb1=[2000.0 + i for i in range(8)]).with_players(rating=np.nan)
    result = audit(event, [FIDE])
    assert not [f for f in result.findings if f.code in ("CK26", "CK33") and not f.recomputed and f.player]
    assert not result.standings.rows.query("field == 'tb1'")["compared"].any()


@pytest.mark.parametrize(
    ("numbers", "text"), [([3], "3"), ([1, 2], "1, 2"), (range(20, 201), "20-200"), ([5, 1, 2, 3], "1-3, 5")]
)
def test_numbers_are_named_in_ranges(numbers, text):
    assert shown(ranges(numbers), "en") == text
