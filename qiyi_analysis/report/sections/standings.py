"""The section on standings of a report: table, cross table, what separated whom, places by round, editions.

Every function returns a piece that can be shown by itself; ``section`` puts them together. Names come from the event
given, so that a report in which names are hidden stays hidden here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.audit.printed_standings import Comparison
from qiyi_analysis.model.errors import EventError, ParameterError
from qiyi_analysis.model.event import Event
from qiyi_analysis.report.kit import plots, prose
from qiyi_analysis.report.kit.plots import Figure
from qiyi_analysis.report.kit.tables import Column, Table
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

#: Rows of a table, lines of a chart and players of a square cross table that fit on a page.
ALL_ROWS, ROWS, LINES, SQUARE = 500, 80, 5, 16
_RESULTS = {2: "1", 1: "½", 0: "0", -1: ""}
#: Codes whose values depend on the edition.
_BY_EDITION = ("BH", "BH/C1", "SB")


def _head(key: str) -> tuple[str, str]:
    return words.text(f"standings_column.{key}", "zh"), words.text(f"standings_column.{key}", "en")


def _say(key: str, language: str, **values: object) -> str:
    return words.text(f"standings_text.{key}", language, **values)


def _pair(key: str, **values: object) -> tuple[str, str]:
    return _say(key, "zh", **values), _say(key, "en", **values)


def _names(result: Standings, event: Event | None) -> dict[int, str]:
    """Names by number: of the event to be shown where it has them (players), else of the standings."""
    own = dict(zip(map(int, result.grid.numbers), result.grid.names, strict=True))
    if event is None or result.grid.teams:
        return own
    shown = dict(zip(map(int, event.players["number"]), event.players["name"], strict=True))
    return {number: shown.get(number, name) for number, name in own.items()}


def _article(result: Standings, article: str, language: str) -> str:
    """An article as it is shown: without the rule set of the whole, and in the language where it is said in both.

    Tables hold plain texts: what the article was is looked up among those of the columns.
    """
    said = next((column.article for column in result.columns if column.article == article), article)
    return words.shown(said, language).removeprefix(f"{result.rules.id} ")


def _cut(shown: int, total: int, language: str) -> list[str]:
    """The note under a table that does not show every row."""
    return [_say("cut", language, shown=shown, total=total)] if shown < total else []


def code_names(codes: Iterable[str], language: str) -> list[str]:
    """What each code stands for, for the notes under a table."""
    notes = []
    for text in codes:
        key = f"tie_break.{parse(text).name}"
        if words.has(key):
            notes.append(f"{text}: {words.text(key, language)}")
    return notes


# --- tables ---------------------------------------------------------------------------------------


def columns(result: Standings) -> list[Column]:
    """Columns of the table of the standings: place, number, name, and a column per criterion."""
    codes = [code.text for code in result.codes if code.text not in result.implied]
    return [
        Column("rank", "integer", _head("rank")),
        Column("number", "integer", _head("number")),
        Column("name", "name", _head("name")),
        *(Column(code, "decimal", code) for code in codes),
    ]


def standings_table(result: Standings, language: str, event: Event | None = None) -> Table:
    """Rank, number, name and every criterion; those who stay tied share a rank."""
    names = _names(result, event)
    rows = [{**record, "name": names[record["number"]]} for record in result.as_records()[:ALL_ROWS]]
    codes = [code.text for code in result.codes if code.text not in result.implied]
    notes = [
        _say("by_rules", language, rules=result.rules.id, codes=codes),
        words.listed(code_names(codes, language), language, parts=True),
        *_cut(len(rows), result.grid.size, language),
    ]
    return Table(
        "standings",
        columns(result),
        rows,
        caption=_pair("table"),
        notes=[note for note in notes if note],
        language=language,
        keep=3,
    )


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


def cross_table(result: Standings, language: str, event: Event | None = None) -> Table:
    """A round robin as a square, anything else round by round, in the order of the standings."""
    grid, names = result.grid, _names(result, event)
    square = grid.round_robin and grid.size <= SQUARE
    rows = []
    for row in result.order[:ROWS]:
        number = int(grid.numbers[row])
        record: dict[str, Any] = {"rank": int(result.ranks[row]), "number": number, "name": names[number]}
        if square:
            for other in result.order:
                cells = np.flatnonzero(grid.opponent[row] == other)
                marks = [cell_text(result, row, int(c)).lstrip("0123456789").lstrip("wb") for c in cells]
                record[f"c{int(grid.numbers[other])}"] = "×" if other == row else " ".join(marks)
        else:
            for column, round_ in enumerate(grid.rounds):
                key = f"c{int(round_)}"
                record[key] = " ".join(
                    filter(None, (record.get(key, ""), cell_text(result, int(row), column)))
                )
        rows.append(record)
    if square:
        heads = [(f"c{int(grid.numbers[other])}", str(int(grid.numbers[other]))) for other in result.order]
    else:
        heads = [(f"c{int(r)}", str(int(r))) for r in dict.fromkeys(grid.rounds.tolist())]
    columns = [
        Column("rank", "integer", _head("rank")),
        Column("number", "integer", _head("number")),
        Column("name", "name", _head("name")),
        *(Column(key, "code", head) for key, head in heads),
    ]
    return Table("cross", columns, rows, caption=_pair("cross"), language=language, keep=3)


def separators_table(result: Standings, language: str, event: Event | None = None) -> Table:
    """For neighbours with equal points the first criterion that separates them; shared places are marked."""
    names = _names(result, event)
    found = result.separators
    first = result.codes[0].text if result.codes else ""
    found = found[found["code"] != first]
    rows = [
        {
            "rank": row["rank"],
            "name": names[row["number"]],
            "next": names[row["next"]],
            "code": row["code"] or _say("tied", language),
            "value": row["value"] or None,
            "next_value": row["next_value"] or None,
            "article": _article(result, row["article"], language),
        }
        for row in found.head(ROWS).to_dict("records")
    ]
    kinds = {
        "rank": "integer",
        "name": "name",
        "next": "name",
        "code": "code",
        "value": "decimal",
        "next_value": "decimal",
    }
    columns = [Column(key, kinds.get(key, "text"), _head(key)) for key in (*kinds, "article")]
    return Table(
        "separators",
        columns,
        rows,
        caption=_pair("separators"),
        notes=_cut(len(rows), len(found), language),
        language=language,
    )


def comparison_table(found: Comparison, language: str, event: Event | None = None) -> Table:
    """Printed values that differ, with the recomputed value and the causes that give the printed one exactly."""
    differing = found.rows[~found.rows["agrees"].astype(bool)]
    names = {} if event is None else dict(zip(event.players["number"], event.players["name"], strict=True))
    rows = [
        {
            "number": row["number"],
            "name": names.get(row["number"], row["name"]),
            "field": words.shown(words.named("field", row["field"]), language),
            "code": row["code"],
            "published": row["published_text"],
            "recomputed": row["recomputed_text"],
            "causes": words.listed(
                (
                    words.text("cause-line.bracketed", language, name=c.name(language), detail=c.detail)
                    for c in row["causes"][:3]
                ),
                language,
                parts=True,
            ),
        }
        for row in differing.head(ROWS).to_dict("records")
    ]
    kinds = {
        "number": "integer",
        "name": "name",
        "field": "text",
        "code": "code",
        "published": "code",
        "recomputed": "code",
    }
    columns = [Column(key, kinds.get(key, "text"), _head(key)) for key in (*kinds, "causes")]
    marks = ["differs"] * len(rows)
    return Table(
        "standings_comparison",
        columns,
        rows,
        caption=_pair("comparison"),
        notes=_cut(len(rows), len(differing), language),
        language=language,
        marks=marks,
    )


def editions_table(event: Event, language: str, codes: Sequence[str] = _BY_EDITION) -> Table | None:
    """Players and criteria whose values differ between the editions of C.07; None where none does or the event is not FIDE's."""
    document = document_for(event)
    if document_of(parse(codes[0]).name, event) != document:
        return None
    editions = [rulesets.ruleset(id).need("edition")["name"] for id in rulesets.editions(document)]
    by_code = {
        code: [f"{code.partition('/')[0]}@{name}{code[len(code.partition('/')[0]) :]}" for name in editions]
        for code in codes
    }
    texts = [text for each in by_code.values() for text in each]
    try:
        result = standings(event, ["PTS", *texts], of="players")
    except (EventError, ParameterError):
        return None
    names = _names(result, event)
    values = {text: result.column(text).texts() for text in texts}
    # Each criterion with itself: the Buchholz and its cut always differ, and that is no matter of editions.
    differing = {
        row: [code for code, each in by_code.items() if len({values[text][row] for text in each}) > 1]
        for row in result.order
    }
    texts = [
        text for code, each in by_code.items() if any(code in d for d in differing.values()) for text in each
    ]
    rows = []
    for row in result.order:
        if differing[row]:
            number = int(result.grid.numbers[row])
            rows.append({"number": number, "name": names[number], **{t: values[t][row] for t in texts}})
    if not rows:
        return None
    columns = [
        Column("number", "integer", _head("number")),
        Column("name", "name", _head("name")),
        *(Column(text, "decimal", text) for text in texts),
    ]
    return Table(
        "editions",
        columns,
        rows[:ROWS],
        caption=_pair("editions"),
        notes=_cut(min(len(rows), ROWS), len(rows), language),
        language=language,
        keep=2,
    )


