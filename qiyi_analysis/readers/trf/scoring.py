"""The scoring of a report file: declared, or the one under which the printed points come out.

Some programs print points that include half-point byes the rounds do not show. Such byes are put in
where the total demands it, and reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from qiyi_analysis import words
from qiyi_analysis.model.event import Kind, Scoring
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.crosstable import Cell

#: Columns of the count of a player's cells, in the order of :func:`_values`.
_CATEGORIES = (
    "win",
    "draw",
    "loss",
    "forfeit_win",
    "forfeit_loss",
    "pab",
    "full_bye",
    "half_bye",
    "zero_bye",
)
_PAIRED = {"1": 0, "W": 0, "=": 1, "D": 1, "0": 2, "L": 2, "+": 3, "-": 4}
#: Byes put in, by their letter.
_BYES = {"F": Kind.FULL_BYE, "H": Kind.HALF_BYE}
_ALONE = {"U": 5, "F": 6, "1": 6, "W": 6, "H": 7, "=": 7, "D": 7, "Z": 8, "": 8, "-": 8, "0": 8, "L": 8}


@dataclass(frozen=True, slots=True)
class Declared:
    """Point values a file declares, by the field of Scoring, and the line they stand in."""

    values: Mapping[str, Fraction] = field(default_factory=dict)
    line: int = 0


_OWN_NAMES = {"W": "win", "D": "draw", "L": "loss", "A": "absent", "P": "pab", "X": "unknown"}
_JAVAFO_NAMES = {
    "W": "win", "D": "draw", "L": "loss", "WW": "win", "BW": "win", "WD": "draw_first", "BD": "draw_second", "WL": "loss",
    "BL": "loss", "ZPB": "zero_bye", "HPB": "half_bye", "FPB": "full_bye", "PAB": "pab", "FW": "forfeit_win", "FL": "forfeit_loss",
}  # fmt: skip
_BBP_NAMES = {
    "BBW": "win",
    "BBD": "draw",
    "BBL": "loss",
    "BBZ": "zero_bye",
    "BBF": "forfeit_loss",
    "BBU": "pab",
}
_MATCH_NAMES = {"TW": "match_win", "TD": "match_draw", "TL": "match_loss"}


def read_declared(headers: Mapping[str, list[tuple[int, str]]], faults: Faults) -> Declared:
    """Scoring records: 162 and 362 of TRF26, XXS of JaVaFo, BBW to BBU of bbpPairings."""
    values: dict[str, Fraction] = {}
    at = 0

    def put(name: str, text: str, line: int) -> None:
        nonlocal at
        try:
            value = fields.number(text, ".")
        except ValueError:
            value = None
        if value is None or abs(value) > 1000:
            faults.add("CK43", "scoring-unreadable", line=line, field="scoring", read=text)
            return
        values[name] = value
        at = at or line

    for line, text in headers.get("162", ()):
        for symbol, number in re.findall(r"([WDLAPX])\s{0,4}(\d{1,4}(?:[.,]\d{1,3})?)", text[4:]):
            put(_OWN_NAMES[symbol], number, line)
    for line, text in headers.get("362", ()):
        for symbol, number in re.findall(r"(T[WDL])\s{0,4}(\d{1,4}(?:[.,]\d{1,3})?)", text[4:]):
            put(_MATCH_NAMES[symbol], number, line)
    for line, text in headers.get("XXS", ()):
        for symbol, number in re.findall(r"([A-Z]{1,3})\s?=\s?(-?\d{1,4}(?:[.,]\d{1,3})?)", text[4:]):
            if symbol in _JAVAFO_NAMES:
                put(_JAVAFO_NAMES[symbol], number, line)
    for code, name in _BBP_NAMES.items():
        for line, text in headers.get(code, ()):
            put(name, text[4:].strip(), line)
    return Declared(values, at)


def _scoring(values: Mapping[str, Fraction]) -> Scoring:
    values = dict(values)
    absent, unknown = values.pop("absent", None), values.pop("unknown", None)
    win, draw, loss = (
        values.pop("win", Fraction(1)),
        values.pop("draw", None),
        values.pop("loss", Fraction(0)),
    )
    if absent is not None:
        values.setdefault("forfeit_loss", absent)
        values.setdefault("zero_bye", absent)
    if unknown is not None and draw is None:
        draw = unknown
    return Scoring.of(win=win, draw=draw, loss=loss, **values)


#: Scorings that occur without being declared, tried in this order.
_UNDECLARED: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("1 ½ 0", {"win": "1"}),
    ("1 ½ 0, bye ½", {"win": "1", "pab": "1/2"}),
    ("1 ½ 0, bye 0", {"win": "1", "pab": "0", "full_bye": "0"}),
    ("1 ½ 0, half-point bye 0", {"win": "1", "half_bye": "0"}),
    ("3 1 0", {"win": "3", "draw": "1"}),
    ("3 1 0, bye 1", {"win": "3", "draw": "1", "pab": "1"}),
    ("2 1 0", {"win": "2", "draw": "1"}),
    ("3 2 1", {"win": "3", "draw": "2", "loss": "1"}),
    ("games only", {"win": "1", "pab": "0", "full_bye": "0", "half_bye": "0"}),
)


def _total(text: str) -> Fraction | None:
    """Printed points as a number; 0 where nothing is printed, None where it cannot be read."""
    try:
        return fields.number(text, "," if "," in text else ".") or Fraction(0)
    except ValueError:
        return None


def find_scoring(
    printed: Mapping[int, str],
    rounds: list[dict[int, Cell]],
    declared: Declared,
    faults: Faults,
    *,
    teams: bool,
    severity: str = "W",
) -> Scoring:
    """The declared scoring, else the usual one, unless another explains clearly more of the printed points.

    One scoring holds for the whole file: a player whose points do not follow from it is a finding of the
    checks, for him alone.
    """
    base = _scoring(declared.values)
    if declared.values.keys() - {"match_win", "match_draw", "match_loss"} or not printed or not rounds:
        return base
    # Points that cannot be read are a finding elsewhere; they say nothing about the scoring.
    known = {n: total for n in printed if (total := _total(printed[n])) is not None}
    if not known:
        return base
    numbers = list(known)
    counts, open_cells = _counts(numbers, rounds, teams)
    totals = np.array([float(total) for total in known.values()])
    match = {k: v for k, v in declared.values.items() if k.startswith("match_")}
    best, best_hits, best_words = base, _hits(base, counts, open_cells, totals), ""
    usual = best_hits
    for name, values in _UNDECLARED[1:]:
        scoring = _scoring({**{k: Fraction(v) for k, v in values.items()}, **match})
        hits = _hits(scoring, counts, open_cells, totals)
        if hits > best_hits:
            best, best_hits, best_words = scoring, hits, name
    if best is base or best_hits < usual + max(2, len(numbers) // 10):
        return base
    faults.add(
        "CK49", "scoring-found", severity=severity, field="scoring", read="1 ½ 0", assumed=best_words, explained=best_hits,
        usual=usual, players=len(numbers),
    )  # fmt: skip
    return best


def _counts(numbers: list[int], rounds: list[dict[int, Cell]], teams: bool) -> tuple[np.ndarray, np.ndarray]:
    place = {number: i for i, number in enumerate(numbers)}
    counts = np.zeros((len(numbers), len(_CATEGORIES)))
    open_cells = np.zeros(len(numbers))
    alone = {**_ALONE, "+": 3 if teams else 5}
    for cells in rounds:
        for number, cell in cells.items():
            i = place.get(number)
            if i is None:
                continue
            if cell.opponent and cell.code in _PAIRED:
                counts[i, _PAIRED[cell.code]] += 1
            elif not cell.opponent or cell.code in "UFHZ":
                counts[i, alone[cell.code]] += 0 if cell.opponent and not cell.code else 1
                open_cells[i] += cell.code in ("", "-") and not cell.opponent
    return counts, open_cells


def _hits(scoring: Scoring, counts: np.ndarray, open_cells: np.ndarray, totals: np.ndarray) -> int:
    sums = counts @ _values(scoring)
    missing = totals - sums
    half = float(scoring.half_bye)
    hit = np.abs(missing) < 1e-9
    if half:
        steps = missing / half
        hit |= (steps > 0) & (steps <= open_cells + 1e-9) & (np.abs(steps - np.round(steps)) < 1e-9)
    return int(hit.sum())


def _values(scoring: Scoring) -> np.ndarray:
    draw = (scoring.draw_first + scoring.draw_second) / 2
    return np.array(
        [
            float(value)
            for value in (
                scoring.win, draw, scoring.loss, scoring.forfeit_win, scoring.forfeit_loss, scoring.pab,
                scoring.full_bye, scoring.half_bye, scoring.zero_bye,
            )
        ]
    )  # fmt: skip


def fill_missing_byes(
    printed: Mapping[int, str],
    rounds: list[dict[int, Cell]],
    scoring: Scoring,
    faults: Faults,
    *,
    place: Callable[[int], str],
) -> None:
    """Make byes of rounds without entry where the printed points of a player demand it.

    A lone ``-`` or ``0000`` comes before a blank cell, an early round before a late one (players leave at
    the end). A blank round may stand for a full point where nobody else in the round wants one.
    """
    numbers = list(printed)
    if not numbers or not rounds or not scoring.half_bye:
        return
    counts, _ = _counts(numbers, rounds, False)
    sums = counts @ _values(scoring)
    whole: dict[int, list[int]] = {}
    for i, number in enumerate(numbers):
        total = _total(printed[number])
        if total is None:
            continue
        missing = total - Fraction(sums[i]).limit_denominator(60)
        if missing <= 0:
            continue
        explicit: list[int] = []
        blank: list[int] = []
        zeros: list[int] = []
        for index, cells in enumerate(rounds):
            cell = cells.get(number)
            if cell is None or cell.opponent or cell.code not in ("", "-"):
                continue
            (explicit if cell.text.strip() else blank).append(index)
            if cell.text.strip().startswith("0") and not cell.code:
                zeros.append(index)
        steps = missing / scoring.half_bye
        if zeros and missing == scoring.full_bye * len(zeros):
            for index in zeros:
                _fill(rounds, index, number, "F", faults, place, "I")
        elif steps.denominator == 1 and steps <= len(explicit):
            for index in explicit[: int(steps)]:
                _fill(rounds, index, number, "H", faults, place, "I")
        elif steps.denominator == 1 and not explicit and steps <= len(blank):
            for index in blank[: int(steps)]:
                _fill(rounds, index, number, "H", faults, place, "W")
        elif blank and not explicit and missing == scoring.full_bye * len(blank):
            for index in blank:
                whole.setdefault(index, []).append(number)
    # Pages that leave out the bye of the odd player show a blank; there is one such player in a round.
    for index, players in whole.items():
        if len(players) == 1:
            _fill(rounds, index, players[0], "F", faults, place, "W")


def _fill(
    rounds: list[dict[int, Cell]], index: int, number: int, code: str, faults: Faults, place: Callable[[int], str], severity: str
) -> None:  # fmt: skip
    cell = rounds[index][number]
    faults.add(
        "CK49", "bye-from-points", severity=severity, line=cell.line, column=place(index + 1), round=index + 1,
        player=number, field="result", read=cell.text.strip() or "blank", assumed=code,
        published=cell.text.strip() or words.said("blank"), recomputed=words.said(f"reason.{_BYES[code]}"),
    )  # fmt: skip
    rounds[index][number] = cell._replace(code=code)
