"""The first rating of a player from a pool of games against rated opponents, by the block of an edition.

Everything is exact (Fraction) until the one rounding of the published rating. The same procedure serves
one event (`qiyi rate`), a pool over several periods (lists), and the reconstructed xiangqi clause.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from qiyi_analysis.model.event import Event
from qiyi_analysis.rating.entrants import Entrants, GameRows, is_round_robin
from qiyi_analysis.rating.expected import rating_difference
from qiyi_analysis.rules.rounding import round_fraction
from qiyi_analysis.rules.ruleset import Block, RuleSet

#: Why there is no rating.
TOO_FEW_GAMES = "too-few-games"
ZERO_SCORE = "zero-score"
TOO_LOW = "below-floor"
TOO_FEW_OPPONENTS = "too-few-rated-opponents"


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialRating:
    """A first rating with its working; ``rating`` is None with the ``reason`` where there is none.

    ``games`` and ``half_points`` are those against rated opponents, ``average`` is Ra with the added
    draws, ``percent`` the fractional score in whole per cent, ``exact`` the rating before rounding.
    """

    games: int
    half_points: int
    average: Fraction | None = None
    percent: int | None = None
    difference: Fraction | None = None
    exact: Fraction | None = None
    rating: int | None = None
    reason: str = ""


def initial_rating(
    rules: RuleSet, total: int, games: int, half_points: int, *, shrink: Fraction | None = None
) -> InitialRating:
    """First rating from ``games`` against rated opponents whose ratings sum to ``total`` (FIDE B.02 8.2).

    ``shrink`` (n / (n + 1)) multiplies dp in the round robins of the old editions. The limits on games,
    points and the lowest rating are applied here; the age of the games is the caller's business.

    >>> from qiyi_analysis import initial_rating, ruleset
    >>> initial_rating(ruleset("fide/rating-standard/2024-03-01"), total=9000, games=5, half_points=5).rating
    1800
    """
    block = rules.need("initial_rating")
    if games < block["games_at_least"]:
        return InitialRating(games=games, half_points=half_points, reason=TOO_FEW_GAMES)
    if half_points == 0:
        return InitialRating(games=games, half_points=half_points, reason=ZERO_SCORE)
    draws = block.get("added_draws", 0)
    n = games + draws
    average = Fraction(total + draws * block.get("added_draws_rating", 0), n)
    result = performance(
        rules,
        average,
        n,
        half_points + draws,
        per_half_point=block.get("per_half_point") if block["above_half"] == "per-half-point" else None,
        shrink=shrink,
    )
    exact = result.exact or Fraction(0)
    if "highest" in block:
        exact = min(exact, Fraction(block["highest"]))
    return _first_rating(replace(result, games=games, half_points=half_points, exact=exact), block)


def _first_rating(result: InitialRating, block: Block) -> InitialRating:
    """A performance rounded half up; no rating where that is below the lowest."""
    rating = round_fraction(result.exact or Fraction(0), "half-up")
    low = rating < block["rating_at_least"]
    return replace(result, rating=None if low else rating, reason=TOO_LOW if low else "")


def performance(
    rules: RuleSet,
    average: Fraction,
    games: int,
    half_points: int,
    *,
    per_half_point: Fraction | None,
    shrink: Fraction | None = None,
) -> InitialRating:
    """Ra plus the bonus for half points above one half, or plus dp(p); p in whole per cent, half up."""
    percent = round_fraction(Fraction(50 * half_points, games), "half-up")
    if per_half_point is not None and half_points >= games:
        difference = per_half_point * (half_points - games)
    else:
        difference = rating_difference(percent, rules) * (shrink if shrink is not None else Fraction(1))
    return InitialRating(
        games=games,
        half_points=half_points,
        average=average,
        percent=percent,
        difference=Fraction(difference),
        exact=average + difference,
    )


def weighted_rating(parts: list[tuple[Fraction | int, int]]) -> Fraction:
    """First rating of the older Chinese xiangqi text: partial performances (rating, games) weighted with their games.

    >>> weighted_rating([(2400, 4), (2300, 2)])
    Fraction(7100, 3)
    """
    games = sum(n for _, n in parts)
    return sum((Fraction(r) * n for r, n in parts), Fraction(0)) / games


def unrated_games(rows: GameRows, field: Entrants) -> np.ndarray:
    """Mask of the games over the board of players without a rating against rated opponents."""
    return (
        (rows.reason == "no-own-rating")
        & (rows.half_points >= 0)
        & field.has_rating[np.maximum(rows.opponent, 0)]
    )


def first_ratings(event: Event, rules: RuleSet, rows: GameRows, field: Entrants) -> dict[int, InitialRating]:
    """First rating of each unrated player of an event as if it were the whole pool; keys are row positions."""
    block = rules.block("initial_rating")
    if block is None:
        return {}
    mask = unrated_games(rows, field)
    pooled = (
        _pool(event, rules, rows, field) if block.get("round_robin_pool") and is_round_robin(event) else None
    )
    found = {}
    for i in np.flatnonzero(~field.has_rating):
        mine = mask & (rows.player == i)
        games, half_points = int(mine.sum()), int(rows.half_points[mine].sum())
        if not games:
            continue
        if games < block.get("opponents_at_least", 0) or half_points < block.get("half_points_at_least", 0):
            found[int(i)] = InitialRating(games=games, half_points=half_points, reason=TOO_FEW_OPPONENTS)
        elif pooled is not None:
            found[int(i)] = _from_pool(rules, rows, int(i), pooled)
        else:
            total = int(field.rating[rows.opponent[mine]].sum())
            found[int(i)] = initial_rating(rules, total, games, half_points)
    return found


def with_performances(event: Event, rules: RuleSet, rows: GameRows, field: Entrants) -> Entrants:
    """The field with the performance of each unrated player of a round robin as the rating his opponents meet."""
    block = rules.block("initial_rating")
    mask = unrated_games(rows, field)
    rating = field.rating.copy()
    for i in np.flatnonzero(~field.has_rating) if block is not None else ():
        mine = mask & (rows.player == i)
        games, half_points = int(mine.sum()), int(rows.half_points[mine].sum())
        if games and half_points:
            average = Fraction(int(field.rating[rows.opponent[mine]].sum()), games)
            bonus = block.get("per_half_point") if block is not None else None
            done = performance(rules, average, games, half_points, per_half_point=bonus)
            rating[i] = round_fraction(done.exact or Fraction(0), "half-up")
    return replace(field, rating=rating)


def _pool(event: Event, rules: RuleSet, rows: GameRows, field: Entrants) -> Fraction:
    """Ra of a round robin: average of the rated players less their mean dp times n / (n + 1)."""
    size = len(field.number)
    over_the_board = (
        (rows.half_points >= 0) & (rows.opponent >= 0) & ~np.isin(rows.reason, ("forfeit", "annulled"))
    )
    games = np.bincount(rows.player[over_the_board], minlength=size)
    half_points = np.bincount(
        rows.player[over_the_board], weights=rows.half_points[over_the_board], minlength=size
    ).astype(np.int64)
    rated = np.flatnonzero(field.has_rating & (games > 0))
    if not len(rated):
        return Fraction(0)
    average = Fraction(int(field.rating[rated].sum()), len(rated))
    dps = [
        rating_difference(round_fraction(Fraction(50 * int(half_points[i]), int(games[i])), "half-up"), rules)
        for i in rated
    ]
    n = size - 1
    return average - Fraction(sum(dps), len(dps)) * Fraction(n, n + 1)


def _from_pool(rules: RuleSet, rows: GameRows, i: int, average: Fraction) -> InitialRating:
    """A newcomer of a round robin: all games against everybody, measured against the pool's Ra."""
    block = rules.need("initial_rating")
    mine = (rows.player == i) & (rows.half_points >= 0) & (rows.opponent >= 0)
    games, half_points = int(mine.sum()), int(rows.half_points[mine].sum())
    if games < block["games_at_least"]:
        return InitialRating(games=games, half_points=half_points, reason=TOO_FEW_GAMES)
    result = performance(
        rules,
        average,
        games,
        half_points,
        per_half_point=block.get("per_half_point"),
        shrink=Fraction(games, games + 1),
    )
    return _first_rating(result, block)


