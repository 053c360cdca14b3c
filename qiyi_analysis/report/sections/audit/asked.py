"""What every section of an audit's report needs: the audit, the language, the sections asked for, and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.audit.event_audit import Audit
from qiyi_analysis.audit.masking import masked, minors
from qiyi_analysis.model.findings import Cause, Finding
from qiyi_analysis.report.kit import prose
from qiyi_analysis.report.kit.tables import Column, is_missing
from qiyi_analysis.report.run.audit_files import AuditRequest
from qiyi_analysis.report.run.parameters import find_input

SECTIONS = (
    "facts",
    "findings",
    "causes",
    "players",
    "sheets",
    "standings",
    "titles",
    "figures",
    "unchecked",
    "letter",
    "signature",
    "appendix",
)


@dataclass(frozen=True, kw_only=True)
class View:
    """An audit and how it is to be shown; ``unmasked`` counts players of unknown age where minors are hidden."""

    audit: Audit
    language: str
    sections: tuple[str, ...]
    unmasked: int = 0

    @cached_property
    def names(self) -> dict[int, str]:
        """Number -> name."""
        players = self.audit.event.players
        return dict(zip(players["number"].tolist(), players["name"].tolist(), strict=True))

    def wants(self, section: str) -> bool:
        """Whether the section is among those asked for."""
        return section in self.sections

    def say(self, key: str, **values: object) -> str:
        """The text ``key`` of the words in the language of the report."""
        return words.text(key, self.language, **values)

    def heading(self, section: str) -> prose.Piece:
        """Heading of the section in both languages, the report's own first."""
        return prose.heading(words.pair(f"audit_section.{section}", "zh"), self.language)


def audit_of(
    event: str,
    rules: Sequence[str] = (),
    lists: Sequence[str] = (),
    published: str = "",
    *,
    language: str = "zh",
    sections: Sequence[str] = SECTIONS,
    mask_minors: bool = False,
) -> View:
    """Read and audit an event; the arguments are the parameters of the notebook."""
    request = AuditRequest(
        event=find_input(event), rules=tuple(rules), lists=tuple(lists), published=published
    )
    return view(request.audited(), language, sections, mask_minors)


def view(
    result: Audit, language: str = "zh", sections: Sequence[str] = SECTIONS, mask_minors: bool = False
) -> View:
    """An audit that is already there, to be shown."""
    unknown = len(result.event.players) - len(minors(result.event, result.lists)) if mask_minors else 0
    return View(
        audit=masked(result, language) if mask_minors else result,
        language=language,
        sections=tuple(sections),
        unmasked=unknown,
    )


def where(v: View, finding: Finding) -> str:
    """Place of a finding in words: player, round, file and line."""
    parts = []
    if finding.player:
        parts.append(
            v.say("audit_place.player", number=finding.player, name=name_of(v, finding.player)).strip()
        )
    if finding.round:
        parts.append(v.say("audit_place.round", round=finding.round))
    if finding.line:
        file = finding.file.rsplit("/", 1)[-1]
        parts.append(f"{file} {v.say('audit_place.line', line=finding.line)}".strip())
    return " · ".join(parts)


def differing(result: Audit) -> dict[int, tuple[Cause, ...]]:
    """Players with a published value that does not follow, with the causes found, in order of the list."""
    found: dict[int, tuple[Cause, ...]] = {}
    rows = result.comparison
    for number, agrees, known in zip(
        rows["number"].tolist(), rows["agrees"].tolist(), rows["causes"].tolist(), strict=True
    ):
        if agrees is not None and not is_missing(agrees) and not agrees:
            found[number] = found.get(number) or tuple(known)
    return found


def name_of(v: View, number: Any) -> str:
    """Name of a player by number; "" for an unknown one."""
    return v.names.get(number, "")


def column(key: str, kind: str = "text", words_key: str = "") -> Column:
    """A column whose head stands in the words under ``audit_column``."""
    return Column(key, kind, words.pair(f"audit_column.{words_key or key}", "zh"))
