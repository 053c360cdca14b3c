"""Text as terminals, pages and files can show it: nothing hidden, nothing that cannot be stored, columns that align."""

from __future__ import annotations

import re
import unicodedata

# Controls, format characters (bidirectional marks among them), surrogates, private use, unassigned: what a
# reader cannot see may change what he does see.
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff0-\uffff"
    r"\ud800-\udfff\ue000-\uf8ff\U000e0000-\U0010ffff]"
)


def code_point(character: str) -> str:
    """The visible stand-in of a character that cannot be shown: ``〓[U+20BB7]``."""
    return f"〓[U+{ord(character):04X}]"


def visible(text: str) -> str:
    """``text`` with every invisible or reordering character replaced by its visible stand-in."""
    text = text.replace("\r\n", "\n")
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: " " if found[0] == "\u202f" else code_point(found[0]), text)


def storable(text: str) -> str:
    """``text`` without lone surrogates, which no UTF-8 file can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return re.sub(r"[\ud800-\udfff]", lambda found: code_point(found[0]), text)
    return text


def width(text: str) -> int:
    """Columns of a terminal that ``text`` takes: two for each wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def padded(text: str, columns: int, right: bool = False) -> str:
    """``text`` filled with blanks to ``columns`` terminal columns."""
    blanks = " " * max(0, columns - width(text))
    return blanks + text if right else text + blanks
