"""From the cells of a cross table (one per player and round) to games.

A cell names the opponent, the colour and a result letter of TRF. Both cells of a game must point at each
other; where they do not, the game is not rated: it becomes a row ``unplayed`` that keeps what was
printed, and a finding CK15 says which cell does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from qiyi_analysis.model.event import Kind
from qiyi_analysis.readers.draft import Columns, add_game
from qiyi_analysis.readers.faults import Faults


class Cell(NamedTuple):
    """One player's entry for one round. ``colour`` is w (first move), b or ""; ``code`` a TRF letter."""

    opponent: int
    colour: str
    code: str
    line: int
    text: str = ""


#: Result letters with an opponent: result, and the family they belong to.
_LETTERS = {
    "1": ("1", "game"), "=": ("=", "game"), "0": ("0", "game"),
    "W": ("1", "short"), "D": ("=", "short"), "L": ("0", "short"),
    "+": ("1", "forfeit"), "-": ("0", "forfeit"), "": ("", ""),
}  # fmt: skip
#: Letters of a round without opponent, and whether the letter is the proper one for it.
_BYES = {
    "U": (Kind.PAB, True), "F": (Kind.FULL_BYE, True), "H": (Kind.HALF_BYE, True), "Z": (Kind.ZERO_BYE, True),
    "": (Kind.ZERO_BYE, True), "-": (Kind.ZERO_BYE, True), "+": (Kind.PAB, False), "1": (Kind.FULL_BYE, False),
    "=": (Kind.HALF_BYE, False), "0": (Kind.ZERO_BYE, False), "W": (Kind.FULL_BYE, False), "D": (Kind.HALF_BYE, False),
    "L": (Kind.ZERO_BYE, False),
}  # fmt: skip
_FAMILY_KIND = {"game": Kind.PLAYED, "short": Kind.UNRATED, "forfeit": Kind.FORFEIT}
_OPPOSITE = {"1": "0", "0": "1", "=": "=", "": ""}
_KIND_RESULT = {Kind.PAB: "1", Kind.FULL_BYE: "1", Kind.HALF_BYE: "=", Kind.ZERO_BYE: "0"}

Points = Callable[[Kind, str, bool], float]


def pair_cells(
    rounds: Sequence[Mapping[int, Cell]],
    games: Columns,
    faults: Faults,
    *,
    listed: frozenset[int] | set[int],
    points: Points,
    teams: bool = False,
    place: Callable[[int], str] = lambda round_: "",
    with_colours: bool = True,
) -> None:
    """Append the games of all rounds to ``games``.

    ``rounds[r]`` maps a player's number to the cell of round r + 1. ``teams``: a ``+`` without opponent is
    the point of a match won by forfeit, not a bye. ``place(round)`` names the columns of a cell. ``with_colours``: cells
    of this kind have colours, so that one without is noted (a matrix has none).
    """
    for index, cells in enumerate(rounds):
        round_ = index + 1
        done: set[int] = set()
        claimed = {cell.opponent for cell in cells.values() if cell.opponent}
        for number, cell in cells.items():
            if number in done:
                continue
            if not cell.opponent:
                if not cell.code and not cell.text.strip() and number in claimed:
                    continue  # somebody's game against this player is reported there
                _add_bye(games, faults, number, cell, round_, teams, place)
                continue
            if cell.opponent == number:
                faults.add(
                    "CK15", "against-himself", line=cell.line, column=place(round_), round=round_, player=number,
                    field="opponent", read=cell.text.strip(),
                )  # fmt: skip
                _keep(games, number, 0, cell, round_, points)
                continue
            if cell.code in ("U", "F", "H", "Z"):
                faults.add(
                    "CK15", "bye-with-opponent", line=cell.line, column=place(round_), round=round_, player=number,
                    field="result", read=cell.text.strip(),
                )  # fmt: skip
                _add_bye(games, faults, number, cell, round_, teams, place)
                continue
            other = cells.get(cell.opponent)
            if other is not None and other.opponent == number and other.code not in ("U", "F", "H", "Z"):
                done.add(cell.opponent)
                _add_pair(games, faults, number, cell, other, round_, place, points, with_colours)
            elif cell.opponent not in listed:
                _add_one_sided(games, number, cell, round_)
            else:
                theirs = "" if other is None else other.text.strip()
                faults.add(
                    "CK15", "not-pointing-back", line=cell.line, column=place(round_), round=round_, player=number,
                    field="opponent", read=cell.text.strip(), assumed="not rated", opponent=cell.opponent,
                    theirs=theirs or "-",
                )  # fmt: skip
                free = other is None or (not other.opponent and not other.code and not other.text.strip())
                _keep(games, number, cell.opponent if free else 0, cell, round_, points)


