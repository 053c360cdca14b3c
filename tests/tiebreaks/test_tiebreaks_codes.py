"""The grammar of the codes, and what happens to codes that are unknown, undefined or cannot be computed."""

from __future__ import annotations

import dataclasses
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.model.errors import EventError, ParameterError
from qiyi_analysis.model.event import Event, make_event
from qiyi_analysis.tiebreaks import parse, parse_list, standings
from qiyi_analysis.tiebreaks.codes import names
from qiyi_analysis.tiebreaks.printed import code_of


def event(**facts: Any) -> Event:
    """Four players, two rounds, everybody rated."""
    games = [
        {"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"},
        {"round": 1, "first": 3, "second": 4, "first_result": "=", "second_result": "=", "kind": "played"},
        {"round": 2, "first": 2, "second": 3, "first_result": "1", "second_result": "0", "kind": "played"},
        {"round": 2, "first": 4, "second": 1, "first_result": "0", "second_result": "1", "kind": "played"},
    ]
    facts = {"format": "swiss", "rounds": 2, "start": date(2026, 4, 1), **facts}
    players = [{"number": n, "name": f"P{n}", "rating": 1500 + 100 * n} for n in range(1, 5)]
    return make_event(players=players, games=games, **facts)


def reasons(codes: str, **facts: Any) -> set[str]:
    return {finding.reason for finding in standings(event(**facts), codes).findings}


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("BH", "BH"),
        ("bh/c1", "BH/C1"),
        ("BH-C1", "BH/C1"),
        ("BH@2026/C1", "BH/C1"),
        ("BH:MP/M1/P", "BH:MP/M1/P"),
        ("KS/L+1", "KS/L+1"),
        ("KS/L-2", "KS/L-2"),
        ("SSSC/K4", "SSSC/K4"),
        ("ARO/C1/U1400", "ARO/C1"),
        ("GE", "REP"),
        ("小分", "XF"),
        ("胜者小分", "XF"),
        ("对手分", "DSF"),
        ("ZJ/2", "ZJ/2"),
    ],
)
def test_a_code_is_read(text: str, bare: str) -> None:
    assert parse(text).bare == bare
    assert parse(text).text == text


def test_edition_and_rating_of_a_code() -> None:
    code = parse("ARO/U1400")
    assert code.unrated == 1400
    assert parse("BH@pre2023/C1").edition == "pre2023"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BHX", "tie-break 'BHX': unknown code; did you mean BH?"),
        ("BUCH", "tie-break 'BUCH': unknown code"),
        ("小份", "did you mean 小分 (XF)?"),
        ("BH/X1", "tie-break 'BH/X1': option /X1 does not fit; BH takes :MP :GP, /Cn, /Mn, /P, /F"),
        ("WON/C1", "tie-break 'WON/C1': option /C1 does not fit; WON takes :MP :GP"),
        ("TPN:MP", "tie-break 'TPN:MP': TPN takes no :MP"),
        ("KS/L", "option /L does not fit"),
    ],
)
def test_a_code_that_is_no_code(text: str, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_a_code_given_twice() -> None:
    with pytest.raises(ParameterError, match="twice"):
        parse_list("BH,SB,BH")


def test_an_edition_that_does_not_exist() -> None:
    with pytest.raises(ParameterError, match="@1899 is unknown; known are"):
        standings(event(), "BH@1899")


def test_every_code_has_words_in_both_languages() -> None:
    missing = [
        (name, language)
        for name in names()
        for language in ("zh", "en")
        if not words.has(f"tie_break.{name}") or not words.text(f"tie_break.{name}", language).strip()
    ]
    assert missing == []


def test_every_code_belongs_to_a_document_and_every_article_to_a_code() -> None:
    """Points of games are the scoring of the event; everything else some edition defines."""
    rules = [one for one in rulesets.all_rulesets() if one.kind == "tie-breaks"]
    told = {name.removesuffix("/F") for one in rules for name in one.value("articles", "of", {})}
    assert told == set(names()) - {"PTS"}


def test_an_edition_without_numbered_articles_cites_none() -> None:
    old = standings(event(start=date(2010, 5, 1)), "PTS,WIN,SB,DE,ARO")
    assert {old.column(code).article for code in ("WIN", "SB", "DE", "ARO")} == {"fide/tie-breaks/2009-07-01"}
    new = standings(event(), "PTS,WIN,BH/C1,BH/F,FB,DE,PS/C1")
    assert [new.column(code).article.partition(" ")[2] for code in ("WIN", "BH/C1", "BH/F", "FB", "DE", "PS/C1")] == [
        "7.1", "8.1, 14, 16.5", "8.3", "8.3", "6", "7.5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("Cumulative Opponents", None),
        ("Opponents Progressive", None),
        ("Cumulative of opposition", None),
        ("Progressive Scores", "PS"),
        ("APRO, average performance of opponents", "APRO"),
        ("Average performance rating of opponents", "APRO"),
        ("Average Perfect Performance of Opponents", "APPO"),
        ("Average rating of opponents", "ARO"),
        ("Perfect Tournament Performance", "PTP"),
        ("Tournament Performance Rating", "TPR"),
        ("BH: Buchholz without the lowest result", "BH/C1"),
        ("Extended Direct Encounter", "EDE"),
        ("Rounds One Elected to Play", "REP"),
        ("Pts.", "PTS"),
    ],
)
def test_headers_in_words_of_the_federation(header: str, code: str | None) -> None:
    assert code_of(header) == code


