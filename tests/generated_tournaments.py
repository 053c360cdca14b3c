"""Tournaments made up for tests, as TRF26 text: Swiss with every kind of unplayed round, round robins, teams.

The text goes through the ordinary reader, so that every program sees the same file.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

BLANK = "          "


@dataclass
class Entry:
    number: int
    rating: int
    cells: list[str] = field(default_factory=list)
    points: float = 0.0
    met: set[int] = field(default_factory=set)
    gone: bool = False


SCORINGS = (
    {"W": 1.0, "D": 0.5, "L": 0.0, "A": 0.0, "P": 1.0},
    {"W": 1.0, "D": 0.5, "L": 0.0, "A": 0.0, "P": 0.5},
    {"W": 3.0, "D": 1.0, "L": 0.0, "A": 0.0, "P": 3.0},
)


def cell(opponent: int, colour: str, result: str) -> str:
    return f"  {opponent:>4} {colour} {result}" if opponent else f"  0000 - {result}"


def head(
    name: str, day: str, players: int, rounds: int, kind: str, scoring: dict[str, float], teams: int = 0
) -> list[str]:
    lines = [
        f"012 {name}",
        "032 FID",
        f"042 {day}",
        f"052 {day}",
        f"062 {players}",
        f"082 {teams}",
        f"142 {rounds}",
        "152 W",
        "162  " + "   ".join(f"{symbol} {scoring[symbol]:4.1f}" for symbol in "WDLAP"),
        f"192 {kind}",
    ]
    return lines


def record_162(scoring: dict[str, float]) -> str:
    """Record 162: symbols at 6, 15, 24, ... and values in 7-10, 16-19, ..."""
    line = [" "] * 60
    line[0:3] = "162"
    for i, symbol in enumerate(("W", "D", "L", "A", "P")):
        start = 5 + 9 * i
        line[start] = symbol
        line[start + 1 : start + 5] = f"{scoring[symbol]:4.1f}"
    return "".join(line).rstrip()


def player_line(entry: Entry, name: str, rank: int) -> str:
    rating = f"{entry.rating:>4}" if entry.rating else "    "
    line = f"001 {entry.number:>4} m    {name:<33} {rating} FID {'':>11} {'2000/01/01':<10} {entry.points:>4.1f} {rank:>4}"
    return line + "".join(entry.cells)


def swiss(seed: int, day: str) -> str:
    """A Swiss event: byes of all kinds, forfeits of one side and of both, withdrawals and returns, odd fields."""
    draw = random.Random(seed)
    size, rounds = draw.randint(6, 60), draw.randint(3, 11)
    scoring = draw.choice((SCORINGS[0], *SCORINGS))
    unrated = draw.choice((0, 0, 0, 0.15))
    entries = [
        Entry(i, 0 if draw.random() < unrated else draw.randint(1200, 2700)) for i in range(1, size + 1)
    ]
    busy = draw.choice((0.3, 1.0, 2.5))

    def score(entry: Entry, text: str, opponent: int = 0, colour: str = "-") -> None:
        worth = {
            "1": "W", "W": "W", "+": "W", "=": "D", "D": "D", "H": "D", "0": "L", "L": "L", "-": "A", "Z": "A", "F": "W", "U": "P",
        }  # fmt: skip
        entry.points += scoring[worth[text]]
        entry.cells.append(cell(opponent, colour, text))

    for _ in range(rounds):
        free = []
        for entry in entries:
            chance = draw.random()
            if entry.gone or chance < 0.02 * busy:
                score(entry, "Z") if draw.random() < 0.8 else entry.cells.append(BLANK)
                if draw.random() < 0.3:
                    entry.gone = not entry.gone
            elif chance < 0.06 * busy:
                score(entry, "H")
            elif chance < 0.07 * busy:
                score(entry, "F")
            else:
                free.append(entry)
        free.sort(key=lambda e: (-e.points, draw.random()))
        if len(free) % 2:
            score(free.pop(), "U")
        while free:
            one = free.pop(0)
            index = next((i for i, other in enumerate(free) if other.number not in one.met), 0)
            two = free.pop(index)
            one.met.add(two.number)
            two.met.add(one.number)
            if draw.random() < 0.5:
                one, two = two, one
            first, second = draw.choices(
                [
                    ("1", "0"),
                    ("=", "="),
                    ("0", "1"),
                    ("+", "-"),
                    ("-", "+"),
                    ("-", "-"),
                    ("W", "L"),
                    ("D", "D"),
                    ("L", "W"),
                ],
                [34, 24, 30, 2.0 * busy, 2.0 * busy, 0.7 * busy, 0.4, 0.4, 0.4],
            )[0]
            score(one, first, two.number, "w")
            score(two, second, one.number, "b")
    lines = head(f"Swiss {seed}", day, size, rounds, "FIDE_DUTCH", scoring)
    lines[8] = record_162(scoring)
    lines += [player_line(entry, f"Player {entry.number:>4}", i) for i, entry in enumerate(entries, 1)]
    return "\n".join(lines) + "\n"


def round_robin(seed: int, day: str) -> str:
    """A single or double round robin by the Berger table, with forfeits; odd fields have a free round."""
    from qiyi_analysis.audit.pairing_table import table

    draw = random.Random(seed)
    size, double = draw.randint(4, 13), draw.random() < 0.3
    entries = [Entry(i, draw.randint(1600, 2700)) for i in range(1, size + 1)]
    forfeits = draw.choice((0.0, 3.0, 8.0))
    cycles = [table(size)]
    if double:
        cycles.append([[(b, a) for a, b in pairs] for pairs in table(size)])
    rounds = 0
    for pairs in (pairs for cycle in cycles for pairs in cycle):
        rounds += 1
        for first, second in pairs:
            if not first or not second:
                entries[(first or second) - 1].cells.append(BLANK)
                continue
            results = draw.choices(
                [("1", "0"), ("=", "="), ("0", "1"), ("+", "-"), ("-", "+"), ("-", "-")],
                [30, 40, 30, forfeits, forfeits, forfeits / 4],
            )[0]
            for number, other, colour, result in (
                (first, second, "w", results[0]),
                (second, first, "b", results[1]),
            ):
                entry = entries[number - 1]
                entry.points += {"1": 1.0, "+": 1.0, "=": 0.5}.get(result, 0.0)
                entry.cells.append(cell(other, colour, result))
    kind = "FIDE_DOUBLEROUNDROBIN" if double else "FIDE_ROUNDROBIN"
    lines = head(f"Round robin {seed}", day, size, rounds, kind, SCORINGS[0])
    lines[8] = record_162(SCORINGS[0])
    lines += [player_line(entry, f"Player {entry.number:>4}", i) for i, entry in enumerate(entries, 1)]
    return "\n".join(lines) + "\n"


def teams(seed: int, day: str) -> str:
    """A Swiss of teams of four: byes, forfeited matches and boards."""
    draw = random.Random(seed)
    size, rounds, boards = draw.randint(6, 20), draw.randint(3, 9), 4
    entries = [Entry(i, draw.randint(1600, 2700)) for i in range(1, size * boards + 1)]
    match_points, met = [0.0] * (size + 1), {i: set() for i in range(1, size + 1)}
    game_points = [0.0] * (size + 1)
    given_byes: list[int] = []
    requested: list[str] = []
    forfeited: list[str] = []

    def members(team: int) -> list[Entry]:
        return entries[(team - 1) * boards : team * boards]

    def absent(team: int) -> None:
        for entry in members(team):
            entry.cells.append(cell(0, "-", "Z"))

    for round_ in range(1, rounds + 1):
        free = []
        for team in range(1, size + 1):
            chance = draw.random()
            if chance < 0.03:
                absent(team)
                requested.append(f"240 Z {round_:>3} {team:>4}")
            elif chance < 0.06:
                absent(team)
                requested.append(f"240 H {round_:>3} {team:>4}")
                match_points[team] += 1
                game_points[team] += boards / 2
            else:
                free.append(team)
        free.sort(key=lambda t: (-match_points[t], draw.random()))
        bye = free.pop() if len(free) % 2 else 0
        given_byes.append(bye)
        if bye:
            absent(bye)
            match_points[bye] += 1
            game_points[bye] += boards / 2
        while free:
            one = free.pop(0)
            two = free.pop(next((i for i, t in enumerate(free) if t not in met[one]), 0))
            met[one].add(two)
            met[two].add(one)
            if draw.random() < 0.04:
                results = draw.choice((("+", "-"), ("-", "+"), ("-", "-")))
                forfeited.append(f"330 {results[0]}{results[1]} {round_:>3} {one:>3} {two:>3}")
                for team, other, result, colour in ((one, two, results[0], 0), (two, one, results[1], 1)):
                    for board, entry in enumerate(members(team)):
                        entry.cells.append(
                            cell(members(other)[board].number, "wb"[(board + colour) % 2], result)
                        )
                    match_points[team] += 2 if result == "+" else 0
                    game_points[team] += boards if result == "+" else 0
                    for entry in members(team):
                        entry.points += result == "+"
                continue
            totals = [0.0, 0.0]
            for board in range(boards):
                result = draw.choices(
                    [("1", "0"), ("=", "="), ("0", "1"), ("+", "-"), ("-", "+")], [30, 30, 30, 1.5, 1.5]
                )[0]
                pair = members(one)[board], members(two)[board]
                for side in (0, 1):
                    colour = "wb"[(board + side) % 2]
                    pair[side].cells.append(cell(pair[1 - side].number, colour, result[side]))
                    worth = {"1": 1.0, "+": 1.0, "=": 0.5}.get(result[side], 0.0)
                    pair[side].points += worth
                    totals[side] += worth
            for side, team in ((0, one), (1, two)):
                game_points[team] += totals[side]
                match_points[team] += (
                    2 if totals[side] > totals[1 - side] else totals[side] == totals[1 - side]
                )
    lines = head(f"Teams {seed}", day, len(entries), rounds, "FIDE_TEAM_TYPEA_MP_GP", SCORINGS[0], size)
    lines[8] = record_162(SCORINGS[0])
    lines += ["352 WBWB", "362 TW 2.0   TD 1.0   TL 0.0"]
    lines += [player_line(entry, f"Player {entry.number:>4}", i) for i, entry in enumerate(entries, 1)]
    for team in range(1, size + 1):
        numbers = " ".join(f"{entry.number:>4}" for entry in members(team))
        lines.append(
            f"310 {team:>3} {f'Team {team}':<32} {f'T{team}':<5} {2000:>6} {match_points[team]:>6.1f} "
            f"{game_points[team]:>6.1f} {team:>3}  {numbers}"
        )
    lines += requested
    lines.append(
        "320 "
        + f"{1.0:>4.1f} {boards / 2:>4.1f}"
        + "".join(f" {team:>3}" if team else " 000" for team in given_byes)
    )
    lines += forfeited
    return "\n".join(lines) + "\n"
