"""From what a reader found to an Event: players nobody lists, points that follow, formats in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.characters import simplified
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import (
    GAME_COLUMNS,
    KINDS,
    MATCH_COLUMNS,
    PLAYER_COLUMNS,
    TEAM_COLUMNS,
    Event,
    Kind,
    Result,
    Scoring,
)
from qiyi_analysis.model.frame import frame
from qiyi_analysis.readers.faults import Faults

#: A round, start number or board beyond these was never meant.
MOST_ROUNDS = 400
LARGEST_NUMBER = 10_000_000

#: Players times rounds of one event; the largest opens have some ten thousand.
MOST_ENTRIES = 3_000_000

#: Rows of the tables of one event; a file of more is a list, or no event at all.
MOST_ROWS = 50_000


def check_rows(rows: int, name: str) -> None:
    """Raise ReadError for tables longer than those of any event, before time is spent on them."""
    if rows > MOST_ROWS:
        raise ReadError("event-too-long", file=name, most=MOST_ROWS)


def check_size(players: int, rounds: int, name: str) -> None:
    """Raise ReadError for a table that no event can have, before memory is spent on it."""
    check_rows(players, name)
    if players * rounds > MOST_ENTRIES:
        raise ReadError("event-too-large", file=name, players=players, rounds=rounds, most=MOST_ENTRIES)


Columns = dict[str, list[Any]]

_FORMATS = (
    (r"队员总分|名次总和|member.?places", "member-places"),
    (r"^(individual |chess |two.?player )?match$|^матч$|^对抗赛$", "match"),
    (r"knock.?out|elimin|k\.?o\.?\b|淘汰", "knock-out"),
    (r"mc\s?mahon|麦克马洪", "mcmahon"),
    (r"scheveningen|对抗", "team-round-robin"),
    (r"(team|mannschaft|equipe|équipe|equipo|团体|командн).*(round.?robin|rundenturnier|berger|all.?play.?all|循环|league|liga\b)", "team-round-robin"),
    (r"(team|mannschaft|equipe|équipe|equipo|团体|командн)", "team-swiss"),
    (r"(double|doubly|doppel|doble|双|zwei)[ _-]*(round|all|berger|rundenturnier|循环)|doubleroundrobin|doppelrundig|доп.*круг", "double-round-robin"),
    (r"double.?swiss|swiss|schweizer|suisse|suizo|швейцар|积分编排|瑞士|dutch|dubov|burstein|lim\b|fide_team", "swiss"),
    (r"round.?robin|\brr\b|berger|all.?play.?all|rundenturnier|toutes.?rondes|liga|jeder gegen jeden|todos contra|круговая|循环|schiller", "round-robin"),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern), name) for pattern, name in _FORMATS)


def read_format(text: str) -> str:
    """The format of the model for the words of a file ("" where nothing fits)."""
    folded = re.sub(r"\s+", " ", simplified(text[:400]).casefold())
    if re.search(r"round.?robin|rundenturnier|berger|循环", folded) and re.search(
        r"team|团体|mannschaft", folded
    ):
        return "team-round-robin"
    for pattern, name in _COMPILED:
        if pattern.search(folded):
            return name
    return ""


def read_discipline(text: str) -> str:
    """chess, xiangqi or go for a word or title of a file; "" where it says nothing."""
    folded = simplified(text[:400]).casefold()
    if re.search(r"xiangqi|chinese chess|象棋|中国象棋", folded) and not re.search(
        r"国际象棋|國際象棋", folded
    ):
        return "xiangqi"
    if re.search(r"围棋|圍棋|weiqi|baduk|\bgo\b|囲碁", folded):
        return "go"
    return (
        "chess" if re.search(r"chess|国际象棋|國際象棋|schach|échecs|ajedrez|шахмат|西洋棋", folded) else ""
    )


@lru_cache(maxsize=256)
def points_table(scoring: Scoring) -> dict[tuple[str, str, bool], float]:
    """Points of every kind, result and side, as float: one look-up a game."""
    return {
        (str(kind), str(result), first): float(scoring.points(kind, result, first=first))
        for kind in Kind
        for result in Result
        for first in (True, False)
    }


def draft_event(
    players: Columns,
    games: Columns,
    faults: Faults,
    *,
    scoring: Scoring,
    listed: bool = True,
    unlisted_note: str = "not in the list of players",
    **facts: Any,
) -> Event:
    """Build the Event: players who occur in games only are added, empty points follow from the scoring.

    ``listed``: the file has a list of players, so that an opponent outside it is a fault (CK07).
    """
    known = set(players.get("number", ()))
    strangers: dict[int, tuple[int, int]] = {}
    for column in ("first", "second"):
        for number, line, round_ in zip(
            games.get(column, ()), games.get("line", ()), games.get("round", ()), strict=True
        ):
            if number and number not in known:
                strangers.setdefault(number, (line, round_))
    if strangers:
        # The games stay and the opponent has no rating: nothing is rated with an invented opponent.
        size = len(players["number"])
        for column, values in players.items():
            values.extend(_stranger(column, number, unlisted_note) for number in sorted(strangers))
            assert len(values) == size + len(strangers)
        if listed:
            faults.add(
                "CK07", "list-incomplete", read=size, counted=size, missing=len(strangers), highest=max(max(strangers), max(known, default=0)),
            )  # fmt: skip
            for number, (line, round_) in sorted(strangers.items()):
                faults.add(
                    "CK07", "unknown-opponent", line=line, round=round_, field="opponent", read=number,
                    assumed="unrated player without name", number=number,
                )  # fmt: skip
    fill_points(games, scoring)
    return Event(
        players=frame(players, PLAYER_COLUMNS),
        games=frame(games, GAME_COLUMNS),
        teams=frame(facts.pop("teams"), TEAM_COLUMNS) if facts.get("teams") else _no_rows("teams", facts),
        matches=frame(facts.pop("matches"), MATCH_COLUMNS)
        if facts.get("matches")
        else _no_rows("matches", facts),
        scoring=scoring,
        faults=faults.findings(),
        **facts,
    )


@cache
def _empty(table: str) -> pd.DataFrame:
    return frame([], TEAM_COLUMNS if table == "teams" else MATCH_COLUMNS)


def _no_rows(table: str, facts: dict[str, Any]) -> pd.DataFrame:
    """The empty table; building it takes longer than reading a small file."""
    facts.pop(table, None)
    return _empty(table).copy(deep=False)


def _stranger(column: str, number: int, note: str) -> Any:
    if column == "number":
        return number
    if column == "name":
        return f"#{number}"
    if column == "note":
        return note
    kind = PLAYER_COLUMNS[column]
    return "" if kind == "text" else 0 if kind == "int64" else float("nan")


def fill_points(games: Columns, scoring: Scoring) -> None:
    """Points of both sides of every row where the file printed none."""
    table = points_table(scoring)
    size = len(games.get("first", ()))
    kinds = games.get("kind", ())
    for side, column in ((True, "first"), (False, "second")):
        results = games.get(f"{column}_result", [""] * size)
        given = games.get(f"{column}_points")
        opponents = games.get("second", ())
        derived = [
            table[str(kind), str(result), side] if side or opponent else float("nan")
            for kind, result, opponent in zip(kinds, results, opponents, strict=True)
        ]
        if given is not None:
            derived = [d if g is None or g != g else g for g, d in zip(given, derived, strict=True)]
        games[f"{column}_points"] = derived


def game_columns() -> Columns:
    """Empty columns of the games table that every reader fills."""
    return {
        name: []
        for name in (
            "round", "board", "first", "second", "first_result", "second_result", "kind",
            "first_points", "second_points", "handicap", "colours_known", "line",
        )
    }  # fmt: skip


def add_game(
    games: Columns,
    *,
    round: int,
    first: int,
    second: int,
    kind: str,
    first_result: str = "",
    second_result: str = "",
    board: str = "",
    first_points: float = float("nan"),
    second_points: float = float("nan"),
    handicap: float = float("nan"),
    colours_known: bool = True,
    line: int = 0,
) -> None:
    """Append one row to the columns of :func:`game_columns`."""
    games["round"].append(round)
    games["board"].append(board)
    games["first"].append(first)
    games["second"].append(second)
    games["first_result"].append(first_result)
    games["second_result"].append(second_result)
    games["kind"].append(kind)
    games["first_points"].append(first_points)
    games["second_points"].append(second_points)
    games["handicap"].append(handicap)
    games["colours_known"].append(colours_known)
    games["line"].append(line)


def exchange_sides(games: Columns) -> None:
    """Exchange first and second in every game between two players."""
    for one, two in (
        ("first", "second"),
        ("first_result", "second_result"),
        ("first_points", "second_points"),
    ):
        for i, opponent in enumerate(list(games["second"]) if one == "first" else games["_paired"]):
            if opponent:
                games[one][i], games[two][i] = games[two][i], games[one][i]
        if one == "first":
            games["_paired"] = list(games["second"])
    del games["_paired"]


def bye_result(kind: str) -> str:
    """Result letter of a row without opponent (its points come from the kind)."""
    return {Kind.PAB: "1", Kind.FULL_BYE: "1", Kind.HALF_BYE: "=", Kind.ZERO_BYE: "0"}.get(Kind(kind), "")


def teams_from_players(players: Columns) -> Columns:
    """Teams in the order of their first player, members in board order (or order of the file)."""
    names = players.get("team", [])
    members: dict[str, list[tuple[float, int, int]]] = {}
    boards = players.get("board", [float("nan")] * len(names))
    for order, (name, number, board) in enumerate(zip(names, players["number"], boards, strict=True)):
        if name:
            members.setdefault(name, []).append((board if board == board else 1e9, order, number))
    return {
        "number": list(range(1, len(members) + 1)),
        "name": list(members),
        "members": [" ".join(str(number) for _, _, number in sorted(rows)) for rows in members.values()],
    }


def matches_from_games(
    teams: Columns, games: Columns, scoring: Scoring, *, with_match_points: bool
) -> Columns:
    """Matches that follow from the games of the members: game points, and match points if known how."""
    team_of = {
        int(n): team for team, row in zip(teams["number"], teams["members"], strict=True) for n in row.split()
    }
    fill_points(games, scoring)
    sums: dict[tuple[int, int, int], list[Any]] = {}
    rows = zip(
        games["round"], games["first"], games["second"], games["first_points"], games["second_points"],
        games["kind"], games["line"], strict=True,
    )  # fmt: skip
    for round_, one, two, one_points, two_points, kind, line in rows:
        a, b = team_of.get(one), team_of.get(two)
        if a is None or b is None or a == b or not KINDS[Kind(kind)].paired:
            continue
        key = (round_, a, b) if (round_, a, b) in sums or (round_, b, a) not in sums else (round_, b, a)
        entry = sums.setdefault(key, [0.0, 0.0, line, True])
        if KINDS[Kind(kind)].scored:
            entry[0 if key[1] == a else 1] += one_points
            entry[1 if key[1] == a else 0] += two_points
        entry[3] = entry[3] and kind in (Kind.FORFEIT, Kind.DOUBLE_FORFEIT)
    columns: Columns = {name: [] for name in MATCH_COLUMNS}
    for (round_, a, b), (one, two, line, forfeit) in sums.items():
        columns["round"].append(round_)
        columns["first"].append(a)
        columns["second"].append(b)
        kind = "played" if not forfeit else "forfeit" if one or two else "double_forfeit"
        columns["kind"].append(kind)
        columns["first_game_points"].append(one)
        columns["second_game_points"].append(two)
        columns["first_match_points"].append(match_points(one, two, scoring) if with_match_points else np.nan)
        columns["second_match_points"].append(
            match_points(two, one, scoring) if with_match_points else np.nan
        )
        columns["line"].append(line)
    return columns


def match_points(own: float, other: float, scoring: Scoring) -> float:
    """Match points of a team for its game points and those of the other."""
    value = scoring.match_win if own > other else scoring.match_loss if own < other else scoring.match_draw
    return float(value)


def read_scoring(values: Mapping[str, Any], points_per_game: Fraction | None = None) -> Scoring | None:
    """Scoring from named values (win, draw, loss, and the unplayed kinds); None where none is named.

    Raises ValueError for a value that is no number.
    """
    names = {
        "win": "win", "draw": "draw", "loss": "loss", "draw_first": "draw_first", "draw_second": "draw_second",
        "draw_red": "draw_first", "draw_black": "draw_second", "red_draw": "draw_first", "black_draw": "draw_second",
        "draw_white": "draw_first", "forfeit_win": "forfeit_win", "forfeit_loss": "forfeit_loss", "pab": "pab", "bye": "pab",
        "full_bye": "full_bye", "fpb": "full_bye", "half_bye": "half_bye", "hpb": "half_bye", "zero_bye": "zero_bye",
        "zpb": "zero_bye", "match_win": "match_win", "match_draw": "match_draw", "match_loss": "match_loss",
    }  # fmt: skip
    found: dict[str, Fraction] = {}
    for key, value in values.items():
        name = names.get(str(key).casefold())
        if name is None or value is None or isinstance(value, (bool, list, dict)):
            continue
        found[name] = Fraction(str(value)).limit_denominator(1000)
        if abs(found[name]) > 1000:
            raise ValueError("points")
    if not found and points_per_game is None:
        return None
    win = found.pop("win", points_per_game if points_per_game is not None else Fraction(1))
    draw, loss = found.pop("draw", None), found.pop("loss", Fraction(0))
    if win <= loss:
        raise ValueError("a win is worth no more than a loss")
    return Scoring.of(win=win, draw=draw, loss=loss, **found)
