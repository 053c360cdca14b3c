"""The compiled loop that finds the row of a K table for each side of each game."""

from __future__ import annotations

from numba import njit

from qiyi_analysis.research.loops.exponential import LOOP


@njit(inline="always", **LOOP)
def band_of(value, limits):
    """Number of limits at or below the value; an unknown value (NaN) is in the highest band."""
    # Without branches: which band a random player is in cannot be guessed by the processor.
    band = 0
    for i in range(limits.size):
        band += 1 - (value < limits[i])
    return band


@njit(**LOOP)
def classes_of_games(
    first,
    second,
    period,
    year,
    birth_year,
    time_control,
    games_limits,
    age_limits,
    by_period,
    known,
    waiting,
    stamp,
    class_first,
    class_second,
):
    """Fill the class of both sides: ``(time control * games bands + games band) * age bands + age band``.

    year: int32 of n games; birth_year: float64 of players; known, waiting, stamp: int32 of players, the
    games before, in the current period, and the current period. By period, a period's games count afterwards.
    """
    games_bands = games_limits.size + 1
    age_bands = age_limits.size + 1
    for g in range(first.size):
        control = time_control[g] if time_control.size else 0
        for side in range(2):
            player = first[g] if side == 0 else second[g]
            if stamp[player] != period[g]:
                known[player] += waiting[player]
                waiting[player] = 0
                stamp[player] = period[g]
            row = control * games_bands + band_of(float(known[player]), games_limits)
            row = row * age_bands + band_of(year[g] - birth_year[player], age_limits)
            if side == 0:
                class_first[g] = row
            else:
                class_second[g] = row
        if by_period:
            waiting[first[g]] += 1
            waiting[second[g]] += 1
        else:
            known[first[g]] += 1
            known[second[g]] += 1
