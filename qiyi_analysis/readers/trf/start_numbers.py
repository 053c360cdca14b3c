"""Start numbers of a report file: a number that is missing or stands twice is found from the opponents.

The cells of a player's opponents say by which number they mean him.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from qiyi_analysis.readers.draft import MOST_ROUNDS
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.crosstable import Cell
from qiyi_analysis.readers.trf.columns_moved import CELL, FIRST_CELL

#: Lines with the same number that are looked at; more of them is no list of players.
_MOST_TWINS = 4


def start_numbers(texts: Sequence[tuple[int, str]], faults: Faults) -> tuple[list[int], dict[int, list[int]]]:
    """The start number of every player line, and which numbers were given in place of one that stands twice.

    ``texts``: line number and line in its columns.
    """
    printed = [whole_number(text[4:8]) for _, text in texts]
    places: dict[int, list[int]] = {}
    for place, number in enumerate(printed):
        if number:
            places.setdefault(number, []).append(place)
    if len(places) == len(texts):
        return printed, {}
    opponents = [_opponents(text) for _, text in texts]
    numbers = [0] * len(texts)
    for number, own in places.items():
        numbers[_rightful(own, number, places, opponents)] = number
    highest = max(max(places, default=0), max((max(row, default=0) for row in opponents), default=0))
    twins: dict[int, list[int]] = {}
    taken = set(places)
    for place, (line, text) in enumerate(texts):
        if numbers[place]:
            continue
        given = _meant(place, places, opponents, taken)
        if not given:
            given = highest = highest + 1
        numbers[place] = given
        taken.add(given)
        facts: dict[str, Any] = {
            "line": line,
            "column": "5-8",
            "field": "number",
            "read": text[4:8].strip(),
            "assumed": given,
        }
        if printed[place]:
            twins.setdefault(printed[place], [printed[place]]).append(given)
            faults.add("CK09", "start-number-twice", player=printed[place], **facts)
        else:
            faults.add("CK43", "start-number-unreadable", severity="E", **facts)
    return numbers, twins


def whole_number(text: str) -> int:
    """The whole number in some columns, 0 where there is none."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() else 0


def _opponents(text: str) -> list[int]:
    """The opponent of every round, 0 for none."""
    return [
        whole_number(text[begin : begin + 4])
        for begin in range(FIRST_CELL, min(len(text), FIRST_CELL + CELL * MOST_ROUNDS), CELL)
    ]


def _named_by_opponents(
    place: int, places: Mapping[int, list[int]], opponents: Sequence[list[int]]
) -> Counter[int]:
    """How often the opponents of a line mean it by which number."""
    votes: Counter[int] = Counter()
    for round_, opponent in enumerate(opponents[place]):
        for other in places.get(opponent, ())[:_MOST_TWINS]:
            if other != place and round_ < len(opponents[other]) and opponents[other][round_]:
                votes[opponents[other][round_]] += 1
    return votes


def _rightful(
    own: Sequence[int], number: int, places: Mapping[int, list[int]], opponents: Sequence[list[int]]
) -> int:
    """Of the lines with the same number the one its opponents point at; the first where that decides nothing."""
    if len(own) == 1:
        return own[0]
    return max(
        own[:_MOST_TWINS], key=lambda place: _named_by_opponents(place, places, opponents).get(number, 0)
    )


def _meant(
    place: int, places: Mapping[int, list[int]], opponents: Sequence[list[int]], taken: set[int]
) -> int:
    """The one number without a line by which all opponents mean this line; 0 where they do not agree."""
    votes = _named_by_opponents(place, places, opponents)
    free = [number for number in votes if number not in taken]
    games = sum(1 for opponent in opponents[place] if opponent in places)
    return free[0] if len(free) == 1 and 2 * votes[free[0]] > games else 0


def tell_twins_apart(rounds: list[dict[int, Cell]], twins: Mapping[int, list[int]]) -> None:
    """Where a start number occurs twice, an opponent means the one whose own cell points back to him."""
    printed = {number: shown for shown, own in twins.items() for number in own}
    for cells in rounds:
        for number, cell in list(cells.items()):
            for candidate in twins.get(cell.opponent, ())[:_MOST_TWINS]:
                theirs = cells.get(candidate)
                if (
                    theirs is not None
                    and theirs.opponent == printed.get(number, number)
                    and candidate != number
                ):
                    cells[number] = cell._replace(opponent=candidate)
                    break
