"""Irish Chess Union: K by rating, age and membership, performances for provisional players, junior bonus.

Opponents without a full rating count with their performance, estimated for all players at once. A bonus
raises the rating that the opponents of its player are rated against, in one more pass.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from qiyi_analysis import words
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rating import Rating
from qiyi_analysis.rating.entrants import GameRows, entrants, game_rows
from qiyi_analysis.rating.rating_frames import games_and_half_points, number, rating_of, summed
from qiyi_analysis.rules.ruleset import RuleSet

_GAMES = re.compile(r"(\d+)\s*(?:previous\s+|earlier\s+|rated\s+)*(?:games?\b|局)", re.IGNORECASE)
_GAMES_AFTER = re.compile(
    r"(?:games?(?: before| so far| played)?\s*[:=]|provisional\W{1,3})\s*(\d{1,2})\b", re.IGNORECASE
)
_K = re.compile(r"\bK(?:[- ]?factor)?\s*[:=]?\s*(\d{2})\b", re.IGNORECASE)
_PROVISIONAL = re.compile(r"provisional|暂定", re.IGNORECASE)
_FIXED = re.compile(r"foreign|fixed|not a member", re.IGNORECASE)
_JOINED = re.compile(r"(?:joined|member since)\D{0,8}(\d{4})(-\d\d-\d\d)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Entry:
    """What kind of rating a player has: ``rated``, ``provisional``, ``fixed``, ``unrated``, ``no-k``."""

    kind: str
    k: float
    games: int


def rate(event: Event, rules: RuleSet) -> Rating:
    """Rate an event the way of the union's own program."""
    field = entrants(event, rules)
    rows = game_rows(event, field, rules)
    size = len(field.number)
    entries = [_entry(event, i, float(field.base[i]), bool(field.has_rating[i]), rules) for i in range(size)]
    kind = np.array([entry.kind for entry in entries])
    k = np.array([entry.k for entry in entries])
    full = np.isin(kind, ("rated", "fixed", "no-k"))
    base = np.where(field.has_rating, field.base, np.nan)
    seen = np.where(full, base, np.nan)  # the rating the opponents are rated against
    performance = _performances(rows, kind, base, seen, full, entries, rules)
    expected = _expected(rows, base, performance, np.where(full, seen, performance), rules)
    change = k * _surplus(rows, expected, size)
    bonus = _bonuses(rows, kind, base, k, change, performance, rules)
    if bonus.any():
        # Second phase: everybody once more against the raised ratings; then performances are estimated again.
        seen = np.where(bonus > 0, base + change + bonus, seen)
        expected = _expected(rows, base, performance, np.where(full, seen, performance), rules)
        if rules.need("junior_bonus").get("refreshed_in_order", False):
            expected, seen = _refreshed(rows, base, k, bonus, performance, seen, full, rules)
        change = k * _surplus(rows, expected, size)
        performance = _performances(rows, kind, base, seen, full, entries, rules, performance)
        if rules.need("junior_bonus").get("worked_out_again", True):
            # One that no longer arises stays.
            again = _bonuses(rows, kind, base, k, change, performance, rules)
            bonus = np.where(again > 0, again, bonus)
    against = np.where(full, seen, performance)
    new = np.select(
        [kind == "rated", kind == "fixed", kind == "no-k"], [base + change + bonus, base, np.nan], performance
    )
    no_games = ~np.isin(np.arange(size), rows.player[rows.counted])
    new = np.where(no_games & (kind == "provisional"), base, new)
    total = np.where(kind == "no-k", np.nan, new - base)
    decimals = rules.need("change")["decimals"]
    counted = rows.counted & ~np.isnan(expected)
    unrateable = rows.counted & ~counted
    return rating_of(
        event,
        rules,
        replace(field, provisional=kind == "provisional"),
        replace(rows, counted=counted, reason=np.where(unrateable, "opponent-unrated", rows.reason)),
        k=k,
        expected=expected,
        opponent_rating=np.where(rows.opponent >= 0, against[rows.opponent], np.nan),
        change=total,
        new_rating=new,
        article=rules.cite("method"),
        places=decimals,
        own_rating=base,
        findings=_unknown_k(event, kind, rules),
        bonus=[number(b, decimals) for b in np.where(kind == "rated", bonus, np.nan)],
        performance=[number(p, decimals) for p in performance],
    )


