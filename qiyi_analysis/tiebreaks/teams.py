"""The grid of the teams of an event: matches as rounds, match points and game points, boards."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import EventError
from qiyi_analysis.model.event import KINDS, MATCH_COLUMNS, TEAM_COLUMNS, Event, Kind, Result
from qiyi_analysis.model.frame import frame, records
from qiyi_analysis.tiebreaks.grid import (
    DRAW,
    FORFEIT_LOSS,
    FORFEIT_WIN,
    GIVEN,
    LOSS,
    NONE,
    PLAYED,
    REQUESTED,
    REST,
    WIN,
    Grid,
    Score,
)

_KIND_CELLS = {"pab": GIVEN, "full_bye": GIVEN, "half_bye": REQUESTED, "zero_bye": REQUESTED}


def primary_score(event: Event) -> str:
    """Which score ranks first: the first of MP and GP in the encoded type of the file (record 192), else MP."""
    encoded = "".join(event.extra.get("192") or ())
    named = re.search(r"_(MP|GP)", encoded)
    return named.group(1) if named else "MP"


def board_colours(event: Event) -> str:
    """Colours of the first-named team by board (record 352), "" where the file does not say."""
    found = re.fullmatch(r"[WB]+", "".join(event.extra.get("352") or ()).strip().upper())
    return found.group() if found else ""


def team_numbers(event: Event) -> dict[int, int]:
    """Number of the team of each player number."""
    found: dict[int, int] = {}
    for team in records(event.teams):
        for member in str(team.members).split():
            if member.isdigit():
                found[int(member)] = int(team.number)
    by_name = {team.name: int(team.number) for team in records(teams_of(event))}
    for player in records(event.players):
        if int(player.number) not in found and str(player.team) in by_name:
            found[int(player.number)] = by_name[str(player.team)]
    return found


def teams_of(event: Event) -> pd.DataFrame:
    """The table of teams; where the event has none, one row per name in the players' ``team`` (or ``unit``)."""
    if len(event.teams):
        return event.teams
    column = "team" if (event.players["team"] != "").any() else "unit"
    names = [name for name in dict.fromkeys(event.players[column]) if name]
    rows = [{"number": i, "name": name} for i, name in enumerate(names, 1)]
    return frame(rows or {"number": []}, TEAM_COLUMNS)


@dataclass(frozen=True)
class _Board:
    board: int
    points: Mapping[int, float]  # by team
    winner: int  # team, 0 for none
    both: bool = True  # played over the board
    mover: tuple[int, int] = (0, 0)  # player and team with the first move, where colours are known


def boards_of_matches(event: Event) -> dict[tuple[int, frozenset[int]], list[_Board]]:
    """The board games of each match, by round and the two teams, in board order.

    The board is the number after the dot of "match.board", or a number no larger than a match has boards; numbers that
    run on through the round count by the order of the rows.
    """
    team_of = team_numbers(event)
    grouped: dict[tuple[int, frozenset[int]], list[Any]] = defaultdict(list)
    for game in records(event.games):
        if not KINDS[Kind(game.kind)].scored or not game.second:
            continue
        pair = (team_of.get(int(game.first), 0), team_of.get(int(game.second), 0))
        if 0 in pair or pair[0] == pair[1]:
            continue
        grouped[int(game.round), frozenset(pair)].append((game, pair))
    found: dict[tuple[int, frozenset[int]], list[_Board]] = {}
    size = max(map(len, grouped.values()), default=0)
    for key, games in grouped.items():
        boards = []
        for order, (game, pair) in enumerate(games, 1):
            text = str(game.board).rpartition(".")[2]
            number = int(text) if text.isdigit() and 0 < int(text) <= size else order
            winner = (
                pair[0]
                if game.first_result == Result.WIN
                else pair[1]
                if game.second_result == Result.WIN
                else 0
            )
            points = {
                pair[0]: float(np.nan_to_num(game.first_points)),
                pair[1]: float(np.nan_to_num(game.second_points)),
            }
            mover = (int(game.first), pair[0]) if game.colours_known else (0, 0)
            boards.append(_Board(number, points, winner, KINDS[Kind(game.kind)].over_the_board, mover))
        if len({board.board for board in boards}) != len(boards):
            boards = [replace(b, board=order) for order, b in enumerate(boards, 1)]
        found[key] = boards
    _add_unopposed(event, found, team_of, size)
    return found


