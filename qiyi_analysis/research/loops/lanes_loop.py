"""The compiled loop of the sweep: Elo for many candidates at once, one SIMD lane per candidate.

All candidates see the same games in the same order. A row of the two-dimensional arrays belongs to a
player (or a unit of games), a column to a candidate; the columns of one row lie side by side in memory.
The state is kept by the caller, so that a history can be fed in pieces.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from qiyi_analysis.research.loops.exponential import (
    LN2,
    LOOP,
    POINTS_TO_BITS,
    natural_log,
    power_of_two,
    prefetch_row,
)

#: Scored games are collected and scored this many at a time: long loops waste no SIMD lanes at their ends.
BLOCK = 64
#: Rows of scratch: four for one game, then four blocks.
WORK_ROWS = 4 + 4 * BLOCK


class Lanes(NamedTuple):
    """The candidates, a lane each. float64 of lanes unless said otherwise.

    k: classes x bands x lanes; bands: (bands - 1) x lanes, lower limits of the bands; sticky: whether the highest
    rating so far decides about the band. nu_update: Davidson's parameter of the update, nu_result that of the
    three-way loss; stretch: of the difference in the three-way loss.
    """

    k: np.ndarray
    bands: np.ndarray
    sticky: bool
    advantage: np.ndarray
    prediction_advantage: np.ndarray
    start: np.ndarray
    entrants: np.ndarray
    nu_update: np.ndarray
    nu_result: np.ndarray
    stretch: np.ndarray


class Players(NamedTuple):
    """What is known of the players: float64 players x lanes; known, waiting, stamp: int32 of players.

    peak has one row where no candidate asks for it. known: games before; waiting: games of the period stamp, which
    count after it. own_start: float64 of players, NaN where a player starts as the candidate says.
    """

    rating: np.ndarray
    pending: np.ndarray
    peak: np.ndarray
    known: np.ndarray
    waiting: np.ndarray
    stamp: np.ndarray
    own_start: np.ndarray


class Choices(NamedTuple):
    """What is the same for every candidate; ``lowest``: predictions are limited to [lowest, 1 - lowest]."""

    by_period: bool
    entrants_from: int
    scored_from: int
    scored_until: int
    known_games: int
    lowest: float
    davidson: bool
    three_way: bool


class Sums(NamedTuple):
    """What is added up: sums float64 4 x units x lanes (METRICS; the three-way loss without -ln nu of draws),
    unit_games int64 3 x units, games by result of ``first``; pair_sums float64 pairs x lanes, log-loss;
    pair_games int64 of pairs; work: float64 WORK_ROWS x lanes of scratch."""

    sums: np.ndarray
    unit_games: np.ndarray
    pair_sums: np.ndarray
    pair_games: np.ndarray
    work: np.ndarray


@njit(**LOOP)
def sweep_games(piece, players, lanes_of, choices, result):
    """Predict, score and learn the games of one :class:`Piece` of a history, in order: Players, Lanes, Choices, Sums.

    Returns the number of scored games.
    """
    first, second, half_points, period, shift = piece[:5]
    class_first, class_second, unit = piece.class_first, piece.class_second, piece.unit
    rating, pending, peak, known, waiting, stamp, start_of_player = players
    k, bands, sticky, advantage = lanes_of[:4]
    more_advantage, nu_update = lanes_of.prediction_advantage, lanes_of.nu_update
    by_period, entrants_from, scored_from, scored_until, known_games = choices[:5]
    davidson = choices.davidson
    work = result.work
    lanes = rating.shape[1]
    n_bands = bands.shape[0] + 1
    bits = work[0]
    p = work[1]
    k_first = work[2]
    k_second = work[3]
    collected = 0
    scored_games = 0
    games = first.size
    block_game = np.empty(BLOCK, np.int64)
    # Predicted as learnt: the expected score is kept for the block instead of being worked a second time.
    kept = not davidson
    for lane in range(lanes):
        kept = kept and more_advantage[lane] == 0.0
    ahead = 2
    rating_at = rating.ctypes.data
    pending_at = pending.ctypes.data
    row_bytes = lanes * 8
    for g in range(games):
        if g + ahead < games:
            prefetch_row(rating_at, first[g + ahead], row_bytes)
            prefetch_row(rating_at, second[g + ahead], row_bytes)
            if by_period:
                prefetch_row(pending_at, first[g + ahead], row_bytes)
                prefetch_row(pending_at, second[g + ahead], row_bytes)
        a = first[g]
        b = second[g]
        t = period[g]
        y = 0.5 * half_points[g]
        if stamp[a] < 0:
            enter(a, t, entrants_from, start_of_player, rating, stamp, lanes_of.start, lanes_of.entrants)
        if stamp[b] < 0:
            enter(b, t, entrants_from, start_of_player, rating, stamp, lanes_of.start, lanes_of.entrants)
        if by_period:
            if stamp[a] != t:
                settle(a, t, rating, pending, known, waiting, stamp)
            if stamp[b] != t:
                settle(b, t, rating, pending, known, waiting, stamp)
        if sticky:
            for lane in range(lanes):
                peak[a, lane] = max(peak[a, lane], rating[a, lane])
                peak[b, lane] = max(peak[b, lane], rating[b, lane])
        extra = shift[g] if shift.size else 0.0
        for lane in range(lanes):
            bits[lane] = (rating[b, lane] - rating[a, lane] - advantage[lane] - extra) * POINTS_TO_BITS
        if davidson:
            for lane in range(lanes):
                odds = power_of_two(bits[lane])
                root = nu_update[lane] * math.sqrt(odds)
                p[lane] = (1.0 + 0.5 * root) / (1.0 + odds + root)
        else:
            for lane in range(lanes):
                p[lane] = 1.0 / (1.0 + power_of_two(bits[lane]))

        inside = t >= scored_from and t < scored_until and unit[g] >= 0
        if inside and known[a] >= known_games and known[b] >= known_games:
            row = work[4 + collected]
            for lane in range(lanes):
                row[lane] = bits[lane]
            if kept:
                row = work[4 + 3 * BLOCK + collected]
                for lane in range(lanes):
                    row[lane] = p[lane]
            block_game[collected] = g
            collected += 1
            scored_games += 1

        row_first = k[class_first[g] if class_first.size else 0, 0]
        row_second = k[class_second[g] if class_second.size else 0, 0]
        if n_bands > 1:
            ca = class_first[g] if class_first.size else 0
            cb = class_second[g] if class_second.size else 0
            for lane in range(lanes):
                k_first[lane] = k[ca, 0, lane]
                k_second[lane] = k[cb, 0, lane]
            row_first = k_first
            row_second = k_second
            decides = peak if sticky else rating
            for band in range(1, n_bands):
                for lane in range(lanes):
                    limit = bands[band - 1, lane]
                    k_first[lane] = k[ca, band, lane] if decides[a, lane] >= limit else k_first[lane]
                    k_second[lane] = k[cb, band, lane] if decides[b, lane] >= limit else k_second[lane]
        if by_period:
            for lane in range(lanes):
                surprise = y - p[lane]
                pending[a, lane] += row_first[lane] * surprise
                pending[b, lane] -= row_second[lane] * surprise
            waiting[a] += 1
            waiting[b] += 1
        else:
            for lane in range(lanes):
                surprise = y - p[lane]
                rating[a, lane] += row_first[lane] * surprise
                rating[b, lane] -= row_second[lane] * surprise
            known[a] += 1
            known[b] += 1
        if collected == BLOCK or (collected > 0 and g == games - 1):
            score_block(collected, block_game, kept, piece, lanes_of, choices, result)
            collected = 0
    return scored_games


@njit(**LOOP)
def enter(player, t, entrants_from, start_of_player, rating, stamp, founder_start, entrant_start):
    """Give a player his rating before his first game."""
    own = start_of_player[player]
    for lane in range(rating.shape[1]):
        start = founder_start[lane] if t < entrants_from else entrant_start[lane]
        rating[player, lane] = own if own == own else start
    stamp[player] = t


@njit(inline="always", **LOOP)
def settle(player, t, rating, pending, known, waiting, stamp):
    """Add to a player's ratings what he won in the last period he played in."""
    for lane in range(rating.shape[1]):
        rating[player, lane] += pending[player, lane]
        pending[player, lane] = 0.0
    known[player] += waiting[player]
    waiting[player] = 0
    stamp[player] = t


