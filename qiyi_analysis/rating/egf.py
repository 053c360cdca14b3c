"""European Go Federation: GoR since April 2021, and the stepped system before it.

Each game uses the ratings before the event. Handicap stones raise Black's rating in the expected score
only; con and bonus follow from the player's own rating.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from qiyi_analysis import words
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rating import Rating
from qiyi_analysis.rating.entrants import Entrants, GameRows, entrants, game_rows
from qiyi_analysis.rating.rating_frames import games_and_half_points, number, rating_of, summed
from qiyi_analysis.rules.ruleset import Block, RuleSet

_GRADE = re.compile(r"(\d{1,2})\s*(dan|kyu|pro|d|k|p|段|级)", re.IGNORECASE)


def rate(event: Event, rules: RuleSet) -> Rating:
    """Rate an event under GoR: ``R' = R + factor sum(con (Sa - Se) + bonus)``."""
    block = rules.need("gor")
    field = _graded(event, rules, entrants(event, rules))
    rows = game_rows(event, field, rules)
    own, opponent = field.base[rows.player], field.base[rows.opponent]
    own_lift, opponent_lift = _black_lift(event, rows, rules)
    top = float(block["top"])
    with np.errstate(
        invalid="ignore", divide="ignore", over="ignore"
    ):  # ratings the formula has no value for
        expected = 1 / (1 + np.exp(_beta(opponent + opponent_lift, block) - _beta(own + own_lift, block)))
        con = ((top - field.base) / float(block["con_divisor"])) ** float(block["con_power"])
    beyond = rows.counted & ((own + own_lift >= top) | (opponent + opponent_lift >= top))
    rows = replace(
        rows, counted=rows.counted & ~beyond, reason=np.where(beyond, "beyond-formula", rows.reason)
    )
    scaled = (float(block["bonus_centre"]) - field.base) / float(block["bonus_width"])
    with np.errstate(invalid="ignore"):  # players without a rating
        bonus = np.logaddexp(0, scaled) / float(block["bonus_share"])
    found = _rating(event, rules, field, rows, expected, con, bonus, float(block["lowest"]))
    if not beyond.any():
        return found
    who = [int(number) for number in field.number[np.unique(rows.player[beyond])]]
    finding = Finding(
        code="CK44",
        reason="rating-beyond-formula",
        severity="W",
        article=rules.cite("gor"),
        values={"players": words.joined(who, 10), "top": int(top), "count": int(beyond.sum()) // 2},
    )
    return replace(found, findings=(*found.findings, finding))


def _beta(rating: np.ndarray, block: Block) -> np.ndarray:
    return -float(block["beta"]) * np.log(float(block["top"]) - rating)


def rate_steps(event: Event, rules: RuleSet) -> Rating:
    """Rate an event under the system before April 2021: con in steps, epsilon taken from both sides."""
    block = rules.need("gor_steps")
    field = _graded(event, rules, entrants(event, rules))
    rows = game_rows(event, field, rules)
    own, opponent = field.base[rows.player], field.base[rows.opponent]
    own_lift, opponent_lift = _black_lift(event, rows, rules)
    # a comes from the weaker player's rating as it stands; the handicap only shortens the distance.
    weaker = np.minimum(own, opponent)
    a = np.clip(
        float(block["a_zero"]) - weaker / float(block["a_divisor"]),
        float(block["a_least"]),
        float(block["a_most"]),
    )
    distance = (own + own_lift) - (opponent + opponent_lift)
    # Both formulas of the text, weaker and stronger, are this one read from either side.
    with np.errstate(over="ignore"):  # ratings that are none: 1 / infinity is the right limit
        expected = 1 / (np.exp(-distance / a) + 1) - float(block["epsilon"]) / 2
    steps = np.array(block["con"], dtype=np.float64)
    position = (np.nan_to_num(field.base) - block["con_from"]) // block["con_step"]
    con = np.where(field.has_rating, steps[np.clip(position, 0, len(steps) - 1).astype(np.int64)], np.nan)
    return _rating(event, rules, field, rows, expected, con, np.zeros(len(con)), float(block["lowest"]))


def expected_score(rating: float, opponent: float, handicap: float, rules: RuleSet) -> float:
    """Se of a player under GoR; ``handicap`` > 0: the opponent has the stones, < 0: the player has them."""
    block, stones = rules.need("gor"), rules.need("handicap")
    lift = float(stones["points"]) * (abs(handicap) - float(stones["less"])) if handicap else 0.0
    own = rating + (lift if handicap < 0 else 0.0)
    other = opponent + (lift if handicap > 0 else 0.0)
    values = _beta(np.array([other, own]), block)
    return float(1 / (1 + np.exp(values[0] - values[1])))


def _black_lift(event: Event, rows: GameRows, rules: RuleSet) -> tuple[np.ndarray, np.ndarray]:
    """Points added to the player's and to the opponent's rating for handicap stones (Black's, ``first``)."""
    stones = np.nan_to_num(event.games["handicap"].to_numpy())[rows.row]
    block = rules.need("handicap")
    lift = np.where(stones > 0, float(block["points"]) * (stones - float(block["less"])), 0.0)
    index = {int(number): i for i, number in enumerate(event.players["number"])}
    first = np.array([index.get(int(n), -1) for n in event.games["first"].to_numpy()[rows.row]])
    is_black = first == rows.player
    return np.where(is_black, lift, 0.0), np.where(is_black, 0.0, lift)


def grade_rating(title: str, rules: RuleSet) -> int | None:
    """Rating of a declared grade such as ``3D``, ``12k`` or ``2p``; None where the title is no grade."""
    found = _GRADE.search(title)
    block = rules.block("grades")
    if not found or block is None:
        return None
    value, kind = int(found[1]), found[2].casefold()[0]
    if kind in ("p",):
        return int(block["first_professional"] + block["professional_step"] * (value - 1))
    if kind in ("d", "段"):
        return int(block["first_dan"] + block["step"] * (value - 1))
    return int(block["first_dan"] - block["step"] * value)


def _graded(event: Event, rules: RuleSet, field: Entrants) -> Entrants:
    """Players without a rating enter with the rating of their declared grade.

    Zero and negative numbers are ratings here: 21 kyu is 0, the lowest rating is -900.
    """
    base, provisional = field.base.copy(), field.provisional.copy()
    has = ~np.isnan(base)
    for i in np.flatnonzero(~has):
        value = grade_rating(str(event.players["title"].iloc[i]), rules)
        if value is not None:
            base[i], has[i], provisional[i] = value, True, True
    return replace(field, base=base, has_rating=has, provisional=provisional)


def _named_class(event: Event) -> str:
    facts = event.extra.get("rating")
    return str(event.extra.get("class") or (facts.get("class") if isinstance(facts, dict) else "") or "")


def event_class(event: Event, rules: RuleSet) -> Block | None:
    """The class the file names, where the edition knows it."""
    given = _named_class(event).strip().upper()
    return next((row for row in rules.rows("event_class") if row["name"] == given), None)


def event_factor(event: Event, rules: RuleSet) -> tuple[float, tuple[Finding, ...]]:
    """Factor of the event's class; class A with a finding where the file names none that is known."""
    named = event_class(event, rules)
    if named is not None:
        return float(named["factor"]), ()
    given, first = _named_class(event), rules.rows("event_class")[0]
    return float(first["factor"]), (
        Finding(
            code="CK41",
            reason="event-class-assumed",
            published=given,
            recomputed=first["name"],
            article=rules.cite("event_class"),
        ),
    )


def _rating(
    event: Event,
    rules: RuleSet,
    field: Entrants,
    rows: GameRows,
    expected: np.ndarray,
    con: np.ndarray,
    bonus: np.ndarray,
    lowest: float,
) -> Rating:
    size = len(field.number)
    both = field.has_rating[rows.player] & field.has_rating[np.maximum(rows.opponent, 0)]
    left_out = rows.counted & ~both
    rows = replace(
        rows, counted=rows.counted & both, reason=np.where(left_out, "opponent-unrated", rows.reason)
    )
    factor, findings = event_factor(event, rules)
    games, half_points = games_and_half_points(rows, size)
    surplus = half_points / 2 - summed(rows, expected, size)
    change = np.where(field.has_rating, factor * (con * surplus + games * bonus), np.nan)
    new = np.maximum(field.base + change, np.minimum(lowest, field.base))
    decimals = rules.need("change")["decimals"]
    return rating_of(
        event,
        rules,
        field,
        rows,
        k=con,
        expected=np.where(rows.counted, expected, np.nan),
        opponent_rating=np.where(rows.opponent >= 0, field.base[rows.opponent], np.nan),
        change=change,
        new_rating=new,
        article=rules.cite("method"),
        places=decimals,
        findings=findings,
        bonus=[number(v, decimals) for v in factor * games * bonus],
    )
