"""The section 'titles' of a report: what was earned and nearly earned, certificates, teams, remarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.report.kit import prose
from qiyi_analysis.report.kit.prose import Piece
from qiyi_analysis.report.kit.tables import Table
from qiyi_analysis.report.sections.titles.forms import it1, sheets
from qiyi_analysis.report.sections.titles.judged import TitlesReport
from qiyi_analysis.report.sections.titles.rows import (
    CERTIFICATES,
    CONDITIONS,
    FINDINGS,
    JUDGEMENTS,
    TEAMS,
    finding_row,
    judgement_row,
    judgement_rows,
)
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles import titles
from qiyi_analysis.titles.result import missing_text
from qiyi_analysis.titles.title_events import title_event_counts

#: Rows of players without success that the summary shows at most; the JSON has all.
NEAR_MISSES_SHOWN = 20
#: Rows with one and the same reason for not being judged that get a line each; more are counted.
OPEN_SHOWN = 10


def audit_section(
    event: Event, rules: Iterable[RuleSet], lists: Sequence[RatingList] = (), language: str = "zh"
) -> Piece | None:
    """The section 'titles' of an audit with its norm sheets; None where no title rules are asked for."""
    pieces: list[Any] = []
    for one in rules:
        if one.kind == "titles":
            report = TitlesReport(event=event, result=titles(event, one, lists), language=language)
            pieces += [*section_pieces(report), sheets(report)]
    return prose.group(*pieces, language=language) if pieces else None


def player_pieces(event: Event, rules: RuleSet, number: int, language: str) -> list[Any]:
    """What one player reached or lacks, and the sheet of every norm that was near: for `qiyi explain`."""
    report = TitlesReport(event=event, result=titles(event, rules), language=language)
    rows = [row for row in judgement_rows(report) if row["number"] == number]
    pieces: list[Any] = [Table("titles", JUDGEMENTS, rows, language=language)] if rows else []
    for sheet in report.result.sheets:
        if sheet.number == number:
            pieces += it1(sheet, report)[3:5]
    return pieces


def head(report: TitlesReport) -> Piece:
    """Title of the report with the facts of the event."""
    event, language = report.event, report.language
    return prose.title(
        words.pair("titles_report.title", "zh"),
        language,
        event.name or event.id,
        [
            (words.pair(f"titles_report.{key}", "zh"), value)
            for key, value in (
                ("place", event.place),
                ("dates", event.period),
                ("players", len(event.players)),
                ("rounds", event.rounds or event.rounds_played),
                ("time_control", event.time_control),
                ("arbiters", words.listed(event.arbiters, language)),
                ("rules", f"{report.result.rules.id} {_rules_title(report.result.rules, language)}"),
            )
            if value not in ("", None)
        ],
        event.last_day,
    )


def _rules_title(rules: RuleSet, language: str) -> str:
    return rules.title_zh if language == "zh" else rules.title


def verdict(report: TitlesReport) -> Piece:
    """How many were earned, missed and not judged, in one line."""
    reached = [row["reached"] for row in report.result.as_rows()]
    earned, open_ = sum(r is True for r in reached), sum(r is None for r in reached)
    values = {"earned": earned, "open": open_}
    tone = "remarks" if open_ else "accept" if earned else ""
    return prose.verdict(
        tone,
        (
            words.text("titles_report.verdict", "zh", **values),
            words.text("titles_report.verdict", "en", **values),
        ),
        report.language,
    )


def section(report: TitlesReport) -> Piece:
    """The section 'titles' of a report: what was earned and nearly earned, sheets, certificates, teams."""
    return prose.group(
        prose.section("titles", report.language), *section_pieces(report), language=report.language
    )


def section_pieces(report: TitlesReport) -> list[Any]:
    """The section 'titles' without its heading."""
    if not len(report.result.players):
        return [prose.prose(words.text("titles_report.none", report.language))]
    pieces = [summary(report), near_misses(report), certificates(report), title_event(report), teams(report)]
    return [piece for piece in pieces if piece is not None]


def summary(report: TitlesReport) -> Table | Piece:
    """Everything earned, and everything that could not be judged."""
    language = report.language
    rows = [judgement_row(row, language) for row in shown_rows(report)]
    if not rows:
        nothing = words.text("titles_report.nothing_earned", language)
        return prose.prose(" ".join([nothing, *open_sentences(report)]))
    return Table(
        "titles",
        JUDGEMENTS,
        rows,
        notes=open_sentences(report),
        language=language,
        marks=["" if r["reached"] else "warn" for r in rows],
    )


def shown_rows(report: TitlesReport) -> list[Any]:
    """What was earned or could not be judged, without rows that share one reason with many others."""
    many = set(_open_groups(report))
    return [
        row
        for row in report.result.players.itertuples(index=False)
        if row.reached is not False and _open_key(row) not in many
    ]


def open_sentences(report: TitlesReport) -> list[str]:
    """One sentence for each reason that many players share and for which nothing could be judged."""
    language = report.language
    return [
        words.text(
            "titles_report.open_many",
            language,
            count=len(rows),
            kind=words.text(f"title_kind.{rows[0].kind}", language),
            why=missing_text(rows[0].missing, language),
        )
        for rows in _open_groups(report).values()
    ]


def _open_key(row: Any) -> tuple[str, ...] | None:
    return (row.kind, *(item.what for item in row.missing)) if row.reached is None else None


def _open_groups(report: TitlesReport) -> dict[tuple[str, ...], list[Any]]:
    """Rows that could not be judged, by reason, where more share it than are worth a line each."""
    groups: dict[tuple[str, ...], list[Any]] = {}
    for row in report.result.players.itertuples(index=False):
        key = _open_key(row)
        if key is not None and row.kind != "norm":
            groups.setdefault(key, []).append(row)
    return {key: rows for key, rows in groups.items() if len(rows) > OPEN_SHOWN}


def near_misses(report: TitlesReport) -> Table | None:
    """Those who lack least: one condition only."""
    missed = report.result.players[[r is False for r in report.result.players["reached"]]]
    rows = [
        judgement_row(row, report.language)
        for row in missed.itertuples(index=False)
        if len(row.missing) == 1  # type: ignore[arg-type]
    ]
    if not rows:
        return None
    notes = []
    if len(rows) > NEAR_MISSES_SHOWN:
        notes = [words.text("titles_report.more", report.language, count=len(rows) - NEAR_MISSES_SHOWN)]
    return Table("titles_missed", JUDGEMENTS, rows[:NEAR_MISSES_SHOWN], notes=notes, language=report.language)


def certificates(report: TitlesReport) -> Table | None:
    """The list of certificates: who, from which title to which, score, rate, article."""
    if not len(report.result.certificates):
        return None
    return Table("certificates", CERTIFICATES, report.result.certificates, language=report.language)


def title_event(report: TitlesReport) -> Table | None:
    """The conditions of a xiangqi title event, counted; None for other events."""
    rules, event, language = report.result.rules, report.event, report.language
    if rules.block("title_event") is None or not event.extra.get("title_event"):
        return None
    rows = [
        {
            "condition": words.text(f"norm_count.{count.what}", language),
            "value": str(count.value),
            "limit": f"{'≥' if count.at_least else '≤'} {count.limit}",
            "met": words.text("titles_report.yes" if count.met else "titles_report.no", language),
            "article": count.article,
        }
        for count in title_event_counts(event, rules)
    ]
    return Table("title_event", CONDITIONS, rows, language=language)


def teams(report: TitlesReport) -> Table | None:
    """Teams by place points."""
    if not len(report.result.teams):
        return None
    return Table("team_points", TEAMS, report.result.teams, language=report.language)


def remarks(report: TitlesReport) -> Piece:
    """What was not checked and what is worth knowing."""
    findings = report.result.findings
    if not findings:
        return prose.group(language=report.language)
    return prose.group(
        prose.heading(words.pair("titles_report.remarks", "zh"), report.language),
        Table(
            "title_findings",
            FINDINGS,
            [finding_row(f, report.language) for f in findings],
            language=report.language,
        ),
        language=report.language,
    )
