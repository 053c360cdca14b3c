"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS), read by python-calamine, behind a guard.

The library lays out the whole rectangle between the first and the last cell of a sheet, and copies every shared text.
What is unpacked is measured before: cells far from the others are brought near, and a workbook whose texts would grow
beyond all measure is refused. A number becomes the shortest text that means it, a date ISO text.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from html import unescape

import numpy as np

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.folder.event_folder import folder_of_sheets
from qiyi_analysis.readers.formats import Format, Headings, Look
from qiyi_analysis.readers.lists.list_tables import from_sheets
from qiyi_analysis.readers.source import LARGEST, Source, read_member, zip_members
from qiyi_analysis.readers.tables.delimited import Row
from qiyi_analysis.readers.tables.sheet_event import read_sheets
from qiyi_analysis.readers.tables.sheets import MOST_COLUMNS, Sheet
from qiyi_analysis.readers.writers.folder_writer import cell_text

#: Cells of the rectangle that a sheet spans, empty ones counted.
MOST_CELLS = 20_000_000
#: Empty rows (of ODS: repeated ones) beyond these are left out of the rectangle.
_GAP = 1000
#: Merged cells further down than this are no group of rows.
_TALLEST = 1000


def from_workbook(source: Source) -> list[Sheet]:
    """Every visible sheet of a workbook, in order. Raises ReadError where it is damaged or out of proportion."""
    import python_calamine

    data, lines = _guarded(source) if source.data.startswith(b"PK") else (source.data, {})
    try:
        book = python_calamine.load_workbook(io.BytesIO(data))
        visible = [
            one.name
            for one in book.sheets_metadata
            if one.visible == python_calamine.SheetVisibleEnum.Visible
            and one.typ == python_calamine.SheetTypeEnum.WorkSheet
        ]
        if not visible:
            raise ReadError("xlsx-no-sheet", file=source.name)
        return [_sheet(book.get_sheet_by_name(name), source.name, lines.get(name, [])) for name in visible]
    except (ReadError, KeyboardInterrupt, MemoryError):
        raise
    except (
        BaseException
    ) as error:  # the library raises whatever the bytes lead it to, panics of Rust among it
        raise ReadError("xls-damaged", file=source.name, kind=type(error).__name__) from error


def _sheet(sheet, file: str, lines: list[int]) -> Sheet:
    """The rows of a sheet that hold anything; ``lines``: the numbers of rows that were brought nearer."""
    if sheet.end is None:
        return Sheet(sheet.name)
    if (sheet.end[0] + 1) * (sheet.end[1] + 1) > MOST_CELLS:
        raise ReadError("sheet-too-large", file=file, sheet=sheet.name, most=MOST_CELLS)
    texts: dict[tuple[type, object], str] = {}
    rows: dict[int, list[str]] = {}
    left = [""] * sheet.start[1]
    for line, values in enumerate(sheet.iter_rows(), 1):
        cells = left.copy()
        for value in values[: MOST_COLUMNS - len(left)]:
            if value.__class__ is str:
                cells.append(value.strip())
                continue
            key = (value.__class__, value)
            text = texts.get(key)
            if text is None:
                text = texts[key] = _text(value)
            cells.append(text)
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            rows[line] = cells
        if len(texts) > 100_000:
            texts.clear()
    _spread_down(rows, sheet.merged_cell_ranges or ())
    return Sheet(sheet.name, [Row(lines[line - 1] if lines else line, cells) for line, cells in rows.items()])


def _spread_down(rows: dict[int, list[str]], merged) -> None:
    """Cells merged down a column have their text in every row; titles over several columns stay in their first cell."""
    for (top, left), (bottom, right) in merged:
        if left != right or bottom - top > _TALLEST or left >= MOST_COLUMNS:
            continue
        cells = rows.get(top + 1, [])
        text = cells[left] if left < len(cells) else ""
        for line in range(top + 2, bottom + 2) if text else ():
            if (below := rows.get(line)) is not None:
                below.extend([""] * (left + 1 - len(below)))
                below[left] = below[left] or text


