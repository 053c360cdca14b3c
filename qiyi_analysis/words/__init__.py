"""The words people see, in Chinese and English, from the TOML files beside this module.

A file holds tables such as ``[column.change]`` with the keys ``zh`` and ``en``. Areas share one name
space: ``words.text("column.change", "zh")``. Text in the files may hold ``{named}`` fields; values are
inserted as they are and never read as a template; one that is itself said in both languages (``Said``), and a
list of values, are inserted in the language of the text.
"""

from __future__ import annotations

import difflib
import re
import string
import tomllib
from collections.abc import Collection, Iterable
from functools import cache
from importlib import resources
from typing import Any, Literal, Self

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")
#: What stands between the values of a list.
BETWEEN: dict[str, str] = {"zh": "、", "en": ", "}
#: What stands between parts that may be lists themselves.
BETWEEN_PARTS: dict[str, str] = {"zh": "；", "en": "; "}
#: What stands for the rest of a list that is cut short.
AND_MORE: dict[str, str] = {"zh": "……", "en": " ..."}
NOTHING: dict[str, str] = {"zh": "无", "en": "none"}


class Said(str):
    """A text in English that knows how it is said in Chinese: for values that travel (causes, reasons, errors)
    until somebody shows them in a language. Compares, sorts and is written to JSON as the English text."""

    __slots__ = ("zh",)
    zh: str

    def __new__(cls, en: str, zh: str) -> Self:
        """``en`` and ``zh``: the same text in both languages."""
        said = super().__new__(cls, en)
        said.zh = zh
        return said

    def __reduce__(self) -> tuple[Any, ...]:
        return (Said, (str(self), self.zh))


def said(key: str, /, **values: object) -> Said:
    """The text ``key`` in both languages, its fields filled. Raises KeyError for an unknown key."""
    return Said(text(key, "en", **values), text(key, "zh", **values))


class Later:
    """A text said in both languages only when it is shown: for what most often nobody asks for (the place of a fault)."""

    __slots__ = ("key", "values")

    def __init__(self, key: str, /, **values: object) -> None:
        self.key, self.values = key, values

    def __str__(self) -> str:
        return text(self.key, "en", **self.values)


def named(prefix: str, name: str) -> str:
    """The word ``prefix.name`` in both languages; the name itself where there is none (a user's own rule file)."""
    return said(f"{prefix}.{name}") if has(f"{prefix}.{name}") else name


def shown(value: object, language: str) -> str:
    """A value as it is shown in ``language``: Said in that language, several values joined, all else as text."""
    if isinstance(value, Said):
        return value.zh if language == "zh" else str(value)
    if isinstance(value, Later):
        return text(value.key, language, **value.values)
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        return BETWEEN[language].join(shown(one, language) for one in value) or NOTHING[language]
    return str(value)


def joined(values: Iterable[object], most: int = 0, *, parts: bool = False) -> Said:
    """Several values in one text, joined as each language joins them; nothing for none.

    ``most``: after so many (0: never) an ellipsis stands for the rest. ``parts``: the values are longer than words
    and may be lists themselves, so that semicolons stand between them.
    """
    every = list(values)
    kept = every[:most] if most else every
    between = BETWEEN_PARTS if parts else BETWEEN
    return Said(
        *(
            between[language].join(shown(one, language) for one in kept)
            + (AND_MORE[language] if len(kept) < len(every) else "")
            for language in ("en", "zh")
        )
    )


def ranges(numbers: Iterable[int], most: int = 12) -> Said:
    """Whole numbers in order, neighbors as ranges (1-3, 5); after ``most`` ranges an ellipsis."""
    runs: list[list[int]] = []
    for number in sorted({int(one) for one in numbers}):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    parts = [
        part for low, high in runs for part in ((f"{low}-{high}",) if high > low + 1 else sorted({low, high}))
    ]
    return joined(parts, most)


def listed(values: Iterable[object], language: str, *, parts: bool = False) -> str:
    """:func:`joined` in one language."""
    return shown(joined(values, parts=parts), language)


def nearest(typed: str, known: Iterable[str], otherwise: str = "", *, cutoff: float = 0.6) -> Said | str:
    """The end of a sentence about a name that is not known: the one that is meant.

    Where none is near it is the text of the key ``otherwise``, which names all there are, or nothing. ``cutoff``: how alike
    a name must be, from 0 to 1.
    """
    by_small = {name.casefold(): name for name in map(str, known)}
    found = difflib.get_close_matches(typed.casefold(), by_small, n=1, cutoff=cutoff)
    if found:
        return said("hint.near", near=by_small[found[0]])
    return said(otherwise, known=list(by_small.values())) if otherwise else ""


@cache
def _entries() -> dict[str, dict[str, str]]:
    entries: dict[str, dict[str, str]] = {}
    files = sorted(
        (path for path in resources.files(__name__).iterdir() if path.name.endswith(".toml")),
        key=lambda path: path.name,
    )
    for path in files:
        _collect(tomllib.loads(path.read_text(encoding="utf-8")), "", entries, path.name)
    return entries


def _collect(table: dict[str, Any], prefix: str, entries: dict[str, dict[str, str]], file: str) -> None:
    if set(table) == set(LANGUAGES):
        # A text defined twice is a fault a test finds; it must not stop a user's report.
        entries.setdefault(prefix, table)
        return
    for key, value in table.items():
        if not isinstance(value, dict):
            raise ValueError(f"words/{file}: {prefix}.{key} needs both zh and en")
        _collect(value, f"{prefix}.{key}" if prefix else key, entries, file)


class _Fields(string.Formatter):
    """Formats ``{name}`` only: no attribute or index access, so that data can never reach objects."""

    def __init__(self, language: str) -> None:
        self.language = language

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        return kwargs.get(field_name, "?"), field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        return format(shown(value, self.language), format_spec)


_FORMATTERS: dict[str, _Fields] = {language: _Fields(language) for language in LANGUAGES}


def has(key: str) -> bool:
    """Whether a text of this name exists."""
    return key in _entries()


def text(key: str, language: str, /, **values: object) -> str:
    """Return the text ``key`` in ``language``, its ``{named}`` fields filled from ``values``.

    Raises KeyError for an unknown key: a missing word is a fault of the program, not of the data.
    """
    template = _entries()[key][language]
    return _FORMATTERS[language].vformat(template, (), values) if "{" in template else template


def pattern(key: str, language: str, /) -> str:
    """A regular expression that finds the text ``key``, whatever its fields were."""
    parsed = string.Formatter().parse(_entries()[key][language])
    return "".join(re.escape(literal) + (".*" if name is not None else "") for literal, name, _, _ in parsed)


def pair(key: str, language: str, /, **values: object) -> tuple[str, str]:
    """Return the text in ``language`` and in the other language."""
    other = "en" if language == "zh" else "zh"
    return text(key, language, **values), text(key, other, **values)


def keys(prefix: str = "") -> list[str]:
    """All names that begin with ``prefix``, sorted."""
    return sorted(key for key in _entries() if key.startswith(prefix))
