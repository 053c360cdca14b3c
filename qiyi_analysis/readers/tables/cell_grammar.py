"""Cells of cross tables by a grammar: opponent, colour and result in any order, with or without signs between.

What a cell means can depend on the others: ``12/1`` names the opponent first or the result, ``12+`` is a win or a forfeit,
``12W`` a colour or a win. The reading of a table is the one in which most games agree from both sides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from qiyi_analysis.model.characters import simplified
from qiyi_analysis.readers.fields import plain
from qiyi_analysis.readers.tables.cell_text import TextCell, split_cell


class Reading(NamedTuple):
    """How the cells of a table are meant."""

    result_first: bool = False
    #: ``+``, ``-`` and ``=`` are results of games that were played.
    signs_played: bool = False
    #: ``W``, ``D`` and ``L`` are results, not colours.
    letters: bool = False


READINGS = tuple(
    Reading(first, signs, letters)
    for letters in (False, True)
    for signs in (False, True)
    for first in (False, True)
)

_TOKEN = re.compile(
    r"(?P<named>\ue000\d+\ue001)"
    r"|(?P<half>½|1/2|\.5|0[.,]50?(?!\d))"
    r"|(?P<whole>[012][.,]0+(?!\d))"
    r"|(?P<bye>轮空|bye|spielfrei)"
    r"|(?P<forfeit>弃权|不战|缺席|未到|缺|ff|(?<=\d)f\b)"
    r"|(?P<word>胜|负|和棋?|平|赢|输)"
    r"|(?P<colour>红[方棋]?|黑[方棋]?|白[方棋]?|先[手走]?|后[手走]?)"
    r"|(?P<letter>[wblds](?![a-z]))"
    r"|(?P<mark>[○●△▲×◎〇])"
    r"|(?P<number>\d{1,6})"
    r"|(?P<sign>[+=-])"
    r"|(?P<between>[\s()\[\]{}<>/:,、;.|·]|号|第|台)"
)
_WORDS = {"胜": "1", "赢": "1", "负": "0", "输": "0", "和": "=", "和棋": "=", "平": "="}
_MARKS = {"○": "1", "〇": "1", "●": "0", "×": "0", "△": "=", "▲": "=", "◎": "="}
_LETTERS = {"w": "1", "l": "0", "d": "=", "b": ""}
_FORFEITS = {"1": "+", "0": "-", "2": "+", "": "-"}


#: 1/2 where results come first: a win against number 2.
_ONE_TWO = (("number", "1"), ("number", "2"))


@lru_cache(maxsize=1 << 14)
def _tokens(text: str) -> tuple[tuple[str, str], ...] | None:
    """Kind and text of the parts of a cell; None where something in it is none."""
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or len(found) > 12:
            return None
        kind = match.lastgroup or ""
        found.append((kind, match[0]))
        at = match.end()
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def read_cell(text: str, reading: Reading) -> TextCell | None:
    """What a cell means in a reading; None where it means nothing in it. Names are given as ``\\ue000number\\ue001``."""
    tokens = _ONE_TWO if reading.result_first and text == "1/2" else _tokens(text)
    if tokens is None:
        return None
    parts: dict[str, list[str]] = {}
    for place, (kind, token) in enumerate(tokens):
        between = 0 < place < len(tokens) - 1 and kind == "sign" and token == "-"
        if (
            between
            and tokens[place - 1][0] == "number"
            and tokens[place + 1][0] in ("number", "half", "whole")
        ):
            continue  # 12-1: the sign parts opponent and result
        parts.setdefault(kind, []).append(token)
    numbers = parts.get("number", [])
    named = parts.get("named", [])
    codes = [*map(_WORDS.__getitem__, parts.get("word", ())), *("=" for _ in parts.get("half", ()))]
    codes += [token[0] for token in parts.get("whole", ())]
    marks = [token[:1] for token in parts.get("colour", ())]
    for token in parts.get("letter", ()):
        if reading.letters and not codes and _LETTERS.get(token):
            codes.append(_LETTERS[token])
        else:
            marks.append(token)
    if not codes:
        signs = {"+": "1", "-": "0", "=": "="} if reading.signs_played else {"+": "+", "-": "-", "=": "="}
        codes += [signs[token] for token in parts.get("sign", ())]
    stones = parts.get("mark", [])
    if not codes and len(numbers) + len(named) == 1:
        codes += [_MARKS[token] for token in stones]
    if named:
        opponent, left = int(named[0][1:-1]), numbers
    elif len(numbers) == 2 and not codes:
        opponent, left = int(numbers[reading.result_first]), [numbers[not reading.result_first]]
    else:
        opponent, left = (int(numbers[0]), numbers[1:]) if numbers else (0, [])
    codes += left
    if (
        len(named) > 1
        or len(marks) > 1
        or len(codes) > 1
        or any(c not in ("0", "1", "2", "=", "+", "-") for c in codes)
    ):
        return None
    code = codes[0] if codes else ""
    if parts.get("forfeit"):
        code = _FORFEITS.get(code, code)
    if parts.get("bye"):
        return TextCell(0, "", "U") if not opponent else None
    return TextCell(opponent, marks[0] if marks else "", code) if opponent else None


def prepared(text: str, names: Mapping[str, int]) -> str:
    """A cell for :func:`read_cell`: plain characters, a player's name as his number."""
    text = simplified(plain(text)).casefold()
    if names and re.search(r"[^\W\d_]\s*[^\W\d_]", text):
        whole = re.sub(r"\s", "", text)
        for name, number in names.items():  # the longest first
            if name in whole:
                return whole.replace(name, f"\ue000{number}\ue001", 1)
    return text


