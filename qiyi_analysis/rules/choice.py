"""Which editions an event is judged by: asked for, written in the file, or assumed and said so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.model.errors import RulesetError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.time_control import LIMITS, player_minutes, within
from qiyi_analysis.rules.ruleset import RuleSet

#: The rating document assumed for a discipline when nothing says which (design of the interface).
ASSUMED = {"chess": "fide/rating-standard", "xiangqi": "cxa/rating"}
#: What a go event says of its rules, the strongest first; each document names what speaks for it ([evidence]).
EVIDENCE = ("countries", "ids", "origins", "classes", "handicaps", "places")
#: Words in what the file says about its system -> document.
NAMED_SYSTEMS = (
    ("egf", "egf/rating"),
    ("european go", "egf/rating"),
    ("aga", "aga/rating"),
    ("dwz", "dsb/dwz"),
    ("uscf", "uscf/rating"),
    ("us chess", "uscf/rating"),
    ("irish", "icu/rating"),
    ("fide rapid", "fide/rating-rapid"),
    ("fide blitz", "fide/rating-blitz"),
    ("fide", "fide/rating-standard"),
)


#: FIDE's documents for faster games, and words that say an event is none of them.
_BY_CLOCK = ("fide/rating-rapid", "fide/rating-blitz")
_PROFESSIONAL = re.compile(r"\d\s*p\b|职业|職業|professional", re.IGNORECASE)
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
    date, as the document says. Raises RulesetError for an id that does not exist.
    """
    rules: list[RuleSet] = []
    findings: list[Finding] = []
    for text in wanted:
        _add(rules, _edition(event, text, findings))
    for text in event.rules:
        if text.rpartition("/")[0] in {r.document for r in rules} or text in {r.document for r in rules}:
            continue
        try:
            _add(rules, _edition(event, text, findings))
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
                        "system": "rules-by-system",
                    }.get(why, "rules-by-evidence"),
                    article=found.id,
                    values={
                        "rules": found.id,
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
    known = rulesets.documents()
    system = str(event.extra.get("system") or "").casefold()
    if "no rating" not in system:
        for named, document in NAMED_SYSTEMS:
            if named in system and document in known:
                clock = _by_clock(event, system) if named == "fide" else ""
                return (clock, "clock") if clock else (document, "system")
    if event.discipline == "go":
        return go_evidence(event)[:2]
    document = ASSUMED.get(event.discipline, ASSUMED["chess"])
    document = document if document in known else ASSUMED["chess"]
    clock = _by_clock(event, system) if document == ASSUMED["chess"] else ""
    return (clock, "clock") if clock else (document, "assumed")


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
                    ", ".join(dict.fromkeys(sorted(fits, key=lambda one: -fits.count(one)))),
                )
    return "", "undecided", ""


def _by_clock(event: Event, system: str) -> str:
    """The rapid or blitz document of FIDE in whose limits the time control lies; "" where in none, or where it is not known.

    ``system``: what the file says of its system in small letters; where that is standard chess the clock decides nothing.
    """
    minutes = player_minutes(event.time_control)
    if minutes is None or _STANDARD.search(system):
        return ""
    for document in _BY_CLOCK:
        day = event_day(event, rulesets.ruleset(rulesets.editions(document)[-1])) or date.max
        try:
            rows = rulesets.in_force(document, day).rows("time_control")
        except RulesetError:  # an event before the first edition
            continue
        for row in rows:
            limits = [limit for limit in LIMITS if limit in row]
            if limits and all(within(minutes, limit, row[limit]) for limit in limits):
                return document
    return ""


def _said(event: Event) -> tuple[object, str]:
    """The kind of evidence of a go event in words, and what it says."""
    _, kind, told = go_evidence(event)
    return words.named("evidence", kind), told


def _add(rules: list[RuleSet], one: RuleSet) -> None:
    """Later ones of the same document do not replace an earlier one."""
    if all(one.document != other.document for other in rules):
        rules.append(one)


def _edition(event: Event, text: str, findings: list[Finding]) -> RuleSet:
    if text not in rulesets.documents():
        asked = rulesets.resolve(text)
        findings += _of_another_day(event, asked)
        return asked
    newest = rulesets.ruleset(rulesets.editions(text)[-1])
    day = event_day(event, newest)
    if day is None and newest.effective is not None:
        findings.append(
            Finding(code="CK41", reason="no-date-newest-edition", severity="W", values={"rules": newest.id})
        )
    return rulesets.resolve(text, day)


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
