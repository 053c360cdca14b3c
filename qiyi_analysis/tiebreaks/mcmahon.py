"""Criteria of European go programs, on wins (codes in W) and on McMahon scores (codes in M).

Every round of the event has a value, those to come and those without pairing too. Points for byes and absences are
added up over the rounds and rounded as the event says; halves of drawn games stay. What an event does not say itself
(``extra["mcmahon"]``) stands in the rule file. Everything is whole numbers in the unit of the event.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from qiyi_analysis.model.errors import EventError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.grades import rank_number
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.column import INTEGER, POINTS, Column, Parts
from qiyi_analysis.tiebreaks.criterion import Code, tie_break
from qiyi_analysis.tiebreaks.grid import GIVEN, PLAYED, REQUESTED, UNASSIGNED, VOID, WIN
from qiyi_analysis.tiebreaks.work import Work

#: Values an event may set for itself, each with what it may be; numbers are points ("1/2"), ranks are grades.
PARAMETERS: Mapping[str, tuple[str, ...] | str] = {
    "absence_points": "number", "absence_wins": "number", "bye_points": "number", "bye_wins": "number",
    "absence_rounding": ("down", "none"), "absence_opponent": ("own-start", "own-score", "nothing"),
    "handicap": ("counted", "not-counted"), "not_paired": ("absent", "nothing"),
    "unplayed_opponents": ("as-scored", "half-point"), "bar": "rank", "floor": "rank", "categories": "ranks",
}  # fmt: skip

_Names = dict[str, Any]


def _criterion(*names: str, **facts: Any) -> Callable[[Any], Any]:
    """The record of each of the names; all count every announced round."""

    def register(function: Any) -> Any:
        for name in names:
            # What is printed as SOSM goes under SOS, which is that in a McMahon event.
            of_sums = name.startswith("SO") and not name.endswith("M")
            printed = rf"\b{name.lower()}{'' if name[-1] == 'W' else 'm?'}\b" if of_sums else ""
            tie_break(name, announced=True, **{"printed": printed, **facts})(function)
        return function

    return register


def parameter(key: str, value: Any) -> Any:
    """One value of ``extra["mcmahon"]``, read. Raises ValueError where it is none."""
    kind = PARAMETERS.get(key)
    if isinstance(kind, tuple):
        if value not in kind:
            raise ValueError(key)
        return value
    if kind == "number":
        if value == "as-printed":
            return None  # what stands in the cell of the round
        number = Fraction(str(value))
        if not 0 <= number <= 100 or number.denominator > 100:
            raise ValueError(key)
        return number
    ranks = [rank_number(str(one)) for one in (value if kind == "ranks" else [value])]
    if kind is None or None in ranks:
        raise ValueError(key)
    return ranks if kind == "ranks" else ranks[0]


def rank_value(rank: str) -> int:
    """Go rank as a whole number: 30k is 0, 1k 29, 1d 30. Raises EventError for anything else.

    >>> rank_value("30k"), rank_value("1d")
    (0, 30)
    """
    found = rank_number(rank)
    if found is None:
        raise EventError("go-rank", rank=rank)
    return found


def start_scores(
    ranks: Sequence[str], upper_bar: str, lower_bar: str = "", *, zero_at_upper_bar: bool = False
) -> list[int]:
    """McMahon start scores: level above the upper bar and below the lower one, one point a rank between them.

    Scores count from 30k = 0, or from the upper bar = 0 downwards.

    >>> start_scores(["5d", "3d", "1k", "25k"], upper_bar="3d", lower_bar="20k")
    [32, 32, 29, 10]
    """
    top = rank_value(upper_bar)
    bottom = rank_value(lower_bar) if lower_bar else -math.inf
    zero = top if zero_at_upper_bar else 0
    return [int(min(max(rank_value(rank), bottom), top)) - zero for rank in ranks]


def is_mcmahon(event: Event) -> bool:
    """Whether the main score of a go event is the McMahon score."""
    return event.format == "mcmahon"


def _rules(work: Work) -> RuleSet:
    return work.rules_for(Code(text="MMS", name="MMS"))


def own_settings(event: Event) -> tuple[_Names, tuple[str, ...]]:
    """What an event sets for itself, and the names of what it says there that is no such value."""
    given = event.extra.get("mcmahon")
    found: _Names = {}
    unread: list[str] = []
    for key, value in given.items() if isinstance(given, Mapping) else ():
        try:
            found[key] = parameter(key, value)
        except (ValueError, ZeroDivisionError, TypeError):
            unread.append(str(key))
    return found, tuple(unread)


def settings(work: Work) -> _Names:
    """The values that hold for the event: its own, else those of the rule file."""
    made: _Names = work.once(
        "mcmahon settings", lambda: {**_rules(work).need("mcmahon"), **own_settings(work.event)[0]}
    )
    return made


@dataclass(frozen=True)
class Scores:
    """One score after each round [competitors x columns] in 1/``unit``, and what each column of rounds adds."""

    start: np.ndarray
    added: np.ndarray
    free: np.ndarray  # of what is added, that of byes and absences
    running: np.ndarray
    total: np.ndarray
    for_opponents: np.ndarray  # what the score counts in the sums of opponents
    unit: int


def _start(work: Work) -> np.ndarray:
    """Start scores of the players, in whole points: as given, else by bar and floor.

    Raises EventError where the event gives neither.
    """
    given, bar, floor = (
        work.event.players["start_score"].to_numpy(), settings(work).get("bar"), settings(work).get("floor", 0),
    )  # fmt: skip
    if np.isnan(given).any() and bar is not None:
        given = np.where(np.isnan(given), _ranks(work).clip(min(floor, bar), bar), given)
    if np.isnan(given).any():
        who = int(work.grid.numbers[np.flatnonzero(np.isnan(given))[0]])
        raise EventError("mcmahon-start", event=work.event.id, player=who)
    return np.round(given).astype(np.int64)


def scores(work: Work, on: str) -> Scores:
    """Wins (``on`` W), McMahon scores (M) or Strasbourg scores (S) of the event."""
    made: Scores = work.once(("mcmahon", on), lambda: _strasbourg(work) if on == "S" else _scores(work, on))
    return made


def free_points(work: Work, on: str) -> tuple[np.ndarray, int]:
    """What each round without opponent is worth, in the unit that comes with it; before any rounding."""
    grid, given = work.grid, settings(work)
    name = "wins" if on == "W" else "points"
    absence, bye = given.get(f"absence_{name}"), given.get(f"bye_{name}")
    score = grid.score()
    unit = math.lcm(score.unit, *(value.denominator for value in (absence, bye) if value is not None))
    free = np.where(grid.paired, 0, score.points * (unit // score.unit))
    if bye is not None:
        free[grid.cell == GIVEN] = int(bye * unit)
    if absence is not None:
        free[grid.cell == REQUESTED] = int(absence * unit)
    missing = grid.cell == UNASSIGNED
    free[missing] = int((absence or 0) * unit) if given.get("not_paired", "absent") == "absent" else 0
    return free, unit


def _scores(work: Work, on: str) -> Scores:
    grid, given = work.grid, settings(work)
    free, unit = free_points(work, on)
    points = grid.score().points * (unit // grid.score().unit)
    summed = free.cumsum(axis=1)
    if given["absence_rounding"] == "down":
        summed = summed // unit * unit
    start = _start(work) * unit if on == "M" else np.zeros(grid.size, dtype=np.int64)
    running = start[:, None] + np.where(grid.paired, points, 0).cumsum(axis=1) + summed
    added = np.diff(running, axis=1, prepend=start[:, None])
    total = running[:, -1] if running.shape[1] else start
    counted = total
    if given.get("unplayed_opponents") == "half-point":
        played = grid.over_the_board
        absent = ((grid.cell != VOID) & ~played).sum(axis=1)
        counted = start + np.where(played, points, 0).sum(axis=1) + absent * unit // 2
    return Scores(start, added, np.diff(summed, axis=1, prepend=0), running, total, counted, unit)


def _strasbourg(work: Work) -> Scores:
    """McMahon scores with two points more from the quarter-final, two from the semi-final on, for who won all from the bar."""
    base, grid = scores(work, "M"), work.grid
    bar = settings(work).get("bar")
    added = base.added.copy()
    for before in (2, 1):
        rounds = grid.scheduled - before
        column = int(np.searchsorted(grid.rounds, rounds, side="right")) - 1
        if bar is not None and rounds >= 1 and 0 <= column < grid.rounds.size and grid.rounds[-1] >= rounds:
            through = base.running[:, column] == (bar + rounds) * base.unit
            added[through, column] += 2 * base.unit
    running = base.start[:, None] + added.cumsum(axis=1)
    total = running[:, -1] if running.shape[1] else base.start
    return Scores(base.start, added, base.free, running, total, total, base.unit)


def _on(work: Work, code: Code) -> str:
    """Which score a code counts: the last letter of its name, else the main score of the event."""
    if code.name in ("MMS", "CUSSM", "SOSM", "SODOSM", "SOSOSM"):
        return "M"
    if code.name in ("STS", "SOSTS"):
        return "S"
    if code.name in ("SOS", "SODOS", "SOSOS", "CUSS") and is_mcmahon(work.event):
        return "M"
    return "W"


def _column(
    work: Work,
    counted: np.ndarray,
    kept: np.ndarray,
    unit: int,
    total: np.ndarray | None = None,
    **parts: Any,
) -> Column:
    return Column(
        numerator=np.where(kept, counted, 0).sum(axis=1) if total is None else total,
        denominator=unit,
        shape=POINTS,
        parts=Parts(counted=counted, kept=kept, **parts),
    )


@_criterion("NBW", "STS", primary=True)
@_criterion("MMS", primary=True, printed=r"\bmms\b|mc\s?mahon score")
def own_score(work: Work, code: Code) -> Column:
    """NBW, MMS, STS: the score after the last round."""
    one = scores(work, _on(work, code))
    kept = work.grid.cell != VOID
    start = {"start": one.start} if one.start.any() else {}
    return _column(work, one.added, kept, one.unit, total=one.total, **start)


@_criterion("CUSS", "CUSSW", "CUSSM")
def cumulative(work: Work, code: Code) -> Column:
    """CUSS: the sum of the scores after each round."""
    one = scores(work, _on(work, code))
    kept = _ends_round(work)
    return _column(work, one.running, kept, one.unit)


def _ends_round(work: Work) -> np.ndarray:
    """Mask of the last column of each round (a round has more where somebody played twice in it)."""
    rounds = work.grid.rounds
    last = np.ones(len(rounds), dtype=bool)
    last[:-1] = rounds[1:] != rounds[:-1]
    return np.broadcast_to(last, work.grid.cell.shape)


@_criterion("CPS", primary=True)
def cup_score(work: Work, code: Code) -> Column:
    """CPS: after each round twice the value before and the points of the game; those of byes and absences are not doubled."""
    one = scores(work, "W")
    rounds = work.grid.rounds
    power = rounds[-1] - rounds if len(rounds) else rounds
    # Whole numbers of any size: a cup of 60 rounds is no reason to overflow.
    factor = np.array(
        [1 << int(exponent) for exponent in power], dtype=np.int64 if len(rounds) < 55 else object
    )
    counted = (one.added - one.free) * factor + one.free
    return _column(work, counted, work.grid.cell != VOID, one.unit)


def _seen(work: Work, on: str) -> tuple[np.ndarray, np.ndarray]:
    """What each round shows of the opponent's score, and which rounds count as a value."""
    grid, given, one = work.grid, settings(work), scores(work, on)
    seen = grid.of_opponents(one.for_opponents)
    present = grid.cell != VOID
    if on == "W":
        return seen, present
    if given["handicap"] == "counted":
        stones = np.round(np.nan_to_num(grid.handicap)).astype(np.int64) * one.unit
        seen = seen + np.where(grid.paired, stones, 0)
    if given["absence_opponent"] == "nothing":
        return seen, grid.paired
    own = one.start if given["absence_opponent"] == "own-start" else one.total
    return np.where(grid.paired | ~present, seen, own[:, None]), present


