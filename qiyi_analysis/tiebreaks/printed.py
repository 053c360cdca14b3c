"""What the printed tie-break columns of an event are: codes read from their words, or from the event's own list."""

from __future__ import annotations

import re

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import TIE_BREAK_COLUMNS, Event
from qiyi_analysis.tiebreaks import swiss_manager_numbers as numbers
from qiyi_analysis.tiebreaks.codes import parse
from qiyi_analysis.tiebreaks.criterion import CRITERIA

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


#: A code in front of its explanation ("APRO, average performance ..."), and one in brackets behind it.
_FIRST_WORD = re.compile(r"\s*([A-Z]{2,6}(?:[-/:]\w+)*)\s*[,;:–—]\s")
_IN_BRACKETS = re.compile(r"\(([a-z]{2,5})\)")
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
    found = numbers.variable(parse(code).name, edition)
    if found is None:
        return ()
    # The words do not tell the rules: those in force, or the old ones that the number stands for.
    return tuple(dict.fromkeys([*(other.replace("@pre2023", "") for other in found.others), *found.others]))


def code_of(words: str, edition: str = "") -> str | None:
    """The code that words, a code or a number of Swiss-Manager mean; None where none is certain."""
    numbered = number_in(words, edition)
    if numbered is not None:
        return numbered.code or None
    lowered = words.casefold()
    # The whole header is a code, or the word in front of a comma or colon, or the one in brackets: Direct Encounter (DE).
    first, bracketed = _FIRST_WORD.match(words), _IN_BRACKETS.search(lowered)
    for spelled in (words, first and first[1], bracketed and bracketed[1].upper()):
        try:
            code = parse(spelled or "")
        except ParameterError:
            continue
        # The word in front is explained by what follows it, cuts included.
        plain = first and spelled == first[1] != words and code.bare == code.name
        if first is None or not plain:
            return code.text
        word = first[1].casefold()
        name = next(
            (one for one, known in CRITERIA.items() if known.printed and known.printed.fullmatch(word)),
            code.name,
        )
        return name + _options(name, lowered, edition)
    if _OTHERS.search(lowered):
        return None
    # What stands before a colon names the value; the rest explains it.
    for part in dict.fromkeys((lowered.split(":")[0], lowered)):
        fits = [
            (found.end() - found.start(), name)
            for name, one in CRITERIA.items()
            if one.printed and (found := one.printed.search(part))
        ]
        if fits:
            name = max(fits)[1]
            return name + _options(name, lowered, edition)
    return None


def _options(name: str, lowered: str, in_force: str) -> str:
    """Edition, cuts and forfeits that the words tell."""
    found = ""
    if CRITERIA[name].unplayed:
        if rules := _OF_THE_RULES.search(lowered):
            found = numbers.edition_mark("2024" if rules[1] == "2023" else rules[1], in_force)
        else:
            found = next((text for find, text in _EDITIONS if re.search(find, lowered)), "")
    if "cut" in CRITERIA[name].options:
        found += next((text for find, text in _CUTS if re.search(find, lowered)), "")
    if "P" in CRITERIA[name].options and re.search(r"forfeit\w* games count", lowered):
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
    return not parsed.for_teams
