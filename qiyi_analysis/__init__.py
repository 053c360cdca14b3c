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
    from qiyi_analysis.lists import rebuild_list
    from qiyi_analysis.model.errors import QiyiError
    from qiyi_analysis.model.event import Event
    from qiyi_analysis.model.findings import Finding
    from qiyi_analysis.model.rating_list import RatingList
    from qiyi_analysis.rating import rate
    from qiyi_analysis.readers import read_event, read_list
    from qiyi_analysis.report.run.render import render
    from qiyi_analysis.rules.ruleset import RuleSet, ruleset
    from qiyi_analysis.tiebreaks import standings
    from qiyi_analysis.titles import titles

_PUBLIC = {
    "Audit": "qiyi_analysis.audit.event_audit",
    "Event": "qiyi_analysis.model.event",
    "Finding": "qiyi_analysis.model.findings",
    "QiyiError": "qiyi_analysis.model.errors",
    "RatingList": "qiyi_analysis.model.rating_list",
    "RuleSet": "qiyi_analysis.rules.ruleset",
    "audit": "qiyi_analysis.audit.event_audit",
    "rate": "qiyi_analysis.rating",
    "read_event": "qiyi_analysis.readers",
    "read_list": "qiyi_analysis.readers",
    "rebuild_list": "qiyi_analysis.lists",
    "render": "qiyi_analysis.report.run.render",
    "research": "",
    "ruleset": "qiyi_analysis.rules.ruleset",
    "standings": "qiyi_analysis.tiebreaks",
    "titles": "qiyi_analysis.titles",
}

__all__ = [
    "Audit",
    "Event",
    "Finding",
    "QiyiError",
    "RatingList",
    "RuleSet",
    "audit",
    "rate",
    "read_event",
    "read_list",
    "rebuild_list",
    "render",
    "research",
    "ruleset",
    "standings",
    "titles",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _PUBLIC[name]
    return (
        getattr(importlib.import_module(module), name)
        if module
        else importlib.import_module(f"{__name__}.{name}")
    )


def __dir__() -> list[str]:
    return sorted(_PUBLIC)


class _NamedLikeItsFunction(ModuleType):
    """A module such as ``audit`` whose main function has the same name: calling it calls the function."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*arguments, **options)


class _Package(ModuleType):
    # Python sets a submodule as attribute of its package, over the public function of the same name.
    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and _PUBLIC.get(name, "").startswith(value.__name__):
            value.__class__ = _NamedLikeItsFunction
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
