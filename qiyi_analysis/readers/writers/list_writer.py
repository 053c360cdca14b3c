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
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    columns = [one.rows[name].tolist() for name in COLUMNS]
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


def xlsx_tables(
    tables: Mapping[str, tuple[Sequence[str], pd.DataFrame]], language: str, made: date | None
) -> bytes:
    """Frames as sheets: heads in words, ids as text, numbers as numbers; never a formula. ``made``: day of the list.

    Heads of numbers stand right, as the numbers do; a sheet is printed one page wide, its heads on every page.
    """
    stream = io.BytesIO()
    book = new_workbook(stream, made)
    bold, bold_right = (book.add_format({"bold": True, "align": side}) for side in ("left", "right"))
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    used: set[str] = set()
    for name, (columns, rows) in tables.items():
        sheet = book.add_worksheet(_sheet_name(name, used))
        sheet.freeze_panes(1, 0)
        print_setup(sheet, 0)
        for j, column in enumerate(columns):
            of_numbers = pd.api.types.is_numeric_dtype(rows[column])
            head = words.text(f"column.{column}", language)
            sheet.write_string(0, j, head, bold_right if of_numbers else bold)
            sheet.set_column(j, j, 22 if column in ("name", "event", "unit") else 11)
            for i, value in enumerate(rows[column].tolist(), 1):
                if isinstance(value, bool):
                    sheet.write_boolean(i, j, value)
                elif isinstance(value, int | float):
                    if value == value:
                        sheet.write_number(i, j, value)
                elif isinstance(value, date):
                    sheet.write_datetime(i, j, value, day)
                elif value is not None and str(value):
                    sheet.write_string(i, j, str(value))
        if len(rows):
            sheet.autofilter(0, 0, len(rows), len(columns) - 1)
    book.close()
    return stream.getvalue()


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
