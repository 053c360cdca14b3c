"""Titles as people read them: the section of a report, the forms IT1 and IT3, the list of certificates."""

from __future__ import annotations

from qiyi_analysis.report.sections.titles.earned import (
    NEAR_MISSES_SHOWN,
    audit_section,
    certificates,
    head,
    near_misses,
    open_sentences,
    player_pieces,
    remarks,
    section,
    shown_rows,
    summary,
    teams,
    title_event,
    verdict,
)
from qiyi_analysis.report.sections.titles.forms import event_form, it1, it3, sheets
from qiyi_analysis.report.sections.titles.judged import TitlesReport, load_titles, titles_rules
from qiyi_analysis.report.workbook.certificates import write_workbook

__all__ = [
    "NEAR_MISSES_SHOWN", "TitlesReport", "audit_section", "certificates", "event_form", "head", "it1", "it3", "load_titles",
    "near_misses", "open_sentences", "player_pieces", "remarks", "section", "sheets", "shown_rows", "summary", "teams",
    "title_event", "titles_rules", "verdict", "write_workbook",
]  # fmt: skip
