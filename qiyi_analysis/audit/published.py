"""What a file published about rating changes, laid beside what the rules give.

Agreement is judged at the precision that was printed, and never against the publisher where a tie of
the last printed digit could go either way: a wrong accusation costs more than a missed one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pandas as pd

from qiyi_analysis.model.event import Event
from qiyi_analysis.rating import rate
from qiyi_analysis.rating.table_method import NOT_KNOWN, Calculation, calculate, new_ratings
from qiyi_analysis.rules.rounding import half_away_from_zero
from qiyi_analysis.rules.ruleset import RuleSet

#: The published rating numbers of a player.
FIELDS = ("expected", "change", "new_rating")
#: Unit of the numbers of methods that work with closed formulas.
MILLIONTHS = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A printed column: whole numbers of 10**-decimals, and how many decimals each cell had.

    ``whole`` marks cells that stand for whole numbers: without decimals, or with zeros in a column that has
    nothing but zeros behind the point.
    """

    value: np.ndarray
    decimals: np.ndarray
    present: np.ndarray
    whole: np.ndarray

    @property
    def points(self) -> np.ndarray:
        """The values in points, float64."""
        return self.value / 10.0**self.decimals

    @property
    def half(self) -> np.ndarray:
        """Half a unit of each cell's last digit, in points: what rounding may have moved it by."""
        return 0.5 / 10.0**self.decimals

    def text(self, i: int) -> str:
        """The cell as printed, "" where there is none."""
        if not self.present[i]:
            return ""
        return str(Decimal(int(self.value[i])).scaleb(-int(self.decimals[i])))

    def at(self, i: int) -> Printed:
        """The cell of one player, to be compared with many candidates at once."""
        return self.of(np.array([i]))

    def of(self, players: np.ndarray) -> Printed:
        """The cells of some players."""
        return Printed(
            value=self.value[players],
            decimals=self.decimals[players],
            present=self.present[players],
            whole=self.whole[players],
        )

    def repeated(self, count: int) -> Printed:
        """The column ``count`` times, to be compared with as many variants at once."""
        return Printed(
            value=np.tile(self.value, count),
            decimals=np.tile(self.decimals, count),
            present=np.tile(self.present, count),
            whole=np.tile(self.whole, count),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The rating columns a file printed."""

    change: Printed
    expected: Printed
    new_rating: Printed

    @property
    def present(self) -> np.ndarray:
        """Players with anything printed."""
        return self.change.present | self.expected.present | self.new_rating.present

    def at(self, i: int) -> Published:
        """What was published of the player at position ``i``, arrays of one."""
        return self.of(np.array([i]))

    def of(self, players: np.ndarray) -> Published:
        """What was published of some players."""
        return Published(
            change=self.change.of(players),
            expected=self.expected.of(players),
            new_rating=self.new_rating.of(players),
        )

    def repeated(self, count: int) -> Published:
        """The columns ``count`` times, to be compared with as many variants at once."""
        return Published(
            change=self.change.repeated(count),
            expected=self.expected.repeated(count),
            new_rating=self.new_rating.repeated(count),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Recomputed numbers in ``unit`` parts, NOT_KNOWN where they cannot be known.

    ``rounded`` and ``new`` are whole numbers (or floats of methods that do not round), NaN if unknown.
    """

    unit: int
    w_minus_we: np.ndarray
    we: np.ndarray
    change: np.ndarray
    rounded: np.ndarray
    new: np.ndarray
    #: Whether the edition rounds the change itself, so that a report may print it whole with zeros behind.
    rounds_change: bool = True

    def value(self, field: str, i: int) -> float:
        """A number of one player as it is compared: We, rounded change or new rating; NaN where it is not known."""
        if field == "expected":
            return np.nan if self.we[i] == NOT_KNOWN else self.we[i] / self.unit
        return float((self.rounded if field == "change" else self.new)[i])

    def of(self, players: np.ndarray) -> Numbers:
        """The numbers of some players."""
        return Numbers(
            unit=self.unit,
            w_minus_we=self.w_minus_we[players],
            we=self.we[players],
            change=self.change[players],
            rounded=self.rounded[players],
            new=self.new[players],
            rounds_change=self.rounds_change,
        )


def published(event: Event) -> Published:
    """The printed rating columns of an event."""
    players = event.players
    return Published(
        change=_printed(players["change"], players["change_text"]),
        expected=_printed(players["expected"], players["expected_text"]),
        new_rating=_printed(players["new_rating"], None),
    )


def _printed(numbers: pd.Series, texts: pd.Series | None) -> Printed:
    """The cells as the reader understood them, with the decimals that their texts show."""
    numbers_read = numbers.to_numpy(dtype=np.float64)
    present = ~np.isnan(numbers_read)
    known = np.where(present, numbers_read, 0.0)
    shown = [""] * len(known) if texts is None else texts.tolist()
    decimals = np.array(
        [_decimals(text, one) for text, one in zip(shown, known.tolist(), strict=True)], dtype=np.int64
    )
    value = np.rint(known * 10.0**decimals).astype(np.int64)
    fraction = present & (value % 10**decimals != 0)
    whole = present & ((decimals == 0) | (not fraction.any()))
    return Printed(value=value, decimals=decimals, present=present, whole=whole)


#: The fraction of a printed number, behind its whole part.
_FRACTION = re.compile(r"(\d*)[.,](\d+)\s*$")


def _decimals(text: str, number: float) -> int:
    """Decimals a number was printed with, at most six: those of its text if that is the number, else its own."""
    found = _FRACTION.search(text)
    of_text = len(found[2]) if found and int(found[1] or 0) == int(abs(number)) else "½" in text
    own = len(f"{number:.6f}".rstrip("0").partition(".")[2])
    return min(max(of_text, own), 6)


def numbers(event: Event, rules: RuleSet) -> Numbers:
    """Recompute an event by its edition, whatever the method; what a list knows is filled in before."""
    if rules.value("method", "name") == "table":
        return numbers_of(calculate(event, rules), rules)
    players = rate(event, rules).players
    # What rests on a value that nobody told proves nothing about what was published.
    assumed = players["assumed"].to_numpy() if "assumed" in players else np.zeros(len(players), dtype=bool)

    def known(name: str) -> np.ndarray:
        return np.where(assumed, np.nan, players[name].to_numpy())

    def scaled(values: np.ndarray) -> np.ndarray:
        missing = np.isnan(values)
        return np.where(
            missing, NOT_KNOWN, np.rint(np.where(missing, 0, values) * MILLIONTHS).astype(np.int64)
        )

    we, new = known("we"), known("new_rating")
    return Numbers(
        unit=MILLIONTHS,
        w_minus_we=scaled(players["score"].to_numpy() - we),
        we=scaled(we),
        change=scaled(known("change")),
        rounded=new - players["rating"].to_numpy(),
        new=new,
        rounds_change=rules.value("change", "rounded") == "change",
    )


def numbers_of(c: Calculation, rules: RuleSet) -> Numbers:
    """The numbers of a table calculation."""
    rounded, new = new_ratings(c, rules)
    unknown = c.we == NOT_KNOWN
    w_minus_we = np.where(unknown, NOT_KNOWN, c.half_points * c.unit // 2 - np.where(unknown, 0, c.we))
    nothing = (c.games == 0) & ~c.entrants.has_rating
    return Numbers(
        unit=c.unit,
        w_minus_we=np.where(nothing, NOT_KNOWN, w_minus_we),
        we=np.where(nothing, NOT_KNOWN, c.we),
        change=c.change,
        rounded=rounded,
        new=new,
        rounds_change=rules.value("change", "rounded") == "change",
    )


def agrees_printed(printed: Printed, value: np.ndarray, unit: int) -> np.ndarray:
    """Whether exact values, printed with as many decimals, can read as they were printed."""
    scale = 10**printed.decimals
    known = value != NOT_KNOWN
    exact = np.where(known, value, 0)
    return known & (2 * np.abs(printed.value * unit - exact * scale) <= unit)


def agrees_exactly(printed: Printed, value: np.ndarray, unit: int, decimals: int = 2) -> np.ndarray:
    """Whether the printed value is the exact one; with ``decimals`` or more, as it would be printed."""
    close = agrees_printed(printed, value, unit)
    exact = (value != NOT_KNOWN) & (
        printed.value * unit == np.where(value == NOT_KNOWN, 0, value) * 10**printed.decimals
    )
    return exact | (close & (printed.decimals >= decimals))


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Per player and column: compared, and in agreement. A column that cannot be compared agrees."""

    change: np.ndarray
    expected: np.ndarray
    new_rating: np.ndarray
    change_compared: np.ndarray
    expected_compared: np.ndarray
    new_rating_compared: np.ndarray

    @property
    def everything(self) -> np.ndarray:
        """Mask of players all of whose printed numbers agree."""
        return self.change & self.expected & self.new_rating

    @property
    def compared(self) -> np.ndarray:
        """Mask of players of whom a printed number could be compared."""
        return self.change_compared | self.expected_compared | self.new_rating_compared

    def of(self, players: np.ndarray) -> Agreement:
        """The agreement of some players."""
        return Agreement(**{name: getattr(self, name)[players] for name in Agreement.__slots__})

    def repeated(self, count: int) -> Agreement:
        """The masks ``count`` times, to be laid beside as many variants."""
        return Agreement(**{name: np.tile(getattr(self, name), count) for name in Agreement.__slots__})


def agreement(printed: Published, n: Numbers) -> Agreement:
    """Compare what was printed with the recomputed numbers.

    A change printed as a whole number must be the change rounded by the edition; printed with decimals
    it must read as the exact one (or be the whole one, in a column of whole numbers with zeros behind).
    """
    p = printed.change
    known = n.change != NOT_KNOWN
    whole_part, rest = np.divmod(p.value, 10**p.decimals)
    whole = p.whole if n.rounds_change else p.decimals == 0
    as_whole = whole & (rest == 0) & (whole_part == np.where(np.isnan(n.rounded), np.inf, n.rounded))
    if not n.rounds_change:
        # The edition rounds the new rating, or nothing; how a change of -2.5 is printed on the way it does not say.
        away = half_away_from_zero(np.where(known, n.change, 0), n.unit)
        as_whole |= whole & (rest == 0) & known & (whole_part == away)
        # Of a list that keeps decimals the whole numbers are shown, and what lies between them.
        shown = np.floor(n.new + 0.5) - np.floor(n.new - n.rounded + 0.5)
        as_whole |= whole & (rest == 0) & (whole_part == np.where(np.isnan(shown), np.inf, shown))
    change = np.where(p.decimals == 0, as_whole, as_whole | agrees_printed(p, n.change, n.unit))
    change_compared = p.present & known
    expected_compared = printed.expected.present & (n.we != NOT_KNOWN)
    expected = agrees_printed(printed.expected, n.we, n.unit)
    r = printed.new_rating
    new_compared = r.present & ~np.isnan(n.new)
    published_new = r.points
    new = np.abs(published_new - np.where(np.isnan(n.new), np.inf, n.new)) <= r.half
    exact_new = np.isnan(n.new) | (n.new == np.floor(n.new))
    new = np.where(exact_new & (r.decimals == 0), published_new == n.new, new)
    # Printed with decimals, a new rating may also be the old one plus the change before rounding.
    unrounded = n.new - n.rounded + np.where(known, n.change, 0) / n.unit
    as_unrounded = np.abs(published_new - np.where(np.isnan(unrounded), np.inf, unrounded)) <= r.half + 1e-9
    new |= known & (r.decimals > 0) & as_unrounded
    return Agreement(
        change=change | ~change_compared,
        expected=expected | ~expected_compared,
        new_rating=new | ~new_compared,
        change_compared=change_compared,
        expected_compared=expected_compared,
        new_rating_compared=new_compared,
    )
