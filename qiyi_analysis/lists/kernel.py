"""The compiled loop of a period that looks up each game: whole hundredths, exact, the same order or not.

``rating`` is 0 for a player without one. A game counts where both have a rating; the difference of a player
below ``exempt_from`` is limited to ``cap``.
"""

from __future__ import annotations

from typing import Any

from numba import njit

#: Division without Python's checks lets the loop vectorise; compiled once, kept on disk.
LOOP: Any = {"cache": True, "error_model": "numpy", "nogil": True, "boundscheck": False}


@njit(**LOOP)
def period_games(first, second, half_points, end, rating, table, cap, exempt_from, surplus, games, last):
    """Add every game of a period to ``surplus`` (W - We in hundredths), ``games`` and ``last`` (day).

    ``end``: last day of each game's event. ``table``: hundredths of the stronger by whole difference; its
    last entry holds for every larger one. Returns how many games counted.
    """
    widest = table.size - 1
    counted = 0
    for g in range(first.size):
        a, b = first[g], second[g]
        ra, rb = rating[a], rating[b]
        if ra <= 0 or rb <= 0:
            continue
        counted += 1
        distance = ra - rb if ra >= rb else rb - ra
        limited = cap if distance > cap else distance
        own = distance if ra >= exempt_from else limited
        other = distance if rb >= exempt_from else limited
        own = widest if own > widest else own
        other = widest if other > widest else other
        if ra >= rb:
            ea, eb = table[own], 100 - table[other]
        else:
            ea, eb = 100 - table[own], table[other]
        h = half_points[g]
        surplus[a] += 50 * h - ea
        surplus[b] += 50 * (2 - h) - eb
        games[a] += 1
        games[b] += 1
        day = end[g]
        if day > last[a]:
            last[a] = day
        if day > last[b]:
            last[b] = day
    return counted


@njit(**LOOP)
def newcomer_games(first, second, half_points, rating, wanted, row, person, opponent, points):
    """Games of players without a rating (``wanted``) against rated opponents, both sides of each game.

    Fills the four output arrays and returns how many entries there are; call once with empty arrays to
    count.
    """
    found = 0
    store = row.size > 0
    for g in range(first.size):
        for side in range(2):
            a = first[g] if side == 0 else second[g]
            b = second[g] if side == 0 else first[g]
            if wanted[a] and rating[a] <= 0 and rating[b] > 0:
                if store:
                    row[found] = g
                    person[found] = a
                    opponent[found] = rating[b]
                    points[found] = half_points[g] if side == 0 else 2 - half_points[g]
                found += 1
    return found
