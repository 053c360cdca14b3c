"""From the previous list and the events of a period to the next list.

The order is that of the regulations: changes of all events from the ratings in force when they began, one
rounding for the period, first ratings of newcomers, inactivity, the lowest published rating, the new K.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.errors import EventError, RulesetError
from qiyi_analysis.findings import Finding, ordered
from qiyi_analysis.lists import entries as entering
from qiyi_analysis.lists import newcomers
from qiyi_analysis.lists.check import check_events, check_lists
from qiyi_analysis.lists.entries import Entries
from qiyi_analysis.lists.k_arrays import choose_k
from qiyi_analysis.lists.periods import Period, months_between, period
from qiyi_analysis.lists.persons import Persons, find_persons
from qiyi_analysis.lists.sequential import rate_in_turn
from qiyi_analysis.lists.state import STATE_COLUMNS, ListState, published_list, state_of
from qiyi_analysis.model import Event, RatingList, frame
from qiyi_analysis.rating.rounding import round_fraction, rounded
from qiyi_analysis.rating.table_method import NOT_KNOWN
from qiyi_analysis.ruleset import RuleSet, documents, editions, in_force, resolve, ruleset

#: What happened to a player between the two lists.
STATUSES = ("stayed", "newcomer", "returned", "removed", "unpublished")


@dataclass(frozen=True, kw_only=True)
class Rebuilt:
    """A rebuilt list with its working.

    ``state`` is what the next period needs; ``list`` its published rows. ``players``: one row per person
    of the old or the new list, ``id, name, ..., previous, rating, change, rounded_change, k, period_games,
    events_counted, status, reason``. ``entries``: one row per player and event. ``ledger``: one row per
    report received. ``rules`` is the edition of the list.
    """

    period: Period
    rules: RuleSet
    previous: tuple[ListState, ...]
    state: ListState
    list: RatingList
    players: pd.DataFrame
    entries: pd.DataFrame
    ledger: pd.DataFrame
    findings: tuple[Finding, ...]
    working: Working | None = field(repr=False, default=None)


@dataclass(frozen=True, kw_only=True)
class Working:
    """What the comparison recalculates with: the counted events, their editions, entries and persons."""

    events: tuple[Event, ...]
    editions: tuple[RuleSet, ...]
    field: entering.Field
    entries: Entries
    persons: Persons
    base: np.ndarray  # rating on the previous list, after a one-off adjustment; NaN without
    k: np.ndarray  # K of each person in this period, limit applied


def rebuild_list(
    events: Iterable[Event],
    rules: RuleSet | str,
    previous: Sequence[RatingList | ListState],
    period_id: str,
    *,
    ratings: str = "event",
) -> Rebuilt:
    """Rebuild the list of a period.

    ``rules``: a document, whose edition in force judges each event, or one edition for everything.
    ``previous``: the lists before, oldest or newest first; the newest is the base, events that began
    under an older one use that. ``ratings``: "event" or "list", see :func:`entries.enter`. Raises
    RulesetError, ParameterError or EventError where there is nothing to go on with.
    """
    states = tuple(sorted((state_of(one) for one in previous), key=lambda one: one.day or date.min))
    if not states:
        raise EventError(f"list {period_id}: no previous list; expected one at least")
    document, fixed = _document(rules)
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
    state, players, more = _next_state(
        base_state, counted, working, sums, facts, list_rules, chosen, document
    )
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


def _document(rules: RuleSet | str) -> tuple[str, RuleSet | None]:
    """The document, and the one edition asked for if it was one."""
    if isinstance(rules, RuleSet):
        return rules.document, rules
    if rules in documents():
        return rules, None
    one = resolve(rules)
    if one.kind != "rating":
        raise RulesetError(f"{one.id}: a document of kind {one.kind}; expected kind rating")
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


def adjusted(rating: np.ndarray, rules: RuleSet, chosen: Period) -> np.ndarray:
    """Ratings after the one-off adjustment of an edition, if this list has one."""
    block = rules.block("adjustment")
    if block is None or block["list"] != chosen.list_day:
        return rating
    inside = (rating >= block["rating_at_least"]) & (rating < block["rating_below"])
    share = block["share"]
    lift = np.where(inside, block["towards"] - np.nan_to_num(rating), 0).astype(np.int64)
    lift = rounded(lift * share.numerator, share.denominator, block["rounding"])
    return np.where(inside, rating + lift, rating)


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
        found = choose_k(rules, facts, day)[born].astype(np.float64)
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
        found = choose_k(judged_by[i], here, event.start or event.end).astype(np.float64)
        k[at] = np.where(found > 0, found, k[at])
        one = _cut(replace(work, k=k), at)
        part = entering.calculate_entries((event,), one, (judged_by[i],))
        running["games"][mine] += part.games
        running["events"][mine] += part.games > 0
        parts.append(part)
    work = replace(work, k=k)
    return _joined(parts, work), work


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


# --- the period's change ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Per person: games and change of the period in unit parts, K (0 not known), events counted."""

    games: np.ndarray
    change: np.ndarray
    k: np.ndarray
    events: np.ndarray
    unknown: np.ndarray  # played, but some change could not be calculated
    unit: int


