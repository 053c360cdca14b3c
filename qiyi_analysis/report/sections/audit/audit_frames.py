"""What an audit found, as data frames: one row a finding, a difference, a player, a gap, a rule set, an input file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.audit.event_audit import Audit
from qiyi_analysis.model.errors import QiyiError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Cause, Finding
from qiyi_analysis.report.kit.tables import is_missing

#: Characters from which a printed value is a text; a shorter one is worth its column beside the sentence.
_TEXT_FROM = 24


def findings(result: Audit, language: str = "zh") -> pd.DataFrame:
    """One row a finding: code, severity (E, W, I), place, what, printed, recomputed, article; player and round as numbers."""
    names = names_of(result)
    rows = [
        {
            "code": f.code,
            "severity": str(f.severity),
            "place": place(names, f, language),
            "what": f.message(language),
            "printed": _unless_said(f.value("published", language), f.message(language)),
            "recomputed": f.value("recomputed", language),
            "article": f.cited(language),
            "player": f.player,
            "round": f.round,
        }
        for f in result.findings
    ]
    columns = ["code", "severity", "place", "what", "printed", "recomputed", "article", "player", "round"]
    return pd.DataFrame(rows, columns=columns)


def _unless_said(value: str, message: str) -> str:
    """A printed value; nothing where it is a long text whose parts the sentence holds already."""
    if len(value) < _TEXT_FROM:
        return value
    parts = [part for part in re.split(r"[,;，；、]\s*", value.rstrip("….")) if part]
    return "" if all(part in message for part in parts) else value


def differences(result: Audit, language: str = "zh") -> pd.DataFrame:
    """One row a published number that does not follow: player, field, printed, recomputed, and what reproduces it."""
    names = names_of(result)
    rows = [
        {
            "player": words.text(
                "audit_place.player", language, number=f.player, name=names.get(f.player, "")
            ),
            "field": words.shown(words.named("field", f.field), language),
            "printed": f.value("published", language),
            "recomputed": f.value("recomputed", language),
            "causes": causes_text(f.causes, language),
        }
        for f in result.findings
        if f.player and f.published and (f.causes or f.reason.endswith("-differs"))
    ]
    return pd.DataFrame(rows, columns=["player", "field", "printed", "recomputed", "causes"])


def causes_text(found: Iterable[Cause], language: str) -> str:
    """All causes, those of one kind in one line, in the order in which they were ranked."""
    kinds: dict[str, list[Cause]] = {}
    for cause in found:
        kinds.setdefault(cause.cause, []).append(cause)
    lines = [f"{number}. {_of_a_kind(same, language)}" for number, same in enumerate(kinds.values(), 1)]
    return "\n".join(lines) or words.text("audit.no_cause", language)


def _of_a_kind(same: list[Cause], language: str) -> str:
    name = same[0].name(language)
    details = [
        words.said("cause-line.explains", detail=cause.detail, count=cause.explains)
        if cause.explains > 1
        else cause.detail
        for cause in same
        if cause.detail
    ]
    if not details:
        return name
    return words.text(
        "cause-line.named", language, name=name, details=words.listed(details, language, parts=True)
    )


def players(result: Audit, language: str = "zh") -> pd.DataFrame:
    """One row a player, what was published beside what the rules give; ``differs`` where a published number does not follow.

    Without rows where no rating rules apply.
    """
    if result.rating is None:
        return pd.DataFrame(columns=["number", "name", "differs"])
    rows = pd.DataFrame(result.rating.player_rows(), dtype=object)
    number = rows["number"]
    printed = {
        str(field): number.map(dict(zip(of["number"], of["published_text"], strict=True)))
        for field, of in result.comparison.groupby("field")
    }
    absent = pd.Series([None] * len(rows), index=rows.index, dtype=object)
    change = printed.get("change", absent)
    off = differing(result)
    stars = rows["provisional"].map({True: "*", False: ""})
    return pd.DataFrame(
        {
            "number": number,
            "name": rows["name"],
            "rating": [
                "–" if is_missing(rating) else f"{rating}{star}"
                for rating, star in zip(rows["rating"], stars, strict=True)
            ],
            "k": rows["k"],
            "games": rows["games"],
            "opponents_average": rows["opponents_average"],
            "score": rows["score"],
            "we": rows["we"],
            "printed_we": printed.get("expected", absent),
            "delta": rows["change"],
            "rounded": rows["rounded_change"],
            "printed_change": change.map(_signed),
            "deviation": [
                _deviation(text, exact, whole) if one in off else None
                for one, text, exact, whole in zip(
                    number, change, rows["change"], rows["rounded_change"], strict=True
                )
            ],
            "new_rating": rows["new_rating"],
            "printed_new": printed.get("new_rating", absent),
            "explanation": [
                words.listed(
                    dict.fromkeys(c.name(language) for c in off.get(one, ())[:2]), language, parts=True
                )
                for one in number
            ],
            "differs": number.isin(list(off)),
        }
    )


def _deviation(printed: Any, exact: Any, rounded: Any) -> Decimal | None:
    """How far a published change is off: a whole one from the rounded change, one with decimals from the exact."""
    if is_missing(printed) or is_missing(exact) or is_missing(rounded):
        return None
    shown = Decimal(printed)
    if "." not in printed or shown == rounded:
        return shown - Decimal(str(rounded)) or None
    return (shown - exact).quantize(shown) or None


def _signed(printed: Any) -> Any:
    if is_missing(printed):
        return None
    return f"+{printed}" if not printed.startswith("-") and printed.strip("0.") else printed


def scores(result: Audit) -> pd.DataFrame:
    """Expected and real score of everybody with a rated game; ``furthest`` marks those furthest from expectation."""
    if result.rating is None:
        return pd.DataFrame(columns=["number", "name", "we", "score", "furthest"])
    rows = result.rating.players
    rows = rows.query("games > 0 and we.notna()")[["number", "name", "we", "score"]]
    off = (rows["score"] - rows["we"]).abs().nlargest(min(6, len(rows) // 2))
    return rows.assign(furthest=rows.index.isin(off.index))


def performances(event: Event) -> pd.DataFrame:
    """Rating and performance of the rated players in their games with each other."""
    from qiyi_analysis.tiebreaks import standings

    rated = event.players[event.players["rating"] > 0]
    numbers = set(rated["number"].tolist())
    inside = event.games["first"].isin(numbers) & event.games["second"].isin(numbers)
    try:
        found = standings(replace(event, players=rated, games=event.games[inside]), "TPR", of="players").table
    except QiyiError:
        # A field that cannot be ranked has no performances either; the findings say why.
        return pd.DataFrame(columns=["number", "name", "rating", "performance"])
    known = {
        n: float(value)
        for n, value in zip(found["number"], found["TPR"], strict=True)
        if not is_missing(value)
    }
    rows = rated[rated["number"].isin(list(known))]
    return rows[["number", "name"]].assign(
        rating=rows["rating"].astype(float), performance=rows["number"].map(known).astype(float)
    )


def unchecked(result: Audit, language: str = "zh") -> pd.DataFrame:
    """What the audit did not look at, and why: code, item, why."""
    names, event = names_of(result), result.event
    unknown = int((event.players["birth_year"].isna() & (event.players["birth_date"] == "")).sum())
    gaps = {
        "no-list": not result.lists,
        "no-published": result.rating is not None and not len(result.comparison),
        "no-birth-years": unknown > 0,
        "no-titles": "titles" not in {rules.kind for rules in result.rules},
        "no-standings": result.standings.rows.empty,
        "time-control": not event.time_control,
        "registration": True,
    }
    text = lambda key, **values: words.text(f"unchecked.{key}", language, **values)  # noqa: E731
    rows = [
        (f.code, placed(names, f, language), text("found-why"))
        for f in result.findings
        if f.code in ("CK44", "CK42")
    ]
    rows += [("", text(key), text(f"{key}-why", count=unknown)) for key, gap in gaps.items() if gap]
    return pd.DataFrame(rows, columns=["code", "item", "why"])


def rules_used(result: Audit, language: str = "zh") -> pd.DataFrame:
    """The rule sets of the audit: id, title, first day, grade of the source, sources."""
    rows = [
        {
            "rules": one.id,
            "rules_title": one.title_zh if language == "zh" else one.title,
            "first_day": one.effective or words.text("audit.undated", language),
            "source_grade": words.text(f"confidence.{one.confidence}", language),
            "sources": words.listed(one.sources, language, parts=True),
        }
        for one in result.rules
    ]
    return pd.DataFrame(rows)


def inputs(result: Audit) -> pd.DataFrame:
    """Every file that was read: name, size in bytes, SHA-256."""
    sources = [*result.event.sources, *(source for one in result.lists for source in one.sources)]
    rows = [(source.name, source.size, source.sha256) for source in sources]
    return pd.DataFrame(rows, columns=["file", "size", "sha256"])


def differing(result: Audit) -> dict[int, tuple[Cause, ...]]:
    """Players with a published value that does not follow, with the causes found, in order of the list."""
    found: dict[int, tuple[Cause, ...]] = {}
    rows = result.comparison
    for number, agrees, known in zip(
        rows["number"].tolist(), rows["agrees"].tolist(), rows["causes"], strict=True
    ):
        if not is_missing(agrees) and not agrees:
            found[number] = found.get(number) or tuple(known)
    return found


def names_of(result: Audit) -> dict[int, str]:
    """Number -> name of the event's players."""
    players = result.event.players
    return dict(zip(players["number"].tolist(), players["name"].tolist(), strict=True))


def place(names: dict[int, str], finding: Finding, language: str) -> str:
    """Place of a finding in words: player, round, file and line."""
    text = lambda key, **values: words.text(f"audit_place.{key}", language, **values)  # noqa: E731
    parts = []
    if finding.player:
        parts.append(text("player", number=finding.player, name=names.get(finding.player, "")).strip())
    if finding.round:
        parts.append(text("round", round=finding.round))
    if finding.line:
        file = finding.file.rsplit("/", 1)[-1]
        parts.append(f"{file} {text('line', line=finding.line)}".strip())
    return " · ".join(parts)


def placed(names: dict[int, str], finding: Finding, language: str) -> str:
    """What a finding says, with its place before it."""
    where, said = place(names, finding, language), finding.message(language)
    return words.text("audit_letter.placed", language, place=where, said=said) if where else said
