"""Many variants in one calculation: copies of the event under other ratings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qiyi_analysis.audit.causes.search import Search, reproduces
from qiyi_analysis.audit.published import Numbers, agreement, numbers_of
from qiyi_analysis.rating.entrants import Entrants, GameRows
from qiyi_analysis.rating.table_method import Calculation, with_changes, with_expectations


def copies(
    base: Calculation, members: np.ndarray, ratings: np.ndarray, own_rows: np.ndarray
) -> tuple[Entrants, GameRows]:
    """``len(ratings)`` copies of the members with other ratings, and the chosen rows for each copy.

    ``members``: positions of the players in a copy. ``ratings``: shape (copies, members).
    """
    count, size = ratings.shape
    place = np.full(len(base.entrants.number), -1, dtype=np.int64)
    place[members] = np.arange(size)
    field, rows = base.entrants, base.rows

    def tiled(values: np.ndarray) -> np.ndarray:
        return np.tile(values[members], count)

    changed = ratings.ravel()
    entrants = Entrants(
        number=tiled(field.number),
        rating=changed,
        base=changed.astype(np.float64),
        has_rating=changed > 0,
        provisional=tiled(field.provisional),
        undetermined=tiled(field.undetermined),
        female=tiled(field.female),
        group=np.repeat(np.arange(count), size),
    )
    offset = np.repeat(np.arange(count) * size, len(own_rows))
    opponent = np.tile(np.where(rows.opponent[own_rows] >= 0, place[rows.opponent[own_rows]], -1), count)
    game_rows = GameRows(
        row=np.tile(rows.row[own_rows], count),
        round=np.tile(rows.round[own_rows], count),
        player=np.tile(place[rows.player[own_rows]], count) + offset,
        opponent=np.where(opponent >= 0, opponent + offset, -1),
        half_points=np.tile(rows.half_points[own_rows], count),
        counted=np.tile(rows.counted[own_rows], count),
        reason=np.tile(rows.reason[own_rows], count),
    )
    return entrants, game_rows


def recalculated(
    d: Search, base: Calculation, members: np.ndarray, field: Entrants, rows: GameRows
) -> Numbers:
    """The numbers of all members of every copy, with each player's K as it was used."""
    count = len(field.number) // len(members)
    result = with_expectations(field, rows, d.event, d.rules)
    result = with_changes(
        replace(result, k=np.tile(base.k[members], count)), np.tile(d.first[members], count)
    )
    return numbers_of(result, d.rules)


def reproduced_in_copies(
    d: Search, i: int, members: np.ndarray, copied: Numbers
) -> tuple[np.ndarray, np.ndarray]:
    """In which of the copies the differing numbers of player ``i`` are reproduced, and in which all of them.

    ``copied``: the numbers of all ``members`` of every copy.
    """
    count = len(copied.change) // len(members)
    at = np.arange(count) * len(members) + int(np.searchsorted(members, i))
    return reproduces(
        agreement(d.printed.at(i).repeated(count), copied.of(at)), d.agreed.of(np.array([i])).repeated(count)
    )
