"""Coverage and power of the intervals of a study, on simulated federations whose truth is known.

    python -m benchmarks.research_coverage [histories]

One line a design: share of the 95 % intervals that hold the true difference of two K (of four pairs), and the true best K;
how often a verdict against the best K itself is wrong; power against a K whose interval should exclude it; and the median
of the games said to be needed over the true number. The truth is the mean over all histories. ``docs/methods.md`` has the table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from benchmarks import Measurement
from qiyi_analysis.research.studies.inference import Losses, of_sweep
from qiyi_analysis.research.studies.simulation import Federation, simulate
from qiyi_analysis.research.sweeps.k_sweep import sweep

KS = np.arange(4, 81, 4.0)
DESIGNS = {
    "closed": {"players": 120, "entries": 0.0, "exits": 0.0, "junior_share": 0.0, "veteran_loss": 0.0, "drift": 15.0, "spread": 200.0},
    "open": {"players": 200, "entries": 0.015, "exits": 0.012, "drift": 8.0},
    "heterogeneous": {"players": 120, "activity_shape": 0.3, "entries": 0.02, "exits": 0.015, "drift": 12.0},
}  # fmt: skip


def losses_of(design: str, seed: int) -> Losses:
    """The test losses of every K in one simulated federation."""
    federation = Federation(**DESIGNS[design], months=72, games_per_month=2, seed=seed)  # type: ignore[arg-type]
    start = 1500.0 if design == "closed" else 1250.0
    swept = sweep(
        simulate(federation).history, KS, advantage=30, update="game", start=start, scored_from=30, draw_nu=0
    )
    return of_sweep(swept)


def coverage(design: str, histories: int, first_seed: int = 1000) -> dict[str, float | list[float]]:
    """The line of a design."""
    made = [losses_of(design, first_seed + number) for number in range(histories)]
    means = np.array([one.means for one in made])
    mean, best = means.mean(axis=0), int(means.mean(axis=0).argmin())
    bend, slope, _ = np.polyfit(KS[best - 2 : best + 3], mean[best - 2 : best + 3], 2)
    true_best = -slope / (2 * bend)
    rows = [0, best - 2, min(best + 3, KS.size - 1), min(best + 8, KS.size - 1)]
    tables = [one.differences(best) for one in made]
    optima = [one.optimum() for one in made]
    held = [
        float(
            np.mean([table["low"][row] <= mean[row] - mean[best] <= table["high"][row] for table in tables])
        )
        for row in rows
    ]
    far = int(min(best + 5, KS.size - 1))
    spread = (means[:, far] - means[:, best]).std(ddof=1)
    games = float(np.mean([one.games for one in made]))
    needed = games * (2.8015848 * spread / (mean[far] - mean[best])) ** 2
    said = np.median([one.games_needed(far, best) for one in made])
    return {
        "games": games, "true best K": true_best, "differences": held, "best K": float(np.mean([o.holds(true_best) for o in optima])),
        "width": float(np.median([o.high - o.low for o in optima])),
        "wrong verdicts": float(np.mean([not o.holds(true_best) for o in optima])),
        "excludes best + 12": float(np.mean([not o.holds(KS[best] + 12) for o in optima])),
        "excludes best + 20": float(np.mean([not o.holds(KS[best] + 20) for o in optima])),
        "games needed, said over true": float(said / needed),
    }  # fmt: skip


def measure(smoke: bool) -> Iterator[Measurement]:
    """Coverage of the best K in each design; 400 histories, 5 in a smoke run."""
    for design in DESIGNS:
        found = coverage(design, 5 if smoke else 400)
        yield Measurement(
            work=f"best K held by its interval, {design}", value=found["best K"], unit="share", limit=None
        )


def main() -> None:
    """Print the table."""
    histories = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    for design in DESIGNS:
        print(
            design,
            {k: np.round(v, 3).tolist() for k, v in coverage(design, histories, 5000).items()},
            flush=True,
        )


if __name__ == "__main__":
    main()
