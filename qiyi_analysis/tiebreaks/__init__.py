"""Standings and tie-breaks of chess, xiangqi and go: FIDE C.07, the Chinese rules, McMahon.

The public names are loaded when they are first used, so that the results of an event do not load every tie-break.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qiyi_analysis.tiebreaks.codes import parse, parse_list
    from qiyi_analysis.tiebreaks.criterion import Code
    from qiyi_analysis.tiebreaks.ranking import Standings, standings

__all__ = ["Code", "Standings", "parse", "parse_list", "standings"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "ranking" if name.lower() == "standings" else "codes"
    return getattr(importlib.import_module(f"qiyi_analysis.tiebreaks.{module}"), name)
