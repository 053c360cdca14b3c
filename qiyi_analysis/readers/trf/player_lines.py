"""Player lines (001) of a report file, taken apart field by field; what cannot be read is told with its column."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from qiyi_analysis import words
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import MOST_ROUNDS, Columns, check_rows, check_size
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.crosstable import Cell
from qiyi_analysis.readers.trf.columns_moved import CELL, FIRST_CELL, Layout
from qiyi_analysis.readers.trf.start_numbers import start_numbers, tell_twins_apart

_PSEUDO = re.compile(
    r"(spielfrei|freilos|bye|exempt|descansa|libre|轮空|輪空|свободен|rust)\b", re.IGNORECASE
)
_RESULTS = frozenset("1=0WDL+-HFUZ")


@dataclass(slots=True)
class Table:
    """Player lines taken apart."""

    columns: Columns
    rounds: list[dict[int, Cell]]
    printed: dict[int, str]  # number -> points as printed, where legible
    lines: dict[int, int]


def cell_columns(round_: int) -> str:
    """Columns of a round's cell, counted from 1."""
    return f"{FIRST_CELL + CELL * (round_ - 1) + 1}-{FIRST_CELL + CELL * (round_ - 1) + 8}"


def read_player_lines(rows: Sequence[tuple[int, str]], faults: Faults, start: date | None) -> Table:
    """The player lines of an event (number and text of each); ``start`` is its first day, if known."""
    check_rows(len(rows), faults.file)
    layout = Layout(faults)
    names = (
        "number", "sex", "title", "name", "rating", "federation", "id", "birth_year", "birth_date", "points", "rank",
        "note", "line",
    )  # fmt: skip
    columns: Columns = {name: [] for name in names}
    rounds: list[dict[int, Cell]] = []
    printed: dict[int, str] = {}
    lines: dict[int, int] = {}
    texts = [(number, layout.player_line(line, number).text) for number, line in rows]
    numbers, twins = start_numbers(texts, faults)
    for number, (line_number, text) in zip(numbers, texts, strict=True):
        lines[number] = line_number
        columns["number"].append(number)
        columns["line"].append(line_number)
        columns["note"].append("")
        _identity(text, line_number, number, columns, faults, start)
        points = _points(text, line_number, number, faults)
        printed_points = points if points is not None else math.nan
        columns["points"].append(float(printed_points))
        if points is not None:
            printed[number] = text[80:84].strip()
        columns["rank"].append(_rank(text, line_number, number, faults))
        _cells(text, line_number, number, rounds, faults)
    while rounds and not any(c.code or c.opponent or c.text.strip() for c in rounds[-1].values()):
        rounds.pop()
    _drop_empty_round(rounds, dict(zip(columns["number"], columns["points"], strict=True)), faults)
    check_size(len(columns["number"]), len(rounds), faults.file)
    for cells in rounds:
        for number in columns["number"]:
            if number not in cells:
                cells[number] = Cell(0, "", "", lines[number])
    if twins:
        tell_twins_apart(rounds, twins)
    return Table(columns, rounds, printed, lines)


def _identity(
    text: str, line: int, number: int, columns: Columns, faults: Faults, start: date | None
) -> None:
    sex = fields.read_sex(text[9])
    if sex is None:
        faults.add("CK43", "sex-unreadable", line=line, column="10", player=number, field="sex", read=text[9])
    elif text[9] in "fFMW":
        faults.once(
            "CK49", "sex-letter", line=line, read=text[9], assumed=sex, recomputed=words.named("sex", sex)
        )
    columns["sex"].append(sex or "")
    raw_title = text[10:13].strip()
    title = fields.read_title(raw_title)
    if title is None:
        faults.add(
            "CK43",
            "title-unreadable",
            line=line,
            column="11-13",
            player=number,
            field="title",
            read=raw_title,
        )
    elif title != raw_title:
        faults.once("CK49", "title-letter", line=line, read=raw_title, assumed=title)
    columns["title"].append(title or "")
    name, withheld = fields.without_card_numbers(text[14:47].strip())
    if withheld:
        faults.add("CK49", "card-number", severity="W", line=line, player=number, field="name")
    if not name:
        faults.add("CK43", "name-missing", line=line, column="15-47", player=number, field="name")
    elif _PSEUDO.match(name):
        faults.add("CK06", "pseudo-player", line=line, column="15-47", player=number, field="name", read=name)
    columns["name"].append(name)
    columns["rating"].append(_rating(text[48:52], line, number, faults))
    columns["federation"].append(text[53:56].strip())
    identity = text[57:68].strip()
    columns["id"].append("" if not identity.strip("0") else identity)
    birth = text[69:79].strip()
    try:
        year, day = fields.read_birth(birth)
    except ValueError:
        reason = "birth-two-digits" if re.match(r"\d\d\b", birth) else "birth-unreadable"
        faults.add("CK43", reason, line=line, column="70-79", player=number, field="birth_year", read=birth)
        year, day = math.nan, ""
    if year == year and (year < 1850 or (start is not None and year > start.year)):
        faults.add(
            "CK43",
            "birth-unreadable",
            line=line,
            column="70-79",
            player=number,
            field="birth_year",
            read=birth,
        )
        year, day = math.nan, ""
    columns["birth_year"].append(year)
    columns["birth_date"].append(day)


