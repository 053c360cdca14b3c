"""Files that are there whole or not at all, whenever the program is killed or the disk is full."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: What stands in the folder on the way, for whoever clears up after a process that was killed.
PARTS = ".*.part*"


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """The place to write what becomes ``path`` at the end; after an error nothing is left of it.

    A second name of the old file keeps the old text. An OSError names the file meant, not the one on the way.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        raise naming(error, path) from None
    finally:
        part.unlink(missing_ok=True)


def naming(error: OSError, path: Path) -> OSError:
    """What the operating system says, about ``path``; an error without its number (a time that ran out) as it is."""
    return error if error.errno is None else OSError(error.errno, error.strerror, str(path))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all. Raises OSError that names it."""
    with whole(path) as part:
        part.write_bytes(data)
