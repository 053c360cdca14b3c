"""Research over game histories: which K-factor and which system predicts best, how sure, and what it does.

The names are loaded on first use: importing this package imports neither numba nor scipy.
"""

from __future__ import annotations

import importlib
from typing import Any

_NAMES = {
    "History": "history.games",
    "Remark": "history.games",
    "connectivity": "history.games",
    "history_from_table": "history.from_table",
    "read_history": "history.history_files",
    "write_history": "history.history_files",
    "open_packed": "history.history_files",
    "xiangqi_masters": "history.history_files",
    "history_from_events": "history.from_events",
    "history_from_folder": "history.from_events",
    "pack_table": "history.packing",
    "KSchedule": "sweeps.k_schedule",
    "by_age": "sweeps.k_schedule",
    "by_games": "sweeps.k_schedule",
    "by_rating": "sweeps.k_schedule",
    "by_time_control": "sweeps.k_schedule",
    "from_function": "sweeps.k_schedule",
    "Sweep": "sweeps.sweep_result",
    "sweep": "sweeps.k_sweep",
    "elo": "systems.over_history",
    "glicko": "systems.over_history",
    "glicko2": "systems.over_history",
    "stephenson": "systems.over_history",
    "fide": "systems.over_history",
    "official": "systems.official",
    "whole_history": "systems.whr",
    "bradley_terry": "systems.static_fits",
    "compare_k": "studies.compare_k",
    "KSettings": "studies.k_work",
    "compare_systems": "studies.compare_systems",
    "SystemSettings": "studies.compare_systems",
    "expected_score": "studies.expected_score",
    "simulate_federation": "studies.simulate_federation",
    "inflation": "studies.inflation",
    "had_k_been": "studies.inflation",
    "calibration": "studies.metrics",
    "log_losses": "studies.metrics",
    "brier_scores": "studies.metrics",
    "three_way_losses": "studies.metrics",
    "summary": "studies.metrics",
    "kaggle_2010": "studies.metrics",
    "connected": "studies.cluster",
    "sweep_on": "studies.cluster",
    "resample_on": "studies.cluster",
    "pools_on": "studies.cluster",
    "Losses": "studies.inference",
    "of_sweep": "studies.inference",
    "of_games": "studies.inference",
    "resample": "studies.resampling",
    "power": "studies.resampling",
    "Federation": "studies.simulation",
    "simulate": "studies.simulation",
    "rule_change": "studies.simulation",
}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        module = importlib.import_module(f"qiyi_analysis.research.{_NAMES[name]}")
        return (
            module
            if module.__name__.endswith(f".{name}") and not hasattr(module, name)
            else getattr(module, name)
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
