"""What the printed tie-break columns of an event are: codes read from their words, or from the event's own list."""

from __future__ import annotations

import re

from qiyi_analysis.errors import ParameterError
from qiyi_analysis.model import TIE_BREAK_COLUMNS, Event
from qiyi_analysis.tiebreaks.codes import parse

_WORDS: tuple[tuple[str, str], ...] = (
    (r"\bSOSOSM?\b", "SOSOS"),
    (r"\bSOSM?\b", "SOS"),
    (r"\bSODOSM?\b", "SODOS"),
    (r"\bMMS\b|mc\s?mahon score", "MMS"),
    (r"average.*(opponents?).*buchholz", "AOB"),
    (r"fore.?buchholz", "FB"),
    (r"buchholz|bucholz", "BH"),
    (r"sonneborn|s\.?-?b\.?\b", "SB"),
    (r"direct encounter|direct.*(result|comparison)|head.to.head", "DE"),
    (r"koya", "KS"),
    (r"progressive|cumulative", "PS"),
    (r"(wins|games won|won).*black", "BWG"),
    (r"black", "BPG"),
    (r"games won|won games", "WON"),
    (r"wins|victories", "WIN"),
    (r"average.*(rating|elo)|(rating|elo).*average|\baro\b", "ARO"),
    (r"perfect.*performance", "PTP"),
    (r"performance", "TPR"),
    (r"胜者小分|小分", "XF"),
    (r"对手分|对手积分", "DSF"),
    (r"累进分", "LJF"),
    (r"胜局", "SJ"),
    (r"直胜", "ZS"),
    (r"犯规", "FG"),
    (r"总得分", "ZDF"),
    (r"^(points|pts|积分|score)$", "PTS"),
)
_EDITIONS: tuple[tuple[str, str], ...] = (
    (r"2026|capped|cap of the dummy", "@2026"),
    (r"virtual opponent|until 2023|before 2023|pre.?2023", "@pre2023"),
    (r"2024", "@2024"),
    (r"2023|dummy", "@2023"),
)
_CUTS: tuple[tuple[str, str], ...] = (
    (r"median.?2", "/M2"),
    (r"median", "/M1"),
    (r"cut.?2|two lowest", "/C2"),
    (r"cut.?1|cut\b|without the lowest", "/C1"),
)
_TAKES_CUT = frozenset({"BH", "FB", "SB", "ARO", "PS", "SOS"})


def read_columns(event: Event) -> tuple[dict[str, str], dict[str, str]]:
    """Codes of the printed tie-break columns, and the words of those that no code is certain for.

    Words go by ``tie_break_columns``; without them the event's own list of codes names the columns in order.
    """
    codes: dict[str, str] = {}
    unread: dict[str, str] = {}
    printed = [name for name in TIE_BREAK_COLUMNS if event.players[name].notna().any()]
    listed = [code for code in event.tie_breaks if code.upper() not in ("PTS", "DE")]
    for i, column in enumerate(printed):
        words = str(event.tie_break_columns.get(column, "")).strip()
        code = _code(words) if words else None
        if code is None and not words and len(event.tie_breaks) >= len(printed):
            # A list that begins with the points names the columns after it, or the points column as well.
            after_points = event.tie_breaks if event.tie_breaks[0].upper() != "PTS" else event.tie_breaks[1:]
            code = after_points[i] if i < len(after_points) and listed else None
        if code is None or not _usable(code) or code in codes.values():
            unread[column] = words
        else:
            codes[column] = code
    return codes, unread


def _code(words: str) -> str | None:
    try:
        return parse(words).text
    except ParameterError:
        pass
    lowered = words.casefold()
    # What stands before a colon names the value; the rest explains it.
    for part in dict.fromkeys((lowered.split(":")[0], lowered)):
        for pattern, name in _WORDS:
            if re.search(pattern, part, re.IGNORECASE):
                cut = (
                    next((text for find, text in _CUTS if re.search(find, lowered)), "")
                    if name in _TAKES_CUT
                    else ""
                )
                edition = ""
                if name in ("BH", "FB", "SB", "AOB"):
                    edition = next((text for find, text in _EDITIONS if re.search(find, lowered)), "")
                return f"{name}{edition}{cut}"
    return None


def _usable(code: str) -> bool:
    try:
        return bool(parse(code).name)
    except ParameterError:
        return False
