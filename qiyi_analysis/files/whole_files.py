"""Every file a command writes: there whole or not at all, whenever the program is killed or the disk is full, and never
in the place of a file that was read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from qiyi_analysis.files.temporary import temporary_folder
from qiyi_analysis.model.errors import ReadError

#: Device and number of the files read in this run; None outside a run.
_inputs: set[tuple[int, int]] | None = None


@contextmanager
def inputs_kept() -> Iterator[None]:
    """While the block lasts, nothing is written in the place of a file that was read in it."""
    global _inputs
    earlier, _inputs = _inputs, set()
    try:
        yield
    finally:
        _inputs = earlier


def note_input(path: str | Path) -> None:
    """Remember a file that is read."""
    if _inputs is not None:
        with suppress(OSError):
            found = os.stat(path)
            _inputs.add((found.st_dev, found.st_ino))


def refuse_input(path: Path) -> None:
    """Raises ReadError where a file was read in this run, by whatever name."""
    if not _inputs:
        return
    with suppress(OSError):
        found = path.stat()
        if (found.st_dev, found.st_ino) in _inputs:
            raise ReadError("output-is-input", file=path)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """The place to write what becomes ``path`` at the end; after an error nothing is left of it.

    A second name of the old file keeps the old text. An OSError names the file meant, not the one on the way. Raises
    ReadError for a file that was read in this run.
    """
    refuse_input(path)
    try:
        with temporary_folder(path.parent) as folder:
            part = folder / path.name
            yield part
            _to_disk(part)
            part.replace(path)
            _to_disk(path.parent)
    except OSError as error:
        raise naming(error, path) from None


def naming(error: OSError, path: Path) -> OSError:
    """What the operating system says, about ``path``; an error without its number (a time that ran out) as it is."""
    return error if error.errno is None else OSError(error.errno, error.strerror, str(path))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all. Raises OSError that names it."""
    with whole(path) as part:
        part.write_bytes(data)


def write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a folder, made if need be; all are complete before the first gets its name, in their order."""
    for name in files:
        refuse_input(folder / name)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder
    try:
        with temporary_folder(folder) as parts:
            for name, data in files.items():
                path = folder / name
                (parts / name).write_bytes(data)
                _to_disk(parts / name)
            for name in files:
                path = folder / name
                (parts / name).replace(path)
            _to_disk(folder)
    except OSError as error:
        raise naming(error, path) from None


def _to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk: a loss of power must not leave an empty file."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
