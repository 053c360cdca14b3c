"""How unplayed rounds count against opponents' scores: seen by others, for oneself, and when values are cut.

FIDE C.07 articles 15 and 16 (dummy opponent) and the text before them (virtual opponent). What kind of round a cell
is stands in ``grid``; this module is the only one that says what it is worth to a tie-break of opponents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.grid import PLAYED, REQUESTED, REST, VOID, Grid, Score
from qiyi_analysis.tiebreaks.work import Work


@dataclass(frozen=True)
class Opposition:
    """``value`` [competitors x columns]: the opponent's (or dummy's) score of each round; ``present``: the round is one
    of the sum; ``voluntary``: a voluntary unplayed round, to be cut first."""

    value: np.ndarray
    present: np.ndarray
    voluntary: np.ndarray
    points: np.ndarray  # own points, with the last round drawn in the fore variant


def opposition(
    work: Work, rules: RuleSet, score: str, *, fore: bool = False, as_played: bool = False
) -> Opposition:
    """Scores of all opponents of all competitors under one edition.

    ``fore``: every paired game of the final round is taken as a draw. ``as_played``: forfeits count as games against
    the scheduled opponent (option /P).
    """
    grid = work.grid
    key = ("opposition", rules.id, id(rules), score or grid.primary, fore, as_played)
    return work.once(key, lambda: _opposition(work, rules, grid.score(score), fore=fore, as_played=as_played))


def adjusted_scores(work: Work, rules: RuleSet, score: str, *, fore: bool = False) -> np.ndarray:
    """The score of each competitor as opponents see it (C.07 16.3)."""
    grid = work.grid
    key = ("adjusted", rules.id, id(rules), score or grid.primary, fore)
    return work.once(key, lambda: _adjusted(grid, rules, grid.score(score), fore=fore))


def _fore_points(grid: Grid, score: Score, fore: bool) -> tuple[np.ndarray, np.ndarray]:
    """Own points, and the cells taken as drawn games of the final round."""
    drawn = np.zeros(grid.cell.shape, dtype=bool)
    if fore:
        drawn = grid.paired & grid.final[None, :] & (grid.cell != VOID)
    return np.where(drawn, score.draw, score.points), drawn


def _adjusted(grid: Grid, rules: RuleSet, score: Score, *, fore: bool) -> np.ndarray:
    points, drawn = _fore_points(grid, score, fore)
    seen = rules.need("unplayed")["seen"]
    if grid.round_robin or seen == "awarded":
        return points.sum(axis=1)
    if seen == "all-drawn":
        return np.where(grid.unplayed & ~drawn, score.draw, points).sum(axis=1)
    # A requested bye is a draw when no round after it is anything but a voluntary unplayed one (16.2.5, 16.3.2).
    present = (grid.cell != VOID) & (grid.cell != REST)
    other = present & (~grid.voluntary | drawn)
    columns = np.arange(1, grid.cell.shape[1] + 1)
    last = np.where(other, columns, 0).max(axis=1, initial=0)
    trailing = (grid.cell == REQUESTED) & (columns[None, :] > last[:, None])
    return np.where(trailing, score.draw, points).sum(axis=1)


def _opposition(work: Work, rules: RuleSet, score: Score, *, fore: bool, as_played: bool) -> Opposition:
    grid = work.grid
    name = next(key for key, value in grid.scores.items() if value is score)
    adjusted = adjusted_scores(work, rules, name, fore=fore)
    points, drawn = _fore_points(grid, score, fore)
    forfeits_are_games = as_played or (
        grid.round_robin and rules.value("round_robin", "forfeits") == "regular-games"
    )
    regular = grid.over_the_board | drawn
    if forfeits_are_games:
        regular = regular | (grid.paired & grid.unplayed)
    present = (grid.cell != VOID) & (grid.cell != REST)
    if grid.round_robin:
        present = present & grid.paired
    # A game against somebody the event does not list has no opponent whose score could count.
    present = present & ~((grid.cell == PLAYED) & ~grid.paired)
    value = np.where(regular, grid.of_opponents(adjusted), 0)
    own = present & ~regular
    if own.any():
        value = np.where(own, _own(grid, rules, score, points, adjusted), value)
    return Opposition(value=value, present=present, voluntary=grid.voluntary & own, points=points)


def _own(grid: Grid, rules: RuleSet, score: Score, points: np.ndarray, adjusted: np.ndarray) -> np.ndarray:
    """The score of the opponent who takes the place of the missing one, per cell."""
    unplayed = rules.need("unplayed")
    if unplayed["own"] == "not-added":
        return np.zeros(grid.cell.shape, dtype=np.int64)
    if unplayed["own"] == "virtual-opponent":
        before = np.cumsum(points, axis=1) - points
        left = grid.cell.shape[1] - np.arange(1, grid.cell.shape[1] + 1)
        return before + (score.win - points) + score.draw * left[None, :]
    dummy = np.broadcast_to(points.sum(axis=1)[:, None], grid.cell.shape)
    if not unplayed.get("dummy_capped", False):
        return dummy
    rounds = grid.scheduled if unplayed.get("cap_rounds", "scheduled") == "scheduled" else grid.played
    games = max(grid.cell.shape[1] // grid.played, 1) if grid.played else 1
    cap = np.where(grid.paired, grid.of_opponents(adjusted), score.draw * rounds * games)
    return np.minimum(dummy, cap)


def cut(
    value: np.ndarray,
    product: np.ndarray,
    present: np.ndarray,
    voluntary: np.ndarray,
    low: int,
    high: int,
    rules: RuleSet,
) -> np.ndarray:
    """Which contributions are kept after ``low`` least and ``high`` most significant ones are taken away.

    ``value``: what decides significance (the opponent's score); ``product``: what the round adds. Among equal scores
    the lowest product goes first. A voluntary unplayed round goes before the least significant value unless it adds
    less than that (16.5). Raises nothing; cutting more than there is leaves nothing.
    """
    kept = present.copy()
    if not (low or high) or not kept.size:
        return kept
    voluntary_first = bool(rules.value("cut", "voluntary_first", False))
    # One whole number orders by score, then by product.
    span = int(product.max(initial=0)) - int(product.min(initial=0)) + 1
    joint = value.astype(np.int64) * span + (product - product.min(initial=0))
    # Among voluntary rounds the lowest contribution goes first, of equal ones that of the lowest score.
    by_product = (product - product.min(initial=0)) * (int(value.max(initial=0)) + 1) + value
    none = np.iinfo(np.int64).max
    rows = np.arange(len(kept))
    for _ in range(min(low, kept.shape[1])):
        least = np.where(kept, joint, none).argmin(axis=1)
        chosen = least
        if voluntary_first and voluntary.any():
            free = np.where(kept & voluntary, by_product, none)
            candidate = free.argmin(axis=1)
            has = free[rows, candidate] != none
            better = has & (product[rows, candidate] >= product[rows, least])
            chosen = np.where(better, candidate, least)
        kept[rows, chosen] = False
    for _ in range(min(high, kept.shape[1])):
        most = np.where(kept, joint, -1 - joint.max(initial=0)).argmax(axis=1)
        kept[rows, most] = False
    return kept
