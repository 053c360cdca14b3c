"""What one K is compared with besides other K: the first move, K schedules, rating periods, sub-groups, longer warm-ups."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.research.history.games import History, birth_years
from qiyi_analysis.research.history.rating_periods import PERIODS
from qiyi_analysis.research.loops.known_loop import games_before
from qiyi_analysis.research.studies.inference import Optimum, clustered_errors, holm, of_sweep
from qiyi_analysis.research.studies.inflation import points_created
from qiyi_analysis.research.studies.k_work import KWork
from qiyi_analysis.research.sweeps.k_schedule import KSchedule, by_age, by_games, by_rating, constant
from qiyi_analysis.research.systems.over_history import elo, fide, is_per_game
from qiyi_analysis.research.systems.runs import Run, years
from qiyi_analysis.research.systems.tuning import Bound
from qiyi_analysis.rules.ruleset import ruleset


def advantages(work: KWork) -> tuple[pd.DataFrame, Optimum]:
    """The loss over the first move at the chosen K, and the best first move with its interval."""
    given = list(work.settings.advantage)  # type: ignore[arg-type]
    low, high = min(given), max(given)
    ends = (low, high) if high > low else (low - 60.0, low + 60.0)
    tried = sorted({*np.linspace(*ends, 9).tolist(), work.advantage})
    swept = work.sweep(pd.DataFrame({"k": work.k, "advantage": tried}))
    losses = of_sweep(swept)
    rows = losses.differences(tried.index(work.advantage))
    return swept.table()[["advantage", "log_loss"]].assign(**rows.drop(columns="candidate")), losses.optimum(
        "advantage"
    )


def schedules(work: KWork, newcomer_games: int) -> tuple[pd.DataFrame, KSchedule]:
    """K schedules, tuned as the single K was, against it on the test games; and the one for newcomers and others.

    Columns candidate, games, log_loss, tuning_loss, edges, and those of ``Losses.differences``.
    """
    low, high = min(work.settings.k_bounds), max(work.settings.k_bounds)
    rules, tuned = [constant(work.k)], [work.found]
    for shape, count in _shapes(work, newcomer_games):
        bounds = {f"k{number}": Bound(low, high, work.k, log=True) for number in range(count)}
        found = work.tuned(_schedule_of(shape, tuple(bounds)), bounds)
        rules.append(shape([round(found.values[name], 1) for name in bounds]))
        tuned.append(found)
    swept = [work.sweep(pd.DataFrame({"k": [rule]})) for rule in rules]
    from qiyi_analysis.research.studies.cluster import joined

    together = joined(swept)
    table = together.table()[["candidate", "games", "log_loss"]].assign(
        tuning_loss=[one.loss for one in tuned], edges=[" ".join(one.edges) for one in tuned]
    )
    return table.assign(**of_sweep(together).differences(0).drop(columns="candidate")), rules[1]


def _schedule_of(
    shape: Callable[[Any], KSchedule], names: Sequence[str]
) -> Callable[[Mapping[str, float]], KSchedule]:
    return lambda values: shape([values[name] for name in names])


def _shapes(work: KWork, newcomer_games: int) -> list[tuple[Callable[[Any], KSchedule], int]]:
    """K for newcomers and others, by rating at the upper quarter, and by age and experience where births are known."""
    shapes: list[tuple[Callable[[Any], KSchedule], int]] = [(lambda ks: by_games([newcomer_games], ks), 2)]
    ratings = work.run(work.k).players["rating"]
    limit = round(float(np.nanquantile(ratings, 0.75)) / 50) * 50
    shapes.append((lambda ks: by_rating([limit], ks), 2))
    born = birth_years(work.history.players)
    if np.isfinite(born).mean() > 0.2:
        shapes.append((lambda ks: by_age([18], ks), 2))
        shapes.append(
            (
                lambda ks: KSchedule(
                    "K " + "/".join(f"{k:g}" for k in ks) + " by age, games, rating",
                    (
                        {"k": ks[0], "under_age": 18.0}, {"k": ks[1], "games_below": float(newcomer_games)},
                        {"k": ks[2], "rating_at_least": float(limit)}, {"k": ks[3]},
                    ),
                ),
                4,
            )
        )  # fmt: skip
    return shapes


def updates(work: KWork, ks: list[float]) -> pd.DataFrame:
    """Best K when ratings move after every game and when they move once a period: update, best, low, high, log_loss, games."""
    history, rows = work.history, []
    dated = history.period_length != "given"
    day = int(history.day[np.searchsorted(history.period, work.split)])
    lengths = (
        [length for length in PERIODS if length not in ("day", "given", "week")] if dated else ["period"]
    )
    for name in ("game", *lengths):
        one = history.with_periods(name) if dated and name != "game" else history
        start = work.split if one is history else int(one.period[int(np.searchsorted(one.day, day))])
        update = "game" if name == "game" else "period"
        swept = work.sweep(pd.DataFrame({"k": ks}), one, update=update, scored_from=start)
        if swept.scored:
            found = of_sweep(swept).optimum()
            loss = float(swept.table()["log_loss"].min())
            rows.append((name, found.best, found.low, found.high, loss, swept.scored))
    return pd.DataFrame(rows, columns=["update", "best", "low", "high", "log_loss", "games"])


def subgroups(work: KWork, ks: list[float], newcomer_games: int = 30) -> pd.DataFrame:
    """Best K among sub-groups of the test games: ``group, band, games, best, low, high, differs``.

    Groups: all, newcomers (a player with fewer than ``newcomer_games`` earlier games) against established players, equal
    against unequal players by their ratings before the game, first against second half of the test. differs: whether
    the best K of a group's two bands are different, by a test of their difference corrected for the number of groups (Holm).
    """
    history = work.history
    scored = history.period >= work.split
    first, second = games_before(
        history.first, history.second, history.period, len(history.players), work.settings.update == "period"
    )
    fresh = np.minimum(first, second) < newcomer_games
    p = work.run(work.k).expected
    own = work.advantage + (0.0 if history.shift is None else history.shift)
    apart = np.abs(400.0 * np.log10(p / (1.0 - p)) - own)
    wide = apart > np.median(apart[scored])
    late = np.arange(len(history)) >= np.flatnonzero(scored)[int(scored.sum() // 2)]
    groups: Mapping[str, tuple[tuple[str, np.ndarray], ...]] = {
        "all": (("", scored),),
        "experience": ((f"<{newcomer_games}", fresh), (f">={newcomer_games}", ~fresh)),
        "difference": (("equal", ~wide), ("unequal", wide)),
        "half": (("first", ~late), ("second", late)),
    }
    rows, tests = [], {}
    for group, bands in groups.items():
        found = []
        for band, inside in bands:
            swept = work.sweep(pd.DataFrame({"k": ks}), scored=inside & scored)
            if not swept.scored:
                continue
            best = of_sweep(swept).optimum()
            found.append(best)
            rows.append((group, band, swept.scored, best.best, best.low, best.high))
        if len(found) == 2:
            tests[group] = _different(*found)
    told = dict(zip(tests, holm(np.array(list(tests.values()))), strict=True)) if tests else {}
    table = pd.DataFrame(rows, columns=["group", "band", "games", "best", "low", "high"])
    return table.assign(differs=[bool(told.get(group, False)) for group in table["group"]])


def _different(one: Optimum, other: Optimum) -> float:
    """The probability of so large a difference of two best K by chance; 1 where one of them is at an end."""
    error = math.hypot(one.error, other.error)
    if one.edge or other.edge or not math.isfinite(error) or not error:
        return 1.0
    from scipy.special import stdtr

    freedom = max(min(one.effective, other.effective) - 1.0, 1.0)
    return float(2.0 * stdtr(freedom, -abs(one.best - other.best) / error))


def biases(work: KWork, run: Run, newcomer_games: int = 30) -> pd.DataFrame:
    """Whether players of a group score more or less than expected of them: ``group, band, sides, bias, low, high, evidence``.

    bias: mean of score minus expectation over the sides of the test games that a player of the group has, in points of a game;
    95 % interval for games that share players and periods; evidence ("higher", "lower", "none") corrected for the number of
    groups (Holm). Groups by what was known before the game: age, earlier games, the rating at the last snapshot; time control.
    """
    history = work.history
    scored = history.period >= work.split
    surprise = (0.5 * history.half_points - run.expected)[scored]
    names, sums, sides = [], [], []
    for group, band, first, second in _sides(work, run, newcomer_games):
        one, two = first[scored], second[scored]
        if not one.any() and not two.any():
            continue
        names.append((group, band))
        sums.append(np.where(one, surprise, 0.0) - np.where(two, surprise, 0.0))
        sides.append(int(one.sum() + two.sum()))
    count = np.array(sides, float)
    values = np.stack(sums, axis=1)
    bias = values.sum(axis=0) / count
    error = np.maximum(clustered_errors(values, history, scored) / count, 1e-300)
    told = holm(np.array([math.erfc(abs(z) / math.sqrt(2)) for z in bias / error]))
    evidence = np.where(told, np.where(bias > 0, "higher", "lower"), "none")
    return pd.DataFrame(names, columns=["group", "band"]).assign(
        sides=sides, bias=bias, low=bias - 1.96 * error, high=bias + 1.96 * error, evidence=evidence
    )


def _within(pair: Sequence[np.ndarray], low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    first, second = ((one >= low) & (one < high) for one in pair)
    return first, second


def _sides(work: KWork, run: Run, newcomer_games: int) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """Group, band, and the games in which the first and the second player are of it."""
    history, by_period = work.history, work.settings.update == "period"
    earlier = games_before(history.first, history.second, history.period, len(history.players), by_period)
    for band, low, high in (
        (f"<{newcomer_games}", 0, newcomer_games),
        (f">={newcomer_games}", newcomer_games, 2**31 - 1),
    ):
        yield "experience", band, *_within(earlier, low, high)
    born, year = birth_years(history.players), years(history)
    if np.isfinite(born).any():
        age = [year - born[side] for side in (history.first, history.second)]
        for band, young, old in (("<20", -1e9, 20), ("20-59", 20, 60), (">=60", 60, 1e9)):
            yield "age", band, *_within(age, young, old)
    if run.snapshots is not None and len(run.snapshots.period) > 1:
        point = np.searchsorted(run.snapshots.period, history.period) - 1
        known = [
            np.where(point >= 0, run.snapshots.rating[point, side], np.nan)
            for side in (history.first, history.second)
        ]
        limits = np.nanquantile(np.concatenate(known), [0.25, 0.5, 0.75])
        for low, high in pairwise([-np.inf, *limits, np.inf]):
            band = (
                f"<{high:.0f}"
                if low == -np.inf
                else f">={low:.0f}"
                if high == np.inf
                else f"{low:.0f}-{high:.0f}"
            )
            yield "rating", band, *_within(known, low, high)
    if history.time_control is not None:
        for code, name in enumerate(history.time_controls):
            own = history.time_control == code
            yield "time_control", name, own, np.zeros(own.size, bool)


def warm_ups(work: KWork, ks: list[float]) -> pd.DataFrame:
    """Best K on the same test games when the history begins later: ``begins, games_before, best, low, high, log_loss, games``.

    A best K that moves with the length of the warm-up speaks of starting values, not of K.
    """
    history = work.history
    before = int(np.searchsorted(history.period, work.split))
    rows = []
    for share in (0.0, 0.25, 0.5, 0.75):
        cut = int(history.period[int(share * before)]) if before else 0
        kept = history.subset(history.period >= cut)
        swept = work.sweep(pd.DataFrame({"k": ks}), kept)
        if not swept.scored:
            continue
        found, loss = of_sweep(swept).optimum(), float(swept.table()["log_loss"].min())
        earlier = int(len(kept) - (history.period >= work.split).sum())
        rows.append((history.label(cut), earlier, found.best, found.low, found.high, loss, swept.scored))
    return pd.DataFrame(rows, columns=["begins", "games_before", "best", "low", "high", "log_loss", "games"])


def points_by_rule(history: History, own: float, k: float, rule: KSchedule, edition: str) -> pd.DataFrame:
    """Points each rule creates in the whole history: one K, two K by games, and the procedure of a FIDE edition.

    Columns rule, unequal_k, limit, cap, rounding, newcomers; NaN where a rule has no such part. For newcomers: their
    start minus the mean of those already there.
    """
    rows: list[tuple[Any, ...]] = []
    for name, schedule in ((f"K {k:g}", constant(k)), (rule.name, rule)):
        run = elo(history, schedule, update="period", advantage=own)
        made = points_created(history, run, schedule).sum()
        rows.append((name, made["unequal_k"], np.nan, np.nan, np.nan, made["newcomers"]))
    if is_per_game(ruleset(edition)):
        whole = fide(history, edition, advantage=own)
        causes = ("unequal K", "K x n limit", "cap and table", "rounding", "newcomers")
        rows.append((whole.system, *(whole.points_created[cause] for cause in causes)))
    return pd.DataFrame(rows, columns=["rule", "unequal_k", "limit", "cap", "rounding", "newcomers"])
