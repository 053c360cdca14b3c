"""TRF: the tournament report file of FIDE, from Krause 2006 to TRF26, and what programs made of it.

Records of 2016 and 2026 and their columns: FIDE C.02.03 Annex A. Team records are in ``trf_teams``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any

from qiyi_analysis.errors import ReadError
from qiyi_analysis.model import Event, Kind, Scoring
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.crosstable import Cell, pair_cells
from qiyi_analysis.readers.delimited import report_encoding
from qiyi_analysis.readers.draft import (
    MOST_ROUNDS,
    Columns,
    check_size,
    draft_event,
    exchange_sides,
    fill_points,
    game_columns,
    points_table,
    read_discipline,
    read_format,
)
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.source import Source, decode, split_lines
from qiyi_analysis.readers.trf_layout import CELL, FIRST_CELL, Layout
from qiyi_analysis.readers.trf_points import fill_missing_byes, find_scoring, read_declared
from qiyi_analysis.readers.trf_teams import Abnormal, read_teams

_RULER = re.compile(r"([A-Z])\1\1 ")
_DIGITS = re.compile(r"[\d\s]+\Z")
_LETTERS = re.compile(r"[A-Z]{3}\Z")
_PSEUDO = re.compile(
    r"(spielfrei|freilos|bye|exempt|descansa|libre|轮空|輪空|свободен|rust)\b", re.IGNORECASE
)
_RESULTS = frozenset("1=0WDL+-HFUZ")
_TEAM_CODES = frozenset({"013", "310", "320", "330", "300", "352", "362"})
_KNOWN = frozenset(
    {
        "012", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "122", "132", "142", "152", "162",
        "172", "182", "192", "202", "212", "222", "240", "250", "260", "299", "801", "802", "XXR", "XXC", "XXS", "XXZ",
        "XXA", "XXP", "BBW", "BBD", "BBL", "BBZ", "BBF", "BBU", *_TEAM_CODES,
    }
)  # fmt: skip


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
    if re.search(r"(?:^|[\r\n])001[ \t]+\d", head):
        return True
    return len(set(re.findall(r"(?:^|[\r\n])(0[1-9]2|1[0-3]2|XXR)[ \t]", head))) >= 2


def read_trf(source: Source, name: str) -> tuple[Event, ...]:
    """Every event of a report file. Raises ReadError where it has no player line."""
    faults = Faults(source.name)
    text = decode(source.data)
    report_encoding(text, faults)
    if "\r" in text.text and "\n" not in text.text:
        faults.add("CK02", "line-ends-cr", severity="I", line=1)
    lines = split_lines(text.text)
    _check_last_line(text.text, lines, faults)
    groups = list(_events(lines))
    if not any(group.players for group in groups):
        raise ReadError(
            f"{source.name}: no player line (001) in {len(lines)} lines; expected a tournament report file"
        )
    events = []
    for index, records in enumerate(groups):
        own = faults if index == 0 else Faults(source.name)
        identity = name if len(groups) == 1 else f"{name}-{index + 1}"
        events.append(_event(records, own, source, identity))
    return tuple(events)


def _check_last_line(text: str, lines: list[str], faults: Faults) -> None:
    """A file without line end whose last player line stops inside a cell was cut off."""
    if text.endswith(("\n", "\r")) or not lines or not lines[-1].startswith("001"):
        return
    usual = max((len(line.rstrip()) for line in lines[:-1] if line.startswith("001")), default=0)
    length = len(lines[-1].rstrip())
    if length < FIRST_CELL - 2 or (length < usual and (length - FIRST_CELL) % CELL not in (8, 9, 0)):
        faults.add("CK02", "line-cut", line=len(lines), column=length, read=lines[-1].rstrip()[-10:])


def _events(lines: list[str]) -> Any:
    records = Records()
    for number, line in enumerate(lines, 1):
        if line.startswith("001"):
            records.players.append((number, line))
            continue
        line = line.rstrip()
        code = line[:3]
        if not line.strip() or line.startswith("#"):
            continue
        if code == "012" and records.players:
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


# --- one event -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Table:
    """Player lines taken apart."""

    columns: Columns
    rounds: list[dict[int, Cell]]
    printed: dict[int, str]  # number -> points as printed, where legible
    lines: dict[int, int]


def _event(records: Records, faults: Faults, source: Source, name: str) -> Event:
    team_event = any(code in records.headers for code in ("013", "310"))
    start, end = _dates(records, faults)
    table = _players(records, faults, start)
    declared = read_declared(records.headers, faults)
    scoring = find_scoring(table.printed, table.rounds, declared, faults, teams=team_event)
    if not team_event:
        _add_bye_records(records, table, faults)
        fill_missing_byes(table.printed, table.rounds, scoring, faults, place=cell_columns)
    games = game_columns()
    points = points_table(scoring)
    pair_cells(
        table.rounds,
        games,
        faults,
        listed=set(table.columns["number"]),
        points=lambda kind, result, first: points[str(kind), result, first],
        teams=team_event,
        place=cell_columns,
    )
    title, kind_text = records.first("012")[1], records.first("092")[1]
    discipline = read_discipline(f"{title} {kind_text}") or "chess"
    if discipline == "go":  # w and b are the stones there, and Black moves first
        exchange_sides(games)
    if not team_event:
        _apply_abnormal(records, games, scoring)
    rounds = _rounds(records, table, faults)
    days = _round_days(records, start, end, faults)
    games["day"] = [days.get(round_, "") for round_ in games["round"]]
    _check_counts(records, table, faults)
    _report_unknown(records, faults)
    facts: dict[str, Any] = {}
    if team_event:
        teams, matches = read_teams(records.headers, table.columns["number"], games, scoring, faults)
        facts = {"teams": teams, "matches": matches}
    kind_line = records.first("092")[0]
    encoded = records.first("192")[1]
    found = read_format(encoded.replace("_", " ")) or read_format(kind_text)
    if team_event and not found.startswith("team"):
        found = "team-round-robin" if "round-robin" in found else "team-swiss"
    elif kind_text and not found and not encoded:
        faults.add("CK49", "format-unknown", severity="I", line=kind_line, field="format", read=kind_text)
    codes = [c.strip() for code in ("212", "202") for _, c in [records.first(code)] if c]
    tie_breaks = tuple(part.strip() for part in codes[0].split(",") if part.strip()) if codes else ()
    if tie_breaks and not records.first("212")[1]:
        tie_breaks = ("PTS", *tie_breaks)
    return draft_event(
        table.columns,
        games,
        faults,
        scoring=scoring,
        id=name,
        name=title,
        discipline=discipline,
        federation=records.first("032")[1],
        format=found,
        rounds=rounds,
        start=start,
        end=end,
        place=records.first("022")[1],
        time_control=records.first("222")[1] or records.first("122")[1],
        arbiters=tuple(
            text[4:].strip()
            for code in ("102", "112")
            for _, text in records.headers.get(code, ())
            if text[4:].strip()
        ),
        tie_breaks=tie_breaks,
        sources=(source.facts(),),
        extra=_extra(records),
        **facts,
    )


def cell_columns(round_: int) -> str:
    """Columns of a round's cell, counted from 1."""
    return f"{FIRST_CELL + CELL * (round_ - 1) + 1}-{FIRST_CELL + CELL * (round_ - 1) + 8}"


