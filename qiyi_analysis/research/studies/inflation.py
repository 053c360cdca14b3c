"""Inflation, its causes, and who gains by a change of K (rating-systems 19).

"Inflation" means different things; every table here names its measure. Ratings come from the snapshots of a run
(``systems.Snapshots``: rating points x players, NaN before a player's first game).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History, birth_years
from qiyi_analysis.research.history.history_files import Games, as_history
from qiyi_analysis.research.sweeps.k_schedule import as_schedule, of_rules, table_of
from qiyi_analysis.research.systems.over_history import elo
from qiyi_analysis.research.systems.runs import Run, Snapshots, starts, years
from qiyi_analysis.rules.ruleset import ruleset

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


def levels(history: History, snapshots: Snapshots, top: int = 10) -> pd.DataFrame:
    """The pool at each snapshot: ``period, label, active, newcomers, leavers, mean, q10..q90, top_mean, listed_mean``.

    Active: played since the snapshot before. listed_mean is over everybody who ever played: it moves with entry
    and exit and hides ageing; top_mean is the mean of the ``top`` best active: it rises when the pool grows.
    """
    rows = []
    played_before = np.zeros(snapshots.games.shape[1], np.int32)
    active_before = np.zeros(snapshots.games.shape[1], bool)
    for point, period in enumerate(snapshots.period):
        games, rating = snapshots.games[point], snapshots.rating[point]
        active = games > played_before
        own = rating[active]
        best = np.sort(own)[::-1][:top]
        quantiles = np.quantile(own, QUANTILES) if own.size else np.full(len(QUANTILES), np.nan)
        rows.append(
            {
                "period": int(period),
                "label": history.label(int(period)),
                "active": int(active.sum()),
                "newcomers": int((active & (played_before == 0)).sum()),
                "leavers": int((active_before & ~active).sum()),
                "mean": float(own.mean()) if own.size else np.nan,
                **{f"q{round(100 * q)}": float(v) for q, v in zip(QUANTILES, quantiles, strict=True)},
                "top_mean": float(best.mean()) if best.size else np.nan,
                "listed_mean": float(np.nanmean(rating)) if np.isfinite(rating).any() else np.nan,
            }
        )
        played_before, active_before = games, active
    return pd.DataFrame(rows)


def split(history: History, snapshots: Snapshots) -> pd.DataFrame:
    """Change of the mean of active players, split exactly: ``period, label, change, stayers, entrants, leavers``.

    With S players active in both snapshots: stayers is the mean change of S; entrants is what the mean gains by
    those who are new to it, leavers by those who left it. change = stayers + entrants + leavers.
    """
    rows = []
    games = np.vstack([np.zeros_like(snapshots.games[:1]), snapshots.games])
    active = np.diff(games, axis=0) > 0
    for point in range(1, len(snapshots.period)):
        before, now = active[point - 1], active[point]
        both = before & now
        old, new = snapshots.rating[point - 1], snapshots.rating[point]
        if not both.any():
            continue
        stayers = float((new[both] - old[both]).mean())
        entrants = float(new[now].mean() - new[both].mean())
        leavers = float(old[both].mean() - old[before].mean())
        rows.append(
            {
                "period": int(snapshots.period[point]),
                "label": history.label(int(snapshots.period[point])),
                "change": float(new[now].mean() - old[before].mean()),
                "stayers": stayers,
                "entrants": entrants,
                "leavers": leavers,
                "both": int(both.sum()),
            }
        )
    return pd.DataFrame(rows, columns=["period", "label", "change", "stayers", "entrants", "leavers", "both"])


def anchor_cohort(
    history: History, snapshots: Snapshots, ages: tuple[float, float] = (25.0, 35.0), fewest: int = 5
) -> pd.DataFrame:
    """Median change of players active in two snapshots running, accumulated: ``period, label, players, median, level``.

    Only ages in the given range where birth years are known (ageing would look like inflation); everybody
    otherwise, which the column ``cohort`` says.
    """
    born = birth_years(history.players)
    known = np.isfinite(born).any()
    games = np.vstack([np.zeros_like(snapshots.games[:1]), snapshots.games])
    active = np.diff(games, axis=0) > 0
    level, rows = 0.0, []
    for point in range(1, len(snapshots.period)):
        pick = active[point] & active[point - 1]
        if known:
            year = _year_of(history, int(snapshots.period[point]))
            age = year - born
            pick &= (age >= ages[0]) & (age <= ages[1])
        if pick.sum() < fewest:
            continue
        median = float(np.median(snapshots.rating[point][pick] - snapshots.rating[point - 1][pick]))
        level += median
        rows.append(
            {
                "period": int(snapshots.period[point]),
                "label": history.label(int(snapshots.period[point])),
                "cohort": f"{ages[0]:g}-{ages[1]:g}" if known else "all",
                "players": int(pick.sum()),
                "median": median,
                "level": level,
            }
        )
    return pd.DataFrame(rows, columns=["period", "label", "cohort", "players", "median", "level"])


def points_created(
    history: History,
    run: Run,
    k: object,
    *,
    floor: float | None = None,
    round_to: float | None = None,
    start: float = 1500.0,
) -> pd.DataFrame:
    """Points each rule creates, by year: ``year, unequal_k, floor, rounding, newcomers``.

    An Elo run by period is followed once more with ledgers: unequal K leaves the sum of the two changes of a game;
    a floor lifts who would fall below; rounding (to ``round_to``) once per player and period; newcomers bring their
    start minus the mean of those already there. Zero-sum holds only for equal K and none of the others.
    """
    schedule = as_schedule(k)
    if schedule.function is not None:
        raise ParameterError("points-created-k")
    table = table_of(schedule, history.time_controls)
    players = len(history.players)
    rating, peak = np.full(players, np.nan), np.full(players, -np.inf)
    games, own = np.zeros(players), starts(history, start)
    born, year = birth_years(history.players), years(history)
    ledger: dict[int, np.ndarray] = {}
    control = np.zeros(len(history), int) if history.time_control is None else history.time_control
    edges = [0, *(np.flatnonzero(np.diff(history.period)) + 1).tolist(), len(history)]
    for low, high in pairwise(edges):
        part = slice(low, high)
        first, second = history.first[part], history.second[part]
        book = ledger.setdefault(int(year[low]), np.zeros(4))
        here = np.unique(np.concatenate([first, second]))
        new = here[np.isnan(rating[here])]
        if new.size:
            level = np.nanmean(rating) if np.isfinite(rating).any() else start
            rating[new] = own[new]
            book[3] += float((own[new] - level).sum())
        peak[here] = np.fmax(peak[here], rating[here])
        p = run.expected[part]
        surprise = 0.5 * history.half_points[part] - p
        bands = (
            _band(games, table.games),
            _band(year[low] - born, table.ages),
            _band(rating, table.ratings),
            _band(peak, table.peaks),
        )
        k_first = table.values[
            control[part], bands[0][first], bands[1][first], bands[2][first], bands[3][first]
        ]
        k_second = table.values[
            control[part], bands[0][second], bands[1][second], bands[2][second], bands[3][second]
        ]
        book[0] += float(((k_first - k_second) * surprise).sum())
        change = np.bincount(first, k_first * surprise, players) - np.bincount(
            second, k_second * surprise, players
        )
        if round_to:
            rounded = np.sign(change) * np.floor(np.abs(change) / round_to + 0.5) * round_to
            book[2] += float((rounded - change).sum())
            change = rounded
        after = rating[here] + change[here]
        if floor is not None:
            lifted = np.maximum(after, floor)
            book[1] += float((lifted - after).sum())
            after = lifted
        rating[here] = after
        games += np.bincount(first, minlength=players) + np.bincount(second, minlength=players)
    names = ["unequal_k", "floor", "rounding", "newcomers"]
    return pd.DataFrame(
        [{"year": y, **dict(zip(names, book, strict=True))} for y, book in sorted(ledger.items())]
    )


def gains(
    history: History,
    one: Run,
    other: Run,
    *,
    age_limits: Sequence[float] = (20.0, 60.0),
    rating_bands: int = 4,
) -> pd.DataFrame:
    """Who gains when ``other`` replaces ``one``: ``group, band, players, mean_gain, median_gain, low, high``.

    Gain is the difference of the final ratings, taken against the mean of all (a shift of everybody is no gain).
    Groups: all; age (juniors, adults, veterans at the end of the history, where birth years are known); quarters
    of the mean of the two ratings (by one of them alone, chance would gain or lose); quarters of the number of games. low, high: 10 % and 90 % of the group.
    """
    a, b = one.players["rating"].to_numpy(float), other.players["rating"].to_numpy(float)
    rated = np.isfinite(a) & np.isfinite(b)
    gain = np.where(rated, b - a, np.nan)
    gain = gain - np.nanmean(gain)
    rows = [_gain_row("all", "", gain, rated)]
    born = birth_years(history.players)
    if np.isfinite(born).any() and len(history):
        age = int(years(history)[-1]) - born
        limits = [-np.inf, *age_limits, np.inf]
        for low, high in pairwise(limits):
            name = (
                f"<{high:g}" if low == -np.inf else (f">={low:g}" if high == np.inf else f"{low:g}-{high:g}")
            )
            rows.append(_gain_row("age", name, gain, rated & (age >= low) & (age < high)))
        rows.append(_gain_row("age", "unknown", gain, rated & ~np.isfinite(age)))
    for group, values in (("rating", (a + b) / 2), ("games", one.players["games"].to_numpy(float))):
        edges = np.unique(np.quantile(values[rated], np.linspace(0, 1, rating_bands + 1)))
        for low, high in pairwise(edges):
            last = high == edges[-1]
            inside = rated & (values >= low) & ((values <= high) if last else (values < high))
            rows.append(_gain_row(group, f"{low:.0f}-{high:.0f}", gain, inside))
    return pd.DataFrame([row for row in rows if row["players"]])


def had_k_been(
    games: Games,
    k: Any,
    in_force: Any = "fide/rating-standard/2024-03-01",
    *,
    advantage: float = 0.0,
    start: float = 1500.0,
) -> pd.DataFrame:
    """Where everybody would stand, had K been another one from the beginning of the history on, largest moves first.

    games: best made by ``history_from_folder(events, lists)``, whose ``start`` is each player's first published rating.
    k, in_force: a number, a schedule, rows, or (in_force) the id of an edition whose K rows are taken; both by periods.
    Columns player, games, rating (by the rule in force), other (by ``k``), change, rank, other_rank, places (gained).
    """
    history = as_history(games)
    schedule = of_rules(ruleset(in_force)) if isinstance(in_force, str) else as_schedule(in_force)
    one, other = (
        elo(history, rule, advantage=advantage, start=start).players for rule in (schedule, as_schedule(k))
    )
    rows = one.assign(other=other["rating"]).dropna(subset=["rating"])
    rows["change"] = rows["other"] - rows["rating"]
    for name, rating in (("rank", "rating"), ("other_rank", "other")):
        rows[name] = rows[rating].rank(ascending=False, method="min").astype(int)
    rows["places"] = rows["rank"] - rows["other_rank"]
    order = rows["change"].abs().sort_values(ascending=False, kind="stable").index
    columns = ["player", "games", "rating", "other", "change", "rank", "other_rank", "places"]
    return rows.loc[order, columns].reset_index(drop=True)


def stability(snapshots: Snapshots, top: int = 50) -> dict[str, float]:
    """How much ratings move: median and 90 % of the absolute change per snapshot of active players, and rank changes.

    rank_change: median absolute change of rank among the ``top`` of the earlier snapshot.
    """
    moves, ranks = [], []
    for point in range(1, len(snapshots.period)):
        before, now = snapshots.rating[point - 1], snapshots.rating[point]
        active = (snapshots.games[point] > snapshots.games[point - 1]) & np.isfinite(before)
        moves.append(np.abs(now[active] - before[active]))
        listed = np.flatnonzero(np.isfinite(before))
        if listed.size > 1:
            best = listed[np.argsort(-before[listed], kind="stable")][:top]
            order = np.empty(now.size, int)
            order[listed[np.argsort(-now[listed], kind="stable")]] = np.arange(listed.size)
            ranks.append(np.abs(order[best] - np.arange(best.size)))
    change = np.concatenate(moves) if moves else np.zeros(0)
    rank = np.concatenate(ranks) if ranks else np.zeros(0)
    return {
        "median_change": float(np.median(change)) if change.size else np.nan,
        "p90_change": float(np.quantile(change, 0.9)) if change.size else np.nan,
        "rank_change": float(np.median(rank)) if rank.size else np.nan,
    }


def _gain_row(group: str, band: str, gain: np.ndarray, inside: np.ndarray) -> dict[str, object]:
    own = gain[inside]
    if not own.size:
        return {"group": group, "band": band, "players": 0}
    low, high = np.quantile(own, [0.1, 0.9])
    return {
        "group": group,
        "band": band,
        "players": int(own.size),
        "mean_gain": float(own.mean()),
        "median_gain": float(np.median(own)),
        "low": float(low),
        "high": float(high),
    }


def _band(values: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Bands as in ``KTable``: an unknown value is in the highest."""
    return np.where(
        np.isnan(values), limits.size, np.searchsorted(limits, np.nan_to_num(values), side="right")
    )


def _year_of(history: History, period: int) -> float:
    if history.period_length == "given":
        return np.nan
    return float(years(history)[np.searchsorted(history.period, period, side="right") - 1])
