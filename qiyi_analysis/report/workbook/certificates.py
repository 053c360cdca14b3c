"""The certificates list, the judgements and the norm sheets as an Excel file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.files.spreadsheet import new_workbook, table_styles, write_cell
from qiyi_analysis.report.sections.titles.judged import TitlesReport
from qiyi_analysis.report.sections.titles.title_frames import (
    CERTIFICATES,
    ENTRIES,
    FINDINGS,
    JUDGEMENTS,
    ROUNDS,
    TEAMS,
    judgements,
    remarks,
    rounds,
)


def write_workbook(report: TitlesReport, path: str | Path) -> Path:
    """The certificates list, the judgements and the norm sheets as an Excel file."""
    path = Path(path)
    book = new_workbook(path, report.event.last_day, author="qiyi_analysis")
    styles = table_styles(book)
    language, result = report.language, report.result
    of_norms = [
        rounds(one.rounds, language).assign(player=f"{one.number} {one.name}", norm=one.title)
        for one in result.sheets
        if one.reached is not False
    ]
    parts: dict[str, tuple[Mapping[str, str], pd.DataFrame]] = {
        "certificates": (CERTIFICATES, result.certificates),
        "titles": (JUDGEMENTS, judgements(report)),
        "norm_rounds": (
            {"player": "name", "norm": "code", **ROUNDS},
            pd.concat(of_norms) if of_norms else pd.DataFrame(),
        ),
        "place_points": (ENTRIES, result.entries),
        "team_points": (TEAMS, result.teams if len(result.entries) else pd.DataFrame()),
        "title_findings": (FINDINGS, remarks(result.findings, language)),
    }
    for key, (columns, rows) in parts.items():
        if len(rows) or key in ("titles", "title_findings"):
            _sheet(book, styles, key, columns, rows, language)
    book.close()
    return path


def _sheet(
    book: Any, styles: Any, key: str, columns: Mapping[str, str], rows: pd.DataFrame, language: str
) -> None:
    sheet = book.add_worksheet(words.text(f"table.{key}", language)[:31])
    sheet.freeze_panes(1, 0)
    for x, (key, kind) in enumerate(columns.items()):
        sheet.write_string(0, x, words.text(f"titles_column.{key}", language), styles["head"])
        sheet.set_column(
            x, x, 40 if key in ("missing", "message", "members") else 18 if kind == "name" else 12
        )
        for y, value in enumerate(rows[key].tolist(), 1):
            write_cell(sheet, y, x, value, styles["cell"])
    if len(rows):
        sheet.autofilter(0, 0, len(rows), len(columns) - 1)
