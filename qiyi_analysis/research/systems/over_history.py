"""Rating systems run over a history, each predicting every game from the past alone.

Every function returns a ``Run``: the prediction of each game for its first side, made before the game was learnt,
and the players at the end. All take ``start`` (rating before the first game; a ``start`` column of the
players wins) and ``advantage`` (points of the first move). Glicko-like systems work by period.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History, birth_years, writable
from qiyi_analysis.research.history.history_files import as_history
from qiyi_analysis.research.sweeps.k_schedule import KTable, as_schedule, table_of
from qiyi_analysis.research.systems.runs import (
    Run,
    games_of,
    player_table,
    snapshots_of,
    starts,
    stretches,
    years,
)

#: Rating points of one unit of Glickman's second scale.
GLICKO2_UNIT = 173.7178
NEVER = np.iinfo(np.int32).min


def elo(
    history: History,
    k: Any = 20.0,
    *,
    update: Literal["game", "period"] = "period",
    law: Literal["logistic", "normal"] | np.ndarray = "logistic",
    advantage: float = 0.0,
    start: float = 1500.0,
    cap: float = np.inf,
    draw_nu: float = 0.0,
    snapshots: str | None = None,
    name: str = "",
) -> Run:
    """Elo with any K schedule. law: logistic, normal, or a printed table (expectation of the stronger by whole difference).

    cap: largest difference counted in expectation. draw_nu: above 0, the expected score of Davidson's model with this draw
    parameter in place of the logistic one. A K given as a Python function is called once per period with
    arrays (update="period"), or once per game with arrays of two (update="game"; slow).
    snapshots: "month", "year", ... to keep the ratings at the ends of these.
    """
    history = as_history(history)
    schedule = as_schedule(k)
    if update not in ("game", "period"):
        raise ParameterError("update-value", update=update)
    if schedule.function is not None:
        from qiyi_analysis.research.systems.plain import elo_with_function

        return elo_with_function(
            history, schedule, update=update, advantage=advantage, start=start, law=law, cap=cap, draw_nu=draw_nu,
            snapshots=snapshots, name=name,
        )  # fmt: skip
    table = table_of(schedule, history.time_controls)
    plain = table.values.size == 1 and isinstance(law, str) and law == "logistic" and not draw_nu
    expected, own = np.empty(len(history)), starts(history, start)
    if plain and history.shift is None and cap == np.inf:
        learn = _plain_step(history, float(table.values.flat[0]), float(advantage), update, own, expected)
    else:
        learn = _elo_step(history, table, _law(law, advantage, cap, draw_nu), update, own, expected)
    taken: list[tuple[int, np.ndarray, np.ndarray]] = []
    for part, end in stretches(history, snapshots):
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
        snapshots_of(taken),
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
    history = as_history(history)
    from qiyi_analysis.research.loops.arguments import GlickoRule
    from qiyi_analysis.research.loops.glicko_loop import glicko_periods

    rule = GlickoRule(
        float(advantage), float(deviation), float(c * c), float(h * h), float(b), float(pull), 0.0, 0.0, 0.0,
        float(lowest_deviation**2), float(highest_deviation**2),
    )  # fmt: skip
    state, expected, taken = _glicko_run(glicko_periods, history, rule, starts(history, start), snapshots)
    table = player_table(history, state.rating, state.games)
    table = table.assign(deviation=np.sqrt(state.variance), last_period=state.last)
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
        name or f"Stephenson c {c:g} h {h:g} pull {pull:g}", parameters, expected, table, snapshots_of(taken)
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
    history = as_history(history)
    from qiyi_analysis.research.loops.arguments import GlickoRule
    from qiyi_analysis.research.loops.glicko_loop import glicko2_periods

    unit, origin = GLICKO2_UNIT, start
    rule = GlickoRule(
        advantage / unit, deviation / unit, 0.0, 0.0, 0.0, 0.0, float(volatility), float(tau), float(tolerance),
        0.0, (highest_deviation / unit) ** 2,
    )  # fmt: skip
    own = (starts(history, start) - origin) / unit
    state, expected, taken = _glicko_run(glicko2_periods, history, rule, own, snapshots, unit, origin)
    table = player_table(history, state.rating * unit + origin, state.games)
    table = table.assign(
        deviation=np.sqrt(state.variance) * unit, volatility=state.volatility, last_period=state.last
    )
    parameters = {
        "tau": tau,
        "advantage": advantage,
        "start": start,
        "deviation": deviation,
        "volatility": volatility,
    }
    return Run(name or f"Glicko-2 tau {tau:g}", parameters, expected, table, snapshots_of(taken))


def _glicko_run(
    loop: Any,
    history: History,
    rule: Any,
    own: np.ndarray,
    snapshots: str | None,
    unit: float = 1.0,
    origin: float = 0.0,
) -> tuple[Any, np.ndarray, list[Any]]:
    """The state after all games, the predictions, and the snapshots, which are in points again."""
    from qiyi_analysis.research.loops.arguments import GlickoState, GlickoWork

    players = len(history.players)
    state = GlickoState(
        rating=np.full(players, np.nan),
        variance=np.full(players, np.nan),
        volatility=np.full(players, np.nan),
        last=np.full(players, -1, np.int32),
        games=np.zeros(players, np.int32),
    )
    work = GlickoWork(
        *(np.zeros(players) for _ in range(4)), *(np.zeros(players, np.int32) for _ in range(2))
    )
    expected, taken = np.empty(len(history)), []
    for part, end in stretches(history, snapshots):
        games = games_of(history, part)
        loop(games._replace(shift=games.shift / unit), rule, own, state, work, expected[part])
        if snapshots is not None:
            taken.append((end, state.rating * unit + origin, state.games.copy()))
    return state, expected, taken


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
    for enough games against rated opponents and needs players with a ``start`` of their own; a first rating is at most the
    highest of the edition, and who falls below its floor is unrated again. (Not followed: first ratings expire after 26 months,
    and a first event without a point is left out.) advantage: first move, in the prediction only (the rule knows none).
    Birth years unknown count as adults. Columns ``games_before`` and ``peak`` of the players say what lies before the history.
    Raises ParameterError for an edition with another procedure; ``official`` runs those.
    """
    from qiyi_analysis.rating.expected import expected_scores
    from qiyi_analysis.research.loops.arguments import FideState, FideWork, Law, People
    from qiyi_analysis.research.loops.elo_loop import TABLE
    from qiyi_analysis.research.loops.fide_loop import fide_periods
    from qiyi_analysis.research.sweeps.k_schedule import of_rules
    from qiyi_analysis.rules.ruleset import RuleSet, ruleset

    history = as_history(history)
    if newcomers not in ("start", "rule"):
        raise ParameterError("newcomers-value", newcomers=newcomers)
    edition: RuleSet = ruleset(rules) if isinstance(rules, str) else rules
    _refuse_others(edition)
    table = table_of(of_rules(edition))
    scores = expected_scores(edition)
    own = starts(history, math.nan if newcomers == "rule" else start)
    if newcomers == "rule" and not np.isfinite(own).any():
        raise ParameterError("newcomers-rule")
    players = len(history.players)
    state = FideState(
        np.full(players, np.nan), _facts(history, "peak", -np.inf), _facts(history, "games_before", 0.0).astype(np.int32),
        np.full(players, -1, np.int32), np.zeros(players, np.int32), np.zeros(players), np.zeros(players),
    )  # fmt: skip
    work = FideWork(
        np.zeros(players, np.int32), np.zeros(players), np.zeros(players), np.zeros(players, np.int32)
    )
    expected, created = np.empty(len(history)), np.zeros(5)
    games = games_of(history, slice(None), years(history))
    games = games._replace(
        shift=np.full(len(history), float(advantage)) + (games.shift if games.shift.size else 0.0)
    )
    law = Law(TABLE, 0.0, np.inf, scores.high / scores.unit)
    fide_periods(
        games, law, bands_of(table), fide_rule(edition, newcomers == "rule"), People(own, birth_years(history.players)),
        state, work, created, expected,
    )  # fmt: skip
    causes = ("unequal K", "K x n limit", "cap and table", "rounding", "newcomers")
    return Run(
        name or f"FIDE {edition.id.rsplit('/', 1)[-1]}",
        {"rules": edition.id, "newcomers": newcomers, "advantage": advantage, "start": start},
        expected,
        player_table(history, state.rating, state.games),
        points_created=dict(zip(causes, created.tolist(), strict=True)),
    )


