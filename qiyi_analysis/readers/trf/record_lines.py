"""The lines of a report file, sorted by event and by record code.

Some files put the headers below the players, or a blank in front of every line; several events may stand
in one file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.trf.columns_moved import CELL, FIRST_CELL

_RULER = re.compile(r"([A-Z])\1\1 ")
_DIGITS = re.compile(r"[\d\s]+\Z")
_LETTERS = re.compile(r"[A-Z]{3}\Z")
_TEAM_CODES = frozenset({"013", "310", "320", "330", "300", "352", "362"})
_KNOWN = frozenset(
    {
        "012", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "122", "132", "142", "152", "162",
        "172", "182", "192", "202", "212", "222", "240", "250", "260", "299", "801", "802", "XXR", "XXC", "XXS", "XXZ",
        "XXA", "XXP", "BBW", "BBD", "BBL", "BBZ", "BBF", "BBU", *_TEAM_CODES,
    }
)  # fmt: skip
#: Records of which an event has one: the second of a kind, with players between, begins the next event.
_ONE_EACH = frozenset({"012", "022", "032", "042", "052", "062", "092", "102"})
#: What may stand in front of a record where whole lines were moved.
_IN_FRONT = " \t\xa0"
#: A player line that ends before this column has no points: the rest of it is missing.
_POINTS_END = 84


@dataclass(slots=True)
class Records:
    """The lines of one event, by record code, each with its number in the file."""

    players: list[tuple[int, str]] = field(default_factory=list)
    headers: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    national: list[tuple[int, str]] = field(default_factory=list)
    unknown: list[tuple[int, str]] = field(default_factory=list)

    def first(self, code: str) -> tuple[int, str]:
        """Line number and text (from column 5) of the first record of a code; (0, "") without one."""
        for line, text in self.headers.get(code, ()):
            return line, text[4:].strip()
        return 0, ""


def looks_like_trf(text: str) -> bool:
    """Whether the text has records of a report file: a player line, or two headers."""
    head = text[:200_000]
    if re.search(r"(?:^|[\r\n])[ \t\xa0]{0,8}001(?:[ \t]+\d|\d{4} )", head):
        return True
    # Numbers of players stand in front of the lines of other formats, but none begins with 0.
    return len(set(re.findall(r"(?:^|[\r\n])[ \t\xa0]{0,8}(0[1-9]2|XXR)[ \t]", head))) >= 2


def check_cut_lines(text: str, lines: list[str], faults: Faults) -> None:
    """Player lines that end too early: the last one inside a cell, any before its points."""
    ends = {
        number: len(line.rstrip())
        for number, line in enumerate(lines, 1)
        if line.startswith("001") and "\t" not in line
    }
    whole = max(ends.values(), default=0)
    last = len(lines)
    if last in ends:
        length = ends.pop(last)
        usual = max(ends.values(), default=0)
        # A pair without result ends behind its colour; only a last line that is not ended may have been cut there.
        ended = text.endswith(("\n", "\r"))
        orderly = not any(_inside_cell(other, ended=True) for other in ends.values())
        if length < FIRST_CELL - 2 or (length < usual and orderly and _inside_cell(length, ended=ended)):
            read = lines[-1].rstrip()[-10:]
            faults.add("CK02", "line-cut", line=last, column=length, read=read)
    if whole < _POINTS_END:
        return  # a list of players without points
    for line, length in ends.items():
        if length < _POINTS_END:
            read = lines[line - 1].rstrip()[-10:]
            faults.add("CK02", "line-short", severity="W", line=line, column=length, read=read)


def _inside_cell(length: int, *, ended: bool) -> bool:
    """Whether a player line of this length stops inside the cell of a round."""
    return length >= FIRST_CELL and (length - FIRST_CELL) % CELL not in ((8, 9, 0, 6) if ended else (8, 9, 0))


def in_place(lines: list[str], faults: Faults) -> list[str]:
    """The lines without blanks in front of their records, where a program has moved whole lines."""
    if not any(line[:1] in _IN_FRONT for line in lines if line):
        return lines
    moved = []
    for number, line in enumerate(lines, 1):
        own = line.lstrip(_IN_FRONT)
        if own is not line and _is_record(own):
            faults.once("CK02", "lines-indented", severity="W", line=number, read=line[:20])
            line = own
        moved.append(line)
    return moved


def _is_record(line: str) -> bool:
    return (line[:3] == "001" or line[:3] in _KNOWN) and line[3:4] in (" ", "\t", "")


def split_events(lines: list[str]) -> Iterator[Records]:
    """The records of every event of a file, in order."""
    last_player = max((n for n, line in enumerate(lines, 1) if line.startswith("001")), default=0)
    records = Records()
    for number, line in enumerate(lines, 1):
        if line.startswith("001"):
            records.players.append((number, line))
            continue
        line = line.rstrip()
        code = line[:3]
        if not line.strip() or line.startswith("#"):
            continue
        again = code == "012" or (code in _ONE_EACH and code in records.headers)
        if again and records.players and number < last_player:
            yield records
            records = Records()
        if code in _KNOWN:
            records.headers.setdefault(code, []).append((number, line))
        elif _DIGITS.match(line) or (_RULER.match(line) and not line[4:8].strip().isdecimal()):
            continue
        elif _LETTERS.match(code) and line[4:8].strip().isdecimal() and line[3:4] == " ":
            records.national.append((number, line))
        else:
            records.unknown.append((number, line))
    yield records
