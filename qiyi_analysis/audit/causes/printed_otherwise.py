"""Numbers that are right but stand for something else: W - We as the change, the number of another row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qiyi_analysis.audit.causes.candidates import Candidate, Found
from qiyi_analysis.audit.causes.search import Search, note
from qiyi_analysis.audit.published import agreement, agrees_exactly
from qiyi_analysis.model.findings import Cause
from qiyi_analysis.words import joined, said


def try_printed_otherwise(d: Search, found: Found) -> None:
    """W - We printed as the change; the number of another row."""
    n, printed = d.numbers, d.printed
    as_difference = printed.change.present & agrees_exactly(printed.change, n.w_minus_we, n.unit, decimals=1)
    note(
        d,
        found,
        "w-minus-we",
        said("cause-detail.w-minus-we"),
        replace(d.agreed, change=as_difference, change_compared=printed.change.present),
    )
    _reversed_signs(d, found)
    like = {i: _rows_like(d, i) for i in found}
    for i, rows in like.items():
        _exchanged_digits(d, found, i)
        twin = next((j for j in rows if i in like.get(j, ())), None)
        if twin is not None:
            player = int(d.event.players["number"].iloc[twin])
            detail = said("cause-detail.players-exchanged", player=player)
            cause = Cause(cause="players-exchanged", detail=detail, explains=2)
            found[i].append(Candidate(cause=cause, consistent=False, supported=False))
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


def _reversed_signs(d: Search, found: Found) -> None:
    """The change with the other sign, and a new rating made from it."""
    change, new = d.printed.change, d.printed.new_rating
    shown = np.rint(change.points * 10.0**new.decimals).astype(np.int64)
    wrong = change.present & (change.value != 0) & ~d.agreed.change
    printed = replace(
        d.printed,
        change=replace(change, value=np.where(wrong, -change.value, change.value)),
        new_rating=replace(
            new, value=np.where(wrong & ~d.agreed.new_rating, new.value - 2 * shown, new.value)
        ),
    )
    result = agreement(printed, d.numbers)
    mask = wrong & result.everything
    note(
        d, found, "sign-reversed", said("cause-detail.sign-reversed"),
        replace(result, change=mask, new_rating=mask, expected=mask | d.agreed.expected),
    )  # fmt: skip


def _exchanged_digits(d: Search, found: Found, i: int) -> None:
    """Two neighboring digits of a number exchanged; every number of the player that differs must be one of these."""
    details = []
    for field in ("change", "expected", "new_rating"):
        if getattr(d.agreed, field)[i]:
            continue
        cell = getattr(d.printed.at(i), field)
        meant = next(
            (
                value
                for value in _transposed(int(cell.value[0]))
                if getattr(agreement(replace(d.printed.at(i), **{field: replace(cell, value=np.array([value]))}),
                                     d.numbers.of(np.array([i]))), field)[0]
            ),
            None,
        )  # fmt: skip
        if meant is None:
            return
        details.append(f"{cell.text(0)} = {replace(cell, value=np.array([meant])).text(0)}")
    if details:
        detail = said("cause-detail.digits-exchanged", values=joined(details))
        cause = Cause(cause="digits-exchanged", detail=detail, explains=1)
        found[i].append(Candidate(cause=cause, consistent=False, supported=False))


def _transposed(value: int) -> list[int]:
    """A number with two neighboring digits exchanged, in every way."""
    sign, digits = (-1 if value < 0 else 1), str(abs(value))
    ways = {digits[:k] + digits[k + 1] + digits[k] + digits[k + 2 :] for k in range(len(digits) - 1)} - {
        digits
    }
    return [sign * int(way) for way in sorted(ways)]


def _rows_like(d: Search, i: int) -> list[int]:
    """Other players whose own numbers are what was printed for player ``i``; neighbours first.

    Numbers of ``i`` that follow from the rules may be the player's own: perhaps one column slipped.
    """
    one = d.printed.at(i)
    result = agreement(one, d.numbers)
    same = np.ones(len(d.discrepant), dtype=bool)
    for field in ("change", "expected", "new_rating"):
        if getattr(d.agreed, field)[i]:
            continue
        same &= getattr(result, field) & getattr(result, f"{field}_compared")
    same[i] = False
    # A change of nothing is everybody's who has no games: not evidence.
    if one.change.present[0] and one.change.value[0] != 0:
        same &= d.numbers.change != 0
    return sorted((int(j) for j in np.flatnonzero(same)), key=lambda j: (abs(j - i), j))
