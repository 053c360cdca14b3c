"""Speed of the research loops against flat compiled loops timed in the same run.

    python -m benchmarks research_kernels

The history is made here: 20,000 players, 120 months, three-way results, seed fixed. Every line names the limit, the
measured time and the ratio to a flat loop that does the same arithmetic on bare arrays: read the ratio, machines and
their neighbours differ.
"""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pandas as pd
from numba import njit

from benchmarks import Measurement
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.sweeps.k_schedule import KSchedule
from qiyi_analysis.research.sweeps.k_sweep import sweep
from qiyi_analysis.research.systems.over_history import elo, glicko, glicko2

PLAYERS, MONTHS, SEED = 20_000, 120, 20_260
FIDE_STYLE = KSchedule(
    "40/20/10",
    (
        {"k": 10, "peak_at_least": 2400},
        {"k": 40, "under_age": 18, "rating_below": 2300},
        {"k": 40, "games_below": 30},
        {"k": 20},
    ),
)
FLAT = {"error_model": "numpy", "nogil": True, "fastmath": {"contract"}}


def made_history(games: int) -> History:
    """Games of players with a drifting true strength; results by Davidson's model."""
    rng = np.random.default_rng(SEED)
    strength = rng.normal(0, 250, PLAYERS)
    period = np.sort(rng.integers(0, MONTHS, games)).astype(np.int32)
    first = rng.integers(0, PLAYERS, games).astype(np.int32)
    second = ((first + 1 + rng.integers(0, PLAYERS - 1, games)) % PLAYERS).astype(np.int32)
    halves = np.empty(games, np.int8)
    edges = np.searchsorted(period, np.arange(MONTHS + 1))
    for low, high in pairwise(edges):
        part = slice(low, high)
        x = (strength[first[part]] - strength[second[part]] + 30) * math.log(10) / 400
        odds = np.exp(-x)
        z = 1 + odds + 0.8 * np.sqrt(odds)
        u = rng.random(high - low)
        halves[part] = np.where(u < 1 / z, 2, np.where(u < (1 + 0.8 * np.sqrt(odds)) / z, 1, 0))
        strength += rng.normal(0, 12, PLAYERS)
    origin = (2010 - 1970) * 12
    starts = (np.arange(MONTHS) + origin).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    people = pd.DataFrame(
        {
            "player": np.arange(PLAYERS).astype(str),
            "birth_year": rng.integers(1940, 2008, PLAYERS).astype(float),
            "start": 1900.0 + rng.normal(0, 250, PLAYERS).round(),
        }
    )
    return History(
        first,
        second,
        halves,
        period,
        starts[period].astype(np.int32),
        people,
        "month",
        origin,
        rows_read=games,
    )


# --------------------------------------------------------------------------------------- the flat loops


@njit(**FLAT)
def flat_period_elo(first, second, halves, period, k, rating, pending, expected):
    n, begin = first.size, 0
    while begin < n:
        t, end = period[begin], begin
        while end < n and period[end] == t:
            a, b = first[end], second[end]
            p = 1.0 / (1.0 + math.exp((rating[b] - rating[a]) * 0.005756462732485114))
            expected[end] = p
            d = k * (0.5 * halves[end] - p)
            pending[a] += d
            pending[b] -= d
            end += 1
        for i in range(rating.size):
            rating[i] += pending[i]
            pending[i] = 0.0
        begin = end


@njit(**FLAT)
def flat_game_elo(first, second, halves, k, rating, expected):
    for g in range(first.size):
        a, b = first[g], second[g]
        p = 1.0 / (1.0 + math.exp((rating[b] - rating[a]) * 0.005756462732485114))
        expected[g] = p
        d = k * (0.5 * halves[g] - p)
        rating[a] += d
        rating[b] -= d


@njit(**FLAT)
def flat_fide_style(
    first, second, halves, period, year, born, rating, pending, peak, games, waiting, ks, expected
):
    n, begin = first.size, 0
    while begin < n:
        t, end = period[begin], begin
        for i in range(rating.size):
            peak[i] = max(peak[i], rating[i])
            junior = year[begin] - born[i] < 18 and rating[i] < 2300.0
            ks[i] = 10.0 if peak[i] >= 2400.0 else 40.0 if junior or games[i] < 30 else 20.0
        while end < n and period[end] == t:
            a, b = first[end], second[end]
            p = 1.0 / (1.0 + math.exp((rating[b] - rating[a]) * 0.005756462732485114))
            expected[end] = p
            d = 0.5 * halves[end] - p
            pending[a] += ks[a] * d
            pending[b] -= ks[b] * d
            waiting[a] += 1
            waiting[b] += 1
            end += 1
        for i in range(rating.size):
            rating[i] += pending[i]
            games[i] += waiting[i]
            pending[i] = 0.0
            waiting[i] = 0
        begin = end