@_criterion("SOS", "SOSW", "SOSM", "SOSTS", options="cut median")
def opponents_scores(work: Work, code: Code) -> Column:
    """SOS: the opponents' scores, on McMahon scores with the handicap given added, that taken subtracted.

    /C1 and SOS-1 leave the lowest value out, /C2 and SOS-2 the lowest two, /M1 the highest as well.
    """
    on = _on(work, code)
    seen, kept = _seen(work, on)
    top = kept.copy()
    rows = np.arange(len(kept))
    for worst, by, count in (
        (np.iinfo(np.int64).max, np.argmin, code.low),
        (np.iinfo(np.int64).min, np.argmax, code.high),
    ):
        for _ in range(min(count, kept.shape[1])):
            top[rows, by(np.where(top, seen, worst), axis=1)] = False
    if code.low and on == "M" and kept.shape[1] < 3:
        top[:] = False  # the programs give no such value before the third round
    unit = scores(work, on).unit
    return _column(work, seen, top, unit, seen=seen, seen_unit=unit)


@_criterion("SOSOS", "SOSOSW", "SOSOSM")
def opponents_sums(work: Work, code: Code) -> Column:
    """SOSOS: the opponents' SOS; a round not paired counts nothing on wins, the own start times the rounds else."""
    grid, on = work.grid, _on(work, code)
    seen, kept = _seen(work, on)
    second = grid.of_opponents(np.where(kept, seen, 0).sum(axis=1))
    one = scores(work, on)
    if on == "M" and settings(work)["absence_opponent"] != "nothing":
        own = one.start if settings(work)["absence_opponent"] == "own-start" else one.total
        rounds = len(np.unique(grid.rounds))
        second = np.where(grid.paired | (grid.cell == VOID), second, own[:, None] * rounds)
    return _column(work, second, kept, one.unit, seen=second, seen_unit=one.unit)


