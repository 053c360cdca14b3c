"""The matches of a TRF file of teams: from the games of their players, and from the records of byes and forfeits."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from qiyi_analysis.model.event import KINDS, MATCH_COLUMNS, Kind, Scoring
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import Columns, match_points
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.trf.start_numbers import whole_number

Headers = Mapping[str, list[tuple[int, str]]]

_ABNORMAL = re.compile(
    r"299 (.)(?:\s+([+-]?\d{1,4}(?:\.\d+)?))?\s+([+-]?\d{1,4}\.\d+)\s+(\d{1,3})((?:\s+\d{1,4})*)\s*\Z"
    r"|299 (.)\s+(\d{1,4}(?:\.\d+)?)\s+(\d{1,4}(?:\.\d+)?)\s+(\d{1,4})((?:\s+\d{1,4})*)\s*\Z"
)


def decimal_in(text: str, line: int, faults: Faults, field: str) -> float:
    """The number in some columns of a record, NaN for blanks and, with a fault, for what is none."""
    try:
        return fields.as_float(fields.number(text, "."))
    except ValueError:
        faults.add("CK43", "number-impossible", line=line, field=field, read=text.strip())
        return math.nan


class Abnormal:
    """Record 299: points that differ from the scoring, by letter, round and team (0 stands for all).

    ``changes``: penalties and bonuses (no letter), as round, number and points; lines that say neither are faults.
    """

    def __init__(self, rows: list[tuple[int, str]], faults: Faults) -> None:
        self._points: dict[tuple[str, int, int], tuple[float, float]] = {}
        self.changes: list[tuple[int, int, float]] = []
        # The columns of this record differ between the text and the official sample: read by its parts.
        for line, text in rows:
            match = _ABNORMAL.match(text.rstrip().ljust(5))
            if match is None:
                faults.once("CK49", "record-299-unread", severity="W", line=line, read=text.strip()[:60])
                continue
            letter, first, second, rounds, numbers = (
                one or other for one, other in zip(match.groups()[:5], match.groups()[5:], strict=True)
            )
            members = [int(number) for number in (numbers or "").split()]
            if letter == " ":
                self.changes += [(int(rounds), member, float(second)) for member in members]
                continue
            for member in members or [0]:
                # The column of match points is blank for individuals.
                self._points[letter, int(rounds), member] = (
                    float(first) if first else math.nan,
                    float(second),
                )

    def of(self, letter: str, round_: int, team: int) -> tuple[float, float] | None:
        """Match and game points announced for a result of a team in a round, the most particular rule first; None without one."""
        for key in ((letter, round_, team), (letter, 0, team), (letter, round_, 0), (letter, 0, 0)):
            if key in self._points:
                return self._points[key]
        return None


@dataclass(slots=True)
class _Meeting:
    """What the games of two teams in a round tell: votes for the lower number as the first team, forfeits."""

    line: int
    votes: int = 0
    forfeited: bool = True


class TeamMatches:
    """The table of matches while it is made, record by record; ``columns`` are those of the model."""

    def __init__(
        self, headers: Headers, teams: Columns, team_of: Mapping[int, int], games: Columns, scoring: Scoring, faults: Faults
    ) -> None:  # fmt: skip
        self._headers, self._teams, self._team_of = headers, teams, team_of
        self._games, self._scoring, self._faults = games, scoring, faults
        self._known = set(teams["number"])
        self._abnormal = Abnormal(headers.get("299", []), faults)
        self._free = _free_boards(games, team_of)
        self._boards = _boards(headers, teams, games)
        self._colours = headers.get("352", [(0, "352 WBWB")])[0][1][4:].strip().upper() or "WBWB"
        #: Points of its boards by round and team.
        self._own_points: dict[tuple[int, int], float] = {}
        self._seen: set[tuple[int, int]] = set()
        self.columns: Columns = {name: [] for name in MATCH_COLUMNS}

    def read(self) -> Columns:
        """The columns of the matches table; the boards of a match go with the games."""
        self._tell_boards()
        meetings = self._meetings()
        self._forfeited(meetings)
        self._played(meetings)
        self._allocated_byes()
        self._requested_byes()
        self._rounds_without_record()
        _points_of_free_teams(self.columns, self._teams, self._free, self._scoring)
        return self.columns

    def _tell_boards(self) -> None:
        """The boards of a match travel with the games: board points need them."""
        games, boards = self._games, self._boards
        games["board"] = [
            # A line-up with an empty board tells the true place of one side only: the later one.
            str(max(boards[round_, one], boards.get((round_, two), 0)) + 1)
            if two and (round_, one) in boards
            else ""
            for round_, one, two in zip(games["round"], games["first"], games["second"], strict=True)
        ]

    def _meetings(self) -> dict[tuple[int, int, int], _Meeting]:
        """Which teams met, by round, lower and higher number; the points of the boards are added up."""
        games, points = self._games, self._own_points
        found: dict[tuple[int, int, int], _Meeting] = {}
        rows = zip(
            games["round"], games["first"], games["second"], games["first_points"], games["second_points"], games["kind"],
            games["colours_known"], games["line"], strict=True,
        )  # fmt: skip
        for round_, one, two, one_points, two_points, kind, known, line in rows:
            a, b = self._team_of.get(one), self._team_of.get(two)
            facts = KINDS[Kind(kind)]
            if a is not None and not facts.bye:
                points[round_, a] = points.get((round_, a), 0.0) + one_points
            if b is not None and two:
                points[round_, b] = points.get((round_, b), 0.0) + two_points
            if a is None or b is None or not two or a == b:
                continue
            meeting = found.setdefault((round_, min(a, b), max(a, b)), _Meeting(line))
            meeting.forfeited = meeting.forfeited and not facts.over_the_board
            if known and (first := self._first_of(round_, one, a, b)) is not None:
                meeting.votes += 1 if first == min(a, b) else -1
        return found

    def _first_of(self, round_: int, one: int, a: int, b: int) -> int | None:
        """The first team of a match by the colours of a board: ``a`` where its player ``one`` has those of the first."""
        board = self._boards.get((round_, one))
        if board is None or self._colours[board % len(self._colours)] not in "WB":
            return None
        return a if self._colours[board % len(self._colours)] == "W" else b

    def _add(
        self, round_: int, first: int, second: int, kind: str, points: tuple[float | None, ...], line: int
    ) -> None:
        """A row; ``points``: match points of both, game points of both."""
        self._seen.update({(round_, first), (round_, second)})
        for name, value in zip(MATCH_COLUMNS, (round_, first, second, kind, *points, line), strict=True):
            self.columns[name].append(value)

    def _bye(
        self, round_: int, team: int, kind: str, points: tuple[float | None, float], line: int = 0
    ) -> None:
        self._add(round_, team, 0, kind, (points[0], math.nan, points[1], math.nan), line)

    def _forfeited(self, meetings: dict[tuple[int, int, int], _Meeting]) -> None:
        """Record 330: matches that were forfeited as a whole."""
        for line, text in self._headers.get("330", ()):
            match = re.match(r"330 ([+-]{2})\s+(\d{1,4})\s+(\d{1,4})\s+(\d{1,4})", text)
            if not match or not {int(match[3]), int(match[4])} <= self._known:
                self._faults.add("CK43", "record-unreadable", line=line, read=text)
                continue
            round_, first, second = int(match[2]), int(match[3]), int(match[4])
            one, two = (
                self._abnormal.of(letter, round_, team)
                or (
                    float(self._scoring.match_win if letter == "+" else self._scoring.match_loss),
                    self._own_points.get((round_, team), 0.0),
                )
                for team, letter in ((first, match[1][0]), (second, match[1][1]))
            )
            kind = "double_forfeit" if match[1] == "--" else "forfeit"
            self._add(round_, first, second, kind, (one[0], two[0], one[1], two[1]), line)
            meetings.pop((round_, min(first, second), max(first, second)), None)

    def _played(self, meetings: dict[tuple[int, int, int], _Meeting]) -> None:
        """Matches that follow from the games of the players."""
        for (round_, low, high), meeting in sorted(meetings.items(), key=lambda item: item[0]):
            first, second = (low, high) if meeting.votes >= 0 else (high, low)
            if (round_, first) in self._seen or (round_, second) in self._seen:
                self._faults.add(
                    "CK16", "match-twice", line=meeting.line, round=round_, first=first, second=second
                )
                continue
            one, two = (self._own_points.get((round_, team), 0.0) for team in (first, second))
            (m1, g1), (m2, g2) = (
                self._abnormal.of("W" if own > other else "L" if own < other else "D", round_, team)
                or (match_points(own, other, self._scoring), own)
                for team, own, other in ((first, one, two), (second, two, one))
            )
            kind = "played"
            if meeting.forfeited:
                kind = "forfeit" if one or two else "double_forfeit"
            self._add(round_, first, second, kind, (m1, m2, g1, g2), meeting.line)

    def _allocated_byes(self) -> None:
        """Record 320: the pairing-allocated byes, a team a round, and what they are worth."""
        for line, text in self._headers.get("320", ()):
            match = decimal_in(text[4:8], line, self._faults, "match_points")
            game = decimal_in(text[9:13], line, self._faults, "game_points")
            for index in range((len(text) - 14 + 3) // 4):
                team = whole_number(text[14 + 4 * index : 17 + 4 * index])
                if team and team in self._known and (index + 1, team) not in self._seen:
                    self._bye(index + 1, team, "pab", (match, game), line)

    def _requested_byes(self) -> None:
        """Record 240: byes that were asked for, by letter and round."""
        boards, scoring = len(self._colours), self._scoring
        kinds = {
            "F": ("full_bye", float(scoring.match_win), float(boards)),
            "H": ("half_bye", float(scoring.match_draw), boards / 2),
            "Z": ("zero_bye", float(scoring.match_loss), 0.0),
        }
        for line, text in self._headers.get("240", ()):
            letter, round_ = text[4:5].upper(), whole_number(text[6:9])
            if letter not in kinds or not round_:
                self._faults.add("CK43", "record-unreadable", line=line, read=text)
                continue
            kind, *points = kinds[letter]
            for team in (int(n) for n in re.findall(r"\d{1,4}", text[9:])):
                if team in self._known and (round_, team) in self._seen:
                    self._faults.add(
                        "CK19", "bye-twice", line=line, round=round_, field="240", read=team, team=team
                    )
                elif team in self._known:
                    special = self._abnormal.of(letter, round_, team)
                    self._bye(round_, team, kind, special or (points[0], points[1]), line)

    def _rounds_without_record(self) -> None:
        """Teams of which a round says nothing: free where their players have the allocated bye, else absent."""
        for round_ in range(1, max(self._games["round"], default=0) + 1):
            if not any(r == round_ for r, _ in self._seen):
                continue
            for team in self._teams["number"]:
                key = (round_, team)
                if key in self._seen:
                    continue
                if key in self._free:
                    self._bye(round_, team, "pab", (None, self._free[key]))
                else:
                    self._bye(round_, team, "zero_bye", (0.0, self._own_points.get(key, 0.0)))


def _free_boards(games: Columns, team_of: Mapping[int, int]) -> dict[tuple[int, int], float]:
    """Points by (round, team) where every player of a team who is in the file has the pairing-allocated bye.

    Without record 320 the bye of a team stands in the cells of its players only.
    """
    points: dict[tuple[int, int], float] = {}
    playing: set[tuple[int, int]] = set()
    rows = zip(
        games["round"], games["first"], games["second"], games["kind"], games["first_points"], strict=True
    )
    for round_, one, two, kind, given in rows:
        for key in ((round_, team_of[number]) for number in (one, two) if number in team_of):
            if kind == Kind.PAB:
                points[key] = points.get(key, 0.0) + given
            else:
                playing.add(key)
    return {key: value for key, value in points.items() if key not in playing}


def _points_of_free_teams(
    matches: Columns, teams: Columns, free: Mapping[tuple[int, int], float], scoring: Scoring
) -> None:
    """Match points of byes that no record gives a value: what all printed totals lack alike, else those of a draw."""
    rows = [
        i
        for i, value in enumerate(matches["first_match_points"])
        if matches["kind"][i] == "pab" and value is None
    ]
    lacking = set()
    for team, printed in zip(teams["number"], teams.get("match_points", ()), strict=False):
        count = sum(matches["first"][i] == team for i in rows)
        if count and printed == printed:
            sides = zip(
                matches["first"], matches["second"], matches["first_match_points"], matches["second_match_points"],
                strict=True,
            )  # fmt: skip
            total = sum((a if one == team else b) or 0.0 for one, two, a, b in sides if team in (one, two))
            lacking.add((printed - total) / count)
    known = len(lacking) == 1 and min(lacking) >= 0
    for i in rows:
        matches["first_match_points"][i] = min(lacking) if known else float(scoring.match_draw)


def _boards(headers: Headers, teams: Columns, games: Columns) -> dict[tuple[int, int], int]:
    """Board (from 0) of every member in every round: record 300, else the order of the team's list."""
    boards: dict[tuple[int, int], int] = {}
    given: set[tuple[int, int]] = set()
    for _, text in headers.get("300", ()):
        round_, team = whole_number(text[4:7]), whole_number(text[8:11])
        for place, member in enumerate(re.findall(r"\d{1,4}", text[16:])):
            if int(member):
                boards[round_, int(member)] = place
        given.add((round_, team))
    playing: dict[int, set[int]] = {}
    for round_, one, two in zip(games["round"], games["first"], games["second"], strict=True):
        if two:
            playing.setdefault(round_, set()).update((one, two))
    for team, members in zip(teams["number"], teams["members"], strict=True):
        numbers = [int(n) for n in members.split()]
        for round_, present in playing.items():
            if (round_, team) in given:
                continue
            for place, member in enumerate(n for n in numbers if n in present):
                boards[round_, member] = place
    return boards
