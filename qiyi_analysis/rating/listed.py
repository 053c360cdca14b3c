"""An event with what the rating list in force knows of its players.

A calculation goes by the event; where its file is silent, the list in force on the first day is asked, once,
before anything is calculated. Only a certain match gives a value; doubts are findings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

import numpy as np

from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.identity import match, match_findings
from qiyi_analysis.model.rating_list import RatingList

#: Column of the event -> column of the list that fills it where the event has nothing.
FILLED = {"rating": "rating", "k": "k", "games_before": "games", "peak": "peak", "birth_year": "birth_year"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """``event``: with the list's values where the file had none; ``findings``: who they were taken from on the
    name, and doubtful names where a value is missing."""

    event: Event
    findings: tuple[Finding, ...] = ()


def list_in_force(lists: Iterable[RatingList] | None, day: date | None) -> RatingList | None:
    """The newest list that is not younger than ``day``; without a day the newest of all."""
    dated = [one for one in lists or () if one.day is None or day is None or one.day <= day]
    return max(dated, key=lambda one: one.day or date.min, default=None)


def listed(event: Event, lists: Iterable[RatingList] | None, over: bool = False) -> Listed:
    """The event completed from the list in force on its first day; ``over``: rating and K of the list decide."""
    current = list_in_force(lists, event.start)
    if current is None:
        return Listed(event=event)
    players = event.players
    found = match(players, current.register)
    sure = found.row >= 0
    # A rating the reader took from the grade gives way to the list's.
    graded = (players["rating_kind"] == "grade").to_numpy()
    columns = {}
    for own_name, list_name in FILLED.items():
        own = players[own_name].to_numpy(dtype=np.float64)
        values = current.games_so_far if list_name == "games" else current.rows[list_name].to_numpy()
        fill = sure & np.isnan(own)
        if own_name == "rating":
            fill[sure & graded] = ~np.isnan(values[found.row[sure & graded]])
        if over and own_name in ("rating", "k"):
            # A K of 0 in a list means not known.
            on_list = np.append(values, np.nan)[found.row]
            fill |= sure & (on_list > 0)
        columns[own_name] = own.copy()
        columns[own_name][fill] = values[found.row[fill]]
    silent = np.flatnonzero(players["rating"].isna() | players["k"].isna() | graded).tolist()
    return Listed(
        event=event.with_players(**columns), findings=match_findings(players, current.register, found, silent)
    )
