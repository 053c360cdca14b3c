"""Writing lists: the interface's CSV, workbooks in a federation's columns, FIDE text and XML, Parquet.

Equal lists give equal bytes: no clock, no random order, fixed creation dates.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.files.spreadsheet import new_workbook, print_setup
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.rating_list import RatingList

COLUMNS = (
    "id", "name", "sex", "federation", "unit", "birth_year", "title", "rating", "k", "games", "peak", "last_event", "flag",
)  # fmt: skip
#: Columns of a federation's own sheet; men and women on sheets of their own where the list is by sex.
SHEETS: Mapping[str, tuple[tuple[str, ...], bool]] = {
    "cca": (
        ("rank", "id", "name", "sex", "unit", "title", "rating", "previous", "change", "period_games"),
        False,
    ),
    "cxa": (
        ("rank", "id", "name", "sex", "unit", "title", "rating", "previous", "change", "period_games"),
        True,
    ),
    "cwa": (("rank", "name", "sex", "title", "rating", "previous", "change"), False),
    "fide": (
        (
            "rank",
            "id",
            "name",
            "federation",
            "sex",
            "title",
            "rating",
            "period_games",
            "k",
            "birth_year",
            "flag",
        ),
        False,
    ),
}
_DEFAULT_SHEET = (
    ("rank", "id", "name", "federation", "unit", "title", "rating", "previous", "change"),
    False,
)
#: FIDE's combined text list: head -> (first column, width) (officer-workflow 6.1: positions by header line).
_FIDE_TXT = (
    ("ID Number", 15), ("Name", 61), ("Fed", 4), ("Sex", 4), ("Tit", 5), ("WTit", 5), ("OTit", 15), ("FOA", 4),
    ("SRtng", 6), ("SGm", 4), ("SK", 3), ("RRtng", 6), ("RGm", 4), ("Rk", 3), ("BRtng", 6), ("BGm", 4), ("BK", 3),
    ("B-day", 6), ("Flag", 4),
)  # fmt: skip


def csv_list(one: RatingList) -> str:
    """The list in the columns of the interface, with a BOM; ids stay text for every reader that asks."""
    return csv_rows(one.rows, COLUMNS)


def csv_rows(rows: pd.DataFrame, names: Sequence[str]) -> str:
    """Some columns of a frame as CSV, with a BOM."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    columns = [rows[name].tolist() for name in names]
    writer.writerows([_cell(v) for v in row] for row in zip(*columns, strict=True))
    return "\ufeff" + stream.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else (str(int(value)) if value.is_integer() else repr(value))
    return _safe(str(value))


def _safe(text: str) -> str:
    """Text that a spreadsheet would run as a formula gets an apostrophe."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def with_changes(one: RatingList, players: pd.DataFrame) -> pd.DataFrame:
    """The rows of a list with ``previous, change, period_games`` of the rebuilt players beside them."""
    facts = players.set_index("key")[["previous", "period_games"]]
    keys = [id or name for id, name in zip(one.rows["id"], one.rows["name"], strict=True)]
    rows = one.rows.copy()
    rows["previous"] = facts["previous"].reindex(keys).to_numpy(dtype=np.float64)
    rows["period_games"] = facts["period_games"].reindex(keys).to_numpy(dtype=np.float64)
    rows["change"] = rows["rating"] - rows["previous"]
    return rows


def list_sheets(
    one: RatingList, players: pd.DataFrame, language: str = "zh"
) -> dict[str, tuple[Sequence[str], pd.DataFrame]]:
    """The list's sheets in the columns of its federation, by sex where it is published so."""
    columns, by_sex = SHEETS.get(one.document.partition("/")[0], _DEFAULT_SHEET)
    rows = with_changes(one, players).rename(columns={"rating": "list_rating"})
    columns = _list_heads(columns)
    parts = {f"list-{sex}": rows[rows["sex"] == sex] for sex in ("m", "w")} if by_sex else {"list": rows}
    if by_sex and not rows["sex"].isin(["m", "w"]).all():
        parts["list-other"] = rows[~rows["sex"].isin(["m", "w"])]
    if by_sex:
        for name, part in parts.items():
            parts[name] = part.assign(rank=part["list_rating"].rank(method="min", ascending=False))
    return {words.text(f"sheet.{n}", language): (columns, p) for n, p in parts.items()}


