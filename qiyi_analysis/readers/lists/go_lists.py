"""Rating lists of go federations: the EGD ladder, the French ladder, the TDList of the AGA."""

from __future__ import annotations

import math
import re
from typing import Any

from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import Columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import Format, Headings, Look
from qiyi_analysis.readers.tables.delimited import report_encoding

_EGD = re.compile(
    r"(\d{8})\s{1,4}(\S.{1,36}?)\s+([A-Z]{2})\s+(\S{0,5})\s*(\d{1,2}[kdp])\s+(?:\d\s+)?(-?\d{1,4})\b"
)


def _egd_rows(lines: list[str]) -> int:
    return sum(1 for line in lines if re.match(r"[ \t]*\d{8}\s", line) and _EGD.search(line[:200]))


def _from_egd(look: Look, faults: Faults, _: Headings | None) -> tuple[Columns, dict[str, Any]]:
    lines = _lines(look, faults)
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


def _from_french_ladder(look: Look, faults: Faults, _: Headings | None) -> tuple[Columns, dict[str, Any]]:
    lines = _lines(look, faults)
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


def _from_td_list(look: Look, faults: Faults, _: Headings | None) -> tuple[Columns, dict[str, Any]]:
    lines = _lines(look, faults)
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
                faults.add("CK47", "list-value", line=number, field="rating", read=cells[3], name=cells[0])
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


def _lines(look: Look, faults: Faults) -> list[str]:
    report_encoding(look.text, faults)
    return look.text.lines()


def _is_td_list(look: Look) -> bool:
    first = look.first_line
    return "\t" in first and "," in first.split("\t")[0] and bool(re.search(r"\t\d{1,8}\t", first))


FORMATS = (
    Format(
        name="French ladder",
        described="list: French ladder (échelle)",
        recognise=lambda look: look.first_line.startswith("#Echelle"),
        read_list=_from_french_ladder,
    ),
    Format(
        name="EGD ladder",
        described="list: ladder of the European Go Database",
        recognise=lambda look: _egd_rows(look.lines[:400]) >= 2,
        read_list=_from_egd,
    ),
    Format(
        name="TDList",
        described="list: TDList of the AGA",
        recognise=_is_td_list,
        read_list=_from_td_list,
    ),
)
