"""The audit as an Excel workbook an officer checks by clicking: live formulas with our values cached in them.

Only functions that WPS and Excel 2010 know are used. A cell gets a formula where the formula gives the
library's value; where the edition's rule cannot be written in a cell, it holds the value. Texts are written as
texts: no name becomes a formula or a link.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from qiyi_analysis.files.spreadsheet import new_workbook
from qiyi_analysis.readers.foreign import OWN_CATEGORY
from qiyi_analysis.report.workbook.book import FIRST_ROW, Book, add_formats
from qiyi_analysis.report.workbook.calculation_sheet import players_sheet
from qiyi_analysis.report.workbook.crosstable_sheet import cross_sheet
from qiyi_analysis.report.workbook.games_sheet import games_sheet
from qiyi_analysis.report.workbook.mixed import mixed_of
from qiyi_analysis.report.workbook.references_sheet import conversion_sheet, findings_sheet, sources_sheet
from qiyi_analysis.report.workbook.system_formulas import system_of
from qiyi_analysis.words.visible import storable

if TYPE_CHECKING:
    from qiyi_analysis.audit.event_audit import Audit

__all__ = ["audit_workbook"]


def audit_workbook(audit: Audit, language: str = "zh") -> bytes:
    """The workbook of an audit as bytes, the same for the same audit."""
    buffer = io.BytesIO()
    event = audit.event
    made = new_workbook(
        buffer, event.last_day, title=storable(event.name or event.id)[:250], category=OWN_CATEGORY
    )
    book = Book(audit=audit, language=language, book=made)
    add_formats(book)
    players = audit.event.players["number"].tolist()
    book.rows = {number: FIRST_ROW + index for index, number in enumerate(players)}
    book.games = len(audit.rating.games) if audit.rating is not None else 0
    book.system, book.mixed = system_of(audit), mixed_of(audit)
    book.live = audit.rating is not None and bool(book.system or audit.rating.rules.block("expected"))
    sheets = [book.sheet(key) for key in ("players", "cross", "games", "table", "findings", "sources")]
    players_sheet(book, sheets[0])
    cross_sheet(book, sheets[1])
    games_sheet(book, sheets[2])
    conversion_sheet(book, sheets[3])
    findings_sheet(book, sheets[4])
    sources_sheet(book, sheets[5])
    book.book.close()
    return buffer.getvalue()
