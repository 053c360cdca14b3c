"""Tie-breaks named by the numbers of Swiss-Manager (``84(0;0;1;-)``): which code a number with its parameters is.

The numbers of a criterion stand in its record, what is peculiar to a number in ``swiss_manager_numbers.toml``. Where a file gives a number without its parameters, every code it can mean is
offered; the printed values decide (see :mod:`qiyi_analysis.tiebreaks.agreement`).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.tiebreaks.criterion import CRITERIA

_SPELLED = re.compile(r"\s*\[?(\d{1,3})\]?\s*(?:[(\[:]\s*([^()\[\]]{0,60}?)\s*[)\]]?)?\s*\Z")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A number as read. ``code`` is "" where no code is its equivalent; ``others`` are all codes it can mean, the likely
    one first, where the parameters or the definition leave that open."""

    number: int
    code: str
    others: tuple[str, ...] = ()

    @property
    def certain(self) -> bool:
        """Whether the number is exactly one code."""
        return bool(self.code) and not self.others

    @property
    def name(self) -> words.Said:
        """What the program calls it."""
        key = f"tie-break-number.{self.number}"
        return words.said(key if words.has(key) else "tie-break-number.unknown")

    def why(self) -> words.Said:
        """Why the number is not one code."""
        key = "open" if self.code else "without-code"
        return words.said(f"tie-break-number.{key}", number=self.number, name=self.name, others=self.others)


@cache
def _data() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("swiss_manager_numbers.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    for name, one in CRITERIA.items():
        for number in one.numbers:
            data["numbers"].setdefault(str(number), {})["code"] = name
    return data


def variable(name: str, edition: str = "") -> Numbered | None:
    """The number that is printed as "name, variable", whose cuts are set and not told; None where there is none."""
    number = _data()["variable"].get(name)
    return translate(str(number), edition=edition) if number else None


def named(text: str, *, teams: bool = False) -> str:
    """The code of a number that is certain to be one; any other text as it is."""
    found = translate(text, teams=teams)
    return found.code if found is not None and found.certain else text


def match_points(text: str) -> tuple[str, str, str] | None:
    """Match points of a win, a draw and a loss that a number fixes (13 is 2-1-0, 40 is 3-1-0); None for any other."""
    found = _SPELLED.match(text)
    row = _data()["numbers"].get(str(int(found[1]))) if found else None
    return tuple(row["match_points"]) if row and "match_points" in row else None


def translate(text: str, *, teams: bool = False, edition: str = "") -> Numbered | None:
    """The code of a number; None where ``text`` is no number. ``edition`` is the one in force for the event ("2026")."""
    found = _SPELLED.match(text)
    if found is None:
        return None
    number = int(found[1])
    row = _data()["numbers"].get(str(number))
    if row is None:
        return Numbered(number, "")
    values = [value.strip() for value in re.split(r"[,;|]", found[2] or "")]
    while values and not values[-1]:
        values.pop()
    kinds = row.get("parameters", [])
    if "untold" in row and not (kinds and values):
        others = _possible(row, edition_mark(row.get("edition", ""), edition), edition)
        return Numbered(number, others[0], others)
    name = row.get("team_code" if teams and "team_code" in row else "code", "")
    code = _code(name, kinds, values, teams=teams, edition=edition)
    others = (code,) if row.get("about") or kinds[:1] + values == ["victories", "0", "-"] else ()
    if set(values[len(kinds) :]) - {"", "-"}:
        # Parameters beyond those the sources know: one of them may be the edition.
        name, slash, tail = code.partition("/")
        marks = dict.fromkeys(["", *(edition_mark(named, edition) for named in ("2024", "2026"))])
        others = tuple(f"{name}{mark}{slash}{tail}" for mark in marks)
    return Numbered(number, code, others if code else ())


def edition_mark(named: str, in_force: str) -> str:
    """``@edition`` of a tie-break that follows the rules of its time; "" where those are the ones in force."""
    name = named.removeprefix("@")
    if name == "2024" and in_force in ("2023", "pre2023"):
        name = "2023"  # a number of the rewritten rules, in an event before their second edition
    return f"@{name}" if name and name != in_force else ""


def _code(name: str, kinds: list[str], values: list[str], *, teams: bool, edition: str) -> str:
    """The code that told parameters make; "" where one of them has no equivalent."""
    parts = {"score": "", "edition": "", "cut": "", "rest": ""}
    cuts = {"high": 0, "low": 0}
    for kind, value in zip(kinds, values, strict=False):
        if kind in ("high", "low", "minimum"):
            if not value.isascii() or not value.isdecimal():
                return ""
            if kind == "minimum":
                parts["rest"] += f"/U{int(value)}" if int(value) else ""
            else:
                cuts[kind] = int(value)
            continue
        meaning = _data()["parameters"][kind].get(value.upper())
        if meaning is None:
            return ""
        if kind in ("victories", "extended", "performance"):
            name = meaning
        elif kind == "score":
            if not teams and meaning == ":MP":
                return ""
            parts["score"] = meaning if teams else ""
        elif kind == "valid":
            parts["edition"] = edition_mark(meaning, edition)
        elif meaning == "/P" and name in ("WIN", "WON", "BWG", "BPG"):
            if name != "WIN":  # wins count without play by definition, the other counts never do
                return ""
        else:
            parts["rest"] += meaning
    if cuts["high"] not in (0, cuts["low"]):
        return ""
    if cuts["low"]:
        parts["cut"] = f"/M{cuts['low']}" if cuts["high"] else f"/C{cuts['low']}"
    return name + "".join(parts.values())


def _possible(row: dict[str, Any], fixed: str, in_force: str) -> tuple[str, ...]:
    """Every code a number can mean whose parameters are not told."""
    editions = [fixed]
    if "valid" in row.get("parameters", ()):
        editions += [found for named in ("2024", "2026") if (found := edition_mark(named, in_force))]
    return tuple(f"{row.get('code', '')}{edition}{piece}" for edition in editions for piece in row["untold"])
