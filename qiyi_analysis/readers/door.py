"""Which reader a file belongs to, found by looking into it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError, ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.readers.foreign import refuse_foreign
from qiyi_analysis.readers.formats import EVENTS, Headings, Look, formats
from qiyi_analysis.readers.source import (
    EVENT_FILES,
    Source,
    base_name,
    from_bytes,
    from_path,
    is_event_folder,
    readable,
)


def read_event(path: str | Path, *, index: int = 1, mapping: Headings | None = None) -> Event:
    """Read one event: a file of any readable format, a folder, a zip archive, or ``-``.

    ``index`` picks one of several events in a file (counted from 1); ``mapping`` says which column of the
    model a head of a table means. Both can be part of the path: ``file.xlsx#女子组;抽签号=序号`` (a name of the
    event's title or its number; heads and columns). What is odd in the file is told in ``event.faults``.
    Raises ReadError where nothing can be read at all.
    """
    events = read_events(path, mapping=mapping)
    if not 1 <= index <= len(events):
        raise ReadError("event-of-several", path=path, index=index, count=len(events))
    event = events[index - 1]
    if len(events) > 1:
        note = Finding(
            code="CK49",
            reason="several-events",
            severity="W",
            file=event.sources[0].name if event.sources else "",
            values={
                "count": len(events),
                "index": index,
                "names": words.joined([one.name or one.id for one in events], 6),
            },
        )
        event = replace(event, faults=(note, *event.faults))
    return event


def read_events(path: str | Path, *, mapping: Headings | None = None) -> tuple[Event, ...]:
    """Every event in a file, folder or archive, or those that the path names; see :func:`read_event`."""
    path, group, columns = address(path)
    _refuse_part(path)
    sources = from_path(path)
    events = events_from(sources, _stem(path, sources), mapping={**(mapping or {}), **columns} or None)
    if not group:
        return events
    if group.isdecimal() and 1 <= int(group) <= len(events):
        return (events[int(group) - 1],)
    named = tuple(event for event in events if group in event.name)
    if not named:
        raise ReadError("event-group", path=path, group=group, known=[one.name or one.id for one in events])
    return named


def address(path: str | Path) -> tuple[str | Path, str, dict[str, str]]:
    """A path without what is behind its ``#``, the group named there, and its pairs of head and column.

    Raises ReadError for a column that does not exist.
    """
    base, sign, behind = str(path).rpartition("#")
    if not sign or not base or Path(path).exists() or not (base == "-" or Path(base).exists()):
        return path, "", {}
    parts = [part.strip() for part in behind.split(";") if part.strip()]
    pairs = [part.partition("=") for part in parts if "=" in part]
    return (
        base,
        next((part for part in parts if "=" not in part), ""),
        {head.strip(): _column(head, column.strip()) for head, _, column in pairs},
    )


def _column(head: str, text: str) -> str:
    """The column of the model that a text names: by its own name or by a head in any language."""
    from qiyi_analysis.readers.tables.heads import column_of, known_columns, round_number

    if text in known_columns() or text.startswith("round:"):
        return text
    column = column_of(text) or (f"round:{number}" if (number := round_number(text)) else "")
    if not column:
        raise ReadError(
            "mapping-column", path="--columns", head=head, column=text, known=sorted(known_columns())
        )
    return column


def _refuse_part(path: str | Path) -> None:
    """Raises ReadError for one file of an event in the folder format: alone it would be an event without games."""
    place = Path(path)
    if base_name(place.name) in EVENT_FILES and place.is_file():
        folder = place.parent
        if is_event_folder(one.name for one in folder.iterdir()):
            whole = folder if folder.name else folder.resolve()
            raise ReadError("file-of-folder", file=place.name, folder=whole)


def events_in_bytes(data: bytes, name: str = "-") -> tuple[Event, ...]:
    """Every event in the bytes of one file."""
    sources = from_bytes(data, name)
    return events_from(sources, sources[0].stem)


def events_from(
    sources: tuple[Source, ...], name: str, *, mapping: Headings | None = None
) -> tuple[Event, ...]:
    """Every event in files that are already in memory."""
    from qiyi_analysis.readers.folder.event_folder import read_folder

    folders: dict[str, list[Source]] = {}
    for source in sources:
        folders.setdefault(source.name.replace("\\", "/").rpartition("/")[0], []).append(source)
    if len(folders) == 1 and is_event_folder(source.name for source in sources):
        return (read_folder(sources, name),)
    if len(sources) == 1:
        return _one_file(sources[0], name, mapping)
    events: list[Event] = []
    refusals: list[words.Said] = []
    for folder, files in folders.items():
        whole = is_event_folder(source.name for source in files)
        for part in [files] if whole else [[source] for source in files]:
            try:
                if whole:
                    events.append(read_folder(part, folder.rpartition("/")[2] if len(folders) > 1 else name))
                else:
                    events.extend(_one_file(part[0], part[0].stem, mapping))
            except ReadError as error:
                refusals.append(error.said)
    if not events:
        raise ReadError("no-event-among", file=name, count=len(sources), first=refusals[0])
    return tuple(events)


def _one_file(source: Source, name: str, mapping: Headings | None) -> tuple[Event, ...]:
    if not source.data.strip(b" \t\r\n\x00\xef\xbb\xbf"):
        raise ReadError("event-file-empty", file=source.name)
    refuse_foreign(source.name, source.data)
    look = Look(source)
    form = next(form for form in formats(EVENTS) if form.read and form.recognise(look))
    assert form.read is not None
    return form.read(look, name, mapping)


def read_list(path: str | Path, *, mapping: Headings | None = None, variant: str = "standard") -> RatingList:
    """Read one rating list: CSV, XLSX, FIDE text or XML, EGD, AGA TDList, or a packed one.

    ``variant`` (standard, rapid, blitz): which rating stands in ``rows`` where the list prints several side by side;
    calculations take that of their rules whatever was asked for here.
    Raises ParameterError for another word, and ReadError where the file is none.
    """
    from qiyi_analysis.readers.lists.kinds_columns import KINDS
    from qiyi_analysis.readers.lists.list_door import list_from

    sources = from_path(path)
    if variant not in KINDS:
        raise ParameterError("list-variant", variant=variant, known=KINDS)
    return list_from(sources, _stem(path, sources), mapping, variant=variant)


def _stem(path: str | Path, sources: tuple[Source, ...]) -> str:
    if str(path) != "-":
        place = Path(path)
        whole = (
            (place.name or place.resolve().name or "event") if place.is_dir() else place.stem or place.name
        )
        return readable(whole)
    return sources[0].stem
