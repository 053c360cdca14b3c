"""Which reader a rating list belongs to, found by looking into it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import frame
from qiyi_analysis.model.rating_list import LIST_COLUMNS, RatingList
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.formats import LISTS, Look, formats
from qiyi_analysis.readers.lists.fide_lists import MONTHS
from qiyi_analysis.readers.lists.kinds_columns import in_kinds
from qiyi_analysis.readers.lists.list_tables import Part
from qiyi_analysis.readers.source import Source, is_event_folder


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
    if is_event_folder(source.name for source in sources):
        raise ReadError("list-no-player", file=name)
    parts = _parts_of(sources, mapping)
    table, faults = _joined(parts, name)
    facts = {key: value for part in reversed(parts) for key, value in part.facts.items()}
    kinds, document = in_kinds(table, facts, variant)
    day = facts.pop("day", None) or _day_in_name(name)
    return RatingList(
        id=name, federation=facts.get("federation", ""), document=document, day=day, rows=frame(table, LIST_COLUMNS), kinds=kinds,
        sources=tuple({part.source.name: part.source.facts() for part in parts}.values()), faults=faults,
    )  # fmt: skip


def _parts_of(sources: tuple[Source, ...], mapping: Mapping[str, str] | None) -> list[Part]:
    """Every table of players, the largest file first. Raises what the largest file raises where none is a list."""
    found: list[Part] = []
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


def _joined(parts: list[Part], name: str) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """The rows of all parts under one another, the largest first; a part that repeats others is left out. Both are told."""
    if len(parts) == 1:
        size = parts[0].size
        whole = {key: values for key, values in parts[0].table.items() if len(values) == size}
        return whole, parts[0].faults.findings()
    told = Faults(name)
    taken: list[Part] = []
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


def _tables(source: Source, mapping: Mapping[str, str] | None) -> list[Part]:
    """The tables of players of a file. Raises ReadError where it has none."""
    look, faults = Look(source), Faults(source.name)
    form = next(
        form for form in formats(LISTS) if (form.read_list or form.read_lists) and form.recognise(look)
    )
    if form.read_lists:
        return form.read_lists(look, faults, mapping)
    assert form.read_list is not None
    return [Part(source.name, *form.read_list(look, faults, mapping), faults, source)]


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
