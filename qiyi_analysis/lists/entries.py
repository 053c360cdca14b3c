"""All events of a period as arrays: one entry per event and player, calculated by the ordinary method.

Where an edition looks up each game, all its events are calculated in one go, as one large field of
entries. Where averages, round robins or champions matter, the events are calculated one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

import numpy as np
import pandas as pd

from qiyi_analysis.lists.persons import Persons
from qiyi_analysis.lists.state import ListState, in_force
from qiyi_analysis.model.event import GAME_COLUMNS, Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.identity import PERSON_COLUMNS, match
from qiyi_analysis.rating.entrants import is_round_robin
from qiyi_analysis.rating.go_professional import protect
from qiyi_analysis.rating.initial import unrated_games
from qiyi_analysis.rating.table_method import NOT_KNOWN, Calculation, calculate
from qiyi_analysis.rules.ruleset import RuleSet

#: Methods that are calculated on whole numbers of hundredths; all others publish after each event.
TABLE_METHODS = ("table", "go-professional")


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Events calculated together: one event, or the merged field of many; ``start`` is its first entry."""

    event: Event
    rules: RuleSet
    start: int

    @property
    def stop(self) -> int:
        """Position after the last entry of the event."""
        return self.start + len(self.event.players)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """Arrays over all entries. Changes and W - We are in ``unit`` parts; NOT_KNOWN where not known."""

    event: np.ndarray  # index into the period's events
    person: np.ndarray
    number: np.ndarray
    rating: np.ndarray  # as used; NaN without a rating
    printed: np.ndarray  # rating printed in the event, NaN if none
    k: np.ndarray
    games: np.ndarray
    half_points: np.ndarray
    w_minus_we: np.ndarray
    change: np.ndarray
    provisional: np.ndarray
    protected: np.ndarray
    # Games of players without a rating against rated opponents, for the first rating.
    new_games: np.ndarray
    new_sum: np.ndarray
    new_half_points: np.ndarray
    batches: tuple[Batch, ...] = field(repr=False)
    findings: tuple[Finding, ...] = ()
    unit: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """The entries before calculation."""

    event: np.ndarray
    person: np.ndarray
    number: np.ndarray
    rating: np.ndarray
    printed: np.ndarray
    listed: np.ndarray
    k: np.ndarray
    findings: tuple[Finding, ...]


@dataclass(frozen=True, kw_only=True)
class Working:
    """What the comparison recalculates with: the counted events, their editions, entries and persons."""

    events: tuple[Event, ...]
    editions: tuple[RuleSet, ...]
    field: Field
    entries: Entries
    persons: Persons
    base: np.ndarray  # rating on the previous list, after a one-off adjustment; NaN without
    k: np.ndarray  # K of each person in this period, limit applied


def enter(
    events: Sequence[Event], states: Sequence[ListState], persons: Persons, *, ratings: str = "event"
) -> Field:
    """The rating and K every entry is calculated with.

    ``ratings``: "event" uses the rating printed in the event and fills in from the list in force on its
    first day; "list" goes by the list and fills in from the event.
    """
    ends = np.cumsum([0, *(len(event.players) for event in events)])
    printed = _column(events, "rating")
    printed[~(printed > 0)] = np.nan
    listed, k = np.full(len(printed), np.nan), np.full(len(printed), np.nan)
    newest = max(states, key=_day)
    positions = {id(state): positions_of(state, newest, persons, events) for state in states}
    findings: list[Finding] = []
    for place, event in enumerate(events):
        state = in_force(states, event.start)
        if state is None:
            state = min(states, key=_day)
            findings.append(
                Finding(
                    code="CK44",
                    reason="no-list-for-event",
                    severity="W",
                    file=event.id,
                    values={"day": event.start, "list": state.id},
                )
            )
        mine = slice(int(ends[place]), int(ends[place + 1]))
        rows = positions[id(state)][persons.entry[mine]]
        listed[mine] = at_rows(state, "rating", rows)
        # K is that of the list in force in the period, whenever the event began (FIDE B.02 8.3.3).
        k[mine] = at_rows(newest, "k", positions[id(newest)][persons.entry[mine]])
    first, second = (printed, listed) if ratings == "event" else (listed, printed)
    rating = np.where(np.isnan(first), second, first)
    differs = ~np.isnan(printed) & ~np.isnan(listed) & (printed != listed)
    number = _column(events, "number").astype(np.int64)
    index = np.repeat(np.arange(len(events)), np.diff(ends))
    findings += [
        Finding(
            code="CK12",
            reason="event-rating-differs-from-list",
            file=events[index[i]].id,
            player=int(number[i]),
            field="rating",
            published=f"{printed[i]:g}",
            recomputed=f"{listed[i]:g}",
            values={"name": persons.keys[persons.entry[i]]},
        )
        for i in np.flatnonzero(differs)
    ]
    own_k = _column(events, "k")
    k = np.where(k > 0, k, np.where(own_k > 0, own_k, np.nan))
    return Field(
        event=index,
        person=persons.entry,
        number=number,
        rating=rating,
        printed=printed,
        listed=listed,
        k=k,
        findings=tuple(findings),
    )


