"""The folder format: ``players.csv``, ``games.csv``, ``meta.json`` and perhaps ``official.csv``.

Columns and keys are those of the interface (docs/formats.md). ``white`` and ``black`` are the colours
of the pieces. The side with the first move, ``first`` in the model, is White in chess, Red (written in
the white columns) in xiangqi, and Black in go; in a go game with handicap stones ``first`` is Black too,
who has the stones on the board before White's first move.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.frame import SourceFile
from qiyi_analysis.readers.draft import Columns, draft_event, matches_from_games, teams_from_players
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.folder.games_csv import read_games
from qiyi_analysis.readers.folder.meta_json import Meta, meta_of, read_meta
from qiyi_analysis.readers.folder.players_csv import add_official, read_players
from qiyi_analysis.readers.formats import Format
from qiyi_analysis.readers.source import EVENT_FILES, Source, base_name
from qiyi_analysis.readers.tables.delimited import Row, headed, read_rows
from qiyi_analysis.readers.tables.player_fields import read_number, whole
from qiyi_analysis.readers.tables.sheets import Sheet

_TABLES = tuple(name for name in EVENT_FILES if name.endswith(".csv"))
_TEAM_TEXT = frozenset({"name", "nickname", "members"})


def read_folder(sources: Sequence[Source], name: str) -> Event:
    """Read an event from its files. Raises ReadError where a file or a column without which nothing goes is missing."""
    files = {base_name(source.name): source for source in sources}
    for needed in ("players.csv", "games.csv"):
        if needed not in files:
            raise ReadError("folder-lacks", file=name, needed=needed)
    meta = read_meta(files.get("meta.json"), name)
    faults = {table: Faults(files[table].name) for table in _TABLES if table in files}
    sheets = {table: Sheet(files[table].name, read_rows(files[table], faults[table])) for table in faults}
    return _event(
        sheets, faults, meta, name, tuple(files[one].facts() for one in EVENT_FILES if one in files)
    )


def folder_of_sheets(sheets: Sequence[Sheet], source: Source, name: str) -> Event | None:
    """The event of a workbook whose sheets are the tables of a folder; None for another workbook."""
    named = {sheet.name.casefold(): sheet for sheet in sheets}
    if "players" not in named or "games" not in named:
        return None
    tables = {
        table: Sheet(f"{source.name}/{table}", [Row(row.line, _one_line(row)) for row in sheet.rows])
        for table in _TABLES
        if (sheet := named.get(table.removesuffix(".csv")))
    }
    meta = read_meta(None, source.name)
    if "meta" in named:
        values = {
            row.cells[0]: _meta_value("".join(row.cells[1:])) for row in named["meta"].rows if row.cells[0]
        }
        meta = meta_of(values, Faults(f"{source.name}/meta.json"))
    faults = {table: Faults(sheet.name) for table, sheet in tables.items()}
    return _event(tables, faults, meta, name, (source.facts(),))


def _one_line(row: Row) -> list[str]:
    return [cell.replace("\r", " ").replace("\n", " ") for cell in row.cells]


def _meta_value(text: str) -> object:
    try:
        return json.loads(text) if text[:1] in "[{0123456789" or text in ("true", "false", "null") else text
    except ValueError:
        return text


def _event(
    sheets: dict[str, Sheet], faults_of: dict[str, Faults], meta: Meta, name: str, sources: tuple[SourceFile, ...]
) -> Event:  # fmt: skip
    """The event of the tables of a folder."""
    discipline, scoring = meta.discipline(), meta.scoring()
    players, player_extra = read_players(sheets["players.csv"], faults_of["players.csv"], discipline)
    extra: dict[str, Any] = {**meta.extra, **player_extra}
    facts: dict[str, Any] = {}
    official_faults = faults_of.get("official.csv", Faults("official.csv"))
    if "official.csv" in sheets:
        said, lines = add_official(sheets["official.csv"], players, official_faults, discipline)
        extra.update(said)
        facts.update(published_file=sheets["official.csv"].name, published_lines=lines)
    game_faults = faults_of["games.csv"]
    games, game_extra = read_games(sheets["games.csv"], game_faults, discipline, scoring, meta.values)
    extra.update(game_extra)

    kind = meta.format()
    if "teams.csv" in sheets:
        facts["teams"] = _read_table(sheets["teams.csv"], game_faults, _TEAM_TEXT)
        if "matches.csv" in sheets:
            facts["matches"] = _read_table(sheets["matches.csv"], game_faults, frozenset({"kind"}))
    elif kind.startswith("team"):
        if not any(players["team"]):
            players["team"] = list(players["unit"])
        facts["teams"] = teams_from_players(players)
        facts["matches"] = matches_from_games(
            facts["teams"], games, scoring, with_match_points=meta.counts_matches()
        )
    event = draft_event(
        players,
        games,
        game_faults,
        scoring=scoring,
        id=meta.text("slug") or name,
        name=meta.text("title", "name"),
        discipline=discipline,
        federation=meta.text("federation"),
        format=kind,
        rounds=meta.rounds(),
        start=meta.day("start"),
        end=meta.day("end"),
        place=meta.text("place"),
        time_control=meta.text("time_control"),
        arbiters=meta.texts("arbiters", "arbiter"),
        rules=meta.texts("rules"),
        sources=sources,
        extra=extra,
        **meta.tie_breaks(),
        **facts,
    )
    faults = Faults(name)
    meta.check_players(sum(1 for line in players["line"] if line), faults)
    everything = (
        *meta.faults.findings(), *faults_of["players.csv"].findings(), *official_faults.findings(), *event.faults,
        *faults.findings(),
    )  # fmt: skip
    return replace(event, faults=everything)


def _read_table(sheet: Sheet, faults: Faults, text_columns: frozenset[str]) -> Columns:
    if not sheet.rows:
        faults.add("CK49", "file-empty", severity="W", name=base_name(sheet.name))
        return {}
    table = headed(sheet.rows, sheet.name, {}, faults)
    columns: Columns = {head: [] for head in table.heads}
    for row in table.rows:
        for head in columns:
            text = table.cell(row, head)
            if head in text_columns:
                columns[head].append(text)
            elif head in ("number", "round", "first", "second"):
                columns[head].append(whole(text) or 0)
            else:
                columns[head].append(read_number(text, faults, row.line, 0, head))
    columns["line"] = [row.line for row in table.rows]
    return columns


FORMAT = Format(
    name="folder",
    described="folder `players.csv`, `games.csv`, `meta.json`, perhaps `official.csv`, `teams.csv`, `matches.csv`; also as zip",
    recognise=lambda look: False,  # by the names of its files: see is_event_folder
    written={"": "folder", ".zip": "zip"},
)
