"""Histories read from CSV, Parquet and PGN headers, and written as Parquet that can be streamed."""

from __future__ import annotations

import datetime
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.files.whole_files import note_input
from qiyi_analysis.model.errors import ParameterError, ReadError
from qiyi_analysis.readers.pgn import games_of
from qiyi_analysis.readers.source import decode, from_path, split_lines
from qiyi_analysis.readers.tables.delimited import separator_of
from qiyi_analysis.readers.tables.workbook import from_workbook
from qiyi_analysis.research.history.from_table import history_from_table
from qiyi_analysis.research.history.games import History, Remark, weaknesses
from qiyi_analysis.research.history.rating_periods import NO_DAY, period_index, period_label

#: Column types of a packed history: what ``write_history`` writes and ``PackedHistory`` streams.
PACKED = {"first": "int32", "second": "int32", "half_points": "int8", "period": "int32"}
#: Columns that a packed history may have.
OPTIONAL = ("day", "event", "time_control", "shift")
_EXTRA = "extra."
#: Facts of a history that are kept in the file's metadata.
_KEPT = ("events", "time_controls", "discipline", "source", "rows_read", "attribution")


def read_history(
    path: str | Path,
    *,
    period: str | None = None,
    columns: Mapping[str, str] | None = None,
    players: str | Path | None = None,
    **choices: Any,
) -> History:
    """Read a history from a CSV, Parquet or PGN file; the name's ending says which.

    period: by default that of a packed history, months for any other file.

    ``choices`` are those of ``history_from_table``. players: a CSV or Parquet file with one row per player.
    Raises ReadError when the file is none of these or holds no game.
    """
    path = Path(path)
    if not path.is_file():
        raise ReadError("history-missing", path=path)
    for read in (path, players):
        note_input(read or path)
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
            table, period=period or "month", columns=columns, players=details, source=path.name, **choices
        )
    attribution = _attribution(path)
    if broken:
        history = replace(
            history,
            rows_read=history.rows_read + broken,
            remarks=(Remark("pgn-headers", broken, True), *history.remarks),
        )
    return replace(history, attribution=attribution or history.attribution)


#: What the games of a study or a system may be given as.
Games = History | pd.DataFrame | str | Path


def as_history(games: Games) -> History:
    """A history as it is, or one made of a table or a file ("": the shipped games). Raises ParameterError for anything else."""
    if isinstance(games, History):
        return games
    if isinstance(games, pd.DataFrame):
        return history_from_table(games)
    if isinstance(games, (str, Path)):
        return read_history(games) if str(games) else xiangqi_masters("month")
    raise ParameterError("games-value", kind=type(games).__name__)


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
    found = [tags for _, tags, _ in games_of(split_lines(decode(content).text))]
    games = [tags for tags in found if "White" in tags and "Black" in tags and "Result" in tags]
    broken = len(found) - len(games)

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

    ``<name>.parquet`` holds every column of the history, and its names and remarks as metadata;
    ``<name>.players.parquet`` the players. What is read back is equal to what was written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(path)
    columns: dict[str, Any] = {name: getattr(history, name) for name in PACKED}
    columns |= {n: getattr(history, n) for n in OPTIONAL if getattr(history, n) is not None}
    columns |= {f"{_EXTRA}{name}": column for name, column in history.extra.items()}
    about = {name: getattr(history, name) for name in _KEPT}
    about["remarks"] = [
        (r.kind, r.rows, r.left_out, str(r.example), words.shown(r.example, "zh")) for r in history.remarks
    ]
    facts = {
        "qiyi.players": str(len(history.players)),
        "qiyi.periods": str(history.periods),
        "qiyi.period_length": history.period_length,
        "qiyi.period_origin": str(history.period_origin),
        "qiyi.discipline": history.discipline,
        "qiyi.history": json.dumps(about, ensure_ascii=False),
    }
    table = pa.table(columns).replace_schema_metadata(facts)
    pq.write_table(table, path, row_group_size=row_group, compression="zstd")
    pq.write_table(pa.Table.from_pandas(history.players, preserve_index=False), players_path(path))


def players_path(path: Path) -> Path:
    """Where the players of a packed history stand."""
    return path.with_suffix(".players.parquet")


@dataclass(frozen=True)
class PackedHistory:
    """A packed history on disk, read row group by row group so that it may be larger than memory.

    Iterating gives one History per row group; players, names and numbers of periods are those of the whole.
    """

    path: Path
    games: int
    players: pd.DataFrame
    periods: int
    period_length: str
    period_origin: int
    about: Mapping[str, Any]

    def __len__(self) -> int:
        return self.games

    @property
    def time_controls(self) -> tuple[str, ...]:
        """Names of the time controls."""
        return tuple(self.about.get("time_controls", ()))

    def label(self, period: int) -> str:
        """Name of a period."""
        return period_label(period + self.period_origin, self.period_length)

    def index(self, period: str | int | datetime.date) -> int:
        """Number of the first period that begins on or after a date."""
        return period_index(period, self.period_length, self.period_origin)

    def __iter__(self) -> Iterator[History]:
        import pyarrow.parquet as pq

        file = pq.ParquetFile(self.path)
        for group in range(file.num_row_groups):
            yield _of_columns(file.read_row_group(group, use_threads=False).to_pandas(), self)


