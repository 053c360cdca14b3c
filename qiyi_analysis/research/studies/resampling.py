"""How sure a comparison is: cluster bootstrap over players, periods, events or games (rating-systems 18).

Replicate ``b`` of seed ``s`` always draws the same weights, however the replicates are shared out among
processes. Candidates are compared by paired differences: the same resampled games for all of them.

* period, event: whole periods (events) are drawn with replacement; games of one share form and pairings.
* player: players are drawn, and a game counts with the product of its two players' weights (pigeonhole bootstrap): a
  player's games share the error of his rating.
* game: single games; too narrow wherever games are not independent, shown for comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import writable
from qiyi_analysis.research.sweeps.sweep_result import METRICS, Sweep

By = Literal["player", "period", "event", "game"]
BYS: tuple[By, ...] = ("player", "period", "event", "game")
#: Fewer clusters than this carry no interval.
FEWEST = 10


@dataclass(frozen=True)
class Clusters:
    """What is resampled. sums: float64 rows x candidates, games: float64 of rows; a row belongs to one cluster
    (``sides`` None, row = cluster) or to two players (``sides`` int32 2 x rows, ``count`` players).
    """

    by: str
    sums: np.ndarray
    games: np.ndarray
    sides: np.ndarray | None
    count: int


@dataclass(frozen=True, repr=False)
class Replicates:
    """Mean loss of every candidate on the data and on each resampled copy of it.

    means: float64 of candidates; drawn: float64 replicates x candidates; clusters: number of units drawn from.
    """

    by: str
    candidates: pd.DataFrame
    means: np.ndarray
    drawn: np.ndarray
    clusters: int
    games: int
    seed: int

    def __repr__(self) -> str:
        return f"<Replicates by {self.by}: {len(self.drawn)} of {len(self.candidates)} candidates, {self.games} games>"

    @property
    def supported(self) -> bool:
        """Whether there are enough clusters for an interval at all."""
        return self.clusters >= FEWEST

    def best(self) -> int:
        """Row of the candidate with the lowest mean loss."""
        return int(np.argmin(self.means))

    def best_interval(self, column: str = "k", level: float = 0.95) -> tuple[float, float]:
        """Interval of the parameter of the best candidate; the whole range where it is not supported."""
        values = self.candidates[column].to_numpy(float)
        if not self.supported:
            return float(np.nanmin(values)), float(np.nanmax(values))
        winners = values[np.argmin(self.drawn, axis=1)]
        low, high = np.nanquantile(winners, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
        return float(low), float(high)

    def differences(self, against: int | None = None, level: float = 0.95) -> pd.DataFrame:
        """Every candidate against one (default: the best), paired.

        Columns candidate, by, difference, low, high, error (standard deviation of the replicates), evidence
        ("worse", "better", "none"): none where the interval contains 0 or is not supported.
        """
        base = self.best() if against is None else against
        paired = self.drawn - self.drawn[:, [base]]
        low, high = np.quantile(paired, [(1 - level) / 2, (1 + level) / 2], axis=0)
        difference = self.means - self.means[base]
        evidence = np.where(low > 0, "worse", np.where(high < 0, "better", "none"))
        if not self.supported:
            low, high = np.full_like(low, -np.inf), np.full_like(high, np.inf)
            evidence = np.full(low.size, "none")
        return pd.DataFrame(
            {
                "candidate": self.candidates["candidate"],
                "by": self.by,
                "difference": difference,
                "low": low,
                "high": high,
                "error": paired.std(axis=0, ddof=1),
                "evidence": evidence,
            }
        )

    def flat_region(self, level: float = 0.95) -> np.ndarray:
        """Rows of the candidates that cannot be told from the best."""
        return np.flatnonzero(self.differences(level=level)["evidence"].to_numpy() == "none")

    def level_interval(self, row: int, level: float = 0.95) -> tuple[float, float]:
        """Interval of one candidate's mean loss (much wider than that of a difference)."""
        low, high = np.quantile(self.drawn[:, row], [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    def tidy(self) -> pd.DataFrame:
        """One row per candidate and replicate: ``candidate, by, replicate, loss``."""
        count, lanes = self.drawn.shape
        return pd.DataFrame(
            {
                "candidate": np.tile(self.candidates["candidate"].to_numpy(), count),
                "by": self.by,
                "replicate": np.repeat(np.arange(count), lanes),
                "loss": self.drawn.ravel(),
            }
        )


@dataclass(frozen=True, slots=True)
class Power:
    """How many games would tell two candidates apart (two-sided 5 %, power 80 %), if the difference is the observed one.

    games_needed is NaN where the difference or its error is 0.
    """

    difference: float
    error: float
    games: int
    games_needed: float


def resample(
    swept: Sweep, by: By = "player", replicates: int = 1000, seed: int = 1, metric: str = "log_loss"
) -> Replicates:
    """Bootstrap a sweep. Raises ParameterError where ``by`` is not available for it."""
    if replicates < 20:
        raise ParameterError("bootstrap-replicates", replicates=replicates)
    clusters = clusters_of(swept, by, metric)
    return replicated(clusters, swept.candidates, draw(clusters, range(replicates), seed), seed)


def replicated(clusters: Clusters, candidates: pd.DataFrame, drawn: np.ndarray, seed: int) -> Replicates:
    """Join drawn replicates with the candidates they are of."""
    games = clusters.games.sum()
    return Replicates(
        clusters.by, candidates, clusters.sums.sum(axis=0) / games, drawn, clusters.count, int(games), seed
    )


def clusters_of(swept: Sweep, by: By, metric: str = "log_loss") -> Clusters:
    """The sums a bootstrap needs, rows without scored games left out."""
    if by not in BYS:
        raise ParameterError("by-of-bootstrap", by=by, choices=BYS)
    if not swept.scored:
        raise ParameterError("bootstrap-empty")
    if by == "player":
        if metric != "log_loss" or not swept.pair_games.size:
            raise ParameterError("bootstrap-players")
        keep = swept.pair_games > 0
        sides = swept.pair_sides[:, keep]
        # Everybody in the population is drawn, also those who played no scored game (reference figures do so).
        count = max(len(swept.games_of), 1) if swept.pairs_exact else int(swept.pair_sides.max()) + 1
        return Clusters(by, swept.pair_sums[keep], swept.pair_games[keep].astype(float), sides, count)
    games = swept.counts.sum(axis=0)
    keep = games > 0
    sums, games = swept.sums[METRICS.index(metric)][keep], games[keep].astype(float)
    if by == "game":
        if games.max() > 1:
            raise ParameterError("bootstrap-games", games=int(games.sum()))
        return Clusters(by, sums, games, None, int(keep.sum()))
    if by == "event":
        if swept.unit_event is None:
            raise ParameterError("bootstrap-events")
        label = swept.unit_event[keep]
    else:
        label = swept.unit_period[keep]
    _, where = np.unique(label, return_inverse=True)
    count = int(where.max()) + 1
    joined = np.zeros((count, sums.shape[1]))
    np.add.at(joined, where, sums)
    return Clusters(by, joined, np.bincount(where, weights=games, minlength=count), None, count)


def paired_clusters(losses: np.ndarray, label: np.ndarray, by: str = "period") -> Clusters:
    """Clusters of single games' losses (float64 n x candidates), labelled by whole numbers."""
    _, where = np.unique(label, return_inverse=True)
    count = int(where.max()) + 1
    sums = np.stack([np.bincount(where, weights=column, minlength=count) for column in losses.T], axis=1)
    return Clusters(by, sums, np.bincount(where, minlength=count).astype(float), None, count)


def draw(clusters: Clusters, replicates: range, seed: int) -> np.ndarray:
    """Mean losses of the given replicates: float64 len(replicates) x candidates.

    A replicate in which no game has weight is drawn as the data themselves.
    """
    from qiyi_analysis.research.loops.weigh_loop import weighted_means

    share = np.full(clusters.count, 1.0 / clusters.count)
    sides = np.zeros((2, 0), np.int32) if clusters.sides is None else writable(clusters.sides, np.int32)
    drawn = np.empty((len(replicates), clusters.sums.shape[1]))
    sums, games = writable(clusters.sums), writable(clusters.games)
    for row, number in enumerate(replicates):
        own = np.random.default_rng([seed, number]).multinomial(clusters.count, share).astype(float)
        weighted_means(own, sides, sums, games, drawn[row])
    return drawn


def power(replicates: Replicates, one: int, other: int) -> Power:
    """Power of telling two candidates apart, from the spread of their paired difference."""
    paired = replicates.drawn[:, one] - replicates.drawn[:, other]
    difference, error = float(replicates.means[one] - replicates.means[other]), float(paired.std(ddof=1))
    needed = (
        replicates.games * ((1.959964 + 0.841621) * error / difference) ** 2
        if difference and error
        else np.nan
    )
    return Power(difference, error, replicates.games, float(needed))
