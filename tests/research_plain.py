"""The rating systems once more, as plain Python over lists: what the compiled loops must equal."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pandas as pd

from qiyi_analysis.research.history.games import History

Q = math.log(10) / 400


def made_history(games: int = 3000, players: int = 60, periods: int = 24, seed: int = 1, **more) -> History:
    """Random games of players with a true strength, three-way results."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 250, players)
    first = rng.integers(0, players, games)
    second = (first + 1 + rng.integers(0, players - 1, games)) % players
    p = 1 / (1 + 10 ** (-(strength[first] - strength[second] + 30) / 400))
    halves = rng.binomial(2, p)
    period = np.sort(rng.integers(0, periods, games))
    origin = (2001 - 1970) * 12
    day = (period + origin).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    table = pd.DataFrame(
        {
            "player": [f"p{i}" for i in range(players)],
            "birth_year": rng.integers(1930, 1995, players).astype(float),
        }
    )
    table.loc[:4, "birth_year"] = np.nan
    return History(
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        half_points=halves.astype(np.int8),
        period=period.astype(np.int32),
        day=day.astype(np.int32),
        players=table,
        period_length="month",
        period_origin=origin,
        rows_read=games,
        **more,
    )


def plain_elo(
    history: History,
    k,
    *,
    update: str,
    advantage=0.0,
    more=0.0,
    start=1500.0,
    entrants=None,
    entrants_from=0,
    scored_from=0,
    known_games=0,
    nu=0.0,
    clamp=0.01,
):
    """k: function (games, age, rating, peak, control) -> K. Returns losses by metric, ratings, predictions."""
    rating: dict[int, float] = {}
    peak: dict[int, float] = {}
    known, pending, waiting = defaultdict(int), defaultdict(float), defaultdict(int)
    born = history.players["birth_year"].tolist()
    sums, scored, predictions, current = [0.0, 0.0, 0.0], 0, [], None
    for g in range(len(history)):
        t = int(history.period[g])
        if t != current:
            for player, change in pending.items():
                rating[player] += change
            for player, count in waiting.items():
                known[player] += count
            pending.clear()
            waiting.clear()
            current = t
        a, b, y = int(history.first[g]), int(history.second[g]), history.half_points[g] / 2
        for player in (a, b):
            if player not in rating:
                rating[player] = start if entrants is None or t < entrants_from else entrants
            peak[player] = max(peak.get(player, -math.inf), rating[player])
        shift = 0.0 if history.shift is None else history.shift[g]
        d = rating[a] - rating[b] + advantage + shift

        def score(d: float) -> float:
            e = 10 ** (-d / 400)
            return (1 + 0.5 * nu * math.sqrt(e)) / (1 + e + nu * math.sqrt(e))

        p = score(d)
        predictions.append(p)
        if t >= scored_from and min(known[a], known[b]) >= known_games:
            q = min(max(score(d + more), clamp), 1 - clamp)
            sums[0] -= y * math.log(q) + (1 - y) * math.log(1 - q)
            sums[1] += (y - q) ** 2
            x = d + more
            sums[2] += 0.5 if x == 0 or y == 0.5 else float((y > 0.5) == (x > 0))
            scored += 1
        year = 1970 + int(history.day[g].astype("datetime64[D]").astype("datetime64[Y]").astype(int))
        control = None if history.time_control is None else history.time_controls[history.time_control[g]]
        ka, kb = (k(known[i], year - born[i], rating[i], peak[i], control) for i in (a, b))
        if update == "game":
            rating[a] += ka * (y - p)
            rating[b] -= kb * (y - p)
            known[a] += 1
            known[b] += 1
        else:
            pending[a] += ka * (y - p)
            pending[b] -= kb * (y - p)
            waiting[a] += 1
            waiting[b] += 1
    for player, change in pending.items():
        rating[player] += change
    return [s / max(scored, 1) for s in sums], rating, predictions, scored