def _extra(records: Records) -> dict[str, Any]:
    """What the model has no field for, by record code, as it stands in the file."""
    extra: dict[str, Any] = {}
    for code in (
        "112",
        "122",
        "152",
        "162",
        "172",
        "182",
        "192",
        "222",
        "240",
        "250",
        "260",
        "299",
        "352",
        "362",
        "XXC",
        "XXS",
        "XXZ",
        "XXA",
        "XXP",
        "BBW",
        "BBD",
        "BBL",
        "BBZ",
        "BBF",
        "BBU",
        "801",
        "802",
    ):
        rows = [text[4:].rstrip() for _, text in records.headers.get(code, ()) if text[4:].strip()]
        if rows:
            extra[code] = rows
    if records.national:
        extra["national"] = [text for _, text in records.national]
    if records.unknown:
        extra["unknown"] = [text for _, text in records.unknown]
    return extra


def _report_unknown(records: Records, faults: Faults) -> None:
    for line, text in records.unknown:
        faults.once("CK49", "unknown-record", line=line, read=text[:60])


# --- player lines --------------------------------------------------------------------------------


def _players(records: Records, faults: Faults, start: date | None) -> Table:
    layout = Layout(faults)
    names = (
        "number", "sex", "title", "name", "rating", "federation", "id", "birth_year", "birth_date", "points", "rank",
        "note", "line",
    )  # fmt: skip
    columns: Columns = {name: [] for name in names}
    rounds: list[dict[int, Cell]] = []
    printed: dict[int, str] = {}
    lines: dict[int, int] = {}
    twins: dict[int, list[int]] = {}
    used: set[int] = set()
    texts = [(number, layout.player_line(line, number)) for number, line in records.players]
    for line_number, (text, repair) in texts:
        number = _number(text, line_number, faults, used, columns["number"])
        printed_number = text[4:8].strip()
        if printed_number.isdecimal() and int(printed_number) != number:
            twins.setdefault(int(printed_number), [int(printed_number)]).append(number)
        used.add(number)
        lines[number] = line_number
        columns["number"].append(number)
        columns["line"].append(line_number)
        columns["note"].append("")
        _identity(text, line_number, number, columns, faults, start)
        points = _points(text, line_number, number, faults, repair)
        printed_points = points if points is not None else math.nan
        columns["points"].append(float(printed_points))
        if points is not None:
            printed[number] = text[80:84].strip()
        columns["rank"].append(_rank(text, line_number, number, faults))
        _cells(text, line_number, number, rounds, faults, short=repair == "unknown")
    while rounds and not any(c.code or c.opponent or c.text.strip() for c in rounds[-1].values()):
        rounds.pop()
    check_size(len(columns["number"]), len(rounds), faults.file)
    for cells in rounds:
        for number in columns["number"]:
            if number not in cells:
                cells[number] = Cell(0, "", "", lines[number])
    if twins:
        _tell_twins_apart(rounds, twins)
    return Table(columns, rounds, printed, lines)


