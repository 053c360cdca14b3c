"""A sweep run: the candidates in lanes, the lanes shared among threads, the pieces fed to all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History, writable
from qiyi_analysis.research.history.history_files import PackedHistory
from qiyi_analysis.research.sweeps.k_schedule import KSchedule, tables_of
from qiyi_analysis.research.sweeps.sweep_pieces import Piece, prepared
from qiyi_analysis.research.sweeps.sweep_result import METRICS, Sweep, SweepSettings
from qiyi_analysis.research.sweeps.sweep_units import Pairs, Units, player_count


def run_sweep(
    about: History | PackedHistory,
    table: pd.DataFrame,
    schedules: Sequence[KSchedule],
    settings: SweepSettings,
    threads: int = 1,
    scored: np.ndarray | None = None,
) -> Sweep:
    """Sweep the candidates over a history, piece by piece."""
    lanes = np.array_split(np.arange(len(table)), max(1, min(threads, len(table))))
    tables = tables_of(schedules, about.time_controls)
    units, pairs = Units(about, scored), Pairs(about, settings.by_player)
    states = [
        _State(table.iloc[own], [tables[i] for i in own], about, settings, units.count, pairs.count)
        for own in lanes
    ]
    if len(states) == 1:
        for whole in prepared(about, tables, settings, units, pairs):
            states[0].feed(whole)
    else:
        # The loop releases the interpreter lock; a barrier per piece keeps the threads on the same data.
        with ThreadPoolExecutor(len(states) + 1) as pool:
            stream = iter(prepared(about, tables, settings, units, pairs))
            piece = next(stream, None)
            while piece is not None:
                coming = pool.submit(next, stream, None)
                list(pool.map(partial(_feed, piece), states))
                piece = coming.result()
    for state in states:
        state.finish()
    joined = np.concatenate([state.sums.sums for state in states], axis=2)
    if settings.draw_nu > 0.0:
        # The loop leaves out what all candidates share: -ln nu of every draw.
        joined[METRICS.index("three_way")] -= states[0].sums.unit_games[1][:, None] * math.log(
            settings.draw_nu
        )
    return Sweep(
        candidates=table,
        settings=settings,
        sums=joined,
        counts=states[0].sums.unit_games,
        unit_period=units.period,
        pair_sums=np.concatenate([state.sums.pair_sums for state in states], axis=1),
        pair_games=states[0].sums.pair_games,
        pair_sides=pairs.sides,
        ratings=np.concatenate([state.players.rating for state in states], axis=1),
        games_of=states[0].players.known,
        games=units.games,
        period_labels=units.labels,
        pairs_exact=pairs.exact,
        unit_event=about.event if units.exact and isinstance(about, History) else None,
    )


class _State:
    """Ratings and sums of some candidates while a history is fed to them."""

    def __init__(
        self,
        table: pd.DataFrame,
        tables: list[Any],
        about: Any,
        settings: SweepSettings,
        units: int,
        pairs: int,
    ) -> None:
        from qiyi_analysis.research.loops.lanes_loop import WORK_ROWS, Choices, Lanes, Players, Sums

        lanes, players = len(table), player_count(about)
        k, bands, sticky = _lane_tables(tables)
        column = {n: writable(table[n]) for n in ("advantage", "prediction_advantage", "start", "entrants")}
        nu = settings.draw_nu
        self.by_period = settings.update == "period"
        self.lanes = Lanes(
            k=k,
            bands=bands,
            sticky=sticky,
            **column,
            nu_update=np.full(lanes, nu if settings.davidson else 0.0),
            nu_result=np.full(lanes, nu),
            # Davidson's expected score has slope 1 / (2 (2 + nu)) at 0 where the logistic has 1/4: with this
            # stretch of the difference both agree for near equals.
            stretch=np.full(lanes, 1.0 if settings.davidson else 1.0 + nu / 2.0),
        )
        self.players = Players(
            rating=np.full((players, lanes), np.nan),
            pending=np.zeros((players if self.by_period else 1, lanes)),
            peak=np.full((players if sticky else 1, lanes), -np.inf),
            known=np.zeros(players, np.int32),
            waiting=np.zeros(players, np.int32),
            stamp=np.full(players, -1, np.int32),
            own_start=_own_start(about),
        )
        self.choices = Choices(
            by_period=self.by_period,
            entrants_from=settings.entrants_from,
            scored_from=settings.scored_from,
            scored_until=settings.scored_until,
            known_games=settings.known_games,
            lowest=settings.clamp,
            davidson=settings.davidson,
            three_way=nu > 0.0,
        )
        self.sums = Sums(
            sums=np.zeros((4, units, lanes)),
            unit_games=np.zeros((3, units), np.int64),
            pair_sums=np.zeros((pairs, lanes)),
            pair_games=np.zeros(pairs, np.int64),
            work=np.zeros((WORK_ROWS, lanes)),
        )

    def feed(self, piece: Piece) -> None:
        """Sweep over one piece."""
        from qiyi_analysis.research.loops.lanes_loop import sweep_games

        sweep_games(piece, self.players, self.lanes, self.choices, self.sums)

    def finish(self) -> None:
        """Learn the last period."""
        if self.by_period:
            p = self.players
            np.add(p.rating, p.pending, out=p.rating)
            p.pending[:] = 0.0
            np.add(p.known, p.waiting, out=p.known)
            p.waiting[:] = 0


def _feed(piece: Piece, state: _State) -> None:
    state.feed(piece)


def _lane_tables(tables: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, bool]:
    """K as classes x bands x lanes, the limits as (bands - 1) x lanes, and whether the peak decides."""
    peaks, ratings = any(t.peaks.size for t in tables), any(t.ratings.size for t in tables)
    if peaks and ratings:
        raise ParameterError("k-two-ratings")
    bands = max(max(t.ratings.size, t.peaks.size) for t in tables) + 1
    classes = int(np.prod(tables[0].values.shape[:3]))
    k = np.empty((classes, bands, len(tables)))
    limits = np.full((bands - 1, len(tables)), np.inf)
    for lane, table in enumerate(tables):
        own = table.values.reshape(classes, -1)
        own_limits = table.peaks if peaks else table.ratings
        k[:, :, lane] = own[:, np.minimum(np.arange(bands), own.shape[1] - 1)]
        limits[: own_limits.size, lane] = own_limits
    return k, limits, bool(peaks)


def _own_start(about: History | PackedHistory) -> np.ndarray:
    if "start" in about.players:
        return writable(about.players["start"])
    return np.full(player_count(about), np.nan)
