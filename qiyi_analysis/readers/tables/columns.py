"""The columns of a long table at once.

A list has millions of cells and few different ones: cells are cut by a compiled reader, and each text is made sense of
once. The compiled reader is used where it can only say what :mod:`csv` says; :func:`from_text` gives None elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qiyi_analysis.readers.tables.delimited import Row, cells_of

#: What ``str.strip`` takes away.
_BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
#: Longer fields are a fault for :mod:`csv`.
_LONGEST_LINE = 100_000
_NEWLINE, _QUOTE, _NUL = 10, 34, 0


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows of a table: the line each begins on, and their cells by place, without blanks around them."""

    lines: np.ndarray
    columns: dict[int, pa.Array]

    def column(self, place: int | None) -> pa.Array:
        """The cells of a place, "" where there is none."""
        if place is None or place not in self.columns:
            return pa.array([""] * len(self.lines), pa.string())
        return self.columns[place]

    def some(self, rows: np.ndarray) -> Cells:
        """Only the rows of a mask."""
        if rows.all():
            return self
        mask = pa.array(rows)
        return Cells(self.lines[rows], {place: one.filter(mask) for place, one in self.columns.items()})


def from_rows(rows: Sequence[Row], places: Sequence[int]) -> Cells:
    """The columns at some places of rows that are read already."""
    columns = {}
    for place in places:
        texts = [row.cells[place] if place < len(row.cells) else "" for row in rows]
        try:
            columns[place] = pa.array(texts, pa.string())
        except UnicodeEncodeError:  # half a character, escaped in a workbook
            whole = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]
            columns[place] = pa.array(whole, pa.string())
    return Cells(np.array([row.line for row in rows], dtype=np.int64), columns)


def from_text(text: str, separator: str, places: Sequence[int], first: int) -> Cells | None:
    """The columns at some places of separated values, from line ``first`` (1 is the first) on.

    None where quotes are not those of a plain table, lines are longer than a field may be, or rows of another width
    than most are many.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        return None
    if not data.endswith(b"\n"):
        data += b"\n"
    codes = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(codes == _NEWLINE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    quotes = np.flatnonzero(codes == _QUOTE)
    sign = ord(separator)
    if (
        np.max(ends - starts, initial=0) > _LONGEST_LINE
        or b"\0" in data
        or not _plainly_quoted(codes, ends, quotes, sign)
    ):
        return None
    cuts = np.flatnonzero(codes == sign)
    if len(quotes):
        cuts = cuts[np.searchsorted(quotes, cuts) % 2 == 0]
    widths = np.diff(np.searchsorted(cuts, ends), prepend=0) + 1
    widths[: first - 1] = 0
    widths[ends == starts] = 0
    filled = np.flatnonzero(widths)
    if not len(filled):
        return Cells(np.zeros(0, dtype=np.int64), {place: pa.array([], pa.string()) for place in places})
    width = int(np.bincount(widths[filled]).argmax())
    odd = filled[widths[filled] != width]
    if len(odd) > len(filled) // 10 + 10:
        return None
    even = filled[widths[filled] == width]
    left = _without(data, starts, ends, odd, first)
    if left.startswith(b"\xef\xbb\xbf"):
        return None  # a sign of the first cell, which the compiled reader takes for a mark of the encoding
    columns = _cut(left, separator, width, len(even), places)
    if columns is None:
        return None
    lines = even + 1
    if len(odd):
        rest = [cells_of(data[starts[i] : ends[i]].decode("utf-8"), separator) for i in odd.tolist()]
        more = {place: [row[place] if place < len(row) else "" for row in rest] for place in places}
        order = np.argsort(np.concatenate([even, odd]), kind="stable")
        lines = np.concatenate([even, odd])[order] + 1
        columns = {
            place: pa.concat_arrays([one, pa.array(more[place], pa.string())]).take(pa.array(order))
            for place, one in columns.items()
        }
    return Cells(lines, {place: trimmed(one) for place, one in columns.items()})


def _plainly_quoted(codes: np.ndarray, ends: np.ndarray, quotes: np.ndarray, sign: int) -> bool:
    """Whether quotes stand around whole cells, doubled inside, and no cell goes over several lines."""
    if not len(quotes):
        return True
    if len(quotes) % 2 or (np.searchsorted(quotes, ends) % 2).any():
        return False
    opening, closing = quotes[::2], quotes[1::2]
    before = np.where(opening > 0, codes[opening - 1], _NEWLINE)
    after = codes[closing + 1]  # a newline ends the data
    outside_before = (before == sign) | (before == _NEWLINE)
    outside_after = (after == sign) | (after == _NEWLINE)
    # A doubled quote closes and opens again.
    again = np.zeros(len(opening), dtype=bool)
    again[1:] = opening[1:] == closing[:-1] + 1
    goes_on = np.append(again[1:], False)
    return bool((outside_before | again).all() and (outside_after | goes_on).all())


def _without(data: bytes, starts: np.ndarray, ends: np.ndarray, lines: np.ndarray, first: int) -> bytes:
    """The data from line ``first`` on without some lines (positions, in order)."""
    begin = int(starts[first - 1]) if first <= len(starts) else len(data)
    parts = []
    for i in lines.tolist():
        parts.append(data[begin : starts[i]])
        begin = int(ends[i]) + 1
    parts.append(data[begin:])
    return b"".join(parts)


def _cut(
    data: bytes, separator: str, width: int, count: int, places: Sequence[int]
) -> dict[int, pa.Array] | None:
    """The columns of ``count`` lines that have ``width`` cells, empty ones between them; None if they are not so many."""
    from pyarrow import csv

    names = [str(place) for place in range(width)]
    wanted = [names[place] for place in places if place < width]
    found: dict[int, pa.Array] = {}
    if wanted and count:
        table = csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(column_names=names),
            parse_options=csv.ParseOptions(delimiter=separator, ignore_empty_lines=True),
            convert_options=csv.ConvertOptions(
                include_columns=wanted, column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False,
            ),
        )  # fmt: skip
        if len(table) != count:
            return None
        found = {int(name): table[name].combine_chunks() for name in wanted}
    empty = pa.array([""] * count, pa.string())
    return {place: found.get(place, empty) for place in places}


def each(texts: pa.Array, convert: Callable[[str], Any]) -> tuple[np.ndarray, list[Any]]:
    """Each different text converted once: the place of every cell's in the values, and the values."""
    coded = texts.dictionary_encode()
    return coded.indices.to_numpy(zero_copy_only=False), [
        convert(text) for text in coded.dictionary.to_pylist()
    ]


def trimmed(texts: pa.Array) -> pa.Array:
    """Texts without blanks around them, as ``str.strip`` has it."""
    return pc.utf8_trim(texts, characters=_BLANKS)


def texts(cells: pa.Array, convert: Callable[[str], str]) -> np.ndarray:
    """Each different text converted to another."""
    codes, values = each(cells, convert)
    return np.array(values, dtype=object)[codes]


def numbers(cells: pa.Array, convert: Callable[[str], float]) -> np.ndarray:
    """Each different text converted to a number."""
    codes, values = each(cells, convert)
    return np.array(values, dtype=np.float64)[codes]


def put(cells: pa.Array, change: Callable[[str], str], where: pa.Array) -> pa.Array:
    """The cells of a mask changed."""
    if not pc.any(where).as_py():
        return cells
    some = cells.filter(where).to_pylist()
    return pc.replace_with_mask(cells, where, pa.array([change(text) for text in some], pa.string()))