def test_a_code_the_article_does_not_define_is_computed_and_told() -> None:
    """Koya is defined for round robins only; Buchholz is not to be used in them since 2026."""
    result = standings(event(), "KS")
    assert [finding.code for finding in result.findings if finding.reason == "tie-break-undefined"] == [
        "CK46"
    ]
    assert result.column("KS").values()[0] == 2 * 0 + 1
    complete = dataclasses.replace(event(), format="round-robin")
    assert {f.reason for f in standings(complete, "BH").findings} >= {"tie-break-undefined"}
    assert "tie-break-undefined" not in {f.reason for f in standings(complete, "BH@2024").findings}
    assert "tie-break-undefined" in {
        f.reason for f in standings(event(start=date(2025, 1, 1)), "STD").findings
    }


def test_no_order_of_a_rule_file_holds_a_code_it_does_not_define() -> None:
    for rules in rulesets.all_rulesets():
        if rules.kind != "tie-breaks":
            continue
        for row in rules.rows("order"):
            for code in parse_list(row["codes"]):
                for other in rules.rows("undefined"):
                    applies = not other.get("formats") or row["format"] in other["formats"]
                    assert not (applies and other["code"] in (code.name, code.bare)), (
                        rules.id,
                        row["format"],
                        code.text,
                    )


def test_unrated_players_drop_the_rating_tie_breaks_unless_a_value_is_fixed() -> None:
    unrated = event().with_players(rating=[1600.0, float("nan"), 1800.0, 1900.0])
    result = standings(unrated, "ARO,TPR,ARO/U1400")
    assert list(result.column("ARO").values()) == [None] * 4
    assert result.column("ARO/U1400").values()[0] == 1650
    assert sum(f.reason == "tie-break-unrated" for f in result.findings) == 2
    assert all(record["ARO"] is None for record in result.as_records())


def test_colours_that_are_not_known() -> None:
    games = event().games.assign(colours_known=False)
    result = standings(event().with_games(games), "BPG,BH")
    assert list(result.column("BPG").values()) == [None] * 4
    assert "tie-break-colours-unknown" in {f.reason for f in result.findings}


def test_rounds_that_are_not_known_or_not_played_yet() -> None:
    assert "tie-break-rounds-unknown" in reasons("BH", rounds=None)
    assert "tie-break-provisional" in reasons("BH", rounds=5)
    assert not reasons("BH")


