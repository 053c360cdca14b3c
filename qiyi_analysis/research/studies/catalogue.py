"""The studies by the names people give them: notebook, and module and function that do the same without one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

STUDIES: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "compare-k": ("compare_k_factors", "compare_k", "compare_k"),
        "compare-systems": ("compare_systems", "compare_systems", "compare_systems"),
        "simulate": ("simulate_federation", "simulate_federation", "simulate_federation"),
        "expected-score": ("expected_score", "expected_score", "expected_score"),
    }
)
