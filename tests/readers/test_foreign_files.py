"""Documents, slides, pictures and workbooks that are not read: said what they are and what to do, at every door."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from qiyi_analysis import read_event, words
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers import read_list
from qiyi_analysis.readers.door import events_in_bytes
from qiyi_analysis.readers.foreign import foreign_kind
from qiyi_analysis.readers.published_files import read_published

EVENT = Path(__file__).parents[2] / "data" / "events" / "nanjing-2010"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def archive(**members: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, text in members.items():
            file.writestr(name.replace("__", "/").replace("_", "."), text)
    return stream.getvalue()


def container(*streams: str) -> bytes:
    return OLE + bytes(1000) + b"".join(name.encode("utf-16-le") + bytes(40) for name in streams)


FOREIGN = {
    "document": [
        archive(word__document_xml="<x/>"), container("WordDocument"), rb"{\rtf1\ansi 1. A 2000}",
        archive(mimetype="application/vnd.oasis.opendocument.text"),
    ],
    "slides": [archive(ppt__presentation_xml="<x/>"), container("PowerPoint Document")],
    "locked": [container("EncryptionInfo", "EncryptedPackage")],
    "pdf": [b"%PDF-1.7\n"],
    "picture": [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0"],
    "packed": [b"Rar!\x1a\x07", b"\x1f\x8b\x08\x00"],
}  # fmt: skip
CASES = [(kind, data) for kind, several in FOREIGN.items() for data in several]
DOORS: dict[str, Callable[[Path], object]] = {
    "event": read_event,
    "list": read_list,
    "published": lambda path: read_published(path, read_event(EVENT)),
    "bytes": lambda path: events_in_bytes(path.read_bytes(), path.name),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("kind", "data"), CASES)
def test_what_it_is_and_what_to_do_at_every_door(door: str, kind: str, data: bytes, tmp_path: Path) -> None:
    # The name says nothing: it is told by what is in it.
    path = tmp_path / "report.xlsx"
    path.write_bytes(data)
    with pytest.raises(ReadError) as error:
        DOORS[door](path)
    assert error.value.reason == "foreign-file"
    for language in words.LANGUAGES:
        said = error.value.message(language)
        assert said.startswith("report.xlsx")
        assert words.text(f"foreign-kind.{kind}", language) in said
        assert words.text(f"foreign-do.{kind}", language) in said


@pytest.mark.parametrize(
    "data",
    [
        archive(xl__workbook_xml="<x/>"), archive(xl__workbook_bin="x"),
        archive(mimetype="application/vnd.oasis.opendocument.spreadsheet"), archive(players_csv="no,name\n"), container("Workbook"), OLE,
        container("Workbook", "WordDocument"), b"PK\x03\x04 damaged", b"", b"no,name\n1,PDF\n", b"{\"a\": 1}",
    ],
)  # fmt: skip
def test_what_a_reader_may_take_is_left_to_it(data: bytes) -> None:
    assert foreign_kind(data) == ""


def test_among_other_files_it_is_passed_over(tmp_path: Path) -> None:
    for name in ("players.csv", "games.csv", "meta.json"):
        (tmp_path / name).write_bytes((EVENT / name).read_bytes())
    inner = tmp_path / "outer"
    inner.mkdir()
    (inner / "letter.docx").write_bytes(FOREIGN["document"][0])
    (inner / "event.trf").write_text(
        "012 Club\n001    1      A                                 2000\n", encoding="utf-8"
    )
    assert len(read_event(inner).players) == 1
