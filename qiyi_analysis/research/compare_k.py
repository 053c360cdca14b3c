"""The study of K-factors: which K predicts best, how sure that is, and what it does.

Warm-up, tuning and test follow each other in time. K and first-move advantage are chosen on the tuning games and
reported on the test games; intervals come from resampling players and periods.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from qiyi_analysis import figures, prose
from qiyi_analysis.errors import ParameterError
from qiyi_analysis.prose import Piece
from qiyi_analysis.research import cluster as clusters
from qiyi_analysis.research.history import PERIODS, History
from qiyi_analysis.research.inflation import anchor_cohort, gains, levels, points_created, stability
from qiyi_analysis.research.k_schedule import by_games
from qiyi_analysis.research.k_sweep import Sweep, candidate_grid
from qiyi_analysis.research.metrics import calibration, calibration_slope
from qiyi_analysis.research.resampling import Power, Replicates, power
from qiyi_analysis.research.study_page import Frame, column, load_games, say, section, spoken, table
from qiyi_analysis.research.systems import Run, elo
from qiyi_analysis.tables import Table

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
    cluster: str = "",
    workers: int = 0,
    history: History | None = None,
) -> CompareK:
    """Run the study. games: a file, or "" for the shipped xiangqi masters; or give a ``history``.

    k: candidates (default 5, 10, ..., 100); current_k: the K in force, compared with the best (0 = none).
    tune_from, test_from: dates; by default 30 % of the games are warm-up and the next 30 % tuning. Raises
    ParameterError when a part holds no game.
    """
    with clusters.connected(cluster or None, workers) as client:
        if history is None:
            history = load_games(
                games, period, columns=columns, players=players, partial_dates=partial_dates,
                duplicates=duplicates, discipline=discipline,
            )  # fmt: skip
            if not games:
                tune_from, test_from = tune_from or SHIPPED["tune_from"], test_from or SHIPPED["test_from"]
        begin, split = _parts(history, tune_from, test_from)
        ks = sorted(
            {float(value) for value in (k or range(5, 101, 5))} | ({float(current_k)} if current_k else set())
        )
        choices: dict[str, Any] = {"update": update, "known_games": known_games, "draws": draws}
        grid, _ = candidate_grid(ks, list(advantage))
        tuning = clusters.sweep_on(
            client,
            history,
            grid[["k", "advantage"]],
            scored_from=begin,
            scored_until=split,
            by_player=False,
            **choices,
        )
        best = tuning.candidates.iloc[tuning.best()]
        own = float(best["advantage"])
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
        advantages = sided.table()[["advantage", "log_loss"]].assign(**_band(spread, sided.best()))
        schedules = _schedules(client, history, ks, own, begin, split, choices, test, by[0], replicates, seed)
        updates = _updates(client, history, ks, own, split, known_games, update)
        names = _followed(ks, test, chosen, current, widest)
        runs = {
            name: elo(
                history, ks[row], update=update, advantage=own, snapshots=_snapshots(history), name=name
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
    settings = {
        "games": history.source, "k": ks, "advantage": list(advantage), "current_k": current_k, "update": update,
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
        "schedules": schedules,
        "updates": updates,
        "detail": detail,
        "calibration": bins,
    }
    words, evidence = _verdict(test, drawn, chosen, current, own)
    frame = Frame("compare-k", settings, history, tables, words, evidence)
    return CompareK(
        frame, tuning, test, own, chosen, drawn, advantages, schedules, updates, detail, power(widest, rival, top),
        rival, bins, runs, current, begin, split,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------- what is shown


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
        x_label=say("year_axis" if history.period_length != "given" else "period_axis"), y_label=say("rating_axis"), caption=say("inflation_caption", name=_name(name, language)),
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
    if study.current is not None and len(study.runs) > 1:
        other = next(key for key in study.runs if key != name)
        made = points_created(history, run, float(study.test.candidates["k"].iloc[study.test.best()])).sum()
        pieces.append(
            prose.prose(
                spoken(
                    "created",
                    language,
                    unequal=f"{made['unequal_k']:+.0f}",
                    newcomers=f"{made['newcomers']:+.0f}",
                )
            )
        )
        rows = gains(history, run, study.runs[other])
        rows = rows.assign(group=[spoken(f"group_{word}", language) for word in rows["group"]])
        columns = [column("group"), column("band"), column("players", "integer")]
        columns += [column(key, "signed", 1) for key in ("mean_gain", "median_gain", "low", "high")]
        notes = [spoken("gains_note", language, one=_name(name, language), other=_name(other, language))]
        pieces.append(table("gains", columns, rows, language, notes))
    return prose.group(*pieces, language=language)


def scoring_2007(study: CompareK, language: str) -> Piece:
    """Xiangqi only: what 3 for a win, 1 for a red and 2 for a black draw would have changed in red's share and the order."""
    history = _history(study)
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


