"""What the report on K-factors shows, one function a cell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.report.kit import figures, prose
from qiyi_analysis.report.kit.prose import Piece
from qiyi_analysis.report.kit.tables import Table
from qiyi_analysis.report.sections.study_page import column, section, table
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.studies.compare_k import CompareK, snapshot_length
from qiyi_analysis.research.studies.inflation import anchor_cohort, gains, levels
from qiyi_analysis.research.studies.scoring_2007 import scoring_tables
from qiyi_analysis.research.studies.study import say, spoken


def curve(study: CompareK, language: str) -> figures.Figure:
    """Loss of every K above the best one, with the intervals of the difference."""
    ks = study.test.candidates["k"].to_numpy(float)
    series, bands = {}, {}
    for kind, drawn in study.replicates.items():
        rows = drawn.differences()
        name = spoken(f"by_{kind}", language)
        series[name] = (ks, 1000 * rows["difference"].to_numpy())
        bands[name] = (1000 * _finite(rows["low"]), 1000 * _finite(rows["high"]))
    best = float(ks[study.test.best()])
    return figures.lines(
        series, x_label="K", y_label=say("difference_axis"), caption=say("curve_caption", k=f"{best:g}"),
        alt=say("curve_alt", k=f"{best:g}"), language=language, bands=bands, marked_x=best,
    )  # fmt: skip


def candidates(study: CompareK, language: str) -> Table:
    """Every K: metrics on the test games, difference to the best and its interval, evidence."""
    first = next(iter(study.replicates))
    rows = study.frame.tables["candidates"]
    rows = rows[rows["by"] == first].reset_index(drop=True)
    rows = rows.assign(
        difference=1000 * rows["difference"], low=1000 * rows["low"], high=1000 * rows["high"],
        says=[spoken(f"evidence_{word}", language) for word in rows["evidence"]],
    )  # fmt: skip
    columns = [column("k", "decimal", 1), column("log_loss", "decimal", 5), column("brier", "decimal", 5)]
    columns += [column("accuracy", "percent", 1)]
    if "three_way" in rows:
        columns.append(column("three_way", "decimal", 5))
    columns += [
        column("difference", "signed", 2),
        column("low", "signed", 2),
        column("high", "signed", 2),
        column("says"),
    ]
    marks = ["strong" if word == "none" else "" for word in rows["evidence"]]
    notes = [spoken("candidates_note", language, by=spoken(f"by_{first}", language), games=study.test.scored)]
    return table("candidates", columns, rows, language, notes, marks=marks)


def sureness(study: CompareK, language: str) -> Piece:
    """Best K with its interval by each kind of cluster, flat region, winner's bias, power."""
    rows = []
    for kind, drawn in study.replicates.items():
        low, high = drawn.best_interval()
        flat = drawn.candidates["k"].to_numpy(float)[drawn.flat_region()]
        level = drawn.level_interval(drawn.best())
        rows.append(
            {
                "by": spoken(f"by_{kind}", language), "clusters": drawn.clusters,
                "best": float(drawn.candidates["k"].iloc[drawn.best()]), "low": low, "high": high,
                "flat": f"{flat.min():g}–{flat.max():g}", "bias": 1000 * drawn.winners_bias(),
                "level": 1000 * (level[1] - level[0]) / 2,
            }
        )  # fmt: skip
    columns = (
        column("by"), column("clusters", "integer"), column("best", "decimal", 1), column("low", "decimal", 1), column("high", "decimal", 1),
        column("flat"), column("bias", "decimal", 3), column("level", "decimal", 1),
    )  # fmt: skip
    return prose.group(
        section("sureness", language),
        prose.prose(spoken("sureness", language)),
        table("sureness", columns, rows, language),
        prose.prose(_power_words(study, language)),
        language=language,
    )


def moves(study: CompareK, language: str) -> Table:
    """Accuracy beside stability: calibration slope, median change, rank changes of the K followed in detail."""
    columns = (
        column("name"), column("log_loss", "decimal", 5), column("slope", "decimal", 3), column("slope_error", "decimal", 3),
        column("median_change", "decimal", 1), column("p90_change", "decimal", 1), column("rank_change", "decimal", 1),
    )  # fmt: skip
    names = {name: _name(name, language) for name in study.detail["name"]}
    rows = study.detail.assign(name=study.detail["name"].map(names))
    return table(
        "stability",
        columns,
        rows,
        language,
        [spoken("stability_note", language, step=_step(study, language))],
    )


