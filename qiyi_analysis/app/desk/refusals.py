"""Why the desk refuses a file, in the officer's language; the reader's own sentence goes with it."""

from __future__ import annotations

import re

from qiyi_analysis import words

#: The word of the desk for what the reader found; the first that fits.
_KINDS = {
    "empty": ("event-file-empty", "table-empty", "list-empty", "folder-empty"),
    "notebook": ("json-alone",),
    "archive": (
        "zip-damaged", "zip-too-large", "zip-member-damaged", "zip-member-too-large", "file-too-large",
    ),
    "picture": ("foreign-file",),
    "no_event": ("wrong-kind", "sheet-no-table", "xml-unknown", "zip-empty", "no-event-among"),
}  # fmt: skip


def refusal(kind: str, detail: str = "", **values: object) -> dict[str, str]:
    """``zh``, ``en`` and ``detail`` of a refusal."""
    zh, en = (words.text(f"desk.{kind}", language, **values) for language in ("zh", "en"))
    return {"zh": zh, "en": en, "detail": detail}


def _says(reason: str, message: str) -> bool:
    return any(re.search(words.pattern(f"error.{reason}", language), message) for language in words.LANGUAGES)


def of_reader(message: str) -> dict[str, str]:
    """The refusal that belongs to what the command said, in either language."""
    kind = next(
        (kind for kind, reasons in _KINDS.items() if any(_says(r, message) for r in reasons)), "other"
    )
    return refusal(kind, message)
