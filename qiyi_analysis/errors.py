"""Errors for the end of the road; everything a user can mend line by line is a Finding instead."""

from __future__ import annotations


class QiyiError(Exception):
    """Base of every error that reaches a user: one sentence saying where, what was read, what was expected."""


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
