"""The K-factor of players by the rows of an edition, with three-valued logic for what is not known.

A row's conditions may be true, false or undecidable from the facts at hand. K is known when every way
of deciding the undecidable ones leads to the same row value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from qiyi_analysis.rules.ruleset import Block, RuleSet

#: What is known about players on the day of the list: float arrays of equal length, NaN not known. ``rating``,
#: ``peak``, ``games``, ``events``, ``birth_year``; perhaps ``age``, the completed years on that day.
KFacts = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class KChoice:
    """``k``: K of each player, 0 where the facts do not decide; ``possible``: shape (rows, players), the rows of the
    edition that may be the player's."""

    k: np.ndarray
    rows: tuple[Block, ...]
    possible: np.ndarray

    def candidates(self, i: int) -> tuple[tuple[int, str], ...]:
        """The possible K-factors of a player, each with its article."""
        return tuple(
            (self.rows[row]["k"], self.rows[row].article) for row in np.flatnonzero(self.possible[:, i])
        )

    def articles(self, k: np.ndarray) -> np.ndarray:
        """The article of the first possible row with each player's ``k``, "" where there is none."""
        found = np.full(len(k), "", dtype=object)
        for row, possible in zip(reversed(self.rows), self.possible[::-1], strict=True):
            found[possible & (k == row["k"])] = row.article
        return found


def with_assumed_games(rules: RuleSet, facts: KFacts) -> KFacts:
    """The facts with the games that an edition takes a strong player to have, where they are not known."""
    block = rules.block("assumed_games")
    if block is None:
        return facts
    limit, games = block["peak_at_least"], facts["games"]
    strong = (facts["rating"] >= limit) | (facts["peak"] >= limit)
    return {**facts, "games": np.where(strong & np.isnan(games), block["games"], games)}


def choose_k(rules: RuleSet, facts: KFacts, day: date | None) -> KChoice:
    """K by the first row of the edition whose conditions hold (FIDE B.02 8.3.3, xiangqi art. 8)."""
    size, rows = len(facts["rating"]), tuple(rules.rows("k_factor"))
    least, most = np.full(size, np.iinfo(np.int64).max), np.zeros(size, dtype=np.int64)
    open_ = np.ones(size, dtype=bool)
    possible = np.zeros((len(rows), size), dtype=bool)
    for place, row in enumerate(rows):
        true, false = _row(row, facts, day, size)
        may = possible[place] = open_ & ~false
        least = np.where(may, np.minimum(least, row["k"]), least)
        most = np.where(may, np.maximum(most, row["k"]), most)
        open_ &= ~true
    return KChoice(np.where((least == most) & ~open_, most, 0), rows, possible)


def limited_k(k: np.ndarray, games: np.ndarray, rules: RuleSet) -> np.ndarray:
    """K after the limit on K times the games of the period (FIDE B.02 8.3.3: 700)."""
    product = rules.value("k_limit", "product")
    return k if product is None else np.where(k * games > product, product // np.maximum(games, 1), k)


def games_for_limited_k(k: int, allowed: Iterable[int], rules: RuleSet) -> tuple[int, int] | None:
    """The fewest and the most games in the period with which the limit on K times games makes ``k`` of one of the
    ``allowed`` K-factors; None where it does with none."""
    product = rules.value("k_limit", "product")
    if product is None or k < 1:
        return None
    most = product // k
    for own in sorted(allowed, reverse=True):
        fewest = max(product // (k + 1), product // own) + 1
        if own > k and fewest <= most:
            return fewest, most
    return None


def _row(row: Block, facts: KFacts, day: date | None, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the players for whom all conditions of a row hold, and for whom one fails."""
    true, false = np.ones(size, dtype=bool), np.zeros(size, dtype=bool)
    for name, limit in row.get("when", {}).items():
        holds, fails = _condition(name, limit, row, facts, day, size)
        true &= holds
        false |= fails
    return true, false


def _condition(
    name: str, limit: Any, row: Block, facts: KFacts, day: date | None, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the players for whom one condition holds, and for whom it fails; NaN is neither."""
    rating, peak = facts["rating"], facts["peak"]
    match name:
        case "peak_at_least" | "peak_below":
            # Whether the rating has ever been published at the limit or more.
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
        case "year_age_at_most" | "under_age":
            if day is None:
                return np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
            years = day.year - facts["birth_year"]
            if name == "year_age_at_most":
                return years <= limit, years > limit
            age = facts.get("age", np.full(size, np.nan))
            # In the year of the birthday the year alone does not decide.
            known = ~np.isnan(age)
            return np.where(known, age < limit, years < limit), np.where(known, age >= limit, years > limit)
    raise KeyError(name)


def _either(limits: tuple[int, ...], ends_when: str, facts: KFacts) -> tuple[np.ndarray, np.ndarray]:
    games, events = facts["games"], facts["events"]
    below = [games < limits[0], events < limits[1]]
    reached = [games >= limits[0], events >= limits[1]]
    if ends_when == "either":
        return below[0] & below[1], reached[0] | reached[1]
    return below[0] | below[1], reached[0] & reached[1]
