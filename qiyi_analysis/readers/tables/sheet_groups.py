"""Which tables of a workbook or page are one event: those with the same players. Two groups are two events.

Lists of referees and prizes, tables of teams and the like name none of the players, or are joined by name only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.delimited import Row
from qiyi_analysis.readers.tables.matrix import places_of_players
from qiyi_analysis.readers.tables.sheet_tables import HeadedRows, is_pairing
from qiyi_analysis.readers.tables.sheets import Sheet


@dataclass(slots=True)
class Group:
    """The tables of one event, and its players' names."""

    tables: list[HeadedRows]
    names: set[str] = field(default_factory=set)

    def title(self, alone: bool) -> str:
        """What tells the group from others: its sheet, or the title above its table. ``alone``: it has the sheet to itself."""
        table = self.tables[0]
        if alone and table.sheet:
            return table.sheet
        return next(
            (cell for row in reversed(table.before) for cell in row.cells if "组" in cell or "組" in cell), ""
        )


def groups_of(tables: list[HeadedRows], faults: Faults) -> list[Group]:
    """The events in some tables; all of them in one group where no table shows whom others are about."""
    crosses = [table for table in tables if not is_pairing(table) and _has_results(table)]
    if not crosses:
        return [Group(_in_order(tables))]
    groups: list[Group] = []
    for table in crosses:
        names = _names(table)
        group = next((one for one in groups if not names or _share(names, one.names) >= 0.5), None)
        if group is None:
            groups.append(group := Group([]))
        group.tables.append(table)
        group.names |= names
    for table in tables:
        if table in crosses:
            continue
        names = _names(table)
        best = max(groups, key=lambda one: len(names & one.names))
        if names and not names & best.names and not is_pairing(table):
            first = " ".join(cell for cell in table.head.cells if cell)[:60]
            faults.add(
                "CK49",
                "table-left-out",
                severity="I",
                line=table.head.line,
                read=first,
                sheet=table.sheet or "-",
                rows=len(table.rows),
            )
            continue
        best.tables.append(table)
    place = {id(table): i for i, table in enumerate(tables)}
    for group in groups:
        group.tables = _in_order(sorted(group.tables, key=lambda table: place[id(table)]))
    return groups


def _in_order(tables: list[HeadedRows]) -> list[HeadedRows]:
    """Tables that number the players before those with ranks only, which are joined by name."""
    return sorted(tables, key=lambda table: not is_pairing(table) and table.place("number") is None)


def _has_results(table: HeadedRows) -> bool:
    places = [*table.rounds(), *places_of_players(table)]
    return any(row.cells[place] for row in table.rows for place in places if place < len(row.cells))


def _names(table: HeadedRows) -> set[str]:
    columns = ("white", "red", "black") if is_pairing(table) else ("name", "family_name")
    found = {"".join(table.cell(row, column).split()).casefold() for row in table.rows for column in columns}
    return {name for name in found if name and not name.isdecimal()}


def _share(names: set[str], others: set[str]) -> float:
    return len(names & others) / max(1, min(len(names), len(others)))


def sheets_of(group: Group, groups: list[Group], sheets: list[Sheet]) -> list[Sheet]:
    """The rows that are about a group: its sheets, and of a sheet of several groups its own tables with their titles."""
    own = {id(row) for table in group.tables for row in table.held}
    others = {id(row) for one in groups if one is not group for table in one.tables for row in table.held}
    found = []
    for sheet in sheets:
        mine = any(id(row) in own for row in sheet.rows)
        if not any(id(row) in others for row in sheet.rows):
            found.append(sheet)
        elif mine:
            rows: list[Row] = [
                row
                for table in group.tables
                if table.sheet == sheet.name
                for row in (*table.before, *table.held)
            ]
            found.append(Sheet(sheet.name, rows))
    return found
