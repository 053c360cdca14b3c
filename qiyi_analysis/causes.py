"""The search for causes: which hypotheses reproduce a published number exactly.

Whole-event hypotheses are recomputed once each; ratings of single players are tried over a window of
values, all at once, as copies of the event in one calculation. A cause must reproduce every rating
number printed for the player. All survivors are named; none is *the* cause on a single number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from qiyi_analysis.errors import QiyiError
from qiyi_analysis.findings import Cause
from qiyi_analysis.hypotheses import for_event
from qiyi_analysis.model import Event, RatingList
from qiyi_analysis.published import (
    Agreement,
    Numbers,
    Printed,
    Published,
    agreement,
    agrees_printed,
    numbers,
    numbers_of,
)
from qiyi_analysis.rating.entrants import Entrants, GameRows, match_list
from qiyi_analysis.rating.table_method import (
    NOT_KNOWN,
    Calculation,
    calculate,
    protected_champions,
    with_changes,
    with_expectations,
)
from qiyi_analysis.ruleset import RuleSet

#: How far from the rating used another rating is tried, in points.
RATING_WINDOW = 400
#: Beyond this many discrepant players, single ratings are searched only for the first of them.
SEARCHED_PLAYERS = 40
#: Most rows of one calculation with copies (bounds memory).
COPIED_ROWS = 2_000_000

#: Among causes with equal evidence, the commoner mistake first.
ORDER = (
    "w-minus-we",
    "other-edition",
    "other-k",
    "formula",
    "uncapped",
    "capped",
    "half-even",
    "half-up",
    "truncated",
    "rounded-change",
    "swiss-formula",
    "round-robin-formula",
    "average-opponent",
    "per-game",
    "forfeit-counted",
    "unrated-counted",
    "unrated-left-out",
    "champion-unprotected",
    "mixed-sex-rule",
    "other-reading",
    "opponent-rating",
    "own-rating",
    # After the single rating: a list in which one rating differs says the same with more words.
    "other-list",
    "game-left-out",
    "other-result",
    "other-row",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A surviving cause for one player, with the evidence it is ranked by."""

    cause: Cause
    consistent: bool  # reproduces every published number of the event
    supported: bool  # a list at hand says the same

    @property
    def rank(self) -> tuple[int, int, int, int, str]:
        order = ORDER.index(self.cause.cause) if self.cause.cause in ORDER else len(ORDER)
        return (-self.supported, -self.cause.explains, -self.consistent, order, self.cause.detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrepancies:
    """What is searched for: an event, what it printed, and who does not agree."""

    event: Event
    rules: RuleSet
    lists: tuple[RatingList, ...]
    printed: Published
    numbers: Numbers
    discrepant: np.ndarray  # mask of players whose printed numbers do not follow from the rules

    @property
    def table(self) -> bool:
        return self.rules.value("method", "name") == "table"


def find_causes(d: Discrepancies) -> dict[int, tuple[Cause, ...]]:
    """Causes of each discrepant player (by position in the players table), the likeliest first."""
    found: dict[int, list[Candidate]] = {int(i): [] for i in np.flatnonzero(d.discrepant)}
    if not found:
        return {}
    _try_whole_event(d, found)
    _try_printed_otherwise(d, found)
    if d.table:
        base = calculate(d.event, d.rules, d.lists)
        explained = {i for i, all in found.items() if any(c.consistent and c.cause.explains > 2 for c in all)}
        for i in [i for i in found if i not in explained][:SEARCHED_PLAYERS]:
            found[i].extend(_other_ratings(d, base, i))
            found[i].extend(_other_games(d, base, i))
    return {i: tuple(c.cause for c in sorted(_merged(all), key=lambda c: c.rank)) for i, all in found.items()}


def _merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """One candidate for each cause and detail, the best supported."""
    best: dict[tuple[str, str], Candidate] = {}
    for candidate in candidates:
        key = (candidate.cause.cause, candidate.cause.detail)
        if key not in best or candidate.rank < best[key].rank:
            best[key] = candidate
    return list(best.values())


def _try_whole_event(d: Discrepancies, found: dict[int, list[Candidate]]) -> None:
    everybody = d.printed.present
    seen: set[tuple[str, bytes]] = set()
    for hypothesis in for_event(d.event, d.rules, d.lists):
        try:
            event, rules = hypothesis.apply(d.event, d.rules)
            n = numbers(event, rules, d.lists)
        except QiyiError:
            continue  # the variant does not fit this event (no list, no such block)
        # A longer way to the same numbers (a cap that never applies) adds nothing.
        same = (hypothesis.cause, n.change.tobytes() + n.rounded.tobytes())
        if hypothesis.cause == "formula" and same in seen:
            continue
        seen.add(same)
        result = agreement(d.printed, n)
        reproduced = reproduces(result)
        _add(
            d,
            found,
            hypothesis.cause,
            hypothesis.detail,
            reproduced,
            everybody,
            supported=hypothesis.supported,
        )


def reproduces(result: Agreement) -> np.ndarray:
    """Players all of whose printed numbers are compared and agree."""
    return result.everything & result.compared


def _add(
    d: Discrepancies,
    found: dict[int, list[Candidate]],
    cause: str,
    detail: str,
    reproduced: np.ndarray,
    everybody: np.ndarray,
    *,
    supported: bool = False,
) -> None:
    explains = int((reproduced & d.discrepant).sum())
    if not explains:
        return
    # Players whose number cannot be compared either way do not speak against a hypothesis.
    consistent = bool((reproduced | ~everybody | (~reproduced & ~d.discrepant & _not_compared(d))).all())
    for i in np.flatnonzero(reproduced & d.discrepant):
        one = Cause(cause=cause, detail=detail, explains=explains)
        found[int(i)].append(Candidate(cause=one, consistent=consistent, supported=supported))


def _not_compared(d: Discrepancies) -> np.ndarray:
    return ~agreement(d.printed, d.numbers).compared


def _try_printed_otherwise(d: Discrepancies, found: dict[int, list[Candidate]]) -> None:
    """W - We printed as the change; unplayed points in W; the number of another row."""
    n, printed = d.numbers, d.printed
    everybody = printed.change.present
    as_difference = printed.change.present & agrees_exactly(printed.change, n.w_minus_we, n.unit)
    _add(d, found, "w-minus-we", "W - We printed instead of the change", as_difference, everybody)
    if d.table:
        base = calculate(d.event, d.rules, d.lists)
        first, _ = protected_champions(d.event, d.rules)
        all_points = _all_half_points(base)
        counted = with_changes(replace(base, half_points=all_points), first)
        reproduced = reproduces(agreement(printed, numbers_of(counted, d.rules)))
        _add(
            d, found, "forfeit-counted", "points of unplayed rounds counted in W", reproduced, printed.present
        )
    for i in found:
        rows = _rows_like(d, i)
        if rows:
            named = ", ".join(str(int(d.event.players["number"].iloc[j])) for j in rows[:5])
            more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
            cause = Cause(cause="other-row", detail=f"the number of player {named}{more}", explains=1)
            found[i].append(Candidate(cause=cause, consistent=False, supported=False))


def agrees_exactly(printed: Printed, value: np.ndarray, unit: int) -> np.ndarray:
    """Whether the printed value is the exact one; with two decimals or more, as it would be printed."""
    close = agrees_printed(printed, value, unit)
    exact = (value != NOT_KNOWN) & (
        printed.value * unit == np.where(value == NOT_KNOWN, 0, value) * 10**printed.decimals
    )
    return exact | (close & (printed.decimals >= 2))


def _all_half_points(c: Calculation) -> np.ndarray:
    """Half points with those of unplayed rounds: what the standings count."""
    size = len(c.entrants.number)
    half = np.where(c.rows.half_points >= 0, c.rows.half_points, 0)
    over = np.isin(c.rows.reason, ("forfeit", "unrated", "opponent-unrated"))
    total = c.half_points + np.bincount(c.rows.player[over], weights=half[over], minlength=size).astype(
        np.int64
    )
    for reason, points in (("pab", 2), ("full_bye", 2), ("half_bye", 1)):
        rows = c.rows.reason == reason
        total = total + points * np.bincount(c.rows.player[rows], minlength=size)
    return total


def _rows_like(d: Discrepancies, i: int) -> list[int]:
    """Other players whose own recomputed numbers are what was printed for player ``i``; neighbours first."""
    one = d.printed.at(i)
    result = agreement(one, d.numbers)
    same = result.everything & result.compared
    if one.change.present[0]:
        same &= result.change_compared
    same[i] = False
    # A change of nothing is everybody's who has no games: not evidence.
    same &= (d.numbers.change != 0) if one.change.present[0] and one.change.value[0] != 0 else same
    return sorted((int(j) for j in np.flatnonzero(same)), key=lambda j: (abs(j - i), j))


# --- copies of the event under other ratings ------------------------------------------------------


def copies(
    base: Calculation, members: np.ndarray, ratings: np.ndarray, own_rows: np.ndarray
) -> tuple[Entrants, GameRows]:
    """``len(ratings)`` copies of the members with other ratings, and the chosen rows for each copy.

    ``members``: positions of the players in a copy. ``ratings``: shape (copies, members).
    """
    count, size = ratings.shape
    place = np.full(len(base.entrants.number), -1, dtype=np.int64)
    place[members] = np.arange(size)
    field, rows = base.entrants, base.rows

    def tiled(values: np.ndarray) -> np.ndarray:
        return np.tile(values[members], count)

    changed = ratings.ravel()
    entrants = Entrants(
        number=tiled(field.number),
        rating=changed,
        base=changed.astype(np.float64),
        has_rating=changed > 0,
        provisional=tiled(field.provisional),
        undetermined=tiled(field.undetermined),
        female=tiled(field.female),
        group=np.repeat(np.arange(count), size),
    )
    offset = np.repeat(np.arange(count) * size, len(own_rows))
    opponent = np.tile(np.where(rows.opponent[own_rows] >= 0, place[rows.opponent[own_rows]], -1), count)
    game_rows = GameRows(
        row=np.tile(rows.row[own_rows], count),
        round=np.tile(rows.round[own_rows], count),
        player=np.tile(place[rows.player[own_rows]], count) + offset,
        opponent=np.where(opponent >= 0, opponent + offset, -1),
        half_points=np.tile(rows.half_points[own_rows], count),
        counted=np.tile(rows.counted[own_rows], count),
        reason=np.tile(rows.reason[own_rows], count),
    )
    return entrants, game_rows


def _recalculated(
    d: Discrepancies, base: Calculation, members: np.ndarray, field: Entrants, rows: GameRows
) -> Numbers:
    count = len(field.number) // len(members)
    first, _ = protected_champions(d.event, d.rules)
    result = with_expectations(field, rows, d.event, d.rules)
    result = with_changes(replace(result, k=np.tile(base.k[members], count)), np.tile(first[members], count))
    return numbers_of(result, d.rules)


def _select(printed: Published, members: np.ndarray) -> Published:
    def chosen(p: Printed) -> Printed:
        return Printed(value=p.value[members], decimals=p.decimals[members], present=p.present[members])

    return Published(
        change=chosen(printed.change),
        expected=chosen(printed.expected),
        new_rating=chosen(printed.new_rating),
    )


def _tiled(printed: Published, count: int) -> Published:
    def many(p: Printed) -> Printed:
        return Printed(
            value=np.tile(p.value, count),
            decimals=np.tile(p.decimals, count),
            present=np.tile(p.present, count),
        )

    return Published(
        change=many(printed.change), expected=many(printed.expected), new_rating=many(printed.new_rating)
    )


def _other_ratings(d: Discrepancies, base: Calculation, i: int) -> list[Candidate]:
    """Ratings of the player or of one opponent that reproduce what was printed for player ``i``."""
    own_rows = np.flatnonzero((base.rows.player == i) & base.rows.counted)
    if not len(own_rows):
        return []
    opponents = np.unique(base.rows.opponent[own_rows])
    whole_field = d.rules.block("round_robin") is not None and "round-robin" in d.event.format
    members = np.arange(len(base.entrants.number)) if whole_field else np.unique([i, *opponents])
    suspects = np.unique([i, *opponents])
    window = np.arange(-RATING_WINDOW, RATING_WINDOW + 1)
    candidates: list[Candidate] = []
    for x in suspects:
        tried = base.entrants.rating[x] + window
        tried = tried[(tried > 0) & (window != 0)]
        ratings = np.tile(base.entrants.rating[members], (len(tried), 1))
        ratings[:, np.searchsorted(members, x)] = tried
        field, rows = copies(base, members, ratings, own_rows)
        n = _recalculated(d, base, members, field, rows)
        at = np.arange(len(tried)) * len(members) + int(np.searchsorted(members, i))
        fits = reproduces(agreement(_tiled(d.printed.at(i), len(tried)), _taken(n, at)))
        # A player's own printed new rating follows from the rating it was added to.
        if fits.any():
            candidates.append(_rating_cause(d, base, i, int(x), tried[fits]))
    return candidates


def _taken(n: Numbers, at: np.ndarray) -> Numbers:
    return Numbers(
        unit=n.unit,
        w_minus_we=n.w_minus_we[at],
        we=n.we[at],
        change=n.change[at],
        rounded=n.rounded[at],
        new=n.new[at],
    )


def _rating_cause(d: Discrepancies, base: Calculation, i: int, x: int, values: np.ndarray) -> Candidate:
    """The cause 'rating of x', narrowed to the values that agree best with the whole event."""
    all_rows = np.flatnonzero(base.rows.counted)
    members = np.arange(len(base.entrants.number))
    most = max(1, COPIED_ROWS // max(len(all_rows), 1))
    shown = values if len(values) <= most else values[:: len(values) // most + 1]
    ratings = np.tile(base.entrants.rating, (len(shown), 1))
    ratings[:, x] = shown
    field, rows = copies(base, members, ratings, all_rows)
    n = _recalculated(d, base, members, field, rows)
    fits = reproduces(agreement(_tiled(d.printed, len(shown)), n)).reshape(len(shown), -1)
    compared = agreement(d.printed, d.numbers).compared
    explains = (fits & d.discrepant).sum(axis=1)
    consistent = (fits | ~compared).all(axis=1)
    score = explains + (len(members) + 1) * consistent
    best = shown[score == score.max()]
    listed = _listed_rating(d, x)
    supported = listed is not None and listed in set(best.tolist())
    number = int(d.event.players["number"].iloc[x])
    span = f"{best.min()}" if best.min() == best.max() else f"{best.min()} to {best.max()}"
    detail = f"player {number}: {span}"
    if not consistent.any():
        detail += ", in this player's calculation only" if i != x else ""
    if supported:
        detail += f" (list: {listed})"
    cause = Cause(
        cause="own-rating" if i == x else "opponent-rating",
        detail=detail,
        explains=max(1, int(explains.max())),
    )
    return Candidate(cause=cause, consistent=bool(consistent.any()), supported=supported)


def _listed_rating(d: Discrepancies, x: int) -> int | None:
    """The rating of a player on a list at hand that differs from the one used."""
    for one in d.lists:
        row = int(match_list(d.event.players.iloc[[x]], one)[0])
        if row >= 0 and not np.isnan(one.rows["rating"].iloc[row]):
            return int(one.rows["rating"].iloc[row])
    return None


def _other_games(d: Discrepancies, base: Calculation, i: int) -> list[Candidate]:
    """One game of the player left out, or with another result."""
    own_rows = np.flatnonzero((base.rows.player == i) & base.rows.counted)
    whole_field = d.rules.block("round_robin") is not None and "round-robin" in d.event.format
    members = (
        np.arange(len(base.entrants.number)) if whole_field else np.unique([i, *base.rows.opponent[own_rows]])
    )
    variants = [(g, half) for g in range(len(own_rows)) for half in (-1, 0, 1, 2)]
    variants = [(g, half) for g, half in variants if half != base.rows.half_points[own_rows[g]]]
    if not variants:
        return []
    ratings = np.tile(base.entrants.rating[members], (len(variants), 1))
    field, rows = copies(base, members, ratings, own_rows)
    half_points, counted = rows.half_points.copy(), rows.counted.copy()
    for v, (g, half) in enumerate(variants):
        copied = v * len(own_rows) + g
        if half < 0:
            counted[copied] = False
        else:
            half_points[copied] = half
    n = _recalculated(d, base, members, field, replace(rows, half_points=half_points, counted=counted))
    at = np.arange(len(variants)) * len(members) + int(np.searchsorted(members, i))
    fits = reproduces(agreement(_tiled(d.printed.at(i), len(variants)), _taken(n, at)))
    candidates = []
    for survivor in np.flatnonzero(fits):
        g, half = variants[survivor]
        round = int(base.rows.round[own_rows[g]])
        detail = f"round {round}" if half < 0 else f"round {round}: {('0', '½', '1')[half]}"
        cause = Cause(cause="game-left-out" if half < 0 else "other-result", detail=detail, explains=1)
        candidates.append(Candidate(cause=cause, consistent=False, supported=False))
    return candidates
