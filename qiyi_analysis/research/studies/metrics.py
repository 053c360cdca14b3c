"""How well predictions met the results, with draws as results of their own.

``p`` is the predicted score of the first side (float64 of n), ``half_points`` his result in halves (0, 1, 2).
Predictions are clamped to [clamp, 1 - clamp] before a logarithm is taken; 0.01 is the clamp of the published
comparisons (rating-systems, predictive metrics). Games with a NaN prediction must be left out by the caller.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History

CLAMP = 0.01


def log_losses(p: np.ndarray, half_points: np.ndarray, clamp: float = CLAMP) -> np.ndarray:
    """Binomial deviance of each game in nats: ``-(y ln p + (1 - y) ln (1 - p))`` with y = 0, 1/2, 1.

    A draw costs at least ln 2: do not compare data with different shares of draws.
    """
    q = np.clip(p, clamp, 1.0 - clamp)
    y = 0.5 * half_points
    return -(y * np.log(q) + (1.0 - y) * np.log1p(-q))


def brier_scores(p: np.ndarray, half_points: np.ndarray) -> np.ndarray:
    """Squared error of each game."""
    return (0.5 * half_points - p) ** 2


def favourite_right(p: np.ndarray, half_points: np.ndarray) -> np.ndarray:
    """1 where the favourite won, 1/2 for a draw or no favourite, 0 where he lost."""
    return 0.5 + 0.5 * np.sign(half_points - 1.0) * np.sign(p - 0.5)


def three_way_losses(probabilities: np.ndarray, half_points: np.ndarray, clamp: float = CLAMP) -> np.ndarray:
    """``-ln P(result)`` of each game; probabilities: float64 n x 3 of loss, draw, win of the first side."""
    chosen = probabilities[np.arange(half_points.size), half_points]
    return -np.log(np.clip(chosen, clamp, 1.0))


def summary(p: np.ndarray, half_points: np.ndarray, clamp: float = CLAMP) -> dict[str, float]:
    """Means over the games: log_loss, brier, mae, accuracy (draws half), accuracy_decisive, score, expected, draws."""
    if not p.size:
        raise ParameterError("metrics-empty")
    decisive = (half_points != 1) & (p != 0.5)
    right = favourite_right(p, half_points)
    return {
        "games": float(p.size),
        "log_loss": float(log_losses(p, half_points, clamp).mean()),
        "brier": float(brier_scores(p, half_points).mean()),
        "mae": float(np.abs(0.5 * half_points - p).mean()),
        "accuracy": float(right.mean()),
        "accuracy_decisive": float(right[decisive].mean()) if decisive.any() else math.nan,
        "score": float(0.5 * half_points.mean()),
        "expected": float(p.mean()),
        "draws": float((half_points == 1).mean()),
    }


def kaggle_2010(
    month: np.ndarray, first: np.ndarray, second: np.ndarray, p: np.ndarray, y: np.ndarray
) -> float:
    """Root mean square error of predicted and scored points by player and month (contest of 2010)."""
    sides = pd.DataFrame(
        {
            "month": np.concatenate([month, month]),
            "player": np.concatenate([first, second]),
            "error": np.concatenate([p - y, y - p]),
        }
    )
    return float(np.sqrt((sides.groupby(["month", "player"])["error"].sum() ** 2).mean()))


def calibration(expected: np.ndarray, history: History, scored: np.ndarray, bins: int = 10) -> pd.DataFrame:
    """Bins of equal counts of the scored games: ``bin, games, expected, score, low, high, losses, draws, wins``.

    expected: of every game of the history; low, high: 95 % interval of the mean score, for games that share players and
    periods, Wilson's where all results are equal; losses, draws, wins: shares of results.
    """
    from qiyi_analysis.research.studies.inference import clustered_errors

    p, halves = expected[scored], history.half_points[scored]
    label = np.empty(p.size, int)
    for number, part in enumerate(np.array_split(np.argsort(p, kind="stable"), max(1, min(bins, p.size)))):
        label[part] = number
    count = np.bincount(label)
    mean = np.bincount(label, 0.5 * halves) / count
    residual = np.zeros((p.size, count.size))
    residual[np.arange(p.size), label] = 0.5 * halves - mean[label]
    error = 1.96 * clustered_errors(residual, history, scored) / count
    low, high = np.maximum(mean - error, 0.0), np.minimum(mean + error, 1.0)
    for place in np.flatnonzero(error == 0):  # all results of the bin are equal
        low[place], high[place] = wilson(float(mean[place]), int(count[place]))
    shares = {n: np.bincount(label, halves == h) / count for h, n in enumerate(("losses", "draws", "wins"))}
    return pd.DataFrame(
        {
            "bin": np.arange(1, count.size + 1), "games": count, "expected": np.bincount(label, p) / count, "score": mean,
            "low": low, "high": high, **shares,
        }
    )  # fmt: skip


def wilson(share: float, n: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share."""
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return centre - half, centre + half


@dataclass(frozen=True, slots=True)
class CalibrationSlope:
    """Logit regression of the score on the predicted log-odds: slope 1 and shift 0 are calibrated.

    A slope below 1 means that ratings are too spread out; shift is in rating points for the first side.
    """

    slope: float
    shift: float
    slope_error: float


def calibration_slope(
    expected: np.ndarray, history: History, scored: np.ndarray, clamp: float = CLAMP
) -> CalibrationSlope:
    """Fit ``logit E(y) = a + b logit p`` to the scored games by Newton steps; draws enter as half a win and half a loss. The
    error is that of games that share players and periods."""
    from qiyi_analysis.research.studies.inference import clustered_errors

    q = np.clip(expected[scored], clamp, 1 - clamp)
    x = np.log(q / (1 - q))
    y = 0.5 * history.half_points[scored]
    design = np.stack([np.ones_like(x), x])
    beta = np.array([0.0, 1.0])
    for _ in range(50):
        fitted = 1 / (1 + np.exp(-np.clip(beta @ design, -30, 30)))
        hessian = (design * (fitted * (1 - fitted))) @ design.T
        if abs(np.linalg.det(hessian)) < 1e-12:
            return CalibrationSlope(math.nan, math.nan, math.nan)
        step = np.linalg.solve(hessian, design @ (y - fitted))
        beta = beta + step
        if np.abs(step).max() < 1e-10:
            break
    influence = (np.linalg.inv(hessian) @ design)[1] * (y - fitted)
    error = float(clustered_errors(influence[:, None], history, scored)[0])
    return CalibrationSlope(float(beta[1]), float(beta[0] * 400 / math.log(10)), error)


def murphy(p: np.ndarray, half_points: np.ndarray, bins: int = 20) -> dict[str, float]:
    """Brier = reliability - resolution + uncertainty (+ the spread of predictions inside the bins).

    reliability: how far the bins' scores are from their predictions (0 is best); resolution: how far they
    are from the mean score; uncertainty: variance of the results.
    """
    y = 0.5 * half_points
    order = np.argsort(p, kind="stable")
    reliability = resolution = 0.0
    for part in np.array_split(order, max(1, min(bins, p.size))):
        reliability += part.size * (p[part].mean() - y[part].mean()) ** 2
        resolution += part.size * (y[part].mean() - y.mean()) ** 2
    brier, uncertainty = float(((y - p) ** 2).mean()), float(y.var())
    reliability, resolution = float(reliability / p.size), float(resolution / p.size)
    return {
        "brier": brier,
        "reliability": reliability,
        "resolution": resolution,
        "uncertainty": uncertainty,
        "within_bins": brier - (reliability - resolution + uncertainty),
    }
