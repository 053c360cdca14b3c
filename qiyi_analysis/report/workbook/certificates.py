"""The certificates list, the judgements and the norm sheets as an Excel file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.files.spreadsheet import new_workbook, table_styles, write_cell
from qiyi_analysis.report.kit.tables import Column
from qiyi_analysis.report.sections.titles.judged import TitlesReport
from qiyi_analysis.report.sections.titles.rows import (
    CERTIFICATES,
    ENTRIES,
    FINDINGS,
    JUDGEMENTS,
    ROUNDS,
    TEAMS,
    finding_row,
    judgement_rows,
    round_row,
    title_column,
)


def write_workbook(report: TitlesReport, path: str | Path) -> Path:
    """The certificates list, the judgements and the norm sheets as an Excel file."""
    path = Path(path)
    book = new_workbook(path, report.event.last_day, author="qiyi_analysis")
    styles = table_styles(book)
    language, result = report.language, report.result
    if len(result.certificates):
        _sheet(book, styles, "certificates", CERTIFICATES, result.certificates.to_dict("records"), language)
    _sheet(book, styles, "titles", JUDGEMENTS, judgement_rows(report), language)
    norm_rows = [
        {"player": f"{s.number} {s.name}", "norm": s.title, **round_row(item, language)}
        for s in result.sheets
        if s.reached is not False
        for item in s.rounds
    ]
    if norm_rows:
        _sheet(
            book,
            styles,
            "norm_rounds",
            (title_column("player", "name"), title_column("norm", "code"), *ROUNDS),
            norm_rows,
            language,
        )
    if len(result.entries):
        _sheet(book, styles, "place_points", ENTRIES, result.entries.to_dict("records"), language)
        _sheet(book, styles, "team_points", TEAMS, result.teams.to_dict("records"), language)
    _sheet(
        book,
        styles,
        "title_findings",
        FINDINGS,
        [finding_row(f, language) for f in result.findings],
        language,
    )
    book.close()
    return path


def _sheet(
    book: Any, styles: Any, key: str, columns: Sequence[Column], rows: Sequence[Any], language: str
) -> None:
    sheet = book.add_worksheet(words.text(f"table.{key}", language)[:31])
    sheet.freeze_panes(1, 0)
    for x, column in enumerate(columns):
        sheet.write_string(0, x, words.text(f"title_column.{column.key}", language), styles["head"])
        sheet.set_column(
            x,
            x,
            40 if column.key in ("missing", "message", "members") else 18 if column.kind == "name" else 12,
        )
    for y, row in enumerate(rows, 1):
        for x, column in enumerate(columns):
            write_cell(sheet, y, x, row.get(column.key), styles["cell"])
    if rows:
        sheet.autofilter(0, 0, len(rows), len(columns) - 1)
