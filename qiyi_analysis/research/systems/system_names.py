"""How the candidates of a study are called on its pages: results and JSON keep their names in English."""

from __future__ import annotations

import re

from qiyi_analysis import words

#: Name of a candidate -> its words under ``[rating-system]``, the groups its fields.
_NAMES = (
    (re.compile(r"Elo normal K (?P<k>\S+)"), "normal"),
    (re.compile(r"Elo K (?P<k>\S+) per game"), "per-game"),
    (re.compile(r"Elo K (?P<k>\S+) at games (?P<limits>\S+)"), "by-games"),
    (re.compile(r"Elo K (?P<k>\S+)"), "plain"),
    (re.compile(r"Glicko by day (?P<rest>.+)"), "glicko-day"),
    (re.compile(r"Bradley-Terry (?P<years>\d+) years"), "static"),
    (re.compile(r"guess 0\.5"), "guess"),
    (re.compile(r"printed with the games"), "printed"),
)


def said(candidate: str) -> words.Said | str:
    """A candidate's name in both languages; a name of its own (Glicko, a rule set) as it is."""
    for pattern, key in _NAMES:
        if found := pattern.fullmatch(candidate):
            return words.said(f"rating-system.{key}", **found.groupdict())
    return candidate


def family(name: str, language: str) -> str:
    """A family of systems by the word that ``-p systems=`` takes, in the language."""
    return words.shown(words.named("rating-family", name), language)
