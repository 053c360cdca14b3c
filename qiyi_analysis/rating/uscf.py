"""US Chess (Glickman and Doan, specification of 26 July 2025): two passes over an event, floats throughout.

Players with at most eight games, or with only wins or only losses behind them, are rated by the special
formula; all others by the standard one, with a bonus beyond the edition's threshold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from qiyi_analysis.model.event import Event
from qiyi_analysis.rating import Rating
from qiyi_analysis.rating.entrants import entrants, game_rows
from qiyi_analysis.rating.rating_frames import games_and_half_points, not_told, rating_of, summed
from qiyi_analysis.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class _Player:
    """One player before the event. ``past`` is ``won`` or ``lost`` if all earlier games were that."""

    rating: float
    games: float  # N; infinite for an established player
    past: str
    floor: float


def rate(event: Event, rules: RuleSet) -> Rating:
    """Rate an event: initial ratings, first estimate of new players, pass one, pass two.

    ``games_before`` of the players is N; empty for a rated player means an established one. Facts that
    the file may add as columns of players.csv: ``past`` (won, lost), ``floor``, ``wins_before``,
    ``draws_before``, ``life_master``.
    """
    field = entrants(event, rules)
    rows = game_rows(event, field, rules)
    size = len(field.number)
    players = [_player(event, i, field.base[i], bool(field.has_rating[i]), rules) for i in range(size)]
    ratings = np.array([one.rating for one in players])
    games, half_points = games_and_half_points(rows, size)
    new = np.array([one.games == 0 for one in players])
    dual = _is_dual(event, rules)
    match = size == 2 and bool((games >= 2).all())

    def one_pass(against: np.ndarray, whom: np.ndarray, least_games: float | None = None) -> np.ndarray:
        result = ratings.copy()
        for i in np.flatnonzero(whom & (games > 0)):
            opponents = rows.opponent[rows.counted & (rows.player == i)]
            effective = effective_games(ratings[i], players[i].games, rules)
            if least_games is not None:
                effective = max(effective, least_games)
            score = half_points[i] / 2
            if players[i].games <= rules.need("special_formula")["games_at_most"] or players[i].past:
                value = special_formula(
                    ratings[i], effective, score, against[opponents], rules, past=players[i].past
                )
            else:
                value = standard_formula(
                    ratings[i], effective, score, against[opponents], opponents, rules, dual=dual, match=match
                )
            result[i] = value
        return result

    playing = np.isin(np.arange(size), rows.player[rows.counted])
    ageless = [
        int(field.number[i])
        for i in np.flatnonzero(~field.has_rating & playing)
        if _age(event.players.iloc[i], event) is None
    ]
    first = np.where(new, one_pass(ratings, new, least_games=1), ratings)
    middle = one_pass(first, np.ones(size, dtype=bool))
    # A floor stops what is published: in the event of 64 players of tests/rating/test_systems.py the opponents of the two who
    # fell on theirs come out with the pass-one result below it, and with the floor in pass one they do not.
    final = one_pass(middle, np.ones(size, dtype=bool))
    final = np.maximum(final, [one.floor for one in players])
    law = float(rules.need("logistic_law")["scale"])
    expected = 1 / (1 + 10 ** (-(ratings[rows.player] - middle[rows.opponent]) / law))
    expected = np.where(rows.counted, expected, np.nan)
    effective = np.array(
        [effective_games(r, one.games, rules) for r, one in zip(ratings, players, strict=True)]
    )
    gain = rules.need("effective_games")["gain"]
    established = rules.need("personal_floor")["established_above_games"]
    surplus = half_points / 2 - summed(rows, np.nan_to_num(expected), size)
    with np.errstate(divide="ignore"):
        k = np.where(games > 0, gain / (effective + games), np.nan)
    return rating_of(
        event,
        rules,
        replace(field, provisional=np.array([one.games <= established for one in players])),
        rows,
        k=k,
        expected=expected,
        opponent_rating=np.where(rows.opponent >= 0, middle[rows.opponent], np.nan),
        change=np.where(field.has_rating, final - ratings, np.nan),
        new_rating=final,
        article=rules.cite("method"),
        places=rules.need("change")["decimals"],
        own_rating=np.where(field.has_rating, field.base, np.nan),
        assumed=np.full(size, bool(ageless)),
        findings=not_told("age-not-told", ageless, rules.cite("age_rating")),
        initial_rating=[None if field.has_rating[i] else float(ratings[i]) for i in range(size)],
        bonus=[
            None if np.isnan(k[i]) else round(max(0.0, float(final[i] - ratings[i] - k[i] * surplus[i])), 4)
            for i in range(size)
        ],
    )


def effective_games(rating: float, games: float, rules: RuleSet) -> float:
    """``N' = min(N, N*)``; N* grows with the rating. ``games`` may be infinite (established)."""
    return min(games, limit_of_games(rating, rules))


