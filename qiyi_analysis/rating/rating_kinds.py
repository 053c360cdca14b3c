"""Which of the ratings of a list a document goes by: standard, rapid or blitz."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.identity import match
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rating.listed import Listed, list_in_force, listed
from qiyi_analysis.rules.ruleset import RuleSet


def kind_of(document: str) -> str:
    """``rapid`` for the document on rapid ratings or an edition of it; "" for a document that knows no kinds."""
    known = rulesets.documents()
    name = document if document in known else document.rpartition("/")[0]
    return str(rulesets.head(name).get("of_list", "")) if name in known else ""


def beside(document: str, kind: str) -> str:
    """The document of the same federation on ratings of another kind, "" for none."""
    federation = document.partition("/")[0]
    return next(
        (one for one in rulesets.documents() if one.startswith(f"{federation}/") and kind_of(one) == kind), ""
    )


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
    return one.of_kind(wanted, beside(document, wanted))


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
    standard = (list_for(one, beside(rules.document, "standard")) for one in lists)
    current = list_in_force((one for one in standard if _has_ratings(one)), event.start)
    if current is None:
        return known
    values_of = np.append(current.rows["rating"].to_numpy(dtype=np.float64), np.nan)
    printed = known.event.players["standard_rating"].to_numpy(dtype=np.float64)
    filled = np.where(np.isnan(printed), values_of[match(event.players, current.register).row], printed)
    return replace(known, event=known.event.with_players(standard_rating=filled))
