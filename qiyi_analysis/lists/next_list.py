"""The rows of the next list: new and first ratings, inactivity, the lowest published rating, the new K."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

import numpy as np
import pandas as pd

from qiyi_analysis.lists import newcomers
from qiyi_analysis.lists.entries import Working
from qiyi_analysis.lists.periods import Period, months_between
from qiyi_analysis.lists.persons import Persons
from qiyi_analysis.lists.state import STATE_COLUMNS, ListState
from qiyi_analysis.lists.sums import Totals, new_rating
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import frame
from qiyi_analysis.rating.k_factor import choose_k, with_assumed_games
from qiyi_analysis.rules.rounding import rounded
from qiyi_analysis.rules.ruleset import RuleSet


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


def next_state(
    old: ListState,
    events: tuple[Event, ...],
    working: Working,
    total: Totals,
    facts: dict[str, np.ndarray],
    rules: RuleSet,
    chosen: Period,
    document: str,
) -> tuple[ListState, pd.DataFrame, list[Finding]]:
    """The list after the period: new ratings, games, K, peak, activity and titles of the persons of ``working``.

    ``total``: the period's change of each person; ``facts``: what is known of each (arrays in the order of the
    persons).
    """
    after = _after_period(old, events, working, total, facts, rules, chosen)
    every = _rows(old, events, working, after, document)
    state = ListState(
        day=chosen.list_day,
        rows=every[after.exists].reset_index(drop=True),
        pool=after.first.pool,
        counted=tuple(sorted({*old.counted, *(event.id for event in events)})),
        id=chosen.id,
    )
    played = total.games > 0
    status, reason = _status(old, after, played)
    players = every.assign(
        key=list(working.persons.keys),
        row=row_before(working.persons),
        previous=working.base,
        change=pd.Series(
            [Fraction(int(c), total.unit) if p else None for c, p in zip(total.change, played, strict=True)],
            dtype=object,
        ),
        period_games=total.games + after.first.games,
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
            values={"name": working.persons.keys[i]},
        )
        for i in np.flatnonzero(total.unknown)
    ]
    if after.undated.any():
        values = {"count": int(after.undated.sum()), "list": old.id, "day": old.day}
        findings.append(
            Finding(
                code="CK44",
                reason="last-event-unknown",
                severity="W",
                field="last_event",
                article=rules.cite("inactivity"),
                values=values,
            )
        )
    listed = np.arange(len(played)) < working.persons.listed
    relevant = listed | after.exists | played | (after.first.games > 0)
    return state, players[relevant].reset_index(drop=True), findings


def row_before(persons: Persons) -> np.ndarray:
    """The row of each person on the list before, -1 for none."""
    rows = np.arange(len(persons.keys))
    return np.where(rows < persons.listed, rows, -1)


def registered(old: ListState, rating: np.ndarray) -> np.ndarray:
    """Mask of the persons who are on the list before without a rating and have none yet: they stay on it."""
    listed = len(old.rows)
    mask = np.zeros(len(rating), dtype=bool)
    mask[:listed] = old.rows["published"].to_numpy() & old.rows["rating"].isna().to_numpy()
    return mask & np.isnan(rating)


@dataclass(frozen=True, kw_only=True)
class _After:
    """What is known of each person after the period, arrays in the order of the persons."""

    first: newcomers.First
    rating: np.ndarray
    games: np.ndarray
    events: np.ndarray
    peak: np.ndarray
    k: np.ndarray
    last_event: np.ndarray
    idle_years: np.ndarray
    sex: np.ndarray
    birth_year: np.ndarray
    inactive: np.ndarray
    gone: np.ndarray  # lost the rating by being inactive
    published: np.ndarray
    exists: np.ndarray  # has a row on the next list
    undated: np.ndarray  # whose years without a game are counted from the list before


def _after_period(
    old: ListState,
    events: tuple[Event, ...],
    working: Working,
    total: Totals,
    facts: dict[str, np.ndarray],
    rules: RuleSet,
    chosen: Period,
) -> _After:
    persons, base = working.persons, working.base
    size = len(persons.keys)
    played = total.games > 0
    rating = np.where(played & ~total.unknown, new_rating(base, total.change, total.unit, rules), base)
    first = newcomers.first_ratings(old.pool, events, working, total, rules, chosen)
    rating = np.where(np.isnan(base), first.rating, rating)
    last_event = _last_event(old, events, working, played | (first.games > 0))
    undated = _undated(old, last_event, base, rules)
    last_event = np.where(undated, old.day.isoformat() if old.day else "", last_event)
    new = np.isnan(base) & ~np.isnan(first.rating)
    games = np.where(new, first.pool_games, facts["games"] + total.games + first.games)
    count = np.where(new, first.pool_events, facts["events"] + total.events)
    idle = np.zeros(size)
    idle[: persons.listed] = np.nan_to_num(old.rows["idle_years"].to_numpy())
    was_idle = np.zeros(size, dtype=bool)
    was_idle[: persons.listed] = was_inactive(old)
    rating, idle, inactive, gone = _inactivity(rating, idle, last_event, played, rules, chosen)
    # Of who has no date of an event only the list before tells whether he is inactive.
    inactive |= was_idle & (last_event == "") & ~played
    sex = filled(old, events, working.persons, "sex")
    waits = registered(old, rating)
    published = _published(rating, sex, rules) | waits
    peak = np.fmax(np.where(facts["peak"] > 0, facts["peak"], np.nan), np.fmax(base, rating))
    peak = np.where(published, peak, facts["peak"])
    births = filled(old, events, working.persons, "birth_year").astype(np.float64)
    next_facts = {"rating": rating, "peak": peak, "games": games, "events": count, "birth_year": births}
    k = choose_k(rules, with_assumed_games(rules, next_facts), chosen.list_day).k.astype(np.float64)
    k[k == 0] = np.nan
    keep_k = np.isnan(k) & (np.arange(size) < persons.listed)
    k[keep_k] = old.rows["k"].to_numpy()[np.flatnonzero(keep_k)]
    keeps_unpublished = bool(rules.rows("base_rating"))  # xiangqi: an internal rating stays
    return _After(
        first=first,
        rating=rating,
        games=games,
        events=count,
        peak=peak,
        k=k,
        last_event=last_event,
        idle_years=idle,
        sex=sex,
        birth_year=births,
        inactive=inactive,
        gone=gone,
        undated=undated,
        published=published,
        exists=waits | (~np.isnan(rating) & ~gone & (published | keeps_unpublished)),
    )


def _rows(
    old: ListState,
    events: tuple[Event, ...],
    working: Working,
    after: _After,
    document: str,
) -> pd.DataFrame:
    """Everybody in the columns of a state, whether on the list or not."""
    text = {
        name: filled(old, events, working.persons, name) for name in ("name", "federation", "unit", "title")
    }
    flag = np.where(after.inactive, "i", "")
    if document.startswith("fide/"):
        flag = np.where(after.sex == "w", np.where(after.inactive, "wi", "w"), flag)
    data = {
        "id": filled(old, events, working.persons, "id"),
        **text,
        "sex": after.sex,
        "birth_year": after.birth_year,
        "rating": after.rating,
        "k": after.k,
        "games": after.games,
        "peak": after.peak,
        "last_event": after.last_event,
        "flag": flag,
        "events": after.events,
        "idle_years": after.idle_years,
        "published": after.published,
    }
    return frame(pd.DataFrame(data), STATE_COLUMNS)


def _status(old: ListState, after: _After, played: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What became of each person on the list, and why one is not on it."""
    size, listed = len(played), len(old.rows)
    was_published, was_idle, was_rated = (np.zeros(size, dtype=bool) for _ in range(3))
    was_published[:listed] = old.rows["published"].to_numpy()
    was_idle[:listed] = was_inactive(old)
    was_rated[:listed] = old.rows["rating"].notna().to_numpy()
    now = after.exists & after.published
    status = np.select(
        [
            now & ~was_published,
            now & np.isnan(after.rating),
            now & ~was_rated,
            now & was_idle & played,
            now,
            was_published,
        ],
        ["newcomer", "registered", "first-rating", "returned", "stayed", "removed"],
        "unpublished",
    )
    reason = np.where(
        status == "removed",
        np.where(after.gone, "inactive", "below-floor"),
        np.where(now, "", after.first.reason),
    )
    return status, reason


def was_inactive(old: ListState) -> list[bool]:
    """Whether the list before marks each of its players as inactive (i, wi; I in capitals too)."""
    return ["i" in text.casefold() for text in old.rows["flag"]]


def _undated(old: ListState, last_event: np.ndarray, base: np.ndarray, rules: RuleSet) -> np.ndarray:
    """Rated players whose last event nothing tells, where years without a game cost the rating: the list before is the
    last day they are known to be active on."""
    block = rules.block("inactivity")
    if (
        block is None
        or old.day is None
        or not ("removed_after_months" in block or "year_deductions" in block)
    ):
        return np.zeros(len(base), dtype=bool)
    return (last_event == "") & ~np.isnan(base)


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


def filled(old: ListState, events: Sequence[Event], persons: Persons, name: str) -> np.ndarray:
    """A column of the old list, with the entry's own value for newcomers."""
    values = np.empty(len(persons.keys), dtype=object)
    values[: persons.listed] = old.rows[name].to_numpy()
    column = np.concatenate(
        [np.zeros(0, dtype=object), *(event.players[name].to_numpy(dtype=object) for event in events)]
    )
    values[persons.listed :] = column[persons.first_entry[persons.listed :]]
    return values