def _of_columns(table: pd.DataFrame, packed: PackedHistory) -> History:
    """The rows of a packed file as a history; a file that others wrote may lack names of events and time controls."""
    about = dict(packed.about)
    given = {name: table[name].to_numpy() for name in OPTIONAL if name in table}
    for codes, names in (("event", "events"), ("time_control", "time_controls")):
        if codes in given and not about.get(names):
            about[names] = [str(number) for number in range(int(given[codes].max(initial=-1)) + 1)]
    given.setdefault("day", np.full(len(table), NO_DAY, np.int32))
    return History(
        **{name: table[name].to_numpy() for name in PACKED},
        **given,
        players=packed.players,
        period_length=packed.period_length,
        period_origin=packed.period_origin,
        events=tuple(about.get("events", ())),
        time_controls=tuple(about.get("time_controls", ())),
        discipline=about.get("discipline", ""),
        source=about.get("source", packed.path.name),
        rows_read=about.get("rows_read", packed.games),
        attribution=about.get("attribution", ""),
        remarks=tuple(
            Remark(kind, rows, left_out, words.Said(en, zh))
            for kind, rows, left_out, en, zh in about.get("remarks", ())
        ),
        extra={n.removeprefix(_EXTRA): table[n].to_numpy() for n in map(str, table) if n.startswith(_EXTRA)},
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
    about = {
        key.decode(): value.decode()
        for key, value in (file.metadata.metadata or {}).items()
        if key.startswith(b"qiyi.")
    }
    if "qiyi.players" not in about:
        raise ReadError("history-no-facts", path=path)
    kept = json.loads(about.get("qiyi.history", "{}"))
    count, beside = int(about["qiyi.players"]), players_path(path)
    if kept and not beside.is_file():
        raise ReadError("history-players-file", path=path, beside=beside.name)
    players = pd.read_parquet(beside) if beside.is_file() else _numbered(count)
    if len(players) != count:
        raise ReadError("history-players-count", path=beside, rows=len(players), count=count)
    return PackedHistory(
        path,
        file.metadata.num_rows,
        players,
        int(about["qiyi.periods"]),
        about["qiyi.period_length"],
        int(about["qiyi.period_origin"]),
        kept,
    )


def _numbered(count: int) -> pd.DataFrame:
    return pd.DataFrame({"player": [str(number) for number in range(count)]})


def is_packed(path: str | Path) -> bool:
    """Whether a file is a packed history that can be streamed."""
    if Path(path).suffix.lower() != ".parquet" or not Path(path).is_file():
        return False
    import pyarrow.parquet as pq

    return b"qiyi.players" in (pq.read_metadata(path).metadata or {})


def _unpacked(table: pd.DataFrame, path: Path, period: str | None) -> History:
    packed = open_packed(path) if is_packed(path) else None
    for name, kind in PACKED.items():
        if not pd.api.types.is_integer_dtype(table[name]):
            raise ReadError("history-type", path=path, name=name, dtype=table[name].dtype, kind=kind)
    if packed is None:
        beside = players_path(path)
        count = int(max(table["first"].max(), table["second"].max(), 0)) + 1
        players = pd.read_parquet(beside) if beside.is_file() else _numbered(count)
        packed = PackedHistory(path, len(table), players, 0, "given", 0, {})
    bad = (
        (table["first"] == table["second"])
        | ~table["half_points"].isin((0, 1, 2))
        | (table[["first", "second", "period"]].min(axis=1) < 0)
        | (table[["first", "second"]].max(axis=1) >= len(packed.players))
    )
    remarks = [Remark("packed-row", int(bad.sum()), True)] if bad.any() else []
    table = table[~bad]
    backwards = int((np.diff(table["period"]) < 0).sum())
    if backwards:
        remarks.append(Remark("unsorted", backwards))
        table = table.sort_values("period", kind="stable")
    history = _of_columns(table, packed)
    found = history.remarks or tuple(weaknesses(history))
    history = replace(history, remarks=(*remarks, *found))
    return history if period is None or history.period_length == "given" else history.with_periods(period)


def _table(path: Path) -> pd.DataFrame:
    """A table of text; which kind of file it is, its name says (``.csv.gz`` too)."""
    name = path.name.casefold().removesuffix(".gz")
    ending = Path(name).suffix
    if ending in (".parquet", ".feather"):
        import pyarrow as pa
        from pyarrow import feather
        from pyarrow import parquet as pq

        try:
            return (pq if ending == ".parquet" else feather).read_table(path).to_pandas()
        except pa.ArrowInvalid as error:
            raise ReadError("parquet-damaged", path=path, error=error) from error
    if ending in (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"):
        rows = max((sheet.rows for sheet in from_workbook(from_path(path)[0])), key=len, default=[])
        return _of_rows([row.cells for row in rows], path)
    if ending not in (".csv", ".txt", ".tsv"):
        raise ReadError("history-ending", path=path, ending=path.suffix)
    content = path.read_bytes()
    if path.suffix.casefold() == ".gz":
        content = _unzipped(content, path)
    text = decode(content).text
    # Everything is text on the way in: player numbers keep their zeros, dates their form.
    try:
        return pd.read_csv(
            io.StringIO(text), dtype=str, keep_default_na=False, sep=separator_of(text[:100_000].splitlines())
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise ReadError("history-table", path=path, error=error) from error


#: Bytes that an archive may become; a table of 50 million games is smaller.
_MOST_BYTES = 8 * 1024**3


def _unzipped(content: bytes, path: Path) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            text = file.read(_MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError("history-table", path=path, error=error) from error
    if len(text) > _MOST_BYTES:
        raise ReadError("history-table", path=path, error=f"> {_MOST_BYTES} B")
    return text


def _of_rows(rows: list[list[str]], path: Path) -> pd.DataFrame:
    if not rows:
        raise ReadError("history-table", path=path, error="0 rows")
    heads, *others = rows
    width = len(heads)
    return pd.DataFrame([(row + [""] * width)[:width] for row in others], columns=heads, dtype=str)


def _attribution(path: Path) -> str:
    if path.suffix.lower() != ".parquet":
        return ""
    import pyarrow.parquet as pq

    return (pq.read_metadata(path).metadata or {}).get(b"qiyi.attribution", b"").decode()
