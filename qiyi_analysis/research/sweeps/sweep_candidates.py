"""The candidates of a sweep: every combination of the parameters given, or a table of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.sweeps.k_schedule import KSchedule, as_schedule


def candidate_grid(
    k: Any,
    advantage: Any = 0.0,
    prediction_advantage: Any = 0.0,
    start: Any = 1500.0,
    entrants: Any = None,
    candidates: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, list[KSchedule]]:
    """The table of candidates, every combination of the sequences, and each one's K schedule."""
    if candidates is None:
        ks = _sequence(np.arange(2.0, 101.0, 2.0) if k is None else k)
        rows = [
            {
                "k": one_k,
                "advantage": a,
                "prediction_advantage": m,
                "start": s,
                "entrants": s if e is None else e,
            }
            for one_k in ks
            for a in _sequence(advantage)
            for m in _sequence(prediction_advantage)
            for s in _sequence(start)
            for e in (_sequence(entrants) if entrants is not None else [None])
        ]
        candidates = pd.DataFrame(rows)
    elif k is not None:
        raise ParameterError("k-and-candidates")
    table = candidates.copy().reset_index(drop=True)
    if "k" not in table or not len(table):
        raise ParameterError("candidates-columns", columns=table.columns, rows=len(table))
    for name, default in (("advantage", 0.0), ("prediction_advantage", 0.0), ("start", 1500.0)):
        if name not in table:
            table[name] = default
    if "entrants" not in table:
        table["entrants"] = table["start"]
    schedules = [as_schedule(one_k) for one_k in table["k"]]
    table["k"] = [float(s.rows[0]["k"]) if len(s.rows) == 1 else np.nan for s in schedules]
    if "candidate" not in table:
        table.insert(0, "candidate", _candidate_names(table, schedules))
    for name in ("advantage", "prediction_advantage", "start", "entrants"):
        table[name] = table[name].astype(float)
    return table, schedules


def _sequence(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple, np.ndarray, pd.Series, range)):
        values = list(value)
        # Rows of one schedule are a single K, not a sequence of them.
        return [tuple(values)] if values and all(isinstance(v, Mapping) for v in values) else values
    return [value]


def _candidate_names(table: pd.DataFrame, schedules: Sequence[KSchedule]) -> list[str]:
    varying = [
        n for n in ("advantage", "prediction_advantage", "start", "entrants") if table[n].nunique() > 1
    ]
    if "entrants" in varying and "start" in varying and (table["start"] == table["entrants"]).all():
        varying.remove("entrants")
    return [
        ", ".join([schedule.name, *(f"{name} {table[name][i]:g}" for name in varying)])
        for i, schedule in enumerate(schedules)
    ]
