"""The moment a file says it was made: that of its data, so that the same data give the same bytes."""

from __future__ import annotations

from datetime import UTC, date, datetime

#: PDF/A and Excel want a date of making; what belongs to no day carries this, never the time of day.
NO_DAY = date(2000, 1, 1)
#: Spreadsheets know no day before this one.
_FIRST_DAY = date(1601, 1, 1)


def moment(day: date | None) -> datetime:
    """When a report of ``day`` says it was made: that midnight (UTC), so that the same data give the same bytes."""
    known = day if day is not None and day >= _FIRST_DAY else NO_DAY
    return datetime(known.year, known.month, known.day, tzinfo=UTC)
