"""Time controls as files write them, in minutes for each player over a game of 60 moves."""

from __future__ import annotations

import re
from fractions import Fraction

#: Moves over which all regulations measure a time control.
MOVES = 60

_UNITS = {
    "hours": r"(?:hours?|hrs?|h|小时|时)",
    "minutes": r"(?:minutes?|mins?|min\.?|mn|m|'|′|分钟|分)",
    "seconds": r"(?:seconds?|secs?|sec\.?|s|\"|″|''|秒)",
}
#: The kind of event in front of its clock.
_KIND = re.compile(r"^(?:(?:fide|standard|classical|rapid|blitz|慢棋|快棋|超快棋|标准棋|包干)\s*[:,]?\s*)+")
_TRF = re.compile(r"^(?:\d+/)?\d+(?:\+\d+)?(?::(?:\d+/)?\d+(?:\+\d+)?)*$")


def player_minutes(text: str) -> Fraction | None:
    """Minutes of the player with less time, over 60 moves; None where the text cannot be read.

    ``90 min + 30 s/move`` is 120, ``25'+5"`` 30, ``60分钟，每步加10秒`` 70; TRF's ``40/6000+30:900+30``
    (seconds) 145; ``G/90`` and plain ``60+10`` are minutes and seconds.
    """
    sides = _sides(text)
    values = [_one(side) for side in sides]
    known = [value for value in values if value is not None]
    return min(known) if known and len(known) == len(values) else None


def longest_game_minutes(text: str) -> Fraction | None:
    """Minutes of a whole game of 60 moves, both sides together; None where the text cannot be read."""
    sides = [_one(side) for side in _sides(text)]
    if not sides or any(side is None for side in sides):
        return None
    known = [side for side in sides if side is not None]
    return known[0] * 2 if len(known) == 1 else sum(known, Fraction(0))


#: What a rule file may ask of the minutes of a player.
LIMITS = ("minutes_at_least", "minutes_more_than", "minutes_less_than", "minutes_at_most")


def within(minutes: Fraction, limit: str, value: int) -> bool:
    """Whether a player's minutes keep one of LIMITS. Raises KeyError for any other name."""
    return {
        "minutes_at_least": minutes >= value,
        "minutes_more_than": minutes > value,
        "minutes_less_than": minutes < value,
        "minutes_at_most": minutes <= value,
    }[limit]


def _sides(text: str) -> list[str]:
    """One text, or two where the sides have different times (TRF ``W...-B...``)."""
    text = text.strip()
    two = re.fullmatch(r"W([\d/+:]+)-B([\d/+:]+)", text, re.IGNORECASE)
    return [two[1], two[2]] if two else [text] if text else []


def _one(text: str) -> Fraction | None:
    compact = _KIND.sub("", text.replace("，", ",").replace("：", ":").strip().lower())
    if _TRF.fullmatch(compact):
        return _trf(compact)
    compact = re.sub(r"^(?:g|sd|game)\s*/\s*", "", compact)
    return _words(compact)


def _trf(text: str) -> Fraction | None:
    """Seconds as TRF26 writes them; small numbers are minutes, as people write 90+30."""
    base, increment = Fraction(0), Fraction(0)
    periods = text.split(":")
    if not all(_has_moves(period) for period in periods[:-1]):
        return None  # 1:30+30 is no TRF: a period without a number of moves is the last one
    if any("/" in period and not _has_moves(period) for period in periods):
        return None  # 90/40+30: ninety minutes for forty moves, or ninety moves
    for period in periods:
        moves = re.sub(r"^\d+/", "", period)
        time, _, bonus = moves.partition("+")
        base += int(time)
        increment = Fraction(int(bonus)) if bonus else Fraction(0)
    largest = max(int(re.sub(r"^\d+/", "", period).partition("+")[0]) for period in periods)
    minutes = base / 60 if largest > 300 else base
    return minutes + increment * MOVES / 60


def _has_moves(period: str) -> bool:
    """Whether a period is MOVES/TIME. What has more moves than time is meant the other way round."""
    moves, slash, time = period.partition("/")
    return bool(slash) and int(moves) < int(time.partition("+")[0])


def _words(text: str) -> Fraction | None:
    text = re.sub(r"(\d)\s*h\s*(\d{1,2})(?![\d\"'a-z])", r"\1h \2min", text)
    number = r"(\d+(?:[.,]\d+)?)\s*"
    hours = [_value(v) for v in re.findall(number + _UNITS["hours"] + r"(?![a-z])", text)]
    seconds = [_value(v) for v in re.findall(number + _UNITS["seconds"] + r"(?![a-z'])", text)]
    without = re.sub(number + _UNITS["seconds"] + r"(?![a-z'])", " ", text)
    minutes = [_value(v) for v in re.findall(number + _UNITS["minutes"] + r"(?![a-wyz\"])", without)]
    if not hours and not minutes:
        plain = re.fullmatch(r"(\d+)(?:\s*\+\s*(\d+))?", text)
        if plain is None:
            return None
        return Fraction(int(plain[1])) + Fraction(int(plain[2] or 0) * MOVES, 60)
    if not seconds:
        tail = re.search(r"\+\s*(\d+)\s*$", text)
        seconds = [Fraction(int(tail[1]))] if tail else []
    if _unread(text, number):
        return None  # half of a time control is a wrong one
    increment = max(seconds, default=Fraction(0))
    return sum(hours, Fraction(0)) * 60 + sum(minutes, Fraction(0)) + increment * MOVES / 60


def _unread(text: str, number: str) -> bool:
    """Whether a number is left that is no time with a unit, no number of moves and no increment at the end."""
    rest = text
    for unit in ("seconds", "hours", "minutes"):
        rest = re.sub(number + _UNITS[unit] + r"(?![a-wyz])", " ", rest)
    rest = re.sub(r"\d+\s*(?:moves?|mvs?|步|手|回合|着)|(?:moves?|第|[x×/])\s*\d+|\+\s*\d+\s*$", " ", rest)
    return any(character.isdigit() for character in rest)


def _value(text: str) -> Fraction:
    return Fraction(text.replace(",", "."))
