"""American Go Association (bayrate): the most probable ratings of all players of an event at once.

Ratings are in stones, with no values between -1 and 1; computing closes the gap. Each player brings a
normal prior; games add the probability of their results. The new sigma of a player is the standard
deviation of the player's own posterior, the others held at their most probable ratings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from math import erfc, log, pi, sqrt

import numpy as np

from qiyi_analysis.model.event import Event
from qiyi_analysis.rating import Rating
from qiyi_analysis.rating.egf import _GRADE
from qiyi_analysis.rating.entrants import Entrants, GameRows, entrants, game_rows
from qiyi_analysis.rating.rating_frames import not_told, number, rating_of
from qiyi_analysis.rules.ruleset import RuleSet

#: Beyond so many standard deviations the tail is smaller than any float.
_FAR = 35.0
_erfc = np.frompyfunc(erfc, 1, 1)


@dataclass(frozen=True, slots=True)
class _Games:
    """Games between players with a prior: indices, White's surplus needed and the spread, White's win."""

    white: np.ndarray
    black: np.ndarray
    equivalent: np.ndarray
    sigma: np.ndarray
    white_won: np.ndarray


def rate(event: Event, rules: RuleSet) -> Rating:
    """Rate an event. Columns of players.csv that are used: ``sigma``, ``rated_on`` (date of the rating)."""
    field = entrants(event, rules)
    seed, sigma, usable, field = _priors(event, field, rules)
    rows = game_rows(event, field, rules)
    untold = _without_sigma(event, field, rows)
    both = usable[rows.player] & usable[np.maximum(rows.opponent, 0)]
    decided = rows.half_points != 1
    left_out = rows.counted & ~(both & decided)
    rows = replace(
        rows,
        counted=rows.counted & both & decided,
        reason=np.where(left_out, np.where(both, "draw", "opponent-unrated"), rows.reason),
    )
    games = _games(event, rows, rules)
    new = most_probable(seed, sigma, games)
    spread = _new_sigma(seed, sigma, new, games)
    gap = float(rules.need("bayrate")["gap"])
    opened, own = opened_gap(new, gap), np.where(usable, opened_gap(seed, gap), np.nan)
    listed = np.where(field.provisional, own, field.base)
    stones, komi = _stones(event, rows.row)
    index = {int(n): i for i, n in enumerate(field.number)}
    first = np.array([index.get(int(n), -1) for n in event.games["first"].to_numpy()[rows.row]])
    white = np.where(first == rows.player, rows.opponent, rows.player)
    black = np.where(first == rows.player, rows.player, rows.opponent)
    p_white = white_wins(seed[white], seed[black], stones, komi, rules)
    expected = np.where(white == rows.player, p_white, 1 - p_white)
    decimals = rules.need("change")["decimals"]
    return rating_of(
        event,
        rules,
        field,
        rows,
        k=np.full(len(seed), np.nan),
        expected=np.where(rows.counted, expected, np.nan),
        opponent_rating=np.where(rows.opponent >= 0, listed[rows.opponent], np.nan),
        change=np.where(usable, new - seed, np.nan),
        new_rating=np.where(usable, opened, np.nan),
        article=rules.cite("method"),
        places=decimals,
        own_rating=listed,
        assumed=np.full(len(seed), bool(untold)),
        findings=not_told("sigma-not-told", untold, rules.cite("bayrate")),
        seed=[number(v, decimals) for v in own],
        sigma=[number(v, decimals) for v in np.where(usable, spread, np.nan)],
    )


def _without_sigma(event: Event, field: Entrants, rows: GameRows) -> list[int]:
    """Numbers of the players with a rating and games whose sigma the file does not tell."""
    told = event.extra.get("players.sigma") or {}
    playing = np.isin(np.arange(len(field.number)), rows.player[rows.counted])
    return [
        int(n)
        for n, plays, rated in zip(field.number, playing, field.has_rating & ~field.provisional, strict=True)
        if plays and rated and not _is_number(told.get(int(n)))
    ]


def _is_number(value: object) -> bool:
    return str(value or "").replace(".", "", 1).isdigit()


def closed_gap(rating: np.ndarray, gap: float) -> np.ndarray:
    """Ratings on the scale without the gap: dan minus one, kyu plus one."""
    return np.where(rating > 0, rating - gap, rating + gap)


def opened_gap(value: np.ndarray, gap: float) -> np.ndarray:
    """The published scale again: nothing between -1 and 1."""
    return np.where(value >= 0, value + gap, value - gap)


def game_scale(stones: np.ndarray, komi: np.ndarray, rules: RuleSet) -> tuple[np.ndarray, np.ndarray]:
    """Handicap equivalent (stones) and spread of the game by handicap and komi."""
    block = rules.need("bayrate")
    slope = float(block["komi_slope"])
    even = stones <= 1
    table = np.array([float(v) for v in block["sigma_handicap"]])
    place = np.clip(stones - 2, 0, len(table) - 1).astype(np.int64)
    sigma_even = (
        float(block["sigma_constant"])
        + float(block["sigma_komi"]) * komi
        + float(block["sigma_komi_squared"]) * komi * komi
    )
    sigma = np.where(even, sigma_even, table[place] + float(block["sigma_handicap_komi"]) * komi)
    equivalent = np.where(even, float(block["even_constant"]), stones) - slope * komi
    return equivalent, sigma


def white_wins(
    white: np.ndarray, black: np.ndarray, stones: np.ndarray, komi: np.ndarray, rules: RuleSet
) -> np.ndarray:
    """Probability that White wins each game; ratings on the scale without the gap (:func:`closed_gap`)."""
    equivalent, sigma = game_scale(stones, komi, rules)
    return _phi((white - black - equivalent) / sigma)


def most_probable(seed: np.ndarray, sigma: np.ndarray, games: _Games) -> np.ndarray:
    """Maximum of the posterior by Newton's method with step halving; the log posterior is concave."""
    value = seed.copy()
    best = _log_posterior(value, seed, sigma, games)
    for _ in range(100):
        gradient, hessian = _derivatives(value, seed, sigma, games)
        step = np.linalg.solve(hessian, gradient)
        scale = 1.0
        while scale > 1e-6:
            trial = value - scale * step
            reached = _log_posterior(trial, seed, sigma, games)
            if reached >= best - 1e-12:
                break
            scale /= 2
        moved = float(np.abs(scale * step).max(initial=0.0))
        value, best = trial, reached
        if moved < 1e-10:
            break
    return value