def scoring_tables(history: History, busiest: int = 15) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Red's share by decade under 1, 1/2, 0 and under (3, 1 or 2, 0)/3, and the busiest players' shares under both."""
    year = 1970 + history.day.astype("datetime64[D]").astype("datetime64[Y]").astype(int)
    halves = history.half_points
    rows = []
    for decade in [*sorted(set((year // 10 * 10).tolist())), 0]:
        own = halves if decade == 0 else halves[year // 10 * 10 == decade]
        shares = np.bincount(own, minlength=3) / own.size
        ordinary, trial = shares[2] + shares[1] / 2, shares[2] + shares[1] / 3
        rows.append(
            {
                "decade": f"{decade}s" if decade else f"{year[0]}-{year[-1]}",
                "games": own.size, "losses": shares[0], "draws": shares[1], "wins": shares[2],
                "red_share": ordinary, "red_share_2007": trial, "red_points": _points(ordinary), "red_points_2007": _points(trial),
            }
        )  # fmt: skip
    n = len(history.players)
    red, black = np.bincount(history.first, minlength=n), np.bincount(history.second, minlength=n)
    draw, win, loss = (halves == value for value in (1, 2, 0))

    def count(side: np.ndarray, which: np.ndarray) -> np.ndarray:
        return np.bincount(side[which], minlength=n)

    wins = count(history.first, win) + count(history.second, loss)
    drawn_red, drawn_black = count(history.first, draw), count(history.second, draw)
    games = np.maximum(red + black, 1)
    people = pd.DataFrame(
        {
            "player": history.players["player"], "games": red + black, "red_games": red / games,
            "share": (wins + (drawn_red + drawn_black) / 2) / games, "share_2007": (wins + drawn_red / 3 + 2 * drawn_black / 3) / games,
        }
    ).nlargest(busiest, "games")  # fmt: skip
    people["rank"] = people["share"].rank(ascending=False, method="min").astype(int)
    people["rank_2007"] = people["share_2007"].rank(ascending=False, method="min").astype(int)
    return pd.DataFrame(rows), people.sort_values("rank", kind="stable").reset_index(drop=True)


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


# ------------------------------------------------------------------------------------------------- the parts


def _parts(history: History, tune_from: str, test_from: str) -> tuple[int, int]:
    order = history.period
    begin = history.index(tune_from) if tune_from else int(order[int(0.3 * len(history))])
    split = history.index(test_from) if test_from else int(order[int(0.6 * len(history))])
    tuned, tested = int(((order >= begin) & (order < split)).sum()), int((order >= split).sum())
    if not tuned or not tested:
        raise ParameterError(
            f"compare-k: {tuned} games to tune on and {tested} to test on (tune_from {tune_from or 'automatic'}, test_from "
            f"{test_from or 'automatic'}, {history.periods} periods of length {history.period_length}); "
            "expected games in both parts: other dates or shorter periods"
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


def _band(drawn: Replicates, base: int) -> dict[str, Any]:
    rows = drawn.differences(against=base)
    return {name: rows[name].to_numpy() for name in ("difference", "low", "high", "evidence")}


def _schedules(client, history, ks, own, begin, split, choices, test, by, replicates, seed) -> pd.DataFrame:
    """K for newcomers and for the others, chosen on the tuning games, against the best single K on the test games."""
    pairs = [(a, b) for a in ks[:: max(1, len(ks) // 10)] for b in ks[:: max(1, len(ks) // 10)] if a >= b]
    rules = [by_games([30], [a, b]) for a, b in pairs]
    grid = pd.DataFrame({"k": rules, "advantage": own})
    tuned = clusters.sweep_on(
        client, history, grid, scored_from=begin, scored_until=split, by_player=False, **choices
    )
    winner = rules[tuned.best()]
    single = float(test.candidates["k"].iloc[test.best()])
    both = pd.DataFrame({"k": [single, winner], "advantage": own})
    swept = clusters.sweep_on(client, history, both, scored_from=split, **choices)
    drawn = clusters.resample_on(client, swept, by, replicates, seed)
    return swept.table()[["candidate", "games", "log_loss"]].assign(**_band(drawn, 0))


def _updates(client, history, ks, own, split, known_games, update) -> pd.DataFrame:
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


def _snapshots(history: History) -> str:
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
    from qiyi_analysis.research.known_loop import games_before

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
    return spoken(f"step_{_snapshots(_history(study))}", language)


def _history(study: CompareK) -> History:
    assert study.frame.history is not None
    return study.frame.history


def _finite(values: pd.Series) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.nan)


def _points(share: float) -> float:
    return 400 * math.log10(share / (1 - share)) if 0 < share < 1 else math.nan
