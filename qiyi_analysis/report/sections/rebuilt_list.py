"""The report of a rebuilt list, section by section: one function a cell of the notebook.

``list_of`` reads, rebuilds and compares; every other function takes its result and returns what is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.lists import movements as summary
from qiyi_analysis.lists.identities import read_identities
from qiyi_analysis.lists.list_comparison import CLASSES, OPEN, Comparison, compare
from qiyi_analysis.lists.list_files import read_reports, reason_word, with_unreadable
from qiyi_analysis.lists.rebuild import Rebuilt, rebuild_list
from qiyi_analysis.lists.state import read_state
from qiyi_analysis.model.findings import Cause, Finding, ordered, worst
from qiyi_analysis.report.kit import figures, prose
from qiyi_analysis.report.kit.tables import Column, Table
from qiyi_analysis.report.run.parameters import find_input

#: Rows shown of long tables; the workbook holds all.
_ROWS = 60
_CAUSES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A rebuilt list, its comparison if there is one, and the language it is shown in."""

    rebuilt: Rebuilt
    comparison: Comparison | None
    findings: tuple[Finding, ...]
    ledger: pd.DataFrame
    language: str

    def say(self, key: str, **values: object) -> str:
        """The text ``key`` of the words in the language of the report."""
        return words.text(key, self.language, **values)

    def heading(self, section: str) -> prose.Piece:
        """Heading of the section in both languages, the report's own first."""
        return prose.heading(words.pair(f"list_section.{section}", "zh"), self.language)


def list_of(
    rules: str,
    previous: Sequence[str],
    events: str,
    period: str,
    published: str = "",
    *,
    ratings: str = "event",
    identities: str = "",
    language: str = "zh",
) -> View:
    """Rebuild the list of a period; the arguments are the parameters of the notebook."""
    reports = read_reports(find_input(events))
    rebuilt = rebuild_list(
        reports.events,
        rules,
        [read_state(find_input(path), rules) for path in previous],
        period,
        ratings=ratings,
        identities=read_identities(find_input(identities) if identities else ""),
    )
    comparison = None
    if published:
        from qiyi_analysis.readers import read_list

        comparison = compare(rebuilt, read_list(find_input(published)))
    every = (*reports.findings, *rebuilt.findings, *(comparison.findings if comparison else ()))
    return View(
        rebuilt=rebuilt,
        comparison=comparison,
        findings=ordered(every),
        ledger=with_unreadable(rebuilt.ledger, reports.findings),
        language=language,
    )


def title(v: View) -> prose.Piece:
    """Title, period, verdict in one line."""
    rebuilt = v.rebuilt
    detail = words.shown(summary.summary(rebuilt, v.ledger), v.language)
    if v.comparison is None:
        key, tone = "list_verdict.rebuilt", "accept"
    else:
        open_ = sum(v.comparison.counts[c] for c in OPEN)
        differ = len(v.comparison.differences)
        key = (
            "list_verdict.open" if open_ else ("list_verdict.explained" if differ else "list_verdict.agrees")
        )
        tone = "return" if open_ else ("remarks" if differ else "accept")
    return prose.group(
        prose.title(
            words.pair("list.title", "zh"),
            v.language,
            f"{rebuilt.rules.document} {rebuilt.period.id}",
            day=rebuilt.period.list_day,
        ),
        prose.verdict(tone, words.pair(key, "zh"), v.language, detail),
        language=v.language,
    )


def classes(v: View) -> prose.Piece | None:
    """How many differences of which class."""
    if v.comparison is None:
        return None
    rows = [
        [words.text(f"class.{kind}", v.language), v.comparison.counts[kind]]
        for kind in CLASSES
        if v.comparison.counts[kind]
    ]
    table = Table(
        "classes", [Column("class"), Column("players", "integer")], rows,
        caption=words.pair("list_section.classes", "zh"), language=v.language,
    )  # fmt: skip
    return prose.group(v.heading("classes"), table, language=v.language)


