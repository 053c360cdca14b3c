"""The families of systems a study compares, the bounds within which each is tuned, and how one is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.sweeps.k_schedule import by_games
from qiyi_analysis.research.systems.official import official
from qiyi_analysis.research.systems.over_history import elo, fide, glicko, glicko2, is_per_game, stephenson
from qiyi_analysis.research.systems.runs import Run
from qiyi_analysis.research.systems.tuning import Bound
from qiyi_analysis.rules.ruleset import ruleset

K = Bound(1.0, 200.0, 25.0, log=True)
ADVANTAGE = Bound(-50.0, 150.0, 25.0)
DEVIATION = Bound(20.0, 350.0, 120.0, log=True)
#: Growth of a deviation per square root of a period: a period may be a day or a year.
GROWTH = Bound(0.1, 300.0, 10.0, log=True)


@dataclass(frozen=True)
class Family:
    """bounds: what is tuned besides the first move; run: from a history, the parameters and the fixed choices (start, rules,
    begin, snapshots) to a Run; evaluations: most runs of the search."""

    bounds: Mapping[str, Bound]
    run: Callable[[History, dict[str, float], Choices], Run]
    evaluations: int = 150


@dataclass(frozen=True)
class Choices:
    """What is the same for every family: the rating before the first game, the edition of ``fide``, the first period that is
    predicted, how often whole histories are fitted again, and how often ratings are kept (None: not at all)."""

    start: float = 1500.0
    rules: str = "fide/rating-standard/2024-03-01"
    begin: int = 0
    refit: str = "year"
    snapshots: str | None = None


def _elo(law: str, update: str, name: str) -> Callable[[History, dict[str, float], Choices], Run]:
    def run(history: History, p: dict[str, float], c: Choices) -> Run:
        return elo(
            history, p["k"], update=update, law=law, advantage=p["advantage"], start=c.start, snapshots=c.snapshots,  # type: ignore[arg-type]
            name=name.format(**p),
        )  # fmt: skip

    return run


def _two_k(history: History, p: dict[str, float], c: Choices) -> Run:
    schedule = by_games([30], [round(p["newcomers"], 1), round(p["k"], 1)])
    return elo(
        history,
        schedule,
        advantage=p["advantage"],
        start=c.start,
        snapshots=c.snapshots,
        name=f"Elo {schedule.name}",
    )


def _fide(history: History, p: dict[str, float], c: Choices) -> Run:
    edition = ruleset(c.rules)
    if is_per_game(edition):
        return fide(history, edition, advantage=p["advantage"], start=c.start)
    return official(history, edition, advantage=p["advantage"], start=c.start, snapshots=c.snapshots)


def _glicko(name: str, days: bool = False) -> Callable[[History, dict[str, float], Choices], Run]:
    def run(history: History, p: dict[str, float], c: Choices) -> Run:
        own = history.with_periods("day") if days and history.period_length != "given" else history
        return glicko(own, **p, start=c.start, snapshots=c.snapshots, name=name.format(**p))

    return run


def _glicko2(history: History, p: dict[str, float], c: Choices) -> Run:
    name = "Glicko-2 tau {tau:.2g} RD {deviation:.0f} vol {volatility:.2g}".format(**p)
    return glicko2(history, **p, start=c.start, snapshots=c.snapshots, name=name)


def _stephenson(history: History, p: dict[str, float], c: Choices) -> Run:
    name = "Stephenson c {c:.3g} h {h:.3g} pull {pull:.2g} RD {deviation:.0f}".format(**p)
    return stephenson(history, **p, start=c.start, snapshots=c.snapshots, name=name)


def _whr(history: History, p: dict[str, float], c: Choices) -> Run:
    return refitted(history, "whr", c, w2=p["w2"], prior=p["prior"], advantage=p["advantage"])


def _static(history: History, p: dict[str, float], c: Choices) -> Run:
    return refitted(history, "static", c, years=round(p["years"]), prior=p["prior"], advantage=p["advantage"])


def _guess(history: History, p: dict[str, float], c: Choices) -> Run:
    players = pd.DataFrame({"player": history.players["player"], "rating": c.start, "games": 0})
    return Run("guess 0.5", {}, np.full(len(history), 0.5), players)


_GLICKO = {"c": GROWTH, "deviation": DEVIATION}
FAMILIES: Mapping[str, Family] = {
    "elo": Family({"k": K}, _elo("logistic", "period", "Elo K {k:.3g}")),
    "elo-game": Family({"k": K}, _elo("logistic", "game", "Elo K {k:.3g} per game")),
    "elo-games": Family({"newcomers": K, "k": K}, _two_k),
    "elo-normal": Family({"k": K}, _elo("normal", "period", "Elo normal K {k:.3g}")),
    "fide": Family({}, _fide, 24),
    "glicko": Family(_GLICKO, _glicko("Glicko c {c:.3g} RD {deviation:.0f}")),
    "glicko-day": Family(_GLICKO, _glicko("Glicko by day c {c:.3g} RD {deviation:.0f}", days=True)),
    "glicko2": Family(
        {"tau": Bound(0.05, 3.0, 0.5, log=True), "deviation": DEVIATION, "volatility": Bound(0.001, 0.5, 0.03, log=True)}, _glicko2
    ),
    "stephenson": Family(
        {"c": GROWTH, "h": Bound(0.1, 100.0, 5.0, log=True), "pull": Bound(0.0, 0.3, 0.02), "deviation": DEVIATION}, _stephenson, 250
    ),
    "whr": Family({"w2": Bound(0.1, 1000.0, 10.0, log=True), "prior": Bound(0.1, 30.0, 2.0, log=True)}, _whr, 14),
    "static": Family({"years": Bound(1.0, 15.0, 5.0), "prior": Bound(0.1, 30.0, 1.0, log=True)}, _static, 20),
    "guess": Family({}, _guess),
}  # fmt: skip
#: Families without those that are fitted anew again and again.
USUAL = ("elo", "elo-game", "elo-games", "elo-normal", "fide", "glicko", "glicko2", "stephenson", "guess")


def refitted(
    history: History,
    what: str,
    choices: Choices,
    *,
    advantage: float,
    prior: float,
    w2: float = 14.0,
    years: int = 6,
) -> Run:
    """A system that is fitted to the whole past: anew at the start of every interval of refitting, so that a game inside it is
    predicted from the games before it (ratings inside do not move)."""
    from qiyi_analysis.research.systems.static_fits import bradley_terry
    from qiyi_analysis.research.systems.whr import whr_predictions

    parts = history if history.period_length == "given" else history.with_periods(choices.refit)
    start = int(parts.period[np.searchsorted(history.period, choices.begin)])
    players = pd.DataFrame({"player": history.players["player"], "rating": np.nan, "games": 0})
    if what == "whr":
        expected = whr_predictions(parts, w2=w2, prior=prior, advantage=advantage, refit_from=start)
        return Run(f"WHR w2 {w2:.3g} prior {prior:.2g}", {"w2": w2, "prior": prior}, expected, players)
    expected = np.full(len(history), np.nan)
    year = np.array([parts.year(period) for period in range(parts.periods)])
    for period in np.unique(parts.period[parts.period >= start]):
        oldest = (
            period - years if parts.period_length == "given" else np.searchsorted(year, year[period] - years)
        )
        past = (parts.period < period) & (parts.period >= oldest)
        now = parts.period == period
        if not past.any():
            continue
        fit = bradley_terry(parts.subset(past), advantage=advantage, prior=prior, tolerance=1e-6)
        three = fit.predict(
            history.first[now], history.second[now], 0.0 if history.shift is None else history.shift[now]
        )
        expected[now] = three[:, 2] + 0.5 * three[:, 1]
    return Run(f"Bradley-Terry {years} years", {"years": years, "prior": prior}, expected, players)
