"""What a period adds up to for each person, and the one rounding of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qiyi_analysis.lists.entries import Entries
from qiyi_analysis.rating.table_method import NOT_KNOWN, floored
from qiyi_analysis.rules.rounding import rounded
from qiyi_analysis.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Per person: games and change of the period in unit parts, K (0 not known), events counted."""

    games: np.ndarray
    change: np.ndarray
    k: np.ndarray
    events: np.ndarray
    unknown: np.ndarray  # played, but some change could not be calculated
    unit: int


def totals(result: Entries, size: int, rules: RuleSet) -> Totals:
    """Sums over each person's entries; K limited by the games of the period (FIDE B.02 8.3.3)."""
    person = result.person
    games = _sum(person, result.games, size)
    played = result.games > 0
    events = _sum(person, played, size)
    rated = ~np.isnan(result.rating)
    lost = played & rated & ((result.change == NOT_KNOWN) | (result.k == 0))
    known = played & ~lost & (result.change != NOT_KNOWN)
    k = np.zeros(size, dtype=np.int64)
    k[person[known]] = result.k[known]
    product = rules.value("k_limit", "product")
    change = np.where(known, result.change, 0)
    if product is not None:
        limited = np.where(k * games > product, product // np.maximum(games, 1), k)
        surplus = np.where(known & (result.w_minus_we != NOT_KNOWN), result.w_minus_we, 0)
        change = np.where(limited[person] < result.k, limited[person] * surplus, change)
        k = np.minimum(k, limited)
    return Totals(
        games=games,
        change=_sum(person, change, size),
        k=k,
        events=events,
        unknown=_sum(person, lost, size) > 0,
        unit=result.unit,
    )


def _sum(person: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Exact sums of whole numbers per person."""
    out = np.zeros(size, dtype=np.int64)
    np.add.at(out, person, values.astype(np.int64))
    return out


def new_rating(base: np.ndarray, change: np.ndarray, unit: int, rules: RuleSet) -> np.ndarray:
    """Base plus change, rounded once by the edition and held by its floor; ``base`` may have two decimals."""
    block = rules.need("change")
    hundredths = np.rint(np.nan_to_num(base) * 100).astype(np.int64)
    if block["rounded"] == "rating":
        new = rounded(hundredths * unit + 100 * change, 100 * unit, block["rounding"]).astype(np.float64)
    else:
        new = hundredths / 100 + rounded(change, unit, block["rounding"])
    return np.where(np.isnan(base), np.nan, floored(new, base, rules))
