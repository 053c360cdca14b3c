"""A federation over many periods: every list from the one before it, by the calculation of a single list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from qiyi_analysis.lists.identities import Identities
from qiyi_analysis.lists.periods import Period, following, period, period_of
from qiyi_analysis.lists.rebuild import Rebuilt, document_of, rebuild_list
from qiyi_analysis.lists.state import ListState, state_of
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rules.ruleset import RuleSet, editions, ruleset

#: Lists kept at hand: an event may have begun under one of them.
KEPT = 4


def roll(
    events: Iterable[Event],
    rules: RuleSet | str,
    previous: Sequence[RatingList | ListState],
    first: str,
    last: str,
    *,
    ratings: str = "event",
    identities: Identities | None = None,
) -> Iterator[Rebuilt]:
    """Rebuild the lists of the periods ``first`` to ``last`` in turn; each event is given to its own period.

    The arguments are those of :func:`rebuild_list`. Events outside all the periods are given to the nearest one,
    whose ledger says that they are of another. Raises ParameterError where ``last`` is before ``first``.
    """
    document, fixed = document_of(rules)
    calendar = fixed or ruleset(editions(document)[-1])
    wanted = _between(calendar, first, last)
    own: list[list[Event]] = [[] for _ in wanted]
    place = {one.id: i for i, one in enumerate(wanted)}
    for event in events:
        end = event.end or event.start
        outside = 0 if end is None or end < wanted[0].first else len(wanted) - 1
        own[outside if end is None else place.get(period_of(calendar, end).id, outside)].append(event)
    states = sorted((state_of(one, document) for one in previous), key=lambda one: one.day or date.min)
    for one, mine in zip(wanted, own, strict=True):
        rebuilt = rebuild_list(mine, rules, states[-KEPT:], one.id, ratings=ratings, identities=identities)
        yield rebuilt
        states = [*states, rebuilt.state][-KEPT:]


def _between(calendar: RuleSet, first: str, last: str) -> list[Period]:
    """The periods from one to another."""
    found, end = [period(calendar, first)], period(calendar, last)
    if end.list_day < found[0].list_day:
        raise ParameterError("periods-reversed", first=first, last=last)
    while found[-1].list_day < end.list_day:
        found.append(following(calendar, found[-1]))
    return found
