"""The study of rating systems: each tuned on the same years, all judged on the same later games.

Candidates of a family are run over a small grid; the family's best on the tuning games is its entry on the test games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.loops.known_loop import games_before
from qiyi_analysis.research.studies import cluster as clusters
from qiyi_analysis.research.studies.compare_k import SHIPPED, parts_of
from qiyi_analysis.research.studies.inflation import stability
from qiyi_analysis.research.studies.metrics import (
    calibration,
    calibration_slope,
    log_losses,
    murphy,
    summary,
    three_way_losses,
)
from qiyi_analysis.research.studies.resampling import Replicates, paired_by
from qiyi_analysis.research.studies.study import Frame, load_games, say
from qiyi_analysis.research.systems.draws import DrawModel, fit_draws
from qiyi_analysis.research.systems.over_history import Run
from qiyi_analysis.research.systems.system_candidates import FAMILIES, USUAL, grid_of, run_candidate
from qiyi_analysis.research.systems.system_names import said


@dataclass(frozen=True)
class CompareSystems:
    """systems: one row per family (metrics on the test games); runs by family; replicates by kind of cluster.

    draw_models: by family, fitted on the tuning games.
    """

    frame: Frame
    systems: pd.DataFrame
    runs: dict[str, Run]
    replicates: dict[str, Replicates]
    draw_models: dict[str, DrawModel]
    calibrations: dict[str, pd.DataFrame]
    tuned: pd.DataFrame


def compare_systems(
    games: str = "",
    *,
    systems: Sequence[str] = USUAL,
    advantage: float = 30.0,
    period: str = "month",
    tune_from: str = "",
    test_from: str = "",
    known_games: int = 0,
    rules: str = "fide/rating-standard/2024-03-01",
    start: float = 1500.0,
    by: Sequence[str] = ("player", "period"),
    replicates: int = 1000,
    seed: int = 1,
    columns: Sequence[str] = (),
    players: str = "",
    partial_dates: str = "leave out",
    duplicates: str = "keep",
    discipline: str = "",
    points_per_handicap: float = 0.0,
    cluster: str = "",
    workers: int = 0,
    history: History | None = None,
) -> CompareSystems:
    """Run the study; parameters as in ``compare_k``. advantage: points of the first move, the same for every system.

    Raises ParameterError for an unknown family.
    """
    unknown = [name for name in systems if name not in FAMILIES]
    if unknown:
        raise ParameterError("systems-unknown", unknown=unknown, known=FAMILIES)
    if history is None:
        history = load_games(
            games,
            period,
            columns=columns,
            players=players,
            partial_dates=partial_dates,
            duplicates=duplicates,
            discipline=discipline,
            points_per_handicap=points_per_handicap,
        )
        if not games:
            tune_from, test_from = tune_from or SHIPPED["tune_from"], test_from or SHIPPED["test_from"]
    begin, split = parts_of(history, tune_from, test_from)
    known = _known(history, known_games)
    tuning = known & (history.period >= begin) & (history.period < split)
    test = known & (history.period >= split)
    if not tuning.any() or not test.any():
        raise ParameterError("compare-systems-empty", games=known_games)
    tasks = [
        (family, setting) for family in systems for setting in grid_of(family, advantage, start, rules, begin)
    ]
    halves = history.half_points
    with clusters.connected(cluster or None, workers) as client:
        shared: Any = (
            history
            if client is None
            else client.submit(clusters._same, history, retries=clusters.RETRIES, pure=False)
        )
        done = clusters.map_tasks(client, run_candidate, tasks, shared)
        tuned = _tuned(tasks, done, tuning, halves)
        winners = tuned.groupby("family", sort=False)["tuning_loss"].idxmin()
        runs = {family: done[winners[family]] for family in systems}
        expected = {family: _filled(run.expected) for family, run in runs.items()}
        losses = np.stack([log_losses(expected[f][test], halves[test]) for f in systems], axis=1)
        names = pd.DataFrame({"candidate": [runs[f].system for f in systems]})
        drawn: dict[str, Replicates] = {}
        for kind in by:
            parts = paired_by(kind, losses, history, test)
            if parts is None:
                raise ParameterError("by-of-systems", kind=kind)
            drawn[kind] = clusters.draw_on(client, parts, names, replicates, seed)
    draw_models = (
        {f: fit_draws(expected[f][tuning], halves[tuning]) for f in systems} if (halves == 1).any() else {}
    )
    differences = drawn[by[0]].differences()
    rows = [
        {
            "family": family,
            "candidate": runs[family].system,
            "tuning_loss": tuned["tuning_loss"][winners[family]],
        }
        | _measures(expected[family][test], halves[test], draw_models.get(family))
        | _stability(runs[family])
        | {name: differences[name].iloc[lane] for name in ("difference", "low", "high", "evidence")}
        | {"predicted": float(np.isfinite(runs[family].expected[test]).mean())}
        for lane, family in enumerate(systems)
    ]
    result = pd.DataFrame(rows).sort_values("log_loss", kind="stable").reset_index(drop=True)
    calibrations = {
        runs[f].system: calibration(expected[f][test], halves[test]) for f in systems if f != "guess"
    }
    settings = {
        "games": history.source, "systems": list(systems), "advantage": advantage, "period": history.period_length,
        "tune_from": history.label(begin), "test_from": history.label(split), "known_games": known_games, "rules": rules,
        "start": start, "by": list(by), "replicates": replicates, "seed": seed,
    }  # fmt: skip
    tables = {
        "systems": result,
        "tuning": tuned,
        "periods": _by_period(history, systems, runs, expected, test),
        "replicates": pd.concat([one.tidy() for one in drawn.values()], ignore_index=True),
        "calibration": pd.concat(
            [bins.assign(candidate=name) for name, bins in calibrations.items()], ignore_index=True
        ),
    }
    words, evidence = _verdict(result, int(test.sum()), drawn[by[0]])
    frame = Frame("compare-systems", settings, history, tables, words, evidence)
    return CompareSystems(frame, result, runs, drawn, draw_models, calibrations, tuned)


def _known(history: History, games: int) -> np.ndarray:
    """Mask of the games whose two players have played so many before."""
    if not games:
        return np.ones(len(history), bool)
    first, second = games_before(history.first, history.second, history.period, len(history.players), True)
    return (first >= games) & (second >= games)


def _tuned(tasks: Sequence[Any], done: Sequence[Run], tuning: np.ndarray, halves: np.ndarray) -> pd.DataFrame:
    """The loss of every candidate on the tuning games, in the order of the tasks."""
    losses = [float(log_losses(_filled(run.expected[tuning]), halves[tuning]).mean()) for run in done]
    families = [family for family, _ in tasks]
    return pd.DataFrame(
        {"family": families, "candidate": [run.system for run in done], "tuning_loss": losses}
    )


def _measures(p: np.ndarray, halves: np.ndarray, draws: DrawModel | None) -> dict[str, Any]:
    """How good the predictions of the test games were; the three-way loss where draws are modelled."""
    slope, brier = calibration_slope(p, halves), murphy(p, halves)
    three_way = {} if draws is None else {"three_way": float(three_way_losses(draws.of(p), halves).mean())}
    return (
        summary(p, halves)
        | three_way
        | {"slope": slope.slope, "slope_error": slope.slope_error}
        | {name: brier[name] for name in ("reliability", "resolution")}
    )


def _stability(run: Run) -> dict[str, float]:
    """The median change between snapshots, NaN without them."""
    return {"median_change": np.nan if run.snapshots is None else stability(run.snapshots)["median_change"]}


def _filled(expected: np.ndarray) -> np.ndarray:
    """A system that cannot predict a game predicts one half: leaving it out would spare it the hard games."""
    return np.where(np.isfinite(expected), expected, 0.5)


def _by_period(
    history: History,
    systems: Sequence[str],
    runs: dict[str, Run],
    expected: dict[str, np.ndarray],
    test: np.ndarray,
) -> pd.DataFrame:
    year = (
        history.period
        if history.period_length == "given"
        else 1970 + history.day.astype("datetime64[D]").astype("datetime64[Y]").astype(int)
    )
    pieces = []
    for family in systems:
        loss = log_losses(expected[family][test], history.half_points[test])
        own = (
            pd.DataFrame({"year": year[test], "log_loss": loss})
            .groupby("year")["log_loss"]
            .agg(["mean", "size"])
            .reset_index()
        )
        pieces.append(
            own.rename(columns={"mean": "log_loss", "size": "games"}).assign(candidate=runs[family].system)
        )
    return pd.concat(pieces, ignore_index=True)


def _verdict(rows: pd.DataFrame, games: int, drawn: Replicates) -> tuple[tuple[str, str], str]:
    best, second = rows.iloc[0], rows.iloc[min(1, len(rows) - 1)]
    equal = rows.loc[(rows["evidence"] == "none") & (rows.index > 0), "candidate"].tolist()
    values = {
        "best": said(best["candidate"]), "second": said(second["candidate"]), "games": f"{games:,}", "difference": f"{1000 * second['difference']:.2f}",
        "loss": f"{best['log_loss']:.5f}", "equal": [said(one) for one in equal],
    }  # fmt: skip
    if not drawn.supported:
        return say("systems_unsupported", **values, clusters=drawn.clusters), "none"
    return (
        (say("systems_no_evidence", **values), "none") if equal else (say("systems_clear", **values), "clear")
    )
