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
def period_games(first, second, half_points, end, own, seen, table, cap, exempt_from, surplus, games, last):
    """Add every game of a period to ``surplus`` (W - We in hundredths), ``games`` and ``last`` (day).

    ``own``: rating a player is calculated with, ``seen``: rating the opponents are calculated against; they
    differ for newcomers whose first rating came out meanwhile. ``end``: last day of each game's event.
    ``table``: hundredths of the stronger by whole difference; its last entry holds for every larger one.
    Returns how many sides of games counted.
    """
    widest = table.size - 1
    counted = 0
    for g in range(first.size):
        for side in range(2):
            a = first[g] if side == 0 else second[g]
            b = second[g] if side == 0 else first[g]
            mine, other = own[a], seen[b]
            if mine <= 0 or other <= 0:
                continue
            counted += 1
            distance = mine - other if mine >= other else other - mine
            if distance > cap and mine < exempt_from:
                distance = cap
            if distance > widest:
                distance = widest
            expected = table[distance] if mine >= other else 100 - table[distance]
            points = half_points[g] if side == 0 else 2 - half_points[g]
            surplus[a] += 50 * points - expected
            games[a] += 1
            if end[g] > last[a]:
                last[a] = end[g]
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
