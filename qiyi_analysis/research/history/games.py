"""A history of games as arrays, and what was wrong with the rows it was made from."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError, ReadError
from qiyi_analysis.research.history.rating_periods import (
    MONTHS,
    NO_DAY,
    PERIODS,
    parse_days,
    period_index,
    period_label,
    period_numbers,
)

#: What counts as first player, second player, points of the first, date, ... in a table, best name first.
COLUMNS: dict[str, tuple[str, ...]] = {
    "first": ("first", "white", "red", "home", "player_1"),
    "second": ("second", "black", "away", "player_2"),
    "score": ("score_first", "score_white", "score_red", "score_home", "score", "result"),
    "half_points": ("half_points",),
    "date": ("date", "day"),
    "period": ("period", "month", "week"),
    "event": ("event", "tournament"),
    "time_control": ("time_control",),
    "handicap": ("handicap",),
    "birth_year_first": ("birth_year_first",),
    "birth_year_second": ("birth_year_second",),
    "first_rating": ("first_rating", "white_elo", "red_rating", "white_rating", "first_elo"),
    "second_rating": ("second_rating", "black_elo", "black_rating", "second_elo"),
}
#: Columns that say that Black moved first (go).
BLACK_FIRST = ("black_won", "score_black")

RESULTS = {
    "1": 2, "1.0": 2, "1-0": 2, "+": 2, "w": 2, "win": 2,
    "0": 0, "0.0": 0, "0-1": 0, "-": 0, "l": 0, "loss": 0,
    "0.5": 1, ".5": 1, "½": 1, "=": 1, "1/2": 1, "1/2-1/2": 1, "½-½": 1, "0.5-0.5": 1, "d": 1, "draw": 1,
}  # fmt: skip


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


def birth_years(history: History) -> np.ndarray:
    """Birth year of each player, NaN where unknown."""
    if "birth_year" not in history.players:
        return np.full(len(history.players), np.nan)
    return writable(history.players["birth_year"])


def history_from_table(
    table: pd.DataFrame,
    *,
    period: str = "month",
    columns: Mapping[str, str] | None = None,
    partial_dates: str = "leave out",
    duplicates: str = "keep",
    players: pd.DataFrame | None = None,
    points_per_handicap: float = 0.0,
    discipline: str = "",
    source: str = "",
) -> History:
    """Make a history of a table with one row per game.

    columns: ours -> theirs (keys of COLUMNS) where the names are not recognised. period: one of PERIODS,
    "given" to use a column of whole numbers. partial_dates: "leave out" rows with a year or a month only, or
    "pad" them with 01. duplicates: "keep" or "drop" rows equal in date, players, result and event; they are
    counted either way. players: table with ``player`` and perhaps ``birth_year``, ``start``.
    Rows that cannot be games are left out and counted in ``remarks``. Raises ReadError when nothing is left
    or a needed column is missing, ParameterError for an unknown choice.
    """
    _one_of("period", period, PERIODS)
    _one_of("partial_dates", partial_dates, ("leave out", "pad"))
    _one_of("duplicates", duplicates, ("keep", "drop"))
    where = _locate(table, dict(columns or {}), source)
    kept = _Kept(table)
    remarks = kept.remarks
    first_name, second_name = _names(table[where["first"]]), _names(table[where["second"]])
    kept.leave_out("no-player", (first_name == "") | (second_name == ""))
    kept.leave_out("self", first_name == second_name)
    halves = _half_points(table, where)
    kept.leave_out("result", halves < 0)
    day, order_by = _when(kept, where, period, partial_dates, source or "table")
    kept.check_some(source or "table")

    rows = np.flatnonzero(kept.mask)
    backwards = int((np.diff(order_by[rows]) < 0).sum())
    if backwards:
        remarks.append(Remark("unsorted", backwards))
        rows = rows[np.argsort(order_by[rows], kind="stable")]
    codes, names = pd.factorize(np.concatenate([first_name[rows], second_name[rows]]))
    codes = codes.astype(np.int32)
    event, events = _coded(table, where.get("event"), rows)
    control, controls = _coded(table, where.get("time_control"), rows)

    again = _repeated(codes[: rows.size], codes[rows.size :], halves[rows], order_by[rows], event)
    if again.any():
        example = _row_text(table, int(rows[np.flatnonzero(again)[0]]))
        remarks.append(Remark("duplicate", int(again.sum()), duplicates == "drop", example))
    fresh = ~again if duplicates == "drop" else np.ones(rows.size, bool)

    numbers = order_by[rows] if period == "given" else period_numbers(day[rows], period)
    origin = int(numbers[0])
    history = History(
        first=codes[: rows.size][fresh],
        second=codes[rows.size :][fresh],
        half_points=halves[rows][fresh],
        period=(numbers - origin).astype(np.int32)[fresh],
        day=day[rows][fresh],
        players=_players(names, players, table, where, rows, codes),
        period_length=period,
        period_origin=origin,
        event=None if event is None else event[fresh],
        events=events,
        time_control=None if control is None else control[fresh],
        time_controls=controls,
        shift=_shift(table, where, rows, points_per_handicap, fresh),
        extra={
            name: pd.to_numeric(table[where[name]], errors="coerce").to_numpy(float)[rows][fresh]
            for name in ("first_rating", "second_rating")
            if name in where
        },
        discipline=discipline,
        source=source,
        rows_read=len(table),
    )
    return replace(history, remarks=(*remarks, *weaknesses(history)))


class _Kept:
    """Which rows of a table are games of the history, and why the others are not."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table
        self.mask = np.ones(len(table), bool)
        self.remarks: list[Remark] = []

    def leave_out(self, kind: str, bad: np.ndarray) -> None:
        """Leave rows out, told with how many and the first of them."""
        bad = bad & self.mask
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            self.remarks.append(Remark(kind, int(bad.sum()), True, _row_text(self.table, row)))
            self.mask[bad] = False

    def check_some(self, source: str) -> None:
        """Raise ReadError where no row is left."""
        if not self.mask.any():
            why = [
                words.said("history.left-out", rows=one.rows, what=words.said(f"research_remark.{one.kind}"))
                for one in self.remarks
            ]
            raise ReadError("history-no-game", source=source, rows=len(self.table), why=why)


