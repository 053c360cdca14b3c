"""Bytes as they arrive: where from, how many, in which encoding, split into numbered lines."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import sys
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from pathlib import Path, PurePosixPath

from qiyi_analysis.files.whole_files import note_input
from qiyi_analysis.model.errors import ReadError, of_system
from qiyi_analysis.model.frame import SourceFile
from qiyi_analysis.readers.code_pages import likeliest
from qiyi_analysis.readers.foreign import refuse_foreign

#: The largest file (or unpacked archive) that is read, in bytes. The world's longest rating list fits.
LARGEST = 1 << 30
#: A packed file may grow this many times when it is unpacked; what grows more was made to do harm.
LARGEST_GROWTH = 250
#: Up to this size growth is harmless.
HARMLESS = 1 << 24
#: Seconds a pipe is given for somebody to begin writing into it.
PATIENCE = 2.0
#: An archive of more files than this is refused; of fewer each is read.
MOST_MEMBERS = 1 << 16


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its name as given and its bytes."""

    name: str
    data: bytes = field(repr=False)

    @property
    def stem(self) -> str:
        """The name without folders and ending, which names the event; ``event`` for standard input."""
        name = PurePosixPath(self.name.replace("\\", "/")).name
        stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
        return stem if stem and stem != "-" else "event"

    def facts(self) -> SourceFile:
        """Name, SHA-256 and size in bytes, for the report."""
        return SourceFile(name=self.name, sha256=hashlib.sha256(self.data).hexdigest(), size=len(self.data))


def from_path(path: str | Path) -> tuple[Source, ...]:
    """The files behind ``path``: one file, the files of a folder or of a zip archive, or ``-``.

    Raises ReadError where nothing can be read there.
    """
    if str(path) == "-":
        return _unpacked(Source("-", standard_input()))
    place = Path(path)
    try:
        if place.is_dir():
            note_input(place)
            return _folder(place)
        data = _file_bytes(place)
    except (OSError, ValueError) as error:
        raise ReadError("file-not-opened", path=path, reason=of_system(error)) from error
    return _unpacked(Source(readable(place.name), data))


def readable(name: str) -> str:
    """A file's name as people read it.

    Archives packed on Windows are unpacked elsewhere with names in its code page: they arrive as surrogates, which
    no report, table or console can hold, and are decoded here like the text of a file.
    """
    if name.isascii():
        return name
    data = os.fsencode(name)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return decode(data).text


def _file_bytes(place: Path) -> bytes:
    """The bytes of an ordinary file, or of a pipe that somebody writes into, as the shell makes them."""
    note_input(place)
    kind = place.stat()
    if stat.S_ISFIFO(kind.st_mode):
        return _pipe_bytes(place)
    if not stat.S_ISREG(kind.st_mode):
        raise ReadError("no-ordinary-file", path=place)
    if kind.st_size > LARGEST:
        raise ReadError("file-too-large", file=place.name, most=LARGEST >> 20)
    if not kind.st_size:
        return b""  # not opened: among the files of a running system some never end
    with place.open("rb") as stream:
        return _limited(stream, place.name)


