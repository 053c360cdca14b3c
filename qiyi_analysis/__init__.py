"""qiyi_analysis 棋艺分析: ratings of chess, xiangqi and go federations, audited, rebuilt, compared, reported.

The public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qiyi_analysis import research
    from qiyi_analysis.audit import Audit, audit
    from qiyi_analysis.errors import QiyiError
    from qiyi_analysis.findings import Finding
    from qiyi_analysis.model import Event, RatingList
    from qiyi_analysis.rating import rate
    from qiyi_analysis.readers import read_event, read_list
    from qiyi_analysis.report import render
    from qiyi_analysis.ruleset import RuleSet, ruleset
    from qiyi_analysis.tiebreaks import standings

_PUBLIC = {
    "Audit": "qiyi_analysis.audit",
    "Event": "qiyi_analysis.model",
    "Finding": "qiyi_analysis.findings",
    "QiyiError": "qiyi_analysis.errors",
    "RatingList": "qiyi_analysis.model",
    "RuleSet": "qiyi_analysis.ruleset",
    "audit": "qiyi_analysis.audit",
    "rate": "qiyi_analysis.rating",
    "read_event": "qiyi_analysis.readers",
    "read_list": "qiyi_analysis.readers",
    "rebuild_list": "qiyi_analysis.lists",
    "render": "qiyi_analysis.report",
    "research": "",
    "ruleset": "qiyi_analysis.ruleset",
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
    "render",
    "research",
    "ruleset",
    "standings",
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
