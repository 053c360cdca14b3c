"""What every tie-break function is given: the grid, and the rule set each code is judged by."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis.model.errors import ParameterError, RulesetError
from qiyi_analysis.model.event import Event
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.codes import CHINESE, Code
from qiyi_analysis.tiebreaks.grid import Grid

FIDE = "fide/tie-breaks"
#: The document of each discipline.
DOCUMENTS = {"chess": FIDE, "xiangqi": "cxa/tie-breaks", "go": "cwa/tie-breaks", "mcmahon": "egf/tie-breaks"}


#: Codes that one document defines: the block they need and where it is, if the event's own rules have none.
HOMES = {
    "ZDF": ("total_score", DOCUMENTS["go"]),
    **dict.fromkeys(("MC", "ZJ"), ("member_places", DOCUMENTS["xiangqi"])),
    **dict.fromkeys(("MMS", "SOS", "SOSOS", "SODOS"), ("mcmahon", DOCUMENTS["mcmahon"])),
}


@cache
def _by_name() -> dict[str, str]:
    return {
        rulesets.ruleset(id).need("edition")["name"].casefold(): id
        for document in DOCUMENTS.values()
        if document in rulesets.documents()
        for id in rulesets.editions(document)
    }


def edition(name: str) -> RuleSet:
    """The FIDE edition behind ``@name``. Raises ParameterError naming those there are."""
    found = _by_name().get(name.casefold())
    if found is None:
        raise ParameterError("tie-break-edition", edition=name, known=["@" + other for other in _by_name()])
    return rulesets.ruleset(found)


def document_for(event: Event, *, chinese: bool = False) -> str:
    """The document an event is ranked by; with ``chinese`` the one that defines the Chinese criteria."""
    if event.discipline == "go":
        return DOCUMENTS["mcmahon" if event.format == "mcmahon" else "go"]
    return DOCUMENTS["xiangqi" if chinese or event.discipline == "xiangqi" else "chess"]


def in_force(document: str, event: Event) -> tuple[RuleSet, str]:
    """The edition for the event's first day, and why another had to do ("" if none had to).

    Reasons: "no-date" (the newest is taken), "before-first" (the earliest is taken).
    """
    day = event.start or event.end
    ids = rulesets.editions(document)
    if day is None:
        return rulesets.ruleset(ids[-1]), "no-date"
    try:
        return rulesets.in_force(document, day), ""
    except RulesetError:
        return rulesets.ruleset(ids[0]), "before-first"


@dataclass(frozen=True)
class Work:
    """One calculation. ``rules`` is the rule set of the whole; codes of another family use that family's edition."""

    event: Event
    grid: Grid
    rules: RuleSet
    #: Ranks after an earlier round, for criteria that look back.
    earlier: Callable[[int], np.ndarray] | None = None
    #: Places of the players of a team event under the order for individuals.
    places: Callable[[], np.ndarray] | None = None
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def rules_for(self, code: Code) -> RuleSet:
        """The edition a code is computed under: its own ``@edition``, the rule set, or the one in force."""
        if code.edition:
            return edition(code.edition)
        if code.name in HOMES:
            block, document = HOMES[code.name]
            return self.chinese if self.chinese.block(block) else in_force(document, self.event)[0]
        return self.chinese if code.name in CHINESE else self.fide

    @cached_property
    def fide(self) -> RuleSet:
        """The FIDE edition for this event: the rules themselves, or the one in force on its first day."""
        return self.rules if self.rules.document == FIDE else in_force(FIDE, self.event)[0]

    @cached_property
    def chinese(self) -> RuleSet:
        """The Chinese edition for this event: the rules themselves, or the one in force on its day."""
        if self.rules.document != FIDE:
            return self.rules
        return in_force(document_for(self.event, chinese=True), self.event)[0]

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The result of ``make``, computed once per calculation."""
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]
