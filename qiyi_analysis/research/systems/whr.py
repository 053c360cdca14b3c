"""Whole-History Rating (Coulom 2008): the ratings of all players on all days that explain all games best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import as_history
from qiyi_analysis.research.systems.draws import POINTS


@dataclass(frozen=True)
class WholeHistory:
    """ratings: one row per player and day he played: player (row of the history's players), day, rating, deviation.

    sweeps: sweeps over all players that were needed; converged: whether the last moved nothing beyond the tolerance.
    """

    ratings: pd.DataFrame
    sweeps: int
    converged: bool

    def last(self) -> pd.DataFrame:
        """The last row of every player."""
        return self.ratings.groupby("player", sort=True).tail(1).reset_index(drop=True)


def whole_history(
    history: History,
    *,
    w2: float = 14.0,
    prior: float = 1.0,
    advantage: float = 0.0,
    nu: float = 0.0,
    base: float = 0.0,
    tolerance: float = 1e-8,
    sweeps: int = 5000,
    begin: dict[tuple[int, int], float] | None = None,
) -> WholeHistory:
    """Fit by Newton steps, player by player, until nothing moves.

    w2: drift, Elo squared per day (300 in the Ruby and Python packages, 14 on Vietnam's site). prior: virtual wins and
    losses each, against rating 0, on a player's first day. nu: Davidson's draw parameter, 0 counts draws as halves.
    base: added to the ratings given out. A shift of the history (handicap) and the advantage go to the first side.
    begin: starting values by (player, day), from an earlier fit.
    """
    history = as_history(history)
    from qiyi_analysis.research.loops.arguments import Nodes
    from qiyi_analysis.research.loops.whr_loop import whr_sweeps, whr_variances

    days = history.day if history.period_length != "given" else history.period
    low = int(days.min())
    span = int(days.max()) - low + 1
    keys = (
        np.concatenate([history.first, history.second]).astype(np.int64) * span
        + np.concatenate([days, days])
        - low
    )
    nodes, where = np.unique(keys, return_inverse=True)
    n = len(history)
    player, day = nodes // span, (nodes % span + low).astype(np.int64)
    begin_of_player = np.searchsorted(player, np.arange(len(history.players) + 1))
    gap = np.diff(day, append=0)
    same = np.append(player[1:] == player[:-1], False)
    inverse_drift = np.zeros(nodes.size)
    inverse_drift[same] = 1.0 / (w2 * POINTS**2 * gap[same])

    order = np.argsort(where, kind="stable")
    begin_of_node = np.searchsorted(where[order], np.arange(nodes.size + 1))
    opponent = np.concatenate([where[n:], where[:n]])[order].astype(np.int32)
    y = 0.5 * history.half_points
    points = np.concatenate([y, 1 - y])[order]
    extra = (advantage + (np.zeros(n) if history.shift is None else history.shift)) * POINTS
    shift = np.concatenate([extra, -extra])[order]
    rating = np.zeros(nodes.size)
    if begin:
        newest = {p: value for (p, _), value in begin.items()}
        values = [
            begin.get((int(p), int(d)), newest.get(int(p), base)) for p, d in zip(player, day, strict=True)
        ]
        rating = (np.array(values) - base) * POINTS
    graph = Nodes(begin_of_player, inverse_drift, begin_of_node, opponent, points, shift)
    made = whr_sweeps(graph, float(prior), float(nu), rating, sweeps, tolerance)
    variance = np.empty(nodes.size)
    whr_variances(graph, float(prior), float(nu), rating, variance)
    table = pd.DataFrame(
        {
            "player": player,
            "day": day,
            "rating": rating / POINTS + base,
            "deviation": np.sqrt(variance) / POINTS,
        }
    )
    return WholeHistory(table, int(made), made < sweeps)


def whr_predictions(
    history: History,
    *,
    w2: float = 14.0,
    prior: float = 1.0,
    advantage: float = 0.0,
    nu: float = 0.0,
    refit_from: int = 0,
) -> np.ndarray:
    """Predicted scores of the first sides, each period from a fit to the periods before it (NaN before ``refit_from``).

    Slow: one fit per period. A player without games is predicted at the prior's rating.
    """
    expected = np.full(len(history), np.nan)
    known: dict[tuple[int, int], float] = {}
    shift = np.zeros(len(history)) if history.shift is None else history.shift
    for period in np.unique(history.period[history.period >= refit_from]):
        before, now = history.period < period, history.period == period
        current = np.zeros(len(history.players))
        if before.any():
            fit = whole_history(
                history.subset(before),
                w2=w2,
                prior=prior,
                advantage=advantage,
                nu=nu,
                tolerance=1e-5,
                begin=known,
            )
            table = fit.ratings
            known = dict(zip(zip(table["player"], table["day"], strict=True), table["rating"], strict=True))
            last = fit.last()
            current[last["player"].to_numpy()] = last["rating"].to_numpy()
        x = (current[history.first[now]] - current[history.second[now]] + advantage + shift[now]) * POINTS
        if nu > 0:
            root, odds = nu * np.exp(-x / 2), np.exp(-x)
            expected[now] = (1 + 0.5 * root) / (1 + odds + root)
        else:
            expected[now] = 1 / (1 + np.exp(-x))
    return expected