def working_table(
    result: Standings, number: int, code: str, language: str, event: Event | None = None
) -> Table:
    """What one value of one player is made of, round by round."""
    names = _names(result, event)
    rows = [
        {
            **row,
            "round": row["round"] or None,
            "opponent": row["opponent"] or None,
            "name": names.get(row["opponent"], ""),
            "kind": words.text(f"round_kind.{row['kind']}", language),
            "points": row["points"] or "",
            "seen": row["seen"] or "",
            "article": _article(result, row["article"], language),
        }
        for row in result.working(number, code).to_dict("records")
    ]
    kinds = {
        "round": "integer",
        "opponent": "integer",
        "name": "name",
        "kind": "text",
        "points": "code",
        "seen": "code",
        "counted": "code",
        "kept": "yes",
    }
    columns = [Column(key, kinds.get(key, "text"), _head(key)) for key in (*kinds, "article")]
    key = f"tie_break.{parse(code).name}"
    value = result.column(code).texts()[result.grid.index_of(number)]
    caption = tuple(
        _say(
            "working",
            lang,
            code=f"{code} = {value or '-'}",
            name=words.text(key, lang) if words.has(key) else "",
        )
        for lang in ("zh", "en")
    )
    return Table("working", columns, rows, caption=caption, language=language)  # type: ignore[arg-type]


