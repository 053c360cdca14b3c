"""A history of games as arrays, and what was wrong with the rows it was made from."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.rating_periods import MONTHS, period_index, period_label, period_numbers

_ARRAYS = {
    "first": np.int32,
    "second": np.int32,
    "half_points": np.int8,
    "period": np.int32,
    "day": np.int32,
    "event": np.int32,
    "time_control": np.int32,
    "shift": np.float64,
}


def writable(column: Any, kind: Any = np.float64) -> np.ndarray:
    """The column as a contiguous writable array of this kind; a copy only where it is not one already."""
    array = np.ascontiguousarray(column, dtype=kind)
    return array if array.flags.writeable else array.copy()


def _exact(name: str, column: Any, kind: Any, first: Any) -> np.ndarray:
    """The column as an array of this kind. Raises ParameterError for another length or values the kind cannot hold."""
    given = np.asarray(column)
    if given.ndim != 1 or given.size != np.size(first):
        raise ParameterError("history-shape", name=name, shape=str(given.shape), games=int(np.size(first)))
    if given.dtype == kind:
        return writable(given, kind)
    try:
        with np.errstate(invalid="ignore"):
            array = writable(given, kind)
    except (TypeError, ValueError) as error:
        raise ParameterError("history-kind", name=name, kind=np.dtype(kind).name, row=0) from error
    if np.issubdtype(kind, np.integer) and not (array == given).all():
        raise ParameterError(
            "history-kind", name=name, kind=np.dtype(kind).name, row=int(np.argmax(array != given))
        )
    return array


def _within(name: str, column: np.ndarray | None, below: int) -> None:
    """Raise ParameterError where a column of whole numbers leaves 0 ... below - 1."""
    if column is not None and column.size and (int(column.min()) < 0 or int(column.max()) >= below):
        row = int(np.argmax((column < 0) | (column >= below)))
        raise ParameterError("history-range", name=name, row=row, value=int(column[row]), highest=below - 1)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something a reader of the results must know: rows left out, or a history that cannot carry a claim.

    kind: key of the words ``research.remark.<kind>``; rows: how many rows it concerns; left_out: whether
    these rows are not in the history; example: the first of them, as read.
    """

    kind: str
    rows: int
    left_out: bool = False
    example: str = ""


