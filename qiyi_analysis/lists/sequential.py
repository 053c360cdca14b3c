"""Systems that publish after each event: the events of a period one after the other.

Each event is rated by its own method from the ratings the one before left behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from qiyi_analysis.lists.newcomers import UNDECIDED
from qiyi_analysis.lists.next_list import registered, row_before
from qiyi_analysis.lists.periods import Period
from qiyi_analysis.lists.persons import Persons
from qiyi_analysis.lists.state import STATE_COLUMNS, ListState, published_list
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, ordered
from qiyi_analysis.model.frame import frame
from qiyi_analysis.rating import rate
from qiyi_analysis.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from qiyi_analysis.lists.rebuild import Rebuilt


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
    from qiyi_analysis.lists.rebuild import Rebuilt

    size = len(persons.keys)

    def column(name: str, newcomer: float = np.nan) -> np.ndarray:
        values = np.full(size, float(newcomer))
        values[: persons.listed] = base_state.rows[name].to_numpy()
        return values

    before = column("rating")
    rating, games, peak, count = before.copy(), column("games", 0), column("peak"), column("events", 0)
    k = column("k")
    last = np.full(size, "", dtype=object)
    last[: persons.listed] = base_state.rows["last_event"].to_numpy()
    period_games, period_events = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    rows = []
    start = 0
    for event, edition in zip(events, editions, strict=True):
        who = persons.entry[start : start + len(event.players)]
        start += len(event.players)
        own = event.players["rating"].to_numpy()
        entered = event.with_players(
            rating=np.where(np.isnan(rating[who]), own, rating[who]),
            k=np.where(np.isnan(event.players["k"]), k[who], event.players["k"]),
            peak=np.where(np.isnan(event.players["peak"]), peak[who], event.players["peak"]),
        )
        done = rate(entered, edition)
        findings += done.findings
        new = done.players["new_rating"].to_numpy()
        played = done.players["games"].to_numpy()
        rating[who] = np.where(np.isnan(new), rating[who], new)
        period_games[who] += played
        period_events[who] += played > 0
        day = (event.end or event.start or chosen.list_day).isoformat()
        later = (played > 0) & np.array([text < day for text in last[who]], dtype=bool)
        last[who[later]] = day
        for person, row in zip(who, done.player_rows(), strict=True):
            if row["games"]:
                rows.append(
                    {"event": event.id, "person": persons.keys[person], **{n: row[n] for n in ("number", "rating", "k", "games", "score", "w_minus_we", "change", "protected")}}
                )  # fmt: skip
    texts = {}
    for name in ("id", "name", "sex", "federation", "unit", "title", "birth_year"):
        values = np.empty(size, dtype=object)
        values[: persons.listed] = base_state.rows[name].to_numpy()
        entries = (
            np.concatenate([e.players[name].to_numpy(dtype=object) for e in events]) if events else values[:0]
        )
        values[persons.listed :] = entries[persons.first_entry[persons.listed :]]
        texts[name] = values.astype(np.float64) if name == "birth_year" else values
    every = frame(
        pd.DataFrame(
            {
                **texts,
                "rating": rating,
                "k": k,
                "games": games + period_games,
                "peak": np.fmax(peak, rating),
                "last_event": last,
                "events": count + period_events,
                "idle_years": column("idle_years", 0),
                "published": ~np.isnan(rating) | registered(base_state, rating),
            }
        ),
        STATE_COLUMNS,
    )
    waits = registered(base_state, rating)
    exists = waits | (~np.isnan(rating) & ~persons.undecided)
    state = ListState(
        day=chosen.list_day,
        rows=every[exists].reset_index(drop=True),
        pool=base_state.pool,
        counted=tuple(sorted({*base_state.counted, *(event.id for event in events)})),
        id=chosen.id,
    )
    moved = rating - before
    players = every.assign(
        key=list(persons.keys),
        row=row_before(persons),
        previous=before,
        change=pd.Series(np.where(period_games > 0, moved, np.nan)),
        period_games=period_games,
        events_counted=period_events,
        k_used=0,
        status=np.select(
            [~exists, waits, ~np.isnan(before), row_before(persons) >= 0],
            ["unpublished", "registered", "stayed", "first-rating"],
            "newcomer",
        ),
        reason=np.where(persons.undecided, UNDECIDED, ""),
    )
    columns = (
        "event",
        "person",
        "number",
        "rating",
        "k",
        "games",
        "score",
        "w_minus_we",
        "change",
        "protected",
    )
    return Rebuilt(
        period=chosen,
        rules=rules,
        previous=states,
        state=state,
        list=published_list(state, federation=rules.federation, document=rules.document),
        players=players[exists | (period_games > 0)].reset_index(drop=True),
        entries=pd.DataFrame(rows, columns=list(columns)),
        ledger=ledger,
        findings=ordered(findings),
    )
