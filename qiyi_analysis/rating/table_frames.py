"""The table method's calculation as the frames of a Rating: exact decimals, None where not known."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rating import Rating
from qiyi_analysis.rating.initial import clause_rating, first_ratings
from qiyi_analysis.rating.table_method import NOT_KNOWN, Calculation, calculate, new_ratings, usable_k
from qiyi_analysis.rules.ruleset import RuleSet

HALF_POINTS = tuple(Decimal(5 * n).scaleb(-1) for n in range(3))


def rate(event: Event, rules: RuleSet) -> Rating:
    """Rate an event by the table method (FIDE B.02 8.3; CCA art. 6; xiangqi art. 8-9)."""
    return rating_frames(event, calculate(event, rules), rules)


def rating_frames(event: Event, calculation: Calculation, rules: RuleSet) -> Rating:
    """The frames of a calculation, first ratings of new players filled in where the edition gives them."""
    return Rating(
        rules=rules,
        players=_with_first_ratings(players_frame(event, calculation, rules), event, calculation, rules),
        games=games_frame(calculation, rules),
        findings=(
            *calculation.findings,
            *_impossible_k(event),
            *_unknown_k(event, calculation, rules),
            *_new_players(calculation, rules),
        ),
    )


def decimals(values: np.ndarray, unit: int, places: int = 2) -> list[Decimal | None]:
    """Whole numbers of unit parts as Decimals with at least ``places`` decimals; None for NOT_KNOWN."""
    exponent = -max(places, len(str(unit)) - 1)
    scale = 10**-exponent // unit
    return [None if v == NOT_KNOWN else Decimal(int(v) * scale).scaleb(exponent) for v in values]


def whole(values: np.ndarray) -> list[int | None]:
    """Whole numbers, None for NOT_KNOWN."""
    return [None if v == NOT_KNOWN else int(v) for v in values]


def _number(value: float) -> Any:
    if np.isnan(value):
        return None
    return int(value) if float(value).is_integer() else float(value)


def players_frame(event: Event, c: Calculation, rules: RuleSet) -> pd.DataFrame:
    """One row per player in the order of the event's table, the columns of the interface first."""
    rounded_change, new = new_ratings(c, rules)
    new = np.where(_short_of_games(c, rules), np.nan, new)
    field, players = c.entrants, event.players
    played = c.games > 0
    we = np.where(field.has_rating | (c.we == NOT_KNOWN), c.we, NOT_KNOWN)
    data: dict[str, Any] = {
        "number": field.number,
        "id": [id or None for id in players["id"]],
        "name": players["name"].to_numpy(),
        "rating": [_number(r) if ok else None for r, ok in zip(field.base, field.has_rating, strict=True)],
        "provisional": field.provisional,
        "k": [int(k) or None for k in c.k],
        "games": c.games,
        "score": [Decimal(5 * int(h)).scaleb(-1) for h in c.half_points],
        "opponents_average": whole(c.average),
        "difference": whole(c.difference),
        "expected": decimals(c.expected, c.unit),
        "we": decimals(we, c.unit),
        "change": decimals(c.change, c.unit),
        "new_rating": [_number(v) for v in new],
        "rounded_change": [_number(v) for v in rounded_change],
        "w_minus_we": decimals(
            np.where(we == NOT_KNOWN, NOT_KNOWN, c.half_points * c.unit // 2 - we), c.unit
        ),
        "formula": np.where(played, c.formula, "none"),
        "k_article": c.k_article,
        "protected": c.protected,
    }
    return pd.DataFrame({name: pd.Series(values, dtype=_dtype(name)) for name, values in data.items()})


def _dtype(name: str) -> Any:
    return {"number": "int64", "games": "int64", "provisional": "bool", "protected": "bool"}.get(name, object)


def games_frame(c: Calculation, rules: RuleSet) -> pd.DataFrame:
    """One row per player and round: what counted and with what expectation."""
    rows, field = c.rows, c.entrants
    paired = rows.paired
    order = np.lexsort((rows.row, rows.round, rows.player))
    opponents = np.where(paired, rows.opponent, 0)
    ratings = [
        int(field.rating[o]) if p and field.has_rating[o] else None
        for o, p in zip(opponents, paired, strict=True)
    ]
    expected_article, unrated_article = rules.cite("expected"), rules.cite("unrated")
    cap_article = rules.cite("cap")
    capped = (rows.counted) & (c.row_difference != c.row_counted_difference)
    articles = [
        (cap_article if k else expected_article)
        if ok
        else (unrated_article if why in ("opponent-unrated", "no-own-rating") else rules.cite("method"))
        for ok, k, why in zip(rows.counted, capped, rows.reason, strict=True)
    ]
    data: dict[str, Any] = {
        "number": field.number[rows.player],
        "round": rows.round,
        "opponent": [int(field.number[o]) if p else None for o, p in zip(opponents, paired, strict=True)],
        "opponent_rating": ratings,
        "difference": whole(c.row_difference),
        "counted_difference": whole(c.row_counted_difference),
        "expected": decimals(c.row_expected, c.unit),
        "score": [
            HALF_POINTS[h] if h >= 0 and p else None for h, p in zip(rows.half_points, paired, strict=True)
        ],
        "counted": rows.counted,
        "reason": rows.reason,
        "article": articles,
    }
    types = {"number": "int64", "round": "int64", "counted": "bool"}
    frame = pd.DataFrame(
        {name: pd.Series(values, dtype=types.get(name, object)) for name, values in data.items()}
    )
    return frame.iloc[order].reset_index(drop=True)


def _with_first_ratings(players: pd.DataFrame, event: Event, c: Calculation, rules: RuleSet) -> pd.DataFrame:
    """``new_rating`` of players without a rating, and the working of it in ``initial_*`` columns."""
    found = first_ratings(event, rules, c.rows, c.entrants)
    for one in np.flatnonzero(c.entrants.provisional).tolist():
        clause = clause_rating(event, rules, c.rows, c.entrants, one)
        if clause is not None:
            found[one] = clause
    if not found:
        return players
    players = players.copy()
    new = list(players["new_rating"])
    columns: dict[str, list[Any]] = {
        name: [None] * len(players)
        for name in ("games", "score", "average", "percent", "difference", "reason")
    }
    for i, first in found.items():
        new[i] = first.rating
        columns["games"][i] = first.games
        columns["score"][i] = Decimal(5 * first.half_points).scaleb(-1)
        columns["average"][i] = None if first.average is None else round(float(first.average), 2)
        columns["percent"][i] = first.percent
        columns["difference"][i] = None if first.difference is None else float(first.difference)
        columns["reason"][i] = first.reason or None
    players["new_rating"] = pd.Series(new, dtype=object)
    for name, values in columns.items():
        players[f"initial_{name}"] = pd.Series(values, dtype=object)
    return players


#: From so many players with the same unknown K on, one finding names them all.
MANY = 6


def _impossible_k(event: Event) -> list[Finding]:
    """Numbers in the column of K that can be none; K is then not known from the file."""
    players, k = event.players, event.players["k"].to_numpy()
    return [
        Finding(
            code="CK43",
            reason="number-impossible",
            player=int(players["number"].iloc[i]),
            line=int(players["line"].iloc[i]),
            field="k",
            published=f"{players['k'].iloc[i]:g}",
        )
        for i in np.flatnonzero(~np.isnan(k) & (k != 0) & ~usable_k(k))
    ]


def _unknown_k(event: Event, c: Calculation, rules: RuleSet) -> list[Finding]:
    """K that neither the file nor the edition's rows give: which ones are possible."""
    groups: dict[words.Said, list[int]] = {}
    if c.k_choice is None:
        return []
    for i in np.flatnonzero((c.k == 0) & (c.games > 0) & c.entrants.has_rating).tolist():
        possible = words.joined(sorted({k for k, _ in c.k_choice.candidates(i)}))
        groups.setdefault(possible, []).append(i)
    findings = []
    for possible, members in groups.items():
        if len(members) >= MANY:
            numbers = words.joined(int(c.entrants.number[i]) for i in members)
            findings.append(
                Finding(
                    code="CK42",
                    reason="k-unknown-of-many",
                    field="k",
                    article=rules.cite("k_factor"),
                    values={"count": len(members), "players": numbers, "possible": possible},
                )
            )
            continue
        findings += [
            Finding(
                code="CK42",
                reason="k-unknown",
                player=int(c.entrants.number[i]),
                line=int(event.players["line"].iloc[i]),
                field="k",
                article=rules.cite("k_factor"),
                values={"name": event.players["name"].iloc[i], "possible": possible},
            )
            for i in members
        ]
    return findings


def _games_against_rated(c: Calculation) -> np.ndarray:
    """Games over the board against opponents with a rating of their own."""
    counted = c.rows.counted & ~c.entrants.provisional[np.maximum(c.rows.opponent, 0)]
    return np.bincount(c.rows.player[counted], minlength=len(c.entrants.number))


def _short_of_games(c: Calculation, rules: RuleSet) -> np.ndarray:
    """New players who have too few games for a first rating (xiangqi art. 9)."""
    needed = rules.value("unrated", "games_at_least")
    if needed is None or rules.value("unrated", "rule") == "not-counted":
        return np.zeros(len(c.entrants.number), dtype=bool)
    return c.entrants.provisional & (_games_against_rated(c) < needed)


def _new_players(c: Calculation, rules: RuleSet) -> list[Finding]:
    needed = rules.value("unrated", "games_at_least")
    played = _games_against_rated(c)
    return [
        Finding(
            code="CK30",
            reason="too-few-games-for-a-rating",
            severity="I",
            player=int(c.entrants.number[i]),
            article=rules.cite("unrated"),
            values={"games": int(played[i]), "needed": needed},
        )
        for i in np.flatnonzero(_short_of_games(c, rules) & (c.games > 0))
    ]