def _number(text: str, line: int, faults: Faults, used: set[int], numbers: list[int]) -> int:
    printed = text[4:8].strip()
    number = int(printed) if printed.isascii() and printed.isdecimal() else 0
    if number and number not in used:
        return number
    fresh = max(10_000, numbers[-1] + 1 if numbers else 0)
    while fresh in used:
        fresh += 1
    if number:
        faults.add(
            "CK09",
            "start-number-twice",
            line=line,
            column="5-8",
            player=number,
            field="number",
            read=printed,
            assumed=fresh,
        )
    else:
        faults.add(
            "CK43",
            "start-number-unreadable",
            severity="E",
            line=line,
            column="5-8",
            field="number",
            read=printed,
            assumed=fresh,
        )
    return fresh


def _tell_twins_apart(rounds: list[dict[int, Cell]], twins: Mapping[int, list[int]]) -> None:
    """Where a start number occurs twice, an opponent means the one whose own cell points back to him."""
    for cells in rounds:
        for number, cell in list(cells.items()):
            candidates = twins.get(cell.opponent)
            if not candidates:
                continue
            printed = next((p for p, own in twins.items() if number in own), number)
            for candidate in candidates:
                theirs = cells.get(candidate)
                if theirs is not None and theirs.opponent == printed and candidate != number:
                    cells[number] = cell._replace(opponent=candidate)
                    break


def _identity(
    text: str, line: int, number: int, columns: Columns, faults: Faults, start: date | None
) -> None:
    sex = fields.read_sex(text[9])
    if sex is None:
        faults.add("CK43", "sex-unreadable", line=line, column="10", player=number, field="sex", read=text[9])
    elif text[9] in "fFMW":
        faults.once("CK49", "sex-letter", line=line, read=text[9], assumed=sex)
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


def _points(text: str, line: int, number: int, faults: Faults, repair: str) -> Fraction | None:
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


