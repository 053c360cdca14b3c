"""Expected scores: the printed table of the regulations, and the closed laws it is confused with.

A probability is a whole number of ``unit`` parts: hundredths for the table, 10**9 for a closed law.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from qiyi_analysis.errors import RulesetError
from qiyi_analysis.ruleset import RuleSet, read_table

HUNDREDTHS = 100
LAW_UNIT = 10**9

#: The closed laws (rating-systems, section 2): standard deviation 200 sqrt 2, and the logistic scale.
NORMAL_SIGMA = 200 * 2**0.5
LOGISTIC_SCALE = 400


@dataclass(frozen=True, slots=True)
class ExpectedScores:
    """Look-up of scoring probabilities by whole rating difference.

    ``high[d]`` is the probability of the side with the higher rating at difference ``d``; the last
    entry holds for every larger difference.
    """

    unit: int
    high: np.ndarray

    def of(self, differences: np.ndarray) -> np.ndarray:
        """Probabilities in ``unit`` parts for an integer array of differences (own minus opponent)."""
        high = self.high[np.minimum(np.abs(differences), len(self.high) - 1)]
        return np.where(differences >= 0, high, self.unit - high)


def expected_scores(rules: RuleSet) -> ExpectedScores:
    """The expected scores of an edition: its printed table, or the law a hypothesis put in its place."""
    block = rules.need("expected")
    law = block.get("law", "table")
    if law == "table":
        return _from_table(rules.folder, block["table"], rules.id)
    return _from_law(law)


@lru_cache(maxsize=64)
def _from_table(folder: Any, name: str, where: str) -> ExpectedScores:
    rows = read_table(folder, name, where)
    bands = [
        (int(r["d_low"]), int(r["d_high"]), _hundredths(r["p_high"]), _hundredths(r["p_low"])) for r in rows
    ]
    for (low, high, p, q), following in zip(bands, [*bands[1:], None], strict=True):
        if low > high or p + q != HUNDREDTHS or (following and following[0] != high + 1):
            raise RulesetError(
                f"{where}: conversion table, band {low}-{high}: bands must join and H + L be 1.00"
            )
    values = np.empty(bands[-1][0] + 1, dtype=np.int64)
    for low, high, p, _ in bands:
        values[low : high + 1] = p
    return ExpectedScores(HUNDREDTHS, values)


def _hundredths(text: str) -> int:
    whole, _, decimals = text.partition(".")
    return int(whole) * 100 + int(f"{decimals:0<2}")


@cache
def _from_law(law: str) -> ExpectedScores:
    differences = np.arange(0, 4001)
    if law == "logistic":
        p = 1 / (1 + 10.0 ** (-differences / LOGISTIC_SCALE))
    else:
        from math import erf

        p = np.array([0.5 * (1 + erf(d / (NORMAL_SIGMA * 2**0.5))) for d in differences])
    return ExpectedScores(LAW_UNIT, np.rint(p * LAW_UNIT).astype(np.int64))


def expected_score(difference: int, rules: RuleSet) -> int:
    """Scoring probability in hundredths for one whole rating difference, without a cap."""
    return int(expected_scores(rules).of(np.array([difference]))[0])


@lru_cache(maxsize=64)
def _differences(folder: Any, name: str, where: str) -> dict[int, int]:
    return {_hundredths(row["p"]): int(row["dp"]) for row in read_table(folder, name, where)}


def rating_difference(percent: int, rules: RuleSet, table: str = "dp_from_p") -> int:
    """dp for a fractional score in whole per cent (FIDE B.02 8.1.1), -800 to 800."""
    return _differences(rules.folder, table, rules.id)[percent]
