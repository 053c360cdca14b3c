"""Excel files in which text stays text: no name becomes a formula, a link or a number."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any, BinaryIO

from qiyi_analysis.files.moments import moment
from qiyi_analysis.words.visible import storable


def new_workbook(target: Path | BinaryIO, day: date | None, **properties: str) -> Any:
    """A new xlsxwriter workbook, dated by the day of what is in it, so that the same data give the same bytes.

    ``properties``: title, author and so on, as xlsxwriter names them.
    """
    import xlsxwriter

    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    book = xlsxwriter.Workbook(str(target) if isinstance(target, Path) else target, options)
    book.set_properties({**properties, "created": moment(day)})
    return book


def write_cell(sheet: Any, row: int, column: int, value: object, style: object) -> None:
    """Write a number as a number, nothing (None, NaN, no text) as an empty cell, everything else as text."""
    if value is None or value != value or value == "":
        sheet.write_blank(row, column, None, style)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        sheet.write_number(row, column, value, style)
    else:
        sheet.write_string(row, column, storable(str(value)), style)


def table_styles(book: Any) -> dict[str, Any]:
    """The formats of a bordered table: ``head`` and ``cell``."""
    border = {"border": 1, "text_wrap": True, "valign": "top"}
    return {
        "head": book.add_format(border | {"bold": True, "bg_color": "#E7ECF3"}),
        "cell": book.add_format(border),
    }


def print_setup(sheet: Any, head: int, across: bool = True) -> None:
    """A4, one page wide, head rows repeated, pages numbered. ``head``: index of the head row; ``across``: landscape."""
    if across:
        sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(head)
    sheet.set_footer("&R&P / &N")
