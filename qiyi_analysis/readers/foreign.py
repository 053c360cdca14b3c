"""Files that people give and that are no tables, report files or web pages: told apart so that it can be said what to do.

Documents, slides and pictures hold tables for the eye only; workbooks under a
password can be saved otherwise by the program they come from.
"""

from __future__ import annotations

import io
import zipfile

from qiyi_analysis import words
from qiyi_analysis.model.errors import ReadError

#: The category in the properties of an audit's workbook: it looks like a calculation sheet and is none to be audited.
OWN_CATEGORY = "qiyi audit"
#: First bytes of files -> what they are.
_FIRST = {
    b"%PDF": "pdf", b"{\\rtf": "document", b"\x89PNG": "picture", b"\xff\xd8\xff": "picture", b"GIF8": "picture",
    b"II*\x00": "picture", b"MM\x00*": "picture", b"Rar!": "packed", b"7z\xbc\xaf": "packed", b"\x1f\x8b": "packed",
    b"\xfd7zXZ": "packed",
}  # fmt: skip
#: Beginnings of names inside an archive of an office program -> what it is.
_MEMBERS = {"word/": "document", "ppt/": "slides"}
#: What an OpenDocument archive says of itself, by the end of its type.
_OPEN = {"text": "document", "presentation": "slides", "graphics": "picture"}
#: Names of streams in the older container of office programs, which are written in UTF-16.
_STREAMS = {
    "EncryptedPackage": "locked", "WordDocument": "document", "PowerPoint Document": "slides",
}  # fmt: skip


def foreign_kind(data: bytes) -> str:
    """What a file is that no reader takes; empty where one may."""
    for first, kind in _FIRST.items():
        if data.startswith(first):
            return kind
    if data.startswith(b"PK\x03\x04"):
        return _archive_kind(data)
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        held = [kind for name, kind in _STREAMS.items() if name.encode("utf-16-le") in data]
        # A workbook may have a document inside: it is tried first.
        book = any(name.encode("utf-16-le") in data for name in ("Workbook", "Book"))
        return held[0] if held and not book else ""
    return ""


def _archive_kind(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                for first, kind in _MEMBERS.items():
                    if name.startswith(first):
                        return kind
                small = name == "docProps/core.xml" and archive.getinfo(name).file_size < 1 << 16
                if small and f">{OWN_CATEGORY}</".encode() in archive.read(name):
                    return "own-audit"
            if archive.getinfo("mimetype").file_size < 200:
                kind = archive.read("mimetype").decode("ascii", "replace").rpartition(".")[2]
                return _OPEN.get(kind.removesuffix("-template"), "")
    except Exception:  # damaged, or no such file in it: for the reader to say
        return ""
    return ""


def refuse_foreign(name: str, data: bytes) -> None:
    """Raises ReadError, with what can be done, for a file that is known to be none of ours."""
    kind = foreign_kind(data)
    if kind:
        raise ReadError(
            "foreign-file",
            file=name,
            kind=words.said(f"foreign-kind.{kind}"),
            do=words.said(f"foreign-do.{kind}"),
        )
