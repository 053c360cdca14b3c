"""Static fits of one strength per player: Bradley-Terry with draws as halves, by Davidson, or by Rao-Kupper.

All games count alike, whenever they were played. Strengths are given in points of the logistic scale (400 / ln 10
times the natural log of pi), mean 0 inside each component without a prior. A draw model changes the scale: compare
expected scores, not points, across models.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import as_history
from qiyi_analysis.research.systems.draws import POINTS, davidson, rao_kupper

Draws = Literal["half", "davidson", "rao-kupper"]


@dataclass(frozen=True)
class StaticFit:
    """players: DataFrame player, rating, games; advantage in points; parameter: nu or theta (NaN for half).

    log_likelihood: of the games alone; penalised: with the prior, whose joint maximum over strengths and draw parameter the
    fit is; steps: Newton steps of the last fit.
    """

    draws: Draws
    players: pd.DataFrame
    advantage: float
    parameter: float
    log_likelihood: float
    steps: int
    penalised: float = math.nan

    def predict(self, first: np.ndarray, second: np.ndarray, shift: float | np.ndarray = 0.0) -> np.ndarray:
        """Loss, draw, win probabilities of first sides (float64 n x 3); with draws as halves the draw column is 0."""
        rating = self.players["rating"].fillna(0.0).to_numpy(float)
        x = (rating[first] - rating[second] + self.advantage + shift) * POINTS
        if self.draws == "davidson":
            return davidson(x, self.parameter)
        if self.draws == "rao-kupper":
            return rao_kupper(x, self.parameter)
        win = 1 / (1 + np.exp(-x))
        return np.stack([1 - win, np.zeros_like(win), win], axis=-1)


def bradley_terry(
    history: History,
    *,
    draws: Draws = "half",
    prior: float = 1.0,
    advantage: float | None = 0.0,
    tolerance: float = 1e-10,
) -> StaticFit:
    """Fit strengths by Newton steps with conjugate gradients.

    prior: virtual wins and as many virtual losses of every player against a player of rating 0; with 0 the win
    graph must be strongly connected (checked first). advantage: points of the first move, None to fit it.
    Raises ParameterError when no finite maximum exists.
    """
    history = as_history(history)
    if draws not in ("half", "davidson", "rao-kupper"):
        raise ParameterError("draws-of-fit", draws=draws)
    if prior <= 0:
        parts = strong_components(history)
        if parts > 1:
            raise ParameterError("bradley-terry-groups", parts=parts)
    if draws == "half":
        return _fit(history, draws, math.nan, prior, advantage, tolerance)
    from scipy.optimize import minimize_scalar

    if not (history.half_points == 1).any():
        raise ParameterError("draws-none", draws=draws)

    def fit(value: float) -> StaticFit:
        return _fit(history, draws, _parameter(draws, value), prior, advantage, tolerance)

    share = float(np.clip((history.half_points == 1).mean(), 1e-4, 0.97))
    guess = math.log(2 * share / (1 - share))
    found = minimize_scalar(
        lambda value: -fit(value).penalised,
        bracket=(guess - 0.5, guess + 0.5),
        method="brent",
        options={"xtol": 1e-8},
    )
    return fit(float(found.x))


def strong_components(history: History) -> int:
    """Number of groups inside which everybody is reachable by a chain of games not lost (draws count both ways)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    beats = history.half_points >= 1
    beaten = history.half_points <= 1
    winner = np.concatenate([history.first[beats], history.second[beaten]])
    loser = np.concatenate([history.second[beats], history.first[beaten]])
    n = len(history.players)
    graph = coo_array((np.ones(winner.size, np.int8), (winner, loser)), shape=(n, n)).tocsr()
    _, label = connected_components(graph, directed=True, connection="strong")
    return int(np.unique(label[np.unique(np.concatenate([history.first, history.second]))]).size)


