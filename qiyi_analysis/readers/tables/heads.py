"""Heads of columns: what a cell of a title row means."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources

from qiyi_analysis.model.characters import simplified
from qiyi_analysis.readers.draft import MOST_ROUNDS
from qiyi_analysis.readers.tables.delimited import Row

_DROPPED = re.compile(r"[\s.。:：·_'’`´]+")
_TWO_LANGUAGES = re.compile(r"([\u3400-\u9fff]+)[/|-]?([^\u3400-\u9fff]+)\Z")
_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九十")}


@lru_cache(maxsize=1 << 14)
def folded(text: str) -> str:
    """A head for comparison: no case, blanks, points or accents, full-width signs made ordinary."""
    text = unicodedata.normalize("NFKD", simplified(text).casefold())
    text = "".join(c for c in text if not unicodedata.combining(c))
    return _DROPPED.sub("", text)


@cache
def _known() -> dict[str, str]:
    data = tomllib.loads(resources.files(__package__).joinpath("heads.toml").read_text(encoding="utf-8"))
    known: dict[str, str] = {}
    for column, spellings in data.items():
        for spelling in spellings:
            known.setdefault(folded(spelling), column)
    return known


_ROUND = re.compile(
    r"(?:(?:rd|r|runde|round|ronde|ronda|тур|第)(\d{1,3})(?:轮|輪|t)?|(\d{1,3})(?:rd|rde|r|runde|ronde|ronda|тур|轮|輪|°r|ªr)|第([一二三四五六七八九十]{1,3})[轮輪]|[轮輪](\d{1,3}))\Z"
)
_PLAIN = re.compile(r"\d{1,3}\Z")


def round_number(head: str) -> int:
    """Round that a head such as ``1.Rd``, ``R1``, ``第三轮`` names; 0 for any other head."""
    match = _ROUND.match(folded(head))
    if not match:
        return 0
    if match[3]:
        return chinese_number(match[3])
    return int(match[1] or match[2] or match[4])


def chinese_number(text: str) -> int:
    """1 to 99 in Chinese numerals; 0 for anything else."""
    if text.isdecimal():
        return int(text[:6])
    if "十" in text:
        tens, _, ones = text.partition("十")
        return (_DIGITS.get(tens, 0) if tens else 1) * 10 + (_DIGITS.get(ones, 0) if ones else 0)
    return _DIGITS.get(text, 0)


_IN_TITLE = re.compile(
    r"(?:round|runde|ronde|ronda|тур|rd\.?)\s*(\d{1,3})|(\d{1,3})\s*[.ªº°]?\s*(?:round|runde|ronde|ronda|тур)|第\s*([\d一二三四五六七八九十]{1,3})\s*[轮輪]",
    re.IGNORECASE,
)


def round_in(text: str) -> int:
    """Round a title names; 0 for other text."""
    match = _IN_TITLE.search(simplified(text[:200]))
    if not match:
        return 0
    found = chinese_number(match[3]) if match[3] else int(match[1] or match[2])
    return found if 1 <= found <= MOST_ROUNDS else 0


def column_of(head: str, mapping: Mapping[str, str] | None = None) -> str:
    """Column of the model for a head; "" where it is not known. A mapping of the user comes first."""
    if mapping:
        for given, column in mapping.items():
            if folded(given) == folded(head):
                return column
    key = folded(head)
    known = _known()
    if key in known:
        return known[key]
    bare = re.sub(r"\(.*?\)", "", key)
    if bare in known:
        return known[bare]
    inner = re.search(r"\((.*?)\)", key)
    if inner:
        return known.get(inner[1], "")
    # Sheets for two readers: 姓名 Name. Both halves must mean the same.
    both = _TWO_LANGUAGES.match(key)
    halves = {known.get(half, "") for half in both.groups()} if both else set()
    return halves.pop() if len(halves) == 1 else ""


_ROMAN = {
    roman: i
    for i, roman in enumerate(
        ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv"], 1
    )
}


def bare_number(head: str) -> int:
    """The number that a header is: ``3``, ``三``, ``Ⅲ``; 0 for another one."""
    text = folded(head)
    if _PLAIN.match(text):
        return int(text)
    return _ROMAN.get(text, 0) or (
        chinese_number(text) if re.fullmatch("[一二三四五六七八九十]{1,3}", text) else 0
    )


def match_heads(row: Row, mapping: Mapping[str, str] | None = None) -> dict[int, str]:
    """Place -> column of the model (``round:3`` for rounds, ``#:7`` for a bare number) for a row of heads."""
    found: dict[int, str] = {}
    for place, cell in enumerate(row.cells):
        if not cell or len(cell) > 40:
            continue
        column = column_of(cell, mapping)
        if column:
            found[place] = column
        elif number := round_number(cell):
            found[place] = f"round:{number}"
        elif number := bare_number(cell):
            found[place] = f"#:{number}"
    return found


def is_head(found: Mapping[int, str], row: Row) -> bool:
    """Whether a row is a row of heads: it names players or both sides of a game, and little else is in it."""
    columns = set(found.values())
    words = sum(1 for column in found.values() if not column.startswith("#:"))
    filled = sum(1 for cell in row.cells if cell)
    if words * 2 < filled - sum(1 for column in found.values() if column.startswith("#:")):
        return False
    person = columns & {"name", "family_name", "number", "rank"}
    sides = columns & {"white", "red"} and "black" in columns
    return bool((person and words >= 2) or sides)


def known_columns() -> frozenset[str]:
    """Every column a head can be mapped to."""
    return frozenset(_known().values())
