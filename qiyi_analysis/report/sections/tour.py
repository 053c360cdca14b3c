"""The tour: eight pages for somebody who decides, made from the shipped events by the ordinary functions.

One function a cell of the notebook ``tour``; every page begins with what it shows and for whom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.report.kit import prose
from qiyi_analysis.report.kit.page import Page
from qiyi_analysis.report.kit.tables import Column, Table
from qiyi_analysis.report.run.audit_files import AuditRequest
from qiyi_analysis.report.run.parameters import find_input
from qiyi_analysis.report.sections import audit as audit_report
from qiyi_analysis.report.sections import standings as standings_report
from qiyi_analysis.report.sections import titles as titles_report
from qiyi_analysis.tiebreaks import standings as standings_of

REAL = "data/events/nanjing-2010"
CHINESE = "data/events/constructed-cca-2024"
XIANGQI = "data/events/constructed-xiangqi-2024"
OPEN = "data/events/constructed-open-2025"
HISTORY = "data/histories/xiangqi_masters.parquet"
#: The mistake planted on page 2: a report of the day gave this player another rating.
MISREAD_PLAYER, MISREAD_RATING = 6, 2720


@dataclass(frozen=True, kw_only=True)
class Tour:
    """The language of the tour."""

    language: str

    def say(self, key: str, **values: object) -> str:
        """The text ``tour.<key>`` of the words in the language of the tour."""
        return words.text(f"tour.{key}", self.language, **values)

    def page(self, key: str, *pieces: Any, first: bool = False) -> prose.Piece:
        """A page: heading, a sentence on what it shows, and the pieces."""
        head = [
            prose.heading(words.pair(f"tour.{key}", "zh"), self.language),
            prose.prose(self.say(f"{key}-text")),
        ]
        start = [] if first else [prose.page_break()]
        return prose.group(*start, *head, *(p for p in pieces if p is not None), language=self.language)


def tour(language: str = "zh") -> Tour:
    """The tour in a language."""
    return Tour(language=language)


def _players(t: Tour, result: Any) -> Any:
    page = Page(t.language, "audit")
    rows = audit_report.players(result, t.language)
    return page.section("players", page.table(rows, key="players", marks="differs", drop_empty=True))


def _misread() -> Any:
    """The audit of the real event with one rating misread."""
    event = AuditRequest(event=find_input(REAL)).read_event()
    rating = np.where(event.players["number"] == MISREAD_PLAYER, MISREAD_RATING, event.players["rating"])
    return audit(event.with_players(rating=rating))


def opening(t: Tour) -> prose.Piece:
    """Page 1: what it is, and a real event accepted."""
    result, page = audit_report.audited(REAL), Page(t.language, "audit")
    title = prose.title(words.pair("tour.title", "zh"), t.language, t.say("subtitle"))
    users = Table(
        "tour_users",
        [Column("who", "text"), Column("leaves_with", "text")],
        [{"who": t.say(f"user-{n}"), "leaves_with": t.say(f"leaves-{n}")} for n in range(1, 6)],
        language=t.language,
    )
    return prose.group(
        title,
        t.page("real", users, page.facts(audit_report.facts(page, result)), first=True),
        _players(t, result),
    )


def mistake(t: Tour) -> prose.Piece:
    """Page 2: one rating misread; who differs, and which causes fit."""
    result, page = _misread(), Page(t.language, "audit")
    found = audit_report.findings(result, t.language).query("severity == 'E'")
    return t.page(
        "mistake",
        page.section(
            "findings", page.table(found, audit_report.FINDING, "findings_E", drop_empty=["article"])
        ),
        page.section(
            "causes", page.table(audit_report.differences(result, t.language), key="causes", keep=1)
        ),
    )


def calculation(t: Tour) -> prose.Piece:
    """Page 3: a calculation unfolded to its games and articles."""
    result, page = _misread(), Page(t.language, "audit")
    sheets = page.section("sheets", *audit_report.sheets(page, result))
    return t.page("calculation", sheets, page.section("letter", audit_report.letter(page, result)))


def chinese(t: Tour) -> prose.Piece:
    """Page 4: the Chinese rules."""
    return t.page("chinese", *(_players(t, audit_report.audited(path)) for path in (CHINESE, XIANGQI)))


def standings(t: Tour) -> prose.Piece:
    """Page 5: standings, worked and compared."""
    event = AuditRequest(event=find_input(REAL)).read_event()
    result = standings_of(event, None)
    return t.page(
        "standings",
        standings_report.standings_table(result, t.language, event),
        standings_report.separators_table(result, t.language, event),
        standings_report.cross_table(result, t.language, event),
        standings_report.progress_chart(result, t.language, event),
    )


def titles(t: Tour) -> prose.Piece:
    """Page 6: norms, with what was missing."""
    report = titles_report.load_titles(find_input(OPEN), "fide/titles", language=t.language)
    return t.page(
        "titles",
        titles_report.verdict(report),
        titles_report.summary(report),
        titles_report.near_misses(report),
    )


def research(t: Tour) -> prose.Piece:
    """Page 7: what K-factor eighty years of xiangqi masters support."""
    from qiyi_analysis.report.sections import compare_k_page, study_page
    from qiyi_analysis.research.studies import compare_k

    study = compare_k.compare_k("", advantage=[0.0, 40.0], replicates=200)
    return t.page(
        "research",
        study_page.verdict(study.frame, t.language),
        compare_k_page.curve(study, t.language),
        compare_k_page.sureness(study, t.language),
    )


def house(t: Tour) -> prose.Piece:
    """Page 8: the rule files, exactness, and how to begin."""
    rows = []
    for document in rulesets.documents():
        editions = [rulesets.ruleset(id) for id in rulesets.editions(document)]
        newest = editions[-1]
        rows.append(
            {
                "document": document,
                "editions": len(editions),
                "rules_title": newest.title_zh if t.language == "zh" else newest.title,
            }
        )
    table = Table(
        "tour_rules",
        [Column("document", "code"), Column("editions", "integer"), Column("rules_title", "text")],
        rows,
        language=t.language,
    )
    return t.page("house", prose.bullets([t.say(f"promise-{n}") for n in range(1, 7)]), table)
