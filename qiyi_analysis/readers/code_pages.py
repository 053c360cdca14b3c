"""Which code page a text is in that does not say so: the one in which its words are most likely names.

A word's likelihood is that of its letters in the likeliest languages; languages of the federations that the text names
count for more. What is found is a guess, and the finding says so.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

#: Code pages that are tried, and what is taken off where two are alike: what files come in comes first. The DOS pages are
#: those of old programs' exports, 8859-2 is that of old web pages, the last are those of Apple's older systems.
PAGES: Mapping[str, float] = {
    "cp1252": 0.0, "gb18030": 0.5, "cp1250": 1.0, "cp1251": 1.0, "big5": 1.5, "cp1254": 2.5, "iso8859-2": 2.5,
    "cp850": 3.0, "cp852": 3.5, "koi8-r": 2.0, "cp866": 3.0, "cp857": 4.5, "cp1257": 3.0, "mac-roman": 3.0, "iso8859-5": 4.5,
    "mac-cyrillic": 5.0,
}  # fmt: skip
#: Federations whose computers had a code page as their own, and what that is worth where all of a text are of them.
_AT_HOME: Mapping[str, frozenset[str]] = {
    "gb18030": frozenset({"CHN"}),
    "big5": frozenset({"TPE", "HKG", "MAC"}),
    "cp1250": frozenset({"POL", "CZE", "SVK", "HUN", "CRO", "SLO", "ROU", "BIH"}),
    "cp1251": frozenset({"RUS", "UKR", "BLR", "BUL", "KAZ", "MKD", "SRB"}),
    "cp1254": frozenset({"TUR"}),
    "cp1257": frozenset({"EST", "LAT", "LTU"}),
}
_HOME = 3.0
#: Logarithms of likelihoods: of what is no letter, of a byte that is no character, of a capital inside a word, of a Latin
#: letter beside others, of the rare among the Chinese characters, of a capital where a small letter may be.
_NO_LETTER, _NO_CHARACTER, _INSIDE, _MIXED, _RARE, _CAPITAL = -14.0, -20.0, -5.0, -7.0, -5.0, -2.0
#: Of a common Chinese character (one of the 3,755 of GB 2312, or the 5,401 of Big5, that are in use every day).
_COMMON = -math.log(3755)
#: How much more likely a language is than another for each share of the text's federations.
_OF_FEDERATIONS = 100.0
#: Rounds in which the languages of a text are found from its words, and how far they stay what they were before.
_ROUNDS, _OPEN = 4, 2.0
#: As many words and bytes as are looked at.
_WORDS, _BYTES = 400, 1 << 16
_WORD = re.compile(r"[^\x00-&(-@\[-`{-\x7f\u00a0]+")
#: A word cut by a figure or by a blank that holds words together: bytes of another code page.
_CUT = re.compile("(?<=[^\\W\\d_\u3400-\uffff])[0-9\u00a0](?=[^\\W\\d_\u3400-\uffff])")
_CODE = re.compile(rb"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")
#: Half a point stands beside numbers.
_SIGNS = {"½": -3.0}


class _Language(NamedTuple):
    """Logarithms of how likely letters beyond a to z are, and a plain one; federations with names in the language."""

    letters: Mapping[str, float]
    plain: float
    federations: frozenset[str]


@cache
def _languages() -> tuple[_Language, ...]:
    text = resources.files(__package__).joinpath("letters.toml").read_text(encoding="utf-8")
    data: dict[str, Any] = tomllib.loads(text)
    found = []
    for one in data.values():
        rate = one["rate"] / 100
        first = 12 if rate == 1 else 1.5  # the letters of a whole alphabet are more even
        weights = {letter: 1 / (place + first) for place, letter in enumerate(one["letters"])}
        total = sum(weights.values())
        letters = {letter: math.log(rate * weight / total) for letter, weight in weights.items()}
        for letter, value in [*letters.items()]:
            if letter.upper() != letter and len(letter.upper()) == 1:
                letters.setdefault(letter.upper(), value + _CAPITAL)
        plain = math.log(1 - rate) if rate < 1 else _MIXED
        found.append(_Language(letters, plain, frozenset(one["federations"])))
    return tuple(found)


def likeliest(data: bytes) -> str:
    """The code page in which the words of a text with bytes above 127 look most like names."""
    some = _with_high_bytes(data)
    codes = Counter(code.decode("ascii") for code in _CODE.findall(data[: 1 << 20]))
    shares = _shares(codes)

    def worth(page: str) -> float:
        return (
            _likelihood(some, page, shares)
            - PAGES[page]
            + _HOME * _share(codes, _AT_HOME.get(page, frozenset()))
        )

    return max(PAGES, key=worth)


def _share(codes: Counter[str], federations: frozenset[str]) -> float:
    """The part that some federations have in all codes of federations in a text."""
    known = sum(codes[code] for code in _known_codes())
    return sum(codes[code] for code in federations) / known if known else 0.0


@cache
def _known_codes() -> frozenset[str]:
    return frozenset().union(*(one.federations for one in _languages()), *_AT_HOME.values())


def _with_high_bytes(data: bytes) -> bytes:
    """The lines that have bytes above 127, not more of them than tell enough."""
    lines: list[bytes] = []
    size = 0
    for line in data[: 1 << 20].split(b"\n"):
        if not line.isascii():
            lines.append(line[:4096])
            size += len(lines[-1])
            if size > _BYTES:
                break
    return b"\n".join(lines)


def _shares(codes: Counter[str]) -> np.ndarray:
    """How likely each language is before a word is looked at, by the codes of federations in the text."""
    named = np.array([_share(codes, one.federations) for one in _languages()])
    shares = 1 + _OF_FEDERATIONS * named
    return shares / shares.sum()


def _likelihood(data: bytes, page: str, shares: np.ndarray) -> float:
    """Logarithm of how likely the words are: each is in a language, and few languages are in a text."""
    text = data.decode(page, "replace")
    words = dict.fromkeys(word for word in _WORD.findall(text) if not word.isascii())
    if not words:
        return 0.0
    cut = len(_CUT.findall(text[: 4 * _BYTES])) * _MIXED / 2
    of_words = np.array([_of_word(word[:64], page) for word in list(words)[:_WORDS]])
    top = of_words.max(axis=1)
    likely = np.exp(of_words - top[:, None])
    weights = shares
    for _ in range(_ROUNDS):
        each = likely * weights
        used = (each / each.sum(axis=1, keepdims=True)).sum(axis=0) + _OPEN * shares
        weights = used / used.sum()
    return cut + float(
        (top + np.log((likely * weights).sum(axis=1))).sum() + _OPEN * (shares * np.log(weights)).sum()
    )


def _of_word(word: str, page: str) -> list[float]:
    """Logarithm of how likely a word is in each of the languages."""
    base = 0.0
    high: list[str] = []
    plain = 0
    before = ""
    for character in word:
        if character <= "\x7f":
            plain += 1
        elif "\u4e00" <= character <= "\u9fff":
            base += _COMMON + (0 if _is_common(character, page) else _RARE)
            base += _MIXED if before and before <= "\x7f" else 0
        elif character == "\ufffd":
            base += _NO_CHARACTER
        elif character in _SIGNS:
            base += _SIGNS[character]
        else:
            if character.isupper() and before.islower():
                base += _INSIDE
            high.append(character)
        before = character
    if not high:
        return [base] * len(_languages())
    if word.isupper():
        base -= _CAPITAL * len(high)
    return [
        base + plain * one.plain + sum(one.letters.get(character, _NO_LETTER) for character in high)
        for one in _languages()
    ]


@lru_cache(maxsize=1 << 14)
def _is_common(character: str, page: str) -> bool:
    lead = character.encode(page, "replace")[0]
    return 0xB0 <= lead <= 0xD7 if page == "gb18030" else 0xA4 <= lead <= 0xC6
