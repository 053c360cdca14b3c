"""Teams of a report file: records 013, 310, 320, 330, 300, 240, 299, 352 (FIDE C.02.03 Annex A).

The file lists teams and the players' games; the matches follow: two teams met in a round when their
members did. The first team is the one whose boards have the colours of record 352.
"""

from __future__ import annotations

import re

from qiyi_analysis.model.event import Scoring
from qiyi_analysis.readers.draft import Columns, fill_points
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.trf.start_numbers import whole_number
from qiyi_analysis.readers.trf.team_matches import Headers, TeamMatches, decimal_in


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
    return teams, TeamMatches(headers, teams, team_of, games, scoring, faults).read()


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
        number = whole_number(text[4:7])
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
            teams[name].append(decimal_in(text[begin:end], line, faults, name))
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