def slopes(draws: Draws, x: np.ndarray, half_points: np.ndarray, parameter: float) -> tuple[np.ndarray, ...]:
    """Log-likelihood of each game and its first and (negative) second derivative in x."""
    if draws == "half":
        y = 0.5 * half_points
        p = 1 / (1 + np.exp(-x))
        return -np.logaddexp(0, -x) - (1 - y) * x, y - p, p * (1 - p)
    if draws == "davidson":
        three = davidson(x, parameter)
        y = 0.5 * half_points
        expected = three[:, 2] + 0.5 * three[:, 1]
        chosen = three[np.arange(x.size), half_points]
        return (
            np.log(np.maximum(chosen, 1e-300)),
            y - expected,
            three[:, 2] + 0.25 * three[:, 1] - expected**2,
        )
    shift = math.log(parameter)
    up, down = 1 / (1 + np.exp(-(x - shift))), 1 / (1 + np.exp(x + shift))
    log_up, log_down = -np.logaddexp(0, -(x - shift)), -np.logaddexp(0, x + shift)
    won, lost = half_points >= 1, half_points <= 1
    drawn = half_points == 1
    log_p = won * log_up + lost * log_down + drawn * math.log(max(parameter**2 - 1, 1e-300))
    return log_p, won * (1 - up) - lost * (1 - down), won * up * (1 - up) + lost * down * (1 - down)


def _parameter(draws: Draws, value: float) -> float:
    return math.exp(value) if draws == "davidson" else 1.0 + math.exp(value)


def _fit(
    history: History, draws: Draws, parameter: float, prior: float, advantage: float | None, tolerance: float
) -> StaticFit:
    from scipy.sparse.linalg import LinearOperator, cg

    n = len(history.players)
    first, second, halves = history.first, history.second, history.half_points
    shift = np.zeros(len(history)) if history.shift is None else history.shift * POINTS
    free = advantage is None
    plays = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    # Strengths, then the advantage as one more unknown.
    unknown = np.zeros(n + 1)
    unknown[n] = 0.0 if advantage is None else advantage * POINTS
    ridge = 1e-12 if prior > 0 else 1e-9

    def spread(values: np.ndarray) -> np.ndarray:
        out = np.bincount(first, values, n) - np.bincount(second, values, n)
        return np.append(out, values.sum() if free else 0.0)

    steps = 0
    for step in range(100):
        r = unknown[:n]
        x = r[first] - r[second] + unknown[n] + shift
        _, slope, bend = slopes(draws, x, halves, parameter)
        p = 1 / (1 + np.exp(-r))
        gradient = spread(slope)
        gradient[:n] += prior * (1 - 2 * p)
        own = 2 * prior * p * (1 - p) + ridge
        diagonal = np.bincount(first, bend, n) + np.bincount(second, bend, n) + own
        diagonal = np.append(diagonal, bend.sum() if free else 1.0)

        def apply(v: np.ndarray, bend: np.ndarray = bend, own: np.ndarray = own) -> np.ndarray:
            out = spread(bend * (v[first] - v[second] + (v[n] if free else 0.0)))
            out[:n] += own * v[:n]
            if not free:
                out[n] += v[n]
            return out

        move, _ = cg(
            LinearOperator((n + 1, n + 1), matvec=apply, dtype=float),
            gradient,
            rtol=1e-12,
            maxiter=2000,
            M=LinearOperator((n + 1, n + 1), matvec=lambda v, d=diagonal: v / d, dtype=float),
        )
        # The likelihood is concave; a step longer than three units only happens far from the maximum.
        unknown = unknown + move * min(1.0, 3.0 / max(np.abs(move).max(), 1e-300))
        steps = step + 1
        if np.abs(move).max() < tolerance:
            break
    rating = unknown[:n] / POINTS
    if prior <= 0:
        rating -= rating[plays > 0].mean()
    players = pd.DataFrame(
        {"player": history.players["player"], "rating": np.where(plays > 0, rating, np.nan), "games": plays}
    )
    x = unknown[first] - unknown[second] + unknown[n] + shift
    total = float(slopes(draws, x, halves, parameter)[0].sum())
    r = unknown[:n]
    penalised = total - prior * float((np.logaddexp(0, -r) + np.logaddexp(0, r)).sum())
    return StaticFit(draws, players, float(unknown[n] / POINTS), parameter, total, steps, penalised)
