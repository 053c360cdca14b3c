"""Tie-breaks from opponents' scores: Buchholz, fore Buchholz, their average, Sonneborn-Berger, Koya (C.07 8, 9, 13.2)."""

from __future__ import annotations

import math

import numpy as np

from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.column import MEAN, POINTS, PRODUCT, Column, Parts
from qiyi_analysis.tiebreaks.criterion import Code, tie_break
from qiyi_analysis.tiebreaks.unplayed import cut, opposition
from qiyi_analysis.tiebreaks.work import Work


@tie_break("BH", options="score cut median P F", unplayed=True, numbers=(37, 84), printed=r"buch?holz")
@tie_break("FB", options="score cut median P", unplayed=True, printed=r"fore.?buch?holz")
def buchholz(work: Work, code: Code) -> Column:
    """BH: the sum of the opponents' scores (8.1); FB, and BH/F: with the last round drawn (8.3)."""
    return _buchholz(work, code, work.rules_for(code), fore=code.fore or code.name == "FB")


def _buchholz(work: Work, code: Code, rules: RuleSet, *, fore: bool) -> Column:
    parts = opposition(work, rules, code.score, fore=fore, as_played=code.as_played)
    kept = cut(parts.value, parts.value, parts.present, parts.voluntary, code.low, code.high, rules)
    unit = work.grid.score(code.score).unit
    return Column(
        numerator=np.where(kept, parts.value, 0).sum(axis=1),
        denominator=unit,
        shape=POINTS,
        parts=Parts(
            counted=parts.value,
            kept=kept,
            seen=parts.value,
            seen_unit=unit,
            voluntary=parts.voluntary,
        ),
    )


@tie_break(
    "AOB", options="score F P", unplayed=True, numbers=(77,), printed=r"average.*opponents?.*buch?holz"
)
def average_of_opponents(work: Work, code: Code) -> Column:
    """AOB: the mean Buchholz (with /F the fore Buchholz) of the opponents met over the board (8.2)."""
    rules, grid = work.rules_for(code), work.grid
    inner = Code(text=code.text, name="BH", score=code.score, as_played=code.as_played)
    values = _buchholz(work, inner, rules, fore=code.fore).numerator
    met = grid.over_the_board
    counts = met.sum(axis=1)
    seen = grid.of_opponents(values)
    unit = grid.score(code.score).unit
    return Column(
        numerator=np.where(met, seen, 0).sum(axis=1),
        denominator=np.maximum(counts, 1) * unit,
        missing=counts == 0,
        shape=MEAN,
        parts=Parts(counted=np.where(met, seen, 0), kept=met, seen=seen, seen_unit=unit),
    )


@tie_break("SB", options="score cut P", unplayed=True, numbers=(52, 85), printed=r"sonneborn|s\.?-?b\.?\b")
def sonneborn_berger(work: Work, code: Code) -> Column:
    """SB: each opponent's score times the points won against them (9.1)."""
    return _products(work, code, code.score, code.score)


@tie_break("EMMSB", options="cut P", teams=True, unplayed=True)
@tie_break("EMGSB", options="cut P", teams=True, unplayed=True)
@tie_break("EGMSB", options="cut P", teams=True, unplayed=True)
@tie_break("EGGSB", options="cut P", teams=True, unplayed=True)
def extended_sonneborn_berger(work: Work, code: Code) -> Column:
    """EMMSB, EMGSB, EGMSB, EGGSB: the opponent's total in the first letter's points, own in the second's (13.2)."""
    total, own = (f"{letter}P" for letter in code.name[1:3])
    return _products(work, code, total, own)


def _products(work: Work, code: Code, total: str, own: str) -> Column:
    rules, grid = work.rules_for(code), work.grid
    parts = opposition(work, rules, total, as_played=code.as_played)
    mine = grid.score(own)
    product = parts.value * mine.points
    kept = cut(parts.value, product, parts.present, parts.voluntary, code.low, 0, rules)
    unit = grid.score(total).unit
    return Column(
        numerator=np.where(kept, product, 0).sum(axis=1),
        denominator=unit * mine.unit,
        shape=PRODUCT,
        parts=Parts(counted=product, kept=kept, seen=parts.value, seen_unit=unit, voluntary=parts.voluntary),
    )


@tie_break("KS", options="score L", numbers=(45, 69, 87), printed=r"koya")
def koya(work: Work, code: Code) -> Column:
    """KS: points against opponents with at least half of the maximum (9.2); /L+n moves the limit by n half points."""
    rules, grid = work.rules_for(code), work.grid
    score = grid.score(code.score)
    block = rules.need("koya")
    # The maximum is a win in every round a competitor could be scheduled against somebody: no free rounds.
    games = int(grid.paired.sum(axis=1).max(initial=0)) if grid.round_robin else grid.scheduled
    limit = math.ceil(block["share"] * score.win * games + code.limit * block["step"] * score.unit)
    qualified = score.total >= limit
    counted = grid.paired & grid.of_opponents(qualified.astype(np.int64)).astype(bool)
    return Column(
        numerator=np.where(counted, score.points, 0).sum(axis=1),
        denominator=score.unit,
        shape=POINTS,
        parts=Parts(
            counted=np.where(grid.paired, score.points, 0),
            kept=counted,
            seen=grid.of_opponents(score.total),
            seen_unit=score.unit,
        ),
    )
