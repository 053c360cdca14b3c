"""Spellings of names: when two ways of writing can be one name.

Case, accents, order of family and given name, pinyin with and without blanks, simplified against
traditional characters and full-width signs make no difference. Whether two people of one name are one
person is for :mod:`qiyi_analysis.model.identity`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np

from qiyi_analysis.model.characters import simplified

#: Letters that no Unicode decomposition takes apart.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h", "ŋ": "n", "ĸ": "k", "ŧ": "t", "ə": "e"}
)  # fmt: skip
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_APOSTROPHES = frozenset("'’`´ʻʼ‘")
_SEPARATOR = re.compile(r"[\s,.;/\\_·•・\-‐-―]")
_BRACKET = re.compile(r"[(\[（【]")
_QUALIFIER = re.compile(r"\s*[(\[（【]\s*([^()\[\]（）【】]{1,40})\s*[)\]）】]\s*")
_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")
_UNIT_ENDING = re.compile(r"(?<=..)[省市]?(?:代表)?[队省市]\Z")
#: Longer names are compared by their beginning (bounds the work for hostile files).
MOST_CHARACTERS = 300


def split_qualifier(name: str) -> tuple[str, str]:
    """The name without what stands in brackets behind it (a federation, a unit), and that."""
    found = _QUALIFIER.search(name[:MOST_CHARACTERS])
    if found is None:
        return name, ""
    return (name[: found.start()] + " " + name[found.end() :]).strip(), found[1].strip()


def written(name: str) -> str:
    """A name without case, commas and width; Chinese names without the blanks that lists set them with.

    Names equal in this are written the same.
    """
    parts = unicodedata.normalize("NFKC", name).casefold().replace(",", " ").split()
    return ("" if _HAN.match("".join(parts)) else " ").join(parts)


@cache
def _letters(character: str, umlauts: bool) -> str:
    """What a character contributes to a name: letters without marks, a blank for a separator, or nothing.

    ``umlauts``: the spelling with two letters (ae, oe, ue) instead of the plain one.
    """
    if character in _APOSTROPHES:
        return ""
    if _SEPARATOR.match(character):
        return " "
    folded = unicodedata.normalize("NFKC", character).casefold()
    if umlauts:
        folded = folded.translate(_UMLAUTS)
    plain = unicodedata.normalize("NFKD", folded.translate(_LETTERS))
    kept = "".join(c for c in plain if not unicodedata.combining(c) and unicodedata.category(c) != "Cf")
    return simplified("".join(" " if _SEPARATOR.match(c) else "" if c in _APOSTROPHES else c for c in kept))


@lru_cache(maxsize=65536)
def name_keys(name: str) -> frozenset[str]:
    """Keys of a name: two spellings of one name have a key in common.

    A key is the parts of the name in alphabetical order, or all of them joined in an order that begins with
    any part (so that ``Hou Yifan``, ``Yifan HOU`` and ``Hou Yi Fan`` meet).
    """
    name = unicodedata.normalize("NFC", split_qualifier(name[:MOST_CHARACTERS])[0])
    keys: set[str] = set()
    for spelled in {"".join(_letters(c, umlauts) for c in name) for umlauts in (False, True)}:
        parts = spelled.split()
        if not parts:
            continue
        keys.add(" ".join(sorted(parts)))
        if len(parts) <= 5:
            keys.update("".join(parts[i:] + parts[:i]) for i in range(len(parts)))
    return frozenset(keys)


def same_name(one: str, other: str) -> bool:
    """Whether two spellings can be one name. Different words in brackets (federations) make them two."""
    mine, theirs = split_qualifier(one)[1], split_qualifier(other)[1]
    if mine and theirs and not name_keys(mine) & name_keys(theirs):
        return False
    return bool(name_keys(one) & name_keys(other))


def comparable(one: str, other: str) -> bool:
    """Whether two names are in the same script: Chinese characters say nothing about a name in pinyin."""
    return (_HAN.search(one) is None) == (_HAN.search(other) is None)


def same_unit(one: str, other: str) -> bool | None:
    """Whether two units or clubs are one (北京 and 北京队, SK Bremen and Bremen SK); None where one may be part
    of the other (北京 and 北京体育大学)."""
    mine, theirs = (_UNIT_ENDING.sub("", simplified(text.strip())) for text in (one, other))
    if name_keys(mine) & name_keys(theirs):
        return True
    short, long = sorted((re.sub(r"\W", "", text.casefold()) for text in (mine, theirs)), key=len)
    return None if short in long else False


def fingerprints(names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers per name from its letters without regard to their order, the second with umlauts as two letters.

    Names that :func:`same_name` takes for one have a number in common; 0 is a name without letters. Takes
    some 0.2 microseconds a name, so that a list of two million names is looked through in half a second.
    """
    text = "\n".join(names)
    if text.count("\n") != len(names) - 1 or _BRACKET.search(text):
        names = [split_qualifier(name)[0].replace("\n", " ") for name in names]
        text = "\n".join(names)
    text = unicodedata.normalize("NFC", text) + "\n"
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    starts = np.concatenate([[0], np.flatnonzero(codes == ord("\n"))[:-1] + 1])
    if not len(names):
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint64)
    present = np.flatnonzero(np.bincount(codes))
    weights = np.zeros((2, int(present[-1]) + 1), dtype=np.uint64)
    for code in present.tolist():
        for row in (0, 1):
            letters = _letters(chr(code), bool(row)).replace(" ", "")
            weights[row, code] = sum(map(_weight, letters)) % 2**64
    plain = np.add.reduceat(weights[0][codes], starts)
    if (weights[0] == weights[1]).all():
        return plain, plain
    return plain, np.add.reduceat(weights[1][codes], starts)


def _weight(letter: str) -> int:
    """A number of 64 bits spread evenly over the letters (the finishing steps of SplitMix64)."""
    x = (ord(letter) + 1) * 0x9E3779B97F4A7C15 % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)
