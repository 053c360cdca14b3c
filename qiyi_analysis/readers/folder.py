"""The folder format: ``players.csv``, ``games.csv``, ``meta.json`` and perhaps ``official.csv``.

Columns and keys are those of the interface (docs/formats.md). ``white`` and ``black`` are the colours
of the pieces. The side with the first move, ``first`` in the model, is White in chess, Red (written in
the white columns) in xiangqi, and Black in go; in a go game with handicap stones ``first`` is Black too,
who has the stones on the board before White's first move.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.errors import ReadError
from qiyi_analysis.model import TIE_BREAK_COLUMNS, Event, Scoring
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.delimited import HeadedTable, Row, headed, read_rows, report_encoding
from qiyi_analysis.readers.draft import (
    MOST_ROUNDS,
    Columns,
    draft_event,
    matches_from_games,
    read_discipline,
    read_format,
    read_scoring,
    teams_from_players,
)
from qiyi_analysis.readers.event_dates import report_date
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.folder_games import read_games
from qiyi_analysis.readers.player_fields import read_birth, read_number, read_rating, read_sex, whole
from qiyi_analysis.readers.source import EVENT_FILES, Source, base_name, decode

PLAYER_ALIASES = {
    "number": "no", "nr": "no", "starting_rank": "no", "federation": "fed", "born": "birth_year",
    "fide_id": "id", "elo": "rating", "gender": "sex",
}  # fmt: skip
OFFICIAL_ALIASES = {
    "number": "no",
    "change": "rating_change",
    "expected": "expected_score",
    "we": "expected_score",
}

_TEXT_PLAYER_COLUMNS = {
    "id": "id", "name": "name", "title": "title", "fed": "federation", "rating_kind": "rating_kind",
    "team": "team", "note": "note",
}  # fmt: skip
_NUMBER_PLAYER_COLUMNS = (
    "k", "games_before", "events_before", "peak", "standard_rating", "fouls", "warnings", "board", "withdrawn_after", "start_score",
)  # fmt: skip
_META_KEYS = frozenset(
    [
        "slug",
        "title",
        "name",
        "game",
        "discipline",
        "format",
        "rounds",
        "start",
        "end",
        "place",
        "time_control",
        "arbiters",
        "arbiter",
        "rules",
        "federation",
        "scoring",
        "points_per_game",
        "rounds_dates",
        "tie_breaks",
    ]
)


def read_folder(sources: Sequence[Source], name: str) -> Event:
    """Read an event from its files. Raises ReadError where a file or a column without which nothing goes is missing."""
    files = {base_name(source.name): source for source in sources}
    for needed in ("players.csv", "games.csv"):
        if needed not in files:
            raise ReadError("folder-lacks", file=name, needed=needed)
    meta, meta_faults = _read_meta(files.get("meta.json"), name)
    discipline = _discipline(meta, meta_faults)
    scoring = _scoring(meta, meta_faults)

    player_faults = Faults(files["players.csv"].name)
    players, player_extra = read_players(files["players.csv"], player_faults, discipline, meta)
    extra: dict[str, Any] = {key: value for key, value in meta.items() if key not in _META_KEYS}
    extra.update(player_extra)
    official_faults = Faults(files["official.csv"].name if "official.csv" in files else "official.csv")
    if "official.csv" in files:
        extra.update(add_official(files["official.csv"], players, official_faults))

    game_faults = Faults(files["games.csv"].name)
    games, game_extra = read_games(files["games.csv"], game_faults, discipline, scoring, meta)
    extra.update(game_extra)

    kind = _format(meta, meta_faults)
    facts: dict[str, Any] = {}
    if "teams.csv" in files:
        facts["teams"] = _read_table(files["teams.csv"], game_faults, _TEAM_TEXT)
        if "matches.csv" in files:
            facts["matches"] = _read_table(files["matches.csv"], game_faults, frozenset({"kind"}))
    elif kind.startswith("team"):
        if not any(players["team"]):
            players["team"] = list(players["unit"])
        facts["teams"] = teams_from_players(players)
        counts = bool(isinstance(meta.get("scoring"), dict) and "match_win" in meta["scoring"])
        facts["matches"] = matches_from_games(facts["teams"], games, scoring, with_match_points=counts)
    faults = Faults(name)
    event = draft_event(
        players,
        games,
        game_faults,
        scoring=scoring,
        id=str(meta.get("slug") or name),
        name=str(meta.get("title") or meta.get("name") or ""),
        discipline=discipline,
        federation=str(meta.get("federation") or ""),
        format=kind,
        rounds=_rounds(meta, meta_faults),
        start=_day(meta, "start", meta_faults),
        end=_day(meta, "end", meta_faults),
        place=str(meta.get("place") or ""),
        time_control=str(meta.get("time_control") or ""),
        arbiters=_texts(meta.get("arbiters") or meta.get("arbiter")),
        rules=_texts(meta.get("rules")),
        sources=tuple(files[one].facts() for one in EVENT_FILES if one in files),
        extra=extra,
        **_tie_breaks(meta, meta_faults),
        **facts,
    )
    _check_counts(meta, len(player_rows(players)), faults)
    everything = (
        *meta_faults.findings(), *player_faults.findings(), *official_faults.findings(), *event.faults,
        *faults.findings(),
    )  # fmt: skip
    return replace(event, faults=everything)


def player_rows(players: Columns) -> list[int]:
    """Numbers of the players that stand in a line of the file."""
    return [number for number, line in zip(players["number"], players["line"], strict=True) if line]


# --- meta.json -----------------------------------------------------------------------------------


def _read_meta(source: Source | None, name: str) -> tuple[dict[str, Any], Faults]:
    if source is None:
        faults = Faults(f"{name}/meta.json")
        faults.add("CK49", "meta-missing", severity="W")
        return {}, faults
    faults = Faults(source.name)
    text = decode(source.data)
    report_encoding(text, faults)
    try:
        meta = json.loads(text.text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        reason = "meta-unreadable" if text.text.strip() else "file-empty"
        faults.add("CK49", reason, severity="W", line=line, read=str(error), name=base_name(source.name))
        return {}, faults
    if not isinstance(meta, dict):
        faults.add("CK49", "meta-no-object", severity="W", read=text.text.strip()[:60])
        return {}, faults
    return meta, faults


def _discipline(meta: Mapping[str, Any], faults: Faults) -> str:
    given = str(meta.get("game") or meta.get("discipline") or "")
    if not given:
        return "chess"
    found = read_discipline(given)
    if not found:
        faults.add(
            "CK49",
            "discipline-unknown",
            severity="W",
            field="game",
            read=given,
            assumed="chess",
            recomputed=words.said("discipline.chess"),
        )
    return found or "chess"


def _format(meta: Mapping[str, Any], faults: Faults) -> str:
    given = str(meta.get("format") or "")
    found = read_format(given)
    if given and not found:
        faults.add("CK49", "format-unknown", severity="W", field="format", read=given)
    return found


def _scoring(meta: Mapping[str, Any], faults: Faults) -> Scoring:
    values = meta.get("scoring")
    per_game = meta.get("points_per_game")
    try:
        per = (
            Fraction(str(per_game))
            if isinstance(per_game, (int, float)) and not isinstance(per_game, bool)
            else None
        )
        named = (
            {str(k): v for k, v in values.items() if not isinstance(v, str)}
            if isinstance(values, dict)
            else {}
        )
        found = read_scoring(named, per)
    except (ValueError, OverflowError, ZeroDivisionError):
        faults.add("CK43", "scoring-unreadable", field="scoring", read=_as_written(values))
        return Scoring()
    return found if found is not None else Scoring()


def _rounds(meta: Mapping[str, Any], faults: Faults) -> int | None:
    value = meta.get("rounds")
    if value is None:
        return None
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float, str))
        or not str(value).strip().isdecimal()
    ):
        faults.add("CK43", "rounds-unreadable", field="rounds", read=value)
        return None
    rounds = int(str(value).strip()[:9])
    if not 1 <= rounds <= MOST_ROUNDS:
        faults.add("CK43", "rounds-unreadable", field="rounds", read=value)
        return None
    return rounds


def _day(meta: Mapping[str, Any], key: str, faults: Faults) -> date | None:
    value = meta.get(key)
    if value in (None, ""):
        return None
    written = _as_written(value)
    read = fields.read_date(written)
    report_date(read, read.day, faults, field=key, read=written)
    return read.day


def _texts(value: Any) -> tuple[str, ...]:
    if value is None or value == "":
        return ()
    items = value if isinstance(value, (list, tuple)) else (value,)
    return tuple(_as_written(item) for item in items if item is not None)


def _as_written(value: Any) -> str:
    """A value of ``meta.json`` as its writer sees it there: JSON, text without its quotes."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _tie_breaks(meta: dict[str, Any], faults: Faults) -> dict[str, Any]:
    """Codes in their order, and what the columns tb1, tb2, ... hold: a list, or one text with commas."""
    rows = meta.get("tie_breaks")
    if isinstance(rows, str):
        # Commas inside brackets belong to the parameters of a number.
        rows = [part.strip() for part in re.split(r"[,，、;；](?![^(（]*[)）])", rows)]
    columns: dict[str, str] = {}
    codes: list[str] = []
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and row.get("column"):
            columns[str(row["column"])] = str(row.get("rule") or row.get("code") or "")
            if row.get("code"):
                codes.append(str(row["code"]))
        elif isinstance(row, str):
            codes += [row] if row else []
        else:
            faults.add("CK43", "tie-break-unreadable", field="tie_breaks", read=_as_written(row))
    if not isinstance(rows, list) and rows:
        faults.add("CK43", "tie-break-unreadable", field="tie_breaks", read=_as_written(rows))
    return {"tie_break_columns": columns, "tie_breaks": tuple(codes)}


