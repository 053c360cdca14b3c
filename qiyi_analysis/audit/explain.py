"""One player's calculation as an officer would write it on paper: each step with its article."""

from __future__ import annotations

import ast
import operator
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rating import Rating, rate
from qiyi_analysis.rules.rounding import MOST_DECIMALS
from qiyi_analysis.rules.ruleset import RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One line of the calculation: what, the value, how it came about, and the article."""

    what: str
    value: str
    how: str
    article: str


def rating_steps(
    event: Event, rules: RuleSet, player: int, lists: Sequence[RatingList] | None = None, language: str = "zh"
) -> tuple[Rating, list[Step]]:
    """The rating calculation of one player, step by step (Ro, games, average, D, P, We, W, K, change, Rn)."""
    rating = rate(event, rules, lists)
    return rating, steps_of(rating, player, language)


def steps_of(rating: Rating, player: int, language: str = "zh") -> list[Step]:
    """The steps of one player of a calculation already made."""
    row = next(one for one in rating.player_rows() if one["number"] == player)
    games = [_printed(game) for game in rating.game_rows(player)]
    found = _steps(rating, _printed(row), games, language)
    return [step for step in found if step is not None]


def _steps(
    rating: Rating, row: dict[str, Any], games: list[dict[str, Any]], language: str
) -> list[Step | None]:
    rules, members = rating.rules, len(rating.players)

    def step(key: str, value: Any, how: str, block: str) -> Step | None:
        if value is None:
            return None
        return Step(
            what=words.text(f"step.{key}", language),
            value=_written(value),
            how=how,
            article=rules.cite(block),
        )

    formula, limit = row.get("formula", ""), _limit(row, rules)
    # Each step cites the article of the formula that was used.
    used = {"round-robin": "round_robin", "mixed": "mixed_sex"}.get(formula, "expected")
    averaged = "average" if used == "expected" else used
    unrated = any(game["reason"] in ("opponent-unrated", "no-own-rating") for game in games)
    counted = [game for game in games if game["counted"]]
    return [
        step(
            "provisional" if row.get("provisional") else "rating",
            row["rating"],
            "",
            _rating_block(row, rules),
        ),
        *_first_rating(rating, row, step),
        step("games", row["games"], _left_out(games, language), "unrated" if unrated else used),
        step("score", row["score"], _sum(counted, "score"), "method"),
        step(
            "opponents_average",
            row["opponents_average"],
            _average(counted, row, formula, language),
            averaged,
        )
        if formula != "game"
        else None,
        step(
            "difference",
            row["difference"],
            _difference_how(row, limit),
            averaged if limit is None else "cap",
        ),
        step("expected", row["expected"], words.text("step.table", language), used),
        step(
            "we",
            row["we"],
            _we(row, counted, formula, members),
            used,
        ),
        step(
            "w_minus_we",
            row["w_minus_we"],
            _true(f"{row['score']} − {row['we']}", row["w_minus_we"]),
            "method",
        ),
        step("k", row["k"], _k_how(row, rules, language), "k_factor"),
        step(
            "change",
            row["change"],
            _change_how(row, rules, language),
            "champion" if row.get("protected") else "method",
        ),
        step(
            "new_rating",
            row["new_rating"],
            _new_how(row, rules, language),
            "floor" if _held(row, rules) else "change",
        ),
    ]


def _printed(row: dict[str, Any]) -> dict[str, Any]:
    """A row with the decimals that tables print: systems without rounding give six."""
    return {key: _short(value) for key, value in row.items()}


def _short(value: Any) -> Any:
    if isinstance(value, float) and round(value, MOST_DECIMALS) != value:
        return round(value, MOST_DECIMALS - 1)
    if isinstance(value, Decimal) and value.is_finite() and int(value.as_tuple().exponent) < -MOST_DECIMALS:
        return value.quantize(Decimal(1).scaleb(1 - MOST_DECIMALS), ROUND_HALF_UP)
    return value


def _limit(row: dict[str, Any], rules: RuleSet) -> int | None:
    """The cap, where it limits this player's difference to the average."""
    own, average, counted = row["rating"], row["opponents_average"], row["difference"]
    cap = rules.value("cap", "value")
    if None in (cap, own, average, counted) or abs(counted) != cap or abs(own - average) <= cap:
        return None
    return int(cap)


def _difference_how(row: dict[str, Any], limit: int | None) -> str:
    own, average, counted_difference = row["rating"], row["opponents_average"], row["difference"]
    how = f"{own} − {average}"
    return _true(how, counted_difference) if limit is None else f"{how} = {own - average} → ±{limit}"


def _rating_block(row: dict[str, Any], rules: RuleSet) -> str:
    return "base_rating" if row.get("provisional") and rules.rows("base_rating") else "change"


def _written(value: Any) -> str:
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def _sum(games: list[dict[str, Any]], column: str) -> str:
    values = [game[column] for game in games if game[column] is not None]
    return " + ".join(_written(v) for v in values)


def _left_out(games: list[dict[str, Any]], language: str) -> str:
    """What did not count, by reason."""
    reasons = Counter(game["reason"] for game in games if not game["counted"])
    parts = [f"{reason_word(reason, language)} {count}" for reason, count in reasons.items()]
    return words.text("step.not-counted", language, what=words.joined(parts, parts=True)) if parts else ""


def reason_word(reason: object, language: str) -> str:
    """Why a game did not count, in words; a reason without words is shown as it is."""
    return words.shown(words.named("reason", str(reason)), language)


def _average(games: list[dict[str, Any]], row: dict[str, Any], formula: str, language: str) -> str:
    if formula == "round-robin":
        return words.text("step.all-players", language)
    values = [game["opponent_rating"] for game in games if game["opponent_rating"] is not None]
    return (
        _true(f"({' + '.join(map(str, values))}) / {len(values)}", row["opponents_average"]) if values else ""
    )


