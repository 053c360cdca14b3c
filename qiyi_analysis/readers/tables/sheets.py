"""Sheets of cells: workbooks (XLSX, XLS), saved web pages and separated text, all as rows of text.

A number becomes the shortest text that means it, a date ISO text. Rows keep their number in the sheet.
Only what is really there is kept: a workbook may announce a thousand million rows and hold three.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass, field

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers import xml
from qiyi_analysis.readers.draft import MOST_ROWS
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.fields import from_serial
from qiyi_analysis.readers.source import Source, decode, read_member, zip_members
from qiyi_analysis.readers.tables.delimited import Row, parse_rows, report_encoding
from qiyi_analysis.readers.tables.xlsx_sheet import column_place, rows_of, strings_of
from qiyi_analysis.readers.writers.folder_writer import cell_text

#: Columns that are looked at; result tables have some forty.
MOST_COLUMNS = 512
#: Cells of one file.
MOST_CELLS = 20_000_000


@dataclass(slots=True)
class Sheet:
    """One table: its name and the rows that hold anything, each with its line number."""

    name: str
    rows: list[Row] = field(default_factory=list)


def from_text(source: Source, faults: Faults) -> list[Sheet]:
    """The one table of a text file of separated values; no more of it than tells that it is no event."""
    text = decode(source.data)
    report_encoding(text, faults)
    rows = parse_rows(text.text, faults, most=MOST_ROWS)
    return [Sheet(source.stem, [Row(row.line, row.cells[:MOST_COLUMNS]) for row in rows])]


def _sheet(name: str, cells: dict[int, dict[int, str]]) -> Sheet:
    rows = []
    for line in sorted(cells):
        values = cells[line]
        filled = {place: text for place, text in values.items() if text.strip()}
        if filled:
            width = max(filled) + 1
            rows.append(Row(line, [filled.get(place, "").strip() for place in range(width)]))
    return Sheet(name, rows)


# --- XLSX ----------------------------------------------------------------------------------------


def from_xlsx(source: Source) -> list[Sheet]:
    """Every sheet of an XLSX workbook, in order. Raises ReadError where it is damaged."""
    members = zip_members(source)
    names = _sheet_names(source, members)
    if not names:
        raise ReadError("xlsx-no-sheet", file=source.name)
    strings = _shared_strings(source, members)
    dates = _date_styles(source, members)
    return [_read_sheet(source, member, name, strings, dates) for name, member in names]


def _xml(source: Source, member: str, start, end, text) -> None:
    xml.parse(read_member(source, member), f"{source.name}/{member}", start=start, end=end, text=text)


def _sheet_names(source: Source, members) -> list[tuple[str, str]]:
    sheets: list[tuple[str, str]] = []
    targets: dict[str, str] = {}

    def workbook(tag: str, attributes: dict[str, str]) -> None:
        if tag == "sheet" and attributes.get("state") not in ("hidden", "veryHidden"):
            sheets.append((attributes.get("name", ""), attributes.get("id", "")))

    def relations(tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship" and "Target" in attributes:
            target = attributes["Target"].lstrip("/")
            targets[attributes.get("Id", "")] = target if target.startswith("xl/") else f"xl/{target}"

    if "xl/workbook.xml" in members:
        _xml(source, "xl/workbook.xml", workbook, _nothing, _nothing)
    if "xl/_rels/workbook.xml.rels" in members:
        _xml(source, "xl/_rels/workbook.xml.rels", relations, _nothing, _nothing)
    found = [(name, targets[key]) for name, key in sheets if targets.get(key) in members]
    if found:
        return found
    return [(name, name) for name in sorted(members) if re.match(r"xl/worksheets/[^/]+\.xml\Z", name)]


def _nothing(*_: object) -> None:
    """A callback for what is not needed."""


def _shared_strings(source: Source, members) -> list[str]:
    if "xl/sharedStrings.xml" not in members:
        return []
    data = read_member(source, "xl/sharedStrings.xml")
    name = f"{source.name}/xl/sharedStrings.xml"
    text = xml.text_of(data)
    found = (
        strings_of(text, lambda content: _strings(f"<si>{content}</si>".encode(), name)[0]) if text else None
    )
    if found is not None:
        before, strings, behind = found
        # What is around the strings is read as XML, with one of them to see that they are where they should be.
        if _strings(f"{before}<si><t>x</t></si>{behind}".encode(), name) == ["x"]:
            return [_unescaped(one) for one in strings]
    return [_unescaped(one) for one in _strings(data, name)]


def _strings(data: bytes, name: str) -> list[str]:
    """The entries of the shared strings, their texts joined, without the phonetic ones."""
    strings: list[str] = []
    parts: list[str] = []
    state = {"inside": False, "phonetic": 0}

    def start(tag: str, _: dict[str, str]) -> None:
        if tag == "si":
            parts.clear()
        elif tag == "rPh":
            state["phonetic"] += 1
        elif tag == "t" and not state["phonetic"]:
            state["inside"] = True

    def end(tag: str) -> None:
        if tag == "t":
            state["inside"] = False
        elif tag == "rPh":
            state["phonetic"] -= 1
        elif tag == "si":
            strings.append("".join(parts))

    def text(data: str) -> None:
        if state["inside"]:
            parts.append(data)

    xml.parse(data, name, start=start, end=end, text=text)
    return strings


def _unescaped(text: str) -> str:
    """Characters that XML cannot hold are written ``_x0007_``."""
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m[1], 16)), text) if "_x" in text else text


#: Number formats of dates that need no entry of their own in the styles.
_DATE_FORMATS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})


def _date_styles(source: Source, members) -> set[int]:
    if "xl/styles.xml" not in members:
        return set()
    own: set[int] = set()
    styles: list[int] = []
    state = {"cells": False}

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "numFmt":
            code = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", attributes.get("formatCode", ""))
            if re.search(r"[yd年日]", code, re.IGNORECASE) and attributes.get("numFmtId", "").isdecimal():
                own.add(int(attributes["numFmtId"][:9]))
        elif tag == "cellXfs":
            state["cells"] = True
        elif tag == "xf" and state["cells"]:
            number = attributes.get("numFmtId", "0")
            styles.append(int(number) if number.isdecimal() and len(number) < 9 else 0)

    def end(tag: str) -> None:
        if tag == "cellXfs":
            state["cells"] = False

    _xml(source, "xl/styles.xml", start, end, _nothing)
    return {place for place, number in enumerate(styles) if number in own or number in _DATE_FORMATS}


_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})\Z")


def _read_sheet(source: Source, member: str, name: str, strings: list[str], dates: set[int]) -> Sheet:
    data, where = read_member(source, member), f"{source.name}/{member}"
    text = xml.text_of(data)

    def value(text: str, kind: str, style: str) -> str:
        return _value(text, kind, style, strings, dates)

    found = rows_of(text, [one.strip() for one in strings], value, MOST_COLUMNS, MOST_CELLS) if text else None
    if found is not None:
        before, rows, behind = found
        around = _Cells(strings, dates)
        xml.parse(f"{before}{behind}".encode(), where, start=around.start, end=around.end, text=around.text)
        if around.tables == 1 and not around.cells and not any(map(_goes_down, around.merged)):
            return Sheet(name, rows)
    read = _Cells(strings, dates)
    xml.parse(data, where, start=read.start, end=read.end, text=read.text)
    for reference in read.merged:
        _spread(read.cells, reference)
    return _sheet(name, read.cells)


class _Cells:
    """The cells of a sheet by line and place, gathered from its elements; ``tables``: how often cells begin."""

    def __init__(self, strings: list[str], dates: set[int]) -> None:
        self.cells: dict[int, dict[int, str]] = {}
        self.merged: list[str] = []
        self.tables = 0
        self._strings, self._dates = strings, dates
        self._parts: list[str] = []
        self._row, self._column, self._count = 0, -1, 0
        self._kind = self._style = self._inside = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if tag == "c":
            match = _REFERENCE.match(attributes.get("r", ""))
            self._column = column_place(match[1]) if match else self._column + 1
            if match and not self._row:
                self._row = int(match[2])
            self._kind, self._style = attributes.get("t", ""), attributes.get("s", "")
            self._parts.clear()
        elif tag in ("v", "t"):
            self._inside = tag
        elif tag == "row":
            number = attributes.get("r", "")
            self._row = int(number) if number.isdecimal() and len(number) < 8 else self._row + 1
            self._column = -1
        elif tag == "sheetData":
            self.tables += 1
        elif tag == "mergeCell" and len(self.merged) < 10_000:
            self.merged.append(attributes.get("ref", ""))

    def end(self, tag: str) -> None:
        """An element ends."""
        if tag in ("v", "t"):
            self._inside = ""
        elif tag == "c" and self._parts:
            self._count += 1
            if self._count > MOST_CELLS:
                raise xml.Refused("cells")
            if 0 <= self._column < MOST_COLUMNS:
                value = _value("".join(self._parts), self._kind, self._style, self._strings, self._dates)
                self.cells.setdefault(self._row, {})[self._column] = value

    def text(self, data: str) -> None:
        """Characters."""
        if self._inside:
            self._parts.append(data)


def _value(text: str, kind: str, style: str, strings: list[str], dates: set[int]) -> str:
    if kind == "s":
        return strings[int(text)] if text.isdecimal() and len(text) < 9 and int(text) < len(strings) else ""
    if kind in ("str", "inlineStr", "e", "d"):
        return _unescaped(text)
    if kind == "b":
        return "1" if text == "1" else "0"
    try:
        number = float(text)
    except ValueError:
        return text
    if style.isdecimal() and len(style) < 9 and int(style) in dates:
        day = from_serial(number) if number == number else None
        if day is not None:
            return day.isoformat()
    return number_text(number)


def number_text(number: float) -> str:
    """Shortest text of a number; 0.1 + 0.2 as stored by spreadsheets becomes 0.3."""
    if number != number or number in (float("inf"), float("-inf")):
        return ""
    return cell_text(float(f"{number:.15g}"))


def _goes_down(reference: str) -> tuple[int, int, int] | None:
    """First and last row and the column of cells merged down the rows; titles over several columns stay in their
    first cell."""
    first, _, last = reference.partition(":")
    one, two = _REFERENCE.match(first), _REFERENCE.match(last)
    if not one or not two or one[1] != two[1] or int(two[2]) - int(one[2]) > 1000:
        return None
    return int(one[2]), int(two[2]), column_place(one[1])


def _spread(cells: dict[int, dict[int, str]], reference: str) -> None:
    """Merged cells side by side all get the text (a name over two columns); down the rows too, for groups."""
    down = _goes_down(reference)
    if down is None:
        return
    top, bottom, left = down
    text = cells.get(top, {}).get(left, "")
    if not text:
        return
    for line in range(top + 1, bottom + 1):
        if line in cells:
            cells[line].setdefault(left, text)


# --- XLS -----------------------------------------------------------------------------------------


def from_xls(source: Source) -> list[Sheet]:
    """Every sheet of an old binary workbook. Raises ReadError where it is damaged."""
    import xlrd

    try:
        book = xlrd.open_workbook(file_contents=source.data, logfile=io.StringIO(), on_demand=False)
        return [_xls_sheet(book, index) for index in range(book.nsheets)]
    except Exception as error:  # the library raises whatever the bytes lead it to
        raise ReadError("xls-damaged", file=source.name, kind=type(error).__name__) from error


def _xls_sheet(book, index: int) -> Sheet:
    import xlrd

    sheet = book.sheet_by_index(index)
    cells: dict[int, dict[int, str]] = {}
    for line in range(sheet.nrows):
        row = cells.setdefault(line + 1, {})
        for place, cell in enumerate(sheet.row(line)[:MOST_COLUMNS]):
            if cell.ctype == xlrd.XL_CELL_TEXT:
                row[place] = cell.value
            elif cell.ctype == xlrd.XL_CELL_NUMBER:
                row[place] = number_text(cell.value)
            elif cell.ctype == xlrd.XL_CELL_DATE:
                day = from_serial(cell.value + (1462 if book.datemode else 0))
                row[place] = day.isoformat() if day else number_text(cell.value)
            elif cell.ctype == xlrd.XL_CELL_BOOLEAN:
                row[place] = str(int(cell.value))
    return _sheet(sheet.name, cells)


# --- HTML ----------------------------------------------------------------------------------------


def from_html(source: Source, faults: Faults) -> list[Sheet]:
    """Every table of a saved web page; the headings and text before a table become rows above it."""
    from qiyi_analysis.readers.tables.html import MOST_CELLS_OF_A_PAGE, TooManyCells, page_tables

    text = decode(_declared(source.data))
    report_encoding(text, faults)
    try:
        return [sheet for sheet in page_tables(text.text) if sheet.rows]
    except TooManyCells as error:
        raise ReadError("page-too-large", file=source.name, most=MOST_CELLS_OF_A_PAGE) from error


def _declared(data: bytes) -> bytes:
    """The page as UTF-8 where its head names a code page that decodes it."""
    match = re.search(rb"charset=[\"']?([A-Za-z0-9_\-]{3,20})", data[:4096])
    if match is None or data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return data
    try:
        return data.decode(match[1].decode("ascii")).encode("utf-8")
    except (UnicodeError, LookupError, ValueError):
        return data


def folder_sources(sheets: list[Sheet], source: Source) -> tuple[Source, ...]:
    """The files of the folder format if the sheets are its tables; else nothing."""
    named = {sheet.name.casefold(): sheet for sheet in sheets}
    if "players" not in named or "games" not in named:
        return ()
    files = []
    for name in ("players", "games", "official", "teams", "matches"):
        if name in named:
            files.append(Source(f"{source.name}/{name}.csv", _as_csv(named[name])))
    if "meta" in named:
        meta = {
            row.cells[0]: _meta_value("".join(row.cells[1:])) for row in named["meta"].rows if row.cells[0]
        }
        files.append(Source(f"{source.name}/meta.json", json.dumps(meta, ensure_ascii=False).encode()))
    return tuple(files)


def _meta_value(text: str) -> object:
    try:
        return json.loads(text) if text[:1] in "[{0123456789" or text in ("true", "false", "null") else text
    except ValueError:
        return text


def _as_csv(sheet: Sheet) -> bytes:
    """Rows as separated values, one line for each line of the sheet, so that line numbers stay."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    line = 0
    for row in sheet.rows:
        if row.line - line < 10_000:
            stream.write("\n" * (row.line - line - 1))
        line = row.line
        writer.writerow([cell.replace("\r", " ").replace("\n", " ") for cell in row.cells])
    return stream.getvalue().encode("utf-8", errors="replace")
