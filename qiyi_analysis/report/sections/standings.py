"""Standings as data frames (table, cross table, what separated whom, places by round, editions), and the section made of them.

Names come from the event given, so that a report in which names are hidden stays hidden here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.audit.event_audit import Audit
from qiyi_analysis.audit.printed_standings import Comparison
from qiyi_analysis.model.errors import EventError, ParameterError
from qiyi_analysis.model.event import Event
from qiyi_analysis.report.kit import plots
from qiyi_analysis.report.kit.page import Page, Piece, is_nothing
from qiyi_analysis.report.kit.tables import Column
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks import Standings, standings
from qiyi_analysis.tiebreaks.codes import parse
from qiyi_analysis.tiebreaks.grid import (
    FORFEIT_LOSS,
    FORFEIT_WIN,
    GIVEN,
    PENDING,
    PLAYED,
    REQUESTED,
    REST,
    UNASSIGNED,
    VOID,
)
from qiyi_analysis.tiebreaks.ranking import format_of, order_of
from qiyi_analysis.tiebreaks.work import document_for, document_of, in_force

#: Rows of a table, lines of a chart and players of a square cross table that fit on a page; rounds of a cross table.
ALL_ROWS, ROWS, LINES, SQUARE, ROUNDS = 500, 80, 5, 16, 15
#: Columns of the table of printed values that differ.
DIFFERING = {
    "number": "integer", "name": "name", "field": "text", "code": "code", "published": "code", "recomputed": "code", "causes": "text",
}  # fmt: skip
_RESULTS = {2: "1", 1: "½", 0: "0", -1: ""}
#: Codes whose values depend on the edition.
_BY_EDITION = ("BH", "BH/C1", "SB")


# --- frames -----------------------------------------------------------------------------------------------


def ranking(result: Standings, event: Event | None = None) -> pd.DataFrame:
    """Rank, number, name and every criterion as printed; those who stay tied share a rank."""
    names = names_of(result, event)
    rows = pd.DataFrame(result.as_records())
    return rows.assign(name=rows["number"].map(names))[["rank", "number", "name", *codes_of(result)]]


def codes_of(result: Standings) -> list[str]:
    """The criteria in order, without those that another one implies."""
    return [code.text for code in result.codes if code.text not in result.implied]


def names_of(result: Standings, event: Event | None) -> dict[int, str]:
    """Names by number: of the event to be shown where it has them (players), else of the standings."""
    own = dict(zip(map(int, result.grid.numbers), result.grid.names, strict=True))
    if event is None or result.grid.teams:
        return own
    shown = dict(zip(map(int, event.players["number"]), event.players["name"], strict=True))
    return {number: shown.get(number, name) for number, name in own.items()}


def cross(result: Standings, event: Event | None = None) -> pd.DataFrame:
    """A round robin as a square, anything else round by round, in the order of the standings."""
    grid, names = result.grid, names_of(result, event)
    square = grid.round_robin and grid.size <= SQUARE
    rows = []
    for row in result.order[:ROWS]:
        number = int(grid.numbers[row])
        record: dict[str, Any] = {"rank": int(result.ranks[row]), "number": number, "name": names[number]}
        if square:
            for other in result.order:
                cells = np.flatnonzero(grid.opponent[row] == other)
                marks = [cell_text(result, row, int(c)).lstrip("0123456789").lstrip("wb") for c in cells]
                record[str(int(grid.numbers[other]))] = "×" if other == row else " ".join(marks)
        else:
            for column, round_ in enumerate(grid.rounds):
                parts = (record.get(str(int(round_)), ""), cell_text(result, int(row), column))
                record[str(int(round_))] = " ".join(filter(None, parts))
        rows.append(record)
    return pd.DataFrame(rows)


def cell_text(result: Standings, row: int, column: int) -> str:
    """A cell of a cross table: opponent, colour and result, or the letter of a bye."""
    grid = result.grid
    cell, other = int(grid.cell[row, column]), int(grid.opponent[row, column])
    if cell in (VOID, REST, UNASSIGNED):
        return ""
    score = grid.score()
    points = score.points[row, column]
    if cell in (GIVEN, REQUESTED) or other < 0:
        text = "½" if 2 * points == score.win else "1" if points == score.win else f"{points / score.unit:g}"
        return f"-{text}"
    colour = {1: "w", 0: "b", -1: ""}[int(grid.first[row, column])]
    if cell == PLAYED:
        mark = f"{points / score.unit:g}" if grid.teams else _RESULTS[int(grid.result[row, column])]
        mark = mark.replace("0.5", "½").replace(".5", "½")
    else:
        mark = {FORFEIT_WIN: "+", FORFEIT_LOSS: "-", PENDING: "?"}[cell]
    return f"{int(grid.numbers[other])}{colour}{mark}"


def separators(result: Standings, language: str, event: Event | None = None) -> pd.DataFrame:
    """For neighbours with equal points the first criterion that separates them; code "tied" for shared places."""
    names = names_of(result, event)
    found = result.separators
    found = found[found["code"] != (result.codes[0].text if result.codes else "")]
    return pd.DataFrame(
        {
            "rank": found["rank"],
            "name": found["number"].map(names),
            "next": found["next"].map(names),
            "code": found["code"].replace("", words.text("standings.tied", language)),
            "value": found["value"],
            "next_value": found["next_value"],
            "article": [_article(result, article, language) for article in found["article"]],
        }
    )


def _article(result: Standings, article: str, language: str) -> str:
    """An article as it is shown: without the rule set of the whole, and in the language where it is said in both.

    Tables hold plain texts: what the article was is looked up among those of the columns.
    """
    said = next((column.article for column in result.columns if column.article == article), article)
    return words.shown(said, language).removeprefix(result.rules.id).strip()


def differing(found: Comparison, language: str, event: Event | None = None) -> pd.DataFrame:
    """Printed values that differ, with the recomputed value and the causes that give the printed one exactly."""
    rows = found.rows[~found.rows["agrees"].astype(bool)]
    shown = {} if event is None else dict(zip(event.players["number"], event.players["name"], strict=True))
    return pd.DataFrame(
        {
            "number": rows["number"],
            "name": [shown.get(n, name) for n, name in zip(rows["number"], rows["name"], strict=True)],
            "field": [words.shown(words.named("field", field), language) for field in rows["field"]],
            "code": rows["code"],
            "published": rows["published_text"],
            "recomputed": rows["recomputed_text"],
            "causes": [
                words.listed(
                    (
                        words.text("cause-line.bracketed", language, name=c.name(language), detail=c.detail)
                        for c in causes[:3]
                    ),
                    language,
                    parts=True,
                )
                for causes in rows["causes"]
            ],
            "differs": True,
        }
    )


def editions(event: Event, codes: Sequence[str] = _BY_EDITION) -> pd.DataFrame:
    """Players and criteria whose values differ between the editions of C.07; without rows where none does or the event is not FIDE's."""
    nothing = pd.DataFrame(columns=["number", "name"])
    document = document_for(event)
    if document_of(parse(codes[0]).name, event) != document:
        return nothing
    named = [rulesets.ruleset(id).need("edition")["name"] for id in rulesets.editions(document)]
    by_code = {
        code: [f"{code.partition('/')[0]}@{name}{code[len(code.partition('/')[0]) :]}" for name in named]
        for code in codes
    }
    try:
        result = standings(
            event, ["PTS", *(text for each in by_code.values() for text in each)], of="players"
        )
    except (EventError, ParameterError):
        return nothing
    numbers = pd.Series(result.grid.numbers).astype(int)
    values = pd.DataFrame({text: result.column(text).texts() for each in by_code.values() for text in each})
    values.insert(0, "number", numbers)
    values.insert(1, "name", numbers.map(names_of(result, event)))
    # Each criterion with itself: the Buchholz and its cut always differ, and that is no matter of editions.
    differs = pd.DataFrame({code: values[each].nunique(axis=1) > 1 for code, each in by_code.items()})
    kept = [text for code, each in by_code.items() if differs[code].any() for text in each]
    rows = values.iloc[result.order]
    return rows.loc[differs.any(axis=1).iloc[result.order], ["number", "name", *kept]]


