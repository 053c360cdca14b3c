"""Whether printed values are those of a code, and which code a column is whose parameters are not told."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np

from qiyi_analysis.model.errors import EventError, ParameterError
from qiyi_analysis.tiebreaks.column import INTEGER, MEAN, POINTS, PRODUCT, Column

#: Decimals below which a printed value of a shape is not a rounding but a different value.
_DECIMALS = {INTEGER: 0, POINTS: 1, PRODUCT: 1, MEAN: 2}


def printed_text(value: float) -> str:
    """A printed value in its shortest form."""
    return f"{value:.10f}".rstrip("0").rstrip(".")


def agreement(printed: np.ndarray, column: Column) -> np.ndarray:
    """Whether each printed value is the column's, at the decimals that were printed (a tie may go either way)."""
    agrees = np.zeros(len(printed), dtype=bool)
    values = column.values()
    for row in np.flatnonzero(~np.isnan(printed)):
        exact = values[row]
        if exact is None:
            agrees[row] = printed[row] == 0
            continue
        text = Decimal(printed_text(printed[row]))
        decimals = max(-int(text.as_tuple().exponent), _DECIMALS[column.shape])
        exact = Fraction(exact)
        full = Decimal(exact.numerator) / Decimal(exact.denominator)
        step = Decimal(1).scaleb(-decimals)
        agrees[row] = text in (full.quantize(step, ROUND_HALF_UP), full.quantize(step, ROUND_HALF_DOWN))
    return agrees


def order_agreement(printed: np.ndarray, places: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The same for a criterion inside tied groups: programs print its place, its points or only that it decided.

    A value disagrees where the printed ones put two of a group in the opposite order of ``places`` (1 is first, 0 is
    undecided). Whether a column counts upwards or downwards is what fits more pairs of it.
    """
    pairs = [
        (int(one), int(two))
        for group in np.unique(groups)
        for members in [np.flatnonzero((groups == group) & ~np.isnan(printed) & (places > 0))]
        for one in members
        for two in members
        if places[one] < places[two]
    ]
    agrees: np.ndarray = ~np.isnan(printed)
    points = sum(int(np.sign(printed[one] - printed[two])) for one, two in pairs)
    for one, two in pairs:
        if (printed[one] - printed[two]) * (1 if points >= 0 else -1) < 0:
            agrees[one] = agrees[two] = False
    return agrees


def fitting(
    printed: np.ndarray, codes: tuple[str, ...], run: Callable[[str], Column]
) -> tuple[str, int, int]:
    """The code whose values agree with most of the printed ones (the first of several), how many, and of how many."""
    given = int((~np.isnan(printed)).sum())
    best, most = "", -1
    for code in codes:
        try:
            count = int(agreement(printed, run(code)).sum())
        except (EventError, ParameterError):
            continue
        if count > most:
            best, most = code, count
        if most == given:
            break
    return best, max(most, 0), given
