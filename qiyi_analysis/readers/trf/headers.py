"""Header records of a report file that need more than their text: dates, rounds, counts."""

from __future__ import annotations

import re
from datetime import date

from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import MOST_ROUNDS
from qiyi_analysis.readers.event_dates import report_date
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.trf.columns_moved import CELL, FIRST_CELL
from qiyi_analysis.readers.trf.player_lines import Table
from qiyi_analysis.readers.trf.record_lines import Records


def read_dates(records: Records, faults: Faults) -> tuple[date | None, date | None]:
    """First and last day from the header, else from the dates of the rounds; None where they are not readable. Doubtful spellings become faults."""
    found: list[date | None] = []
    rounds = {
        day
        for _, text in _round_day_rows(records)
        for match in _DAY.finditer(text, 4)
        if (day := _read_round_day(match.group(), "ymd")) is not None
    }
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
        report_date(read, day, faults, proven=proven, line=line, column="5-", field=name, read=text)
        found.append(day)
    return found[0], found[1]


#: Dates may stand in cells of ten columns without a blank between them.
_DAY = re.compile(r"\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{1,2})")


def _round_day_rows(records: Records) -> list[tuple[int, str]]:
    """The 132 records: one with all rounds, or one a round; a line of all rounds that is repeated counts once."""
    rows: list[tuple[int, str]] = []
    for line, text in records.headers.get("132", ())[:MOST_ROUNDS]:
        if len(_DAY.findall(text, 4)) < 2 or all(text != other for _, other in rows):
            rows.append((line, text))
    return rows


def read_round_days(records: Records, start: date | None, end: date | None, faults: Faults) -> dict[int, str]:
    """ISO dates of the rounds from the 132 records (in columns, or one record per round)."""
    texts: dict[int, tuple[int, str]] = {}
    rows = _round_day_rows(records)
    for line, text in rows:
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


def read_rounds(records: Records, table: Table, faults: Faults) -> int | None:
    """Number of rounds announced, None where no header says it; a number below the rounds played is a fault."""
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
    announced = sum(len(_DAY.findall(text, 4)) for _, text in _round_day_rows(records))
    found = max(announced, played)
    if not found:
        return None
    faults.add("CK06", "rounds-not-announced", severity="I", field="rounds", assumed=found)
    return min(found, MOST_ROUNDS)


def check_counts(records: Records, table: Table, faults: Faults) -> None:
    """Compare the numbers of players (062) and of rated players (072) that were announced with the table."""
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
