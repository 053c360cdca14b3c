"""What a sweep does with every candidate alike, and the sums of the metrics that come of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError

Update = Literal["game", "period"]
#: What a prediction is judged by; three-way only where a draw parameter is known.
METRICS = ("log_loss", "brier", "accuracy", "three_way")


@dataclass(frozen=True)
class SweepSettings:
    """What a sweep does with every candidate alike.

    update: "game" (ratings move after every game) or "period" (all games of a period use the ratings before).
    scored_from, scored_until: numbers of periods; known_games: earlier games both players need.
    entrants_from: period from which newcomers get the candidate's ``entrants`` rating instead of ``start``.
    clamp: predictions are limited to [clamp, 1 - clamp] before they are scored.
    draw_nu: Davidson's draw parameter of the three-way log-loss; 0 = no three-way log-loss.
    davidson: update with Davidson's expected score (parameter draw_nu) instead of the logistic one.
    """

    update: Update = "period"
    scored_from: int = 0
    scored_until: int = 2**31 - 1
    known_games: int = 0
    entrants_from: int = 0
    clamp: float = 0.01
    draw_nu: float = 0.0
    davidson: bool = False
    by_player: bool = True


@dataclass(frozen=True, repr=False)
class Sweep:
    """Sums of the metrics, one column per candidate.

    candidates: DataFrame, one row per candidate (candidate, k, advantage, ...).
    sums: float64 4 x units x candidates, in the order METRICS; counts: int64 3 x units (lost, drawn, won games of
    the first side); unit_period: int32 of units. pair_sums: float64 pairs x candidates, log-loss of the games
    of two players (of two groups of players in a large history); pair_games: int64; pair_sides: int32 2 x pairs.
    ratings: float64 players x candidates, after the last period; games_of: int32 of players.
    """

    candidates: pd.DataFrame
    settings: SweepSettings
    sums: np.ndarray
    counts: np.ndarray
    unit_period: np.ndarray
    pair_sums: np.ndarray
    pair_games: np.ndarray
    pair_sides: np.ndarray
    ratings: np.ndarray
    games_of: np.ndarray
    games: int
    period_labels: tuple[str, ...] = ()
    pairs_exact: bool = False
    unit_event: np.ndarray | None = None

    def __repr__(self) -> str:
        best = self.candidates["candidate"].iloc[self.best()] if self.scored else "-"
        return f"<Sweep: {len(self.candidates)} candidates, {self.scored} of {self.games} games scored, best {best}>"

    @property
    def scored(self) -> int:
        """Number of scored games, the same for every candidate."""
        return int(self.counts.sum())

    def table(self) -> pd.DataFrame:
        """One row per candidate: its parameters, games, and the mean of each metric over the scored games."""
        means = self.sums.sum(axis=1) / max(self.scored, 1)
        table = self.candidates.assign(games=self.scored)
        for row, name in enumerate(METRICS):
            if name != "three_way" or self.settings.draw_nu:
                table[name] = means[row] if self.scored else np.nan
        table["highest_rating"] = np.nanmax(self.ratings, axis=0) if self.ratings.size else np.nan
        table["lowest_rating"] = np.nanmin(self.ratings, axis=0) if self.ratings.size else np.nan
        return table

    def best(self, metric: str = "log_loss") -> int:
        """The row of the candidate with the lowest loss (highest accuracy). Raises ParameterError when nothing was scored."""
        if not self.scored:
            raise ParameterError("sweep-empty")
        total = self.sums[METRICS.index(metric)].sum(axis=0)
        return int(np.argmax(total) if metric == "accuracy" else np.argmin(total))

    def by_period(self) -> pd.DataFrame:
        """One row per candidate and period with scored games: ``candidate, period, games, <metrics>``."""
        periods, where = np.unique(self.unit_period, return_inverse=True)
        games = np.bincount(where, weights=self.counts.sum(axis=0), minlength=periods.size)
        pieces = {}
        for row, name in enumerate(METRICS):
            if name == "three_way" and not self.settings.draw_nu:
                continue
            total = np.zeros((periods.size, len(self.candidates)))
            np.add.at(total, where, self.sums[row])
            pieces[name] = total / np.maximum(games, 1)[:, None]
        keep = games > 0
        count = int(keep.sum())
        labels = np.array(
            [self.period_labels[p] if p < len(self.period_labels) else str(p) for p in periods[keep]]
        )
        return pd.DataFrame(
            {
                "candidate": np.repeat(self.candidates["candidate"].to_numpy(), count),
                "period": np.tile(labels, len(self.candidates)),
                "games": np.tile(games[keep].astype(np.int64), len(self.candidates)),
            }
            | {name: values[keep].T.ravel() for name, values in pieces.items()}
        )
