"""Expected scores: the printed table of the regulations, and the closed laws it is confused with.

A probability is a whole number of ``unit`` parts: hundredths for the table, 10**9 for a closed law.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import erf
from typing import Any

import numpy as np

from qiyi_analysis.model.errors import RulesetError
from qiyi_analysis.rules.ruleset import RuleSet, read_table

HUNDREDTHS = 100
LAW_UNIT = 10**9

#: The closed laws (rating-systems, section 2): the logistic scale, and the two standard deviations in
#: use: 200 sqrt 2 of Elo's book, and 2000/7 that lies behind the printed table.
LOGISTIC_SCALE = 400
NORMAL_SIGMAS = {"normal": 200 * 2**0.5, "normal-2000/7": 2000 / 7}
#: Closed laws a program may put in the table's place; with ``-hundredths`` each value is rounded as in the table.
LAWS = tuple(f"{law}{ending}" for law in ("logistic", *NORMAL_SIGMAS) for ending in ("", "-hundredths"))


@dataclass(frozen=True, slots=True)
class ExpectedScores:
    """Look-up of scoring probabilities by whole rating difference.

    ``high[d]`` is the probability of the side with the higher rating at difference ``d``; the last
    entry holds for every larger difference.
    """

    unit: int
    high: np.ndarray
    law: str = ""

    def of(self, differences: np.ndarray) -> np.ndarray:
        """Probabilities in ``unit`` parts for differences (own minus opponent): whole numbers, for a
        closed law also others (an average that was not rounded)."""
        if differences.dtype.kind == "f":
            return np.rint(_probability(self.law, differences) * self.unit).astype(np.int64)
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
            raise RulesetError("conversion-table", where=where, low=low, high=high)
    values = np.empty(bands[-1][0] + 1, dtype=np.int64)
    for low, high, p, _ in bands:
        values[low : high + 1] = p
    return ExpectedScores(HUNDREDTHS, values)


def _hundredths(text: str) -> int:
    whole, _, decimals = text.partition(".")
    return int(whole) * 100 + int(f"{decimals:0<2}")


@cache
def _from_law(name: str) -> ExpectedScores:
    law, hundredths, _ = name.partition("-hundredths")
    unit = HUNDREDTHS if hundredths else LAW_UNIT
    p = _probability(law, np.arange(0.0, 4001.0))
    return ExpectedScores(unit, np.rint(p * unit).astype(np.int64), law)


def _probability(law: str, differences: np.ndarray) -> np.ndarray:
    if law == "logistic":
        return 1 / (1 + 10.0 ** (-differences / LOGISTIC_SCALE))
    scale = NORMAL_SIGMAS[law] * 2**0.5
    values = [0.5 * (1 + erf(d / scale)) for d in differences.ravel().tolist()]
    return np.array(values).reshape(differences.shape)


def expected_score(difference: int, rules: RuleSet) -> int:
    """Scoring probability in hundredths for one whole rating difference, without a cap."""
    return int(expected_scores(rules).of(np.array([difference]))[0])


@lru_cache(maxsize=64)
def _differences(folder: Any, name: str, where: str) -> dict[int, int]:
    return {_hundredths(row["p"]): int(row["dp"]) for row in read_table(folder, name, where)}


def rating_difference(percent: int, rules: RuleSet, table: str = "dp_from_p") -> int:
    """dp for a fractional score in whole per cent (FIDE B.02 8.1.1), -800 to 800."""
    return _differences(rules.folder, table, rules.id)[percent]
