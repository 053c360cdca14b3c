"""Parameters chosen on the tuning games: a continuous optimiser inside bounds that are said, ends of bounds reported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from qiyi_analysis.model.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Bound:
    """What a parameter may be, and where the search begins; ``log``: steps are ratios (low above 0)."""

    low: float
    high: float
    begin: float
    log: bool = False

    def __post_init__(self) -> None:
        if not (np.isfinite([self.low, self.high]).all() and self.low <= self.high) or (
            self.log and self.low <= 0
        ):
            raise ParameterError("tuning-bounds", low=self.low, high=self.high)

    def value(self, share: float) -> float:
        """The parameter at a share of the way from low to high."""
        share = min(max(share, 0.0), 1.0)
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)

    def share(self, value: float) -> float:
        """The inverse of ``value``."""
        if self.high == self.low:
            return 0.0
        if self.log:
            return float(np.log(value / self.low) / np.log(self.high / self.low))
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Tuned:
    """values: the parameters with the lowest loss; edges: those that ended at a bound; evaluations: runs made."""

    values: Mapping[str, float]
    loss: float
    edges: tuple[str, ...]
    evaluations: int


def tuned(
    loss: Callable[[dict[str, float]], float], bounds: Mapping[str, Bound], evaluations: int = 120
) -> Tuned:
    """Minimise a loss by Nelder and Mead's simplex (scipy) inside the bounds; parameters of equal bounds stay fixed."""
    from scipy.optimize import minimize

    free = [name for name, bound in bounds.items() if bound.high > bound.low]
    fixed = {name: bound.low for name, bound in bounds.items() if name not in free}
    count = 0

    def at(shares: np.ndarray) -> float:
        nonlocal count
        count += 1
        return loss({**fixed, **{name: bounds[name].value(s) for name, s in zip(free, shares, strict=True)}})

    if not free:
        return Tuned(fixed, at(np.zeros(0)), (), count)
    begin = np.clip([bounds[name].share(bounds[name].begin) for name in free], 0.02, 0.98)
    corners = np.tile(begin, (len(free) + 1, 1))
    corners[1:] += np.diag(np.where(begin < 0.5, 0.15, -0.15))
    found = minimize(
        at, begin, method="Nelder-Mead", bounds=[(0.0, 1.0)] * len(free),
        options={"initial_simplex": corners, "maxfev": evaluations, "xatol": 1e-3, "fatol": 1e-8},
    )  # fmt: skip
    values = {**fixed, **{name: bounds[name].value(s) for name, s in zip(free, found.x, strict=True)}}
    edges = tuple(name for name, s in zip(free, found.x, strict=True) if s < 0.005 or s > 0.995)
    return Tuned({name: values[name] for name in bounds}, float(found.fun), edges, count)
