"""Is this report fit to be rated? One module per part of the officer's checks.

``EVENT_CHECKS`` are functions ``check(event)``, ``RULE_CHECKS`` functions ``check(event, rules)`` with one
rule set; both return findings. A new check is a function in a module here and a line in its table.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rules.ruleset import RuleSet

EVENT_CHECKS: tuple[str, ...] = (
    "qiyi_analysis.audit.checks.dates_and_rounds:check",
    "qiyi_analysis.audit.checks.results:check",
    "qiyi_analysis.audit.checks.between_columns:check",
)
RULE_CHECKS: tuple[str, ...] = (
    "qiyi_analysis.audit.checks.eligibility:check",
    "qiyi_analysis.audit.checks.plausible:check",
)


def _function(path: str):
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def check_event(event: Event) -> tuple[Finding, ...]:
    """All checks that need the event alone."""
    return tuple(finding for path in EVENT_CHECKS for finding in _function(path)(event))


def check_rules(event: Event, rules: Iterable[RuleSet]) -> tuple[Finding, ...]:
    """All checks of the event against the rule sets it is judged by."""
    return tuple(finding for one in rules for path in RULE_CHECKS for finding in _function(path)(event, one))
