"""McMahon standings of go: start scores by rank, MMS, and the sums of opponents' scores.

An absence adds a share of a point and is rounded down; for the sums of opponents it stands for an opponent with the
own start score. Handicap stones count in the sums as the rule file says.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from qiyi_analysis.model.errors import EventError
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.column import POINTS, Column, Parts
from qiyi_analysis.tiebreaks.criterion import Code, tie_break
from qiyi_analysis.tiebreaks.grid import REQUESTED, VOID
from qiyi_analysis.tiebreaks.work import Work

_RANK = re.compile(r"\s*(\d{1,2})\s*([kdp级段])", re.IGNORECASE)


def rank_value(rank: str) -> int:
    """Go rank as a whole number: 30k is 0, 1k 29, 1d 30. Raises EventError for anything else."""
    found = _RANK.match(rank)
    if not found:
        raise EventError("go-rank", rank=rank)
    grade, kind = int(found.group(1)), found.group(2).lower()
    return 30 - grade if kind in "k级" else 29 + grade


def start_scores(
    ranks: Sequence[str], upper_bar: str, lower_bar: str = "", *, zero_at_upper_bar: bool = False
) -> list[int]:
    """McMahon start scores: level above the upper bar and below the lower one, one point a rank between them.

    Scores count from 30k = 0, or from the upper bar = 0 downwards.
    """
    top = rank_value(upper_bar)
    bottom = rank_value(lower_bar) if lower_bar else -math.inf
    zero = top if zero_at_upper_bar else 0
    return [int(min(max(rank_value(rank), bottom), top)) - zero for rank in ranks]


def _rules(work: Work) -> RuleSet:
    return work.rules_for(Code(text="MMS", name="MMS"))


def _start(work: Work) -> np.ndarray:
    """Start scores of the players, in whole points. Raises EventError where the event gives none."""
    given = work.event.players["start_score"].to_numpy()
    if np.isnan(given).any():
        who = int(work.grid.numbers[np.flatnonzero(np.isnan(given))[0]])
        raise EventError("mcmahon-start", event=work.event.id, player=who)
    return np.round(given).astype(np.int64)


def _absences(work: Work) -> np.ndarray:
    return work.grid.cell == REQUESTED


def _mms(work: Work) -> tuple[np.ndarray, int]:
    block = _rules(work).need("mcmahon")
    score = work.grid.score()
    unit = math.lcm(score.unit, block["absence_points"].denominator)
    absences = _absences(work)
    played = np.where(absences, 0, score.points).sum(axis=1) * (unit // score.unit)
    total = _start(work) * unit + played + absences.sum(axis=1) * int(block["absence_points"] * unit)
    if block["absence_rounding"] == "down":
        total = total // unit * unit
    return total, unit


@tie_break("MMS", primary=True, printed=r"\bmms\b|mc\s?mahon score")
def mcmahon_score(work: Work, code: Code) -> Column:
    """MMS: start score, wins and the share for absences."""
    total, unit = work.once("mms", lambda: _mms(work))
    score = work.grid.score()
    share = int(_rules(work).need("mcmahon")["absence_points"] * unit)
    counted = np.where(_absences(work), share, score.points * (unit // score.unit))
    return Column(
        numerator=total,
        denominator=unit,
        shape=POINTS,
        parts=Parts(counted=counted, kept=work.grid.cell != VOID, start=_start(work) * unit),
    )


@tie_break("SOS", options="cut median", aliases="SOSM", printed=r"\bsosm?\b")
def opponents_scores(work: Work, code: Code) -> Column:
    """SOS: the sum of the opponents' McMahon scores; White adds and Black takes away the handicap."""
    seen, kept, unit = work.once("sos", lambda: _sos(work))
    top = kept.copy()
    rows = np.arange(len(kept))
    for _ in range(min(code.low, kept.shape[1])):
        top[rows, np.where(top, seen, np.iinfo(np.int64).max).argmin(axis=1)] = False
    for _ in range(min(code.high, kept.shape[1])):
        top[rows, np.where(top, seen, np.iinfo(np.int64).min).argmax(axis=1)] = False
    return Column(
        numerator=np.where(top, seen, 0).sum(axis=1),
        denominator=unit,
        shape=POINTS,
        parts=Parts(counted=seen, kept=top, seen=seen, seen_unit=unit),
    )


def _sos(work: Work) -> tuple[np.ndarray, np.ndarray, int]:
    grid, block = work.grid, _rules(work).need("mcmahon")
    mms, unit = work.once("mms", lambda: _mms(work))
    seen = grid.of_opponents(mms)
    if block["handicap"] == "counted":
        stones = np.round(np.nan_to_num(grid.handicap)).astype(np.int64) * unit
        seen = seen + np.where(grid.paired, stones, 0)
    absent = _absences(work)
    if block["absence_opponent"] != "nothing":
        own = _start(work) * unit if block["absence_opponent"] == "own-start" else mms
        seen = np.where(absent, own[:, None], seen)
    kept = grid.over_the_board | (absent if block["absence_opponent"] != "nothing" else False)
    return seen, kept, unit


@tie_break("SOSOS", aliases="SOSOSM", printed=r"\bsososm?\b")
def opponents_sums(work: Work, code: Code) -> Column:
    """SOSOS: the sum of the opponents' SOS; an absence stands for rounds times the own start."""
    grid, block = work.grid, _rules(work).need("mcmahon")
    seen, kept, unit = work.once("sos", lambda: _sos(work))
    sos = np.where(kept, seen, 0).sum(axis=1)
    second = grid.of_opponents(sos)
    if block["absence_opponent"] != "nothing":
        second = np.where(_absences(work), (_start(work) * unit * grid.scheduled)[:, None], second)
    return Column(
        numerator=np.where(kept, second, 0).sum(axis=1),
        denominator=unit,
        shape=POINTS,
        parts=Parts(counted=second, kept=kept, seen=second, seen_unit=unit),
    )


@tie_break("SODOS", printed=r"\bsodosm?\b")
def defeated_scores(work: Work, code: Code) -> Column:
    """SODOS: the McMahon scores of the opponents beaten, half of those drawn with."""
    grid = work.grid
    mms, unit = work.once("mms", lambda: _mms(work))
    halves = np.where(grid.over_the_board, grid.result, 0).clip(min=0)
    counted = grid.of_opponents(mms) * halves
    return Column(
        numerator=counted.sum(axis=1),
        denominator=2 * unit,
        shape=POINTS,
        parts=Parts(counted=counted, kept=grid.over_the_board, seen=grid.of_opponents(mms), seen_unit=unit),
    )
