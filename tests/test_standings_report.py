"""The section on standings: every table and figure for a Swiss, a round robin and a go event, in both languages."""

from __future__ import annotations

import dataclasses

import pytest
from test_tiebreaks_chinese import TB1, round_robin, team_event
from test_tiebreaks_compare import printed, swiss

from qiyi_analysis import standings_report as report
from qiyi_analysis.model import Scoring
from qiyi_analysis.tiebreaks import standings
from qiyi_analysis.tiebreaks.compare import compare


def text(piece: object) -> str:
    return piece._repr_mimebundle_()["text/plain"]  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_whole_section(language: str) -> None:
    event = printed(swiss(), "BH@2024", "Buchholz")
    shown = text(report.section(event, compare(event), language))
    for words in (
        ("名次表", "对局表", "由何项判定", "各版本对照") if language == "zh" else ("Standings", "Cross table")
    ):
        assert words in shown
    assert "BH@2026" in shown
    assert "other-edition" not in shown  # the cause in words, not as its key


def test_an_event_that_prints_nothing() -> None:
    event = swiss()
    assert "prints no ranks" in text(report.section(event, compare(event), "en"))


def test_the_square_table_of_a_round_robin() -> None:
    result = standings(round_robin(TB1, Scoring.of(1)))
    table = report.cross_table(result, "en")
    first = table.rows[0]
    assert first["name"] == "B"
    assert first["c2"] == "×"
    assert [first[f"c{n}"] for n in (1, 3, 4, 5, 6)] == ["½", "1", "½", "1", "0"]


def test_the_cross_table_of_a_swiss_marks_byes_and_forfeits() -> None:
    table = report.cross_table(standings(swiss(), "PTS,BH"), "en")
    cells = {row["number"]: [row[f"c{r}"] for r in range(1, 5)] for row in table.rows}
    assert cells[3][0] == "7w+"
    assert cells[7][0] == "3b-"
    assert cells[8][2] == "-1"
    assert cells[6][2] == "-½"


def test_what_separated_whom() -> None:
    rows = report.separators_table(standings(round_robin(TB1, Scoring.of(1))), "en").rows
    assert [(row["name"], row["next"], row["code"]) for row in rows] == [
        ("B", "A", "XF"),
        ("C", "D", "SJ"),
        ("F", "E", "ZS"),
    ]


def test_the_chart_of_places_has_words_for_those_who_cannot_see_it() -> None:
    figure = report.progress_chart(standings(swiss(), "PTS,BH"), "en")
    assert figure is not None
    assert "5" in figure.block()["alt"]
    assert figure.block()["svg"].startswith("<svg")


def test_hidden_names_stay_hidden() -> None:
    event = printed(swiss(), "BH@2024", "Buchholz")
    found = compare(event)
    masked = event.with_players(name=[f"M{n}" for n in event.players["number"]])
    shown = text(report.section(masked, found, "en"))
    assert "M1" in shown
    assert "P1" not in shown


def test_one_player() -> None:
    pieces = report.player_pieces(swiss(), 6, "en")
    assert "Buchholz" in "".join(text(piece) for piece in pieces)
    assert "requested bye" in "".join(text(piece) for piece in pieces)


def test_teams() -> None:
    event = dataclasses.replace(team_event("team-round-robin"), discipline="xiangqi")
    shown = text(report.section(event, compare(event), "zh"))
    assert "CF" in shown
    assert "场分" in shown