@_criterion("SODOS", "SODOSW", "SODOSM")
def defeated_scores(work: Work, code: Code) -> Column:
    """SODOS: the values of SOS times the result, half for a draw."""
    on = _on(work, code)
    seen, _ = _seen(work, on)
    paired = work.grid.paired
    halves = np.where(paired, work.grid.result, 0).clip(min=0)
    unit = scores(work, on).unit
    return _column(work, seen * halves, paired, 2 * unit, seen=seen, seen_unit=unit)


@_criterion("EXT", "EXR")
def exploits(work: Work, code: Code) -> Column:
    """EXT: the opponents' wins times a weight by how hard the game was; EXR: of the games won.

    Handicap taken for White's minus the difference of ranks, from the player's side: 0 weighs 1, 1 weighs 2, more 3.
    """
    grid, one = work.grid, scores(work, "W")
    ranks = _ranks(work)
    stones = np.round(np.nan_to_num(grid.handicap)).astype(np.int64)
    harder = stones - (ranks[:, None] - grid.of_opponents(ranks))
    weight = np.where(grid.paired, (harder + 1).clip(0, 3), 0)
    kept = grid.paired if code.name == "EXT" else grid.paired & (grid.result == WIN)
    seen = grid.of_opponents(one.total)
    return _column(work, seen * weight, kept, one.unit, seen=seen, seen_unit=one.unit)


