"""What was seen in a workbook or table in which nothing is usable: its sheets, each with its first row of text."""

from __future__ import annotations

from collections.abc import Sequence

from qiyi_analysis import words
from qiyi_analysis.readers.faults import shown
from qiyi_analysis.readers.tables.sheets import Sheet

#: So many sheets are named, each with so many cells.
_SHEETS, _CELLS = 6, 8


def seen(sheets: Sequence[Sheet]) -> words.Said:
    """Name and heads of the sheets in both languages; of one sheet alone its heads."""
    if len(sheets) == 1:
        return _heads(sheets[0])
    parts = [words.said("sheet-seen", name=shown(sheet.name), heads=_heads(sheet)) for sheet in sheets]
    return words.joined(parts, _SHEETS, parts=True) if parts else words.said("sheet-empty")


def _heads(sheet: Sheet) -> words.Said:
    """The first row with two cells, as heads have; the first with any where there is none."""
    rows = [[shown(cell) for cell in row.cells if cell.strip()] for row in sheet.rows[:50]]
    row = next((row for row in rows if len(row) > 1), next((row for row in rows if row), []))
    return words.joined(row, _CELLS) if row else words.said("sheet-empty")
