"""Systems that publish after each event: the events of a period one after the other.

Each event is rated by its own method from the ratings the one before left behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
import pandas as pd

from qiyi_analysis.lists.newcomers import UNDECIDED
from qiyi_analysis.lists.next_list import filled, registered, row_before
from qiyi_analysis.lists.periods import Period
from qiyi_analysis.lists.persons import Persons
from qiyi_analysis.lists.rebuilt import Rebuilt
from qiyi_analysis.lists.state import STATE_COLUMNS, ListState, published_list
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, ordered
from qiyi_analysis.model.frame import frame
from qiyi_analysis.rating import Rating, rate
from qiyi_analysis.rules.ruleset import RuleSet

_TEXTS = ("id", "name", "sex", "federation", "unit", "title")
#: Columns of the table of entries.
_ENTRY = ("event", "person", "number", "rating", "k", "games", "score", "w_minus_we", "change", "protected")


class _Run:
    """What is known of each person while the events go by, arrays in the order of the persons."""

    def __init__(self, persons: Persons, base: ListState) -> None:
        size = len(persons.keys)

        def column(name: str, newcomer: float = np.nan) -> np.ndarray:
            values = np.full(size, float(newcomer))
            values[: persons.listed] = base.rows[name].to_numpy()
            return values

        self.before = column("rating")
        self.rating, self.peak, self.k = self.before.copy(), column("peak"), column("k")
        self.games, self.events, self.idle_years = (
            column("games", 0),
            column("events", 0),
            column("idle_years", 0),
        )
        self.last = np.full(size, "", dtype=object)
        self.last[: persons.listed] = base.rows["last_event"].to_numpy()
        self.period_games = np.zeros(size, dtype=np.int64)
        self.period_events = np.zeros(size, dtype=np.int64)

    def rate(self, event: Event, edition: RuleSet, who: np.ndarray, day: date) -> Rating:
        """Rate an event from the ratings so far; ``who``: the person of each entry."""
        players = event.players
        entered = event.with_players(
            rating=np.where(np.isnan(self.rating[who]), players["rating"].to_numpy(), self.rating[who]),
            k=np.where(np.isnan(players["k"]), self.k[who], players["k"]),
            peak=np.where(np.isnan(players["peak"]), self.peak[who], players["peak"]),
        )
        done = rate(entered, edition)
        new, played = done.players["new_rating"].to_numpy(), done.players["games"].to_numpy()
        self.rating[who] = np.where(np.isnan(new), self.rating[who], new)
        self.period_games[who] += played
        self.period_events[who] += played > 0
        text = (event.end or event.start or day).isoformat()
        later = (played > 0) & np.array([one < text for one in self.last[who]], dtype=bool)
        self.last[who[later]] = text
        return done


def rate_in_turn(
    events: Sequence[Event],
    editions: Sequence[RuleSet],
    rules: RuleSet,
    states: tuple[ListState, ...],
    base_state: ListState,
    chosen: Period,
    persons: Persons,
    ledger: pd.DataFrame,
    findings: list[Finding],
) -> Rebuilt:
    """The next list of a system without a rating period."""
    run = _Run(persons, base_state)
    rows, start = [], 0
    for event, edition in zip(events, editions, strict=True):
        who = persons.entry[start : start + len(event.players)]
        start += len(event.players)
        done = run.rate(event, edition, who, chosen.list_day)
        findings += done.findings
        for person, row in zip(who, done.player_rows(), strict=True):
            if row["games"]:
                rows.append(
                    {"event": event.id, "person": persons.keys[person], **{n: row[n] for n in _ENTRY[2:]}}
                )  # fmt: skip
    waits = registered(base_state, run.rating)
    every = _every(run, base_state, events, persons, waits)
    exists = waits | (~np.isnan(run.rating) & ~persons.undecided)
    state = ListState(
        day=chosen.list_day,
        rows=every[exists].reset_index(drop=True),
        pool=base_state.pool,
        counted=tuple(sorted({*base_state.counted, *(event.id for event in events)})),
        id=chosen.id,
    )
    played = run.period_games > 0
    players = every.assign(
        key=list(persons.keys),
        row=row_before(persons),
        previous=run.before,
        change=pd.Series(np.where(played, run.rating - run.before, np.nan)),
        period_games=run.period_games,
        events_counted=run.period_events,
        k_used=0,
        status=np.select(
            [~exists, waits, ~np.isnan(run.before), row_before(persons) >= 0],
            ["unpublished", "registered", "stayed", "first-rating"],
            "newcomer",
        ),
        reason=np.where(persons.undecided, UNDECIDED, ""),
    )
    return Rebuilt(
        period=chosen,
        rules=rules,
        previous=states,
        state=state,
        list=published_list(state, federation=rules.federation, document=rules.document),
        players=players[exists | played].reset_index(drop=True),
        entries=pd.DataFrame(rows, columns=list(_ENTRY)),
        ledger=ledger,
        findings=ordered(findings),
    )


def _every(
    run: _Run, base: ListState, events: Sequence[Event], persons: Persons, waits: np.ndarray
) -> pd.DataFrame:
    """Everybody in the columns of a state, whether on the list or not."""
    texts = {name: filled(base, events, persons, name) for name in _TEXTS}
    data = {
        **texts,
        "birth_year": filled(base, events, persons, "birth_year").astype(np.float64),
        "rating": run.rating,
        "k": run.k,
        "games": run.games + run.period_games,
        "peak": np.fmax(run.peak, run.rating),
        "last_event": run.last,
        "events": run.events + run.period_events,
        "idle_years": run.idle_years,
        "published": ~np.isnan(run.rating) | waits,
    }
    return frame(pd.DataFrame(data), STATE_COLUMNS)
