"""Tie-break codes: the grammar of FIDE's mandatory list, with an edition and a rating for the unrated.

``NAME[:MP|:GP][@edition][/Cn|/Mn][/L+n|/L-n][/Kx][/F][/P][/R][/U<rating>]``; the Handbook's own spelling
``BH-C1``, the Chinese names (小分, 对手分, ...) and the numbers of Swiss-Manager are read as well.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.tiebreaks import boards, chinese, direct, mcmahon, opponents, own, performance
from qiyi_analysis.tiebreaks import swiss_manager_numbers as numbers
from qiyi_analysis.tiebreaks.criterion import ALIASES, CRITERIA, Code

#: The modules whose functions are criteria: loading them makes the codes known.
HOMES = (own, opponents, performance, direct, boards, mcmahon, chinese)

_EDITION = re.compile(r"@([0-9A-Z]+)")


def names() -> tuple[str, ...]:
    """All codes this program computes."""
    return tuple(CRITERIA)


@cache
def parse(text: str) -> Code:
    """Read one code. Raises ParameterError naming the nearest code or the option that does not fit."""
    typed = text.strip()
    numbered = numbers.translate(typed)
    if numbered is not None and not numbered.certain:
        raise ParameterError("tie-break-number", code=typed, why=numbered.why())
    spelled = typed if numbered is None else numbered.code
    folded = spelled.upper().replace("（", "(").replace("／", "/")
    edition = ""
    found = _EDITION.search(folded)
    if found:
        edition = found.group(1).replace("PRE", "pre")
        folded = folded[: found.start()] + folded[found.end() :]
    head, *options = folded.split("/")
    name, _, score = head.partition(":")
    if name not in CRITERIA and name not in ALIASES and "-" in name:
        # The Handbook writes BH-C1 where files write BH/C1.
        name, *dashed = name.split("-")
        # Go programs write SOS-1 for the sum without the lowest value.
        options = [
            f"C{one}" if one.isdigit() and name in CRITERIA and CRITERIA[name].announced else one
            for one in dashed
        ] + options
    if score and "-" in score:
        score, *dashed = score.split("-")
        options = dashed + options
    name = ALIASES.get(name, name)
    if name not in CRITERIA:
        raise ParameterError("tie-break-unknown", typed=typed, hint=_nearest(name))
    allowed = CRITERIA[name].options
    values: dict[str, object] = {}
    if score:
        if score not in ("MP", "GP") or "score" not in allowed:
            raise ParameterError("tie-break-score", typed=typed, code=name, score=score)
        values["score"] = score
    for option in options:
        if option:
            values.update(_option(option, name, allowed, typed))
    return Code(text=typed, name=name, edition=edition, **values)  # type: ignore[arg-type]


def parse_list(codes: str | Iterable[str]) -> tuple[Code, ...]:
    """Read a list of codes, or one text with commas. Raises ParameterError for a code given twice."""
    texts = split_list(codes) if isinstance(codes, str) else list(codes)
    parsed = tuple(parse(text) for text in texts if text.strip())
    seen: set[str] = set()
    for code in parsed:
        if code.text in seen:
            raise ParameterError("tie-break-twice", code=code.text)
        seen.add(code.text)
    return parsed


def split_list(text: str) -> list[str]:
    """The codes of a text with commas; those inside brackets belong to the parameters of a number."""
    return re.split(r"[,，、](?![^(（]*[)）])", text)


def _nearest(name: str) -> words.Said:
    inside = [known for known in CRITERIA if name.startswith(known)]
    near = inside or difflib.get_close_matches(name, [*CRITERIA, *ALIASES], n=1, cutoff=0.4)
    if near:
        meant = ALIASES.get(near[0], near[0])
        return words.said("hint.near", near=near[0] if meant == near[0] else f"{near[0]} ({meant})")
    return words.said("hint.known", known=names())


def _option(option: str, name: str, allowed: tuple[str, ...], typed: str) -> dict[str, object]:
    letter, rest = option[0], option[1:]
    match letter:
        case "C" if "cut" in allowed and rest.isdigit():
            return {"low": int(rest)}
        case "M" if "median" in allowed and rest.isdigit():
            return {"low": int(rest), "high": int(rest)}
        case "L" if "L" in allowed and re.fullmatch(r"[+-]?\d{1,2}", rest):
            return {"limit": int(rest)}
        case "K" if "K" in allowed and rest.isdigit() and int(rest):
            return {"factor": int(rest)}
        case "U" if "U" in allowed and rest.isdigit():
            return {"unrated": int(rest)}
        case "F" if "F" in allowed and not rest:
            return {"fore": True}
        case "P" if "P" in allowed and not rest:
            return {"as_played": True}
        case "R" if "R" in allowed and not rest:
            return {"reverse": True}
    if "N" in allowed and option.isdigit():
        return {"ordinal": int(option)}
    shapes = {
        "cut": "/Cn",
        "median": "/Mn",
        "L": "/L+n /L-n",
        "K": "/Kn",
        "U": "/U<rating>",
        "N": "/n",
        "score": ":MP :GP",
    }
    takes = [shapes.get(key, f"/{key}") for key in allowed]
    raise ParameterError("tie-break-option", typed=typed, option=option, code=name, takes=takes)
