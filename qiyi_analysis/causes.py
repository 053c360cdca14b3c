"""The search for causes: which hypotheses reproduce a published number exactly.

Whole-event hypotheses are recomputed once each; ratings of single players are tried over a window of
values, all at once, as copies of the event in one calculation. A cause must reproduce every printed
number of the player that does not follow from the rules; those that reproduce the others too go first.
All survivors are named; none is *the* cause on a single number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from qiyi_analysis.errors import QiyiError
from qiyi_analysis.findings import Cause
from qiyi_analysis.hypotheses import for_event, forfeits_as_games, known_k, listed_ratings
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
from qiyi_analysis.rating.entrants import Entrants, GameRows
from qiyi_analysis.rating.table_method import (
    NOT_KNOWN,
    Calculation,
    calculate,
    protected_champions,
    with_changes,
    with_expectations,
)
from qiyi_analysis.ruleset import RuleSet
from qiyi_analysis.words import said

#: How far from the rating used another rating is tried, in points; beyond it the table is flat.
RATING_WINDOW = 1000
#: Step of the first pass over an opponent's rating. Expected scores do not rise with that rating and no band
#: of the table (0-3 counts on both sides of zero) is narrower than 7 points, so no plateau is stepped over.
FIRST_STEP = 6
#: Beyond this many discrepant players, single ratings are searched only for the first of them.
SEARCHED_PLAYERS = 40
#: Most rows of one calculation with copies (bounds memory), and of one comparison with everybody concerned:
#: beyond it every second, third ... of the surviving values is compared.
COPIED_ROWS = 100_000
COMPARED_ROWS = 40_000
#: Another K is tried up to here; a K that no regulation knows must explain several discrepancies.
HIGHEST_K = 100

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
    complete: bool = True  # reproduces also the numbers of the player that agree with the rules

    @property
    def rank(self) -> tuple[int, int, int, int, int, str]:
        """What candidates are sorted by, the best first: evidence at hand, players explained, all numbers of the player, all of the event, how common the mistake is."""
        order = ORDER.index(self.cause.cause) if self.cause.cause in ORDER else len(ORDER)
        return (
            -self.supported, -self.cause.explains, -self.complete, -self.consistent, order, self.cause.detail,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrepancies:
    """What is searched for: an event (with what the list in force knows), what it printed, and who does not agree."""

    event: Event
    rules: RuleSet
    lists: tuple[RatingList, ...]
    printed: Published
    numbers: Numbers
    discrepant: np.ndarray  # mask of players whose printed numbers do not follow from the rules

    @property
    def table(self) -> bool:
        """Whether the rules look expected scores up in a table."""
        return self.rules.value("method", "name") == "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search(Discrepancies):
    """The same with what every variant is compared with: the agreement and the calculation by the rules."""

    own: Agreement
    base: Calculation | None  # None for methods without a table
    first: np.ndarray  # champions who cannot lose points
    listed: np.ndarray  # rating of each player on the first of the lists at hand that has one, NaN for none

    @property
    def whole_field(self) -> bool:
        """Whether everybody's rating enters everybody's average."""
        return self.rules.block("round_robin") is not None and "round-robin" in self.event.format


def find_causes(discrepancies: Discrepancies) -> dict[int, tuple[Cause, ...]]:
    """Causes of each discrepant player (by position in the players table), the likeliest first."""
    d = discrepancies
    found: dict[int, list[Candidate]] = {int(i): [] for i in np.flatnonzero(d.discrepant)}
    if not found:
        return {}
    search = Search(
        event=d.event,
        rules=d.rules,
        lists=d.lists,
        printed=d.printed,
        numbers=d.numbers,
        discrepant=d.discrepant,
        own=agreement(d.printed, d.numbers),
        base=calculate(d.event, d.rules) if d.table else None,
        first=protected_champions(d.event, d.rules)[0],
        listed=_listed_ratings(d),
    )
    _try_whole_event(search, found)
    _try_printed_otherwise(search, found)
    if search.base is not None:
        _try_points(search, found)
        _try_any_k(search, search.base, found)
        searched = list(found)[:SEARCHED_PLAYERS]
        _try_single_ratings(search, search.base, searched, found)
        for i in searched:
            found[i].extend(_unrated_counted(search, search.base, i))
            found[i].extend(_other_games(search, search.base, i))
    return {i: tuple(c.cause for c in sorted(_merged(all), key=lambda c: c.rank)) for i, all in found.items()}


def _merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """One candidate for each cause and detail, the best supported."""
    best: dict[tuple[str, str], Candidate] = {}
    for candidate in candidates:
        key = (candidate.cause.cause, candidate.cause.detail)
        if key not in best or candidate.rank < best[key].rank:
            best[key] = candidate
    return list(best.values())


def _try_whole_event(d: Search, found: dict[int, list[Candidate]]) -> None:
    seen: set[tuple[str, bytes]] = set()
    for hypothesis in for_event(d.event, d.rules, d.lists):
        try:
            event, rules = hypothesis.apply(d.event, d.rules)
            n = numbers(event, rules)
        except QiyiError:
            continue  # the variant does not fit this event (no list, no such block)
        # A longer way to the same numbers (a cap that never applies) adds nothing.
        same = (hypothesis.cause, n.change.tobytes() + n.rounded.tobytes())
        if hypothesis.cause == "formula" and same in seen:
            continue
        seen.add(same)
        _add(
            d,
            found,
            hypothesis.cause,
            hypothesis.detail,
            agreement(d.printed, n),
            supported=hypothesis.supported,
        )


def reproduces(result: Agreement, own: Agreement) -> tuple[np.ndarray, np.ndarray]:
    """Players whose differing numbers a variant reproduces, and those all of whose numbers it does.

    ``own``: the agreement with the rules, which says what differs.
    """
    differing = np.ones(len(own.change), dtype=bool)
    for field in ("change", "expected", "new_rating"):
        here = getattr(result, field) & getattr(result, f"{field}_compared")
        differing &= here | getattr(own, field)
    return differing & result.compared, result.everything & result.compared


def _add(
    d: Search,
    found: dict[int, list[Candidate]],
    cause: str,
    detail: str,
    result: Agreement,
    *,
    supported: bool = False,
) -> int:
    """Note a variant with the players it explains; their number."""
    reproduced, complete = reproduces(result, d.own)
    explained = reproduced & d.discrepant
    explains = int(explained.sum())
    if not explains:
        return 0
    # Players whose number cannot be compared either way do not speak against a hypothesis.
    consistent = bool((complete | ~d.printed.present | (~d.discrepant & ~d.own.compared)).all())
    one = Cause(cause=cause, detail=detail, explains=explains)
    for i in np.flatnonzero(explained):
        found[int(i)].append(
            Candidate(cause=one, consistent=consistent, supported=supported, complete=bool(complete[i]))
        )
    return explains


def _try_printed_otherwise(d: Search, found: dict[int, list[Candidate]]) -> None:
    """W - We printed as the change; the number of another row."""
    n, printed = d.numbers, d.printed
    as_difference = printed.change.present & agrees_exactly(printed.change, n.w_minus_we, n.unit, decimals=1)
    _add(
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


#: Reasons for which rows did not count -> what was added to W, as a cause and the name of its detail.
UNPLAYED_POINTS: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("forfeit-counted", "forfeit-points", frozenset({"forfeit"})),
    ("forfeit-counted", "bye-points", frozenset({"pab", "full_bye", "half_bye"})),
    (
        "forfeit-counted",
        "forfeit-and-bye-points",
        frozenset({"forfeit", "unrated", "pab", "full_bye", "half_bye"}),
    ),
    ("unrated-counted", "unrated-points", frozenset({"opponent-unrated"})),
    (
        "unrated-counted",
        "all-points",
        frozenset({"forfeit", "unrated", "opponent-unrated", "pab", "full_bye", "half_bye"}),
    ),
)
#: Points of rounds without an opponent, in half points.
_BYES = {"pab": 2, "full_bye": 2, "half_bye": 1}


def _try_points(d: Search, found: dict[int, list[Candidate]]) -> None:
    """Points of rounds that do not count, counted in W all the same."""
    for event, forfeits_too in ((d.event, False), (forfeits_as_games(d.event), True)):
        base = calculate(event, d.rules)
        for cause, name, reasons in UNPLAYED_POINTS:
            points = _half_points_with(base, reasons)
            if (points == base.half_points).all():
                continue
            n = numbers_of(with_changes(replace(base, half_points=points), d.first), d.rules)
            detail = said(f"cause-detail.{name}")
            if forfeits_too:
                detail = said("cause-detail.forfeits-too", detail=detail)
            _add(d, found, cause, detail, agreement(d.printed, n))


def _half_points_with(c: Calculation, reasons: frozenset[str]) -> np.ndarray:
    """Half points with those of the rows left out for one of ``reasons``."""
    size = len(c.entrants.number)
    half = np.where(c.rows.half_points >= 0, c.rows.half_points, 0)
    for reason, points in _BYES.items():
        half = np.where(c.rows.reason == reason, points, half)
    over = np.isin(c.rows.reason.astype(str), sorted(reasons))
    added = np.bincount(c.rows.player[over], weights=half[over], minlength=size)
    return c.half_points + added.astype(np.int64)


def _try_any_k(d: Search, base: Calculation, found: dict[int, list[Candidate]]) -> None:
    """A K that no regulation knows, if it explains more than one discrepancy and half of all."""
    known = known_k(d.rules)
    for k in range(1, HIGHEST_K + 1):
        if k in known:
            continue
        with_k = replace(base, k=np.full(len(base.k), k, dtype=np.int64))
        result = agreement(d.printed, numbers_of(with_changes(with_k, d.first), d.rules))
        explains = int((reproduces(result, d.own)[0] & d.discrepant).sum())
        if explains > 1 and 2 * explains >= len(found):
            _add(d, found, "other-k", f"K {k}", result)


def agrees_exactly(printed: Printed, value: np.ndarray, unit: int, decimals: int = 2) -> np.ndarray:
    """Whether the printed value is the exact one; with ``decimals`` or more, as it would be printed."""
    close = agrees_printed(printed, value, unit)
    exact = (value != NOT_KNOWN) & (
        printed.value * unit == np.where(value == NOT_KNOWN, 0, value) * 10**printed.decimals
    )
    return exact | (close & (printed.decimals >= decimals))


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
    d: Search, base: Calculation, members: np.ndarray, field: Entrants, rows: GameRows
) -> Numbers:
    count = len(field.number) // len(members)
    result = with_expectations(field, rows, d.event, d.rules)
    result = with_changes(
        replace(result, k=np.tile(base.k[members], count)), np.tile(d.first[members], count)
    )
    return numbers_of(result, d.rules)


def _select(printed: Published, members: np.ndarray) -> Published:
    return Published(
        change=printed.change.of(members),
        expected=printed.expected.of(members),
        new_rating=printed.new_rating.of(members),
    )


def _tiled(printed: Published, count: int) -> Published:
    def many(p: Printed) -> Printed:
        return Printed(
            value=np.tile(p.value, count),
            decimals=np.tile(p.decimals, count),
            present=np.tile(p.present, count),
            whole=np.tile(p.whole, count),
        )

    return Published(
        change=many(printed.change), expected=many(printed.expected), new_rating=many(printed.new_rating)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of one player's rating tried at many values: masks of shape (values, players)."""

    values: np.ndarray
    reproduced: np.ndarray
    complete: np.ndarray


