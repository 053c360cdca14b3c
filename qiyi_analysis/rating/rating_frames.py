"""The frames of a Rating: numbers are numbers, and the rows of a frame can be had as they are printed.

Every procedure works on arrays, NaN where a value cannot be known; the columns, their types and their units are
declared here once. A float column of an exact quantity holds the float nearest to it, which gives the decimal back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rating.entrants import Entrants, GameRows
from qiyi_analysis.rules.ruleset import RuleSet

#: Columns of the players frame -> how they are kept: "exact" has the decimals of the edition, "score" one.
PLAYER_KINDS: Mapping[str, str] = {
    "number": "count", "id": "text", "name": "text", "rating": "number", "provisional": "flag", "k": "number",
    "games": "count", "score": "score", "opponents_average": "number", "difference": "number", "expected": "exact",
    "we": "exact", "change": "exact", "new_rating": "number", "rounded_change": "number", "w_minus_we": "exact",
    "formula": "text", "k_article": "text", "protected": "flag", "we_hundredths": "whole",
    "change_hundredths": "whole",
}  # fmt: skip
#: Columns of the games frame.
GAME_KINDS: Mapping[str, str] = {
    "number": "count", "round": "count", "opponent": "whole", "opponent_rating": "number", "difference": "number",
    "counted_difference": "number", "expected": "exact", "score": "score", "counted": "flag", "reason": "text",
    "article": "text",
}  # fmt: skip
#: Columns that some procedures add to the players frame; others of their own are numbers.
MORE_KINDS: Mapping[str, str] = {
    "assumed": "flag", "initial_score": "score", "initial_reason": "text"
}  # fmt: skip
DTYPES: Mapping[str, str] = {
    "count": "int64", "whole": "Int64", "text": "str", "flag": "bool", "number": "float64", "score": "float64",
    "exact": "float64",
}  # fmt: skip


def number(value: float, places: int) -> float:
    """A value with at most ``places`` decimals; NaN stays."""
    return round(float(value), places)


def exact(value: float, places: int) -> float:
    """The float nearest to a value rounded half up to ``places`` decimals; NaN stays."""
    if np.isnan(value):
        return np.nan
    return float(Decimal(float(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def not_told(reason: str, players: list[int], article: str) -> tuple[Finding, ...]:
    """A finding that a value of these players (their numbers) is assumed, because no file gives it; none without players."""
    if not players:
        return ()
    values = {"players": words.joined(players, 10), "count": len(players)}
    return (Finding(code="CK44", reason=reason, article=article, values=values),)


def games_and_half_points(rows: GameRows, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Rated games and half points of each player."""
    player = rows.player[rows.counted]
    games = np.bincount(player, minlength=size)
    half_points = np.bincount(player, weights=rows.half_points[rows.counted], minlength=size)
    return games, half_points.astype(np.int64)


def summed(rows: GameRows, values: np.ndarray, size: int) -> np.ndarray:
    """Sum of a value per game over each player's counted games."""
    counted = rows.counted
    # Of no game at all numpy counts in whole numbers, which cannot be NaN.
    return np.bincount(rows.player[counted], weights=values[counted], minlength=size).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """An event's rating calculation with its working; ``docs/frames.md`` has every column, its type and its unit.

    ``players``: one row per player, ``games``: one row per player and round. Numbers are float64 with NaN for what
    cannot be known; exact values have ``places`` decimals.
    """

    rules: RuleSet
    players: pd.DataFrame
    games: pd.DataFrame
    findings: tuple[Finding, ...] = ()
    places: int = 2

    def player_rows(self) -> list[dict[str, Any]]:
        """The players as they are printed: Decimals for exact values, None for what is not known."""
        return printed_rows(self.players, {**PLAYER_KINDS, **MORE_KINDS}, self.places)

    def game_rows(self, player: int | None = None) -> list[dict[str, Any]]:
        """The games as they are printed, of all players or of one."""
        games = self.games if player is None else self.games[self.games["number"] == player]
        return printed_rows(games, GAME_KINDS, self.places)


# --- the builder -----------------------------------------------------------------------------------


def build(
    event: Event,
    rules: RuleSet,
    field: Entrants,
    rows: GameRows,
    *,
    players: Mapping[str, Any],
    games: Mapping[str, Any],
    places: int,
    findings: Iterable[Finding],
) -> Rating:
    """The Rating of arrays per player (``players``) and per row of ``rows`` (``games``), NaN for not known.

    What every procedure has in common (number, id, name, games, score, opponent ...) comes from ``field`` and
    ``rows``; ``players`` may hold further columns of the procedure's own.
    """
    size = len(field.number)
    counts, half_points = games_and_half_points(rows, size)
    common = {
        "number": field.number,
        "id": [id or None for id in event.players["id"]],
        "name": event.players["name"].to_numpy(),
        "provisional": field.provisional,
        "games": counts,
        "score": half_points / 2,
        "protected": np.zeros(size, dtype=bool),
    }
    own = {**common, **players}
    for name in ("we", "change"):
        own[f"{name}_hundredths"] = _hundredths(own[name], places)
    paired = rows.opponent >= 0
    of_game = {
        "number": field.number[rows.player],
        "round": rows.round,
        "opponent": np.where(paired, field.number[np.where(paired, rows.opponent, 0)], np.nan),
        "score": np.where((rows.half_points >= 0) & paired, rows.half_points / 2, np.nan),
        "counted": rows.counted,
        "reason": rows.reason,
        **games,
    }
    order = np.lexsort((rows.row, rows.round, rows.player))
    return Rating(
        rules=rules,
        players=typed(own, {**PLAYER_KINDS, **MORE_KINDS}, PLAYER_KINDS),
        games=typed(of_game, GAME_KINDS, GAME_KINDS).iloc[order].reset_index(drop=True),
        findings=tuple(findings),
        places=places,
    )


