"""The study of rating systems: each tuned on the same years, all judged on the same later games.

The parameters of every family, the first move among them, are searched for on the tuning games within bounds that are
said; the family that was best there is what the others are compared with on the test games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import Games, as_history
from qiyi_analysis.research.studies import cluster as clusters
from qiyi_analysis.research.studies.inference import Losses, of_games
from qiyi_analysis.research.studies.inflation import stability
from qiyi_analysis.research.studies.metrics import (
    calibration,
    calibration_slope,
    log_losses,
    murphy,
    summary,
    three_way_losses,
)
from qiyi_analysis.research.studies.study import Study, known_mask, parts_of, say, sequence, snapshot_length
from qiyi_analysis.research.systems.draws import DrawModel, fit_draws
from qiyi_analysis.research.systems.runs import Run
from qiyi_analysis.research.systems.system_candidates import ADVANTAGE, FAMILIES, USUAL, Choices
from qiyi_analysis.research.systems.system_names import said
from qiyi_analysis.research.systems.tuning import Bound, Tuned, tuned


@dataclass(frozen=True, kw_only=True)
class SystemSettings:
    """What is asked of the study.

    systems: families (``system_candidates.FAMILIES``); advantage: bounds of the first move, tuned for each of them; bounds:
    family -> parameter -> (low, high) in place of the usual ones. refit: how often whole-history systems are fitted again
    ("year", "quarter", "month"). start: rating before the first game; rules: the edition of ``fide``. known_games: earlier
    games both players need. tune_from, test_from: dates.
    """

    systems: Sequence[str] = USUAL
    advantage: Sequence[float] | float = (ADVANTAGE.low, ADVANTAGE.high)
    bounds: Mapping[str, Mapping[str, Sequence[float]]] | None = None
    tune_from: str = ""
    test_from: str = ""
    known_games: int = 0
    rules: str = "fide/rating-standard/2024-03-01"
    start: float = 1500.0
    refit: str = "year"
    cluster: str = ""
    workers: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "advantage", sequence("advantage", self.advantage))
        if unknown := [name for name in self.systems if name not in FAMILIES]:
            raise ParameterError("systems-unknown", unknown=unknown, known=list(FAMILIES))
        if not self.systems:
            raise ParameterError("systems-unknown", unknown="", known=list(FAMILIES))

    def of(self, family: str) -> dict[str, Bound]:
        """The bounds of a family's parameters, the first move first."""
        low, high = min(self.advantage), max(self.advantage)  # type: ignore[arg-type]
        found = {"advantage": Bound(low, high, ADVANTAGE.begin)} | dict(FAMILIES[family].bounds)
        if family == "guess":
            return {}
        for name, ends in (self.bounds or {}).get(family, {}).items():
            if name not in found:
                raise ParameterError("not-one-of", name=f"bounds.{family}", value=name, choices=list(found))
            low, high = sequence(name, ends)
            found[name] = replace(
                found[name], low=low, high=high, begin=min(max(found[name].begin, low), high)
            )
        return found


@dataclass(frozen=True, kw_only=True, repr=False)
class CompareSystems(Study):
    """runs, tuned: by family; losses: of the test games, a column per family in the order of ``runs``; draw_models: by family,
    fitted on the tuning games; chosen: the family that was best on the tuning games."""

    runs: dict[str, Run]
    tuned: dict[str, Tuned]
    losses: Losses
    draw_models: dict[str, DrawModel]
    chosen: str

    def plot(self, ax: Any = None) -> Any:
        """Differences to the chosen system, × 1000, with 95 % intervals, on matplotlib axes."""
        from matplotlib.figure import Figure

        ax = ax or Figure().subplots()
        rows = self.tables["systems"]
        half = 1000 * (rows["high"] - rows["low"]) / 2
        ax.errorbar(1000 * rows["difference"], range(len(rows)), xerr=half, fmt="D")
        ax.set(
            yticks=range(len(rows)),
            yticklabels=rows["candidate"],
            xlabel="1000 × loss above the chosen system",
        )
        ax.invert_yaxis()
        return ax