def _surplus(rows: GameRows, expected: np.ndarray, size: int) -> np.ndarray:
    usable = replace(rows, counted=rows.counted & ~np.isnan(expected))
    _, half_points = games_and_half_points(usable, size)
    return half_points / 2 - summed(usable, expected, size)


def _refreshed(
    rows: GameRows,
    base: np.ndarray,
    k: np.ndarray,
    bonus: np.ndarray,
    performance: np.ndarray,
    seen: np.ndarray,
    full: np.ndarray,
    rules: RuleSet,
) -> tuple[np.ndarray, np.ndarray]:
    """Expectations with the players rated one after the other in the order of their numbers: who has a bonus is seen by
    those after him with the change of this phase already."""
    expected, seen = np.full(len(rows.player), np.nan), seen.copy()
    for i in range(len(base)):
        now = _expected(rows, base, performance, np.where(full, seen, performance), rules)
        mine = rows.player == i
        expected[mine] = now[mine]
        if bonus[i] > 0:
            seen[i] = base[i] + bonus[i] + k[i] * _surplus(rows, np.where(mine, now, np.nan), len(base))[i]
    return expected, seen


def _expected(
    rows: GameRows, base: np.ndarray, performance: np.ndarray, against: np.ndarray, rules: RuleSet
) -> np.ndarray:
    """Logistic expectation per row; NaN where the opponent has neither rating nor performance."""
    own = np.where(np.isnan(base), performance, base)
    difference = own[rows.player] - against[rows.opponent]
    with np.errstate(over="ignore"):
        expected = 1 / (1 + 10.0 ** (-difference / float(rules.need("logistic_law")["scale"])))
    return np.where(rows.counted, expected, np.nan)


