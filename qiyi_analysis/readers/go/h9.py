"""H9: the tournament table of the European Go Federation.

One line per player, the place first, then name, grade and what else is known, then one entry per round:
``23+/w`` won with White against place 23, ``11-/b5`` lost with Black who had five stones, ``0+`` a free
win, ``0-`` a free round, ``0=`` half a point. What follows a semicolon is a comment and may hold facts in
brackets (``EV[...] DT[2019-10-26,2019-10-28]``).
"""

from __future__ import annotations

import math
import re
from typing import Any

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event, Scoring
from qiyi_analysis.model.grades import grade, on_egf_scale
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import (
    MOST_ROUNDS,
    Columns,
    check_rows,
    check_size,
    draft_event,
    game_columns,
    points_table,
)
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.source import Source, decode, split_lines
from qiyi_analysis.readers.tables.crosstable import Cell, pair_cells
from qiyi_analysis.readers.tables.delimited import report_encoding

_ENTRY = re.compile(r"(\d{1,4})([+\-=?])(!?)(?:/?([wb])(?:/?h?(\d{1,2}))?)?(!?)\Z", re.IGNORECASE)
_PLACE = re.compile(r"\d{1,4}[.)]?\Z")
_FACT = re.compile(r"\b([A-Z]{2})\[([^\]]{0,500})\]")
_NUMBER = re.compile(r"-?\d{1,4}(?:[.,]\d{1,3}|½)?\Z")


def looks_like_h9(text: str) -> bool:
    """Whether lines begin with a place and end in entries of rounds, or the facts of an H9 head are there."""
    lines = [line for line in split_lines(text)[:400] if line.strip()]
    found = 0
    for line in lines:
        tokens = line.split(";")[0].split()
        if (len(tokens) >= 3 and _PLACE.match(tokens[0]) and _ENTRY.match(tokens[-1].split("|")[0])) or (
            len(tokens) >= 4
            and _PLACE.match(tokens[0])
            and _ENTRY.match(tokens[-2])
            and tokens[-1].startswith("|")
        ):
            found += 1
    return found >= 2 and found * 3 >= len(lines)


def read_h9(source: Source, name: str) -> Event:
    """Read a table. Raises ReadError where it has no line of a player."""
    faults = Faults(source.name)
    text = decode(source.data)
    report_encoding(text, faults)
    facts: dict[str, str] = {}
    rows: list[tuple[int, list[str], str]] = []
    for line_number, line in enumerate(split_lines(text.text), 1):
        body, _, comment = line.partition(";")
        for key, value in _FACT.findall(comment if not body.strip() else line):
            facts.setdefault(key, value.strip())
        pin = re.search(r"\|\s*(\d{4,9})", line)
        tokens = body.split("|")[0].split()
        if len(tokens) >= 2 and _PLACE.match(tokens[0]):
            rows.append((line_number, tokens, pin[1] if pin else ""))
        elif body.strip() and not _FACT.search(body):
            faults.once("CK49", "unknown-record", line=line_number, read=body.strip()[:60])
    if not rows:
        raise ReadError("h9-no-line", file=source.name)
    check_rows(len(rows), source.name)
    return _event(rows, facts, faults, source, name)


def _event(
    rows: list[tuple[int, list[str], str]], facts: dict[str, str], faults: Faults, source: Source, name: str
) -> Event:
    places = [int(tokens[0].rstrip(".)")) for _, tokens, _ in rows]
    if len(set(places)) < len(places):
        faults.add("CK09", "places-shared", severity="W", line=rows[0][0], field="number")
        places = list(range(1, len(rows) + 1))
    columns: Columns = {
        n: [] for n in ("number", "name", "title", "federation", "unit", "id", "rating", "rating_kind", "rank", "tb1", "tb2", "tb3", "line")
    }  # fmt: skip
    entries: list[list[str]] = []
    for place, (line, tokens, pin) in zip(places, rows, strict=True):
        end = len(tokens)
        while end > 1 and _ENTRY.match(tokens[end - 1]):
            end -= 1
        entries.append(tokens[end:])
        _player(columns, place, tokens[1:end], pin, line, faults)
    lines = [line for line, _, _ in rows]
    length = _entries_of_all(entries, lines, faults)
    check_size(len(rows), min(length, MOST_ROUNDS), source.name)
    scoring = Scoring()
    games = _games(places, entries, lines, min(length, MOST_ROUNDS), scoring, faults)
    komi = fields.decimal(facts.get("KM", ""))
    games["komi"] = [
        komi if opponent and not stone > 0 else math.nan
        for opponent, stone in zip(games["second"], games["handicap"], strict=True)
    ]
    days = [fields.read_date(part).day for part in re.split(r"[,;]", facts.get("DT", "")) if part.strip()]
    known = [day for day in days if day]
    if facts.get("DT") and not known:
        faults.add("CK03", "date-unreadable", field="DT", read=facts["DT"])
    where = [part.strip() for part in facts.get("PC", "").split(",")]
    has_scores = any(value == value for value in columns["tb1"])
    extra: dict[str, Any] = {key: facts[key] for key in ("CL", "HA", "KM", "TM", "CM") if key in facts}
    return draft_event(
        columns, games, faults, scoring=scoring, id=name, name=facts.get("EV", ""), discipline="go",
        federation=where[0] if len(where[0]) <= 3 else "", place=", ".join(where[1:]) or "", format="mcmahon" if has_scores else "swiss",
        rounds=length or None, start=known[0] if known else None, end=known[-1] if known else None,
        time_control=facts.get("TM", ""), tie_break_columns={"tb1": "MMS", "tb2": "SOS", "tb3": "SOSOS"} if has_scores else {},
        sources=(source.facts(),), extra=extra,
    )  # fmt: skip