def _when(
    kept: _Kept, where: Mapping[str, str], period: str, partial_dates: str, source: str
) -> tuple[np.ndarray, np.ndarray]:
    """The day of each row (NO_DAY for none), and the number its rows are ordered by: the day, or the period given."""
    table = kept.table
    day = np.full(len(table), NO_DAY, np.int32)
    if "date" in where:
        day, partial = parse_days(table[where["date"]], pad=partial_dates == "pad")
        if partial_dates == "pad" and (partial & kept.mask).any():
            kept.remarks.append(Remark("padded-date", int((partial & kept.mask).sum())))
        else:
            kept.leave_out("partial-date", partial)
        if period != "given":
            kept.leave_out("no-date", day == NO_DAY)
    elif period != "given":
        raise ReadError("history-no-date", source=source, columns=table.columns)
    if period != "given":
        return day, day.astype(np.int64)
    if "period" not in where:
        raise ReadError("history-column-missing", source=source, column="period", columns=table.columns)
    number = pd.to_numeric(table[where["period"]], errors="coerce").to_numpy(float)
    kept.leave_out("no-date", ~np.isfinite(number) | (number != np.floor(number)))
    return day, np.where(np.isfinite(number), number, 0).astype(np.int64)


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


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ParameterError("not-one-of", name=name, value=value, choices=choices)


