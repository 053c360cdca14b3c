"""What the report on rating systems shows, one function a cell."""

from __future__ import annotations

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.report.kit import figures, prose
from qiyi_analysis.report.kit.prose import Piece
from qiyi_analysis.report.kit.tables import Table
from qiyi_analysis.report.sections.study_page import column, section, table
from qiyi_analysis.research.studies.compare_systems import CompareSystems
from qiyi_analysis.research.studies.study import say, spoken
from qiyi_analysis.research.systems.system_names import family as family_name
from qiyi_analysis.research.systems.system_names import said


def _names(study: CompareSystems, language: str) -> list[str]:
    """The systems in their order, as they are called in the language."""
    return [words.shown(said(name), language) for name in study.systems["candidate"]]


def ranking(study: CompareSystems, language: str) -> Table:
    """All systems on the test games, best first."""
    rows = study.systems.assign(
        difference=1000 * study.systems["difference"], low=1000 * study.systems["low"], high=1000 * study.systems["high"],
        says=[spoken(f"evidence_{word}", language) for word in study.systems["evidence"]],
        candidate=_names(study, language),
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
    return table(
        "measures", columns, study.systems.assign(candidate=_names(study, language)), language, keep=1
    )


def differences(study: CompareSystems, language: str) -> figures.Figure:
    """Differences to the best system with their intervals."""
    kind = next(iter(study.replicates))
    rows = study.systems
    return figures.intervals(
        _names(study, language), 1000 * rows["difference"], 1000 * rows["low"], 1000 * rows["high"],
        x_label=say("difference_axis"), caption=say("systems_caption", by=words.said(f"research.by_{kind}")),
        alt=say("systems_alt", best=said(rows["candidate"].iloc[0])), language=language, reference=0.0,
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
        bins["expected"], bins["score"], low=bins["low"], high=bins["high"], name=family_name(short, language),
        others={family_name(family, language): (study.calibrations[name]["expected"], study.calibrations[name]["score"]) for name, family in others},
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
        series[family_name(family, language)] = (own.index.to_numpy(float), 1000 * (own - base).to_numpy())
    return figures.lines(
        series, x_label=say("year_axis"), y_label=spoken("difference_axis", language), caption=say("by_year_caption", best=said(best)),
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
