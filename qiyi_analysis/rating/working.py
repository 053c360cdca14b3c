"""The working of systems that do not look a table up: arrays per player and game as a Rating's frames.

Exponential systems compute in float64; their values become Decimals of the edition's ``decimals`` here,
once, so that every surface prints the same digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rating import Rating
from qiyi_analysis.rating.entrants import Entrants, GameRows
from qiyi_analysis.rules.ruleset import RuleSet

HALF_POINTS = tuple(Decimal(5 * n).scaleb(-1) for n in range(3))


def decimal(value: float, places: int) -> Decimal | None:
    """A float as a Decimal with ``places`` decimals; None for NaN."""
    if np.isnan(value):
        return None
    return Decimal(float(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def number(value: float, places: int) -> int | float | None:
    """A float as a plain number with at most ``places`` decimals; None for NaN."""
    if np.isnan(value):
        return None
    rounded = round(float(value), places)
    return int(rounded) if rounded.is_integer() else rounded


def not_told(reason: str, players: list[int], article: str) -> tuple[Finding, ...]:
    """A finding that a value of these players (their numbers) is assumed, for nobody told it; none without players."""
    if not players:
        return ()
    shown = words.joined(players, 10)
    return (
        Finding(
            code="CK44", reason=reason, article=article, values={"players": shown, "count": len(players)}
        ),
    )


def games_and_half_points(rows: GameRows, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Rated games and half points of each player."""
    player = rows.player[rows.counted]
    games = np.bincount(player, minlength=size)
    half_points = np.bincount(player, weights=rows.half_points[rows.counted], minlength=size)
    return games, half_points.astype(np.int64)


def summed(rows: GameRows, values: np.ndarray, size: int) -> np.ndarray:
    """Sum of a value per game over each player's counted games."""
    counted = rows.counted
    # Of no game at all numpy counts in whole numbers, which cannot say "not known".
    return np.bincount(rows.player[counted], weights=values[counted], minlength=size).astype(np.float64)


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
    """Frames of a calculation made game by game; NaN means not known, and becomes None.

    ``k``, ``change``, ``new_rating`` and ``own_rating`` have one entry per player, ``expected`` and
    ``opponent_rating`` one per row of ``rows``. ``more`` are further columns of the players table.
    """
    size = len(field.number)
    games, half_points = games_and_half_points(rows, size)
    own = np.where(field.has_rating, field.base, np.nan) if own_rating is None else own_rating
    we = summed(rows, np.nan_to_num(expected), size)
    we[np.isnan(change)] = np.nan
    counted = rows.counted
    total = np.bincount(rows.player[counted], weights=opponent_rating[counted], minlength=size)
    with np.errstate(invalid="ignore"):
        average = np.where(games > 0, np.floor(total / np.maximum(games, 1) + 0.5), np.nan)
    columns: dict[str, Any] = {
        "number": field.number,
        "id": [id or None for id in event.players["id"]],
        "name": event.players["name"].to_numpy(),
        "rating": [number(value, places) for value in own],
        "provisional": field.provisional,
        "k": [number(value, places) for value in k],
        "games": games,
        "score": [Decimal(5 * int(h)).scaleb(-1) for h in half_points],
        "opponents_average": [number(value, 0) for value in average],
        "difference": [None] * size,
        "expected": [None] * size,
        "we": [decimal(value, places) for value in we],
        "change": [decimal(value, places) for value in change],
        "new_rating": [number(value, places) for value in new_rating],
        "rounded_change": [number(value, places) for value in new_rating - own],
        "w_minus_we": [decimal(h / 2 - value, places) for h, value in zip(half_points, we, strict=True)],
        "formula": np.where(games > 0, "game", "none").astype(object),
        "k_article": [article] * size,
        "protected": np.zeros(size, dtype=bool),
        **more,
    }
    types = {"number": "int64", "games": "int64", "provisional": "bool", "protected": "bool"}
    players = pd.DataFrame({n: pd.Series(v, dtype=types.get(n, object)) for n, v in columns.items()})
    difference = own[rows.player] - opponent_rating
    return Rating(
        rules=rules,
        players=players,
        games=_games_frame(field, rows, expected, opponent_rating, difference, article, places),
        findings=(*field.findings, *findings),
    )


def _games_frame(
    field: Entrants,
    rows: GameRows,
    expected: np.ndarray,
    opponent_rating: np.ndarray,
    difference: np.ndarray,
    article: str,
    places: int,
) -> pd.DataFrame:
    paired = rows.opponent >= 0
    order = np.lexsort((rows.row, rows.round, rows.player))
    shown = [number(v, places) if c else None for v, c in zip(difference, rows.counted, strict=True)]
    columns: dict[str, Any] = {
        "number": field.number[rows.player],
        "round": rows.round,
        "opponent": [int(field.number[o]) if p else None for o, p in zip(rows.opponent, paired, strict=True)],
        "opponent_rating": [
            number(v, places) if p else None for v, p in zip(opponent_rating, paired, strict=True)
        ],
        "difference": shown,
        "counted_difference": shown,
        "expected": [decimal(v, places) if c else None for v, c in zip(expected, rows.counted, strict=True)],
        "score": [
            HALF_POINTS[h] if h >= 0 and p else None for h, p in zip(rows.half_points, paired, strict=True)
        ],
        "counted": rows.counted,
        "reason": rows.reason,
        "article": [article] * len(rows.row),
    }
    types = {"number": "int64", "round": "int64", "counted": "bool"}
    frame = pd.DataFrame({n: pd.Series(v, dtype=types.get(n, object)) for n, v in columns.items()})
    return frame.iloc[order].reset_index(drop=True)
