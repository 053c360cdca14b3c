"""The cells of a workbook's sheet and its shared strings, as programs write them.

A long sheet has millions of cells that are all written in the same few ways. They are found by one expression; where
anything else stands between them (another order of attributes, comments, numbers of characters) the sheet is left to the
XML reader, which reads everything, more slowly. Both give the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from qiyi_analysis.readers.tables.delimited import Row
from qiyi_analysis.readers.xml import TEXT, unescaped

_ATTRIBUTES = '(?: [A-Za-z:_0-9]{1,30}="[^"<>&\x00-\x1f]*")*'
_TOKEN = re.compile(
    rf'(<row r="(\d{{1,7}})"{_ATTRIBUTES}(/?)>|</row>|'
    r'<c r="([A-Z]{1,3})(\d{1,7})"(?: s="(\d{1,8})")?(?: t="([a-zA-Z]{1,9})")?'
    rf"(?:/>|>(?:<f{_ATTRIBUTES}/>|<f{_ATTRIBUTES}>{TEXT}</f>)?(?:<v>({TEXT})</v>|<is><t(?: xml:space=\"preserve\")?>({TEXT})</t></is>)?</c>))"
)
_STRING = re.compile(
    rf'(<si><t(?: xml:space="preserve")?>({TEXT})</t></si>|<si>((?:(?!</?si[ >/]).)*)</si>)', re.DOTALL
)
#: Characters that are looked through at once.
_PIECE = 1 << 22


def strings_of(text: str, other: Callable[[str], str]) -> tuple[str, list[str], str] | None:
    """What stands before the shared strings, the strings, what stands behind; None where more is between them.

    ``other``: the text of an entry with formatting inside, from its content.
    """
    begin, end = text.find("<si>"), text.rfind("</si>") + 5
    if begin < 0 or end < begin:
        return None
    found: list[str] = []
    covered = 0
    for whole, plain, formatted in _STRING.findall(text, begin, end):
        covered += len(whole)
        found.append(other(formatted) if formatted else unescaped(plain))
    return (text[:begin], found, text[end:]) if covered == end - begin else None


def rows_of(
    text: str,
    strings: Sequence[str],
    value: Callable[[str, str, str], str],
    most_columns: int,
    most_cells: int,
) -> tuple[str, list[Row], str] | None:
    """What stands before the rows of a sheet, its rows that hold anything, and what stands behind.

    ``strings``: the shared strings without blanks around them; ``value``: text of any other cell from what is written,
    type and style. None where the sheet is written otherwise, rows or
    cells are not in their order, or cells are more than ``most_cells``.
    """
    begin, end = text.find("<sheetData>"), text.rfind("</sheetData>")
    if begin < 0 or end < begin:
        return None
    begin += len("<sheetData>")
    size = len(strings)
    rows: list[Row] = []
    columns: dict[str, int] = {}
    known: dict[tuple[str, str, str], str] = {}
    line, inside, count, number = 0, False, 0, ""
    cells: list[str] = []
    last = -1
    at = begin
    while at < end:
        stop = text.find("</row>", at + _PIECE, end)
        stop = end if stop < 0 else stop + len("</row>")
        covered = 0
        for whole, row, empty, letters, of_row, style, kind, written, inline in _TOKEN.findall(
            text, at, stop
        ):
            covered += len(whole)
            if letters:
                if of_row != number or not inside:
                    return None
                place = columns.get(letters)
                if place is None:
                    place = columns[letters] = column_place(letters)
                if place <= last:
                    return None
                last = place
                content = written or inline
                if not content:
                    continue
                count += 1
                if place >= most_columns:
                    continue
                if kind == "s":
                    index = int(content) if content.isdecimal() and len(content) < 9 else size
                    cell = strings[index] if index < size else ""
                else:
                    key = (content, kind, style)
                    known_cell = known.get(key)
                    if known_cell is None:
                        known_cell = known[key] = value(unescaped(content), kind, style).strip()
                    cell = known_cell
                if cell:
                    while len(cells) < place:
                        cells.append("")
                    cells.append(cell)
            elif row:
                if inside or int(row) <= line:
                    return None
                line, number, inside, last = int(row), row, not empty, -1
                cells = []
            else:
                if not inside:
                    return None
                inside = False
                if cells:
                    rows.append(Row(line, cells))
        if covered != stop - at or count > most_cells:
            return None
        if len(known) > 100_000:
            known.clear()
        at = stop
    return None if inside else (text[:begin], rows, text[end:])


def column_place(letters: str) -> int:
    """The place of a column, 0 for A."""
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - 64
    return place - 1
