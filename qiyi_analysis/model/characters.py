"""Traditional characters as simplified ones, for comparing words and names."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def _table() -> dict[int, str]:
    table: dict[int, str] = {}
    text = resources.files(__package__).joinpath("traditional_characters.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            simplified, _, traditional = line.partition(" ")
            table.update({ord(character): simplified for character in traditional})
    return table


def simplified(text: str) -> str:
    """The text with every traditional character written as its simplified one."""
    return text if text.isascii() else text.translate(_table())
