"""Which of the ratings of a list a document goes by: standard, rapid or blitz."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.identity import match
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rating.listed import Listed, list_in_force, listed
from qiyi_analysis.rules.ruleset import RuleSet

_DOCUMENTS = "fide/rating-"


def kind_of(document: str) -> str:
    """``rapid`` for ``fide/rating-rapid`` or an edition of it; "" for a document that knows no kinds."""
    return document.removeprefix(_DOCUMENTS).partition("/")[0] if document.startswith(_DOCUMENTS) else ""


def list_for(one: RatingList, document: str) -> RatingList:
    """The list as a document reads it.

    A list of several kinds gives the ratings of the document's kind. A list of one other kind gives none; a standard
    list keeps its ratings as standard ones, which stand in for missing rapid and blitz ratings.
    """
    wanted, own = kind_of(document), kind_of(one.document)
    if not wanted or wanted == own or not (own or one.kinds):
        return one
    if not one.kinds:
        one = replace(one, kinds={own: one.rows[["rating", "games", "k"]]})
    return one.of_kind(wanted, _DOCUMENTS + wanted)


def lists_for(lists: Iterable[RatingList], rules: RuleSet) -> tuple[RatingList, ...]:
    """The lists as an edition reads them (see :func:`list_for`); those of another kind only where there is no better."""
    found = tuple(list_for(one, rules.document) for one in lists)
    return tuple(one for one in found if _has_ratings(one)) or found


def _has_ratings(one: RatingList) -> bool:
    return bool(one.rows["rating"].notna().any())


def listed_for(event: Event, lists: Iterable[RatingList], rules: RuleSet, over: bool = False) -> Listed:
    """The event completed from the list in force on its first day, as an edition reads it; ``over``: the list decides.

    Where other ratings stand in for missing ones (rapid and blitz), the standard ratings are filled in as well. A finding
    says where the lists at hand have no rating of the kind that is asked for.
    """
    lists = tuple(lists)
    own = lists_for(lists, rules)
    known = listed(event, own, over)
    if own and kind_of(rules.document) and not any(map(_has_ratings, own)):
        values = {"list": own[0].id, "rules": rules.document}
        finding = Finding(code="CK44", reason="list-of-other-kind", severity="W", values=values)
        known = replace(known, findings=(*known.findings, finding))
    if rules.block("other_rating") is None:
        return known
    standard = (list_for(one, f"{_DOCUMENTS}standard") for one in lists)
    current = list_in_force((one for one in standard if _has_ratings(one)), event.start)
    if current is None:
        return known
    values_of = np.append(current.rows["rating"].to_numpy(dtype=np.float64), np.nan)
    printed = known.event.players["standard_rating"].to_numpy(dtype=np.float64)
    filled = np.where(np.isnan(printed), values_of[match(event.players, current.register).row], printed)
    return replace(known, event=known.event.with_players(standard_rating=filled))
