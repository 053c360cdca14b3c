"""From the previous list and the events of a period to the next list.

The order is that of the regulations: changes of all events from the ratings in force when they began, one
rounding for the period, first ratings of newcomers, inactivity, the lowest published rating, the new K.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.lists import entries as entering
from qiyi_analysis.lists import newcomers
from qiyi_analysis.lists.before_rebuild import check_events, check_lists
from qiyi_analysis.lists.entries import Entries, Working
from qiyi_analysis.lists.identities import Identities, row_keys
from qiyi_analysis.lists.next_list import adjusted, next_state
from qiyi_analysis.lists.periods import Period, period
from qiyi_analysis.lists.persons import Persons, find_persons
from qiyi_analysis.lists.rebuilt import Rebuilt
from qiyi_analysis.lists.sequential import rate_in_turn
from qiyi_analysis.lists.state import STATE_COLUMNS, ListState, published_list, state_of
from qiyi_analysis.lists.sums import totals
from qiyi_analysis.model.errors import EventError, RulesetError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, ordered
from qiyi_analysis.model.frame import frame
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rating.k_factor import choose_k, with_assumed_games
from qiyi_analysis.rating.table_method import NOT_KNOWN
from qiyi_analysis.rules.ruleset import RuleSet, documents, editions, in_force, resolve, ruleset


def rebuild_list(
    events: Iterable[Event],
    rules: RuleSet | str,
    previous: Sequence[RatingList | ListState],
    period_id: str,
    *,
    ratings: str = "event",
    identities: Identities | None = None,
) -> Rebuilt:
    """Rebuild the list of a period.

    ``rules``: a document, whose edition in force judges each event, or one edition for everything.
    ``previous``: the lists before, oldest or newest first; the newest is the base, events that began
    under an older one use that. ``ratings``: "event" or "list", see :func:`entries.enter`. ``identities``: old ids of the lists
    and the events are read as the new ones. Raises
    RulesetError, ParameterError or EventError where there is nothing to go on with.
    """
    document, fixed = document_of(rules)
    states = tuple(sorted((state_of(one, document) for one in previous), key=lambda one: one.day or date.min))
    if not states:
        raise EventError("list-without-previous", period=period_id)
    if identities is not None and identities.same:
        states = tuple(_renewed(one, identities) for one in states)
        events = [e.with_players(id=identities.today(e.players["id"].tolist())) for e in events]
    newest_rules = fixed or ruleset(editions(document)[-1])
    chosen = period(newest_rules, period_id)
    list_rules = fixed or in_force(document, chosen.list_day)
    base_state, cleaned, findings = check_lists(states, chosen, list_rules)
    counted, ledger, noticed = check_events(tuple(events), base_state, chosen, list_rules)
    findings += noticed
    judged_by = tuple(fixed or _edition(document, event) for event in counted)
    persons = find_persons(counted, base_state)
    findings += persons.findings
    if list_rules.value("method", "name") not in entering.TABLE_METHODS:
        return rate_in_turn(
            counted, judged_by, list_rules, cleaned, base_state, chosen, persons, ledger, findings
        )
    base, facts = _base(base_state, persons, list_rules, chosen)
    work = entering.enter(counted, cleaned, persons, ratings=ratings)
    findings += work.findings
    result, work = _calculated(counted, judged_by, work, facts, list_rules, base_state.day or chosen.first)
    result = _late_newcomers(result, counted, judged_by, work, base, facts, base_state.day or chosen.first)
    findings += result.findings
    sums = totals(result, len(persons.keys), list_rules)
    working = Working(
        events=counted,
        editions=judged_by,
        field=work,
        entries=result,
        persons=persons,
        base=base,
        k=sums.k,
    )
    state, players, more = next_state(base_state, counted, working, sums, facts, list_rules, chosen, document)
    findings += more
    findings += newcomers.not_on_list(counted, working)
    return Rebuilt(
        period=chosen,
        rules=list_rules,
        previous=cleaned,
        state=state,
        list=published_list(state, federation=list_rules.federation, document=document),
        players=players,
        entries=entries_table(counted, persons, result),
        ledger=ledger,
        findings=ordered(findings),
        working=working,
    )


def _renewed(state: ListState, identities: Identities) -> ListState:
    """The list with the ids of today; of two rows that became one the newer id's stays."""
    rows, faults = identities.renewed(state.rows), list(state.faults)
    old = rows["id"].ne(state.rows["id"]).to_numpy()
    merged = old & pd.Index(row_keys(rows)).isin(row_keys(rows[~old]))
    faults += [
        Finding(
            code="CK47", reason="id-merged", severity="I", file=state.id, line=int(rows["line"].iloc[i]),
            values={"name": rows["name"].iloc[i], "old": state.rows["id"].iloc[i], "new": rows["id"].iloc[i]},
        )
        for i in np.flatnonzero(merged)
    ]  # fmt: skip
    return replace(state, rows=frame(rows[~merged], STATE_COLUMNS), faults=tuple(faults))


