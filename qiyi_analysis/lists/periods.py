"""Rating periods: which list an event goes on, by the calendar in the rule file.

An event belongs to the period its last day lies in, whatever its first day (xiangqi art. 1, FIDE B.02 7.1).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.rules.ruleset import RuleSet

_ID = re.compile(r"(\d{4})-(\d{1,2})(?:-(\d{1,2}))?")


@dataclass(frozen=True, slots=True)
class Period:
    """The life of a list: events that end from ``first`` to ``last`` go on the list of ``list_day``."""

    id: str
    list_day: date
    first: date
    last: date

    def holds(self, end: date) -> bool:
        """Whether an event with this last day belongs to the period."""
        return self.first <= end <= self.last


def period(rules: RuleSet, id: str) -> Period:
    """The period named by its list, ``YYYY-MM`` (or the day of the list).

    Raises ParameterError where the text is no month or the document has no list in it.
    """
    found = _ID.fullmatch(id.strip())
    if not found or not 1 <= int(found[2]) <= 12:
        raise ParameterError("period-not-month", period=id)
    year, month = int(found[1]), int(found[2])
    months = _months(rules, year, month)
    if month not in months:
        raise ParameterError(
            "period-without-list", period=id, document=rules.document, month=month, months=months
        )
    return _of_list(rules, year, month)


def period_of(rules: RuleSet, end: date) -> Period:
    """The period an event with the last day ``end`` belongs to."""
    candidate = _of_list(rules, *_next_list_month(rules, end.year, end.month, step=0))
    while end > candidate.last:
        candidate = following(rules, candidate)
    while end < candidate.first:
        candidate = preceding(rules, candidate)
    return candidate


def following(rules: RuleSet, one: Period) -> Period:
    """The next period."""
    return _of_list(rules, *_next_list_month(rules, one.list_day.year, one.list_day.month, step=1))


def preceding(rules: RuleSet, one: Period) -> Period:
    """The period before."""
    return _of_list(rules, *_next_list_month(rules, one.list_day.year, one.list_day.month, step=-1))


def months_between(earlier: date, later: date) -> int:
    """Completed months from one day to another, never negative."""
    months = (later.year - earlier.year) * 12 + later.month - earlier.month - (later.day < earlier.day)
    return max(0, months)


def _months(rules: RuleSet, year: int, month: int) -> tuple[int, ...]:
    """Months with a list in that time; every month where the document says nothing of lists."""
    until = rules.value("list", "earlier_until")
    if until is not None and (year, month) <= (until.year, until.month):
        return tuple(rules.value("list", "earlier_months"))
    return tuple(rules.value("list", "months") or range(1, 13))


def _next_list_month(rules: RuleSet, year: int, month: int, *, step: int) -> tuple[int, int]:
    index = year * 12 + month - 1 + step
    while index % 12 + 1 not in _months(rules, index // 12, index % 12 + 1):
        index += step or 1
    return index // 12, index % 12 + 1


def _list_day(rules: RuleSet, year: int, month: int) -> date:
    if rules.value("list", "day", "first") == "last":
        return _first_of(year, month, 1) - timedelta(days=1)
    return date(year, month, 1)


def _first_of(year: int, month: int, later: int) -> date:
    index = year * 12 + month - 1 + later
    return date(index // 12, index % 12 + 1, 1)


def _last_end(rules: RuleSet, year: int, month: int) -> date:
    """Last day an event may end on to go on the list of that month."""
    if rules.value("list", "day", "first") == "last":
        return _list_day(rules, year, month)
    opening = _first_of(year, month, -rules.value("list", "closing_months", 0))
    return opening - timedelta(days=max(1, rules.value("list", "closing_days", 1)))


def _of_list(rules: RuleSet, year: int, month: int) -> Period:
    before = _next_list_month(rules, year, month, step=-1)
    length, months = rules.value("list", "months_per_period"), _months(rules, year, month)
    if length is not None and len(months) * length == 12 and _months(rules, *before) == months:
        index = year * 12 + month - 1 - length
        before = index // 12, index % 12 + 1
    return Period(
        id=f"{year:04d}-{month:02d}",
        list_day=_list_day(rules, year, month),
        first=_last_end(rules, *before) + timedelta(days=1),
        last=_last_end(rules, year, month),
    )
