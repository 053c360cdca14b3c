"""K as a schedule: rows of which the first that fits gives K, as in a federation's rule.

A row holds ``k`` and any of CONDITIONS. The last row has no condition. A schedule becomes a table of numbers that compiled loops index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from qiyi_analysis.model.errors import ParameterError

CONDITIONS = (
    "games_below",
    "under_age",
    "rating_below",
    "rating_at_least",
    "peak_below",
    "peak_at_least",
    "time_control",
)


@dataclass(frozen=True)
class KSchedule:
    """A named K rule. ``rows``: first row that fits decides; ``function``: a Python function instead of rows.

    The function is called as ``function(rating, games, age, time_control)`` with arrays of the same length (one
    entry per player of a period, or per game) and returns K for each; age is NaN where unknown.
    """

    name: str
    rows: tuple[Mapping[str, Any], ...] = ()
    function: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        if (self.function is None) == (not self.rows):
            raise ParameterError("k-rows-or-function", name=self.name)
        for number, row in enumerate(self.rows, 1):
            unknown = set(row) - {"k", *CONDITIONS}
            if unknown or "k" not in row:
                raise ParameterError(
                    "k-row", name=self.name, number=number, read=str(dict(row)), conditions=CONDITIONS
                )
            if not np.isfinite(float(row["k"])):
                raise ParameterError("k-number", name=self.name, number=number, read=row["k"])
        if self.rows and set(self.rows[-1]) != {"k"}:
            raise ParameterError("k-last-row", name=self.name)

    def limits(self, *conditions: str) -> tuple[float, ...]:
        """The sorted limits these conditions mention."""
        return tuple(sorted({float(row[c]) for row in self.rows for c in conditions if c in row}))

    def at(self, *, games: float, age: float, rating: float, peak: float, time_control: str = "") -> float:
        """K of one player. An unknown age (NaN) is under no limit."""
        below = {"games_below": games, "under_age": age, "rating_below": rating, "peak_below": peak}
        reached = {"rating_at_least": rating, "peak_at_least": peak}
        for row in self.rows:
            if (
                all(below[key] < row[key] for key in below if key in row)
                and all(reached[key] >= row[key] for key in reached if key in row)
                and ("time_control" not in row or row["time_control"] == time_control)
            ):
                return float(row["k"])
        raise AssertionError("the last row has no condition")


@dataclass(frozen=True)
class KTable:
    """A schedule as numbers: ``values[time control, games band, age band, rating band, peak band]``.

    A band is the number of limits that are at or below the value; an unknown age is in the highest band.
    """

    games: np.ndarray
    ages: np.ndarray
    ratings: np.ndarray
    peaks: np.ndarray
    values: np.ndarray


def constant(k: float) -> KSchedule:
    """The same K for everybody."""
    return KSchedule(f"K {k:g}", ({"k": float(k)},))


def by_rating(limits: Sequence[float], ks: Sequence[float], *, peak: bool = False) -> KSchedule:
    """K by rating band: ``ks[0]`` below ``limits[0]``, ..., the last from the last limit on.

    With ``peak`` the highest rating so far decides, so that a K once lowered stays low.
    """
    return _banded("peak" if peak else "rating", "peak_below" if peak else "rating_below", limits, ks)


def by_games(limits: Sequence[float], ks: Sequence[float]) -> KSchedule:
    """K by the number of games played before."""
    return _banded("games", "games_below", limits, ks)


def by_age(limits: Sequence[float], ks: Sequence[float]) -> KSchedule:
    """K by age (years completed in the calendar year of the game)."""
    return _banded("age", "under_age", limits, ks)


def by_time_control(ks: Mapping[str, float], otherwise: float) -> KSchedule:
    """K by the name of the time control."""
    rows = tuple({"k": float(k), "time_control": name} for name, k in ks.items())
    words = " ".join(f"{name} {k:g}" for name, k in ks.items())
    return KSchedule(f"K {words} else {otherwise:g}", (*rows, {"k": float(otherwise)}))


def from_function(name: str, function: Callable[..., Any]) -> KSchedule:
    """K as a Python function of arrays ``rating, games, age, time_control``."""
    return KSchedule(name, (), function)


def as_schedule(k: Any) -> KSchedule:
    """A number, a schedule, a function, or rows as written in a parameter file."""
    if isinstance(k, KSchedule):
        return k
    if isinstance(k, (int, float, np.integer, np.floating)) and not isinstance(k, bool):
        return constant(float(k))
    if callable(k):
        return from_function(getattr(k, "__name__", "function"), k)
    if isinstance(k, Iterable) and not isinstance(k, str):
        rows = tuple(k)
        if rows and all(isinstance(row, Mapping) for row in rows):
            return KSchedule(_words(rows), rows)
    raise ParameterError("k-value", k=k)


def of_rules(rules: Any) -> KSchedule:
    """The K rule of a federation's edition (a RuleSet with rows ``k_factor``).

    Raises ParameterError where a row depends on something a history does not hold.
    """
    names = {"year_age_at_most": ("under_age", 1)}
    rows = []
    for block in rules.rows("k_factor"):
        row: dict[str, Any] = {"k": float(block["k"])}
        for name, limit in block.get("when", {}).items():
            ours, more = names.get(name, (name, 0))
            if ours not in CONDITIONS:
                raise ParameterError("k-depends", rules=rules.id, name=name, conditions=CONDITIONS)
            row[ours] = limit + more
        rows.append(row)
    return KSchedule(f"K of {rules.id}", tuple(rows))


def table_of(schedule: KSchedule, time_controls: Sequence[str] = ()) -> KTable:
    """The numbers of a schedule given by rows."""
    return tables_of([schedule], time_controls)[0]


def tables_of(schedules: Sequence[KSchedule], time_controls: Sequence[str] = ()) -> list[KTable]:
    """Tables of several schedules that share the limits of games and ages (so that a game has one class)."""
    games = np.array(sorted({x for s in schedules for x in s.limits("games_below")}))
    ages = np.array(sorted({x for s in schedules for x in s.limits("under_age")}))
    controls = tuple(time_controls) or ("",)
    tables = []
    for schedule in schedules:
        if schedule.function is not None:
            raise ParameterError("k-no-table", name=schedule.name)
        ratings, peaks = (
            np.array(schedule.limits("rating_below", "rating_at_least")),
            np.array(schedule.limits("peak_below", "peak_at_least")),
        )
        values = np.empty((len(controls), games.size + 1, ages.size + 1, ratings.size + 1, peaks.size + 1))
        for index in np.ndindex(values.shape):
            control, g, a, r, p = index
            values[index] = schedule.at(
                games=_inside(games, g),
                age=_inside(ages, a),
                rating=_inside(ratings, r),
                peak=_inside(peaks, p),
                time_control=controls[control],
            )
        tables.append(KTable(games, ages, ratings, peaks, values))
    return tables


def _inside(limits: np.ndarray, band: int) -> float:
    """A value inside the band: its lower limit, which belongs to it."""
    return float("-inf") if band == 0 else float(limits[band - 1])


def _banded(what: str, condition: str, limits: Sequence[float], ks: Sequence[float]) -> KSchedule:
    if len(ks) != len(limits) + 1 or any(a >= b for a, b in pairwise(limits)):
        raise ParameterError("k-limits", what=what, limits=limits, ks=ks)
    rows = tuple({"k": float(k), condition: float(limit)} for k, limit in zip(ks, limits, strict=False))
    words = "/".join(f"{k:g}" for k in ks) + f" at {what} " + "/".join(f"{limit:g}" for limit in limits)
    return KSchedule(f"K {words}", (*rows, {"k": float(ks[-1])}))


def _words(rows: Sequence[Mapping[str, Any]]) -> str:
    return "K " + ", ".join(
        f"{row.get('k')}" + "".join(f" {key} {row[key]}" for key in CONDITIONS if key in row) for row in rows
    )
