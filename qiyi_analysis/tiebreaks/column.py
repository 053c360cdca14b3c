"""One tie-break of all competitors: exact values, how they order, how they print, and what they are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import lcm

import numpy as np

#: How values print: whole numbers; points with at least one decimal; products with two; means with three.
INTEGER, POINTS, PRODUCT, MEAN = "integer", "points", "product", "mean"
_LEAST_DECIMALS = {INTEGER: 0, POINTS: 1, PRODUCT: 2, MEAN: 3}

_LARGEST = 2**62


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What a value is the sum of, one cell per round [competitors x columns], in units of the column.

    ``counted``: what the round adds; ``kept``: False where it was cut or is left out; ``seen``: the opponent's value
    behind it (adjusted score, dummy, rating) in ``seen_unit``.
    """

    counted: np.ndarray
    kept: np.ndarray
    seen: np.ndarray | None = None
    seen_unit: int = 1
    voluntary: np.ndarray | None = None
    start: np.ndarray | None = None  # what a value begins with before the first round [competitors]


@dataclass(frozen=True, kw_only=True)
class Column:
    """Values ``numerator / denominator`` [competitors]; ``missing`` True where there is none."""

    numerator: np.ndarray
    denominator: int | np.ndarray = 1
    missing: np.ndarray | None = None
    shape: str = POINTS
    lower_better: bool = False
    article: str = ""
    parts: Parts | None = None

    def order_key(self) -> np.ndarray:
        """Whole numbers that order the competitors, larger is better; a missing value comes last."""
        key: np.ndarray
        if isinstance(self.denominator, np.ndarray):
            common = lcm(*(int(d) for d in np.unique(self.denominator)))
            top = int(np.abs(self.numerator).max(initial=0))
            if common * (top + 1) < _LARGEST:
                key = self.numerator * (common // self.denominator)
            else:
                exact = [
                    Fraction(int(n), int(d)) for n, d in zip(self.numerator, self.denominator, strict=True)
                ]
                place = {value: i for i, value in enumerate(sorted(set(exact)))}
                key = np.array([place[value] for value in exact], dtype=np.int64)
        else:
            key = self.numerator
        if self.lower_better:
            key = -key
        if self.missing is not None and self.missing.any():
            key = np.where(self.missing, key.min(initial=0) - 1, key)
        return key

    def values(self) -> np.ndarray:
        """Exact values as objects: int, Decimal where it ends, else Fraction; None where missing."""
        return self._spread(lambda n, d: _exact(n, d, self.shape))

    def texts(self) -> np.ndarray:
        """The values as they are printed; None where missing."""
        return self._spread(lambda n, d: printed(n, d, self.shape))

    def value(self, row: int) -> int | Decimal | Fraction | None:
        """The exact value of a row, None where it is missing."""
        if self.missing is not None and self.missing[row]:
            return None
        d = self.denominator[row] if isinstance(self.denominator, np.ndarray) else self.denominator
        return _exact(int(self.numerator[row]), int(d), self.shape)

    def as_float(self, row: int) -> float:
        """The value of a row as a float, NaN where it is missing."""
        value = self.value(row)
        return float("nan") if value is None else float(value)

    def _spread(self, make: Callable[[int, int], object]) -> np.ndarray:
        # Few values are distinct: each is made once.
        if isinstance(self.denominator, np.ndarray):
            pairs = np.stack([self.numerator, self.denominator], axis=1)
            distinct, inverse = np.unique(pairs, axis=0, return_inverse=True)
            made = [make(int(n), int(d)) for n, d in distinct]
        else:
            distinct, inverse = np.unique(self.numerator, return_inverse=True)
            made = [make(int(n), int(self.denominator)) for n in distinct]
        objects = np.empty(len(made), dtype=object)
        objects[:] = made
        spread = objects[inverse.ravel()]
        if self.missing is not None:
            spread[self.missing] = None
        return spread


def _exact(numerator: int, denominator: int, shape: str) -> int | Decimal | Fraction:
    value = Fraction(numerator, denominator)
    if shape == INTEGER and value.denominator == 1:
        return value.numerator
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1:
        return Decimal(printed(numerator, denominator, shape, full=True))
    return value


@lru_cache(maxsize=65536)
def printed(numerator: int, denominator: int, shape: str, *, full: bool = False) -> str:
    """The value as text: at least the decimals of its shape, more where it ends later, at most three.

    Means always have three, half up. With ``full`` nothing is rounded.
    """
    sign = "-" if (numerator < 0) != (denominator < 0) and numerator else ""
    numerator, denominator = abs(numerator), abs(denominator)
    decimals = _LEAST_DECIMALS[shape]
    while decimals < (9 if full else 3) and (numerator * 10**decimals) % denominator:
        decimals += 1
    # Half up, away from zero below it.
    digits = str((2 * numerator * 10**decimals + denominator) // (2 * denominator)).rjust(decimals + 1, "0")
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}" if decimals else sign + digits
