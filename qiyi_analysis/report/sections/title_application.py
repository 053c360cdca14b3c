"""The application for a title by norms of several events: what is reached, what is missing, and its papers.

The papers are the certificate of every norm (IT1) and the application with the summary of the norms (IT2, IT1s), as pages
and as a workbook. Every norm is judged by the edition in force when it was played, the application by that of the last event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.audit.checks.results import placed
from qiyi_analysis.files.spreadsheet import new_workbook, table_styles, write_cell
from qiyi_analysis.model.errors import EventError, ParameterError
from qiyi_analysis.model.event import Event, side_arrays
from qiyi_analysis.model.findings import Finding, ordered
from qiyi_analysis.model.identity import candidates, match, match_findings
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.model.register import Register
from qiyi_analysis.model.spelling import written
from qiyi_analysis.readers import read_event, read_list
from qiyi_analysis.report.kit.page import Page, Piece
from qiyi_analysis.report.kit.tables import Table, cells
from qiyi_analysis.report.sections.titles import TitlesReport, it1, titles_rules
from qiyi_analysis.report.sections.titles.forms import TONES
from qiyi_analysis.report.sections.titles.title_frames import STATES
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles import Application, NormSheet, apply_for, titles
from qiyi_analysis.titles.norm_events import norm_record
from qiyi_analysis.titles.norms import standard_lists, standard_ratings
from qiyi_analysis.titles.result import missing_text

#: Columns of the summary of norms, and which of them fit on an upright page.
NORMS = {
    "number": "integer", "event": "text", "dates": "text", "rules": "code", "norm": "code", "verdict": "text", "score": "text",
    "games_in": "integer", "average": "integer", "performance": "integer", "counts_as": "integer", "foreigners": "text",
    "missing": "text", "article": "code",
}  # fmt: skip
ON_A_PAGE = {
    key: kind for key, kind in NORMS.items() if key not in ("number", "missing", "article", "verdict")
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NormEvent:
    """One event of the applicant: the sheet that serves the application best, None where no norm was near."""

    report: TitlesReport
    number: int
    sheet: NormSheet | None

    @property
    def counts(self) -> bool:
        """Whether the norm is reached on its sheet in a title event; False where it cannot be judged."""
        return self.sheet is not None and self.sheet.reached is True and self.title_event

    @property
    def title_event(self) -> bool:
        """False where the file shows that the event breaks a condition of title events (CK36)."""
        return not any(one.code == "CK36" and one.severity == "E" for one in self.report.result.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationReport:
    """An application judged. ``rating_once`` is the highest rating known; ``rules`` those of the application."""

    application: Application
    events: tuple[NormEvent, ...]
    rules: RuleSet
    rating_once: int | None
    language: str

    @property
    def applicant(self) -> Any:
        """The player's row in the last event."""
        last = self.events[-1]
        players = last.report.event.players
        return players[players["number"] == last.number].iloc[0]

    @property
    def last_day(self) -> date | None:
        """Last day of the last event, None where it is not known."""
        return self.events[-1].report.event.last_day

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found about the player, or about an event as a whole."""
        return ordered(
            placed(one.report.event, finding)
            for one in self.events
            for finding in (*one.report.event.faults, *one.report.result.findings)
            if finding.player in (0, one.number)
        )


def load_application(
    events: Sequence[str | Path],
    player: str,
    *,
    title: str = "",
    rules: str = "",
    lists: Sequence[str | Path] = (),
    peak: int | None = None,
    language: str = "zh",
) -> ApplicationReport:
    """Read the events of one player and judge the application for ``title``.

    ``player`` is number, id or name in the first event; in the others the id or name, as players are found on lists.
    ``title`` left out: the highest of which a norm was reached. ``peak``: the highest rating the player has had; left out,
    the highest that events and lists show, which proves that it was reached but never that it was not.
    Raises EventError where it is not certain who the player is in an event, or an event is given twice, ParameterError for
    rules or a title without norms.
    """
    given = [read_event(path) for path in events]
    read = sorted(given, key=lambda one: (one.last_day or date.min, one.id))
    # The player is named as the first file given has it.
    first = given[0]
    own = first.players[first.players["number"] == first.find_player(player)]
    person, applicant = own.iloc[0], own.reset_index(drop=True)
    known = standard_lists(read_list(path) for path in lists)
    found = []
    for event in read:
        chosen = titles_rules(event, rules)
        if not chosen.rows("norm"):
            raise ParameterError("application-rules", rules=chosen.id)
        number, doubts = (int(person["number"]), ()) if event is first else _same_player(event, applicant)
        result = titles(event, chosen, known)
        found.append((event, number, chosen, replace(result, findings=(*result.findings, *doubts))))
    last_rules = found[-1][2]
    order = [row["title"] for row in sorted(last_rules.rows("norm"), key=lambda row: -row["performance"])]
    if title and title not in order:
        raise ParameterError("application-title", title=title, titles=order)
    reached = {
        s.title for _, number, _, result in found for s in result.sheets if s.number == number and s.reached
    }
    wanted = title or next((one for one in order if one in reached), "WIM" if person["sex"] == "w" else "IM")
    serving = order[: order.index(wanted) + 1]
    norm_events = tuple(
        NormEvent(
            report=TitlesReport(event=event, result=result, language=language),
            number=number,
            sheet=_best([s for s in result.sheets if s.number == number and s.title in serving]),
        )
        for event, number, _, result in found
    )
    _refuse_twice(norm_events)
    needed = next(row for row in last_rules.rows("norm") if row["title"] == wanted)["rating_once"]
    best = _best_rating(norm_events, known, applicant)
    once = peak if peak is not None else best if best is not None and best >= needed else None
    norms = [
        norm_record(one.sheet, one.report.event, last_rules, one.title_event)
        for one in norm_events
        if one.sheet and one.sheet.reached
    ]
    return ApplicationReport(
        application=apply_for(wanted, norms, once, last_rules),
        events=norm_events,
        rules=last_rules,
        rating_once=peak if peak is not None else best,
        language=language,
    )


def _found(one: pd.DataFrame, register: Register) -> tuple[int, tuple[Finding, ...]]:
    """The row of the applicant, -1 where it is not certain, and what is to be said about it."""
    matches = match(one, register)
    return int(matches.row[0]), match_findings(one, register, matches)


def _same_player(event: Event, applicant: pd.DataFrame) -> tuple[int, tuple[Finding, ...]]:
    """The number of the applicant in an event, found as on a list. Raises EventError where that is not certain."""
    register = Register(event.players)
    row, findings = _found(applicant, register)
    if row < 0:
        meant = match(applicant, register).candidates[0]
        who = candidates(event.players, meant) if meant else "-"
        raise EventError("application-player", event=event.id, name=applicant["name"].iloc[0], who=who)
    number, line = int(event.players["number"].iloc[row]), int(event.players["line"].iloc[row])
    return number, tuple(replace(finding, player=number, line=line) for finding in findings)


def _refuse_twice(events: Iterable[NormEvent]) -> None:
    """Raises EventError where the applicant's rounds of two events of one day are the same: one event, given twice."""
    seen: dict[object, list[Event]] = {}
    for one in events:
        event = one.report.event
        rounds = side_arrays(event.games)
        mine = event.games.iloc[rounds["row"][rounds["player"] == one.number]]
        names = {
            0: "",
            **dict(zip(event.players["number"], map(written, event.players["name"]), strict=True)),
        }
        columns = mine[["round", "first", "second", "first_result", "second_result"]]
        played = tuple(
            (turn, names.get(first), names.get(second), *results)
            for turn, first, second, *results in columns.itertuples(index=False)
        )
        for other in seen.get(played, ()):
            if played and (event.start == other.start or None in (event.start, other.start)):
                raise EventError("application-event-twice", event=event.id, other=other.id)
        seen.setdefault(played, []).append(event)


