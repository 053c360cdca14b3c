"""Team events in TRF26: everything that is read comes back after writing."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

from qiyi_analysis.audit.checks import check_event
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers import read_event
from qiyi_analysis.readers.door import events_in_bytes
from qiyi_analysis.readers.writers.event_writer import write_event
from qiyi_analysis.readers.writers.trf_writer import write_trf

BOARDS = 4
COLOURS = ("WBWB", "WWBB", "BWBW")


def made_team_file(seed: int) -> str:
    """A team event as a report file of 2026, written by itself: line-ups, byes of every kind, forfeits, odd points."""
    chance = random.Random(seed)
    size, rounds = chance.randrange(4, 9), chance.randrange(3, 6)
    members = {team: list(range((team - 1) * 6 + 1, team * 6 + 1)) for team in range(1, size + 1)}
    if chance.random() < 0.5:  # numbers of the players in the order of their ratings, not of the teams
        numbers = list(range(1, 6 * size + 1))
        chance.shuffle(numbers)
        members = {team: sorted(numbers[n - 1] for n in row) for team, row in members.items()}
    colours = chance.choice(COLOURS)
    cells: dict[int, dict[int, str]] = {n: {} for row in members.values() for n in row}
    points = dict.fromkeys(cells, 0.0)
    records: list[str] = []
    pab = [0] * rounds
    for round_ in range(1, rounds + 1):
        teams = list(members)
        chance.shuffle(teams)
        if len(teams) % 2:
            pab[round_ - 1] = teams.pop()
        elif chance.random() < 0.4:
            records.append(f"240 {chance.choice('FHZ')} {round_:3d} {teams.pop():4d} {teams.pop():4d}")
        for white, black in zip(teams[::2], teams[1::2], strict=True):
            fate = chance.random()
            if fate < 0.1:
                records.append(f"330 {chance.choice(('+-', '-+', '--'))} {round_:3d} {white:3d} {black:3d}")
                continue
            _match(chance, round_, (white, black), members, colours, cells, points, records)
    lines = [
        f"012 Teams {seed}", "022 Place", "032 NOR", "042 2026/03/01", "052 2026/03/09", f"062 {len(cells)}", f"072 {len(cells)}",
        f"082 {size}", "092 Team Swiss", "102 Chief", "112 Second", "112 Third", "122 90 min", f"142 {rounds}", "152 B",
        "172 NOR FIDE", "182 A program", "192 FIDE_TEAM", "212 PTS,EDE,SSSC", "222 5400+30",
        f"250  2.0  0.0   1   2    1 {size:4d}", "260   1   3    1    2", f"352 {colours}",
    ]  # fmt: skip
    scoring = chance.choice(((2.0, 1.0, 0.0), (3.0, 1.0, 0.0)))
    lines.append(
        "362 "
        + "   ".join(f"{name}{value:4.1f}" for name, value in zip(("TW", "TD", "TL"), scoring, strict=True))
    )
    if any(pab):
        lines.append(f"320 {scoring[1]:4.1f} {BOARDS / 2:4.1f} " + " ".join(f"{team:03d}" for team in pab))
    if chance.random() < 0.5:
        lines.append(f"299 + {scoring[0]:4.1f}  {chance.choice((2.5, 3.0)):4.1f}   000    1    2")
    for number in sorted(cells):
        row = "".join(cells[number].get(round_, " " * 10) for round_ in range(1, rounds + 1))
        lines.append(
            f"001 {number:4d} m    {f'Player {number}':33} {1500 + number:4d} NOR {number + 1000:11d} 1990/01/01 {points[number]:4.1f} {number:4d}{row}".rstrip()
        )
    for team, row in members.items():
        lines.append(
            f"310 {team:3d} {f'Team {team}':32} {f'T{team}':5} {1500 + team:6d} {'0.0':>6} {'0.0':>6} {team:3d}"
            + " "
            + "".join(f" {n:4d}" for n in row)
        )
    return "\n".join([*lines, *records]) + "\n"


def _match(
    chance: random.Random, round_: int, pair: tuple[int, int], members: dict[int, list[int]], colours: str,
    cells: dict[int, dict[int, str]], points: dict[int, float], records: list[str],
) -> None:  # fmt: skip
    line_ups = []
    for team in pair:
        row = sorted(chance.sample(members[team], BOARDS), key=members[team].index)
        if chance.random() < 0.3:  # another order than that of the list, perhaps with an empty board
            chance.shuffle(row)
            if chance.random() < 0.5:
                row[chance.randrange(BOARDS)] = 0
            opponent = pair[1] if team == pair[0] else pair[0]
            records.append(f"300 {round_:3d} {team:3d} {opponent:3d}" + "".join(f" {n:04d}" for n in row))
        line_ups.append(row)
    for board, (one, two) in enumerate(zip(*line_ups, strict=True)):
        if not one or not two:
            if one or two:
                cells[one or two][round_] = "  0000 - +"
                points[one or two] += 1
            continue
        white_first = colours[board] == "W"
        result = chance.choice(("10", "01", "==", "+-", "-+", "WL"))
        marks = ("w", "b") if white_first else ("b", "w")
        cells[one][round_] = f"  {two:4d} {marks[0]} {result[0]}"
        cells[two][round_] = f"  {one:4d} {marks[1]} {result[1]}"
        for number, letter in ((one, result[0]), (two, result[1])):
            points[number] += {"1": 1, "+": 1, "W": 1, "=": 0.5}.get(letter, 0)


def same(one: Event, two: Event) -> None:
    for name, keys in (
        ("players", ["number"]),
        ("games", ["round", "first", "second"]),
        ("teams", ["number"]),
        ("matches", ["round", "first", "second"]),
    ):
        tables = [
            getattr(event, name).drop(columns=["line"]).sort_values(keys).reset_index(drop=True)
            for event in (one, two)
        ]
        pd.testing.assert_frame_equal(*tables, check_dtype=False, obj=name)
    for fact in (
        "name",
        "place",
        "federation",
        "start",
        "end",
        "format",
        "rounds",
        "scoring",
        "arbiters",
        "time_control",
        "tie_breaks",
        "discipline",
    ):
        assert getattr(one, fact) == getattr(two, fact), fact
    for extra in (one.extra, two.extra):
        extra.get("240", []).sort()
    assert one.extra == two.extra


@pytest.mark.parametrize("seed", range(40))
def test_a_team_event_comes_back(seed: int) -> None:
    (event,) = events_in_bytes(made_team_file(seed).encode(), "t.trf")
    assert not [fault for fault in event.faults if fault.severity == "E"]
    text, losses = write_trf(event, version=26)
    assert not losses
    (back,) = events_in_bytes(text.encode(), "t.trf")
    same(event, back)


@pytest.mark.parametrize("seed", range(20))
def test_a_team_event_without_records_of_its_own_comes_back(tmp_path: Path, seed: int) -> None:
    """From the folder format, which has tables and no records: line-ups, colours and points are put into records."""
    (event,) = events_in_bytes(made_team_file(seed).encode(), "t.trf")
    write_event(event, tmp_path / "t")
    plain = read_event(tmp_path / "t")
    text, _ = write_trf(plain, version=26)
    (back,) = events_in_bytes(text.encode(), "t.trf")
    for name, keys in (
        ("games", ["round", "first", "second"]),
        ("teams", ["number"]),
        ("matches", ["round", "first", "second"]),
    ):
        tables = [
            getattr(one, name).drop(columns=["line"]).sort_values(keys).reset_index(drop=True)
            for one in (plain, back)
        ]
        pd.testing.assert_frame_equal(*tables, check_dtype=False, obj=name)


def test_points_of_forfeited_matches_and_two_byes_in_a_round_come_back(tmp_path: Path) -> None:
    """Points by the regulations of the event (4:0, half the match points) need record 299, two allocated byes two records."""
    members = {1: "1 2", 2: "3 4", 3: "5 6", 4: "7 8", 5: "9 10", 6: "11 12"}
    place = tmp_path / "t"
    place.mkdir()
    (place / "meta.json").write_text(
        '{"title": "T", "format": "team Swiss", "rounds": 1, "scoring": {"match_win": 2}}', encoding="utf-8"
    )
    (place / "players.csv").write_text(
        "no,name,rating\n" + "".join(f"{n},P{n},1500\n" for n in range(1, 13)), encoding="utf-8"
    )
    (place / "games.csv").write_text(
        "round,board,white,black,white_score,black_score,kind\n1,1,1,3,1,0,played\n1,2,4,2,0,1,played\n",
        encoding="utf-8",
    )
    rows = "".join(f"{team},Team {team},{row}\n" for team, row in members.items())
    (place / "teams.csv").write_text("number,name,members\n" + rows, encoding="utf-8")
    (place / "matches.csv").write_text(
        "round,first,second,kind,first_match_points,second_match_points,first_game_points,second_game_points\n"
        "1,1,2,played,2,0,2,0\n1,3,4,forfeit,2,0,2,0\n1,5,0,pab,1,,1,\n1,6,0,pab,1,,1,\n",
        encoding="utf-8",
    )
    event = read_event(place)
    text, _ = write_trf(event, version=26)
    (back,) = events_in_bytes(text.encode(), "t.trf")
    tables = [
        one.matches.drop(columns=["line"]).sort_values(["round", "first"]).reset_index(drop=True)
        for one in (event, back)
    ]
    pd.testing.assert_frame_equal(*tables, check_dtype=False)
    assert [line[:6] for line in text.splitlines() if line[:3] in ("299", "320", "330")] == [
        "320  1",
        "320  1",
        "330 +-",
        "299 + ",
    ]


#: Three teams of two boards, one of them free in each round; no record 320 says so.
FREE_TEAMS = """001    1      A, One                            2010                             2.5    1     3 w 1     5 b =  0000 - U
001    2      A, Two                            1990                             3.0    2     4 b 1     6 w 1  0000 - U
001    3      B, One                            1910                             2.0    3     1 b 0  0000 - U     5 w 1
001    4      B, Two                            1890                             1.0    4     2 w 0  0000 - U     6 b 0
001    5      C, One                            1810                             1.5    5  0000 - U     1 w =     3 b 0
001    6      C, Two                            1790                             2.0    6  0000 - U     2 b 0     4 w 1
"""


@pytest.mark.parametrize(
    ("totals", "worth"),
    [
        # Matches bring 4, 1 and 1; each team is free once: worth 1 here ...
        ((5.0, 2.0, 2.0), 1.0),
        # ... and 2 here; without totals, or with totals that do not agree, it is worth a draw.
        ((6.0, 3.0, 3.0), 2.0),
        ((None, None, None), 1.0),
        ((6.0, 3.0, 2.0), 1.0),
    ],
)
def test_a_free_team_without_a_record_of_its_own(totals: tuple[float | None, ...], worth: float) -> None:
    """The bye stands in the cells of its players: one bye of the team, not one of each player."""
    lines = ["012 Teams", "042 2025/05/01", "052 2025/05/03", "092 Team Swiss"]
    for team, (points, games) in enumerate(zip(totals, (5.5, 3.0, 3.5), strict=True), 1):
        printed = f"{points:6} {games:6}" if points is not None else " " * 13
        lines.append(
            f"310 {team:3} {f'Team {team}':32} {'':5} {2000:6} {printed} {team:3}  {2 * team - 1:4} {2 * team:4}"
        )
    text = "\n".join(lines) + "\n" + FREE_TEAMS
    (event,) = events_in_bytes(text.encode(), "t.trf")
    free = event.matches[event.matches["kind"] == "pab"]
    assert free[["round", "first", "first_match_points", "first_game_points"]].values.tolist() == [
        [1, 3, worth, 2.0],
        [2, 2, worth, 2.0],
        [3, 1, worth, 2.0],
    ]
    wrong = [(f.code, f.values.get("team")) for f in check_event(event) if f.code in ("CK17", "CK18")]
    assert len(wrong) == (2 if totals == (6.0, 3.0, 2.0) else 0)


def test_a_member_who_is_free_while_his_team_plays_is_no_free_team() -> None:
    text = FREE_TEAMS.replace("1.5    5  0000 - U", "1.5    5     1 w 0").replace(
        "2.5    1     3 w 1", "1.5    1     5 b 1"
    )
    lines = [f"310 {team:3} {f'Team {team}':32} {'':34}{2 * team - 1:4} {2 * team:4}" for team in (1, 2, 3)]
    (event,) = events_in_bytes(
        ("012 Teams\n092 Team Swiss\n" + "\n".join(lines) + "\n" + text).encode(), "t.trf"
    )
    assert 1 not in event.matches.loc[event.matches["kind"] == "pab", "round"].tolist()
