"""The report of an audit, section by section: one function a cell of the notebook.

``audit_of`` reads, audits and keeps what the sections need to know; every other function takes its result and
returns what is shown, or None where the section was not asked for.
"""

from __future__ import annotations

from qiyi_analysis.report.kit import prose
from qiyi_analysis.report.sections import standings as standings_report
from qiyi_analysis.report.sections import titles as titles_report
from qiyi_analysis.report.sections.audit.asked import SECTIONS, View, audit_of, view
from qiyi_analysis.report.sections.audit.charts import charts
from qiyi_analysis.report.sections.audit.discrepancies import causes, findings
from qiyi_analysis.report.sections.audit.head import facts, title
from qiyi_analysis.report.sections.audit.papers import appendix, letter, signature, unchecked
from qiyi_analysis.report.sections.audit.players_and_sheets import players, sheets

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
