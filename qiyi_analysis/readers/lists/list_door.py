"""Rating lists: CSV and XLSX, the text and XML of FIDE, EGD ladders, the TDList of the AGA, the French ladder.

Columns of the FIDE text list are taken from the head of the very file: they differ from list to list, and
long entries of one column push the others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import frame
from qiyi_analysis.model.rating_list import LIST_COLUMNS, RatingList
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import Columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.lists.fide_lists import MONTHS, from_fide_text, from_fide_xml
from qiyi_analysis.readers.lists.kinds_columns import KIND_COLUMNS, in_kinds, kind_columns
from qiyi_analysis.readers.source import Source, decode, split_lines
from qiyi_analysis.readers.tables import columns
from qiyi_analysis.readers.tables.delimited import Row, parse_rows, plain_head, report_encoding, separator_of
from qiyi_analysis.readers.tables.sheet_tables import is_sum, tells_no_person

if TYPE_CHECKING:
    from qiyi_analysis.readers.tables.sheets import Sheet


def list_from(
    sources: tuple[Source, ...],
    name: str,
    mapping: Mapping[str, str] | None = None,
    *,
    variant: str = "standard",
) -> RatingList:
    """The list in the files: parts of one list (men and women, part 1 and part 2) are joined. Raises ReadError where it is none.

    ``variant``: which of several ratings side by side stands in ``rows``; the others are kept in ``kinds``.
    """
    parts = _parts_of(sources, mapping)
    table, faults = _joined(parts, name)
    facts = {key: value for part in reversed(parts) for key, value in part.facts.items()}
    kinds, document = in_kinds(table, facts, variant)
    day = facts.pop("day", None) or _day_in_name(name)
    return RatingList(
        id=name, federation=facts.get("federation", ""), document=document, day=day, rows=frame(table, LIST_COLUMNS), kinds=kinds,
        sources=tuple({part.source.name: part.source.facts() for part in parts}.values()), faults=faults,
    )  # fmt: skip


class _Part(NamedTuple):
    """A table of players: one file, or one sheet of a workbook or page; ``name`` tells which."""

    name: str
    table: Columns
    facts: dict[str, Any]
    faults: Faults
    source: Source

    @property
    def size(self) -> int:
        return len(self.table["line"])

    def people(self) -> set[str]:
        """Who is in it: ids, names of those without."""
        size = self.size
        ids, names = (list(self.table.get(name, [""] * size)) for name in ("id", "name"))
        return {id or name for id, name in zip(ids, names, strict=True)}


def _parts_of(sources: tuple[Source, ...], mapping: Mapping[str, str] | None) -> list[_Part]:
    """Every table of players, the largest file first. Raises what the largest file raises where none is a list."""
    found: list[_Part] = []
    failed: ReadError | None = None
    for source in sorted(sources, key=lambda one: -len(one.data)):
        try:
            if not source.data.strip():
                raise ReadError("list-empty", file=source.name)
            parts = [part for part in _tables(source, mapping) if part.size]
            if not parts:
                raise ReadError("list-no-player", file=source.name)
        except ReadError as error:
            failed = failed or error
            continue
        found += parts
    if not found:
        assert failed is not None
        raise failed
    rated = [part for part in found if any(one.endswith("rating") for one in part.table)]
    return rated or found[:1]


#: A table of which so many are in others already repeats them.
_REPEATS = 0.5


def _joined(parts: list[_Part], name: str) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """The rows of all parts under one another, the largest first; a part that repeats others is left out. Both are told."""
    if len(parts) == 1:
        size = parts[0].size
        whole = {key: values for key, values in parts[0].table.items() if len(values) == size}
        return whole, parts[0].faults.findings()
    told = Faults(name)
    taken: list[_Part] = []
    people: set[str] = set()
    place = {id(part): i for i, part in enumerate(parts)}
    for part in sorted(parts, key=lambda one: -one.size):
        own = part.people()
        if len(own & people) > _REPEATS * len(own):
            told.add("CK47", "list-part-repeats", severity="I", part=part.name, count=part.size)
            continue
        people |= own
        taken.append(part)
    taken.sort(key=lambda one: place[id(one)])
    if len(taken) > 1:
        for part in taken:
            told.add("CK47", "list-part", severity="I", part=part.name, count=part.size)
    table: dict[str, Any] = {}
    for key in dict.fromkeys(key for part in taken for key in part.table):
        blank = "" if LIST_COLUMNS.get(key) == "text" else math.nan
        table[key] = [
            value for part in taken for value in part.table.get(key, [blank] * part.size)
        ]  # fmt: skip
    return table, (*told.findings(), *(one for part in taken for one in part.faults.findings()))


def _tables(source: Source, mapping: Mapping[str, str] | None) -> list[_Part]:
    """The tables of players of a file. Raises ReadError where it has none."""
    data = source.data
    head = data[:4000].lstrip(b"\xef\xbb\xbf \r\n\t")
    faults = Faults(source.name)
    if data.startswith(b"PK\x03\x04"):
        from qiyi_analysis.readers.tables.sheets import from_xlsx

        return _from_sheets(from_xlsx(source), source, mapping)
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        from qiyi_analysis.readers.tables.sheets import from_xls

        return _from_sheets(from_xls(source), source, mapping)
    if head[:1] == b"<" and b"<table" in data[:2_000_000].lower() and b"<pre" not in data[:20_000].lower():
        from qiyi_analysis.readers.tables.sheets import from_html

        return _from_sheets(from_html(source, faults), source, mapping)
    return [_Part(source.name, *_columns(source, faults, mapping), faults, source)]


def _columns(
    source: Source, faults: Faults, mapping: Mapping[str, str] | None
) -> tuple[Columns, dict[str, Any]]:  # fmt: skip
    data = source.data
    head = data[:4000].lstrip(b"\xef\xbb\xbf \r\n\t")
    if head.startswith(b"<?xml") or head.startswith(b"<playerslist"):
        return from_fide_xml(source)
    text = decode(data)
    report_encoding(text, faults)
    lines = _first_lines(text.text)
    first = next((line for line in lines[:50] if line.strip()), "")
    if re.match(r"\s*ID[ _]?NUMBER\b", first, re.IGNORECASE) and "," not in first:
        return from_fide_text(split_lines(text.text), faults, source)
    if first.startswith("#Echelle"):
        return _from_french_ladder(split_lines(text.text), faults)
    if _egd_rows(lines[:400]) >= 2:
        return _from_egd(split_lines(text.text), faults)
    if "\t" in first and "," in first.split("\t")[0] and re.search(r"\t\d{1,8}\t", first):
        return _from_td_list(split_lines(text.text), faults)
    return _from_text(text.text, lines, faults, source, mapping)


def _first_lines(text: str, count: int = 2000) -> list[str]:
    """The lines at the beginning of a text, more of them than anything is recognised by."""
    end = 0
    for _ in range(count):
        found = text.find("\n", end)
        if found < 0:
            return split_lines(text)
        end = found + 1
    return split_lines(text[:end])


# --- tables with heads -----------------------------------------------------------------------------

_OWN_HEADS = {name: name for name in LIST_COLUMNS} | {
    "fed": "federation",
    "club": "unit",
    "list_date": "list_date",
    "born": "birth_year",
}
#: Fewer characters are no number of an identity card.
_SHORTEST_CARD = 15
_FROM_EVENTS = {"games_before": "games", "games": "games"}


def _from_text(
    text: str, first: list[str], faults: Faults, source: Source, mapping: Mapping[str, str] | None
) -> tuple[Columns, dict[str, Any]]:
    """Separated values; ``first``: the first lines."""
    separator = separator_of(first)
    rows = parse_rows("\n".join(first), Faults(source.name), separator, most=_HEAD_ROWS - 1)
    found = _heads(rows, mapping)
    if found is not None:
        heads, at = found
        cells = columns.from_text(text, separator, sorted(set(heads.values())), rows[at].line + 1)
        if cells is not None:
            _event_heads(rows[at], faults)
            return _values(heads, cells, faults)
    return _from_rows(parse_rows(text, faults, separator), faults, source, mapping)


def _from_sheets(sheets: list[Sheet], source: Source, mapping: Mapping[str, str] | None) -> list[_Part]:
    """Every sheet with heads of a list. Raises ReadError, naming what the sheets hold, where none has them."""
    from qiyi_analysis.readers.tables.sheets_seen import seen

    parts = []
    headed = [sheet for sheet in sheets if _heads(sheet.rows, mapping) is not None]
    for number, sheet in enumerate(headed, 1):
        name = f"{source.name}: {sheet.name or number}" if len(headed) > 1 else source.name
        faults = Faults(name)
        parts.append(_Part(name, *_from_rows(sheet.rows, faults, source, mapping), faults, source))
    if not parts:
        raise ReadError("list-no-heads-in-sheets", file=source.name, seen=seen(sheets))
    return parts


def _from_rows(
    rows: list[Row], faults: Faults, source: Source, mapping: Mapping[str, str] | None
) -> tuple[Columns, dict[str, Any]]:  # fmt: skip
    found = _heads(rows, mapping)
    if found is None:
        raise ReadError("list-no-heads", file=source.name, found=rows[0].cells[:8] if rows else ())
    heads, at = found
    _event_heads(rows[at], faults)
    return _values(heads, columns.from_rows(rows[at + 1 :], sorted(set(heads.values()))), faults)


def _event_heads(row: Row, faults: Faults) -> None:
    """Columns of rounds are those of a report of an event."""
    from qiyi_analysis.readers.tables.heads import round_number

    rounds = [cell for cell in row.cells if len(cell) <= 40 and round_number(cell)]
    if len(rounds) > 1:
        faults.add("CK47", "list-is-event", severity="E", line=row.line, read=rounds[:5])


#: What cannot be below zero.
_COUNTED = frozenset({"k", "games", *(one for one in KIND_COLUMNS if not one.endswith("rating"))})
#: Rows among which the heads are looked for.
_HEAD_ROWS = 50


def _heads(rows: list[Row], mapping: Mapping[str, str] | None) -> tuple[dict[str, int], int] | None:
    """Column -> its place, and which row the heads are; None where there are none."""
    from qiyi_analysis.readers.tables.heads import column_of

    for at, row in enumerate(rows[:_HEAD_ROWS]):
        found = kind_columns(row.cells)
        for place, cell in enumerate(row.cells):
            if place in found.values():
                continue
            name = (mapping or {}).get(cell.strip()) or _OWN_HEADS.get(plain_head(cell))
            if not name:
                known = column_of(cell, mapping) if len(cell) <= 40 else ""
                known = _FROM_EVENTS.get(known, known)
                name = known if known in LIST_COLUMNS else ""
            if name and name not in found:
                found[name] = place
        if len(found) >= 2 and ("name" in found or "id" in found):
            return found, at
    return None


class _Told(Faults):
    """The faults of one text, to be told for every row that has it."""

    def __init__(self) -> None:
        super().__init__("")
        self.noted: list[tuple[tuple[str, str], dict[str, Any]]] = []

    def add(self, code: str, reason: str, **values: Any) -> None:
        """Keep what would be noted."""
        values.pop("line", None)
        self.noted.append(((code, reason), values))


def _values(heads: dict[str, int], cells: columns.Cells, faults: Faults) -> tuple[Columns, dict[str, Any]]:
    """What the cells under the heads mean, column by column; faults in the order of the rows."""
    rated = next((name for name in ("rating", *KIND_COLUMNS) if name in heads), "rating")
    sign = fields.rating_sign(cells.column(heads.get(rated)).unique().to_pylist())
    scale = _scale(cells.column(heads.get(rated)), sign)
    if scale > _HIGHEST:
        faults.add("CK47", "list-scale", severity="I", field="rating", highest=f"{scale:g}")
    cells = cells.some(_players(heads, rated, cells, faults))
    wanted = {**LIST_COLUMNS, **{name: "number" for name in KIND_COLUMNS if name in heads}}
    found: dict[str, Any] = {"line": cells.lines}
    told: list[tuple[int, int, tuple[str, str], dict[str, Any]]] = []
    for order, (name, kind) in enumerate(wanted.items()):
        if name == "line" or name not in heads:
            continue
        texts = cells.column(heads[name])
        rows = None
        if kind == "text" and name not in ("sex", "last_event"):
            # Only a long text can hold the number of an identity card.
            rows = np.flatnonzero(
                pc.greater_equal(pc.utf8_length(texts), _SHORTEST_CARD).to_numpy(zero_copy_only=False)
            )
            if not len(rows):
                found[name] = texts.to_pandas()
                continue
        some = texts if rows is None else texts.take(pa.array(rows))
        notes: list[list[tuple[tuple[str, str], dict[str, Any]]]] = []

        def converted(text: str, name: str = name, kind: str = kind, notes: list = notes) -> Any:
            one = _Told()
            value = _list_value(name, kind, text, one, sign, scale)
            notes.append(one.noted)
            return value

        codes, values = columns.each(some, converted)
        if rows is None:
            found[name] = np.array(values, dtype=object if kind == "text" else np.float64)[codes]
        else:
            whole = texts.to_numpy(zero_copy_only=False)
            whole[rows] = np.array(values, dtype=object)[codes]
            found[name] = whole
        faulty = np.array([bool(note) for note in notes], dtype=bool)
        for i in np.flatnonzero(faulty[codes]).tolist():
            row = i if rows is None else int(rows[i])
            told += [(row, order, place, kept) for place, kept in notes[codes[i]]]
    told.sort(key=lambda one: one[:2])
    lines = cells.lines.tolist()
    people = [cells.column(heads.get(name)) for name in ("name", "id")]
    for row, _, (code, reason), kept in told:
        if reason == "list-value":
            kept = {**kept, "name": people[0][row].as_py() or people[1][row].as_py() or "–"}
        faults.add(code, reason, line=lines[row], **kept)
    days = set(cells.column(heads.get("list_date")).unique().to_pylist()) - {""}
    facts: dict[str, Any] = {"day": fields.read_date(max(days)).day} if days else {}
    if len(days) > 1:
        faults.add("CK47", "list-dates", severity="W", field="list_date", read=sorted(days)[:5])
    return found, facts


#: Rows at the end of a list among which sums and signatures are looked for.
_LAST_ROWS = 20


def _players(heads: dict[str, int], rated: str, cells: columns.Cells, faults: Faults) -> np.ndarray:
    """Mask of the rows of players. Not one: a row without name and id, and a sum, count or signature below the players.

    Whoever has a rating under an id and a name is a player, whatever the name says; a row with a rating that is none is told.
    """
    name, id, rating = (cells.column(heads.get(one)) for one in ("name", "id", rated))
    keep = ~(
        pc.equal(name, "").to_numpy(zero_copy_only=False) & pc.equal(id, "").to_numpy(zero_copy_only=False)
    )
    start = max(len(keep) - _LAST_ROWS, 0)
    last = zip(*(one.slice(start).to_pylist() for one in (id, name, rating)), strict=True)
    keep[start:] &= np.array(
        [
            bool(pair[0] and pair[1] and any(map(str.isdigit, points))) or not tells_no_person(pair)
            for *pair, points in last
        ],
        dtype=bool,
    )
    with_rating = pc.not_equal(rating, "").to_numpy(zero_copy_only=False)
    for i in np.flatnonzero(~keep & with_rating).tolist():
        cells_ = [one[i].as_py() for one in (id, name, rating)]
        severity = "I" if is_sum(cells_[:2]) else "W"
        read = " ".join(filter(None, cells_))
        faults.add("CK47", "list-row-left-out", severity=severity, line=int(cells.lines[i]), read=read)
    return keep


#: No federation but those with a scale of their own (around 10,000) keeps a higher rating.
_HIGHEST = 5000


def _scale(texts: pa.Array, sign: str | None) -> float:
    """The highest rating that can be one: in a list most of whose ratings are above the usual ones, ten times as high."""
    found = []
    for text in pc.drop_null(texts).to_pylist()[:2000]:
        try:
            found.append(abs(fields.as_float(fields.number(text, sign or ("," if "." in text else ".")))))
        except ValueError:
            continue
    high = sum(value > _HIGHEST for value in found)
    return 10.0 * _HIGHEST if high > len(found) / 2 else float(_HIGHEST)


def _list_value(name: str, kind: str, text: str, faults: Faults, sign: str | None, scale: float) -> Any:
    if kind == "text":
        if name == "sex":
            sex = fields.read_sex(text)
            if sex is None:
                faults.add("CK47", "list-value", field=name, read=text)
            return sex or ""
        if name == "last_event" and text:
            read = fields.read_date(text)
            if read.day is None:
                faults.add("CK47", "list-value", field=name, read=text)
            return read.day.isoformat() if read.day else ""
        cleaned, withheld = fields.without_card_numbers(text)
        if withheld:
            faults.add("CK49", "card-number", severity="W", field=name)
        return cleaned
    if not text:
        return math.nan
    try:
        if name == "birth_year":
            return fields.read_birth(text)[0]
        # Three digits behind a point or comma are a thousand where no cell of the column says otherwise.
        value = fields.as_float(fields.number(text, sign or ("," if "." in text else ".")))
    except ValueError:
        faults.add("CK47", "list-value", field=name, read=text)
        return math.nan
    if name in _COUNTED and value < 0:
        faults.add("CK47", "list-value", field=name, read=text)
        return math.nan
    if name.endswith("rating") and (value == 0 or abs(value) > scale):
        if value:
            faults.add("CK47", "list-value", field=name, read=text)
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
