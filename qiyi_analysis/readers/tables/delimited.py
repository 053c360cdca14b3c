"""Text of separated values as numbered rows."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.source import Source, Text, decode, split_lines


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the line it begins on and its cells."""

    line: int
    cells: list[str]


def read_rows(source: Source, faults: Faults) -> list[Row]:
    """Rows of a CSV (comma, semicolon or tab) file; encoding and damage become findings."""
    text = decode(source.data)
    report_encoding(text, faults)
    return parse_rows(text.text, faults)


def parse_rows(text: str, faults: Faults, separator: str = "", *, most: int = sys.maxsize) -> list[Row]:
    """Rows of separated values; the separator is the one that cuts most lines into equally many cells, or given.

    Reading ends one row behind ``most``.
    """
    lines = split_lines(text)
    separator = separator or separator_of(lines)
    reader = csv.reader((line + "\n" for line in lines), delimiter=separator)
    rows: list[Row] = []
    while len(rows) <= most:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            faults.add("CK02", "csv-damaged", line=line, read=str(error))
            continue
        if any(cell.strip() for cell in cells):
            rows.append(Row(line, [cell.strip() for cell in cells]))
    return rows


def cells_of(line: str, separator: str) -> list[str]:
    """The cells of one line. Raises csv.Error where a field is too long."""
    return next(csv.reader([line + "\n"], delimiter=separator), [])


def separator_of(lines: Sequence[str]) -> str:
    """Comma, semicolon, tab or bar, by the first 200 lines. Titles above a table hold none, names hold single commas."""
    some = [line for line in lines[:200] if line.strip()]

    def evenness(sign: str) -> int:
        counts = Counter(line[:4000].count(sign) for line in some)
        return max((count * times for count, times in counts.items()), default=0)

    return max(",;\t|", key=evenness)


def report_encoding(text: Text, faults: Faults) -> None:
    """Findings about the encoding (CK01); nothing for plain UTF-8."""
    if text.encoding.startswith("utf-8") and not text.bom and not text.replaced:
        return
    if text.replaced:
        position = text.text.find("\ufffd")
        line = text.text.count("\n", 0, position) + 1
        faults.add(
            "CK01", "encoding-broken", line=line, field="encoding", read=text.encoding, count=text.replaced
        )
    elif text.bom:
        faults.add("CK01", "encoding-bom", severity="I", field="encoding", read=text.encoding)
    else:
        faults.add("CK01", "encoding-guessed", field="encoding", read=text.encoding)


@dataclass(frozen=True, slots=True)
class HeadedTable:
    """Rows under a row of heads; cells are asked for by the name of their column."""

    name: str
    heads: dict[str, int]
    rows: list[Row]
    first_line: int

    def cell(self, row: Row, head: str) -> str:
        """The cell of a row under ``head``; "" where there is no such column or the row is short."""
        place = self.heads.get(head)
        return row.cells[place] if place is not None and place < len(row.cells) else ""

    def has(self, head: str) -> bool:
        """Whether there is a column ``head``."""
        return head in self.heads


def plain_head(cell: str) -> str:
    """A head as the names of columns are written: small letters, underscores for blanks."""
    return cell.strip().casefold().replace(" ", "_")


def headed(rows: list[Row], file: str, aliases: dict[str, str], faults: Faults) -> HeadedTable:
    """The first row as heads (folded, aliases resolved). Raises ReadError for a file without rows."""
    if not rows:
        raise ReadError("table-empty", file=file)
    heads: dict[str, int] = {}
    for place, cell in enumerate(rows[0].cells):
        name = plain_head(cell)
        name = aliases.get(name, name)
        if not name:
            continue
        if name in heads:
            faults.add("CK02", "column-twice", line=rows[0].line, read=name, severity="W")
            continue
        heads[name] = place
    width = len(rows[0].cells)
    for row in rows[1:]:
        if len(row.cells) > width and any(row.cells[width:]):
            faults.add(
                "CK02", "too-many-cells", severity="W", line=row.line, read=row.cells[width:],
                expected=width, found=len(row.cells),
            )  # fmt: skip
    return HeadedTable(file, heads, rows[1:], rows[0].line)
