"""Criteria of the Chinese xiangqi and go rules: 小分, 对手分, 胜局, 犯规, 总得分, places of members, ...

They share the grid with the FIDE codes; unplayed rounds follow the readings named in the rule file ([unplayed]).
"""

from __future__ import annotations

from functools import reduce
from math import lcm

import numpy as np

from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.column import INTEGER, POINTS, PRODUCT, Column, Parts
from qiyi_analysis.tiebreaks.criterion import Code, tie_break
from qiyi_analysis.tiebreaks.grid import DRAW, FORFEIT_WIN, GIVEN, VOID, WIN, Grid, individual_grid
from qiyi_analysis.tiebreaks.teams import team_numbers
from qiyi_analysis.tiebreaks.work import Work


@tie_break("XF", aliases="小分 胜者小分", printed="(胜者)?小分")
def small_points(work: Work, code: Code) -> Column:
    """XF 小分: the points of the opponents beaten and half the points of those drawn with (2011 14.1)."""
    rules, grid = work.rules_for(code), work.grid
    block = rules.need("sonneborn")
    weights = {WIN: block["win"], DRAW: block["draw"]}
    unit = reduce(lcm, (weight.denominator for weight in weights.values()), 1)
    cells = _with_opponent(grid, rules)
    weight = np.zeros(grid.cell.shape, dtype=np.int64)
    for result, share in weights.items():
        weight[cells & (grid.result == result)] = int(share * unit)
    score = grid.score(code.score)
    seen = grid.of_opponents(score.total)
    return Column(
        numerator=(seen * weight).sum(axis=1),
        denominator=score.unit * unit,
        shape=PRODUCT,
        parts=Parts(counted=seen * weight, kept=cells, seen=seen, seen_unit=score.unit),
    )


@tie_break("DSF", aliases="对手分 对手积分", printed="对手(积)?分")
@tie_break("TDF", aliases="团体对手分", teams=True)
def opponents_points(work: Work, code: Code) -> Column:
    """DSF 对手分, 团体对手分: the points of all opponents played; a bye adds what the rule file says (2011 14.3.1, 14.4)."""
    rules, grid = work.rules_for(code), work.grid
    score = grid.score("MP" if code.name == "TDF" else code.score)
    seen, cells = _opponents_points(grid, rules, score.total, score.unit)
    return Column(
        numerator=np.where(cells, seen, 0).sum(axis=1),
        denominator=score.unit,
        shape=POINTS,
        parts=Parts(counted=seen, kept=cells, seen=seen, seen_unit=score.unit),
    )


def _opponents_points(
    grid: Grid, rules: RuleSet, total: np.ndarray, unit: int
) -> tuple[np.ndarray, np.ndarray]:
    cells = _with_opponent(grid, rules)
    seen = grid.of_opponents(total)
    byes = grid.cell == GIVEN
    bye = rules.value("unplayed", "bye", "nothing")
    if bye == "nothing" or not byes.any():
        return seen, cells
    if bye == "own-score":
        value = np.broadcast_to(total[:, None], seen.shape)
    elif bye == "rounds-left":
        value = np.broadcast_to(((grid.scheduled - grid.rounds + 1) * unit)[None, :], seen.shape)
    else:
        with_points = total[total > 0] if bye == "lowest-with-points" else total
        value = np.full(
            seen.shape, int(with_points.min(initial=0)) if not len(with_points) else int(with_points.min())
        )
    return np.where(byes, value, seen), cells | byes


def _with_opponent(grid: Grid, rules: RuleSet) -> np.ndarray:
    """Cells whose opponent's points count: played games, and forfeits where the reading adds the absent opponent."""
    if rules.value("unplayed", "absent_opponent") == "added":
        return grid.paired & (grid.cell != VOID)
    return grid.over_the_board


@tie_break("SJ", aliases="胜局 全队胜局", printed="胜局")
def wins(work: Work, code: Code) -> Column:
    """SJ 胜局: games won; of a team, by all its boards. A win without play counts by the reading of the rule file."""
    if work.grid.teams:
        return Column(numerator=work.grid.board_wins, shape=INTEGER)
    return _won_rounds(work, code)


@tie_break("SC", aliases="胜场 全队胜场")
def matches_won(work: Work, code: Code) -> Column:
    """SC 胜场: matches won (of an individual: games won)."""
    return _won_rounds(work, code)


def _won_rounds(work: Work, code: Code) -> Column:
    rules, grid = work.rules_for(code), work.grid
    cells = grid.over_the_board & (grid.result == WIN)
    if rules.value("unplayed", "win_without_play") == "counts":
        score = grid.score(code.score)
        cells = cells | (grid.cell == FORFEIT_WIN) | ((grid.cell == GIVEN) & (score.points == score.win))
    return Column(
        numerator=cells.sum(axis=1).astype(np.int64),
        shape=INTEGER,
        parts=Parts(counted=cells.astype(np.int64), kept=cells),
    )


