"""An event as arrays: one row per competitor, one column per round, points as whole numbers.

All tie-breaks of individuals and of teams work on a Grid. What an unplayed round is, is decided here once, from the
table of kinds in ``model``; how it counts is decided in ``unplayed``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import lcm

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.errors import EventError
from qiyi_analysis.model.event import KINDS, Event, Kind, Scoring

#: What a cell of the grid is. VOID adds nothing anywhere (annulled, no result yet); REST is the free round of an
#: odd round robin; GIVEN a pairing-allocated or full-point bye; REQUESTED a half- or zero-point bye or an absence.
#: Only with ``announced``: PENDING is a pairing without result, UNASSIGNED a round without pairing (yet).
VOID, REST, PLAYED, FORFEIT_WIN, FORFEIT_LOSS, GIVEN, REQUESTED, PENDING, UNASSIGNED = range(9)

#: Result of a cell: win, draw, loss, none. Their order is that of points.
WIN, DRAW, LOSS, NONE = 2, 1, 0, -1

#: A round number beyond this is a slip of the pen; a grid of that many columns would only fill the memory.
_MOST_ROUNDS = 999

_DENOMINATORS = (1, 2, 4, 10, 20, 100, 3, 6, 12, 60)


@dataclass(frozen=True, kw_only=True)
class Score:
    """Points under one count (game points, match points), as whole multiples of 1/``unit``.

    ``points`` [competitors x columns]; ``win``, ``draw``, ``loss`` are the points of one column in the same unit.
    """

    points: np.ndarray
    against: np.ndarray  # what the opponent got out of the same game
    unit: int
    win: int
    draw: int
    loss: int

    @cached_property
    def total(self) -> np.ndarray:
        """Points of each competitor over all rounds, in the units of the count."""
        return self.points.sum(axis=1)


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Competitors in rows, rounds in columns (more than one column where a round has several games).

    ``opponent`` is a row index, -1 without one; ``first`` is 1 for the side with the first move, 0 for the other, -1
    where it is not known. ``scores`` has "" for individuals, "MP" and "GP" for teams; ``primary`` names the one that
    ranks.
    """

    numbers: np.ndarray
    names: tuple[str, ...]
    rounds: np.ndarray  # round number of each column
    opponent: np.ndarray
    cell: np.ndarray
    result: np.ndarray
    first: np.ndarray
    scores: Mapping[str, Score]
    primary: str
    rating: np.ndarray  # NaN = unrated
    round_robin: bool
    scheduled: int  # rounds of the whole event
    played: int  # rounds with results
    scheduled_known: bool
    teams: bool = False
    boards: int = 0
    board_points: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    board_wins: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    won_boards: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    match_boards: Mapping[tuple[int, int], Mapping[int, int]] = field(default_factory=dict)
    #: Go stones, positive for the side that gives them (second mover), negative for the one that has them.
    handicap: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    lines: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))

    @property
    def size(self) -> int:
        """Number of competitors."""
        return len(self.numbers)

    def score(self, name: str = "") -> Score:
        """The count ``name``, the primary one by default. Raises EventError where there is none of that name."""
        wanted = name or self.primary
        if wanted not in self.scores:
            raise EventError("points-unknown", count=wanted or words.said("standings.individual"))
        return self.scores[wanted]

    @property
    def secondary(self) -> str:
        """The count that is not the primary one (teams)."""
        return "GP" if self.primary == "MP" else "MP"

    @cached_property
    def paired(self) -> np.ndarray:
        """Mask (competitor, round) of rounds with an opponent, played or not."""
        return self.opponent >= 0

    @cached_property
    def over_the_board(self) -> np.ndarray:
        """Cells in which the two played."""
        return (self.cell == PLAYED) & self.paired

    @cached_property
    def requested(self) -> np.ndarray:
        """Mask (competitor, round) of rounds missed at the own request."""
        return self.cell == REQUESTED

    @cached_property
    def voluntary(self) -> np.ndarray:
        """Voluntary unplayed rounds: requested byes, absences and forfeit losses (C.07 16.1)."""
        return (self.cell == REQUESTED) | (self.cell == FORFEIT_LOSS)

    @cached_property
    def unplayed(self) -> np.ndarray:
        """Cells that are rounds of the event and were not played."""
        return self.cell >= FORFEIT_WIN

    @cached_property
    def final(self) -> np.ndarray:
        """Columns of the event's last round; none while it is still to come."""
        return self.rounds == self.scheduled

    def of_opponents(self, values: np.ndarray) -> np.ndarray:
        """``values`` [competitors] of each cell's opponent, 0 where there is none."""
        return np.where(self.paired, values[self.opponent], 0)

    def through(self, round_: int) -> Grid:
        """The grid as it stood after ``round_``."""
        if round_ >= self.played:
            return self
        kept = self.rounds <= round_
        boards = {
            (row, column): points for (row, column), points in self.match_boards.items() if column < round_
        }
        board_points = np.zeros_like(self.board_points)
        for (row, _), points in boards.items():
            for board, value in points.items():
                if board <= self.boards:
                    board_points[row, board - 1] += value
        return replace(
            self,
            rounds=self.rounds[kept],
            opponent=self.opponent[:, kept],
            cell=self.cell[:, kept],
            result=self.result[:, kept],
            first=self.first[:, kept],
            scores={
                name: replace(score, points=score.points[:, kept], against=score.against[:, kept])
                for name, score in self.scores.items()
            },
            played=round_,
            board_points=board_points,
            board_wins=self.won_boards[:, kept].sum(axis=1) if self.teams else self.board_wins,
            won_boards=self.won_boards[:, kept] if self.teams else self.won_boards,
            match_boards=boards,
            handicap=self.handicap[:, kept] if self.handicap.size else self.handicap,
            lines=self.lines[:, kept] if self.lines.size else self.lines,
        )

    def index_of(self, number: int) -> int:
        """Position of the competitor with that number. Raises EventError where there is none."""
        found = np.flatnonzero(self.numbers == number)
        if not len(found):
            raise EventError("competitor-unknown", number=number)
        return int(found[0])


