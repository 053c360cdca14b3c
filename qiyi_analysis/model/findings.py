"""Findings: one record per disagreement or defect, with its code, place, values, article and causes.

Codes CK01 to CK40 are the checks an officer makes before accepting a report; codes from CK41 are
findings of this program. The words of a finding are in ``words/*.toml`` under ``[finding.<reason>]``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from qiyi_analysis import words


class Severity(StrEnum):
    """What the officer does with a finding."""

    RETURN = "E"
    ASK = "W"
    NOTE = "I"


#: Sort order of severities in every report.
SEVERITY_ORDER = {Severity.RETURN: 0, Severity.ASK: 1, Severity.NOTE: 2}

#: Code -> usual severity. What a code means is in words/findings.toml under [code.<CODE>].
CODES: Mapping[str, Severity] = MappingProxyType(
    {
        "CK01": Severity.ASK,
        "CK02": Severity.RETURN,
        "CK03": Severity.ASK,
        "CK04": Severity.RETURN,
        "CK05": Severity.RETURN,
        "CK06": Severity.ASK,
        "CK07": Severity.RETURN,
        "CK08": Severity.ASK,
        "CK09": Severity.RETURN,
        "CK10": Severity.ASK,
        "CK11": Severity.ASK,
        "CK12": Severity.ASK,
        "CK13": Severity.ASK,
        "CK14": Severity.ASK,
        "CK15": Severity.RETURN,
        "CK16": Severity.RETURN,
        "CK17": Severity.RETURN,
        "CK18": Severity.ASK,
        "CK19": Severity.ASK,
        "CK20": Severity.ASK,
        "CK21": Severity.RETURN,
        "CK22": Severity.ASK,
        "CK23": Severity.ASK,
        "CK24": Severity.RETURN,
        "CK25": Severity.NOTE,
        "CK26": Severity.RETURN,
        "CK27": Severity.ASK,
        "CK28": Severity.RETURN,
        "CK29": Severity.ASK,
        "CK30": Severity.ASK,
        "CK31": Severity.NOTE,
        "CK32": Severity.RETURN,
        "CK33": Severity.ASK,
        "CK34": Severity.ASK,
        "CK35": Severity.ASK,
        "CK36": Severity.RETURN,
        "CK37": Severity.RETURN,
        "CK38": Severity.RETURN,
        "CK39": Severity.RETURN,
        "CK40": Severity.RETURN,
        # Findings of this program.
        "CK41": Severity.NOTE,  # rules assumed, or chosen for the user
        "CK42": Severity.NOTE,  # K not known and nothing to derive it from
        "CK43": Severity.ASK,  # a value in the file is outside what is possible
        "CK44": Severity.NOTE,  # something could not be checked, and why
        "CK45": Severity.NOTE,  # an ambiguous article and the reading taken
        "CK46": Severity.NOTE,  # a tie-break asked for where its article does not define it
        "CK47": Severity.ASK,  # rating list: a row that cannot be used as it stands
        "CK48": Severity.NOTE,  # rating list: a difference explained by a named cause
        "CK49": Severity.NOTE,  # the reader assumed or repaired something
        "CK50": Severity.ASK,  # an event belongs to no period, or to more than one
        "CK51": Severity.ASK,  # history: rows left out of a study, and why
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A hypothesis that reproduces the published number exactly.

    ``cause`` is a word of the interface (``other-k``, ``formula``, ...), ``detail`` what exactly was
    changed (in both languages where it is more than a name), ``explains`` how many discrepancies of the event the same hypothesis reproduces.
    """

    cause: str
    detail: str
    explains: int = 1

    def name(self, language: str) -> str:
        """The word for the cause; the cause itself where none is defined."""
        return words.shown(words.named("cause", self.cause), language)

    def message(self, language: str) -> str:
        """Name, detail and how many discrepancies it explains, in words."""
        counted = words.text("cause-line.counted", language, detail=self.detail, count=self.explains)
        return words.text("cause-line.named", language, name=self.name(language), details=counted)

    def as_dict(self) -> dict[str, Any]:
        """The cause in the fields of the interface, its detail in English."""
        return {"cause": self.cause, "detail": self.detail, "explains": self.explains}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One disagreement or defect. ``player`` and ``round`` are 0 where they do not apply."""

    code: str
    reason: str
    severity: Severity | str | None = None
    file: str = ""
    line: int = 0
    round: int = 0
    player: int = 0
    field: str = ""
    published: str = ""
    recomputed: str = ""
    article: str = ""
    causes: tuple[Cause, ...] = ()
    values: Mapping[str, object] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"unknown finding code {self.code}")
        if self.severity is None:
            object.__setattr__(self, "severity", CODES[self.code])
        else:
            object.__setattr__(self, "severity", Severity(self.severity))

    def message(self, language: str) -> str:
        """The finding in words; its own values are inserted as text, the field by its name in the language."""
        named = {
            "file": self.file,
            "line": self.line,
            "round": self.round,
            "player": self.player,
            "field": words.named("field", self.field),
            "published": self.published,
            "recomputed": self.recomputed,
            "article": self.article,
            **self.values,
        }
        return words.text(f"finding.{self.reason}", language, **named)

    def value(self, name: str, language: str) -> str:
        """``published`` or ``recomputed`` as a person reads it: where the value is a code, the word for it."""
        return words.shown(self.values.get(name, getattr(self, name)), language)

    def cited(self, language: str) -> str:
        """The article as it stands beside the message: empty where the message names it itself."""
        return "" if self.article in self.message(language) else self.article

    @property
    def said(self) -> words.Said:
        """The finding in both languages, as a field of another text."""
        return words.Said(self.message("en"), self.message("zh"))

    def as_dict(self) -> dict[str, Any]:
        """The finding in the fields of the interface; absent numbers and texts are None."""
        return {
            "code": self.code,
            "severity": str(self.severity),
            "file": self.file or None,
            "line": self.line or None,
            "round": self.round or None,
            "player": self.player or None,
            "field": self.field or None,
            "published": self.published or None,
            "recomputed": self.recomputed or None,
            "article": self.article or None,
            "causes": [cause.as_dict() for cause in self.causes],
            "causes_zh": [words.shown(cause.detail, "zh") for cause in self.causes],
            "message": self.message("en"),
            "message_zh": self.message("zh"),
        }


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by severity, then code, player, round and line; equal ones once."""
    unique: dict[tuple[Any, ...], Finding] = {}
    for finding in findings:
        key = (
            finding.code,
            finding.reason,
            finding.file,
            finding.line,
            finding.round,
            finding.player,
            finding.field,
            finding.published,
            tuple(sorted((k, str(v)) for k, v in finding.values.items())),
        )
        unique.setdefault(key, finding)
    return tuple(
        sorted(
            unique.values(),
            key=lambda f: (
                SEVERITY_ORDER[Severity(f.severity or "I")],
                f.code,
                f.player,
                f.round,
                f.line,
                f.reason,
            ),
        )
    )


def worst(findings: Iterable[Finding]) -> Severity | None:
    """The highest severity among the findings, None if there are none."""
    severities = [Severity(f.severity or "I") for f in findings]
    return min(severities, key=SEVERITY_ORDER.__getitem__, default=None)


def exit_code(findings: Iterable[Finding]) -> int:
    """1 if a finding has severity E or W, else 0."""
    return int(worst(findings) in (Severity.RETURN, Severity.ASK))
