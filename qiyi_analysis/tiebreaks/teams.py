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

from qiyi_analysis.errors import EventError
from qiyi_analysis.model import KINDS, MATCH_COLUMNS, TEAM_COLUMNS, Event, Kind, Result, frame
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
    records,
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
    numbers = teams["number"].to_numpy()
    row_of = {int(number): row for row, number in enumerate(numbers)}
    real = matches[(matches["second"].to_numpy() != 0) | (matches["kind"].to_numpy() == "pab")]
    played = int((real if len(real) else matches)["round"].max())
    boards = boards_of_matches(event)
    size = max((len(found) for found in boards.values()), default=0)
    size = size or len(board_colours(event)) or 1
    scoring = event.scoring
    round_robin = event.format == "team-round-robin"
    units = lcm(
        *(
            v.denominator
            for v in (scoring.match_win, scoring.match_draw, scoring.match_loss, scoring.draw_first)
        ),
        2,
    )

    shape = (len(numbers), played)
    opponent = np.full(shape, -1, dtype=np.int64)
    cell = np.full(shape, REST if round_robin else REQUESTED, dtype=np.int8)
    result = np.full(shape, NONE, dtype=np.int8)
    first = np.full(shape, -1, dtype=np.int8)
    points = {name: np.zeros(shape, dtype=np.int64) for name in ("MP", "GP")}
    against = {name: np.zeros(shape, dtype=np.int64) for name in ("MP", "GP")}
    board_points = np.zeros((len(numbers), size), dtype=np.int64)
    won_boards = np.zeros(shape, dtype=np.int64)
    match_boards: dict[tuple[int, int], dict[int, int]] = {}
    game = {
        "win": int(scoring.win * units),
        "draw": int((scoring.draw_first + scoring.draw_second) / 2 * units),
    }

    for match in records(matches):
        column = int(match.round) - 1
        if not 0 <= column < played:
            continue
        both = [
            (int(match.first), int(match.second), "first"),
            (int(match.second), int(match.first), "second"),
        ]
        found = boards.get((column + 1, frozenset((int(match.first), int(match.second)))), [])
        gp = {side: getattr(match, f"{side}_game_points") for _, _, side in both}
        mp = {side: getattr(match, f"{side}_match_points") for _, _, side in both}
        for me, other, side in both:
            row = row_of.get(me)
            if row is None:
                continue
            opponent[row, column] = row_of.get(other, -1)
            first[row, column] = int(side == "first") if other else -1
            own, theirs = _points(
                match.kind, gp[side], gp["second" if side == "first" else "first"], mp[side], scoring, size
            )
            points["MP"][row, column], points["GP"][row, column] = (round(value * units) for value in own)
            against["MP"][row, column], against["GP"][row, column] = (
                round(value * units) for value in theirs
            )
            outcome = WIN if own[0] >= scoring.match_win else DRAW if own[0] == scoring.match_draw else LOSS
            result[row, column] = outcome if other else NONE
            if match.kind in _KIND_CELLS:
                cell[row, column] = _KIND_CELLS[match.kind]
            elif match.kind == "played":
                cell[row, column] = PLAYED
            else:
                cell[row, column] = (
                    FORFEIT_WIN if outcome == WIN and match.kind == "forfeit" else FORFEIT_LOSS
                )
            mine = {board.board: round(board.points[me] * units) for board in found}
            if not found and (
                match.kind in ("pab", "full_bye") or (match.kind == "forfeit" and outcome == WIN)
            ):
                # A bye counts as a win on every board, even where the team was given a draw's points (art. 12).
                mine = dict.fromkeys(range(1, size + 1), game["win"])
            elif match.kind == "half_bye":
                mine = dict.fromkeys(range(1, size + 1), game["draw"])
            for board, value in mine.items():
                if board <= size:
                    board_points[row, board - 1] += value
            won_boards[row, column] = sum(1 for board in found if board.winner == me)
            match_boards[row, column] = mine

    scores = {
        "MP": Score(
            points=points["MP"],
            against=against["MP"],
            unit=units,
            win=int(scoring.match_win * units),
            draw=int(scoring.match_draw * units),
            loss=int(scoring.match_loss * units),
        ),
        "GP": Score(
            points=points["GP"],
            against=against["GP"],
            unit=units,
            win=game["win"] * size,
            draw=game["draw"] * size,
            loss=int(scoring.loss * units) * size,
        ),
    }
    return Grid(
        numbers=numbers,
        names=tuple(teams["name"]),
        rounds=np.arange(1, played + 1),
        opponent=opponent,
        cell=cell,
        result=result,
        first=first,
        scores=scores,
        primary=primary_score(event),
        rating=np.full(len(numbers), np.nan),
        round_robin=round_robin,
        scheduled=max(event.rounds or played, played),
        played=played,
        scheduled_known=event.rounds is not None,
        teams=True,
        boards=size,
        board_points=board_points,
        board_wins=won_boards.sum(axis=1),
        won_boards=won_boards,
        match_boards=match_boards,
    )


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
