"""Draws as a result of their own: Davidson (1970) and Rao-Kupper (1967), and a draw model fitted to predictions.

``x`` is the natural log of the odds of a strength ratio (rating difference times ln 10 / 400). Probabilities
come as float64 n x 3: loss, draw, win of the first side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

Model = Literal["davidson", "rao-kupper"]
POINTS = math.log(10.0) / 400.0


def davidson(x: np.ndarray, nu: float) -> np.ndarray:
    """P(win) = pi_i / Z, P(draw) = nu sqrt(pi_i pi_j) / Z, P(loss) = pi_j / Z."""
    x = np.asarray(x, float)
    logits = np.stack([-x / 2, np.full_like(x, math.log(max(nu, 1e-300))), x / 2], axis=-1)
    logits -= logits.max(axis=-1, keepdims=True)
    weights = np.exp(logits)
    return weights / weights.sum(axis=-1, keepdims=True)


def rao_kupper(x: np.ndarray, theta: float) -> np.ndarray:
    """P(win) = pi_i / (pi_i + theta pi_j), P(loss) = pi_j / (theta pi_i + pi_j), theta >= 1."""
    x, shift = np.asarray(x, float), math.log(theta)
    win, loss = 1 / (1 + np.exp(-(x - shift))), 1 / (1 + np.exp(x + shift))
    return np.stack([loss, np.maximum(1 - win - loss, 0.0), win], axis=-1)


def probabilities(model: Model, x: np.ndarray, parameter: float) -> np.ndarray:
    """Loss, draw and win by one of the models; the parameter is nu or theta."""
    return davidson(x, parameter) if model == "davidson" else rao_kupper(x, parameter)


def expected(model: Model, difference: float | np.ndarray, parameter: float) -> np.ndarray:
    """Expected score at a rating difference."""
    three = probabilities(model, np.asarray(difference, float) * POINTS, parameter)
    return three[..., 2] + 0.5 * three[..., 1]


@dataclass(frozen=True, slots=True)
class DrawModel:
    """A draw model fitted to predicted scores: ``x' = scale logit(p) + shift``, then Davidson or Rao-Kupper.

    mean_loss: mean three-way log-loss on the games it was fitted to.
    """

    model: Model
    parameter: float
    scale: float
    shift: float
    mean_loss: float

    def of(self, p: np.ndarray, clamp: float = 0.01) -> np.ndarray:
        """Loss, draw and win probabilities for predicted scores."""
        q = np.clip(p, clamp, 1 - clamp)
        return probabilities(self.model, self.scale * np.log(q / (1 - q)) + self.shift, self.parameter)


def fit_draws(
    p: np.ndarray, half_points: np.ndarray, model: Model = "davidson", clamp: float = 0.01
) -> DrawModel:
    """Fit the draw model by maximum likelihood. Fit on tuning games, use on test games.

    Any system's predictions can so be judged on all three results; the scale undoes the change of scale
    that a draw model brings (rating-systems: never compare points across draw models).
    """
    from scipy.optimize import minimize

    q = np.clip(p, clamp, 1 - clamp)
    x = np.log(q / (1 - q))

    def parameter(value: float) -> float:
        return math.exp(value) if model == "davidson" else 1.0 + math.exp(value)

    def loss(values: np.ndarray) -> float:
        three = probabilities(model, values[1] * x + values[2], parameter(values[0]))
        return float(-np.log(np.maximum(three[np.arange(x.size), half_points], 1e-12)).mean())

    share = float(np.clip((half_points == 1).mean(), 0.001, 0.95))
    begin = (
        math.log(2 * share / (1 - share)) if model == "davidson" else math.log(2 * share / (1 - share) + 1e-9)
    )
    found = minimize(
        loss, np.array([begin, 1.0, 0.0]), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10}
    )
    if not (half_points == 1).any():
        return DrawModel(model, 0.0 if model == "davidson" else 1.0, 1.0, 0.0, float("nan"))
    return DrawModel(model, parameter(found.x[0]), float(found.x[1]), float(found.x[2]), float(found.fun))
