"""Compiled sweeps of Whole-History Rating: one Newton step per player, his days forming a tridiagonal system."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from qiyi_analysis.research.loops.exponential import LN2, LOOP, power_of_two


@njit(**LOOP)
def whr_sweeps(nodes, prior, nu, rating, sweeps, tolerance):
    """Sweep over all players until no rating moves more than ``tolerance`` (natural units). Returns the sweeps made.

    nodes: Nodes; prior: virtual wins and losses against 0 on the first day. nu: Davidson's parameter, 0 for draws as halves.
    """
    begin_of_player, inverse_drift, begin_of_node, opponent, points, shift = nodes
    players = begin_of_player.size - 1
    longest = 0
    for player in range(players):
        longest = max(longest, begin_of_player[player + 1] - begin_of_player[player])
    gradient = np.empty(longest)
    diagonal = np.empty(longest)
    for sweep in range(sweeps):
        largest = 0.0
        for player in range(players):
            low = begin_of_player[player]
            days = begin_of_player[player + 1] - low
            if days == 0:
                continue
            for d in range(days):
                node = low + d
                r = rating[node]
                slope = 0.0
                bend = 1e-12
                for g in range(begin_of_node[node], begin_of_node[node + 1]):
                    x = r - rating[opponent[g]] + shift[g]
                    odds = power_of_two(-x / LN2)
                    if nu > 0.0:
                        root = nu * math.sqrt(odds)
                        z = 1.0 + odds + root
                        e = (1.0 + 0.5 * root) / z
                        bend += (1.0 + 0.25 * root) / z - e * e
                    else:
                        e = 1.0 / (1.0 + odds)
                        bend += e * (1.0 - e)
                    slope += points[g] - e
                if d == 0:
                    p = 1.0 / (1.0 + power_of_two(-r / LN2))
                    slope += prior * (1.0 - 2.0 * p)
                    bend += 2.0 * prior * p * (1.0 - p)
                else:
                    weight = inverse_drift[node - 1]
                    slope -= weight * (r - rating[node - 1])
                    bend += weight
                if d + 1 < days:
                    weight = inverse_drift[node]
                    slope -= weight * (r - rating[node + 1])
                    bend += weight
                gradient[d] = slope
                diagonal[d] = bend
            # Thomas algorithm; the off-diagonal elements are minus the inverse drifts.
            for d in range(1, days):
                weight = inverse_drift[low + d - 1]
                factor = weight / diagonal[d - 1]
                diagonal[d] -= factor * weight
                gradient[d] += factor * gradient[d - 1]
            move = 0.0
            for d in range(days - 1, -1, -1):
                weight = inverse_drift[low + d] if d + 1 < days else 0.0
                move = (gradient[d] + weight * move) / diagonal[d]
                step = min(max(move, -2.0), 2.0)
                rating[low + d] += step
                largest = max(largest, abs(move))
        if largest < tolerance:
            return sweep + 1
    return sweeps


@njit(**LOOP)
def whr_variances(nodes, prior, nu, rating, variance):
    """Variance of every node from the inverse of its player's block (the others held fixed)."""
    begin_of_player, inverse_drift, begin_of_node, opponent, _, shift = nodes
    players = begin_of_player.size - 1
    for player in range(players):
        low = begin_of_player[player]
        days = begin_of_player[player + 1] - low
        own = np.empty(days)
        forward = np.empty(days)
        backward = np.empty(days)
        for d in range(days):
            node = low + d
            r = rating[node]
            bend = 1e-12
            for g in range(begin_of_node[node], begin_of_node[node + 1]):
                odds = power_of_two(-(r - rating[opponent[g]] + shift[g]) / LN2)
                if nu > 0.0:
                    root = nu * math.sqrt(odds)
                    z = 1.0 + odds + root
                    e = (1.0 + 0.5 * root) / z
                    bend += (1.0 + 0.25 * root) / z - e * e
                else:
                    e = 1.0 / (1.0 + odds)
                    bend += e * (1.0 - e)
            if d == 0:
                p = 1.0 / (1.0 + power_of_two(-r / LN2))
                bend += 2.0 * prior * p * (1.0 - p)
            else:
                bend += inverse_drift[node - 1]
            if d + 1 < days:
                bend += inverse_drift[node]
            own[d] = bend
        for d in range(days):
            forward[d] = own[d]
            if d > 0:
                forward[d] -= inverse_drift[low + d - 1] ** 2 / forward[d - 1]
        for d in range(days - 1, -1, -1):
            backward[d] = own[d]
            if d + 1 < days:
                backward[d] -= inverse_drift[low + d] ** 2 / backward[d + 1]
            variance[low + d] = 1.0 / (forward[d] + backward[d] - own[d])
