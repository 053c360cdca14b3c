"""A history of games made from a table with one row per game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError, ReadError
from qiyi_analysis.readers.fields import read_birth
from qiyi_analysis.readers.tables.heads import column_of
from qiyi_analysis.research.history.games import History, Remark, weaknesses
from qiyi_analysis.research.history.rating_periods import NO_DAY, PERIODS, parse_days, period_numbers
from qiyi_analysis.research.history.table_columns import (
    BOTH_LOSE,
    FORFEIT,
    locate,
    no_opponent,
    not_played,
    player_names,
    results_of,
)


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
    "pad" them with 01. duplicates: "keep" or "drop" rows equal in date, round, board, players and result, with the
    same or the other colours; they are counted either way. discipline: "go" gives Black the first move. players: table with ``player`` and perhaps ``birth_year``, ``start``.
    Rows that cannot be games are left out and counted in ``remarks``. Raises ReadError when nothing is left
    or a needed column is missing, ParameterError for an unknown choice.
    """
    source = source or words.said("history.table")
    _one_of("period", period, PERIODS)
    _one_of("partial_dates", partial_dates, ("leave out", "pad"))
    _one_of("duplicates", duplicates, ("keep", "drop"))
    where = locate(table, dict(columns or {}), discipline, source)
    kept = _Kept(table)
    remarks = kept.remarks
    first_name, second_name = player_names(table[where["first"]]), player_names(table[where["second"]])
    kept.leave_out("bye", no_opponent(first_name) | no_opponent(second_name))
    kept.leave_out("no-player", (first_name == "") | (second_name == ""))
    kept.leave_out("self", first_name == second_name)
    if "kind" in where:
        kept.leave_out("unplayed", not_played(table[where["kind"]]))
    results = results_of(table, where, discipline)
    halves = results.codes
    kept.leave_out("forfeit", halves == FORFEIT)
    kept.leave_out("both-lose", halves == BOTH_LOSE)
    kept.leave_out("result", halves < 0)
    if results.scale:
        remarks.append(Remark("scale", int(kept.mask.sum()), False, results.scale))
    day, order_by = _when(kept, where, period, partial_dates, source)
    kept.check_some(source)

    rows = np.flatnonzero(kept.mask)
    backwards = int((np.diff(order_by[rows]) < 0).sum())
    if backwards:
        remarks.append(Remark("unsorted", backwards))
        rows = rows[np.argsort(order_by[rows], kind="stable")]
    codes, names = pd.factorize(np.concatenate([first_name[rows], second_name[rows]]))
    codes = codes.astype(np.int32)
    event, events = _coded(table, where.get("event"), rows)
    control, controls = _coded(table, where.get("time_control"), rows)

    again, mirrored = _repeated(codes, halves[rows], order_by[rows], table, where, rows)
    for kind, found in (("duplicate", again), ("mirrored", mirrored)):
        if found.any():
            example = _row_text(table, int(rows[np.flatnonzero(found)[0]]))
            remarks.append(Remark(kind, int(found.sum()), duplicates == "drop", example))
    fresh = ~(again | mirrored) if duplicates == "drop" else np.ones(rows.size, bool)

    numbers = order_by[rows] if period == "given" else period_numbers(day[rows], period)
    origin = int(numbers[0])
    history = History(
        first=codes[: rows.size][fresh],
        second=codes[rows.size :][fresh],
        half_points=halves[rows][fresh],
        period=(numbers - origin).astype(np.int32)[fresh],
        day=day[rows][fresh],
        players=_players(names, players, table, where, rows, codes, remarks),
        period_length=period,
        period_origin=origin,
        event=None if event is None else event[fresh],
        events=events,
        time_control=None if control is None else control[fresh],
        time_controls=controls,
        shift=_shift(table, where, rows, points_per_handicap, fresh, remarks),
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
        raise ReadError("history-no-date", source=source, columns=list(table.columns))
    if period != "given":
        return day, day.astype(np.int64)
    if "period" not in where:
        raise ReadError(
            "history-column-missing",
            source=source,
            column="period",
            columns=list(table.columns),
            wanted="period",
        )
    number = pd.to_numeric(table[where["period"]], errors="coerce").to_numpy(float)
    kept.leave_out("no-date", ~np.isfinite(number) | (number != np.floor(number)))
    return day, np.where(np.isfinite(number), number, 0).astype(np.int64)


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ParameterError("not-one-of", name=name, value=value, choices=choices)


def _coded(
    table: pd.DataFrame, name: str | None, rows: np.ndarray
) -> tuple[np.ndarray | None, tuple[str, ...]]:
    if name is None:
        return None, ()
    codes, values = pd.factorize(table[name].astype("string").fillna("").to_numpy(object)[rows])
    return codes.astype(np.int32), tuple(str(value) for value in values)


def _repeated(codes, halves, order_by, table, where, rows) -> tuple[np.ndarray, np.ndarray]:
    """Rows that say again what an earlier one said, and those that say it from the other side: two games of a day with the
    colours changed are a match, unless the round is the same or a good part of the table is such."""
    n = rows.size
    first, second = codes[:n], codes[n:]
    turned = first > second
    facts = {"low": np.minimum(first, second), "high": np.maximum(first, second), "when": order_by}
    facts["result"] = np.where(turned, 2 - halves, halves)
    for name in ("round", "board"):
        if name in where:
            facts[name] = table[where[name]].astype("string").fillna("").to_numpy(object)[rows]
    seen = pd.DataFrame(facts)
    again = seen.assign(turned=turned).duplicated().to_numpy()
    mirrored = seen.duplicated().to_numpy() & ~again
    if "round" not in where and 4 * int(mirrored.sum()) < n:
        mirrored[:] = False
    return again, mirrored


def _players(names, given, table, where, rows, codes, remarks) -> pd.DataFrame:
    players = pd.DataFrame({"player": [str(name) for name in names]})
    if given is not None:
        return _with_details(players, given, remarks)
    if "birth_year_first" in where and "birth_year_second" in where:
        years = np.concatenate(
            [
                pd.to_numeric(table[where[side]], errors="coerce").to_numpy(float)[rows]
                for side in ("birth_year_first", "birth_year_second")
            ]
        )
        known = pd.Series(years).groupby(codes).first()
        players["birth_year"] = known.reindex(range(len(players))).to_numpy(float)
    return players


def _with_details(players: pd.DataFrame, given: pd.DataFrame, remarks: list[Remark]) -> pd.DataFrame:
    """The players with what a table says of them; rows that name nobody and births that cannot be read are counted."""
    ours = {"name": "player", "id": "player", "birth_year": "birth_year"}
    heads = {name: ours.get(column_of(str(name)), str(name)) for name in given}
    heads |= {name: "birth_year" for name in given if str(name).strip().casefold() == "birth_date"}
    for name in given:  # an exact name wins over one that means the same
        if name in ("player", "birth_year", "start"):
            heads = {one: head if one == name or head != name else str(one) for one, head in heads.items()}
    details = given.rename(columns=heads)
    if "player" not in details:
        raise ReadError("players-no-column", columns=list(given.columns))
    details = details.loc[:, ~details.columns.duplicated()].copy()
    details["player"] = player_names(details["player"])
    strangers = ~details["player"].isin(players["player"])
    if strangers.any():
        remarks.append(
            Remark("players-unknown", int(strangers.sum()), False, str(details["player"][strangers].iloc[0]))
        )
    if "birth_year" in details:
        details["birth_year"] = _births(details["birth_year"], remarks)
    if "start" in details:
        details["start"] = pd.to_numeric(details["start"], errors="coerce")
    return players.merge(details.drop_duplicates("player"), on="player", how="left")


def _births(column: pd.Series, remarks: list[Remark]) -> np.ndarray:
    codes, values = pd.factorize(column.astype("string").fillna(""))
    years, bad = np.full(len(values), np.nan), np.zeros(len(values), bool)
    for place, value in enumerate(values):
        try:
            years[place] = read_birth(str(value))[0]
        except ValueError:
            bad[place] = True
    if bad.any():
        remarks.append(Remark("birth", int(bad[codes].sum()), False, str(values[int(np.argmax(bad))])))
    return years[codes]


def _shift(table, where, rows, points, fresh, remarks) -> np.ndarray | None:
    if "handicap" not in where:
        return None
    stones = pd.to_numeric(table[where["handicap"]], errors="coerce").fillna(0.0).to_numpy(float)[rows]
    if not points:
        if stones.any():
            example = _row_text(table, int(rows[np.flatnonzero(stones)[0]]))
            remarks.append(Remark("handicap", int((stones != 0).sum()), False, example))
        return None
    return (stones * points)[fresh]


def _row_text(table: pd.DataFrame, row: int) -> str:
    cells = words.joined("" if pd.isna(v) else str(v) for v in table.iloc[row].tolist())
    return words.said("research_example.row", row=row + 2, cells=words.Said(cells[:200], cells.zh[:200]))
