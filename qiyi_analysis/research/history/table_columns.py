"""Which columns of a table of games mean what, and what its results are: one vocabulary with the readers of events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError, ReadError
from qiyi_analysis.model.event import Kind
from qiyi_analysis.readers.fields import read_result
from qiyi_analysis.readers.tables.heads import column_of, folded

#: What counts as first player, second player, points of the first, date, ... in a table, best name first.
COLUMNS: dict[str, tuple[str, ...]] = {
    "first": ("first", "white", "red", "home", "player_1"),
    "second": ("second", "black", "away", "player_2"),
    "score": (
        "score_first",
        "score_white",
        "white_score",
        "score_red",
        "red_score",
        "score_home",
        "score",
        "result",
    ),
    "score_second": ("score_second", "score_black", "black_score", "score_away"),
    "half_points": ("half_points",),
    "black_won": ("black_won",),
    "date": ("date", "day", "日期", "比赛日期", "对局日期"),
    "period": ("period", "month", "week"),
    "round": ("round", "round_number"),
    "board": ("board",),
    "kind": ("kind",),
    "event": ("event", "tournament", "赛事", "比赛", "赛事名称"),
    "time_control": ("time_control", "用时", "棋种"),
    "handicap": ("handicap", "让子"),
    "birth_year_first": ("birth_year_first",),
    "birth_year_second": ("birth_year_second",),
    "first_rating": ("first_rating", "white_elo", "red_rating", "white_rating", "first_elo"),
    "second_rating": ("second_rating", "black_elo", "black_rating", "second_elo"),
}
#: Columns of the readers' vocabulary (``readers/tables/heads.toml``) and what they are here.
_OF_READERS = {
    "white": "first",
    "red": "first",
    "black": "second",
    "result": "score",
    "round": "round",
    "board": "board",
}

RESULTS = {
    "1": 2, "1.0": 2, "w": 2, "win": 2, "0": 0, "0.0": 0, "l": 0, "loss": 0,
    "0.5": 1, ".5": 1, "½": 1, "=": 1, "1/2": 1, "d": 1,
}  # fmt: skip
#: Names that say that there was no opponent.
BYES = frozenset(("bye", "轮空", "輪空", "spielfrei", "freilos", "exempt", "descansa"))
#: A result as go servers write it: who won, and by how much.
_GO = re.compile(r"([bw])\+(?:[\d.]*|r|resign|t|time|f|forfeit)\Z")
#: Codes below 0: why a row is no game.
UNKNOWN, FORFEIT, BOTH_LOSE = -1, -2, -3


def locate(table: pd.DataFrame, given: Mapping[str, str], discipline: str, source: str) -> dict[str, str]:
    """Ours -> theirs, for the columns that are there. In go Black has the first move, elsewhere White (Red).

    Raises ReadError when a needed column is missing, ParameterError for an unknown one of ours.
    """
    names = {folded(str(name)): name for name in table.columns}
    where: dict[str, str] = {}
    for ours, theirs in given.items():
        if ours not in COLUMNS:
            raise ParameterError("history-column-unknown", column=ours, known=list(COLUMNS))
        if theirs not in table.columns:
            raise ReadError(
                "history-column-missing",
                source=source,
                column=theirs,
                columns=list(table.columns),
                wanted=ours,
            )
        where[ours] = theirs
    for ours, known in COLUMNS.items():
        found = next((names[folded(name)] for name in known if folded(name) in names), None)
        if ours not in where and found is not None and found not in where.values():
            where[ours] = found
    for name in table.columns:
        ours = _OF_READERS.get(column_of(str(name)), "")
        if ours and ours not in where and name not in where.values():
            where[ours] = name
    if discipline == "go" and _black_is_second(where) and not {"first", "second"} & set(given):
        where["first"], where["second"] = where["second"], where["first"]
        if {"score", "score_second"} <= set(where) and "score" not in given:
            where["score"], where["score_second"] = where["score_second"], where["score"]
    for needed in ("first", "second"):
        if needed not in where:
            raise ReadError(
                "history-no-player", source=source, side=needed, columns=list(table.columns), choices=list(COLUMNS[needed])
            )  # fmt: skip
    if not {"half_points", "score", "black_won"} & set(where):
        choices = [name for kind in ("score", "half_points", "black_won") for name in COLUMNS[kind]]
        raise ReadError("history-no-result", source=source, columns=list(table.columns), choices=choices)
    return where


def _black_is_second(where: Mapping[str, str]) -> bool:
    return (
        column_of(str(where.get("first", ""))) == "white"
        and column_of(str(where.get("second", ""))) == "black"
    )


@dataclass(frozen=True)
class Results:
    """codes: points of the first side in halves, or why the row is no game (UNKNOWN, FORFEIT, BOTH_LOSE); scale: of a win
    and a draw where the table does not count 1 and 1/2."""

    codes: np.ndarray
    scale: str = ""


def results_of(table: pd.DataFrame, where: Mapping[str, str], discipline: str) -> Results:
    """The results of a table by whichever of its columns hold them."""
    if "half_points" in where:
        return Results(_in_scale(_numbers(table[where["half_points"]]), (0, 1, 2)))
    if "score" not in where:
        won = _in_scale(_numbers(table[where["black_won"]]), (0, None, 1))
        black_first = column_of(str(where["first"])) == "black"
        return Results(won if black_first else np.where(won >= 0, 2 - won, won).astype(np.int8))
    column = table[where["score"]]
    numbers, blank = _numbers(column), _blank(column)
    if (np.isfinite(numbers) | blank).all() and not (discipline == "go" and blank.all()):
        other = _numbers(table[where["score_second"]]) if "score_second" in where else None
        return _by_points(numbers, other)
    codes, values = pd.factorize(column.astype("string").fillna(""))
    black_first = discipline == "go" and column_of(str(where["second"])) == "white"
    return Results(np.array([_of_text(str(value), black_first) for value in values], np.int8)[codes])


def _by_points(first: np.ndarray, second: np.ndarray | None) -> Results:
    """Points of one or both sides: 1, 1/2, 0, or 2, 1, 0 (usual in xiangqi), or 3, 1, 0."""
    seen = set(first[np.isfinite(first)].tolist())
    if second is not None:
        seen |= set(second[np.isfinite(second)].tolist())
    win = 1.0 if 0.5 in seen else max((x for x in (2.0, 3.0) if x in seen), default=1.0)
    draw = 0.5 if win == 1.0 else 1.0
    codes = _in_scale(first, (0.0, draw, win))
    if second is not None:
        other = _in_scale(second, (0.0, draw, win))
        codes = np.where(
            (first == 0) & (second == 0), BOTH_LOSE, np.where(codes + other == 2, codes, UNKNOWN)
        )
        codes = codes.astype(np.int8)
    return Results(codes, "" if win == 1.0 else f"{win:g}-{draw:g}-0")


def _of_text(text: str, black_first: bool) -> int:
    text = text.strip().casefold()
    if text in RESULTS:
        return RESULTS[text]
    if text in ("+", "-"):
        return FORFEIT
    if match := _GO.match(text):
        if text.endswith(("+f", "+forfeit")):
            return FORFEIT
        return 2 if (match[1] == "b") == black_first else 0
    try:
        pair = read_result(text)
    except ValueError:
        return UNKNOWN
    if pair is None or pair.doubt == "unequal":
        return UNKNOWN
    if pair.kind == Kind.DOUBLE_LOSS:
        return BOTH_LOSE
    return {"1": 2, "=": 1, "0": 0}[pair.first] if pair.kind == Kind.PLAYED else FORFEIT


def player_names(column: pd.Series) -> np.ndarray:
    """Names or ids as text; a number that a gap made a float is the whole number it was."""
    if pd.api.types.is_float_dtype(column) and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")
    return column.astype("string").fillna("").str.strip().to_numpy(object)


def no_opponent(names: np.ndarray) -> np.ndarray:
    """Where the name of a player says that there was none."""
    return pd.Series(names).str.casefold().isin(BYES).to_numpy(bool)


def not_played(column: pd.Series) -> np.ndarray:
    """Rows whose ``kind`` is another than a game over the board."""
    kinds = column.astype("string").fillna("").str.strip().str.casefold()
    return ~kinds.isin(("", Kind.PLAYED.value)).to_numpy(bool)


def _numbers(column: pd.Series) -> np.ndarray:
    return pd.to_numeric(column, errors="coerce").to_numpy(float, na_value=np.nan)


def _blank(column: pd.Series) -> np.ndarray:
    return (column.astype("string").fillna("").str.strip() == "").to_numpy(bool)


def _in_scale(numbers: np.ndarray, scale: Sequence[Any]) -> np.ndarray:
    """The place of each number in the scale (loss, draw, win), UNKNOWN for others."""
    codes = np.full(numbers.size, UNKNOWN, np.int8)
    for place, value in enumerate(scale):
        if value is not None:
            codes[numbers == value] = place
    return codes