def _ranks(work: Work) -> np.ndarray:
    return np.array([rank_value(str(rank)) for rank in work.event.players["title"]], dtype=np.int64)


@_criterion("CAT", "NULL", primary=True)
@_criterion("RANK", "RATING")
def by_grade(work: Work, code: Code) -> Column:
    """CAT: the category, 1 the highest; RANK: the rank as a number, 30k 0; RATING: the rating before the event.

    NULL is the criterion of an event that has none: all are equal.
    """
    if code.name == "RATING":
        # Go programs rank on the European scale, whatever the event is rated on.
        scales = work.event.extra.get("scales") or {}
        rating = np.array(scales.get("egf/rating", work.grid.rating), dtype=np.float64)
        return Column(
            numerator=np.round(np.nan_to_num(rating)).astype(np.int64), shape=INTEGER, missing=np.isnan(rating)
        )  # fmt: skip
    limits = settings(work).get("categories") or ()
    if code.name == "NULL" or (code.name == "CAT" and not limits):
        return Column(
            numerator=np.ones(work.grid.size, dtype=np.int64),
            shape=INTEGER,
            lower_better=True,
        )
    ranks = _ranks(work)
    if code.name == "RANK":
        return Column(numerator=ranks, shape=INTEGER)
    below = np.stack([ranks < limit for limit in limits])
    # The first limit that is reached names the category, whatever the order of those behind it.
    category = np.where(below.all(axis=0), len(below), (~below).argmax(axis=0)) + 1
    return Column(numerator=category, shape=INTEGER, lower_better=True)


