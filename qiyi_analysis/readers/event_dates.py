"""What is told about the date of an event: that it cannot be read, has two readings, or is spelled oddly."""

from __future__ import annotations

from datetime import date
from typing import Any

from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.fields import DateRead


def report_date(
    meant: DateRead, day: date | None, faults: Faults, *, proven: bool = False, **place: Any
) -> None:
    """Findings (CK03) about a date that was read as ``day``; ``proven``: something else in the file settles it."""
    if day is None:
        faults.add("CK03", "date-unreadable", **place)
        return
    assumed = day.isoformat()
    if proven:
        faults.add("CK03", "date-spelling", severity="I", assumed=assumed, **place)
    elif meant.form == "two-digit" and meant.other is None:
        faults.add("CK03", "date-two-digits-only", assumed=assumed, **place)
    elif meant.other is not None:
        reason = "date-two-digits" if meant.form == "two-digit" else "date-ambiguous"
        faults.add("CK03", reason, assumed=assumed, other=meant.other.isoformat(), **place)
    elif meant.form not in ("slash", "iso"):
        faults.add("CK03", "date-spelling", severity="I", assumed=assumed, **place)
