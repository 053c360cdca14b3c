"""Which reader a file belongs to, found by looking into it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from qiyi_analysis.errors import ReadError
from qiyi_analysis.findings import Finding
from qiyi_analysis.model import Event, RatingList
from qiyi_analysis.readers.source import Source, decode, from_path


def read_event(path: str | Path, *, index: int = 1) -> Event:
    """Read one event: a file of any readable format, a folder, a zip archive, or ``-``.

    ``index`` picks one of several events in a file (counted from 1). What is odd in the file is told in
    ``event.faults``. Raises ReadError where nothing can be read at all.
    """
    events = read_events(path)
    if not 1 <= index <= len(events):
        raise ReadError(f"{path}: event {index} asked for; the file holds {len(events)}")
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


def read_events(path: str | Path) -> tuple[Event, ...]:
    """Every event in a file, folder or archive; see :func:`read_event`."""
    sources = from_path(path)
    return events_from(sources, _stem(path, sources))


def events_from(sources: tuple[Source, ...], name: str) -> tuple[Event, ...]:
    """Every event in files that are already in memory."""
    from qiyi_analysis.readers.folder import is_folder, read_folder

    if is_folder(sources):
        return (read_folder(sources, name),)
    if len(sources) > 1:
        raise ReadError(f"{name}: {len(sources)} files and none is players.csv; expected one event")
    source = sources[0]
    if not source.data.strip():
        raise ReadError(f"{source.name}: the file is empty; expected an event")
    from qiyi_analysis.readers.trf import looks_like_trf, read_trf

    text = decode(source.data)
    if looks_like_trf(text.text):
        return read_trf(source, name)
    raise ReadError(f"{name}: not recognised as an event; expected a folder with players.csv and games.csv")


def read_list(path: str | Path) -> RatingList:
    """Read one rating list. Raises ReadError where the file is none."""
    raise ReadError(f"{path}: not recognised as a rating list")


def _stem(path: str | Path, sources: tuple[Source, ...]) -> str:
    if str(path) != "-":
        place = Path(path)
        return place.name if place.is_dir() else place.stem or place.name
    return sources[0].stem
