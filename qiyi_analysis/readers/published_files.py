"""What was published about an event, from a file of its own.

Either a table like ``official.csv`` (``no`` or a name, and printed values), or a whole event file whose
printed values are taken over, player by player. Who is who is decided as everywhere
(:mod:`qiyi_analysis.model.identity`), the event's number standing for the id where the file has the same numbers.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import PLAYER_COLUMNS, TIE_BREAK_COLUMNS, Event
from qiyi_analysis.model.findings import Finding, Severity
from qiyi_analysis.model.frame import SourceFile, frame
from qiyi_analysis.model.identity import PERSON_COLUMNS, Candidates, Matches, candidates, match
from qiyi_analysis.model.register import Register
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.door import events_from
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.folder.players_csv import OFFICIAL_ALIASES, add_official
from qiyi_analysis.readers.source import Source, from_path
from qiyi_analysis.readers.tables.delimited import Row, plain_head, read_rows
from qiyi_analysis.readers.tables.heads import column_of
from qiyi_analysis.readers.tables.sheets import Sheet

#: The columns of a player that are somebody's published results.
PUBLISHED_COLUMNS = (
    "rank", "points", *TIE_BREAK_COLUMNS, "expected", "expected_text", "change", "change_text", "new_rating",
    "performance",
)  # fmt: skip

#: Published numbers that the games of the event confirm or contradict.
_COMPARED = ("points", "expected", "change", "new_rating", *TIE_BREAK_COLUMNS)
#: Their heads in official.csv.
_COMPARED_HEADS = frozenset({"points", "expected_score", "rating_change", "new_rating", *TIE_BREAK_COLUMNS})


def read_published(path: str | Path, event: Event) -> Event:
    """The event with the published values of ``path`` in place of its own, that file among its sources.

    Raises ReadError where the file holds nothing about the event's players.
    """
    sources = from_path(path)
    source = sources[0]
    try:
        events = events_from(sources, source.stem)
    except ReadError:
        return _from_table(source, event)
    other = events[0]
    if len(sources) == 1 and not _results(other.players):
        # Heads of official.csv over a list of names: not the heads of an event's sheet.
        return _from_table(source, event)
    compared = bool(other.players[list(_COMPARED)].notna().any(axis=None))
    places, told = _players(other.players, event, source.name, compared=compared)
    if not (places >= 0).any():
        raise ReadError("published-others", path=path, event=event.id)
    row = np.full(len(event.players), -1, dtype=np.int64)
    row[places[places >= 0]] = np.flatnonzero(places >= 0)
    columns = {}
    for name in PUBLISHED_COLUMNS:
        values = other.players[name].to_numpy()[row]
        missing = "" if PLAYER_COLUMNS[name] == "text" else np.nan
        columns[name] = np.where(row >= 0, values, missing)
    numbers = event.players["number"].tolist()
    where, line_of = other.published_file, other.players["line"].tolist()
    if where:
        line_of = [other.published_lines.get(number, 0) for number in other.players["number"].tolist()]
    lines = {numbers[i]: line_of[at] for i, at in enumerate(row.tolist()) if at >= 0 and line_of[at] > 0}
    table, findings = event.players.assign(**columns), (*other.faults, *told)
    return _with(event, table, where or source.name, lines, source.facts(), findings)


def _with(
    event: Event,
    players: pd.DataFrame,
    file: str,
    lines: dict[int, int],
    facts: SourceFile,
    findings: tuple[Finding, ...],
) -> Event:
    return replace(
        event, players=players, published_file=file, published_lines=lines, sources=(*event.sources, facts),
        faults=(*event.faults, *findings),
    )  # fmt: skip


def _from_table(source: Source, event: Event) -> Event:
    """A table with the heads of official.csv; players by number, else by name."""
    faults = Faults(source.name)
    columns = {name: event.players[name].tolist() for name in event.players.columns}
    sheet = Sheet(source.name, read_rows(source, faults))
    numbered, told = _numbered(sheet, event)
    _, lines = add_official(numbered, columns, faults, event.discipline)
    table = frame(pd.DataFrame(columns), PLAYER_COLUMNS)
    if not _results(table):
        found = sheet.rows[0].cells[:8] if sheet.rows else ()
        raise ReadError("published-heads", file=source.name, found=found)
    return _with(event, table, source.name, lines, source.facts(), (*faults.findings(), *told))


def _results(players: pd.DataFrame) -> bool:
    """Whether a table holds any published result."""
    numeric = [name for name in PUBLISHED_COLUMNS if PLAYER_COLUMNS[name] != "text"]
    return bool(players[numeric].notna().any(axis=None))


def _numbered(sheet: Sheet, event: Event) -> tuple[Sheet, tuple[Finding, ...]]:
    """The sheet with the event's numbers in its column ``no``, which is made where it has none.

    A row whose player is doubtful is left out; one that fits nobody keeps what it had, for its finding.
    """
    rows = sheet.rows
    heads = [_head(cell) for cell in rows[0].cells] if rows else []
    if "name" not in heads:
        return sheet, ()
    compared = any(_official_head(cell) in _COMPARED_HEADS for cell in rows[0].cells)
    places, told = _players(_persons(rows[1:], heads), event, sheet.name, compared=compared)
    doubtful = {finding.line for finding in told if finding.reason == "published-name-doubtful"}
    numbers = event.players["number"].tolist()
    at = heads.index("number") if "number" in heads else len(heads)
    numbered = []
    for row, place in zip(rows, (-2, *places.tolist()), strict=True):
        cells = [*row.cells, *[""] * (len(heads) - len(row.cells))]
        number = "no" if place == -2 else str(numbers[place]) if place >= 0 else ""
        if not number:
            number = cells[at] if at < len(heads) else cells[heads.index("name")]
        cells[at : at + 1] = [number]
        if row.line not in doubtful:
            numbered.append(Row(row.line, cells))
    return Sheet(sheet.name, numbered), told


def _official_head(cell: str) -> str:
    plain = plain_head(cell)
    return OFFICIAL_ALIASES.get(plain, plain)


def _head(cell: str) -> str:
    """The column of a head: those of official.csv as they are there, others in any language."""
    plain = _official_head(cell)
    if plain == "no":
        return "number"
    known = plain if plain in PERSON_COLUMNS else column_of(cell) if len(cell) <= 40 else ""
    return known if known in PERSON_COLUMNS else ""


def _persons(rows: list[Row], heads: list[str]) -> pd.DataFrame:
    """What a table says of its persons, a row each: their number or 0, PERSON_COLUMNS and the line."""
    place = {head: at for at, head in reversed(list(enumerate(heads))) if head}

    def cells(head: str) -> list[str]:
        at = place.get(head, -1)
        return [row.cells[at] if 0 <= at < len(row.cells) else "" for row in rows]

    columns: dict[str, object] = {name: cells(name) for name in PERSON_COLUMNS}
    columns["sex"] = [fields.read_sex(cell) or "" for cell in cells("sex")]
    columns["birth_year"] = [_year(cell) for cell in cells("birth_year")]
    columns["number"] = [int(cell) if cell.isdecimal() and len(cell) < 10 else 0 for cell in cells("number")]
    columns["line"] = [row.line for row in rows]
    return pd.DataFrame(columns)


def _year(cell: str) -> float:
    try:
        return float(fields.read_birth(cell)[0]) if cell else np.nan
    except ValueError:
        return np.nan


def _players(
    published: pd.DataFrame, event: Event, file: str, *, compared: bool
) -> tuple[np.ndarray, tuple[Finding, ...]]:
    """Position in the event's players of each published row, -1 for none, and what is to be said of it.

    The numbers of the file decide, unless one is on the event's list for somebody else than the name beside it: then
    the file has numbers of its own (places, lines), and id and name decide where number and name are not one person.
    compared: the file has numbers that the event's games confirm or contradict.
    """
    players = event.players
    own = players.assign(id=players["number"].astype(str))
    found = match(published.assign(id=published["number"].astype(str)), Register(own))
    agree = np.array(
        [how == "id" and not why for how, why in zip(found.how, found.reason, strict=True)], dtype=bool
    )
    if found.reason.count("id-with-other-name") > 1 and not agree.any():
        return np.full(len(published), -1, dtype=np.int64), ()  # all names are those of other people
    scripts = [i for i, why in enumerate(found.reason) if why == "id-name-other-script"]
    elsewhere = Register(players).with_names(published["name"].iloc[scripts].tolist())
    if "id-and-name-of-two" in found.reason or "id" not in found.how or any(elsewhere):
        found = _by_names(published, players, found, agree)
    told = [
        _finding(published, players, found, i, file)
        for i, reason in enumerate(found.reason)
        if reason in ("id-with-other-name", "id-and-name-of-two", "name-doubtful", "name-under-other-id")
    ]
    foreign = found.reason.count("id-name-other-script")
    if foreign:
        # The numbers beside the names show whether it is the same event; without numbers nothing does.
        alone = foreign == sum(how != "none" for how in found.how)
        told.append(
            Finding(
                code="CK10", reason="published-other-script", field="name", file=file,
                severity=Severity.ASK if alone and not compared else Severity.NOTE, values={"count": foreign},
            )
        )  # fmt: skip
    return found.row, tuple(told)


def _by_names(
    published: pd.DataFrame, players: pd.DataFrame, numbered: Matches, agree: np.ndarray
) -> Matches:
    """The match by number of those who ``agree`` with the name beside it, by id and name of all others."""
    left = np.flatnonzero(~agree)
    found = match(published.iloc[left], Register(players))
    taken = set(numbered.row[agree].tolist())
    row, how = numbered.row.copy(), list(numbered.how)
    named, reason = list(numbered.candidates), list(numbered.reason)
    for i, place, one, some, why in zip(
        left.tolist(), found.row.tolist(), found.how, found.candidates, found.reason, strict=True
    ):
        double = place in taken
        row[i], how[i] = (-1, "doubtful") if double else (place, one)
        named[i], reason[i] = some, "name-doubtful" if double else why
    return Matches(row=row, how=tuple(how), candidates=tuple(named), reason=tuple(reason))


def _finding(published: pd.DataFrame, players: pd.DataFrame, found: Matches, i: int, file: str) -> Finding:
    certain = found.row[i] >= 0
    rows = found.candidates[i]
    return Finding(
        code="CK10" if certain else "CK11",
        reason="published-other-name" if certain else "published-name-doubtful",
        file=file,
        line=int(published["line"].iloc[i]),
        player=int(players["number"].iloc[found.row[i]]) if certain else 0,
        field="name",
        published=str(published["name"].iloc[i]),
        values={
            "candidates": Candidates(
                one.behind(str(one.number)) for one in candidates(players, rows).persons
            ),
            "listed": players["name"].iloc[rows[0]] if rows else "",
        },
    )
