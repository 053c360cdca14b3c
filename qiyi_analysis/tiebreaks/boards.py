"""Tie-breaks of teams from boards and from both scores together (C.07 12.1, 13.4)."""

from __future__ import annotations

import numpy as np

from qiyi_analysis.tiebreaks.column import MEAN, POINTS, Column
from qiyi_analysis.tiebreaks.criterion import Code, tie_break
from qiyi_analysis.tiebreaks.unplayed import opposition
from qiyi_analysis.tiebreaks.work import Work


@tie_break("BC", teams=True, needs_equal="GP", numbers=(78,), printed=r"board count")
def board_count(work: Work, code: Code) -> Column:
    """BC: board number times the points on that board, lower is better (12.1)."""
    grid, rules = work.grid, work.rules_for(code)
    weights = np.arange(1, grid.boards + 1)
    return Column(
        numerator=(grid.board_points * weights[None, :]).sum(axis=1),
        denominator=grid.score("GP").unit,
        shape=POINTS,
        lower_better=bool(rules.value("boards", "lower_board_count_better", True)),
    )


@tie_break("SSSC", options="score F P K", teams=True, numbers=(91,), printed=r"score strength")
def strength_combination(work: Work, code: Code) -> Column:
    """SSSC: the other score plus the Buchholz of the primary one over N (13.4).

    N is the largest primary score of the event over the largest other score of one match, rounded down, or /Kn.
    """
    grid, rules = work.grid, work.rules_for(code)
    primary = code.score or grid.primary
    secondary = "GP" if primary == "MP" else "MP"
    first, other = grid.score(primary), grid.score(secondary)
    parts = opposition(work, rules, primary, fore=code.fore, as_played=code.as_played)
    strength = np.where(parts.present, parts.value, 0).sum(axis=1)
    rounds = grid.scheduled
    factor = code.factor or max((first.win * rounds * other.unit) // (other.win * first.unit), 1)
    return Column(
        numerator=other.total * first.unit * factor + strength * other.unit,
        denominator=other.unit * first.unit * factor,
        shape=MEAN,
    )
