"""The letterhead of a federation: name, logo, footer and language, from one small TOML file.

name = "某市棋类协会"
other = "Chess Association of Somewhere"     # the name in the other language
logo = "logo.svg"                            # svg, png or jpg, beside this file
footer = "联系电话 …"
language = "zh"                              # of its reports, where the command names none
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from qiyi_analysis.files.whole_files import note_input
from qiyi_analysis.model.errors import ReportError, of_system

_KEYS = ("name", "other", "logo", "footer", "language")
_LANGUAGES = ("zh", "en")
#: A logo larger than this, in bytes, would make every report as large.
LARGEST = 1 << 24
_KINDS = ("svg", "png", "jpg", "jpeg", "gif")


@dataclass(frozen=True, slots=True)
class Letterhead:
    """What stands at the head and foot of the pages; ``logo`` is the picture itself."""

    name: str = ""
    other: str = ""
    footer: str = ""
    logo: bytes = b""
    logo_kind: str = "png"
    language: str = ""


def _read(file: Path) -> bytes:
    """The bytes of an ordinary file of a size that fits on a page; a device or pipe might never end."""
    if file.exists() and not file.is_file():
        raise ReportError("letterhead-no-file", file=file)
    if file.stat().st_size > LARGEST:
        raise ReportError("letterhead-too-large", file=file, most=LARGEST >> 20)
    note_input(file)
    return file.read_bytes()


def read_letterhead(path: Path) -> Letterhead:
    """Read a letterhead file; an unknown key, a value that is no text or a missing logo is a ReportError."""
    try:
        data = tomllib.loads(_read(path).decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ReportError("letterhead-damaged", file=path, error=of_system(error)) from error
    if not data:
        raise ReportError("letterhead-empty", file=path, keys=_KEYS)
    for key, value in data.items():
        if key not in _KEYS:
            raise ReportError("letterhead-key", file=path, key=key, keys=_KEYS)
        if not isinstance(value, str):
            raise ReportError("letterhead-value", file=path, key=key, value=value)
    language = data.get("language", "")
    if language and language not in _LANGUAGES:
        raise ReportError("letterhead-language", file=path, language=language, languages=_LANGUAGES)
    logo, kind = b"", "png"
    if data.get("logo"):
        file = path.parent / data["logo"]
        kind = file.suffix.lower().removeprefix(".")
        if kind not in _KINDS:
            raise ReportError("letterhead-logo", file=path, logo=data["logo"], kinds=_KINDS)
        try:
            logo = _read(file)
        except OSError as error:
            raise ReportError("letterhead-logo-damaged", file=file, reason=of_system(error)) from error
    return Letterhead(
        data.get("name", ""), data.get("other", ""), data.get("footer", ""), logo, kind, language
    )
