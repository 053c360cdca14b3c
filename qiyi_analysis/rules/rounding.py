"""Rounding by name, on whole numbers of a unit: exact, and the same for arrays and single values."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

#: A printed number without decimals of its own stands as it is up to these; a longer one is rounded to one less.
MOST_DECIMALS = 4


def half_up(value: Any, unit: Any = 1) -> Any:
    """``floor(value / unit + 1/2)``: 2.5 -> 3, -2.5 -> -2. Integers or integer arrays."""
    return (2 * value + unit) // (2 * unit)


def half_away_from_zero(value: Any, unit: Any = 1) -> Any:
    """Nearest whole number, a half away from zero: 2.5 -> 3, -2.5 -> -3 (FIDE B.02 8.3.4)."""
    return np.sign(value) * half_up(abs(value), unit)


def half_even(value: Any, unit: Any = 1) -> Any:
    """Nearest whole number, a half to the even neighbour: what Python's ``round`` does."""
    rounded = half_up(value, unit)
    tie = (2 * value + unit) % (2 * unit) == 0
    return rounded - (tie & (rounded % 2 == 1))


def toward_zero(value: Any, unit: Any = 1) -> Any:
    """Decimals cut off: 2.9 -> 2, -2.9 -> -2. No federation rounds like this; programs do."""
    return np.sign(value) * (abs(value) // unit)


ROUNDINGS: dict[str, Callable[[Any, Any], Any]] = {
    "half-up": half_up,
    "half-away-from-zero": half_away_from_zero,
    "half-even": half_even,
    "toward-zero": toward_zero,
}


def rounded(value: Any, unit: Any, name: str) -> Any:
    """``value / unit`` as a whole number, rounded by the named rule. Raises KeyError for an unknown name."""
    return ROUNDINGS[name](value, unit)


def round_fraction(value: Fraction, name: str) -> int:
    """A fraction as a whole number, rounded by the named rule."""
    return int(ROUNDINGS[name](value.numerator, value.denominator))
