"""The games of a study of K-factors, tuned: one K, the first move and the draws, and runs and sweeps with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.studies import cluster as clusters
from qiyi_analysis.research.studies.metrics import log_losses
from qiyi_analysis.research.studies.study import known_mask, sequence
from qiyi_analysis.research.sweeps.k_sweep import draw_parameter
from qiyi_analysis.research.sweeps.sweep_result import Sweep
from qiyi_analysis.research.systems.over_history import elo
from qiyi_analysis.research.systems.runs import Run
from qiyi_analysis.research.systems.tuning import Bound, Tuned, tuned


@dataclass(frozen=True, kw_only=True)
class KSettings:
    """What is asked of the study.

    k: shown on the test games (default 5, 10, ..., 100, and the K in force); k_bounds: where K is looked for.
    advantage: bounds of the first move in points; one number fixes it. entrants: bounds of the rating of players who first
    appear in the tuning or test games; none: ``start``. current_k: the K in force, 0 for none. newcomer_games: up to
    here a player is a newcomer. draws: "half", or Davidson's model in update and loss. known_games: earlier games both
    players need. rules: the edition whose whole procedure is followed for the points it creates.
    tune_from, test_from: dates. cluster, workers: see ``cluster``.
    """

    k: Sequence[float] = ()
    k_bounds: Sequence[float] = (1.0, 200.0)
    advantage: Sequence[float] | float = (-50.0, 150.0)
    entrants: Sequence[float] = ()
    start: float = 1500.0
    current_k: float = 20.0
    newcomer_games: int = 30
    update: Literal["game", "period"] = "game"
    tune_from: str = ""
    test_from: str = ""
    known_games: int = 0
    draws: str = "half"
    rules: str = "fide/rating-standard/2024-03-01"
    cluster: str = ""
    workers: int = 0

    def __post_init__(self) -> None:
        for name in ("k", "k_bounds", "advantage", "entrants"):
            object.__setattr__(self, name, sequence(name, getattr(self, name)))
        low, high = min(self.k_bounds), max(self.k_bounds)
        if low <= 0 or self.current_k < 0 or any(one < 0 for one in self.k):
            raise ParameterError("k-negative", low=low, high=high, current=self.current_k)
        if self.update not in ("game", "period"):
            raise ParameterError("update-value", update=self.update)
        if self.draws not in ("half", "davidson"):
            raise ParameterError("draws-of-sweep", draws=self.draws)

    @property
    def shown(self) -> list[float]:
        """The K of the curve, in order, with the K in force."""
        values = {float(one) for one in (self.k or range(5, 101, 5))} | (
            {float(self.current_k)} if self.current_k else set()
        )
        if len(values) < 3:
            raise ParameterError("optimum-candidates", count=len(values))
        return sorted(values)


@dataclass(frozen=True)
class KWork:
    """history: with the entrants' ratings that were chosen; nu: Davidson's draw parameter, from the games before the test."""

    history: History
    settings: KSettings
    begin: int
    split: int
    client: Any
    nu: float
    found: Tuned

    @property
    def k(self) -> float:
        """The K chosen on the tuning games, to a tenth."""
        return self.found.values["k"]

    @property
    def advantage(self) -> float:
        """The first move chosen with it, in points."""
        return self.found.values["advantage"]

    @classmethod
    def tuned_on(cls, history: History, settings: KSettings, begin: int, split: int, client: Any) -> KWork:
        """Choose K, the first move and the entrants' rating on the tuning games."""
        work = cls(
            history, settings, begin, split, client, draw_parameter(history, split), Tuned({}, np.nan, (), 0)
        )
        low, high = min(settings.k_bounds), max(settings.k_bounds)
        bounds = {"k": Bound(low, high, min(max(25.0, low), high), log=True)}
        for name, begin_at in (("advantage", 25.0), ("entrants", settings.start)):
            if tried := list(getattr(settings, name)):
                bounds[name] = Bound(min(tried), max(tried), begin_at)
        found = work.tuned(lambda values: values["k"], bounds)
        values = {name: round(value, 1) for name, value in found.values.items()}
        if "entrants" in values:
            history = with_entrants(history, begin, values["entrants"])
        return replace(work, history=history, found=replace(found, values=values))

    def tuned(self, schedule: Callable[[Mapping[str, float]], Any], bounds: Mapping[str, Bound]) -> Tuned:
        """Search for the parameters of a K schedule (and of the first move, the entrants) on the tuning games."""
        part = self.history.subset(self.history.period < self.split)
        scored = (part.period >= self.begin) & known_mask(
            part, self.settings.known_games, self.settings.update == "period"
        )
        halves = part.half_points[scored]

        def loss(values: dict[str, float]) -> float:
            own = with_entrants(part, self.begin, values["entrants"]) if "entrants" in values else part
            advantage = {**self.found.values, **values}["advantage"]
            expected = self._elo(own, schedule(values), advantage).expected
            return float(log_losses(expected[scored], halves).mean())

        return tuned(loss, bounds)

    def run(
        self, k: Any, advantage: float | None = None, snapshots: str | None = None, name: str = ""
    ) -> Run:
        """Elo over the whole history by these choices."""
        own = self.advantage if advantage is None else advantage
        return self._elo(self.history, k, own, snapshots, name)

    def _elo(
        self, history: History, k: Any, advantage: float, snapshots: str | None = None, name: str = ""
    ) -> Run:
        chosen = self.settings
        nu = self.nu if chosen.draws == "davidson" else 0.0
        return elo(
            history, k, update=chosen.update, advantage=advantage, start=chosen.start, draw_nu=nu, snapshots=snapshots, name=name
        )  # fmt: skip

    def sweep(self, grid: pd.DataFrame, history: History | None = None, **other: Any) -> Sweep:
        """Candidates on the test games by these choices; grid: k, and perhaps advantage."""
        chosen = self.settings
        choices: dict[str, Any] = {
            "update": chosen.update, "known_games": chosen.known_games, "draws": chosen.draws, "draw_nu": self.nu,
            "scored_from": self.split, **other,
        }  # fmt: skip
        grid = grid.assign(start=chosen.start)
        if "advantage" not in grid:
            grid["advantage"] = self.advantage
        return clusters.sweep_on(self.client, self.history if history is None else history, grid, **choices)


def with_entrants(history: History, begin: int, start: float) -> History:
    """The history with ``start`` as the rating of everybody who first appears in period ``begin`` or later and has none."""
    n = len(history.players)
    first_seen = np.full(n, np.iinfo(np.int32).max)
    for side in (history.first, history.second):
        np.minimum.at(first_seen, side, history.period)
    own = history.players["start"].to_numpy(float) if "start" in history.players else np.full(n, np.nan)
    own = np.where(np.isnan(own) & (first_seen >= begin), start, own)
    return replace(history, players=history.players.assign(start=own))
