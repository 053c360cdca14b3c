"""Made-up events of each family of rules against calculators of our own (200 a family; --random-events for more)."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import second_calculators as second

from qiyi_analysis.model.event import Event, Scoring, make_event
from qiyi_analysis.rating.dwz import development
from qiyi_analysis.rating.table_method import NOT_KNOWN, calculate
from qiyi_analysis.rules.ruleset import ruleset
from qiyi_analysis.tiebreaks import standings


def built(made: dict[str, Any], day: date, discipline: str) -> Event:
    rounds = max(game["round"] for game in made["games"])
    return make_event(**made, rounds=rounds, start=day, end=day, discipline=discipline, scoring=Scoring.of(2))


def differing(event: Event, rules: str, wanted: dict[int, tuple[int, Fraction, Fraction]]) -> list[Any]:
    c = calculate(event, ruleset(rules))
    found = []
    for i, number in enumerate(c.entrants.number.tolist()):
        if number not in wanted:
            continue
        games, expected, change = wanted[number]
        we = 0 if c.we[i] == NOT_KNOWN else c.we[i]
        got = (
            int(c.games[i]),
            Fraction(int(we), c.unit),
            Fraction(0 if c.change[i] == NOT_KNOWN else int(c.change[i]), c.unit),
        )
        if got != (games, expected, change):
            found.append((number, got, wanted[number]))
    return found


Family = tuple[
    str, date, str, dict[str, Any], Callable[[dict[str, Any]], dict[int, tuple[int, Fraction, Fraction]]]
]
CHINESE: dict[str, Family] = {
    "cca": ("cca/rating/undated", date(2006, 5, 1), "chess", {"sexes": "mw", "ratings": (1200, 2100), "unrated": 0.2}, second.cca),
    "xiangqi-men": ("cxa/rating/undated", date(2006, 5, 1), "xiangqi", {"sexes": "m", "ratings": (2250, 2650), "unrated": 0.2}, second.xiangqi),
    "xiangqi-mixed": ("cxa/rating/undated", date(2006, 5, 1), "xiangqi", {"sexes": "mw", "ratings": (2150, 2600), "unrated": 0.2}, second.xiangqi),
}  # fmt: skip


@pytest.mark.parametrize("family", CHINESE)
def test_chinese_ratings(family: str, random_events: int) -> None:
    rules, day, discipline, facts, calculator = CHINESE[family]
    for seed in range(random_events):
        chance = random.Random(f"{family}-{seed}")
        made = second.made(chance, robin=seed % 2 == 0, **facts)
        assert differing(built(made, day, discipline), rules, calculator(made)) == [], seed


EDITIONS = ("2009-07-01", "2011-07-01", "2012-07-01", "2017-07-01", "2024-03-01", "2025-10-01")


def test_fide_ratings(random_events: int) -> None:
    for seed in range(random_events):
        edition = EDITIONS[seed % len(EDITIONS)]
        made = second.made(
            random.Random(f"fide-{seed}"), robin=False, sexes="mw", ratings=(1400, 2800), unrated=0.1
        )
        event = built(made, date.fromisoformat(edition), "chess")
        assert differing(event, f"fide/rating-standard/{edition}", second.fide(made, edition)) == [], seed


def test_dwz_coefficients(random_events: int) -> None:
    rules, chance = ruleset("dsb/dwz/undated"), random.Random("dwz")
    for _ in range(20 * random_events):
        rating, age, index = (
            chance.randint(700, 2700),
            chance.randint(8, 80),
            chance.choice((None, 1, 2, 5, 9)),
        )
        surplus = Fraction(chance.randint(-4000, 4000), 1000)
        got = development(rating, age, surplus, rules, index)
        assert got == second.dwz(rating, age, index, surplus), (rating, age, index, surplus)


def test_xiangqi_criteria(random_events: int) -> None:
    rules = ruleset("cxa/tie-breaks/1999-01-01")
    for seed in range(random_events):
        made = second.made(
            random.Random(f"order-{seed}"), robin=False, sexes="m", ratings=(2200, 2600), unrated=0.0
        )
        result = standings(built(made, date(2002, 5, 1), "xiangqi"), "PTS,XF,DSF,SJ", rules, of="players")
        wanted = second.chinese_criteria(made)
        for i, number in enumerate(result.grid.numbers.tolist()):
            got = tuple(Fraction(result.column(code).value(i) or 0) for code in ("XF", "DSF", "SJ"))
            assert got == tuple(map(Fraction, wanted[number])), (seed, number)
        assert np.all(np.diff(result.ranks[result.order]) >= 0)