def typed(columns: Mapping[str, Any], kinds: Mapping[str, str], first: Iterable[str]) -> pd.DataFrame:
    """A frame of the columns with the types of their kinds, those of ``first`` first and in that order."""
    names = [*first, *(name for name in columns if name not in set(first))]
    return pd.DataFrame(
        {name: pd.array(columns[name], dtype=DTYPES[kinds.get(name, "number")]) for name in names}
    )


def _hundredths(values: Any, places: int) -> np.ndarray:
    """Values as whole hundredths (floats, NaN for not known); none where the edition has more decimals than two."""
    values = np.asarray(values, dtype=np.float64)
    return np.rint(values * 100) if places == 2 else np.full(len(values), np.nan)


def rating_of(
    event: Event,
    rules: RuleSet,
    field: Entrants,
    rows: GameRows,
    *,
    k: np.ndarray,
    expected: np.ndarray,
    opponent_rating: np.ndarray,
    change: np.ndarray,
    new_rating: np.ndarray,
    article: str,
    places: int,
    own_rating: np.ndarray | None = None,
    findings: Iterable[Finding] = (),
    **more: Any,
) -> Rating:
    """Frames of a calculation made game by game in float64, rounded here once to the edition's decimals.

    ``k``, ``change``, ``new_rating`` and ``own_rating`` have one entry per player, ``expected`` and
    ``opponent_rating`` one per row of ``rows``. ``more`` are further columns of the players frame.
    """
    size = len(field.number)
    games, half_points = games_and_half_points(rows, size)
    own = np.where(field.has_rating, field.base, np.nan) if own_rating is None else own_rating
    we = summed(rows, np.nan_to_num(expected), size)
    we[np.isnan(change)] = np.nan
    counted, paired = rows.counted, rows.opponent >= 0
    total = np.bincount(rows.player[counted], weights=opponent_rating[counted], minlength=size)
    with np.errstate(invalid="ignore"):
        average = np.where(games > 0, np.floor(total / np.maximum(games, 1) + 0.5), np.nan)
    difference = np.where(counted, own[rows.player] - opponent_rating, np.nan)
    players = {
        "rating": _each(number, own, places),
        "k": _each(number, k, places),
        "opponents_average": average,
        "difference": np.full(size, np.nan),
        "expected": np.full(size, np.nan),
        "we": _each(exact, we, places),
        "change": _each(exact, change, places),
        "new_rating": _each(number, new_rating, places),
        "rounded_change": _each(number, new_rating - own, places),
        "w_minus_we": _each(exact, half_points / 2 - we, places),
        "formula": np.where(games > 0, "game", "none"),
        "k_article": [article] * size,
        **more,
    }
    of_game = {
        "opponent_rating": _each(number, np.where(paired, opponent_rating, np.nan), places),
        "difference": _each(number, difference, places),
        "counted_difference": _each(number, difference, places),
        "expected": _each(exact, np.where(counted, expected, np.nan), places),
        "article": [article] * len(rows.row),
    }
    return build(
        event,
        rules,
        field,
        rows,
        players=players,
        games=of_game,
        places=places,
        findings=(*field.findings, *findings),
    )


def _each(how: Callable[[float, int], float], values: np.ndarray, places: int) -> np.ndarray:
    return np.array([how(value, places) for value in values.tolist()], dtype=np.float64)


# --- rows as they are printed ----------------------------------------------------------------------


def printed_rows(frame: pd.DataFrame, kinds: Mapping[str, str], places: int) -> list[dict[str, Any]]:
    """The rows of a frame with Decimals of the right number of places for exact values, None for what is not known."""
    names = [str(name) for name in frame]
    cells = [_printed(frame[name], kinds.get(name, ""), places) for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]


def _printed(column: pd.Series, kind: str, places: int) -> list[Any]:
    values = column.astype(object).where(column.notna(), None).tolist()
    if kind in ("exact", "score"):
        unit = Decimal(1).scaleb(-(places if kind == "exact" else 1))
        return [None if v is None else Decimal(repr(v)).quantize(unit) for v in values]
    return [int(v) if isinstance(v, float) and v.is_integer() else v for v in values]
