"""What causes are searched for: the discrepancies of an event, and when a variant reproduces them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qiyi_analysis.audit.causes.candidates import Candidate, Found
from qiyi_analysis.audit.hypotheses import listed_ratings
from qiyi_analysis.audit.published import Agreement, Numbers, Published
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Cause
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rating.table_method import Calculation
from qiyi_analysis.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrepancies:
    """What is searched for: an event (with what the list in force knows), what it printed, and who does not agree."""

    event: Event
    rules: RuleSet
    lists: tuple[RatingList, ...]
    printed: Published
    numbers: Numbers
    discrepant: np.ndarray  # mask of players whose printed numbers do not follow from the rules
    own: Event | None = None  # the event as it was reported, where a list decided ratings and K

    @property
    def table(self) -> bool:
        """Whether the rules look expected scores up in a table."""
        return self.rules.value("method", "name") == "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search(Discrepancies):
    """The same with what every variant is compared with: the agreement and the calculation by the rules."""

    agreed: Agreement
    base: Calculation | None  # None for methods without a table
    first: np.ndarray  # champions who cannot lose points
    listed: np.ndarray  # rating of each player on the first of the lists at hand that has one, NaN for none

    @property
    def whole_field(self) -> bool:
        """Whether everybody's rating enters everybody's average."""
        return self.rules.block("round_robin") is not None and "round-robin" in self.event.format


def first_listed(d: Discrepancies) -> np.ndarray:
    """The rating of each player on the first of the lists at hand that has one; NaN for none."""
    found = np.full(len(d.event.players), np.nan)
    for one in d.lists:
        found = np.where(np.isnan(found), listed_ratings(d.event, one), found)
    return found


def reproduces(result: Agreement, own: Agreement) -> tuple[np.ndarray, np.ndarray]:
    """Players whose differing numbers a variant reproduces, and those all of whose numbers it does.

    ``own``: the agreement with the rules, which says what differs.
    """
    differing = np.ones(len(own.change), dtype=bool)
    for field in ("change", "expected", "new_rating"):
        here = getattr(result, field) & getattr(result, f"{field}_compared")
        differing &= here | getattr(own, field)
    return differing & result.compared, result.everything & result.compared


def note(
    d: Search,
    found: Found,
    cause: str,
    detail: str,
    result: Agreement,
    *,
    supported: bool = False,
) -> int:
    """Note a variant with the players it explains; their number."""
    reproduced, complete = reproduces(result, d.agreed)
    explained = reproduced & d.discrepant
    explains = int(explained.sum())
    if not explains:
        return 0
    # Players whose number cannot be compared either way do not speak against a hypothesis.
    consistent = bool((complete | ~d.printed.present | (~d.discrepant & ~d.agreed.compared)).all())
    one = Cause(cause=cause, detail=detail, explains=explains)
    for i in np.flatnonzero(explained):
        found[int(i)].append(
            Candidate(cause=one, consistent=consistent, supported=supported, complete=bool(complete[i]))
        )
    return explains
