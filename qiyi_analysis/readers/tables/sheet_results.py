"""The results of the tables of a sheet: from the cross table, else the pairings, else the matrix of a round robin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from qiyi_analysis.readers.draft import check_size
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.cell_text import (
    TextCell,
    first_marks,
    in_scale,
    looks_like_cell,
    split_cell,
)
from qiyi_analysis.readers.tables.crosstable import Cell
from qiyi_analysis.readers.tables.delimited import Row
from qiyi_analysis.readers.tables.matrix import is_matrix, matrix_cells
from qiyi_analysis.readers.tables.pairings import Pairing, in_two_one_zero, pairing_rows
from qiyi_analysis.readers.tables.sheet_players import SheetPlayers
from qiyi_analysis.readers.tables.sheet_tables import HeadedRows, is_pairing, names_player


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
    return found


class WrittenCell(NamedTuple):
    """A cell of a cross table as it is written: in which round, of which player, in which line."""

    round: int
    player: int
    cell: TextCell
    line: int
    text: str


def _cross_results(tables: list[HeadedRows], players: SheetPlayers, faults: Faults) -> SheetResults:
    """The results of the first cross table; another one is the same by another order."""
    for table in tables:
        places, order = table.rounds(), players.order(table)
        if not places or is_matrix(table, order) or (len(order) != len(table.rows) and len(order) < 2):
            continue
        rows = [row for row in table.rows if any(cell for cell in row.cells)]
        cells = [row.cells[place] for row in rows for place in places if place < len(row.cells)]
        if any(looks_like_cell(cell) for cell in cells):
            return _of_cells(_written_cells(table, order, rows, faults), players, faults)
    return SheetResults([])


def _written_cells(table: HeadedRows, order: list[int], rows: list[Row], faults: Faults) -> list[WrittenCell]:
    found = []
    kept = [row for row in rows if names_player(table, row)]
    for number, row in zip(order, kept, strict=False):
        for place, round_ in table.rounds().items():
            text = row.cells[place] if place < len(row.cells) else ""
            cell = split_cell(text)
            if cell is None:
                faults.add(
                    "CK15", "cell-not-understood", line=row.line, column=place + 1, round=round_, player=number, read=text
                )  # fmt: skip
                continue
            if not cell.opponent and cell.code == "F" and text.strip().startswith("-"):
                faults.once("CK19", "bye-not-told", line=row.line, read=text.strip())
            found.append(WrittenCell(round_, number, cell, row.line, text))
    return found


def _of_cells(found: list[WrittenCell], players: SheetPlayers, faults: Faults) -> SheetResults:
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


def _references(found: list[WrittenCell], players: SheetPlayers, faults: Faults) -> dict[int, int]:
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
