"""Mistakes planted in events made at random: every wrong number is reported with the mistake among its causes,
and nothing is reported where nothing was planted."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from planted import MAKERS, cells, correct, half_even, mistakes, styles, text

from qiyi_analysis.audit.event_audit import audit

NUMBERS = ("CK26", "CK27", "CK32")
#: Events of each kind with correct numbers, and events with mistakes.
CLEAN, PLANTED = 20, 1


def made(kind, seed):
    rnd = random.Random(f"{kind} {seed}")
    event = MAKERS[kind](rnd)
    style = styles(rnd, event)
    return rnd, event, style, correct(rnd, event, style)


def differs(event, number, right, printed):
    """Whether a cell says something else; the last digit of a tie may be printed either way."""
    for name, cell in printed.items():
        one, other = Fraction(str(right[name])), Fraction(str(cell))
        if one == other:
            continue
        places = len(cell.partition(".")[2]) if isinstance(cell, str) else 0
        exact = {"change": event.published(number).change, "expected": event.published(number).we}.get(name)
        if exact is None or not places or abs(other - exact) * 10**places > Fraction(1, 2):
            return True
    return False


def reported(event, printed):
    causes = {}
    for finding in audit(event.event(printed)).findings:
        if finding.code in NUMBERS:
            causes.setdefault(finding.player, set()).update(c.cause for c in finding.causes)
    return causes


def check(event, right, printed, mistake):
    wrong = {n for n in right if differs(event, n, right[n], printed[n])}
    if not wrong:
        return
    causes = reported(event, printed)
    assert set(causes) == wrong
    for number in wrong:
        assert mistake in causes[number], (number, right[number], printed[number])


@pytest.mark.parametrize("kind", list(MAKERS))
def test_nothing_is_reported_where_nothing_was_planted(kind):
    for seed in range(CLEAN):
        _, event, _, right = made(kind, seed)
        assert reported(event, right) == {}, seed


@pytest.mark.parametrize("seed", range(PLANTED))
@pytest.mark.parametrize("kind", list(MAKERS))
def test_a_mistake_in_the_whole_event_or_for_one_player(kind, seed):
    rnd, event, style, right = made(kind, 1000 + seed)
    for mistake, way in mistakes(rnd, event).items():
        if way.rounding is half_even and style["change"] and not style["new_rating"]:
            continue  # nothing printed is rounded to a whole number
        wrong = {
            n: cells(event.published(n, way), style) if event.published(n, way) else right[n] for n in right
        }
        concerned = [n for n in right if differs(event, n, right[n], wrong[n])]
        if not concerned:
            continue
        one = rnd.choice(concerned)
        check(event, right, rnd.choice([wrong, {**right, one: wrong[one]}]), mistake)


@pytest.mark.parametrize("kind", list(MAKERS))
def test_a_wrong_rating(kind):
    rnd, event, style, right = made(kind, 2000)
    rated = [p["number"] for p in event.players if p["rated"] is not None and p["number"] in right]
    x = rnd.choice(rated)
    value = event.players[x - 1]["rating"] + rnd.choice([-270, -90, 63, 198])
    way = replace(event.way, ratings={x: value}, new_from_own=rnd.random() < 0.5)
    wrong = {n: cells(event.published(n, way), style) for n in right}
    check(event, right, {**right, x: wrong[x]}, "own-rating")
    check(event, right, {**wrong, x: right[x]}, "opponent-rating")


@pytest.mark.parametrize("kind", list(MAKERS))
def test_a_wrong_column_or_row(kind):
    rnd, event, _, right = made(kind, 3000)
    others = {n: {**right[n], "change": text(event.published(n).w_minus_we, 2)} for n in right}
    check(event, right, others, "w-minus-we")
    one, two = rnd.sample(list(right), 2)
    check(event, right, {**right, one: right[two], two: right[one]}, "other-row")


def test_a_single_column_that_slipped():
    _, event, _, right = made("cca", 4000)
    numbers = list(right)
    style = {"change": 1, "expected": 2, "new_rating": True}
    right = {n: cells(event.published(n), style) for n in numbers}
    changed = {n: {**right[n], "change": right[numbers[i - 1]]["change"]} for i, n in enumerate(numbers)}
    check(event, right, changed, "other-row")
