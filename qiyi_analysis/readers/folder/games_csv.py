"""``games.csv`` of the folder format: one row per game or per round without opponent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import KINDS, Kind, Scoring
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.draft import MOST_ROUNDS, Columns, add_game, bye_result, game_columns, read_format
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.delimited import HeadedTable, Row, headed
from qiyi_analysis.readers.tables.player_fields import read_number, whole
from qiyi_analysis.readers.tables.sheets import Sheet
from qiyi_analysis.readers.tables.unknown_rounds import rounds_for

GAME_ALIASES = {
    "first": "white", "second": "black", "red": "white", "first_score": "white_score", "red_score": "white_score",
    "second_score": "black_score", "rd": "round", "first_points": "white_score", "second_points": "black_score",
}  # fmt: skip
KIND_NAMES: Mapping[str, Kind] = {
    **{str(kind): kind for kind in Kind},
    "fpb": Kind.FULL_BYE, "hpb": Kind.HALF_BYE, "zpb": Kind.ZERO_BYE, "pab": Kind.PAB, "": Kind.PLAYED,
    "bye": Kind.PAB, "absent": Kind.ZERO_BYE, "double forfeit": Kind.DOUBLE_FORFEIT,
}  # fmt: skip


def read_games(
    sheet: Sheet, faults: Faults, discipline: str, scoring: Scoring, meta: Mapping[str, Any]
) -> tuple[Columns, dict[str, Any]]:
    """Columns of the games table. Raises ReadError where round, white or black is missing as a column."""
    games = game_columns()
    games["komi"], games["day"], games["note"], games["first_count"] = [], [], [], []
    if not sheet.rows:
        faults.add("CK07", "no-games", line=0)
        return games, {}
    table = headed(sheet.rows, sheet.name, GAME_ALIASES, faults)
    for needed in ("round", "white", "black"):
        if not table.has(needed):
            raise ReadError(
                "column-needed", file=sheet.name, line=table.first_line, needed=needed, found=table.heads
            )
    for needed in ("white_score", "black_score"):
        if not table.has(needed):
            faults.add(
                "CK02",
                "column-missing",
                line=table.first_line,
                field=needed,
                read=tuple(table.heads),
                needed=needed,
            )
    days = meta.get("rounds_dates")
    days = [str(day) for day in days] if isinstance(days, list) else []
    left_out: list[dict[str, Any]] = []
    scale = _scale(table, scoring, faults)
    unknown = _unknown_rounds(table, meta, faults)
    for row in table.rows:
        if not _add_row(table, row, games, faults, discipline, scoring, scale, days, unknown):
            left_out.append({"file": sheet.name, "line": row.line, "cells": row.cells})
    extra: dict[str, Any] = {"games.left_out": left_out} if left_out else {}
    if unknown:
        extra["games.rounds_unknown"] = len(unknown)
    return games, extra


def _unknown_rounds(table: HeadedTable, meta: Mapping[str, Any], faults: Faults) -> dict[int, int]:
    """Rounds by line for the rows that leave the round empty, which means not known.

    In a round robin nothing hangs on the order of the rounds; elsewhere unplayed rounds and what is counted
    round by round do, so that there it is asked about.
    """
    taken, meetings, lines = [], [], []
    for row in table.rows:
        players = tuple(
            {n: None for n in (whole(table.cell(row, "white")), whole(table.cell(row, "black"))) if n}
        )
        round_ = whole(table.cell(row, "round"))
        if not table.cell(row, "round").strip():
            if players:
                meetings.append(players)
                lines.append(row.line)
        elif round_ is not None:
            taken += [(player, round_) for player in players]
    if not meetings:
        return {}
    scheduled = whole(str(meta.get("rounds") or "")) or 0
    most = max(Counter(p for players in meetings for p in players).values())
    if most > MOST_ROUNDS:
        return {}
    assigned = rounds_for(meetings, taken, min(max(scheduled, most), MOST_ROUNDS))
    around = read_format(str(meta.get("format") or "")).endswith("round-robin")
    faults.add(
        "CK43", "rounds-unknown", severity="I" if around else "W", line=lines[0], field="round", games=len(meetings),
    )  # fmt: skip
    return dict(zip(lines, assigned, strict=True))


def _scale(table: HeadedTable, scoring: Scoring, faults: Faults) -> Fraction:
    """1, or what the scores have to be multiplied with where they are not written in the scoring named.

    Scores of a 2-1-0 event are sometimes left as 1, 1/2, 0 (or the other way round); the sums of the
    two sides show it, if they all agree.
    """
    sums: dict[Fraction, int] = {}
    for row in table.rows[:500]:
        if KIND_NAMES.get(table.cell(row, "kind").casefold()) is not Kind.PLAYED:
            continue
        try:
            one, two = (
                fields.number(table.cell(row, "white_score"), "."),
                fields.number(table.cell(row, "black_score"), "."),
            )
        except ValueError:
            continue
        if one is not None and two is not None:
            sums[one + two] = sums.get(one + two, 0) + 1
    wanted = scoring.win + scoring.loss
    if len(sums) != 1 or 2 * scoring.draw_first != wanted or scoring.draw_first != scoring.draw_second:
        return Fraction(1)
    found, games = next(iter(sums.items()))
    if found in (0, wanted) or games < 3:
        return Fraction(1)
    faults.add(
        "CK49",
        "scores-scaled",
        severity="W",
        field="white_score",
        read=found,
        assumed=wanted,
        found=found,
        wanted=wanted,
    )
    return wanted / found


def _add_row(
    table: HeadedTable, row: Row, games: Columns, faults: Faults, discipline: str, scoring: Scoring, scale: Fraction, days: list[str],
    unknown: Mapping[int, int],
) -> bool:  # fmt: skip
    line = row.line
    round_ = unknown.get(row.line, whole(table.cell(row, "round")))
    white, black = whole(table.cell(row, "white")), whole(table.cell(row, "black"))
    if round_ is None or not 1 <= round_ <= MOST_ROUNDS:
        faults.add(
            "CK43", "round-unreadable", severity="E", line=line, field="round", read=table.cell(row, "round")
        )
        return False
    for field, value in (("white", white), ("black", black)):
        if table.cell(row, field) and value is None:
            faults.add(
                "CK43",
                "opponent-unreadable",
                severity="E",
                line=line,
                round=round_,
                field=field,
                read=table.cell(row, field),
            )
            return False
    kind = _kind(table, row, faults, round_)
    if not white and not black:
        faults.add("CK15", "game-without-players", line=line, round=round_)
        return False
    if not white or not black:
        _add_bye(table, row, games, faults, kind, round_, white or black or 0, scoring, scale)
    else:
        if not KINDS[kind].paired:
            faults.add(
                "CK15",
                "bye-with-opponent",
                line=line,
                round=round_,
                player=white,
                field="kind",
                read=table.cell(row, "kind"),
            )
        if white == black:
            faults.add(
                "CK15", "against-himself", line=line, round=round_, player=white, field="black", read=black
            )
            kind = Kind.UNPLAYED
            black = 0
        _add_paired(table, row, games, faults, kind, round_, white, black, discipline, scoring, scale)
    games["komi"].append(read_number(table.cell(row, "komi"), faults, line, 0, "komi"))
    games["day"].append(
        table.cell(row, "day")
        or table.cell(row, "date")
        or (days[round_ - 1] if round_ <= len(days) and line not in unknown else "")
    )
    games["note"].append(table.cell(row, "note"))
    games["first_count"].append(read_number(table.cell(row, "first_count"), faults, line, 0, "first_count"))
    return True


def _kind(table: HeadedTable, row: Row, faults: Faults, round_: int) -> Kind:
    text = table.cell(row, "kind")
    kind = KIND_NAMES.get(text.casefold().strip())
    if kind is None:
        faults.add("CK19", "kind-unknown", line=row.line, round=round_, field="kind", read=text)
        return Kind.UNPLAYED
    return kind


def _score(
    table: HeadedTable, row: Row, field: str, scale: Fraction, faults: Faults, round_: int
) -> Fraction | None:
    text = table.cell(row, field)
    try:
        value = fields.number(text, ".")
    except ValueError:
        faults.add("CK15", "score-unreadable", line=row.line, round=round_, field=field, read=text)
        return None
    return None if value is None else value * scale


def _add_bye(
    table: HeadedTable, row: Row, games: Columns, faults: Faults, kind: Kind, round_: int, player: int, scoring: Scoring, scale: Fraction
) -> None:  # fmt: skip
    points = _score(
        table, row, "white_score" if whole(table.cell(row, "white")) else "black_score", scale, faults, round_
    )
    if KINDS[kind].paired and kind not in (Kind.FORFEIT, Kind.UNPLAYED):
        assumed = Kind.ZERO_BYE if not points else Kind.PAB if points == scoring.pab else Kind.HALF_BYE
        faults.add(
            "CK19",
            "bye-kind-assumed",
            line=row.line,
            round=round_,
            player=player,
            field="kind",
            read=table.cell(row, "kind"),
            assumed=assumed,
            published=table.cell(row, "kind") or words.said("blank"),
        )
        kind = assumed
    printed = table.cell(row, "white_result") or table.cell(row, "black_result")
    if kind is Kind.FORFEIT:
        result = "1" if points and points > scoring.forfeit_loss else "0"
    elif kind is Kind.UNPLAYED:
        result = printed if printed in ("1", "=", "0") else ""
    else:
        result = bye_result(kind)
    add_game(
        games, round=round_, first=player, second=0, kind=kind, first_result=result, board=table.cell(row, "board"),
        first_points=fields.as_float(points), colours_known=False, line=row.line,
    )  # fmt: skip


def _add_paired(
    table: HeadedTable, row: Row, games: Columns, faults: Faults, kind: Kind, round_: int, white: int, black: int,
    discipline: str, scoring: Scoring, scale: Fraction,
) -> None:  # fmt: skip
    white_points = _score(table, row, "white_score", scale, faults, round_)
    black_points = _score(table, row, "black_score", scale, faults, round_)
    swap = discipline == "go"
    first, second = (black, white) if swap else (white, black)
    first_points, second_points = (black_points, white_points) if swap else (white_points, black_points)
    if not first:  # a player against himself, kept without opponent
        first, second, first_points, second_points = second, 0, white_points, None
    forfeit = kind in (Kind.FORFEIT, Kind.DOUBLE_FORFEIT)
    letters = [table.cell(row, head) for head in ("white_result", "black_result")]
    letters = [letter if letter in ("1", "=", "0") else "" for letter in (letters[::-1] if swap else letters)]
    if kind is Kind.UNPLAYED:
        one, two = letters
    else:
        one = letters[0] or _result(first_points, scoring, True, forfeit, faults, row.line, round_, first)
        two = letters[1] or _result(second_points, scoring, False, forfeit, faults, row.line, round_, second)
        if kind is Kind.PLAYED and one == two == "" and first_points is None and second_points is None:
            kind = Kind.UNPLAYED
        elif kind in (Kind.PLAYED, Kind.UNRATED) and (one == "") != (two == ""):
            # The result of one side only: kept as printed, not rated.
            shown = f"{table.cell(row, 'white_score') or '?'}-{table.cell(row, 'black_score') or '?'}"
            faults.add(
                "CK15", "pair-one-sided", line=row.line, round=round_, player=first, field="result", read=shown,
                first=first, second=second,
            )  # fmt: skip
            kind = Kind.UNPLAYED
    known = table.cell(row, "colours_known").casefold()
    add_game(
        games, round=round_, first=first, second=second, kind=kind, first_result=one, second_result=two,
        board=table.cell(row, "board"), first_points=fields.as_float(first_points), second_points=fields.as_float(second_points),
        handicap=read_number(table.cell(row, "handicap"), faults, row.line, 0, "handicap"),
        colours_known=known not in ("0", "no", "false", "n"), line=row.line,
    )  # fmt: skip


def _result(
    points: Fraction | None, scoring: Scoring, first: bool, forfeit: bool, faults: Faults, line: int, round_: int, player: int
) -> str:  # fmt: skip
    if points is None:
        return ""
    if forfeit:
        return "1" if points == scoring.forfeit_win and points > scoring.forfeit_loss else "0"
    if points == scoring.win:
        return "1"
    if points == (scoring.draw_first if first else scoring.draw_second):
        return "="
    if points == scoring.loss:
        return "0"
    faults.add(
        "CK15", "score-outside-scoring", line=line, round=round_, player=player, field="score", read=float(points),
        win=float(scoring.win), draw=float(scoring.draw_first), loss=float(scoring.loss),
    )  # fmt: skip
    return ""
