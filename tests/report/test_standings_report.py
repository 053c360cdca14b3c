"""The section on standings: every table and figure for a Swiss, a round robin and a go event, in both languages."""

from __future__ import annotations

import dataclasses
import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from notebook_cells import run
from test_tiebreaks_chinese import TB1, round_robin, team_event
from test_tiebreaks_compare import printed, swiss

from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.audit.printed_standings import compare
from qiyi_analysis.model.event import Scoring
from qiyi_analysis.readers import read_event
from qiyi_analysis.report.kit.blocks import plain
from qiyi_analysis.report.kit.page import Page
from qiyi_analysis.report.sections import standings as report
from qiyi_analysis.tiebreaks import standings

PAGE = Page("en", "standings")
EVENTS = Path(__file__).parents[2] / "data" / "events"


def section(event: Any, found: Any, language: str, shown: Any = None) -> str:
    """The section as an audit's notebook shows it."""
    result = dataclasses.replace(audit(event), standings=found, event=shown or event)
    sections = ["standings"]
    return "\n".join(map(plain, run("audit_event", audited=result, language=language, sections=sections)[0]))


def text(piece: object) -> str:
    return piece._repr_mimebundle_()["text/plain"]  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_whole_section(language: str) -> None:
    event = printed(swiss(), "BH@2024", "Buchholz")
    shown = section(event, compare(event), language)
    for words in (
        ("名次表", "对局表", "由何项判定", "各版本对照") if language == "zh" else ("Standings", "Cross table")
    ):
        assert words in shown
    assert "BH@2026" in shown
    assert "other-edition" not in shown  # the cause in words, not as its key


def test_an_event_that_prints_nothing() -> None:
    event = swiss()
    assert "prints no ranks" in section(event, compare(event), "en")


def test_the_square_table_of_a_round_robin() -> None:
    result = standings(round_robin(TB1, Scoring.of(1)))
    first = report.cross(result).iloc[0]
    assert first["name"] == "B"
    assert first["2"] == "×"
    assert [first[str(n)] for n in (1, 3, 4, 5, 6)] == ["½", "1", "½", "1", "0"]


def test_the_cross_table_of_a_swiss_marks_byes_and_forfeits() -> None:
    table = report.cross(standings(swiss(), "PTS,BH"))
    cells = {row["number"]: [row[str(r)] for r in range(1, 5)] for row in table.to_dict("records")}
    assert cells[3][0] == "7w+"
    assert cells[7][0] == "3b-"
    assert cells[8][2] == "-1"
    assert cells[6][2] == "-½"


def test_what_separated_whom() -> None:
    rows = report.separators(standings(round_robin(TB1, Scoring.of(1))), "en")
    assert list(rows[["name", "next", "code"]].itertuples(index=False, name=None)) == [
        ("B", "A", "XF"),
        ("C", "D", "SJ"),
        ("F", "E", "ZS"),
    ]


def test_the_chart_of_places_has_words_for_those_who_cannot_see_it() -> None:
    figure = report.progress_figure(PAGE, standings(swiss(), "PTS,BH"))
    assert figure is not None
    assert "5" in figure.block()["alt"]
    assert figure.block()["svg"].startswith("<svg")


def test_hidden_names_stay_hidden() -> None:
    event = printed(swiss(), "BH@2024", "Buchholz")
    found = compare(event)
    masked = event.with_players(name=[f"M{n}" for n in event.players["number"]])
    shown = section(event, found, "en", masked)
    assert "M1" in shown
    assert "P1" not in shown


def test_one_player() -> None:
    pieces = report.player_pieces(swiss(), 6, "en")
    assert "Buchholz" in "".join(text(piece) for piece in pieces)
    assert "requested bye" in "".join(text(piece) for piece in pieces)


def test_teams() -> None:
    event = dataclasses.replace(team_event("team-round-robin"), discipline="xiangqi")
    shown = section(event, compare(event), "zh")
    assert "CF" in shown
    assert "场分" in shown


@pytest.mark.parametrize("name", ["nanjing-2010", "constructed-cca-2024", "constructed-open-2025"])
def test_editions_that_agree_are_not_set_side_by_side(name: str) -> None:
    """Every game of these was played: no edition has anything to treat differently."""
    assert report.editions(read_event(EVENTS / name)).empty


def test_only_players_and_criteria_that_differ_stand_side_by_side() -> None:
    table = report.editions(swiss())
    codes = list(table.columns[2:])
    assert codes
    for code in {(text.partition("@")[0], text.partition("/")[2]) for text in codes}:
        of_code = [text for text in codes if (text.partition("@")[0], text.partition("/")[2]) == code]
        assert any(len({row[text] for text in of_code}) > 1 for row in table.to_dict("records"))
    for row in table.to_dict("records"):
        assert any(
            row[one] != row[two]
            for one, two in itertools.combinations(codes, 2)
            if (one.partition("@")[0], one.partition("/")[2])
            == (two.partition("@")[0], two.partition("/")[2])
        )


def test_places_on_the_chart_are_whole() -> None:
    event = read_event(EVENTS / "constructed-open-2025")  # places down to 13: fifths would be 2.5
    figure = report.progress_figure(PAGE, standings(event))
    assert figure is not None
    labels = re.findall(r"text-anchor: end[^>]*>([^<]+)<", figure.block()["svg"])
    assert len(labels) >= 3
    assert all(label.isdigit() for label in labels)


def test_rounds_on_the_chart_are_whole() -> None:
    figure = report.progress_figure(PAGE, standings(swiss(), "PTS,BH"))  # four rounds: halves would fit
    assert figure is not None
    labels = re.findall(r"text-anchor: middle[^>]*>([^<]+)<", figure.block()["svg"])
    assert labels[:-1] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(("language", "name"), [("zh", "名次"), ("en", "rank")])
def test_a_printed_rank_that_differs_is_named_in_the_language(language: str, name: str) -> None:
    event = swiss()
    event = event.with_players(rank=list(range(8, 0, -1)))
    assert set(report.differing(compare(event), language)["field"]) == {name}


def test_values_that_separated_stand_under_each_other() -> None:
    block = report.separators_table(PAGE, standings(round_robin(TB1, Scoring.of(1)))).block()
    assert [c["kind"] for c in block["columns"] if c["key"] in ("value", "next_value")] == ["decimal"] * 2
