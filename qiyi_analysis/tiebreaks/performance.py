"""Tie-breaks from ratings: average of opponents, performances on the table, their averages (C.07 10)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np

from qiyi_analysis.rules.rounding import half_up
from qiyi_analysis.rules.ruleset import RuleSet, ruleset
from qiyi_analysis.tiebreaks.column import INTEGER, Column, Parts
from qiyi_analysis.tiebreaks.criterion import Code, tie_break
from qiyi_analysis.tiebreaks.grid import FORFEIT_LOSS, FORFEIT_WIN
from qiyi_analysis.tiebreaks.work import Work


def _ratings(work: Work, code: Code) -> tuple[np.ndarray, bool]:
    """Whole ratings [competitors] with the unrated filled, and whether everybody has one."""
    given = work.grid.rating
    rated = ~np.isnan(given) & (given != 0)
    if code.unrated is not None:
        return np.where(rated, np.nan_to_num(given), code.unrated).astype(np.int64), True
    return np.where(rated, np.nan_to_num(given), 0).astype(np.int64), bool(rated.all())


def _met(work: Work, rules: RuleSet) -> np.ndarray:
    """Games that count for ratings: over the board; in a round robin of an edition that says so, forfeits too."""
    grid = work.grid
    if grid.round_robin and rules.value("round_robin", "over_the_board") == "regular-games":
        return grid.over_the_board | (grid.paired & np.isin(grid.cell, (FORFEIT_WIN, FORFEIT_LOSS)))
    return grid.over_the_board


def _dropped(work: Work, rules: RuleSet, complete: bool) -> np.ndarray | None:
    """With unrated players present the tie-break is left out, unless the rules fix what they count (art. 10)."""
    if complete or rules.value("performance", "unrated_present") != "dropped":
        return None
    return np.ones(work.grid.size, dtype=bool)


def _kept(code: Code, ratings: np.ndarray, met: np.ndarray) -> np.ndarray:
    kept = met.copy()
    rows = np.arange(len(kept))
    top = int(ratings.max(initial=0)) + 1
    for _ in range(min(code.low, kept.shape[1])):
        kept[rows, np.where(kept, ratings, top).argmin(axis=1)] = False
    for _ in range(min(code.high, kept.shape[1])):
        kept[rows, np.where(kept, ratings, -1).argmax(axis=1)] = False
    return kept


@tie_break(
    "ARO",
    options="cut median U",
    ratings=True,
    numbers=(36, 80),
    printed=r"average(?!.*perform).*(rating|elo)|(rating|elo)(?!.*perform).*average|\baro\b",
)
def average_rating(work: Work, code: Code) -> Column:
    """ARO: the mean rating of the opponents met over the board, whole, half up (10.1)."""
    rules = work.rules_for(code)
    ratings, complete = _ratings(work, code)
    seen = work.grid.of_opponents(ratings)
    kept = (
        _kept(code, seen, _met(work, rules))
        if work.grid.cell.size
        else np.zeros(work.grid.cell.shape, dtype=bool)
    )
    counts = kept.sum(axis=1)
    value = half_up(np.where(kept, seen, 0).sum(axis=1), np.maximum(counts, 1))
    missing = counts == 0
    dropped = _dropped(work, rules, complete)
    return Column(
        numerator=value,
        shape=INTEGER,
        missing=missing if dropped is None else dropped,
        parts=Parts(counted=seen, kept=kept, seen=seen),
    )


@tie_break("TPR", options="U", ratings=True, numbers=(60,), printed=r"performance")
def performance(work: Work, code: Code) -> Column:
    """TPR: average rating of the opponents plus the difference of the table for the score (10.2)."""
    rules = work.rules_for(code)
    ratings, complete = _ratings(work, code)
    value, games, seen = _tournament_performance(work, rules, ratings)
    dropped = _dropped(work, rules, complete)
    met = _met(work, rules)
    return Column(
        numerator=value,
        shape=INTEGER,
        missing=games == 0 if dropped is None else dropped,
        parts=Parts(counted=seen, kept=met, seen=seen),
    )


def _halves(work: Work, met: np.ndarray) -> np.ndarray:
    """Score of the counted games in half points, by result whatever the event's scoring."""
    return np.where(met, work.grid.result, 0).clip(min=0).astype(np.int64).sum(axis=1)


