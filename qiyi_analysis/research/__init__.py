"""Research over game histories: which K-factor and which system predicts best, how sure, and what it does.

The names are loaded on first use: importing this package imports neither numba nor scipy.
"""

from __future__ import annotations

import importlib
from typing import Any

_NAMES = {
    "History": "history",
    "Remark": "history",
    "connectivity": "history",
    "history_from_table": "history",
    "read_history": "history_files",
    "write_history": "history_files",
    "open_packed": "history_files",
    "xiangqi_masters": "history_files",
    "KSchedule": "k_schedule",
    "by_age": "k_schedule",
    "by_games": "k_schedule",
    "by_rating": "k_schedule",
    "by_time_control": "k_schedule",
    "from_function": "k_schedule",
    "Sweep": "sweep_result",
    "sweep": "k_sweep",
    "elo": "systems",
    "glicko": "systems",
    "glicko2": "systems",
    "stephenson": "systems",
    "fide": "systems",
    "whole_history": "whr",
    "bradley_terry": "static_fits",
    "resample": "resampling",
    "power": "resampling",
    "Federation": "simulation",
    "simulate": "simulation",
    "rule_change": "simulation",
}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(f"qiyi_analysis.research.{_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
