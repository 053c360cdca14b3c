"""Columns of a TRF player line, and lines whose columns have moved.

Positions are those of the FIDE report file, counted from 1 in the documentation and from 0 here. Names
padded by bytes instead of characters, tabs, and fields that are a column too wide or too narrow move
everything behind them; the line is then read where its parts are, and a finding says so.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from qiyi_analysis.readers.faults import Faults

FIRST_CELL = 91  # opponent of round 1 begins in column 92
CELL = 10

#: What the fixed part of a player line looks like when every field stands in its columns.
_FIXED = re.compile(
    r"... [ \d]{4} .[^\d]{3}.{34} [ \d]{4} [^\d]{3} [ \w-]{11} [\d /.\-]{10} [ \d.,½]{4} [ \d]{4}"
)
_CELLS = re.compile(r"(?:  [ \d]{4} [wWbBsSrR -] [ -~½])*(?:  [ \d]{4} [wWbB])?\s*\Z")
#: Places behind which a field may have become wider or narrower: name, federation, id, birth, points.
_SEAMS = (47, 56, 68, 79, 84, 89, 13, 8)
_SHIFTS = (-1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6, -7, 7, -8, 8, -10, 10, -12, 12)

#: Lines whose layout is searched for; a file with more broken lines is not laid out in columns at all.
MOST_SEARCHED = 400

_LOOSE = re.compile(
    r"001\s+(?P<number>\d{1,4})\s+(?:(?P<sex>[mwfMWFu])\s+)?(?:(?P<title>W?[GIFC]M|w?[gmfc])\s+)?"
    r"(?P<name>[^\d\t]{1,80}?)\s+(?:(?P<rating>\d{1,4})\s+)?(?:(?P<federation>[A-Z]{3})\s+)?(?:(?P<id>\d{4,11})\s+)?"
    r"(?:(?P<birth>\d{4}(?:[/.-]\d\d[/.-]\d\d)?)\s+)?(?P<points>\d{1,3}[.,]\d)(?:\s+(?P<rank>\d{1,4})(?!\s+[wbWB-]\s))?(?P<cells>\s.*)?\Z"
)
_LOOSE_CELL = re.compile(r"(\d{1,4})?\s+([wbWB-])\s+([10=+\-WDLHFUZwdlhfuz])(?=\s|\Z)")


class PlayerLine(NamedTuple):
    """A player line in its proper columns, and how it got there ("" where it stood there already)."""

    text: str
    repair: str = ""


class Layout:
    """Finds the columns of the lines of one file; remembers the shift that fitted last."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._searched = 0

    def player_line(self, line: str, number: int) -> PlayerLine:
        """The player line with every field in its columns; ``number`` is the line's number."""
        text = line if len(line) >= FIRST_CELL else line.ljust(FIRST_CELL)
        if fits(text):
            if "\t" in text:
                self._faults.add("CK02", "tabs", severity="W", line=number, read=line.strip()[:60])
            return PlayerLine(text)
        self._searched += 1
        if self._searched > MOST_SEARCHED:
            self._faults.once("CK02", "layout-not-searched", line=number)
            return PlayerLine(text, "unknown")
        found = self._search(line)
        if found.repair == "tabs":
            self._faults.add("CK02", "tabs", severity="W", line=number, read=line.strip()[:60])
        elif found.repair == "bytes":
            self._faults.add(
                "CK01", "byte-padded", line=number, column="15-", field="name", read=found.text[14:47].strip()
            )
        elif found.repair == "fields":
            self._faults.add(
                "CK02",
                "columns-lost",
                line=number,
                read=line.strip()[:100],
                assumed=found.text[14:47].strip(),
            )
        elif found.repair == "unknown":
            self._faults.add("CK02", "layout-unknown", line=number, read=line.strip()[:100])
        elif found.repair:
            seam, shift = found.repair.split(":")
            self._faults.add(
                "CK02", "columns-shifted", severity="W", line=number, column=int(seam) + 1, read=line.strip()[:60],
                assumed=found.text[14:47].strip(), shift=int(shift),
            )  # fmt: skip
        return found

    def _search(self, line: str) -> PlayerLine:
        if "\t" in line:
            for candidate in (line.expandtabs(8), line.replace("\t", " "), line.expandtabs(4)):
                padded = candidate.ljust(FIRST_CELL)
                if fits(padded):
                    return PlayerLine(padded, "tabs")
            loose = by_fields(line.replace("\t", "   "))
            return (
                PlayerLine(loose, "tabs")
                if loose
                else PlayerLine(line.expandtabs(8).ljust(FIRST_CELL), "unknown")
            )
        if not line.isascii():
            padded = by_bytes(line)
            if padded and fits(padded):
                return PlayerLine(padded, "bytes")
        moves = [(seam, shift, move(line, seam, shift)) for seam in _SEAMS for shift in _SHIFTS]
        for sure in (True, False):
            for seam, shift, moved in moves:
                if moved and fits(moved) and (not sure or _makes_sense(moved)):
                    return PlayerLine(moved, f"{seam}:{shift}")
        if _FIXED.match(line):
            return PlayerLine(line)  # only cells of rounds are broken; each is reported by itself
        loose = by_fields(line)
        return PlayerLine(loose, "fields") if loose else PlayerLine(line.ljust(FIRST_CELL), "unknown")


