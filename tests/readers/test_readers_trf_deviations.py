"""Report files as programs really write them: the same event is read, and what deviates is told with its line.

One clean file is changed in one way after another, and in two ways at once. A change says which facts of the event
it takes away (a file without dates of rounds has none); everything else must come out as in the clean file.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from qiyi_analysis.audit.checks import check_event
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.door import events_in_bytes

HEAD = (
    "012 Test Open 2024", "022 Somewhere", "032 GER", "042 2024/05/01", "052 2024/05/05", "062 8", "072 7",
    "092 Individual: Swiss-System", "102 Boss, Anna", "112 Deputy, Ben", "122 90 min + 30 s",
    "132" + " " * 88 + "  ".join(f"24/05/0{day}" for day in range(1, 6)), "XXR 5",
)  # fmt: skip
PLAYERS = (
    (1, "m", "GM", "Müller, Jürgen", 2550, "GER", 1000001, "1980/02/03", "4.5", 1, "   5 w 1|   3 b =|   2 w 1|   4 b 1|   6 w 1"),
    (2, "w", "WIM", "Núñez, Inés", 2380, "ESP", 1000002, "1991/11/05", "2.5", 4, "   6 b 1|   4 w =|   1 b 0|   3 w 0|   7 b 1"),
    (3, "m", "FM", "Short, Nils", 2300, "ENG", 1000003, "1975/00/00", "3.0", 2, "   7 w 1|   1 w =|   4 b =|   2 b 1|0000 - Z"),
    (4, "m", "", "Østergård, Søren", 2190, "DEN", 1000004, "2001/06/30", "2.5", 5, "   8 b 1|   2 b =|   3 w =|   1 w 0|   5 b ="),
    (5, "w", "", "Kim, Min", 2050, "KOR", 1000005, "2005/09/09", "3.0", 3, "   1 b 0|   8 w +|   6 b 1|   7 w =|   4 w ="),
    (6, "m", "", "Öz, Ali", "", "TUR", "", "1999/12/31", "1.5", 6, "   2 w 0|   7 b 1|   5 w 0|0000 - H|   1 b 0"),
    (7, "m", "", "Zed, Zoë", 1800, "FRA", 1000007, "1960/05/05", "1.5", 7, "   3 b 0|   6 w 0|0000 - U|   5 b =|   2 w 0"),
    (8, "w", "", "Ay, Bo", 1750, "SWE", 1000008, "2010/01/02", "0.0", 8, "   4 w 0|   5 b -"),
)  # fmt: skip
FIRST = len(HEAD) + 1  # line of the first player

Lines = list[str]


def clean(names: tuple[str, ...] = ()) -> Lines:
    lines = list(HEAD)
    for index, (number, sex, title, name, rating, federation, id_, birth, points, rank, cells) in enumerate(
        PLAYERS
    ):
        shown = names[index] if names else name
        text = f"001 {number:4d} {sex}{title:>3} {shown:33} {rating:>4} {federation} {id_:>11} {birth} {points:>4} {rank:4d}"
        lines.append(text + "".join("  " + cell for cell in cells.split("|")))
    return lines


def players(change: Callable[[str], str], only: tuple[int, ...] = ()) -> Callable[[Lines], Lines]:
    """A change of the player lines, of all or of some numbers."""
    return lambda lines: [
        change(line) if line.startswith("001") and (not only or int(line[4:8]) in only) else line
        for line in lines
    ]


def header(code: str, *new: str) -> Callable[[Lines], Lines]:
    """A header record in other words, in several lines, or left out."""
    return lambda lines: [part for line in lines for part in (new if line.startswith(code) else (line,))]


def dates(start: str, end: str) -> Callable[[Lines], Lines]:
    return lambda lines: header("052", f"052 {end}")(header("042", f"042 {start}")(lines))


def birth(form: str) -> Callable[[str], str]:
    def change(line: str) -> str:
        year, month, day = line[69:79].split("/")
        text = form.format(y=year, m=month, d=day) if month != "00" else line[69:79]
        return line[:69] + text.ljust(10) + line[79:]

    return change


def cells(pattern: str, new: str) -> Callable[[Lines], Lines]:
    return players(lambda line: line[:89] + re.sub(pattern, new, line[89:]))


def by_tabs(line: str) -> str:
    fields = (
        line[:3],
        line[4:8],
        line[9],
        line[10:13],
        line[14:47],
        line[48:52],
        line[53:56],
        line[57:68],
        line[69:79],
    )
    rest = (line[80:84], line[85:89], *(line[91 + 10 * r : 99 + 10 * r] for r in range(5)))
    return "\t".join(field.strip() for field in (*fields, *rest))


def padded(encoding: str) -> Callable[[Lines], Lines]:
    def change(line: str) -> str:
        name = line[14:47].rstrip()
        return line[:14] + name + " " * (33 - len(name.encode(encoding))) + line[47:]

    return players(change)


def before_players(*new: str) -> Callable[[Lines], Lines]:
    return lambda lines: [*lines[: FIRST - 1], *new, *lines[FIRST - 1 :]]


@dataclass(frozen=True)
class Deviation:
    """A change of the clean file. ``group``: two of the same group are not combined; ``lost``: facts that go with it."""

    group: str
    change: Callable[[Any], Any]
    told: tuple[tuple[str, int, str], ...] = ()  # reason, line, column
    lost: tuple[str, ...] = ()


def each_player(
    reason: str, column: str, numbers: tuple[int, ...] = tuple(range(1, 9))
) -> tuple[tuple[str, int, str], ...]:
    return tuple((reason, FIRST + number - 1, column) for number in numbers)


SPELLED = (("date-spelling", 4, "5-"), ("date-spelling", 5, "5-"))
DEVIATIONS = {
    # header records
    "ruler": Deviation("ruler", before_players("DDD SSSS sTTT NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN RRRR FFF IIIIIIIIIII BBBB/BB/BB PPPP RRRR  1111 1 1  2222 2 2")),
    "ruler of digits": Deviation("ruler", before_players("         1         2         3", "1234567890" * 12)),
    "comments": Deviation("comments", lambda lines: ["### by hand", *(part for line in lines for part in (line, "", "# 001"))], lost=("lines",)),
    "rated in brackets": Deviation("062", header("062", "062 8 (7)")),
    "wrong count": Deviation("062", header("062", "062 9"), (("players-announced", 6, "5-"),)),
    "no name": Deviation("012", header("012"), lost=("name", "lines")),
    "no rounds": Deviation("rounds", header("XXR"), (("rounds-not-announced", 0, ""),), ("lines",)),
    "142": Deviation("rounds", header("XXR", "142   5")),
    "no round dates": Deviation("132", header("132"), lost=("days", "lines")),
    "a record a round": Deviation("132", header("132", *(f"132{'':88}24/05/0{day}" for day in range(1, 6))), lost=("lines",)),
    "repeated round dates": Deviation("132", header("132", *[HEAD[11]] * 5), lost=("lines",)),
    "round dates of ten signs": Deviation("132", header("132", f"132{'':88}" + "".join(f"2024/05/0{day}" for day in range(1, 6)))),
    "round dates in column 5": Deviation("132", header("132", "132 24/05/01 24/05/02 24/05/03 24/05/04 24/05/05")),
    "headers below": Deviation("order", lambda lines: sorted(lines, key=lambda line: line[:3] != "001"), lost=("lines",)),
    "lines in another order": Deviation("order", lambda lines: [*(line for line in lines if line[:3] != "001"), *(line for line in reversed(lines) if line[:3] == "001")], lost=("lines",)),
    "other programs' records": Deviation("more", lambda lines: [*lines, "XXZ 8", "XXA    1  1.0", "260   1   5    1    2", "172 GER FIDE", "182 Program", "192 FIDE_DUTCH", "202 BH/C1,BH"]),
    "national ratings": Deviation("more", lambda lines: [*lines, "GER    1 m GM Müller, Jürgen                    2560 GER     1234567 1980/02/03"]),
    "byes repeated": Deviation("more", lambda lines: [*lines, "240 H   4    6"]),
    "unknown records": Deviation("more", lambda lines: [*lines, "999 something"], (("unknown-record", FIRST + 8, ""),), ("lines",)),
    # dates
    "dd.mm.yyyy": Deviation("dates", dates("01.05.2024", "05.05.2024"), SPELLED),
    "dd. mm. yyyy": Deviation("dates", dates("01. 05. 2024", "05. 05. 2024"), SPELLED),
    "month in words": Deviation("dates", dates("May 1, 2024", "May 5, 2024"), SPELLED),
    "year, month, day": Deviation("dates", dates("2024.05.01", "2024.05.05"), SPELLED),
    "ISO": Deviation("dates", dates("2024-05-01", "2024-05-05")),
    "packed": Deviation("dates", dates("20240501", "20240505"), SPELLED),
    "German month": Deviation("dates", dates("1. Mai 2024", "5. Mai 2024"), SPELLED),
    # fields of players
    "sex f": Deviation("sex", players(lambda line: line[:9] + line[9].replace("w", "f") + line[10:]), (("sex-letter", FIRST + 1, ""),)),
    "sex M F": Deviation("sex", players(lambda line: line[:9] + {"m": "M", "w": "F"}[line[9]] + line[10:]), (("sex-letter", FIRST, ""),)),
    "rating 0000": Deviation("rating", players(lambda line: line[:48] + "0000" + line[52:], (6,)), (("ratings-zero", FIRST + 5, ""),)),
    "rating 0": Deviation("rating", players(lambda line: line[:48] + "   0" + line[52:], (6,)), (("ratings-zero", FIRST + 5, ""),)),
    "year of birth only": Deviation("birth", players(lambda line: line[:69] + line[69:73] + "/00/00" + line[79:]), lost=("birth_date",)),
    "year of birth to the right": Deviation("birth", players(lambda line: line[:69] + line[69:73].rjust(10) + line[79:]), lost=("birth_date",)),
    "birth dd.mm.yyyy": Deviation("birth", players(birth("{d}.{m}.{y}"))),
    "birth dd/mm/yyyy": Deviation("birth", players(birth("{d}/{m}/{y}"))),
    "birth yyyy.mm.dd": Deviation("birth", players(birth("{y}.{m}.{d}"))),
    "no rank": Deviation("rank", players(lambda line: line[:85] + "    " + line[89:]), (("rank-blank", FIRST, ""),), ("rank",)),
    "rank 0": Deviation("rank", players(lambda line: line[:85] + "   0" + line[89:]), (("rank-zero", FIRST, ""),), ("rank",)),
    "decimal comma": Deviation("points", players(lambda line: line[:80] + line[80:84].replace(".", ",") + line[84:]), (("decimal-comma", FIRST, ""),)),
    "points to the left": Deviation("points", players(lambda line: line[:80] + line[80:84].strip().ljust(4) + line[84:])),
    "whole points": Deviation("points", players(lambda line: line[:80] + line[80:84].replace(".0", "").rjust(4) + line[84:])),
    "titles of one letter": Deviation("title", players(lambda line: line[:10] + {" GM": "g  ", "WIM": "wm ", " FM": " f "}.get(line[10:13], "   ") + line[13:]), (("title-letter", FIRST, ""),)),
    "titles to the left": Deviation("title", players(lambda line: line[:10] + line[10:13].strip().ljust(3) + line[13:])),
    "no federation": Deviation("federation", players(lambda line: line[:53] + "   " + line[56:]), lost=("federation",)),
    "ids with letters": Deviation("id", players(lambda line: line[:57] + f"A{line[57:68].strip()}".rjust(11) + line[68:]), lost=("id",)),
    "ids to the left": Deviation("id", players(lambda line: line[:57] + line[57:68].strip().ljust(11) + line[68:])),
    "id 0": Deviation("id", players(lambda line: line[:57] + "          0" + line[68:], (6,))),
    "start numbers to the left": Deviation("number", players(lambda line: line[:4] + line[4:8].strip().ljust(4) + line[8:])),
    "start numbers with zeros": Deviation("number", players(lambda line: line[:4] + line[4:8].strip().zfill(4) + line[8:])),
    # cells of rounds
    "opponent 0": Deviation("cells", cells("0000 -", "   0 -")),
    "opponents with zeros": Deviation("cells", cells(r"   (\d) ([wb])", r"000\1 \2")),
    "byes without opponent": Deviation("cells", cells("0000 -", "      ")),
    "trailing blanks cut": Deviation("cells", cells(r"  0000 - Z\Z", "")),
    "absences written out": Deviation("cells", players(lambda line: line + "  0000 - Z" * 3, (8,))),
    "absences as a dash": Deviation("cells", players(lambda line: line + "         -" * 3, (8,))),
    "blanks to the end": Deviation("cells", players(lambda line: line.ljust(170))),
    "small letters": Deviation("cells", players(lambda line: line[:89] + line[89:].lower())),
    "capital colours": Deviation("cells", players(lambda line: line[:89] + line[89:].upper())),
    "half sign": Deviation("cells", cells("=", "½"), (("result-letter", FIRST, ""),), ("code page",)),
    "forfeits without colour": Deviation("cells", cells(r"(\d) [wb] ([+-])", r"\1 - \2"), (("forfeit-without-colour", FIRST + 4, ""),), ("colours", "order")),
    "half-point byes in the points only": Deviation("cells", cells("0000 - H", "       -"), (("bye-from-points", FIRST + 5, "122-129"),)),
    "half-point byes in the points, blank": Deviation("cells", cells("0000 - H", "        "), (("bye-from-points", FIRST + 5, "122-129"),)),
    "half-point byes as draws": Deviation("cells", cells("0000 - H", "0000 - ="), (("bye-letter", FIRST + 5, "122-129"),)),
    "allocated byes as forfeits": Deviation("cells", cells("0000 - U", "0000 - +"), (("bye-letter", FIRST + 6, "112-119"),)),
    # columns
    "a name too wide": Deviation("layout", players(lambda line: line[:47] + " " * 3 + line[47:], (4,)), each_player("columns-shifted", "48", (4,))),
    "names too wide": Deviation("layout", players(lambda line: line[:47] + " " + line[47:]), each_player("columns-shifted", "48")),
    "a name too narrow": Deviation("layout", players(lambda line: line[:42] + line[44:], (3,)), each_player("columns-shifted", "48", (3,))),
    "names too narrow": Deviation("layout", players(lambda line: line[:43] + line[44:]), (), ("findings",)),
    "cells to the left": Deviation("layout", players(lambda line: line[:89] + line[90:]), each_player("columns-shifted", "90")),
    "cells to the right": Deviation("layout", players(lambda line: line[:89] + " " + line[89:]), (), ("findings",)),
    "id to the right": Deviation("layout", players(lambda line: line[:57] + " " + line[57:]), each_player("columns-shifted", "57")),
    "birth to the left": Deviation("layout", players(lambda line: line[:68] + line[69:]), (), ("findings",)),
    "blanks in front": Deviation("layout", lambda lines: [" " + line for line in lines], (("lines-indented", 1, ""),)),
    "no blank behind the code": Deviation("layout", players(lambda line: line[:3] + line[4:]), each_player("columns-shifted", "9")),
    "padded by bytes": Deviation("layout", padded("utf-8"), each_player("byte-padded", "15-", (1, 2, 4, 6, 7))),
    "a tab behind the name": Deviation("layout", players(lambda line: f"{line[:47].rstrip()}\t{line[48:]}", (2, 3)), each_player("tabs", "", (2, 3))),
    "tabs between the fields": Deviation("layout", players(by_tabs), each_player("tabs", ""), ("birth",)),
    "tabs at the ends of lines": Deviation("layout", lambda lines: [f"{line}\t\t" for line in lines]),
    "tabs in headers": Deviation("layout", lambda lines: [f"{line[:3]}\t{line[4:]}" if line[:3] != "001" else line for line in lines]),
    "no-break blanks": Deviation("layout", lambda lines: [line.replace("  ", "\u00a0 ") for line in lines], (("other-blanks", FIRST, ""),)),
    # lines and bytes
    "CR LF": Deviation("ends", "\r\n".join),
    "CR": Deviation("ends", "\r".join, (("line-ends-cr", 1, ""),)),
    "mixed ends": Deviation("ends", lambda lines: "".join(line + ("\r\n", "\n", "\r")[i % 3] for i, line in enumerate(lines))),
    "form feed and end of file sign": Deviation("ends", lambda lines: "\n".join(lines) + "\n\f\n\x1a", (), ("findings",)),
    "byte order mark": Deviation("bytes", lambda text: text.encode("utf-8-sig"), (("encoding-bom", 0, ""),)),
    "UTF-16": Deviation("bytes", lambda text: text.encode("utf-16"), (("encoding-bom", 0, ""),)),
    "UTF-16 without mark": Deviation("bytes", lambda text: text.encode("utf-16-le"), (("encoding-guessed", 0, ""),)),
    "UTF-16, big end first": Deviation("bytes", lambda text: text.encode("utf-16-be"), (("encoding-guessed", 0, ""),)),
    "Latin-1": Deviation("bytes", lambda text: text.encode("latin-1", errors="replace"), (("encoding-guessed", 0, ""),)),
}  # fmt: skip


def written(deviations: tuple[Deviation, ...], names: tuple[str, ...] = ()) -> bytes:
    """The file with the deviations, lines first, bytes last."""
    order = {"layout": 1, "ends": 2, "bytes": 3}
    work: Any = clean(names)
    for deviation in sorted(deviations, key=lambda one: order.get(one.group, 0)):
        if deviation.group == "bytes" and isinstance(work, list):
            work = "\n".join(work) + "\n"
        work = deviation.change(work)
    if isinstance(work, list):
        work = "\n".join(work) + "\n"
    return work if isinstance(work, bytes) else work.encode()


def facts(event: Event) -> dict[Any, Any]:
    """Everything the event says, by the name of the fact."""
    found: dict[Any, Any] = {
        "name": event.name, "place": event.place, "start": event.start, "end": event.end, "rounds": event.rounds,
        "format": event.format, "scoring": event.scoring, "arbiters": event.arbiters, "time": event.time_control,
    }  # fmt: skip
    for row in event.players.to_dict("records"):
        for column in (
            "sex",
            "title",
            "name",
            "rating",
            "federation",
            "id",
            "birth_year",
            "birth_date",
            "points",
            "rank",
        ):
            value = row[column]
            found[column, row["number"]] = None if value != value else value
    for row in event.games.to_dict("records"):
        sides = {
            row["first"]: (row["first_result"], row["first_points"]),
            row["second"]: (row["second_result"], None),
        }
        found["games", row["round"], frozenset(sides)] = (row["kind"], sides.get(row["first"]), sides.keys())
        found["order", row["round"], frozenset(sides)] = row["first"]
        found["colours", row["round"], frozenset(sides)] = row["colours_known"]
        found["days", row["round"]] = row["day"]
    return found


CLEAN = facts(events_in_bytes(written(()), "t.trf")[0])


def differences(event: Event, lost: tuple[str, ...]) -> dict[Any, Any]:
    found = facts(event)
    if "order" in lost:  # who had White is not known: the result is told from the other side
        lost = (*lost, "games")
    return {
        key: (CLEAN.get(key), found.get(key))
        for key in CLEAN.keys() | found.keys()
        if CLEAN.get(key) != found.get(key) and (key if isinstance(key, str) else key[0]) not in lost
    }


def test_the_clean_file_gives_no_finding() -> None:
    event = events_in_bytes(written(()), "t.trf")[0]
    assert not event.faults
    assert not [finding for finding in check_event(event) if finding.severity == "E"]
    assert event.rounds == 5
    assert len(event.games) == 23


@pytest.mark.parametrize("name", DEVIATIONS)
def test_a_deviation_is_read_and_told(name: str) -> None:
    deviation = DEVIATIONS[name]
    (event,) = events_in_bytes(written((deviation,)), "t.trf")
    assert not differences(event, deviation.lost)
    told = {(fault.reason, fault.line, fault.values["column"]) for fault in event.faults}
    if "findings" in deviation.lost:
        assert not [fault for fault in event.faults if fault.severity == "E"]
    else:
        assert told == set(deviation.told)
    for fault in event.faults:
        assert fault.message("en")
        assert fault.message("zh")


CHINESE = {
    "gb18030": ("胡荣华", "王天一", "吕钦", "许银川", "赵国荣", "柳大华", "徐天红", "陶汉明"),
    "big5": ("胡榮華", "王天一", "呂欽", "許銀川", "趙國榮", "柳大華", "徐天紅", "陶漢明"),
}


@pytest.mark.parametrize("code_page", CHINESE)
@pytest.mark.parametrize("of_file", ["utf-8", "the code page"])
def test_names_padded_by_the_bytes_of_a_chinese_code_page(code_page: str, of_file: str) -> None:
    names = CHINESE[code_page]
    text = "\n".join(padded(code_page)(clean(names))) + "\n"
    (event,) = events_in_bytes(text.encode("utf-8" if of_file == "utf-8" else code_page), "t.trf")
    assert event.players["name"].tolist() == list(names)
    assert not differences(event, ("name",))
    assert [fault.line for fault in event.faults if fault.reason == "byte-padded"] == list(
        range(FIRST, FIRST + 8)
    )


def in_line(number: int, begin: int, new: str) -> Deviation:
    """Other text from a column (counted from 0) of one player's line."""
    return Deviation("", players(lambda line: line[:begin] + new + line[begin + len(new) :], (number,)))