def _add_unopposed(
    event: Event, found: dict[tuple[int, frozenset[int]], list[_Board]], team_of: Mapping[int, int], size: int
) -> None:
    """Boards won because the other side's was empty (``0000 - +``): they take the board numbers still free."""
    of_team = {(key[0], team): key for key in found for team in key[1]}
    for game in records(event.games):
        team = team_of.get(int(game.first), 0)
        key = of_team.get((int(game.round), team))
        if game.second or game.kind != Kind.FORFEIT or key is None or not game.first_points > 0:
            continue
        free = sorted(set(range(1, size + 1)) - {board.board for board in found[key]})
        if free:
            points = dict.fromkeys(key[1], 0.0) | {team: float(game.first_points)}
            found[key].append(_Board(free[0], points, team, both=False))


def matches_of(event: Event) -> pd.DataFrame:
    """The table of matches; where the event has none, made from the board games."""
    if len(event.matches):
        return event.matches
    team_of = team_numbers(event)
    rows = []
    sides: dict[tuple[int, frozenset[int]], tuple[int, int]] = {}
    for game in records(event.games):
        pair = (team_of.get(int(game.first), 0), team_of.get(int(game.second), 0))
        if game.second and 0 not in pair and pair[0] != pair[1]:
            sides.setdefault((int(game.round), frozenset(pair)), pair)
    for key, boards in boards_of_matches(event).items():
        first, second = sides[key]
        rows.append(
            {
                "round": key[0],
                "first": first,
                "second": second,
                "kind": "played",
                "first_game_points": sum(board.points[first] for board in boards),
                "second_game_points": sum(board.points[second] for board in boards),
            }
        )
    return frame(rows or {"round": []}, MATCH_COLUMNS)


def team_grid(event: Event) -> Grid:
    """The grid of the teams. Raises EventError where there is no team or no match."""
    teams, matches = teams_of(event), matches_of(event)
    if not len(teams) or not len(matches):
        raise EventError("event-without-teams", event=event.id)
    real = matches[(matches["second"].to_numpy() != 0) | (matches["kind"].to_numpy() == "pab")]
    played = int((real if len(real) else matches)["round"].max())
    boards = boards_of_matches(event)
    size = max((len(found) for found in boards.values()), default=0)
    size = size or len(board_colours(event)) or 1
    numbers = teams["number"].to_numpy()
    cells = _TeamCells(event, numbers, played, size)
    for match in records(matches):
        if 1 <= int(match.round) <= played:
            cells.add(
                match, boards.get((int(match.round), frozenset((int(match.first), int(match.second)))), [])
            )
    return Grid(
        numbers=numbers,
        names=tuple(teams["name"]),
        rounds=np.arange(1, played + 1),
        opponent=cells.opponent,
        cell=cells.cell,
        result=cells.result,
        first=cells.first,
        scores=cells.scores(),
        primary=primary_score(event),
        rating=np.full(len(numbers), np.nan),
        round_robin=cells.round_robin,
        scheduled=max(event.rounds or played, played),
        played=played,
        scheduled_known=event.rounds is not None,
        teams=True,
        boards=size,
        board_points=cells.board_points,
        board_wins=cells.won_boards.sum(axis=1),
        won_boards=cells.won_boards,
        match_boards=cells.match_boards,
    )


