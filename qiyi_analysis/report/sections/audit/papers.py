"""What was not checked, the letter to the arbiter, signatures, rules and inputs."""

from __future__ import annotations

from importlib import metadata

from qiyi_analysis import words
from qiyi_analysis.model.findings import Finding, Severity
from qiyi_analysis.report.kit import prose
from qiyi_analysis.report.kit.tables import Column, Table, is_missing
from qiyi_analysis.report.sections.audit.asked import View, column, where


def unchecked(v: View) -> prose.Piece | None:
    """What the audit did not look at, and why."""
    if not v.wants("unchecked"):
        return None
    result = v.audit
    event = result.event
    rows = [
        [f.code, _placed(v, f), v.say("unchecked.found-why")]
        for f in result.findings
        if f.code in ("CK44", "CK42")
    ]
    kinds = {rules.kind for rules in result.rules}
    unknown = int((event.players["birth_year"].isna() & (event.players["birth_date"] == "")).sum())
    gaps = [
        ("no-list", not result.lists),
        ("no-published", result.rating is not None and not len(result.comparison)),
        ("no-birth-years", unknown > 0),
        ("no-titles", "titles" not in kinds),
        ("no-standings", result.standings.rows.empty),
        ("time-control", not event.time_control),
        ("registration", True),
    ]
    rows += [
        ["", v.say(f"unchecked.{key}"), v.say(f"unchecked.{key}-why", count=unknown)]
        for key, gap in gaps
        if gap
    ]
    table = Table(
        "unchecked",
        [column("code", "digest"), column("item"), column("why")],
        rows,
        caption=words.pair("audit_section.unchecked", "zh"),
        language=v.language,
    )
    return prose.group(v.heading("unchecked"), table, language=v.language)


def letter(v: View) -> prose.Piece | None:
    """A letter to the chief arbiter that lists what is to be corrected or explained."""
    if not v.wants("letter"):
        return None
    result, event = v.audit, v.audit.event
    errors, asks = (
        [f for f in result.findings if f.severity == severity] for severity in (Severity.RETURN, Severity.ASK)
    )
    opening = "correct" if errors else "ask" if asks else "clean"
    arbiter = str(event.arbiters[0]) if event.arbiters else ""
    items = []
    for finding in [*errors, *asks]:
        items.append(_placed(v, finding))
    basis = [rules.id for rules in result.rules]
    return prose.group(
        v.heading("letter"),
        prose.letter(
            v.say("audit_letter.subject", event=event.name or event.id),
            v.say("audit_letter.to_named", name=arbiter) if arbiter else v.say("audit_letter.to"),
            [v.say(f"audit_letter.{opening}") + (_ratings(v) if opening == "clean" else "")],
            items,
            [v.say("audit_letter.basis", rules=basis), v.say("audit_letter.closing")],
        ),
        language=v.language,
    )


def _placed(v: View, finding: Finding) -> str:
    """What a finding says, with its place before it."""
    place = where(v, finding)
    said = finding.message(v.language)
    return v.say("audit_letter.placed", place=place, said=said) if place else said


def _ratings(v: View) -> str:
    """What follows for the ratings: the event can be rated, for whom no new rating can be calculated, or for nobody."""
    if v.audit.rating is None:
        return ""
    players = v.audit.rating.players
    played = players[players["games"] > 0]
    without = sum(is_missing(new) for new in played["new_rating"])
    key = "rated" if not without else "rated-none" if without == len(played) else "rated-some"
    return v.say(f"audit_letter.{key}", count=without, total=len(played))


def signature(v: View) -> prose.Piece | None:
    """The lines to sign on."""
    if not v.wants("signature"):
        return None
    return prose.group(v.heading("signature"), prose.signature(v.language), language=v.language)


def appendix(v: View) -> prose.Piece | None:
    """Rules used with their sources, every input with its checksum, the program's version."""
    if not v.wants("appendix"):
        return None
    result = v.audit
    rules = Table(
        "rules_used",
        [
            Column("rules", "code"),
            Column("rules_title"),
            Column("first_day", "date"),
            column("source_grade"),
            column("sources"),
        ],
        [
            {
                "rules": one.id,
                "rules_title": one.title_zh if v.language == "zh" else one.title,
                "first_day": one.effective or v.say("audit.undated"),
                "source_grade": v.say(f"confidence.{one.confidence}"),
                "sources": words.listed(one.sources, v.language, parts=True),
            }
            for one in result.rules
        ],
        caption=words.pair("audit_fact.rules", "zh"),
        language=v.language,
    )
    sources = [*result.event.sources, *(source for one in result.lists for source in one.sources)]
    inputs = Table(
        "inputs",
        [column("file"), column("size", "integer"), column("sha256", "digest")],
        [{"file": source.name, "size": source.size, "sha256": source.sha256} for source in sources],
        caption=words.pair("audit_column.file", "zh"),
        language=v.language,
    )
    version = prose.key_values(
        [(words.pair("audit.version", "zh"), f"qiyi-analysis {metadata.version('qiyi-analysis')}")],
        v.language,
    )
    return prose.group(v.heading("appendix"), rules, inputs, version, language=v.language)