def compare_systems(
    games: Games = "", settings: SystemSettings | None = None, **changes: Any
) -> CompareSystems:
    """Run the study.

    Parameters
    ----------
    games : a History, a table with one row per game, a file; "" for the shipped xiangqi masters.
    settings, changes : a SystemSettings, and fields of it to set otherwise.

    Returns a CompareSystems. Raises ParameterError for an unknown family and where a part of the games is empty.

    >>> from qiyi_analysis import research
    >>> research.compare_systems(systems=["elo", "glicko"]).to_frame()  # doctest: +SKIP

    Formulas and bounds: ``docs/methods.md``, Systems.
    """
    wanted = replace(settings or SystemSettings(), **changes)
    history = as_history(games)
    begin, split = parts_of(history, wanted.tune_from, wanted.test_from)
    known = known_mask(history, wanted.known_games)
    tuning, test = (
        known & (history.period >= begin) & (history.period < split),
        known & (history.period >= split),
    )
    if not tuning.any() or not test.any():
        raise ParameterError("compare-systems-empty", games=wanted.known_games)
    choices = Choices(wanted.start, wanted.rules, begin, wanted.refit)
    with clusters.connected(wanted.cluster or None, wanted.workers) as client:
        shared: Any = (
            history
            if client is None
            else client.submit(clusters._same, history, retries=clusters.RETRIES, pure=False)
        )
        tasks = [(family, wanted.of(family)) for family in wanted.systems]
        done = clusters.map_tasks(client, _tuned_run, tasks, shared, choices, tuning, split)
    found = {family: one for family, (one, _) in zip(wanted.systems, done, strict=True)}
    runs = {family: run for family, (_, run) in zip(wanted.systems, done, strict=True)}
    expected = {family: filled(run.expected) for family, run in runs.items()}
    halves = history.half_points
    stacked = np.stack([log_losses(p[test], halves[test]) for p in expected.values()], axis=1)
    losses = of_games(stacked, [run.system for run in runs.values()], history, test)
    chosen = min(found, key=lambda family: found[family].loss)
    models = {f: fit_draws(expected[f][tuning], halves[tuning]) for f in runs} if (halves == 1).any() else {}
    rows = _rows(history, runs, found, expected, models, losses, list(runs).index(chosen), test)
    verdict, evidence = _verdict(rows, losses, runs[chosen].system)
    tables = {
        "systems": rows,
        "tuning": _tuning(found, runs, wanted),
        "periods": _by_period(history, runs, expected, test),
        "calibration": pd.concat(
            [
                calibration(expected[f], history, test).assign(candidate=runs[f].system)
                for f in runs
                if f != "guess"
            ]
            or [pd.DataFrame()],
            ignore_index=True,
        ),
    }
    asked = {
        **asdict(wanted), "games": history.source, "period": history.period_length, "tune_from": history.label(begin),
        "test_from": history.label(split),
    }  # fmt: skip
    return CompareSystems(
        study="compare-systems", settings=asked, history=history, tables=tables, verdict=verdict, evidence=evidence, runs=runs,
        tuned=found, losses=losses, draw_models=models, chosen=chosen,
    )  # fmt: skip


def _tuned_run(
    task: tuple[str, dict[str, Bound]], history: History, choices: Choices, tuning: np.ndarray, split: int
) -> tuple[Tuned, Run]:
    """Tune a family on the games before the test, and run it over all (what a cluster distributes)."""
    name, bounds = task
    family = FAMILIES[name]
    before = history.period < split
    part, inside = history.subset(before), tuning[before]
    halves = part.half_points[inside]

    def loss(values: dict[str, float]) -> float:
        expected = family.run(part, values, choices).expected
        return float(log_losses(filled(expected[inside]), halves).mean())

    found = tuned(loss, bounds, family.evaluations)
    return found, family.run(
        history, dict(found.values), replace(choices, snapshots=snapshot_length(history))
    )


