"""The sweep: many Elo candidates predicted, scored and learnt in one pass over a history.

Every game is predicted from the ratings before it (before its period, with ``update="period"``), scored if it
lies in the test part, and learnt afterwards, for all candidates alike (rating-systems: only the past, the same
games for every K, paired differences). Probabilities are clamped to [clamp, 1 - clamp] in the metrics, never
in the update.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import PackedHistory
from qiyi_analysis.research.sweeps.sweep_candidates import candidate_grid
from qiyi_analysis.research.sweeps.sweep_pieces import pieces_of
from qiyi_analysis.research.sweeps.sweep_result import Sweep, SweepSettings, Update
from qiyi_analysis.research.sweeps.sweep_run import run_sweep

Period = str | int | datetime.date | None


def sweep(
    games: History | pd.DataFrame | str | Path | PackedHistory,
    k: Any = None,
    *,
    advantage: float | Sequence[float] = 0.0,
    prediction_advantage: float | Sequence[float] = 0.0,
    start: float | Sequence[float] = 1500.0,
    entrants: float | Sequence[float] | None = None,
    candidates: pd.DataFrame | None = None,
    update: Update = "period",
    scored_from: Period = None,
    scored_until: Period = None,
    entrants_from: Period = None,
    known_games: int = 0,
    clamp: float = 0.01,
    draw_nu: float | None = None,
    draws: Literal["half", "davidson"] = "half",
    by_player: bool = True,
    threads: int = 1,
    scored: np.ndarray | None = None,
) -> Sweep:
    """Compare K values (and other parameters) on a history in one pass.

    games: a History, a table with one row per game, a file, or a packed history (streamed, so it may be larger
    than memory). k: a number, a schedule, or a sequence of them; the default is 2, 4, ..., 100.
    advantage: rating points of the first move, in prediction and update; prediction_advantage: in the prediction only.
    start: rating of everybody's first game; entrants: of those who appear from ``entrants_from`` on (default: start).
    Every combination of the sequences is a candidate; or give ``candidates`` with these columns.
    scored_from, scored_until: first period that is scored and first that is not any more ("1995", "2001-07", or a
    number); what lies before is warm-up. draw_nu: Davidson's draw parameter for the three-way log-loss; the default
    takes it from the share of draws of the games before scored_from. draws="davidson" also updates with
    Davidson's expected score. threads: the candidates are split among so many threads. scored: of a History, bool of n:
    only these games are scored (all are learnt).

    Raises ParameterError for unknown or contradictory choices.
    """
    about = pieces_of(games)
    table, schedules = candidate_grid(k, advantage, prediction_advantage, start, entrants, candidates)
    if not 0.0 < clamp < 0.5:
        raise ParameterError("clamp", clamp=clamp)
    settings = SweepSettings(
        update=_update(update),
        scored_from=about.index(scored_from) if scored_from is not None else 0,
        scored_until=about.index(scored_until) if scored_until is not None else 2**31 - 1,
        entrants_from=about.index(entrants_from) if entrants_from is not None else 0,
        known_games=known_games,
        clamp=clamp,
        draw_nu=0.0,
        davidson=draws == "davidson",
        by_player=by_player,
    )
    if draw_nu is None:
        draw_nu = draw_parameter(about, settings.scored_from)
    if draw_nu < 0 or not np.isfinite(draw_nu):
        raise ParameterError("study-number", name="draw_nu", value=str(draw_nu))
    if draws not in ("half", "davidson"):
        raise ParameterError("draws-of-sweep", draws=draws)
    settings = replace(settings, draw_nu=float(draw_nu))
    return run_sweep(about, table, schedules, settings, threads, scored)


def draw_parameter(games: History | PackedHistory, scored_from: int) -> float:
    """Davidson's nu from the share of draws before the scored part (0 when there is none, or no such part)."""
    counted = drawn = 0
    for part in (games,) if isinstance(games, History) else games:
        training = part.half_points[part.period < scored_from]
        counted, drawn = counted + training.size, drawn + int((training == 1).sum())
        if training.size < len(part):
            break
    share = min(drawn / counted, 0.95) if counted else 0.0
    return 2.0 * share / (1.0 - share)


def _update(update: str) -> Update:
    if update not in ("game", "period"):
        raise ParameterError("update-value", update=update)
    return update  # type: ignore[return-value]