def calibrated(study: CompareK, language: str) -> Piece:
    """Calibration of the best K as a figure and a table, draws a result of their own."""
    bins = study.calibration
    picture = figures.calibration(
        bins["expected"], bins["score"], low=bins["low"], high=bins["high"], caption=say("calibration_caption"),
        alt=say("calibration_alt"), language=language, name=spoken("best_k", language),
    )  # fmt: skip
    columns = (
        column("bin", "integer"), column("games", "integer"), column("expected", "decimal", 3), column("score", "decimal", 3),
        column("low", "decimal", 3), column("high", "decimal", 3),
        column("losses", "percent"), column("draws", "percent"), column("wins", "percent"),
    )  # fmt: skip
    return prose.group(
        section("calibration", language),
        picture,
        table("calibration", columns, bins, language),
        language=language,
    )


def first_move(study: CompareK, language: str) -> Piece:
    """What the first move is worth, and whether the games support it."""
    rows = study.advantages.assign(
        difference=1000 * study.advantages["difference"], low=1000 * study.advantages["low"], high=1000 * study.advantages["high"],
        says=[spoken(f"evidence_{word}", language) for word in study.advantages["evidence"]],
    )  # fmt: skip
    columns = (
        column("advantage", "decimal", 0), column("log_loss", "decimal", 5), column("difference", "signed", 2),
        column("low", "signed", 2), column("high", "signed", 2), column("says"),
    )  # fmt: skip
    best = float(rows["advantage"].iloc[int(rows["log_loss"].argmin())])
    flat = rows.loc[rows["evidence"] == "none", "advantage"]
    words = spoken("first_move", language, best=f"{best:g}", low=f"{flat.min():g}", high=f"{flat.max():g}")
    return prose.group(
        section("first_move", language),
        prose.prose(words),
        table("advantages", columns, rows, language),
        language=language,
    )


def other_rules(study: CompareK, language: str) -> Piece:
    """K by number of games against one K, and the best K under other rating periods."""
    rows = study.schedules.assign(
        difference=1000 * study.schedules["difference"], low=1000 * study.schedules["low"], high=1000 * study.schedules["high"],
        says=[spoken(f"evidence_{word}", language) for word in study.schedules["evidence"]],
    )  # fmt: skip
    columns = (
        column("candidate"), column("log_loss", "decimal", 5), column("difference", "signed", 2), column("low", "signed", 2),
        column("high", "signed", 2), column("says"),
    )  # fmt: skip
    periods = study.updates.assign(
        update=[spoken(f"update_{word}", language) for word in study.updates["update"]]
    )
    update_columns = (
        column("update"),
        column("best", "decimal", 1),
        column("log_loss", "decimal", 5),
        column("games", "integer"),
    )
    return prose.group(
        section("other_rules", language),
        table("schedules", columns, rows, language, [spoken("schedules_note", language)]),
        table("updates", update_columns, periods, language, [spoken("updates_note", language)]),
        language=language,
    )


def groups(study: CompareK, language: str) -> Piece:
    """Best K by sub-group of games, and by the length of the warm-up."""
    rows, longer = study.frame.tables["subgroups"], study.frame.tables["warm-up"]
    pieces: list[Any] = [section("groups", language)]
    if len(rows):
        bands = {word: spoken(f"band_{word}", language) for word in ("equal", "unequal", "first", "second")}
        shown = rows.assign(
            group=[spoken(f"group_{word}", language) for word in rows["group"]],
            band=rows["band"].replace(bands),
        )
        columns = (
            column("group"), column("band"), column("games", "integer"), column("best", "decimal", 1), column("low", "decimal", 1),
            column("high", "decimal", 1), column("flat"),
        )  # fmt: skip
        pieces.append(table("subgroups", columns, shown, language, [spoken("subgroups_note", language)]))
    sizes = (
        column("begins"),
        column("games_before", "integer"),
        column("best", "decimal", 1),
        column("log_loss", "decimal", 5),
    )
    pieces.append(table("warm_up", sizes, longer, language, [spoken("warm_up_note", language)]))
    return prose.group(*pieces, language=language)