def filled(expected: np.ndarray) -> np.ndarray:
    """A system that cannot predict a game predicts one half: leaving it out would spare it the hard games."""
    return np.where(np.isfinite(expected), expected, 0.5)


def _rows(history, runs, found, expected, models, losses: Losses, chosen: int, test) -> pd.DataFrame:
    """One row per family, the lowest loss first."""
    differences = losses.differences(chosen)
    halves, rows = history.half_points[test], []
    for lane, (family, run) in enumerate(runs.items()):
        p = expected[family][test]
        slope, brier = calibration_slope(expected[family], history, test), murphy(p, halves)
        row = {
            "family": family,
            "candidate": run.system,
            "tuning_loss": found[family].loss,
            **summary(p, halves),
        }
        if family in models:
            row["three_way"] = float(three_way_losses(models[family].of(p), halves).mean())
        row |= {"slope": slope.slope, "slope_error": slope.slope_error}
        row |= {name: brier[name] for name in ("reliability", "resolution")}
        row["median_change"] = np.nan if run.snapshots is None else stability(run.snapshots)["median_change"]
        row |= {
            name: differences[name].iloc[lane] for name in ("difference", "low", "high", "error", "evidence")
        }
        rows.append(
            row
            | {
                "edges": " ".join(found[family].edges),
                "predicted": float(np.isfinite(run.expected[test]).mean()),
            }
        )
    return pd.DataFrame(rows).sort_values("log_loss", kind="stable").reset_index(drop=True)


def _tuning(found: Mapping[str, Tuned], runs: Mapping[str, Run], wanted: SystemSettings) -> pd.DataFrame:
    """One row per family and parameter: value, bounds, whether it ended at one of them; the loss and runs of the search."""
    rows = []
    for family, one in found.items():
        bounds = wanted.of(family)
        rows += [
            {
                "family": family, "candidate": runs[family].system, "parameter": name, "value": value, "low": bounds[name].low,
                "high": bounds[name].high, "edge": name in one.edges, "tuning_loss": one.loss, "evaluations": one.evaluations,
            }
            for name, value in one.values.items()
        ]  # fmt: skip
    return pd.DataFrame(rows)


def _by_period(history: History, runs: Mapping[str, Run], expected, test: np.ndarray) -> pd.DataFrame:
    """candidate, year, log_loss, games of the test games."""
    year = (
        history.period
        if history.period_length == "given"
        else 1970 + history.day.astype("datetime64[D]").astype("datetime64[Y]").astype(int)
    )
    rows = pd.concat(
        [
            pd.DataFrame(
                {
                    "candidate": run.system,
                    "year": year[test],
                    "log_loss": log_losses(expected[f][test], history.half_points[test]),
                }
            )
            for f, run in runs.items()
        ]
    )
    grouped = rows.groupby(["candidate", "year"], sort=False)["log_loss"].agg(["mean", "size"]).reset_index()
    return grouped.rename(columns={"mean": "log_loss", "size": "games"})


def _verdict(rows: pd.DataFrame, losses: Losses, chosen: str) -> tuple[tuple[str, str], str]:
    own = rows[rows["candidate"] == chosen].iloc[0]
    others = rows[rows["candidate"] != chosen]
    values = {
        "best": said(chosen), "games": f"{losses.games:,}", "loss": f"{own['log_loss']:.5f}",
        "worse": [said(one) for one in others.loc[others["evidence"] == "worse", "candidate"]],
        "better": [said(one) for one in others.loc[others["evidence"] == "better", "candidate"]],
        "equal": [said(one) for one in others.loc[others["evidence"] == "none", "candidate"]],
    }  # fmt: skip
    if len(others) and not np.isfinite(others["low"]).any():
        return say("systems_unsupported", **values), "none"
    if len(values["better"]):
        return say("systems_better", **values), "clear"
    if len(values["equal"]):
        return say("systems_no_evidence", **values), "none"
    return say("systems_clear", **values), "clear"
