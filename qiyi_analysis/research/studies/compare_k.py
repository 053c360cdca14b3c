"""The study of K-factors: which K predicts best, how sure that is, and what it does.

Warm-up, tuning and test follow each other in time. K, the first-move advantage and K schedules are chosen on the tuning
games by a continuous search; the test games are looked at once, for the chosen K, the K in force and the curve.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import Games, as_history
from qiyi_analysis.research.studies import cluster as clusters
from qiyi_analysis.research.studies import k_comparisons as others
from qiyi_analysis.research.studies.inference import FEWEST, Losses, Optimum, of_sweep
from qiyi_analysis.research.studies.inflation import stability
from qiyi_analysis.research.studies.k_work import KSettings, KWork
from qiyi_analysis.research.studies.metrics import calibration, calibration_slope
from qiyi_analysis.research.studies.study import Study, known_mask, parts_of, say, snapshot_length
from qiyi_analysis.research.sweeps.sweep_result import Sweep
from qiyi_analysis.research.systems.runs import Run
from qiyi_analysis.research.systems.tuning import Tuned


@dataclass(frozen=True, kw_only=True, repr=False)
class CompareK(Study):
    """tuned: K, advantage (and entrants) chosen on the tuning games; test: sweep over the K shown; optimum: the best K on the
    test games with its interval; losses: of the test games, for further contrasts; runs: the K followed in detail."""

    tuned: Tuned
    test: Sweep
    losses: Losses
    optimum: Optimum
    advantage: Optimum
    runs: dict[str, Run]
    chosen: int
    current: int | None

    def plot(self, ax: Any = None) -> Any:
        """Loss of every K above the chosen one, × 1000, with 95 % intervals, on matplotlib axes."""
        from matplotlib.figure import Figure

        ax = ax or Figure().subplots()
        rows = self.tables["candidates"]
        ax.plot(rows["k"], 1000 * rows["difference"])
        ax.fill_between(rows["k"], 1000 * rows["low"], 1000 * rows["high"], alpha=0.2)
        ax.set(xlabel="K", ylabel="1000 × loss above the chosen K")
        return ax


def compare_k(games: Games = "", settings: KSettings | None = None, **changes: Any) -> CompareK:
    """Run the study.

    Parameters
    ----------
    games : a History, a table with one row per game, a file; "" for the shipped xiangqi masters.
    settings, changes : a KSettings, and fields of it to set otherwise.

    Returns a CompareK; losses are mean log-losses in nats, ratings in points. Raises ParameterError when a part of the games
    is empty or a setting is not possible.

    >>> from qiyi_analysis import research
    >>> found = research.compare_k(k=[10, 20, 30, 40])  # doctest: +SKIP
    >>> found.optimum.low, found.optimum.high  # doctest: +SKIP

    The loss of a K and its interval: ``docs/methods.md``, K-factors.
    """
    wanted = replace(settings or KSettings(), **changes)
    history = as_history(games)
    begin, split = parts_of(history, wanted.tune_from, wanted.test_from)
    with clusters.connected(wanted.cluster or None, wanted.workers) as client:
        work = KWork.tuned_on(history, wanted, begin, split, client)
        ks = sorted({*wanted.shown, work.k})
        test = work.sweep(pd.DataFrame({"k": ks}))
        losses = of_sweep(test)
        optimum, chosen = losses.optimum(), ks.index(work.k)
        current = ks.index(float(wanted.current_k)) if wanted.current_k else None
        sides = others.advantages(work)
        two_k, rule = others.schedules(work, wanted.newcomer_games)
        tables = {
            "candidates": pd.concat(
                [test.table().drop(columns="candidate"), losses.differences(chosen)], axis=1
            ),
            "tuning": pd.DataFrame([{**work.found.values, "log_loss": work.found.loss, "edges": " ".join(work.found.edges)}]),
            "periods": test.by_period(),
            "sureness": _sureness(losses, optimum, chosen, current),
            "advantages": sides[0],
            "schedules": two_k,
            "updates": others.updates(work, ks),
            "subgroups": others.subgroups(work, ks, wanted.newcomer_games),
            "warm-up": others.warm_ups(work, ks),
            "points": others.points_by_rule(work.history, work.advantage, work.k, rule, wanted.rules),
        }  # fmt: skip
    runs = _followed(work, optimum, wanted.current_k)
    scored = (history.period >= split) & known_mask(history, wanted.known_games, wanted.update == "period")
    tables["detail"] = pd.DataFrame([_detail(name, run, history, scored) for name, run in runs.items()])
    best = runs[next(iter(runs))]
    tables["biases"] = others.biases(work, best, wanted.newcomer_games)
    tables["calibration"] = calibration(best.expected, history, scored)
    verdict, evidence = _verdict(losses, optimum, work, ks, current)
    return CompareK(
        study="compare-k", settings=_settings(wanted, history, begin, split), history=history, tables=tables, verdict=verdict,
        evidence=evidence, tuned=work.found, test=test, losses=losses, optimum=optimum, advantage=sides[1], runs=runs,
        chosen=chosen, current=current,
    )  # fmt: skip


def _settings(wanted: KSettings, history: History, begin: int, split: int) -> dict[str, Any]:
    """Everything that was asked, with what it came to for these games."""
    return {
        **asdict(wanted), "k": wanted.shown, "games": history.source, "period": history.period_length,
        "tune_from": history.label(begin), "test_from": history.label(split),
    }  # fmt: skip


def _sureness(losses: Losses, optimum: Optimum, chosen: int, current: int | None) -> pd.DataFrame:
    """The best K with its interval, how many players carry it, and how many games would tell the K in force from it."""
    needed = losses.games_needed(current, chosen) if current is not None else np.nan
    return pd.DataFrame(
        [
            {
                "best": optimum.best, "low": optimum.low, "high": optimum.high, "error": optimum.error, "edge": optimum.edge,
                "players": optimum.effective, "games": losses.games, "games_needed": needed,
            }
        ]
    )  # fmt: skip


def _followed(work: KWork, optimum: Optimum, current: float) -> dict[str, Run]:
    """Runs of the chosen K, the K in force and the ends of the interval, by their roles: ``chosen:17.5``."""
    wanted = {"chosen": work.k, "current": float(current) or np.nan, "low": optimum.low, "high": optimum.high}
    length = snapshot_length(work.history)
    return {
        f"{role}:{k:.4g}": work.run(k, snapshots=length, name=f"{role}:{k:.4g}")
        for role, k in wanted.items()
        if np.isfinite(k)
    }


def _detail(name: str, run: Run, history: History, scored: np.ndarray) -> dict[str, Any]:
    from qiyi_analysis.research.studies.metrics import log_losses

    slope = calibration_slope(run.expected, history, scored)
    loss = float(log_losses(run.expected[scored], history.half_points[scored]).mean())
    moved = stability(run.snapshots) if run.snapshots else {}
    return {"name": name, "log_loss": loss, "slope": slope.slope, "slope_error": slope.slope_error, **moved}


def _verdict(
    losses: Losses, optimum: Optimum, work: KWork, ks: list[float], current: int | None
) -> tuple[tuple[str, str], str]:
    """The K in force is called worse where the interval of the best K on the test games does not hold it."""
    low, high = max(optimum.low, ks[0]), min(optimum.high, ks[-1])
    values: dict[str, Any] = {
        "best": f"{optimum.best:.3g}", "low": f"{low:.3g}", "high": f"{high:.3g}", "advantage": f"{work.advantage:.0f}",
        "games": f"{losses.games:,}", "chosen": f"{work.k:.3g}", "players": f"{optimum.effective:.0f}",
    }  # fmt: skip
    if optimum.effective < FEWEST:
        return say("verdict_unsupported", **values), "none"
    if optimum.edge:
        return say("verdict_edge", **values), "none"
    if current is None:
        return say("verdict_plain", **values), "flat"
    row = losses.differences(ks.index(work.k), corrected=False).iloc[current]
    values |= {
        "current": f"{ks[current]:g}", "difference": f"{1000 * row['difference']:.2f}", "d_low": f"{1000 * row['low']:.2f}",
        "d_high": f"{1000 * row['high']:.2f}",
    }  # fmt: skip
    if optimum.holds(ks[current]):
        return say("verdict_no_evidence", **values), "none"
    return say("verdict_low" if ks[current] < optimum.low else "verdict_high", **values), "clear"
