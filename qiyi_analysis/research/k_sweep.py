"""The sweep: many Elo candidates predicted, scored and learnt in one pass over a history.

Every game is predicted from the ratings before it (before its period, with ``update="period"``), scored if it
lies in the test part, and learnt afterwards, for all candidates alike (rating-systems: only the past, the same
games for every K, paired differences). Probabilities are clamped to [clamp, 1 - clamp] in the metrics, never
in the update.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from qiyi_analysis.errors import ParameterError
from qiyi_analysis.research.history import History, history_from_table, writable
from qiyi_analysis.research.history_files import PackedHistory, is_packed, open_packed, read_history
from qiyi_analysis.research.k_schedule import KSchedule, tables_of
from qiyi_analysis.research.sweep_candidates import candidate_grid
from qiyi_analysis.research.sweep_units import Pairs, Units, player_count

Update = Literal["game", "period"]
Period = str | int | datetime.date | None
METRICS = ("log_loss", "brier", "accuracy", "three_way")


@dataclass(frozen=True)
class SweepSettings:
    """What a sweep does with every candidate alike.

    update: "game" (ratings move after every game) or "period" (all games of a period use the ratings before).
    scored_from, scored_until: numbers of periods; known_games: earlier games both players need.
    entrants_from: period from which newcomers get the candidate's ``entrants`` rating instead of ``start``.
    clamp: predictions are limited to [clamp, 1 - clamp] before they are scored.
    draw_nu: Davidson's draw parameter of the three-way log-loss; 0 = no three-way log-loss.
    davidson: update with Davidson's expected score (parameter draw_nu) instead of the logistic one.
    """

    update: Update = "period"
    scored_from: int = 0
    scored_until: int = 2**31 - 1
    known_games: int = 0
    entrants_from: int = 0
    clamp: float = 0.01
    draw_nu: float = 0.0
    davidson: bool = False
    by_player: bool = True


@dataclass(frozen=True)
class Sweep:
    """Sums of the metrics, one column per candidate.

    candidates: DataFrame, one row per candidate (candidate, k, advantage, ...).
    sums: float64 4 x units x candidates, in the order METRICS; counts: int64 3 x units (lost, drawn, won games of
    the first side); unit_period: int32 of units. pair_sums: float64 pairs x candidates, log-loss of the games
    of two players (of two groups of players in a large history); pair_games: int64; pair_sides: int32 2 x pairs.
    ratings: float64 players x candidates, after the last period; games_of: int32 of players.
    """

    candidates: pd.DataFrame
    settings: SweepSettings
    sums: np.ndarray
    counts: np.ndarray
    unit_period: np.ndarray
    pair_sums: np.ndarray
    pair_games: np.ndarray
    pair_sides: np.ndarray
    ratings: np.ndarray
    games_of: np.ndarray
    games: int
    period_labels: tuple[str, ...] = ()
    pairs_exact: bool = False
    unit_event: np.ndarray | None = None

    @property
    def scored(self) -> int:
        """Number of scored games, the same for every candidate."""
        return int(self.counts.sum())

    def table(self) -> pd.DataFrame:
        """One row per candidate: its parameters, games, and the mean of each metric over the scored games."""
        means = self.sums.sum(axis=1) / max(self.scored, 1)
        table = self.candidates.assign(games=self.scored)
        for row, name in enumerate(METRICS):
            if name != "three_way" or self.settings.draw_nu:
                table[name] = means[row] if self.scored else np.nan
        table["highest_rating"] = np.nanmax(self.ratings, axis=0) if self.ratings.size else np.nan
        table["lowest_rating"] = np.nanmin(self.ratings, axis=0) if self.ratings.size else np.nan
        return table

    def best(self, metric: str = "log_loss") -> int:
        """The row of the candidate with the lowest loss (highest accuracy). Raises ParameterError when nothing was scored."""
        if not self.scored:
            raise ParameterError("sweep-empty")
        total = self.sums[METRICS.index(metric)].sum(axis=0)
        return int(np.argmax(total) if metric == "accuracy" else np.argmin(total))

    def by_period(self) -> pd.DataFrame:
        """One row per candidate and period with scored games: ``candidate, period, games, <metrics>``."""
        periods, where = np.unique(self.unit_period, return_inverse=True)
        games = np.bincount(where, weights=self.counts.sum(axis=0), minlength=periods.size)
        pieces = {}
        for row, name in enumerate(METRICS):
            if name == "three_way" and not self.settings.draw_nu:
                continue
            total = np.zeros((periods.size, len(self.candidates)))
            np.add.at(total, where, self.sums[row])
            pieces[name] = total / np.maximum(games, 1)[:, None]
        keep = games > 0
        count = int(keep.sum())
        labels = np.array(
            [self.period_labels[p] if p < len(self.period_labels) else str(p) for p in periods[keep]]
        )
        return pd.DataFrame(
            {
                "candidate": np.repeat(self.candidates["candidate"].to_numpy(), count),
                "period": np.tile(labels, len(self.candidates)),
                "games": np.tile(games[keep].astype(np.int64), len(self.candidates)),
            }
            | {name: values[keep].T.ravel() for name, values in pieces.items()}
        )


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
    Davidson's expected score. threads: the candidates are split among so many threads.

    Raises ParameterError for unknown or contradictory choices.
    """
    pieces, about = _pieces(games)
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
        draw_nu = _draw_parameter(games, settings)
    if draws not in ("half", "davidson"):
        raise ParameterError("draws-of-sweep", draws=draws)
    settings = replace(settings, draw_nu=float(draw_nu))
    return run_sweep(about, pieces, table, schedules, settings, threads)


