"""Every sum that `explain` prints is recalculated from what is printed."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from test_missing_and_columns import eight

from qiyi_analysis import rate, read_event, ruleset
from qiyi_analysis.audit.explain import steps_of, sum_of

EVENTS = Path(__file__).parents[2] / "data" / "events"
RULES = (
    "fide/rating-standard/2024-03-01", "fide/rating-standard/2009-07-01", "cca/rating/undated", "cxa/rating/undated",
    "cwa/rating/undated", "dsb/dwz/undated", "uscf/rating/2025-07-26", "icu/rating/undated", "egf/rating/2021-04-01",
    "egf/rating/1998-01-01", "aga/rating/undated",
)  # fmt: skip
SUM = re.compile(r"[\d.\s+×/()−-]*[+×/−][\d.\s+×/()−-]*")


def recalculated(text):
    """The value of a sum, by Python itself."""
    return Fraction(
        eval(re.sub(r"(\d+(?:\.\d+)?)", r"Fraction('\1')", text.replace("×", "*").replace("−", "-")))
    )


def held(rating, number):
    """Number of lines with a sum; each comes to the value beside it."""
    count = 0
    for step in steps_of(rating, number, "en"):
        assert "None" not in step.how + step.value, step
        if not SUM.fullmatch(step.how) or step.how.startswith("+") or not re.search(r"\d", step.how):
            continue
        places = len(step.value.partition(".")[2])
        factors = [float(n) for n in re.findall(r"\d+(?:\.\d+)?", step.how)]
        largest = max([1.0, *(n for n in factors if "×" in step.how and n < 1000)])
        inexact = [len(n.partition(".")[2]) for n in re.findall(r"\d+\.\d+", step.how)]
        slack = 0.5 * 10**-places + sum(0.5 * 10**-d * largest for d in inexact)
        assert abs(float(recalculated(step.how)) - float(step.value)) <= slack + 1e-12, step
        count += 1
    return count


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("kind", ["rated", "unrated", "bonus", "women", "provisional"])
def test_each_line_adds_up(rules, kind):
    event = eight().with_players(k=np.nan, sex=["m"] * 8, games_before=100.0, birth_year=1980.0)
    if kind == "unrated":
        event = event.with_players(rating=[2000.0, np.nan, 1980.0, 1970.0, 1960.0, 1950.0, 1940.0, 1930.0])
    elif kind == "bonus":
        event = event.with_players(rating=[1500.0, 2100.0, 2080.0, 2070.0, 2060.0, 2050.0, 2040.0, 1400.0])
    elif kind == "women":
        event = event.with_players(sex=["w", "m"] * 4)
    elif kind == "provisional":
        event = event.with_players(games_before=3.0)
    rating = rate(event, ruleset(rules))
    # A provisional rating of the Irish union is a performance: there is no sum of We and K.
    least = 0 if (rules, kind) == ("icu/rating/undated", "provisional") else 8
    assert sum(held(rating, n) for n in range(1, 9)) >= least


@pytest.mark.parametrize("event", ["nanjing-2010", "constructed-xiangqi-2024", "constructed-cca-2024"])
def test_each_line_of_the_events_here_adds_up(event):
    from qiyi_analysis import audit

    rating = audit(read_event(EVENTS / event)).rating
    assert all(held(rating, number) >= 2 for number in rating.players["number"])


def test_a_first_rating_of_fide_is_explained_by_its_article():
    event = eight().with_players(rating=[2000.0, np.nan, 1980.0, 1970.0, 1960.0, 1950.0, 1940.0, 1930.0])
    rating = rate(event, ruleset("fide/rating-standard/2024-03-01"))
    row = rating.players.iloc[1]
    assert row["new_rating"] > 0
    steps = {step.what: step for step in steps_of(rating, 2, "en")}
    assert steps["games for a first rating"].value == "7"
    assert "8.2" in steps["average Ra with the added draws"].article
    first, _, rest = steps["new rating Rn"].how.partition(" → ")
    assert round(float(sum_of(first))) == row["new_rating"], rest


def test_sums_are_read_and_nothing_else():
    assert sum_of("800 × 1.5 / (5 + 10)") == 80
    assert sum_of("2 × (3 × 0.5 − 1/2)") == 2
    assert sum_of("__import__('os')") is None
    assert sum_of("1/0") is None
