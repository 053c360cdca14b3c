"""What the calculation rests on: the conversion table, the findings, rules and input files."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from qiyi_analysis import words
from qiyi_analysis.files.spreadsheet import print_setup
from qiyi_analysis.report.workbook.book import Book

if TYPE_CHECKING:
    from qiyi_analysis.report.workbook.system_formulas import System
    from qiyi_analysis.rules.ruleset import RuleSet


def conversion_sheet(book: Book, sheet: Any) -> None:
    """The printed conversion table and the cap, named for the formulas."""
    rating = book.audit.rating
    if rating is None or not book.live:
        return
    if book.system is not None:
        _constants(book, sheet, book.system)
        return
    rules: RuleSet = rating.rules
    rows = rules.table(rules.need("expected")["table"])
    keys = ("d_low", "d_high", "p_high", "p_low")
    book.head(sheet, 0, keys)
    for number, line in enumerate(rows, 1):
        for column, key in enumerate(keys):
            book.put(sheet, number, column, Decimal(line[key]), "whole" if column < 2 else "input")
    sheet.write_string(0, 5, words.text("sheet_column.article", book.language), book.formats["head"])
    sheet.write_string(1, 5, rules.cite("expected"), book.formats["text"])
    sheet.set_column(5, 5, 40)
    name = words.text("sheet.table", book.language)
    for defined, letter in (("table_D", "A"), ("table_H", "C"), ("table_L", "D")):
        book.book.define_name(defined, f"='{name}'!${letter}$2:${letter}${len(rows) + 1}")
    cap = rules.block("cap")
    if cap is not None:
        sheet.write_string(3, 5, words.text("sheet_column.cap", book.language), book.formats["head"])
        book.put(sheet, 4, 5, cap["value"], "whole")
        sheet.write_string(5, 5, rules.cite("cap"), book.formats["text"])
        book.book.define_name("cap_D", f"='{name}'!$F$5")
    if book.mixed is not None:
        sheet.write_string(7, 5, words.text("sheet_column.woman_floor", book.language), book.formats["head"])
        book.put(sheet, 8, 5, book.mixed.floor, "whole")
        sheet.write_string(9, 5, book.mixed.article, book.formats["text"])
        book.book.define_name("woman_floor", f"='{name}'!$F$9")
    floor = rules.block("floor")
    if floor is not None:
        sheet.write_string(11, 5, words.text("sheet_column.floor", book.language), book.formats["head"])
        book.put(sheet, 12, 5, floor["lowest"], "whole")
        sheet.write_string(13, 5, rules.cite("floor"), book.formats["text"])
        book.book.define_name("rating_floor", f"='{name}'!$F$13")
    sheet.freeze_panes(1, 0)
    print_setup(sheet, 0, across=False)


def _constants(book: Book, sheet: Any, system: System) -> None:
    """The constants of a system without a printed table, under the names of the formulas."""
    book.head(sheet, 0, ("constant", "value", "article"))
    place = f"='{words.text('sheet.table', book.language)}'!"
    row = 1
    for name, value, article in system.constants:
        values = value if isinstance(value, list) else [value]
        for number, one in enumerate(values):
            book.put(sheet, row + number, 0, name if not number else "")
            book.put(sheet, row + number, 1, one, "input")
            book.put(sheet, row + number, 2, article if not number else "")
        book.book.define_name(name, f"{place}$B${row + 1}:$B${row + len(values)}")
        row += len(values)
    sheet.set_column(0, 0, 20)
    sheet.freeze_panes(1, 0)


def findings_sheet(book: Book, sheet: Any) -> None:
    """One row a finding."""
    keys = (
        "severity",
        "code",
        "player",
        "name",
        "round",
        "file",
        "line",
        "what",
        "printed",
        "recomputed",
        "article",
        "causes",
    )
    book.head(sheet, 0, keys)
    names = dict(
        zip(
            book.audit.event.players["number"].tolist(),
            book.audit.event.players["name"].tolist(),
            strict=True,
        )
    )
    for row, finding in enumerate(book.audit.findings, 1):
        causes = "\n".join(cause.message(book.language) for cause in finding.causes)
        values = [
            words.text(f"severity.{finding.severity}", book.language), finding.code, finding.player or None,
            names.get(finding.player, ""), finding.round or None, finding.file, finding.line or None,
            finding.message(book.language), finding.value("published", book.language),
            finding.value("recomputed", book.language), finding.article, causes,
        ]  # fmt: skip
        for column, value in enumerate(values):
            book.put(sheet, row, column, value, "note")
    sheet.autofilter(0, 0, max(len(book.audit.findings), 1), len(keys) - 1)
    sheet.freeze_panes(1, 0)
    print_setup(sheet, 0)


def sources_sheet(book: Book, sheet: Any) -> None:
    """What was read, with checksums, and the rules used."""
    audit = book.audit
    book.head(sheet, 0, ("rules", "name", "source"))
    row = 0
    for row, rules in enumerate(audit.rules, 1):
        name = rules.title_zh if book.language == "zh" else rules.title
        sources = words.listed(rules.sources, book.language, parts=True)
        for column, value in enumerate((rules.id, name, sources)):
            book.put(sheet, row, column, value, "note")
    row += 2
    for column, key in enumerate(("file", "size", "sha256")):
        sheet.write_string(
            row, column, "\n".join(words.pair(f"sheet_column.{key}", book.language)), book.formats["head"]
        )
    for source in [*audit.event.sources, *(source for one in audit.lists for source in one.sources)]:
        row += 1
        book.put(sheet, row, 0, source.name, "note")
        book.put(sheet, row, 1, source.size, "live_whole")
        book.put(sheet, row, 2, source.sha256, "note")
    sheet.set_column(1, 1, 44)
    sheet.set_column(2, 2, 70)
    print_setup(sheet, 0)