@pytest.mark.parametrize(
    ("number", "printed", "reason"),
    [(8, "   7", "start-number-twice"), (1, "   2", "start-number-twice"), (3, "    ", "start-number-unreadable"), (3, "   0", "start-number-unreadable")],
)  # fmt: skip
def test_a_start_number_is_found_from_the_opponents(number: int, printed: str, reason: str) -> None:
    (event,) = events_in_bytes(written((in_line(number, 4, printed),)), "t.trf")
    assert not differences(event, ())
    assert [(f.reason, f.line, f.recomputed) for f in event.faults] == [
        (reason, FIRST + number - 1, str(number))
    ]


def test_a_start_number_nobody_uses_is_a_new_one() -> None:
    lines = [*clean(), PLAYER_WITHOUT_GAMES]
    (event,) = events_in_bytes("\n".join(lines).encode(), "t.trf")
    assert event.players["number"].tolist() == [*range(1, 9), 9]
    assert [f.reason for f in event.faults if f.severity == "E"] == ["start-number-twice"]


PLAYER_WITHOUT_GAMES = f"001    4 m    {'Late, Lou':33} 1500 GER     1000009 1990/01/01  0.0    9"


@pytest.mark.parametrize(
    ("number", "begin", "new", "reason", "column", "lost"),
    [
        (5, 48, "205p", "rating-unreadable", "49-52", "rating"),
        (5, 85, " 3-4", "rank-unreadable", "86-89", "rank"),
        (5, 69, "2005/13/45", "birth-unreadable", "70-79", "birth"),
        (5, 69, "05/09/09  ", "birth-two-digits", "70-79", "birth"),
        (1, 79, "104.5", "columns-lost", "", "points"),
        (1, 80, "-4.5", "", "", "points"),
        (5, 94, "x", "cell-unreadable", "92-99", ""),
        (5, 98, "x", "result-unreadable", "99", ""),
    ],
)
def test_one_broken_field_leaves_the_others(
    number: int, begin: int, new: str, reason: str, column: str, lost: str
) -> None:
    (event,) = events_in_bytes(written((in_line(number, begin, new),)), "t.trf")
    told = [(f.reason, f.line, f.values["column"]) for f in event.faults]
    assert not reason or (reason, FIRST + number - 1, column) in told
    assert "layout-unknown" not in {f.reason for f in event.faults}
    one = {(f"{lost}{more}", number) for more in ("", "_year", "_date")}
    left = {key for key in differences(event, ()) if key not in one}
    assert {key[0] for key in left} <= ({"games", "colours", "order"} if not lost else set())
    assert {key[1] for key in left} <= {1}


