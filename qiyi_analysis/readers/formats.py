"""The formats that are read: a record each, in the module that reads it.

A new format is a module with a record ``FORMAT`` (or several, ``FORMATS``) and its name in one of the two orders below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.source import Source, Text, decode, split_lines

Headings = Mapping[str, str]


@dataclass(frozen=True)
class Look:
    """A file as formats are recognised by it: its bytes, and its text, decoded once."""

    source: Source

    @property
    def data(self) -> bytes:
        """The bytes."""
        return self.source.data

    @cached_property
    def text(self) -> Text:
        """The whole text."""
        return decode(self.source.data)

    @cached_property
    def head(self) -> str:
        """The beginning of the text, more than anything is recognised by."""
        return self.text.text[:200_000]

    @cached_property
    def lines(self) -> list[str]:
        """The first lines of the text."""
        return split_lines(self.head)[:2000]

    @cached_property
    def first_line(self) -> str:
        """The first line of the beginning that is not blank."""
        return next((line for line in self.lines[:50] if line.strip()), "")

    @property
    def marked_up(self) -> bool:
        """Whether the text begins with a tag."""
        return self.head.lstrip()[:1] == "<"


#: Reads the events of a file of the given name.
ReadEvents = Callable[[Look, str, Headings | None], tuple[Event, ...]]
#: Reads the columns of a rating list, and what the file says of itself; notes what is odd.
ReadList = Callable[[Look, Faults, Headings | None], tuple[dict[str, Any], dict[str, Any]]]
#: Reads every table of a rating list (``lists.list_tables.Part``): sheets of a workbook, tables of a page.
ReadLists = Callable[[Look, Faults, Headings | None], list[Any]]


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its name, its line in docs/formats.md, how it is recognised and read.

    ``written``: endings of file names and the form (a key of ``writers.event_writer``) that is written for them.
    """

    name: str
    described: str
    recognise: Callable[[Look], bool]
    read: ReadEvents | None = None
    read_list: ReadList | None = None
    read_lists: ReadLists | None = None
    written: Mapping[str, str] | None = None


#: Modules with the formats of events and of rating lists, in the order in which they are tried.
EVENTS = (
    "tables.workbook", "go.opengotha", "go.pages", "tables.html", "swiss_manager.upload", "trf.report_file", "pgn",
    "go.aga_report", "go.h9", "folder.event_folder", "tables.separated",
)  # fmt: skip
LISTS = ("tables.workbook", "lists.fide_lists", "lists.go_lists", "tables.html", "tables.separated")


def formats(modules: tuple[str, ...]) -> Iterator[Format]:
    """The records of some modules, each loaded when it is its turn."""
    for name in modules:
        module = import_module(f"qiyi_analysis.readers.{name}")
        yield from getattr(module, "FORMATS", None) or (module.FORMAT,)


def written_forms() -> dict[str, str]:
    """Ending of a file's name -> the form that is written for it."""
    return {ending: form for one in formats(EVENTS) for ending, form in (one.written or {}).items()}
