"""The studies by the names people give them: notebook, and how each is run from the notebook's parameters without it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

#: Name -> notebook, module and function.
STUDIES: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "compare-k": ("compare_k_factors", "compare_k", "compare_k"),
        "compare-systems": ("compare_systems", "compare_systems", "compare_systems"),
        "simulate": ("simulate_federation", "simulate_federation", "simulate_federation"),
        "expected-score": ("expected_score", "expected_score", "expected_score"),
    }
)
#: Parameters that say which games a study is about (``study.read_games``).
READING = (
    "games", "events", "lists", "period", "columns", "players", "partial_dates", "duplicates", "discipline", "points_per_handicap",
)  # fmt: skip


def run(study: str, parameters: Mapping[str, Any]) -> Any:
    """The result of a study from the parameters of its notebook, as the notebook itself makes it."""
    _, module, function = STUDIES[study]
    work = getattr(importlib.import_module(f"qiyi_analysis.research.studies.{module}"), function)
    given = {name: value for name, value in parameters.items() if name not in ("language", "results")}
    if study == "simulate":
        return work(
            **{"players" if name == "federation_players" else name: value for name, value in given.items()}
        )
    from qiyi_analysis.research.studies.study import read_games

    reading = {name: given.pop(name) for name in READING if name in given}
    return work(read_games(**reading), **given)
