"""Teams of a report file: records 013, 310, 320, 330, 300, 240, 299, 352 (FIDE C.02.03 Annex A).

The file lists teams and the players' games; the matches follow: two teams met in a round when their
members did. The first team is the one whose boards have the colours of record 352.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from qiyi_analysis.model import KINDS, MATCH_COLUMNS, Kind, Scoring
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import Columns, fill_points, match_points
from qiyi_analysis.readers.faults import Faults

Headers = Mapping[str, list[tuple[int, str]]]


def read_teams(
    headers: Headers,
    numbers: list[int],
    games: Columns,
    scoring: Scoring,
    faults: Faults,
) -> tuple[Columns, Columns]:
    """Columns of the teams and of the matches table."""
    teams = _teams_26(headers, faults) if "310" in headers else _teams_16(headers, faults)
    known = set(numbers)
    team_of: dict[int, int] = {}
    for number, members, line in zip(teams["number"], teams["members"], teams["line"], strict=True):
        for member in members.split():
            if int(member) not in known:
                faults.add("CK07", "member-unknown", line=line, field="members", read=member, team=number)
            elif int(member) in team_of:
                faults.add(
                    "CK09",
                    "member-twice",
                    line=line,
                    field="members",
                    read=member,
                    team=number,
                    other=team_of[int(member)],
                )
            else:
                team_of[int(member)] = number
    fill_points(games, scoring)
    matches = _matches(headers, teams, team_of, games, scoring, faults, Abnormal(headers.get("299", [])))
    return teams, matches


def _whole(text: str) -> int:
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() else 0


def _decimal(text: str, line: int, faults: Faults, field: str) -> float:
    try:
        return fields.as_float(fields.number(text, "."))
    except ValueError:
        faults.add("CK43", "number-impossible", line=line, field=field, read=text.strip())
        return math.nan


def _teams_26(headers: Headers, faults: Faults) -> Columns:
    teams: Columns = {
        name: []
        for name in (
            "number",
            "name",
            "nickname",
            "strength",
            "match_points",
            "game_points",
            "rank",
            "members",
            "line",
        )
    }
    for line, text in headers["310"]:
        number = _whole(text[4:7])
        if not number or number in teams["number"]:
            fresh = max(teams["number"], default=0) + 1
            faults.add(
                "CK09",
                "team-number",
                line=line,
                column="5-7",
                field="number",
                read=text[4:7].strip(),
                assumed=fresh,
            )
            number = fresh
        teams["number"].append(number)
        teams["name"].append(text[8:40].strip())
        teams["nickname"].append(text[41:46].strip())
        for name, begin, end in (
            ("strength", 47, 53),
            ("match_points", 54, 60),
            ("game_points", 61, 67),
            ("rank", 68, 71),
        ):
            teams[name].append(_decimal(text[begin:end], line, faults, name))
        teams["members"].append(" ".join(str(int(n)) for n in re.findall(r"\d{1,4}", text[72:]) if int(n)))
        teams["line"].append(line)
    return teams


def _teams_16(headers: Headers, faults: Faults) -> Columns:
    teams: Columns = {name: [] for name in ("number", "name", "members", "line")}
    for number, (line, text) in enumerate(headers.get("013", ()), 1):
        teams["number"].append(number)
        teams["name"].append(text[4:36].strip())
        teams["members"].append(" ".join(str(int(n)) for n in re.findall(r"\d{1,4}", text[36:]) if int(n)))
        teams["line"].append(line)
    return teams


_ABNORMAL = re.compile(r"299 (.)\s+(\d{1,4}(?:\.\d+)?)\s+(\d{1,4}(?:\.\d+)?)((?:\s+\d{1,4})*)\s*\Z")


class Abnormal:
    """Record 299: points that differ from the scoring, by letter, round and team (0 stands for all)."""

    def __init__(self, rows: list[tuple[int, str]]) -> None:
        self._points: dict[tuple[str, int, int], tuple[float, float]] = {}
        # The columns of this record differ between the text and the official sample: read by its parts.
        for _, text in rows:
            match = _ABNORMAL.match(text)
            if match is None or not match[4].strip():  # without round and team it holds for nobody
                continue
            round_, *members = [int(n) for n in (match[4] or "").split()] or [0]
            for member in members or [0]:
                self._points[match[1], round_, member] = (float(match[2]), float(match[3]))

    def of(self, letter: str, round_: int, team: int) -> tuple[float, float] | None:
        """Match and game points announced for a result of a team in a round, the most particular rule first; None without one."""
        for key in ((letter, round_, team), (letter, 0, team), (letter, round_, 0), (letter, 0, 0)):
            if key in self._points:
                return self._points[key]
        return None


def _matches(
    headers: Headers, teams: Columns, team_of: dict[int, int], games: Columns, scoring: Scoring, faults: Faults, abnormal: Abnormal
) -> Columns:  # fmt: skip
    own_points: dict[tuple[int, int], float] = {}
    free = _free_boards(games, team_of)
    votes: dict[tuple[int, int, int], int] = {}
    lines: dict[tuple[int, int, int], int] = {}
    forfeited: dict[tuple[int, int, int], bool] = {}
    boards = _boards(headers, teams, games)
    # The boards of a match travel with the games: board points need them.
    games["board"] = [
        # A line-up with an empty board tells the true place of one side only: the later one.
        str(max(boards[round_, one], boards.get((round_, two), 0)) + 1)
        if two and (round_, one) in boards
        else ""
        for round_, one, two in zip(games["round"], games["first"], games["second"], strict=True)
    ]
    colours = headers.get("352", [(0, "352 WBWB")])[0][1][4:].strip().upper() or "WBWB"
    rows = zip(
        games["round"], games["first"], games["second"], games["first_points"], games["second_points"], games["kind"],
        games["colours_known"], games["line"], strict=True,
    )  # fmt: skip
    for round_, one, two, one_points, two_points, kind, known, line in rows:
        a, b = team_of.get(one), team_of.get(two)
        facts = KINDS[Kind(kind)]
        if a is not None and not facts.bye:
            own_points[round_, a] = own_points.get((round_, a), 0.0) + one_points
        if b is not None and two:
            own_points[round_, b] = own_points.get((round_, b), 0.0) + two_points
        if a is None or b is None or not two or a == b:
            continue
        key = (round_, min(a, b), max(a, b))
        votes.setdefault(key, 0)
        lines.setdefault(key, line)
        forfeited[key] = forfeited.get(key, True) and not facts.over_the_board
        board = boards.get((round_, one))
        if known and board is not None and colours[board % len(colours)] in "WB":
            first_is_a = colours[board % len(colours)] == "W"
            votes[key] += 1 if (a if first_is_a else b) == key[1] else -1
    columns: Columns = {name: [] for name in MATCH_COLUMNS}
    seen: set[tuple[int, int]] = set()

    def add(round_: int, first: int, second: int, kind: str, points: list[float], line: int) -> None:
        seen.update({(round_, first), (round_, second)})
        for name, value in zip(MATCH_COLUMNS, (round_, first, second, kind, *points, line), strict=True):
            columns[name].append(value)

    known_teams = set(teams["number"])
    for line, text in headers.get("330", ()):
        match = re.match(r"330 ([+-]{2})\s+(\d{1,4})\s+(\d{1,4})\s+(\d{1,4})", text)
        if not match or not {int(match[3]), int(match[4])} <= known_teams:
            faults.add("CK43", "record-unreadable", line=line, read=text)
            continue
        round_, first, second = int(match[2]), int(match[3]), int(match[4])
        points = []
        for team, letter in ((first, match[1][0]), (second, match[1][1])):
            special = abnormal.of(letter, round_, team)
            usual = (
                float(scoring.match_win if letter == "+" else scoring.match_loss),
                own_points.get((round_, team), 0.0),
            )
            points.append(special or usual)
        kind = "double_forfeit" if match[1] == "--" else "forfeit"
        add(round_, first, second, kind, [points[0][0], points[1][0], points[0][1], points[1][1]], line)
        votes.pop((round_, min(first, second), max(first, second)), None)
    for (round_, low, high), vote in sorted(votes.items()):
        first, second = (low, high) if vote >= 0 else (high, low)
        if (round_, first) in seen or (round_, second) in seen:
            faults.add(
                "CK16", "match-twice", line=lines[round_, low, high], round=round_, first=first, second=second
            )
            continue
        one, two = own_points.get((round_, first), 0.0), own_points.get((round_, second), 0.0)
        values = [match_points(one, two, scoring), match_points(two, one, scoring), one, two]
        for place, (team, own, other) in enumerate(((first, one, two), (second, two, one))):
            special = abnormal.of("W" if own > other else "L" if own < other else "D", round_, team)
            if special:
                values[place], values[place + 2] = special
        kind = "played"
        if forfeited[round_, low, high]:
            kind = "forfeit" if one or two else "double_forfeit"
        add(round_, first, second, kind, values, lines[round_, low, high])
    _byes(
        headers,
        teams,
        own_points,
        scoring,
        faults,
        abnormal,
        add,
        seen,
        max(games["round"], default=0),
        len(colours),
        free,
    )
    _points_of_free_teams(columns, teams, free, scoring)
    return columns


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
        round_, team = _whole(text[4:7]), _whole(text[8:11])
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


def _byes(
    headers: Headers, teams: Columns, own_points: dict[tuple[int, int], float], scoring: Scoring, faults: Faults,
    abnormal: Abnormal, add: Any, seen: set[tuple[int, int]], rounds: int, boards: int,
    free: Mapping[tuple[int, int], float],
) -> None:  # fmt: skip
    nan = math.nan
    known = set(teams["number"])
    for line, text in headers.get("320", ()):
        match = _decimal(text[4:8], line, faults, "match_points")
        game = _decimal(text[9:13], line, faults, "game_points")
        for index in range((len(text) - 14 + 3) // 4):
            team = _whole(text[14 + 4 * index : 17 + 4 * index])
            if team and team in known and (index + 1, team) not in seen:
                add(index + 1, team, 0, "pab", [match, nan, game, nan], line)
    kinds = {
        "F": ("full_bye", float(scoring.match_win), float(boards)),
        "H": ("half_bye", float(scoring.match_draw), boards / 2),
        "Z": ("zero_bye", float(scoring.match_loss), 0.0),
    }
    for line, text in headers.get("240", ()):
        letter, round_ = text[4:5].upper(), _whole(text[6:9])
        if letter not in kinds or not round_:
            faults.add("CK43", "record-unreadable", line=line, read=text)
            continue
        kind, match, game = kinds[letter]
        for team in (int(n) for n in re.findall(r"\d{1,4}", text[9:])):
            if team in known and (round_, team) in seen:
                faults.add("CK19", "bye-twice", line=line, round=round_, field="240", read=team, team=team)
            elif team in known:
                special = abnormal.of(letter, round_, team)
                points = special or (match, game)
                add(round_, team, 0, kind, [points[0], nan, points[1], nan], line)
    for round_ in range(1, rounds + 1):
        if not any(r == round_ for r, _ in seen):
            continue
        for team in teams["number"]:
            if (round_, team) in seen:
                continue
            if (round_, team) in free:
                add(round_, team, 0, "pab", [None, nan, free[round_, team], nan], 0)
            else:
                add(round_, team, 0, "zero_bye", [0.0, nan, own_points.get((round_, team), 0.0), nan], 0)
