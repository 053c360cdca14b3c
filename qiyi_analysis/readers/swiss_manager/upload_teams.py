"""Teams and matches of an upload: records with ``teamname``, the players' ``teamno`` and ``board``, pairings of teams.

The points in a pairing of teams are game points (some programs give match points); match points follow from the scoring.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from qiyi_analysis.model.event import MATCH_COLUMNS, Kind, Scoring
from qiyi_analysis.readers.draft import MOST_ROUNDS, Columns, add_game, match_points, matches_from_games
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.swiss_manager.upload_records import Record
from qiyi_analysis.readers.tables.player_fields import read_number, whole
from qiyi_analysis.tiebreaks import swiss_manager_numbers as numbers

_SIDES = ("first", "second")


def read_teams(
    records: Iterable[Record], players: Columns, games: Columns, facts: Mapping[str, Any], faults: Faults, *, final: bool
) -> tuple[Columns, Columns]:  # fmt: skip
    """Columns of the teams and of the matches table; ``team`` of the players becomes the name of their team.

    ``final``: the printed ranking is that of the last round, so that its totals are kept.
    """
    teams: Columns = {
        name: []
        for name in ("number", "name", "nickname", "members", "match_points", "game_points", "rank", "line")
    }
    records = list(records)
    codes = ["MP" if numbers.match_points(code.partition("(")[0]) else code for code in facts["tie_breaks"]]
    columns = {code: f"tb{i}" for i, code in reversed([*enumerate(codes, 1)])}
    if codes[:1] != ["MP"]:  # else the printed points are those of the matches
        columns["GP"] = "points"
    for record in records:
        if "teamname" in record:
            _team(record, teams, columns if final else {}, faults)
    _members(teams, players, faults)
    matches = matches_from_games(teams, games, facts["scoring"], with_match_points=True)
    known = set(teams["number"])
    at = {
        (round_, frozenset((one, two))): place
        for place, (round_, one, two) in enumerate(
            zip(matches["round"], matches["first"], matches["second"], strict=True)
        )
    }
    for record in records:
        if "no1" in record:
            _match(record, matches, at, known, facts["scoring"], faults)
    return teams, matches


def _team(record: Record, teams: Columns, columns: Mapping[str, str], faults: Faults) -> None:
    """``columns``: the attribute that prints the match points (MP) and game points (GP), none where they are not final."""
    number = whole(record.get("no")) or 0
    if not number or number in teams["number"]:
        fresh = max(teams["number"], default=0) + 1
        faults.add("CK09", "team-number", line=record.line, field="no", read=record.get("no"), assumed=fresh)
        number = fresh
    teams["number"].append(number)
    teams["name"].append(record.get("teamname"))
    teams["nickname"].append(record.get("teamshort"))
    for column, code in (("match_points", "MP"), ("game_points", "GP"), ("rank", "")):
        key = columns.get(code, "") if code else "rank" if columns else ""
        text = record.get(key) if key else ""
        teams[column].append(read_number(text, faults, record.line, 0, key, ","))
    teams["line"].append(record.line)


def _members(teams: Columns, players: Columns, faults: Faults) -> None:
    """Members in board order; a player of a team that is not listed makes one."""
    boards: dict[int, list[tuple[float, int]]] = {number: [] for number in teams["number"]}
    rows = zip(players["number"], players["team"], players["board"], players["line"], strict=True)
    for number, team, board, line in rows:
        wanted = whole(team) or 0
        if not wanted:
            continue
        if wanted not in boards:
            faults.add("CK07", "team-unknown", line=line, player=number, field="teamno", read=team)
            boards[wanted] = []
            for name in teams:
                teams[name].append(math.nan if name in ("match_points", "game_points", "rank") else "")
            teams["number"][-1], teams["name"][-1], teams["line"][-1] = wanted, f"#{wanted}", line
        boards[wanted].append((board if board == board else math.inf, number))
    teams["members"] = [" ".join(str(n) for _, n in sorted(boards[number])) for number in teams["number"]]
    names = dict(zip(teams["number"], teams["name"], strict=True))
    players["team"] = [names.get(whole(team) or 0, "") for team in players["team"]]


def _match(
    record: Record, matches: Columns, at: dict[tuple[int, frozenset[int]], int], known: set[int], scoring: Scoring, faults: Faults
) -> None:  # fmt: skip
    round_, one, other = whole(record.get("round")) or 0, whole(record.get("no1")) or 0, record.get("no2")
    two = whole(other) or 0
    bye = other in ("-1", "-2")
    if not 1 <= round_ <= MOST_ROUNDS or one not in known or (not bye and two not in known) or one == two:
        faults.add("CK43", "record-unreadable", line=record.line, read=record.shown())
        return
    printed = [read_number(record.get(key), faults, record.line, 0, key, ",") for key in ("res1", "res2")]
    if bye:
        points = float(scoring.match_win if other == "-1" else scoring.match_loss)
        kind = "pab" if other == "-1" else "zero_bye"
        row: tuple[Any, ...] = (round_, one, 0, kind, points, math.nan, printed[0], math.nan, record.line)
    elif (place := at.get((round_, frozenset((one, two))))) is not None:
        _orient(matches, place, one)
        counted = [matches[f"{side}_game_points"][place] for side in _SIDES]
        in_match_points = [matches[f"{side}_match_points"][place] for side in _SIDES]
        if all(p == p for p in printed) and printed not in (counted, in_match_points):
            read, assumed = (f"{a:g}:{b:g}" for a, b in (printed, counted))
            faults.add(
                "CK17",
                "match-points-printed",
                line=record.line,
                round=round_,
                field="res1",
                read=read,
                assumed=assumed,
                first=one,
                second=two,
            )
        return
    else:
        told = all(p == p for p in printed)
        values = [match_points(a, b, scoring) if told else math.nan for a, b in (printed, printed[::-1])]
        row = (round_, one, two, "played", *values, *printed, record.line)
    for name, value in zip(MATCH_COLUMNS, row, strict=True):
        matches[name].append(value)


def _orient(matches: Columns, place: int, first: int) -> None:
    """The team named first in the pairing of teams is the first of the match."""
    if matches["first"][place] == first:
        return
    for name in ("{}", "{}_match_points", "{}_game_points"):
        one, two = (matches[name.format(side)] for side in _SIDES)
        one[place], two[place] = two[place], one[place]


def add_team_byes(players: Columns, games: Columns, teams: Columns, matches: Columns) -> None:
    """A bye for each member of a team without opponent whose printed points count one: pages print the points of a bye
    for the players who would have sat at the boards, and do not say who they are."""
    byes: dict[int, list[tuple[int, int]]] = {}
    for round_, team, kind, line in zip(
        matches["round"], matches["first"], matches["kind"], matches["line"], strict=True
    ):
        if kind == "pab":
            byes.setdefault(team, []).append((round_, line))
    printed = dict(zip(players["number"], players["points"], strict=True))
    scored = dict.fromkeys(players["number"], 0.0)
    for side in ("first", "second"):
        for number, points in zip(games[side], games[f"{side}_points"], strict=True):
            if number in scored and points == points:
                scored[number] += points
    for team, rounds in byes.items():
        members = teams["members"][teams["number"].index(team)]
        for number in map(int, members.split()):
            if printed[number] - scored[number] == len(rounds):
                for round_, line in rounds:
                    add_game(
                        games,
                        round=round_,
                        first=number,
                        second=0,
                        kind=Kind.PAB,
                        first_result="1",
                        first_points=1.0,
                        colours_known=False,
                        line=line,
                    )
                    games["day"].append("")