def _keep(games: Columns, number: int, opponent: int, cell: Cell, round_: int, points: Points) -> None:
    """A cell that fits no other: kept as printed, without being rated."""
    result, family = _LETTERS.get(cell.code, ("", ""))
    printed = points(_FAMILY_KIND[family], result, cell.colour != "b") if family else 0.0
    add_game(
        games, round=round_, first=number, second=opponent, kind=Kind.UNPLAYED, first_result=result,
        first_points=printed, second_points=0.0 if opponent else float("nan"), colours_known=False, line=cell.line,
    )  # fmt: skip


def _add_bye(
    games: Columns, faults: Faults, number: int, cell: Cell, round_: int, teams: bool, place: Callable[[int], str]
) -> None:  # fmt: skip
    if teams and cell.code == "+":
        add_game(
            games,
            round=round_,
            first=number,
            second=0,
            kind=Kind.FORFEIT,
            first_result="1",
            colours_known=False,
            line=cell.line,
        )
        return
    kind, proper = _BYES[cell.code]
    if not proper:
        faults.add(
            "CK19", "bye-letter", severity="I" if kind is Kind.HALF_BYE else "W", line=cell.line, column=place(round_),
            round=round_, player=number, field="result", read=cell.text.strip(), assumed=kind,
        )  # fmt: skip
    add_game(
        games, round=round_, first=number, second=0, kind=kind, first_result=_KIND_RESULT[kind], colours_known=False,
        line=cell.line,
    )  # fmt: skip


def _add_one_sided(games: Columns, number: int, cell: Cell, round_: int) -> None:
    """A game against somebody the list of players does not name (CK07 is reported for him)."""
    result, family = _LETTERS[cell.code]
    kind = _FAMILY_KIND.get(family, Kind.UNPLAYED)
    one, two = (number, cell.opponent) if cell.colour != "b" else (cell.opponent, number)
    results = (result, _OPPOSITE[result]) if one == number else (_OPPOSITE[result], result)
    add_game(
        games, round=round_, first=one, second=two, kind=kind, first_result=results[0], second_result=results[1],
        colours_known=cell.colour != "", line=cell.line,
    )  # fmt: skip


def _add_pair(
    games: Columns, faults: Faults, number: int, cell: Cell, other: Cell, round_: int, place: Callable[[int], str], points: Points, with_colours: bool
) -> None:  # fmt: skip
    opponent = cell.opponent
    known = True
    if cell.colour == other.colour:
        known = False
        swap = False
        if cell.colour:
            faults.add(
                "CK15", "same-colour", line=other.line, column=place(round_), round=round_, player=opponent,
                field="colour", read=other.text.strip(), theirs=cell.text.strip(), opponent=number,
            )  # fmt: skip
        elif cell.code in ("+", "-"):
            faults.once(
                "CK23", "forfeit-without-colour", line=cell.line, severity="I", read=cell.text.strip()
            )
        elif with_colours:
            faults.once("CK23", "game-without-colour", line=cell.line, read=cell.text.strip())
    else:
        swap = cell.colour == "b" or other.colour == "w"
        if not cell.colour or not other.colour:
            faults.once(
                "CK23", "colour-of-one-side", line=(other if cell.colour else cell).line, severity="I"
            )
    (one, one_family), (two, two_family) = _LETTERS[cell.code], _LETTERS[other.code]
    first_points = second_points = float("nan")
    if one_family == two_family:
        kind = _FAMILY_KIND.get(one_family, Kind.UNPLAYED)
        if one == two == "0":
            kind = {"game": Kind.DOUBLE_LOSS, "short": Kind.DOUBLE_LOSS, "forfeit": Kind.DOUBLE_FORFEIT}[
                one_family
            ]
            if one_family == "game":
                faults.add(
                    "CK20", "double-zero", line=cell.line, column=place(round_), round=round_, player=number,
                    field="result", read="0-0", assumed=kind, opponent=opponent,
                )  # fmt: skip
    elif "" in (one_family, two_family):
        # The result of one side only: kept as printed, not rated.
        kind = Kind.UNPLAYED
        empty = other if cell.code else cell
        faults.add(
            "CK15", "pair-one-sided", line=empty.line, column=place(round_), round=round_,
            player=opponent if cell.code else number, field="result", read=f"{cell.code or '?'}-{other.code or '?'}",
            first=number, second=opponent,
        )  # fmt: skip
        first_points = points(_FAMILY_KIND[one_family], one, not swap) if one_family else 0.0
        second_points = points(_FAMILY_KIND[two_family], two, swap) if two_family else 0.0
    else:
        kind = Kind.FORFEIT if "forfeit" in (one_family, two_family) else Kind.UNRATED
        faults.add(
            "CK15", "mixed-letters", line=cell.line, column=place(round_), round=round_, player=number, field="result",
            read=cell.text.strip(), assumed=kind, theirs=other.text.strip(), opponent=opponent,
        )  # fmt: skip
    if swap:
        number, opponent, one, two = opponent, number, two, one
        first_points, second_points = second_points, first_points
    add_game(
        games, round=round_, first=number, second=opponent, kind=kind, first_result=one, second_result=two,
        first_points=first_points, second_points=second_points, colours_known=known, line=cell.line,
    )  # fmt: skip
