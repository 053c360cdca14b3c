"""The folder format: ``players.csv``, ``games.csv``, ``meta.json`` and perhaps ``official.csv``.

Columns and keys are those of the interface (docs/formats.md). ``white`` and ``black`` are the colours
of the pieces. The side with the first move, ``first`` in the model, is White in chess, Red (written in
the white columns) in xiangqi, and Black in go; in a go game with handicap stones ``first`` is Black too,
who has the stones on the board before White's first move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.draft import Columns, draft_event, matches_from_games, teams_from_players
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.folder.games_csv import read_games
from qiyi_analysis.readers.folder.meta_json import read_meta
from qiyi_analysis.readers.folder.players_csv import add_official, read_players
from qiyi_analysis.readers.source import EVENT_FILES, Source, base_name
from qiyi_analysis.readers.tables.delimited import headed, read_rows
from qiyi_analysis.readers.tables.player_fields import read_number, whole

_TEAM_TEXT = frozenset({"name", "nickname", "members"})


def read_folder(sources: Sequence[Source], name: str) -> Event:
    """Read an event from its files. Raises ReadError where a file or a column without which nothing goes is missing."""
    files = {base_name(source.name): source for source in sources}
    for needed in ("players.csv", "games.csv"):
        if needed not in files:
            raise ReadError("folder-lacks", file=name, needed=needed)
    meta = read_meta(files.get("meta.json"), name)
    discipline, scoring = meta.discipline(), meta.scoring()

    player_faults = Faults(files["players.csv"].name)
    players, player_extra = read_players(files["players.csv"], player_faults, discipline)
    extra: dict[str, Any] = {**meta.extra, **player_extra}
    facts: dict[str, Any] = {}
    official_faults = Faults(files["official.csv"].name if "official.csv" in files else "official.csv")
    if "official.csv" in files:
        said, lines = add_official(files["official.csv"], players, official_faults, discipline)
        extra.update(said)
        facts.update(published_file=files["official.csv"].name, published_lines=lines)

    game_faults = Faults(files["games.csv"].name)
    games, game_extra = read_games(files["games.csv"], game_faults, discipline, scoring, meta.values)
    extra.update(game_extra)

    kind = meta.format()
    if "teams.csv" in files:
        facts["teams"] = _read_table(files["teams.csv"], game_faults, _TEAM_TEXT)
        if "matches.csv" in files:
            facts["matches"] = _read_table(files["matches.csv"], game_faults, frozenset({"kind"}))
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
        sources=tuple(files[one].facts() for one in EVENT_FILES if one in files),
        extra=extra,
        **meta.tie_breaks(),
        **facts,
    )
    faults = Faults(name)
    meta.check_players(sum(1 for line in players["line"] if line), faults)
    everything = (
        *meta.faults.findings(), *player_faults.findings(), *official_faults.findings(), *event.faults,
        *faults.findings(),
    )  # fmt: skip
    return replace(event, faults=everything)


def _read_table(source: Source, faults: Faults, text_columns: frozenset[str]) -> Columns:
    rows = read_rows(source, faults)
    if not rows:
        faults.add("CK49", "file-empty", severity="W", name=base_name(source.name))
        return {}
    table = headed(rows, source, {}, faults)
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