def places(result: Standings, event: Event | None = None, first: int = LINES) -> pd.DataFrame:
    """Places after each round (rows) of those who finished in front (columns)."""
    grid, names = result.grid, names_of(result, event)
    rounds = range(1, grid.played + 1)
    ranks = [result.ranks_after(round_) for round_ in rounds]
    return pd.DataFrame(
        {
            f"{int(grid.numbers[row])} {names[int(grid.numbers[row])]}": [int(after[row]) for after in ranks]
            for row in result.order[:first]
        },
        index=rounds,
    )


def working(
    result: Standings, number: int, code: str, language: str, event: Event | None = None
) -> pd.DataFrame:
    """What one value of one player is made of, round by round."""
    rows = result.working(number, code)
    return pd.DataFrame(
        {
            "round": rows["round"].replace(0, None),
            "opponent": rows["opponent"].replace(0, None),
            "name": rows["opponent"].map(names_of(result, event)).fillna(""),
            "kind": [words.text(f"round_kind.{kind}", language) for kind in rows["kind"]],
            "points": rows["points"],
            "seen": rows["seen"],
            "counted": rows["counted"],
            "kept": rows["kept"].astype(bool),
            "article": [_article(result, article, language) for article in rows["article"]],
        }
    )


# --- pieces -----------------------------------------------------------------------------------------------