def test_an_id_longer_than_its_columns_is_left_out() -> None:
    longer = Deviation("", players(lambda line: f"{line[:57]}123456789012{line[68:]}", (5,)))
    (event,) = events_in_bytes(written((longer,)), "t.trf")
    assert set(differences(event, ())) == {("id", 5)}
    assert [(f.reason, f.line) for f in event.faults] == [("columns-lost", FIRST + 4)]


def test_points_longer_than_their_columns_are_read() -> None:
    (event,) = events_in_bytes(written((in_line(1, 79, "104.5"),)), "t.trf")
    assert event.players["points"].tolist()[0] == 104.5
    assert [(f.code, f.line) for f in check_event(event) if f.severity == "E"] == [("CK17", FIRST)]


def test_lines_that_end_too_early() -> None:
    lines = clean()
    lines[FIRST + 3] = lines[FIRST + 3][:60]
    lines[-1] = lines[-1][:95]
    (event,) = events_in_bytes(("\n".join(lines) + "\n").encode(), "t.trf")
    cut = {(f.reason, f.line, f.values["column"]) for f in event.faults if f.code == "CK02"}
    assert cut == {("line-short", FIRST + 4, "56"), ("line-cut", FIRST + 7, "95")}


def test_several_events_without_names() -> None:
    """The second of a record that an event has once begins the next event, where players stand between."""
    lines = [line for line in clean() if not line.startswith("012")]
    events = events_in_bytes("\n".join(lines * 3).encode(), "t.trf")
    assert [len(event.players) for event in events] == [8, 8, 8]
    assert not any(event.faults for event in events)


PAIRS = [
    pair
    for index, pair in enumerate(itertools.combinations(DEVIATIONS, 2))
    if index % 7 == 0 or {DEVIATIONS[name].group for name in pair} & {"bytes"}
]


def test_two_deviations_at_once() -> None:
    """Of the pairs every seventh, and all with an encoding: the event is that of the clean file, or it is refused."""
    wrong = []
    for pair in PAIRS:
        one, two = (DEVIATIONS[name] for name in pair)
        if one.group == two.group:
            continue
        lost = (*one.lost, *two.lost)
        if "Latin-1" in pair and "code page" in lost:
            continue
        try:
            (event,) = events_in_bytes(written((one, two)), "t.trf")
        except ReadError as error:
            wrong.append((pair, str(error)))
            continue
        if found := differences(event, lost):
            wrong.append((pair, str(sorted(found.items(), key=str)[:2])))
    assert not wrong
