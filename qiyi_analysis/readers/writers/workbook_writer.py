"""Writing an event as a workbook whose sheets are the tables of the folder format."""

from __future__ import annotations

import io
import json
import re

from qiyi_analysis.files.spreadsheet import new_workbook
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.writers.folder_writer import event_meta, event_tables

#: A cell holds at most 32,767 characters; longer values go on in the next cell.
_LONGEST = 32_000
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?\Z")
#: Columns whose cells stay text even where they look like numbers.
_TEXT_HEADS = frozenset(
    {
        "id",
        "name",
        "note",
        "title",
        "unit",
        "club",
        "team",
        "members",
        "board",
        "expected_score",
        "rating_change",
        "day",
    }
)


def write_xlsx(event: Event) -> bytes:
    """The workbook: players, games, official, teams, matches and meta. No cell is ever a formula."""
    stream = io.BytesIO()
    book = new_workbook(stream, event.last_day)
    bold = book.add_format({"bold": True})
    for name, rows in event_tables(event).items():
        sheet = book.add_worksheet(name)
        sheet.freeze_panes(1, 0)
        for i, row in enumerate(rows):
            for j, text in enumerate(row):
                if i and text and rows[0][j] not in _TEXT_HEADS and _NUMBER.match(text):
                    sheet.write_number(i, j, float(text))
                elif text:
                    sheet.write_string(i, j, text[:_LONGEST], None if i else bold)
    sheet = book.add_worksheet("meta")
    for i, (key, value) in enumerate(event_meta(event).items()):
        sheet.write_string(i, 0, key, bold)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for j in range(0, max(1, len(text)), _LONGEST):
            sheet.write_string(i, 1 + j // _LONGEST, text[j : j + _LONGEST])
    book.close()
    return stream.getvalue()
