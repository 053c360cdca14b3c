"""Tidy results: Parquet files with one row per candidate, period or replicate; settings, seed and versions inside.

No time stamp is written: the same study writes the same bytes.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from qiyi_analysis.files.whole_files import whole
from qiyi_analysis.model.errors import ReadError

KEY = b"qiyi.study"
_VERSIONS = ("qiyi-analysis", "numpy", "numba", "scipy", "pandas")


def versions() -> dict[str, str]:
    """Versions of Python and the packages that numbers depend on."""
    found = {"python": platform.python_version()}
    for name in _VERSIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def write_results(
    tables: Mapping[str, pd.DataFrame], folder: str | Path, study: str, settings: Mapping[str, Any]
) -> list[Path]:
    """Write ``<folder>/<study>-<table>.parquet`` for every table; returns the paths, in order.

    settings (parameters, seed, source of the games, remarks) go into the metadata of every file with the versions.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    about = json.dumps(
        {"study": study, "settings": dict(settings), "versions": versions()},
        ensure_ascii=False,
        sort_keys=True,
        default=str,
    )
    written = []
    for name, table in tables.items():
        path = folder / f"{study}-{name}.parquet"
        arrow = pa.Table.from_pandas(table, preserve_index=False)
        arrow = arrow.replace_schema_metadata({**(arrow.schema.metadata or {}), KEY: about.encode()})
        with whole(path) as part:
            pq.write_table(arrow, part, compression="zstd")
        written.append(path)
    return written


def about_results(path: str | Path) -> dict[str, Any]:
    """Study, settings and versions of a result file. Raises ReadError when it is none."""
    import pyarrow.parquet as pq

    content = (pq.read_schema(path).metadata or {}).get(KEY)
    if content is None:
        raise ReadError("study-file", path=path)
    return json.loads(content)