def _day(state: ListState) -> date:
    return state.day or date.min


def _column(events: Sequence[Event], name: str) -> np.ndarray:
    if not events:
        return np.zeros(0)
    return np.concatenate([event.players[name].to_numpy(dtype=np.float64) for event in events])


def at_rows(state: ListState, name: str, rows: np.ndarray) -> np.ndarray:
    """Values of a list's column at the given rows, NaN where the row is -1."""
    # One more value at the end is what -1 reads.
    return np.append(state.rows[name].to_numpy(dtype=np.float64), np.nan)[rows]


def positions_of(
    state: ListState, newest: ListState, persons: Persons, events: Sequence[Event]
) -> np.ndarray:
    """Row of each person on a list, -1 for none."""
    if state is newest:
        rows = np.full(len(persons.keys), -1, dtype=np.int64)
        rows[: persons.listed] = np.arange(persons.listed)
        return rows
    columns = list(PERSON_COLUMNS)
    entered = [event.players[columns] for event in events]
    everybody = newest.rows[columns]
    if entered:
        fresh = pd.concat(entered, ignore_index=True).iloc[persons.first_entry[persons.listed :]]
        everybody = pd.concat([everybody, fresh], ignore_index=True)
    return match(everybody, state.register).row


def batches(events: Sequence[Event], field: Field, rules: Sequence[RuleSet]) -> tuple[Batch, ...]:
    """Events grouped for calculation; ``rules`` has the edition of each event.

    Looked up game by game, all events of an edition are one batch; otherwise each event is its own.
    """
    ends = np.cumsum([0, *(len(event.players) for event in events)])
    prepared = [
        event.with_players(
            rating=field.rating[ends[i] : ends[i + 1]], k=field.k[ends[i] : ends[i + 1]], id=""
        )
        for i, event in enumerate(events)
    ]
    found: list[Batch] = []
    i = 0
    while i < len(events):
        j = i + 1
        by_game = rules[i].value("expected", "by") == "game" and rules[i].rows("base_rating") == ()
        if by_game and not _alone(prepared[i], rules[i]):
            while j < len(events) and rules[j] is rules[i] and not _alone(prepared[j], rules[j]):
                j += 1
        event = prepared[i] if j == i + 1 else _merged(prepared[i:j])
        found.append(Batch(event=event, rules=rules[i], start=int(ends[i])))
        i = j
    return tuple(found)


def _alone(event: Event, rules: RuleSet) -> bool:
    """Whether the format of an event decides what its unrated players count as: it cannot be merged with others."""
    by_format = rules.value("unrated", "round_robin") is not None and is_round_robin(event)
    return by_format and bool(event.players["rating"].isna().any())


