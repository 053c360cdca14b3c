"""Which editions an event is judged by: asked for, written in the file, or assumed and said so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.model.errors import RulesetError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.time_control import LIMITS, player_minutes, within
from qiyi_analysis.rules.ruleset import RuleSet

#: What a go event says of its rules, the strongest first; each document names what speaks for it ([evidence]).
EVIDENCE = ("countries", "ids", "origins", "classes", "handicaps", "places")

_PROFESSIONAL = re.compile(r"\d\s*p\b|职业|職業|professional", re.IGNORECASE)
#: Words that say an event is no faster one.
_STANDARD = re.compile(r"classic|standard|标准|慢棋")


@dataclass(frozen=True, slots=True)
class Choice:
    """The editions chosen, one per document, and the findings that say how."""

    rules: tuple[RuleSet, ...]
    findings: tuple[Finding, ...]

    def of_kind(self, kind: str) -> RuleSet | None:
        """The first edition of a kind (rating, tie-breaks, titles ...)."""
        return next((one for one in self.rules if one.kind == kind), None)

    def for_rating(self, event: str) -> RuleSet:
        """The rating edition. Raises RulesetError with the reasons where there is none; ``event`` is what was read."""
        found = self.of_kind("rating")
        if found is None:
            raise RulesetError("rules-not-found", event=event, reasons=[one.said for one in self.findings])
        return found


def choose(event: Event, wanted: Iterable[str] = ()) -> Choice:
    """The editions for an event.

    Those asked for (ids, documents or files) go first, then those the file names; without a rating
    document one is assumed. A document stands for the edition in force on the event's start or end
    date, as the document says. A file is taken only where it is asked for: what an event names is never opened. Raises RulesetError for an id that does not exist.
    """
    rules: list[RuleSet] = []
    findings: list[Finding] = []
    for text in wanted:
        _add(rules, _edition(event, text, findings))
    for text in event.rules:
        if text.rpartition("/")[0] in {r.document for r in rules} or text in {r.document for r in rules}:
            continue
        try:
            _add(rules, _edition(event, text, findings, files=False))
        except RulesetError as error:
            findings.append(
                Finding(
                    code="CK41", reason="rules-of-file-unknown", severity="W", values={"message": error.said}
                )
            )
    if not any(one.kind == "rating" for one in rules):
        document, why = assumed_document(event)
        if not document:
            findings.append(Finding(code="CK41", reason="rules-undecided", severity="W"))
            return Choice(tuple(rules), tuple(findings))
        try:
            found = _edition(event, document, findings)
        except RulesetError as error:
            findings.append(
                Finding(
                    code="CK41", reason="no-edition-in-force", severity="W", values={"message": error.said}
                )
            )
        else:
            _add(rules, found)
            findings.append(
                Finding(
                    code="CK41",
                    reason={
                        "assumed": "rules-assumed",
                        "clock": "rules-by-clock",
                        "title": "rules-by-title",
                        "system": "rules-by-system",
                    }.get(why, "rules-by-evidence"),
                    severity="W" if why == "title" else "I",
                    article=found.id,
                    values={
                        "rules": found.id,
                        "title": event.name,
                        "system": str(event.extra.get("system", "")),
                        "clock": event.time_control,
                        **(
                            dict(zip(("evidence", "told"), _said(event), strict=True))
                            if why in EVIDENCE
                            else {}
                        ),
                    },
                )
            )
    return Choice(tuple(rules), tuple(findings))


def assumed_document(event: Event) -> tuple[str, str]:
    """The rating document for an event that names none, and why: ``system``, ``clock``, ``assumed``, or one of EVIDENCE.

    "" and "undecided" for a go event of which nothing says who rates it.

    Of FIDE's three, where the file does not say which, the one its time control belongs to: an event of 15 minutes is no
    standard event with a wrong clock.
    """
    system = str(event.extra.get("system") or "").casefold()
    usual = _assumed_for(event.discipline)
    if "no rating" not in system:
        named = [
            (len(name), "assumed_for" not in rulesets.head(document), document)
            for document in rulesets.documents()
            for name in rulesets.head(document).get("system_names", ())
            if name in system
        ]
        if named:
            document = max(named)[2]
            return _by_clock(event, system, document) or (document, "system")
    if event.discipline == "go":
        return go_evidence(event)[:2]
    return _by_clock(event, system, usual) or (usual, "assumed")


def _assumed_for(discipline: str) -> str:
    """The document that the rule files name for a discipline, else the one for chess."""
    found = {rulesets.head(one).get("assumed_for", ""): one for one in rulesets.documents()}
    return found.get(discipline) or found["chess"]


def go_evidence(event: Event) -> tuple[str, str, str]:
    """The rating document that more than half of what a go event says speaks for, by what (EVIDENCE), and what it said."""
    players, extra = event.players, event.extra
    told: dict[str, list[str]] = {
        "countries": players["federation"].tolist(),
        "ids": list(extra.get("id_kinds", ())),
        "origins": players["rating_kind"].tolist(),
        # The class of a file of times only follows from them and says nothing.
        "classes": [] if "GeneralParameterSet" in extra else [str(extra.get("class") or "")],
        "handicaps": ["HA"] if extra.get("HA") else [],
        "places": [event.federation, event.place.rpartition(",")[2]],
    }
    professionals = sum(bool(_PROFESSIONAL.search(str(title))) for title in players["title"])
    known = [
        rulesets.ruleset(rulesets.editions(one)[-1])
        for one in rulesets.documents()
        if one.endswith("/rating")
    ]
    for kind in EVIDENCE:
        said = [text.strip().upper() for text in map(str, told[kind]) if text.strip()]
        for rules in known:
            block = rules.block("evidence")
            if block is None or (block.get("professionals") and professionals * 2 <= len(players)):
                continue
            fits = [text for text in said if text in block.get("countries" if kind == "places" else kind, ())]
            if fits and len(fits) * 2 > len(said):
                return (
                    rules.document,
                    kind,
                    words.joined(one for one, _ in Counter(fits).most_common(10)),
                )
    return "", "undecided", ""


def _by_clock(event: Event, system: str, usual: str) -> tuple[str, str] | None:
    """The document for faster games beside ``usual`` in whose limits the time control lies, or that the title names, and
    which it was.

    ``system``: what the file says of its system in small letters; where that is standard chess nothing else decides.
    """
    if "assumed_for" not in rulesets.head(usual) or _STANDARD.search(system):
        return None
    federation = usual.partition("/")[0]
    faster = {
        one: str(rulesets.head(one)["title_words"])
        for one in rulesets.documents()
        if one.startswith(f"{federation}/") and "title_words" in rulesets.head(one)
    }
    minutes = player_minutes(event.time_control)
    if minutes is None:
        title = f"{event.time_control} {event.name}".casefold()
        named = [(len(found[0]), one) for one, words in faster.items() if (found := re.search(words, title))]
        return (max(named)[1], "title") if named else None
    for document in faster:
        day = event_day(event, rulesets.ruleset(rulesets.editions(document)[-1])) or date.max
        try:
            rows = rulesets.in_force(document, day).rows("time_control")
        except RulesetError:  # an event before the first edition
            continue
        for row in rows:
            limits = [limit for limit in LIMITS if limit in row]
            if limits and all(within(minutes, limit, row[limit]) for limit in limits):
                return document, "clock"
    return None


def _said(event: Event) -> tuple[object, str]:
    """The kind of evidence of a go event in words, and what it says."""
    _, kind, told = go_evidence(event)
    return words.named("evidence", kind), told


def _add(rules: list[RuleSet], one: RuleSet) -> None:
    """Later ones of the same document do not replace an earlier one."""
    if all(one.document != other.document for other in rules):
        rules.append(one)


def _edition(event: Event, text: str, findings: list[Finding], *, files: bool = True) -> RuleSet:
    if text not in rulesets.documents():
        asked = rulesets.resolve(text, files=files)
        findings += _of_another_day(event, asked)
        return asked
    newest = rulesets.ruleset(rulesets.editions(text)[-1])
    day = event_day(event, newest)
    span = partial_days(event) if day is None and newest.effective is not None else None
    if span is not None:
        return _of_span(text, span, findings)
    if day is None and newest.effective is not None:
        findings.append(
            Finding(code="CK41", reason="no-date-newest-edition", severity="W", values={"rules": newest.id})
        )
    return rulesets.resolve(text, day)


#: A date of which the day, or day and month, are not told.
_PARTIAL = re.compile(r"\s*(\d{4})\s*(?:[-./年]\s*(\d{1,2})\s*月?)?年?\s*")


def partial_days(event: Event) -> tuple[date, date] | None:
    """First and last day that the incomplete dates of a file can mean; None where it has none."""
    found = []
    for fault in event.faults:
        text = fault.published or str(fault.values.get("read", ""))
        told = _PARTIAL.fullmatch(text) if fault.reason == "date-unreadable" else None
        if told is not None and (told[2] is None or 1 <= int(told[2]) <= 12):
            year, month = int(told[1]), int(told[2] or 0)
            after = date(year, month + 1, 1) if 0 < month < 12 else date(year + 1, 1, 1)
            found.append((date(year, month or 1, 1), after - timedelta(days=1)))
    return (min(one for one, _ in found), max(one for _, one in found)) if found else None


def _of_span(text: str, span: tuple[date, date], findings: list[Finding]) -> RuleSet:
    """The edition in force on every day of a span; where it is not one, that of the last day, and the doubt is named."""
    last = rulesets.in_force(text, span[1])
    try:
        first = rulesets.in_force(text, span[0]).id
    except RulesetError:
        first = "-"
    reason, severity = ("edition-of-span", "I") if first == last.id else ("editions-of-span", "W")
    values = {"rules": last.id, "other": first, "first": span[0].isoformat(), "last": span[1].isoformat()}
    findings.append(Finding(code="CK41", reason=reason, severity=severity, article=last.id, values=values))
    return last


def _of_another_day(event: Event, asked: RuleSet) -> list[Finding]:
    """Asked for by its id, an edition is used whatever the date; the report says which one was in force."""
    day = event_day(event, asked)
    if day is None or asked.effective is None or asked.document not in rulesets.documents():
        return []
    try:
        other = rulesets.in_force(asked.document, day).id
    except RulesetError:
        other = "-"
    if other == asked.id:
        return []
    return [
        Finding(
            code="CK41", reason="edition-of-another-day", severity="I", article=asked.id,
            values={"rules": asked.id, "other": other, "day": day.isoformat()},
        )
    ]  # fmt: skip


def event_day(event: Event, rules: RuleSet) -> date | None:
    """The day that decides the edition: the first or the last day, as the document says."""
    return (event.end or event.start) if rules.picked_by == "end" else (event.start or event.end)
