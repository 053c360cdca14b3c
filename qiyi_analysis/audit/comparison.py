"""The frame of a comparison: every published number beside the recomputed one, as numbers and as texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

#: Column -> type, of the comparison of rating numbers and of that of ranks and tie-breaks alike.
COLUMNS: Mapping[str, str] = {
    "number": "int64", "name": "str", "field": "str", "code": "str", "published": "float64", "published_text": "str",
    "decimals": "Int8", "recomputed": "float64", "recomputed_text": "str", "compared": "bool", "agrees": "boolean",
    "causes": "object",
}  # fmt: skip


def comparison_frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """The frame of rows made by :func:`row`."""
    every = list(rows)
    return pd.DataFrame(
        {name: pd.Series([one[name] for one in every], dtype=kind) for name, kind in COLUMNS.items()}
    )


def row(
    player: Any,
    field: str,
    published: float,
    published_text: str,
    recomputed: float,
    recomputed_text: str,
    agrees: bool | None,
    causes: tuple[Any, ...] = (),
    code: str = "",
) -> dict[str, Any]:
    """One published number of a player; ``agrees`` is None where it could not be compared."""
    return {
        "number": int(player["number"]),
        "name": player["name"],
        "field": field,
        "code": code,
        "published": published,
        "published_text": published_text,
        "decimals": len(published_text.partition(".")[2]),
        "recomputed": np.nan if recomputed is None else recomputed,
        "recomputed_text": recomputed_text,
        "compared": agrees is not None,
        "agrees": agrees,
        "causes": causes,
    }
