"""The workbook being written: styles, cells, column heads, page setup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from qiyi_analysis import words
from qiyi_analysis.report.kit.tables import is_missing
from qiyi_analysis.report.workbook.game_sums import GameSums
from qiyi_analysis.words.visible import storable

if TYPE_CHECKING:
    from qiyi_analysis.audit.event_audit import Audit
    from qiyi_analysis.report.workbook.mixed import Mixed
    from qiyi_analysis.report.workbook.system_formulas import System

FIRST_ROW = 9  # of the players, counted from 0: eight rows of head above
_LONGEST = 32000  # characters in a cell; Excel takes 32,767
_GREY = "#EDEDED"
_WIDTHS = {
    "name": 14, "unit": 14, "title": 10, "note": 24, "opponent_name": 14, "reason": 16, "article": 34, "what": 70,
    "causes": 60, "sha256": 68, "file": 34, "rules": 34, "source": 60, "printed": 12, "recomputed": 12, "number": 6,
    "sex": 6, "round": 6,
}  # fmt: skip


@dataclass
class Book:
    """The workbook being written and what its sheets refer to in each other."""

    audit: Audit
    language: str
    book: Any
    formats: dict[str, Any] = field(default_factory=dict)
    rows: dict[int, int] = field(default_factory=dict)  # number -> row on the players' sheet, from 0
    games: int = 0  # rows of the games' sheet
    live: bool = False  # whether the sheet is made of formulas
    system: System | None = None  # the formulas of a method without a printed table
    mixed: Mixed | None = None  # a xiangqi event of women and men together

    @cached_property
    def sums(self) -> GameSums:
        """The sums of the games' sheet, made once for all players."""
        assert self.audit.rating is not None
        return GameSums(words.text("sheet.games", self.language), self.games, self.audit.rating, self.mixed)

    def sheet(self, key: str) -> Any:
        """A new sheet named in the language of the report."""
        return self.book.add_worksheet(
            words.text(f"sheet.{key}", self.language), worksheet_class=_sheet_class()
        )

    def head(self, sheet: Any, row: int, keys: Sequence[str]) -> None:
        """Column heads in both languages, and the widths of the columns."""
        for column, key in enumerate(keys):
            main, other = words.pair(f"sheet_column.{key}", self.language)
            sheet.write_string(
                row, column, main if main == other else f"{main}\n{other}", self.formats["head"]
            )
            sheet.set_column(column, column, _WIDTHS.get(key, 10))
        sheet.set_row(row, 45)

    def put(self, sheet: Any, row: int, column: int, value: Any, style: str = "text") -> None:
        """Write a value: text as text, numbers as numbers, nothing for what is missing."""
        if is_missing(value) or value == "":
            sheet.write_blank(row, column, None, self.formats[style])
        elif isinstance(value, str):
            sheet.write_string(row, column, storable(value)[:_LONGEST], self.formats[style])
        else:
            sheet.write_number(row, column, float(value), self.formats[style])

    def formula(self, sheet: Any, row: int, column: int, formula: str, value: Any, style: str) -> None:
        """A formula with the library's value cached, so that it shows without being recalculated."""
        sheet.write_formula(
            row, column, formula, self.formats[style], "" if is_missing(value) else float(value)
        )


@cache
def _sheet_class() -> type:
    from xlsxwriter.worksheet import Worksheet

    class Sheet(Worksheet):
        """A sheet whose formulas hold functions of Excel 2010 only: xlsxwriter looks in each for the 29 that came later."""

        def _prepare_formula(self, formula: str, expand_future_functions: bool = False) -> str:
            return formula.removeprefix("=")

    return Sheet


def computed(
    book: Book, sheet: Any, row: int, column: int, formula: str | None, value: Any, style: str
) -> None:
    """A live formula with its value; the value alone where no formula says it; an empty cell where it is missing."""
    if is_missing(value):
        book.put(sheet, row, column, None, style)
    elif formula is None:
        book.put(
            sheet, row, column, value, {"live_whole": "whole", "live_halves": "halves"}.get(style, "input")
        )
    else:
        book.formula(sheet, row, column, formula, value, style)


def add_formats(book: Book) -> None:
    """The cell formats of the whole workbook, by name."""
    base: dict[str, Any] = {
        "font_name": "Microsoft YaHei",
        "font_size": 10,
        "valign": "top",
        "border": 1,
        "border_color": "#BFBFBF",
    }
    styles: dict[str, dict[str, Any]] = {
        "text": {"bg_color": _GREY, "num_format": "@"},
        "note": {"text_wrap": True},
        "whole": {"num_format": "0", "bg_color": _GREY},
        "halves": {"num_format": "0.0", "bg_color": _GREY},
        "input": {"num_format": "General", "bg_color": _GREY},
        "live_whole": {"num_format": "0"},
        "live_two": {"num_format": "0.00"},
        "live_exact": {"num_format": "0.00####"},
        "live_halves": {"num_format": "0.0"},
        "live_signed": {"num_format": "+0.00;-0.00;0.00"},
        "signed": {"num_format": "+0.##;-0.##;0", "bg_color": _GREY},
        "check": {"num_format": '+0.##;-0.##;"✓"', "bold": True},
        "head": {
            "bold": True,
            "text_wrap": True,
            "valign": "vcenter",
            "align": "center",
            "bg_color": "#D9E2EE",
        },
    }
    book.formats = {name: book.book.add_format(base | style) for name, style in styles.items()}
    plain = {"font_name": "Microsoft YaHei", "font_size": 10}
    book.formats["title"] = book.book.add_format(plain | {"font_size": 16, "bold": True})
    book.formats["label"] = book.book.add_format(plain | {"font_color": "#595959"})
    book.formats["fact"] = book.book.add_format(plain | {"align": "left"})


def column_letter(column: int) -> str:
    """Spreadsheet letter of a column counted from 0."""
    from xlsxwriter.utility import xl_col_to_name

    return str(xl_col_to_name(column))


def known(value: Any) -> bool:
    """Whether a cell holds a number."""
    return not is_missing(value) and not isinstance(value, str)
