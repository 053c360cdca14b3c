"""The results of the tables of a sheet: from the cross table, else the pairings, else the matrix of a round robin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import check_size
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.cell_grammar import Written, understood
from qiyi_analysis.readers.tables.cell_text import (
    TextCell,
    first_marks,
    in_scale,
)
from qiyi_analysis.readers.tables.crosstable import Cell
from qiyi_analysis.readers.tables.matrix import is_matrix, matrix_cells
from qiyi_analysis.readers.tables.pairings import Pairing, in_two_one_zero, pairing_rows
from qiyi_analysis.readers.tables.sheet_players import SheetPlayers
from qiyi_analysis.readers.tables.sheet_tables import HeadedRows, is_pairing, names_player
from qiyi_analysis.readers.tables.sheets import cell_name


@dataclass(slots=True)
class SheetResults:
    """Cells by round and player, and how they were written."""

    rounds: list[dict[int, Cell]]
    #: Marks of colours in the cells.
    marks: set[str] = field(default_factory=set)
    #: Whether a win is written 2 and a draw 1.
    two_one_zero: bool = False
    #: How often all meet, where the rounds are not printed but those of the schedule; None where they are.
    meetings: int | None = None


def read_results(
    tables: list[HeadedRows], boards: list[Pairing], players: SheetPlayers, faults: Faults
) -> SheetResults:
    """The results of the first kind of table that has any. ``boards``: pairings of team matches."""
    found = _cross_results(tables, players, faults)
    paired = [table for table in tables if is_pairing(table)]
    two = any(in_two_one_zero(table) for table in paired)
    pairings = [pairing for table in paired for pairing in pairing_rows(table, faults, two=two)] + boards
    if not found.rounds and pairings:
        marks = {"红"} if any(table.place("red") is not None for table in paired) else set()
        found = SheetResults(_paired_cells(pairings, players, faults), marks, two)
    if not found.rounds:
        for table in tables:
            if is_matrix(table, players.order(table)):
                found.rounds = matrix_cells(table, players.order(table), faults)
                size = len(players.order(table))
                found.meetings = len(found.rounds) // max(1, size - 1 + size % 2)
                break
    if not found.rounds:
        refuse_unread(tables, players, faults)
    return found


def _cross_results(tables: list[HeadedRows], players: SheetPlayers, faults: Faults) -> SheetResults:
    """The results of the first cross table; another one is the same by another order."""
    for table in tables:
        places, order = table.rounds(), players.order(table)
        if not places or is_matrix(table, order) or (len(order) != len(table.rows) and len(order) < 2):
            continue
        cells = _written_cells(table, order)
        reading, found = understood(cells, players.names())
        if any(cell and cell.opponent and (cell.mark or cell.code) for cell in found):
            if reading is not None:
                example, meant = next(
                    (one.text, cell) for one, cell in zip(cells, found, strict=True) if cell and cell.opponent
                )
                faults.add(
                    "CK49",
                    "cells-read",
                    severity="I",
                    line=cells[0].line,
                    read=example,
                    opponent=meant.opponent,
                    mark=meant.mark or "-",
                    result=meant.code or "-",
                )
            return _of_cells(_meant(cells, found, faults), players, faults)
    return SheetResults([])


def refuse_unread(tables: list[HeadedRows], players: SheetPlayers, faults: Faults) -> None:
    """Raises ReadError, naming the first cell, for columns of rounds in which no game can be read."""
    for table in tables:
        order = players.order(table)
        if not table.rounds() or is_matrix(table, order):
            continue
        cells = [one for one in _written_cells(table, order) if one.text.strip()]
        if len(cells) < 2:
            continue
        alone = [one for one in cells if _ONLY_RESULT.match(fields.plain(one.text))]
        sheet, cell = table.sheet or "-", cell_name(cells[0].place, cells[0].line)
        read = cells[0].text
        if len(alone) * 2 > len(cells):
            raise ReadError("results-without-opponents", file=faults.file, sheet=sheet, cell=cell, read=read)
        raise ReadError("results-not-read", file=faults.file, sheet=sheet, cell=cell, read=read)


_ONLY_RESULT = re.compile(r"(?:[012](?:[.,][05])?|½|1/2|[+=-]|[胜勝负負和平赢输]|弃权|轮空|缺席)\Z")


def _written_cells(table: HeadedRows, order: list[int]) -> list[Written]:
    rows = [row for row in table.rows if names_player(table, row)]
    return [
        Written(round_, number, row.line, place, row.cells[place] if place < len(row.cells) else "")
        for number, row in zip(order, rows, strict=False)
        for place, round_ in table.rounds().items()
    ]


class _Cell(NamedTuple):
    round: int
    player: int
    cell: TextCell
    line: int
    text: str


def _meant(cells: list[Written], found: list[TextCell | None], faults: Faults) -> list[_Cell]:
    """The cells that mean something; the others are named by their place in the sheet."""
    meant = []
    for one, cell in zip(cells, found, strict=True):
        if cell is None:
            faults.add(
                "CK15", "cell-not-understood", line=one.line, column=cell_name(one.place, one.line), round=one.round, player=one.player, read=one.text
            )  # fmt: skip
            continue
        if not cell.opponent and cell.code == "F" and one.text.strip().startswith("-"):
            faults.once("CK19", "bye-not-told", line=one.line, read=one.text.strip())
        meant.append(_Cell(one.round, one.player, cell, one.line, one.text))
    return meant


def _of_cells(found: list[_Cell], players: SheetPlayers, faults: Faults) -> SheetResults:
    """Cells with the numbers of opponents, colours and results in one scale."""
    if not found:
        return SheetResults([])
    marks = {one.cell.mark for one in found if one.cell.mark}
    two = any(one.cell.code == "2" for one in found)
    first = first_marks(one.cell.mark for one in found)
    number_of = _references(found, players, faults)
    rounds: list[dict[int, Cell]] = [{} for _ in range(max(one.round for one in found))]
    for round_, number, cell, line, text in found:
        colour = "" if not cell.mark else "w" if cell.mark in first else "b"
        opponent = number_of.get(cell.opponent, cell.opponent) if cell.opponent else 0
        rounds[round_ - 1].setdefault(
            number, Cell(opponent, colour, in_scale(cell.code, two_one_zero=two), line, text)
        )
    check_size(len(players.numbers()), len(rounds), faults.file)
    while rounds and not any(c.code or c.opponent for c in rounds[-1].values()):
        rounds.pop()
    _fill_up(rounds, players)
    return SheetResults(rounds, marks, two)


def _fill_up(rounds: list[dict[int, Cell]], players: SheetPlayers) -> None:
    """An empty cell for everybody of whom a round says nothing."""
    for cells in rounds:
        for number in players.numbers():
            cells.setdefault(number, Cell(0, "", "", 0))


def _references(found: list[_Cell], players: SheetPlayers, faults: Faults) -> dict[int, int]:
    """Whether cells name opponents by rank or by start number: the reading in which cells point back."""
    by_rank = players.by_rank()
    named = {(one.round, one.player): one.cell.opponent for one in found if one.cell.opponent}

    def fitting(translate: Mapping[int, int]) -> int:
        return sum(
            1
            for (round_, number), opponent in named.items()
            if (theirs := named.get((round_, translate.get(opponent, opponent)))) is not None
            and translate.get(theirs, theirs) == number
        )

    plain = fitting({})
    if by_rank and any(rank != number for rank, number in by_rank.items()) and fitting(by_rank) > plain:
        faults.add("CK49", "cells-by-rank", severity="I", field="opponent")
        return by_rank
    return {}


def _paired_cells(pairings: list[Pairing], players: SheetPlayers, faults: Faults) -> list[dict[int, Cell]]:
    numbers = players.numbers()
    rounds: list[dict[int, Cell]] = []
    for pairing in pairings:
        one = pairing.first_number if pairing.first_number in numbers and not pairing.first else 0
        one = one or (players.by_name(pairing.first, pairing.first_number) if pairing.first else 0)
        two = (
            players.by_name(pairing.second, pairing.second_number)
            if pairing.second
            else pairing.second_number
        )
        players.add_rating(one, pairing.first_rating, pairing.line)
        players.add_rating(two, pairing.second_rating, pairing.line)
        if not one:
            continue
        while len(rounds) < pairing.round:
            rounds.append({})
        cells = rounds[pairing.round - 1]
        if one in cells or (two and two in cells):
            faults.add(
                "CK16",
                "pairing-twice",
                line=pairing.line,
                round=pairing.round,
                player=one,
                read=f"{pairing.first} - {pairing.second}",
            )
            continue
        cells[one] = Cell(two, "w" if two else "", pairing.codes[0], pairing.line, pairing.text)
        if two:
            cells[two] = Cell(one, "b", pairing.codes[1], pairing.line, pairing.text)
    check_size(len(players.numbers()), len(rounds), faults.file)
    _fill_up(rounds, players)
    return rounds