def _we(row: dict[str, Any], games: list[dict[str, Any]], formula: str, members: int) -> str:
    if formula == "game":
        return _true(_sum(games, "expected"), row["we"])
    if formula == "round-robin" and None not in (row["we"], row["expected"]):
        return _round_robin_how(row, members)
    if row["expected"] is None:
        return ""
    return _true(f"{row['games']} × {row['expected']}", row["we"])


def _round_robin_how(row: dict[str, Any], members: int) -> str:
    """M P - 1/2 with the number of players, twice for a double round robin."""
    once = f"{members} × {row['expected']} − 1/2"
    twice = row["we"] == 2 * (members * row["expected"] - Decimal("0.5"))
    return f"2 × ({once})" if twice else once


def _k_how(row: dict[str, Any], rules: RuleSet, language: str) -> str:
    limit = rules.value("k_limit", "product")
    if (
        limit is not None
        and row["k"]
        and row["games"]
        and row["k"] * (row["games"] + 1) > limit >= row["k"] * row["games"]
    ):
        return words.text("step.k-limit", language, product=limit)
    return ""


def _change_how(row: dict[str, Any], rules: RuleSet, language: str) -> str:
    """The sum that gives the change: the first of the procedures' formulas that is true with the printed numbers."""
    if row.get("protected"):
        return words.text("step.champion", language)
    k, surplus, new, seed = row["k"], row["w_minus_we"], row["new_rating"], row.get("seed", row["rating"])
    sums = []
    if k is not None and surplus is not None:
        scale = rules.value("development", "gain")
        if scale is not None:
            sums.append(f"{scale} × {surplus} / ({k} + {row['games']})")
        sums.append(f"{k} × {surplus}")
        if row.get("bonus"):
            sums.append(f"{k} × {surplus} + {row['bonus']}")
            # The bonus of a player comes with the factor of the event's class in it.
            factors = [Fraction(one["factor"]) for one in rules.rows("event_class")]
            sums += [f"{factor} × {k} × {surplus} + {row['bonus']}" for factor in factors]
    if new is not None and seed is not None:
        sums.append(f"{new} − {seed}")
    return next((how for how in sums if _true(how, row["change"])), "")


def _new_how(row: dict[str, Any], rules: RuleSet, language: str) -> str:
    how = words.shown(words.named("rounding", str(rules.value("change", "rounding"))), language)
    floor = f" → ≥ {rules.value('floor', 'lowest')}" if _held(row, rules) else ""
    if row.get("initial_average") is not None:
        return f"{row['initial_average']} {_signed(row['initial_difference'])} → {how}"
    if not isinstance(row["change"], Decimal) or row["rating"] is None:
        return ""
    return f"{row['rating']} {_signed(row['change'])} → {how}{floor}"


def _signed(value: Any) -> str:
    return f"{'−' if value < 0 else '+'} {_written(abs(value))}"


def _first_rating(rating: Rating, row: dict[str, Any], step: Any) -> list[Step | None]:
    """Games, score, average with the added draws, percentage and difference of a first rating (FIDE 8.2)."""
    if row.get("initial_games") is None or row["new_rating"] is None:
        return []
    block = rating.rules.need("initial_rating")
    draws = int(block.get("added_draws", 0))
    games, score = row["initial_games"], row["initial_score"]
    percent = f"100 × ({score} + {draws} × 0.5) / ({games} + {draws})"
    return [
        step("initial_games", games, f"+ {draws}" if draws else "", "initial_rating"),
        step("initial_score", score, f"+ {draws} × 0.5" if draws else "", "initial_rating"),
        step("initial_average", row.get("initial_average"), "", "initial_rating"),
        step("initial_percent", row.get("initial_percent"), percent, "initial_rating"),
        step("initial_difference", row.get("initial_difference"), "", "initial_rating"),
    ]


# --- sums that are true ----------------------------------------------------------------------------

_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def sum_of(text: str) -> Decimal | None:
    """The value of a printed sum (numbers, + − × /, brackets); None where it is none."""
    try:
        return _valued(ast.parse(text.replace("×", "*").replace("−", "-"), mode="eval").body, text)
    except (SyntaxError, ValueError, ZeroDivisionError, InvalidOperation):
        return None


def _valued(node: ast.expr, text: str) -> Decimal:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_valued(node.left, text), _valued(node.right, text))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_valued(node.operand, text)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return Decimal(str(node.value))
    raise ValueError(text)


def _true(how: str, value: Any) -> str:
    """The sum where it comes to the value with the printed digits of both, else nothing."""
    result = sum_of(how)
    if result is None or value is None:
        return ""
    numbers = [Decimal(one) for one in re.findall(r"\d+(?:\.\d+)?", how)]
    finest = [Decimal(5).scaleb(int(one.as_tuple().exponent) - 1) for one in numbers if "." in str(one)]
    slack = Decimal(5).scaleb(-len(_written(value).partition(".")[2]) - 1)
    if finest:
        factor = max([Decimal(1), *(one for one in numbers if "×" in how and one < 1000)])
        slack += len(finest) * max(finest) * factor
    return how if abs(result - Decimal(_written(value))) <= slack else ""


def _held(row: dict[str, Any], rules: RuleSet) -> bool:
    """Whether the edition's floor decided the new rating: rating and change come to less."""
    lowest = rules.value("floor", "lowest")
    known = lowest is not None and isinstance(row["change"], Decimal) and row["new_rating"] is not None
    return known and Decimal(str(row["new_rating"])) - Decimal(str(row["rating"])) - row["change"] >= 1
