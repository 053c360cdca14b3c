"""Direct encounter: mini-table, averages, forfeits, and missing games tried out one by one."""

from __future__ import annotations

import itertools
import random
from datetime import date
from fractions import Fraction

import pytest

from qiyi_analysis.model.event import make_event
from qiyi_analysis.tiebreaks import standings
from qiyi_analysis.tiebreaks.direct import separate_standings


class Games:
    """Stands in for the games of a grid: points of each against each, None for a game that is missing."""

    win, loss = 2, 0

    def __init__(self, points: dict[tuple[int, int], int | None]) -> None:
        self.points = points

    def among(self, rows):
        import numpy as np

        total = np.array([sum(self.points[a, b] or 0 for b in rows if b != a) for a in rows])
        met = np.array([sum(self.points[a, b] is not None for b in rows if b != a) for a in rows])
        return total, met, 1


def first_for_certain(
    points: dict[tuple[int, int], int | None], rows: list[int], placed: list[int]
) -> int | None:
    """Who stands next behind ``placed`` whatever the missing games bring, found by playing all of them."""
    missing = [(a, b) for a, b in itertools.combinations(rows, 2) if points[a, b] is None]
    certain = set(rows) - set(placed)
    for outcome in itertools.product((2, 1, 0), repeat=len(missing)):
        played = dict(points)
        for (a, b), value in zip(missing, outcome, strict=True):
            played[a, b], played[b, a] = value, 2 - value
        total = {a: sum(played[a, b] or 0 for b in rows if b != a) for a in rows}
        left = [row for row in rows if row not in placed]
        top = max(total[row] for row in left)
        leaders = {row for row in left if total[row] == top}
        certain &= leaders if len(leaders) == 1 else set()
    return next(iter(certain), None)


def by_playing_all(points: dict[tuple[int, int], int | None], rows: list[int]) -> list[list[int]]:
    """Article 6 by brute force."""
    if len(rows) < 2:
        return [rows]
    if all(points[a, b] is not None for a, b in itertools.combinations(rows, 2)):
        total = {a: sum(points[a, b] or 0 for b in rows if b != a) for a in rows}
        classes = [[r for r in rows if total[r] == t] for t in sorted(set(total.values()), reverse=True)]
        return classes if len(classes) == 1 else [part for c in classes for part in by_playing_all(points, c)]
    placed: list[int] = []
    while len(placed) < len(rows) - 1:
        next_ = first_for_certain(points, rows, placed)
        if next_ is None:
            break
        placed.append(next_)
    if not placed:
        return [rows]
    return [[row] for row in placed] + by_playing_all(points, [row for row in rows if row not in placed])


@pytest.mark.parametrize("seed", range(60))
def test_missing_games_against_playing_out_every_outcome(seed: int) -> None:
    draw = random.Random(seed)
    size = draw.randint(2, 5)
    rows = list(range(size))
    points: dict[tuple[int, int], int | None] = {}
    for a, b in itertools.combinations(rows, 2):
        value = draw.choice((2, 2, 1, 0, None))
        points[a, b], points[b, a] = value, None if value is None else 2 - value
    found = separate_standings(Games(points), rows)  # type: ignore[arg-type]
    assert [sorted(part) for part in found] == [sorted(part) for part in by_playing_all(points, rows)]


def played(pairs: list[tuple[int, int, str, str]], **facts: object):
    """Pairs (first, second, results, kind) in rounds of their own."""
    results = {"1": ("1", "0"), "=": ("=", "="), "0": ("0", "1")}
    games = [
        {
            "round": i,
            "first": a,
            "second": b,
            "first_result": results[r][0],
            "second_result": results[r][1],
            "kind": kind,
        }
        for i, (a, b, r, kind) in enumerate(pairs, 1)
    ]
    numbers = sorted({n for a, b, *_ in pairs for n in (a, b)})
    players = [{"number": n, "name": f"P{n}"} for n in numbers]
    return make_event(players=players, games=games, start=date(2026, 4, 1), format="swiss", **facts)


def test_a_forfeit_is_a_missing_game_unless_asked_for() -> None:
    """6.1.1: 1 won against 2 by forfeit only; both have one point."""
    event = played([(1, 2, "1", "forfeit"), (2, 3, "1", "played")])
    assert list(standings(event, "PTS,DE").column("DE").values())[:2] == [0, 0]
    assert list(standings(event, "PTS,DE/P").column("DE/P").values())[:2] == [1, 2]


def test_several_games_between_two_count_with_their_average() -> None:
    """6.1.2: first drawn, then won by 1: 0.75 to 0.25."""
    event = played([(1, 2, "=", "played"), (2, 1, "0", "played"), (2, 3, "1", "played")])
    result = standings(event, "PTS,DE")
    assert list(result.table["name"])[:2] == ["P1", "P2"]
    assert list(result.column("DE").values())[:2] == [1, 2]


def test_three_tied_and_one_game_missing_fixes_first_place_only() -> None:
    """1 beat 2 and 3; 2 and 3 have not met."""
    event = played(
        [(1, 2, "1", "played"), (1, 3, "1", "played"), (2, 4, "1", "played"), (2, 5, "1", "played"), (3, 4, "1", "played"), (3, 5, "1", "played")]
    )  # fmt: skip
    result = standings(event, "PTS,DE")
    assert list(result.column("DE").values())[:3] == [1, 2, 2]
    working = result.working(1, "DE")
    assert list(working["opponent"]) == [2, 3]
    assert [Fraction(x) for x in working["points"]] == [1, 1]
