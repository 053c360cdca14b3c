"""The compiled loop that counts each player's earlier games."""

from __future__ import annotations

import numpy as np
from numba import njit

from qiyi_analysis.research.loops.exponential import LOOP


def games_before(
    first: np.ndarray, second: np.ndarray, period: np.ndarray, players: int, by_period: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Games of both sides before each game (before its period, ``by_period``): two int32 of n."""
    out = np.empty((2, first.size), np.int32)
    _count(
        first,
        second,
        period,
        by_period,
        *(np.zeros(players, np.int32) for _ in range(2)),
        np.full(players, -1, np.int32),
        out,
    )
    return out[0], out[1]


@njit(**LOOP)
def _count(first, second, period, by_period, known, waiting, stamp, out):
    for g in range(first.size):
        for side in range(2):
            player = first[g] if side == 0 else second[g]
            if not by_period or stamp[player] != period[g]:
                known[player] += waiting[player]
                waiting[player] = 0
                stamp[player] = period[g]
            out[side, g] = known[player]
        waiting[first[g]] += 1
        waiting[second[g]] += 1
