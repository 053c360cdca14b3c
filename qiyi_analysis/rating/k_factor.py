"""The K-factor of a player by the rows of an edition, with three-valued logic for what is not known.

A row's conditions may be true, false or undecidable from the facts at hand. K is known when every way
of deciding the undecidable ones leads to the same row value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from qiyi_analysis.ruleset import Block, RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class KFacts:
    """What is known about a player on the day of the list; None is not known."""

    rating: float | None = None
    peak: float | None = None
    games: float | None = None
    events: float | None = None
    birth_year: float | None = None
    birth_date: date | None = None
    day: date | None = None


@dataclass(frozen=True, slots=True)
class KChoice:
    """The possible K-factors, each with its article; one entry means K is known."""

    candidates: tuple[tuple[int, str], ...]

    @property
    def k(self) -> int | None:
        values = {k for k, _ in self.candidates}
        return values.pop() if len(values) == 1 else None

    @property
    def article(self) -> str:
        return self.candidates[0][1] if self.candidates else ""


def choose_k(rules: RuleSet, facts: KFacts) -> KChoice:
    """K by the first row of the edition whose conditions hold (FIDE B.02 8.3.3, xiangqi art. 8)."""
    candidates: list[tuple[int, str]] = []
    for row in rules.rows("k_factor"):
        truth = _holds(row, facts)
        if truth is not False:
            candidates.append((row["k"], row.article))
        if truth is True:
            break
    return KChoice(tuple(candidates))


def limited_k(k: int, games: int, rules: RuleSet) -> int:
    """K after the limit on K times the games of the period (FIDE B.02 8.3.3: 700)."""
    product = rules.value("k_limit", "product")
    if product is None or games == 0 or k * games <= product:
        return k
    return product // games


def _holds(row: Block, facts: KFacts) -> bool | None:
    """True or False where the facts decide, None where they do not."""
    truths = [_condition(name, limit, row, facts) for name, limit in row.get("when", {}).items()]
    if False in truths:
        return False
    return None if None in truths else True


def _condition(name: str, limit: Any, row: Mapping[str, Any], facts: KFacts) -> bool | None:
    match name:
        case "peak_at_least" | "peak_below":
            reached = _reached(limit, facts)
            return reached if name == "peak_at_least" or reached is None else not reached
        case "rating_at_least":
            return None if facts.rating is None else facts.rating >= limit
        case "rating_below":
            return None if facts.rating is None else facts.rating < limit
        case "games_below":
            return None if facts.games is None else facts.games < limit
        case "events_below":
            return None if facts.events is None else facts.events < limit
        case "games_or_events_below":
            return _either_below(limit, row.get("ends_when", "either"), facts)
        case "under_age":
            return _under_age(limit, facts)
        case "year_age_at_most":
            if facts.birth_year is None or facts.day is None:
                return None
            return facts.day.year - facts.birth_year <= limit
    raise KeyError(name)


def _reached(limit: int, facts: KFacts) -> bool | None:
    """Whether the rating has ever been published at ``limit`` or more."""
    if facts.rating is not None and facts.rating >= limit:
        return True
    return None if facts.peak is None else facts.peak >= limit


def _either_below(limits: tuple[int, int], ends_when: str, facts: KFacts) -> bool | None:
    below = [
        None if value is None else value < limit
        for value, limit in zip((facts.games, facts.events), limits, strict=True)
    ]
    if ends_when == "either":
        return False if False in below else (None if None in below else True)
    return True if True in below else (None if None in below else False)


def _under_age(limit: int, facts: KFacts) -> bool | None:
    if facts.day is None:
        return None
    if facts.birth_date is not None:
        born = facts.birth_date
        age = facts.day.year - born.year - ((facts.day.month, facts.day.day) < (born.month, born.day))
        return age < limit
    if facts.birth_year is None:
        return None
    years = facts.day.year - facts.birth_year
    # In the year of the birthday the year alone does not decide.
    return None if years == limit else years < limit
