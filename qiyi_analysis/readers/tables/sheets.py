"""Sheets of cells, whatever file they come from: rows of text that keep their number in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from qiyi_analysis import words
from qiyi_analysis.readers.faults import shown
from qiyi_analysis.readers.tables.delimited import Row

#: Columns that are looked at; result tables have some forty.
MOST_COLUMNS = 512


@dataclass(slots=True)
class Sheet:
    """One table: its name and the rows that hold anything, each with its line number."""

    name: str
    rows: list[Row] = field(default_factory=list)


def cell_name(place: int, line: int) -> str:
    """The name of a cell as spreadsheets have it: D7 for place 3 of line 7."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{line}"


#: As many sheets are named of a file in which nothing is usable, each with as many cells.
_SHEETS, _CELLS = 6, 8


def seen(sheets: Sequence[Sheet]) -> words.Said:
    """Name and headers of the sheets in both languages; of a single sheet its headers."""
    if len(sheets) == 1:
        return _heads(sheets[0])
    parts = [words.said("sheet-seen", name=shown(sheet.name), heads=_heads(sheet)) for sheet in sheets]
    return words.joined(parts, _SHEETS, parts=True) if parts else words.said("sheet-empty")


def _heads(sheet: Sheet) -> words.Said:
    """The first row with two cells, as headers have; the first with any where there is none."""
    rows = [[shown(cell) for cell in row.cells if cell.strip()] for row in sheet.rows[:50]]
    row = next((row for row in rows if len(row) > 1), next((row for row in rows if row), []))
    return words.joined(row, _CELLS) if row else words.said("sheet-empty")