def _text(value: object) -> str:
    """The text of a value that is none. A result typed as 1:0 is kept by the program as a time of day."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return f"{value.hour}:{value.minute}" if not value.second else value.isoformat()
    if isinstance(value, timedelta):
        return f"{value // timedelta(hours=1)}:{value % timedelta(hours=1) // timedelta(minutes=1)}"
    return number_text(value) if isinstance(value, int | float) else ""


def number_text(number: float) -> str:
    """Shortest text of a number; 0.1 + 0.2 as stored by spreadsheets becomes 0.3."""
    if number != number or number in (float("inf"), float("-inf")):
        return ""
    if number == round(number) and abs(number) < 1e18:
        return f"{number:.0f}"
    return cell_text(float(f"{number:.15g}"))


# --- the guard -----------------------------------------------------------------------------------

_CELL = re.compile(rb"<(?:\w+:)?c\b[^>]*?\br=[\"']([A-Z]{1,3})(\d{1,7})[\"'][^>]*(?<!/)>")
_SHARED = re.compile(rb"<(?:\w+:)?c\b[^>]*?\bt=[\"']s[\"'][^>]*>\s*<(?:\w+:)?v>(\d{1,9})<")
_STRING = re.compile(rb"<(?:\w+:)?si\b[^>]*?(?:/>|>(.*?)</(?:\w+:)?si>)", re.DOTALL)


#: A formula without a stored value: a program wrote it, or ``=3`` (a draw against 3) was meant as text.
_UNSTORED = re.compile(rb"<c\b([^<>]*)>\s*<f\b[^<>]*>([^<]{1,200})</f>\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")


def _formula_told(match: re.Match[bytes]) -> bytes:
    """The cell with its formula as text: read for what it says, or named, never blank."""
    attributes = re.sub(rb"\bt=[\"'][^\"']*[\"']", b"", match[1])
    return b"<c" + attributes + b' t="inlineStr"><is><t>=' + match[2] + b"</t></is></c>"


def _guarded(source: Source) -> tuple[bytes, dict[str, list[int]]]:
    """The workbook as it can be read in bounded memory; by sheet the numbers of rows that were brought nearer."""
    members = zip_members(source)
    changed: dict[str, bytes] = {}
    lines: dict[str, list[int]] = {}
    shared = next((name for name in members if name.casefold() == "xl/sharedstrings.xml"), "")
    texts = _STRING.findall(read_member(source, shared)) if shared else []
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    for name in members:
        if re.match(r"xl/worksheets/[^/]+\.xml\Z", name):
            data = read_member(source, name)
            told = _UNSTORED.sub(_formula_told, data) if b"<f" in data else data
            if told != data:
                changed[name] = told
            if (near := _brought_near(told)) is not None:
                changed[name], numbers = near
                lines[_sheet_name(source, members, name)] = numbers
            _check_texts(source.name, lengths, data)
        elif re.match(r"xl/worksheets/[^/]+\.bin\Z", name):
            if _spans_of_binary(read_member(source, name)) > MOST_CELLS:
                raise ReadError("sheet-too-large", file=source.name, sheet=name, most=MOST_CELLS)
        elif name == "content.xml":
            changed.update(_without_repetitions(name, read_member(source, name)))
    return (_replaced(source, changed) if changed else source.data), lines


def _place(letters: bytes) -> int:
    """The place of a column, 0 for A."""
    place = 0
    for letter in letters:
        place = place * 26 + letter - 64
    return place - 1


def _in_proportion(data: bytes) -> bool:
    """Whether no cell can be far from the others, seen without a look at each of them."""
    last = max(map(int, re.findall(rb"<row r=\"(\d{1,7})\"", data)), default=0)
    cells = data.count(b"<c ")
    if not cells or data.count(b"<row ") != data.count(b"<row r=") or data.count(b"<c r=") != cells:
        return not cells and b":c " not in data
    if re.search(rb"\br=[\"'][A-Z]{0,3}\d{%d,}" % (len(str(last)) + 1), data):
        return False
    width = 702 if re.search(rb"<c r=\"[A-Z]{2}\d", data) else 26
    return not re.search(rb"<c r=\"[A-Z]{3}", data) and width * min(10 * last, 1 << 20) <= max(
        40 * cells, 1_000_000
    )


def _brought_near(data: bytes) -> tuple[bytes, list[int]] | None:
    """The sheet without cells beyond MOST_COLUMNS and with its rows numbered on from each other, and the numbers that
    the rows had; None where the rectangle is in proportion to the cells."""
    found = [] if _in_proportion(data) else _CELL.findall(data)
    if not found:
        return None
    width = max(_place(letters) for letters in {letters for letters, _ in found}) + 1
    height = max(map(int, {row for _, row in found}))
    if width * height <= max(40 * len(found), 1_000_000):
        return None
    kept = sorted({int(row) for letters, row in found if _place(letters) < MOST_COLUMNS})
    number_of = {line: place for place, line in enumerate(kept, 1)}

    def cell(match: re.Match[bytes]) -> bytes:
        new = number_of.get(int(match[2]))
        if new is None or _place(match[1]) >= MOST_COLUMNS:
            return b"<skipped>"
        begin, end = match.start(2) - match.start(), match.end(2) - match.start()
        return match[0][:begin] + str(new).encode() + match[0][end:]

    def row(match: re.Match[bytes]) -> bytes:
        return match[1] + str(number_of.get(int(match[2]), 1)).encode() + match[3]

    near = re.sub(rb"(<(?:\w+:)?row\b[^>]*?\br=[\"'])(\d{1,7})([\"'])", row, _CELL.sub(cell, data))
    near = re.sub(rb"<skipped>.*?</(?:\w+:)?c>", b"", near, flags=re.DOTALL)
    return re.sub(rb"<(?:\w+:)?mergeCells\b.*</(?:\w+:)?mergeCells>", b"", near, flags=re.DOTALL), kept


def _check_texts(name: str, lengths: np.ndarray, sheet: bytes) -> None:
    """Raises ReadError where cells that share long texts would fill the memory with copies."""
    if not len(lengths) or int(lengths.max()) * sheet.count(b'"s"') <= LARGEST:
        return
    used = np.array(_SHARED.findall(sheet), dtype=np.int64)
    if int(lengths[np.minimum(used, len(lengths) - 1)].sum()) > LARGEST:
        raise ReadError("file-too-large", file=name, most=LARGEST >> 20)


def _sheet_name(source: Source, members: Mapping[str, int], member: str) -> str:
    """The name of the sheet in a member of the archive."""
    book, relations = (
        read_member(source, name).decode("utf-8", "replace") if name in members else ""
        for name in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels")
    )
    for tag in re.findall(r"<(?:\w+:)?Relationship\b[^>]*>", relations):
        target, key = re.search(r'\bTarget="([^"]*)"', tag), re.search(r'\bId="([^"]*)"', tag)
        if target and key and member.endswith(target[1].lstrip("/")):
            for sheet in re.findall(r"<(?:\w+:)?sheet\b[^>]*>", book):
                if f'"{key[1]}"' in sheet and (name := re.search(r'\bname="([^"]*)"', sheet)):
                    return unescape(name[1])
    return ""


def _spans_of_binary(data: bytes) -> int:
    """Cells of the rectangle of a sheet of an XLSB workbook, by its records of rows and cells."""
    height = width = at = 0
    while at + 2 <= len(data):
        kind, at = _varied(data, at, 2)
        size, at = _varied(data, at, 4)
        if kind <= 11 and at + 4 <= len(data):  # 0: a row; 1 to 11: a cell, with its column
            (value,) = struct.unpack_from("<I", data, at)
            height, width = (max(height, value + 1), width) if kind == 0 else (height, max(width, value + 1))
        at += size
    return height * width


def _varied(data: bytes, at: int, most: int) -> tuple[int, int]:
    """A number of seven bits a byte, and the place behind it."""
    value = 0
    for place in range(most):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 127) << (7 * place)
        if byte < 128:
            break
    return value, at


def _without_repetitions(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """The content of an OpenDocument sheet with long repetitions of rows and columns cut, if it has any."""
    pattern = re.compile(rb"(number-(?:rows|columns)-repeated=[\"'])(\d+)([\"'])")
    if any(len(found[1]) > 3 for found in pattern.findall(data)):
        yield name, pattern.sub(lambda m: m[0] if len(m[2]) < 4 else m[1] + str(_GAP).encode() + m[3], data)


def _replaced(source: Source, changed: Mapping[str, bytes]) -> bytes:
    """The archive with some of its members replaced."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(source.data)) as old,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, changed.get(name) or old.read(name))
    return stream.getvalue()


def _events(look: Look, name: str, mapping: Headings | None) -> tuple[Event, ...]:
    source, sheets = look.source, from_workbook(look.source)
    event = folder_of_sheets(sheets, source, name)
    return (event,) if event else read_sheets(sheets, Faults(source.name), source, name, mapping)


FORMAT = Format(
    name="workbook",
    described="workbooks (XLSX, XLSM, XLSB, XLS, ODS) with the sheets of the folder format, of result pages or of hand-made tables",
    recognise=lambda look: look.data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")),
    read=_events,
    read_lists=lambda look, _, mapping: from_sheets(from_workbook(look.source), look.source, mapping),
    written={".xlsx": "xlsx"},
)
