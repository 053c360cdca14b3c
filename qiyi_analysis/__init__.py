"""qiyi_analysis 棋艺分析: ratings of chess, xiangqi and go federations, audited, rebuilt, compared, reported.

The public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qiyi_analysis import research
    from qiyi_analysis.audit.event_audit import Audit, audit
    from qiyi_analysis.lists import ListState, Rebuilt, read_state, rebuild_list, state_of
    from qiyi_analysis.lists.roll import roll
    from qiyi_analysis.model.errors import QiyiError
    from qiyi_analysis.model.event import Event, Scoring, make_event
    from qiyi_analysis.model.findings import Finding
    from qiyi_analysis.model.rating_list import RatingList, make_list
    from qiyi_analysis.rating import rate
    from qiyi_analysis.rating.aga import closed_gap, opened_gap, white_wins
    from qiyi_analysis.rating.go_professional import opening_rating
    from qiyi_analysis.rating.initial import initial_rating, weighted_rating
    from qiyi_analysis.readers import read_event, read_list
    from qiyi_analysis.readers.door import events_in_bytes
    from qiyi_analysis.report.run.render import render
    from qiyi_analysis.rules.ruleset import RuleSet, ruleset
    from qiyi_analysis.tiebreaks import Standings, standings
    from qiyi_analysis.tiebreaks.mcmahon import rank_value, start_scores
    from qiyi_analysis.titles import Application, NormRecord, NormSheet, Titles, apply_for, titles

#: Module -> its public names.
_HOMES = {
    "audit.event_audit": "Audit audit",
    "lists": "ListState Rebuilt read_state rebuild_list state_of",
    "lists.roll": "roll",
    "model.errors": "QiyiError",
    "model.event": "Event Scoring make_event",
    "model.findings": "Finding",
    "model.rating_list": "RatingList make_list",
    "rating": "rate",
    "rating.aga": "closed_gap opened_gap white_wins",
    "rating.go_professional": "opening_rating",
    "rating.initial": "initial_rating weighted_rating",
    "readers": "read_event read_list",
    "readers.door": "events_in_bytes",
    "report.run.render": "render",
    "rules.ruleset": "RuleSet ruleset",
    "tiebreaks": "Standings standings",
    "tiebreaks.mcmahon": "rank_value start_scores",
    "titles": "Application NormRecord NormSheet Titles apply_for titles",
}
_PUBLIC = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Application",
    "Audit",
    "Event",
    "Finding",
    "ListState",
    "NormRecord",
    "NormSheet",
    "QiyiError",
    "RatingList",
    "Rebuilt",
    "RuleSet",
    "Scoring",
    "Standings",
    "Titles",
    "apply_for",
    "audit",
    "closed_gap",
    "events_in_bytes",
    "initial_rating",
    "make_event",
    "make_list",
    "opened_gap",
    "opening_rating",
    "rank_value",
    "rate",
    "read_event",
    "read_list",
    "read_state",
    "rebuild_list",
    "render",
    "research",
    "roll",
    "ruleset",
    "standings",
    "start_scores",
    "state_of",
    "titles",
    "weighted_rating",
    "white_wins",
]


def __getattr__(name: str) -> Any:
    if name == "research":
        return importlib.import_module("qiyi_analysis.research")
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"qiyi_analysis.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return __all__


class _NamedLikeItsFunction(ModuleType):
    """A module such as ``audit`` whose main function has the same name: calling it calls the function."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*arguments, **options)


class _Package(ModuleType):
    # Python sets a submodule as attribute of its package, over the public function of the same name.
    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and f"qiyi_analysis.{_PUBLIC.get(name)}".startswith(value.__name__):
            value.__class__ = _NamedLikeItsFunction
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
