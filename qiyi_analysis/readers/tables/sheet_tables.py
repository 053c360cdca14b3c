"""The tables of a sheet: rows under heads that are recognised, title rows above."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from qiyi_analysis import words
from qiyi_analysis.model.characters import simplified
from qiyi_analysis.readers.draft import MOST_ROUNDS
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.delimited import Row
from qiyi_analysis.readers.tables.heads import column_of, folded, is_head, match_heads, round_in
from qiyi_analysis.readers.tables.player_fields import whole
from qiyi_analysis.readers.tables.sheets import Sheet


@dataclass(slots=True)
class HeadedRows:
    """Rows under one row of heads."""

    sheet: str
    head: Row
    columns: dict[int, str]
    rows: list[Row] = field(default_factory=list)
    before: list[Row] = field(default_factory=list)  # title rows above
    #: Rows of the sheet that belong to the table, repeated heads among them.
    held: list[Row] = field(default_factory=list)
    #: Place of a round -> the columns that hold its opponent, colour and result, where they are parted.
    parts: dict[int, list[int]] = field(default_factory=dict)

    def joined(self, row: Row) -> Row:
        """A row with the columns of each round in the round's first one."""
        if not self.parts:
            return row
        cells = [*row.cells, *[""] * (max(self.columns) + 2 - len(row.cells))]
        for start, places in self.parts.items():
            texts = [cells[place] for place in places if place < len(cells)]
            for place in places:
                cells[place] = ""
            cells[start] = " ".join(filter(None, texts))
        return Row(row.line, cells)

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


def split_tables(
    sheet: Sheet, faults: Faults, mapping: Mapping[str, str] | None = None
) -> Iterator[HeadedRows]:
    """Cut a sheet into tables at every row of heads; rows of a single cell are titles and notes."""
    before: list[Row] = []
    table: HeadedRows | None = None
    for place, row in enumerate(sheet.rows):
        found = match_heads(row, mapping)
        if table and not table.rows and table.rounds() and (parts := _under_rounds(table, row)):
            table.parts = parts
            table.held.append(row)
            continue
        if is_head(found, row) and not (table and _is_data(table, row)):
            if table and not table.rows and table.columns:
                table.columns = {**table.columns, **found}  # a second row of heads (the other language)
                table.held.append(row)
                continue
            if table and _goes_on(table, row, sheet.rows[place + 1 :]):
                faults.once("CK49", "heads-again", severity="I", line=row.line)
                table.held.append(row)
                continue
            if table and table.rows:
                yield table
            table = HeadedRows(sheet.name, row, found, before=before, held=[row])
            before = []
            continue
        filled = sum(1 for cell in row.cells if cell)
        if table is None or filled < 2 or _is_note(table, row):
            before.append(row)
        else:
            table.rows.append(table.joined(row))
            table.held.append(row)
    if table and table.rows:
        yield table


#: What stands in the second row of heads, below a round's.
_PARTS = {"opponent": 0, "number": 0, "name": 0, "colour": 1, "result": 2, "points": 2}


def _under_rounds(table: HeadedRows, row: Row) -> dict[int, list[int]]:
    """Place of a round -> the columns below its head, opponent first, where a second row of heads parts the rounds."""
    starts = sorted(table.rounds())
    found: dict[int, list[tuple[int, int]]] = {}
    for place, cell in enumerate(row.cells):
        if not cell or (place < len(table.head.cells) and cell == table.head.cells[place]):
            continue  # cells merged over both rows
        start = max((one for one in starts if one <= place), default=-1)
        part = _PARTS.get("colour" if cell in _COLOURS else column_of(cell), -1)
        if start < 0 or part < 0:
            return {}
        found.setdefault(start, []).append((part, place))
    if len(found) < len(starts) or not any(len(parts) > 1 for parts in found.values()):
        return {}
    return {start: [place for _, place in sorted(parts)] for start, parts in found.items()}


_COLOURS = frozenset({"颜色", "先后", "先后手", "红黑", "白黑", "黑白", "colour", "color", "col", "c"})


def _goes_on(table: HeadedRows, row: Row, rest: Sequence[Row]) -> bool:
    """Whether a row repeats the heads of a table that goes on below it; where the numbers begin anew it is another one."""
    if not table.rows or [folded(cell) for cell in row.cells] != [folded(cell) for cell in table.head.cells]:
        return False
    column = "number" if table.place("number") is not None else "rank"
    known = {whole(table.cell(one, column)) for one in table.rows} - {None}
    following = next((number for one in rest if (number := whole(table.cell(one, column))) is not None), None)
    return following is not None and following not in known


def _is_data(table: HeadedRows, row: Row) -> bool:
    """A row whose words happen to be known as heads but that has a number where the table has numbers."""
    return any(table.cell(row, column).isdecimal() for column in ("number", "rank"))


#: Sums and averages below the players.
_SUMS = re.compile(
    r"合计|总计|共计|小计|平均|总平均|共\s*\d+\s*[人名位]"
    r"|(?:total|sum|average|mean|summe|durchschnitt|mittelwert|итого|среднее)\s*[:：]?\Z",
    re.IGNORECASE,
)
#: ``裁判长签字：`` and ``日期：2024年5月6日``; a time of day has digits before the colon.
_KEY = re.compile(r"[^:：\d]{1,30}[:：]")


def _is_note(table: HeadedRows, row: Row) -> bool:
    """A row below the players that names none: signatures, the day, sums. No person's name has a colon, and where the
    players have numbers a word in their place begins no player's row."""
    number = table.cell(row, "number")
    if whole(number) is not None or is_pairing(table) or table.place("name") is None:
        return False
    if number and not any(sign.isdigit() for sign in number):
        numbered = sum(whole(table.cell(other, "number")) is not None for other in table.rows)
        if numbered >= 2 and numbered == len(table.rows):
            return True
    first = [cell for cell in row.cells if cell][:2]
    return tells_no_person([*first, table.cell(row, "name"), number])


def tells_no_person(cells: Iterable[str]) -> bool:
    """Whether one of the cells where a name or number stands says that the row is a sum, a count or a signature."""
    plain = [simplified(cell).strip() for cell in cells]
    return any(_KEY.match(cell) or _SUMS.match(cell) for cell in plain)


def is_sum(cells: Iterable[str]) -> bool:
    """Whether one of the cells says that the row is a sum, a mean or a count."""
    return any(_SUMS.match(simplified(cell).strip()) for cell in cells)


def is_pairing(table: HeadedRows) -> bool:
    """Whether the rows are games: a side in one column, the other in another."""
    columns = set(table.columns.values())
    return bool(columns & {"white", "red"}) and "black" in columns


def names_player(table: HeadedRows, row: Row) -> bool:
    """Whether a row of a table of players names one."""
    return bool(
        table.cell(row, "name")
        or table.cell(row, "family_name")
        or whole(table.cell(row, "number")) is not None
    )


def team_above(table: HeadedRows) -> str:
    """Name of the team in the title of a table of boards (``3. Team A (RtgAvg:2345 / TB1: 10)``)."""
    if table.place("board") is None or not table.before:
        return ""
    match = re.match(r"\s*\d{1,3}\.\s+([^(]{2,60}?)\s*(?:\(|$)", " ".join(table.before[-1].cells)[:200])
    return match[1] if match and not round_in(match[0]) else ""


def report_heads(table: HeadedRows, faults: Faults) -> None:
    """Tell what the heads were taken for, and which were not understood."""
    told = words.joined(
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
        unknown=unknown or "-",
    )
