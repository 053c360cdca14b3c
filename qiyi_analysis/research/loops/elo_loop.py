"""Compiled loops of one Elo candidate: game by game, and by period."""

from __future__ import annotations

import math

from numba import njit

from qiyi_analysis.research.loops.class_loop import band_of
from qiyi_analysis.research.loops.exponential import LOOP, POINTS_TO_BITS, power_of_two

LOGISTIC, NORMAL, TABLE, DAVIDSON = 0, 1, 2, 3


@njit(inline="always", **LOOP)
def expected_score(difference, law, cap, table):
    """Expected score at a rating difference: logistic, normal (standard deviation 200 sqrt 2), a printed table, or
    Davidson's model, whose draw parameter is the first number of the table.

    table: float64, expectation of the stronger at differences 0, 1, 2, ... (the last for all larger ones); the
    difference is rounded to a whole number, halves away from zero.
    """
    difference = min(max(difference, -cap), cap)
    if law == LOGISTIC:
        return 1.0 / (1.0 + power_of_two(-difference * POINTS_TO_BITS))
    if law == NORMAL:
        return 0.5 * math.erfc(-difference / 400.0)
    if law == DAVIDSON:
        odds = power_of_two(-difference * POINTS_TO_BITS)
        root = table[0] * math.sqrt(odds)
        return (1.0 + 0.5 * root) / (1.0 + odds + root)
    row = min(int(abs(difference) + 0.5), table.size - 1)
    return table[row] if difference >= 0.0 else 1.0 - table[row]


@njit(inline="always", **LOOP)
def cell_of(games, age, rating, peak, bands):
    """Index of a K inside the table of one time control (bands of games, age, rating, highest rating)."""
    cell = band_of(games, bands.games)
    cell = cell * (bands.ages.size + 1) + band_of(age, bands.ages)
    cell = cell * (bands.ratings.size + 1) + band_of(rating, bands.ratings)
    return cell * (bands.peaks.size + 1) + band_of(peak, bands.peaks)


@njit(**LOOP)
def elo_games(games_of, law_of, bands, people, state, expected):
    """Learn games one after the other; ``expected`` (float64 of n) receives each prediction of the first side.

    Arguments: Games, Law, Bands, People, EloState; a player's rating becomes ``start`` with the first game.
    """
    first, second, half_points, _period, year, control, shift = games_of
    law, advantage, cap, table = law_of
    start, birth_year = people
    k = bands.k
    rating, peak, games = state
    plain = k.size == 1
    one_k = k[0, 0]
    for g in range(first.size):
        a = first[g]
        b = second[g]
        if games[a] == 0:
            rating[a] = start[a]
        if games[b] == 0:
            rating[b] = start[b]
        ra = rating[a]
        rb = rating[b]
        difference = ra - rb + advantage + (shift[g] if shift.size else 0.0)
        p = expected_score(difference, law, cap, table)
        expected[g] = p
        surprise = 0.5 * half_points[g] - p
        if plain:
            rating[a] = ra + one_k * surprise
            rating[b] = rb - one_k * surprise
        else:
            row = control[g] if control.size else 0
            this_year = year[g] if year.size else 0
            peak[a] = max(peak[a], ra)
            peak[b] = max(peak[b], rb)
            ca = cell_of(
                float(games[a]),
                this_year - birth_year[a],
                ra,
                peak[a],
                bands,
            )
            cb = cell_of(
                float(games[b]),
                this_year - birth_year[b],
                rb,
                peak[b],
                bands,
            )
            rating[a] = ra + k[row, ca] * surprise
            rating[b] = rb - k[row, cb] * surprise
        games[a] += 1
        games[b] += 1


@njit(**LOOP)
def plain_games(games_of, advantage, k, rating, games, expected):
    """``elo_games`` for one K, the logistic law and no shifts; rating begins as everybody's start."""
    first, second, half_points = games_of[:3]
    for g in range(first.size):
        a = first[g]
        b = second[g]
        ra = rating[a]
        rb = rating[b]
        p = 1.0 / (1.0 + power_of_two((rb - ra - advantage) * POINTS_TO_BITS))
        expected[g] = p
        move = k * (0.5 * half_points[g] - p)
        rating[a] = ra + move
        rating[b] = rb - move
        games[a] += 1
        games[b] += 1


