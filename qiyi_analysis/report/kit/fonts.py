"""The fonts of a report: where they lie, which characters they hold, how wide each character is.

Noto Sans SC and Noto Serif SC come from the dependency pylopdf-fonts-zh-cn; DejaVu Sans (accented Latin,
chess symbols), which matplotlib ships, stands in where they lack a character.
"""

from __future__ import annotations

import importlib.util
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from qiyi_analysis.model.errors import ReportError, of_system

SANS = "Noto Sans SC"
SPARE = "DejaVu Sans"

_CODE_POINTS = 0x110000


@dataclass(frozen=True, slots=True)
class Face:
    """One font file: ``advance`` holds the width of each code point in em, NaN where there is no glyph."""

    path: Path
    advance: np.ndarray

    def has(self, character: str) -> bool:
        """Whether the face has a glyph for ``character``."""
        return not np.isnan(self.advance[ord(character)])


@cache
def sans_path() -> Path:
    """The file of Noto Sans SC."""
    return _package_folder("pylopdf_fonts_zh_cn", "pylopdf-fonts-zh-cn") / "NotoSansSC-Regular.otf"


@cache
def spare_path() -> Path:
    """The file of DejaVu Sans."""
    return _package_folder("matplotlib", "matplotlib") / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf"


@cache
def face(path: Path) -> Face:
    """Read the character map and widths of a font file (TrueType or OpenType)."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ReportError("font-damaged", file=path, reason=of_system(error)) from error
    return Face(path, _advances(data))


@cache
def _widths() -> np.ndarray:
    """Width in em of every code point in the first face that has it; NaN if none has."""
    sans, spare = face(sans_path()).advance, face(spare_path()).advance
    return np.where(np.isnan(sans), spare, sans)


@cache
def can_show(character: str) -> bool:
    """Whether one of the fonts has a glyph for ``character``."""
    return character in "\n\t" or not np.isnan(_widths()[ord(character)])


@cache
def character_width(character: str) -> float:
    """Width of a character in em; what no font has counts as one em."""
    width = float(_widths()[ord(character)])
    return 1.0 if np.isnan(width) else width


def text_width(text: str) -> float:
    """Width of ``text`` on one line, in em."""
    return sum(map(character_width, text))


def _package_folder(package: str, distribution: str) -> Path:
    # find_spec looks for the package without importing it; importing matplotlib takes half a second.
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ReportError("fonts-missing", package=distribution)
    return Path(next(iter(spec.submodule_search_locations)))


def _advances(data: bytes) -> np.ndarray:
    count = struct.unpack_from(">H", data, 4)[0]
    offsets = {}
    for index in range(count):
        tag, _, offset, _ = struct.unpack_from(">4sIII", data, 12 + 16 * index)
        offsets[tag] = offset
    em = struct.unpack_from(">H", data, offsets[b"head"] + 18)[0]
    metrics = struct.unpack_from(">H", data, offsets[b"hhea"] + 34)[0]
    glyphs = struct.unpack_from(">H", data, offsets[b"maxp"] + 4)[0]
    long = np.frombuffer(data, ">u2", metrics * 2, offsets[b"hmtx"])[::2] / em
    widths = np.concatenate([long, np.full(max(0, glyphs - metrics), long[-1])])
    mapped = np.zeros(_CODE_POINTS, dtype=np.int64)
    for first, last, glyph in _character_map(data, offsets[b"cmap"]):
        mapped[first : last + 1] = np.arange(glyph, glyph + last - first + 1)
    return np.where(mapped > 0, widths[mapped], np.nan).astype(np.float32)


def _character_map(data: bytes, start: int) -> list[tuple[int, int, int]]:
    """(first, last, glyph of first) of the full-range (format 12) character map."""
    for index in range(struct.unpack_from(">H", data, start + 2)[0]):
        offset = start + struct.unpack_from(">HHI", data, start + 4 + 8 * index)[2]
        if struct.unpack_from(">H", data, offset)[0] == 12:
            groups = struct.unpack_from(">I", data, offset + 12)[0]
            table = np.frombuffer(data, ">u4", groups * 3, offset + 16).reshape(-1, 3)
            return [(int(first), int(last), int(glyph)) for first, last, glyph in table]
    raise ReportError("font-map")