def _cells(
    text: str, line: int, number: int, rounds: list[dict[int, Cell]], faults: Faults, *, short: bool
) -> None:
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


# --- headers -------------------------------------------------------------------------------------


def _dates(records: Records, faults: Faults) -> tuple[date | None, date | None]:
    found: list[date | None] = []
    rounds = {
        day
        for _, text in records.headers.get("132", ())[:MOST_ROUNDS]
        for match in _DAY.finditer(text, 4)
        if (day := _read_round_day(match.group(), "ymd")) is not None
    }
    form_proven = ""  # the spelling of one date settles that of the other
    form_proven = ""  # the spelling of one date settles that of the other
    for code, name in (("042", "start"), ("052", "end")):
        line, text = records.first(code)
        if not text:
            found.append(None)
            continue
        read = fields.read_date(text)
        day = read.day
        if day is not None and read.form == form_proven:
            proven = True
        elif (
            day is not None
            and read.other is not None
            and rounds
            and (day in rounds) != (read.other in rounds)
        ):
            day, proven = (day if day in rounds else read.other), True
            form_proven = read.form if day == read.day else ""
        else:
            proven = False
        place: dict[str, Any] = {"line": line, "column": "5-", "field": name, "read": text}
        if day is None:
            faults.add("CK03", "date-unreadable", **place)
        elif read.form == "two-digit" and not proven:
            faults.add(
                "CK03",
                "date-two-digits",
                assumed=day.isoformat(),
                other=read.other.isoformat() if read.other else "-",
                **place,
            )
        elif read.other is not None and not proven:
            faults.add(
                "CK03", "date-ambiguous", assumed=day.isoformat(), other=read.other.isoformat(), **place
            )
        elif read.form not in ("slash", "iso"):
            faults.add("CK03", "date-spelling", severity="I", assumed=day.isoformat(), **place)
        found.append(day)
    return found[0], found[1]


_DAY = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}")


def _round_days(records: Records, start: date | None, end: date | None, faults: Faults) -> dict[int, str]:
    """ISO dates of the rounds from the 132 records (in columns, or one record per round)."""
    texts: dict[int, tuple[int, str]] = {}
    rows = records.headers.get("132", ())
    for line, text in rows[:MOST_ROUNDS]:
        for match in _DAY.finditer(text, 4):
            place = match.start() - FIRST_CELL
            round_ = place // CELL + 1 if place >= -2 and len(rows) == 1 else len(texts) + 1
            while round_ in texts:
                round_ += 1
            if round_ <= MOST_ROUNDS:
                texts[round_] = (line, match.group())
    best: dict[int, date] = {}
    for reading in ("ymd", "ydm", "dmy", "mdy"):
        days = {}
        for round_, (_, text) in texts.items():
            day = _read_round_day(text, reading)
            if day is not None and (start is None or day >= start) and (end is None or day <= end):
                days[round_] = day
        if len(days) > len(best):
            best = days
    for round_, (line, text) in texts.items():
        if round_ not in best:
            day = _read_round_day(text, "ymd")
            if day is None:
                faults.add(
                    "CK03", "round-date-unreadable", line=line, round=round_, field="round date", read=text
                )
            else:
                best[round_] = day
    return {round_: day.isoformat() for round_, day in best.items()}


def _read_round_day(text: str, order: str) -> date | None:
    parts = re.split(r"[./-]", text)
    values = dict(zip(order, parts, strict=True))
    if len(parts[0]) == 4:
        values = dict(zip("ymd", parts, strict=True))
    elif len(parts[2]) == 4 and order[2] != "y":
        values = dict(zip("dmy", parts, strict=True))
    year = int(values["y"])
    try:
        return date(year + 2000 if year < 100 else year, int(values["m"]), int(values["d"]))
    except ValueError:
        return None