def totals(result: Entries, size: int, rules: RuleSet) -> Totals:
    """Sums over each person's entries; K limited by the games of the period (FIDE B.02 8.3.3)."""
    person = result.person
    games = _sum(person, result.games, size)
    played = result.games > 0
    events = _sum(person, played, size)
    rated = ~np.isnan(result.rating)
    lost = played & rated & ((result.change == NOT_KNOWN) | (result.k == 0))
    known = played & ~lost & (result.change != NOT_KNOWN)
    k = np.zeros(size, dtype=np.int64)
    k[person[known]] = result.k[known]
    product = rules.value("k_limit", "product")
    change = np.where(known, result.change, 0)
    if product is not None:
        limited = np.where(k * games > product, product // np.maximum(games, 1), k)
        surplus = np.where(known & (result.w_minus_we != NOT_KNOWN), result.w_minus_we, 0)
        change = np.where(limited[person] < result.k, limited[person] * surplus, change)
        k = np.minimum(k, limited)
    return Totals(
        games=games,
        change=_sum(person, change, size),
        k=k,
        events=events,
        unknown=_sum(person, lost, size) > 0,
        unit=result.unit,
    )


def _sum(person: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Exact sums of whole numbers per person."""
    out = np.zeros(size, dtype=np.int64)
    np.add.at(out, person, values.astype(np.int64))
    return out


def new_rating(base: np.ndarray, change: np.ndarray, unit: int, rules: RuleSet) -> np.ndarray:
    """Base plus change, rounded once by the edition; ``base`` may have two decimals."""
    block = rules.need("change")
    hundredths = np.rint(np.nan_to_num(base) * 100).astype(np.int64)
    if block["rounded"] == "rating":
        new = rounded(hundredths * unit + 100 * change, 100 * unit, block["rounding"]).astype(np.float64)
    else:
        new = hundredths / 100 + rounded(change, unit, block["rounding"])
    return np.where(np.isnan(base), np.nan, new)


# --- the next list ------------------------------------------------------------------------------------


def _next_state(
    old: ListState,
    events: tuple[Event, ...],
    working: Working,
    total: Totals,
    facts: dict[str, np.ndarray],
    rules: RuleSet,
    chosen: Period,
    document: str,
) -> tuple[ListState, pd.DataFrame, list[Finding]]:
    persons = working.persons
    size = len(persons.keys)
    played = total.games > 0
    listed = np.arange(size) < persons.listed
    base = working.base
    rating = np.where(played & ~total.unknown, new_rating(base, total.change, total.unit, rules), base)
    first = newcomers.first_ratings(old.pool, events, working, total, rules, chosen)
    rating = np.where(np.isnan(base), first.rating, rating)
    last_event = _last_event(old, events, working, played | (first.games > 0))
    games = facts["games"] + total.games + first.games
    games = np.where(np.isnan(base) & ~np.isnan(first.rating), first.pool_games, games)
    count = facts["events"] + total.events
    count = np.where(np.isnan(base) & ~np.isnan(first.rating), first.pool_events, count)
    idle = np.zeros(size)
    idle[: persons.listed] = np.nan_to_num(old.rows["idle_years"].to_numpy())
    rating, idle, flag, gone = _inactivity(rating, idle, last_event, played, rules, chosen)
    peak = np.fmax(np.where(facts["peak"] > 0, facts["peak"], np.nan), np.fmax(base, rating))
    sex = _text(old, events, working, "sex")
    published = _published(rating, sex, rules)
    births = _number(old, events, working, "birth_year")
    next_facts = {"rating": rating, "peak": np.where(published, peak, facts["peak"]), "games": games,
                  "events": count, "birth_year": births}  # fmt: skip
    k = choose_k(rules, next_facts, chosen.list_day).astype(np.float64)
    k[k == 0] = np.nan
    keep_k = np.isnan(k) & listed
    k[keep_k] = old.rows["k"].to_numpy()[np.flatnonzero(keep_k)]
    keeps_unpublished = bool(rules.rows("base_rating"))  # xiangqi: an internal rating stays
    exists = ~np.isnan(rating) & ~gone & (published | keeps_unpublished)
    data = {
        "id": _ids(old, events, working),
        "name": _text(old, events, working, "name"),
        "sex": sex,
        "federation": _text(old, events, working, "federation"),
        "unit": _text(old, events, working, "unit"),
        "birth_year": births,
        "title": _text(old, events, working, "title"),
        "rating": rating,
        "k": k,
        "games": games,
        "peak": np.where(published, peak, facts["peak"]),
        "last_event": last_event,
        "flag": np.where(flag, np.where(sex == "w", "wi", "i"), np.where(sex == "w", "w", ""))
        if document.startswith("fide/")
        else np.where(flag, "i", ""),
        "events": count,
        "idle_years": idle,
        "published": published,
    }
    every = frame(pd.DataFrame(data), STATE_COLUMNS)
    state = ListState(
        day=chosen.list_day,
        rows=every[exists].reset_index(drop=True),
        pool=first.pool,
        counted=tuple(sorted({*old.counted, *(event.id for event in events)})),
        id=chosen.id,
    )
    was_published = np.zeros(size, dtype=bool)
    was_published[: persons.listed] = old.rows["published"].to_numpy()
    was_idle = np.zeros(size, dtype=bool)
    was_idle[: persons.listed] = ["i" in text for text in old.rows["flag"]]
    now = exists & published
    status = np.select(
        [now & ~was_published, now & was_idle & played, now, was_published],
        ["newcomer", "returned", "stayed", "removed"],
        "unpublished",
    )
    reason = np.where(
        status == "removed", np.where(gone, "inactive", "below-floor"), np.where(now, "", first.reason)
    )
    players = every.assign(
        key=list(persons.keys),
        previous=base,
        change=pd.Series(
            [Fraction(int(c), total.unit) if p else None for c, p in zip(total.change, played, strict=True)],
            dtype=object,
        ),
        period_games=total.games,
        events_counted=total.events,
        k_used=np.where(played, total.k, 0),
        status=status,
        reason=reason,
    )
    findings = [
        Finding(
            code="CK42",
            reason="list-k-unknown",
            severity="W",
            field="k",
            article=rules.cite("k_factor"),
            values={"name": persons.keys[i]},
        )
        for i in np.flatnonzero(total.unknown)
    ]
    relevant = listed | exists | played | (first.games > 0)
    return state, players[relevant].reset_index(drop=True), findings


def _inactivity(
    rating: np.ndarray,
    idle: np.ndarray,
    last_event: np.ndarray,
    played: np.ndarray,
    rules: RuleSet,
    chosen: Period,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Deductions, the flag of the inactive, and who loses the rating; dates that are missing change nothing."""
    size = len(rating)
    flag, gone = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    block = rules.block("inactivity")
    idle = np.where(played, 0, idle)
    if block is None:
        return rating, idle, flag, gone
    months = idle_months(last_event, chosen.list_day)
    if "removed_after_months" in block:
        # More than so many months: the day counts (CCA art. 2, read from event to list).
        gone = months > block["removed_after_months"]
    if "flag_after_months" in block:
        flag = months >= block["flag_after_months"]
    deductions = block.get("year_deductions")
    if deductions is not None:
        years = np.floor(months / 12)
        for number, points in enumerate(deductions, 1):
            due = (years >= number) & (idle < number)
            rating = np.where(due, rating - points, rating)
            idle = np.where(due, number, idle)
        gone |= years >= block["cancelled_after_years"]
    return rating, idle, flag, gone


def idle_months(last_event: np.ndarray, list_day: date) -> np.ndarray:
    """Months from each last event to the list; a part of a month counts as a fraction, unknown as 0."""
    cache: dict[str, float] = {"": 0.0}
    for text in set(last_event.tolist()):
        try:
            day = date.fromisoformat(text)
        except ValueError:
            cache[text] = 0.0
            continue
        whole = months_between(day, list_day)
        reached = day.day == list_day.day or (day.day > 28 and list_day.day >= 28)
        cache[text] = whole + (0.0 if reached or day >= list_day else 0.5)
    return np.array([cache[text] for text in last_event])


def _published(rating: np.ndarray, sex: np.ndarray, rules: RuleSet) -> np.ndarray:
    rows = rules.rows("publication")
    shown = ~np.isnan(rating)
    for row in rows:
        mine = sex == row["sex"] if row["sex"] != "all" else np.ones(len(rating), dtype=bool)
        shown &= ~mine | (rating >= row["rating_at_least"])
    return shown


# --- texts of the next list ---------------------------------------------------------------------------


def _last_event(
    old: ListState, events: tuple[Event, ...], working: Working, active: np.ndarray
) -> np.ndarray:
    """Last day of the last event with a rated game, ISO text."""
    persons, result = working.persons, working.entries
    waiting = np.isnan(working.base)
    last = np.full(len(persons.keys), "", dtype=object)
    last[: persons.listed] = old.rows["last_event"].to_numpy()
    days = np.array([(event.end or event.start or date.min).isoformat() for event in events], dtype=object)
    for person, event, games, new in zip(
        result.person.tolist(),
        result.event.tolist(),
        result.games.tolist(),
        result.new_games.tolist(),
        strict=True,
    ):
        # Games before a first rating keep a newcomer active; those of a rated player must be rated ones.
        if (games or (new and waiting[person])) and days[event] > last[person]:
            last[person] = days[event]
    return last


def _filled(old: ListState, events: tuple[Event, ...], working: Working, name: str) -> np.ndarray:
    """A column of the old list, with the entry's own value for newcomers."""
    persons = working.persons
    values = np.empty(len(persons.keys), dtype=object)
    values[: persons.listed] = old.rows[name].to_numpy()
    column = (
        np.concatenate([event.players[name].to_numpy(dtype=object) for event in events])
        if events
        else np.zeros(0, dtype=object)
    )
    values[persons.listed :] = column[persons.first_entry[persons.listed :]]
    return values


def _text(old: ListState, events: tuple[Event, ...], working: Working, name: str) -> np.ndarray:
    return _filled(old, events, working, name)


def _number(old: ListState, events: tuple[Event, ...], working: Working, name: str) -> np.ndarray:
    return _filled(old, events, working, name).astype(np.float64)


def _ids(old: ListState, events: tuple[Event, ...], working: Working) -> np.ndarray:
    return _filled(old, events, working, "id")


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


__all__ = ["Rebuilt", "Totals", "Working", "rebuild_list", "round_fraction", "totals"]
