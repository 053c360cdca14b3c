"""The search for causes: which hypotheses reproduce a published number exactly.

Whole-event hypotheses are recomputed once each; ratings of single players are tried over a window of
values, all at once, as copies of the event in one calculation. A cause must reproduce every printed
number of the player that does not follow from the rules; those that reproduce the others too go first.
All survivors are named; none is *the* cause on a single number.
"""

from __future__ import annotations

import numpy as np

from qiyi_analysis.audit.causes.candidates import Found, best_of_each
from qiyi_analysis.audit.causes.printed_otherwise import try_printed_otherwise
from qiyi_analysis.audit.causes.search import Discrepancies, Search, first_listed
from qiyi_analysis.audit.causes.single_game import other_games, unrated_counted
from qiyi_analysis.audit.causes.single_rating import try_single_ratings
from qiyi_analysis.audit.causes.whole_event import try_any_k, try_unplayed_points, try_whole_event
from qiyi_analysis.audit.published import agreement
from qiyi_analysis.model.findings import Cause
from qiyi_analysis.rating.table_method import calculate, protected_champions

__all__ = ["Discrepancies", "find_causes"]

#: Beyond this many discrepant players, single ratings are searched only for the first of them.
SEARCHED_PLAYERS = 40


def find_causes(discrepancies: Discrepancies) -> dict[int, tuple[Cause, ...]]:
    """Causes of each discrepant player (by position in the players table), the likeliest first."""
    d = discrepancies
    found: Found = {int(i): [] for i in np.flatnonzero(d.discrepant)}
    if not found:
        return {}
    search = Search(
        event=d.event,
        rules=d.rules,
        lists=d.lists,
        printed=d.printed,
        numbers=d.numbers,
        discrepant=d.discrepant,
        own=d.own,
        agreed=agreement(d.printed, d.numbers),
        base=calculate(d.event, d.rules) if d.table else None,
        first=protected_champions(d.event, d.rules)[0],
        listed=first_listed(d),
    )
    try_whole_event(search, found)
    try_printed_otherwise(search, found)
    if search.base is not None:
        try_unplayed_points(search, found)
        try_any_k(search, search.base, found)
        searched = list(found)[:SEARCHED_PLAYERS]
        try_single_ratings(search, search.base, searched, found)
        for i in searched:
            found[i].extend(unrated_counted(search, search.base, i))
            found[i].extend(other_games(search, search.base, i))
    return {
        i: tuple(c.cause for c in sorted(best_of_each(all), key=lambda c: c.rank)) for i, all in found.items()
    }
