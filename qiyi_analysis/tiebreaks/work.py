"""What every tie-break function is given: the grid, and the rule set each code is judged by."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis.model.errors import ParameterError, RulesetError
from qiyi_analysis.model.event import Event
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.column import Column
from qiyi_analysis.tiebreaks.criterion import Code
from qiyi_analysis.tiebreaks.grid import Grid


def _documents() -> tuple[str, ...]:
    """The documents on tie-breaks, by the name of their folder."""
    return tuple(one for one in rulesets.documents() if one.endswith("/tie-breaks"))


@cache
def _newest(document: str) -> RuleSet:
    return rulesets.ruleset(rulesets.editions(document)[-1])


def speaks_of(rules: RuleSet, name: str) -> bool:
    """Whether an edition gives the article of a criterion, or says that it does not define it."""
    return name in rules.value("articles", "of", ()) or any(
        row["code"] == name for row in rules.rows("undefined")
    )


def _order(event: Event) -> list[str]:
    """The documents on tie-breaks, those of the event's format and discipline first, as the editions say."""

    def place(document: str) -> tuple[int, int]:
        head = _newest(document).need("edition")
        formats, disciplines = head.get("formats", ()), head["disciplines"]
        near = (
            disciplines.index(event.discipline) if event.discipline in disciplines else len(disciplines) + 9
        )
        # A go file with parameters of its program is ranked as that program does, whatever its format.
        own = event.format in formats or ("mcmahon" in formats and "mcmahon" in event.extra)
        return near, 1 if not formats else 0 if own else 2

    return sorted(_documents(), key=place)


def document_for(event: Event) -> str:
    """The document an event is ranked by."""
    return _order(event)[0]


def document_of(name: str, event: Event) -> str:
    """The document that a criterion is computed by in an event, "" for a plain score that none defines."""
    return next((one for one in _order(event) if speaks_of(_newest(one), name)), "")


@cache
def _by_name() -> dict[str, str]:
    return {
        rulesets.ruleset(id).need("edition")["name"].casefold(): id
        for document in _documents()
        for id in rulesets.editions(document)
    }


def edition(name: str) -> RuleSet:
    """The edition behind ``@name``. Raises ParameterError naming those there are."""
    found = _by_name().get(name.casefold())
    if found is None:
        raise ParameterError("tie-break-edition", edition=name, known=["@" + other for other in _by_name()])
    return rulesets.ruleset(found)


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
    """One calculation. ``rules`` is the rule set of the whole; codes it does not speak of use the document that does."""

    event: Event
    grid: Grid
    rules: RuleSet
    #: Ranks after an earlier round, for criteria that look back.
    earlier: Callable[[int], np.ndarray] | None = None
    #: Groups by the criteria behind a code, 0 the best, for a code that looks ahead.
    behind: Callable[[Code], np.ndarray] | None = None
    #: Places of the players of a team event under the order for individuals.
    places: Callable[[], np.ndarray] | None = None
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def rules_for(self, code: Code) -> RuleSet:
        """The edition a code is computed under: its own ``@edition``, the rule set, or the one in force."""
        if code.edition:
            return edition(code.edition)
        return self.once(("rules", code.name), lambda: self._rules_of(code.name))

    def _rules_of(self, name: str) -> RuleSet:
        if speaks_of(self.rules, name):
            return self.rules
        document = document_of(name, self.event)
        if document in ("", self.rules.document):
            return self.rules
        return in_force(document, self.event)[0]

    def cite(self, code: Code) -> str:
        """The edition a code is computed under and its article; an edition without numbered articles gives none."""
        rules = self.rules_for(code)
        articles = rules.value("articles", "of", {})
        article = articles.get(f"{code.name}/F" if code.fore else code.name) or articles.get(code.name, "")
        if article and code.low and code.criterion.unplayed:
            article += f", {rules.value('articles', 'cut')}"
        return f"{rules.id} {article}".rstrip()

    def column(self, code: Code, groups: np.ndarray) -> Column:
        """The values of a code; ``groups`` are those still tied before it, for criteria that compare inside them."""
        one = code.criterion
        column = one.compute(self, code, groups) if one.relative else one.compute(self, code)
        return column if column.article else replace(column, article=self.cite(code))

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The result of ``make``, computed once per calculation."""
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]