def columns(result: Standings) -> list[Column]:
    """Columns of the table of the standings: place, number, name, and a column per criterion."""
    head = [Column(key, kind, words.pair(f"standings_column.{key}", "zh")) for key, kind in _PERSON.items()]
    return head + [Column(code, "decimal", code) for code in codes_of(result)]


_PERSON = {"rank": "integer", "number": "integer", "name": "name"}


def verdict(page: Page, found: Comparison) -> Piece:
    """One line: how many printed values agree."""
    compared = len(found.rows)
    differ = int((~found.rows["agrees"].astype(bool)).sum()) if compared else 0
    key = "nothing_printed" if not compared else "some_differ" if differ else "all_agree"
    return page.text(key, count=compared, differ=differ)


def ranking_table(page: Page, result: Standings, event: Event | None = None) -> Any:
    """The table of the standings, with the rules, the order of the criteria and what their codes stand for."""
    codes, rows = codes_of(result), ranking(result, event)
    notes = [
        page.say("by_rules", rules=result.rules.id, codes=codes),
        words.listed(code_names(codes, page.language), page.language, parts=True),
    ]
    return page.table(
        rows[:ALL_ROWS], columns(result), "table",
        notes=[*filter(None, notes), *_cut(page, rows, ALL_ROWS)], keep=3,
    )  # fmt: skip


def code_names(codes: Iterable[str], language: str) -> list[str]:
    """What each code stands for, for the notes under a table."""
    named = ((text, f"tie_break.{parse(text).name}") for text in codes)
    return [f"{text}: {words.text(key, language)}" for text, key in named if words.has(key)]


def _cut(page: Page, rows: pd.DataFrame, most: int = ROWS) -> list[str]:
    """The note under a table that does not show every row."""
    return [page.say("cut", shown=most, total=len(rows))] if len(rows) > most else []


def separators_table(page: Page, result: Standings, event: Event | None = None) -> Any:
    """What separated whom, as a table; nothing where points separate everybody."""
    rows = separators(result, page.language, event)
    kinds = {
        "rank": "integer",
        "name": "name",
        "next": "name",
        "code": "code",
        "value": "decimal",
        "next_value": "decimal",
        "article": "text",
    }
    return page.table(rows[:ROWS], kinds, "separators", notes=_cut(page, rows), drop_empty=["article"])


def cross_table(page: Page, result: Standings, event: Event | None = None) -> Any:
    """The cross table of an event that fits on a page; else nothing."""
    if len(result.grid.rounds) > ROUNDS or result.grid.size > ROWS:
        return None
    rows = cross(result, event)
    return page.table(rows, {**_PERSON, **dict.fromkeys(rows.columns[3:], "code")}, "cross", keep=3)