def _rating(text: str, line: int, number: int, faults: Faults) -> float:
    text = text.strip()
    if not text:
        return math.nan
    if not text.isascii() or not text.isdecimal():
        code = "rating-impossible" if re.match(r"-\d+\Z", text) else "rating-unreadable"
        faults.add("CK43", code, line=line, column="49-52", player=number, field="rating", read=text)
        return math.nan
    value = int(text)
    if value == 0:
        faults.once("CK13", "ratings-zero", line=line, severity="I", read=text)
        return math.nan
    if value > 4000:
        faults.add(
            "CK43", "rating-impossible", line=line, column="49-52", player=number, field="rating", read=text
        )
        return math.nan
    return float(value)


def _points(text: str, line: int, number: int, faults: Faults) -> Fraction | None:
    printed = text[80:84].strip()
    if "," in printed:
        faults.once("CK49", "decimal-comma", line=line, severity="I", read=printed)
    try:
        return fields.number(printed, ",") if "," in printed else fields.number(printed, ".")
    except ValueError:
        faults.add(
            "CK43",
            "points-unreadable",
            severity="E",
            line=line,
            column="81-84",
            player=number,
            field="points",
            read=printed,
        )
        return None


#: Points of a letter in the usual scoring; another scoring only keeps a round that would be dropped.
_WORTH = {**dict.fromkeys("1+WFU", 1.0), **dict.fromkeys("=DH", 0.5)}


def _drop_empty_round(rounds: list[dict[int, Cell]], points: dict[int, float], faults: Faults) -> None:
    """A last round in which nobody has an opponent, and only some have an entry at all, was not played: no round.

    It stays where the points of somebody with an entry are more than those of the other rounds: a bye was meant.
    """
    last = rounds[-1] if len(rounds) > 1 else {}
    told = {number: cell for number, cell in last.items() if cell.code or cell.text.strip()}
    if (
        not told
        or len(told) == len(points)
        or any(c.opponent or c.code not in ("", "-", "Z") for c in told.values())
        or any(
            points[one] > sum(_WORTH.get(cells[one].code, 0) for cells in rounds if one in cells)
            for one in told
        )
    ):
        return
    first = min(told.values(), key=lambda cell: cell.line)
    faults.add(
        "CK49", "round-of-nobody", severity="W", line=first.line, round=len(rounds), read=first.text.strip(), players=sorted(told)
    )  # fmt: skip
    rounds.pop()


def _rank(text: str, line: int, number: int, faults: Faults) -> float:
    printed = text[85:89].strip()
    if not printed:
        faults.once("CK34", "rank-blank", line=line, severity="I")
        return math.nan
    if not printed.isascii() or not printed.isdecimal():
        faults.add(
            "CK43", "rank-unreadable", line=line, column="86-89", player=number, field="rank", read=printed
        )
        return math.nan
    if int(printed) == 0:
        faults.once("CK34", "rank-zero", line=line, severity="I", read=printed)
        return math.nan
    return float(printed)


def _cells(text: str, line: int, number: int, rounds: list[dict[int, Cell]], faults: Faults) -> None:
    text = text.rstrip()
    length = len(text)
    count = min(MOST_ROUNDS, (length - FIRST_CELL + CELL + 1) // CELL)
    for index in range(count):
        begin = FIRST_CELL + CELL * index
        piece = text[begin : begin + 8]
        if not piece.strip():
            continue
        while len(rounds) <= index:
            rounds.append({})
        opponent_text, colour, code = piece[:4].strip(), piece[5:6].casefold(), piece[7:8].upper()
        if opponent_text and not (opponent_text.isascii() and opponent_text.isdecimal()):
            faults.add(
                "CK15", "cell-unreadable", line=line, column=cell_columns(index + 1), round=index + 1, player=number,
                field="opponent", read=piece,
            )  # fmt: skip
            rounds[index][number] = Cell(0, "", "", line, piece)
            continue
        opponent = int(opponent_text) if opponent_text else 0
        if colour in ("w", "b"):
            pass
        elif colour == "s":
            colour = "b"
            faults.once("CK23", "colour-letter", line=line, severity="I", read="s")
        else:
            if colour not in ("", " ", "-"):
                faults.add(
                    "CK23", "colour-unreadable", line=line, column=begin + 6, round=index + 1, player=number,
                    field="colour", read=piece[5:6],
                )  # fmt: skip
            colour = ""
        if code == " ":
            code = ""
        elif code == "½":
            faults.once("CK49", "result-letter", line=line, read=code, assumed="=")
            code = "="
        elif code and code not in _RESULTS:
            faults.add(
                "CK15", "result-unreadable", line=line, column=begin + 8, round=index + 1, player=number, field="result",
                read=code,
            )  # fmt: skip
            code = ""
        rounds[index][number] = Cell(opponent, colour, code, line, piece)
