"""The study of rating systems: each tuned on the same years, all judged on the same later games.

Candidates of a family are run over a small grid; the family's best on the tuning games is its entry on the test games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import figures, prose
from qiyi_analysis.errors import ParameterError
from qiyi_analysis.prose import Piece
from qiyi_analysis.research import cluster as clusters
from qiyi_analysis.research.compare_k import SHIPPED, _parts
from qiyi_analysis.research.draws import DrawModel, fit_draws
from qiyi_analysis.research.history import History
from qiyi_analysis.research.inflation import stability
from qiyi_analysis.research.k_schedule import by_games
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
from qiyi_analysis.research.study_page import Frame, column, load_games, say, section, spoken, table
from qiyi_analysis.research.systems import Run, elo, fide, glicko, glicko2, stephenson
from qiyi_analysis.tables import Table

FAMILIES = (
    "elo",
    "elo-game",
    "elo-games",
    "elo-normal",
    "fide",
    "glicko",
    "glicko2",
    "stephenson",
    "whr",
    "static",
    "guess",
)
#: Families without the two that are fitted anew every year.
USUAL = ("elo", "elo-game", "elo-games", "elo-normal", "fide", "glicko", "glicko2", "stephenson", "guess")


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
    cluster: str = "",
    workers: int = 0,
    history: History | None = None,
) -> CompareSystems:
    """Run the study; parameters as in ``compare_k``. advantage: points of the first move, the same for every system.

    Raises ParameterError for an unknown family.
    """
    unknown = [name for name in systems if name not in FAMILIES]
    if unknown:
        raise ParameterError(f"systems: {', '.join(unknown)}; expected some of {', '.join(FAMILIES)}")
    if history is None:
        history = load_games(
            games,
            period,
            columns=columns,
            players=players,
            partial_dates=partial_dates,
            duplicates=duplicates,
            discipline=discipline,
        )
        if not games:
            tune_from, test_from = tune_from or SHIPPED["tune_from"], test_from or SHIPPED["test_from"]
    begin, split = _parts(history, tune_from, test_from)
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
        raise ParameterError(
            f"compare-systems: no games with {known_games} earlier games of both players; expected fewer"
        )
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
                raise ParameterError(
                    f"by: {kind!r}; expected player, period, game, or event where the games name events"
                )
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


def grid_of(family: str, advantage: float, start: float, rules: str, begin: int) -> list[dict[str, Any]]:
    """The settings of a family that are tried on the tuning games."""
    common = {"advantage": advantage, "start": start}
    match family:
        case "elo":
            return [common | {"k": k, "update": "period"} for k in (8, 12, 16, 20, 24, 28, 32, 40, 50)]
        case "elo-game":
            return [common | {"k": k, "update": "game"} for k in (8, 12, 16, 20, 24, 28, 32, 40, 50)]
        case "elo-games":
            return [
                common | {"newcomers": a, "k": b, "update": "period"}
                for a in (24, 32, 40, 60)
                for b in (12, 16, 20, 24, 28)
                if a > b
            ]
        case "elo-normal":
            return [common | {"k": k, "update": "period"} for k in (12, 16, 20, 24, 28, 32, 40)]
        case "fide":
            return [common | {"rules": rules}]
        case "glicko":
            return [common | {"c": c, "deviation": d} for c in (5, 10, 15, 25) for d in (150, 250, 350)]
        case "glicko2":
            return [
                common | {"tau": tau, "deviation": d, "volatility": v}
                for tau in (0.3, 0.6)
                for d in (150, 250, 350)
                for v in (0.03, 0.06)
            ]
        case "stephenson":
            return [
                common | {"c": c, "h": h, "pull": pull, "deviation": d}
                for c in (5, 10)
                for h in (0, 10)
                for pull in (0.0, 0.02, 0.05)
                for d in (150, 300)
            ]
        case "whr":
            return [{"advantage": advantage, "w2": w2, "begin": begin} for w2 in (5.0, 14.0, 40.0)]
        case "static":
            return [{"advantage": advantage, "years": years, "begin": begin} for years in (3, 6)]
    return [{}]


def run_candidate(task: tuple[str, dict[str, Any]], history: History) -> Run:
    """Run one candidate (what a cluster distributes)."""
    family, setting = task
    values = dict(setting)
    snapshots = "given" if history.period_length == "given" else "year"
    match family:
        case "elo":
            return elo(history, values.pop("k"), snapshots=snapshots, name=f"Elo K {setting['k']}", **values)
        case "elo-game":
            return elo(
                history, values.pop("k"), snapshots=snapshots, name=f"Elo K {setting['k']} per game", **values
            )
        case "elo-games":
            schedule = by_games([30], [values.pop("newcomers"), values.pop("k")])
            return elo(history, schedule, snapshots=snapshots, name=f"Elo {schedule.name}", **values)
        case "elo-normal":
            return elo(
                history,
                values.pop("k"),
                law="normal",
                snapshots=snapshots,
                name=f"Elo normal K {setting['k']}",
                **values,
            )
        case "fide":
            return fide(history, values.pop("rules"), **values)
        case "glicko":
            name = f"Glicko c {setting['c']} RD {setting['deviation']}"
            return glicko(history, snapshots=snapshots, name=name, **values)
        case "glicko2":
            name = f"Glicko-2 tau {setting['tau']} RD {setting['deviation']} vol {setting['volatility']}"
            return glicko2(history, snapshots=snapshots, name=name, **values)
        case "stephenson":
            name = f"Stephenson c {setting['c']} h {setting['h']} pull {setting['pull']} RD {setting['deviation']}"
            return stephenson(history, snapshots=snapshots, name=name, **values)
        case "whr":
            return refitted(history, "whr", **values)
        case "static":
            return refitted(history, "static", **values)
    share = float(history.half_points.mean()) / 2
    return Run(
        "guess 0.5",
        {},
        np.full(len(history), 0.5),
        pd.DataFrame({"player": history.players["player"], "rating": share * 0 + 1500.0, "games": 0}),
    )


def refitted(
    history: History, what: str, *, advantage: float, begin: int, w2: float = 14.0, years: int = 6
) -> Run:
    """A system that is fitted to the whole past: anew at the start of every year, so that a game of that year is
    predicted from the years before (ratings inside the year do not move)."""
    from qiyi_analysis.research.static_fits import bradley_terry
    from qiyi_analysis.research.whr import whr_predictions

    yearly = history if history.period_length == "given" else history.with_periods("year")
    start = int(yearly.period[np.searchsorted(history.period, begin)])
    players = pd.DataFrame({"player": history.players["player"], "rating": np.nan, "games": 0})
    if what == "whr":
        expected = whr_predictions(yearly, w2=w2, advantage=advantage, refit_from=start)
        return Run(f"WHR w2 {w2:g}", {"w2": w2}, expected, players)
    expected = np.full(len(history), np.nan)
    for period in np.unique(yearly.period[yearly.period >= start]):
        past = (yearly.period < period) & (yearly.period >= period - years)
        now = yearly.period == period
        if not past.any():
            continue
        fit = bradley_terry(yearly.subset(past), advantage=advantage, tolerance=1e-6)
        three = fit.predict(history.first[now], history.second[now])
        expected[now] = three[:, 2] + 0.5 * three[:, 1]
    return Run(f"Bradley-Terry {years} years", {"years": years}, expected, players)


# ------------------------------------------------------------------------------------------- what is shown


def ranking(study: CompareSystems, language: str) -> Table:
    """All systems on the test games, best first."""
    rows = study.systems.assign(
        difference=1000 * study.systems["difference"], low=1000 * study.systems["low"], high=1000 * study.systems["high"],
        says=[spoken(f"evidence_{word}", language) for word in study.systems["evidence"]],
    )  # fmt: skip
    columns = (
        column("candidate"), column("log_loss", "decimal", 5), column("difference", "signed", 2), column("low", "signed", 2),
        column("high", "signed", 2), column("says"),
    )  # fmt: skip
    kind = next(iter(study.replicates))
    notes = [
        spoken("systems_note", language, by=spoken(f"by_{kind}", language), games=int(rows["games"].iloc[0]))
    ]
    marks = ["strong" if word == "none" else "" for word in rows["evidence"]]
    return table("systems", columns, rows, language, notes, marks=marks, keep=1)


def measures(study: CompareSystems, language: str) -> Table:
    """The other metrics: draws as results of their own, Brier and its parts, calibration slope, stability."""
    columns = [
        column("candidate"),
        column("tuning_loss", "decimal", 5),
        column("brier", "decimal", 5),
        column("accuracy", "percent", 1),
    ]
    if "three_way" in study.systems:
        columns.append(column("three_way", "decimal", 5))
    columns += [
        column("slope", "decimal", 3),
        column("slope_error", "decimal", 3),
        column("reliability", "decimal", 5),
    ]
    columns += [column("resolution", "decimal", 5), column("median_change", "decimal", 1)]
    return table("measures", columns, study.systems, language, keep=1)


def differences(study: CompareSystems, language: str) -> figures.Figure:
    """Differences to the best system with their intervals."""
    kind = next(iter(study.replicates))
    rows = study.systems
    return figures.intervals(
        rows["candidate"].tolist(), 1000 * rows["difference"], 1000 * rows["low"], 1000 * rows["high"],
        x_label=say("difference_axis"), caption=say("systems_caption", by=spoken(f"by_{kind}", language)),
        alt=say("systems_alt", best=rows["candidate"].iloc[0]), language=language, reference=0.0,
    )  # fmt: skip


def calibrated(study: CompareSystems, language: str) -> figures.Figure:
    """Calibration of the best three systems."""
    best = [
        (name, family)
        for name, family in study.systems[["candidate", "family"]].itertuples(index=False)
        if name in study.calibrations
    ][:3]
    (first, short), *others = best
    bins = study.calibrations[first]
    return figures.calibration(
        bins["expected"], bins["score"], low=bins["low"], high=bins["high"], name=short,
        others={family: (study.calibrations[name]["expected"], study.calibrations[name]["score"]) for name, family in others},
        caption=say("calibration_caption"), alt=say("calibration_alt"), language=language,
    )  # fmt: skip


def by_year(study: CompareSystems, language: str) -> figures.Figure:
    """Loss by year above the best system's, so that one lucky year is seen."""
    rows = study.frame.tables["periods"]
    best = study.systems["candidate"].iloc[0]
    base = rows[rows["candidate"] == best].set_index("year")["log_loss"]
    series = {}
    for name, family in study.systems[["candidate", "family"]].iloc[1:5].itertuples(index=False):
        own = rows[rows["candidate"] == name].set_index("year")["log_loss"]
        series[family] = (own.index.to_numpy(float), 1000 * (own - base).to_numpy())
    return figures.lines(
        series, x_label=say("year_axis"), y_label=spoken("difference_axis", language), caption=say("by_year_caption", best=best),
        alt=say("by_year_alt"), language=language, zero=True,
    )  # fmt: skip


