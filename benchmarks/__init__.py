"""Measurements of this program beside reference loops and peers, all in one run on one machine.

A module of this folder has ``measure(smoke)``, which yields `Measurement` rows; ``smoke`` asks for the smallest
work that still runs every line. ``python -m benchmarks`` runs all modules and writes one table.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One row of the table. ``limit`` is what must be reached, in the same unit; a peer's value may stand beside it."""

    work: str
    value: float
    unit: str
    limit: float | None = None
    peer: str = ""
    peer_value: float | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the limit holds; None where there is none."""
        return None if self.limit is None else self.value <= self.limit


def median_seconds(work: Callable[[], object], repetitions: int = 5) -> float:
    """The median time of one call of ``work``, after a first call that is not counted."""
    work()
    times = []
    for _ in range(repetitions):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def environment() -> dict[str, str]:
    """The environment of measured processes: compiled files are kept, as in every installation."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