def _merged(events: Sequence[Event]) -> Event:
    """One field of all the events' entries, numbered anew; games stay inside their event."""
    players = pd.concat([event.players for event in events], ignore_index=True)
    players["number"] = np.arange(1, len(players) + 1)
    games = []
    offset = 1
    for event in events:
        numbers = event.players["number"].to_numpy()
        order = np.argsort(numbers)
        table = event.games
        renumbered = {}
        for side in ("first", "second"):
            values = table[side].to_numpy()
            place = np.searchsorted(numbers, values, sorter=order)
            place = np.minimum(place, len(numbers) - 1)
            known = numbers[order[place]] == values
            # Numbers that are nobody's stay nobody's, whatever else is in the field.
            renumbered[side] = np.where(values == 0, 0, np.where(known, order[place] + offset, -1))
        games.append(table.assign(**renumbered))
        offset += len(numbers)
    merged = pd.concat(games, ignore_index=True)
    return replace(events[0], players=players, games=merged[list(GAME_COLUMNS)], format="swiss", extra={})


#: Changes a batch before it is calculated: a hypothesis.
Apply = Callable[[Event, RuleSet], tuple[Event, RuleSet]]


def calculate_batch(batch: Batch, apply: Apply | None = None) -> Calculation:
    """One batch by the table method; the limit on K times games is the period's business, not here."""
    event, rules = (batch.event, batch.rules) if apply is None else apply(batch.event, batch.rules)
    result = calculate(event, rules.without_block("k_limit"))
    return protect(result, event, rules) if rules.value("method", "name") == "go-professional" else result


def calculate_entries(
    events: Sequence[Event], field: Field, rules: Sequence[RuleSet], apply: Apply | None = None
) -> Entries:
    """All entries calculated; ``apply`` recalculates them under a hypothesis."""
    return entries_of(field, batches(events, field, rules), apply)


def entries_of(field: Field, done: Sequence[Batch], apply: Apply | None = None) -> Entries:
    """The arrays of batches calculated one after the other."""
    size = len(field.person)
    ints = {
        name: np.zeros(size, dtype=np.int64)
        for name in ("k", "games", "half_points", "new_games", "new_sum", "new_half_points")
    }
    exact = {name: np.full(size, NOT_KNOWN) for name in ("w_minus_we", "change")}
    flags = {name: np.zeros(size, dtype=bool) for name in ("provisional", "protected")}
    rating = field.rating.copy()
    findings: list[Finding] = []
    unit = 100
    for batch in done:
        at = slice(batch.start, batch.stop)
        c = calculate_batch(batch, apply)
        unit = c.unit
        ints["k"][at], ints["games"][at], ints["half_points"][at] = c.k, c.games, c.half_points
        known = c.entrants.has_rating & (c.we != NOT_KNOWN)
        exact["w_minus_we"][at] = np.where(
            known, c.half_points * c.unit // 2 - np.where(known, c.we, 0), NOT_KNOWN
        )
        exact["change"][at] = c.change
        flags["provisional"][at], flags["protected"][at] = c.entrants.provisional, c.protected
        rating[at] = np.where(c.entrants.has_rating, c.entrants.base, np.nan)
        new = unrated_games(c.rows, c.entrants)
        player, opponent = c.rows.player[new], c.rows.opponent[new]
        width = batch.stop - batch.start
        ints["new_games"][at] = np.bincount(player, minlength=width)
        ints["new_sum"][at] = np.bincount(player, weights=c.entrants.rating[opponent], minlength=width)
        ints["new_half_points"][at] = np.bincount(player, weights=c.rows.half_points[new], minlength=width)
        if c.entrants.provisional.any():
            # Base-rating systems: games against opponents with a rating of their own.
            rated = c.rows.counted & ~c.entrants.provisional[np.maximum(c.rows.opponent, 0)]
            mine, other = c.rows.player[rated], np.maximum(c.rows.opponent[rated], 0)
            for name, weights in (
                ("new_games", None),
                ("new_sum", c.entrants.rating[other]),
                ("new_half_points", c.rows.half_points[rated]),
            ):
                against = np.bincount(mine, weights=weights, minlength=width)
                ints[name][at] = np.where(c.entrants.provisional, against, ints[name][at])
        findings += c.findings
    return Entries(
        event=field.event,
        person=field.person,
        number=field.number,
        rating=rating,
        printed=field.printed,
        batches=tuple(done),
        findings=tuple(findings),
        unit=unit,
        **ints,
        **exact,
        **flags,
    )
