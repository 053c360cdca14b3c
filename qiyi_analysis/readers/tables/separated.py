"""Text of separated values: tables of an event or a list, whatever their headers and separator."""

from __future__ import annotations

from typing import Any

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.draft import MOST_ROWS
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Format, Headings, Look
from qiyi_analysis.readers.lists.list_tables import from_separated
from qiyi_analysis.readers.tables.delimited import Row, parse_rows, report_encoding
from qiyi_analysis.readers.tables.sheet_event import read_sheets
from qiyi_analysis.readers.tables.sheets import MOST_COLUMNS, Sheet


def read_separated(look: Look, name: str, mapping: Headings | None) -> tuple[Event, ...]:
    """The event of the one table of a text; no more of it is read than shows that it is none."""
    source = look.source
    if look.marked_up:
        raise ReadError("xml-unknown", file=source.name)
    if look.head.lstrip()[:1] == "{":
        raise ReadError("json-alone", file=source.name)
    faults = Faults(source.name)
    report_encoding(look.text, faults)
    rows = parse_rows(look.text.text, faults, most=MOST_ROWS)
    sheet = Sheet(source.stem, [Row(row.line, row.cells[:MOST_COLUMNS]) for row in rows])
    return read_sheets([sheet], faults, source, name, mapping)


def _list(look: Look, faults: Faults, mapping: Headings | None) -> tuple[dict[str, Any], dict[str, Any]]:
    report_encoding(look.text, faults)
    return from_separated(look.text.text, look.lines, faults, look.source, mapping)


FORMAT = Format(
    name="separated values",
    described="hand-made tables, 等级分计算表, matrix of a round robin; rating lists with any known headers",
    recognise=lambda look: True,
    read=read_separated,
    read_list=_list,
)
