"""``players.csv`` of a folder, and ``official.csv`` with what was published of them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import TIE_BREAK_COLUMNS
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import Columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.source import base_name
from qiyi_analysis.readers.tables.delimited import HeadedTable, Row, headed
from qiyi_analysis.readers.tables.player_fields import read_birth, read_number, read_rating, read_sex, whole
from qiyi_analysis.readers.tables.sheets import Sheet

PLAYER_ALIASES = {
    "number": "no", "nr": "no", "starting_rank": "no", "federation": "fed", "born": "birth_year",
    "fide_id": "id", "elo": "rating", "gender": "sex",
}  # fmt: skip
OFFICIAL_ALIASES = {
    "number": "no",
    "change": "rating_change",
    "expected": "expected_score",
    "we": "expected_score",
}

_TEXT_PLAYER_COLUMNS = {
    "id": "id", "name": "name", "title": "title", "fed": "federation", "rating_kind": "rating_kind",
    "team": "team", "note": "note",
}  # fmt: skip
_NUMBER_PLAYER_COLUMNS = (
    "k", "games_before", "events_before", "peak", "standard_rating", "fouls", "warnings", "board", "withdrawn_after", "start_score",
)  # fmt: skip
_PLAYER_COLUMNS = (
    "number", "id", "name", "sex", "federation", "unit", "team", "title", "rating", "rating_kind", "note",
    "birth_year", "birth_date", "line", *_NUMBER_PLAYER_COLUMNS,
)  # fmt: skip
_PLAYER_HEADS = {
    *_TEXT_PLAYER_COLUMNS, *_NUMBER_PLAYER_COLUMNS, "no", "sex", "club", "unit", "rating", "birth_year", "birth_date",
}  # fmt: skip


def read_players(sheet: Sheet, faults: Faults, discipline: str) -> tuple[Columns, dict[str, Any]]:
    """Columns of the players table. Raises ReadError for an empty file or one without numbers and names."""
    table = headed(sheet.rows, sheet.name, PLAYER_ALIASES, faults)
    if not table.has("no") and not table.has("name"):
        raise ReadError("no-number-column", file=sheet.name, line=table.first_line, found=table.heads)
    _check_table(table, faults)
    columns: Columns = {name: [] for name in _PLAYER_COLUMNS}
    others = [head for head in dict.fromkeys(table.heads) if head not in _PLAYER_HEADS]
    extra: dict[str, Any] = {f"players.{head}": {} for head in others}
    left_out: list[dict[str, Any]] = []
    seen: dict[int, int] = {}
    next_free = 0
    for row in table.rows:
        number = _player_number(table, row, faults, next_free)
        if number in seen:
            faults.add(
                "CK09", "number-twice", line=row.line, player=number, field="no", read=number,
                assumed=f"line {seen[number]}", other=seen[number],
            )  # fmt: skip
            left_out.append({"file": sheet.name, "line": row.line, "cells": row.cells})
            continue
        seen[number] = row.line
        next_free = max(next_free, number)
        _add_player(columns, table, row, number, faults, discipline)
        for head in others:
            if table.cell(row, head):
                extra[f"players.{head}"][number] = table.cell(row, head)
    extra = {key: values for key, values in extra.items() if values}
    if left_out:
        extra["players.left_out"] = left_out
    return columns, extra


def _check_table(table: HeadedTable, faults: Faults) -> None:
    """Report columns and rows that are missing."""
    for needed in ("no", "name", "rating"):
        if not table.has(needed):
            faults.add(
                "CK02",
                "column-missing",
                severity="W",
                line=table.first_line,
                field=needed,
                read=tuple(table.heads),
                needed=needed,
            )
    if not table.rows:
        faults.add("CK07", "no-players", line=table.first_line)


def _add_player(
    columns: Columns, table: HeadedTable, row: Row, number: int, faults: Faults, discipline: str
) -> None:
    line = row.line
    columns["number"].append(number)
    columns["line"].append(line)
    for head, name in _TEXT_PLAYER_COLUMNS.items():
        text = _text(table.cell(row, head), faults, line, number, head)
        columns[name].append(fields.read_id(text) if head == "id" else text)
    columns["unit"].append(
        _text(table.cell(row, "unit") or table.cell(row, "club"), faults, line, number, "unit")
    )
    columns["sex"].append(read_sex(table.cell(row, "sex"), faults, line, number))
    columns["rating"].append(
        read_rating(table.cell(row, "rating"), faults, line, number, discipline=discipline)
    )
    year, day = read_birth(
        table.cell(row, "birth_year") or table.cell(row, "birth_date"), faults, line, number
    )
    if table.has("birth_date") and table.cell(row, "birth_date"):
        day = read_birth(table.cell(row, "birth_date"), faults, line, number)[1]
    columns["birth_year"].append(year)
    columns["birth_date"].append(day)
    for head in _NUMBER_PLAYER_COLUMNS:
        columns[head].append(read_number(table.cell(row, head), faults, line, number, head))
    # Collected events write the start score into the note.
    noted = re.search(r"McMahon start\s+(-?\d+)", columns["note"][-1])
    if noted and math.isnan(columns["start_score"][-1]):
        columns["start_score"][-1] = float(noted.group(1))


def _player_number(table: HeadedTable, row: Row, faults: Faults, last: int) -> int:
    text = table.cell(row, "no")
    number = whole(text)
    if number is None or number <= 0:
        number = last + 1
        if table.has("no"):
            faults.add(
                "CK43",
                "number-unreadable",
                line=row.line,
                player=number,
                field="no",
                read=text,
                assumed=number,
            )
    return number


def _text(text: str, faults: Faults, line: int, number: int, field: str) -> str:
    cleaned, changed = fields.without_card_numbers(text)
    if changed:
        faults.add("CK49", "card-number", severity="W", line=line, player=number, field=field)
    return cleaned


def add_official(
    sheet: Sheet, players: Columns, faults: Faults, discipline: str = "chess"
) -> tuple[dict[str, Any], dict[int, int]]:
    """Add the published values of ``official.csv`` to the players' columns.

    Returns what else it says, and the line of each player's number.
    """
    size = len(players["number"])
    nan = float("nan")
    numeric = ("rank", "points", *TIE_BREAK_COLUMNS, "performance", "new_rating")
    for name in (*numeric, "expected", "change"):
        players[name] = [nan] * size
    players["expected_text"], players["change_text"] = [""] * size, [""] * size
    if not sheet.rows:
        faults.add("CK49", "file-empty", severity="W", name=base_name(sheet.name))
        return {}, {}
    table = headed(sheet.rows, sheet.name, OFFICIAL_ALIASES, faults)
    if not table.has("no"):
        faults.add(
            "CK02", "column-missing", line=table.first_line, field="no", read=tuple(table.heads), needed="no"
        )
        return {
            "official.left_out": [
                {"file": sheet.name, "line": row.line, "cells": row.cells} for row in table.rows
            ]
        }, {}
    place = {number: i for i, number in enumerate(players["number"])}
    known = {*numeric, "no", "expected_score", "rating_change"}
    others = [head for head in dict.fromkeys(table.heads) if head not in known]
    extra: dict[str, Any] = {f"official.{head}": {} for head in others}
    signs = _official_signs(table, (*numeric, "expected_score", "rating_change"), discipline)
    lines: dict[int, int] = {}
    for row in table.rows:
        number = whole(table.cell(row, "no"))
        i = place.get(number) if number is not None else None
        if i is None or number is None:
            faults.add(
                "CK07",
                "official-unknown-player",
                severity="W",
                line=row.line,
                field="no",
                read=table.cell(row, "no"),
            )
            continue
        if number in lines:
            faults.add(
                "CK09", "official-twice", severity="W", line=row.line, player=number, field="no", read=number,
                assumed=f"line {lines[number]}", other=lines[number],
            )  # fmt: skip
            continue
        lines[number] = row.line
        for head in numeric:
            if text := table.cell(row, head):
                sign = signs[head] or ("," if "." in text else ".")
                players[head][i] = read_number(text, faults, row.line, number, head, sign)
        for head, name in (("expected_score", "expected"), ("rating_change", "change")):
            text = fields.plain(table.cell(row, head)).removeprefix("+")
            if text:
                players[name][i] = read_number(text, faults, row.line, number, head, signs[head])
                players[f"{name}_text"][i] = text.replace(",", ".")
        for head in others:
            if text := table.cell(row, head):
                extra[f"official.{head}"][number] = text
    return {key: values for key, values in extra.items() if values}, lines


def _official_signs(table: HeadedTable, heads: Sequence[str], discipline: str) -> dict[str, str]:
    """The decimal sign of each column. Scores and changes have no thousands, so 3,490 is a decimal there; ratings
    have, so 1.520 and 1,520 are thousands there ("") unless a cell that can be read in one way only decides. Only
    ratings of go are printed with three decimals: 5.335 is one."""
    cells = {head: [table.cell(row, head) for row in table.rows] for head in heads}
    ratings = ("performance", "new_rating")
    scores = [cell for head in heads if head not in ratings for cell in cells[head]]
    of_scores = fields.decimal_sign(scores) or ("," if any("," in cell for cell in scores) else ".")
    signs = dict.fromkeys(heads, of_scores)
    for head in ratings:
        signs[head] = fields.rating_sign(cells[head]) or ("." if discipline == "go" else "")
    return signs
