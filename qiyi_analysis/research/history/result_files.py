"""Tidy results: Parquet (settings, seed and versions inside), CSV and LaTeX, and the record a study can be made again from.

No time stamp is written: the same study writes the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from qiyi_analysis.files.whole_files import whole, write_whole
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.research.history.games import History

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


def write_results(study: Any, folder: str | Path, parameters: Mapping[str, Any] | None = None) -> list[Path]:
    """Write every table of a study as ``<folder>/<study>-<table>.parquet``, .csv and .tex; returns the Parquet paths, in order.

    Settings (with everything asked, the games and their fingerprint, the remarks) and versions are in the metadata of every
    Parquet file. parameters: further ones to keep there.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settings = {**study.settings, **(parameters or {}), **_of_history(study.history)}
    settings |= {"verdict_zh": study.verdict[0], "verdict_en": study.verdict[1], "evidence": study.evidence}
    about = json.dumps(
        {"study": study.study, "settings": settings, "versions": versions()},
        ensure_ascii=False,
        sort_keys=True,
        default=str,
    )
    written = []
    for name, table in study.tables.items():
        path = folder / f"{study.study}-{name}.parquet"
        arrow = pa.Table.from_pandas(table, preserve_index=False)
        arrow = arrow.replace_schema_metadata({**(arrow.schema.metadata or {}), KEY: about.encode()})
        with whole(path) as part:
            pq.write_table(arrow, part, compression="zstd")
        write_whole(path.with_suffix(".csv"), table.to_csv(index=False, lineterminator="\n").encode())
        write_whole(path.with_suffix(".tex"), latex(table).encode())
        written.append(path)
    return written


def latex(table: pd.DataFrame) -> str:
    """A table as LaTeX (package booktabs), characters with a meaning escaped."""

    def cell(value: Any) -> str:
        text = (
            ""
            if value is None or value != value
            else f"{value:.6g}"
            if isinstance(value, float)
            else str(value)
        )
        return "".join(
            {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}.get(
                c, f"\\{c}" if c in "&%$#_{}" else c
            )
            for c in text
        )

    kinds = "".join("r" if pd.api.types.is_numeric_dtype(table[name]) else "l" for name in table)
    rows = [" & ".join(map(cell, row)) + r" \\" for row in table.itertuples(index=False)]
    head = " & ".join(cell(str(name)) for name in table.columns) + r" \\"
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{kinds}}}",
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _of_history(history: History | None) -> dict[str, Any]:
    if history is None:
        return {}
    return {
        "source": history.source, "attribution": history.attribution, "games_used": len(history), "games_read": history.rows_read,
        "games_sha256": fingerprint(history),
        "left_out": {remark.kind: remark.rows for remark in history.remarks if remark.left_out},
        "remarks": {remark.kind: remark.rows for remark in history.remarks if not remark.left_out},
    }  # fmt: skip


def fingerprint(history: History) -> str:
    """SHA-256 of the games and players of a history, whatever file they came from."""
    digest = hashlib.sha256()
    for name in ("first", "second", "half_points", "period", "day", "event", "time_control", "shift"):
        column = getattr(history, name)
        digest.update(name.encode() + (b"" if column is None else column.tobytes()))
    for name in sorted(history.extra):
        digest.update(name.encode() + history.extra[name].tobytes())
    digest.update(history.players.to_csv(index=False, lineterminator="\n").encode())
    return digest.hexdigest()


def write_record(folder: Path, study: str, parameters: Mapping[str, Any]) -> Path:
    """Write ``<study>-record.json``, from which the same study can be made again: every parameter, versions, the commit of a
    checkout, and the SHA-256 of each input file."""
    record = {
        "study": study, "parameters": dict(parameters), "versions": versions(), "commit": _commit(),
        "inputs": inputs_of(parameters),
    }  # fmt: skip
    path = folder / f"{study}-record.json"
    write_whole(path, (json.dumps(record, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode())
    return path


def read_record(path: str | Path) -> dict[str, Any]:
    """A record as written. Raises ReadError where it is none, or where an input is no longer what it was."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
        named = {str(record["study"]), *map(str, record["parameters"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReadError("study-record", path=path) from error
    changed = [
        name
        for name, digest in record.get("inputs", {}).items()
        if inputs_of({"games": name}).get(name) != digest
    ]
    if changed or not named:
        raise ReadError("study-inputs-changed", path=path, inputs=changed)
    return record


def inputs_of(parameters: Mapping[str, Any]) -> dict[str, str]:
    """The SHA-256 of every file that the parameters name: games, players, folders of events and lists."""
    found = {}
    for name in ("games", "players", "events", "lists"):
        given = parameters.get(name) or ""
        if not isinstance(given, str) or not given:
            continue
        path = Path(given)
        files = (
            [path]
            if path.is_file()
            else sorted(one for one in path.rglob("*") if one.is_file())
            if path.is_dir()
            else []
        )
        for file in files:
            found[file.as_posix()] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


def _commit() -> str:
    """The commit of the checkout the program runs from, "" for an installed one."""
    git = Path(__file__).parents[3] / ".git"
    if not git.is_dir():
        return ""
    head = (git / "HEAD").read_text(encoding="utf-8").strip()
    name = head.removeprefix("ref: ")
    return (
        (git / name).read_text(encoding="utf-8").strip() if name != head and (git / name).is_file() else head
    )


def about_results(path: str | Path) -> dict[str, Any]:
    """Study, settings and versions of a result file. Raises ReadError when it is none."""
    import pyarrow.parquet as pq

    content = (pq.read_schema(path).metadata or {}).get(KEY)
    if content is None:
        raise ReadError("study-file", path=path)
    return json.loads(content)