def limit_of_games(rating: float, rules: RuleSet) -> float:
    """N* of a rating."""
    block = rules.need("effective_games")
    if rating > block["formula_up_to"]:
        return float(block["most"])
    below = float(block["centre"]) - rating
    return float(block["most"]) / math.sqrt(float(block["constant"]) + float(block["slope"]) * below * below)


def standard_formula(
    rating: float,
    effective: float,
    score: float,
    against: np.ndarray,
    opponents: np.ndarray,
    rules: RuleSet,
    *,
    dual: bool = False,
    match: bool = False,
) -> float:
    """``R + K (S - E) + max(0, K (S - E) - B sqrt(max(m, 4)))`` with the conditions of the bonus."""
    scale = float(rules.need("logistic_law")["scale"])
    m = len(against)
    expected = float((1 / (1 + 10 ** (-(rating - against) / scale))).sum())
    change = k_factor(rating, effective, m, rules, dual=dual) * (score - expected)
    block = rules.need("bonus")
    meetings = int(np.bincount(opponents).max()) if m else 0
    allowed = block[
        "meetings_at_most_in_short_events" if m == block["short_event_games"] else "meetings_at_most"
    ]
    bonus = 0.0
    if m >= block["games_at_least"] and meetings <= allowed and not match:
        bonus = max(0.0, change - block["threshold"] * math.sqrt(max(m, block["games_counted_at_least"])))
    return max(rating + change + bonus, float(rules.need("special_formula")["lowest"]))


def k_factor(rating: float, effective: float, games: int, rules: RuleSet, *, dual: bool = False) -> float:
    """``K = 800 / (N' + m)``, smaller from 2200 on in events that are rated in two systems."""
    gain = float(rules.need("effective_games")["gain"])
    block = rules.need("dual_rated")
    if dual and rating >= block["rating_below"]:
        gain = float(block["gain_from_top"])
    elif dual and rating > block["rating_above"]:
        gain *= float(block["constant"]) - float(block["slope"]) * rating
    return gain / (effective + games)


def special_formula(
    rating: float,
    effective: float,
    score: float,
    against: np.ndarray,
    rules: RuleSet,
    *,
    past: str = "",
) -> float:
    """Solve ``N' W(x, R0) + sum W(x, Ri) = S'`` with the linear W; on a flat zero the point nearest R.

    The left side is piecewise linear and never falls, so its zero lies between two of its corners.
    """
    block = rules.need("special_formula")
    half = block["width"] / 2
    shift = {"won": -block["perfect_shift"], "lost": block["perfect_shift"]}.get(past, 0)
    target = score + {"won": effective, "lost": 0.0}.get(past, effective / 2)
    centres = np.append(np.asarray(against, dtype=np.float64), rating + shift)
    weights = np.append(np.ones(len(against)), effective)

    def value(x: float) -> float:
        return float((weights * np.clip(0.5 + (x - centres) / block["width"], 0, 1)).sum() - target)

    corners = np.unique(np.concatenate([centres - half, centres + half]))
    values = np.array([value(x) for x in corners])
    tolerance = 1e-9
    zero = np.abs(values) <= tolerance
    if zero.any():
        flat = corners[zero]
        x = float(np.clip(rating, flat[0], flat[-1]))
        if flat[0] == corners[0]:
            x = min(rating, float(flat[-1]))
        if flat[-1] == corners[-1]:
            x = max(rating, float(flat[0])) if flat[0] != corners[0] else rating
    elif values[0] > 0 or values[-1] < 0:
        x = float(corners[0] if values[0] > 0 else corners[-1])
    else:
        after = int(np.argmax(values > 0))
        low, high = corners[after - 1], corners[after]
        x = float(low + (high - low) * -values[after - 1] / (values[after] - values[after - 1]))
    return min(max(x, float(block["lowest"])), float(block["highest"]))


