"""The parts of a report on titles that are more than one table: facts, verdict, the section of an audit, of a player."""

from __future__ import annotations

from typing import Any

from qiyi_analysis import words
from qiyi_analysis.audit.event_audit import Audit
from qiyi_analysis.model.event import Event
from qiyi_analysis.report.kit.page import Page, Piece
from qiyi_analysis.report.sections.titles.forms import conditions_table, rounds_table, sheets
from qiyi_analysis.report.sections.titles.judged import TitlesReport
from qiyi_analysis.report.sections.titles.title_frames import (
    CERTIFICATES,
    CONDITIONS,
    JUDGEMENTS,
    NEAR_MISSES_SHOWN,
    TEAMS,
    judgements,
    open_sentences,
    title_event,
)
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles import titles


def facts(report: TitlesReport) -> dict[str, Any]:
    """The event and the rules it was judged by."""
    event, rules = report.event, report.result.rules
    return {
        "place": event.place,
        "dates": event.period,
        "players": len(event.players),
        "rounds": event.rounds or event.rounds_played,
        "time_control": event.time_control,
        "arbiters": words.listed(event.arbiters, report.language),
        "rules": f"{rules.id} {rules.title_zh if report.language == 'zh' else rules.title}",
    }


def verdict(page: Page, report: TitlesReport) -> Piece:
    """How many were earned, missed and not judged, in one line."""
    reached = report.result.players["reached"].tolist()
    earned, open_ = sum(r is True for r in reached), sum(r is None for r in reached)
    return page.verdict(
        "remarks" if open_ else "accept" if earned else "", "verdict", earned=earned, open=open_
    )


def earned(page: Page, report: TitlesReport) -> list[Any]:
    """The section 'titles': what was earned and nearly earned, certificates, conditions of a title event, teams."""
    result, rows = report.result, judgements(report)
    if not len(rows):
        return [page.text("none")]
    shown, near = (
        rows[rows["earned_or_open"]],
        rows[(rows["reached"].map(lambda r: r is False)) & (rows["lacking"] == 1)],
    )
    notes, more = open_sentences(report), len(near) - NEAR_MISSES_SHOWN
    return [
        page.table(shown, JUDGEMENTS, "titles", marks="warn", notes=notes)
        if len(shown)
        else page.prose(" ".join([page.say("nothing_earned"), *notes])),
        page.table(
            near[:NEAR_MISSES_SHOWN],
            JUDGEMENTS,
            "titles_missed",
            notes=[page.say("more", count=more)] if more > 0 else [],
        ),
        page.table(result.certificates, CERTIFICATES, "certificates"),
        page.table(title_event(report), CONDITIONS, "title_event"),
        page.table(result.teams, TEAMS, "team_points"),
    ]


def of_audit(page: Page, result: Audit) -> list[Any]:
    """Titles and norms under the title rules an audit was asked for, with the norm sheets; nothing without such rules."""
    parts = []
    for rules in result.rules:
        if rules.kind == "titles":
            judged = titles(result.event, rules, result.lists)
            report = TitlesReport(event=result.event, result=judged, language=page.language)
            parts += [*earned(page, report), *sheets(page, report)]
    return parts


def player_pieces(event: Event, rules: RuleSet, number: int, language: str) -> list[Any]:
    """What one player reached or lacks, and the sheet of every norm that was near: for ``qiyi explain``."""
    page = Page(language, "titles")
    report = TitlesReport(event=event, result=titles(event, rules), language=language)
    rows = judgements(report)
    rows = rows[rows["number"] == number]
    pieces: list[Any] = [page.table(rows, JUDGEMENTS, "titles")] if len(rows) else []
    for sheet in report.result.sheets:
        if sheet.number == number:
            pieces += [rounds_table(page, sheet), conditions_table(page, sheet, rules)]
    return pieces
