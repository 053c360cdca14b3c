"""Paths as they are typed: empty ones, and names in bytes that are no UTF-8, as archives packed on Windows leave them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from qiyi_analysis.files.temporary import temporary_folder
from qiyi_analysis.model.errors import ParameterError

#: Commands whose report is made by a notebook, a process of its own that is told paths as UTF-8.
_WITH_NOTEBOOK = frozenset({"audit", "titles", "list", "publish", "study"})
#: What follows these is written to, and is where it was said.
_WRITTEN = ("--out",)
#: Options whose empty value says what leaving them out says.
_MAY_BE_EMPTY = ("--sections", "--token", "--cluster")
#: Bytes that are no UTF-8, as Python hands them on; the second byte of a Chinese character may be a letter.
_BYTES = re.compile(r"(?:[\udc80-\udcff]+[@-~]?)+")
#: Name of the error handler of consoles.
SHOWN = "qiyi-readable"


def legible(text: str) -> str:
    """A text with such names in it as people read it."""
    if not _BYTES.search(text):
        return text
    from qiyi_analysis.readers.source import readable

    return _BYTES.sub(lambda found: readable(found[0]), text)


def refuse_empty(typed: Sequence[str]) -> None:
    """Raises ParameterError for an empty value: an unset variable of a script would leave out what was asked for."""
    for before, text in pairwise(["qiyi", *typed]):
        option, equals, value = text.partition("=")
        if equals and not value and option.startswith("--"):
            before, text = option, ""
        if not text and before not in _MAY_BE_EMPTY:
            raise ParameterError("value-empty", before=before)


@contextmanager
def readable_paths(typed: Sequence[str]) -> Iterator[list[str]]:
    """The arguments; where a notebook reads them, such a file or folder is named by a link that can be written in UTF-8.

    The links lie in a temporary folder and go with it; files are neither copied nor changed.
    """
    arguments = [*typed]
    if not _WITH_NOTEBOOK.intersection(typed[:1]):
        yield arguments
        return
    named = [
        place
        for place, (before, text) in enumerate(pairwise(["", *typed]))
        if _BYTES.search(text) and before not in _WRITTEN and Path(text).exists()
    ]
    if not named:
        yield arguments
        return
    from qiyi_analysis.readers.source import readable

    with temporary_folder() as folder:
        for place in named:
            target = Path(typed[place]).resolve()
            link = folder / str(place) / readable(target.name)
            link.parent.mkdir()
            link.symlink_to(target)
            arguments[place] = str(link)
        yield arguments


def _console(error: UnicodeError) -> tuple[str | bytes, int]:
    """What a console cannot encode: such names as the text they are, other signs by a stand-in."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = _BYTES.match(error.object, error.start)
    if not found:
        return codecs.lookup_error("replace" if error.encoding != "utf-8" else "backslashreplace")(error)
    # Bytes: the encoder of UTF-8 takes no other text than ASCII from a handler.
    return legible(found[0]).encode(error.encoding, "replace"), found.end()


codecs.register_error(SHOWN, _console)