class _TeamCells:
    """The arrays of the grid while the matches are entered; points are whole numbers of 1 / ``unit``."""

    def __init__(self, event: Event, numbers: np.ndarray, played: int, size: int) -> None:
        scoring = event.scoring
        self.scoring, self.size = scoring, size
        self.row_of = {int(number): row for row, number in enumerate(numbers)}
        self.round_robin = event.format == "team-round-robin"
        counted = (scoring.match_win, scoring.match_draw, scoring.match_loss, scoring.draw_first)
        self.unit = lcm(*(value.denominator for value in counted), 2)
        #: What a game is worth on a board.
        self.won = int(scoring.win * self.unit)
        self.drawn = int((scoring.draw_first + scoring.draw_second) / 2 * self.unit)
        shape = (len(numbers), played)
        self.opponent = np.full(shape, -1, dtype=np.int64)
        self.cell = np.full(shape, REST if self.round_robin else REQUESTED, dtype=np.int8)
        self.result = np.full(shape, NONE, dtype=np.int8)
        self.first = np.full(shape, -1, dtype=np.int8)
        self.points = {name: np.zeros(shape, dtype=np.int64) for name in ("MP", "GP")}
        self.against = {name: np.zeros(shape, dtype=np.int64) for name in ("MP", "GP")}
        self.board_points = np.zeros((len(numbers), size), dtype=np.int64)
        self.won_boards = np.zeros(shape, dtype=np.int64)
        self.match_boards: dict[tuple[int, int], dict[int, int]] = {}

    def add(self, match: Any, boards: list[_Board]) -> None:
        """Enter a match from both sides; ``boards``: its games, none where the file does not tell them."""
        for side, other in (("first", "second"), ("second", "first")):
            if (row := self.row_of.get(int(getattr(match, side)))) is not None:
                self._enter(row, match, side, other, boards)

    def _enter(self, row: int, match: Any, side: str, other: str, boards: list[_Board]) -> None:
        place = row, int(match.round) - 1
        me, opponent = int(getattr(match, side)), int(getattr(match, other))
        own, theirs = _points(
            match.kind,
            getattr(match, f"{side}_game_points"),
            getattr(match, f"{other}_game_points"),
            getattr(match, f"{side}_match_points"),
            self.scoring,
            self.size,
        )
        outcome = (
            WIN if own[0] >= self.scoring.match_win else DRAW if own[0] == self.scoring.match_draw else LOSS
        )
        self.opponent[place] = self.row_of.get(opponent, -1)
        self.first[place] = int(side == "first") if opponent else -1
        self.points["MP"][place], self.points["GP"][place] = (round(v * self.unit) for v in own)
        self.against["MP"][place], self.against["GP"][place] = (round(v * self.unit) for v in theirs)
        self.result[place] = outcome if opponent else NONE
        self.cell[place] = _cell(match.kind, outcome)
        self.won_boards[place] = sum(1 for board in boards if board.winner == me)
        self.match_boards[place] = self._boards(match.kind, outcome, me, boards)
        for board, value in self.match_boards[place].items():
            if board <= self.size:
                self.board_points[row, board - 1] += value

    def _boards(self, kind: str, outcome: int, me: int, boards: list[_Board]) -> dict[int, int]:
        """Points by board. Without games a bye counts on every board, a won one as a win even where the team was
        given a draw's points (art. 12)."""
        if kind == "half_bye":
            return dict.fromkeys(range(1, self.size + 1), self.drawn)
        if not boards and (kind in ("pab", "full_bye") or (kind == "forfeit" and outcome == WIN)):
            return dict.fromkeys(range(1, self.size + 1), self.won)
        return {board.board: round(board.points[me] * self.unit) for board in boards}

    def scores(self) -> dict[str, Score]:
        """Match points and game points, with what a match won, drawn and lost counts."""
        scoring, unit, size = self.scoring, self.unit, self.size
        return {
            "MP": Score(
                points=self.points["MP"],
                against=self.against["MP"],
                unit=unit,
                win=int(scoring.match_win * unit),
                draw=int(scoring.match_draw * unit),
                loss=int(scoring.match_loss * unit),
            ),
            "GP": Score(
                points=self.points["GP"],
                against=self.against["GP"],
                unit=unit,
                win=self.won * size,
                draw=self.drawn * size,
                loss=int(scoring.loss * unit) * size,
            ),
        }


def _cell(kind: str, outcome: int) -> int:
    """What kind of cell a match of that kind and outcome is."""
    if kind in _KIND_CELLS:
        return _KIND_CELLS[kind]
    if kind == "played":
        return PLAYED
    return FORFEIT_WIN if outcome == WIN and kind == "forfeit" else FORFEIT_LOSS


def _points(
    kind: str, own_games: float, other_games: float, match_points: float, scoring: Any, size: int
) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    """(match points, game points) of a side and of its opponent; missing ones follow from kind and game points."""
    mine = None if np.isnan(own_games) else Fraction(own_games).limit_denominator(100)
    theirs = Fraction(0) if np.isnan(other_games) else Fraction(other_games).limit_denominator(100)
    if not np.isnan(match_points):
        points = Fraction(match_points).limit_denominator(100)
    elif kind in ("pab", "full_bye"):
        points = scoring.match_win
    elif kind == "half_bye":
        points = scoring.match_draw
    elif kind in ("zero_bye", "double_forfeit") or mine is None:
        points = Fraction(0)
    else:
        points = (
            scoring.match_win
            if mine > theirs
            else scoring.match_draw
            if mine == theirs
            else scoring.match_loss
        )
    if mine is None:
        shares = {scoring.match_win: scoring.win, scoring.match_draw: scoring.draw_first}
        mine = shares.get(points, Fraction(0)) * size
    other = (
        scoring.match_win
        if points == scoring.match_loss
        else scoring.match_loss
        if points == scoring.match_win
        else points
    )
    return (points, mine), (other, theirs)