def fits(text: str) -> bool:
    """Whether all fields of a player line stand in their columns."""
    return _FIXED.match(text) is not None and _CELLS.match(text, 89) is not None


_POINTS = re.compile(r" *\d{1,3}(?:[.,]\d)?\Z")
_BIRTH = re.compile(r" *(?:\d{4}(?:[/.-]\d\d[/.-]\d\d)?|\d\d[/.-]\d\d[/.-]\d{4})? *\Z")


def _makes_sense(text: str) -> bool:
    """Whether points and birth date of a line that was moved look like what they are."""
    return _POINTS.match(text[80:84]) is not None and _BIRTH.match(text[69:79]) is not None


def by_bytes(line: str) -> str:
    """The line with its columns counted in UTF-8 bytes, as some programs pad."""
    data = line.encode("utf-8", errors="replace").ljust(FIRST_CELL)
    pieces = (data[:14], data[14:47], data[47:])
    name = pieces[1].decode("utf-8", errors="ignore")
    return (
        pieces[0].decode("utf-8", errors="replace").ljust(14)[:14]
        + name.ljust(33)[:33]
        + pieces[2].decode("utf-8", errors="replace")
    )


def move(line: str, seam: int, shift: int) -> str:
    """The line with everything behind ``seam`` moved by ``shift`` columns; "" where text would be lost."""
    if shift > 0:  # the field before is too narrow: blanks are put in behind its text
        at = max(4, seam - shift)
        return (line[:at] + " " * shift + line[at:]).ljust(FIRST_CELL)
    cut = line[seam : seam - shift]
    if not cut.strip():  # too wide: blanks are taken out
        return (line[:seam] + line[seam - shift :]).ljust(FIRST_CELL)
    before = line[seam + shift : seam]
    if seam == 47 and not before.strip():
        return (line[: seam + shift] + line[seam:]).ljust(FIRST_CELL)
    if seam == 47:  # the name runs over: it is cut in its columns only
        return (line[:seam] + line[seam - shift :]).ljust(FIRST_CELL)
    return ""


def by_fields(line: str) -> str:
    """The line set anew in its columns from what its parts look like; "" where that cannot be told."""
    match = _LOOSE.match(line[:4000])
    if not match:
        return ""
    part = {name: value or "" for name, value in match.groupdict().items()}
    cells = []
    rest = part["cells"]
    for cell in _LOOSE_CELL.finditer(rest):
        cells.append(f"  {cell[1] or '0000':>4} {cell[2]} {cell[3]}")
    if rest.strip() and not cells:
        return ""
    return (
        f"001 {part['number']:>4} {part['sex']:1}{part['title']:>3} {part['name'].strip()[:33]:33} {part['rating']:>4} "
        f"{part['federation']:3} {part['id']:>11} {part['birth']:10} {part['points']:>4} {part['rank']:>4}"
        + "".join(cells)
    )