def differences(v: View) -> prose.Piece | None:
    """Every difference with its class and the causes that reproduce the published number."""
    if v.comparison is None or not len(v.comparison.differences):
        return None
    rows = v.comparison.differences
    shown = [
        [
            row["id"], row["name"], row["previous"], row["published"], row["rebuilt"], row["difference"],
            words.text(f"class.{row['class']}", v.language), _causes(row["causes"], v.language),
        ]
        for row in rows.head(_ROWS).to_dict("records")
    ]  # fmt: skip
    columns = [
        Column("id", "code"), Column("name", "name"), Column("previous", "integer"), Column("published", "integer"),
        Column("rebuilt", "integer"), Column("difference", "signed", ("差", "difference"), 0), Column("class"), Column("causes"),
    ]  # fmt: skip
    return prose.group(
        v.heading("differences"),
        Table("differences", columns, shown, caption=words.pair("list_section.differences", "zh"),
              notes=_more(v, len(rows)), language=v.language),
        language=v.language,
    )  # fmt: skip


def _causes(found: tuple[Cause, ...], language: str) -> str:
    return "\n".join(cause.message(language) for cause in found[:_CAUSES])


def _more(v: View, count: int) -> list[str]:
    return [v.say("list.more_rows", more=count - _ROWS)] if count > _ROWS else []


def movers(v: View) -> prose.Piece:
    """Who moved most."""
    rows = summary.movers(v.rebuilt)
    columns = [
        Column("id", "code"), Column("name", "name"), Column("unit"), Column("previous", "integer"),
        Column("rating", "integer", ("等级分", "rating")), Column("moved", "signed", decimals=0), Column("period_games", "integer"),
    ]  # fmt: skip
    table = Table(
        "movers",
        columns,
        rows[[c.key for c in columns]],
        caption=words.pair("list_section.movers", "zh"),
        language=v.language,
    )
    return prose.group(v.heading("movers"), table, language=v.language)


def arrivals(v: View) -> prose.Piece:
    """Newcomers, returned and removed players, and newcomers who wait for games."""
    columns = [
        Column("id", "code"), Column("name", "name"), Column("unit"), Column("rating", "integer", ("等级分", "rating")),
        Column("period_games", "integer"), Column("status"), Column("reason"),
    ]  # fmt: skip
    parts: list[Any] = [v.heading("arrivals")]
    for status in ("newcomer", "first-rating", "returned", "removed"):
        rows = summary.with_status(v.rebuilt, status)
        if not len(rows):
            continue
        shown = rows.head(_ROWS)[[c.key for c in columns]].copy()
        shown["status"] = words.text(f"list_status.{status}", v.language)
        shown["reason"] = [reason_word(text, v.language) for text in shown["reason"]]
        parts.append(
            Table(f"list_{status}", columns, shown, caption=words.pair(f"list_status.{status}", "zh"),
                  notes=_more(v, len(rows)), language=v.language)
        )  # fmt: skip
    waiting = summary.waiting(v.rebuilt)
    if len(waiting):
        waiting["reason"] = [reason_word(text, v.language) for text in waiting["reason"]]
        parts.append(
            Table("list_waiting", [Column("person"), Column("events", "integer"), Column("games", "integer"),
                                   Column("score", "points"), Column("reason")],
                  waiting.head(_ROWS), caption=words.pair("list_status.waiting", "zh"),
                  notes=_more(v, len(waiting)), language=v.language)
        )  # fmt: skip
    if len(parts) == 1:
        parts.append(prose.prose(v.say("list.nobody")))
    return prose.group(*parts, language=v.language)


def _signed(value: float) -> str:
    """A sum of points with its sign; nothing is 0, not -0."""
    return f"{value:+.0f}" if round(value) else "0"


