"""First ratings on a list: games pooled over periods, or a base rating from the first game on.

Three rules: FIDE's performance from a pool of games; the base rating of the CCA, carried like any other;
and the xiangqi base rating that stays unpublished until enough games against rated opponents are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

import numpy as np
import pandas as pd

from qiyi_analysis.lists.entries import Working
from qiyi_analysis.lists.periods import Period, months_between
from qiyi_analysis.lists.state import POOL_COLUMNS
from qiyi_analysis.lists.sums import Totals
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import frame
from qiyi_analysis.rating.initial import TOO_FEW_GAMES, initial_rating, performance
from qiyi_analysis.rating.table_method import NOT_KNOWN
from qiyi_analysis.rules.rounding import round_fraction
from qiyi_analysis.rules.ruleset import RuleSet

NOT_ON_LIST = "not-on-list"
UNDECIDED = "who-is-not-decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """First ratings by person (NaN where none), why not, and the pool that is left."""

    rating: np.ndarray
    reason: np.ndarray
    games: np.ndarray  # games of this period that count for a first rating, beyond those of the totals
    pool_games: np.ndarray
    pool_events: np.ndarray
    pool: pd.DataFrame


def first_ratings(
    old_pool: pd.DataFrame,
    events: Sequence[Event],
    working: Working,
    total: Totals,
    rules: RuleSet,
    chosen: Period,
) -> First:
    """First ratings of those who are not on the previous list."""
    persons, result = working.persons, working.entries
    size = len(persons.keys)
    rating = np.full(size, np.nan)
    reason = np.full(size, "", dtype=object)
    extra = np.zeros(size, dtype=np.int64)
    pool_games, pool_events = np.zeros(size), np.zeros(size)
    new = np.isnan(working.base) & ~persons.undecided
    fresh = np.flatnonzero(
        new[result.person] & ((result.new_games > 0) | (result.provisional & (result.games > 0)))
    )
    # An official table of games: one row per event, in the order the events ended.
    ends = [(event.end or event.start or date.min).isoformat() for event in events]
    added = frame(
        pd.DataFrame(
            {
                "person": [persons.keys[i] for i in result.person[fresh]],
                "event": [events[i].id for i in result.event[fresh]],
                "end": [ends[i] for i in result.event[fresh]],
                "games": result.new_games[fresh],
                "rating_sum": result.new_sum[fresh],
                "half_points": result.new_half_points[fresh],
                "change": np.where(result.change[fresh] == NOT_KNOWN, 0, result.change[fresh]),
                "base": np.where(result.provisional[fresh], np.nan_to_num(result.rating[fresh]), 0),
            }
        ),
        POOL_COLUMNS,
    )
    pool = _young(pd.concat([old_pool, added], ignore_index=True), rules, chosen)
    np.add.at(extra, result.person[fresh], np.where(result.provisional[fresh], 0, result.new_games[fresh]))
    index = {key: i for i, key in enumerate(persons.keys)}
    left = []
    for person, rows in pool.groupby("person", sort=True):
        i = index.get(str(person), -1)
        if i >= 0 and not new[i]:
            continue  # rated meanwhile by another way; the pool has done its work
        rows = _counted(rows, rules)
        value, why = _rating(rows, rules)
        if i >= 0:
            reason[i] = why
            pool_games[i], pool_events[i] = rows["games"].sum(), len(rows)
            if value is not None:
                rating[i] = value
        if value is None and len(rows):
            left.append(rows)
    remaining = pd.concat(left, ignore_index=True) if left else frame([], POOL_COLUMNS)
    stranger = new & (total.games > 0) & (reason == "") & np.isnan(rating)
    reason[stranger] = NOT_ON_LIST
    reason[persons.undecided] = UNDECIDED
    return First(
        rating=rating,
        reason=reason,
        games=extra,
        pool_games=pool_games,
        pool_events=pool_events,
        pool=frame(remaining, POOL_COLUMNS),
    )


def not_on_list(events: Sequence[Event], working: Working) -> list[Finding]:
    """Players with a rating in the event whom the previous list does not have: counted as opponents only."""
    result, persons = working.entries, working.persons
    strange = np.isnan(working.base)[result.person] & ~result.provisional & ~np.isnan(result.rating)
    strange &= (result.games > 0) & ~persons.undecided[result.person]
    rows = np.flatnonzero(strange)
    _, once = np.unique(result.person[rows], return_index=True)
    return [
        Finding(
            code="CK47",
            reason="rated-but-not-on-list",
            file=events[result.event[i]].id,
            player=int(result.number[i]),
            field="rating",
            published=f"{result.rating[i]:g}",
            values={"name": persons.keys[result.person[i]]},
        )
        for i in rows[np.sort(once)]
    ]


def _months(rules: RuleSet) -> int | None:
    years = rules.value("unrated", "within_years")
    return years * 12 if years is not None else rules.value("initial_rating", "within_months")


def _young(pool: pd.DataFrame, rules: RuleSet, chosen: Period) -> pd.DataFrame:
    """Rows of the pool that are not too old: for this list, or, where the games count that a player has within so many
    years, for his newest games."""
    limit = _months(rules)
    if limit is None or not len(pool):
        return pool
    ends = pool["end"]
    by_games = rules.value("unrated", "within_years") is not None
    until = (
        ends.groupby(pool["person"]).transform("max")
        if by_games
        else [chosen.list_day.isoformat()] * len(pool)
    )
    age = [
        months_between(date.fromisoformat(end), date.fromisoformat(last))
        for end, last in zip(ends, until, strict=True)
    ]
    return pool[[months <= limit for months in age]]


def _counted(rows: pd.DataFrame, rules: RuleSet) -> pd.DataFrame:
    """A newcomer's rows in order; a first event without a point is left out where the edition says so."""
    rows = rows.sort_values(["end", "event"], kind="stable")
    if rules.value("initial_rating", "zero_first_event") == "left-out":
        while len(rows) and rows["half_points"].iloc[0] == 0:
            rows = rows.iloc[1:]
    least = rules.value("initial_rating", "opponents_at_least")
    if least is not None:
        points = rules.need("initial_rating")["half_points_at_least"]
        rows = rows[(rows["games"] >= least) & (rows["half_points"] >= points)]
    return rows


def _rating(rows: pd.DataFrame, rules: RuleSet) -> tuple[int | None, str]:
    """The first rating a pool gives, or why there is none."""
    games, half_points = int(rows["games"].sum()), int(rows["half_points"].sum())
    if rules.value("unrated", "rule", "base-rating") == "not-counted":
        if rules.block("initial_rating") is None:
            return None, NOT_ON_LIST
        one = initial_rating(rules, int(rows["rating_sum"].sum()), games, half_points)
        return one.rating, one.reason
    least = rules.value("unrated", "games_at_least")
    if least is not None and games < least:
        return None, TOO_FEW_GAMES
    if not len(rows):
        return None, TOO_FEW_GAMES
    clause = rules.block("performance_clause")
    if clause is not None and clause["used"]:
        if half_points < games and clause["below_half"] == "no-rating":
            return None, "below-floor"
        average = Fraction(int(rows["rating_sum"].sum()), games)
        done = performance(rules, average, games, half_points, per_half_point=clause["per_half_point"])
        return round_fraction(done.exact or Fraction(0), "half-up"), ""
    # Hundredths: the changes of a base-rating system are whole hundredths.
    exact = int(rows["base"].iloc[0]) + Fraction(int(rows["change"].sum()), 100)
    return round_fraction(exact, rules.need("change")["rounding"]), ""
