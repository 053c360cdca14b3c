"""Lists of pairings: one row per game, the round in a column or in the title above."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qiyi_analysis.model.event import Kind
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import MOST_ROUNDS
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.delimited import Row
from qiyi_analysis.readers.tables.heads import round_in
from qiyi_analysis.readers.tables.player_fields import whole
from qiyi_analysis.readers.tables.sheet_tables import HeadedRows


@dataclass(frozen=True, slots=True)
class Pairing:
    """One row: the names (or numbers) of both sides and TRF letters of their results."""

    round: int
    first: str
    second: str
    first_number: int
    second_number: int
    codes: tuple[str, str]
    line: int
    text: str
    first_rating: str = ""
    second_rating: str = ""


_FREE = {
    "bye": "U",
    "spielfrei": "U",
    "轮空": "U",
    "輪空": "U",
    "exempt": "U",
    "descansa": "U",
    "not paired": "Z",
    "nicht ausgelost": "Z",
    "свободен": "U",
    "": "U",
}


def in_two_one_zero(table: HeadedRows) -> bool:
    """Whether results are written 2-0, 1-1, 0-2: a 2 occurs nowhere else."""
    return any(
        "2" in re.split(r"[-:：]", fields.plain(table.cell(row, "result")).replace(" ", ""))
        for row in table.rows
    )


def pairing_rows(table: HeadedRows, faults: Faults, *, two: bool) -> list[Pairing]:
    """The games of a table of pairings. ``two``: results are written 2-1-0."""
    first_column = "white" if table.place("white") is not None else "red"
    above = next(
        (n for row in reversed(table.before) if (n := round_in(" ".join(row.cells)))), 0
    ) or round_in(table.sheet)
    found = []
    for row in table.rows:
        round_ = whole(table.cell(row, "round")) or round_in(table.cell(row, "round")) or above or 1
        if not 1 <= round_ <= MOST_ROUNDS:
            faults.add(
                "CK43",
                "round-unreadable",
                severity="E",
                line=row.line,
                field="round",
                read=table.cell(row, "round"),
            )
            continue
        first, second = table.cell(row, first_column), table.cell(row, "black")
        if not first and not second:
            continue
        number, other = _numbers(table, row, first_column)
        text = table.cell(row, "result")
        free = _FREE.get(second.casefold())
        if free is not None and not other:
            found.append(Pairing(round_, first, "", number, 0, (free, ""), row.line, text))
            continue
        if whole(first) is not None and whole(second) is not None:
            number, other, first, second = whole(first) or 0, whole(second) or 0, "", ""
        ratings = [
            place for place, name in table.columns.items() if name == "rating" and place < len(row.cells)
        ]
        left, right = (row.cells[ratings[0]], row.cells[ratings[-1]]) if len(ratings) == 2 else ("", "")
        codes = codes_of(text, two, faults, row, round_)
        found.append(Pairing(round_, first, second, number, other, codes, row.line, text, left, right))
    return found


def _numbers(table: HeadedRows, row: Row, first_column: str) -> tuple[int, int]:
    """Start numbers left of the first name and right of the second, where the table has them."""
    white, black = table.place(first_column) or 0, table.place("black") or 0
    places = [place for place, name in table.columns.items() if name == "number"]
    left = [place for place in places if place < white]
    right = [place for place in places if place > black]

    def at(place: int) -> int:
        return (whole(row.cells[place]) or 0) if place < len(row.cells) else 0

    return (at(left[-1]) if left else 0, at(right[0]) if right else 0)


def codes_of(text: str, two: bool, faults: Faults, row: Row, round_: int) -> tuple[str, str]:
    """TRF letters of both halves of a result; a finding and two empty ones for what is no result."""
    if two:
        halves = re.split(r"[-:：]", fields.plain(text).replace(" ", ""))
        scale = {"2": "1", "1": "=", "0": "0"}
        if len(halves) == 2 and halves[0] in scale and halves[1] in scale:
            return scale[halves[0]], scale[halves[1]]
    try:
        result = fields.read_result(text)
    except ValueError:
        faults.add("CK15", "result-not-understood", line=row.line, round=round_, field="result", read=text)
        return "", ""
    if result is None:
        return "", ""
    if result.kind in (Kind.FORFEIT, Kind.DOUBLE_FORFEIT):
        marks = {"1": "+", "0": "-", "=": "="}
        return marks[result.first], marks[result.second]
    return result.first, result.second