def test_team_codes_in_an_individual_event() -> None:
    with pytest.raises(EventError, match="no teams"):
        standings(event(), "MP,GP")


def test_rules_of_another_kind() -> None:
    with pytest.raises(ParameterError, match="standings need one for tie-breaks"):
        standings(event(), "BH", rulesets.ruleset("fide/rating-standard/2024-03-01"))


def test_no_players() -> None:
    with pytest.raises(EventError, match="no players"):
        standings(make_event(players=[], games=[]), "BH")


def test_ties_keep_the_same_rank_and_points_are_implied() -> None:
    result = standings(event(), "WIN")
    assert list(result.table.columns) == ["rank", "number", "id", "name", "WIN"]
    assert [(r["number"], r["rank"]) for r in result.as_records()] == [(1, 1), (2, 2), (3, 3), (4, 3)]


def test_the_list_of_the_event_and_the_order_of_the_rules() -> None:
    named = event(tie_breaks=("PTS", "BH/C1", "OTHER_X", "SB"))
    result = standings(named)
    assert [code.text for code in result.codes] == ["PTS", "BH/C1", "SB"]
    assert "tie-break-not-known" in {f.reason for f in result.findings}
    assert "tie-break-order-assumed" in reasons("") or standings(event()).codes


@pytest.mark.parametrize(
    ("day", "edition", "reason"),
    [
        (date(1999, 1, 1), "fide/tie-breaks/2009-07-01", "tie-break-edition-before-first"),
        (date(2023, 8, 31), "fide/tie-breaks/2009-07-01", ""),
        (date(2023, 9, 1), "fide/tie-breaks/2023-09-01", "tie-break-edition-unsettled"),
        (date(2024, 3, 31), "fide/tie-breaks/2023-09-01", "tie-break-edition-unsettled"),
        (date(2024, 4, 1), "fide/tie-breaks/2023-09-01", ""),
        (date(2024, 7, 31), "fide/tie-breaks/2023-09-01", ""),
        (date(2024, 8, 1), "fide/tie-breaks/2024-08-01", ""),
        (date(2026, 2, 28), "fide/tie-breaks/2024-08-01", ""),
        (date(2026, 3, 1), "fide/tie-breaks/2026-03-01", ""),
        (None, "fide/tie-breaks/2026-03-01", "tie-break-edition-no-date"),
    ],
)
def test_the_start_date_picks_the_edition(day: date | None, edition: str, reason: str) -> None:
    result = standings(event(start=day), "BH")
    assert result.rules.id == edition
    assert [f.reason for f in result.findings if "edition" in f.reason] == ([reason] if reason else [])


def test_documents_of_tie_breaks_do_not_overlap() -> None:
    for document in rulesets.documents():
        if document.endswith("/tie-breaks"):
            rulesets.check_editions(document)


@pytest.mark.parametrize(
    "code",
    ["PTS", "WIN", "WON", "BPG", "BWG", "REP", "STD", "PS", "PS/C1", "BH", "BH/C1", "BH/M1", "FB", "SB", "SB/C1", "KS", "XF", "DSF", "SJ", "LJF"],
)  # fmt: skip
def test_the_working_adds_up_to_the_value(code: str) -> None:
    result = standings(event(), ["PTS", code] if code != "PTS" else ["PTS"])
    for number, value in zip(result.grid.numbers, result.column(code).values(), strict=True):
        working = result.working(int(number), code)
        assert (
            sum(Fraction(c) for c, kept in zip(working["counted"], working["kept"], strict=True) if kept)
            == value
        )
        assert code in ("PTS",) or (working["article"] != "").all()


@pytest.mark.parametrize("codes", [",,", "，、", [" ", ""]])
def test_a_list_without_a_code_is_refused(codes: str | list[str]) -> None:
    """Everybody would share the first place."""
    event = make_event(players=[{"number": 1, "name": "A"}, {"number": 2, "name": "B"}], games=[])
    with pytest.raises(ParameterError, match="no tie-break in"):
        standings(event, codes)