def _best(sheets: Sequence[NormSheet]) -> NormSheet | None:
    """The sheet that serves an application most: reached before open before missed, then by the games it counts."""
    order = {True: 0, None: 1, False: 2}
    return min(sheets, key=lambda s: (order[s.reached], -s.counts_as, len(s.missing)), default=None)


def _best_rating(
    events: Iterable[NormEvent], lists: Iterable[RatingList], applicant: pd.DataFrame
) -> int | None:
    """The highest rating of the player in the events, and on the lists on which it is certain who the player is."""
    ratings: list[float] = []
    for one in events:
        event = one.report.event
        row = standard_ratings(event)[(event.players["number"] == one.number).to_numpy()]
        ratings += [*row["rating"].tolist(), *row["peak"].tolist()]
    for one_list in lists:
        found, doubts = _found(applicant, one_list.register)
        if found >= 0 and not doubts:
            row = one_list.rows.iloc[[found]]
            ratings += [*row["rating"].tolist(), *row["peak"].tolist()]
    known = [rating for rating in ratings if not np.isnan(rating)]
    return int(max(known)) if known else None


# --- pieces -----------------------------------------------------------------------------------------------


def verdict(page: Page, v: ApplicationReport) -> Piece:
    """Reached, missed or not judged, and what is missing."""
    found = v.application
    state = {True: "complete", False: "incomplete", None: "open"}[found.complete]
    detail = missing_text(found.missing, page.language)
    return page.verdict(TONES[found.complete], state, detail, title=found.title, name=v.applicant["name"])


def facts(v: ApplicationReport) -> dict[str, Any]:
    """What the application form (IT2) asks about the applicant."""
    row, block = v.applicant, v.rules.need("application")
    born = row["birth_date"] or ("" if np.isnan(row["birth_year"]) else int(row["birth_year"]))
    return {
        "name": row["name"],
        "id": row["id"],
        "federation": row["federation"],
        "sex": words.text(f"sex.{row['sex']}", v.language) if row["sex"] else "",
        "born": born,
        "held": row["title"],
        "wanted": v.application.title,
        "rating_once": v.rating_once,
        "games": f"{v.application.games} (≥ {block['games_at_least']})",
        "rules": v.rules.id,
    }


