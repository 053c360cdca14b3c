"""The families of systems a study compares, the settings tried of each, and how one is run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.sweep.k_schedule import by_games
from qiyi_analysis.research.systems.over_history import Run, elo, fide, glicko, glicko2, stephenson

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
    from qiyi_analysis.research.systems.static_fits import bradley_terry
    from qiyi_analysis.research.systems.whr import whr_predictions

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
