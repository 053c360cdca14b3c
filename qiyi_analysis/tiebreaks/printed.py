"""What the printed tie-break columns of an event are: codes read from their words, or from the event's own list."""

from __future__ import annotations

import re

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import TIE_BREAK_COLUMNS, Event
from qiyi_analysis.tiebreaks import swiss_manager_numbers as numbers
from qiyi_analysis.tiebreaks.codes import parse
from qiyi_analysis.tiebreaks.registry import TEAM_ONLY

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
    (r"^(points|pts|积分|score)$|^points \(game.?points\)", "PTS"),
)
_EDITIONS: tuple[tuple[str, str], ...] = (
    (r"2026|capped|cap of the dummy", "@2026"),
    (r"virtual opponent|until 2023|before 2023|pre.?2023", "@pre2023"),
    (r"2024", "@2024"),
    (r"2023|dummy", "@2023"),
)
_CUTS: tuple[tuple[str, str], ...] = (
    (r"median.?2", "/M2"),
    (r"median|without two results|middle", "/M1"),
    (r"cut.?2|two lowest", "/C2"),
    (r"cut.?1|cut\b|without the lowest|without one result|1 streichresultat", "/C1"),
)
#: Tie-breaks of Swiss-Manager that carry a known name and are something else.
_OTHERS = re.compile(
    r"sum (of )?buchholz|real points|modified points|team.?points|\bspecial|olympiad|recursive|\(fine|performance.*without"
)
_TAKES_CUT = frozenset({"BH", "FB", "SB", "ARO", "PS", "SOS"})


#: "Variable" of Swiss-Manager, without what was set in brackets behind it: the cuts are not told.
_VARIABLE = re.compile(r"variab(?!\w*\s*\(20\d\d\)\s*\()")
#: The names of Swiss-Manager's numbers 84 and 85 carry the year of the rules; 2023 stands for both editions before 2026.
_OF_THE_RULES = re.compile(r"variab\w*\s*\((2023|2026)\)")


def read_columns(event: Event, edition: str = "") -> tuple[dict[str, str], dict[str, str]]:
    """Codes of the printed tie-break columns, and the words of those that no code is certain for.

    Words go by ``tie_break_columns``; without them the event's own list of codes names the columns in order.
    ``edition`` is the one in force ("2026").
    """
    codes: dict[str, str] = {}
    unread: dict[str, str] = {}
    printed = [name for name in TIE_BREAK_COLUMNS if event.players[name].notna().any()]
    # The list of a team event is for its teams.
    own_list = () if len(event.teams) else event.tie_breaks
    listed = [code for code in own_list if code.upper() not in ("PTS", "DE")]
    for i, column in enumerate(printed):
        words = str(event.tie_break_columns.get(column, "")).strip()
        code = code_of(words, edition) if words else None
        if code is None and not words and own_list and len(own_list) >= len(printed):
            # A list that begins with the points names the columns after it, or the points column as well.
            after_points = own_list if own_list[0].upper() != "PTS" else own_list[1:]
            code = after_points[i] if i < len(after_points) and listed else None
        if code is None or not _usable(code) or code in codes.values():
            unread[column] = words
        else:
            codes[column] = code
    return codes, unread


def possible_codes(event: Event, column: str, edition: str = "") -> tuple[str, ...]:
    """Every code a column can be whose words leave cuts or edition open; () where they do not."""
    words = str(event.tie_break_columns.get(column, "")).strip()
    numbered = number_in(words, edition)
    if numbered is not None:
        return numbered.others
    code = code_of(words, edition)
    if code is None or not _VARIABLE.search(words.casefold()):
        return ()
    name = parse(code).name
    number = {"BH": "37", "SB": "52", "ARO": "36", "TPR": "60", "WIN": "68"}.get(name)
    found = numbers.translate(number, edition=edition) if number else None
    if found is None:
        return ()
    # The words do not tell the rules: those in force, or the old ones that the number stands for.
    return tuple(dict.fromkeys([*(other.replace("@pre2023", "") for other in found.others), *found.others]))


def code_of(words: str, edition: str = "") -> str | None:
    """The code that words, a code or a number of Swiss-Manager mean; None where none is certain."""
    numbered = number_in(words, edition)
    if numbered is not None:
        return numbered.code or None
    try:
        return parse(words).text
    except ParameterError:
        pass
    lowered = words.casefold()
    if told := re.search(r"\(([a-z]{2,5})\)", lowered):  # Direct Encounter (DE)
        try:
            return parse(told[1].upper()).text
        except ParameterError:
            pass
    if _OTHERS.search(lowered):
        return None
    # What stands before a colon names the value; the rest explains it.
    for part in dict.fromkeys((lowered.split(":")[0], lowered)):
        for pattern, name in _WORDS:
            if re.search(pattern, part, re.IGNORECASE):
                return name + _options(name, lowered, edition)
    return None


def _options(name: str, lowered: str, in_force: str) -> str:
    """Edition, cuts and forfeits that the words tell."""
    found = ""
    if name in ("BH", "FB", "SB", "AOB"):
        if rules := _OF_THE_RULES.search(lowered):
            found = numbers.edition_mark("2024" if rules[1] == "2023" else rules[1], in_force)
        else:
            found = next((text for find, text in _EDITIONS if re.search(find, lowered)), "")
    if name in _TAKES_CUT:
        found += next((text for find, text in _CUTS if re.search(find, lowered)), "")
    if name in ("BH", "FB", "SB", "DE") and re.search(r"forfeit\w* games count", lowered):
        found += "/P"
    return found


def number_in(words: str, edition: str = "") -> numbers.Numbered | None:
    """The number that words are, or end with in square brackets as the program lists its tie-breaks."""
    numbered = numbers.translate(words, edition=edition)
    if numbered is None and (last := re.search(r"\[(\d{1,3})\]\s*\Z", words)):
        return numbers.translate(last[1], edition=edition)
    return numbered


def _usable(code: str) -> bool:
    """Whether a column of players can be the code: those of teams are none."""
    try:
        parsed = parse(code)
    except ParameterError:
        return False
    return not parsed.score and parsed.name not in TEAM_ONLY
