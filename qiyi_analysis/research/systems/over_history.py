"""Rating systems run over a history, each predicting every game from the past alone.

Every function returns a ``Run``: the prediction of each game for its first side, made before the game was learnt,
and the players at the end. All take ``start`` (rating before the first game; a ``start`` column of the
players wins) and ``advantage`` (points of the first move). Glicko-like systems work by period.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History, birth_years, writable
from qiyi_analysis.research.history.rating_periods import years_of
from qiyi_analysis.research.sweep.k_schedule import KTable, as_schedule, table_of

#: Rating points of one unit of Glickman's second scale.
GLICKO2_UNIT = 173.7178
NEVER = np.iinfo(np.int32).min


@dataclass(frozen=True)
class Snapshots:
    """Ratings at the ends of periods: ``rating`` float64 points x players (NaN before the first game),
    ``games`` int32 likewise, ``period`` int32 of the points in time."""

    period: np.ndarray
    rating: np.ndarray
    games: np.ndarray


@dataclass(frozen=True)
class Run:
    """One system over one history.

    expected: float64 of n, the prediction of the first side's score before each game, NaN where none was made.
    players: one row per player of the history: player, rating, games, and deviation, volatility where kept.
    """

    system: str
    parameters: dict[str, Any]
    expected: np.ndarray
    players: pd.DataFrame
    snapshots: Snapshots | None = None
    three_way: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    points_created: Mapping[str, float] = field(default_factory=dict)


def elo(
    history: History,
    k: Any = 20.0,
    *,
    update: Literal["game", "period"] = "period",
    law: Literal["logistic", "normal"] | np.ndarray = "logistic",
    advantage: float = 0.0,
    start: float = 1500.0,
    cap: float = np.inf,
    snapshots: str | None = None,
    name: str = "",
) -> Run:
    """Elo with any K schedule. law: logistic, normal, or a printed table (expectation of the stronger by whole difference).

    cap: largest difference counted in expectation. A K given as a Python function is called once per period with
    arrays (update="period"), or once per game with arrays of two (update="game"; slow).
    snapshots: "month", "year", ... to keep the ratings at the ends of these.
    """
    schedule = as_schedule(k)
    if update not in ("game", "period"):
        raise ParameterError("update-value", update=update)
    if schedule.function is not None:
        from qiyi_analysis.research.systems.plain import elo_with_function

        return elo_with_function(
            history, schedule, update=update, advantage=advantage, start=start, law=law, cap=cap
        )
    table = table_of(schedule, history.time_controls)
    plain = table.values.size == 1 and law == "logistic" if isinstance(law, str) else False
    step = _plain_step if plain and history.shift is None and cap == np.inf else _elo_step
    expected = np.empty(len(history))
    learn = step(history, table, law, update, float(advantage), starts(history, start), float(cap), expected)
    taken: list[tuple[int, np.ndarray, np.ndarray]] = []
    for part, end in _stretches(history, snapshots):
        rating, games = learn(part)
        if snapshots is not None:
            taken.append((end, rating.copy(), games.copy()))
    parameters = {"k": schedule.name, "update": update, "advantage": advantage, "start": start}
    parameters["law"] = law if isinstance(law, str) else "table"
    return Run(
        name or f"Elo {schedule.name}" + (" per game" if update == "game" else ""),
        parameters,
        expected,
        player_table(history, rating, games),
        _snapshots(taken),
    )


def glicko(
    history: History,
    *,
    c: float = 15.0,
    advantage: float = 0.0,
    start: float = 1500.0,
    deviation: float = 350.0,
    lowest_deviation: float = 0.0,
    highest_deviation: float = 350.0,
    snapshots: str | None = None,
    name: str = "",
) -> Run:
    """Glicko (Glickman 1999). c: growth of the deviation per square root of a period, in points."""
    return stephenson(
        history, c=c, h=0.0, b=0.0, pull=0.0, advantage=advantage, start=start, deviation=deviation,
        lowest_deviation=lowest_deviation, highest_deviation=highest_deviation, snapshots=snapshots,
        name=name or f"Glicko c {c:g}",
    )  # fmt: skip


def stephenson(
    history: History,
    *,
    c: float = 10.0,
    h: float = 10.0,
    b: float = 0.0,
    pull: float = 0.02,
    advantage: float = 0.0,
    start: float = 1500.0,
    deviation: float = 350.0,
    lowest_deviation: float = 0.0,
    highest_deviation: float = 350.0,
    snapshots: str | None = None,
    name: str = "",
) -> Run:
    """The Stephenson system: Glicko with drift per game ``h``, bonus per game ``b`` and ``pull`` towards the opponents.

    R's PlayerRatings calls these cval, hval, 100 b = bval, 100 pull = lambda.
    """
    from qiyi_analysis.research.loops.glicko_loop import glicko_periods

    players = len(history.players)
    rating, variance = np.full(players, np.nan), np.full(players, np.nan)
    last, games, period_games, touched = (np.full(players, v, np.int32) for v in (-1, 0, 0, 0))
    scratch = [np.zeros(players) for _ in range(4)]
    expected = np.empty(len(history))
    own, own_deviation = starts(history, start), np.full(players, float(deviation))
    taken = []
    for part, end in _stretches(history, snapshots):
        glicko_periods(
            *_games(history, part), _shift(history, part), float(advantage), own, own_deviation, c * c, h * h, float(b),
            float(pull), lowest_deviation**2, highest_deviation**2, rating, variance, last, games,
            *scratch, period_games, touched, expected[part],
        )  # fmt: skip
        if snapshots is not None:
            taken.append((end, rating.copy(), games.copy()))
    table = player_table(history, rating, games).assign(deviation=np.sqrt(variance), last_period=last)
    parameters = {
        "c": c,
        "h": h,
        "b": b,
        "pull": pull,
        "advantage": advantage,
        "start": start,
        "deviation": deviation,
    }
    return Run(
        name or f"Stephenson c {c:g} h {h:g} pull {pull:g}", parameters, expected, table, _snapshots(taken)
    )


def glicko2(
    history: History,
    *,
    tau: float = 0.5,
    advantage: float = 0.0,
    start: float = 1500.0,
    deviation: float = 350.0,
    volatility: float = 0.06,
    tolerance: float = 1e-6,
    highest_deviation: float = 350.0,
    snapshots: str | None = None,
    name: str = "",
) -> Run:
    """Glicko-2 (Glickman, revision of 2022), volatility by the Illinois method with this tolerance."""
    from qiyi_analysis.research.loops.glicko_loop import glicko2_periods

    players = len(history.players)
    rating, variance, sigma = (np.full(players, np.nan) for _ in range(3))
    last, games, period_games, touched = (np.full(players, v, np.int32) for v in (-1, 0, 0, 0))
    scratch = [np.zeros(players) for _ in range(3)]
    expected = np.empty(len(history))
    origin = start
    own = (starts(history, start) - origin) / GLICKO2_UNIT
    own_deviation = np.full(players, deviation / GLICKO2_UNIT)
    taken = []
    for part, end in _stretches(history, snapshots):
        glicko2_periods(
            *_games(history, part), _shift(history, part) / GLICKO2_UNIT, advantage / GLICKO2_UNIT, own, own_deviation,
            float(volatility), float(tau), float(tolerance), (highest_deviation / GLICKO2_UNIT) ** 2,
            rating, variance, sigma, last, games, *scratch, period_games, touched, expected[part],
        )  # fmt: skip
        if snapshots is not None:
            taken.append((end, rating * GLICKO2_UNIT + origin, games.copy()))
    table = player_table(history, rating * GLICKO2_UNIT + origin, games)
    table = table.assign(deviation=np.sqrt(variance) * GLICKO2_UNIT, volatility=sigma, last_period=last)
    parameters = {
        "tau": tau,
        "advantage": advantage,
        "start": start,
        "deviation": deviation,
        "volatility": volatility,
    }
    return Run(name or f"Glicko-2 tau {tau:g}", parameters, expected, table, _snapshots(taken))


def fide(
    history: History,
    rules: Any = "fide/rating-standard/2024-03-01",
    *,
    newcomers: Literal["start", "rule"] = "start",
    advantage: float = 0.0,
    start: float = 1500.0,
    name: str = "",
) -> Run:
    """The official FIDE procedure as a candidate: table, cap, K by age, games and highest rating, K x n, rounding.

    rules: an edition or its id. newcomers: "start" gives everybody ``start`` before the first game; "rule" waits
    for enough games against rated opponents and needs players with a ``start`` of their own. advantage: first
    move, in the prediction only (the rule knows none). Birth years unknown count as adults. Columns ``games_before``
    and ``peak`` of the players say what lies before the history.
    """
    from qiyi_analysis.rating.expected import expected_scores
    from qiyi_analysis.research.loops.fide_loop import fide_periods
    from qiyi_analysis.research.sweep.k_schedule import of_rules
    from qiyi_analysis.rules.ruleset import RuleSet, ruleset

    if newcomers not in ("start", "rule"):
        raise ParameterError("newcomers-value", newcomers=newcomers)
    edition: RuleSet = ruleset(rules) if isinstance(rules, str) else rules
    table = table_of(of_rules(edition))
    scores = expected_scores(edition)
    own = starts(history, math.nan if newcomers == "rule" else start)
    if newcomers == "rule" and not np.isfinite(own).any():
        raise ParameterError("newcomers-rule")
    players = len(history.players)
    rating, peak = np.full(players, np.nan), _facts(history, "peak", -np.inf)
    games, period_games, touched = (np.zeros(players, np.int32) for _ in range(3))
    games += _facts(history, "games_before", 0.0).astype(np.int32)
    last = np.full(players, -1, np.int32)
    collected = [np.zeros(players, np.int32), np.zeros(players), np.zeros(players)]
    surprise, k_now = np.zeros(players), np.zeros(players)
    expected, created = np.empty(len(history)), np.zeros(5)
    shift = np.full(len(history), float(advantage)) + (0.0 if history.shift is None else history.shift)
    fide_periods(
        history.first, history.second, history.half_points, history.period, years(history), shift, own,
        birth_years(history), np.ascontiguousarray(table.values.reshape(1, -1)), table.games, table.ages,
        table.ratings, table.peaks, scores.high / scores.unit,
        float(edition.value("cap", "value", np.inf)), float(edition.value("cap", "exempt_from", np.inf)),
        float(edition.value("k_limit", "product", 0)),
        newcomers == "rule", int(edition.value("initial_rating", "games_at_least", 1)),
        int(edition.value("initial_rating", "added_draws", 0)),
        float(edition.value("initial_rating", "added_draws_rating", 0)), performance_differences(edition),
        float(edition.value("initial_rating", "rating_at_least", 0)),
        rating, peak, games, last, *collected, period_games, surprise, k_now, touched, created, expected,
    )  # fmt: skip
    causes = ("unequal K", "K x n limit", "cap and table", "rounding", "newcomers")
    return Run(
        name or f"FIDE {edition.id.rsplit('/', 1)[-1]}",
        {"rules": edition.id, "newcomers": newcomers, "advantage": advantage, "start": start},
        expected,
        player_table(history, rating, games),
        points_created=dict(zip(causes, created.tolist(), strict=True)),
    )


def performance_differences(rules: Any) -> np.ndarray:
    """Rating difference for a score of 0..100 per cent, from the printed table of the edition."""
    from qiyi_analysis.rules.ruleset import read_table

    high = np.full(101, np.nan)
    for row in read_table(rules.folder, "dp_from_p", rules.id):
        high[round(float(row["p"]) * 100)] = float(row["dp"])
    return np.where(np.isfinite(high), high, -high[::-1])


def starts(history: History, start: float) -> np.ndarray:
    """Rating of each player before his first game."""
    usual = np.full(len(history.players), float(start))
    if "start" not in history.players:
        return usual
    own = writable(history.players["start"])
    return np.where(np.isfinite(own), own, usual)


def years(history: History) -> np.ndarray:
    """Calendar year of each game, int32."""
    return years_of(history.day)


def _facts(history: History, column: str, otherwise: float) -> np.ndarray:
    """A column of the players, ``otherwise`` where it is unknown or the history has no such column."""
    if column not in history.players:
        return np.full(len(history.players), otherwise)
    return writable(history.players[column].fillna(otherwise))


def player_table(history: History, rating: np.ndarray, games: np.ndarray) -> pd.DataFrame:
    """player, rating, games of every player of the history."""
    return pd.DataFrame({"player": history.players["player"], "rating": rating, "games": games})


Learn = Callable[[slice], tuple[np.ndarray, np.ndarray]]


def _plain_step(
    history: History,
    table: KTable,
    law: Any,
    update: str,
    advantage: float,
    own: np.ndarray,
    cap: float,
    expected: np.ndarray,
) -> Learn:
    """Learns slices of the games with one K, the logistic law, no shift and no cap; gives ratings and games so far."""
    from qiyi_analysis.research.loops import elo_loop as loop

    rating, pending, games = own.copy(), np.zeros(own.size), np.zeros(own.size, np.int32)
    k = float(table.values.flat[0])

    def learn(part: slice) -> tuple[np.ndarray, np.ndarray]:
        first, second, half_points, period = _games(history, part)
        if update == "game":
            loop.plain_games(first, second, half_points, advantage, k, rating, games, expected[part])
        else:
            loop.plain_periods(
                first, second, half_points, period, advantage, k, rating, pending, games, expected[part]
            )
        return np.where(games > 0, rating, np.nan), games

    return learn


def _elo_step(
    history: History,
    table: KTable,
    law: Any,
    update: str,
    advantage: float,
    own: np.ndarray,
    cap: float,
    expected: np.ndarray,
) -> Learn:
    """Learns slices of the games with any K table and law; gives ratings and games so far."""
    from qiyi_analysis.research.loops import elo_loop as loop

    players, born = own.size, birth_years(history)
    rating, peak, games = np.full(players, np.nan), np.full(players, -np.inf), np.zeros(players, np.int32)
    state, stamp = np.zeros((players, 4)), np.full(players, -1, np.int32)
    touched = np.empty(players + 1, np.int32)
    state[:, loop.RATING] = np.nan
    code, printed = _law(law)
    values = np.ascontiguousarray(table.values.reshape(table.values.shape[0], -1))
    rule = (values, table.games, table.ages, table.ratings, table.peaks, code, cap, printed)
    year = years(history) if table.ages.size else np.zeros(0, np.int32)

    def learn(part: slice) -> tuple[np.ndarray, np.ndarray]:
        facts = (_part(year, part), _part(history.time_control, part), _shift(history, part))
        arrays = (*_games(history, part), *facts, advantage, own, born, *rule)
        if update == "game":
            loop.elo_games(*arrays, rating, peak, games, expected[part])
            return rating, games
        loop.elo_periods(*arrays, state, peak, stamp, touched, expected[part])
        return state[:, loop.RATING], state[:, loop.GAMES].astype(np.int32)

    return learn


def _law(law: Any) -> tuple[int, np.ndarray]:
    from qiyi_analysis.research.loops.elo_loop import LOGISTIC, NORMAL, TABLE

    if isinstance(law, np.ndarray):
        return TABLE, np.ascontiguousarray(law, float)
    codes = {"logistic": LOGISTIC, "normal": NORMAL}
    if law not in codes:
        raise ParameterError("law-value", law=law)
    return codes[law], np.zeros(1)


def _stretches(history: History, snapshots: str | None) -> Iterator[tuple[slice, int]]:
    """Slices of the games between points at which ratings are kept, and the last period of each."""
    n = len(history)
    if snapshots is None:
        yield slice(0, n), max(history.periods - 1, 0)
        return
    from qiyi_analysis.research.history.rating_periods import period_numbers

    given = history.period_length == "given"
    number = history.period if given else period_numbers(history.day, snapshots)
    # A cut inside a period would show half of it learnt: cut only where the period changes as well.
    cuts = np.flatnonzero((np.diff(number) > 0) & (np.diff(history.period) > 0)) + 1
    edges = [0, *cuts.tolist(), n]
    for begin, end in pairwise(edges):
        yield slice(begin, end), int(history.period[end - 1])


def _games(history: History, part: slice) -> tuple[np.ndarray, ...]:
    return history.first[part], history.second[part], history.half_points[part], history.period[part]


def _part(column: np.ndarray | None, part: slice) -> np.ndarray:
    return np.zeros(0, np.int32) if column is None or not column.size else column[part]


def _shift(history: History, part: slice) -> np.ndarray:
    return np.zeros(0) if history.shift is None else history.shift[part]


def _snapshots(taken: list[tuple[int, np.ndarray, np.ndarray]]) -> Snapshots | None:
    if not taken:
        return None
    period, rating, games = zip(*taken, strict=True)
    return Snapshots(np.array(period, np.int32), np.array(rating), np.array(games, np.int32))