def _check_counts(meta: Mapping[str, Any], counted: int, faults: Faults) -> None:
    announced = meta.get("players")
    if isinstance(announced, int) and not isinstance(announced, bool) and announced != counted:
        faults.add(
            "CK06", "players-announced", field="players", read=announced, assumed=counted,
            announced=announced, counted=counted,
        )  # fmt: skip


# --- players.csv ---------------------------------------------------------------------------------


def read_players(
    source: Source, faults: Faults, discipline: str, meta: Mapping[str, Any]
) -> tuple[Columns, dict[str, Any]]:
    """Columns of the players table. Raises ReadError for an empty file or one without numbers and names."""
    table = headed(read_rows(source, faults), source, PLAYER_ALIASES, faults)
    if not table.has("no") and not table.has("name"):
        raise ReadError("no-number-column", file=source.name, line=table.first_line, found=table.heads)
    for needed in ("no", "name", "rating"):
        if not table.has(needed):
            faults.add(
                "CK02",
                "column-missing",
                severity="W",
                line=table.first_line,
                field=needed,
                read=tuple(table.heads),
                needed=needed,
            )
    if not table.rows:
        faults.add("CK07", "no-players", line=table.first_line)
    names = (
        "number", "id", "name", "sex", "federation", "unit", "team", "title", "rating", "rating_kind", "note",
        "birth_year", "birth_date", "line", *_NUMBER_PLAYER_COLUMNS,
    )  # fmt: skip
    columns: Columns = {name: [] for name in names}
    known = set(_TEXT_PLAYER_COLUMNS) | set(_NUMBER_PLAYER_COLUMNS) | {
        "no", "sex", "club", "unit", "rating", "birth_year", "birth_date",
    }  # fmt: skip
    others = {head for head in table.heads if head not in known}
    extra: dict[str, Any] = {f"players.{head}": {} for head in others}
    left_out: list[dict[str, Any]] = []
    seen: dict[int, int] = {}
    next_free = 0
    for row in table.rows:
        number = _player_number(table, row, faults, next_free)
        if number in seen:
            faults.add(
                "CK09", "number-twice", line=row.line, player=number, field="no", read=number,
                assumed=f"line {seen[number]}", other=seen[number],
            )  # fmt: skip
            left_out.append({"file": source.name, "line": row.line, "cells": row.cells})
            continue
        seen[number] = row.line
        next_free = max(next_free, number)
        columns["number"].append(number)
        columns["line"].append(row.line)
        for head, name in _TEXT_PLAYER_COLUMNS.items():
            columns[name].append(_text(table.cell(row, head), faults, row.line, number, head))
        columns["unit"].append(
            _text(table.cell(row, "unit") or table.cell(row, "club"), faults, row.line, number, "unit")
        )
        columns["sex"].append(read_sex(table.cell(row, "sex"), faults, row.line, number))
        columns["rating"].append(
            read_rating(table.cell(row, "rating"), faults, row.line, number, discipline=discipline)
        )
        year, day = read_birth(
            table.cell(row, "birth_year") or table.cell(row, "birth_date"), faults, row.line, number
        )
        if table.has("birth_date") and table.cell(row, "birth_date"):
            day = read_birth(table.cell(row, "birth_date"), faults, row.line, number)[1]
        columns["birth_year"].append(year)
        columns["birth_date"].append(day)
        for head in _NUMBER_PLAYER_COLUMNS:
            columns[head].append(read_number(table.cell(row, head), faults, row.line, number, head))
        # Collected events write the start score into the note.
        noted = re.search(r"McMahon start\s+(-?\d+)", columns["note"][-1])
        if noted and math.isnan(columns["start_score"][-1]):
            columns["start_score"][-1] = float(noted.group(1))
        for head in others:
            if table.cell(row, head):
                extra[f"players.{head}"][number] = table.cell(row, head)
    extra = {key: values for key, values in extra.items() if values}
    if left_out:
        extra["players.left_out"] = left_out
    return columns, extra