def _surplus(value: np.ndarray, games: _Games) -> np.ndarray:
    """Standardised surplus of the winner of each game."""
    z = (value[games.white] - value[games.black] - games.equivalent) / games.sigma
    return np.where(games.white_won, z, -z)


def _log_posterior(value: np.ndarray, seed: np.ndarray, sigma: np.ndarray, games: _Games) -> float:
    return float(_log_phi(_surplus(value, games)).sum() - (((value - seed) / sigma) ** 2).sum() / 2)


def _derivatives(
    value: np.ndarray, seed: np.ndarray, sigma: np.ndarray, games: _Games
) -> tuple[np.ndarray, np.ndarray]:
    z = _surplus(value, games)
    ratio = np.exp(-z * z / 2 - log(2 * pi) / 2 - _log_phi(z))
    sign = np.where(games.white_won, 1.0, -1.0)
    first = sign * ratio / games.sigma
    second = -ratio * (z + ratio) / games.sigma**2
    size = len(value)
    gradient = -(value - seed) / sigma**2
    gradient += np.bincount(games.white, weights=first, minlength=size)
    gradient -= np.bincount(games.black, weights=first, minlength=size)
    hessian = np.diag(-1 / sigma**2)
    np.add.at(hessian, (games.white, games.white), second)
    np.add.at(hessian, (games.black, games.black), second)
    np.add.at(hessian, (games.white, games.black), -second)
    np.add.at(hessian, (games.black, games.white), -second)
    return gradient, hessian


def _new_sigma(seed: np.ndarray, sigma: np.ndarray, value: np.ndarray, games: _Games) -> np.ndarray:
    """Root mean square deviation from the most probable rating, by summing over a fine grid."""
    result = sigma.copy()
    steps = np.linspace(-5, 5, 501)
    for i in range(len(seed)):
        mine = (games.white == i) | (games.black == i)
        if not mine.any():
            continue
        grid = value[i] + sigma[i] * steps
        log_density = -(((grid - seed[i]) / sigma[i]) ** 2) / 2
        for game in np.flatnonzero(mine):
            white, black = games.white[game], games.black[game]
            z = np.where(white == i, grid - value[black], value[white] - grid) - games.equivalent[game]
            z = z / games.sigma[game] * (1 if games.white_won[game] else -1)
            log_density = log_density + _log_phi(z)
        density = np.exp(log_density - log_density.max())
        result[i] = sqrt(float((density * (grid - value[i]) ** 2).sum() / density.sum()))
    return result


def _phi(z: np.ndarray) -> np.ndarray:
    """Normal distribution function, kept away from zero for logarithms."""
    values = np.asarray(_erfc(-np.asarray(z) / sqrt(2)), dtype=np.float64)
    return np.maximum(0.5 * values, 1e-300)


