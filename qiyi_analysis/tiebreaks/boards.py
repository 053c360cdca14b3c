"""Tie-breaks of teams from boards and from both scores together (C.07 12.1, 13.4), and those of go programs."""

from __future__ import annotations

import numpy as np

from qiyi_analysis.tiebreaks.column import MEAN, POINTS, Column, Parts
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


@tie_break("TEAMP", teams=True, primary=True)
def team_points(work: Work, code: Code) -> Column:
    """TEAMP: two points for a match won, one for a draw (go teams)."""
    score = work.grid.score("MP")
    return Column(
        numerator=score.total,
        denominator=score.unit,
        shape=POINTS,
        parts=Parts(counted=score.points, kept=work.grid.paired),
    )


@tie_break("SOST", teams=True)
def opponents_team_points(work: Work, code: Code) -> Column:
    """SOST: the opponents' team points."""
    grid, score = work.grid, work.grid.score("MP")
    seen = grid.of_opponents(score.total)
    return Column(
        numerator=seen.sum(axis=1), denominator=score.unit, shape=POINTS,
        parts=Parts(counted=seen, kept=grid.paired, seen=seen, seen_unit=score.unit),
    )  # fmt: skip


def _board_wins(work: Work, code: Code) -> Column:
    """BDW: board wins; BDW3U: those on the upper three boards."""
    grid = work.grid
    upper = code.name.removeprefix("BDW").removesuffix("U")
    points = grid.board_points[:, : int(upper)] if upper else grid.score("GP").total[:, None]
    return Column(numerator=points.sum(axis=1), denominator=grid.score("GP").unit, shape=POINTS)


for _name in ("BDW", *(f"BDW{boards}U" for boards in range(1, 10))):
    tie_break(_name, teams=True)(_board_wins)


@tie_break("MNR", teams=True)
def mean_rating(work: Work, code: Code) -> Column:
    """MNR: the mean rating of those who played on the boards of a team in the first round."""
    event, size = work.event, max(work.grid.boards, 1)
    rating = dict(
        zip(event.players["number"].tolist(), np.nan_to_num(event.players["rating"].to_numpy()), strict=True)
    )
    members = [str(text).split()[:size] for text in event.teams["members"]]
    sums = [round(sum(rating.get(int(one), 0.0) for one in team if one.isdigit())) for team in members]
    return Column(numerator=np.array(sums, dtype=np.int64), denominator=size, shape=MEAN)