def is_round_robin(event: Event) -> bool:
    """Whether pairings are fixed in advance: by the format, else because everybody was paired with everybody alike.

    Without a stated format a field with byes or absences counts as a Swiss even so: in a small one all may have met,
    and a blank round may be a rest or a bye.
    """
    if event.format:
        return event.format.endswith("round-robin")
    games = event.games
    paired = games[games["second"].to_numpy() != 0]
    kinds = set(games["kind"])
    if len(event.players) < 3 or any(KINDS[Kind(kind)].bye for kind in kinds) or not len(paired):
        return False
    low = np.minimum(paired["first"].to_numpy(), paired["second"].to_numpy())
    high = np.maximum(paired["first"].to_numpy(), paired["second"].to_numpy())
    _, counts = np.unique(np.stack([low, high]), axis=1, return_counts=True)
    return len(counts) == len(event.players) * (len(event.players) - 1) // 2 and len(set(counts)) == 1


def individual_grid(event: Event, *, announced: bool = False) -> Grid:
    """The grid of the players; ``announced``: with the rounds to come and the pairings without result.

    Raises EventError for an event without players or with two players of one number.
    """
    players = event.players
    if not len(players):
        raise EventError("event-without-players", event=event.id)
    numbers = players["number"].to_numpy()
    if len(np.unique(numbers)) != len(numbers):
        twice = int(pd.Series(numbers)[pd.Series(numbers).duplicated()].iloc[0])
        raise EventError("number-twice", event=event.id, number=twice)
    games = event.games
    scored = np.array([KINDS[Kind(kind)].scored for kind in _kinds(games)], dtype=bool)[_codes(games)]
    sides = _Sides(games, scored, numbers, (event.rounds or 0) if announced else None)
    round_robin = is_round_robin(event) and not announced
    missing = REST if round_robin or event.format.startswith("team") else REQUESTED
    missing = UNASSIGNED if announced else missing
    unit = _unit(sides.points, event.scoring)
    rounds, grids = sides.spread(len(numbers), unit, missing)
    if round_robin:
        free = (grids["cell"] == REQUESTED) & (grids["points"] == 0) & (grids["opponent"] < 0)
        grids["cell"][free] = REST
    scheduled = event.rounds or sides.played
    return Grid(
        numbers=numbers,
        names=tuple(players["name"]),
        rounds=rounds,
        opponent=grids["opponent"],
        cell=grids["cell"],
        result=grids["result"],
        first=grids["first"],
        scores={"": _score(grids["points"], grids["against"], unit, event.scoring)},
        primary="",
        rating=players["rating"].to_numpy(),
        round_robin=round_robin,
        scheduled=max(scheduled, sides.played),
        played=sides.played,
        scheduled_known=event.rounds is not None,
        handicap=grids["handicap"],
        lines=grids["line"],
    )