def inflation(study: CompareK, language: str) -> Piece:
    """Mean, quantiles and newcomers by year, the anchor cohort, points created, and who gains by a change of K."""
    history = _history(study)
    name = next(iter(study.runs))
    run = study.runs[name]
    assert run.snapshots is not None
    pool = levels(history, run.snapshots)
    anchor = anchor_cohort(history, run.snapshots)
    when = [history.year(period) for period in pool["period"]]
    picture = figures.lines(
        {spoken(key, language): (when, pool[key]) for key in ("q10", "q50", "mean", "q90", "top_mean")},
        x_label=say("year_axis" if history.period_length != "given" else "period_axis"), y_label=say("rating_axis"), caption=say("inflation_caption", name=words.Said(_name(name, "en"), _name(name, "zh"))),
        alt=say("inflation_alt"), language=language,
    )  # fmt: skip
    step = max(1, len(pool) // 12)
    columns = [column("label")] + [column(key, "integer") for key in ("active", "newcomers", "leavers")]
    columns += [column(key, "decimal", 0) for key in ("q10", "q50", "q90", "mean", "top_mean")]
    pieces: list[Any] = [section("inflation", language), prose.prose(spoken("inflation", language)), picture]
    pieces.append(table("levels", columns, pool.iloc[::step], language))
    if len(anchor):
        last = anchor.iloc[-1]
        pieces.append(
            prose.prose(
                spoken(
                    "anchor",
                    language,
                    level=f"{last['level']:+.0f}",
                    cohort=spoken("group_all", language) if last["cohort"] == "all" else last["cohort"],
                    label=last["label"],
                )
            )
        )
    columns = [column("rule")] + [
        column(key, "signed", 0) for key in ("unequal_k", "limit", "cap", "rounding", "newcomers_points")
    ]
    points = study.frame.tables["points"].rename(columns={"newcomers": "newcomers_points"})
    pieces.append(table("points", columns, points, language, [spoken("points_note", language)]))
    if study.current is not None and len(study.runs) > 1:
        other = next(key for key in study.runs if key != name)
        rows = gains(history, run, study.runs[other])
        rows = rows.assign(group=[spoken(f"group_{word}", language) for word in rows["group"]])
        columns = [column("group"), column("band"), column("players", "integer")]
        columns += [column(key, "signed", 1) for key in ("mean_gain", "median_gain", "low", "high")]
        notes = [spoken("gains_note", language, one=_name(name, language), other=_name(other, language))]
        pieces.append(table("gains", columns, rows, language, notes))
    return prose.group(*pieces, language=language)


def scoring_2007(study: Any, language: str) -> Piece:
    """Xiangqi only: what 3 for a win, 1 for a red and 2 for a black draw would have changed in red's share and the order.

    study: a study with a ``frame``.
    """
    history: History = study.frame.history
    if history.discipline != "xiangqi":
        return prose.group(language=language)
    by_decade, players = scoring_tables(history)
    total = by_decade.iloc[-1]
    words = spoken(
        "scoring_2007", language, ordinary=f"{total['red_share']:.4f}", trial=f"{total['red_share_2007']:.4f}",
        worth=f"{total['red_points']:.0f}", left=f"{total['red_points_2007']:+.0f}",
    )  # fmt: skip
    columns = [
        column("decade"),
        column("games", "integer"),
        column("wins", "percent"),
        column("draws", "percent"),
        column("losses", "percent"),
    ]
    columns += [
        column("red_share", "decimal", 4),
        column("red_share_2007", "decimal", 4),
        column("red_points", "signed", 0),
        column("red_points_2007", "signed", 0),
    ]
    person = (
        column("player", "name"), column("games", "integer"), column("red_games", "percent"), column("share", "percent", 2),
        column("share_2007", "percent", 2), column("rank", "integer"), column("rank_2007", "integer"),
    )  # fmt: skip
    return prose.group(
        section("scoring_2007", language),
        prose.prose(words),
        table("scoring_decades", columns, by_decade, language),
        table("scoring_players", person, players, language, [spoken("scoring_note", language)]),
        language=language,
    )


def assumptions(study: CompareK, language: str) -> list[str]:
    """What the numbers rest on, one sentence each."""
    keys = [
        "only_the_past",
        "same_games",
        "clamp",
        "paired",
        "clusters",
        "draws_said",
        f"update_said_{study.test.settings.update}",
    ]
    values = {"clamp": study.test.settings.clamp, "known": study.test.settings.known_games}
    return [spoken(f"assumption_{key}", language, **values) for key in keys]


def _power_words(study: CompareK, language: str) -> str:
    ks = study.test.candidates["k"].to_numpy(float)
    values = {
        "best": f"{ks[study.test.best()]:g}", "rival": f"{ks[study.rival]:g}", "games": f"{study.power.games:,}",
        "difference": f"{1000 * study.power.difference:.2f}",
    }  # fmt: skip
    if not math.isfinite(study.power.games_needed):
        return spoken("power_unknown", language, **values)
    return spoken("power", language, **values, needed=f"{study.power.games_needed:,.0f}")


def _name(name: str, language: str) -> str:
    role, _, k = name.partition(":")
    return f"K {k} ({spoken(f'role_{role}', language)})"


def _step(study: CompareK, language: str) -> str:
    return spoken(f"step_{snapshot_length(_history(study))}", language)


def _history(study: CompareK) -> History:
    assert study.frame.history is not None
    return study.frame.history


def _finite(values: pd.Series) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.nan)
