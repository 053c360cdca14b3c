"""Cells of cross tables outside TRF: ``12w1``, ``12s½``, ``-1``, ``红12胜``, ``12+`` and their kin."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from qiyi_analysis.model.characters import simplified
from qiyi_analysis.readers.fields import plain

_RESULT = r"(?P<result>1/2|0[.,]5|[012](?![\d])|½|=|\+|-|k|f|胜|勝|负|負|和|平)"
_COLOUR = r"(?P<colour>[wbsnpбчrзч]|红|紅|黑|白|先|后|後)"
_OPPONENT_FIRST = re.compile(
    rf"(?P<opponent>\d{{1,6}})\s*[/:]?\s*{_COLOUR}?\s*[/:]?\s*{_RESULT}?(?P<rest>[fk]?)\Z"
)
_COLOUR_FIRST = re.compile(rf"{_COLOUR}\s*(?P<opponent>\d{{1,6}})\s*{_RESULT}?(?P<rest>)\Z")
_RESULT_FIRST = re.compile(
    rf"(?P<result>胜|勝|负|負|和|平|\+|-|=|½)\s*{_COLOUR}?\s*(?P<opponent>\d{{1,6}})(?P<rest>)\Z"
)
_COLOUR_RESULT = re.compile(
    rf"{_COLOUR}\s*(?P<result>胜|勝|负|負|和|平)\s*(?P<opponent>\d{{1,6}})(?P<rest>)\Z"
)
_ALONE = {
    "-1": "F", "-½": "H", "-=": "H", "-0,5": "H", "-0.5": "H", "-0": "Z", "--": "Z", "-": "Z", "bye": "U", "spielfrei": "U", "freilos": "U", "轮空": "U", "輪空": "U",
    "exempt": "U", "descansa": "U", "libre": "U", "своб": "U", "+": "+", "弃权": "-", "棄權": "-", "缺席": "Z", "请假": "H", "½": "H", "0": "Z", "1": "F",
    "0000-u": "U", "0000-f": "F", "0000-h": "H", "0000-z": "Z", "u": "U", "h": "H", "z": "Z", "f": "F", "-+": "+",
}  # fmt: skip
_CODES = {
    "½": "=",
    "1/2": "=",
    "0.5": "=",
    "0,5": "=",
    "=": "=",
    "和": "=",
    "平": "=",
    "1": "1",
    "胜": "1",
    "勝": "1",
    "0": "0",
    "负": "0",
    "負": "0",
    "+": "+",
    "-": "-",
    "k": "+",
    "f": "+",
}


#: Marks points without play in reports of Chinese associations (xiangqi report, 竞赛报告).
UNPLAYED_MARK = "※"
_WITHOUT_OPPONENT = {
    "": "",
    "胜": "F",
    "和": "H",
    "平": "H",
    "负": "Z",
    "0": "",
    "1": "",
    "2": "",
    "½": "",
    "0.5": "",
}


@dataclass(frozen=True, slots=True)
class TextCell:
    """A cell taken apart: opponent (0 none), colour mark as written, TRF letter, 2 for the win of 2-1-0."""

    opponent: int
    mark: str
    code: str


def split_cell(text: str) -> TextCell | None:
    """The parts of a cell; None for text that is none (a name, say)."""
    text = simplified(plain(text)).casefold()
    if len(text) > 40:
        return None
    if UNPLAYED_MARK in text:
        return _unplayed(text.replace(UNPLAYED_MARK, "").strip("() （）"))
    if text.endswith("*"):
        text = text[:-1].strip()
    if not text:
        return TextCell(0, "", "")
    if text in _ALONE:
        return TextCell(0, "", _ALONE[text])
    compact = text.replace(" ", "")
    if compact in _ALONE:
        return TextCell(0, "", _ALONE[compact])
    for pattern in (_OPPONENT_FIRST, _COLOUR_FIRST, _COLOUR_RESULT, _RESULT_FIRST):
        match = pattern.match(text) or pattern.match(compact)
        if match:
            result, forfeit = match["result"] or "", match["rest"]
            code = "2" if result == "2" else _CODES.get(result, "")
            if forfeit in ("f", "k") and code in ("1", "0"):
                code = "+" if code == "1" else "-"
            return TextCell(int(match["opponent"]), match["colour"] or "", code)
    return None


def _unplayed(text: str) -> TextCell | None:
    """A point got without play, marked ※ in Chinese reports: a forfeit with an opponent, a bye without; where the cell
    does not tell which, the printed points do."""
    cell = split_cell(text) if text not in _WITHOUT_OPPONENT else TextCell(0, "", _WITHOUT_OPPONENT[text])
    if cell is None or not cell.opponent:
        return cell
    if cell.code == "=":
        return TextCell(0, "", "H")  # half a point each and no game: no forfeit gives that
    return TextCell(cell.opponent, cell.mark, {"1": "+", "2": "+", "0": "-"}.get(cell.code, cell.code))


def looks_like_cell(text: str) -> bool:
    """Whether the text names an opponent with a colour or a result, as only cross tables do."""
    cell = split_cell(text)
    return cell is not None and bool(cell.opponent and (cell.mark or cell.code))


def first_marks(marks: Iterable[str]) -> frozenset[str]:
    """Marks of the side with the first move, decided over a whole table.

    ``b`` is Black beside ``w``, but White (blancs, blancas, bianco) beside ``n`` or ``p``. 白 is the
    second side beside 红 only in mixed sheets, else White moves first, and 先 always.
    """
    counts = Counter(marks)
    if counts["n"] or counts["p"]:
        return frozenset({"b", "先"})
    return frozenset({"w", "红", "紅", "先", "白", "б", "r"})


def in_scale(code: str, *, two_one_zero: bool) -> str:
    """TRF letter of a result that may be written 2-1-0."""
    if not two_one_zero:
        return "1" if code == "2" else code
    return {"2": "1", "1": "=", "0": "0"}.get(code, code)