def _kinds(games: pd.DataFrame) -> list[str]:
    return list(games["kind"].astype("category").cat.categories)


def _codes(games: pd.DataFrame) -> np.ndarray:
    return games["kind"].astype("category").cat.codes.to_numpy()


def _score(points: np.ndarray, against: np.ndarray, unit: int, scoring: Scoring) -> Score:
    # A draw is worth the mean of both sides where the scoring tells them apart (xiangqi 3/1/2/0).
    draw = (scoring.draw_first + scoring.draw_second) / 2
    return Score(
        points=points,
        against=against,
        unit=unit,
        win=int(scoring.win * unit),
        draw=int(draw * unit),
        loss=int(scoring.loss * unit),
    )


def _unit(points: np.ndarray, scoring: Scoring) -> int:
    """The smallest denominator in which every point of the event is whole."""
    draw = (scoring.draw_first + scoring.draw_second) / 2
    unit = lcm(2, *(value.denominator for value in (scoring.win, draw, scoring.loss)))
    distinct = np.unique(points)
    for more in _DENOMINATORS:
        scaled = distinct * (unit * more)
        if np.all(np.abs(scaled - np.round(scaled)) < 1e-6):
            return unit * more
    value = float(distinct[np.abs(distinct * unit - np.round(distinct * unit)) >= 1e-6][0])
    raise EventError("points-decimals", value=value)


