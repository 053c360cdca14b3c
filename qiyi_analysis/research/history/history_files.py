"""Histories read from CSV, Parquet and PGN headers, and written as Parquet that can be streamed."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.research.history.games import History, Remark, history_from_table, weaknesses, writable
from qiyi_analysis.research.history.rating_periods import period_index, period_label

#: Column types of a packed history: what ``write_history`` writes and ``PackedHistory`` streams.
PACKED = {"first": "int32", "second": "int32", "half_points": "int8", "period": "int32"}
_TAG = re.compile(r'^\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]')


def read_history(
    path: str | Path,
    *,
    period: str = "month",
    columns: Mapping[str, str] | None = None,
    players: str | Path | None = None,
    **choices: Any,
) -> History:
    """Read a history from a CSV, Parquet or PGN file; the name's ending says which.

    ``choices`` are those of ``history_from_table``. players: a CSV or Parquet file with one row per player.
    Raises ReadError when the file is none of these or holds no game.
    """
    path = Path(path)
    if not path.is_file():
        raise ReadError("history-missing", path=path)
    details = None if players is None else _table(Path(players))
    ending = path.suffix.lower()
    if ending == ".pgn":
        table, broken = pgn_headers(path.read_bytes())
        choices.setdefault("discipline", "chess")
    else:
        table, broken = _table(path), 0
    packed = set(PACKED) <= set(table.columns) and pd.api.types.is_integer_dtype(table["first"])
    if packed:
        history = _unpacked(table, path, period)
    else:
        history = history_from_table(
            table, period=period, columns=columns, players=details, source=path.name, **choices
        )
    attribution = _attribution(path)
    if broken:
        history = replace(
            history,
            rows_read=history.rows_read + broken,
            remarks=(Remark("pgn-headers", broken, True), *history.remarks),
        )
    return replace(history, attribution=attribution)


def xiangqi_masters(period: str = "day", **choices: Any) -> History:
    """The shipped history: games of Chinese xiangqi masters 1933-2013, with its attribution."""
    return read_history(shipped("xiangqi_masters.parquet"), period=period, discipline="xiangqi", **choices)


def shipped(name: str) -> Path:
    """Path of a history that comes with the project (data/histories of a checkout, else of the installed data)."""
    for folder in (
        Path(__file__).parents[3] / "data" / "histories",
        Path(str(resources.files("qiyi_analysis"))) / "data",
    ):
        if (folder / name).is_file():
            return folder / name
    raise ReadError("history-unknown", name=name)


def pgn_headers(content: bytes) -> tuple[pd.DataFrame, int]:
    """One row per game of a PGN file, from its headers alone, and the number of games without a result tag.

    Columns: first, second, result, date, event, round, time_control, first_rating, second_rating.
    A date is taken from Date, else UTCDate, else EventDate.
    """
    games: list[dict[str, str]] = []
    tags: dict[str, str] = {}
    broken = 0

    def close() -> None:
        nonlocal broken
        if not tags:
            return
        if "White" in tags and "Black" in tags and "Result" in tags:
            games.append(dict(tags))
        else:
            broken += 1
        tags.clear()

    in_headers = False
    for line in io.StringIO(_decoded(content)):
        match = _TAG.match(line)
        if match:
            if not in_headers:
                close()
            in_headers = True
            tags[match[1]] = match[2].replace('\\"', '"').replace("\\\\", "\\")
        elif line.strip():
            in_headers = False
    close()

    def column(*names: str) -> list[str]:
        return [next((game[n] for n in names if game.get(n, "").strip("?.") != ""), "") for game in games]

    table = pd.DataFrame(
        {
            "first": column("White"),
            "second": column("Black"),
            "result": column("Result"),
            "date": column("Date", "UTCDate", "EventDate"),
            "event": column("Event"),
            "round": column("Round"),
            "time_control": column("TimeControl"),
            "first_rating": column("WhiteElo"),
            "second_rating": column("BlackElo"),
        }
    )
    if not len(table):
        raise ReadError("history-pgn")
    return table, broken


def write_history(history: History, path: str | Path, *, row_group: int = 1_000_000) -> None:
    """Write a packed history: one Parquet row group per ``row_group`` games, players in a file beside it.

    ``<name>.parquet`` holds the columns PACKED and day; ``<name>.players.parquet`` the players.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(path)
    columns: dict[str, Any] = {name: getattr(history, name) for name in PACKED} | {"day": history.day}
    for name in ("event", "time_control", "shift"):
        if getattr(history, name) is not None:
            columns[name] = getattr(history, name)
    table = pa.table(columns).replace_schema_metadata(
        {
            "qiyi.players": str(len(history.players)),
            "qiyi.periods": str(history.periods),
            "qiyi.period_length": history.period_length,
            "qiyi.period_origin": str(history.period_origin),
            "qiyi.discipline": history.discipline,
        }
    )
    pq.write_table(table, path, row_group_size=row_group, compression="zstd")
    pq.write_table(pa.Table.from_pandas(history.players, preserve_index=False), players_path(path))