def _player_number(table: HeadedTable, row: Row, faults: Faults, last: int) -> int:
    text = table.cell(row, "no")
    number = whole(text)
    if number is None or number <= 0:
        number = last + 1
        if table.has("no"):
            faults.add(
                "CK43",
                "number-unreadable",
                line=row.line,
                player=number,
                field="no",
                read=text,
                assumed=number,
            )
    return number


def _text(text: str, faults: Faults, line: int, number: int, field: str) -> str:
    cleaned, changed = fields.without_card_numbers(text)
    if changed:
        faults.add("CK49", "card-number", severity="W", line=line, player=number, field=field)
    return cleaned


# --- official.csv, teams.csv, matches.csv --------------------------------------------------------

_TEAM_TEXT = frozenset({"name", "nickname", "members"})


def add_official(source: Source, players: Columns, faults: Faults) -> dict[str, Any]:
    """Add the published values of ``official.csv`` to the players' columns; returns what else it says."""
    size = len(players["number"])
    nan = float("nan")
    numeric = ("rank", "points", *TIE_BREAK_COLUMNS, "performance", "new_rating")
    for name in (*numeric, "expected", "change"):
        players[name] = [nan] * size
    players["expected_text"], players["change_text"] = [""] * size, [""] * size
    rows = read_rows(source, faults)
    if not rows:
        faults.add("CK49", "file-empty", severity="W", name=base_name(source.name))
        return {}
    table = headed(rows, source, OFFICIAL_ALIASES, faults)
    if not table.has("no"):
        faults.add(
            "CK02", "column-missing", line=table.first_line, field="no", read=tuple(table.heads), needed="no"
        )
        return {
            "official.left_out": [
                {"file": source.name, "line": row.line, "cells": row.cells} for row in table.rows
            ]
        }
    place = {number: i for i, number in enumerate(players["number"])}
    others = set(table.heads) - {*numeric, "no", "expected_score", "rating_change"}
    extra: dict[str, Any] = {f"official.{head}": {} for head in others}
    signs = _official_signs(table, (*numeric, "expected_score", "rating_change"))
    lines: dict[int, int] = {}
    for row in table.rows:
        number = whole(table.cell(row, "no"))
        i = place.get(number) if number is not None else None
        if i is None or number is None:
            faults.add(
                "CK07",
                "official-unknown-player",
                severity="W",
                line=row.line,
                field="no",
                read=table.cell(row, "no"),
            )
            continue
        if number in lines:
            faults.add(
                "CK09", "official-twice", severity="W", line=row.line, player=number, field="no", read=number,
                assumed=f"line {lines[number]}", other=lines[number],
            )  # fmt: skip
            continue
        lines[number] = row.line
        for head in numeric:
            if text := table.cell(row, head):
                sign = signs[head] or ("," if "." in text else ".")
                players[head][i] = read_number(text, faults, row.line, number, head, sign)
        for head, name in (("expected_score", "expected"), ("rating_change", "change")):
            text = fields.plain(table.cell(row, head)).removeprefix("+")
            if text:
                players[name][i] = read_number(text, faults, row.line, number, head, signs[head])
                players[f"{name}_text"][i] = text.replace(",", ".")
        for head in others:
            if text := table.cell(row, head):
                extra[f"official.{head}"][number] = text
    return {key: values for key, values in extra.items() if values}


def _official_signs(table: HeadedTable, heads: Sequence[str]) -> dict[str, str]:
    """The decimal sign of each column. Scores and changes have no thousands, so 3,490 is a decimal there;
    ratings have, so 1.520 and 1,520 are thousands there ("") unless a cell that can be read in one way only decides."""
    cells = {head: [table.cell(row, head) for row in table.rows] for head in heads}
    ratings = ("performance", "new_rating")
    scores = [cell for head in heads if head not in ratings for cell in cells[head]]
    of_scores = fields.decimal_sign(scores) or ("," if any("," in cell for cell in scores) else ".")
    signs = dict.fromkeys(heads, of_scores)
    for head in ratings:
        signs[head] = fields.decimal_sign(cells[head]) or ""
    return signs


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
