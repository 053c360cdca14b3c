"""The study of rating systems: each tuned on the same years, all judged on the same later games.

Candidates of a family are run over a small grid; the family's best on the tuning games is its entry on the test games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.errors import ParameterError
from qiyi_analysis.research import cluster as clusters
from qiyi_analysis.research.compare_k import SHIPPED, parts_of
from qiyi_analysis.research.draws import DrawModel, fit_draws
from qiyi_analysis.research.history import History
from qiyi_analysis.research.inflation import stability
from qiyi_analysis.research.known_loop import games_before
from qiyi_analysis.research.metrics import (
    calibration,
    calibration_slope,
    log_losses,
    murphy,
    summary,
    three_way_losses,
)
from qiyi_analysis.research.resampling import Replicates, paired_clusters, paired_players
from qiyi_analysis.research.study_page import Frame, load_games, say
from qiyi_analysis.research.system_candidates import FAMILIES, USUAL, grid_of, run_candidate
from qiyi_analysis.research.systems import Run


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
    known = np.ones(len(history), bool)
    if known_games:
        first, second = games_before(
            history.first, history.second, history.period, len(history.players), True
        )
        known = (first >= known_games) & (second >= known_games)
    tuning, test = (
        known & (history.period >= begin) & (history.period < split),
        known & (history.period >= split),
    )
    if not tuning.any() or not test.any():
        raise ParameterError("compare-systems-empty", games=known_games)
    tasks = [
        (family, setting) for family in systems for setting in grid_of(family, advantage, start, rules, begin)
    ]
    with clusters.connected(cluster or None, workers) as client:
        shared: Any = (
            history
            if client is None
            else client.submit(clusters._same, history, retries=clusters.RETRIES, pure=False)
        )
        done = clusters.map_tasks(client, run_candidate, tasks, shared)
        halves = history.half_points
        tuned = pd.DataFrame(
            {
                "family": [family for family, _ in tasks],
                "candidate": [run.system for run in done],
                "tuning_loss": [
                    float(log_losses(_filled(run.expected[tuning]), halves[tuning]).mean()) for run in done
                ],
            }
        )
        winners = tuned.groupby("family", sort=False)["tuning_loss"].idxmin()
        runs = {family: done[winners[family]] for family in systems}
        expected = {family: _filled(run.expected) for family, run in runs.items()}
        losses = np.stack([log_losses(expected[f][test], halves[test]) for f in systems], axis=1)
        names = pd.DataFrame({"candidate": [runs[f].system for f in systems]})
        drawn: dict[str, Replicates] = {}
        for kind in by:
            if kind == "player":
                parts = paired_players(
                    losses, history.first[test], history.second[test], len(history.players)
                )
            elif kind in ("period", "game"):
                label = history.period[test] if kind == "period" else np.arange(int(test.sum()))
                parts = paired_clusters(losses, label, kind)
            elif kind == "event" and history.event is not None:
                parts = paired_clusters(losses, history.event[test], kind)
            else:
                raise ParameterError("by-of-systems", kind=kind)
            drawn[kind] = clusters.draw_on(client, parts, names, replicates, seed)
    draw_models = (
        {f: fit_draws(expected[f][tuning], halves[tuning]) for f in systems} if (halves == 1).any() else {}
    )
    first_kind = by[0]
    rows = []
    for lane, family in enumerate(systems):
        p, h = expected[family][test], halves[test]
        slope = calibration_slope(p, h)
        row: dict[str, Any] = {
            "family": family,
            "candidate": runs[family].system,
            "tuning_loss": tuned["tuning_loss"][winners[family]],
            **summary(p, h),
        }
        if family in draw_models:
            row["three_way"] = float(three_way_losses(draw_models[family].of(p), h).mean())
        parts_of_brier = murphy(p, h)
        row |= {
            "slope": slope.slope,
            "slope_error": slope.slope_error,
            "reliability": parts_of_brier["reliability"],
            "resolution": parts_of_brier["resolution"],
        }
        snapshots = runs[family].snapshots
        row["median_change"] = stability(snapshots)["median_change"] if snapshots is not None else np.nan
        own = drawn[first_kind].differences().iloc[lane]
        row |= {name: own[name] for name in ("difference", "low", "high", "evidence")}
        row["predicted"] = float(np.isfinite(runs[family].expected[test]).mean())
        rows.append(row)
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
    words, evidence = _verdict(result, int(test.sum()), drawn[first_kind])
    return CompareSystems(
        Frame("compare-systems", settings, history, tables, words, evidence),
        result,
        runs,
        drawn,
        draw_models,
        calibrations,
        tuned,
    )


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
        "best": best["candidate"], "second": second["candidate"], "games": f"{games:,}", "difference": f"{1000 * second['difference']:.2f}",
        "loss": f"{best['log_loss']:.5f}", "equal": equal,
    }  # fmt: skip
    if not drawn.supported:
        return say("systems_unsupported", **values, clusters=drawn.clusters), "none"
    return (
        (say("systems_no_evidence", **values), "none") if equal else (say("systems_clear", **values), "clear")
    )
