"""Another rating of one player: the player's own, or that of an opponent."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qiyi_analysis.audit.causes.candidates import Candidate, Found
from qiyi_analysis.audit.causes.copies import copies, recalculated
from qiyi_analysis.audit.causes.search import Search, reproduces
from qiyi_analysis.audit.published import agreement
from qiyi_analysis.model.findings import Cause
from qiyi_analysis.rating.table_method import Calculation
from qiyi_analysis.words import said

#: How far from the rating used another rating is tried, in points; beyond it the table is flat.
RATING_WINDOW = 1000
#: Step of the first pass over an opponent's rating. Expected scores do not rise with that rating and no band
#: of the table (0-3 counts on both sides of zero) is narrower than 7 points, so no plateau is stepped over.
FIRST_STEP = 6
#: Most rows of one calculation with copies (bounds memory), and of one comparison with everybody concerned:
#: beyond it every second, third ... of the surviving values is compared.
COPIED_ROWS = 100_000
COMPARED_ROWS = 40_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of one player's rating tried at many values: masks of shape (values, players)."""

    values: np.ndarray
    reproduced: np.ndarray
    complete: np.ndarray


def try_single_ratings(
    d: Search,
    base: Calculation,
    searched: list[int],
    found: Found,
) -> None:
    """Another rating of one player, for the searched players themselves and for those they met."""
    counted = np.flatnonzero(base.rows.counted)
    player, opponent = base.rows.player[counted], base.rows.opponent[counted]
    for i in searched:
        tried = _try_values(d, base, i, np.array([i]), _window(base, i, 1))
        fits = tried.reproduced[:, i]
        if fits.any():
            found[i].append(_rating_cause(d, base, i, i, tried.values[fits]))
    if d.whole_field:
        pairs = {x: list(searched) for x in range(len(base.entrants.number)) if base.entrants.has_rating[x]}
    else:
        pairs = {}
        wanted = np.isin(player, searched)
        for one, x in zip(player[wanted].tolist(), opponent[wanted].tolist(), strict=True):
            if one not in pairs.setdefault(x, []):
                pairs[x].append(one)
    for x, players in pairs.items():
        players = [i for i in players if i != x]
        if not players:
            continue
        affected = np.array(sorted(players))
        first = _try_values(d, base, x, affected, _window(base, x, FIRST_STEP))
        for i in affected.tolist():
            survivors = first.values[first.reproduced[:, i]]
            if not len(survivors):
                continue
            near = np.unique((survivors[:, None] + np.arange(1 - FIRST_STEP, FIRST_STEP)).ravel())
            second = _try_values(d, base, x, np.array([i]), near[near > 0])
            fits = second.values[second.reproduced[:, i]]
            found[i].append(_rating_cause(d, base, i, x, fits))


def _window(base: Calculation, x: int, step: int) -> np.ndarray:
    """The ratings tried for a player: not the one used, and above zero."""
    used = int(base.entrants.rating[x])
    values = used + np.arange(-RATING_WINDOW, RATING_WINDOW + 1, step)
    return values[(values > 0) & (values != used)]


def _try_values(
    d: Search,
    base: Calculation,
    x: int,
    affected: np.ndarray,
    values: np.ndarray,
) -> Tried:
    """Recalculate the ``affected`` players with the rating of ``x`` at each of ``values``."""
    size = len(base.entrants.number)
    reproduced = np.zeros((len(values), size), dtype=bool)
    complete = np.zeros((len(values), size), dtype=bool)
    own_rows = np.flatnonzero(np.isin(base.rows.player, affected) & base.rows.counted)
    if not len(own_rows) or not len(values):
        return Tried(values=values, reproduced=reproduced, complete=complete)
    members = np.arange(size) if d.whole_field else np.unique([x, *affected, *base.rows.opponent[own_rows]])
    most = max(1, COPIED_ROWS // max(len(own_rows), len(members)))
    here = np.searchsorted(members, affected)
    # Only what the copies are asked for is compared; the rest of a copy has no games.
    printed, differing = d.printed.of(affected), d.agreed.of(affected)
    for start in range(0, len(values), most):
        some = values[start : start + most]
        ratings = np.tile(base.entrants.rating[members], (len(some), 1))
        ratings[:, np.searchsorted(members, x)] = some
        field, rows = copies(base, members, ratings, own_rows)
        at = (np.arange(len(some))[:, None] * len(members) + here).ravel()
        n = recalculated(d, base, members, field, rows).of(at)
        cells = printed.repeated(len(some))
        fits = [*reproduces(agreement(cells, n), differing.repeated(len(some)))]
        if x in affected:
            # The change from a wrong rating, added to the right one.
            shift = np.where(affected == x, 1, 0)[None, :] * (some - base.entrants.rating[x])[:, None]
            added = agreement(cells, replace(n, new=n.new - shift.ravel()))
            again = reproduces(added, differing.repeated(len(some)))
            fits = [one | other for one, other in zip(fits, again, strict=True)]
        reproduced[start : start + most, affected] = fits[0].reshape(len(some), -1)
        complete[start : start + most, affected] = fits[1].reshape(len(some), -1)
    return Tried(values=values, reproduced=reproduced, complete=complete)


def _rating_cause(d: Search, base: Calculation, i: int, x: int, values: np.ndarray) -> Candidate:
    """The cause 'rating of x', narrowed to the values that agree best with the whole event."""
    met = base.rows.opponent[(base.rows.player == x) & base.rows.counted]
    size = len(base.entrants.number)
    affected = np.arange(size) if d.whole_field else np.unique([i, x, *met])
    concerned = np.isin(base.rows.player, affected) & base.rows.counted
    members = len(np.unique([*affected, *base.rows.opponent[concerned]]))
    most = max(2, COMPARED_ROWS // max(int(concerned.sum()), members))
    shown = values
    if len(values) > most:
        shown = values[np.unique(np.linspace(0, len(values) - 1, most).astype(np.int64))]
    tried = _try_values(d, base, x, affected, shown)
    compared = d.agreed.compared[affected]
    explains = (tried.reproduced & d.discrepant).sum(axis=1)
    elsewhere = d.discrepant.copy()
    elsewhere[affected] = False
    consistent = (tried.complete[:, affected] | ~compared).all(axis=1) & (not elsewhere.any())
    complete = tried.complete[:, i]
    score = 4 * explains + 2 * consistent + complete
    best = shown[score == score.max()]
    listed = None if np.isnan(d.listed[x]) else int(d.listed[x])
    supported = listed is not None and listed in set(best.tolist())
    number = int(d.event.players["number"].iloc[x])
    detail = said("cause-detail.player-rating", player=number, rating=span(best))
    # Without the others' numbers speaking against it, the same rating may stand in every calculation.
    if i != x and not (tried.complete[:, affected] | ~compared | d.discrepant[affected]).all(axis=1).any():
        detail = said("cause-detail.own-calculation", detail=detail)
    if supported:
        detail = said("cause-detail.on-list", detail=detail, rating=listed)
    cause = Cause(
        cause="own-rating" if i == x else "opponent-rating",
        detail=detail,
        explains=max(1, int(explains.max())),
    )
    return Candidate(
        cause=cause,
        consistent=bool(consistent.any()),
        supported=supported,
        complete=bool(complete.any()),
    )


def span(values: np.ndarray) -> str:
    """One value, or the lowest and the highest of several."""
    low, high = int(values.min()), int(values.max())
    return f"{low}" if low == high else said("cause-detail.span", low=low, high=high)
