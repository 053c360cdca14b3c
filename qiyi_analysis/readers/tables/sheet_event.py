"""An event from sheets: start lists, cross tables, rankings and pairings of result pages and hand-made tables.

The tables of one file are recognised by their heads and joined: players by number, else by name; results
from the cross table, else from the pairings, else from the matrix of a round robin. What the heads were
taken for is told in a finding and can be overruled with a mapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import TIE_BREAK_COLUMNS, Event, Scoring
from qiyi_analysis.readers.draft import (
    Columns,
    check_rows,
    draft_event,
    exchange_sides,
    game_columns,
    matches_from_games,
    points_table,
    teams_from_players,
)
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.source import Source
from qiyi_analysis.readers.tables.crosstable import pair_cells
from qiyi_analysis.readers.tables.pairings import Pairing
from qiyi_analysis.readers.tables.report_remarks import check_remarks, unplayed_notes
from qiyi_analysis.readers.tables.sheet_facts import read_facts, tie_break_notes
from qiyi_analysis.readers.tables.sheet_groups import Group, groups_of, sheets_of
from qiyi_analysis.readers.tables.sheet_players import SheetPlayers
from qiyi_analysis.readers.tables.sheet_results import SheetResults, read_results
from qiyi_analysis.readers.tables.sheet_tables import HeadedRows, is_pairing, report_heads, split_tables
from qiyi_analysis.readers.tables.sheets import Sheet, seen
from qiyi_analysis.readers.tables.team_boards import Member, board_games
from qiyi_analysis.readers.trf.scoring import Declared, fill_missing_byes, find_scoring


def read_sheets(
    sheets: list[Sheet],
    faults: Faults,
    source: Source,
    name: str,
    mapping: Mapping[str, str] | None = None,
) -> tuple[Event, ...]:
    """Join the tables to an event, or to one for each group. Raises ReadError where none is one of players or games."""
    check_rows(sum(len(sheet.rows) for sheet in sheets), source.name)
    tables = [table for sheet in sheets for table in split_tables(sheet, faults, mapping)]
    boards, members = board_games(sheets, faults)
    if not tables and not boards:
        raise ReadError("sheet-no-table", file=source.name, seen=seen(sheets))
    groups = groups_of(tables, faults) if tables and not boards else [Group(tables)]
    if len(groups) == 1:
        return (_event(groups[0].tables, sheets, (boards, members), faults, source, name),)
    events = []
    for number, group in enumerate(groups, 1):
        own = faults if number == 1 else Faults(source.name)
        some = sheets_of(group, groups, sheets)
        event = _event(group.tables, some, ([], []), own, source, f"{name}-{number}")
        alone = sum(any(table.sheet == group.tables[0].sheet for table in one.tables) for one in groups) == 1
        title = group.title(alone)
        events.append(
            replace(event, name=f"{event.name} {title}".strip() if title not in event.name else event.name)
        )
    return tuple(events)


def _event(
    tables: list[HeadedRows],
    sheets: list[Sheet],
    team_boards: tuple[list[Pairing], list[Member]],
    faults: Faults,
    source: Source,
    name: str,
) -> Event:
    """One event of its tables and of the rows around them."""
    boards, members = team_boards
    facts, loose = read_facts(sheets, tables)
    players = SheetPlayers(faults, facts.get("discipline", "chess"))
    for table in tables:
        report_heads(table, faults)
        if not is_pairing(table):
            players.add(table)
    for member in members:
        players.add_member(member)
    results = read_results(tables, boards, players, faults)
    if results.meetings is not None:
        usual = {1: "round-robin", 2: "double-round-robin"}.get(results.meetings, "")
        facts["format"] = facts.get("format") or usual
    players.complete()
    columns = players.columns()
    if not columns["number"]:
        raise ReadError("sheet-no-player", file=source.name, seen=seen(sheets))
    explained = unplayed_notes(tables, loose, faults)
    check_remarks(players.remarks(), faults)
    discipline = facts.pop("discipline", "") or _discipline_of_marks(results.marks) or "chess"
    facts["tie_break_columns"] = _told_columns(tie_break_notes(sheets), columns)
    scoring = _scoring(results, columns, discipline, faults)
    games = _games(results, columns, scoring, faults)
    if discipline == "go" and results.marks & {"w", "b", "白", "黑"}:
        exchange_sides(games)
    if boards:
        facts["teams"] = teams_from_players(columns)
        facts["matches"] = matches_from_games(facts["teams"], games, scoring, with_match_points=True)
        if not facts.get("format", "").startswith("team"):
            facts["format"] = "team-round-robin" if facts.get("format") == "round-robin" else "team-swiss"
    if loose:
        facts.setdefault("extra", {})["notes"] = loose
    if explained:
        facts["extra"]["unplayed"] = list(explained)
    return draft_event(
        columns,
        games,
        faults,
        scoring=scoring,
        id=name,
        discipline=discipline,
        sources=(source.facts(),),
        **facts,
    )


def _scoring(results: SheetResults, columns: Columns, discipline: str, faults: Faults) -> Scoring:
    """The scoring in which the printed points come out; rounds that a player is missing in get their byes."""
    printed = {
        number: f"{value:g}"
        for number, value in zip(columns["number"], columns["points"], strict=True)
        if value == value
    }
    severity = "I" if discipline == "xiangqi" else "W"
    scoring = find_scoring(printed, results.rounds, Declared(), faults, teams=False, severity=severity)
    if results.two_one_zero and scoring == Scoring():
        scoring = Scoring.of(win=2, draw=1)
    if results.meetings is None:
        fill_missing_byes(printed, results.rounds, scoring, faults, place=_round_place)
    return scoring


def _games(results: SheetResults, columns: Columns, scoring: Scoring, faults: Faults) -> Columns:
    games = game_columns()
    points = points_table(scoring)
    pair_cells(
        results.rounds,
        games,
        faults,
        listed=set(columns["number"]),
        points=lambda kind, result, first: points[str(kind), result, first],
        place=_round_place,
        with_colours=results.meetings is None,
    )
    return games


def _round_place(round_: int) -> str:
    return f"R{round_}"


def _told_columns(notes: dict[str, str], columns: Columns) -> dict[str, str]:
    """The tie-breaks that notes explain; where they call the first the points and no column is headed so, it is that one."""
    if not notes:
        return {}
    from qiyi_analysis.tiebreaks.printed import code_of

    told = {column: words for column, words in notes.items() if column in TIE_BREAK_COLUMNS}
    if code_of(told.get("tb1", "")) == "PTS" and all(value != value for value in columns["points"]):
        columns["points"] = list(columns["tb1"])
    return told


def _discipline_of_marks(marks: set[str]) -> str:
    return "xiangqi" if marks & {"红", "紅"} else ""
