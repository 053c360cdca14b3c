"""Tie-break codes: the grammar of FIDE's mandatory list, with an edition and a rating for the unrated.

``NAME[:MP|:GP][@edition][/Cn|/Mn][/L+n|/L-n][/Kx][/F][/P][/R][/U<rating>]``; the Handbook's own spelling
``BH-C1``, the Chinese names (小分, 对手分, ...) and the numbers of Swiss-Manager are read as well.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.tiebreaks import swiss_manager_numbers as numbers

#: Options a code of a family may carry. ``score`` allows :MP and :GP, ``cut`` /Cn, ``median`` /Mn.
_OPTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "PTS": ("score",),
        "MP": (),
        "GP": (),
        "MPVGP": (),
        "DE": ("score", "P"),
        "EDE": ("score", "P"),
        "EDEBT": ("score", "P"),
        "EDEBB": ("score", "P"),
        "EDET": ("score", "P"),
        "EDEB": ("score", "P"),
        "WIN": ("score",),
        "WON": ("score",),
        "BPG": (),
        "BWG": (),
        "PS": ("score", "cut"),
        "REP": ("score",),
        "STD": ("score",),
        "TPN": ("R",),
        "BH": ("score", "cut", "median", "P", "F"),
        "AOB": ("score", "F", "P"),
        "FB": ("score", "cut", "median", "P"),
        "SB": ("score", "cut", "P"),
        "KS": ("score", "L"),
        "ARO": ("cut", "median", "U"),
        "TPR": ("U",),
        "PTP": ("U",),
        "APRO": ("U",),
        "APPO": ("U",),
        "RTNG": ("R", "U"),
        "EMMSB": ("cut", "P"),
        "EMGSB": ("cut", "P"),
        "EGMSB": ("cut", "P"),
        "EGGSB": ("cut", "P"),
        "BC": (),
        "TBR": (),
        "BBE": (),
        "SSSC": ("score", "F", "P", "K"),
        "MMS": (),
        "SOS": ("cut", "median"),
        "SOSOS": (),
        "SODOS": (),
        "XF": (),
        "DSF": (),
        "SJ": (),
        "SC": (),
        "ZS": (),
        "FG": (),
        "JG": (),
        "LJF": ("cut",),
        "HZ": (),
        "HS": (),
        "HX": (),
        "QL": (),
        "LL": (),
        "ZDF": (),
        "CF": (),
        "JF": (),
        "TDF": (),
        "MC": (),
        "ZJ": ("N",),
    }
)

#: Chinese names and older spellings -> code.
ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "积分": "PTS",
        "个人积分": "PTS",
        "小分": "XF",
        "胜者小分": "XF",
        "对手分": "DSF",
        "对手积分": "DSF",
        "胜局": "SJ",
        "全队胜局": "SJ",
        "胜场": "SC",
        "全队胜场": "SC",
        "直胜": "ZS",
        "犯规": "FG",
        "全队犯规": "FG",
        "警告": "JG",
        "累进分": "LJF",
        "后走局数": "HZ",
        "后走胜局": "HS",
        "互局后走": "HX",
        "前轮名次": "QL",
        "累进去轮": "LL",
        "总得分": "ZDF",
        "总积分": "ZDF",
        "场分": "CF",
        "局分": "JF",
        "总局分": "JF",
        "团体对手分": "TDF",
        "名次总和": "MC",
        "最高个人名次": "ZJ",
        "台次分": "TBR",
        "GE": "REP",
        "MPTS": "MP",
        "GPTS": "GP",
        "SOSM": "SOS",
        "SOSOSM": "SOSOS",
    }
)

#: Codes that are a score of their own: a list without any of them is for equal points (TRF record 202).
PRIMARY = frozenset({"PTS", "MP", "GP", "MMS", "ZDF", "CF", "JF", "MC"})

#: Codes of Chinese rules; the others are FIDE's or McMahon's.
CHINESE = frozenset(
    {"XF", "DSF", "SJ", "SC", "ZS", "FG", "JG", "LJF", "HZ", "HS", "HX", "QL", "LL", "ZDF", "CF", "JF", "TDF", "MC", "ZJ"}
)  # fmt: skip

_EDITION = re.compile(r"@([0-9A-Z]+)")


@dataclass(frozen=True, slots=True)
class Code:
    """A tie-break as asked for. ``text`` is the code as typed; it heads the column."""

    text: str
    name: str
    score: str = ""  # "MP", "GP" or "" for the event's primary score
    edition: str = ""  # "2026", "pre2023", ... or "" for the edition of the event
    low: int = 0  # values cut at the low end
    high: int = 0
    limit: int = 0  # Koya: half points up or down
    factor: int = 0  # SSSC
    fore: bool = False
    as_played: bool = False  # /P: forfeits as games against the scheduled opponent
    reverse: bool = False
    unrated: int | None = None  # what an unrated opponent counts as
    ordinal: int = 0  # ZJ/2: the second best place

    @property
    def bare(self) -> str:
        """The code without edition and rating, as the lists of a rule file write it."""
        kept = [self.name + (f":{self.score}" if self.score else "")]
        if self.high:
            kept.append(f"M{self.high}")
        elif self.low:
            kept.append(f"C{self.low}")
        if self.limit:
            kept.append(f"L{self.limit:+d}")
        if self.factor:
            kept.append(f"K{self.factor}")
        kept += [
            letter for letter, on in zip("FPR", (self.fore, self.as_played, self.reverse), strict=True) if on
        ]
        if self.ordinal:
            kept.append(str(self.ordinal))
        return "/".join(kept)


def names() -> tuple[str, ...]:
    """All codes this program computes."""
    return tuple(_OPTIONS)


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
    if name not in _OPTIONS and name not in ALIASES and "-" in name:
        # The Handbook writes BH-C1 where files write BH/C1.
        name, *dashed = name.split("-")
        options = dashed + options
    if score and "-" in score:
        score, *dashed = score.split("-")
        options = dashed + options
    name = ALIASES.get(name, name)
    if name not in _OPTIONS:
        raise ParameterError("tie-break-unknown", typed=typed, hint=_nearest(name))
    allowed = _OPTIONS[name]
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
    inside = [known for known in _OPTIONS if name.startswith(known)]
    near = inside or difflib.get_close_matches(name, [*_OPTIONS, *ALIASES], n=1, cutoff=0.4)
    if near:
        meant = ALIASES.get(near[0], near[0])
        return words.said("hint.near", near=near[0] if meant == near[0] else f"{near[0]} ({meant})")
    return words.said("hint.known", known=_OPTIONS)


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