def _log_phi(z: np.ndarray) -> np.ndarray:
    """Logarithm of the normal distribution function; far below zero by its asymptotic form."""
    far = np.minimum(np.asarray(z, dtype=np.float64), -_FAR)
    tail = -far * far / 2 - np.log(-far) - log(2 * pi) / 2
    return np.where(z < -_FAR, tail, np.log(_phi(np.maximum(z, -_FAR))))


def _stones(event: Event, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (
        np.nan_to_num(event.games["handicap"].to_numpy())[row],
        np.nan_to_num(event.games["komi"].to_numpy())[row],
    )


def _games(event: Event, rows: GameRows, rules: RuleSet) -> _Games:
    """One entry per counted game, from the row of the side with the first move (Black)."""
    games = event.games
    numbers = event.players["number"].to_numpy()
    index = {int(n): i for i, n in enumerate(numbers)}
    first = np.array([index.get(int(n), -1) for n in games["first"].to_numpy()[rows.row]])
    once = rows.counted & (first == rows.player)
    stones, komi = _stones(event, rows.row[once])
    equivalent, sigma = game_scale(stones, komi, rules)
    return _Games(
        white=rows.opponent[once],
        black=rows.player[once],
        equivalent=equivalent,
        sigma=sigma,
        white_won=rows.half_points[once] == 0,
    )


def first_sigma(seed: float, rules: RuleSet) -> float:
    """Sigma of a new player by seed (published scale), interpolated between the known values."""
    points = rules.rows("first_sigma")
    return float(np.interp(seed, [float(p["rating"]) for p in points], [float(p["sigma"]) for p in points]))


def self_promoted(rating: float, sigma: float, declared: float, rules: RuleSet) -> tuple[float, float]:
    """Seed and sigma (closed scale) of a player who enters ``declared`` above the own rating and has won.

    Three grades or more: as a new player; from one grade on: moved; less, or a demotion: unchanged.
    """
    block = rules.need("self_promotion")
    delta = declared - rating
    gap = float(rules.need("bayrate")["gap"])
    if delta >= block["reseed_from"]:
        return declared, first_sigma(float(opened_gap(np.array(declared), gap)), rules)
    if delta >= block["small_from"]:
        moved = rating + float(block["seed_constant"]) + float(block["seed_slope"]) * delta
        wider = sigma**2 + float(block["sigma_factor"]) * delta ** float(block["sigma_power"])
        return moved, sqrt(wider)
    return rating, sigma


def grade_seed(title: str, gap: float) -> float | None:
    """Middle of a declared rank on the published scale: 3D is 3.5, 2k is -2.5."""
    found = _GRADE.search(title)
    if not found:
        return None
    middle = int(found[1]) + gap / 2
    return middle if found[2].casefold()[0] in ("d", "p", "段") else -middle


def _priors(
    event: Event, field: Entrants, rules: RuleSet
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Entrants]:
    """Seeds (closed scale) and sigmas before the event, aged to its day."""
    block = rules.need("bayrate")
    gap = float(block["gap"])
    size = len(field.number)
    # Kyu ratings are negative: a rating here is any number outside the gap.
    listed = field.base.copy()
    rated = ~np.isnan(listed)
    seed = np.where(rated, closed_gap(np.nan_to_num(listed), gap), 0.0)
    sigma = np.ones(size)
    usable = rated.copy()
    told = event.extra.get("players.sigma") or {}
    rated_on = event.extra.get("players.rated_on") or {}
    won = {int(n) for n in event.games.loc[event.games["first_result"] == "1", "first"]}
    won |= {int(n) for n in event.games.loc[event.games["second_result"] == "1", "second"]}
    for i in range(size):
        n = int(field.number[i])
        declared = grade_seed(str(event.players["title"].iloc[i]), gap)
        if not rated[i]:
            if declared is not None:
                seed[i] = float(closed_gap(np.array(declared), gap))
                sigma[i], usable[i] = first_sigma(declared, rules), True
            continue
        known = str(told.get(n, ""))
        sigma[i] = float(known) if known.replace(".", "", 1).isdigit() else first_sigma(listed[i], rules)
        sigma[i] = sqrt(sigma[i] ** 2 + float(block["ageing"]) ** 2 * _days(event, rated_on.get(n)) ** 2)
        if declared is not None and n in won:
            target = float(closed_gap(np.array(declared), gap))
            seed[i], sigma[i] = self_promoted(float(seed[i]), float(sigma[i]), target, rules)
    base = np.where(rated, listed, np.where(usable, opened_gap(seed, gap), np.nan))
    field = replace(field, base=base, has_rating=usable, provisional=usable & ~rated)
    return seed, sigma, usable, field


def _days(event: Event, rated_on: object) -> int:
    day = event.start or event.end
    try:
        return (day - date.fromisoformat(str(rated_on))).days if day and rated_on else 0
    except ValueError:
        return 0
