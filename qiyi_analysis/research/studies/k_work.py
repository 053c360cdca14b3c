"""The games of a study of K-factors, tuned: one K, the first move and the draws, and runs and sweeps with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.studies import cluster as clusters
from qiyi_analysis.research.studies.metrics import log_losses
from qiyi_analysis.research.studies.study import known_mask
from qiyi_analysis.research.sweep.k_sweep import draw_parameter
from qiyi_analysis.research.sweep.sweep_result import Sweep
from qiyi_analysis.research.systems.over_history import Run, elo
from qiyi_analysis.research.systems.tuning import Bound, Tuned, tuned

if TYPE_CHECKING:
    from qiyi_analysis.research.studies.compare_k import KSettings


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
            if values := list(getattr(settings, name)):
                bounds[name] = Bound(min(values), max(values), begin_at)
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
