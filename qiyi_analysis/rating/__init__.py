"""Rating calculations: one procedure per family of regulations, named in the rule files.

``rate`` calculates one event as if it were the whole rating period and returns the working with it.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qiyi_analysis import words
from qiyi_analysis.model.errors import RulesetError
from qiyi_analysis.rating.rating_frames import Rating
from qiyi_analysis.rating.rating_kinds import listed_for
from qiyi_analysis.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from qiyi_analysis.model.event import Event
    from qiyi_analysis.model.rating_list import RatingList

#: Name in a rule file's [method] -> function (event, rules) -> Rating.
METHODS: dict[str, str] = {
    "table": "qiyi_analysis.rating.table_rating:rate",
    "go-professional": "qiyi_analysis.rating.go_professional:rate",
    "dwz": "qiyi_analysis.rating.dwz:rate",
    "uscf": "qiyi_analysis.rating.uscf:rate",
    "icu": "qiyi_analysis.rating.icu:rate",
    "egf": "qiyi_analysis.rating.egf:rate",
    "egf-steps": "qiyi_analysis.rating.egf:rate_steps",
    "aga": "qiyi_analysis.rating.aga:rate",
}

__all__ = ["METHODS", "Rating", "rate"]


def rate(event: Event, rules: RuleSet, lists: Sequence[RatingList] | None = None) -> Rating:
    """Rate one event under one edition.

    Ratings come from the event; the list in force on its first day fills those that are missing, where the
    player is found on it for certain; doubtful names are findings. Of a list with standard, rapid and blitz ratings
    those of the rules are taken.
    Raises RulesetError where the edition is no rating document or names an unknown method.
    """
    if rules.kind != "rating":
        raise RulesetError("rules-not-rating", rules=rules.id, kind=words.named("rules-kind", rules.kind))
    name = rules.need("method")["name"]
    if name not in METHODS:
        raise RulesetError("method-unknown", rules=rules.id, method=name, methods=METHODS)
    module, _, function = METHODS[name].partition(":")
    scales = event.extra.get("scales")
    if isinstance(scales, dict) and len(scales.get(rules.document, ())) == len(event.players):
        # A go file that knows its players on more than one scale.
        event = event.with_players(rating=scales[rules.document])
    known = listed_for(event, lists or (), rules)
    result: Rating = getattr(importlib.import_module(module), function)(known.event, rules)
    return replace(result, findings=(*result.findings, *known.findings))
