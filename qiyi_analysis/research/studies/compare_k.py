"""The study of K-factors: which K predicts best, how sure that is, and what it does.

Warm-up, tuning and test follow each other in time. K and first-move advantage are chosen on the tuning games and
reported on the test games; intervals come from resampling players and periods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.studies import cluster as clusters
from qiyi_analysis.research.studies.inflation import stability
from qiyi_analysis.research.studies.k_comparisons import (
    band,
    points_by_rule,
    schedules,
    subgroups,
    updates,
    warm_ups,
    with_entrants,
)
from qiyi_analysis.research.studies.metrics import calibration, calibration_slope
from qiyi_analysis.research.studies.resampling import Power, Replicates, power
from qiyi_analysis.research.studies.study import Frame, load_games, say
from qiyi_analysis.research.sweep.sweep_candidates import candidate_grid
from qiyi_analysis.research.sweep.sweep_result import Sweep
from qiyi_analysis.research.systems.over_history import Run, elo

#: Where the shipped history is parted, as in its published reference figures.
SHIPPED = {"tune_from": "1985", "test_from": "1995"}


@dataclass(frozen=True)
class CompareK:
    """Everything the report shows.

    tuning, test: sweeps over K (tuning also over the advantage); chosen: row of ``test`` of the K chosen on the
    tuning games; replicates: by kind of cluster; runs: the candidates followed in detail, by name.
    """

    frame: Frame
    tuning: Sweep
    test: Sweep
    advantage: float
    chosen: int
    replicates: dict[str, Replicates]
    advantages: pd.DataFrame
    schedules: pd.DataFrame
    updates: pd.DataFrame
    detail: pd.DataFrame
    power: Power
    rival: int
    calibration: pd.DataFrame
    runs: dict[str, Run]
    current: int | None
    tune_from: int
    test_from: int


def compare_k(
    games: str = "",
    *,
    k: Sequence[float] = (),
    advantage: Sequence[float] = (0, 10, 20, 30, 40, 50, 60),
    current_k: float = 20.0,
    entrants: Sequence[float] = (),
    newcomer_games: int = 30,
    update: Literal["game", "period"] = "game",
    period: str = "month",
    tune_from: str = "",
    test_from: str = "",
    known_games: int = 0,
    draws: str = "half",
    by: Sequence[str] = ("player", "period"),
    replicates: int = 1000,
    seed: int = 1,
    columns: Sequence[str] = (),
    players: str = "",
    partial_dates: str = "leave out",
    duplicates: str = "keep",
    discipline: str = "",
    points_per_handicap: float = 0.0,
    rules: str = "fide/rating-standard/2024-03-01",
    cluster: str = "",
    workers: int = 0,
    history: History | None = None,
) -> CompareK:
    """Run the study. games: a file, or "" for the shipped xiangqi masters; or give a ``history``.

    k: candidates (default 5, 10, ..., 100); current_k: the K in force, compared with the best (0 = none).
    entrants: ratings to try for players who appear after the warm-up (default 1500), tuned together with K and the
    advantage. newcomer_games: up to here a player is a newcomer. points_per_handicap: points of a handicap stone, for
    the first side. rules: the edition whose whole procedure is followed for the points it creates.
    tune_from, test_from: dates; by default 30 % of the games are warm-up and the next 30 % tuning. Raises
    ParameterError when a part holds no game.
    """
    with clusters.connected(cluster or None, workers) as client:
        if history is None:
            history = load_games(
                games, period, columns=columns, players=players, partial_dates=partial_dates,
                duplicates=duplicates, discipline=discipline, points_per_handicap=points_per_handicap,
            )  # fmt: skip
            if not games:
                tune_from, test_from = tune_from or SHIPPED["tune_from"], test_from or SHIPPED["test_from"]
        begin, split = parts_of(history, tune_from, test_from)
        ks = sorted(
            {float(value) for value in (k or range(5, 101, 5))} | ({float(current_k)} if current_k else set())
        )
        choices: dict[str, Any] = {"update": update, "known_games": known_games, "draws": draws}
        grid, _ = candidate_grid(ks, list(advantage), entrants=list(entrants) or None)
        tuning = clusters.sweep_on(
            client, history, grid[["k", "advantage", "entrants"]], scored_from=begin, scored_until=split, entrants_from=begin,
            by_player=False, **choices,
        )  # fmt: skip
        best = tuning.candidates.iloc[tuning.best()]
        own = float(best["advantage"])
        if entrants:
            history = with_entrants(history, begin, float(best["entrants"]))
        one, _ = candidate_grid(ks, own)
        test = clusters.sweep_on(client, history, one[["k", "advantage"]], scored_from=split, **choices)
        chosen = ks.index(float(best["k"]))
        current = ks.index(float(current_k)) if current_k else None
        drawn = {kind: clusters.resample_on(client, test, kind, replicates, seed) for kind in by}  # type: ignore[arg-type]
        top = test.best()
        rival = current if current is not None and current != top else _rival(drawn[by[0]])
        widest = drawn[by[0]]
        side, _ = candidate_grid(ks[top], list(advantage))
        sided = clusters.sweep_on(client, history, side[["k", "advantage"]], scored_from=split, **choices)
        spread = clusters.resample_on(client, sided, by[0], replicates, seed)  # type: ignore[arg-type]
        advantages = sided.table()[["advantage", "log_loss"]].assign(**band(spread, sided.best()))
        two_k, rule = schedules(
            client, history, ks, own, begin, split, choices, test, by[0], replicates, seed, newcomer_games
        )
        longer = warm_ups(client, history, ks, own, split, choices)
        periods = updates(client, history, ks, own, split, known_games, update)
        names = _followed(ks, test, chosen, current, widest)
        runs = {
            name: elo(
                history, ks[row], update=update, advantage=own, snapshots=snapshot_length(history), name=name
            )
            for name, row in names.items()
        }
    scored = history.period >= split
    if known_games:
        scored &= _known(history, known_games, update)
    detail = pd.DataFrame(
        [_detail(name, runs[name], history, scored, test, row) for name, row in names.items()]
    )
    best_run = runs[next(name for name, row in names.items() if row == top)]
    bins = calibration(best_run.expected[scored], history.half_points[scored])
    groups = subgroups(history, test, newcomer_games, min(replicates, 400), seed)
    points = points_by_rule(history, own, ks[top], rule, rules)
    settings = {
        "games": history.source, "entrants": float(best["entrants"]), "newcomer_games": newcomer_games, "rules": rules, "k": ks, "advantage": list(advantage), "current_k": current_k, "update": update,
        "period": history.period_length, "tune_from": history.label(begin), "test_from": history.label(split),
        "known_games": known_games, "draws": draws, "clamp": test.settings.clamp, "by": list(by), "replicates": replicates,
        "seed": seed,
    }  # fmt: skip
    tables = {
        "candidates": _candidates(test, drawn),
        "tuning": tuning.table(),
        "periods": test.by_period(),
        "replicates": pd.concat([one.tidy() for one in drawn.values()], ignore_index=True),
        "advantages": advantages,
        "schedules": two_k,
        "updates": periods,
        "subgroups": groups,
        "warm-up": longer,
        "points": points,
        "detail": detail,
        "calibration": bins,
    }
    words, evidence = _verdict(test, drawn, chosen, current, own)
    frame = Frame("compare-k", settings, history, tables, words, evidence)
    return CompareK(
        frame, tuning, test, own, chosen, drawn, advantages, two_k, periods, detail, power(widest, rival, top),
        rival, bins, runs, current, begin, split,
    )  # fmt: skip


def parts_of(history: History, tune_from: str, test_from: str) -> tuple[int, int]:
    """First period of the tuning games and of the test games. Raises ParameterError when a part is empty."""
    order = history.period
    begin = history.index(tune_from) if tune_from else int(order[int(0.3 * len(history))])
    split = history.index(test_from) if test_from else int(order[int(0.6 * len(history))])
    tuned, tested = int(((order >= begin) & (order < split)).sum()), int((order >= split).sum())
    if not tuned or not tested:
        raise ParameterError(
            "compare-k-empty",
            tuned=tuned,
            tested=tested,
            tune_from=tune_from or words.said("compare-k.automatic"),
            test_from=test_from or words.said("compare-k.automatic"),
            periods=history.periods,
            length=history.period_length,
        )
    return begin, split


def _rival(drawn: Replicates) -> int:
    """The candidate whose difference to the best would be most interesting: the nearest that is told apart, else the farthest."""
    rows = drawn.differences()
    apart = rows[rows["evidence"] == "worse"]
    return (
        int(apart["difference"].sort_values().index.to_numpy()[0])
        if len(apart)
        else int(rows["difference"].argmax())
    )


def snapshot_length(history: History) -> str:
    """How often ratings are kept: every year, or every period of a history without dates."""
    return "year" if history.periods and history.period_length != "given" else "given"


def _followed(ks, test, chosen, current, drawn) -> dict[str, int]:
    rows = {"best": test.best()}
    if current is not None and current != test.best():
        rows["current"] = current
    if chosen not in rows.values():
        rows["chosen"] = chosen
    flat = drawn.flat_region()
    for name, row in (("flat_low", int(flat.min())), ("flat_high", int(flat.max()))):
        if row not in rows.values():
            rows[name] = row
    return {f"{name}:{ks[row]:g}": row for name, row in rows.items()}


def _detail(
    name: str, run: Run, history: History, scored: np.ndarray, test: Sweep, row: int
) -> dict[str, Any]:
    slope = calibration_slope(run.expected[scored], history.half_points[scored])
    moved = stability(run.snapshots) if run.snapshots else {}
    return {
        "name": name, "log_loss": float(test.table()["log_loss"].iloc[row]), "slope": slope.slope, "slope_error": slope.slope_error,
        **moved,
    }  # fmt: skip


def _known(history: History, known_games: int, update: str) -> np.ndarray:
    from qiyi_analysis.research.loops.known_loop import games_before

    first, second = games_before(
        history.first, history.second, history.period, len(history.players), update == "period"
    )
    return (first >= known_games) & (second >= known_games)


def _candidates(test: Sweep, drawn: dict[str, Replicates]) -> pd.DataFrame:
    metrics = test.table().drop(columns=["candidate"])
    return pd.concat(
        [pd.concat([metrics, one.differences()], axis=1) for one in drawn.values()], ignore_index=True
    )


def _verdict(
    test: Sweep, drawn: dict[str, Replicates], chosen: int, current: int | None, own: float
) -> tuple[tuple[str, str], str]:
    """The verdict and how far the evidence goes: a K is worse only where every kind of resampling says so."""
    ks = test.candidates["k"].to_numpy(float)
    best = test.best()
    first = next(iter(drawn.values()))
    flat = np.unique(np.concatenate([one.flat_region() for one in drawn.values()]))
    ends = [one.best_interval() for one in drawn.values()]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    values: dict[str, Any] = {
        "best": f"{ks[best]:g}", "low": f"{low:g}", "high": f"{high:g}", "flat_low": f"{ks[flat].min():g}", "flat_high": f"{ks[flat].max():g}",
        "advantage": f"{own:g}", "games": f"{test.scored:,}", "chosen": f"{ks[chosen]:g}",
    }  # fmt: skip
    fewest = min(drawn.values(), key=lambda one: one.clusters)
    if not fewest.supported:
        return say("verdict_unsupported", **values, clusters=fewest.clusters), "none"
    if current is None or current == best:
        key = "verdict_all_flat" if flat.size == ks.size else "verdict_plain"
        return say(key, **values), "none" if flat.size == ks.size else "flat"
    rows = [one.differences().iloc[current] for one in drawn.values()]
    widest = max(rows, key=lambda row: row["high"] - row["low"])
    values |= {
        "current": f"{ks[current]:g}", "difference": f"{1000 * (first.means[current] - first.means[best]):.2f}",
        "d_low": f"{1000 * widest['low']:.2f}", "d_high": f"{1000 * widest['high']:.2f}",
    }  # fmt: skip
    if all(row["evidence"] == "worse" for row in rows):
        return say("verdict_worse", **values), "clear"
    return say("verdict_no_evidence", **values), "none"
