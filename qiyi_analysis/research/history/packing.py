"""A table of games larger than memory, packed piece by piece."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers.tables.delimited import separator_of
from qiyi_analysis.research.history.from_table import history_from_table
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import PACKED, players_path


def pack_table(
    path: str | Path, packed: str | Path, *, period: str = "month", rows: int = 1_000_000, **choices: Any
) -> tuple[int, int]:
    """Write a packed history of a CSV (UTF-8) or Parquet file, ``rows`` games in memory at a time; games and rows left out.

    The games must be in order of time. Kept are players, results, days and periods; choices: those of ``history_from_table``.
    Duplicates are looked for inside each piece. Raises ReadError where the dates of a piece begin before the last ones.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path, packed = Path(path), Path(packed)
    names: dict[str, int] = {}
    schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in (*PACKED.items(), ("day", "int32"))])
    origin = last = games = left = 0
    with pq.ParquetWriter(packed, schema, compression="zstd") as file:
        for table in _pieces(path, rows):
            history = history_from_table(table, period=period, source=path.name, **choices)
            origin = origin if games else history.period_origin
            moved = history.period + (history.period_origin - origin)
            if games and int(moved[0]) < last:
                raise ReadError("pack-order", path=path, before=history.label(0))
            code = np.array(
                [names.setdefault(name, len(names)) for name in history.players["player"]], np.int32
            )
            columns = [
                code[history.first],
                code[history.second],
                history.half_points,
                moved.astype(np.int32),
                history.day,
            ]
            file.write_table(pa.table(columns, schema=schema))
            last, games, left = int(moved[-1]), games + len(history), left + history.left_out()
        file.add_key_value_metadata(_facts(history, len(names), last + 1, origin, path.name, games + left))
    pd.DataFrame({"player": list(names)}).to_parquet(players_path(packed))
    return games, left


def _facts(last: History, players: int, periods: int, origin: int, source: str, rows: int) -> dict[str, str]:
    about = {"discipline": last.discipline, "source": source, "rows_read": rows}
    return {
        "qiyi.players": str(players), "qiyi.periods": str(periods), "qiyi.period_length": last.period_length,
        "qiyi.period_origin": str(origin), "qiyi.discipline": last.discipline, "qiyi.history": json.dumps(about, ensure_ascii=False),
    }  # fmt: skip


def _pieces(path: Path, rows: int) -> Iterator[pd.DataFrame]:
    if path.suffix.casefold() == ".parquet":
        import pyarrow.parquet as pq

        for batch in pq.ParquetFile(path).iter_batches(rows):
            yield batch.to_pandas()
        return
    with open(path, encoding="utf-8-sig") as file:
        separator = separator_of([file.readline() for _ in range(100)])
    yield from pd.read_csv(
        path, dtype=str, keep_default_na=False, sep=separator, chunksize=rows, encoding="utf-8-sig"
    )
