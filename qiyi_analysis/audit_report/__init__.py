"""The report of an audit, section by section: one function a cell of the notebook.

``audit_of`` reads, audits and keeps what the sections need to know; every other function takes its result and
returns what is shown, or None where the section was not asked for.
"""

from __future__ import annotations

from qiyi_analysis import prose, standings_report, titles_report
from qiyi_analysis.audit_report.asked import SECTIONS, View, audit_of, view
from qiyi_analysis.audit_report.calculation import players, sheets
from qiyi_analysis.audit_report.charts import charts
from qiyi_analysis.audit_report.discrepancies import causes, findings
from qiyi_analysis.audit_report.head import facts, title
from qiyi_analysis.audit_report.papers import appendix, letter, signature, unchecked

__all__ = [
    "SECTIONS", "View", "appendix", "audit_of", "causes", "charts", "facts", "findings", "letter", "players", "sheets",
    "signature", "standings", "title", "titles", "unchecked", "view",
]  # fmt: skip


def standings(v: View) -> prose.Piece | None:
    """Ranks and tie-breaks: printed against recomputed, cross table, what separated whom."""
    if not v.wants("standings"):
        return None
    rules = next((one for one in v.audit.rules if one.kind == "tie-breaks"), None)
    return standings_report.section(v.audit.event, v.audit.standings, v.language, rules)


def titles(v: View) -> prose.Piece | None:
    """Titles and norms under the title rules that were asked for, with their sheets."""
    if not v.wants("titles"):
        return None
    return titles_report.audit_section(v.audit.event, v.audit.rules, v.audit.lists, v.language)
