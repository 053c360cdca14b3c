"""Why the desk refuses a file, in the officer's language; the reader's own sentence goes with it."""

from __future__ import annotations

import re

from qiyi_analysis import words

#: What the reader's sentence says, and the word of the desk for it; the first that fits.
_KINDS = (
    (r"file is empty|nothing in it", "empty"),
    (r"JSON text", "notebook"),
    (r"zip archive|packed files|unpack|larger than", "archive"),
    (r"a (PDF|picture|packed) file", "picture"),
    (r"no table|no event|of a kind that is not known|holds no file|none of \d+ files", "no_event"),
)


def refusal(kind: str, detail: str = "", **values: object) -> dict[str, str]:
    """``zh``, ``en`` and ``detail`` of a refusal."""
    zh, en = (words.text(f"desk.{kind}", language, **values) for language in ("zh", "en"))
    return {"zh": zh, "en": en, "detail": detail}


def of_reader(message: str) -> dict[str, str]:
    """The refusal that belongs to what the command said."""
    kind = next((kind for pattern, kind in _KINDS if re.search(pattern, message)), "other")
    return refusal(kind, message)