def progress_figure(page: Page, result: Standings, event: Event | None = None) -> Any:
    """Places after each round of those in front; nothing with fewer than three rounds."""
    if result.grid.played < 3:
        return None
    rows = places(result, event)
    ax = plots.lines(rows, points=True)
    # First place is on top: the axis counts downwards.
    plots.whole(ax.yaxis)
    ax.set_ylim(rows.to_numpy().max() + 0.5, 0.5)
    return page.figure("progress", ax, count=rows.shape[1])


def pieces(page: Page, result: Standings | None, event: Event) -> list[Any]:
    """Standings, what separated whom, cross table, chart, editions."""
    if result is None:
        return []
    by_edition = editions(event)
    kinds = {"number": "integer", "name": "name", **dict.fromkeys(by_edition.columns[2:], "decimal")}
    return [
        ranking_table(page, result, event),
        separators_table(page, result, event),
        cross_table(page, result, event),
        progress_figure(page, result, event),
        page.table(by_edition[:ROWS], kinds, "editions", notes=_cut(page, by_edition)),
    ]


def of_audit(result: Audit) -> Standings | None:
    """The standings an audit's report shows: printed columns and the event's list go before the order of the rules.

    None where the event cannot be ranked; the findings say why.
    """
    event, found = result.event, result.standings
    rules = next((one for one in result.rules if one.kind == "tie-breaks"), None)
    try:
        return _shown(event, found, rules)
    except (EventError, ParameterError):
        return None


def _shown(event: Event, found: Comparison, rules: RuleSet | None) -> Standings:
    chosen = (
        rules
        or (found.standings.rules if found.standings else None)
        or in_force(document_for(event), event)[0]
    )
    if len(event.teams) or event.tie_breaks or not found.codes:
        return standings(event, None, chosen)
    primary = () if any(parse(c).name in ("MMS", "ZDF") for c in found.codes.values()) else ("PTS",)
    return standings(
        event, [*primary, *(c for c in found.codes.values() if c != "PTS")], chosen, of="players"
    )


def player_pieces(event: Event, number: int, language: str, rules: RuleSet | None = None) -> list[Any]:
    """The standings of one player: place, and the working of every value, for ``qiyi explain``."""
    page = Page(language, "standings")
    if rules is None:
        rules, _ = in_force(document_for(event), event)
    codes = None
    if len(event.teams) and not event.tie_breaks:
        codes = order_of(rules, format_of(event).removeprefix("team-")) or ("PTS",)
    usable = [text for text in event.tie_breaks if not _of_teams(text)] if event.tie_breaks else None
    result = standings(event, codes or usable or None, rules, of="players")
    values = {
        code.text: column.texts()[result.grid.index_of(number)] or "-"
        for code, column in zip(result.codes, result.columns, strict=True)
    }
    return [
        page.heading("audit_section.standings", 2),
        page.text("by_rules", rules=rules.id, codes=[code.text for code in result.codes]),
        page.facts({"standings_column.rank": result.rank_of(number), **values}),
        *(
            piece
            for code in values
            if not is_nothing(piece := working_table(page, result, number, code, event))
        ),
    ]


def working_table(page: Page, result: Standings, number: int, code: str, event: Event | None = None) -> Any:
    """The working of one value of one player, as a table under its code, value and name."""
    kinds = {
        "round": "integer", "opponent": "integer", "name": "name", "kind": "text", "points": "code", "seen": "code",
        "counted": "code", "kept": "yes", "article": "text",
    }  # fmt: skip
    value, key = result.column(code).texts()[result.grid.index_of(number)], f"tie_break.{parse(code).name}"
    caption = page.pair(
        "working", code=f"{code} = {value or '-'}", name=words.said(key) if words.has(key) else ""
    )
    return page.table(working(result, number, code, page.language, event), kinds, "working", caption=caption)


def _of_teams(text: str) -> bool:
    try:
        return parse(text).for_teams
    except ParameterError:
        return True
