"""Deutsche Wertungszahl: expected scores to three decimals, the gain divided by coefficient plus games.

The expected score is a whole number of thousandths and the new rating is rounded once, so an official
evaluation sheet comes out to the last digit.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import erf, exp, floor, sqrt

import numpy as np

from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rating import Rating
from qiyi_analysis.rating.entrants import GameRows, entrants, game_rows
from qiyi_analysis.rating.rating_frames import games_and_half_points, rating_of, summed
from qiyi_analysis.rules.rounding import round_fraction
from qiyi_analysis.rules.ruleset import RuleSet


def rate(event: Event, rules: RuleSet) -> Rating:
    """Rate an event: ``Rn = R + 800 (W - We) / (E + n)``; E from the file or the list, else by age."""
    field = entrants(event, rules)
    rows = game_rows(event, field, rules)
    size = len(field.number)
    rated = field.has_rating
    both = rated[rows.player] & rated[np.maximum(rows.opponent, 0)]
    rows = _without(rows, ~both)
    parts = expected_parts(rules)
    unit = 10 ** rules.need("normal_law")["decimals"]
    difference = np.where(rows.counted, field.rating[rows.player] - field.rating[rows.opponent], 0)
    high = parts[np.minimum(np.abs(difference), len(parts) - 1)]
    expected = np.where(difference >= 0, high, unit - high)
    games, half_points = games_and_half_points(rows, size)
    we = np.rint(summed(rows, expected.astype(np.float64), size)).astype(np.int64)
    development = _printed(event)
    gain = rules.need("development")["gain"]
    change = np.full(size, np.nan)
    new = np.full(size, np.nan)
    findings = []
    for i in range(size):
        surplus = Fraction(int(half_points[i]), 2) - Fraction(int(we[i]), unit)
        if rated[i] and np.isnan(development[i]):
            known = _coefficient(event, i, float(field.base[i]), surplus, rules)
            development[i] = np.nan if known is None else known
        if not rated[i] or np.isnan(development[i]):
            if rated[i] and games[i]:
                findings.append(_unknown(event, i, rules))
            continue
        exact = gain * surplus / (Fraction(int(development[i])) + int(games[i])) if games[i] else Fraction(0)
        change[i] = float(exact)
        new[i] = round_fraction(
            Fraction(Decimal(repr(float(field.base[i])))) + exact, rules.need("change")["rounding"]
        )
    return rating_of(
        event,
        rules,
        field,
        rows,
        k=development,
        expected=np.where(rows.counted, expected / unit, np.nan),
        opponent_rating=np.where(rows.opponent >= 0, field.base[rows.opponent], np.nan),
        change=change,
        new_rating=new,
        article=rules.cite("method"),
        places=rules.need("change")["decimals"],
        findings=findings,
    )


def _without(rows: GameRows, mask: np.ndarray) -> GameRows:
    out = rows.counted & mask
    return replace(rows, counted=rows.counted & ~mask, reason=np.where(out, "opponent-unrated", rows.reason))


def expected_parts(rules: RuleSet) -> np.ndarray:
    """P(D) of the higher-rated side for D = 0, 1, ..., in whole parts of the last decimal."""
    law = rules.need("normal_law")
    return _parts(float(law["variance"]), law["decimals"], law["certain_from"])


@lru_cache(maxsize=8)
def _parts(variance: float, decimals: int, certain_from: int) -> np.ndarray:
    unit = 10**decimals
    sigma = sqrt(variance)
    values = [floor(unit * 0.5 * (1 + erf(d / sigma / sqrt(2))) + 0.5) for d in range(certain_from)]
    return np.array([*values, unit], dtype=np.int64)


def development(
    rating: float, age: int | None, surplus: Fraction, rules: RuleSet, events: int | None = None
) -> int | None:
    """Development coefficient E of a player of ``age`` years; None where the age decides and is not known.

    ``surplus`` is W - We: improving young players get a smaller, losing weak players a larger E.
    """
    block = rules.need("development")
    rows = rules.rows("age_term")
    if age is None:
        values = {_developed(rating, row["j"], False, surplus, rules, events) for row in rows}
        values.add(_developed(rating, rows[0]["j"], True, surplus, rules, events))
        return values.pop() if len(values) == 1 else None
    row = next(r for r in rows if "age_at_most" not in r or age <= r["age_at_most"])
    young = age <= block["acceleration_age_at_most"]
    return _developed(rating, row["j"], young, surplus, rules, events)


def _developed(
    rating: float, j: int, young: bool, surplus: Fraction, rules: RuleSet, events: int | None
) -> int:
    block = rules.need("development")
    factor = 1.0
    if young and surplus >= 0:
        factor = min(1.0, max(float(block["acceleration_least"]), rating / block["acceleration_divisor"]))
    brake = 0.0
    if rating < block["brake_below"] and surplus <= 0:
        brake = exp((block["brake_below"] - rating) / block["brake_scale"]) - 1
    value = floor(((rating / block["divisor"]) ** block["power"] + j) * factor + brake + 0.5)
    most = block["most_with_brake"] if brake else block["most"]
    if events is not None and not brake:
        # The limit by earlier events is for players without the brake (DSB Anhang 2.4: SBr = 0).
        most = min(most, max(block["least"], block["per_earlier_event"] * events))
    return int(max(block["least"], min(value, most)))


def _coefficient(event: Event, i: int, rating: float, surplus: Fraction, rules: RuleSet) -> int | None:
    born, day = event.players["birth_year"].iloc[i], event.end or event.start
    events = event.players["events_before"].iloc[i]
    age = None if np.isnan(born) or day is None else day.year - int(born)
    return development(rating, age, surplus, rules, None if np.isnan(events) else int(events))


def _printed(event: Event) -> np.ndarray:
    printed = event.players["k"].to_numpy().copy()
    printed[printed <= 0] = np.nan
    return printed


def _unknown(event: Event, i: int, rules: RuleSet) -> Finding:
    return Finding(
        code="CK42",
        reason="development-unknown",
        player=int(event.players["number"].iloc[i]),
        line=int(event.players["line"].iloc[i]),
        field="k",
        article=rules.cite("development"),
        values={"name": event.players["name"].iloc[i]},
    )
