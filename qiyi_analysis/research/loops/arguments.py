"""What the compiled loops take: games, laws, tables of K and players, by name instead of by place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Games(NamedTuple):
    """Some games in order, an element each: int32 but for half_points (int8, points of ``first`` in halves) and shift
    (float64, points added to the first side's difference). year, control and shift have length 0 where there are none."""

    first: np.ndarray
    second: np.ndarray
    half_points: np.ndarray
    period: np.ndarray
    year: np.ndarray
    control: np.ndarray
    shift: np.ndarray


class Law(NamedTuple):
    """How a difference becomes an expected score: code of the law, points of the first move, largest difference, and the
    printed table (float64, expectation of the stronger at differences 0, 1, 2, ...; one element where there is none)."""

    code: int
    advantage: float
    cap: float
    table: np.ndarray


class Bands(NamedTuple):
    """A table of K, float64 time controls x cells (``elo_loop.cell_of``), and the limits its cells are made of."""

    k: np.ndarray
    games: np.ndarray
    ages: np.ndarray
    ratings: np.ndarray
    peaks: np.ndarray


class People(NamedTuple):
    """What is known of the players beforehand, float64: rating before the first game, and year of birth or NaN."""

    start: np.ndarray
    birth_year: np.ndarray


class EloState(NamedTuple):
    """rating: float64 of players, NaN before the first game; peak: highest so far; games: int32, games so far."""

    rating: np.ndarray
    peak: np.ndarray
    games: np.ndarray


class PeriodState(NamedTuple):
    """columns: float64 of players x 4 (``elo_loop.RATING`` ...), NaN as the rating of who has not played; peak: float64 of
    players; stamp: int32 of players, -1 at first; touched: int32 of players + 1, scratch."""

    columns: np.ndarray
    peak: np.ndarray
    stamp: np.ndarray
    touched: np.ndarray


class GlickoRule(NamedTuple):
    """Constants of the Glicko family, in points (Glicko-2: in its own units, 173.7178 points).

    start_deviation: before the first game; c_squared, h_squared: growth of the variance by period and by game; bonus and
    pull: of the Stephenson system; volatility, tau, tolerance: of Glicko-2; low, top: limits of the variance.
    """

    advantage: float
    start_deviation: float
    c_squared: float
    h_squared: float
    bonus: float
    pull: float
    volatility: float
    tau: float
    tolerance: float
    low: float
    top: float


class GlickoState(NamedTuple):
    """rating, variance, volatility: float64 of players; last: int32, period of the last game, -1 before; games: int32."""

    rating: np.ndarray
    variance: np.ndarray
    volatility: np.ndarray
    last: np.ndarray
    games: np.ndarray


class GlickoWork(NamedTuple):
    """Scratch of one period, of players: g of each, sums of surprise, information and opponents (float64); games and the
    players met (int32)."""

    attenuation: np.ndarray
    surprise: np.ndarray
    information: np.ndarray
    opponents: np.ndarray
    games: np.ndarray
    touched: np.ndarray


class FideRule(NamedTuple):
    """The numbers of an edition. cap_free_from: rating from which the own difference is not capped; product: largest
    K x n (0: none). With ``wait`` a player without a rating collects games against rated opponents until ``newcomer_games``;
    extra_draws draws against extra_rating are added; performance: float64 of 101, difference for 0..100 per cent; the first
    rating is at least floor and at most ceiling."""

    cap: float
    cap_free_from: float
    product: float
    wait: bool
    newcomer_games: int
    extra_draws: int
    extra_rating: float
    performance: np.ndarray
    floor: float
    ceiling: float


class FideState(NamedTuple):
    """Of players: rating, highest rating (float64), rated games, period of the last game (int32), and of who has no rating
    yet the games (int32), sum of opponents and points (float64) so far."""

    rating: np.ndarray
    peak: np.ndarray
    games: np.ndarray
    last: np.ndarray
    collected_games: np.ndarray
    collected_opponents: np.ndarray
    collected_points: np.ndarray


class FideWork(NamedTuple):
    """Scratch of one period, of players: games (int32), sum of surprise, K in force (float64), the players met (int32)."""

    games: np.ndarray
    surprise: np.ndarray
    k: np.ndarray
    touched: np.ndarray


class Nodes(NamedTuple):
    """The days of Whole-History Rating. begin_of_player: int64 players + 1, first node of each (a node is a player's day, in
    order); inverse_drift: float64 of nodes, 1 / variance of the step to the same player's next day (0 after the last);
    begin_of_node: int64 nodes + 1 into opponent (int32, node), points (0, 1/2, 1), shift (natural units, own side)."""

    begin_of_player: np.ndarray
    inverse_drift: np.ndarray
    begin_of_node: np.ndarray
    opponent: np.ndarray
    points: np.ndarray
    shift: np.ndarray


class Counters(NamedTuple):
    """Earlier games, of players, int32: known before the current period, waiting in it, and the period itself (stamp)."""

    known: np.ndarray
    waiting: np.ndarray
    stamp: np.ndarray
