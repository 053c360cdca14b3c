"""Counting of go by area (数子法): the margin from a count, komi and warnings, as a check of reported results."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from qiyi_analysis.model.event import Event, Kind, Result
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import records
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.column import PRODUCT, printed


def margin(
    count: Fraction,
    rules: RuleSet,
    *,
    komi: Fraction | None = None,
    first_warnings: int = 0,
    second_warnings: int = 0,
) -> Fraction:
    """By how much the side with the first move wins (below zero: loses), in 子.

    ``count``: stones and points of the side with the first move, of all points of the board. ``komi``: by default that
    of the rules. A warning makes the warned side give a stone; by the reading "transfer" both counts move.
    """
    block = rules.need("counting")
    given = block["komi"] if komi is None else komi
    lose = block["warnings_lose"]
    if first_warnings >= lose or second_warnings >= lose:
        # So many warnings lose the game, whatever the count (24.2).
        return 2 * block["share"] * (-1 if first_warnings >= lose else 1)
    stone = block["warning"]
    result = Fraction(count) - block["share"] - given
    if block["warning_counts"] == "transfer":
        return result - stone * first_warnings + stone * second_warnings
    if block["warning_counts"] == "own-side-only":
        # Only the warned side's count is lowered: its opponent's share does not grow with it.
        return result - stone * first_warnings + stone * second_warnings / 2
    return result


def check(event: Event, rules: RuleSet) -> tuple[Finding, ...]:
    """Reported results of go games with a count that the count does not bear out."""
    block = rules.block("counting")
    games = event.games
    if block is None or event.discipline != "go" or games["first_count"].isna().all():
        return ()
    found = []
    board = 2 * block["share"]
    for game in records(games):
        if (
            np.isnan(game.first_count)
            or game.kind != Kind.PLAYED
            or (not np.isnan(game.handicap) and game.handicap)
        ):
            continue
        count = Fraction(str(game.first_count))
        place: dict[str, Any] = {
            "round": int(game.round),
            "player": int(game.first),
            "line": int(game.line),
            "field": "first_count",
        }
        if not 0 <= count <= board or (count / block["step"]).denominator != 1:
            values = {
                "count": str(game.first_count),
                "board": printed(board.numerator, board.denominator, PRODUCT),
            }
            found.append(Finding(code="CK43", reason="go-count-impossible", **place, values=values))
            continue
        komi = None if np.isnan(game.komi) else Fraction(str(game.komi))
        if komi is not None and komi.denominator == 2:
            komi /= 2  # in points (目), two to a 子: there it ends in a half, in 子 in a quarter
        result = margin(count, rules, komi=komi)
        reported = {Result.WIN: 1, Result.DRAW: 0, Result.LOSS: -1}.get(game.first_result)
        if reported is None or reported == (result > 0) - (result < 0):
            continue
        warned = [
            side
            for side in ("first", "second")
            if _sign(margin(count, rules, komi=komi, **{f"{side}_warnings": 1})) == reported
        ]
        values = {
            "count": str(game.first_count),
            "margin": printed(result.numerator, result.denominator, PRODUCT),
        }
        reason = "go-count-with-warning" if warned else "go-count-differs"
        found.append(
            Finding(
                code="CK43",
                reason=reason,
                **place,
                published=str(game.first_result),
                recomputed={1: "1", 0: "=", -1: "0"}[_sign(result)],
                article=f"{rules.id} {block.article}",
                values=values,
            )
        )
    return tuple(found)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)
