"""Rating lists: CSV and XLSX, the text and XML of FIDE, EGD ladders, the TDList of the AGA, the French ladder.

Columns of the FIDE text list are taken from the head of the very file: they differ from list to list, and
long entries of one column push the others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from qiyi_analysis.errors import ReadError
from qiyi_analysis.model import LIST_COLUMNS, RatingList, frame
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.delimited import HeadedTable, Row, parse_rows, report_encoding
from qiyi_analysis.readers.draft import Columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.fide_lists import MONTHS, from_fide_text, from_fide_xml
from qiyi_analysis.readers.list_kinds import KIND_COLUMNS, in_kinds, kind_columns
from qiyi_analysis.readers.source import Source, decode, split_lines


def list_from(
    sources: tuple[Source, ...],
    name: str,
    mapping: Mapping[str, str] | None = None,
    *,
    variant: str = "standard",
) -> RatingList:
    """The list in the largest of the files (archives carry a readme). Raises ReadError where it is none.

    ``variant``: which of several ratings side by side stands in ``rows``; the others are kept in ``kinds``.
    """
    source = max(sources, key=lambda one: len(one.data))
    if not source.data.strip():
        raise ReadError("list-empty", file=source.name)
    faults = Faults(source.name)
    columns, facts = _columns(source, faults, mapping)
    if not columns["name"] and not columns["id"]:
        raise ReadError("list-no-player", file=source.name)
    size = len(columns["line"])
    table = {key: values for key, values in columns.items() if len(values) == size}
    kinds, document = in_kinds(table, facts, variant)
    day = facts.pop("day", None) or _day_in_name(name)
    return RatingList(
        id=name, federation=facts.get("federation", ""), document=document, day=day, rows=frame(table, LIST_COLUMNS), kinds=kinds,
        sources=(source.facts(),), faults=faults.findings(),
    )  # fmt: skip


def _columns(
    source: Source, faults: Faults, mapping: Mapping[str, str] | None
) -> tuple[Columns, dict[str, Any]]:  # fmt: skip
    data = source.data
    if data.startswith(b"PK\x03\x04"):
        from qiyi_analysis.readers.sheets import from_xlsx

        return _from_rows(
            [row for sheet in from_xlsx(source)[:1] for row in sheet.rows], faults, source, mapping
        )
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        from qiyi_analysis.readers.sheets import from_xls

        return _from_rows(
            [row for sheet in from_xls(source)[:1] for row in sheet.rows], faults, source, mapping
        )
    head = data[:4000].lstrip(b"\xef\xbb\xbf \r\n\t")
    if head.startswith(b"<?xml") or head.startswith(b"<playerslist"):
        return from_fide_xml(source)
    if head[:1] == b"<" and b"<table" in data[:2_000_000].lower() and b"<pre" not in data[:20_000].lower():
        from qiyi_analysis.readers.sheets import from_html

        sheets = from_html(source, faults)
        longest = max(sheets, key=lambda sheet: len(sheet.rows), default=None)
        return _from_rows(longest.rows if longest else [], faults, source, mapping)
    text = decode(data)
    report_encoding(text, faults)
    lines = split_lines(text.text)
    first = next((line for line in lines[:50] if line.strip()), "")
    if re.match(r"\s*ID[ _]?NUMBER\b", first, re.IGNORECASE) and "," not in first:
        return from_fide_text(lines, faults, source)
    if first.startswith("#Echelle"):
        return _from_french_ladder(lines, faults)
    if _egd_rows(lines[:400]) >= 2:
        return _from_egd(lines, faults)
    if "\t" in first and "," in first.split("\t")[0] and re.search(r"\t\d{1,8}\t", first):
        return _from_td_list(lines, faults)
    return _from_rows(parse_rows(text.text, faults), faults, source, mapping)


# --- tables with heads -----------------------------------------------------------------------------

_OWN_HEADS = {name: name for name in LIST_COLUMNS} | {
    "fed": "federation",
    "club": "unit",
    "list_date": "list_date",
    "born": "birth_year",
}
_FROM_EVENTS = {"games_before": "games", "games": "games"}


def _from_rows(
    rows: list[Row], faults: Faults, source: Source, mapping: Mapping[str, str] | None
) -> tuple[Columns, dict[str, Any]]:  # fmt: skip
    from qiyi_analysis.readers.heads import column_of

    heads: dict[str, int] = {}
    start = 0
    for at, row in enumerate(rows[:50]):
        found = kind_columns(row.cells)
        for place, cell in enumerate(row.cells):
            if place in found.values():
                continue
            plain = cell.strip().casefold().replace(" ", "_")
            name = (mapping or {}).get(cell.strip()) or _OWN_HEADS.get(plain)
            if not name:
                known = column_of(cell, mapping) if len(cell) <= 40 else ""
                known = _FROM_EVENTS.get(known, known)
                name = known if known in LIST_COLUMNS else ""
            if name and name not in found:
                found[name] = place
        if len(found) >= 2 and ("name" in found or "id" in found):
            heads, start = found, at
            break
    if not heads:
        raise ReadError("list-no-heads", file=source.name, found=rows[0].cells[:8] if rows else ())
    table = HeadedTable(source.name, heads, rows[start + 1 :], rows[start].line)
    wanted = {**LIST_COLUMNS, **{name: "number" for name in KIND_COLUMNS if name in heads}}
    columns: Columns = {name: [] for name in wanted}
    days: set[str] = set()
    rated = next((name for name in ("rating", *KIND_COLUMNS) if name in heads), "rating")
    sign = fields.decimal_sign(table.cell(row, rated) for row in table.rows) or "."
    for row in table.rows:
        if not table.cell(row, "name") and not table.cell(row, "id"):
            continue
        columns["line"].append(row.line)
        for name, kind in wanted.items():
            if name == "line":
                continue
            text = table.cell(row, name)
            columns[name].append(_list_value(name, kind, text, row.line, faults, sign))
        if text := table.cell(row, "list_date"):
            days.add(text)
    facts: dict[str, Any] = {"day": fields.read_date(max(days)).day} if days else {}
    if len(days) > 1:
        faults.add("CK47", "list-dates", severity="W", field="list_date", read=sorted(days)[:5])
    return columns, facts


def _list_value(name: str, kind: str, text: str, line: int, faults: Faults, sign: str) -> Any:
    if kind == "text":
        if name == "sex":
            return fields.read_sex(text) or ""
        if name == "last_event" and text:
            read = fields.read_date(text)
            if read.day is None:
                faults.add("CK47", "list-value", line=line, field=name, read=text)
            return read.day.isoformat() if read.day else ""
        cleaned, withheld = fields.without_card_numbers(text)
        if withheld:
            faults.add("CK49", "card-number", severity="W", line=line, field=name)
        return cleaned
    if not text:
        return math.nan
    try:
        if name == "birth_year":
            return fields.read_birth(text)[0]
        value = fields.as_float(fields.number(text, sign))
    except ValueError:
        faults.add("CK47", "list-value", line=line, field=name, read=text)
        return math.nan
    if name.endswith("rating") and (value == 0 or abs(value) > 5000):
        if value:
            faults.add("CK47", "list-value", line=line, field=name, read=text)
        return math.nan
    return value


# --- go --------------------------------------------------------------------------------------------

_EGD = re.compile(
    r"(\d{8})\s{1,4}(\S.{1,36}?)\s+([A-Z]{2})\s+(\S{0,5})\s*(\d{1,2}[kdp])\s+(?:\d\s+)?(-?\d{1,4})\b"
)


def _egd_rows(lines: list[str]) -> int:
    return sum(1 for line in lines if re.match(r"[ \t]*\d{8}\s", line) and _EGD.search(line[:200]))


def _from_egd(lines: list[str], faults: Faults) -> tuple[Columns, dict[str, Any]]:
    columns: Columns = {n: [] for n in ("id", "name", "federation", "unit", "title", "rating", "line")}
    facts: dict[str, Any] = {"federation": "EGF", "document": "egf/rating"}
    for number, line in enumerate(lines, 1):
        if (
            number < 60
            and "day" not in facts
            and (match := re.search(r"\(([^)]{6,30})\)", line))
            and (day := fields.read_date(match[1]).day)
        ):
            facts["day"] = day
        match = _EGD.search(line[:200])
        if match is None:
            if re.match(r"\s*\d{8}\b", line):
                faults.add("CK47", "list-line", line=number, read=line.strip())
            continue
        for name, value in zip(("id", "name", "federation", "unit", "title"), match.groups(), strict=False):
            columns[name].append(value.strip())
        columns["rating"].append(float(match[6]))
        columns["line"].append(number)
    return columns, facts


#: Rating around zero, state and number of the licence, club and country end a line; the name is what stands before.
_LADDER = re.compile(
    r"(\S.{1,60}?)\s*(-?\d{1,5})\s([-A-Za-z])\s{1,2}([-0-9A-Z]{7})\s+(\S{1,4})\s+([A-Z]{2})\s*\Z"
)


def _from_french_ladder(lines: list[str], faults: Faults) -> tuple[Columns, dict[str, Any]]:
    columns: Columns = {n: [] for n in ("id", "name", "federation", "unit", "rating", "flag", "line")}
    day = (lines[0].partition(" au ")[2].split() or [""])[0]
    facts: dict[str, Any] = {"federation": "FFG", "day": fields.read_date(day).day}
    for number, line in enumerate(lines, 1):
        if line.startswith("#") or not line.strip():
            continue
        match = _LADDER.match(line[:120])
        if match is None:
            faults.add("CK47", "list-line", line=number, read=line.strip())
            continue
        rating = float(match[2])
        columns["id"].append(match[4] if match[4].strip("-") else "")
        columns["name"].append(match[1].strip())
        columns["federation"].append(match[6])
        columns["unit"].append("" if match[5].casefold() == "xxxx" else match[5])
        columns["rating"].append(math.nan if rating <= -9999 else rating)
        columns["flag"].append(match[3].strip("-"))
        columns["line"].append(number)
    return columns, facts


def _from_td_list(lines: list[str], faults: Faults) -> tuple[Columns, dict[str, Any]]:
    columns: Columns = {
        n: [] for n in ("id", "name", "title", "rating", "unit", "federation", "flag", "line")
    }
    days = []
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) < 4 or not cells[1].isdecimal():
            if line.strip():
                faults.add("CK47", "list-line", line=number, read=line.strip())
            continue
        cells += [""] * (9 - len(cells))
        rating = math.nan
        if cells[3]:
            try:
                rating = float(cells[3])
            except ValueError:
                faults.add("CK47", "list-value", line=number, field="rating", read=cells[3])
        if -1 < rating < 1:
            faults.add("CK47", "list-gap", line=number, field="rating", read=cells[3])
            rating = math.nan
        columns["id"].append(cells[1])
        columns["name"].append(cells[0])
        columns["title"].append("")
        columns["rating"].append(rating if math.isfinite(rating) else math.nan)
        columns["unit"].append(cells[5])
        columns["federation"].append("USA")
        columns["flag"].append(cells[2])
        columns["line"].append(number)
        if cells[8] and (day := fields.read_date(cells[8], years_first=False).day):
            days.append(day)
    return columns, {"federation": "AGA", "document": "aga/rating", **({"day": max(days)} if days else {})}


_NAME_DAY = re.compile(r"(?<!\d)(19|20)(\d{2})[-_.]?(0[1-9]|1[0-2])(?:[-_.]?(0[1-9]|[12]\d|3[01]))?(?!\d)")


def _day_in_name(name: str) -> date | None:
    """Date that the name of the file tells (``list-2026-05``, ``standard_nov25frl``)."""
    if match := _NAME_DAY.search(name):
        try:
            return date(int(match[1] + match[2]), int(match[3]), int(match[4] or 1))
        except ValueError:
            return None
    if (match := re.search(r"(?<![a-z])([a-z]{3})(\d{2})(?!\d)", name.casefold())) and match[
        1
    ].upper() in MONTHS:
        return date(2000 + int(match[2]), MONTHS[match[1].upper()], 1)
    return None