def _performances(
    rows: GameRows,
    kind: np.ndarray,
    base: np.ndarray,
    seen: np.ndarray,
    full: np.ndarray,
    entries: Sequence[_Entry],
    rules: RuleSet,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """Mean of opponent + swing (2 s - 1), repeated until no performance moves by the limit or more."""
    block = rules.need("performance")
    size = len(kind)
    counted = rows.counted
    player, opponent = rows.player[counted], rows.opponent[counted]
    swing = block["swing"] * (rows.half_points[counted] - 1)
    provisional = kind == "provisional"
    earlier = np.where(provisional, [entry.games for entry in entries], 0)
    brought = np.where(provisional, earlier * np.nan_to_num(base), 0.0)
    performance = np.full(size, np.nan) if start is None else start
    # The union's first program estimates once more after the bonuses; later versions until all settle.
    for _ in range(block["passes_at_most" if start is None else "passes_after_bonus"]):
        value = np.where(full[opponent], seen[opponent], performance[opponent]) + swing
        known = ~np.isnan(value)
        games = np.bincount(player[known], minlength=size)
        total = np.bincount(player[known], weights=value[known], minlength=size)
        estimate = np.where(games > 0, (total + brought) / np.maximum(games + earlier, 1), np.nan)
        moved = np.abs(performance - estimate) >= float(block["settled_within"])
        appeared = np.isnan(performance) != np.isnan(estimate)
        stable = not (moved | appeared).any()
        performance = np.where(np.isnan(estimate), performance, estimate)
        if stable:
            break
    return performance


def _bonuses(
    rows: GameRows,
    kind: np.ndarray,
    base: np.ndarray,
    k: np.ndarray,
    change: np.ndarray,
    performance: np.ndarray,
    rules: RuleSet,
) -> np.ndarray:
    """Bonus of each player, a whole number as in the union's program, 0 for most."""
    block = rules.need("junior_bonus")
    games, _ = games_and_half_points(rows, len(kind))
    bonus = np.zeros(len(kind))
    top = block["rating_below"]
    for i in np.flatnonzero((kind == "rated") & (games > block["games_above"])):
        if k[i] <= block["k_above"] or base[i] >= top or change[i] <= block["change_above"]:
            continue
        if base[i] + change[i] >= top:
            continue
        threshold = block["threshold"] + block["per_game"] * (int(games[i]) - block["games_above"])
        value = float(_whole(change[i] - threshold))
        if value > 0 and k[i] >= block["raised_from_k"]:
            value = float(_whole(float(block["raised_by"]) * value))
        # The new rating exceeds neither the limit nor the performance.
        for most in (top, performance[i]):
            if base[i] + change[i] + value >= most:
                value = float(_whole(most - base[i] - change[i]))
        bonus[i] = max(0, value)
    return bonus


def _whole(value: float) -> int:
    """Nearest whole number, halves away from zero."""
    return int(Decimal(float(value)).to_integral_value(ROUND_HALF_UP))


def _entry(event: Event, i: int, rating: float, rated: bool, rules: RuleSet) -> _Entry:
    row = event.players.iloc[i]
    words = f"{row['rating_kind']} {row['note']}"
    if not rated:
        return _Entry("unrated", np.nan, 0)
    k = _printed_k(row, words)
    if not np.isnan(k):
        return _Entry("rated", k, 0)
    games = row["games_before"]
    found = _GAMES.search(words) or _GAMES_AFTER.search(words)
    if np.isnan(games) and _PROVISIONAL.search(words) and found:
        games = float(found[1])
    if not np.isnan(games) and 0 < games < rules.need("performance")["full_rating_games"]:
        return _Entry("provisional", np.nan, int(games))
    if _FIXED.search(words):
        return _Entry("fixed", np.nan, 0)
    k = member_k(event, i, rating, words, rules)
    return _Entry("no-k" if np.isnan(k) else "rated", k, 0)


def _printed_k(row: Any, words: str) -> float:
    """K in the remarks, else in its column (where it may come from the list in force)."""
    found = _K.search(words)
    if found:
        return float(found[1])
    return float(row["k"]) if row["k"] > 0 else float("nan")


def member_k(event: Event, i: int, rating: float, words: str, rules: RuleSet) -> float:
    """K by rating, age and years of membership; NaN where the facts at hand leave more than one."""
    row, day = event.players.iloc[i], event.start or event.end
    born = _year_or_date(row["birth_date"]) or (
        None if np.isnan(row["birth_year"]) else int(row["birth_year"])
    )
    joined_text = ""
    for column in ("players.joined", "players.member_since"):
        joined_text = joined_text or str((event.extra.get(column) or {}).get(int(row["number"]), ""))
    found = _JOINED.search(words)
    joined = _year_or_date(joined_text or (f"{found[1]}{found[2] or ''}" if found else ""))
    possible = set()
    for block in rules.rows("membership_k"):
        truths = [
            None if limit is None else test(limit)
            for limit, test in (
                (block.get("rating_at_least"), lambda limit: rating >= limit),
                (block.get("under_age"), lambda limit: _less_than_years(born, day, limit)),
                (block.get("member_years_below"), lambda limit: _less_than_years(joined, day, limit)),
            )
            if limit is not None
        ]
        if False in truths:
            continue
        possible.add(block["k"])
        if None not in truths:
            break
    return float(possible.pop()) if len(possible) == 1 else float("nan")


def _year_or_date(text: str) -> date | int | None:
    text = str(text).strip()
    try:
        return (
            date.fromisoformat(text) if len(text) == 10 else (int(text[:4]) if text[:4].isdigit() else None)
        )
    except ValueError:
        return None


def _less_than_years(since: date | int | None, day: date | None, limit: int) -> bool | None:
    """Whether fewer than ``limit`` full years have passed; None where only a year is known and it is that one."""
    if since is None or day is None:
        return None
    if isinstance(since, date):
        full = day.year - since.year - ((day.month, day.day) < (since.month, since.day))
        return full < limit
    years = day.year - since
    return None if years == limit else years < limit


def _unknown_k(event: Event, kind: np.ndarray, rules: RuleSet) -> list[Finding]:
    possible = words.joined(sorted({str(row["k"]) for row in rules.rows("membership_k")}))
    return [
        Finding(
            code="CK42",
            reason="k-unknown",
            player=int(event.players["number"].iloc[i]),
            line=int(event.players["line"].iloc[i]),
            field="k",
            article=rules.cite("membership_k"),
            values={"name": event.players["name"].iloc[i], "possible": possible},
        )
        for i in np.flatnonzero(kind == "no-k")
    ]
