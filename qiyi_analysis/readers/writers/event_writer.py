"""Events written in the formats that are read: folder, zip, XLSX, TRF16, TRF26, H9."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

from qiyi_analysis.files.whole_files import write_all, write_whole
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.readers.formats import written_forms
from qiyi_analysis.readers.lists.kinds_columns import KINDS, OF_A_KIND
from qiyi_analysis.readers.source import EVENT_FILES
from qiyi_analysis.readers.writers.folder_writer import cell_text, event_files


def event_bytes(event: Event, form: str) -> tuple[bytes, tuple[str, ...]]:
    """One file's bytes in ``trf16``, ``trf26``, ``xlsx``, ``zip``, ``h9`` or ``h9-utf8``, and what the format cannot hold."""
    if form in ("trf16", "trf26"):
        from qiyi_analysis.readers.writers.trf_writer import write_trf

        text, losses = write_trf(event, version=26 if form == "trf26" else 16)
        return text.encode("utf-8", errors="replace"), losses
    if form in ("h9", "h9-utf8"):
        from qiyi_analysis.readers.writers.h9_writer import write_h9

        return write_h9(event, "utf-8" if form == "h9-utf8" else "iso-8859-15")
    if form == "xlsx":
        from qiyi_analysis.readers.writers.workbook_writer import write_xlsx

        return write_xlsx(event), ()
    if form == "zip":
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in event_files(event).items():
                archive.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), data)
        return stream.getvalue(), ()
    raise ReadError("format-not-written", format=form)


def write_event(event: Event, path: str | Path, form: str = "", *, force: bool = False) -> tuple[str, ...]:
    """Write the event to ``path``; the format follows from the ending unless it is given.

    Returns what the format has no place for. Raises ReadError for an ending that stands for no format, and for a file, or
    a folder whose files are other ones than would be written, unless ``force`` replaces them.
    """
    place = Path(path)
    endings = written_forms()
    form = form or endings.get(place.suffix.casefold(), "")
    if not form:
        raise ReadError(
            "ending-not-written", file=place.name, ending=place.suffix, formats=list(filter(None, endings))
        )
    if str(path) == "-":
        raise ReadError("output-needs-name")
    if form == "folder":
        files = event_files(event)
        for name in EVENT_FILES:
            # A file that stays would become part of the event that is written.
            if name not in files and (place / name).exists():
                raise ReadError("folder-of-another", folder=place, file=name)
        for name, data in files.items():
            if not force and (place / name).exists() and (place / name).read_bytes() != data:
                raise ReadError("folder-would-be-replaced", folder=place, file=name)
        write_all(place, files)
        return ()
    data, losses = event_bytes(event, form)
    write_file(place, data, force=force)
    return losses


def write_file(place: Path, data: bytes, *, force: bool = False) -> None:
    """Write a whole file. Raises ReadError where another one is there already, unless ``force`` replaces it."""
    if not force:
        refuse_other(place, data)
    write_whole(place, data)


def refuse_other(place: Path, data: bytes) -> None:
    """Raises ReadError where another file is there already than would be written."""
    if place.is_file() and place.read_bytes() != data:
        raise ReadError("file-would-be-replaced", file=place)


#: Columns of the list format of the interface.
LIST_HEAD = (
    "id", "name", "sex", "federation", "unit", "birth_year", "title", "rating", "k", "games", "peak", "last_event",
)  # fmt: skip


def list_csv(rating_list: RatingList, kind: str = "") -> bytes:
    """A rating list in the list format of the interface, with a BOM for spreadsheets.

    ``kind``: rapid or blitz where the ratings are of that kind; their heads say so, or they would be read as standard ones.
    """
    own = {name: f"{kind}_{name}" for name in OF_A_KIND} if kind not in ("", KINDS[0]) else {}
    rows = [[own.get(name, name) for name in LIST_HEAD]]
    columns = [rating_list.rows[name].tolist() for name in LIST_HEAD]
    rows.extend([cell_text(value) for value in values] for values in zip(*columns, strict=True))
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return ("\ufeff" + stream.getvalue()).encode("utf-8", errors="replace")
