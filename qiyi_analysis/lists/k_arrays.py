"""The K-factor of many players at once; the same rows and the same three-valued logic as for one player."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np

from qiyi_analysis.ruleset import Block, RuleSet


def choose_k(rules: RuleSet, facts: Mapping[str, np.ndarray], day: date | None) -> np.ndarray:
    """K of each player by the edition's rows, 0 where the facts do not decide.

    ``facts``: float arrays ``rating, peak, games, events, birth_year`` of equal length, NaN not known.
    """
    size = len(facts["rating"])
    least, most = np.full(size, np.iinfo(np.int64).max), np.zeros(size, dtype=np.int64)
    open_ = np.ones(size, dtype=bool)
    for row in rules.rows("k_factor"):
        true, false = _row(row, facts, day, size)
        possible = open_ & ~false
        least = np.where(possible, np.minimum(least, row["k"]), least)
        most = np.where(possible, np.maximum(most, row["k"]), most)
        open_ &= ~true
    return np.where((least == most) & ~open_, most, 0)


def _row(
    row: Block, facts: Mapping[str, np.ndarray], day: date | None, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the players for whom all conditions of a row hold, and for whom one fails."""
    true, false = np.ones(size, dtype=bool), np.zeros(size, dtype=bool)
    for name, limit in row.get("when", {}).items():
        holds, fails = _condition(name, limit, row, facts, day, size)
        true &= holds
        false |= fails
    return true, false


def _condition(
    name: str, limit: Any, row: Block, facts: Mapping[str, np.ndarray], day: date | None, size: int
) -> tuple[np.ndarray, np.ndarray]:
    rating, peak = facts["rating"], facts["peak"]
    nobody = np.zeros(size, dtype=bool)
    match name:
        case "peak_at_least" | "peak_below":
            # NaN compares false on both sides: not known.
            reached = (rating >= limit) | (peak >= limit)
            below = ~reached & (peak < limit)
            return (reached, below) if name == "peak_at_least" else (below, reached)
        case "rating_at_least":
            return rating >= limit, rating < limit
        case "rating_below":
            return rating < limit, rating >= limit
        case "games_below":
            return facts["games"] < limit, facts["games"] >= limit
        case "events_below":
            return facts["events"] < limit, facts["events"] >= limit
        case "games_or_events_below":
            return _either(limit, row.get("ends_when", "either"), facts)
        case "under_age" | "year_age_at_most" if day is None:
            return nobody, nobody
        case "year_age_at_most" if day is not None:
            age = day.year - facts["birth_year"]
            return age <= limit, age > limit
        case "under_age" if day is not None:
            # In the year of the birthday the year alone does not decide.
            age = day.year - facts["birth_year"]
            return age < limit, age > limit
    raise KeyError(name)


def _either(
    limits: tuple[int, ...], ends_when: str, facts: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    games, events = facts["games"], facts["events"]
    below = [games < limits[0], events < limits[1]]
    reached = [games >= limits[0], events >= limits[1]]
    if ends_when == "either":
        return below[0] & below[1], reached[0] | reached[1]
    return below[0] | below[1], reached[0] & reached[1]