def is_per_game(edition: Any) -> bool:
    """Whether ``fide`` follows the procedure of an edition."""
    try:
        _refuse_others(edition)
    except ParameterError:
        return False
    return True


def _refuse_others(edition: Any) -> None:
    """Raise ParameterError for an edition whose procedure the compiled loop does not follow, with the block that says so."""
    wanted = (
        ("method", "name", ("table",)), ("expected", "by", ("game", None)), ("cap", "relief", ("every-game", None)),
        ("change", "rounding", ("half-away-from-zero",)), ("change", "rounded", ("change",)),
    )  # fmt: skip
    for block, key, values in wanted:
        read = edition.value(block, key, None)
        if read not in values:
            said = [str(value) for value in values if value is not None]
            raise ParameterError(
                "fide-procedure", rules=edition.id, block=block, key=key, read=str(read), expected=said
            )


def fide_rule(edition: Any, wait: bool) -> Any:
    """The numbers of an edition that the compiled loop needs."""
    from qiyi_analysis.research.loops.arguments import FideRule

    def number(block: str, key: str, otherwise: float) -> float:
        return float(edition.value(block, key, otherwise))

    return FideRule(
        number("cap", "value", np.inf), number("cap", "exempt_from", np.inf), number("k_limit", "product", 0), wait,
        int(number("initial_rating", "games_at_least", 1)), int(number("initial_rating", "added_draws", 0)),
        number("initial_rating", "added_draws_rating", 0), performance_differences(edition),
        number("initial_rating", "rating_at_least", 0), number("initial_rating", "highest", np.inf),
    )  # fmt: skip