def run_sweep(
    about: History | PackedHistory,
    pieces: Any,
    table: pd.DataFrame,
    schedules: Sequence[KSchedule],
    settings: SweepSettings,
    threads: int = 1,
) -> Sweep:
    """Sweep the candidates over the pieces of a history (an iterable that can be started again)."""
    lanes = np.array_split(np.arange(len(table)), max(1, min(threads, len(table))))
    controls = about.time_controls if isinstance(about, History) else ()
    tables = tables_of(schedules, controls)
    units, pairs = Units(about), Pairs(about, settings.by_player)
    states = [
        _State(table.iloc[own], [tables[i] for i in own], about, settings, units.count, pairs.count)
        for own in lanes
    ]
    if len(states) == 1:
        for whole in _prepared(pieces, about, tables, settings, units, pairs):
            states[0].feed(whole)
    else:
        # The loop releases the interpreter lock; a barrier per piece keeps the threads on the same data.
        with ThreadPoolExecutor(len(states) + 1) as pool:
            stream = iter(_prepared(pieces, about, tables, settings, units, pairs))
            piece = next(stream, None)
            while piece is not None:
                coming = pool.submit(next, stream, None)
                list(pool.map(partial(_feed, piece), states))
                piece = coming.result()
    for state in states:
        state.finish()
    joined = np.concatenate([state.sums for state in states], axis=2)
    if settings.draw_nu > 0.0:
        # The loop leaves out what all candidates share: -ln nu of every draw.
        joined[METRICS.index("three_way")] -= states[0].unit_games[1][:, None] * math.log(settings.draw_nu)
    return Sweep(
        candidates=table,
        settings=settings,
        sums=joined,
        counts=states[0].unit_games,
        unit_period=units.period,
        pair_sums=np.concatenate([state.pair_sums for state in states], axis=1),
        pair_games=states[0].pair_games,
        pair_sides=pairs.sides,
        ratings=np.concatenate([state.rating for state in states], axis=1),
        games_of=states[0].known,
        games=units.games,
        period_labels=units.labels,
        pairs_exact=pairs.exact,
        unit_event=about.event if units.exact and isinstance(about, History) else None,
    )


@dataclass(frozen=True)
class _Piece:
    first: np.ndarray
    second: np.ndarray
    half_points: np.ndarray
    period: np.ndarray
    shift: np.ndarray
    class_first: np.ndarray
    class_second: np.ndarray
    unit: np.ndarray
    pair: np.ndarray


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
        from qiyi_analysis.research.sweep_loop import WORK_ROWS

        lanes = len(table)
        players = player_count(about)
        self.settings = settings
        self.k, self.bands, self.sticky = _lane_tables(tables)
        self.rating = np.full((players, lanes), np.nan)
        self.pending = np.zeros((players if settings.update == "period" else 1, lanes))
        self.peak = np.full((players if self.sticky else 1, lanes), -np.inf)
        self.known = np.zeros(players, np.int32)
        self.waiting = np.zeros(players, np.int32)
        self.stamp = np.full(players, -1, np.int32)
        self.own_start = _own_start(about)
        column = {n: writable(table[n]) for n in ("advantage", "prediction_advantage", "start", "entrants")}
        self.column = column
        nu = settings.draw_nu
        self.nu = np.full(lanes, nu)
        # Davidson's expected score has slope 1 / (2 (2 + nu)) at 0 where the logistic has 1/4: with this
        # stretch of the difference both agree for near equals.
        self.stretch = np.full(lanes, 1.0 if settings.davidson else 1.0 + nu / 2.0)
        self.sums = np.zeros((4, units, lanes))
        self.unit_games = np.zeros((3, units), np.int64)
        self.pair_sums = np.zeros((pairs, lanes))
        self.pair_games = np.zeros(pairs, np.int64)
        self.work = np.zeros((WORK_ROWS, lanes))

    def feed(self, piece: _Piece) -> None:
        """Sweep over one piece."""
        from qiyi_analysis.research.sweep_loop import sweep_games

        s = self.settings
        sweep_games(
            piece.first,
            piece.second,
            piece.half_points,
            piece.period,
            piece.shift,
            piece.class_first,
            piece.class_second,
            piece.unit,
            self.own_start,
            s.update == "period",
            s.entrants_from,
            s.scored_from,
            s.scored_until,
            s.known_games,
            s.clamp,
            self.rating,
            self.pending,
            self.peak,
            self.known,
            self.waiting,
            self.stamp,
            self.k,
            self.bands,
            self.sticky,
            self.column["advantage"],
            self.column["prediction_advantage"],
            self.column["start"],
            self.column["entrants"],
            s.davidson,
            self.nu if s.davidson else np.zeros_like(self.nu),
            s.draw_nu > 0.0,
            self.nu,
            self.stretch,
            self.sums,
            self.unit_games,
            piece.pair,
            self.pair_sums,
            self.pair_games,
            self.work,
        )

    def finish(self) -> None:
        """Learn the last period."""
        if self.settings.update == "period":
            self.rating += self.pending
            self.pending[:] = 0.0
            self.known += self.waiting
            self.waiting[:] = 0