@njit(**LOOP)
def plain_periods(games_of, advantage, k, rating, pending, games, expected):
    """``elo_periods`` for one K, the logistic law and no shifts; rating begins as everybody's start."""
    first, second, half_points, period = games_of[:4]
    n = first.size
    begin = 0
    while begin < n:
        t = period[begin]
        end = begin
        while end < n and period[end] == t:
            a = first[end]
            b = second[end]
            p = 1.0 / (1.0 + power_of_two((rating[b] - rating[a] - advantage) * POINTS_TO_BITS))
            expected[end] = p
            move = k * (0.5 * half_points[end] - p)
            pending[a] += move
            pending[b] -= move
            games[a] += 1
            games[b] += 1
            end += 1
        # Going through the games again finds who played without a list; a second visit adds nothing.
        for g in range(begin, end):
            a = first[g]
            rating[a] += pending[a]
            pending[a] = 0.0
            b = second[g]
            rating[b] += pending[b]
            pending[b] = 0.0
        begin = end


#: Columns of the state of ``elo_periods``: what a game needs of a player lies together.
RATING, PENDING, K, GAMES = range(4)


@njit(**LOOP)
def elo_periods(games_of, law_of, bands, people, state_of, expected):
    """Learn games by period: all games of a period use the ratings before it.

    Arguments: Games, Law, Bands, People, PeriodState. The column K of the state holds the K in force, or its cell in the
    table where it depends on the time control; ages are those of the period's first game. A period must not be cut
    between two calls.
    """
    first, second, half_points, period, year, control, shift = games_of
    law, advantage, cap, table = law_of
    start, birth_year = people
    k = bands.k
    state, peak, stamp, touched = state_of
    plain = k.size == 1
    by_control = k.shape[0] > 1
    one_k = k[0, 0]
    # With at most one limit of each kind, the usual rule, the cell is arithmetic without loops.
    games_bands, age_bands = bands.games.size, bands.ages.size
    rating_bands, peak_bands = bands.ratings.size, bands.peaks.size
    single = max(games_bands, age_bands, rating_bands, peak_bands) <= 1
    games_limit = bands.games[0] if games_bands else 0.0
    age_limit = bands.ages[0] if age_bands else 0.0
    rating_limit = bands.ratings[0] if rating_bands else 0.0
    peak_limit = bands.peaks[0] if peak_bands else 0.0
    n = first.size
    begin = 0
    while begin < n:
        t = period[begin]
        end = begin
        count = 0
        # Who plays in the period: written down without a branch, which could not be guessed.
        while end < n and period[end] == t:
            a = first[end]
            b = second[end]
            touched[count] = a
            count += stamp[a] != t
            stamp[a] = t
            touched[count] = b
            count += stamp[b] != t
            stamp[b] = t
            end += 1
        for i in range(count):
            player = touched[i]
            rating = state[player, RATING]
            if rating != rating:
                rating = start[player]
                state[player, RATING] = rating
            if not plain:
                peak[player] = max(peak[player], rating)
                age = (year[begin] if year.size else 0) - birth_year[player]
                if single:
                    band = games_bands * (1 - (state[player, GAMES] < games_limit))
                    cell = band * (age_bands + 1) + age_bands * (1 - (age < age_limit))
                    cell = cell * (rating_bands + 1) + rating_bands * (1 - (rating < rating_limit))
                    cell = cell * (peak_bands + 1) + peak_bands * (1 - (peak[player] < peak_limit))
                else:
                    cell = cell_of(
                        state[player, GAMES],
                        age,
                        rating,
                        peak[player],
                        bands,
                    )
                state[player, K] = float(cell) if by_control else k[0, cell]
        for g in range(begin, end):
            a = first[g]
            b = second[g]
            difference = state[a, RATING] - state[b, RATING] + advantage + (shift[g] if shift.size else 0.0)
            p = expected_score(difference, law, cap, table)
            expected[g] = p
            surprise = 0.5 * half_points[g] - p
            k_first = k_second = one_k
            if not plain:
                k_first = state[a, K]
                k_second = state[b, K]
                if by_control:
                    row = control[g] if control.size else 0
                    k_first = k[row, int(k_first)]
                    k_second = k[row, int(k_second)]
            state[a, PENDING] += k_first * surprise
            state[b, PENDING] -= k_second * surprise
            state[a, GAMES] += 1.0
            state[b, GAMES] += 1.0
        for i in range(count):
            player = touched[i]
            state[player, RATING] += state[player, PENDING]
            state[player, PENDING] = 0.0
        begin = end
