"""A Rating by the table method: its frames, first ratings of new players, and what K could not be known."""

from __future__ import annotations

from typing import Any

import numpy as np

from qiyi_analysis import words
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rating import Rating
from qiyi_analysis.rating.initial import clause_rating, first_ratings
from qiyi_analysis.rating.rating_frames import build
from qiyi_analysis.rating.table_method import NOT_KNOWN, Calculation, calculate, new_ratings, usable_k
from qiyi_analysis.rules.rounding import half_up
from qiyi_analysis.rules.ruleset import RuleSet


def rate(event: Event, rules: RuleSet) -> Rating:
    """Rate an event by the table method (FIDE B.02 8.3; CCA art. 6; xiangqi art. 8-9)."""
    return rating_frames(event, calculate(event, rules), rules)


def rating_frames(event: Event, c: Calculation, rules: RuleSet) -> Rating:
    """The frames of a calculation, first ratings of new players filled in where the edition gives them."""
    players = _players(c, rules)
    players |= _first_ratings(players["new_rating"], event, c, rules)
    findings = [*_impossible_k(event), *_unknown_k(event, c, rules), *_new_players(c, rules)]
    return build(
        event, rules, c.entrants, c.rows, players=players, games=_games(c, rules), places=_places(c, rules),
        findings=(*c.findings, *findings),
    )  # fmt: skip


def _places(c: Calculation, rules: RuleSet) -> int:
    """The decimals that an edition with a closed law declares, else those that a unit of the calculation has, at least two."""
    own = max(2, len(str(c.unit)) - 1)
    return own if own == 2 else int(rules.value("change", "decimals", own))


def known(values: np.ndarray, unit: int = 1, places: int | None = None) -> np.ndarray:
    """Whole numbers of unit parts as floats, with at most ``places`` decimals; NaN for NOT_KNOWN."""
    unknown = values == NOT_KNOWN
    if places is not None and unit > 10**places:
        values, unit = half_up(np.where(unknown, 0, values), unit // 10**places), 10**places
    return np.where(unknown, np.nan, values / unit)


def _players(c: Calculation, rules: RuleSet) -> dict[str, Any]:
    rounded_change, new = new_ratings(c, rules)
    places = _places(c, rules)
    field = c.entrants
    we = np.where(field.has_rating | (c.we == NOT_KNOWN), c.we, NOT_KNOWN)
    w_minus_we = np.where(we == NOT_KNOWN, NOT_KNOWN, c.half_points * c.unit // 2 - we)
    return {
        "rating": np.where(field.has_rating, field.base, np.nan),
        "k": np.where(c.k == 0, np.nan, c.k),
        "opponents_average": known(c.average),
        "difference": known(c.difference),
        "expected": known(c.expected, c.unit, places),
        "we": known(we, c.unit, places),
        "change": known(c.change, c.unit, places),
        "new_rating": np.where(_short_of_games(c, rules), np.nan, new),
        "rounded_change": rounded_change,
        "w_minus_we": known(w_minus_we, c.unit, places),
        "formula": np.where(c.games > 0, c.formula, "none"),
        "k_article": c.k_article,
        "protected": c.protected,
    }


def _games(c: Calculation, rules: RuleSet) -> dict[str, Any]:
    """Per player and round: what counted and with what expectation."""
    rows, field, places = c.rows, c.entrants, _places(c, rules)
    opponents = np.where(rows.paired, rows.opponent, 0)
    capped = rows.counted & (c.row_difference != c.row_counted_difference)
    reason, formula = rows.reason.astype(str), c.formula[rows.player]
    cases = {
        "cap": capped,
        "round_robin": rows.counted & (formula == "round-robin"),
        "mixed_sex": rows.counted & (formula == "mixed"),
        "expected": rows.counted,
        "unrated": np.isin(reason, ("opponent-unrated", "no-own-rating")),
        "match": np.isin(reason, ("match-unrated", "match-decided")),
        "wide_games": reason == "ratings-too-far-apart",
    }
    articles = np.select(list(cases.values()), [rules.cite(block) for block in cases], rules.cite("method"))
    return {
        "opponent_rating": np.where(
            rows.paired & (field.rating[opponents] > 0), field.rating[opponents], np.nan
        ),
        "difference": known(c.row_difference),
        "counted_difference": known(c.row_counted_difference),
        "expected": known(c.row_expected, c.unit, places),
        "article": articles,
    }


def _first_ratings(new: np.ndarray, event: Event, c: Calculation, rules: RuleSet) -> dict[str, Any]:
    """``new_rating`` of players without a rating, and the working of it in ``initial_*`` columns."""
    found = first_ratings(event, rules, c.rows, c.entrants)
    for one in np.flatnonzero(c.entrants.provisional).tolist():
        clause = clause_rating(event, rules, c.rows, c.entrants, one)
        if clause is not None:
            found[one] = clause
    if not found:
        return {}
    size = len(new)
    numbers = ("new_rating", "games", "score", "average", "percent", "difference")
    columns = {name: np.full(size, np.nan) for name in numbers}
    columns["new_rating"] = new.copy()
    reasons: list[str | None] = [None] * size
    for i, first in found.items():
        average = None if first.average is None else round(float(first.average), 2)
        values = (first.rating, first.games, first.half_points / 2, average, first.percent, first.difference)
        for name, value in zip(numbers, values, strict=True):
            columns[name][i] = np.nan if value is None else float(value)
        reasons[i] = first.reason or None
    return {
        "new_rating": columns.pop("new_rating"),
        **{f"initial_{name}": values for name, values in columns.items()},
        "initial_reason": reasons,
    }


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
            numbers = words.ranges(int(c.entrants.number[i]) for i in members)
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
