"""What one K is compared with besides other K: two K by games played, other rating periods, sub-groups, longer warm-ups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.rating_periods import PERIODS
from qiyi_analysis.research.loops.known_loop import games_before
from qiyi_analysis.research.studies import cluster as clusters
from qiyi_analysis.research.studies.inflation import points_created
from qiyi_analysis.research.studies.resampling import Replicates, draw, paired_clusters, replicated
from qiyi_analysis.research.sweep.k_schedule import KSchedule, by_games, constant
from qiyi_analysis.research.sweep.sweep_candidates import candidate_grid
from qiyi_analysis.research.sweep.sweep_result import Sweep
from qiyi_analysis.research.systems.over_history import elo, fide


def band(drawn: Replicates, base: int) -> dict[str, Any]:
    """Differences to one candidate with interval and evidence, as columns."""
    rows = drawn.differences(against=base)
    return {name: rows[name].to_numpy() for name in ("difference", "low", "high", "evidence")}


def schedules(client, history, ks, own, begin, split, choices, test, by, replicates, seed, newcomer_games):
    """K for newcomers and for the others, chosen on the tuning games, against the best single K on the test games."""
    pairs = [(a, b) for a in ks[:: max(1, len(ks) // 10)] for b in ks[:: max(1, len(ks) // 10)] if a >= b]
    rules = [by_games([newcomer_games], [a, b]) for a, b in pairs]
    grid = pd.DataFrame({"k": rules, "advantage": own})
    tuned = clusters.sweep_on(
        client, history, grid, scored_from=begin, scored_until=split, by_player=False, **choices
    )
    winner = rules[tuned.best()]
    single = float(test.candidates["k"].iloc[test.best()])
    both = pd.DataFrame({"k": [single, winner], "advantage": own})
    swept = clusters.sweep_on(client, history, both, scored_from=split, **choices)
    drawn = clusters.resample_on(client, swept, by, replicates, seed)
    return swept.table()[["candidate", "games", "log_loss"]].assign(**band(drawn, 0)), winner


def updates(client, history, ks, own, split, known_games, update) -> pd.DataFrame:
    """Best K when ratings move after every game and when they move once a period."""
    grid, _ = candidate_grid(ks, own)
    rows = []
    day = int(history.day[np.searchsorted(history.period, split)])
    lengths = (
        [length for length in PERIODS if length not in ("day", "given", "week")]
        if history.period_length != "given"
        else []
    )
    for name in ("game", *lengths, *(["period"] if history.period_length == "given" else [])):
        one = history if name in ("game", "period") else history.with_periods(name)
        start = int(np.searchsorted(one.day, day)) if history.period_length != "given" else 0
        scored_from = split if one is history else int(one.period[start])
        swept = clusters.sweep_on(
            client, one, grid[["k", "advantage"]], scored_from=scored_from, update="game" if name == "game" else "period",
            known_games=known_games, by_player=False,
        )  # fmt: skip
        if not swept.scored:
            continue
        best = swept.table().iloc[swept.best()]
        rows.append({"update": name, "best": best["k"], "log_loss": best["log_loss"], "games": swept.scored})
    return pd.DataFrame(rows)


def with_entrants(history: History, begin: int, start: float) -> History:
    """The history with ``start`` as the rating of everybody who first appears in period ``begin`` or later and has none."""
    n = len(history.players)
    first_seen = np.full(n, np.iinfo(np.int32).max)
    for side in (history.first, history.second):
        np.minimum.at(first_seen, side, history.period)
    own = history.players["start"].to_numpy(float) if "start" in history.players else np.full(n, np.nan)
    own = np.where(np.isnan(own) & (first_seen >= begin), start, own)
    return replace(history, players=history.players.assign(start=own))


def subgroups(
    history: History, test: Sweep, newcomer_games: int = 30, replicates: int = 400, seed: int = 1
) -> pd.DataFrame:
    """Best K among sub-groups of the test games: ``group, band, games, best, low, high, flat``; periods are resampled.

    Groups: all, newcomers (a player with fewer than ``newcomer_games`` earlier games) against established players,
    equal against unequal players, first against second half of the test. Empty for a history with too many
    games for their losses to be kept one by one.
    """
    columns = ["group", "band", "games", "best", "low", "high", "flat"]
    games = test.counts.sum(axis=0)
    if games.size != len(history):
        return pd.DataFrame(columns=columns)
    scored = games > 0
    by_period = test.settings.update == "period"
    first, second = games_before(
        history.first, history.second, history.period, len(history.players), by_period
    )
    fresh = np.minimum(first, second) < newcomer_games
    rating = np.nan_to_num(test.ratings[:, test.best()], nan=0.0)
    apart = np.abs(rating[history.first] - rating[history.second])
    wide = apart > np.median(apart[scored])
    late = np.arange(len(history)) >= np.flatnonzero(scored)[int(scored.sum() // 2)]
    groups = (
        ("all", "", scored), ("experience", f"<{newcomer_games}", scored & fresh), ("experience", f">={newcomer_games}", scored & ~fresh),
        ("difference", "equal", scored & ~wide), ("difference", "unequal", scored & wide),
        ("half", "first", scored & ~late), ("half", "second", scored & late),
    )  # fmt: skip
    ks = test.candidates["k"].to_numpy(float)
    rows = []
    for group, name, inside in groups:
        if not inside.any():
            continue
        parts = paired_clusters(test.sums[0][inside], history.period[inside])
        drawn = replicated(parts, test.candidates, draw(parts, range(replicates), seed), seed)
        low, high = drawn.best_interval()
        flat = ks[drawn.flat_region()]
        rows.append(
            (group, name, int(inside.sum()), ks[drawn.best()], low, high, f"{flat.min():g}–{flat.max():g}")
        )
    return pd.DataFrame(rows, columns=columns)


def warm_ups(
    client: Any, history: History, ks: list[float], own: float, split: int, choices: dict[str, Any]
) -> pd.DataFrame:
    """Best K on the same test games when the history begins later: ``begins, games_before, best, log_loss``.

    A best K that moves with the length of the warm-up speaks of starting values, not of K.
    """
    grid, _ = candidate_grid(ks, own)
    before = int(np.searchsorted(history.period, split))
    rows = []
    for share in (0.0, 0.25, 0.5, 0.75):
        cut = int(history.period[int(share * before)]) if before else 0
        kept = history.subset(history.period >= cut)
        swept = clusters.sweep_on(
            client, kept, grid[["k", "advantage"]], scored_from=split, by_player=False, draw_nu=0.0, **choices
        )
        if not swept.scored:
            continue
        best = swept.table().iloc[swept.best()]
        rows.append(
            (
                history.label(cut),
                int(len(kept) - (history.period >= split).sum()),
                best["k"],
                best["log_loss"],
                swept.scored,
            )
        )
    return pd.DataFrame(rows, columns=["begins", "games_before", "best", "log_loss", "games"])


def points_by_rule(history: History, own: float, k: float, rule: KSchedule, edition: str) -> pd.DataFrame:
    """Points each rule creates in the whole history: one K, two K by games, and the official FIDE procedure.

    Columns rule, unequal_k, limit, cap, rounding, newcomers; NaN where a rule has no such part. For newcomers: their
    start minus the mean of those already there.
    """
    rows = []
    for name, schedule in ((f"K {k:g}", constant(k)), (rule.name, rule)):
        run = elo(history, schedule, update="period", advantage=own)
        made = points_created(history, run, schedule).sum()
        rows.append((name, made["unequal_k"], np.nan, np.nan, np.nan, made["newcomers"]))
    official = fide(history, edition, advantage=own)
    parts = official.points_created
    rows.append(
        (
            official.system,
            parts["unequal K"],
            parts["K x n limit"],
            parts["cap and table"],
            parts["rounding"],
            parts["newcomers"],
        )
    )
    return pd.DataFrame(rows, columns=["rule", "unequal_k", "limit", "cap", "rounding", "newcomers"])
