"""The players of the tables of a sheet, joined by number and by name."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from qiyi_analysis.model.characters import simplified
from qiyi_analysis.model.event import PLAYER_COLUMNS, TIE_BREAK_COLUMNS
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import Columns
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.delimited import Row
from qiyi_analysis.readers.tables.player_fields import read_birth, read_number, read_rating, whole
from qiyi_analysis.readers.tables.sheet_tables import HeadedRows, team_above
from qiyi_analysis.readers.tables.team_boards import Member

_TEXTS = ("title", "federation", "unit", "team", "note", "sex", "id")
_NUMBERS = ("points", "k", "new_rating", "performance", "games_before", "peak", *TIE_BREAK_COLUMNS)


@dataclass(slots=True)
class Person:
    """What the tables say about one player; the first table that says something is kept."""

    number: int
    line: int
    values: dict[str, Any] = field(default_factory=dict)


class SheetPlayers:
    """The players of all tables, joined by number and by name."""

    def __init__(self, faults: Faults, discipline: str) -> None:
        self._faults = faults
        self._discipline = discipline
        self._players: dict[int, Person] = {}
        self._highest = 0
        self._names: dict[str, int] = {}
        self._ranks: dict[int, int] = {}
        self._orders: dict[int, list[int]] = {}

    def add(self, table: HeadedRows) -> None:
        """Join the rows of a table of players."""
        order: list[int] = []
        sign = fields.decimal_sign(table.cell(row, "change") for row in table.rows)
        ratings = {
            column: fields.rating_sign(table.cell(row, column) for row in table.rows)
            for column in ("new_rating", "performance")
        }
        last_rank = math.nan
        team = team_above(table)
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
            person.values.setdefault("name", name)
            self._fill(person, table, row, {"change": sign, "expected": sign, **ratings})
            # Players of equal rank: pages print it for the first of them only.
            if last_rank == last_rank:
                person.values.setdefault("rank", last_rank)
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
        if (
            number is None
            and table.place("number") is None
            and rank is not None
            and rank not in self._players
        ):
            number = rank
        if number is None or number <= 0:
            number = self._highest + 1
        known = self._players.get(number)
        if known is not None and name and known.values.get("name", name) != name:
            if self._names.get(name) is not None:
                known = self._players[self._names[name]]
            else:
                fresh = self._highest + 1
                self._faults.add(
                    "CK09", "number-of-two", line=row.line, player=number, field="number", read=number, assumed=fresh,
                    other=known.values["name"], name=name,
                )  # fmt: skip
                number, known = fresh, None
        if known is None:
            known = self._players[number] = Person(number, row.line)
            self._highest = max(self._highest, number)
        if name:
            self._names.setdefault(name, known.number)
        if rank is not None:
            self._ranks.setdefault(rank, known.number)
        return known

    def _fill(self, person: Person, table: HeadedRows, row: Row, signs: dict[str, str | None]) -> None:
        """Keep what the row says and no table before it said. ``signs``: the decimal signs of columns that show one."""
        self._fill_texts(person, table, row)
        if table.place("card") is not None and table.cell(row, "card"):
            self._faults.once("CK49", "card-column", line=row.line)
        if "title" not in person.values:
            self._untitled_column(table, row, person.values)
        self._fill_rating(person, table, row)
        birth, values = table.cell(row, "birth_year"), person.values
        if birth and "birth_year" not in values:
            values["birth_year"], values["birth_date"] = read_birth(
                birth, self._faults, row.line, person.number
            )
        self._fill_numbers(person, table, row, signs)

    def _fill_texts(self, person: Person, table: HeadedRows, row: Row) -> None:
        for column in _TEXTS:
            text = table.cell(row, column)
            if not text or column in person.values:
                continue
            if column == "sex":
                text = fields.read_sex(text) or ""
            elif column == "id":
                text = "" if not text.strip("0 ") else fields.read_id(text)
            elif column == "title" and (title := fields.read_title(text)):
                text = title
            cleaned, withheld = fields.without_card_numbers(text)
            if withheld:
                self._faults.add(
                    "CK49", "card-number", severity="W", line=row.line, player=person.number, field=column
                )
                cleaned = "" if column == "id" else cleaned
            person.values[column] = cleaned

    def _fill_rating(self, person: Person, table: HeadedRows, row: Row) -> None:
        text = table.cell(row, "rating")
        national = "" if text else table.cell(row, "rating_national")
        if (text or national) and "rating" not in person.values:
            person.values["rating"] = self._rating(text or national, row.line, person.number)
            if national:
                person.values["rating_kind"] = "national"

    def _rating(self, text: str, line: int, number: int) -> Any:
        return read_rating(
            text, self._faults, line, number, discipline=self._discipline, zero_is_unrated=True
        )

    def _fill_numbers(
        self, person: Person, table: HeadedRows, row: Row, signs: dict[str, str | None]
    ) -> None:
        values, faults, line, number = person.values, self._faults, row.line, person.number
        for column in _NUMBERS:
            text = table.cell(row, column)
            if text and column not in values:
                values[column] = read_number(text, faults, line, number, column, signs.get(column) or ",")
        for column in ("change", "expected"):
            text = fields.plain(table.cell(row, column)).removeprefix("+")
            if text and text != "-" and column not in values:
                values[column] = read_number(text, faults, line, number, column, signs[column] or ",")
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
        values = self._players[self.by_name(member.name)].values
        values.setdefault("team", member.team)
        values.setdefault("board", float(member.board))
        if member.title:
            values.setdefault("title", fields.read_title(member.title) or "")
        if member.rating and "rating" not in values:
            values["rating"] = self._rating(member.rating, member.line, 0)

    def order(self, table: HeadedRows) -> list[int]:
        """Numbers of the players in the order of the rows of a table."""
        return self._orders.get(id(table), [])

    def by_rank(self) -> dict[int, int]:
        """Rank -> number of the first player printed with it."""
        return self._ranks

    def names(self) -> dict[str, int]:
        """Names as cells of cross tables write them, without spaces, with their numbers; the longest first."""
        plain = {
            re.sub(r"\s", "", simplified(name)).casefold(): number for name, number in self._names.items()
        }
        return {name: plain[name] for name in sorted(plain, key=len, reverse=True) if len(name) > 1}

    def numbers(self) -> set[int]:
        """Numbers of all players so far."""
        return set(self._players)

    def by_name(self, name: str, wanted: int = 0) -> int:
        """Number of the player of that name; players of pairings only are added, with the number wanted if free."""
        if name not in self._names:
            number = wanted if wanted > 0 and wanted not in self._players else self._highest + 1
            self._players[number] = Person(number, 0, {"name": name})
            self._highest = max(self._highest, number)
            self._names[name] = number
        return self._names[name]

    def add_rating(self, number: int, text: str, line: int) -> None:
        """The rating a table of pairings gives, where no other table gave one."""
        if text and number in self._players:
            values = self._players[number].values
            if "rating" not in values:
                values["rating"] = self._rating(text, line, number)

    def complete(self) -> None:
        """Report a list that stopped at the page length of result sites."""
        listed = sum(1 for person in self._players.values() if person.line)
        if listed == 150:
            self._faults.add("CK07", "page-length", severity="W", read=listed)

    def remarks(self) -> list[tuple[int, int, Mapping[str, Any]]]:
        """Number, line and values of each player."""
        return [(number, person.line, person.values) for number, person in sorted(self._players.items())]

    def columns(self) -> Columns:
        """Columns of the players table, by number."""
        names = [n for n in PLAYER_COLUMNS if n not in ("number", "line")]
        columns: Columns = {"number": [], "line": [], **{name: [] for name in names}}
        for number in sorted(self._players):
            person = self._players[number]
            columns["number"].append(number)
            columns["line"].append(person.line)
            for name in names:
                empty: Any = "" if PLAYER_COLUMNS[name] == "text" else math.nan
                columns[name].append(person.values.get(name, empty))
        return columns