def norms_table(page: Page, v: ApplicationReport, columns: Mapping[str, str] = ON_A_PAGE) -> Any:
    """One row an event: its norm, or that it gave none; what is missing stands in a note each."""
    rows = norms(v)
    notes = [
        f"{event}: {missing}"
        for event, missing in zip(rows["event"], rows["missing"], strict=True)
        if missing
    ]
    return page.table(rows, columns, "application_norms", marks="quiet", notes=notes)


def norms(v: ApplicationReport) -> pd.DataFrame:
    """One row an event in the columns NORMS; ``quiet`` where the norm does not count."""
    return pd.DataFrame(norm_rows(v), dtype=object).assign(quiet=[not one.counts for one in v.events])


def norm_rows(v: ApplicationReport) -> list[dict[str, Any]]:
    """The summary of norms in the columns NORMS; what an event without a norm lacks is said."""
    rows = []
    for one in v.events:
        event, sheet = one.report.event, one.sheet
        row: dict[str, Any] = dict.fromkeys(NORMS)
        row |= {
            "number": one.number, "event": event.name or event.id, "dates": event.period,
            "rules": one.report.result.rules.id, "verdict": words.text("application.no_norm", v.language),
        }  # fmt: skip
        if sheet is not None:
            row |= {
                "norm": sheet.title, "verdict": words.text(f"titles.{STATES[sheet.reached]}", v.language), "score": sheet.score,
                "games_in": sheet.games, "average": sheet.average, "performance": sheet.performance,
                "counts_as": sheet.counts_as if sheet.reached else None,
                "foreigners": words.text(f"titles.{'yes' if sheet.normal_foreigner else 'no'}", v.language),
                "missing": missing_text(sheet.missing, v.language), "article": sheet.article,
            }  # fmt: skip
        rows.append(row)
    return rows


def missing_table(page: Page, v: ApplicationReport) -> Any:
    """What the application lacks, each with its article; nothing where it lacks nothing."""
    rows = pd.DataFrame(
        [(item.text(page.language), item.article) for item in v.application.missing],
        columns=["condition", "article"],
    )
    return page.table(rows, {"condition": "text", "article": "code"}, "application_missing")


def certificates(page: Page, v: ApplicationReport) -> list[Any]:
    """A page for every norm: the content of form IT1."""
    parts: list[Any] = []
    for one in v.events:
        if one.counts and one.sheet is not None:
            parts += [page.new_page(), *it1(page.of("titles"), one.sheet, one.report)]
    return parts


# --- workbook ---------------------------------------------------------------------------------------------


def write_application(v: ApplicationReport, path: str | Path) -> Path:
    """The application and every certificate as sheets of a workbook. The same report makes the same bytes."""
    path, page = Path(path), Page(v.language, "application")
    book = new_workbook(path, v.last_day, author="qiyi_analysis")
    styles = table_styles(book)
    pairs = [(page.say(f"application_fact.{key}"), value) for key, value in facts(v).items()]
    _write(
        book.add_worksheet("IT2"),
        styles,
        pairs,
        [norms_table(page, v, NORMS), missing_table(page, v)],
        v.language,
    )
    of_norms = [(one.sheet, one.report) for one in v.events if one.counts and one.sheet is not None]
    for number, (sheet, report) in enumerate(of_norms, 1):
        pieces = it1(page.of("titles"), sheet, report)
        rows = next(piece.block()["rows"] for piece in pieces if piece.block()["type"] == "key_values")
        named = [(label, value) for label, _, value in rows]
        _write(book.add_worksheet(f"IT1 {number}"), styles, named, pieces, v.language)
    book.close()
    return path


def _write(
    sheet: Any, styles: Any, pairs: Iterable[tuple[str, Any]], parts: Iterable[Any], language: str
) -> None:
    """Facts above, the tables among the parts below each other; text stays text."""
    row = 0
    for label, value in pairs:
        sheet.write_string(row, 0, label, styles["head"])
        write_cell(sheet, row, 1, value, styles["cell"])
        row += 1
    for table in (part for part in parts if isinstance(part, Table)):
        row += 1
        for x, column in enumerate(table.columns):
            head = column.head if isinstance(column.head, tuple) else (str(column.head), str(column.head))
            sheet.write_string(row, x, head[0 if language == "zh" else 1], styles["head"])
        for values in cells(table.rows, [column.key for column in table.columns]):
            row += 1
            for x, value in enumerate(values):
                write_cell(sheet, row, x, value, styles["cell"])
        row += 1
    sheet.set_column(0, 0, 26)
    sheet.set_column(1, 13, 16)
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
