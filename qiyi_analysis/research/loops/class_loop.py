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
def classes_of_games(games, bands, birth_year, by_period, counters, class_first, class_second):
    """Fill the class of both sides: ``(time control * games bands + games band) * age bands + age band``.

    games: Games; bands: Bands, the limits of games and ages; birth_year: float64 of players; counters: Counters. By
    period, a period's games count afterwards.
    """
    first, second, _, period, year, time_control, _shift = games
    games_limits, age_limits = bands.games, bands.ages
    known, waiting, stamp = counters
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
