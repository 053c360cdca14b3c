"""How sure a comparison on the same games is, for games that share players and periods.

What is estimated: the mean difference on the future games of such a federation, its players drawn anew. Two games are
related when they share a player or a period, so the squares of whole players' and whole periods' sums are added up
(dyadic-robust variance, Fafchamps and Gubert 2007, Aronow, Samii and Assenova 2015; two-way clusters, Cameron, Gelbach
and Miller 2011). A player's sum is divided by one minus his share of the games, as in a jackknife, because the mean that
is subtracted is made of the same games; and of the squares of pairs, which both players' sums contain, half is taken off.
``docs/methods.md`` has the formulas, and the coverage of every interval in simulated federations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.sweeps.sweep_result import METRICS, Sweep

#: Fewer players than this, counted by their weight in the result, carry no interval.
FEWEST = 3.0
_Z = 1.959963984540054


@dataclass(frozen=True)
class Contrast:
    """Weighted sums of candidates' mean losses, an element each: value, standard error, the error without what makes
    intervals safe (``likely``), and how many players of equal weight would carry as much (``effective``)."""

    value: np.ndarray
    error: np.ndarray
    likely: np.ndarray
    effective: np.ndarray


@dataclass(frozen=True)
class Optimum:
    """Where the loss is lowest between the candidates of one parameter.

    best: the parameter; low, high: 95 % interval, infinite where it leaves the candidates; error: about half of it over
    1.96; edge: whether the lowest loss is at the end of what was tried; effective: players of equal weight.
    """

    best: float
    low: float
    high: float
    error: float
    edge: bool
    effective: float

    def holds(self, value: float) -> bool:
        """Whether the interval contains a value."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Losses:
    """Losses of candidates (columns) added up in rows: by pair of players (int32 2 x rows; of groups of players in a large
    history), by period, and by the smallest unit there is, mostly single games. games: of each row."""

    candidates: pd.DataFrame
    pairs: np.ndarray
    pair_games: np.ndarray
    sides: np.ndarray
    periods: np.ndarray
    period_games: np.ndarray
    units: np.ndarray
    unit_games: np.ndarray

    @property
    def games(self) -> int:
        """Number of games."""
        return int(self.unit_games.sum())

    @property
    def means(self) -> np.ndarray:
        """Mean loss of every candidate."""
        return self.units.sum(axis=0) / self.games

    def contrast(self, weights: np.ndarray) -> Contrast:
        """Value and error of ``means @ weights`` (candidates x contrasts)."""
        n = float(self.games)
        value = self.means @ weights
        pairs, periods, units = (
            sums @ weights - games[:, None] * value
            for sums, games in (
                (self.pairs, self.pair_games), (self.periods, self.period_games), (self.units, self.unit_games),
            )
        )  # fmt: skip
        own, twice, effective = self._players(pairs)
        single = (units**2).sum(axis=0)
        together = np.maximum((periods**2).sum(axis=0) - single, 0.0)
        error = np.sqrt(np.maximum(own - 0.5 * twice, single) + together) / n
        return Contrast(value, error, np.sqrt(np.maximum(own - twice, single)) / n, effective)

    def _players(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Squares of players' sums, those of pairs, which they contain twice, and the effective number of players."""
        one, other = self.sides
        two = one != other  # a group of players has games within itself
        count = int(self.sides.max(initial=-1)) + 1
        games = np.bincount(one, self.pair_games, count) + np.bincount(
            other[two], self.pair_games[two], count
        )
        sums = np.stack(
            [
                np.bincount(one, column, count) + np.bincount(other[two], column[two], count)
                for column in pairs.T
            ],
            axis=1,
        )
        share = np.minimum(games / self.games, 0.9)
        squares = (sums / (1.0 - share)[:, None]) ** 2
        effective = (sums**2).sum(axis=0) ** 2 / np.maximum((sums**4).sum(axis=0), 1e-300)
        return squares.sum(axis=0), (pairs[two] ** 2).sum(axis=0), effective

    def differences(self, against: int, corrected: bool = True) -> pd.DataFrame:
        """Every candidate against one, on the same games.

        With fewer than ten effective players the t distribution is used, otherwise the normal one.
        Columns candidate, difference, low, high (95 %), error, evidence ("worse", "better", "none"): none where the
        interval contains 0, and where, with ``corrected``, Holm's correction for the number of candidates does not leave it.
        """
        from scipy.special import ndtr, stdtr

        weights = np.eye(len(self.candidates))
        weights[against] -= 1.0
        found = self.contrast(weights)
        few = found.effective < 10
        half = np.where(few, _quantile(found.effective), _Z) * found.error
        z = np.abs(found.value) / np.maximum(found.error, 1e-300)
        others = np.arange(z.size) != against
        p = np.where(few, 2.0 * stdtr(np.maximum(found.effective - 1.0, 1.0), -z), 2.0 * ndtr(-z))
        told = np.zeros(z.size, bool)
        told[others] = holm(p[others]) if corrected else p[others] < 0.05
        told &= found.effective >= FEWEST
        known = np.where((found.effective >= FEWEST) | ~others, half, np.inf)
        return pd.DataFrame(
            {
                "candidate": self.candidates["candidate"].to_numpy(),
                "difference": found.value,
                "low": found.value - known,
                "high": found.value + known,
                "error": found.error,
                "evidence": np.where(told, np.where(found.value > 0, "worse", "better"), "none"),
            }
        )

    def optimum(self, column: str = "k") -> Optimum:
        """The best value of a parameter, between the candidates, and its interval.

        The slope of the mean loss over the parameter is tested at every candidate; the interval is where it may be 0
        (t distribution, degrees of freedom by the effective number of players). Candidates must differ in this only.
        """
        values = self.candidates[column].to_numpy(float)
        order = np.argsort(values)
        values, lowest = values[order], int(np.argmin(self.means[order]))
        if values.size < 3:
            raise ParameterError("optimum-candidates", count=values.size)
        slopes = np.zeros((values.size, values.size))
        slopes[order] = np.gradient(np.eye(values.size), values, axis=1)
        found = self.contrast(slopes)
        value, effective = found.value, found.effective
        steep = value / np.maximum(found.error * _quantile(effective), 1e-300)
        best = _crossing(values, value, lowest, 0.0)
        edge = not np.isfinite(best)
        best = float(values[lowest]) if edge else best
        few = float(np.interp(best, values, effective)) < FEWEST
        low = -np.inf if few else _reached(values[: lowest + 1][::-1], steep[: lowest + 1][::-1], -1.0)
        high = np.inf if few else _reached(values[lowest:], steep[lowest:], 1.0)
        bend = float(np.interp(best, values, np.gradient(value, values)))
        error = float(np.interp(best, values, found.error)) / bend if bend > 0 else np.inf
        return Optimum(best, low, high, error, edge, float(np.interp(best, values, effective)))

    def games_needed(self, one: int, other: int) -> float:
        """How many games would tell two candidates apart (two-sided 5 %, power 80 %), if the difference is the observed
        one; NaN where there is none."""
        weights = np.zeros((len(self.candidates), 1))
        weights[one], weights[other] = 1.0, -1.0
        found = self.contrast(weights)
        if not found.value[0] or one == other:
            return math.nan
        return float(self.games * ((_Z + 0.841621) * found.likely[0] / found.value[0]) ** 2)


def holm(p: np.ndarray, level: float = 0.05) -> np.ndarray:
    """Which of several tests hold when none of them may be wrong with more than this probability (Holm 1979)."""
    order = np.argsort(p)
    steps = p[order] <= level / np.arange(p.size, 0, -1)
    held = np.zeros(p.size, bool)
    held[order[: int(np.argmin(steps)) if not steps.all() else p.size]] = True
    return held


def of_sweep(swept: Sweep) -> Losses:
    """The losses of a sweep made with ``by_player``. Raises ParameterError where nothing was scored."""
    if not swept.scored:
        raise ParameterError("sweep-empty")
    if not swept.pair_games.size:
        raise ParameterError("bootstrap-players")
    games = swept.counts.sum(axis=0)
    units = games > 0
    loss, period = swept.sums[METRICS.index("log_loss")][units], swept.unit_period[units]
    pairs = swept.pair_games > 0
    return Losses(
        swept.candidates, swept.pair_sums[pairs], swept.pair_games[pairs].astype(float), swept.pair_sides[:, pairs],
        *_added(loss, games[units].astype(float), period), loss, games[units].astype(float),
    )  # fmt: skip


def of_games(losses: np.ndarray, names: Any, history: History, scored: np.ndarray) -> Losses:
    """The losses of single games (scored games x candidates); names: of the candidates."""
    first, second = history.first[scored].astype(np.int64), history.second[scored]
    low, high = np.minimum(first, second), np.maximum(first, second)
    keys, where = np.unique(low * len(history.players) + high, return_inverse=True)
    one = np.ones(len(losses))
    sides = np.stack([keys // len(history.players), keys % len(history.players)]).astype(np.int32)
    return Losses(
        pd.DataFrame({"candidate": list(names)}), *_added(losses, one, where), sides,
        *_added(losses, one, history.period[scored]), losses, one,
    )  # fmt: skip


def _added(sums: np.ndarray, games: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows added up by label, and their games."""
    _, where = np.unique(label, return_inverse=True)
    count = int(where.max(initial=-1)) + 1
    return np.stack([np.bincount(where, column, count) for column in sums.T], axis=1), np.bincount(
        where, games, count
    )


def _quantile(effective: np.ndarray) -> np.ndarray:
    from scipy.special import stdtrit

    return stdtrit(np.maximum(effective - 1.0, 1.0), 0.975)


def _crossing(values: np.ndarray, slope: np.ndarray, near: int, level: float) -> float:
    """Where the slope crosses the level around the lowest loss; NaN at the ends."""
    for a in (near - 1, near):
        if 0 <= a < values.size - 1 and slope[a] <= level < slope[a + 1]:
            return float(
                values[a] + (values[a + 1] - values[a]) * (level - slope[a]) / (slope[a + 1] - slope[a])
            )
    return math.nan


def _reached(values: np.ndarray, steep: np.ndarray, level: float) -> float:
    """The first value, outward, at which the slope is steep enough; infinite where none is."""
    beyond = np.flatnonzero(steep * level >= 1.0)
    if not beyond.size:
        return math.copysign(math.inf, level)
    b = int(beyond[0])
    if b == 0:
        return float(values[0])
    share = (level - steep[b - 1]) / (steep[b] - steep[b - 1])
    return float(values[b - 1] + (values[b] - values[b - 1]) * share)


def clustered_errors(values: np.ndarray, history: History, scored: np.ndarray) -> np.ndarray:
    """Standard errors of the sums of columns of ``values`` (scored games x columns, about their means) over games that share
    players and periods."""
    losses = of_games(values, range(values.shape[1]), history, scored)
    return losses.contrast(np.eye(values.shape[1])).error * losses.games