def _feed(piece: _Piece, state: _State) -> None:
    state.feed(piece)


def _prepared(
    pieces: Any, about: Any, tables: Sequence[Any], settings: SweepSettings, units: Units, pairs: Pairs
) -> Iterator[_Piece]:
    nothing = np.zeros(0, np.uint8)
    games_limits, age_limits = tables[0].games, tables[0].ages
    classes = tables[0].values.shape[0] * (games_limits.size + 1) * (age_limits.size + 1)
    if classes > 256:
        raise ParameterError("k-classes", classes=classes)
    if classes > 1:
        from qiyi_analysis.research.class_loop import classes_of_games

        players = player_count(about)
        known, waiting, stamp = (
            np.zeros(players, np.int32),
            np.zeros(players, np.int32),
            np.full(players, -1, np.int32),
        )
        birth_year = _birth_years(about)
    last = 0
    for first, second, half_points, period, day, control, shift in pieces():
        if period.size and (int(period[0]) < last or (period[1:] < period[:-1]).any()):
            raise ParameterError("sweep-order")
        last = int(period[-1]) if period.size else last
        class_first = class_second = nothing
        if classes > 1:
            year = _years(about, period, day)
            class_first, class_second = np.empty(first.size, np.uint8), np.empty(first.size, np.uint8)
            classes_of_games(
                first, second, period, year, birth_year, control, games_limits, age_limits,
                settings.update == "period", known, waiting, stamp, class_first, class_second,
            )  # fmt: skip
        yield _Piece(
            first,
            second,
            half_points,
            period,
            shift,
            class_first,
            class_second,
            units.of(period),
            pairs.of(first, second),
        )


def _pieces(games: Any) -> tuple[Any, History | PackedHistory]:
    if isinstance(games, (str, Path)):
        games = open_packed(games) if is_packed(games) else read_history(games)
    if isinstance(games, pd.DataFrame):
        games = history_from_table(games)
    no_control, no_shift = np.zeros(0, np.int32), np.zeros(0)
    if isinstance(games, PackedHistory):
        packed = games

        def stream() -> Iterator[tuple[np.ndarray, ...]]:
            for first, second, half_points, period in packed:
                yield first, second, half_points, period, period, no_control, no_shift

        return stream, packed
    if not isinstance(games, History):
        raise ParameterError("games-value", kind=type(games).__name__)
    history = games

    def whole() -> Iterator[tuple[np.ndarray, ...]]:
        yield (
            history.first,
            history.second,
            history.half_points,
            history.period,
            history.day,
            no_control if history.time_control is None else history.time_control,
            no_shift if history.shift is None else history.shift,
        )

    return whole, history


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
    if isinstance(about, History) and "start" in about.players:
        return writable(about.players["start"])
    return np.full(player_count(about), np.nan)


def _birth_years(about: History | PackedHistory) -> np.ndarray:
    if isinstance(about, History) and "birth_year" in about.players:
        return writable(about.players["birth_year"])
    return np.full(player_count(about), np.nan)


def _years(about: History | PackedHistory, period: np.ndarray, day: np.ndarray) -> np.ndarray:
    if isinstance(about, History):
        return (1970 + day.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64)).astype(np.int32)
    return period.astype(np.int32)


def _draw_parameter(games: Any, settings: SweepSettings) -> float:
    """Davidson's nu from the share of draws before the scored part (0 when there is none, or no such part)."""
    if not isinstance(games, History):
        return 0.0
    training = games.half_points[games.period < settings.scored_from]
    if not training.size:
        return 0.0
    share = min(float((training == 1).mean()), 0.95)
    return 2.0 * share / (1.0 - share)


def _update(update: str) -> Update:
    if update not in ("game", "period"):
        raise ParameterError("update-value", update=update)
    return update  # type: ignore[return-value]
