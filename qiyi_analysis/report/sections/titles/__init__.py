"""Titles as people read them: frames and parts of a report, the forms IT1 and IT3, the list of certificates."""

from __future__ import annotations

from qiyi_analysis.report.sections.titles.forms import it1, it3, sheets
from qiyi_analysis.report.sections.titles.judged import TitlesReport, load_titles, titles_rules
from qiyi_analysis.report.sections.titles.title_frames import (
    CERTIFICATES,
    CONDITIONS,
    FINDINGS,
    JUDGEMENTS,
    NEAR_MISSES_SHOWN,
    TEAMS,
    judgements,
    open_sentences,
    remarks,
    shown_rows,
    title_event,
)
from qiyi_analysis.report.sections.titles.title_pieces import earned, facts, of_audit, player_pieces, verdict
from qiyi_analysis.report.workbook.certificates import write_workbook

__all__ = [
    "CERTIFICATES", "CONDITIONS", "FINDINGS", "JUDGEMENTS", "NEAR_MISSES_SHOWN", "TEAMS", "TitlesReport", "earned", "facts", "it1",
    "it3", "judgements", "load_titles", "of_audit", "open_sentences", "player_pieces", "remarks", "sheets", "shown_rows",
    "title_event", "titles_rules", "verdict", "write_workbook",
]  # fmt: skip
