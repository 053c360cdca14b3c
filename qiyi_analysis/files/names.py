"""Names of files made from names in the data."""

from __future__ import annotations

import re

#: Windows refuses these whatever the extension.
RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{i}" for i in range(10)), *(f"lpt{i}" for i in range(10))}
)


def safe_name(text: str) -> str:
    """A file name that every file system takes: no separators or reserved names, not too long."""
    plain = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*\s]+', "-", text).strip(" .-")
    # Long Chinese names have three bytes a character; file systems count bytes.
    while len(plain.encode("utf-8")) > 120:
        plain = plain[:-1]
    if plain.partition(".")[0].casefold() in RESERVED:
        plain = f"_{plain}"
    return plain or "event"
