"""Titles and federations as files spell them, turned into the words of a rule set."""

from __future__ import annotations

import re
from functools import cache

from qiyi_analysis.rules.chinese_names import plain_title
from qiyi_analysis.rules.ruleset import RuleSet

#: A title of this kind is written but the rule set does not know it.
UNKNOWN = "?"


def fide_titles(text: str, rules: RuleSet) -> frozenset[str]:
    """The titles named in ``text``; empty for none, ``{"?"}`` for a word that is no known title.

    Upper and lower case are not told apart; ``g``, ``m``, ``wg`` of old files are read as the rule set
    spells them. A title of another kind (CM included) is returned as it is.
    """
    return _fide_titles(text.strip(), rules.id, *_known(rules))


def _known(rules: RuleSet) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
    order = rules.need("title_order")
    known = frozenset((*order["open"], *order["women"], *order.get("others", ())))
    return known, tuple(dict(order.get("spellings", {})).items())


@cache
def _fide_titles(
    text: str, _rules: str, known: frozenset[str], spellings: tuple[tuple[str, str], ...]
) -> frozenset[str]:
    found = set()
    table = {spelling.casefold(): title for spelling, title in spellings}
    for word in re.split(r"[\s,;/+]+", text):
        if not word or word in ("-", "0"):
            continue
        upper = word.upper()
        found.add(upper if upper in known else table.get(word.casefold(), UNKNOWN))
    return frozenset(found)


def ladder_title(text: str, rules: RuleSet) -> str | None:
    """The title of a ladder (级位, 棋士) that ``text`` names; "" for none, None where it is not known."""
    ladder = rules.need("ladder")
    word = re.sub(r"\s+", "", text)
    if word in ladder["titles"]:
        return word
    spellings = dict(ladder.get("spellings", {}))
    if word in spellings:
        return spellings[word]
    plain = plain_title(word)
    if plain in ladder["titles"]:
        return plain
    return spellings.get(plain) if plain else ""


def federations(rules: RuleSet) -> frozenset[str]:
    """Codes of the federations that the rule set's table lists."""
    return frozenset(row["code"] for row in rules.table("federations"))
