"""Rating lists of FIDE as text and as XML.

Columns of the text are taken from the head of the very file: they differ from list to list, and long entries of one
column push the others. The combined lists hold standard, rapid and blitz ratings side by side.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from qiyi_analysis.errors import ReadError
from qiyi_analysis.readers import fields, xml
from qiyi_analysis.readers.draft import Columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.list_kinds import KINDS, OF_A_KIND, kind_in_name
from qiyi_analysis.readers.source import Source

MONTHS = {
    name: i
    for i, name in enumerate(
        ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"], 1
    )
}
_HEADS = {kind: (f"{kind[0].upper()}RTNG", f"{kind[0].upper()}GM", f"{kind[0].upper()}K") for kind in KINDS}
_SEXES = {"F": "w", "W": "w", "M": "m"}


def from_fide_text(lines: list[str], faults: Faults, source: Source) -> tuple[Columns, dict[str, Any]]:
    """Columns and facts of a text list. Raises ReadError where the head names no player or no rating."""
    at = next(i for i, line in enumerate(lines) if line.strip())
    found = [
        (m.group().upper().replace(" ", "").replace("_", ""), m.start())
        for m in re.finditer(r"ID[ _]?Number|\S+", lines[at], re.IGNORECASE)
    ]
    ends = {
        name: (begin, found[i + 1][1] if i + 1 < len(found) else None)
        for i, (name, begin) in enumerate(found)
    }
    facts: dict[str, Any] = {"federation": "FIDE", "document": "fide/rating"}
    heads = _rating_heads(ends, facts, source)
    if "NAME" not in ends or not heads:
        raise ReadError("list-head", file=source.name, line=at + 1, found=ends, needed=_HEADS["standard"][0])
    birth = next((name for name in ("B-DAY", "BORN", "BIRTHDAY", "BDAY") if name in ends), "")
    title = next((name for name in ("TIT", "TITL", "TITLE") if name in ends), "")
    # A long entry pushes everything behind it: the first rating tells.
    first = min((head for _, _, head in heads if head in ends), key=lambda head: ends[head][0])
    overflow: list[str] = [name for name in ("OTIT", "FOA") if name in ends]
    plain = ("id", "name", "federation", "sex", "title", "birth_year", "flag", "line")
    columns: Columns = {n: [] for n in (*plain, *(column for column, _, _ in heads))}
    for number, line in enumerate(lines[at + 1 :], at + 2):
        if not line.strip():
            continue
        row = _shifted(line, ends, first, overflow, number, faults)
        values = {name: row[begin:end].strip() for name, (begin, end) in ends.items()}
        columns["id"].append(values.get("IDNUMBER", ""))
        columns["name"].append(values["NAME"])
        columns["federation"].append(values.get("FED", ""))
        columns["sex"].append(_SEXES.get(values.get("SEX", ""), ""))
        columns["title"].append(fields.read_title(values.get(title, "")) or values.get(title, ""))
        for column, name, head in heads:
            columns[column].append(_number(values.get(head, ""), zero=name == "games"))
        columns["birth_year"].append(_number(values.get(birth, "")[:4]))
        columns["flag"].append(values.get("FLAG", ""))
        columns["line"].append(number)
    return columns, facts


def _rating_heads(
    ends: Mapping[str, tuple[int, int | None]], facts: dict[str, Any], source: Source
) -> list[tuple[str, str, str]]:
    """Column, what it is and head of every rating of the list; single lists name the rating by their month."""
    month = next((name for name in ends if re.match(r"(?:[A-Z]{3})\d{2}\Z", name) and name[:3] in MONTHS), "")
    if month:
        facts["day"] = date(2000 + int(month[3:]), MONTHS[month[:3]], 1)
        kind = kind_in_name(source.name)
        prefix = f"{kind}_" if kind else ""
        return [
            (f"{prefix}{name}", name, head) for name, head in zip(OF_A_KIND, (month, "GMS", "K"), strict=True)
        ]
    return [
        (f"{kind}_{name}", name, head)
        for kind, heads in _HEADS.items()
        if heads[0] in ends
        for name, head in zip(OF_A_KIND, heads, strict=True)
    ]


def _shifted(
    line: str, ends: Mapping[str, tuple[int, int | None]], rating: str, overflow: list[str], number: int, faults: Faults
) -> str:  # fmt: skip
    """A long entry of other titles pushes the columns behind it: the surplus is taken out."""
    begin, end = ends[rating]
    field = line[begin:end]
    if not overflow or (
        (not field.strip() or re.match(r"\d{0,4}\s*\Z", field.rstrip() or " "))
        and (begin == 0 or line[begin - 1 : begin] in ("", " "))
    ):
        return line
    match = re.search(r"\s(\d{3,4})\s", line[begin - 2 : begin + 24])
    if match is None:
        faults.add("CK47", "list-columns", line=number, field=rating, read=field)
        return line
    shift = match.start(1) - 2
    if shift <= 0:
        return line
    faults.once("CK47", "list-shifted", severity="I", line=number, read=line[begin - 12 : begin + 8].strip())
    return (
        line[: begin - shift] + line[begin:]
        if not line[begin - shift : begin].strip()
        else line[:begin] + line[begin + shift :]
    )


def _number(text: str, *, zero: bool = False) -> float:
    if not text.isascii() or not text.isdecimal():
        return math.nan
    value = float(text[:9])
    return value if value or zero else math.nan


def from_fide_xml(source: Source) -> tuple[Columns, dict[str, Any]]:
    """Columns and facts of an XML list. ``rating`` is the standard one, in a single list that of the file's name."""
    own = kind_in_name(source.name) or "standard"
    wanted = {
        "fideid": "id", "name": "name", "country": "federation", "sex": "sex", "title": "title", "birthday": "birth_year", "flag": "flag",
        **{name: f"{own}_{name}" for name in OF_A_KIND},
        **{f"{kind}_{name}": f"{kind}_{name}" for kind in ("rapid", "blitz") for name in OF_A_KIND},
    }  # fmt: skip
    columns: Columns = {n: [] for n in (*wanted.values(), "line")}
    seen: set[str] = set()
    current: dict[str, str] = {}
    parts: list[str] = []

    def start(tag: str, _: dict[str, str]) -> None:
        parts.clear()
        if tag == "player":
            current.clear()

    def end(tag: str) -> None:
        if tag == "player":
            for name in columns:
                if name != "line":
                    columns[name].append(_xml_value(name, current.get(name, "")))
            columns["line"].append(len(columns["line"]) + 1)
        elif tag in wanted:
            current[wanted[tag]] = "".join(parts).strip()
            seen.add(wanted[tag])
        parts.clear()

    xml.parse(source.data, source.name, start=start, end=end, text=parts.append)
    kept = {
        name: values
        for name, values in columns.items()
        if name in seen or name.partition("_")[0] not in KINDS
    }
    return kept, {"federation": "FIDE", "document": "fide/rating"}


def _xml_value(name: str, text: str) -> Any:
    if name == "birth_year":
        return _number(text[:4])
    if name.partition("_")[0] in KINDS:
        return _number(text, zero=name.endswith("_games"))
    return _SEXES.get(text, "") if name == "sex" else text
