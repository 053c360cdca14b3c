"""What a run of a rating system over a history is, and what every system needs of the history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.research.history.games import History, writable
from qiyi_analysis.research.history.rating_periods import years_of


@dataclass(frozen=True)
class Snapshots:
    """Ratings at the ends of periods: ``rating`` float64 points x players (NaN before the first game),
    ``games`` int32 likewise, ``period`` int32 of the points in time."""

    period: np.ndarray
    rating: np.ndarray
    games: np.ndarray


@dataclass(frozen=True, repr=False)
class Run:
    """One system over one history.

    expected: float64 of n, the prediction of the first side's score before each game, NaN where none was made.
    players: one row per player of the history: player, rating, games, and deviation, volatility where kept.
    """

    system: str
    parameters: dict[str, Any]
    expected: np.ndarray
    players: pd.DataFrame
    snapshots: Snapshots | None = None
    three_way: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    points_created: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Run of {self.system}: {self.expected.size} games, {len(self.players)} players>"

    def to_frame(self, history: History) -> pd.DataFrame:
        """The games of the history with what was predicted: first, second (names), period, half_points, expected."""
        names = history.players["player"].to_numpy()
        return pd.DataFrame(
            {
                "first": names[history.first], "second": names[history.second], "period": history.period,
                "half_points": history.half_points, "expected": self.expected,
            }
        )  # fmt: skip


def starts(history: History, start: float) -> np.ndarray:
    """Rating of each player before his first game."""
    usual = np.full(len(history.players), float(start))
    if "start" not in history.players:
        return usual
    own = writable(history.players["start"])
    return np.where(np.isfinite(own), own, usual)


def years(history: History) -> np.ndarray:
    """Calendar year of each game, int32."""
    return years_of(history.day)


def player_table(history: History, rating: np.ndarray, games: np.ndarray) -> pd.DataFrame:
    """player, rating, games of every player of the history."""
    return pd.DataFrame({"player": history.players["player"], "rating": rating, "games": games})


def snapshot_ends(history: History, snapshots: str) -> list[int]:
    """After how many games snapshots of this length are taken."""
    return [part.stop for part, _ in stretches(history, snapshots)]


def stretches(history: History, snapshots: str | None) -> Iterator[tuple[slice, int]]:
    """Slices of the games between points at which ratings are kept, and the last period of each."""
    n = len(history)
    if snapshots is None:
        yield slice(0, n), max(history.periods - 1, 0)
        return
    from qiyi_analysis.research.history.rating_periods import period_numbers

    given = history.period_length == "given"
    number = history.period if given else period_numbers(history.day, snapshots)
    # A cut inside a period would show half of it learnt: cut only where the period changes as well.
    cuts = np.flatnonzero((np.diff(number) > 0) & (np.diff(history.period) > 0)) + 1
    edges = [0, *cuts.tolist(), n]
    for begin, end in pairwise(edges):
        yield slice(begin, end), int(history.period[end - 1])


def games_of(history: History, part: slice, year: np.ndarray | None = None) -> Any:
    """A slice of the games as the compiled loops take it; year: of each game of the history, where it matters."""
    from qiyi_analysis.research.loops.arguments import Games

    def column(values: np.ndarray | None, kind: Any) -> np.ndarray:
        return np.zeros(0, kind) if values is None else values[part]

    return Games(
        history.first[part], history.second[part], history.half_points[part], history.period[part],
        column(year, np.int32), column(history.time_control, np.int32), column(history.shift, np.float64),
    )  # fmt: skip


def snapshots_of(taken: list[tuple[int, np.ndarray, np.ndarray]]) -> Snapshots | None:
    """The snapshots taken (period, ratings, games), None without any."""
    if not taken:
        return None
    period, rating, games = zip(*taken, strict=True)
    return Snapshots(np.array(period, np.int32), np.array(rating), np.array(games, np.int32))
