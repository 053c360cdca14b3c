"""Elo with a K that is a Python function of the user's: array steps by period, or a plain loop over games."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History, birth_years
from qiyi_analysis.research.sweeps.k_schedule import KSchedule
from qiyi_analysis.research.systems.runs import Run, player_table, snapshot_ends, snapshots_of, starts, years


def elo_with_function(
    history: History,
    schedule: KSchedule,
    *,
    update: str,
    advantage: float,
    start: float,
    law: Any = "logistic",
    cap: float = np.inf,
    draw_nu: float = 0.0,
    snapshots: str | None = None,
    name: str = "",
) -> Any:
    """Run Elo with ``schedule.function(rating, games, age, time_control)``; see ``systems.elo``.

    By period the function is called twice per period (first and second sides, one entry per game), by game once
    per game (two entries). time_control is an array of names, "" where the history has none.
    """
    rating = starts(history, start)
    games = np.zeros(rating.size, np.int64)
    born, year = birth_years(history.players), years(history)
    names = np.array([*history.time_controls, ""], object)
    control = names[np.full(len(history), -1) if history.time_control is None else history.time_control]
    expected = np.empty(len(history))
    shift = np.zeros(len(history)) if history.shift is None else history.shift

    ends = dict.fromkeys(snapshot_ends(history, snapshots)) if snapshots else {}
    taken = []
    if update == "period":
        edges = np.flatnonzero(np.diff(history.period)) + 1
        parts = [slice(a, b) for a, b in zip([0, *edges], [*edges, len(history)], strict=True)]
    else:
        parts = [slice(g, g + 1) for g in range(len(history))]
    for part in parts:
        first, second = history.first[part], history.second[part]
        p = expected_scores(rating[first] - rating[second] + advantage + shift[part], law, cap, draw_nu)
        expected[part] = p
        surprise = 0.5 * history.half_points[part] - p
        change = np.zeros_like(rating)
        for side, sign in ((first, 1.0), (second, -1.0)):
            k = _called(schedule, rating[side], games[side], year[part] - born[side], control[part])
            change += np.bincount(side, weights=sign * k * surprise, minlength=rating.size)
        rating += change
        games += np.bincount(first, minlength=rating.size) + np.bincount(second, minlength=rating.size)
        if part.stop in ends:
            now = np.where(games > 0, rating, np.nan)
            taken.append((int(history.period[part.stop - 1]), now, games.astype(np.int32)))
    rating[games == 0] = np.nan
    parameters = {"k": schedule.name, "update": update, "advantage": advantage, "start": start}
    return Run(
        name or f"Elo {schedule.name}" + (" per game" if update == "game" else ""), parameters, expected,
        player_table(history, rating, games), snapshots_of(taken),
    )  # fmt: skip


def expected_scores(
    difference: np.ndarray, law: Any = "logistic", cap: float = np.inf, draw_nu: float = 0.0
) -> np.ndarray:
    """Expected score at rating differences: "logistic", "normal", or a printed table by whole difference."""
    difference = np.clip(np.asarray(difference, float), -cap, cap)
    if draw_nu > 0:
        root = draw_nu * 10.0 ** (-difference / 800.0)
        return (1.0 + 0.5 * root) / (1.0 + 10.0 ** (-difference / 400.0) + root)
    if isinstance(law, np.ndarray):
        high = law[np.minimum(np.floor(np.abs(difference) + 0.5).astype(np.int64), law.size - 1)]
        return np.where(difference >= 0, high, 1.0 - high)
    if law == "normal":
        from scipy.special import ndtr

        return ndtr(difference / (200.0 * math.sqrt(2.0)))
    return 1.0 / (1.0 + 10.0 ** (-difference / 400.0))


def _called(schedule: KSchedule, *facts: np.ndarray) -> np.ndarray:
    assert schedule.function is not None
    k = np.asarray(schedule.function(*facts), float)
    if k.shape not in ((), facts[0].shape) or not np.isfinite(k).all():
        raise ParameterError("k-function", name=schedule.name, shape=str(k.shape), count=facts[0].size)
    return k
