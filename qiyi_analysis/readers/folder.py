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

from qiyi_analysis.errors import ReadError
from qiyi_analysis.model import KINDS, TIE_BREAK_COLUMNS, Event, Kind, Scoring
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.delimited import HeadedTable, Row, headed, read_rows
from qiyi_analysis.readers.draft import (
    LARGEST_NUMBER,
    MOST_ROUNDS,
    Columns,
    add_game,
    bye_result,
    draft_event,
    game_columns,
    matches_from_games,
    read_discipline,
    read_format,
    read_scoring,
    teams_from_players,
)
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.source import Source, decode

PLAYER_ALIASES = {
    "number": "no", "nr": "no", "starting_rank": "no", "federation": "fed", "born": "birth_year",
    "fide_id": "id", "elo": "rating", "gender": "sex",
}  # fmt: skip
GAME_ALIASES = {
    "first": "white", "second": "black", "red": "white", "first_score": "white_score", "red_score": "white_score",
    "second_score": "black_score", "rd": "round", "first_points": "white_score", "second_points": "black_score",
}  # fmt: skip
OFFICIAL_ALIASES = {
    "number": "no",
    "change": "rating_change",
    "expected": "expected_score",
    "we": "expected_score",
}

KIND_NAMES: Mapping[str, Kind] = {
    **{str(kind): kind for kind in Kind},
    "fpb": Kind.FULL_BYE, "hpb": Kind.HALF_BYE, "zpb": Kind.ZERO_BYE, "pab": Kind.PAB, "": Kind.PLAYED,
    "bye": Kind.PAB, "absent": Kind.ZERO_BYE, "double forfeit": Kind.DOUBLE_FORFEIT,
}  # fmt: skip

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


def is_folder(sources: Sequence[Source]) -> bool:
    """Whether the files are those of one event in the folder format."""
    names = {_base(source.name) for source in sources}
    return "players.csv" in names and "games.csv" in names


def read_folder(sources: Sequence[Source], name: str) -> Event:
    """Read an event from its files. Raises ReadError where a file or a column without which nothing goes is missing."""
    files = {_base(source.name): source for source in sources}
    for needed in ("players.csv", "games.csv"):
        if needed not in files:
            raise ReadError(
                f"{name}: no {needed} in the folder; expected players.csv, games.csv and meta.json"
            )
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
        sources=tuple(source.facts() for source in sources),
        extra=extra,
        **_tie_breaks(meta),
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


def _base(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1].casefold()


# --- meta.json -----------------------------------------------------------------------------------


