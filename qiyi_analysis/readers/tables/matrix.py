"""Cross tables of round robins: a row and a column for every player, the results of their games between.

Rounds and colours do not stand in such a table. The games are laid into rounds by the circle of Berger, so
that nobody plays twice in a round, and a finding says that the rounds are assumed.
"""

from __future__ import annotations

import re

from qiyi_analysis.readers import fields
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.cell_text import looks_like_cell
from qiyi_analysis.readers.tables.crosstable import Cell
from qiyi_analysis.readers.tables.sheet_tables import HeadedRows

_TOKEN = re.compile(r"1/2|0[.,]5|½|[012]|=|\+|-|胜|勝|负|負|和|平")
_CODES = {
    "½": "=",
    "1/2": "=",
    "0.5": "=",
    "0,5": "=",
    "和": "=",
    "平": "=",
    "胜": "1",
    "勝": "1",
    "负": "0",
    "負": "0",
}
_OWN = frozenset(
    {
        "*",
        "x",
        "█",
        "■",
        "\\",
        "╲",
        "╱",
        "＼",
        "/",
        "·",
        "×",
        "-",
        "—",
        "--",
        "**",
        "***",
        "xx",
        "xxx",
        "××",
        "██",
        "",
    }
)
#: The largest field of a round robin.
MOST_PLAYERS = 64


def is_matrix(table: HeadedRows, order: list[int]) -> bool:
    """Whether a table has one column for each of its players and results in them."""
    places = places_of_players(table)
    if not 2 <= len(order) <= MOST_PLAYERS or len(places) != len(order):
        return False
    cells = [
        row.cells[place]
        for row in table.rows
        for place in places
        if place < len(row.cells) and row.cells[place]
    ]
    own = [row.cells[place] for row, place in zip(table.rows, places, strict=False) if place < len(row.cells)]
    if sum(1 for cell in own if cell.casefold() in _OWN) * 5 < len(own) * 4:
        return False  # on the diagonal nobody has a result
    # With marks on the diagonal ``1½`` is two results, without them it may be a draw with number 1.
    marked = sum(1 for cell in own if cell) * 5 >= len(own) * 4
    results = any(_TOKEN.search(fields.plain(cell)) for cell in cells)
    return results and (marked or not any(looks_like_cell(cell) for cell in cells))


def places_of_players(table: HeadedRows) -> list[int]:
    """The columns that are headed by the players of the rows: by their places 1, 2, 3 or by their names."""
    bare = {place: int(name[2:]) for place, name in table.columns.items() if name.startswith("#:")}
    ordered = sorted(bare)
    if bare:
        return ordered if [bare[place] for place in ordered] == list(range(1, len(bare) + 1)) else []
    # Names of players as headers, in the order of the rows.
    heads = [_name(cell) for cell in table.head.cells]
    named = [_name(table.cell(row, "name")) for row in table.rows]
    places = [heads.index(name) for name in named if name and name in heads]
    return places if len(places) > 1 and places == sorted(set(places)) else []


def _name(text: str) -> str:
    return "".join(text.split())


def matrix_cells(table: HeadedRows, order: list[int], faults: Faults) -> list[dict[int, Cell]]:
    """The cells as a cross table by rounds."""
    places = places_of_players(table)
    size = len(order) + len(order) % 2
    results: dict[tuple[int, int], list[str]] = {}
    two = False
    signs = any(cell in ("+", "＋") for row in table.rows for cell in row.cells)
    for i, row in enumerate(table.rows[: len(order)]):
        for j, place in enumerate(places):
            text = fields.plain(row.cells[place]) if place < len(row.cells) else ""
            if i == j or (text.casefold() in _OWN and not (signs and text == "-")):
                continue
            codes = [_CODES.get(token, token) for token in _TOKEN.findall(text)]
            if not codes:
                faults.add(
                    "CK15",
                    "cell-not-understood",
                    line=row.line,
                    column=place + 1,
                    round=0,
                    player=order[i],
                    read=text,
                )
            two = two or "2" in codes
            results[i, j] = codes
    if {code for codes in results.values() for code in codes} == {"+", "-", "="}:
        played = {
            "+": "1",
            "-": "0",
            "=": "=",
        }  # with draws and without 1 and 0 the signs are results of games
        results = {pair: [played[code] for code in codes] for pair, codes in results.items()}
    cycles = max((len(codes) for codes in results.values()), default=0)
    rounds: list[dict[int, Cell]] = [{} for _ in range(cycles * (size - 1))]
    for (i, j), codes in results.items():
        for cycle, code in enumerate(codes):
            if two:
                code = {"2": "1", "1": "=", "0": "0"}.get(code, code)
            round_ = cycle * (size - 1) + berger_round(i + 1, j + 1, size)
            rounds[round_ - 1][order[i]] = Cell(order[j], "", code, table.rows[i].line, code)
    for cells in rounds:
        for number in order:
            cells.setdefault(number, Cell(0, "", "", 0))
    faults.add("CK49", "rounds-assumed", severity="I", line=table.head.line, field="round")
    return rounds


def berger_round(one: int, two: int, size: int) -> int:
    """Round (from 1) in which two of ``size`` players meet on the circle; ``size`` is even."""
    if size in (one, two):
        return (2 * min(one, two) - 2) % (size - 1) + 1
    return (one + two - 2) % (size - 1) + 1