@njit(**FLAT)
def flat_glicko(first, second, halves, period, c2, rating, variance, last, g, total, info, expected):
    q = math.log(10.0) / 400.0
    n, begin = first.size, 0
    while begin < n:
        t, end = period[begin], begin
        for i in range(rating.size):
            variance[i] = min(variance[i] + c2, 122500.0)
            g[i] = 1.0 / math.sqrt(1.0 + 3.0 * q * q * variance[i] / 9.869604401089358)
            total[i] = 0.0
            info[i] = 0.0
        while end < n and period[end] == t:
            a, b = first[end], second[end]
            x = (rating[a] - rating[b]) * q
            y = 0.5 * halves[end]
            both = 1.0 / math.sqrt(1.0 + 3.0 * q * q * (variance[a] + variance[b]) / 9.869604401089358)
            expected[end] = 1.0 / (1.0 + math.exp(-both * x))
            ea = 1.0 / (1.0 + math.exp(-g[b] * x))
            eb = 1.0 / (1.0 + math.exp(g[a] * x))
            total[a] += g[b] * (y - ea)
            total[b] += g[a] * (1.0 - y - eb)
            info[a] += g[b] * g[b] * ea * (1.0 - ea)
            info[b] += g[a] * g[a] * eb * (1.0 - eb)
            end += 1
        for i in range(rating.size):
            if info[i] > 0.0:
                variance[i] = 1.0 / (1.0 / variance[i] + q * q * info[i])
                rating[i] += q * variance[i] * total[i]
        begin = end


@njit(**FLAT)
def flat_sweep(first, second, halves, ks, rating, losses):
    lanes = ks.size
    for g in range(first.size):
        a, b, y = first[g], second[g], 0.5 * halves[g]
        for lane in range(lanes):
            x = (rating[a, lane] - rating[b, lane]) * 0.005756462732485114
            p = 1.0 / (1.0 + math.exp(-x))
            q = min(max(p, 0.01), 0.99)
            losses[lane] -= y * math.log(q) + (1.0 - y) * math.log(1.0 - q)
            d = ks[lane] * (y - p)
            rating[a, lane] += d
            rating[b, lane] -= d


# --------------------------------------------------------------------------------------------- measuring


def best_of(repeat: int, *works: Callable[[], object]) -> list[float]:
    """Smallest processor time of each work, taken in turn: all loops run on one core, and the time a neighbour has that
    core is not theirs."""
    for work in works:
        work()
    times = [math.inf] * len(works)
    for _ in range(repeat):
        for number, work in enumerate(works):
            begin = time.thread_time()
            work()
            times[number] = min(times[number], time.thread_time() - begin)
    return times


def measured(history: History, repeat: int) -> Iterator[Measurement]:
    """One row per loop, the flat loop beside it as its peer."""
    n, m = len(history), len(history.players)
    arrays = (history.first, history.second, history.half_points)
    year = (2010 + history.period // 12).astype(np.int32)
    born = history.players["birth_year"].to_numpy()
    start = history.players["start"].to_numpy()
    zero, whole = (lambda: np.zeros(m)), (lambda: np.zeros(m, np.int32))
    ks = np.linspace(2, 100, 50)

    def row(
        work: str,
        limit: float | None,
        unit: str,
        ours: Callable[[], object],
        flat: Callable[[], object] | None,
    ) -> Measurement:
        found = best_of(repeat, *([ours, flat] if flat else [ours]))
        scale = 1e9 / n if unit == "ns/game" else 1.0
        return Measurement(
            work=work, value=found[0] * scale, unit=unit, limit=limit, peer="flat compiled loop" if flat else "",
            peer_value=found[1] * scale if flat else None,
        )  # fmt: skip

    yield row(
        "period Elo",
        30,
        "ns/game",
        lambda: elo(history, 20.0),
        lambda: flat_period_elo(*arrays, history.period, 20.0, start.copy(), zero(), np.empty(n)),
    )
    yield row(
        "K by age, games, rating", 45, "ns/game", lambda: elo(history, FIDE_STYLE),
        lambda: flat_fide_style(*arrays, history.period, year, born, start.copy(), zero(), start.copy(), whole(), whole(), zero(), np.empty(n)),
    )  # fmt: skip
    yield row(
        "game-by-game Elo",
        15,
        "ns/game",
        lambda: elo(history, 20.0, update="game"),
        lambda: flat_game_elo(*arrays, 20.0, start.copy(), np.empty(n)),
    )
    yield row(
        "Glicko by periods", 90, "ns/game", lambda: glicko(history),
        lambda: flat_glicko(*arrays, history.period, 225.0, start.copy(), np.full(m, 350.0**2), whole(), zero(), zero(), zero(), np.empty(n)),
    )  # fmt: skip
    yield row("Glicko-2 by periods", 250, "ns/game", lambda: glicko2(history), None)
    for update in ("game", "period"):
        yield row(
            f"50 K with log-loss, by {update}", 0.4, "s", lambda u=update: sweep(history, ks, update=u, by_player=False, draw_nu=0),
            lambda: flat_sweep(*arrays, ks, np.full((m, 50), 1500.0), np.zeros(50)),
        )  # fmt: skip
    yield row(
        "... with players and three-way",
        None,
        "s",
        lambda: sweep(history, ks, update="period", draw_nu=0.8),
        None,
    )


def extra_memory(history: History) -> float:
    """Peak of what a sweep of 50 K allocates, over the size of the arrays it is given."""
    given = sum(
        column.nbytes
        for column in (history.first, history.second, history.half_points, history.period, history.day)
    )
    ks = np.linspace(2, 100, 50)
    tracemalloc.start()
    sweep(history, ks, update="period", by_player=False, draw_nu=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / given


def measure(smoke: bool) -> Iterator[Measurement]:
    """All loops on a million games (ten thousand in a smoke run), and the memory of the sweep."""
    history = made_history(10_000 if smoke else 1_000_000)
    yield from measured(history, 1 if smoke else 7)
    yield Measurement(
        work="extra memory of 50 K, by period",
        value=extra_memory(history),
        unit="x input",
        limit=None if smoke else 3.0,
    )