def _mutual(work: Work, rows: np.ndarray) -> np.ndarray:
    """Wins minus losses over the board within a group [members x members]; draws and defaults count nothing."""
    grid = work.grid
    place = np.full(grid.size, -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    won = (grid.cell[rows] == PLAYED) & (grid.result[rows] == WIN) & grid.paired[rows]
    mine, column = np.nonzero(won)
    other = place[grid.opponent[rows][mine, column]]
    both = grid.result[grid.opponent[rows][mine, column], column] == WIN
    wins = np.zeros((len(rows), len(rows)), dtype=np.int64)
    np.add.at(wins, (mine[(other >= 0) & ~both], other[(other >= 0) & ~both]), 1)
    return wins - wins.T


def _groups(groups: np.ndarray) -> list[np.ndarray]:
    order = np.argsort(groups, kind="stable")
    return [one for one in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1) if len(one) > 1]


@_criterion("SDC", relative=True)
def simple_confrontation(work: Work, code: Code, groups: np.ndarray) -> Column:
    """SDC: wins among those still equal where each has beaten or lost to each, else nothing."""
    value = np.zeros(work.grid.size, dtype=np.int64)
    for rows in _groups(groups):
        net = _mutual(work, rows)
        if ((net == 0).sum(axis=1) == 1).all():
            value[rows] = (net > 0).sum(axis=1)
    return Column(numerator=value, shape=INTEGER)


@_criterion("DC", relative=True)
def confrontation(work: Work, code: Code, groups: np.ndarray) -> Column:
    """DC: those still equal in the order of their games against each other.

    Cycles of wins are put together. Who has beaten nobody that is left goes last, of several the one lowest on the
    criteria behind DC, and is taken out; so on to the first. Two who met more than once with one winner more count
    for a win only where it is by one.
    """
    # Only who needs it pays for loading scipy, a third of a second.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    value = np.zeros(work.grid.size, dtype=np.int64)
    behind = work.behind(code) if work.behind is not None else np.zeros(work.grid.size, dtype=np.int64)
    for rows in _groups(groups):
        beaten = _mutual(work, rows) == 1
        _, cycle = connected_components(csr_array(beaten), connection="strong")
        joined = np.zeros((cycle.max() + 1, cycle.max() + 1), dtype=bool)
        joined[cycle[np.nonzero(beaten)[0]], cycle[np.nonzero(beaten)[1]]] = True
        np.fill_diagonal(joined, False)
        over = joined[cycle][:, cycle]
        left = np.ones(len(rows), dtype=bool)
        while left.any():
            free = left & ~(over & left[None, :]).any(axis=1)
            last = free & (behind[rows] == behind[rows][free].max())
            left &= ~last
            value[rows[last]] = len(rows) - left.sum() - last.sum()
    return Column(numerator=value, shape=INTEGER)