def _tournament_performance(
    work: Work, rules: RuleSet, ratings: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    met = _met(work, rules)
    seen = work.grid.of_opponents(ratings)
    games = met.sum(axis=1)
    some = np.maximum(games, 1)
    average = half_up(np.where(met, seen, 0).sum(axis=1), some)
    percent = half_up(100 * _halves(work, met), 2 * some)
    differences = _differences(rules)
    return average + differences[percent], games, seen


@tie_break("PTP", options="U", ratings=True, printed=r"perfect.*performance")
def perfect_performance(work: Work, code: Code) -> Column:
    """PTP: the lowest whole rating whose expected score by the table, without a cap, reaches the score (10.3)."""
    rules = work.rules_for(code)
    ratings, complete = _ratings(work, code)
    value, games, seen = _perfect(work, rules, ratings)
    dropped = _dropped(work, rules, complete)
    return Column(
        numerator=value,
        shape=INTEGER,
        missing=games == 0 if dropped is None else dropped,
        parts=Parts(counted=seen, kept=_met(work, rules), seen=seen),
    )


def _perfect(work: Work, rules: RuleSet, ratings: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    met = _met(work, rules)
    seen = work.grid.of_opponents(ratings)
    games = met.sum(axis=1)
    table, reach = _expected(rules)
    wanted = 50 * _halves(work, met)  # hundredths
    # The expected score never falls as the rating grows: halve the interval until one rating is left.
    low = np.where(met, seen, np.iinfo(np.int32).max).min(axis=1, initial=np.iinfo(np.int32).max) - reach
    high = np.where(met, seen, np.iinfo(np.int32).min).max(axis=1, initial=np.iinfo(np.int32).min) + reach
    lowest = low + reach
    low, high = np.where(games > 0, low, 0), np.where(games > 0, high, 0)
    while (low < high).any():
        middle = (low + high) // 2
        index = np.clip(middle[:, None] - seen, -reach, reach) + reach
        enough = np.where(met, table[index], 0).sum(axis=1) >= wanted
        high = np.where(enough, middle, high)
        low = np.where(enough, low, np.minimum(middle + 1, high))
    zero = lowest - rules.need("performance")["zero_score_below_lowest"]
    return np.where((wanted == 0) & (games > 0), zero, low), games, seen


@tie_break(
    "APRO", options="U", ratings=True, printed=r"average(?!.*perfect).*performance.*opponents?|\bapro\b"
)
def average_performance(work: Work, code: Code) -> Column:
    """APRO: the mean TPR of the opponents met over the board, half up (10.4)."""
    rules = work.rules_for(code)
    ratings, complete = _ratings(work, code)
    return _mean_of(work, rules, _tournament_performance(work, rules, ratings)[0], complete)


@tie_break("APPO", options="U", ratings=True, printed=r"average.*perfect.*performance.*opponents?|\bappo\b")
def average_perfect(work: Work, code: Code) -> Column:
    """APPO: the mean PTP of the opponents met over the board, half up (10.5)."""
    rules = work.rules_for(code)
    ratings, complete = _ratings(work, code)
    return _mean_of(work, rules, _perfect(work, rules, ratings)[0], complete)


def _mean_of(work: Work, rules: RuleSet, values: np.ndarray, complete: bool) -> Column:
    met = _met(work, rules)
    seen = work.grid.of_opponents(values)
    counts = met.sum(axis=1)
    dropped = _dropped(work, rules, complete)
    return Column(
        numerator=half_up(np.where(met, seen, 0).sum(axis=1), np.maximum(counts, 1)),
        shape=INTEGER,
        missing=counts == 0 if dropped is None else dropped,
        parts=Parts(counted=seen, kept=met, seen=seen),
    )


@tie_break("RTNG", options="R U", ratings=True, printed=r"^(own )?rating$")
def rating(work: Work, code: Code) -> Column:
    """RTNG: the own rating, high first; /R the other way round (10.6)."""
    rules = work.rules_for(code)
    ratings, complete = _ratings(work, code)
    dropped = _dropped(work, rules, complete)
    return Column(
        numerator=ratings,
        shape=INTEGER,
        missing=dropped,
        lower_better=code.reverse,
    )


def _differences(rules: RuleSet) -> np.ndarray:
    """Rating difference for each whole percentage 0..100, as printed."""
    return _difference_table(rules.id, rules.need("performance")["table"])


def _expected(rules: RuleSet) -> tuple[np.ndarray, int]:
    """Expected score in hundredths for differences -reach..reach, where the table has come to its ends."""
    return _expected_table(rules.id, rules.need("performance")["expected_table"])


@cache
def _difference_table(id: str, name: str) -> np.ndarray:
    by_percent = {int(Fraction(row["p"]) * 100): int(row["dp"]) for row in ruleset(id).table(name)}
    return np.array([by_percent[p] for p in range(101)], dtype=np.int64)


@cache
def _expected_table(id: str, name: str) -> tuple[np.ndarray, int]:
    rows = ruleset(id).table(name)
    reach = max(int(row["d_low"]) for row in rows)
    table = np.zeros(2 * reach + 1, dtype=np.int64)
    for row in rows:
        high, low = int(Fraction(row["p_high"]) * 100), int(Fraction(row["p_low"]) * 100)
        for d in range(int(row["d_low"]), min(int(row["d_high"]), reach) + 1):
            table[reach + d], table[reach - d] = high, low
    return table, reach
