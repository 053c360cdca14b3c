"""What is looked at before a list is rebuilt: the rows of the lists, and which events belong to the period.

Nothing is merged or dropped in silence: every row and event that is left out has a finding, and every
report received stands in the ledger.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pandas as pd

from qiyi_analysis.audit.checks.plausible import check_list
from qiyi_analysis.lists.periods import Period, period_of
from qiyi_analysis.lists.state import ListState
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.register import plain_ids
from qiyi_analysis.model.spelling import written
from qiyi_analysis.rules.ruleset import RuleSet

LEDGER_COLUMNS = (
    "event", "name", "start", "end", "players", "games", "received", "due", "late", "fee", "state", "reason",
)  # fmt: skip
_EXPONENT = r"\d+(?:\.\d+)?[eE]\+?\d+"
#: Days from 30 December 1899, as spreadsheets count: serials that are plausible for 1980 to 2079.
_SERIALS = range(29221, 65745)
_EPOCH = date(1899, 12, 30)


def check_lists(
    states: Sequence[ListState], chosen: Period, rules: RuleSet
) -> tuple[ListState, tuple[ListState, ...], list[Finding]]:
    """The newest list and all lists with usable rows, and what is wrong with them."""
    findings: list[Finding] = []
    cleaned = []
    for state in states:
        rows, found = check_rows(state.rows, state.id)
        # The reader names rows with the same id too, but not the row they repeat.
        findings += [fault for fault in state.faults if fault.reason != "list-id-twice"]
        findings += found
        findings += check_list(rows, rules, state.day, state.id)
        if state.day is not None and state.day > chosen.list_day:
            findings.append(
                _row("list-of-later-period", state.id, 0, list=state.id, day=state.day, period=chosen.id)
            )
        cleaned.append(replace(state, rows=rows))
    newest = cleaned[-1]
    expected = period_of(rules, chosen.first - timedelta(days=1)).list_day
    if newest.day is None:
        findings.append(_row("list-without-date", newest.id, 0, severity="W", list=newest.id))
    elif newest.day != expected and newest.day <= chosen.list_day:
        findings.append(
            _row("list-of-another-period", newest.id, 0, list=newest.id, day=newest.day, expected=expected)
        )
    findings += _one_name_two_lists(cleaned)
    return newest, tuple(cleaned), findings


def check_rows(rows: pd.DataFrame, name: str) -> tuple[pd.DataFrame, list[Finding]]:
    """Rows of a list that can be used; ids and dates that a spreadsheet has damaged are named."""
    findings: list[Finding] = []
    ids, lines, ratings = rows["id"], rows["line"].to_numpy(), rows["rating"].to_numpy()
    keys = pd.Series(plain_ids(ids.tolist()), dtype=object)
    keep = np.ones(len(rows), dtype=bool)
    places: dict[str, int] = {}
    for i in np.flatnonzero((keys.duplicated(keep=False) & (keys != "")).to_numpy()).tolist():
        first = places.setdefault(keys[i], i)
        if first == i:
            continue
        same = rows["name"].iloc[first] == rows["name"].iloc[i] and (
            ratings[first] == ratings[i] or (np.isnan(ratings[first]) and np.isnan(ratings[i]))
        )
        reason = "list-row-twice" if same else "row-id-twice"
        values = {"id": ids.iloc[i], "name": rows["name"].iloc[i], "first": lines[first]}
        findings.append(_row(reason, name, lines[i], **values))
        keep[i] = False
    for i in np.flatnonzero(ids.str.fullmatch(_EXPONENT).to_numpy(dtype=bool)).tolist():
        findings.append(_row("list-id-exponent", name, lines[i], id=ids.iloc[i], name=rows["name"].iloc[i]))
    findings += _lost_zeros(rows, name)
    if not len(rows):
        findings.append(_row("list-empty", name, 0))
    elif np.isnan(ratings).all():
        findings.append(_row("list-without-ratings", name, 0, severity="E"))
    last = rows["last_event"]
    days = [text for text in last.unique() if text.isdigit() and int(text) in _SERIALS]
    for i in np.flatnonzero(last.isin(days)).tolist() if days else ():
        day = (_EPOCH + timedelta(days=int(last.iloc[i]))).isoformat()
        findings.append(_row("list-date-serial", name, lines[i], read=last.iloc[i], day=day))
    if days:
        last = last.map(
            lambda text: (_EPOCH + timedelta(days=int(text))).isoformat() if text in days else text
        )
    born = rows["birth_year"].to_numpy().copy()
    for i in np.flatnonzero(np.isin(born, _SERIALS)).tolist():
        birth = _EPOCH + timedelta(days=int(born[i]))
        findings.append(_row("list-date-serial", name, lines[i], read=f"{born[i]:g}", day=birth.isoformat()))
        born[i] = birth.year
    rows = rows.assign(last_event=last, birth_year=born)
    return rows[keep].reset_index(drop=True) if not keep.all() else rows, findings


def _lost_zeros(rows: pd.DataFrame, name: str) -> list[Finding]:
    """Numeric ids shorter than the others, where the others begin with zeros or all have one length."""
    numeric = rows[rows["id"].str.isdigit().to_numpy(dtype=bool)]
    lengths = numeric["id"].str.len()
    if len(numeric) < 3 or not numeric["id"].str.startswith("0").any():
        return []
    usual = int(lengths.mode().iloc[0])
    if (lengths == usual).sum() <= len(lengths) / 2:
        return []
    return [
        _row("list-id-zeros-lost", name, line, id=id, name=person, usual=usual)
        for line, id, person in numeric.loc[lengths < usual, ["line", "id", "name"]].itertuples(index=False)
    ]


def _one_name_two_lists(states: Sequence[ListState]) -> list[Finding]:
    """The same name with different ids on two lists: perhaps one person, never merged."""
    findings = []
    for older, newer in itertools.pairwise(states):
        ids: dict[str, set[str]] = {}
        older_ids = plain_ids(older.rows["id"].tolist())
        for id, name in zip(older_ids, older.rows["name"], strict=True):
            ids.setdefault(written(name), set()).add(id)
        listed = set(older_ids)
        newer_ids = plain_ids(newer.rows["id"].tolist())
        for id, name, line in zip(newer_ids, newer.rows["name"], newer.rows["line"], strict=True):
            known = ids.get(written(name))
            if known and id and id not in known and id not in listed:
                findings.append(
                    _row("one-name-two-ids", newer.id, line, name=name, id=id, other=sorted(known))
                )
    return findings


def _row(reason: str, file: str, line: int, *, severity: str | None = None, **values: object) -> Finding:
    return Finding(code="CK47", reason=reason, severity=severity, file=file, line=int(line), values=values)


# --- events -------------------------------------------------------------------------------------------


def check_events(
    events: Sequence[Event], state: ListState, chosen: Period, rules: RuleSet
) -> tuple[tuple[Event, ...], pd.DataFrame, list[Finding]]:
    """The events of the period in order of their last day, the ledger of all reports, and the findings."""
    findings: list[Finding] = []
    counted: list[Event] = []
    rows = []
    seen_ids: dict[str, str] = {}
    seen_games: dict[tuple[object, ...], str] = {}
    days = rules.value("report", "days")
    ordered = sorted(events, key=lambda e: (e.end or e.start or date.max, e.start or date.max, e.id))
    for event in ordered:
        end = event.end or event.start
        verdict, reason = "counted", ""
        print_of_games = _fingerprint(event)
        if end is None:
            verdict, reason = "left-out", "event-without-date"
        elif event.id in state.counted:
            verdict, reason = "left-out", "event-counted-before"
        elif not chosen.holds(end):
            verdict, reason = "left-out", "event-of-another-period"
        elif event.id in seen_ids:
            verdict, reason = "left-out", "event-id-twice"
        elif len(event.games) and print_of_games in seen_games:
            verdict, reason = "left-out", "event-twice"
        elif not len(event.games):
            verdict, reason = "left-out", "event-no-games"
        if reason:
            findings.append(
                _event_finding(event, reason, chosen, rules, seen_ids, seen_games, print_of_games)
            )
        if verdict == "counted":
            counted.append(event)
            seen_games[print_of_games] = event.id
        seen_ids.setdefault(event.id, event.sources[0].name if event.sources else event.id)
        rows.append(_ledger_row(event, verdict, reason, days, rules))
    ledger = pd.DataFrame(rows, columns=list(LEDGER_COLUMNS))
    return tuple(counted), ledger, findings


def _fingerprint(event: Event) -> tuple[object, ...]:
    """Players and results, whatever the file is called: the same event under two names."""
    games = event.games
    names = tuple(
        id or written(name)
        for id, name in zip(plain_ids(event.players["id"].tolist()), event.players["name"], strict=True)
    )
    columns = ("round", "first", "second", "first_result", "kind")
    return (event.start, names, *(tuple(games[c].tolist()) for c in columns))


def _event_finding(
    event: Event,
    reason: str,
    chosen: Period,
    rules: RuleSet,
    seen_ids: dict[str, str],
    seen_games: dict[tuple[object, ...], str],
    fingerprint: tuple[object, ...],
) -> Finding:
    end = event.end or event.start
    values: dict[str, object] = {"event": event.id, "period": chosen.id, "end": end or ""}
    values["belongs"] = period_of(rules, end).id if end else ""
    values["other"] = seen_games.get(fingerprint, "") or seen_ids.get(event.id, "")
    return Finding(
        code="CK50",
        reason=reason,
        file=event.sources[0].name if event.sources else event.id,
        article=rules.cite("list"),
        values=values,
    )


def _ledger_row(
    event: Event, verdict: str, reason: str, days: int | None, rules: RuleSet
) -> dict[str, object]:
    """One line of the ledger (台账). ``received`` and ``entry_fees`` come from the event's own facts."""
    received = _day(event.extra.get("received"))
    due = event.end + timedelta(days=days) if event.end and days is not None else None
    fees = event.extra.get("entry_fees")
    percent = rules.value("report", "fee_percent")
    fee = (
        float(fees) * float(percent) / 100 if isinstance(fees, int | float) and percent is not None else None
    )
    return {
        "event": event.id,
        "name": event.name,
        "start": event.start,
        "end": event.end,
        "players": len(event.players),
        "games": len(event.games),
        "received": received,
        "due": due,
        "late": bool(received and due and received > due),
        "fee": fee,
        "state": verdict,
        "reason": reason,
    }


def _day(value: object) -> date | None:
    try:
        return value if isinstance(value, date) else date.fromisoformat(str(value))
    except ValueError:
        return None