def _pipe_bytes(place: Path) -> bytes:
    """What is written into a pipe. Raises ReadError where nobody begins to write: opening it would wait for ever."""
    with open(os.open(place, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        end = time.monotonic() + PATIENCE
        while True:
            begun = pipe.read(1)
            if begun is None or begun:  # None: a writer is there and has not written yet
                break
            if time.monotonic() > end:
                raise ReadError("pipe-without-writer", path=place)
            time.sleep(0.02)
        os.set_blocking(pipe.fileno(), True)
        with io.BufferedReader(pipe) as stream:
            return (begun or b"") + _limited(stream, place.name)


def from_bytes(data: bytes, name: str = "-") -> tuple[Source, ...]:
    """As :func:`from_path`, for bytes already in memory."""
    return _unpacked(Source(name, data))


def standard_input() -> bytes:
    """What stands on standard input. Raises ReadError where it is closed or too long."""
    if sys.stdin is None:
        raise ReadError("input-closed")
    return _limited(sys.stdin.buffer, "-")


def _limited(stream: object, name: str) -> bytes:
    data: bytes = stream.read(LARGEST + 1)  # type: ignore[attr-defined]
    if len(data) > LARGEST:
        raise ReadError("file-too-large", file=name, most=LARGEST >> 20)
    return data


def _folder(place: Path) -> tuple[Source, ...]:
    """The files of a folder; where it holds folders only, those of the events in them."""
    name = readable(place.name or place.resolve().name)  # empty for the root itself
    found = _in_folder(place, name)
    if not found:
        inner = [path for path in sorted(place.iterdir()) if path.is_dir() and not _is_litter(path.name)]
        for path in inner:
            files = _in_folder(path, f"{name}/{readable(path.name)}")
            if len(inner) == 1 or is_event_folder(source.name for source in files):
                found += files
    if not found:
        raise ReadError("folder-empty", file=name)
    return tuple(found)


#: Files that hold one event together, in the order in which a report lists them.
EVENT_FILES = ("meta.json", "players.csv", "games.csv", "official.csv", "teams.csv", "matches.csv")


def is_event_folder(names: Iterable[str]) -> bool:
    """Whether files of these names are an event in the folder format."""
    return {"players.csv", "games.csv"} <= {base_name(name) for name in names}


def base_name(name: str) -> str:
    """The name of a file without its folders, in small letters."""
    return name.replace("\\", "/").rsplit("/", 1)[-1].casefold()


def _is_litter(name: str) -> bool:
    """Files that systems and office programs leave behind."""
    return name.startswith((".", "~$", "__MACOSX")) or name.casefold() in ("thumbs.db", "desktop.ini")


def _in_folder(place: Path, name: str) -> list[Source]:
    paths = [path for path in sorted(place.iterdir()) if path.is_file() and not _is_litter(path.name)]
    if is_event_folder(path.name for path in paths):
        paths = [path for path in paths if path.name.casefold() in EVENT_FILES]
    sizes = [path.stat().st_size for path in paths]
    if sum(sizes) > LARGEST:
        raise ReadError("file-too-large", file=name, most=LARGEST >> 20)
    return [Source(f"{name}/{readable(path.name)}", _file_bytes(path)) for path in paths]


def _unpacked(source: Source) -> tuple[Source, ...]:
    """The files in a zip archive; a workbook (which is a zip archive too) stays one file.

    Raises ReadError for a file alone that is no table, report or page; among others it is passed over by its reader.
    """
    refuse_foreign(source.name, source.data)
    if not source.data.startswith(b"PK\x03\x04"):
        return (source,)
    members = zip_members(source)
    if any(name.startswith(("xl/", "word/")) or name == "mimetype" for name in members):
        return (source,)
    names = [
        name
        for name in members
        if not name.endswith("/") and not any(_is_litter(part) for part in PurePosixPath(name).parts)
    ]
    if not names:
        raise ReadError("zip-empty", file=source.name)
    return tuple(
        Source(f"{source.name}/{name}", data)
        for name, data in zip(names, _read_members(source, names), strict=True)
    )


def zip_members(source: Source) -> Mapping[str, int]:
    """Names and announced sizes of the files in a zip archive, refused where they are out of proportion."""
    try:
        with zipfile.ZipFile(BytesIO(source.data)) as archive:
            members = {info.filename: info.file_size for info in archive.infolist()}
    except Exception as error:  # zipfile raises many kinds for damaged archives
        raise ReadError("zip-damaged", file=source.name, kind=type(error).__name__) from error
    total = sum(members.values())
    limit = max(HARMLESS, min(LARGEST, len(source.data) * LARGEST_GROWTH))
    if total > limit or len(members) > MOST_MEMBERS:
        raise ReadError("zip-too-large", file=source.name, count=len(members), total=total, most=limit)
    return members


def read_member(source: Source, name: str) -> bytes:
    """One file of a zip archive; what is longer than allowed is refused while it is unpacked."""
    return next(_read_members(source, [name]))


def _read_members(source: Source, names: Iterable[str]) -> Iterator[bytes]:
    limit = max(HARMLESS, min(LARGEST, len(source.data) * LARGEST_GROWTH))
    name = ""
    try:
        with zipfile.ZipFile(BytesIO(source.data)) as archive:
            for name in names:
                with archive.open(name) as stream:
                    data = stream.read(limit + 1)
                if len(data) > limit:
                    raise ReadError("zip-member-too-large", file=source.name, member=name, most=limit)
                yield data
    except ReadError:
        raise
    except Exception as error:
        raise ReadError(
            "zip-member-damaged", file=source.name, member=name, kind=type(error).__name__
        ) from error


# --- encoding ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text:
    """A decoded file: its text, the encoding, whether a BOM stood in front, broken places replaced."""

    text: str = field(repr=False)
    encoding: str
    bom: bool = False
    replaced: int = 0  # characters that could not be decoded

    def lines(self) -> list[str]:
        """Lines ended by CR LF, LF or CR; no other character ends a line."""
        return split_lines(self.text)


def split_lines(text: str) -> list[str]:
    """Split at CR LF, LF and CR only: names may hold characters that ``str.splitlines`` cuts at."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)


@lru_cache(maxsize=2)
def decode(data: bytes) -> Text:
    """Decode the bytes of a text file.

    A byte order mark decides; else UTF-8 if it is valid throughout; else UTF-16 by its zero bytes; else
    the code page in which the text looks most like names (FIDE TRF and EGF tables name no encoding).
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _with_replacements(data[len(mark) :], encoding, bom=True)
    head = data[:4096]
    odd, even = head[1::2].count(0), head[::2].count(0)
    # A text has no zero bytes but those of UTF-16, which stand in every second place.
    if 20 * (odd + even) > len(head) and max(odd, even) > 9 * min(odd, even):
        return _with_replacements(data, "utf-16-le" if odd > even else "utf-16-be")
    try:
        return Text(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    broken = _with_replacements(data, "utf-8")
    # A few broken bytes in text that is otherwise full of valid sequences: still UTF-8.
    whole = sum(1 for c in broken.text[:200_000] if ord(c) > 127) - broken.replaced
    if whole > 4 * broken.replaced:
        return broken
    return _with_replacements(data, likeliest(data))


def _with_replacements(data: bytes, encoding: str, bom: bool = False) -> Text:
    try:
        return Text(data.decode(encoding), encoding, bom)
    except UnicodeDecodeError:
        text = data.decode(encoding, errors="replace")
        return Text(text, encoding, bom, text.count("\ufffd"))
