"""Tie-breaks from a competitor's own record and data (C.07 7, 10.6, 13.1)."""

from __future__ import annotations

import dataclasses

import numpy as np

from qiyi_analysis import words
from qiyi_analysis.tiebreaks.column import INTEGER, POINTS, Column, Parts
from qiyi_analysis.tiebreaks.criterion import Code, tie_break
from qiyi_analysis.tiebreaks.grid import FORFEIT_LOSS, FORFEIT_WIN, REQUESTED, REST, VOID, WIN
from qiyi_analysis.tiebreaks.work import Work


@tie_break(
    "PTS",
    options="score",
    aliases="积分 个人积分",
    primary=True,
    numbers=(1,),
    printed=r"^(points|pts\.?|积分|score)$|^points \(game.?points\)",
)
@tie_break("MP", aliases="MPTS", primary=True, teams=True, numbers=(13, 40, 44))
@tie_break("GP", aliases="GPTS", primary=True, teams=True)
@tie_break("CF", aliases="场分", primary=True, teams=True)
@tie_break("JF", aliases="局分 总局分", primary=True, teams=True)
def points(work: Work, code: Code) -> Column:
    """PTS, MP, GP: the score itself.

    No article on tie-breaks says what a game gives: that is the scoring of the event (C.07 11.1 names the points of teams).
    """
    names = {"CF": "MP", "JF": "GP", "PTS": code.score}
    name = names.get(code.name, code.name)
    return _score(
        work,
        name,
        work.cite(dataclasses.replace(code, name=code.score or code.name)) if name else _scoring(work),
    )


def _scoring(work: Work) -> words.Said:
    """The event's scoring: what a win, a draw (of the first and of the second player, where they differ) and a loss give."""
    scoring = work.event.scoring
    draws = dict.fromkeys((scoring.draw_first, scoring.draw_second))
    points = [f"{float(value):g}" for value in (scoring.win, *draws, scoring.loss)]
    return words.said("tie-break-article.scoring", points=words.joined(points))


@tie_break("MPVGP", teams=True)
def other_score(work: Work, code: Code) -> Column:
    """MPvGP: the score that does not rank first (13.1)."""
    return _score(work, work.grid.secondary)


def _score(work: Work, name: str, article: str = "") -> Column:
    score = work.grid.score(name)
    return Column(
        numerator=score.total,
        denominator=score.unit,
        shape=POINTS,
        article=article,
        parts=Parts(counted=score.points, kept=work.grid.cell != VOID),
    )


def _count(work: Work, code: Code, cells: np.ndarray, missing: np.ndarray | None = None) -> Column:
    return Column(
        numerator=cells.sum(axis=1).astype(np.int64),
        shape=INTEGER,
        missing=missing,
        parts=Parts(counted=cells.astype(np.int64), kept=cells),
    )


@tie_break("WIN", options="score", numbers=(12,), printed=r"wins|victories")
def wins(work: Work, code: Code) -> Column:
    """WIN: rounds with the points of a win, played or not (7.1)."""
    score = work.grid.score(code.score)
    rounds = ~np.isin(work.grid.cell, (VOID, REST))
    return _count(work, code, rounds & (score.points == score.win))


@tie_break("WON", options="score", printed=r"games won|won games")
def games_won(work: Work, code: Code) -> Column:
    """WON: games won over the board (7.2)."""
    return _count(work, code, _at_the_board(work, code) & (work.grid.result == WIN))


@tie_break("BPG", colours=True, numbers=(53,), printed=r"black")
def games_second(work: Work, code: Code) -> Column:
    """BPG: games over the board with the second move, Black in chess (7.3)."""
    cells = _at_the_board(work, code)
    return _count(work, code, cells & (work.grid.first == 0), _colour_missing(work, cells))


@tie_break("BWG", colours=True, printed=r"(wins|games won|won).*black")
def games_won_second(work: Work, code: Code) -> Column:
    """BWG: games won over the board with the second move (7.4)."""
    cells = _at_the_board(work, code) & (work.grid.result == WIN)
    return _count(work, code, cells & (work.grid.first == 0), _colour_missing(work, cells))


def _at_the_board(work: Work, code: Code) -> np.ndarray:
    """Games "over the board": by 7.2 to 7.4 no forfeit is one, whatever 15.2 says of round robins."""
    grid, rules = work.grid, work.rules_for(code)
    cells = grid.over_the_board
    if grid.round_robin and rules.value("round_robin", "over_the_board") == "regular-games":
        cells = cells | (grid.paired & (grid.cell == FORFEIT_WIN))
    return cells


def _colour_missing(work: Work, cells: np.ndarray) -> np.ndarray | None:
    unknown = np.asarray((cells & (work.grid.first < 0)).any(axis=1))
    return unknown if unknown.any() else None


@tie_break("PS", options="score cut", numbers=(86,), printed=r"^(?!.*oppo).*(progressive|cumulative)")
@tie_break("LJF", options="cut", aliases="累进分", printed="累进分")
def progressive(work: Work, code: Code) -> Column:
    """PS: the sum of the totals after each round; /Cn leaves out the first n rounds (7.5, 14.1)."""
    grid = work.grid
    score = grid.score(code.score)
    running = np.cumsum(score.points, axis=1)
    last = np.ones(len(grid.rounds), dtype=bool)
    last[:-1] = grid.rounds[1:] != grid.rounds[:-1]
    kept = last & (grid.rounds > code.low)
    return Column(
        numerator=running[:, kept].sum(axis=1),
        denominator=score.unit,
        shape=POINTS,
        parts=Parts(counted=running, kept=np.broadcast_to(kept, running.shape)),
    )


@tie_break("REP", options="score", aliases="GE", numbers=(79,), printed=r"(rounds|games).*elected to play")
def elected_to_play(work: Work, code: Code) -> Column:
    """REP: rounds less half- and zero-point byes and forfeit losses (7.6)."""
    cells = ~np.isin(work.grid.cell, (VOID, REST, REQUESTED, FORFEIT_LOSS))
    return _count(work, code, cells)


@tie_break("STD", options="score", printed=r"standard points")
def standard_points(work: Work, code: Code) -> Column:
    """STD: 1 for more points than the scheduled opponent, 1/2 for as many; without one against a draw's points (7.7)."""
    grid, rules = work.grid, work.rules_for(code)
    score = grid.score(code.score)
    rounds = ~np.isin(grid.cell, (VOID, REST))
    other = np.full(grid.cell.shape, score.draw, dtype=np.int64)
    if rules.value("standard_points", "compared_with", "scheduled-opponent") == "scheduled-opponent":
        other = np.where(grid.paired, score.against, other)
    halves = np.where(score.points > other, 2, np.where(score.points == other, 1, 0))
    halves = np.where(rounds, halves, 0)
    return Column(
        numerator=halves.sum(axis=1),
        denominator=2,
        shape=POINTS,
        parts=Parts(counted=halves, kept=rounds),
    )


@tie_break("TPN", options="R", printed=r"pairing number")
def pairing_number(work: Work, code: Code) -> Column:
    """TPN: the number in the event, low first; /R the other way round (7.8)."""
    return Column(
        numerator=work.grid.numbers.astype(np.int64),
        shape=INTEGER,
        lower_better=not code.reverse,
    )