def _rounds(records: Records, table: Table, faults: Faults) -> int | None:
    played = len(table.rounds)
    for code in ("142", "XXR"):
        line, text = records.first(code)
        if not text:
            continue
        if text.isascii() and text.isdecimal() and len(text) < 6 and 1 <= int(text) <= MOST_ROUNDS:
            if int(text) < played:
                faults.add(
                    "CK06",
                    "rounds-announced",
                    line=line,
                    field="rounds",
                    read=text,
                    assumed=played,
                    announced=text,
                    counted=played,
                )
                return played
            return int(text)
        faults.add("CK43", "rounds-unreadable", line=line, field="rounds", read=text)
    announced = max((len(_DAY.findall(text[4:])) for _, text in records.headers.get("132", ())), default=0)
    rows = records.headers.get("132", ())
    if len(rows) > 1:
        announced = sum(len(_DAY.findall(text[4:])) for _, text in rows)
    found = max(announced, played)
    if not found:
        return None
    faults.add("CK06", "rounds-not-announced", severity="I", field="rounds", assumed=found)
    return min(found, MOST_ROUNDS)


def _check_counts(records: Records, table: Table, faults: Faults) -> None:
    counted = {
        "062": ("players-announced", len(table.columns["number"])),
        "072": ("rated-announced", sum(1 for rating in table.columns["rating"] if rating == rating)),
    }
    for code, (reason, count) in counted.items():
        line, text = records.first(code)
        match = re.match(r"\d{1,9}", text)
        if not match or (code == "072" and int(match.group()) == 0):
            continue
        if int(match.group()) != count:
            faults.add(
                "CK06", reason, line=line, column="5-", field="players", severity="W" if code == "062" else "I",
                read=text, assumed=count, announced=int(match.group()), counted=count,
            )  # fmt: skip


_LETTER_OF_KIND = {
    (Kind.PLAYED, "1"): "W", (Kind.PLAYED, "="): "D", (Kind.PLAYED, "0"): "L", (Kind.UNRATED, "1"): "W",
    (Kind.UNRATED, "="): "D", (Kind.UNRATED, "0"): "L", (Kind.FORFEIT, "1"): "+", (Kind.FORFEIT, "0"): "-",
    (Kind.DOUBLE_FORFEIT, "0"): "-", (Kind.FULL_BYE, "1"): "F", (Kind.HALF_BYE, "="): "H", (Kind.ZERO_BYE, "0"): "Z",
}  # fmt: skip


def _apply_abnormal(records: Records, games: Columns, scoring: Scoring) -> None:
    """Record 299 of an individual event: points that differ from the scoring for some players."""
    if "299" not in records.headers:
        return
    abnormal = Abnormal(records.headers["299"])
    fill_points(games, scoring)
    for i, (round_, kind) in enumerate(zip(games["round"], games["kind"], strict=True)):
        for side in ("first", "second"):
            letter = _LETTER_OF_KIND.get((Kind(kind), games[f"{side}_result"][i]), " ")
            special = abnormal.of(letter, round_, games[side][i]) if games[side][i] else None
            if special:
                games[f"{side}_points"][i] = special[1]


def _add_bye_records(records: Records, table: Table, faults: Faults) -> None:
    """Record 240 of an individual event repeats the byes; where the player's line is blank it decides."""
    for line, text in records.headers.get("240", ()):
        letter, round_text = text[4:5].upper(), text[6:9].strip()
        round_ = int(round_text) if round_text.isascii() and round_text.isdecimal() else 0
        if letter not in ("F", "H", "Z") or not 1 <= round_ <= MOST_ROUNDS:
            faults.add("CK43", "record-unreadable", line=line, read=text)
            continue
        for number in (int(n) for n in re.findall(r"\d{1,4}", text[9:])):
            if number not in table.lines or round_ > len(table.rounds):
                continue
            cell = table.rounds[round_ - 1][number]
            if not cell.opponent and not cell.code:
                table.rounds[round_ - 1][number] = cell._replace(code=letter)
                faults.once("CK49", "bye-from-record", line=line, severity="I", read=text[4:].strip())
            elif cell.code != letter:
                faults.add(
                    "CK19", "bye-contradiction", line=line, round=round_, player=number, field="240", read=letter,
                    theirs=cell.text.strip(),
                )  # fmt: skip
