"""The two conversion tables as printed: whole, antisymmetric, and tied to each other and to the normal law."""

import csv
import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from qiyi_analysis.rating.expected import expected_score, expected_scores, rating_difference
from qiyi_analysis.rules import ruleset as rulesets

TABLES = Path(__file__).parents[2] / "qiyi_analysis" / "rulesets" / "tables"
RULES = rulesets.ruleset("fide/rating-standard/2024-03-01")


def rows(name):
    with (TABLES / name).open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


BANDS = [
    (int(r["d_low"]), int(r["d_high"]), Fraction(r["p_high"]), Fraction(r["p_low"]))
    for r in rows("p_from_d.csv")
]
DP = {int(Fraction(r["p"]) * 100): int(r["dp"]) for r in rows("dp_from_p.csv")}


def test_the_bands_join_and_end_open():
    assert len(BANDS) == 51
    assert BANDS[0][0] == 0
    assert BANDS[-1][:2] == (736, 9999)
    assert all(one[1] + 1 == two[0] for one, two in itertools.pairwise(BANDS))


def test_the_two_sides_add_up_and_rise_by_one_hundredth():
    assert [high for _, _, high, _ in BANDS] == [Fraction(50 + i, 100) for i in range(51)]
    assert all(high + low == 1 for _, _, high, low in BANDS)


def test_the_inverse_table_is_whole_and_antisymmetric():
    assert sorted(DP) == list(range(101))
    assert all(DP[p] == -DP[100 - p] for p in DP)
    assert (DP[50], DP[100]) == (0, 800)


def test_the_inverse_table_holds_the_middle_of_each_band():
    for low, high, p, _ in BANDS[1:-1]:
        assert DP[int(p * 100)] == (low + high) // 2


def test_the_normal_law_with_2000_over_7_misses_the_table_six_times():
    table = expected_scores(RULES).high
    misses = []
    for d in range(736):
        p = 0.5 * (1 + math.erf(7 * d / 2000 / math.sqrt(2)))
        if math.floor(p * 100 + 0.5) != table[d]:
            misses.append((d, int(table[d])))
    assert misses == [(54, 58), (343, 88), (344, 88), (358, 90), (392, 92), (620, 99)]


def test_the_logistic_law_misses_it_460_times():
    table = expected_scores(RULES).high
    wrong = [d for d in range(736) if math.floor(100 / (1 + 10 ** (-d / 400)) + 0.5) != table[d]]
    assert (len(wrong), wrong[0]) == (460, 25)


@pytest.mark.parametrize(
    ("difference", "percent"),
    [
        (0, 50),
        (-3, 50),
        (3, 50),
        (4, 51),
        (-4, 49),
        (735, 99),
        (736, 100),
        (-736, 0),
        (5000, 100),
        (-92, 37),
        (54, 58),
    ],
)
def test_a_look_up(difference, percent):
    assert expected_score(difference, RULES) == percent


def test_the_arrays_are_the_bands():
    differences = np.arange(-1000, 1001)
    got = expected_scores(RULES).of(differences)
    for d, p in zip(differences.tolist(), got.tolist(), strict=True):
        _low, _high, above, below = next(b for b in BANDS if b[0] <= abs(d) <= b[1])
        assert p == (above if d >= 0 else below) * 100


def test_the_inverse_look_up():
    assert [rating_difference(p, RULES) for p in (0, 39, 50, 63, 100)] == [-800, -80, 0, 95, 800]