def _try_single_ratings(
    d: Search,
    base: Calculation,
    searched: list[int],
    found: dict[int, list[Candidate]],
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
    printed, differing = _select(d.printed, affected), _chosen(d.own, affected)
    for start in range(0, len(values), most):
        some = values[start : start + most]
        ratings = np.tile(base.entrants.rating[members], (len(some), 1))
        ratings[:, np.searchsorted(members, x)] = some
        field, rows = copies(base, members, ratings, own_rows)
        at = (np.arange(len(some))[:, None] * len(members) + here).ravel()
        n = _taken(_recalculated(d, base, members, field, rows), at)
        cells = _tiled(printed, len(some))
        fits = [*reproduces(agreement(cells, n), _repeated(differing, len(some)))]
        if x in affected:
            # The change from a wrong rating, added to the right one.
            shift = np.where(affected == x, 1, 0)[None, :] * (some - base.entrants.rating[x])[:, None]
            added = agreement(cells, replace(n, new=n.new - shift.ravel()))
            again = reproduces(added, _repeated(differing, len(some)))
            fits = [one | other for one, other in zip(fits, again, strict=True)]
        reproduced[start : start + most, affected] = fits[0].reshape(len(some), -1)
        complete[start : start + most, affected] = fits[1].reshape(len(some), -1)
    return Tried(values=values, reproduced=reproduced, complete=complete)


def _chosen(a: Agreement, members: np.ndarray) -> Agreement:
    return Agreement(**{f: getattr(a, f)[members] for f in Agreement.__slots__})


def _repeated(a: Agreement, count: int) -> Agreement:
    return Agreement(**{f: np.tile(getattr(a, f), count) for f in Agreement.__slots__})


def _taken(n: Numbers, at: np.ndarray) -> Numbers:
    return Numbers(
        unit=n.unit,
        w_minus_we=n.w_minus_we[at],
        we=n.we[at],
        change=n.change[at],
        rounded=n.rounded[at],
        new=n.new[at],
        rounds_change=n.rounds_change,
    )


def _span(values: np.ndarray) -> str:
    """One value, or the lowest and the highest of several."""
    low, high = int(values.min()), int(values.max())
    return f"{low}" if low == high else said("cause-detail.span", low=low, high=high)


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
    compared = d.own.compared[affected]
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
    detail = said("cause-detail.player-rating", player=number, rating=_span(best))
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


def _listed_ratings(d: Discrepancies) -> np.ndarray:
    """The rating of each player on the first of the lists at hand that has one; NaN for none."""
    found = np.full(len(d.event.players), np.nan)
    for one in d.lists:
        found = np.where(np.isnan(found), listed_ratings(d.event, one), found)
    return found


def _unrated_counted(d: Search, base: Calculation, i: int) -> list[Candidate]:
    """Games against unrated opponents counted, at whatever rating: all of them, or those with one opponent."""
    left_out = np.flatnonzero((base.rows.player == i) & (base.rows.reason == "opponent-unrated"))
    if not len(left_out) or not base.entrants.has_rating[i]:
        return []
    opponents = np.unique(base.rows.opponent[left_out])
    groups = [opponents] if len(opponents) == 1 else [opponents, *np.split(opponents, len(opponents))]
    values = np.arange(1, int(base.entrants.rating[i]) + RATING_WINDOW)
    candidates = []
    for group in groups:
        again = left_out[np.isin(base.rows.opponent[left_out], group)]
        own_rows = np.sort(
            np.concatenate([np.flatnonzero((base.rows.player == i) & base.rows.counted), again])
        )
        members = np.unique([i, *base.rows.opponent[own_rows]])
        counted = replace(
            base.rows, counted=base.rows.counted | np.isin(np.arange(len(base.rows.row)), again)
        )
        ratings = np.tile(base.entrants.rating[members], (len(values), 1))
        ratings[:, np.searchsorted(members, group)] = values[:, None]
        field, rows = copies(replace(base, rows=counted), members, ratings, own_rows)
        at = np.arange(len(values)) * len(members) + int(np.searchsorted(members, i))
        n = _taken(_recalculated(d, base, members, field, rows), at)
        fits, complete = reproduces(
            agreement(_tiled(d.printed.at(i), len(values)), n),
            _repeated(_chosen(d.own, np.array([i])), len(values)),
        )
        if not fits.any():
            continue
        best = values[complete] if complete.any() else values[fits]
        named = d.event.players["number"].iloc[group].astype(int).tolist()
        detail = said("cause-detail.unrated-player", players=named, span=_span(best))
        cause = Cause(cause="unrated-counted", detail=detail, explains=1)
        candidates.append(
            Candidate(cause=cause, consistent=False, supported=False, complete=bool(complete.any()))
        )
    return candidates


def _other_games(d: Search, base: Calculation, i: int) -> list[Candidate]:
    """One game of the player left out, or with another result."""
    own_rows = np.flatnonzero((base.rows.player == i) & base.rows.counted)
    members = (
        np.arange(len(base.entrants.number))
        if d.whole_field
        else np.unique([i, *base.rows.opponent[own_rows]])
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
    fits, complete = reproduces(
        agreement(_tiled(d.printed.at(i), len(variants)), _taken(n, at)),
        _repeated(_chosen(d.own, np.array([i])), len(variants)),
    )
    candidates = []
    for survivor in np.flatnonzero(fits):
        g, half = variants[survivor]
        round = int(base.rows.round[own_rows[g]])
        detail = (
            said("cause-detail.round", round=round)
            if half < 0
            else said("cause-detail.round-result", round=round, result=("0", "½", "1")[half])
        )
        cause = Cause(cause="game-left-out" if half < 0 else "other-result", detail=detail, explains=1)
        candidates.append(
            Candidate(cause=cause, consistent=False, supported=False, complete=bool(complete[survivor]))
        )
    return candidates