def clause_rating(
    event: Event, rules: RuleSet, rows: GameRows, field: Entrants, i: int
) -> InitialRating | None:
    """The reconstructed end of xiangqi art. 9 for a provisional player; None where it is not switched on."""
    clause = rules.block("performance_clause")
    if clause is None or not clause["used"] or not field.provisional[i]:
        return None
    opponent = np.maximum(rows.opponent, 0)
    rated = (rows.opponent >= 0) & field.has_rating[opponent] & ~field.provisional[opponent]
    mine = (rows.player == i) & rated & rows.counted
    games, half_points = int(mine.sum()), int(rows.half_points[mine].sum())
    if games < rules.need("unrated")["games_at_least"]:
        return InitialRating(games=games, half_points=half_points, reason=TOO_FEW_GAMES)
    average = Fraction(int(field.rating[rows.opponent[mine]].sum()), games)
    if half_points < games and clause["below_half"] == "no-rating":
        return InitialRating(games=games, half_points=half_points, average=average, reason=TOO_LOW)
    result = performance(
        rules,
        average,
        games,
        half_points,
        per_half_point=clause["per_half_point"],
        shrink=Fraction(games, games + 1) if is_round_robin(event) else None,
    )
    return replace(result, rating=round_fraction(result.exact or Fraction(0), "half-up"))
