"""Frames with fixed columns, and the file that was read: what an event and a rating list are made of.

Missing text is ``""``; a missing number is NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import EventError


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file that was read: its name as given and the SHA-256 of its bytes."""

    name: str
    sha256: str
    size: int


def frame(rows: pd.DataFrame | Mapping[str, Any] | Iterable[Any], columns: Mapping[str, str]) -> pd.DataFrame:
    """Return ``rows`` with exactly ``columns`` (and their types), missing ones filled, in order.

    Raises EventError for a column that the model does not know.
    """
    if isinstance(rows, Mapping):  # columns as lists: typed at once, which takes a fifth of the time
        rows = {name: _column(values, columns.get(name, "text")) for name, values in rows.items()}
    table = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows, copy=False)
    unknown = [name for name in table.columns if name not in columns]
    if unknown:
        raise EventError("model-column", column=unknown[0], known=columns)
    size = len(table)
    data: dict[str, Any] = {}
    for name, kind in columns.items():
        if name in table.columns:
            data[name] = _typed(table[name], kind)
        elif kind == "text":
            data[name] = np.full(size, "", dtype=object)
        elif kind == "number":
            data[name] = np.full(size, np.nan)
        elif kind == "bool":
            data[name] = np.ones(size, dtype=bool)
        else:
            data[name] = np.zeros(size, dtype=np.int64)
    return pd.DataFrame(data, index=pd.RangeIndex(size))


def _column(values: Any, kind: str) -> Any:
    return np.array(
        values, dtype={"number": np.float64, "int64": np.int64, "bool": np.bool_}.get(kind, object)
    )


def _typed(values: pd.Series, kind: str) -> Any:
    if kind == "text":
        if isinstance(values.dtype, pd.StringDtype) and not values.hasnans:
            return values.array
        return np.array(["" if v is None or v != v else str(v) for v in values], dtype=object)
    if kind == "number":
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == "bool":
        return values.to_numpy(dtype=bool)
    return values.to_numpy(dtype=np.int64)


def records(table: pd.DataFrame) -> Iterator[Any]:
    """The rows of a table, a column by its name."""
    return iter(table.itertuples(index=False))
