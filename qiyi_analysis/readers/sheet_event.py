"""An event from sheets: start lists, cross tables, rankings and pairings of result pages and hand-made tables.

The tables of one file are recognised by their heads and joined: players by number, else by name; results
from the cross table, else from the pairings, else from the matrix of a round robin. What the heads were
taken for is told in a finding and can be overruled with a mapping.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from qiyi_analysis.errors import ReadError
from qiyi_analysis.model import PLAYER_COLUMNS, TIE_BREAK_COLUMNS, Event, Scoring
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.cell_text import TextCell, first_marks, in_scale, looks_like_cell, split_cell
from qiyi_analysis.readers.crosstable import Cell, pair_cells
from qiyi_analysis.readers.delimited import Row
from qiyi_analysis.readers.draft import (
    MOST_ROUNDS,
    Columns,
    check_size,
    draft_event,
    exchange_sides,
    game_columns,
    matches_from_games,
    points_table,
    teams_from_players,
)
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.heads import is_head, match_heads
from qiyi_analysis.readers.matrix import is_matrix, matrix_cells
from qiyi_analysis.readers.pairings import Pairing, in_two_one_zero, pairing_rows, round_in
from qiyi_analysis.readers.player_fields import read_birth, read_number, read_rating, whole
from qiyi_analysis.readers.report_remarks import check_remarks, unplayed_notes
from qiyi_analysis.readers.sheet_facts import read_facts, tie_break_notes
from qiyi_analysis.readers.sheets import Sheet
from qiyi_analysis.readers.source import SourceFile
from qiyi_analysis.readers.team_boards import Member, board_games
from qiyi_analysis.readers.trf_points import Declared, fill_missing_byes, find_scoring

_TEXTS = ("name", "title", "federation", "unit", "team", "note", "sex", "id")
_NUMBERS = ("points", "rank", "k", "new_rating", "performance", "games_before", "peak", *TIE_BREAK_COLUMNS)


@dataclass(slots=True)
class HeadedRows:
    """Rows under one row of heads."""

    sheet: str
    head: Row
    columns: dict[int, str]
    rows: list[Row] = field(default_factory=list)
    before: list[Row] = field(default_factory=list)  # title rows above

    def place(self, column: str, last: bool = False) -> int | None:
        """Position of the first (or last) column of that meaning, None where there is none."""
        places = [place for place, name in self.columns.items() if name == column]
        return None if not places else places[-1] if last else places[0]

    def cell(self, row: Row, column: str, last: bool = False) -> str:
        """The cell of a row in the first (or last) column of that meaning; "" where there is none."""
        place = self.place(column, last)
        return row.cells[place] if place is not None and place < len(row.cells) else ""

    def rounds(self) -> dict[int, int]:
        """Place -> round of the round columns."""
        named = {place: int(name[6:]) for place, name in self.columns.items() if name.startswith("round:")}
        if named:
            return {place: number for place, number in named.items() if 1 <= number <= MOST_ROUNDS}
        bare = {place: int(name[2:]) for place, name in self.columns.items() if name.startswith("#:")}
        ordered = [bare[place] for place in sorted(bare)]
        return bare if ordered and ordered == list(range(1, len(ordered) + 1)) else {}


@dataclass(slots=True)
class Person:
    """What the tables say about one player; the first table that says something is kept."""

    number: int
    line: int
    values: dict[str, Any] = field(default_factory=dict)


def read_sheets(
    sheets: list[Sheet],
    faults: Faults,
    source: SourceFile,
    name: str,
    mapping: Mapping[str, str] | None = None,
) -> Event:
    """Join the tables to an event. Raises ReadError where none of them is one of players or games."""
    tables = [table for sheet in sheets for table in split_tables(sheet, mapping)]
    boards, members = board_games(sheets, faults)
    if not tables and not boards:
        raise ReadError("sheet-no-table", file=source.name)
    facts, loose = read_facts(sheets, tables)
    people = _People(faults, facts.get("discipline", "chess"))
    for table in tables:
        _report_heads(table, faults)
        if not _is_pairing(table):
            people.add(table)
    for member in members:
        people.add_member(member)
    rounds, marks, two_one_zero = _cross_cells(tables, people, faults)
    paired = [table for table in tables if _is_pairing(table)]
    two_in_pairings = any(in_two_one_zero(table) for table in paired)
    pairings = [pairing for table in paired for pairing in pairing_rows(table, faults, two=two_in_pairings)]
    assumed_rounds = False
    pairings += boards
    if not rounds and pairings:
        rounds, marks = _paired_cells(pairings, people, faults), set()
        two_one_zero = two_in_pairings
        if any(table.place("red") is not None for table in paired):
            marks = {"红"}
    if not rounds:
        for table in tables:
            if is_matrix(table, people.order(table)):
                rounds = matrix_cells(table, people.order(table), faults)
                assumed_rounds = True
                meetings = len(rounds) // max(1, len(people.order(table)) - 1 + len(people.order(table)) % 2)
                usual = {1: "round-robin", 2: "double-round-robin"}.get(meetings, "")
                facts["format"] = facts.get("format") or usual
                break
    people.complete()
    explained = unplayed_notes(tables, loose, faults)
    check_remarks(people.remarks(), faults)
    discipline = facts.pop("discipline", "") or _discipline_of_marks(marks) or "chess"
    columns = people.columns()
    facts["tie_break_columns"] = _told_columns(tie_break_notes(sheets), columns)
    declared = Declared()
    printed = {
        n: _points_text(v) for n, v in zip(columns["number"], columns["points"], strict=True) if v == v
    }
    scoring = find_scoring(
        printed, rounds, declared, faults, teams=False, severity="I" if discipline == "xiangqi" else "W"
    )
    if two_one_zero and scoring == Scoring():
        scoring = Scoring.of(win=2, draw=1)
    if not assumed_rounds:
        fill_missing_byes(printed, rounds, scoring, faults, place=lambda round_: f"R{round_}")
    games = game_columns()
    points = points_table(scoring)
    pair_cells(
        rounds, games, faults, listed=set(columns["number"]), points=lambda kind, result, first: points[str(kind), result, first],
        place=lambda round_: f"R{round_}",
    )  # fmt: skip
    if discipline == "go" and marks & {"w", "b", "白", "黑"}:
        exchange_sides(games)
    if boards:
        facts["teams"] = teams_from_players(columns)
        facts["matches"] = matches_from_games(facts["teams"], games, scoring, with_match_points=True)
        if not facts.get("format", "").startswith("team"):
            facts["format"] = "team-round-robin" if facts.get("format") == "round-robin" else "team-swiss"
    if loose:
        facts.setdefault("extra", {})["notes"] = loose
    if explained:
        facts["extra"]["unplayed"] = list(explained)
    return draft_event(
        columns, games, faults, scoring=scoring, id=name, discipline=discipline, sources=(source,), **facts
    )


def _told_columns(notes: dict[str, str], columns: Columns) -> dict[str, str]:
    """The tie-breaks that notes explain; where they call the first the points and no column is headed so, it is that one."""
    if not notes:
        return {}
    from qiyi_analysis.tiebreaks.printed import code_of

    told = {column: words for column, words in notes.items() if column in TIE_BREAK_COLUMNS}
    if code_of(told.get("tb1", "")) == "PTS" and all(value != value for value in columns["points"]):
        columns["points"] = list(columns["tb1"])
    return told


def _points_text(value: float) -> str:
    return f"{value:g}"


# --- tables --------------------------------------------------------------------------------------


def split_tables(sheet: Sheet, mapping: Mapping[str, str] | None = None) -> Iterator[HeadedRows]:
    """Cut a sheet into tables at every row of heads; rows of a single cell are titles and notes."""
    before: list[Row] = []
    table: HeadedRows | None = None
    for row in sheet.rows:
        found = match_heads(row, mapping)
        if is_head(found, row) and not (table and _is_data(table, row)):
            if table and not table.rows and table.columns:
                table.columns = {**table.columns, **found}  # a second row of heads (the other language)
                continue
            if table and table.rows:
                yield table
            table = HeadedRows(sheet.name, row, found, before=before)
            before = []
            continue
        filled = sum(1 for cell in row.cells if cell)
        if table is None or filled < 2:
            before.append(row)
        else:
            table.rows.append(row)
    if table and table.rows:
        yield table


def _is_data(table: HeadedRows, row: Row) -> bool:
    """A row whose words happen to be known as heads but that has a number where the table has numbers."""
    return any(table.cell(row, column).isdecimal() for column in ("number", "rank"))


def _team_above(table: HeadedRows) -> str:
    """Name of the team in the title of a table of boards (``3. Team A (RtgAvg:2345 / TB1: 10)``)."""
    if table.place("board") is None or not table.before:
        return ""
    match = re.match(r"\s*\d{1,3}\.\s+([^(]{2,60}?)\s*(?:\(|$)", " ".join(table.before[-1].cells)[:200])
    return match[1] if match and not round_in(match[0]) else ""


def _is_pairing(table: HeadedRows) -> bool:
    columns = set(table.columns.values())
    return bool(columns & {"white", "red"}) and "black" in columns


def _report_heads(table: HeadedRows, faults: Faults) -> None:
    told = ", ".join(
        f"{table.head.cells[place]} = {name}"
        for place, name in sorted(table.columns.items())
        if not name.startswith("#:") and place < len(table.head.cells)
    )
    unknown = [cell for place, cell in enumerate(table.head.cells) if cell and place not in table.columns]
    faults.add(
        "CK49",
        "heads-taken",
        severity="I",
        line=table.head.line,
        read=told,
        unknown=", ".join(unknown) or "-",
    )


# --- players -------------------------------------------------------------------------------------


class _People:
    """The players of all tables, joined by number and by name."""

    def __init__(self, faults: Faults, discipline: str) -> None:
        self._faults = faults
        self._discipline = discipline
        self._people: dict[int, Person] = {}
        self._highest = 0
        self._names: dict[str, int] = {}
        self._ranks: dict[int, int] = {}
        self._orders: dict[int, list[int]] = {}

    def add(self, table: HeadedRows) -> None:
        """Join the rows of a table of players."""
        order: list[int] = []
        sign = fields.decimal_sign(table.cell(row, "change") for row in table.rows)
        last_rank = math.nan
        team = _team_above(table)
        for row in table.rows:
            name = self._name(table, row)
            number = whole(table.cell(row, "number"))
            rank = whole(table.cell(row, "rank"))
            if not name and number is None:
                self._faults.once(
                    "CK49", "row-left-out", line=row.line, severity="I", read=" ".join(row.cells)[:60]
                )
                continue
            person = self._find(name, number, rank, row, table)
            order.append(person.number)
            if rank is not None:
                last_rank = float(rank)
            if team and "team" not in person.values:
                person.values["team"] = team
            self._fill(
                person, table, row, name, sign, last_rank if table.place("rank") is not None else math.nan
            )
        self._orders[id(table)] = order

    def _name(self, table: HeadedRows, row: Row) -> str:
        name = table.cell(row, "name")
        family, given = table.cell(row, "family_name"), table.cell(row, "given_name")
        if family and not name:
            name = f"{family}, {given}" if given else family
        cleaned, withheld = fields.without_card_numbers(name)
        if withheld:
            self._faults.add("CK49", "card-number", severity="W", line=row.line, field="name")
        return cleaned

    def _find(self, name: str, number: int | None, rank: int | None, row: Row, table: HeadedRows) -> Person:
        if number is None and name in self._names:
            number = self._names[name]
        if number is None and table.place("number") is None and rank is not None and rank not in self._people:
            number = rank
        if number is None or number <= 0:
            number = self._highest + 1
        known = self._people.get(number)
        if known is not None and name and known.values.get("name", name) != name:
            if self._names.get(name) is not None:
                known = self._people[self._names[name]]
            else:
                fresh = self._highest + 1
                self._faults.add(
                    "CK09", "number-of-two", line=row.line, player=number, field="number", read=number, assumed=fresh,
                    other=known.values["name"], name=name,
                )  # fmt: skip
                number, known = fresh, None
        if known is None:
            known = self._people[number] = Person(number, row.line)
            self._highest = max(self._highest, number)
        if name:
            self._names.setdefault(name, known.number)
        if rank is not None:
            self._ranks.setdefault(rank, known.number)
        return known

    def _fill(
        self, person: Person, table: HeadedRows, row: Row, name: str, sign: str | None, rank: float
    ) -> None:
        values, faults, line, number = person.values, self._faults, row.line, person.number
        values.setdefault("name", name)
        for column in _TEXTS[1:]:
            text = table.cell(row, column)
            if not text or column in values:
                continue
            if column == "sex":
                text = fields.read_sex(text) or ""
            elif column == "id":
                text = "" if not text.strip("0 ") else text
            elif column == "title" and (title := fields.read_title(text)):
                text = title
            cleaned, withheld = fields.without_card_numbers(text)
            if withheld:
                faults.add("CK49", "card-number", severity="W", line=line, player=number, field=column)
                cleaned = "" if column == "id" else cleaned
            values[column] = cleaned
        if table.place("card") is not None and table.cell(row, "card"):
            faults.once("CK49", "card-column", line=line)
        if "title" not in values:
            self._untitled_column(table, row, values)
        rating = table.cell(row, "rating") or table.cell(row, "rating_national")
        if rating and "rating" not in values:
            kind = "national" if not table.cell(row, "rating") else ""
            values["rating"] = read_rating(
                rating, faults, line, number, discipline=self._discipline, zero_is_unrated=True
            )
            if kind:
                values["rating_kind"] = kind
        birth = table.cell(row, "birth_year")
        if birth and "birth_year" not in values:
            values["birth_year"], values["birth_date"] = read_birth(birth, faults, line, number)
        if rank == rank:
            values.setdefault("rank", rank)
        for column in _NUMBERS:
            text = table.cell(row, column)
            if text and column != "rank" and column not in values:
                values[column] = read_number(text, faults, line, number, column, ",")
        for column in ("change", "expected"):
            text = fields.plain(table.cell(row, column)).removeprefix("+")
            if text and text != "-" and column not in values:
                values[column] = read_number(text, faults, line, number, column, sign or ",")
                values[f"{column}_text"] = text.replace(",", ".")

    def _untitled_column(self, table: HeadedRows, row: Row, values: dict[str, Any]) -> None:
        """Result pages give the title in a column without head, left of the name."""
        place = table.place("name")
        if place and place - 1 not in table.columns and place - 1 < len(row.cells):
            title = fields.read_title(row.cells[place - 1])
            if title:
                values["title"] = title

    def add_member(self, member: Member) -> None:
        """Join one side of a board of a team match."""
        values = self._people[self.by_name(member.name)].values
        values.setdefault("team", member.team)
        values.setdefault("board", float(member.board))
        if member.title:
            values.setdefault("title", fields.read_title(member.title) or "")
        if member.rating and "rating" not in values:
            values["rating"] = read_rating(
                member.rating, self._faults, member.line, 0, discipline=self._discipline, zero_is_unrated=True
            )

    def order(self, table: HeadedRows) -> list[int]:
        """Numbers of the players in the order of the rows of a table."""
        return self._orders.get(id(table), [])

    def by_rank(self) -> dict[int, int]:
        return self._ranks

    def numbers(self) -> set[int]:
        return set(self._people)

    def by_name(self, name: str, wanted: int = 0) -> int:
        """Number of the player of that name; players of pairings only are added, with the number wanted if free."""
        if name not in self._names:
            number = wanted if wanted > 0 and wanted not in self._people else self._highest + 1
            self._people[number] = Person(number, 0, {"name": name})
            self._highest = max(self._highest, number)
            self._names[name] = number
        return self._names[name]

    def add_rating(self, number: int, text: str, line: int) -> None:
        """The rating a table of pairings gives, where no other table gave one."""
        if text and number in self._people:
            values = self._people[number].values
            if "rating" not in values:
                values["rating"] = read_rating(
                    text, self._faults, line, number, discipline=self._discipline, zero_is_unrated=True
                )

    def complete(self) -> None:
        """Report a list that stopped at the page length of result sites."""
        listed = sum(1 for person in self._people.values() if person.line)
        if listed == 150:
            self._faults.add("CK07", "page-length", severity="W", read=listed)

    def remarks(self) -> list[tuple[int, int, Mapping[str, Any]]]:
        """Number, line and values of each player."""
        return [(number, person.line, person.values) for number, person in sorted(self._people.items())]

    def columns(self) -> Columns:
        names = [n for n in PLAYER_COLUMNS if n not in ("number", "line")]
        columns: Columns = {"number": [], "line": [], **{name: [] for name in names}}
        for number in sorted(self._people):
            person = self._people[number]
            columns["number"].append(number)
            columns["line"].append(person.line)
            for name in names:
                empty: Any = "" if PLAYER_COLUMNS[name] == "text" else math.nan
                columns[name].append(person.values.get(name, empty))
        return columns


# --- results -------------------------------------------------------------------------------------


def _cross_cells(
    tables: list[HeadedRows], people: _People, faults: Faults
) -> tuple[list[dict[int, Cell]], set[str], bool]:
    """Cells of the cross tables by round; marks of colours seen; whether results are written 2-1-0."""
    found: list[tuple[int, int, TextCell, int, str]] = []
    for table in tables:
        places = table.rounds()
        order = people.order(table)
        if not places or is_matrix(table, order) or (len(order) != len(table.rows) and len(order) < 2):
            continue
        rows = [row for row in table.rows if any(cell for cell in row.cells)]
        cells = [row.cells[place] for row in rows for place in places if place < len(row.cells)]
        if not any(looks_like_cell(cell) for cell in cells):
            continue
        kept = [row for row in rows if people_row(table, row)]
        for number, row in zip(order, kept, strict=False):
            for place, round_ in places.items():
                text = row.cells[place] if place < len(row.cells) else ""
                cell = split_cell(text)
                if cell is None:
                    faults.add(
                        "CK15",
                        "cell-not-understood",
                        line=row.line,
                        column=place + 1,
                        round=round_,
                        player=number,
                        read=text,
                    )
                    continue
                if not cell.opponent and cell.code == "F" and text.strip().startswith("-"):
                    faults.once("CK19", "bye-not-told", line=row.line, read=text.strip())
                found.append((round_, number, cell, row.line, text))
        break  # one cross table is enough: the other is the same by another order
    if not found:
        return [], set(), False
    marks = {cell.mark for _, _, cell, _, _ in found if cell.mark}
    two = any(cell.code == "2" for _, _, cell, _, _ in found)
    first = first_marks(cell.mark for _, _, cell, _, _ in found)
    number_of = _references(found, people, faults)
    rounds: list[dict[int, Cell]] = [{} for _ in range(max(round_ for round_, *_ in found))]
    for round_, number, cell, line, text in found:
        colour = "" if not cell.mark else "w" if cell.mark in first else "b"
        opponent = number_of.get(cell.opponent, cell.opponent) if cell.opponent else 0
        rounds[round_ - 1].setdefault(
            number, Cell(opponent, colour, in_scale(cell.code, two_one_zero=two), line, text)
        )
    numbers = people.numbers()
    check_size(len(numbers), len(rounds), faults.file)
    while rounds and not any(c.code or c.opponent for c in rounds[-1].values()):
        rounds.pop()
    for cells_of_round in rounds:
        for number in numbers:
            cells_of_round.setdefault(number, Cell(0, "", "", 0))
    return rounds, marks, two


def people_row(table: HeadedRows, row: Row) -> bool:
    """Whether a row of a table of players names one."""
    return bool(
        table.cell(row, "name")
        or table.cell(row, "family_name")
        or whole(table.cell(row, "number")) is not None
    )


def _references(
    found: list[tuple[int, int, TextCell, int, str]], people: _People, faults: Faults
) -> dict[int, int]:
    """Whether cells name opponents by rank or by start number: the reading in which cells point back."""
    by_rank = people.by_rank()
    named = {(round_, number): cell.opponent for round_, number, cell, _, _ in found if cell.opponent}

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


def _paired_cells(pairings: list[Pairing], people: _People, faults: Faults) -> list[dict[int, Cell]]:
    numbers = people.numbers()
    rounds: list[dict[int, Cell]] = []
    for pairing in pairings:
        one = pairing.first_number if pairing.first_number in numbers and not pairing.first else 0
        one = one or (people.by_name(pairing.first, pairing.first_number) if pairing.first else 0)
        two = (
            people.by_name(pairing.second, pairing.second_number) if pairing.second else pairing.second_number
        )
        people.add_rating(one, pairing.first_rating, pairing.line)
        people.add_rating(two, pairing.second_rating, pairing.line)
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
    check_size(len(people.numbers()), len(rounds), faults.file)
    for cells in rounds:
        for number in people.numbers():
            cells.setdefault(number, Cell(0, "", "", 0))
    return rounds


def _discipline_of_marks(marks: set[str]) -> str:
    return "xiangqi" if marks & {"红", "紅"} else ""
