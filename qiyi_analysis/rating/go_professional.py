"""Chinese professional go: the table method with K 10, and three kinds of players who lose no points.

Besides the champion of an individual event these are the best score rate on each board of the national
team championship, and a score rate of one half or more in one international event.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qiyi_analysis.model.event import Event
from qiyi_analysis.rating import Rating
from qiyi_analysis.rating.table_method import Calculation, calculate
from qiyi_analysis.rating.table_rating import rating_frames
from qiyi_analysis.rules.ruleset import RuleSet


def rate(event: Event, rules: RuleSet) -> Rating:
    """Rate an event. Its facts ``national_team_championship`` and ``international`` switch the clauses on.

    A knock-out counts by the Swiss formula over the games played.
    """
    return rating_frames(event, protect(calculate(event, rules), event, rules), rules)


def protect(c: Calculation, event: Event, rules: RuleSet) -> Calculation:
    """The calculation with the losses of the protected players cancelled."""
    block = rules.block("no_loss")
    if block is None:
        return c
    safe = np.zeros(len(c.games), dtype=bool)
    if block["best_score_rate_on_each_board"] and event.extra.get("national_team_championship"):
        safe |= best_on_board(c, event)
    least = block.get("international_score_rate_at_least")
    if least is not None and event.extra.get("international"):
        # W / n >= p / q in whole numbers: half points times q against twice p n.
        safe |= (c.games > 0) & (c.half_points * least.denominator >= 2 * least.numerator * c.games)
    safe &= c.calculable & (c.change < 0)
    return replace(c, change=np.where(safe, 0, c.change), protected=c.protected | safe)


def best_on_board(c: Calculation, event: Event) -> np.ndarray:
    """Mask of the players with the best score rate on their board; several where they share it."""
    boards = event.players["board"].to_numpy()
    best = np.zeros(len(boards), dtype=bool)
    for board in np.unique(boards[~np.isnan(boards)]):
        on = np.flatnonzero((boards == board) & (c.games > 0))
        for i in on:
            # a / b >= c / d without dividing
            best[i] = bool((c.half_points[i] * c.games[on] >= c.half_points[on] * c.games[i]).all())
    return best


def opening_rating(dan: int, rules: RuleSet) -> int:
    """Rating of the opening list by dan grade."""
    block = rules.need("opening_rating")
    if not 1 <= dan <= block["highest_dan"]:
        raise ValueError(f"dan {dan}: expected 1 to {block['highest_dan']}")
    return int(block["first_dan"] + block["step"] * (dan - 1))
