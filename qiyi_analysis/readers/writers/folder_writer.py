"""Writing the folder format, as files in a folder, as the sheets of a workbook, or as a zip archive."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from qiyi_analysis.model.event import TIE_BREAK_COLUMNS, Event, Scoring

_PLAYERS = (
    ("no", "number"), ("name", "name"), ("title", "title"), ("fed", "federation"), ("sex", "sex"), ("birth_year", "birth_year"),
    ("rating", "rating"), ("rating_kind", "rating_kind"), ("k", "k"), ("club", ""), ("note", "note"), ("id", "id"), ("unit", "unit"),
    ("team", "team"), ("board", "board"), ("games_before", "games_before"), ("events_before", "events_before"), ("peak", "peak"),
    ("standard_rating", "standard_rating"), ("fouls", "fouls"), ("warnings", "warnings"), ("birth_date", "birth_date"),
    ("withdrawn_after", "withdrawn_after"), ("start_score", "start_score"),
)  # fmt: skip
_OFFICIAL = ("rank", "points", *TIE_BREAK_COLUMNS, "performance", "new_rating")
_FORMAT_WORDS = {
    "swiss": "Swiss", "round-robin": "single round robin", "double-round-robin": "double round robin", "team-swiss": "team Swiss",
    "team-round-robin": "team round robin", "knock-out": "knock-out", "mcmahon": "McMahon", "match": "match", "member-places": "member places", "": "",
}  # fmt: skip


def event_tables(event: Event) -> dict[str, list[list[str]]]:
    """The event as rows of text: players, games, official, and teams and matches where there are any."""
    tables = {"players": _players(event), "games": _games(event)}
    official = _official(event)
    if len(official) > 1:
        tables["official"] = official
    if len(event.teams):
        tables["teams"] = _plain(event.teams)
        tables["matches"] = _plain(event.matches)
    return tables


def event_files(event: Event) -> dict[str, bytes]:
    """The files of the folder format, by name."""
    files = {f"{name}.csv": _csv(rows) for name, rows in event_tables(event).items()}
    meta = json.dumps(event_meta(event), ensure_ascii=False, indent=1, allow_nan=False, default=str)
    files["meta.json"] = (meta + "\n").encode()
    return files


def event_meta(event: Event) -> dict[str, Any]:
    """The keys of ``meta.json``."""
    meta: dict[str, Any] = {
        "slug": event.id, "title": event.name, "game": event.discipline, "federation": event.federation,
        "format": _FORMAT_WORDS.get(event.format, event.format), "rounds": event.rounds, "players": len(event.players),
        "start": event.start.isoformat() if event.start else None, "end": event.end.isoformat() if event.end else None,
        "place": event.place, "time_control": event.time_control, "scoring": _scoring(event.scoring),
        "arbiters": list(event.arbiters), "rules": list(event.rules), "tie_breaks": _tie_breaks(event),
    }  # fmt: skip
    for key, value in event.extra.items():
        meta.setdefault(key, _plain_value(value))
    return {key: value for key, value in meta.items() if value not in (None, "", [])}


def _tie_breaks(event: Event) -> list[Any]:
    columns = [{"column": column, "rule": rule} for column, rule in event.tie_break_columns.items()]
    return [*columns, *event.tie_breaks]


def _plain_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain_value(item) for item in value]
    return (
        value
        if value is None
        or isinstance(value, (str, int, bool))
        or (isinstance(value, float) and math.isfinite(value))
        else str(value)
    )


def _scoring(scoring: Scoring) -> dict[str, float | int]:
    names = (
        "win", "draw_first", "draw_second", "loss", "forfeit_win", "forfeit_loss", "pab", "full_bye", "half_bye", "zero_bye",
        "match_win", "match_draw", "match_loss",
    )  # fmt: skip
    values = {name: float(getattr(scoring, name)) for name in names}
    return {name: int(value) if value == int(value) else value for name, value in values.items()}


def cell_text(value: Any) -> str:
    """A cell: numbers without trailing zeros, missing ones empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
    return str(value)


def _players(event: Event) -> list[list[str]]:
    rows = [[head for head, _ in _PLAYERS]]
    columns = [event.players[name].tolist() if name else [""] * len(event.players) for _, name in _PLAYERS]
    rows.extend([cell_text(value) for value in values] for values in zip(*columns, strict=True))
    return rows


def _games(event: Event) -> list[list[str]]:
    games = event.games
    white, black = ("second", "first") if event.discipline == "go" else ("first", "second")
    heads = (
        ("round", "round"), ("board", "board"), ("white", white), ("black", black), ("white_score", f"{white}_points"),
        ("black_score", f"{black}_points"), ("kind", "kind"), ("handicap", "handicap"), ("colours_known", "colours_known"),
        ("komi", "komi"), ("day", "day"), ("note", "note"), ("first_count", "first_count"), ("white_result", f"{white}_result"),
        ("black_result", f"{black}_result"),
    )  # fmt: skip
    rows = [[head for head, _ in heads]]
    for values in zip(*(games[name].tolist() for _, name in heads), strict=True):
        row = [cell_text(value) for value in values]
        for place in (2, 3):
            if row[place] == "0":
                row[place] = ""
        if not row[2]:  # a go player without opponent is written in the first column too
            row[2], row[3], row[4], row[5] = row[3], row[2], row[5], row[4]
            row[13], row[14] = row[14], row[13]
        rows.append(row)
    return rows


def _official(event: Event) -> list[list[str]]:
    players = event.players
    names = [name for name in _OFFICIAL if players[name].notna().any()]
    texts = {"expected_score": ("expected_text", "expected"), "rating_change": ("change_text", "change")}
    extra = [head for head, (_, name) in texts.items() if players[name].notna().any()]
    rows = [["no", *names, *extra]]
    if not names and not extra:
        return rows
    for i, number in enumerate(players["number"]):
        row = [str(int(number)), *(cell_text(players[name].iloc[i]) for name in names)]
        for head in extra:
            text, value = texts[head]
            row.append(players[text].iloc[i] or cell_text(players[value].iloc[i]))
        if any(row[1:]):
            rows.append(row)
    return rows


def _plain(table: pd.DataFrame) -> list[list[str]]:
    names = [name for name in table.columns if name != "line"]
    rows = [names]
    rows.extend(
        [cell_text(value) for value in values]
        for values in zip(*(table[name].tolist() for name in names), strict=True)
    )
    return rows


def _csv(rows: list[list[str]]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue().encode("utf-8", errors="replace")