def _list_heads(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns of a list: its rating is the rating, not the one before an event."""
    return tuple("list_rating" if column == "rating" else column for column in columns)


#: Rows of a sheet below its head; more of them go over to further sheets.
MOST_ROWS = 1_048_575
#: Characters of a cell; a longer text is cut, and says so.
_MOST_CHARACTERS = 32_767


def xlsx_tables(
    tables: Mapping[str, tuple[Sequence[str], pd.DataFrame]], language: str, made: date | None, area: str = "column",
    most: int = MOST_ROWS,
) -> bytes:  # fmt: skip
    """Frames as sheets: heads in words, ids as text, numbers as numbers; never a formula. ``made``: day of the list.

    Heads of numbers stand right, as the numbers do; a sheet is printed one page wide, its heads on every page. A table of
    more than ``most`` rows goes over to further sheets. ``area``: whose words of columns go first.
    """
    stream = io.BytesIO()
    book = new_workbook(stream, made)
    styles = {
        "left": book.add_format({"bold": True, "align": "left"}),
        "right": book.add_format({"bold": True, "align": "right"}),
        "day": book.add_format({"num_format": "yyyy-mm-dd"}),
    }
    used: set[str] = set()
    for name, (columns, rows) in tables.items():
        for start in range(0, max(len(rows), 1), most):
            sheet = book.add_worksheet(_sheet_name(name, used))
            _write_sheet(sheet, columns, rows.iloc[start : start + most], language, area, styles)
    book.close()
    return stream.getvalue()


def _write_sheet(
    sheet: Any,
    columns: Sequence[str],
    rows: pd.DataFrame,
    language: str,
    area: str,
    styles: Mapping[str, Any],
) -> None:
    """One sheet. Raises ReadError where the workbook does not take a cell: nothing is left out in silence."""
    sheet.freeze_panes(1, 0)
    print_setup(sheet, 0)
    refused = 0
    for j, column in enumerate(columns):
        of_numbers = pd.api.types.is_numeric_dtype(rows[column])
        key = f"{area}.{column}" if words.has(f"{area}.{column}") else f"column.{column}"
        refused |= sheet.write_string(
            0, j, words.text(key, language), styles["right" if of_numbers else "left"]
        )
        sheet.set_column(j, j, 22 if column in ("name", "event", "unit", "what") else 11)
        for i, value in enumerate(rows[column].tolist(), 1):
            if isinstance(value, bool):
                refused |= sheet.write_boolean(i, j, value)
            elif isinstance(value, int | float):
                if value == value:
                    refused |= sheet.write_number(i, j, value)
            elif isinstance(value, date):
                refused |= sheet.write_datetime(i, j, value, styles["day"])
            elif value is not None and str(value):
                text = str(value)
                text = text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"
                refused |= sheet.write_string(i, j, text)
    if refused:
        raise ReadError("workbook-refused", sheet=sheet.get_name())
    if len(rows):
        sheet.autofilter(0, 0, len(rows), len(columns) - 1)


def _sheet_name(name: str, used: set[str]) -> str:
    """A name a workbook accepts: 31 characters, none of []:*?/\\ and not used yet."""
    plain = re.sub(r"[\[\]:*?/\\']", " ", name).strip()[:31] or "-"
    number, unique = 2, plain
    while unique.casefold() in used:
        unique = f"{plain[:27]} ({number})"
        number += 1
    used.add(unique.casefold())
    return unique


def extracts(one: RatingList, players: pd.DataFrame, language: str = "zh") -> bytes:
    """One sheet per unit: its players on the list, best first."""
    columns, _ = SHEETS.get(one.document.partition("/")[0], _DEFAULT_SHEET)
    rows = with_changes(one, players).rename(columns={"rating": "list_rating"})
    columns = _list_heads(columns)
    none = words.text("sheet.no-unit", language)
    units = sorted(set(rows["unit"]), key=lambda unit: (unit == "", unit))
    return xlsx_tables({u or none: (columns, rows[rows["unit"] == u]) for u in units}, language, one.day)


# --- FIDE ---------------------------------------------------------------------------------------------


def fide_text(one: RatingList, played: Mapping[str, float] | None = None) -> str:
    """The combined text list of FIDE with the rating of this document in its columns; ``played``: games of the period by id.

    Raises ReadError where a value does not fit its column: a shifted line would be read as another.
    """
    kind = one.document.rpartition("-")[2]
    letter = {"standard": "S", "rapid": "R", "blitz": "B"}.get(kind, "S")
    lines = ["".join(f"{head:<{width}}" for head, width in _FIDE_TXT).rstrip()]
    k_head = "Rk" if letter == "R" else f"{letter}K"
    for row in one.rows.to_dict("records"):
        values = {
            "ID Number": row["id"], "Name": row["name"], "Fed": row["federation"],
            "Sex": {"m": "M", "w": "F"}.get(row["sex"], ""), "Tit": row["title"],
            f"{letter}Rtng": _whole(row["rating"]), f"{letter}Gm": _whole((played or {}).get(row["id"], np.nan)), k_head: _whole(row["k"]),
            "B-day": _whole(row["birth_year"]) or "0000", "Flag": row["flag"],
        }  # fmt: skip
        line = ""
        for head, width in _FIDE_TXT:
            text = values.get(head, "")
            if len(text) >= width:
                raise ReadError(
                    "list-cell-too-long", list=one.id, player=row["id"], head=head, text=text, most=width - 1
                )
            line += f"{text:<{width}}"
        lines.append(line.rstrip())
    return "\n".join(lines) + "\n"


def fide_xml(one: RatingList, played: Mapping[str, float] | None = None) -> str:
    """The list in FIDE's XML elements; ``played``: games of the period by id."""
    kind = one.document.rpartition("-")[2]
    prefix = "" if kind == "standard" else f"{kind}_"
    parts = ['<?xml version="1.0" encoding="UTF-8"?>', "<playerslist>"]
    for row in one.rows.to_dict("records"):
        values = {
            "fideid": row["id"], "name": row["name"], "country": row["federation"],
            "sex": {"m": "M", "w": "F"}.get(row["sex"], ""), "title": row["title"],
            f"{prefix}rating": _whole(row["rating"]), f"{prefix}games": _whole((played or {}).get(row["id"], np.nan)), f"{prefix}k": _whole(row["k"]),
            "birthday": _whole(row["birth_year"]), "flag": row["flag"],
        }  # fmt: skip
        parts.append(
            "<player>" + "".join(f"<{n}>{escape(str(v))}</{n}>" for n, v in values.items()) + "</player>"
        )
    parts.append("</playerslist>")
    return "\n".join(parts) + "\n"


def _whole(value: float) -> str:
    return "" if np.isnan(value) else str(int(value))
