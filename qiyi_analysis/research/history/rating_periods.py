"""Dates as days, and the calendar periods days lie in: their numbers and their names."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.readers.fields import read_date

#: Lengths of a rating period. "day" is the finest; empty periods in between are counted.
PERIODS = ("day", "week", "month", "quarter", "half-year", "year", "given")


MONTHS = {"month": 1, "quarter": 3, "half-year": 6, "year": 12}


NO_DAY = np.iinfo(np.int32).min


def years_of(day: np.ndarray) -> np.ndarray:
    """Calendar year of each day (int32, days since 1970), int32; far in the past for NO_DAY."""
    if not day.size:
        return np.zeros(0, np.int32)
    low, high = int(day.min()), int(day.max())
    if low == NO_DAY:
        known = day[day != NO_DAY]
        years = np.full(day.size, _NO_YEAR, np.int32)
        years[day != NO_DAY] = years_of(known)
        return years
    # A table of the days there are is much faster than a conversion of every game.
    days = np.arange(low, high + 1).astype("datetime64[D]")
    return (1970 + days.astype("datetime64[Y]").astype(np.int64)).astype(np.int32)[day - low]


#: The year of a game without a day: before everybody was born, so that no age is known.
_NO_YEAR = int(1970 + np.array(NO_DAY, "datetime64[D]").astype("datetime64[Y]").astype(np.int64))


def parse_days(column: pd.Series, *, pad: bool) -> tuple[np.ndarray, np.ndarray]:
    """Days since 1970-01-01 (int32; the smallest number where unknown) and which dates are partial.

    Reads 2013-04-27, 2013.04.27, 2013/4/27, 20130427 and what the readers of events read (27.4.2013, 2013年4月27日);
    2013 and 2013-04 (also 2013.??.??) are partial.
    """
    if pd.api.types.is_datetime64_any_dtype(column):
        stamps = column.to_numpy("datetime64[D]")
        unknown = np.isnat(stamps)
        return np.where(unknown, NO_DAY, stamps.astype(np.int64)).astype(np.int32), np.zeros(
            len(column), bool
        )
    codes, values = pd.factorize(column.astype("string").fillna(""))
    parsed = [_parse_day(str(value), pad) for value in values]
    days = np.array([day for day, _ in parsed], np.int32)
    partial = np.array([part for _, part in parsed], bool)
    return days[codes], partial[codes]


def _parse_day(text: str, pad: bool) -> tuple[int, bool]:
    day, partial = _year_first(text, pad)
    if day == NO_DAY and not partial and (read := read_date(text)).day and read.form != "two-digit":
        return read.day.toordinal() - 719163, False
    return day, partial


def _year_first(text: str, pad: bool) -> tuple[int, bool]:
    text = text.strip().split("T")[0].split(" ")[0].replace(".", "-").replace("/", "-")
    parts = text.split("-")
    if len(parts) == 1 and len(text) == 8 and text.isdigit():
        parts = [text[:4], text[4:6], text[6:]]
    known = []
    for part in parts[:3]:
        if not part.isdigit() or int(part) == 0:
            break
        known.append(int(part))
    if not known or not 1000 <= known[0] <= 9999:
        return NO_DAY, False
    partial = len(known) < 3
    if partial and not pad:
        return NO_DAY, True
    try:
        return datetime.date(*[*known, 1, 1][:3]).toordinal() - 719163, partial
    except ValueError:
        return NO_DAY, False


def period_numbers(day: np.ndarray, length: str) -> np.ndarray:
    """Number of the calendar period each day lies in (int64): days, weeks, months, ... since 1970."""
    if length == "day":
        return day.astype(np.int64)
    if length == "week":
        return (day.astype(np.int64) + 3) // 7  # 1970-01-01 was a Thursday; weeks begin on Monday
    months = day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return months // MONTHS[length]


def period_label(number: int, length: str) -> str:
    """Name of the calendar period with this number."""
    if length == "given":
        return str(number)
    epoch = np.datetime64("1970-01-01", "D")
    if length == "day":
        return str(epoch + number)
    if length == "week":
        year, week, _ = (datetime.date(1970, 1, 1) + datetime.timedelta(days=number * 7 - 3)).isocalendar()
        return f"{year}-W{week:02d}"
    months = number * MONTHS[length]
    year, month = 1970 + months // 12, months % 12
    return {
        "month": f"{year}-{month + 1:02d}",
        "quarter": f"{year}Q{month // 3 + 1}",
        "half-year": f"{year}H{month // 6 + 1}",
        "year": f"{year}",
    }[length]


def period_index(period: str | int | datetime.date, length: str, origin: int) -> int:
    """Number of the first period that begins on or after a date; see ``History.index``."""
    if isinstance(period, (int, np.integer)):
        return int(period)
    text = period.isoformat() if isinstance(period, datetime.date) else str(period)
    if length == "given":
        if not text.lstrip("-").isdigit():
            raise ParameterError("period-number", text=text)
        return int(text) - origin
    day = int(parse_days(pd.Series([text]), pad=True)[0][0])
    if day == NO_DAY:
        raise ParameterError("period-typed", text=text)
    before, inside = period_numbers(np.array([day - 1, day], np.int32), length).tolist()
    return inside - origin + (0 if before < inside else 1)