def _locate(table: pd.DataFrame, given: dict[str, str], source: str) -> dict[str, str]:
    lower = {str(name).strip().lower(): name for name in table.columns}
    where: dict[str, str] = {}
    for ours, theirs in given.items():
        if ours not in COLUMNS:
            raise ParameterError("history-column-unknown", column=ours, known=COLUMNS)
        if theirs not in table.columns:
            raise ReadError(
                "history-column-missing", source=source or "table", column=theirs, columns=table.columns
            )
        where[ours] = theirs
    if any(name in lower for name in BLACK_FIRST) and not {"first", "second", "score"} & set(where):
        where |= {"first": lower["black"], "second": lower["white"]}
        where["score"] = next(lower[name] for name in BLACK_FIRST if name in lower)
    for ours, theirs_names in COLUMNS.items():
        found = next((lower[name] for name in theirs_names if name in lower), None)
        if ours not in where and found is not None and found not in where.values():
            where[ours] = found
    if "half_points" not in where and "score" not in where:
        raise ReadError("history-no-result", source=source or "table", columns=table.columns)
    for needed in ("first", "second"):
        if needed not in where:
            raise ReadError(
                "history-no-player",
                source=source or "table",
                side=needed,
                columns=table.columns,
                choices=list(COLUMNS[needed]),
            )
    return where


def _names(column: pd.Series) -> np.ndarray:
    return column.astype("string").fillna("").str.strip().to_numpy(object)


def _half_points(table: pd.DataFrame, where: dict[str, str]) -> np.ndarray:
    """Points of the first side in halves, -1 where the result is outside the scale."""
    if "half_points" in where:
        number = pd.to_numeric(table[where["half_points"]], errors="coerce").to_numpy(float)
        return np.where(np.isin(number, (0.0, 1.0, 2.0)), number, -1).astype(np.int8)
    column = table[where["score"]]
    if pd.api.types.is_numeric_dtype(column):
        number = column.to_numpy(float) * 2
        return np.where(np.isin(number, (0.0, 1.0, 2.0)), number, -1).astype(np.int8)
    codes, values = pd.factorize(column.astype("string").fillna(""))
    known = np.array([RESULTS.get(str(value).strip().lower(), -1) for value in values], np.int8)
    return known[codes]


def _coded(
    table: pd.DataFrame, name: str | None, rows: np.ndarray
) -> tuple[np.ndarray | None, tuple[str, ...]]:
    if name is None:
        return None, ()
    codes, values = pd.factorize(table[name].astype("string").fillna("").to_numpy(object)[rows])
    return codes.astype(np.int32), tuple(str(value) for value in values)


def _repeated(first, second, halves, order_by, event) -> np.ndarray:
    rows = pd.DataFrame({"a": first, "b": second, "s": halves, "t": order_by})
    if event is not None:
        rows["e"] = event
    return rows.duplicated().to_numpy()


def _players(names, given, table, where, rows, codes) -> pd.DataFrame:
    players = pd.DataFrame({"player": [str(name) for name in names]})
    if given is not None:
        details = given.copy()
        if "player" not in details:
            raise ReadError("players-no-column", columns=details.columns)
        details["player"] = _names(details["player"])
        for name in ("birth_year", "start"):
            if name in details:
                details[name] = pd.to_numeric(details[name], errors="coerce")
        players = players.merge(details.drop_duplicates("player"), on="player", how="left")
    elif "birth_year_first" in where and "birth_year_second" in where:
        years = np.concatenate(
            [
                pd.to_numeric(table[where[side]], errors="coerce").to_numpy(float)[rows]
                for side in ("birth_year_first", "birth_year_second")
            ]
        )
        known = pd.Series(years).groupby(codes).first()
        players["birth_year"] = known.reindex(range(len(players))).to_numpy(float)
    return players


def _shift(table, where, rows, points, fresh) -> np.ndarray | None:
    if "handicap" not in where or not points:
        return None
    stones = pd.to_numeric(table[where["handicap"]], errors="coerce").fillna(0.0).to_numpy(float)
    return (stones[rows] * points)[fresh]


def _row_text(table: pd.DataFrame, row: int) -> str:
    cells = ", ".join("" if pd.isna(v) else str(v) for v in table.iloc[row].tolist())[:200]
    return words.said("research_example.row", row=row + 2, cells=cells)
