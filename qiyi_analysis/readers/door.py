"""Which reader a file belongs to, found by looking into it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError, ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.foreign import refuse_foreign
from qiyi_analysis.readers.source import (
    EVENT_FILES,
    Source,
    base_name,
    decode,
    from_bytes,
    from_path,
    is_event_folder,
    readable,
)

Headings = Mapping[str, str]


def read_event(path: str | Path, *, index: int = 1, mapping: Headings | None = None) -> Event:
    """Read one event: a file of any readable format, a folder, a zip archive, or ``-``.

    ``index`` picks one of several events in a file (counted from 1); ``mapping`` says which column of the
    model a head of a table means. What is odd in the file is told in ``event.faults``. Raises ReadError
    where nothing can be read at all.
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
            values={"count": len(events), "index": index},
        )
        event = replace(event, faults=(note, *event.faults))
    return event


def read_events(path: str | Path, *, mapping: Headings | None = None) -> tuple[Event, ...]:
    """Every event in a file, folder or archive; see :func:`read_event`."""
    _refuse_part(path)
    sources = from_path(path)
    return events_from(sources, _stem(path, sources), mapping=mapping)


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
    data = source.data
    if not data.strip(b" \t\r\n\x00\xef\xbb\xbf"):
        raise ReadError("event-file-empty", file=source.name)
    refuse_foreign(source.name, data)
    faults = Faults(source.name)
    if data.startswith(b"PK\x03\x04"):
        return (_workbook(source, name, faults, mapping),)
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        from qiyi_analysis.readers.tables.sheets import from_xls

        return (_joined(from_xls(source), faults, source, name, mapping),)
    return _text_file(source, name, faults, mapping)


def _text_file(source: Source, name: str, faults: Faults, mapping: Headings | None) -> tuple[Event, ...]:
    from qiyi_analysis.readers.trf.record_lines import looks_like_trf
    from qiyi_analysis.readers.trf.report_file import read_trf

    text = decode(source.data)
    head = text.text[:200_000]
    if text.text.lstrip()[:1] == "<":
        return _marked_up(source, name, head, faults, mapping)
    if looks_like_trf(text.text):
        return read_trf(source, name)
    if re.search(r'^\s*\[(Event|White|Black|Result|Site) "', head, re.MULTILINE):
        from qiyi_analysis.readers.pgn import read_pgn

        return read_pgn(source, name)
    from qiyi_analysis.readers.go import aga_report as aga
    from qiyi_analysis.readers.go import h9

    if aga.looks_like_aga(head):
        return (aga.read_aga(source, name),)
    if h9.looks_like_h9(head):
        return (h9.read_h9(source, name),)
    if text.text.lstrip()[:1] == "{":
        raise ReadError("json-alone", file=source.name)
    from qiyi_analysis.readers.tables.sheets import from_text

    return (_joined(from_text(source, faults), faults, source, name, mapping),)


def _marked_up(
    source: Source, name: str, head: str, faults: Faults, mapping: Headings | None
) -> tuple[Event, ...]:
    if re.search(r"<(?:\w+:)?Tournament\b", head) and ("Game" in head or "Player" in head):
        from qiyi_analysis.readers.go.opengotha import read_opengotha

        return (read_opengotha(source, name),)
    if re.search(r"<(html|table|body|!doctype html|tr|td)\b", head, re.IGNORECASE):
        from qiyi_analysis.readers.tables.sheets import from_html

        return (_joined(from_html(source, faults), faults, source, name, mapping),)
    from qiyi_analysis.readers.swiss_manager.upload import looks_like_upload, read_upload

    if looks_like_upload(head):
        return (read_upload(source, name),)
    raise ReadError("xml-unknown", file=source.name)


def _workbook(source: Source, name: str, faults: Faults, mapping: Headings | None) -> Event:
    from qiyi_analysis.readers.folder.event_folder import read_folder
    from qiyi_analysis.readers.tables.sheets import folder_sources, from_xlsx

    sheets = from_xlsx(source)
    files = folder_sources(sheets, source)
    if files:
        event = read_folder(files, name)
        return replace(event, sources=(source.facts(),))
    return _joined(sheets, faults, source, name, mapping)


def _joined(sheets: list, faults: Faults, source: Source, name: str, mapping: Headings | None) -> Event:
    from qiyi_analysis.readers.draft import check_rows
    from qiyi_analysis.readers.tables.sheet_event import read_sheets

    check_rows(sum(len(sheet.rows) for sheet in sheets), source.name)
    return read_sheets(sheets, faults, source.facts(), name, mapping)


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