class _Sides:
    """The scored rows of a games table from both sides, ready to be spread over the grid."""

    def __init__(
        self, games: pd.DataFrame, scored: np.ndarray, numbers: np.ndarray, announced: int | None = None
    ) -> None:
        rounds = games["round"].to_numpy()
        first, second = games["first"].to_numpy(), games["second"].to_numpy()
        paired = second != 0
        # A bye entered in advance for a coming round does not make that round played; one given by the pairing does.
        begun = rounds[scored & (paired | (games["kind"].to_numpy() == Kind.PAB))]
        self.played = int(begun.max()) if len(begun) else (int(rounds[scored].max()) if scored.any() else 0)
        kinds = [Kind(kind) for kind in _kinds(games)]
        codes = _codes(games)
        self.columns = self.played
        pending = np.zeros(len(kinds), dtype=bool)
        if announced is not None:
            pending = np.array([kind is Kind.UNPLAYED for kind in kinds], dtype=bool)
            scored = scored | pending[codes]
            self.columns = max(announced, self.played, int(rounds[scored].max(initial=0)))
        if self.columns > _MOST_ROUNDS:
            raise EventError("round-too-high", round=self.columns, most=_MOST_ROUNDS)
        rows = np.flatnonzero(scored & (rounds <= self.columns) & (rounds > 0))
        two = rows[paired[rows]]
        otb = np.array([KINDS[kind].over_the_board for kind in kinds], dtype=bool)
        asked = np.array([KINDS[kind].requested for kind in kinds], dtype=bool)
        bye = np.array([KINDS[kind].bye for kind in kinds], dtype=bool)

        def side(
            rows: np.ndarray, me: np.ndarray, other: np.ndarray, prefix: str, colour: int
        ) -> dict[str, np.ndarray]:
            results = _results(games[f"{prefix}_result"].to_numpy()[rows])
            code = codes[rows]
            cell = np.where(results == WIN, FORFEIT_WIN, FORFEIT_LOSS)
            cell = np.where(bye[code], np.where(asked[code], REQUESTED, GIVEN), cell)
            cell = np.where(otb[code], PLAYED, cell)
            cell = np.where(pending[code], np.where(paired[rows], PENDING, UNASSIGNED), cell)
            points = games[f"{prefix}_points"].to_numpy()[rows]
            against = games["second_points" if prefix == "first" else "first_points"].to_numpy()[rows]
            known = games["colours_known"].to_numpy()[rows]
            return {
                "player": me[rows],
                "opponent": other[rows],
                "round": rounds[rows],
                "result": results,
                "cell": cell,
                "points": np.where(np.isnan(points), 0.0, points),
                "against": np.where(np.isnan(against), 0.0, against),
                "first": np.where(known & paired[rows], colour, -1),
                "handicap": np.nan_to_num(games["handicap"].to_numpy()[rows]) * (-1 if colour == 1 else 1),
                "line": games["line"].to_numpy()[rows],
                "row": rows,
            }

        one, other = side(rows, first, second, "first", 1), side(two, second, first, "second", 0)
        merged = {key: np.concatenate([one[key], other[key]]) for key in one}
        position = np.argsort(numbers, kind="stable")
        mine = _lookup(merged["player"], numbers, position)
        known = mine >= 0
        merged = {key: values[known] for key, values in merged.items()}
        merged["player"] = mine[known]
        merged["opponent"] = _lookup(merged["opponent"], numbers, position)
        order = np.lexsort((merged["row"], merged["round"], merged["player"]))
        self.data = {key: values[order] for key, values in merged.items()}
        self.points = merged["points"]

    def spread(self, size: int, unit: int, missing: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Round numbers of the columns, and one array [competitors x columns] per fact."""
        data = self.data
        player, rounds = data["player"], data["round"]
        start = np.ones(len(player), dtype=bool)
        start[1:] = (player[1:] != player[:-1]) | (rounds[1:] != rounds[:-1])
        begin = (
            np.maximum.accumulate(np.where(start, np.arange(len(player)), 0))
            if len(player)
            else start.astype(int)
        )
        nth = np.arange(len(player)) - begin
        games = np.ones(self.columns + 1, dtype=np.int64)
        np.maximum.at(games, rounds, nth + 1)
        columns = np.repeat(np.arange(1, self.columns + 1), games[1:])
        offset = (
            np.concatenate([[0], np.cumsum(games[1:])])[:-1] if self.columns else np.zeros(0, dtype=np.int64)
        )
        column = offset[rounds - 1] + nth if len(player) else np.zeros(0, dtype=np.int64)
        shape = (size, len(columns))
        extra = np.zeros(len(columns), dtype=bool)
        extra[1:] = columns[1:] == columns[:-1]
        grids: dict[str, np.ndarray] = {
            "opponent": np.full(shape, -1, dtype=np.int64),
            "cell": np.full(shape, missing, dtype=np.int8),
            "result": np.full(shape, NONE, dtype=np.int8),
            "first": np.full(shape, -1, dtype=np.int8),
            "points": np.zeros(shape, dtype=np.int64),
            "against": np.zeros(shape, dtype=np.int64),
            "handicap": np.zeros(shape),
            "line": np.zeros(shape, dtype=np.int64),
        }
        grids["cell"][:, extra] = VOID  # a second game of a round is missing from nobody
        whole = {key: np.round(data[key] * unit).astype(np.int64) for key in ("points", "against")}
        for key, values in {**data, **whole}.items():
            if key in grids:
                grids[key][player, column] = values
        return columns, grids


def _results(texts: np.ndarray) -> np.ndarray:
    results = np.full(len(texts), NONE, dtype=np.int8)
    for text, value in (("1", WIN), ("=", DRAW), ("0", LOSS)):
        results[texts == text] = value
    return results


def _lookup(values: np.ndarray, numbers: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Row of each number, -1 where nobody has it."""
    if not len(numbers):
        return np.full(len(values), -1, dtype=np.int64)
    ordered = numbers[position]
    where = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.where(ordered[where] == values, position[where], -1)