@tie_break("FG", aliases="犯规 全队犯规", printed="犯规")
@tie_break("JG", aliases="警告")
def fouls(work: Work, code: Code) -> Column:
    """FG 犯规 and JG 警告: fewer is better; of a team, of all its members."""
    column = "fouls" if code.name == "FG" else "warnings"
    given = np.nan_to_num(work.event.players[column].to_numpy()).astype(np.int64)
    values = given
    if work.grid.teams:
        values = np.zeros(work.grid.size, dtype=np.int64)
        for row, members in enumerate(team_members(work)):
            values[row] = given[members].sum()
    return Column(numerator=values, shape=INTEGER, lower_better=True)


@tie_break("HZ", aliases="后走局数", colours=True)
@tie_break("HS", aliases="后走胜局", colours=True)
def games_second(work: Work, code: Code) -> Column:
    """HZ 后走局数: games with the second move; HS 后走胜局: those of them that were won."""
    grid = work.grid
    cells = grid.over_the_board & (grid.first == 0)
    if code.name == "HS":
        cells = cells & (grid.result == WIN)
    unknown = np.asarray((grid.over_the_board & (grid.first < 0)).any(axis=1))
    return Column(
        numerator=cells.sum(axis=1).astype(np.int64),
        shape=INTEGER,
        missing=unknown if unknown.any() else None,
        parts=Parts(counted=cells.astype(np.int64), kept=cells),
    )


@tie_break("ZDF", aliases="总得分 总积分", primary=True, printed="总得分")
def total_score(work: Work, code: Code) -> Column:
    """ZDF 总得分: own points + (opponents' points / (half of the maximum) - rounds), go 2002 art. 27.

    The maximum is the highest score achieved or the highest possible one, as the rule file says.
    """
    rules, grid = work.rules_for(code), work.grid
    block = rules.need("total_score")
    name = code.score
    if grid.teams and not name:
        name = "MP" if block["team_points"] == "match" else "GP"
    score = grid.score(name)
    seen, cells = _opponents_points(grid, rules, score.total, score.unit)
    opponents = np.where(cells, seen, 0).sum(axis=1)
    rounds = grid.scheduled
    top = int(score.total.max(initial=0)) if block["maximum"] == "achieved" else score.win * rounds
    top = max(top, 1)
    # s/u + d * (o/u) / (t/u) - R, over the common denominator u * t.
    numerator = score.total * top + block["divisor"] * opponents * score.unit - rounds * score.unit * top
    return Column(
        numerator=numerator,
        denominator=score.unit * top,
        shape=PRODUCT,
        parts=Parts(counted=seen, kept=cells, seen=seen, seen_unit=score.unit),
    )


@tie_break("MC", aliases="名次总和", primary=True, teams=True)
@tie_break("ZJ", options="N", aliases="最高个人名次", teams=True)
def member_places(work: Work, code: Code) -> Column:
    """MC 名次总和: the sum of the places of all members; ZJ: the best place, ZJ/2 the second best (1999 15.5).

    With the reading "points" MC is the sum of the members' points, more is better.
    """
    rules, grid = work.rules_for(code), work.grid
    if code.name == "MC" and rules.value("member_places", "sum_of") == "points":
        totals = individual_totals(work)
        sums = np.array([int(totals[0][members].sum()) for members in team_members(work)], dtype=np.int64)
        return Column(numerator=sums, denominator=totals[1], shape=POINTS)
    places = individual_places(work)
    values = np.zeros(grid.size, dtype=np.int64)
    missing = np.zeros(grid.size, dtype=bool)
    wanted = (code.ordinal or 1) - 1
    for row, members in enumerate(team_members(work)):
        ordered = np.sort(places[members])
        if code.name == "MC":
            values[row] = ordered.sum()
        elif wanted < len(ordered):
            values[row] = ordered[wanted]
        missing[row] = wanted >= len(ordered) or (len(ordered) > 0 and ordered[0] <= 0)
    return Column(
        numerator=values,
        shape=INTEGER,
        lower_better=True,
        missing=missing if missing.any() else None,
    )


def team_members(work: Work) -> list[np.ndarray]:
    """Rows of the players table that belong to each team of the grid."""
    team_of = team_numbers(work.event)
    teams = np.array([team_of.get(int(number), 0) for number in work.event.players["number"]])
    return [np.flatnonzero(teams == number) for number in work.grid.numbers]


def individual_places(work: Work) -> np.ndarray:
    """Places of the players: recomputed through ``work.places`` where there are games, else as printed."""
    if work.places is not None and len(work.event.games):
        return work.places()
    return np.nan_to_num(work.event.players["rank"].to_numpy()).astype(np.int64)


def individual_totals(work: Work) -> tuple[np.ndarray, int]:
    """Points of the players and their unit."""
    score = individual_grid(work.event).score()
    return score.total, score.unit