def sums(v: View) -> prose.Piece:
    """Where the points of the period went: the parts add up to the change of the total."""
    b = summary.balance(v.rebuilt)
    rows = [
        ("players", f"{b.players_before} → {b.players_after}"),
        ("mean", f"{b.mean_before:.1f} → {b.mean_after:.1f}"),
        ("played", _signed(b.played)),
        ("adjusted", _signed(b.adjusted)),
        ("entered", _signed(b.entered)),
        ("left", _signed(-b.left)),
        ("total", f"{b.before:.0f} → {b.after:.0f}"),
    ]
    pairs = [(words.pair(f"list_sum.{key}", "zh"), value) for key, value in rows]
    return prose.group(v.heading("sums"), prose.key_values(pairs, v.language), language=v.language)


def distribution(v: View) -> figures.Figure | None:
    """The ratings of the list."""
    ratings = v.rebuilt.list.rows["rating"].to_numpy()
    if len(ratings) < 2 or np.ptp(ratings) == 0:
        return None
    return figures.histogram(
        ratings,
        x_label=words.pair("column.rating", "zh"),
        caption=words.pair("list_section.distribution", "zh"),
        alt=words.pair("list_section.distribution", "zh"),
        language=v.language,
    )


def ledger(v: View) -> prose.Piece:
    """The reports of the period (台账): received, late, fee, what became of each."""
    rows = v.ledger.head(4 * _ROWS).copy()
    rows["state"] = [words.text(f"list_state.{state}", v.language) for state in rows["state"]]
    rows["reason"] = [reason_word(text, v.language) for text in rows["reason"]]
    columns = [
        Column("event", "code"), Column("name"), Column("start", "date"), Column("end", "date"),
        Column("players", "integer"), Column("games", "integer"), Column("received", "date"),
        Column("late", "yes"), Column("fee", "decimal"), Column("state"), Column("reason"),
    ]  # fmt: skip
    used = [c for c in columns if c.key in ("event", "end", "state") or any(_given(x) for x in rows[c.key])]
    table = Table(
        "ledger",
        used,
        rows[[c.key for c in used]],
        caption=words.pair("list_section.ledger", "zh"),
        language=v.language,
    )
    return prose.group(v.heading("ledger"), table, language=v.language)


def _given(value: Any) -> bool:
    return value is not None and value == value and value not in ("", False)


def findings(v: View) -> prose.Piece | None:
    """Everything else that was noticed; differences stand in their own table."""
    chosen = [f for f in v.findings if not f.reason.startswith("list-") or f.code == "CK47"]
    if not chosen:
        return None
    rows = [
        [
            f.code,
            words.text(f"severity.{f.severity}", v.language),
            f.file,
            f.line or None,
            f.message(v.language),
        ]
        for f in chosen[: 4 * _ROWS]
    ]
    columns = [
        Column("code", "code"),
        Column("severity"),
        Column("file", "code"),
        Column("line", "integer"),
        Column("message"),
    ]
    table = Table(
        "list_findings", columns, rows, caption=words.pair("list_section.findings", "zh"), language=v.language
    )
    return prose.group(v.heading("findings"), table, language=v.language)


def appendix(v: View) -> prose.Piece:
    """What the list was made from: rules, lists, calendar."""
    rebuilt, p = v.rebuilt, v.rebuilt.period
    rows = [
        (
            "rules",
            f"{rebuilt.rules.id}  {rebuilt.rules.title_zh if v.language == 'zh' else rebuilt.rules.title}",
        ),
        ("previous", words.listed((f"{one.id} ({one.day})" for one in rebuilt.previous), v.language)),
        ("period", f"{p.first} – {p.last}"),
        ("list_day", str(p.list_day)),
        ("worst", words.text(f"severity.{worst(v.findings)}", v.language) if worst(v.findings) else "–"),
    ]
    pairs = [(words.pair(f"list_fact.{key}", "zh"), value) for key, value in rows]
    return prose.group(v.heading("appendix"), prose.key_values(pairs, v.language), language=v.language)
