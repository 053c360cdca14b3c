"""Title, verdict and what kind of event it was."""

from __future__ import annotations

from decimal import Decimal

from qiyi_analysis import words
from qiyi_analysis.model.findings import Severity
from qiyi_analysis.report.kit import prose
from qiyi_analysis.report.sections.audit.asked import View


def title(v: View) -> prose.Piece:
    """Title, name of the event, verdict."""
    result = v.audit
    counts = {severity: sum(f.severity == severity for f in result.findings) for severity in Severity}
    compared = result.comparison["agrees"]
    placed = result.standings.rows["agrees"].astype(bool)
    detail = v.say(
        "audit.detail",
        errors=counts[Severity.RETURN],
        asks=counts[Severity.ASK],
        notes=counts[Severity.NOTE],
        compared=int(compared.notna().sum()),
        differ=int((compared == False).sum()),  # noqa: E712 (None means not compared)
        ranks=len(placed),
        off=int((~placed).sum()),
    )
    return prose.group(
        prose.title(
            words.pair("audit.title", "zh"),
            v.language,
            result.event.name or result.event.id,
            day=result.event.last_day,
        ),
        prose.verdict(result.verdict, words.pair(f"verdict.{result.verdict}", "zh"), v.language, detail),
        prose.prose(v.say("audit.unmasked", count=v.unmasked), "note") if v.unmasked else None,
        language=v.language,
    )


def facts(v: View) -> prose.Piece | None:
    """What kind of event it was and by which rules it was judged."""
    if not v.wants("facts"):
        return None
    event, rating = v.audit.event, v.audit.rating
    rated = int((~event.players["rating"].isna() & (event.players["rating"] > 0)).sum())
    counted = int(rating.games["counted"].astype(bool).sum()) // 2 if rating is not None else 0
    ratings = event.players["rating"].dropna()
    rows = [
        ("event", event.name or event.id),
        ("place", event.place),
        ("dates", event.period),
        ("federation", event.federation),
        (
            "discipline",
            v.say(f"discipline.{event.discipline}") if words.has(f"discipline.{event.discipline}") else "",
        ),
        ("format", v.say(f"format.{event.format}") if event.format else ""),
        ("rounds", event.rounds or ""),
        ("players", f"{len(event.players)} ({rated})"),
        ("games", f"{len(event.games)} ({counted})"),
        ("average", str(round(Decimal(float(ratings.mean())))) if len(ratings) else ""),
        ("time_control", event.time_control),
        ("arbiters", words.listed(event.arbiters, v.language)),
        (
            "rules",
            "\n".join(
                f"{one.id}  {one.title_zh if v.language == 'zh' else one.title}" for one in v.audit.rules
            ),
        ),
        ("lists", words.listed((one.id for one in v.audit.lists), v.language)),
    ]
    pairs = [(words.pair(f"audit_fact.{key}", "zh"), value) for key, value in rows if value not in ("", None)]
    return prose.group(v.heading("facts"), prose.key_values(pairs, v.language), language=v.language)