# --- figures and sections -------------------------------------------------------------------------


def progress_chart(result: Standings, language: str, event: Event | None = None) -> Figure | None:
    """Places after each round of those who finished in front; None with fewer than three rounds."""
    grid = result.grid
    if grid.played < 3:
        return None
    names = _names(result, event)
    by_round = [result.ranks_after(round_) for round_ in range(1, grid.played + 1)]
    rounds = range(1, grid.played + 1)
    front = {int(grid.numbers[row]): [int(ranks[row]) for ranks in by_round] for row in result.order[:LINES]}
    ax = plots.lines(
        {f"{number} {names[number]}": (rounds, places) for number, places in front.items()}, points=True
    )
    # First place is on top: the axis counts downwards.
    plots.whole(ax.yaxis)
    ax.set_ylim(max(map(max, front.values())) + 0.5, 0.5)
    plots.label(ax, _say("round_axis", language))
    return Figure(ax.figure, _pair("progress_alt", count=len(front)), _pair("progress"), language)


def verdict(found: Comparison, language: str) -> prose.Piece:
    """One line: how many printed values agree."""
    compared = len(found.rows)
    differ = int((~found.rows["agrees"].astype(bool)).sum()) if compared else 0
    key = "nothing_printed" if not compared else "some_differ" if differ else "all_agree"
    return prose.prose(_say(key, language, count=compared, differ=differ))


def section(event: Event, found: Comparison, language: str, rules: RuleSet | None = None) -> prose.Piece:
    """The whole section: verdict, what differs, standings, what separated whom, cross table, chart, editions."""
    pieces: list[Any] = [verdict(found, language)]
    if len(found.rows) and not found.rows["agrees"].astype(bool).all():
        pieces.append(comparison_table(found, language, event))
    try:
        result = _shown(event, found, rules)
    except (EventError, ParameterError) as error:
        return prose.group(*pieces, prose.prose(error.message(language), "note"), language=language)
    pieces.append(standings_table(result, language, event))
    separators = separators_table(result, language, event)
    if separators.rows:
        pieces.append(separators)
    if len(result.grid.rounds) <= 15 and result.grid.size <= ROWS:
        pieces.append(cross_table(result, language, event))
    chart = progress_chart(result, language, event)
    pieces += [chart] if chart is not None else []
    editions = editions_table(event, language)
    pieces += [editions] if editions is not None else []
    return prose.group(*pieces, language=language)


def _shown(event: Event, found: Comparison, rules: RuleSet | None) -> Standings:
    """The standings of the section: printed columns and the event's list go before the order of the rules."""
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
    if rules is None:
        rules, _ = in_force(document_for(event), event)
    codes = None
    if len(event.teams) and not event.tie_breaks:
        codes = order_of(rules, format_of(event).removeprefix("team-")) or ("PTS",)
    usable = [text for text in event.tie_breaks if not _of_teams(text)] if event.tie_breaks else None
    result = standings(event, codes or usable or None, rules, of="players")
    pieces: list[Any] = [
        prose.heading(words.pair("audit_section.standings", "zh"), language, 2),
        prose.prose(_say("by_rules", language, rules=rules.id, codes=[code.text for code in result.codes])),
        prose.key_values(
            [
                (_head("rank"), str(result.rank_of(number))),
                *(
                    (code.text, column.texts()[result.grid.index_of(number)] or "-")
                    for code, column in zip(result.codes, result.columns, strict=True)
                ),
            ],
            language,
        ),
    ]
    tables = [working_table(result, number, code.text, language, event) for code in result.codes]
    return pieces + [table for table in tables if table.rows]


def _of_teams(text: str) -> bool:
    try:
        code = parse(text)
    except ParameterError:
        return True
    return code.for_teams


__all__ = [
    "comparison_table",
    "cross_table",
    "editions_table",
    "player_pieces",
    "progress_chart",
    "section",
    "separators_table",
    "standings_table",
    "working_table",
]
