"""The report of an audit: frames and texts that the notebook ``audit_event`` shows, section by section."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from qiyi_analysis.audit.event_audit import Audit
from qiyi_analysis.report.run.audit_files import AuditRequest
from qiyi_analysis.report.run.parameters import find_input
from qiyi_analysis.report.sections.audit.audit_frames import (
    differences,
    findings,
    inputs,
    performances,
    players,
    rules_used,
    scores,
    unchecked,
)
from qiyi_analysis.report.sections.audit.audit_pieces import (
    facts,
    letter,
    of_unknown_age,
    program,
    sheet,
    sheets,
    verdict,
)

Section = Literal[
    "facts", "findings", "causes", "players", "sheets", "standings", "titles", "figures", "unchecked", "letter", "signature", "appendix",
]  # fmt: skip
SECTIONS: tuple[str, ...] = get_args(Section)
#: Columns of the table of findings.
FINDING = {
    "code": "digest", "place": "text", "what": "text", "printed": "code", "recomputed": "code", "article": "text",
}  # fmt: skip

__all__ = [
    "FINDING", "SECTIONS", "Section", "audited", "differences", "facts", "findings", "inputs", "letter",
    "of_unknown_age", "performances", "players", "program", "rules_used", "scores", "sheet", "sheets",
    "unchecked", "verdict",
]  # fmt: skip


def audited(event: str, rules: Sequence[str] = (), lists: Sequence[str] = (), published: str = "") -> Audit:
    """Read and audit an event: the file or folder, rule sets, rating lists, and the file with what was published."""
    return AuditRequest(
        event=find_input(event), rules=tuple(rules), lists=tuple(lists), published=published
    ).audited()
