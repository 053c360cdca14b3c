"""Fields of a player in any table: what a cell means, and a finding where it means nothing possible."""

from __future__ import annotations

import math

from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import LARGEST_NUMBER
from qiyi_analysis.readers.faults import Faults


def whole(text: str) -> int | None:
    """A whole number of ordinary size, or None."""
    text = fields.plain(text)
    if text.endswith(".0"):
        text = text[:-2]
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        return None
    value = int(text)
    return value if value <= LARGEST_NUMBER else None


def read_sex(text: str, faults: Faults, line: int, number: int) -> str:
    """ "m", "w" or ""; what cannot be read becomes a finding and ""."""
    sex = fields.read_sex(text)
    if sex is None:
        faults.add("CK43", "sex-unreadable", line=line, player=number, field="sex", read=text)
    return sex or ""


def read_number(
    text: str, faults: Faults, line: int, number: int, field: str, sign: str | None = "."
) -> float:
    """A number of a named field; what is none becomes a finding and NaN."""
    if not text:
        return math.nan
    try:
        return fields.as_float(fields.number(text, sign))
    except ValueError:
        faults.add("CK43", "number-impossible", line=line, player=number, field=field, read=text)
        return math.nan


#: What a rating can be. Go ratings reach below zero (AGA, EGF); the others are at most four digits.
_LOWEST = {"go": -3000.0}
_HIGHEST = 4000.0


def read_rating(
    text: str,
    faults: Faults,
    line: int,
    number: int,
    *,
    discipline: str,
    zero_is_unrated: bool = False,
    field: str = "rating",
) -> float:
    """A rating; 0 and blank are unrated, an impossible one becomes a finding and unrated."""
    if not text:
        return math.nan
    try:
        # Three digits behind a single sign are a thousand; only go has ratings with three decimals.
        thousands = "," if discipline != "go" and "." in text else "."
        value = fields.as_float(fields.number(text, thousands))
    except ValueError:
        if marked := fields.marked_rating(text):
            faults.once("CK43", "rating-marked", severity="I", line=line, read=text, assumed=marked)
            return read_rating(
                marked,
                faults,
                line,
                number,
                discipline=discipline,
                zero_is_unrated=zero_is_unrated,
                field=field,
            )
        faults.add("CK43", "rating-unreadable", line=line, player=number, field=field, read=text)
        return math.nan
    if value == 0 and discipline != "go":
        if not zero_is_unrated:
            faults.add("CK13", "rating-zero", line=line, player=number, field=field, read=text)
        return math.nan
    if not _LOWEST.get(discipline, 1.0) <= value <= _HIGHEST:
        if value == value:
            faults.add("CK43", "rating-impossible", line=line, player=number, field=field, read=text)
        return math.nan
    return value


def read_birth(text: str, faults: Faults, line: int, number: int) -> tuple[float, str]:
    """Year and date of birth; what cannot be one becomes a finding."""
    try:
        year, day = fields.read_birth(text)
    except ValueError:
        two = fields.plain(text).isdecimal() and len(fields.plain(text)) == 2
        reason = "birth-two-digits" if two or "two" in text else "birth-unreadable"
        faults.add("CK43", reason, line=line, player=number, field="birth_year", read=text)
        return math.nan, ""
    if year == year and not 1850 <= year <= 2100:
        faults.add("CK43", "birth-unreadable", line=line, player=number, field="birth_year", read=text)
        return math.nan, ""
    return year, day
