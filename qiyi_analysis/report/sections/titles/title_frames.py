"""What was earned and nearly earned, as data frames: judgements, rounds of a norm, conditions, remarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.report.sections.titles.judged import TitlesReport
from qiyi_analysis.titles.norms import NormRound
from qiyi_analysis.titles.result import missing_text
from qiyi_analysis.titles.title_events import title_event_counts

#: Columns of the tables and their kinds.
JUDGEMENTS = {
    "number": "integer", "name": "name", "title": "text", "kind": "text", "verdict": "text", "missing": "text", "article": "code",
}  # fmt: skip
CERTIFICATES = {
    "number": "integer", "id": "code", "name": "name", "sex": "text", "unit": "text", "from": "text", "to": "text",
    "score": "text", "rounds": "integer", "percent": "text", "place": "integer", "article": "code",
}  # fmt: skip
ENTRIES = {
    "number": "integer", "name": "name", "team": "text", "group": "text", "sex": "text", "place": "integer", "points": "integer",
    "article": "code",
}  # fmt: skip
TEAMS = {
    "category": "text", "place": "integer", "team": "name", "points": "integer", "members": "text", "article": "code",
}  # fmt: skip
ROUNDS = {
    "round": "integer", "opponent": "name", "title": "code", "federation": "code", "rating": "integer",
    "rating_used": "integer", "result": "text", "counted": "text", "reason": "text", "article": "code",
}  # fmt: skip
CONDITIONS = {"condition": "text", "value": "text", "limit": "text", "met": "text", "article": "code"}
FINDINGS = {"code": "code", "severity": "text", "player": "integer", "message": "text", "article": "code"}
#: Rows of players without success that the summary shows at most; the JSON has all.
NEAR_MISSES_SHOWN = 20
#: Rows with one and the same reason for not being judged that get a line each; more are counted.
OPEN_SHOWN = 10
STATES = {True: "reached", False: "missed", None: "open"}


def judgements(report: TitlesReport) -> pd.DataFrame:
    """Every judgement, in the columns JUDGEMENTS; ``reached`` True, False or None, ``lacking`` how many conditions.

    ``earned_or_open`` leaves out those who share one reason for not being judged with many others.
    """
    rows, language = report.result.players, report.language
    many = set(_open_groups(report))
    return rows.assign(
        kind=[words.text(f"title_kind.{kind}", language) for kind in rows["kind"]],
        verdict=[words.text(f"titles.{STATES[reached]}", language) for reached in rows["reached"]],
        missing=[missing_text(missing, language) for missing in rows["missing"]],
        lacking=rows["missing"].map(len).astype(int),
        earned_or_open=[
            row.reached is not False and _open_key(row) not in many for row in rows.itertuples(index=False)
        ],
        warn=[reached is None for reached in rows["reached"]],
    )


def shown_rows(report: TitlesReport) -> list[Any]:
    """What was earned or could not be judged, without rows that share one reason with many others."""
    chosen = judgements(report)["earned_or_open"].astype(bool).to_numpy()
    return list(report.result.players[chosen].itertuples(index=False))


def open_sentences(report: TitlesReport) -> list[str]:
    """One sentence for each reason that many players share and for which nothing could be judged."""
    language = report.language
    return [
        words.text(
            "titles.open_many",
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


def title_event(report: TitlesReport) -> pd.DataFrame:
    """The conditions of a xiangqi title event, counted; without rows for other events."""
    rules, event, language = report.result.rules, report.event, report.language
    counted: Sequence[Any] = ()
    if rules.block("title_event") is not None and event.extra.get("title_event"):
        counted = title_event_counts(event, rules)
    rows = [
        (
            words.text(f"norm_count.{count.what}", language),
            str(count.value),
            f"{'≥' if count.at_least else '≤'} {count.limit}",
            words.text("titles.yes" if count.met else "titles.no", language),
            count.article,
        )
        for count in counted
    ]
    return pd.DataFrame(rows, columns=list(CONDITIONS))


def rounds(items: Iterable[NormRound], language: str) -> pd.DataFrame:
    """The rounds of a norm: who was met, the result, and why it counts or does not; ``quiet`` where it does not."""
    rows = [
        {
            "round": item.round,
            "opponent": f"{item.opponent} {item.name}" if item.opponent else "—",
            "title": item.title,
            "federation": item.federation,
            "rating": item.rating,
            "rating_used": item.rating_used if item.counted else None,
            "result": {2: "1", 1: "½", 0: "0", None: ""}[item.half_points],
            "counted": words.text("titles.in" if item.counted else "titles.out", language),
            "reason": words.text(f"norm_reason.{item.reason.partition('-')[2]}", language),
            "article": item.article,
            "quiet": not item.counted,
        }
        for item in items
    ]
    return pd.DataFrame(rows, columns=[*ROUNDS, "quiet"], dtype=object)


def remarks(found: Iterable[Finding], language: str) -> pd.DataFrame:
    """What was not checked and what is worth knowing."""
    rows = [
        (
            f.code,
            words.text(f"severity.{f.severity}", language),
            f.player or None,
            f.message(language),
            f.article,
        )
        for f in found
    ]
    return pd.DataFrame(rows, columns=list(FINDINGS), dtype=object)
