"""Board pairings of team matches as result pages print them.

A row for the match (``Bo. | 1 | Team A | Rtg | - | 2 | Team B | Rtg | 2½:1½``), then a row for each board
(``1.1 | IM | Name | 2400 | - | | Name | 2300 | 1 - 0``). The result of a board belongs to the order of the
teams, not to White and Black: the first team has White on the odd boards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.delimited import Row
from qiyi_analysis.readers.tables.heads import round_in
from qiyi_analysis.readers.tables.pairings import Pairing, codes_of
from qiyi_analysis.readers.tables.sheets import Sheet

_BOARD = re.compile(r"(\d{1,3})\.(\d{1,2})\Z")
_RATING = re.compile(r"\d{3,4}\Z")


@dataclass(frozen=True, slots=True)
class Member:
    """One side of a board: what its cells say."""

    name: str
    team: str
    board: int
    rating: str
    title: str
    line: int


def board_games(sheets: list[Sheet], faults: Faults) -> tuple[list[Pairing], list[Member]]:
    """The games and the players of all board pairings; two empty lists where there are none."""
    games: list[Pairing] = []
    members: list[Member] = []
    for sheet in sheets:
        if sum(1 for row in sheet.rows if _split(row)) < 2:
            continue
        round_ = round_in(sheet.name) or 1
        teams = ("", "")
        for row in sheet.rows:
            parts = _split(row)
            if parts is None:
                round_ = round_in(" ".join(row.cells)) or round_
                teams = _teams(row) or teams
                continue
            board, left, right, result = parts
            one, two = _member(left, teams[0], board, row.line), _member(right, teams[1], board, row.line)
            members += [member for member in (one, two) if member.name]
            codes = codes_of(result, False, faults, row, round_)
            if not one.name or (board % 2 == 0 and two.name):
                one, two, codes = two, one, codes[::-1]
            if one.name:
                if not two.name:
                    codes = ("+" if codes[0] in ("1", "+") else "-", "")
                games.append(Pairing(round_, one.name, two.name, 0, 0, codes, row.line, result))
    if games:
        faults.once("CK49", "board-colours", line=games[0].line, severity="I")
    return games, members


def _split(row: Row) -> tuple[int, list[str], list[str], str] | None:
    """Board, cells of both sides and result of a board's row; None for another row."""
    cells = row.cells
    match = _BOARD.match(cells[0]) if cells else None
    if match is None or len(cells) < 4:
        return None
    places = [place for place, cell in enumerate(cells[1:-1], 1) if cell in ("-", "–", ":")]
    if not places:
        return None
    return int(match[2]), cells[1 : places[0]], cells[places[0] + 1 : -1], cells[-1]


def _teams(row: Row) -> tuple[str, str] | None:
    """Names of both teams in the row of a match."""
    cells = row.cells
    places = [place for place, cell in enumerate(cells) if cell in ("-", "–")]
    if not places or len(cells) < 4:
        return None
    left, right = cells[: places[0]], cells[places[0] + 1 :]
    names = [
        max(
            (c for c in side if re.search(r"[^\W\d_]{2}", c) and c not in ("Rtg", "Bo.", "Br.", "Elo")),
            key=len,
            default="",
        )
        for side in (left, right)
    ]
    return (names[0], names[1]) if all(names) else None


def _member(cells: list[str], team: str, board: int, line: int) -> Member:
    rating = next((cell for cell in reversed(cells) if _RATING.match(cell)), "")
    words = [cell for cell in cells if re.search(r"[^\W\d_]", cell)]
    name = max(words, key=len, default="")
    title = next((cell for cell in words if cell != name and len(cell) <= 3), "")
    return Member(
        name if name.casefold() not in ("spielfrei", "not paired", "bye") else "",
        team,
        board,
        rating,
        title,
        line,
    )