def performance_differences(rules: Any) -> np.ndarray:
    """Rating difference for a score of 0..100 per cent, from the printed table of the edition."""
    from qiyi_analysis.rules.ruleset import read_table

    high = np.full(101, np.nan)
    for row in read_table(rules.folder, "dp_from_p", rules.id):
        high[round(float(row["p"]) * 100)] = float(row["dp"])
    return np.where(np.isfinite(high), high, -high[::-1])


def _facts(history: History, column: str, otherwise: float) -> np.ndarray:
    """A column of the players, ``otherwise`` where it is unknown or the history has no such column."""
    if column not in history.players:
        return np.full(len(history.players), otherwise)
    return writable(history.players[column].fillna(otherwise))


Learn = Callable[[slice], tuple[np.ndarray, np.ndarray]]


def _plain_step(
    history: History, k: float, advantage: float, update: str, own: np.ndarray, expected: np.ndarray
) -> Learn:
    """Learns slices of the games with one K, the logistic law, no shift and no cap; gives ratings and games so far."""
    from qiyi_analysis.research.loops import elo_loop as loop

    rating, pending, played = own.copy(), np.zeros(own.size), np.zeros(own.size, np.int32)

    def learn(part: slice) -> tuple[np.ndarray, np.ndarray]:
        games = games_of(history, part)
        if update == "game":
            loop.plain_games(games, advantage, k, rating, played, expected[part])
        else:
            loop.plain_periods(games, advantage, k, rating, pending, played, expected[part])
        return np.where(played > 0, rating, np.nan), played

    return learn


def _elo_step(
    history: History, table: KTable, law: Any, update: str, own: np.ndarray, expected: np.ndarray
) -> Learn:
    """Learns slices of the games with any K table and law; gives ratings and games so far."""
    from qiyi_analysis.research.loops import elo_loop as loop
    from qiyi_analysis.research.loops.arguments import EloState, People, PeriodState

    players, people = own.size, People(own, birth_years(history.players))
    state = EloState(np.full(players, np.nan), np.full(players, -np.inf), np.zeros(players, np.int32))
    periods = PeriodState(
        np.zeros((players, 4)), state.peak, np.full(players, -1, np.int32), np.empty(players + 1, np.int32)
    )
    periods.columns[:, loop.RATING] = np.nan
    bands = bands_of(table)
    year = years(history) if table.ages.size else None

    def learn(part: slice) -> tuple[np.ndarray, np.ndarray]:
        games = games_of(history, part, year)
        if update == "game":
            loop.elo_games(games, law, bands, people, state, expected[part])
            return state.rating, state.games
        loop.elo_periods(games, law, bands, people, periods, expected[part])
        return periods.columns[:, loop.RATING], periods.columns[:, loop.GAMES].astype(np.int32)

    return learn


def bands_of(table: KTable) -> Any:
    """A table of K as the compiled loops take it."""
    from qiyi_analysis.research.loops.arguments import Bands

    values = np.ascontiguousarray(table.values.reshape(table.values.shape[0], -1))
    return Bands(values, table.games, table.ages, table.ratings, table.peaks)


def _law(law: Any, advantage: float, cap: float, draw_nu: float) -> Any:
    from qiyi_analysis.research.loops.arguments import Law
    from qiyi_analysis.research.loops.elo_loop import DAVIDSON, LOGISTIC, NORMAL, TABLE

    if draw_nu > 0:
        return Law(DAVIDSON, float(advantage), float(cap), np.array([float(draw_nu)]))
    if isinstance(law, np.ndarray):
        return Law(TABLE, float(advantage), float(cap), np.ascontiguousarray(law, float))
    codes = {"logistic": LOGISTIC, "normal": NORMAL}
    if law not in codes:
        raise ParameterError("law-value", law=law)
    return Law(codes[law], float(advantage), float(cap), np.zeros(1))