def _read_meta(source: Source | None, name: str) -> tuple[dict[str, Any], Faults]:
    if source is None:
        faults = Faults(f"{name}/meta.json")
        faults.add("CK49", "meta-missing", severity="W")
        return {}, faults
    faults = Faults(source.name)
    text = decode(source.data)
    try:
        meta = json.loads(text.text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        raise ReadError(
            f"{source.name}:{line}: this is no JSON ({str(error)[:80]}); expected an object"
        ) from error
    if not isinstance(meta, dict):
        raise ReadError(
            f"{source.name}: holds a {type(meta).__name__}; expected a JSON object with keys and values"
        )
    return meta, faults


def _discipline(meta: Mapping[str, Any], faults: Faults) -> str:
    given = str(meta.get("game") or meta.get("discipline") or "")
    if not given:
        return "chess"
    found = read_discipline(given)
    if not found:
        faults.add("CK49", "discipline-unknown", severity="W", field="game", read=given, assumed="chess")
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
        faults.add("CK43", "scoring-unreadable", field="scoring", read=values)
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
    read = fields.read_date(str(value))
    if read.day is None:
        faults.add("CK03", "date-unreadable", field=key, read=value)
    elif read.form == "two-digit":
        faults.add(
            "CK03", "date-two-digits", field=key, read=value, assumed=read.day.isoformat(),
            other=read.other.isoformat() if read.other else "-",
        )  # fmt: skip
    elif read.other is not None:
        faults.add(
            "CK03",
            "date-ambiguous",
            field=key,
            read=value,
            assumed=read.day.isoformat(),
            other=read.other.isoformat(),
        )
    elif read.form not in ("iso", "slash"):
        faults.add("CK03", "date-spelling", severity="I", field=key, read=value, assumed=read.day.isoformat())
    return read.day


def _texts(value: Any) -> tuple[str, ...]:
    if value is None or value == "":
        return ()
    return tuple(str(item) for item in value) if isinstance(value, (list, tuple)) else (str(value),)


def _tie_breaks(meta: dict[str, Any]) -> dict[str, Any]:
    rows = meta.get("tie_breaks")
    columns: dict[str, str] = {}
    codes: list[str] = []
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and row.get("column"):
            columns[str(row["column"])] = str(row.get("rule") or row.get("code") or "")
            if row.get("code"):
                codes.append(str(row["code"]))
        elif isinstance(row, str):
            codes.append(row)
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
        raise ReadError(
            f"{source.name}:{table.first_line}: no column 'no' and none 'name'; found {_found(table)}"
        )
    for needed in ("no", "name", "rating"):
        if not table.has(needed):
            faults.add(
                "CK02",
                "column-missing",
                severity="W",
                line=table.first_line,
                field=needed,
                read=_found(table),
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


def _found(table: HeadedTable) -> str:
    return ", ".join(table.heads) or "nothing"


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


def whole(text: str) -> int | None:
    """A whole number of ordinary size, or None."""
    text = fields.plain(text)
    if text.endswith(".0"):
        text = text[:-2]
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        return None
    value = int(text)
    return value if value <= LARGEST_NUMBER else None


def _text(text: str, faults: Faults, line: int, number: int, field: str) -> str:
    cleaned, changed = fields.without_card_numbers(text)
    if changed:
        faults.add("CK49", "card-number", severity="W", line=line, player=number, field=field)
    return cleaned


def read_sex(text: str, faults: Faults, line: int, number: int) -> str:
    sex = fields.read_sex(text)
    if sex is None:
        faults.add("CK43", "sex-unreadable", line=line, player=number, field="sex", read=text)
    return sex or ""


def read_number(
    text: str, faults: Faults, line: int, number: int, field: str, sign: str | None = "."
) -> float:
    """A number of a named field; what is none becomes a finding and NaN."""
    if not text:
        return math.nan
    try:
        return fields.as_float(fields.number(text, sign))
    except ValueError:
        faults.add("CK43", "number-impossible", line=line, player=number, field=field, read=text)
        return math.nan


#: What a rating can be. Go ratings reach below zero (AGA, EGF); the others are at most four digits.
_LOWEST = {"go": -3000.0}
_HIGHEST = 4000.0


def read_rating(
    text: str,
    faults: Faults,
    line: int,
    number: int,
    *,
    discipline: str,
    zero_is_unrated: bool = False,
    field: str = "rating",
) -> float:
    """A rating; 0 and blank are unrated, an impossible one becomes a finding and unrated."""
    if not text:
        return math.nan
    try:
        value = fields.as_float(fields.number(text, "."))
    except ValueError:
        faults.add("CK43", "rating-unreadable", line=line, player=number, field=field, read=text)
        return math.nan
    if value == 0 and discipline != "go":
        if not zero_is_unrated:
            faults.add("CK13", "rating-zero", line=line, player=number, field=field, read=text)
        return math.nan
    if not _LOWEST.get(discipline, 1.0) <= value <= _HIGHEST:
        if value == value:
            faults.add("CK43", "rating-impossible", line=line, player=number, field=field, read=text)
        return math.nan
    return value


def read_birth(text: str, faults: Faults, line: int, number: int) -> tuple[float, str]:
    """Year and date of birth; what cannot be one becomes a finding."""
    try:
        year, day = fields.read_birth(text)
    except ValueError:
        two = fields.plain(text).isdecimal() and len(fields.plain(text)) == 2
        reason = "birth-two-digits" if two or "two" in text else "birth-unreadable"
        faults.add("CK43", reason, line=line, player=number, field="birth_year", read=text)
        return math.nan, ""
    if year == year and not 1850 <= year <= 2100:
        faults.add("CK43", "birth-unreadable", line=line, player=number, field="birth_year", read=text)
        return math.nan, ""
    return year, day


# --- games.csv -----------------------------------------------------------------------------------


def read_games(
    source: Source, faults: Faults, discipline: str, scoring: Scoring, meta: Mapping[str, Any]
) -> tuple[Columns, dict[str, Any]]:
    """Columns of the games table. Raises ReadError where round, white or black is missing as a column."""
    rows = read_rows(source, faults)
    games = game_columns()
    games["komi"], games["day"], games["note"], games["first_count"] = [], [], [], []
    if not rows:
        faults.add("CK07", "no-games", line=0)
        return games, {}
    table = headed(rows, source, GAME_ALIASES, faults)
    for needed in ("round", "white", "black"):
        if not table.has(needed):
            raise ReadError(f"{source.name}:{table.first_line}: no column {needed!r}; found {_found(table)}")
    for needed in ("white_score", "black_score"):
        if not table.has(needed):
            faults.add("CK02", "column-missing", line=table.first_line, field=needed, read=_found(table))
    days = meta.get("rounds_dates")
    days = [str(day) for day in days] if isinstance(days, list) else []
    left_out: list[dict[str, Any]] = []
    scale = _scale(table, scoring, faults)
    for row in table.rows:
        if not _add_row(table, row, games, faults, discipline, scoring, scale, days):
            left_out.append({"file": source.name, "line": row.line, "cells": row.cells})
    return games, ({"games.left_out": left_out} if left_out else {})


def _scale(table: HeadedTable, scoring: Scoring, faults: Faults) -> Fraction:
    """1, or what the scores have to be multiplied with where they are not written in the scoring named.

    Scores of a 2-1-0 event are sometimes left as 1, 1/2, 0 (or the other way round); the sums of the
    two sides show it, if they all agree.
    """
    sums: dict[Fraction, int] = {}
    for row in table.rows[:500]:
        if KIND_NAMES.get(table.cell(row, "kind").casefold()) is not Kind.PLAYED:
            continue
        try:
            one, two = (
                fields.number(table.cell(row, "white_score"), "."),
                fields.number(table.cell(row, "black_score"), "."),
            )
        except ValueError:
            continue
        if one is not None and two is not None:
            sums[one + two] = sums.get(one + two, 0) + 1
    wanted = scoring.win + scoring.loss
    if len(sums) != 1 or 2 * scoring.draw_first != wanted or scoring.draw_first != scoring.draw_second:
        return Fraction(1)
    found, games = next(iter(sums.items()))
    if found in (0, wanted) or games < 3:
        return Fraction(1)
    faults.add(
        "CK49",
        "scores-scaled",
        severity="W",
        field="white_score",
        read=found,
        assumed=wanted,
        found=found,
        wanted=wanted,
    )
    return wanted / found


def _add_row(
    table: HeadedTable, row: Row, games: Columns, faults: Faults, discipline: str, scoring: Scoring, scale: Fraction, days: list[str]
) -> bool:  # fmt: skip
    line = row.line
    round_ = whole(table.cell(row, "round"))
    white, black = whole(table.cell(row, "white")), whole(table.cell(row, "black"))
    if round_ is None or not 1 <= round_ <= MOST_ROUNDS:
        faults.add(
            "CK43", "round-unreadable", severity="E", line=line, field="round", read=table.cell(row, "round")
        )
        return False
    for field, value in (("white", white), ("black", black)):
        if table.cell(row, field) and value is None:
            faults.add(
                "CK43",
                "opponent-unreadable",
                severity="E",
                line=line,
                round=round_,
                field=field,
                read=table.cell(row, field),
            )
            return False
    kind = _kind(table, row, faults, round_)
    if not white and not black:
        faults.add("CK15", "game-without-players", line=line, round=round_)
        return False
    if not white or not black:
        _add_bye(table, row, games, faults, kind, round_, white or black or 0, scoring, scale)
    else:
        if not KINDS[kind].paired:
            faults.add(
                "CK15",
                "bye-with-opponent",
                line=line,
                round=round_,
                player=white,
                field="kind",
                read=table.cell(row, "kind"),
            )
        if white == black:
            faults.add(
                "CK15", "against-himself", line=line, round=round_, player=white, field="black", read=black
            )
            kind = Kind.UNPLAYED
            black = 0
        _add_paired(table, row, games, faults, kind, round_, white, black, discipline, scoring, scale)
    games["komi"].append(read_number(table.cell(row, "komi"), faults, line, 0, "komi"))
    games["day"].append(
        table.cell(row, "day") or table.cell(row, "date") or (days[round_ - 1] if round_ <= len(days) else "")
    )
    games["note"].append(table.cell(row, "note"))
    games["first_count"].append(read_number(table.cell(row, "first_count"), faults, line, 0, "first_count"))
    return True


def _kind(table: HeadedTable, row: Row, faults: Faults, round_: int) -> Kind:
    text = table.cell(row, "kind")
    kind = KIND_NAMES.get(text.casefold().strip())
    if kind is None:
        faults.add("CK19", "kind-unknown", line=row.line, round=round_, field="kind", read=text)
        return Kind.UNPLAYED
    return kind


def _score(
    table: HeadedTable, row: Row, field: str, scale: Fraction, faults: Faults, round_: int
) -> Fraction | None:
    text = table.cell(row, field)
    try:
        value = fields.number(text, ".")
    except ValueError:
        faults.add("CK15", "score-unreadable", line=row.line, round=round_, field=field, read=text)
        return None
    return None if value is None else value * scale


def _add_bye(
    table: HeadedTable, row: Row, games: Columns, faults: Faults, kind: Kind, round_: int, player: int, scoring: Scoring, scale: Fraction
) -> None:  # fmt: skip
    points = _score(
        table, row, "white_score" if whole(table.cell(row, "white")) else "black_score", scale, faults, round_
    )
    if KINDS[kind].paired and kind not in (Kind.FORFEIT, Kind.UNPLAYED):
        assumed = Kind.ZERO_BYE if not points else Kind.PAB if points == scoring.pab else Kind.HALF_BYE
        faults.add(
            "CK19",
            "bye-kind-assumed",
            line=row.line,
            round=round_,
            player=player,
            field="kind",
            read=table.cell(row, "kind"),
            assumed=assumed,
        )
        kind = assumed
    if kind is Kind.FORFEIT:
        result = "1" if points and points > scoring.forfeit_loss else "0"
    else:
        result = bye_result(kind)
    add_game(
        games, round=round_, first=player, second=0, kind=kind, first_result=result, board=table.cell(row, "board"),
        first_points=fields.as_float(points), colours_known=False, line=row.line,
    )  # fmt: skip


def _add_paired(
    table: HeadedTable, row: Row, games: Columns, faults: Faults, kind: Kind, round_: int, white: int, black: int,
    discipline: str, scoring: Scoring, scale: Fraction,
) -> None:  # fmt: skip
    white_points = _score(table, row, "white_score", scale, faults, round_)
    black_points = _score(table, row, "black_score", scale, faults, round_)
    swap = discipline == "go"
    first, second = (black, white) if swap else (white, black)
    first_points, second_points = (black_points, white_points) if swap else (white_points, black_points)
    if not first:  # a player against himself, kept without opponent
        first, second, first_points, second_points = second, 0, white_points, None
    forfeit = kind in (Kind.FORFEIT, Kind.DOUBLE_FORFEIT)
    if kind is Kind.UNPLAYED:
        one = two = ""
    else:
        one = _result(first_points, scoring, True, forfeit, faults, row.line, round_, first)
        two = _result(second_points, scoring, False, forfeit, faults, row.line, round_, second)
        if kind is Kind.PLAYED and one == two == "" and first_points is None and second_points is None:
            kind = Kind.UNPLAYED
        elif kind in (Kind.PLAYED, Kind.UNRATED) and (one == "") != (two == ""):
            # The result of one side only: kept as printed, not rated.
            shown = f"{table.cell(row, 'white_score') or '?'}-{table.cell(row, 'black_score') or '?'}"
            faults.add(
                "CK15", "pair-one-sided", line=row.line, round=round_, player=first, field="result", read=shown,
                first=first, second=second,
            )  # fmt: skip
            kind = Kind.UNPLAYED
    known = table.cell(row, "colours_known").casefold()
    add_game(
        games, round=round_, first=first, second=second, kind=kind, first_result=one, second_result=two,
        board=table.cell(row, "board"), first_points=fields.as_float(first_points), second_points=fields.as_float(second_points),
        handicap=read_number(table.cell(row, "handicap"), faults, row.line, 0, "handicap"),
        colours_known=known not in ("0", "no", "false", "n"), line=row.line,
    )  # fmt: skip


def _result(
    points: Fraction | None, scoring: Scoring, first: bool, forfeit: bool, faults: Faults, line: int, round_: int, player: int
) -> str:  # fmt: skip
    if points is None:
        return ""
    if forfeit:
        return "1" if points == scoring.forfeit_win and points > scoring.forfeit_loss else "0"
    if points == scoring.win:
        return "1"
    if points == (scoring.draw_first if first else scoring.draw_second):
        return "="
    if points == scoring.loss:
        return "0"
    faults.add(
        "CK15", "score-outside-scoring", line=line, round=round_, player=player, field="score", read=float(points),
        win=float(scoring.win), draw=float(scoring.draw_first), loss=float(scoring.loss),
    )  # fmt: skip
    return ""


# --- official.csv, teams.csv, matches.csv --------------------------------------------------------

_TEAM_TEXT = frozenset({"name", "nickname", "members"})


def add_official(source: Source, players: Columns, faults: Faults) -> dict[str, Any]:
    size = len(players["number"])
    nan = float("nan")
    numeric = ("rank", "points", *TIE_BREAK_COLUMNS, "performance", "new_rating")
    for name in (*numeric, "expected", "change"):
        players[name] = [nan] * size
    players["expected_text"], players["change_text"] = [""] * size, [""] * size
    rows = read_rows(source, faults)
    if not rows:
        return {}
    table = headed(rows, source, OFFICIAL_ALIASES, faults)
    if not table.has("no"):
        faults.add("CK02", "column-missing", line=table.first_line, field="no", read=_found(table))
        return {
            "official.left_out": [
                {"file": source.name, "line": row.line, "cells": row.cells} for row in table.rows
            ]
        }
    place = {number: i for i, number in enumerate(players["number"])}
    others = set(table.heads) - {*numeric, "no", "expected_score", "rating_change"}
    extra: dict[str, Any] = {f"official.{head}": {} for head in others}
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
        for head in numeric:
            if text := table.cell(row, head):
                players[head][i] = read_number(text, faults, row.line, number, head)
        for head, name in (("expected_score", "expected"), ("rating_change", "change")):
            text = fields.plain(table.cell(row, head)).removeprefix("+")
            if text:
                players[name][i] = read_number(text, faults, row.line, number, head)
                players[f"{name}_text"][i] = text.replace(",", ".")
        for head in others:
            if text := table.cell(row, head):
                extra[f"official.{head}"][number] = text
    return {key: values for key, values in extra.items() if values}


def _read_table(source: Source, faults: Faults, text_columns: frozenset[str]) -> Columns:
    rows = read_rows(source, faults)
    if not rows:
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
