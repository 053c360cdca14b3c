"""Titles, norms, grades and place points: from an event to who has earned what, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from qiyi_analysis import words
from qiyi_analysis.model.errors import RulesetError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, ordered
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles.fide import fide_titles_of
from qiyi_analysis.titles.missing import Missing
from qiyi_analysis.titles.norms import NormRound, NormSheet
from qiyi_analysis.titles.norms_application import Application, NormRecord, apply_for
from qiyi_analysis.titles.places import place_points_of
from qiyi_analysis.titles.promotion import promotions_of
from qiyi_analysis.titles.result import Titles

#: The game whose titles a federation gives.
DISCIPLINES = {"fide": "chess", "cca": "chess", "cxa": "xiangqi", "cwa": "go"}

__all__ = [
    "Application",
    "Missing",
    "NormRecord",
    "NormRound",
    "NormSheet",
    "Titles",
    "apply_for",
    "titles",
]


def titles(
    event: Event,
    rules: RuleSet,
    lists: Sequence[RatingList] = (),
    *,
    table: RuleSet | None = None,
    event_type: str = "",
    level: str = "",
    norm_level: int | None = None,
    others: Sequence[Event] = (),
) -> Titles:
    """Who has earned which title of ``rules`` in ``event``, and what the others lack.

    ``table``: a rule set of the user's own with promotion rows. ``event_type`` and ``level`` name the
    kind of event where the rules distinguish (FIDE: national-championship, zonal, ...; Chinese:
    provincial, county, ...). ``norm_level`` is the title performance level of a xiangqi title event. ``others``: the other groups of an event whose places feed team points.
    Raises RulesetError where the rule set is not about titles.
    """
    if rules.rows("norm"):
        result = fide_titles_of(event, rules, lists, event_type)
    elif rules.block("place_points"):
        result = place_points_of((event, *others), rules)
    elif rules.block("ladder") or rules.rows("grade_by_place"):
        result = promotions_of(event, rules, table=table, level=level, norm_level=norm_level)
    else:
        raise RulesetError("rules-without-titles", rules=rules.id, kind=words.named("rules-kind", rules.kind))
    game = DISCIPLINES.get(rules.federation, event.discipline)
    if game != event.discipline:
        values = {
            "rules": rules.id,
            "rule_game": words.named("discipline", game),
            "event_game": words.named("discipline", event.discipline),
        }
        other = Finding(
            code="CK41", severity="W", reason="titles-other-discipline", article=rules.id, values=values
        )
        result = replace(result, findings=ordered((*result.findings, other)))
    return result
