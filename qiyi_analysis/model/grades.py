"""Grades of go (3d, 10k, 2p) and what they stand for on the rating scales of the lists."""

from __future__ import annotations

import re

_GRADE = re.compile(r"(\d{1,2})\s*(k|d|p|kyu|dan|段|级|級|段位)?\Z", re.IGNORECASE)


def grade(text: str) -> tuple[int, str] | None:
    """Number and letter (k, d or p) of a grade; None for other text."""
    match = _GRADE.match(text.strip())
    if match is None or match[2] is None:
        return None
    letter = match[2].casefold()[0]
    return int(match[1]), {"段": "d", "级": "k", "級": "k"}.get(letter, letter)


def rank_number(text: str) -> int | None:
    """A grade as a whole number: 30k is 0, 1k 29, 1d 30, 9d 38; professionals are 7d, from 4p 8d, from 7p 9d.

    Grades beyond 30k and 9d are those; a number alone is a kyu grade. None for other text.
    """
    found = grade(text) or ((int(text.strip()), "k") if _GRADE.match(text.strip()) else None)
    if found is None:
        return None
    number, letter = found
    value = {"k": 30 - number, "d": 29 + number, "p": 36 + min((number - 1) // 3, 2)}[letter]
    return min(max(value, 0), 38)


def rank_text(number: int) -> str:
    """The grade of :func:`rank_number`, as European tables print it."""
    return f"{30 - number}K" if number < 30 else f"{number - 29}D"


def on_egf_scale(text: str) -> float | None:
    """Rating in the middle of a grade on the European scale: 1k 2000, 1d 2100, a grade 100."""
    found = grade(text)
    if found is None:
        return None
    number, letter = found
    if letter == "p":
        return 2700.0 + 30.0 * (number - 1)
    return 2100.0 - 100.0 * number if letter == "k" else 2000.0 + 100.0 * number


def on_aga_scale(text: str) -> float | None:
    """Rating in the middle of a grade on the American scale, which has no values between -1 and 1."""
    found = grade(text)
    if found is None:
        return None
    number, letter = found
    return -(number + 0.5) if letter == "k" else number + 0.5
