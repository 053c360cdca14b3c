"""The tables of titles: their columns, and the row of a judgement, of a round of a norm, of a finding."""

from __future__ import annotations

from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.report.kit.tables import Column
from qiyi_analysis.report.sections.titles.judged import TitlesReport
from qiyi_analysis.titles.norms import NormRound
from qiyi_analysis.titles.result import missing_text


def title_column(key: str, kind: str) -> Column:
    """A column with its head from the words of titles."""
    return Column(key, kind, words.pair(f"title_column.{key}", "zh"))


JUDGEMENTS = (
    title_column("number", "integer"),
    title_column("name", "name"),
    title_column("title", "text"),
    title_column("kind", "text"),
    title_column("verdict", "text"),
    title_column("missing", "text"),
    title_column("article", "code"),
)
CERTIFICATES = (
    title_column("number", "integer"),
    title_column("id", "code"),
    title_column("name", "name"),
    title_column("sex", "text"),
    title_column("unit", "text"),
    title_column("from", "text"),
    title_column("to", "text"),
    title_column("score", "text"),
    title_column("rounds", "integer"),
    title_column("percent", "text"),
    title_column("place", "integer"),
    title_column("article", "code"),
)
ENTRIES = (
    title_column("number", "integer"),
    title_column("name", "name"),
    title_column("team", "text"),
    title_column("group", "text"),
    title_column("sex", "text"),
    title_column("place", "integer"),
    title_column("points", "integer"),
    title_column("article", "code"),
)
TEAMS = (
    title_column("category", "text"),
    title_column("place", "integer"),
    title_column("team", "name"),
    title_column("points", "integer"),
    title_column("members", "text"),
    title_column("article", "code"),
)
ROUNDS = (
    title_column("round", "integer"),
    title_column("opponent", "name"),
    title_column("title", "code"),
    title_column("federation", "code"),
    title_column("rating", "integer"),
    title_column("rating_used", "integer"),
    title_column("result", "text"),
    title_column("counted", "text"),
    title_column("reason", "text"),
    title_column("article", "code"),
)
CONDITIONS = (
    title_column("condition", "text"),
    title_column("value", "text"),
    title_column("limit", "text"),
    title_column("met", "text"),
    title_column("article", "code"),
)
FINDINGS = (
    title_column("code", "code"),
    title_column("severity", "text"),
    title_column("player", "integer"),
    title_column("message", "text"),
    title_column("article", "code"),
)


def judgement_rows(report: TitlesReport) -> list[dict[str, Any]]:
    """Every judgement as a row of JUDGEMENTS."""
    return [judgement_row(row, report.language) for row in report.result.players.itertuples(index=False)]


def judgement_row(row: Any, language: str) -> dict[str, Any]:
    """A row of ``Titles.players`` under JUDGEMENTS, said in the language; ``reached`` stays as it is."""
    key = {True: "reached", False: "missed", None: "open"}[row.reached]
    return {
        "number": int(row.number),
        "name": row.name,
        "title": row.title,
        "kind": words.text(f"title_kind.{row.kind}", language),
        "reached": row.reached,
        "verdict": words.text(f"titles_report.{key}", language),
        "missing": missing_text(row.missing, language),
        "article": row.article,
    }


def round_row(item: NormRound, language: str) -> dict[str, Any]:
    """A round of a norm under ROUNDS: who was met, the result, and why it counts or does not."""
    reason = item.reason.partition("-")[2]
    return {
        "round": item.round,
        "opponent": f"{item.opponent} {item.name}" if item.opponent else "—",
        "title": item.title,
        "federation": item.federation,
        "rating": item.rating,
        "rating_used": item.rating_used if item.counted else None,
        "result": {2: "1", 1: "½", 0: "0", None: ""}[item.half_points],
        "counted": words.text("titles_report.in" if item.counted else "titles_report.out", language),
        "reason": words.text(f"norm_reason.{reason}", language),
        "article": item.article,
    }


def finding_row(finding: Finding, language: str) -> dict[str, Any]:
    """A finding under FINDINGS."""
    return {
        "code": finding.code,
        "severity": words.text(f"severity.{finding.severity}", language),
        "player": finding.player or None,
        "message": finding.message(language),
        "article": finding.article,
    }
