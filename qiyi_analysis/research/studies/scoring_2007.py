"""Xiangqi: what 3 for a win, 1 for a red and 2 for a black draw (the trial of 2006-07) would have changed."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from qiyi_analysis.research.history.games import History


def scoring_tables(history: History, busiest: int = 15) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Red's share by decade under 1, 1/2, 0 and under (3, 1 or 2, 0)/3, and the busiest players' shares under both."""
    year = 1970 + history.day.astype("datetime64[D]").astype("datetime64[Y]").astype(int)
    halves = history.half_points
    rows = []
    for decade in [*sorted(set((year // 10 * 10).tolist())), 0]:
        own = halves if decade == 0 else halves[year // 10 * 10 == decade]
        shares = np.bincount(own, minlength=3) / own.size
        ordinary, trial = shares[2] + shares[1] / 2, shares[2] + shares[1] / 3
        rows.append(
            {
                "decade": f"{decade}s" if decade else f"{year[0]}-{year[-1]}",
                "games": own.size, "losses": shares[0], "draws": shares[1], "wins": shares[2],
                "red_share": ordinary, "red_share_2007": trial, "red_points": _points(ordinary), "red_points_2007": _points(trial),
            }
        )  # fmt: skip
    n = len(history.players)
    red, black = np.bincount(history.first, minlength=n), np.bincount(history.second, minlength=n)
    draw, win, loss = (halves == value for value in (1, 2, 0))

    def count(side: np.ndarray, which: np.ndarray) -> np.ndarray:
        return np.bincount(side[which], minlength=n)

    wins = count(history.first, win) + count(history.second, loss)
    drawn_red, drawn_black = count(history.first, draw), count(history.second, draw)
    games = np.maximum(red + black, 1)
    people = pd.DataFrame(
        {
            "player": history.players["player"], "games": red + black, "red_games": red / games,
            "share": (wins + (drawn_red + drawn_black) / 2) / games, "share_2007": (wins + drawn_red / 3 + 2 * drawn_black / 3) / games,
        }
    ).nlargest(busiest, "games")  # fmt: skip
    people["rank"] = people["share"].rank(ascending=False, method="min").astype(int)
    people["rank_2007"] = people["share_2007"].rank(ascending=False, method="min").astype(int)
    return pd.DataFrame(rows), people.sort_values("rank", kind="stable").reset_index(drop=True)


def _points(share: float) -> float:
    return 400 * math.log10(share / (1 - share)) if 0 < share < 1 else math.nan