def draws(study: CompareSystems, language: str) -> Piece:
    """The draw model of the best system, and what it says for players of equal and unequal strength."""
    if not study.draw_models:
        return prose.prose(spoken("no_draws", language))
    family = next(f for f in study.systems["family"] if f in study.draw_models)
    model = study.draw_models[family]
    grid = np.array([0.5, 0.6, 0.7, 0.8, 0.9])
    three = model.of(grid)
    rows = pd.DataFrame({"expected": grid, "wins": three[:, 2], "draws": three[:, 1], "losses": three[:, 0]})
    columns = (
        column("expected", "decimal", 2),
        column("wins", "percent"),
        column("draws", "percent"),
        column("losses", "percent"),
    )
    notes = [spoken("draw_note", language, nu=f"{model.parameter:.3f}", scale=f"{model.scale:.3f}")]
    return prose.group(
        section("draws", language), table("draws", columns, rows, language, notes), language=language
    )


def assumptions(study: CompareSystems, language: str) -> list[str]:
    """What the numbers rest on."""
    keys = ["only_the_past", "same_games", "clamp", "paired", "clusters", "grid", "refit"]
    values = {"clamp": 0.01, "known": study.frame.settings["known_games"]}
    return [spoken(f"assumption_{key}", language, **values) for key in keys]


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
        "loss": f"{best['log_loss']:.5f}", "equal": ", ".join(equal),
    }  # fmt: skip
    if not drawn.supported:
        return say("systems_unsupported", **values, clusters=drawn.clusters), "none"
    return (
        (say("systems_no_evidence", **values), "none") if equal else (say("systems_clear", **values), "clear")
    )
