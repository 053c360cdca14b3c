"""Numbers that are right but stand for something else: W - We as the change, the number of another row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qiyi_analysis.audit.causes.candidates import Candidate, Found
from qiyi_analysis.audit.causes.search import Search, note
from qiyi_analysis.audit.published import agreement, agrees_exactly
from qiyi_analysis.model.findings import Cause
from qiyi_analysis.words import said


def try_printed_otherwise(d: Search, found: Found) -> None:
    """W - We printed as the change; the number of another row."""
    n, printed = d.numbers, d.printed
    as_difference = printed.change.present & agrees_exactly(printed.change, n.w_minus_we, n.unit, decimals=1)
    note(
        d,
        found,
        "w-minus-we",
        said("cause-detail.w-minus-we"),
        replace(d.own, change=as_difference, change_compared=printed.change.present),
    )
    for i in found:
        rows = _rows_like(d, i)
        if rows:
            named = d.event.players["number"].iloc[rows[:5]].astype(int).tolist()
            more = len(rows) - len(named)
            detail = (
                said("cause-detail.other-row-more", players=named, more=more)
                if more
                else said("cause-detail.other-row", players=named)
            )
            cause = Cause(cause="other-row", detail=detail, explains=1)
            found[i].append(Candidate(cause=cause, consistent=False, supported=False))


def _rows_like(d: Search, i: int) -> list[int]:
    """Other players whose own numbers are what was printed for player ``i``; neighbours first.

    Numbers of ``i`` that follow from the rules may be the player's own: perhaps one column slipped.
    """
    one = d.printed.at(i)
    result = agreement(one, d.numbers)
    same = np.ones(len(d.discrepant), dtype=bool)
    for field in ("change", "expected", "new_rating"):
        if getattr(d.own, field)[i]:
            continue
        same &= getattr(result, field) & getattr(result, f"{field}_compared")
    same[i] = False
    # A change of nothing is everybody's who has no games: not evidence.
    if one.change.present[0] and one.change.value[0] != 0:
        same &= d.numbers.change != 0
    return sorted((int(j) for j in np.flatnonzero(same)), key=lambda j: (abs(j - i), j))