@njit(**LOOP)
def score_block(collected, block_game, kept, piece, lanes_of, choices, result):
    """Add the losses of one block of games to the sums, every candidate at once.

    kept: the block of ``brier`` holds the expected scores, which are the predictions as well.
    """
    half_points, unit, pair = piece.half_points, piece.unit, piece.pair
    more_advantage, nu_update = lanes_of.prediction_advantage, lanes_of.nu_update
    nu_result, stretch = lanes_of.nu_result, lanes_of.stretch
    lowest, davidson, three_way = choices.lowest, choices.davidson, choices.three_way
    sums, unit_games, pair_sums, pair_games, work = result
    lanes = work.shape[1]
    flat = work.reshape(-1)
    x = flat[4 * lanes : (4 + BLOCK) * lanes]
    y = flat[(4 + BLOCK) * lanes : (4 + 2 * BLOCK) * lanes]
    loss = flat[(4 + 2 * BLOCK) * lanes : (4 + 3 * BLOCK) * lanes]
    brier = flat[(4 + 3 * BLOCK) * lanes :]
    highest = 1.0 - lowest
    x_high = -natural_log(lowest / highest)
    for c in range(collected):
        g = block_game[c]
        points = 0.5 * half_points[g]
        for lane in range(lanes):
            y[c * lanes + lane] = points
            x[c * lanes + lane] = (more_advantage[lane] * POINTS_TO_BITS - x[c * lanes + lane]) * LN2
    # A drawn game and a prediction of exactly one half count half a point for the favourite: the result in y is
    # replaced by that.
    if davidson:
        for c in range(collected):
            for lane in range(lanes):
                i = c * lanes + lane
                e = power_of_two(-x[i] / LN2)
                root = nu_update[lane] * math.sqrt(e)
                q = (1.0 + 0.5 * root) / (1.0 + e + root)
                q = min(max(q, lowest), highest)
                loss[i] = -y[i] * natural_log(q) - (1.0 - y[i]) * natural_log(1.0 - q)
                brier[i] = (y[i] - q) * (y[i] - q)
                y[i] = 0.5 + (y[i] - 0.5) * ((1.0 if x[i] > 0.0 else 0.0) - (1.0 if x[i] < 0.0 else 0.0))
    elif kept:
        for i in range(collected * lanes):
            v = min(max(x[i], -x_high), x_high)
            q = min(max(brier[i], lowest), highest)
            points = y[i]
            loss[i] = (1.0 - points) * v - natural_log(q)
            brier[i] = (points - q) * (points - q)
            y[i] = 0.5 + (points - 0.5) * ((1.0 if v > 0.0 else 0.0) - (1.0 if v < 0.0 else 0.0))
    else:
        for i in range(collected * lanes):
            # Clamping the prediction is clamping its log odds.
            v = min(max(x[i], -x_high), x_high)
            e = power_of_two(v * (-1.0 / LN2))
            q = 1.0 / (1.0 + e)
            points = y[i]
            loss[i] = natural_log(1.0 + e) + (1.0 - points) * v
            brier[i] = (points - q) * (points - q)
            y[i] = 0.5 + (points - 0.5) * ((1.0 if v > 0.0 else 0.0) - (1.0 if v < 0.0 else 0.0))
    for c in range(collected):
        g = block_game[c]
        u = unit[g]
        unit_games[half_points[g], u] += 1
        loss_row = sums[0, u]
        brier_row = sums[1, u]
        right_row = sums[2, u]
        first_lane = c * lanes
        for lane in range(lanes):
            loss_row[lane] += loss[first_lane + lane]
        for lane in range(lanes):
            brier_row[lane] += brier[first_lane + lane]
        for lane in range(lanes):
            right_row[lane] += y[first_lane + lane]
        if pair.size:
            row = pair_sums[pair[g]]
            for lane in range(lanes):
                row[lane] += loss[first_lane + lane]
            pair_games[pair[g]] += 1
    if three_way:
        for c in range(collected):
            g = block_game[c]
            points = 0.5 * half_points[g]
            row = sums[3, unit[g]]
            for lane in range(lanes):
                v = min(max(x[c * lanes + lane] * stretch[lane], -x_high), x_high)
                e = power_of_two(v * (-1.0 / LN2))
                row[lane] += natural_log(1.0 + e + nu_result[lane] * math.sqrt(e)) + (1.0 - points) * v