@dataclass(frozen=True)
class History:
    """Games in the order they were played.

    first, second: int32, rows of ``players``; the side with the first move is ``first``.
    half_points: int8, points of ``first`` in halves (0, 1, 2).
    period: int32, 0 for the first period; never decreasing. day: int32, days since 1970-01-01.
    event, time_control: int32 or None (row of ``events``, ``time_controls``).
    shift: float64 or None, rating points added to the first side's difference (handicap).
    extra: further float64 columns of n games by name (first_rating, second_rating: as printed with the game).
    players: one row each with ``player``, perhaps ``birth_year``, ``start`` (rating before the first game).

    Raises ParameterError when an array does not hold what is said here: the compiled loops check nothing themselves.
    """

    first: np.ndarray
    second: np.ndarray
    half_points: np.ndarray
    period: np.ndarray
    day: np.ndarray
    players: pd.DataFrame
    period_length: str = "month"
    period_origin: int = 0
    event: np.ndarray | None = None
    events: tuple[str, ...] = ()
    time_control: np.ndarray | None = None
    time_controls: tuple[str, ...] = ()
    shift: np.ndarray | None = None
    discipline: str = ""
    source: str = ""
    rows_read: int = 0
    remarks: tuple[Remark, ...] = ()
    attribution: str = ""
    extra: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # One kind of array for the compiled loops, which are compiled once per kind: pandas and Arrow give out
        # read-only views.
        for name, kind in _ARRAYS.items():
            column = getattr(self, name)
            if column is not None:
                object.__setattr__(self, name, _exact(name, column, kind, self.first))
        object.__setattr__(
            self,
            "extra",
            {name: _exact(name, one, np.float64, self.first) for name, one in self.extra.items()},
        )
        if "player" not in self.players:
            raise ParameterError("history-players", columns=self.players.columns)
        people, control, event = len(self.players), len(self.time_controls), len(self.events)
        for name, below in (
            ("first", people), ("second", people), ("half_points", 3), ("period", 2**31 - 1), ("time_control", control), ("event", event),
        ):  # fmt: skip
            _within(name, getattr(self, name), below)
        if (self.first == self.second).any():
            raise ParameterError("history-self", row=int(np.argmax(self.first == self.second)))
        if (self.period[1:] < self.period[:-1]).any():
            raise ParameterError("history-order", row=int(np.argmax(self.period[1:] < self.period[:-1])) + 1)
        if self.shift is not None and not np.isfinite(self.shift).all():
            raise ParameterError("history-shift", row=int(np.argmin(np.isfinite(self.shift))))

    def __len__(self) -> int:
        return self.first.size

    def __repr__(self) -> str:
        span = (
            f", {self.label(int(self.period[0]))} to {self.label(int(self.period[-1]))}" if len(self) else ""
        )
        return f"<History {self.source or 'of arrays'}: {len(self)} games, {len(self.players)} players{span}>"

    @property
    def periods(self) -> int:
        """Number of periods from the first to the last game, empty ones included."""
        return int(self.period[-1]) + 1 if self.first.size else 0

    def label(self, period: int) -> str:
        """Name of a period: 2013-04-27, 2013-W17, 2013-04, 2013Q2, 2013H1, 2013, or its number."""
        return period_label(int(period) + self.period_origin, self.period_length)

    def year(self, period: int) -> float:
        """Calendar year of the beginning of a period, as a decimal number; the number of a given period."""
        number = int(period) + self.period_origin
        if self.period_length in MONTHS:
            return 1970 + number * MONTHS[self.period_length] / 12
        days = {"day": number, "week": number * 7 - 3}.get(self.period_length)
        return float(number) if days is None else 1970 + days / 365.2425

    def index(self, period: str | int | datetime.date) -> int:
        """The number of the first period that begins on or after a date such as "1995", "1995-07" or "1995-07-15".

        A whole number is taken as it is. For a history of given periods the text must be their number.
        """
        return period_index(period, self.period_length, self.period_origin)

    def with_periods(self, length: str) -> History:
        """The same games with rating periods of another length."""
        if length == self.period_length:
            return self
        if self.period_length == "given":
            raise ParameterError("period-without-dates", period=length)
        numbers = period_numbers(self.day, length)
        origin = int(numbers[0]) if numbers.size else 0
        return replace(
            self, period=(numbers - origin).astype(np.int32), period_length=length, period_origin=origin
        )

    def subset(self, keep: np.ndarray) -> History:
        """The games where ``keep`` (bool of n) holds; players and periods keep their numbers."""
        pick: dict[str, Any] = {
            name: (None if (column := getattr(self, name)) is None else column[keep])
            for name in ("first", "second", "half_points", "period", "day", "event", "time_control", "shift")
        }
        return replace(self, extra={name: column[keep] for name, column in self.extra.items()}, **pick)

    def left_out(self) -> int:
        """Number of rows read that are not games of the history."""
        return sum(remark.rows for remark in self.remarks if remark.left_out)


def birth_years(players: pd.DataFrame) -> np.ndarray:
    """Birth year of each player of a history, in memory or packed; NaN where unknown."""
    if "birth_year" not in players:
        return np.full(len(players), np.nan)
    return writable(players["birth_year"])


def weaknesses(history: History) -> list[Remark]:
    """Why a history as a whole may not carry a claim: islands, a single period, nothing but draws."""
    found = []
    if history.periods == 1 or (history.period == history.period[0]).all():
        found.append(Remark("one-period", len(history)))
    if (history.half_points == 1).all():
        found.append(Remark("all-draws", len(history)))
    parts = connectivity(history)
    if len(parts) > 1:
        largest = parts.iloc[0]
        found.append(
            Remark(
                "islands",
                int(len(history) - largest["games"]),
                False,
                words.said(
                    "research_example.islands",
                    parts=len(parts),
                    players=int(largest["players"]),
                    games=int(largest["games"]),
                ),
            )
        )
    return found


def connectivity(history: History) -> pd.DataFrame:
    """Components of players linked by games, largest first: ``component, players, games``.

    Ratings of different components have no common scale.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(history.players)
    links = coo_array((np.ones(len(history), np.int8), (history.first, history.second)), shape=(n, n))
    _, label = connected_components(links.tocsr(), directed=False)
    plays = np.zeros(n, bool)
    plays[history.first] = True
    plays[history.second] = True
    sizes = pd.DataFrame(
        {
            "players": np.bincount(label[plays], minlength=label.max() + 1),
            "games": np.bincount(label[history.first], minlength=label.max() + 1),
        }
    )
    sizes = sizes[sizes["players"] > 0].sort_values(["players", "games"], ascending=False, kind="stable")
    return sizes.reset_index(drop=True).rename_axis("component").reset_index()
