"""A federation with known truth: players enter, improve, age and leave; games are paired, played and rated.

Everything random comes from one seed; the games do not depend on the rating rule, so that rules are compared on the
same games (common random numbers). What is assumed is in ``Federation`` and belongs into every report.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.systems.over_history import elo
from qiyi_analysis.research.systems.runs import Run


@dataclass(frozen=True)
class Federation:
    """The assumptions, ratings in points of the logistic scale.

    players: at the start; months; games_per_month: mean of an active player's games (his own rate is drawn from a
    gamma distribution with shape ``activity_shape``: small = a few play most); entries, exits: shares of the pool per
    month; spread: standard deviation of true strength at entry of adults; drift: standard deviation of the monthly
    random change of everybody; junior_share of entrants, who enter ``junior_below`` points lower and improve by
    ``junior_gain`` a year until ``junior_until``; veteran_loss a year from ``veteran_from`` years on;
    founder_error: standard deviation of the founders' first ratings around level + strength (a settled pool; infinite =
    founders begin like newcomers); level: rating that a true strength of 0 means; entrant_rating: rating newcomers
    begin with; first_move: advantage; nu: Davidson's draw parameter (0 = no draws); closeness: standard deviation of the strength
    difference sought in pairing (infinite = at random).
    """

    players: int = 2000
    months: int = 120
    games_per_month: float = 2.0
    activity_shape: float = 0.7
    entries: float = 0.01
    exits: float = 0.008
    spread: float = 250.0
    drift: float = 8.0
    junior_share: float = 0.6
    junior_below: float = 350.0
    junior_gain: float = 60.0
    junior_until: float = 20.0
    veteran_from: float = 55.0
    veteran_loss: float = 8.0
    founder_error: float = 60.0
    level: float = 1500.0
    entrant_rating: float = 1250.0
    first_move: float = 30.0
    nu: float = 0.9
    closeness: float = 200.0
    first_year: int = 2010
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("players", "months"):
            if getattr(self, name) < 2:
                raise ParameterError("federation-two", name=name, value=getattr(self, name))
        for name in ("games_per_month", "activity_shape", "closeness"):
            if not getattr(self, name) > 0:
                raise ParameterError("federation-positive", name=name, value=getattr(self, name))
        for name in ("entries", "exits", "junior_share"):
            if not 0 <= getattr(self, name) < 1:
                raise ParameterError("federation-share", name=name, value=getattr(self, name))


@dataclass(frozen=True)
class Simulated:
    """history: the games, by month, with players' birth years and ``start`` (NaN of newcomers); truth: float64 months x
    players, the true strength of active players in each month, NaN otherwise; federation: the assumptions."""

    history: History
    truth: np.ndarray
    federation: Federation


def simulate(federation: Federation) -> Simulated:
    """Play the months of a federation. The same federation (seed included) gives the same games, bit for bit."""
    f = federation
    rng = np.random.default_rng(f.seed)
    coming = rng.poisson(f.players * f.entries, f.months - 1)
    total = f.players + int(coming.sum())
    enters = np.concatenate([np.zeros(f.players, int), np.repeat(np.arange(1, f.months), coming)])
    founder = enters == 0
    # Founders are a settled pool of all ages; newcomers are juniors or adults.
    junior = ~founder & (rng.random(total) < f.junior_share)
    age = np.where(junior, rng.uniform(8, 14, total), rng.uniform(20, 50, total))
    age = np.where(founder, rng.uniform(14, 75, total), age)
    birth_year = np.floor(f.first_year + enters / 12 - age)
    strength = rng.normal(0, f.spread, total) - np.where(junior, f.junior_below, 0.0)
    activity = rng.gamma(f.activity_shape, 1 / f.activity_shape, total)
    leaves = enters + rng.geometric(f.exits, total) if f.exits else np.full(total, f.months)
    error = rng.normal(0, 1, total) * (f.founder_error if math.isfinite(f.founder_error) else np.nan)
    start = np.where(founder, np.round(f.level + strength + error), np.nan)
    truth = np.full((f.months, total), np.nan)
    pieces: list[tuple[np.ndarray, ...]] = []
    for month in range(f.months):
        active = np.flatnonzero((enters <= month) & (month < leaves))
        years_old = age[active] + (month - enters[active]) / 12
        if month:
            strength[active] += rng.normal(0, f.drift, active.size)
            strength[active] += np.where(years_old < f.junior_until, f.junior_gain / 12, 0.0)
            strength[active] -= np.where(years_old >= f.veteran_from, f.veteran_loss / 12, 0.0)
        truth[month, active] = strength[active]
        pieces.append(_month(rng, f, month, active, strength, activity))
    first, second, halves, period = (np.concatenate(column) for column in zip(*pieces, strict=True))
    day0 = (f.first_year - 1970) * 12
    starts = (np.arange(f.months) + day0).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    history = History(
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        half_points=halves.astype(np.int8),
        period=period.astype(np.int32),
        day=starts[period].astype(np.int32),
        players=pd.DataFrame(
            {
                "player": [f"P{i + 1}" for i in range(total)],
                "birth_year": birth_year,
                "start": start,
                "enters": enters,
                "junior": junior,
            }
        ),
        period_length="month",
        period_origin=day0,
        source="simulation",
        rows_read=first.size,
    )
    return Simulated(history, truth, federation)


def _month(
    rng: np.random.Generator,
    f: Federation,
    month: int,
    active: np.ndarray,
    strength: np.ndarray,
    activity: np.ndarray,
) -> tuple[np.ndarray, ...]:
    seats = np.repeat(active, rng.poisson(f.games_per_month * activity[active]))
    # Sorted by strength with noise, neighbours play each other: the noise decides how close they are.
    noise = rng.normal(0, 1, seats.size) * (f.closeness if math.isfinite(f.closeness) else 1e9)
    seats = seats[np.argsort(strength[seats] + noise, kind="stable")]
    pairs = seats[: seats.size // 2 * 2].reshape(-1, 2)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    swap = rng.random(len(pairs)) < 0.5
    first, second = np.where(swap, pairs[:, 1], pairs[:, 0]), np.where(swap, pairs[:, 0], pairs[:, 1])
    order = rng.permutation(first.size)
    first, second = first[order], second[order]
    x = (strength[first] - strength[second] + f.first_move) * math.log(10) / 400
    # On Davidson's own scale the expected score is flatter; the stretch keeps it logistic near equality.
    x = x * (1 + f.nu / 2)
    odds = np.exp(-x)
    z = 1 + odds + f.nu * np.sqrt(odds)
    u = rng.random(first.size)
    halves = np.where(u < 1 / z, 2, np.where(u < (1 + f.nu * np.sqrt(odds)) / z, 1, 0))
    return first, second, halves, np.full(first.size, month)


def against_truth(simulated: Simulated, run: Run, warm_up: int = 24) -> dict[str, float]:
    """How near a run's ratings come to the truth, after the warm-up months.

    Needs monthly snapshots. bias is about the mean of the active players (only differences of strength exist):
    rmse, correlation, slope (rating on truth; above 1: too spread out), junior_lag and veteran_lag (mean of
    truth minus rating, both centred), level_change (mean rating minus mean truth, last month minus first after warm-up).
    """
    if run.snapshots is None:
        raise ParameterError("truth-no-snapshots")
    history, truth = simulated.history, simulated.truth
    born = history.players["birth_year"].to_numpy(float)
    errors, weights, juniors, veterans, levels_, slopes, correlations = [], [], [], [], [], [], []
    for period, rating in zip(run.snapshots.period, run.snapshots.rating, strict=True):
        if period < warm_up:
            continue
        both = np.isfinite(truth[period]) & np.isfinite(rating)
        if both.sum() < 3:
            continue
        t, r = truth[period][both], rating[both]
        levels_.append(r.mean() - t.mean())
        lag = (t - t.mean()) - (r - r.mean())
        age = simulated.federation.first_year + period / 12 - born[both]
        errors.append(float((lag**2).mean()))
        weights.append(both.sum())
        juniors.append(lag[age < 20].mean() if (age < 20).any() else np.nan)
        veterans.append(lag[age >= 60].mean() if (age >= 60).any() else np.nan)
        slopes.append(np.polyfit(t, r, 1)[0])
        correlations.append(np.corrcoef(t, r)[0, 1])
    if not errors:
        raise ParameterError("truth-no-month", warm_up=warm_up)
    return {
        "rmse": math.sqrt(float(np.average(errors, weights=weights))),
        "correlation": float(np.mean(correlations)),
        "slope": float(np.mean(slopes)),
        "junior_lag": float(np.nanmean(juniors)),
        "veteran_lag": float(np.nanmean(veterans)),
        "level_change": float(levels_[-1] - levels_[0]),
    }


def rule_change(
    federation: Federation,
    rules: dict[str, Any],
    *,
    replicates: int = 5,
    warm_up: int = 24,
) -> pd.DataFrame:
    """Test rules before they are made: every rule on the same simulated games, several seeds.

    rules: name -> K (number, schedule, rows). One row per rule and replicate: rule, replicate, seed, the columns of
    ``against_truth``, log_loss after the warm-up, median_change per month.
    """
    rows = [
        row
        for replicate in range(replicates)
        for row in replicate_rows(federation, rules, replicate, warm_up=warm_up)
    ]
    return pd.DataFrame(rows)


def replicate_rows(
    federation: Federation, rules: dict[str, Any], replicate: int, *, warm_up: int = 24
) -> list[dict[str, Any]]:
    """The rows of one replicate of ``rule_change`` (what a cluster distributes)."""
    from qiyi_analysis.research.studies.inflation import stability
    from qiyi_analysis.research.studies.metrics import log_losses

    own = Federation(**{**asdict(federation), "seed": federation.seed + replicate})
    simulated = simulate(own)
    history = simulated.history
    scored = history.period >= warm_up
    rows = []
    for name, k in rules.items():
        run = elo(
            history,
            k,
            update="period",
            advantage=own.first_move,
            start=own.entrant_rating,
            snapshots="month",
            name=name,
        )
        rows.append(
            {
                "rule": name,
                "replicate": replicate,
                "seed": own.seed,
                **against_truth(simulated, run, warm_up),
                "log_loss": float(log_losses(run.expected[scored], history.half_points[scored]).mean()),
                "median_change": stability(run.snapshots)["median_change"] if run.snapshots else np.nan,
            }
        )
    return rows


def recovery(
    k: Any,
    jump: float = 200.0,
    games_per_month: float = 6.0,
    months: int = 36,
    replicates: int = 400,
    seed: int = 1,
    start: float = 1500.0,
) -> pd.DataFrame:
    """How long a rating needs after a jump in strength: ``month, mean, low, high`` of rating minus old strength.

    One player against opponents of his old strength with known ratings; 400 replicates side by side.
    """
    from qiyi_analysis.research.sweeps.k_schedule import as_schedule

    schedule = as_schedule(k)
    rng = np.random.default_rng(seed)
    rating = np.full(replicates, start)
    played = np.full(replicates, 100.0)
    rows = [{"month": 0, "mean": 0.0, "low": 0.0, "high": 0.0}]
    for month in range(1, months + 1):
        games = rng.poisson(games_per_month, replicates)
        won = rng.binomial(games, 1 / (1 + 10 ** (-jump / 400)))
        expected = games / (1 + 10 ** (-(rating - start) / 400))
        ks = np.array(
            [schedule.at(games=g, age=np.nan, rating=r, peak=r) for g, r in zip(played, rating, strict=True)]
        )
        rating = rating + ks * (won - expected)
        played += games
        low, high = np.quantile(rating - start, [0.1, 0.9])
        rows.append(
            {"month": month, "mean": float((rating - start).mean()), "low": float(low), "high": float(high)}
        )
    return pd.DataFrame(rows)