def document_of(rules: RuleSet | str) -> tuple[str, RuleSet | None]:
    """The document, and the one edition asked for if it was one."""
    if isinstance(rules, RuleSet):
        return rules.document, rules
    if rules in documents():
        return rules, None
    one = resolve(rules)
    if one.kind != "rating":
        raise RulesetError("rules-not-rating", rules=one.id, kind=words.named("rules-kind", one.kind))
    return one.document, one


def _edition(document: str, event: Event) -> RuleSet:
    newest = ruleset(editions(document)[-1])
    day = event.start if newest.picked_by == "start" else event.end
    return in_force(document, day or event.end or event.start or date.max)


# --- ratings and K before the period ------------------------------------------------------------


def _base(
    state: ListState, persons: Persons, rules: RuleSet, chosen: Period
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Rating of each person on the previous list (NaN without), and the facts K is chosen by."""
    size = len(persons.keys)

    def column(name: str, newcomer: float) -> np.ndarray:
        values = np.full(size, newcomer)
        values[: persons.listed] = state.rows[name].to_numpy()
        return values

    facts = {
        "rating": column("rating", np.nan),
        "peak": column("peak", 0.0),
        "games": column("games", 0.0),
        "events": column("events", 0.0),
        "birth_year": column("birth_year", np.nan),
    }
    base = adjusted(facts["rating"], rules, chosen)
    return base, facts


def _calculated(
    events: tuple[Event, ...],
    judged_by: tuple[RuleSet, ...],
    work: entering.Field,
    facts: dict[str, np.ndarray],
    rules: RuleSet,
    day: date,
) -> tuple[Entries, entering.Field]:
    """The entries with K: that of the list in force (``day``), or anew for each event (xiangqi art. 8)."""
    born = work.person
    if rules.value("list", "k_by", "period") == "period":
        missing = np.isnan(work.k)
        found = choose_k(rules, with_assumed_games(rules, facts), day).k[born].astype(np.float64)
        k = np.where(missing & (found > 0), found, work.k)
        work = replace(work, k=k)
        return entering.calculate_entries(events, work, judged_by), work
    running = {name: values.copy() for name, values in facts.items()}
    parts = []
    k = work.k.copy()
    ends = np.cumsum([0, *(len(event.players) for event in events)])
    for i, event in enumerate(events):
        at = slice(int(ends[i]), int(ends[i + 1]))
        mine = born[at]
        here = {name: values[mine] for name, values in running.items()}
        # An own rating of the event counts for those who are not on the list.
        here["rating"] = np.where(np.isnan(here["rating"]), work.rating[at], here["rating"])
        found = choose_k(
            judged_by[i], with_assumed_games(judged_by[i], here), event.start or event.end
        ).k.astype(np.float64)
        k[at] = np.where(found > 0, found, k[at])
        one = _cut(replace(work, k=k), at)
        part = entering.calculate_entries((event,), one, (judged_by[i],))
        running["games"][mine] += part.games
        running["events"][mine] += part.games > 0
        parts.append(part)
    work = replace(work, k=k)
    return _joined(parts, work), work


def _late_newcomers(
    result: Entries,
    events: tuple[Event, ...],
    judged_by: tuple[RuleSet, ...],
    work: entering.Field,
    base: np.ndarray,
    facts: dict[str, np.ndarray],
    day: date,
) -> Entries:
    """Newcomers whose first rating came out after their event began: rated with it (FIDE B.02 8.2.4).

    For their opponents in that event they stay unrated, so each is calculated apart from all others.
    """
    late = np.isnan(result.rating) & ~np.isnan(base[result.person]) & (result.new_games > 0)
    names = ("rating", "k", "games", "half_points", "w_minus_we", "change")
    values = {name: getattr(result, name).copy() for name in names}
    new_games = result.new_games.copy()
    ends = np.cumsum([0, *(len(event.players) for event in events)])
    for i in np.flatnonzero(late).tolist():
        number = int(result.event[i])
        edition = judged_by[number]
        if edition.value("unrated", "late_newcomer") != "current-rating":
            continue
        at = slice(int(ends[number]), int(ends[number + 1]))
        rating, k = work.rating.copy(), work.k.copy()
        rating[i] = base[result.person[i]]
        if np.isnan(k[i]):
            one = {name: column[[result.person[i]]] for name, column in facts.items()}
            k[i] = choose_k(edition, with_assumed_games(edition, one), day).k[0] or np.nan
        part = entering.calculate_entries(
            (events[number],), _cut(replace(work, rating=rating, k=k), at), (edition,)
        )
        for name in names:
            values[name][i] = getattr(part, name)[i - at.start]
        new_games[i] = 0
    return replace(result, **values, new_games=new_games)


def _cut(work: entering.Field, at: slice) -> entering.Field:
    arrays = {
        n: getattr(work, n)[at] for n in ("event", "person", "number", "rating", "printed", "listed", "k")
    }
    return replace(work, **arrays)


def _joined(parts: Sequence[Entries], work: entering.Field) -> Entries:
    """Entries of single events as one; their batches get the place they have in the whole."""
    arrays = [n for n in Entries.__dataclass_fields__ if n not in ("batches", "findings", "unit")]
    done = []
    start = 0
    for part in parts:
        done += [replace(batch, start=start + batch.start) for batch in part.batches]
        start += len(part.person)
    empty = entering.entries_of(work, ())
    joined: dict[str, Any] = {n: np.concatenate([getattr(p, n) for p in parts]) for n in arrays if parts}
    return replace(
        empty,
        batches=tuple(done),
        findings=tuple(f for part in parts for f in part.findings),
        **joined,
    )


def entries_table(events: Sequence[Event], persons: Persons, result: Entries) -> pd.DataFrame:
    """One row per player and event with games: what was counted, and the change."""
    some = np.flatnonzero((result.games > 0) | (result.new_games > 0))
    known = result.change[some] != NOT_KNOWN
    return pd.DataFrame(
        {
            "event": [events[i].id for i in result.event[some]],
            "person": [persons.keys[i] for i in result.person[some]],
            "number": result.number[some],
            "rating": [None if np.isnan(v) else float(v) for v in result.rating[some]],
            "k": [int(v) or None for v in result.k[some]],
            "games": result.games[some],
            "score": result.half_points[some] / 2,
            "w_minus_we": [
                Fraction(int(v), result.unit) if v != NOT_KNOWN else None for v in result.w_minus_we[some]
            ],
            "change": [
                Fraction(int(v), result.unit) if ok else None
                for v, ok in zip(result.change[some], known, strict=True)
            ],
            "protected": result.protected[some],
        }
    )
