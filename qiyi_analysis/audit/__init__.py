"""The audit: an event checked, recalculated, compared with what was published, every difference explained.

May import: words, model, files, rules, rating, tiebreaks, titles, readers. The public names are loaded when they
are first used, so that a single check does not load the whole audit.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qiyi_analysis.audit.event_audit import Audit, audit

__all__ = ["Audit", "audit"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("qiyi_analysis.audit.event_audit"), name)
