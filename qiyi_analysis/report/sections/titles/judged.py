"""One event judged under title rules: which rules, what was read, and the language to show it in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers import read_event, read_list
from qiyi_analysis.rules.choice import choose
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles import Titles, titles
from qiyi_analysis.titles.promotion import read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class TitlesReport:
    """One event judged, and the language to show it in."""

    event: Event
    result: Titles
    language: str


def load_titles(
    event: str | Path,
    rules: str,
    *,
    lists: Sequence[str | Path] = (),
    table: str | Path = "",
    event_type: str = "",
    level: str = "",
    norm_level: int | None = None,
    others: Sequence[str | Path] = (),
    language: str = "zh",
) -> TitlesReport:
    """Read an event and judge its titles under ``rules`` (an id, a document or a file)."""
    found = read_event(event)
    chosen = titles_rules(found, rules)
    result = titles(
        found,
        chosen,
        tuple(read_list(path) for path in lists),
        table=read_table(table, chosen) if str(table) else None,
        event_type=event_type,
        level=level,
        norm_level=norm_level,
        others=tuple(read_event(path) for path in others),
    )
    return TitlesReport(event=found, result=result, language=language)


def titles_rules(event: Event, wanted: str) -> RuleSet:
    """The title rules for an event: the edition asked for, or the one in force of a document.

    Without a wish those the file names, else the document ``titles`` of the federation whose rating rules
    are taken. Raises ParameterError where that federation has none here.
    """
    if wanted:
        return next(iter(choose(event, (wanted,)).rules))
    found = choose(event)
    if (named := found.of_kind("titles")) is not None:
        return named
    rating = found.of_kind("rating")
    document = f"{rating.federation}/titles" if rating is not None else ""
    if document not in rulesets.documents():
        known = [
            one
            for one in rulesets.documents()
            if rulesets.ruleset(rulesets.editions(one)[-1]).kind == "titles"
        ]
        raise ParameterError("title-rules-none", event=event.id, known=known)
    return next(iter(choose(event, (document,)).rules))