def established_floor(peak: float, rules: RuleSet) -> int:
    """Floor of an established player: highest rating, rounded, minus 200, down to the next step (0: none)."""
    block = rules.need("personal_floor")
    value = math.floor(peak + 0.5) - block["below_peak"]
    if value < block["steps_from"]:
        return 0
    return int(min(value // block["step"] * block["step"], block["steps_to"]))


def absolute_floor(wins: int, draws: int, events: int, rules: RuleSet) -> int:
    """Personal absolute floor from wins, draws and events with three games or more."""
    block = rules.need("personal_floor")
    earned = block["per_win"] * wins + block["per_draw"] * draws + block["per_event"] * events
    return int(min(block["base"] + earned, block["most"]))


def age_rating(age: float | None, rules: RuleSet, *, adult: bool = True) -> float:
    """First rating from age alone; without a usable age by adult or not."""
    block = rules.need("age_rating")
    if age is None or age < block["youngest"] + 1:
        if age is not None and age < block["youngest"]:
            return float(block["youngest_rating"])
        return float(block["unknown_adult"] if adult else block["unknown_other"])
    return float(block["adult_rating"] if age >= block["adult_from"] else block["per_year"] * age)


def converted(system: str, rating: float, rules: RuleSet) -> tuple[float, int]:
    """A rating of another federation on the US Chess scale, and the games it is worth."""
    for row in rules.rows("conversion"):
        upto = row.get("below")
        # FIDE's first line holds up to its limit, the others below theirs; the lines meet there.
        if row["system"] == system and (upto is None or rating <= upto):
            return float(row["constant"]) + float(row["slope"]) * rating, row["games"]
    return float("nan"), 0


def initial_rating(sources: Sequence[tuple[float, int, float, float]], rules: RuleSet) -> tuple[float, int]:
    """First rating and N from other systems: rows of (rating, games, age-based rating then, days since).

    Each counts with its games times its staleness; the mean is rounded, N rounded up, at most ten.
    """
    block = rules.need("staleness")
    total = weight = 0.0
    for rating, games, age_based, days in sources:
        z = min(float(block["most"]), (rating - age_based) / float(block["points"]))
        w = games * math.exp(float(block["rate"]) * (z - float(block["most"])) * days / 365.25)
        total, weight = total + w * rating, weight + w
    return weighted_initial([(total / weight, weight)], rules)


def weighted_initial(parts: Sequence[tuple[float, float]], rules: RuleSet) -> tuple[float, int]:
    """Weighted mean of ratings, rounded, and the number of games it stands for."""
    weight = sum(w for _, w in parts)
    mean = sum(r * w for r, w in parts) / weight
    games = min(math.ceil(weight), rules.need("staleness")["games_at_most"])
    return float(math.floor(mean + 0.5)), games


def _player(event: Event, i: int, base: float, rated: bool, rules: RuleSet) -> _Player:
    row = event.players.iloc[i]
    number = int(row["number"])

    def told(column: str) -> str:
        return str((event.extra.get(f"players.{column}") or {}).get(number, "")).strip().casefold()

    games = row["games_before"]
    if not rated:
        return _Player(rating=age_rating(_age(row, event), rules), games=0.0, past="", floor=100.0)
    established = np.isnan(games) or games > rules.need("personal_floor")["established_above_games"]
    floor = float(rules.need("special_formula")["lowest"])
    if told("floor").replace(".", "", 1).isdigit():
        floor = max(floor, float(told("floor")))
    wins, draws = told("wins_before"), told("draws_before")
    if wins.isdigit() and draws.isdigit() and not np.isnan(row["events_before"]):
        floor = max(floor, float(absolute_floor(int(wins), int(draws), int(row["events_before"]), rules)))
    if established and not np.isnan(row["peak"]):
        floor = max(floor, float(established_floor(row["peak"], rules)))
    if told("life_master") in ("1", "yes", "true"):
        floor = max(floor, float(rules.need("personal_floor")["life_master"]))
    past = told("past")
    return _Player(
        rating=float(base),
        games=math.inf if np.isnan(games) else float(games),
        past=past if past in ("won", "lost") else "",
        floor=min(floor, float(base)),
    )


def _age(row: Any, event: Event) -> float | None:
    day = event.end or event.start
    if day is None:
        return None
    try:
        return (day - date.fromisoformat(row["birth_date"])).days / 365.25
    except (TypeError, ValueError):
        return None if np.isnan(row["birth_year"]) else float(day.year - row["birth_year"])


def _is_dual(event: Event, rules: RuleSet) -> bool:
    minutes = event.extra.get("total_minutes")
    block = rules.need("dual_rated")
    return isinstance(minutes, int | float) and block["from_minutes"] <= minutes <= block["to_minutes"]


__all__ = [
    "absolute_floor",
    "age_rating",
    "converted",
    "effective_games",
    "established_floor",
    "initial_rating",
    "k_factor",
    "limit_of_games",
    "rate",
    "special_formula",
    "standard_formula",
    "weighted_initial",
]
