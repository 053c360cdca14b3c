"""The report of a rebuilt list: what the notebook shows, as data frames and pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.lists import movements
from qiyi_analysis.lists.identities import read_identities
from qiyi_analysis.lists.list_comparison import CLASSES, OPEN, Comparison, compare
from qiyi_analysis.lists.list_files import read_reports, reason_word, with_unreadable
from qiyi_analysis.lists.rebuild import Rebuilt, rebuild_list
from qiyi_analysis.lists.state import read_state
from qiyi_analysis.model.findings import Finding, ordered, worst
from qiyi_analysis.report.kit.page import Page
from qiyi_analysis.report.run.parameters import find_input

Section = Literal[
    "classes", "differences", "movers", "arrivals", "sums", "distribution", "ledger", "findings", "appendix",
]  # fmt: skip
SECTIONS: tuple[str, ...] = get_args(Section)
#: Rows printed of a long table; its notes say of how many, the workbook has all. Causes shown of a difference.
MOST, _CAUSES = 1000, 3
#: From so many notes of one kind on, one row stands for them.
_NOTES = 5
#: Columns of the tables.
DIFFERENCE = {
    "id": "code", "name": "name", "previous": "integer", "published": "integer", "rebuilt": "integer",
    "difference": "signed 0", "class": "text", "causes": "text",
}  # fmt: skip
MOVER = {
    "id": "code", "name": "name", "unit": "text", "previous": "integer", "list_rating": "integer", "moved": "signed 0",
    "period_games": "integer",
}  # fmt: skip
ARRIVAL = {
    "id": "code", "name": "name", "unit": "text", "list_rating": "integer", "period_games": "integer", "status": "text",
    "reason": "text",
}  # fmt: skip
WAITING = {"person": "text", "events": "integer", "games": "integer", "score": "points", "reason": "text"}
LEDGER = {
    "event": "code", "name": "text", "start": "date", "end": "date", "players": "integer", "games": "integer",
    "received": "date", "late": "yes", "fee": "decimal", "state": "text", "reason": "text",
}  # fmt: skip
SPARE = ("name", "start", "received", "late", "fee", "reason", "unit")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A rebuilt list, its comparison if there is one, the ledger of the reports and all findings."""

    rebuilt: Rebuilt
    comparison: Comparison | None
    findings: tuple[Finding, ...]
    ledger: pd.DataFrame


def list_of(
    rules: str,
    previous: Sequence[str],
    events: str,
    period: str,
    published: str = "",
    *,
    ratings: str = "event",
    identities: str = "",
    **_: Any,
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
    )


def verdict(page: Page, v: View) -> Any:
    """Whether the published list follows from the reports, and how every player is accounted for."""
    key, tone = "rebuilt", "accept"
    if v.comparison is not None:
        open_, differ = sum(v.comparison.counts[one] for one in OPEN), len(v.comparison.differences)
        key = "open" if open_ else ("explained" if differ else "agrees")
        tone = {"open": "return", "explained": "remarks"}.get(key, tone)
    return page.verdict(tone, key, words.shown(movements.summary(v.rebuilt, v.ledger), page.language))


def classes(page: Page, v: View) -> pd.DataFrame:
    """How many players of which class."""
    counts = v.comparison.counts if v.comparison else {}
    rows = [(page.say(f"class.{kind}"), counts[kind]) for kind in CLASSES if counts.get(kind)]
    return pd.DataFrame(rows, columns=["class", "players"])


def differences(page: Page, v: View) -> pd.DataFrame:
    """Every difference with its class and the causes that reproduce the published number."""
    if v.comparison is None:
        return pd.DataFrame(columns=list(DIFFERENCE))
    rows = v.comparison.differences
    causes = ["\n".join(one.message(page.language) for one in found[:_CAUSES]) for found in rows["causes"]]
    return rows.assign(causes=causes, **{"class": [page.say(f"class.{kind}") for kind in rows["class"]]})


def cut(page: Page, rows: Any) -> list[str]:
    """The note below a table of which only the first rows are printed."""
    return [page.say("publish.cut", shown=MOST, total=len(rows))] if len(rows) > MOST else []


