"""Rating lists in tables: any rows or separated values under headers that are known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.rating_list import LIST_COLUMNS
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import Columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.lists.kinds_columns import KIND_COLUMNS, kind_columns
from qiyi_analysis.readers.source import Source
from qiyi_analysis.readers.tables import columns
from qiyi_analysis.readers.tables.delimited import Row, parse_rows, plain_head, separator_of
from qiyi_analysis.readers.tables.heads import column_of, round_number
from qiyi_analysis.readers.tables.sheet_tables import is_sum, tells_no_person
from qiyi_analysis.readers.tables.sheets import Sheet, seen


class Part(NamedTuple):
    """A table of players: one file, or one sheet of a workbook or page; ``name`` tells which."""

    name: str
    table: Columns
    facts: dict[str, Any]
    faults: Faults
    source: Source

    @property
    def size(self) -> int:
        """How many players it has."""
        return len(self.table["line"])

    def people(self) -> set[str]:
        """Who is in it: ids, names of those without."""
        size = self.size
        ids, names = (list(self.table.get(name, [""] * size)) for name in ("id", "name"))
        return {id or name for id, name in zip(ids, names, strict=True)}


_OWN_HEADS = {name: name for name in LIST_COLUMNS} | {
    "fed": "federation",
    "club": "unit",
    "list_date": "list_date",
    "born": "birth_year",
}
#: Fewer characters are no number of an identity card.
_SHORTEST_CARD = 15
_FROM_EVENTS = {"games_before": "games", "games": "games"}


def from_separated(
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


def from_sheets(sheets: list[Sheet], source: Source, mapping: Mapping[str, str] | None) -> list[Part]:
    """Every sheet with heads of a list. Raises ReadError, naming what the sheets hold, where none has them."""
    parts = []
    headed = [sheet for sheet in sheets if _heads(sheet.rows, mapping) is not None]
    for number, sheet in enumerate(headed, 1):
        name = f"{source.name}: {sheet.name or number}" if len(headed) > 1 else source.name
        faults = Faults(name)
        parts.append(Part(name, *_from_rows(sheet.rows, faults, source, mapping), faults, source))
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
    rounds = [cell for cell in row.cells if len(cell) <= 40 and round_number(cell)]
    if len(rounds) > 1:
        faults.add("CK47", "list-is-event", severity="E", line=row.line, read=rounds[:5])


#: What cannot be below zero.
_COUNTED = frozenset({"k", "games", *(one for one in KIND_COLUMNS if not one.endswith("rating"))})
#: Rows among which the heads are looked for.
_HEAD_ROWS = 50


def _heads(rows: list[Row], mapping: Mapping[str, str] | None) -> tuple[dict[str, int], int] | None:
    """Column -> its place, and which row the heads are; None where there are none."""
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
            # Only a long text can hold the number of an identity card, only an id with signs is not one as it stands.
            odd = pc.greater_equal(pc.utf8_length(texts), _SHORTEST_CARD)
            if name == "id":
                odd = pc.or_(odd, pc.match_substring_regex(texts, "[.,'\"=`\u2018\u2019\u201c\u201d]"))
            rows = np.flatnonzero(odd.to_numpy(zero_copy_only=False))
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
        return fields.read_id(cleaned) if name == "id" else cleaned
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
