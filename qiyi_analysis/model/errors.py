"""Errors for the end of the road; everything a user can mend line by line is a Finding instead.

An error is raised with a reason and named fields, ``ReadError("file-empty", file=name)``; its sentence is
``[error.<reason>]`` in ``words/errors*.toml``.
"""

from __future__ import annotations

import errno
from typing import Any

from qiyi_analysis import words


class QiyiError(Exception):
    """Base of every error that reaches a user: one sentence saying where, what was read, what was expected.

    ``str(error)`` is the sentence in English, ``message(language)`` in either language. The words are looked up when
    the error is raised, so that it can be pickled whatever its fields were. KeyError for a reason without words.
    """

    said: words.Said

    def __init__(self, reason: str, /, **fields: object) -> None:
        said = words.said(f"error.{reason}", **fields)
        super().__init__(said)
        self.reason, self.said = reason, said

    def message(self, language: str) -> str:
        """The sentence in ``zh`` or ``en``."""
        return words.shown(self.said, language)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_raised_elsewhere, (type(self), self.reason, self.said))

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback: a user gets the sentence in both languages."""
        return [f"{type(self).__name__}: {self.said}", self.said.zh]


def of_system(error: BaseException) -> words.Said | str:
    """What the operating system says about a file, in both languages where its number is a common one."""
    if not isinstance(error, OSError):
        return str(error)
    key = f"system.{errno.errorcode.get(error.errno or 0, '')}"
    said = error.strerror or str(error)
    return words.Said(said, words.text(key, "zh")) if words.has(key) else said


def sentence(error: BaseException) -> words.Said:
    """Any error in one sentence: the library's own, the operating system's, or that the program is at fault."""
    if isinstance(error, QiyiError):
        return error.said
    if isinstance(error, OSError):
        said = of_system(error)
        return (
            words.said("system.file", file=error.filename, said=said)
            if error.filename
            else words.said("system.plain", said=said)
        )
    return words.said("system.fault", kind=type(error).__name__, error=error)


def _raised_elsewhere(kind: type[QiyiError], reason: str, said: words.Said) -> QiyiError:
    """An error that crossed a border between processes."""
    error = kind.__new__(kind, said)
    error.reason, error.said = reason, said
    return error


class ReadError(QiyiError):
    """A file cannot be read as what it claims to be."""


class RulesetError(QiyiError):
    """A rule file is damaged, unknown, or no edition is in force on the day asked for."""


class EventError(QiyiError):
    """An event cannot be worked on as asked (unknown player, nothing to rate)."""


class ParameterError(QiyiError):
    """A parameter of a notebook or command is unknown, of the wrong type or out of range."""


class ReportError(QiyiError):
    """A notebook could not be run or exported."""