def players_path(path: Path) -> Path:
    """Where the players of a packed history stand."""
    return path.with_suffix(".players.parquet")


@dataclass(frozen=True, slots=True)
class PackedHistory:
    """A packed history on disk, read row group by row group so that it may be larger than memory.

    Iterating gives arrays ``(first, second, half_points, period)`` of one row group each.
    """

    path: Path
    games: int
    players: int
    periods: int
    period_length: str
    period_origin: int

    def label(self, period: int) -> str:
        """Name of a period."""
        return period_label(period + self.period_origin, self.period_length)

    def index(self, period: str | int | datetime.date) -> int:
        """Number of the first period that begins on or after a date."""
        return period_index(period, self.period_length, self.period_origin)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        import pyarrow.parquet as pq

        file = pq.ParquetFile(self.path)
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, columns=list(PACKED), use_threads=False)
            yield tuple(  # type: ignore[misc]
                writable(table.column(name).to_numpy(), kind) for name, kind in PACKED.items()
            )


def open_packed(path: str | Path) -> PackedHistory:
    """Open a packed history for streaming. Raises ReadError when the file is not one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(path)
    try:
        file = pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise ReadError("history-not-packed", path=path) from error
    about = {key.decode(): value.decode() for key, value in (file.schema_arrow.metadata or {}).items()}
    if "qiyi.players" not in about:
        raise ReadError("history-no-facts", path=path)
    return PackedHistory(
        path,
        file.metadata.num_rows,
        int(about["qiyi.players"]),
        int(about["qiyi.periods"]),
        about["qiyi.period_length"],
        int(about["qiyi.period_origin"]),
    )


def is_packed(path: str | Path) -> bool:
    """Whether a file is a packed history that can be streamed."""
    if Path(path).suffix.lower() != ".parquet" or not Path(path).is_file():
        return False
    import pyarrow.parquet as pq

    return b"qiyi.players" in (pq.read_schema(path).metadata or {})


def _unpacked(table: pd.DataFrame, path: Path, period: str) -> History:
    about = open_packed(path) if is_packed(path) else None
    beside = players_path(path)
    count = int(max(table["first"].max(), table["second"].max())) + 1
    players = (
        pd.read_parquet(beside)
        if beside.is_file()
        else pd.DataFrame({"player": [str(number) for number in range(count)]})
    )
    for name, kind in PACKED.items():
        if not pd.api.types.is_integer_dtype(table[name]):
            raise ReadError("history-type", path=path, name=name, dtype=table[name].dtype, kind=kind)
    bad = (
        (table["first"] == table["second"])
        | ~table["half_points"].isin((0, 1, 2))
        | (table["first"] < 0)
        | (table["second"] < 0)
        | (table[["first", "second"]].max(axis=1) >= len(players))
    )
    remarks = [Remark("packed-row", int(bad.sum()), True)] if bad.any() else []
    table = table[~bad]
    backwards = int((np.diff(table["period"]) < 0).sum())
    if backwards:
        remarks.append(Remark("unsorted", backwards))
        table = table.sort_values("period", kind="stable")

    def column(name: str, kind: str) -> np.ndarray | None:
        return table[name].to_numpy(kind) if name in table else None

    days = column("day", "int32")
    packed: dict[str, Any] = {name: table[name].to_numpy(kind) for name, kind in PACKED.items()}
    history = History(
        **packed,
        day=days if days is not None else np.zeros(len(table), np.int32),
        players=players,
        period_length=about.period_length if about else "given",
        period_origin=about.period_origin if about else 0,
        event=column("event", "int32"),
        time_control=column("time_control", "int32"),
        shift=column("shift", "float64"),
        source=path.name,
        rows_read=len(table) + int(bad.sum()),
    )
    history = replace(history, remarks=(*remarks, *weaknesses(history)))
    return history if history.period_length == "given" or days is None else history.with_periods(period)


def _table(path: Path) -> pd.DataFrame:
    if path.suffix.lower() == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return pq.read_table(path).to_pandas()
        except pa.ArrowInvalid as error:
            raise ReadError("parquet-damaged", path=path, error=error) from error
    if path.suffix.lower() not in (".csv", ".txt", ".tsv"):
        raise ReadError("history-ending", path=path, ending=path.suffix)
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    # Everything is text on the way in: player numbers keep their zeros, dates their form.
    try:
        return pd.read_csv(
            io.StringIO(_decoded(path.read_bytes())), dtype=str, keep_default_na=False, sep=separator
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise ReadError("history-table", path=path, error=error) from error


def _decoded(content: bytes) -> str:
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


def _attribution(path: Path) -> str:
    if path.suffix.lower() != ".parquet":
        return ""
    import pyarrow.parquet as pq

    return (pq.read_schema(path).metadata or {}).get(b"qiyi.attribution", b"").decode()
