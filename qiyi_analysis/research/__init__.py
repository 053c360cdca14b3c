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
    "KSchedule": "sweep.k_schedule",
    "by_age": "sweep.k_schedule",
    "by_games": "sweep.k_schedule",
    "by_rating": "sweep.k_schedule",
    "by_time_control": "sweep.k_schedule",
    "from_function": "sweep.k_schedule",
    "Sweep": "sweep.sweep_result",
    "sweep": "sweep.k_sweep",
    "elo": "systems.over_history",
    "glicko": "systems.over_history",
    "glicko2": "systems.over_history",
    "stephenson": "systems.over_history",
    "fide": "systems.over_history",
    "whole_history": "systems.whr",
    "bradley_terry": "systems.static_fits",
    "resample": "studies.resampling",
    "power": "studies.resampling",
    "Federation": "studies.simulation",
    "simulate": "studies.simulation",
    "rule_change": "studies.simulation",
}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(f"qiyi_analysis.research.{_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