def table(page: Page, rows: pd.DataFrame, columns: Any, key: str) -> Any:
    """A table of the first rows with a note of how many there are."""
    return page.table(rows.head(MOST), columns, key, notes=cut(page, rows), drop_empty=SPARE)


def movers(v: View) -> pd.DataFrame:
    """Who moved most."""
    rows = movements.movers(v.rebuilt)
    return rows.assign(list_rating=rows["rating"])


def arrivals(page: Page, v: View) -> list[Any]:
    """Newcomers, first ratings, returned and removed players, and newcomers who wait for games: a table for each."""
    made = []
    for status in ("newcomer", "first-rating", "returned", "removed"):
        rows = movements.with_status(v.rebuilt, status)
        said = [reason_word(text, page.language) for text in rows["reason"]]
        rows = rows.assign(list_rating=rows["rating"], reason=said, status=page.say(f"list_status.{status}"))
        made.append(table(page, rows, ARRIVAL, f"list_status.{status}"))
    waiting = movements.waiting(v.rebuilt)
    waiting["reason"] = [reason_word(text, page.language) for text in waiting["reason"]]
    return [*made, table(page, waiting, WAITING, "list_status.waiting")]


def sums(v: View) -> dict[str, str]:
    """Where the points of the period went: the parts add up to the change of the total."""
    b = movements.balance(v.rebuilt)
    return {
        "list_sum.players": f"{b.players_before} → {b.players_after}",
        "list_sum.mean": f"{b.mean_before:.1f} → {b.mean_after:.1f}",
        "list_sum.played": _signed(b.played),
        "list_sum.adjusted": _signed(b.adjusted),
        "list_sum.entered": _signed(b.entered),
        "list_sum.left": _signed(-b.left),
        "list_sum.total": f"{b.before:.0f} → {b.after:.0f}",
    }


def _signed(value: float) -> str:
    """A sum of points with its sign; nothing is 0, not -0."""
    return f"{value:+.0f}" if round(value) else "0"


def spread(v: View) -> pd.Series:
    """The ratings of the list; empty where all are the same."""
    ratings = v.rebuilt.list.rows["rating"].dropna()
    return ratings if len(ratings) > 1 and np.ptp(ratings) > 0 else ratings.iloc[:0]


def ledger(page: Page, v: View) -> pd.DataFrame:
    """The reports of the period (台账): received, late, fee, what became of each."""
    return v.ledger.assign(
        state=[page.say(f"list_state.{state}") for state in v.ledger["state"]],
        reason=[reason_word(text, page.language) for text in v.ledger["reason"]],
        late=v.ledger["late"].map({True: True}),  # blank where it came in time
    )


def findings(page: Page, v: View) -> pd.DataFrame:
    """Everything else that was noticed, ``code, severity, file, line, message``; many notes of one kind are one row."""
    chosen = [f for f in v.findings if not f.reason.startswith("list-") or f.code == "CK47"]
    notes = Counter((f.code, f.reason) for f in chosen if f.severity == "I")
    seen: set[tuple[str, str]] = set()
    rows = []
    for f in chosen:
        key, message = (f.code, f.reason), f.message(page.language)
        if f.severity == "I" and notes[key] > _NOTES:
            if key in seen:
                continue
            seen.add(key)
            message = page.say("list.alike", message=message, more=notes[key] - 1)
        rows.append((f.code, page.say(f"severity.{f.severity}"), f.file, f.line or None, message))
    return pd.DataFrame(rows, columns=["code", "severity", "file", "line", "message"])


def appendix(page: Page, v: View) -> dict[str, str]:
    """What the list was made from: rules, lists, calendar."""
    rebuilt, p = v.rebuilt, v.rebuilt.period
    title = rebuilt.rules.title_zh if page.language == "zh" else rebuilt.rules.title
    return {
        "rules": f"{rebuilt.rules.id}  {title}",
        "previous": words.listed((f"{one.id} ({one.day})" for one in rebuilt.previous), page.language),
        "period": f"{p.first} – {p.last}",
        "list_day": str(p.list_day),
        "worst": page.say(f"severity.{worst(v.findings)}") if worst(v.findings) else "–",
    }
