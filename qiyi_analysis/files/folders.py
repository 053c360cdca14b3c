"""Files below a folder, whatever folder is named: links that lead back, devices and a whole disk included."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from qiyi_analysis.model.errors import ParameterError

#: Most files and folders below a folder. A large federation's year fits; a disk named by mistake does not.
MOST_ENTRIES = 50_000


def _never(path: Path) -> bool:
    return False


def entries_below(root: Path, whole: Callable[[Path], bool] = _never) -> Iterator[Path]:
    """What is no folder below ``root``, in the order of the names, and the folders that ``whole`` wants as they are.

    Names with a point at the start are passed over. A folder that several links lead to comes once, so links that lead
    back end; one that may not be opened comes as it is, for its reader to say so. Nothing is opened here.
    Raises ParameterError for more than MOST_ENTRIES files and folders.
    """
    seen: set[tuple[int, int]] = set()
    count = 0
    waiting = [root]
    while waiting:
        path = waiting.pop()
        if not os.path.isdir(path):  # no error where it may not be asked
            yield path
            continue
        try:
            place = path.stat()
            if (place.st_dev, place.st_ino) in seen:
                continue
            seen.add((place.st_dev, place.st_ino))
            if whole(path):
                yield path
                continue
            inner = sorted((one for one in path.iterdir() if not one.name.startswith(".")), reverse=True)
        except OSError:
            yield path
            continue
        count += len(inner)
        if count > MOST_ENTRIES:
            raise ParameterError("folder-too-large", folder=root, most=MOST_ENTRIES)
        waiting += inner
