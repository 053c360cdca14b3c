"""A published rating list: one row per player, in force from a day on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import SourceFile, frame
from qiyi_analysis.model.register import Register

LIST_COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "id": "text",
        "name": "text",
        "sex": "text",
        "federation": "text",
        "unit": "text",
        "birth_year": "number",
        "title": "text",
        "rating": "number",
        "k": "number",
        "games": "number",
        "peak": "number",
        "last_event": "text",  # ISO date of the end of the last rated event
        "rank": "number",
        "flag": "text",
        "line": "int64",
    }
)


@dataclass(frozen=True, kw_only=True)
class RatingList:
    """A published list: one row per player, in force from ``day``."""

    id: str
    federation: str = ""
    document: str = ""
    day: date | None = None
    rows: pd.DataFrame
    #: Ratings of several kinds side by side: kind -> ``rating, games, k``, row by row; ``rows`` holds one of them.
    kinds: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    sources: tuple[SourceFile, ...] = ()
    faults: tuple[Finding, ...] = ()

    @cached_property
    def _made(self) -> dict[str, RatingList]:
        return {}

    def of_kind(self, kind: str, document: str) -> RatingList:
        """The same list with the ratings of another kind in ``rows``, empty ones where it has none; made once."""
        if kind not in self._made:
            rows = self.rows.copy(deep=False)
            values = self.kinds.get(kind)
            for name in ("rating", "games", "k"):
                rows[name] = np.nan if values is None else values[name].to_numpy()
            self._made[kind] = replace(self, rows=rows, document=document)
        return self._made[kind]

    @cached_property
    def register(self) -> Register:
        """The rows by id and by name; made when first asked for."""
        return Register(self.rows)

    @property
    def games_so_far(self) -> np.ndarray:
        """Rated games of each player; not known from FIDE's own files, which print those of the period."""
        if self.sources and self.document.startswith("fide/"):
            return np.full(len(self.rows), np.nan)
        return self.rows["games"].to_numpy(dtype=np.float64)


def make_list(rows: Any, *, id: str = "list", **facts: Any) -> RatingList:
    """Build a RatingList from rows, with all columns."""
    return RatingList(id=id, rows=frame(rows, LIST_COLUMNS), **facts)