def _entries_of_all(entries: list[list[str]], lines: list[int], faults: Faults) -> int:
    """How many rounds the longest line has; shorter ones are told."""
    length = max(len(row) for row in entries)
    for row, line in zip(entries, lines, strict=True):
        if len(row) != length:
            faults.add(
                "CK06", "entries-missing", line=line, read=len(row), assumed=length, found=len(row), expected=length
            )  # fmt: skip
    return length


def _games(
    places: list[int],
    entries: list[list[str]],
    lines: list[int],
    length: int,
    scoring: Scoring,
    faults: Faults,
) -> Columns:
    """The games of the entries, with handicap stones."""
    rounds: list[dict[int, Cell]] = [{} for _ in range(length)]
    stones: dict[tuple[int, int], float] = {}
    for place, row, line in zip(places, entries, lines, strict=True):
        for index, cells in enumerate(rounds):
            cells[place] = _cell(row[index] if index < len(row) else "", line, index + 1, place, stones)
    games = game_columns()
    points = points_table(scoring)
    pair_cells(
        rounds, games, faults, listed=set(places), points=lambda kind, result, first: points[str(kind), result, first],
        place=lambda round_: f"entry {round_}",
    )  # fmt: skip
    games["handicap"] = [
        stones.get((round_, first), stones.get((round_, second), math.nan))
        for round_, first, second in zip(games["round"], games["first"], games["second"], strict=True)
    ]
    return games


def _player(columns: Columns, place: int, tokens: list[str], pin: str, line: int, faults: Faults) -> None:
    numbers: list[str] = []
    while tokens and _NUMBER.match(tokens[-1]) and len(numbers) < 6:
        numbers.insert(0, tokens.pop())
    at = next((i for i, token in enumerate(tokens) if i and grade(token)), len(tokens))
    name, rank, rest = " ".join(tokens[:at]), tokens[at] if at < len(tokens) else "", tokens[at + 1 :]
    if not rank:
        faults.add("CK43", "grade-missing", line=line, player=place, field="title", read=name)
    columns["number"].append(place)
    columns["name"].append(fields.without_card_numbers(name.replace("_", " "))[0])
    columns["title"].append(rank)
    rating = on_egf_scale(rank) if rank else None
    columns["rating"].append(math.nan if rating is None else rating)
    columns["rating_kind"].append("grade" if rating is not None else "")
    if rating is not None:
        faults.once("CK49", "rating-from-grade", line=line, severity="I", read=rank, assumed=int(rating))
    columns["federation"].append(rest[0] if rest else "")
    columns["unit"].append(" ".join(rest[1:]))
    columns["id"].append(pin)
    columns["rank"].append(float(place))
    for index in range(3):
        columns[f"tb{index + 1}"].append(fields.decimal(numbers[index]) if index < len(numbers) else math.nan)
    columns["line"].append(line)


def _cell(text: str, line: int, round_: int, player: int, stones: dict[tuple[int, int], float]) -> Cell:
    match = _ENTRY.match(text)
    if match is None:
        return Cell(0, "", "", line, text)
    opponent, sign, colour = int(match[1]), match[2], (match[4] or "").casefold()
    if not opponent:
        return Cell(0, "", {"+": "U", "=": "H", "-": "Z", "?": "Z"}[sign], line, text)
    by_default = bool(match[3] or match[6])
    code = {"+": "+" if by_default else "1", "-": "-" if by_default else "0", "=": "=", "?": ""}[sign]
    if match[5] is not None:
        stones[round_, player] = float(match[5])
    elif colour:
        stones.setdefault((round_, player), 0.0)
    return Cell(opponent, {"b": "w", "w": "b", "": ""}[colour], code, line, text)
