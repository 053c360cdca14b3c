"""Tie-breaks inside a tied group: direct encounter, its team extension, 直胜, and the board results (C.07 6, 12, 13.3).

Each function is given the groups still tied and returns places inside them: 1 is first, equal places are still tied,
0 for a group (or a single competitor) that nothing was decided about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import lcm

import numpy as np

from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.column import INTEGER, Column
from qiyi_analysis.tiebreaks.criterion import Code, tie_break
from qiyi_analysis.tiebreaks.grid import Grid
from qiyi_analysis.tiebreaks.work import Work

#: A group in order of merit: classes of rows that stay tied.
Order = list[list[int]]


@tie_break(
    "DE",
    options="score P",
    relative=True,
    numbers=(11, 81),
    printed=r"direct encounter|direct.*(result|comparison)|head.to.head",
)
def direct_encounter(work: Work, code: Code, groups: np.ndarray) -> Column:
    """DE: the separate standings of the tied, again for every sub-tie; with games missing, only what no outcome of
    them can change (6.2, 6.3)."""
    rules = work.rules_for(code)
    games = _Games(work, rules, code.score, code.as_played)
    return _places(work, groups, lambda rows: separate_standings(games, rows))


@tie_break(
    "EDE", options="score P", relative=True, teams=True, numbers=(83,), printed=r"extended direct encounter"
)
@tie_break("EDEBT", options="score P", relative=True, teams=True)
@tie_break("EDEBB", options="score P", relative=True, teams=True)
@tie_break("EDET", options="score P", relative=True, teams=True)
@tie_break("EDEB", options="score P", relative=True, teams=True)
def extended_direct_encounter(work: Work, code: Code, groups: np.ndarray) -> Column:
    """EDE: DE on the primary score, where that separates nobody on the secondary one, from the start for every new
    subset; EDEBT, EDEBB, EDET, EDEB settle two teams by the boards of their own match (13.3)."""
    rules, grid = work.rules_for(code), work.grid
    primary = code.score or grid.primary
    secondary = "GP" if primary == "MP" else "MP"
    counts = [_Games(work, rules, name, code.as_played) for name in (primary, secondary)]
    ending = {"EDEBT": "CT", "EDEBB": "CB", "EDET": "T", "EDEB": "B"}.get(code.name, "")

    def order(rows: Sequence[int]) -> Order:
        for games in counts:
            found = separate_standings(games, rows)
            if len(found) > 1:
                return [part for tied in found for part in (order(tied) if len(tied) > 1 else [tied])]
        if len(rows) == 2 and ending:
            return _by_mutual_boards(counts[0], grid, rows, ending)
        return [list(rows)]

    return _places(work, groups, order)


def separate_standings(games: _Games, rows: Sequence[int]) -> Order:
    """The tied ``rows`` in order by the games among them, as far as it can be told.

    With games missing a competitor is first if he stays alone at the top even when he loses all his missing games and
    a rival wins all of his. Those two worst cases can happen together, whoever the rival is, so the comparison of the
    lower bound with every other upper bound is exact and needs no search.
    """
    first: Order = []
    rows = list(rows)
    # Whoever is placed leaves the table; the rest is looked at anew. A loop, as a field may be larger than the stack.
    while len(rows) > 1:
        total, met, unit = games.among(rows)
        if (met == len(rows) - 1).all():
            values = sorted(set(total.tolist()), reverse=True)
            order = [[rows[int(i)] for i in np.flatnonzero(total == value)] for value in values]
            if len(order) == 1:
                return [*first, *order]
            return [*first, *(part for tied in order for part in separate_standings(games, tied))]
        missing = len(rows) - 1 - met
        least, most = total + unit * games.loss * missing, total + unit * games.win * missing
        placed: list[int] = []
        open_ = list(np.argsort(-least, kind="stable"))
        while len(open_) > 1 and least[open_[0]] > most[open_[1:]].max():
            placed.append(int(open_.pop(0)))
        if not placed:
            break
        first += [[rows[i]] for i in placed]
        rows = [rows[int(i)] for i in sorted(open_)]
    return [*first, rows]


class _Games:
    """The games that count for a direct encounter, and the points of their sides."""

    def __init__(self, work: Work, rules: RuleSet, score: str, as_played: bool) -> None:
        grid = work.grid
        counted = grid.over_the_board
        regular = grid.round_robin and rules.value("round_robin", "forfeits") == "regular-games"
        if as_played or regular or rules.value("direct", "forfeits") == "included":
            counted = counted | (grid.paired & grid.unplayed)
        points = grid.score(score)
        self.opponent = np.where(counted, grid.opponent, -1)
        self.points, self.win, self.loss = points.points, points.win, points.loss
        self.average = rules.value("direct", "several_games", "average") == "average"
        self._place = np.full(grid.size, -1, dtype=np.int64)

    def among(self, rows: Sequence[int]) -> tuple[np.ndarray, np.ndarray, int]:
        """Points against the others of the group, how many of them were met, and what multiplies a point there.

        Several games between the same two count with their average (6.1.2).
        """
        group = np.asarray(rows)
        self._place[group] = np.arange(len(group))
        there = self.opponent[group]
        other = np.where(there >= 0, self._place[there], -1)
        self._place[group] = -1
        row, column = np.nonzero(other >= 0)
        pair = row * len(group) + other[row, column]
        distinct, inverse, counts = np.unique(pair, return_inverse=True, return_counts=True)
        sums = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(sums, inverse.ravel(), self.points[group][row, column])
        unit = lcm(*(int(c) for c in set(counts.tolist()))) if self.average and len(counts) else 1
        if self.average:
            sums = sums * (unit // counts)
        owner = distinct // len(group)
        total = np.zeros(len(group), dtype=np.int64)
        np.add.at(total, owner, sums)
        return total, np.bincount(owner, minlength=len(group)), unit

    def mutual(self, rows: Sequence[int]) -> dict[tuple[int, int], int]:
        """Points of each against each inside the group, only for those who met."""
        members = set(rows)
        points: dict[tuple[int, int], int] = {}
        for row in rows:
            for column in np.flatnonzero(self.opponent[row] >= 0):
                other = int(self.opponent[row, column])
                if other in members:
                    points[row, other] = points.get((row, other), 0) + int(self.points[row, column])
        return points


@tie_break("ZS", aliases="直胜", relative=True, printed="直胜")
def direct_win(work: Work, code: Code, groups: np.ndarray) -> Column:
    """ZS 直胜: the result between the tied; by the reading of the rule file for three or more."""
    rules = work.rules_for(code)
    games = _Games(work, rules, code.score, as_played=False)
    method = rules.value("direct", "method")

    def beat_all(rows: Sequence[int]) -> Order:
        if len(rows) < 2:
            return [list(rows)]
        mutual = games.mutual(rows)
        if any((a, b) not in mutual for a in rows for b in rows if a != b):
            return [list(rows)]
        for row in rows:
            if all(mutual[row, other] > mutual[other, row] for other in rows if other != row):
                return [[row], *beat_all([other for other in rows if other != row])]
        return [list(rows)]

    def order(rows: Sequence[int]) -> Order:
        if method == "separate-standings":
            return separate_standings(games, rows)
        if method == "two-only" and len(rows) != 2:
            return [list(rows)]
        return beat_all(rows)

    return _places(work, groups, order)


@tie_break("HX", aliases="互局后走", relative=True)
def second_in_mutual_game(work: Work, code: Code, groups: np.ndarray) -> Column:
    """HX: of two tied players the one who had the second move in their game goes first."""
    grid = work.grid

    def order(rows: Sequence[int]) -> Order:
        if len(rows) == 2:
            cells = np.flatnonzero((grid.opponent[rows[0]] == rows[1]) & grid.over_the_board[rows[0]])
            moves = {int(grid.first[rows[0], c]) for c in cells}
            if moves in ({0}, {1}):
                return [[rows[0]], [rows[1]]] if moves == {0} else [[rows[1]], [rows[0]]]
        return [list(rows)]

    return _places(work, groups, order)


@tie_break("TBR", aliases="台次分", relative=True, teams=True, numbers=(89,), printed=r"top board")
@tie_break("BBE", relative=True, teams=True, numbers=(90,), printed=r"bottom board")
def board_by_board(work: Work, code: Code, groups: np.ndarray) -> Column:
    """TBR: points on board 1, then board 2, ... (12.2). BBE: without the last board, then the last two, ... (12.3)."""
    points = work.grid.board_points
    if code.name == "BBE":
        points = np.cumsum(points, axis=1)[:, ::-1][:, 1:]
    keys = [tuple(row) for row in points.tolist()]
    return _places(work, groups, lambda rows: by_key(rows, keys))


def by_key(rows: Iterable[int], keys: Sequence[tuple[int, ...]]) -> Order:
    """The rows in classes of equal keys, larger keys first."""
    rows = list(rows)
    values = sorted({keys[row] for row in rows}, reverse=True)
    return [[row for row in rows if keys[row] == value] for value in values]


def _by_mutual_boards(games: _Games, grid: Grid, rows: Sequence[int], ending: str) -> Order:
    """Two teams by the boards of the matches between them: board count, then from the top or from the bottom."""
    boards = [_mutual_boards(games, grid, *pair) for pair in (rows, rows[::-1])]
    keys: list[tuple[int, ...]]
    for step in ending:
        if step == "C":
            weights = np.arange(1, grid.boards + 1)
            keys = [(-int((weights * own).sum()),) for own in boards]
        elif step == "T":
            keys = [tuple(int(v) for v in own) for own in boards]
        else:
            keys = [tuple(int(v) for v in np.cumsum(own)[::-1][1:]) for own in boards]
        if keys[0] != keys[1]:
            return [[rows[0]], [rows[1]]] if keys[0] > keys[1] else [[rows[1]], [rows[0]]]
    return [list(rows)]


def _mutual_boards(games: _Games, grid: Grid, row: int, other: int) -> np.ndarray:
    points = np.zeros(grid.boards, dtype=np.int64)
    for column in np.flatnonzero(games.opponent[row] == other):
        for board, value in grid.match_boards.get((row, int(column)), {}).items():
            points[board - 1] += value
    return points


def _places(work: Work, groups: np.ndarray, order: Callable[[list[int]], Order]) -> Column:
    """Run ``order`` on every group of at least two and turn the classes into places."""
    places = np.zeros(work.grid.size, dtype=np.int64)
    by_group = np.argsort(groups, kind="stable")
    edges = np.flatnonzero(np.diff(groups[by_group])) + 1
    for rows in np.split(by_group, edges):
        if len(rows) < 2:
            continue
        found = order([int(row) for row in rows])
        place = 1
        for tied in found if len(found) > 1 else ():
            places[tied] = place
            place += len(tied)
    return Column(numerator=places, shape=INTEGER, lower_better=True)


@tie_break("QL", aliases="前轮名次", relative=True, looks_back=True)
def backwards(work: Work, code: Code, groups: np.ndarray) -> Column:
    """QL: the standings after the round before, and so on back to the first (2011 14.3.1)."""
    if work.earlier is None or work.grid.played < 2:
        return _places(work, groups, lambda rows: [list(rows)])
    ranks: dict[int, np.ndarray] = {}

    def order(rows: Sequence[int]) -> Order:
        for round_ in range(work.grid.played - 1, 0, -1):
            if round_ not in ranks:
                ranks[round_] = work.earlier(round_)  # type: ignore[misc]
            found = by_key(rows, [(-int(r),) for r in ranks[round_]])
            if len(found) > 1:
                return [part for tied in found for part in (order(tied) if len(tied) > 1 else [tied])]
        return [list(rows)]

    return _places(work, groups, order)


@tie_break("LL", aliases="累进去轮", relative=True)
def progressive_dropping(work: Work, code: Code, groups: np.ndarray) -> Column:
    """LL: the progressive score without round 1, then without rounds 1 and 2, ... (2011 14.3.2)."""
    running = np.cumsum(work.grid.score().points, axis=1)
    tails = np.cumsum(running[:, ::-1], axis=1)[:, ::-1][:, 1:]
    keys = [tuple(row) for row in tails.tolist()]
    return _places(work, groups, lambda rows: by_key(rows, keys))
