"""The findings and the causes of the differences."""

from __future__ import annotations

import re
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.findings import Cause, Finding, Severity
from qiyi_analysis.report.kit import prose
from qiyi_analysis.report.kit.tables import Column, Table
from qiyi_analysis.report.sections.audit.asked import View, column, name_of, where


def findings(v: View) -> prose.Piece | None:
    """Every finding, by severity."""
    if not v.wants("findings"):
        return None
    parts: list[Any] = [v.heading("findings")]
    for severity in Severity:
        chosen = [finding for finding in v.audit.findings if finding.severity == severity]
        if chosen:
            parts.append(_findings_table(v, severity, chosen))
    if len(parts) == 1:
        parts.append(prose.prose(v.say("audit.nothing_found")))
    return prose.group(*parts, language=v.language)


#: Characters from which a printed value is a text; a shorter one is worth its column beside the sentence.
_TEXT_FROM = 24


def _unless_said(value: str, message: str) -> str:
    """A printed value; nothing where it is a long text whose parts the sentence holds already."""
    if len(value) < _TEXT_FROM:
        return value
    parts = [part for part in re.split(r"[,;，；、]\s*", value.rstrip("….")) if part]
    return "" if all(part in message for part in parts) else value


def _findings_table(v: View, severity: Severity, chosen: list[Finding]) -> Table:
    rows = [
        [
            f.code,
            where(v, f),
            f.message(v.language),
            _unless_said(f.value("published", v.language), f.message(v.language)),
            f.value("recomputed", v.language),
            f.cited(v.language),
        ]
        for f in chosen
    ]
    columns = [
        column("code", "digest"),
        column("place"),
        column("what"),
        column("printed", "code"),
        column("recomputed", "code"),
        Column("article"),
    ]
    # A column without a word in it only takes room from the others.
    used = [i for i in range(len(columns)) if i < 3 or any(row[i] for row in rows)]
    return Table(
        f"findings_{severity}",
        [columns[i] for i in used],
        [[row[i] for i in used] for row in rows],
        caption=words.pair(f"audit.findings_{severity}", "zh"),
        language=v.language,
    )


def causes(v: View) -> prose.Piece | None:
    """For every difference, the assumptions that reproduce the published number exactly."""
    if not v.wants("causes"):
        return None
    chosen = [
        finding for finding in v.audit.findings if finding.causes or finding.reason.endswith("-differs")
    ]
    chosen = [finding for finding in chosen if finding.player and finding.published]
    if not chosen:
        return None
    rows = [
        [
            v.say("audit_place.player", number=f.player, name=name_of(v, f.player)),
            words.shown(words.named("field", f.field), v.language),
            f.value("published", v.language),
            f.value("recomputed", v.language),
            _causes(v, f.causes),
        ]
        for f in chosen
    ]
    columns = [
        column("player"),
        column("field"),
        column("printed", "decimal"),
        column("recomputed", "decimal"),
        column("causes"),
    ]
    table = Table(
        "causes", columns, rows, caption=words.pair("audit_section.causes", "zh"), language=v.language, keep=1
    )
    return prose.group(
        v.heading("causes"), table, prose.prose(v.say("audit.causes_note"), "note"), language=v.language
    )


def _causes(v: View, found: tuple[Cause, ...]) -> str:
    """All causes, those of one kind in one line, in the order in which they were ranked."""
    if not found:
        return v.say("audit.no_cause")
    kinds: dict[str, list[Cause]] = {}
    for cause in found:
        kinds.setdefault(cause.cause, []).append(cause)
    return "\n".join(
        f"{number}. {_causes_of_a_kind(same, v.language)}" for number, same in enumerate(kinds.values(), 1)
    )


def _causes_of_a_kind(same: list[Cause], language: str) -> str:
    name = same[0].name(language)
    details = [
        words.text("cause-line.explains", language, detail=cause.detail, count=cause.explains)
        if cause.explains > 1
        else words.shown(cause.detail, language)
        for cause in same
        if cause.detail
    ]
    if not details:
        return name
    between = "；" if language == "zh" else "; "
    return words.text("cause-line.named", language, name=name, details=between.join(details))
