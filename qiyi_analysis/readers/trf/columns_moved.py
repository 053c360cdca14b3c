"""Columns of a TRF player line, and lines whose columns have moved.

Positions are those of the FIDE report file, counted from 1 in the documentation and from 0 here. Names
padded by bytes instead of characters, tabs, and fields that are a column too wide or too narrow move
everything behind them; the line is then read where its parts are, and a finding says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from qiyi_analysis.readers.faults import Faults

FIRST_CELL = 91  # opponent of round 1 begins in column 92
CELL = 10

#: What the fixed part of a player line looks like when every field stands in its columns.
_FIXED = re.compile(
    r"... [ \d]{4} .[^\d]{3}.{34} [ \d]{4} [^\d]{3} [ \w-]{11} [\d /.\-]{10} [ \d.,½+-]{4} [ \d]{4}"
)
#: The same where single fields hold what cannot be read: the blanks between the fields, and points.
_FRAME = re.compile(r"... .{4} .{38} .{4} .{3} .{11} .{10} [ +-]{0,3}\d{1,3}(?:[.,]\d)? .{4}")
#: Rounds; the last cell may be cut off, as far as it goes.
_CELLS = re.compile(
    r"(?:  [ \d]{4} [wWbBsSrR -] [ -~½])*(?:  (?: {0,3}\d{1,4}|[ \d]{4}(?: [wWbBsSrR-]?)?))?\s*\Z"
)
#: Places behind which a field may have become wider or narrower: name, federation, id, birth, points, rating.
_SEAMS = (47, 56, 68, 79, 84, 89, 13, 8, 52)
_SHIFTS = (-1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6, -7, 7, -8, 8, -10, 10, -12, 12)

#: Lines whose layout is searched for; a file with more broken lines is not laid out in columns at all.
MOST_SEARCHED = 400

_LOOSE = re.compile(
    r"001\s+(?P<number>\d{1,4})\s+(?:(?P<sex>[mwfMWFu])(?:\s+|(?=W?[GIFC]M\s|w?[gmfc]\s)))?(?:(?P<title>W?[GIFC]M|w?[gmfc])\s+)?"
    r"(?P<name>[^\d\t]{1,80}?)\s+(?:(?P<rating>\d{1,4})\s+)?(?:(?P<federation>[A-Z]{3})\s+)?"
    r"(?:(?P<id>(?!(?:19|20)\d\d(?:[/.-]\d\d[/.-]\d\d)?\s|\d\d[/.-]\d\d[/.-])[A-Z]{0,3}\d[\w-]{3,19}|0)\s+)?"
    r"(?:(?P<birth>\d{4}[/.-]\d\d[/.-]\d\d|\d\d[/.-]\d\d[/.-]\d{4}|\d{4}(?=\s))\s*)?(?P<points>-?\d{1,3}[.,]\d\d?)"
    r"(?:\s+(?P<rank>\d{1,4})(?!\s+[wbWB-]\s))?(?P<cells>\s.*)?\Z"
)
_LOOSE_CELL = re.compile(r"(\d{1,4})?\s+([wbWB-])\s+([10=+\-½WDLHFUZwdlhfuz])(?=\s|\Z)")
#: A cell that stands between two tabs.
_CELL_PART = re.compile(r"\s*(\d{0,4})\s*([wbWBsS-]?)\s*([10=+\-½WDLHFUZwdlhfuz]?)\s*\Z")
#: Fields before the cells, where each stands between two tabs.
_FIELDS = ("number", "sex", "title", "name", "rating", "federation", "id", "birth", "points", "rank")
#: Signs that look like a blank in a text and are none.
_BLANKS = str.maketrans(dict.fromkeys("\u00a0\u2007\u202f\u3000", " "))


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
        if not line.isascii() and (blank := line.translate(_BLANKS)) != line:
            self._faults.once("CK02", "other-blanks", severity="I", line=number, read=line[:60])
            line = blank
        body = line.rstrip("\t ")
        line = body.ljust(len(line))  # blanks and tabs behind the last field say nothing
        if line[3:4].isdecimal():  # a number of four digits right behind the code
            line = f"{line[:3]} {line[3:]}"
            self._shifted(line, number, 3, 1)
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
            self._shifted(found.text, number, int(seam), int(shift))
        return found

    def _shifted(self, text: str, number: int, seam: int, shift: int) -> None:
        self._faults.add(
            "CK02", "columns-shifted", severity="W", line=number, column=seam + 1, read=text.strip()[:60],
            assumed=text[14:47].strip(), shift=shift,
        )  # fmt: skip

    def _search(self, line: str) -> PlayerLine:
        if "\t" in line:
            for candidate in (line.expandtabs(8), line.replace("\t", " "), line.expandtabs(4)):
                padded = candidate.ljust(FIRST_CELL)
                if fits(padded):
                    return PlayerLine(padded, "tabs")
            if stretched := by_width(line):
                return PlayerLine(stretched, "tabs")
            loose = by_tabs(line) or by_fields(line.replace("\t", "   "))
            return (
                PlayerLine(loose, "tabs")
                if loose
                else PlayerLine(line.expandtabs(8).ljust(FIRST_CELL), "unknown")
            )
        if not line.isascii():
            for encoding in _PADDED_IN:
                padded = by_bytes(line, encoding)
                if fits(padded):
                    return PlayerLine(padded, "bytes")
        moves = [
            (seam, shift, moved)
            for seam in _SEAMS
            for shift in _SHIFTS
            for moved in moves_at(line, seam, shift)
        ]
        fitting = [found for found in moves if fits(found[2])]
        for seam, shift, moved in fitting:
            if _makes_sense(moved):
                return PlayerLine(moved, f"{seam}:{shift}")
        padded = line.ljust(FIRST_CELL)
        if _FIXED.match(line) or (_FRAME.match(padded) and _CELLS.match(padded, 89)):
            return PlayerLine(padded)  # single fields or cells are broken; each is reported by itself
        if loose := by_fields(line):
            return PlayerLine(loose, "fields")
        for seam, shift, moved in fitting:
            return PlayerLine(moved, f"{seam}:{shift}")
        return PlayerLine(padded, "unknown")


def fits(text: str) -> bool:
    """Whether all fields of a player line stand in their columns."""
    return _FIXED.match(text) is not None and _CELLS.match(text, 89) is not None


_POINTS = re.compile(r" *\d{1,3}(?:[.,]\d\d?)? *\Z")
_BIRTH = re.compile(r" *(?:\d{4}(?:[/.-]\d\d[/.-]\d\d)?|\d\d[/.-]\d\d[/.-]\d{4})? *\Z")


def _makes_sense(text: str) -> bool:
    """Whether points and birth date of a line that was moved look like what they are."""
    return _POINTS.match(text[80:84]) is not None and _BIRTH.match(text[69:79]) is not None


#: How programs count that pad by bytes: Chinese signs take three bytes, or two as in GBK and Big5.
_PADDED_IN = ("utf-8", "gb18030")


def by_width(line: str) -> str:
    """The line with its one run of tabs as wide as puts every field into its columns; "" where no or several widths do."""
    before, *rest = re.split("\t+", line)
    if len(rest) != 1:
        return ""
    widths = (
        (before + " " * width + rest[0]).ljust(FIRST_CELL) for width in range(1, FIRST_CELL - len(before))
    )
    fitting = [text for text in widths if fits(text) and _makes_sense(text)]
    return fitting[0] if len(fitting) == 1 else ""


def by_bytes(line: str, encoding: str) -> str:
    """The line with the columns of its name counted in bytes of an encoding, as some programs pad."""
    data = line.encode(encoding, errors="replace").ljust(FIRST_CELL)
    pieces = (data[:14], data[14:47], data[47:])
    name = pieces[1].decode(encoding, errors="ignore")
    return (
        pieces[0].decode(encoding, errors="replace").ljust(14)[:14]
        + name.ljust(33)[:33]
        + pieces[2].decode(encoding, errors="replace")
    )


def moves_at(line: str, seam: int, shift: int) -> list[str]:
    """The line with everything behind ``seam`` moved by ``shift`` columns; nothing where text would be lost."""
    if shift > 0:  # the field before is too narrow: blanks are put in behind its text, or behind the field
        inside = line[seam - shift - 1 : seam - shift + 1]
        places = [] if inside.strip() and " " not in inside else [max(4, seam - shift)]  # no word is cut
        if line[seam - shift : seam].strip():
            places.append(seam)
        return [(line[:at] + " " * shift + line[at:]).ljust(FIRST_CELL) for at in places]
    cut = line[seam : seam - shift]
    before = line[seam + shift : seam]
    if not cut.strip():  # too wide: blanks are taken out
        moved = line[:seam] + line[seam - shift :]
    elif seam == 47 and not before.strip():
        moved = line[: seam + shift] + line[seam:]
    elif seam == 47:  # the name runs over: it is cut in its columns only
        moved = line[:seam] + line[seam - shift :]
    else:
        return []
    return [moved.ljust(FIRST_CELL)]


def by_fields(line: str) -> str:
    """The line set anew in its columns from what its parts look like; "" where that cannot be told."""
    match = _LOOSE.match(line[:4000])
    if not match:
        return ""
    part = {name: value or "" for name, value in match.groupdict().items()}
    rest = part.pop("cells")
    cells = [(cell[1] or "0000", cell[2], cell[3]) for cell in _LOOSE_CELL.finditer(rest)]
    # A cell that is not understood would move the rounds behind it.
    return _set(part, cells) if not _LOOSE_CELL.sub("", rest).strip() else ""


def by_tabs(line: str) -> str:
    """The line set anew where every field, empty ones too, stands between two tabs; "" where that is not so."""
    _, *parts = [part.strip() for part in line.split("\t")]
    cells = [_CELL_PART.match(part) for part in parts[len(_FIELDS) :]]
    part = dict(zip(_FIELDS, parts, strict=False))
    sound = len(part) == len(_FIELDS) and part["number"].isdecimal() and len(part["number"]) < 5
    if not sound or not _POINTS.match(part["points"]) or not part["name"] or None in cells:
        return ""
    if any(len(part[name]) > width for name, width in (("sex", 1), ("title", 3), ("rating", 4), ("rank", 4))):
        return ""
    return _set(part, [(cell[1], cell[2], cell[3]) for cell in cells if cell])


def _set(part: Mapping[str, str], cells: Sequence[tuple[str, str, str]]) -> str:
    """A player line from its fields, each in its columns; what is too long for them is left out."""
    identity = part["id"] if len(part["id"]) <= 11 else ""
    points = part["points"]
    if len(points) > 4:  # 104.5 is written 104½
        points = points[:-2] + {"5": "½", "0": ""}.get(points[-1], points[-2:])
    return (
        f"001 {part['number']:>4} {part['sex']:1}{part['title']:>3} {part['name'][:33]:33} {part['rating']:>4} "
        f"{part['federation'][:3]:3} {identity:>11} {part['birth'][:10]:10} {points[:4]:>4} {part['rank']:>4}"
        + "".join(f"  {opponent:>4} {colour:1} {code:1}" for opponent, colour, code in cells)
    )