class Written(NamedTuple):
    """A cell as it is written: round, player, line, place of the column, text."""

    round: int
    player: int
    line: int
    place: int
    text: str


def understood(
    cells: Sequence[Written], names: Mapping[str, int]
) -> tuple[Reading | None, list[TextCell | None]]:
    """The reading in which most games agree from both sides, None for the usual one, and what each cell means in it."""
    usual = [split_cell(one.text) for one in cells]
    best: tuple[Reading | None, list[TextCell | None]] = (None, usual)
    worth = _worth(cells, usual)
    filled = sum(1 for one in cells if one.text.strip())
    if not filled or (worth[0] * 10 >= filled * 9 and worth[1] == len(cells) and not worth[2]):
        return best
    texts = [prepared(one.text, names) for one in cells]
    for reading in READINGS:
        found = [read_cell(text, reading) or _alone(one.text) for one, text in zip(cells, texts, strict=True)]
        now = _worth(cells, found)
        if (now[0], now[1], -now[2]) > (worth[0], worth[1], -worth[2]):
            best, worth = (reading, found), now
    return best


def _alone(text: str) -> TextCell | None:
    """A cell that names nobody: a bye, an absence."""
    cell = split_cell(text)
    return cell if cell is not None and not cell.opponent else None


_OPPOSITE = {"1": "0", "2": "0", "=": "=", "+": "-"}


def _worth(cells: Sequence[Written], found: Sequence[TextCell | None]) -> tuple[int, int, int]:
    """Cells of games that both sides tell alike, cells that mean something, and whether forfeits decide more than games."""
    by_player = {(one.round, one.player): cell for one, cell in zip(cells, found, strict=True) if cell}
    agreeing = played = forfeits = 0
    for (round_, number), cell in by_player.items():
        other = by_player.get((round_, cell.opponent)) if cell.opponent else None
        if other is None or other.opponent != number or cell.opponent == number:
            continue
        pair = {cell.code, other.code}
        if _OPPOSITE.get(cell.code) == other.code or _OPPOSITE.get(other.code) == cell.code or pair == {"1"}:
            agreeing += not (cell.mark and cell.mark == other.mark)
        forfeits += pair == {"+", "-"}
        played += pair in ({"1", "0"}, {"2", "0"})
    return agreeing, sum(1 for cell in found if cell is not None), int(forfeits > played)
