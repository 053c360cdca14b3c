"""Eligibility of events, `qiyi titles` on whole events, the report and the workbook."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from click.testing import CliRunner

from qiyi_analysis.app.cli.titles import command
from qiyi_analysis.audit.checks.eligibility import check, entry_fees
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import Event, Scoring, make_event
from qiyi_analysis.report.kit.page import Page
from qiyi_analysis.report.sections.titles import earned, it1, load_titles, write_workbook
from qiyi_analysis.rules.ruleset import ruleset
from qiyi_analysis.titles import titles

CCA, CXA = ruleset("cca/rating/undated"), ruleset("cxa/rating/undated")
OPEN = "data/events/constructed-open-2025"


def field(size: int, *, rated: int | None = None, units: Any = "abcd", **facts: Any) -> Event:
    rated = size if rated is None else rated
    players = [
        {
            "number": n,
            "name": f"P{n}",
            "rating": 2400 if n <= rated else None,
            "unit": units[n % len(units)] if units else "",
        }
        for n in range(1, size + 1)
    ]
    return make_event(players=players, games=[], **facts)


def reasons(event: Event, rules: Any) -> dict[str, Any]:
    return {f.reason: f for f in check(event, rules)}


# --- rounds, clock, rated players, units, arbiters, report, fee ---------------------------------------


@pytest.mark.parametrize(
    ("size", "rounds", "fits"), [(50, 7, True), (50, 6, False), (51, 9, True), (51, 8, False), (12, 7, True)]
)
def test_rounds_against_the_size_of_the_field(size: int, rounds: int, fits: bool) -> None:
    found = reasons(field(size, rounds=rounds, format="swiss"), CCA)
    assert ("eligibility-rounds" not in found) is fits


def test_a_round_robin_of_seven_is_asked_about_not_refused() -> None:
    found = reasons(field(7, rounds=6, format="round-robin"), CCA)
    assert found["eligibility-rounds-round-robin"].severity == "W"


@pytest.mark.parametrize(
    ("control", "fits"), [("29 min", False), ("30 min", True), ("25 min + 5 s", True), ("60 min", True)]
)
def test_time_controls_of_the_cca(control: str, fits: bool) -> None:
    found = reasons(field(10, rounds=9, time_control=control), CCA)
    assert ("eligibility-minutes-at-least" not in found) is fits


@pytest.mark.parametrize(
    ("rating", "control", "fits"),
    [(2400, "119 min", False), (2400, "120 min", True), (2399, "90 min", True), (2399, "89 min", False), (1799, "60 min", True), (1799, "59 min", False)],
)  # fmt: skip
def test_time_controls_of_fide_by_the_highest_rating(rating: int, control: str, fits: bool) -> None:
    event = make_event(players=[{"number": 1, "name": "P", "rating": rating}], games=[], time_control=control)
    found = reasons(event, ruleset("fide/rating-standard/2024-03-01"))
    assert ("eligibility-minutes-at-least" not in found) is fits


@pytest.mark.parametrize("edition", ["2014-07-01", "2017-07-01"])
@pytest.mark.parametrize(
    ("rating", "control", "fits"), [(2200, "119 min", False), (2199, "90 min", True), (1600, "89 min", False), (1599, "60 min", True)]
)  # fmt: skip
def test_until_2021_two_hours_were_asked_for_from_2200_on(
    edition: str, rating: int, control: str, fits: bool
) -> None:
    event = make_event(players=[{"number": 1, "name": "P", "rating": rating}], games=[], time_control=control)
    found = reasons(event, ruleset(f"fide/rating-standard/{edition}"))
    assert ("eligibility-minutes-at-least" not in found) is fits


@pytest.mark.parametrize(
    ("control", "reason"),
    [("", "eligibility-no-time-control"), ("classical", "eligibility-time-control-unread")],
)
def test_what_is_not_told_is_not_checked_and_said_so(control: str, reason: str) -> None:
    assert reasons(field(10, rounds=9, time_control=control), CCA)[reason].code == "CK44"


@pytest.mark.parametrize(
    ("size", "rated", "fits"), [(11, 8, True), (11, 7, False), (10, 10, True), (10, 9, False), (12, 8, True)]
)
def test_two_thirds_rated_and_all_of_ten(size: int, rated: int, fits: bool) -> None:
    """XQ-7: eleven players need eight rated; up to ten must all be."""
    found = reasons(field(size, rated=rated, format="round-robin"), CXA)
    assert ("eligibility-rated-share" not in found) is fits


def test_the_share_of_rated_players_is_for_round_robins() -> None:
    assert "eligibility-rated-share" not in reasons(field(20, rated=2, format="swiss"), CXA)


@pytest.mark.parametrize(
    ("units", "reason"),
    [
        ("abc", "eligibility-units"),
        ("aaaabcd", "eligibility-unit-share"),
        ("abcd", None),
        ("", "eligibility-no-units"),
    ],
)
def test_units(units: str, reason: str | None) -> None:
    found = {r for r in reasons(field(12, units=units), CXA) if "unit" in r}
    assert found == ({reason} if reason else set())


@pytest.mark.parametrize(
    ("arbiters", "reason"),
    [((), "eligibility-no-arbiters"), (("A",), "eligibility-arbiters"), (("A", "B"), None)],
)
def test_two_arbiters(arbiters: tuple[str, ...], reason: str | None) -> None:
    assert {r for r in reasons(field(12, arbiters=arbiters), CXA) if "arbiters" in r} == (
        {reason} if reason else set()
    )


@pytest.mark.parametrize(("sent", "late"), [("2025-05-20", False), ("2025-05-21", True)])
def test_ten_days_for_the_report(sent: str, late: bool) -> None:
    event = field(12, rounds=9, start=date(2025, 5, 1), end=date(2025, 5, 10), extra={"reported": sent})
    assert ("report-late" in reasons(event, CCA)) is late


def test_deadline_is_named_where_the_report_has_no_date() -> None:
    event = field(12, start=date(2025, 5, 1), end=date(2025, 5, 10))
    assert reasons(event, CCA)["report-due"].recomputed == "2025-05-20"
    assert reasons(event, CXA)["report-due"].recomputed == "2025-05-24"


def test_cca_7_fee() -> None:
    """60 entries at 200: 3 % of 12000 are 360."""
    event = field(60, rounds=9, extra={"entry_fee": 200})
    assert entry_fees(event) == 12000
    assert reasons(event, CCA)["report-fee"].recomputed == "360"


def test_a_title_event_that_is_too_small_is_named() -> None:
    event = field(11, rated=8, units="aab", extra={"title_event": "特级大师"})
    found = [f for f in check(event, ruleset("cxa/titles/undated")) if f.reason.startswith("title-event-")]
    assert [(f.published, f.recomputed) for f in found] == [("11", "12"), ("3", "2"), ("7", "3")]
    assert all(f.code == "CK36" for f in found)


def test_an_event_without_players_is_no_fault_of_the_program() -> None:
    for name in ("cca/rating/undated", "cxa/rating/undated", "cxa/titles/undated", "fide/titles/2024-01-01"):
        check(make_event(players=[], games=[]), ruleset(name))


def test_title_findings_reach_the_audit(project: Path) -> None:
    from qiyi_analysis.audit.event_audit import audit
    from qiyi_analysis.readers import read_event

    event = read_event(project / OPEN)
    assert "norm-not-checked-registration" in {f.reason for f in audit(event, ["fide/titles"]).findings}


def norm_event(size: int, points: float) -> Event:
    players = [
        {
            "number": n,
            "name": f"P{n}",
            "sex": "m",
            "rating": 2400 if n > 2 else None,
            "unit": "abcd"[n % 4],
            "points": points if n == 1 else 0,
        }
        for n in range(1, size + 1)
    ]
    return make_event(
        players=players,
        games=[],
        rounds=9,
        format="swiss",
        arbiters=("A", "B"),
        extra={"title_event": "特级大师"},
    )


@pytest.mark.parametrize(("size", "points", "reached"), [(12, 7.5, True), (12, 7, False), (11, 9, False)])
def test_norms_of_a_title_event(size: int, points: float, reached: bool) -> None:
    """Average (2 x 2300 + 10 x 2400) / 12 = 2383.3, 2383; level 2600: 217, 78 %, 9 x .78 = 7.02, norm 7.

    With level 2610: 227, 79 %, 7.11, norm 7.5.
    """
    rows = [
        r
        for r in titles(norm_event(size, points), ruleset("cxa/titles/undated"), norm_level=2610).as_rows()
        if r["kind"] == "norm"
    ]
    assert rows[0]["title"] == "特级大师"
    assert rows[0]["reached"] is reached
    assert ("0.5 point(s) short" in (rows[0]["missing"] or "")) is (points == 7)


def test_without_a_level_no_norm_is_worked_out() -> None:
    result = titles(norm_event(12, 9), ruleset("cxa/titles/undated"))
    assert not [r for r in result.as_rows() if r["kind"] == "norm"]
    assert "norm-level-unknown" in {f.reason for f in result.findings}


# --- whole events ----------------------------------------------------------------------------------------


def run(project: Path, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, [str(project / OPEN), *arguments], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.return_value, result.stdout


def test_the_constructed_open(project: Path) -> None:
    """One GM norm; an IM norm half a point short; one that lacks a foreign federation."""
    code, text = run(project, "--rules", "fide/titles", "--json")
    answer = json.loads(text)
    rows = {(r["number"], r["title"]): r for r in answer["players"] if r["kind"] == "norm"}
    assert code == 0
    assert answer["rules"] == ["fide/titles/2024-01-01"]
    assert set(answer["players"][0]) == {"number", "name", "title", "kind", "reached", "missing", "article"}
    assert [key for key, row in rows.items() if row["reached"] and key[1] == "GM"] == [(14, "GM")]
    assert rows[14, "GM"]["missing"] is None
    assert rows[17, "IM"]["missing"].startswith("0.5 point(s) short")
    assert rows[19, "IM"]["missing"].startswith("1 foreign federation(s) short")
    assert rows[19, "IM"]["article"] == "1.4.3"
    assert rows[18, "IM"]["missing"].startswith("1 opponent(s) of one federation too many (7, at most 6)")
    assert not any(r["reached"] is None for r in answer["players"])


def test_the_gm_norm_by_hand(project: Path) -> None:
    """2255 2466 2512 2452 2530 2301 2595 2555 2505: sum 22171, 2463.44; 6.5 of 9 is 72 %, 166: 2629."""
    report = load_titles(project / OPEN, "fide/titles")
    sheet = next(s for s in report.result.sheets if (s.number, s.title) == (14, "GM"))
    assert (sheet.average, sheet.score, sheet.percent, sheet.difference, sheet.performance) == (
        2463,
        "6.5",
        72,
        166,
        2629,
    )
    assert {c.what: (c.value, c.limit) for c in sheet.counts} == {
        "games": (9, 9), "foreign": (2, 2), "own": (1, 5), "one": (6, 6), "titled": (7, 5), "in_question": (4, 3)}  # fmt: skip


def test_text_for_people_names_article_and_what_is_missing(project: Path) -> None:
    _, text = run(project, "--rules", "fide/titles", "--language", "zh")
    assert "14 Player 14: GM 标准 达到 (fide/titles/2024-01-01 1.4.8)" in text
    assert "少 1 个外国协会" in text


def test_csv(project: Path) -> None:
    _, text = run(project, "--rules", "fide/titles", "--csv")
    assert text.splitlines()[0] == "\ufeffnumber,name,title,kind,reached,missing,article"


def test_rules_of_another_kind_are_refused(project: Path) -> None:
    from qiyi_analysis.model.errors import RulesetError

    with pytest.raises(RulesetError, match="no titles in this rule set"):
        run(project, "--rules", "fide/rating-standard")


def test_one_edition_too_early_is_refused() -> None:
    from qiyi_analysis.model.errors import RulesetError
    from qiyi_analysis.rules.ruleset import in_force

    with pytest.raises(RulesetError, match="nothing in force on 2010-10-20"):
        in_force("fide/titles", date(2010, 10, 20))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_sheets_name_the_form_in_full_beside_its_code(project: Path, language: str) -> None:
    report = load_titles(project / OPEN, "fide/titles", language=language)
    sheet = next(s for s in report.result.sheets if s.reached)
    heading = it1(Page(language, "titles"), sheet, report)[0].block()
    assert "IT1" in heading["text"]
    assert {"zh": "称号成绩证明", "en": "Certificate of title result"}[language] in heading["text"]
    assert earned(Page(language, "titles"), report)


def test_every_reason_has_words(project: Path) -> None:
    from qiyi_analysis import words

    report = load_titles(project / OPEN, "fide/titles")
    for sheet in report.result.sheets:
        for item in sheet.rounds:
            article, _, word = item.reason.partition("-")
            assert article == item.article
            assert words.has(f"norm_reason.{word}")


def promoted() -> Event:
    players = [{"number": 1, "name": "=1+1", "title": "九级棋士", "points": 9, "unit": "甲"}]
    return make_event(id="promotion", players=players, games=[], rounds=7, scoring=Scoring.of(win=2))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_certificates_as_a_workbook(tmp_path: Path, language: str) -> None:
    """Names stay text, whatever they begin with; the same data make the same bytes."""
    from qiyi_analysis.report.sections.titles import TitlesReport

    event = promoted()
    report = TitlesReport(event=event, result=titles(event, ruleset("cxa/titles/undated")), language=language)
    first, second = write_workbook(report, tmp_path / "a.xlsx"), write_workbook(report, tmp_path / "b.xlsx")
    assert first.read_bytes() == second.read_bytes()
    sheet = openpyxl.load_workbook(first)[{"zh": "授衔名单", "en": "List of certificates"}[language]]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert rows[0][:3] == {"zh": ["序号", "编号", "姓名"], "en": ["No.", "Id", "Name"]}[language]
    assert rows[1][2] == "=1+1"
    assert sheet["C2"].data_type == "s"
    assert rows[1][5:10] == ["九级棋士", "七级棋士", "9", 7, "64.29"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_report_as_pdf(project: Path, tmp_path: Path, language: str) -> None:
    import pypdf

    run(
        project,
        "--rules",
        "fide/titles",
        "--language",
        language,
        "--out",
        str(tmp_path),
        "--formats",
        "pdf,xlsx",
    )
    text = "".join(
        page.extract_text() for page in pypdf.PdfReader(tmp_path / "constructed-open-2025-titles.pdf").pages
    )
    assert "IT1" in text
    assert "IT3" in text
    assert "1.4.8" in text
    assert (tmp_path / "constructed-open-2025-titles.xlsx").is_file()


def test_without_a_wish_the_federation_of_the_rating_rules_decides(project):
    assert load_titles(project / OPEN, "").result.rules.id == "fide/titles/2024-01-01"
    with pytest.raises(ParameterError, match=r"title rules: none go with .*; expected one of .*cxa/titles"):
        load_titles(project / "data" / "samples" / "go-report-aga.txt", "")
