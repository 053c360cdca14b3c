"""Chinese names of titles, grades and groups as files spell them, in the one spelling that rule files have.

Every command reads them through here: simplified or traditional, Arabic numerals or Chinese ones, full or half width,
with or without 棋协, 业余 or 组.
"""

from __future__ import annotations

import re
import unicodedata

from qiyi_analysis.model.characters import simplified

_NUMERALS = ("", *"一二三四五六七八九十", "十一", "十二", "十三", "十四", "十五")
_NONE = frozenset({"", "无", "-", "—", "定级", "无等级", "无称号", "未定级", "none"})
_SHORT = {"候补": "候补棋协大师", "候补大师": "候补棋协大师", "国家棋协大师": "棋协大师"}
_GRADE = re.compile(r"(?:棋协)?(\d{1,2}|[一二三四五六七八九十]{1,2})级(?:棋士)?")
_SEX = {"男": "m", "女": "w"}
_OF_ONE_SEX = re.compile(r"^(男|女)(?:子|生)?|(男|女)(?:子|生)?$")


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", simplified(unicodedata.normalize("NFKC", text)))


def plain_title(text: str) -> str:
    """A title or grade in the spelling of the rule files: ``棋協6級``, ``6级棋士`` and ``六级`` are ``六级棋士``; "" for none."""
    word = _plain(text).replace("业余", "")
    if word.casefold() in _NONE:
        return ""
    grade = _GRADE.fullmatch(word)
    if grade:
        number = grade[1]
        if number.isdigit():
            number = _NUMERALS[int(number)] if int(number) < len(_NUMERALS) else number
        return f"{number}级棋士"
    return _SHORT.get(word, word)


def plain_group(text: str) -> tuple[str, str]:
    """A group without 组, range signs in one form, and the sex that its name says ("" for none): ``男子11-12岁组``."""
    word = re.sub(r"[~～—–至]", "-", _plain(text)).casefold()
    sex = ""
    for _ in range(2):
        word = word.removesuffix("组")
        found = _OF_ONE_SEX.search(word)
        if found:
            sex = _SEX[found[1] or found[2]]
            word = word[: found.start()] + word[found.end() :]
    return word.removesuffix("组"), sex
