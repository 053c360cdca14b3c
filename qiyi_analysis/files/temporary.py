"""Folders that exist while a process works in them, and are removed even if it was killed: by the next one.

A folder holds a file that its process keeps locked. A folder that nobody holds, and nothing but such a folder, is
removed when the next folder is made beside it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "qiyi-"
_OWNER = ".qiyi-owner"
_MARK = b"made by qiyi_analysis, and removed by it\n"
_swept: set[str] = set()


@contextmanager
def temporary_folder(beside: Path | None = None) -> Iterator[Path]:
    """A private folder for as long as the block lasts: hidden in the folder ``beside``, else where temporary files are."""
    where = tempfile.gettempdir() if beside is None else os.path.abspath(beside)
    if where not in _swept:
        _swept.add(where)
        sweep(beside)
    place = Path(tempfile.mkdtemp(prefix=_prefix(beside), dir=beside))
    try:
        with _owned(place):
            yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def sweep(beside: Path | None = None) -> None:
    """Remove what processes that were killed left in the folder ``beside``, else where temporary files are."""
    for place in Path(beside or tempfile.gettempdir()).glob(f"{_prefix(beside)}*"):
        with contextlib.suppress(OSError):
            if _abandoned(place):
                shutil.rmtree(place, ignore_errors=True)


def _prefix(beside: Path | None) -> str:
    return PREFIX if beside is None else f".{PREFIX}"


@contextmanager
def _owned(place: Path) -> Iterator[None]:
    """Hold the file that says whose the folder is. It has its name only when it is locked."""
    name = place / (_OWNER if fcntl is None else f"{_OWNER}-new")
    with name.open("xb") as owner:
        owner.write(_MARK)
        owner.flush()
        if fcntl is not None:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
            name.rename(place / _OWNER)
        yield


def _abandoned(place: Path) -> bool:
    """Whether a folder was made here and its process is gone. Raises OSError where it is there, or no such folder."""
    with (place / _OWNER).open("r+b") as owner:
        if owner.read() != _MARK:
            return False
        if fcntl is not None:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    (place / _OWNER).unlink()  # Windows removes no file that is open
    return True
