"""What was published about an event, from a file of its own.

Either a table like ``official.csv`` (``no`` or a name, and printed values), or a whole event file whose
printed values are taken over, player by player.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from qiyi_analysis.errors import ReadError
from qiyi_analysis.findings import Finding
from qiyi_analysis.model import PLAYER_COLUMNS, TIE_BREAK_COLUMNS, Event, SourceFile, frame
from qiyi_analysis.readers.delimited import read_rows
from qiyi_analysis.readers.door import events_from
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.folder import add_official
from qiyi_analysis.readers.source import from_path

#: The columns of a player that are somebody's published results.
PUBLISHED_COLUMNS = (
    "rank", "points", *TIE_BREAK_COLUMNS, "expected", "expected_text", "change", "change_text", "new_rating",
    "performance",
)  # fmt: skip


def read_published(path: str | Path, event: Event) -> tuple[pd.DataFrame, SourceFile, tuple[Finding, ...]]:
    """The event's players table with the published values of ``path`` in place of its own.

    Returns the table, the file's facts and the reader's findings. Raises ReadError where the file holds
    nothing about the event's players.
    """
    sources = from_path(path)
    source = sources[0]
    try:
        events = events_from(sources, source.stem)
    except ReadError:
        return _from_table(source, event)
    other = events[0]
    index = {int(number): i for i, number in enumerate(other.players["number"])}
    rows = np.array([index.get(int(number), -1) for number in event.players["number"]])
    if not (rows >= 0).any():
        raise ReadError("published-others", path=path, event=event.id)
    columns = {}
    for name in PUBLISHED_COLUMNS:
        values = other.players[name].to_numpy()[rows]
        missing = "" if PLAYER_COLUMNS[name] == "text" else np.nan
        columns[name] = np.where(rows >= 0, values, missing)
    return event.players.assign(**columns), source.facts(), other.faults


def _from_table(source, event: Event) -> tuple[pd.DataFrame, SourceFile, tuple[Finding, ...]]:
    """A table with the heads of official.csv; players by number, else by name."""
    faults = Faults(source.name)
    columns = {name: event.players[name].tolist() for name in event.players.columns}
    add_official(_numbered(source, event), columns, faults)
    table = frame(pd.DataFrame(columns), PLAYER_COLUMNS)
    if table[["rank", "points", "change", "expected", "new_rating", "tb1"]].isna().all(axis=None):
        heads = read_rows(source, Faults(source.name))
        raise ReadError("published-heads", file=source.name, found=heads[0].cells[:8] if heads else ())
    return table, source.facts(), tuple(faults.findings())


def _numbered(source, event: Event):
    """The source with a column ``no`` made from a column of names, where it has no numbers."""
    from qiyi_analysis.readers.source import Source

    rows = read_rows(source, Faults(source.name))
    heads = [cell.strip().casefold() for cell in rows[0].cells] if rows else []
    if not rows or "no" in heads or not {"name", "姓名"} & set(heads):
        return source
    at = next(i for i, head in enumerate(heads) if head in ("name", "姓名"))
    lines = [",".join(["no", *(_quoted(cell) for cell in rows[0].cells)])]
    for row in rows[1:]:
        name = row.cells[at] if at < len(row.cells) else ""
        found = event.players.loc[event.players["name"].str.casefold() == name.casefold(), "number"]
        number = str(found.iloc[0]) if len(found) == 1 else name
        lines += [""] * (row.line - len(lines) - 1)
        lines.append(",".join([_quoted(number), *(_quoted(cell) for cell in row.cells)]))
    return Source(source.name, "\n".join(lines).encode("utf-8"))


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'