def plain_glicko(
    history: History, *, c, h=0.0, b=0.0, pull=0.0, advantage=0.0, start=1500.0, deviation=350.0, top=350.0
):
    """Glicko and Stephenson by period; returns ratings, deviations, predictions."""
    rating, variance, last, predictions = {}, {}, {}, []

    def g(v: float) -> float:
        return 1 / math.sqrt(1 + 3 * Q * Q * v / math.pi**2)

    for t in sorted(set(history.period.tolist())):
        rows = np.flatnonzero(history.period == t)
        here = set(history.first[rows].tolist()) | set(history.second[rows].tolist())
        for i in here:
            if i in rating:
                variance[i] = min(variance[i] + c * c * (t - last[i]), top * top)
            else:
                rating[i], variance[i] = start, deviation**2
            last[i] = t
        mine = defaultdict(list)
        for row in rows:
            i, j, y = int(history.first[row]), int(history.second[row]), history.half_points[row] / 2
            d = rating[i] - rating[j] + advantage
            predictions.append(1 / (1 + 10 ** (-g(variance[i] + variance[j]) * d / 400)))
            mine[i].append((j, y, advantage))
            mine[j].append((i, 1 - y, -advantage))
        new = {}
        for i, games in mine.items():
            es = [
                1 / (1 + 10 ** (-g(variance[j]) * (rating[i] - rating[j] + extra) / 400))
                for j, _, extra in games
            ]
            info = sum(g(variance[j]) ** 2 * e * (1 - e) for (j, _, _), e in zip(games, es, strict=True))
            total = sum(g(variance[j]) * (y - e + b) for (j, y, _), e in zip(games, es, strict=True))
            v = 1 / (1 / (variance[i] + len(games) * h * h) + Q * Q * info)
            mean = sum(rating[j] for j, _, _ in games) / len(games)
            new[i] = (rating[i] + Q * v * total + pull * (mean - rating[i]), v)
        for i, (r, v) in new.items():
            rating[i], variance[i] = r, v
    return rating, {i: math.sqrt(v) for i, v in variance.items()}, predictions


def plain_glicko2(history: History, *, tau, start=1500.0, deviation=350.0, sigma0=0.06, top=350.0):
    """Glicko-2 step by step as the paper numbers them; returns ratings, deviations, volatilities."""
    unit = 173.7178
    mu, phi, sigma, last = {}, {}, {}, {}
    top = top / unit

    def g(p: float) -> float:
        return 1 / math.sqrt(1 + 3 * p * p / math.pi**2)

    for t in sorted(set(history.period.tolist())):
        rows = np.flatnonzero(history.period == t)
        here = set(history.first[rows].tolist()) | set(history.second[rows].tolist())
        for i in here:
            if i not in mu:
                mu[i], phi[i], sigma[i] = 0.0, deviation / unit, sigma0
            else:
                phi[i] = min(math.sqrt(phi[i] ** 2 + (t - last[i] - 1) * sigma[i] ** 2), top)
            last[i] = t
        mine = defaultdict(list)
        for row in rows:
            i, j, y = int(history.first[row]), int(history.second[row]), history.half_points[row] / 2
            mine[i].append((j, y))
            mine[j].append((i, 1 - y))
        new = {}
        for i, games in mine.items():
            es = [1 / (1 + math.exp(-g(phi[j]) * (mu[i] - mu[j]))) for j, _ in games]
            v = 1 / sum(g(phi[j]) ** 2 * e * (1 - e) for (j, _), e in zip(games, es, strict=True))
            total = sum(g(phi[j]) * (y - e) for (j, y), e in zip(games, es, strict=True))
            delta, a = v * total, math.log(sigma[i] ** 2)

            def f(x: float, delta=delta, v=v, a=a, i=i) -> float:
                ex = math.exp(x)
                return (
                    ex * (delta**2 - phi[i] ** 2 - v - ex) / (2 * (phi[i] ** 2 + v + ex) ** 2)
                    - (x - a) / tau**2
                )

            low = a
            if delta**2 > phi[i] ** 2 + v:
                high = math.log(delta**2 - phi[i] ** 2 - v)
            else:
                n = 1
                while f(a - n * tau) < 0:
                    n += 1
                high = a - n * tau
            f_low, f_high = f(low), f(high)
            while abs(high - low) > 1e-6:
                x = low + (low - high) * f_low / (f_high - f_low)
                fx = f(x)
                if fx * f_high <= 0:
                    low, f_low = high, f_high
                else:
                    f_low /= 2
                high, f_high = x, fx
            s = math.exp(low / 2)
            after = 1 / math.sqrt(1 / min(phi[i] ** 2 + s * s, top * top) + 1 / v)
            new[i] = (mu[i] + after**2 * total, after, s)
        for i, (m, p, s) in new.items():
            mu[i], phi[i], sigma[i] = m, p, s
    return {i: m * unit + start for i, m in mu.items()}, {i: p * unit for i, p in phi.items()}, sigma
