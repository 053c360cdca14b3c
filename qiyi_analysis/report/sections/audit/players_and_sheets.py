"""All players beside what was published, and the sheets of those that differ."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.audit import explain
from qiyi_analysis.model.findings import Cause
from qiyi_analysis.report.kit import prose
from qiyi_analysis.report.kit.tables import Column, Table, is_missing
from qiyi_analysis.report.sections.audit.asked import View, column, differing, name_of

#: Calculation sheets printed; the workbook holds every game of everybody.
_SHEETS = 40


def players(v: View) -> prose.Piece | None:
    """All players: what was published beside what the rules give."""
    if not v.wants("players"):
        return None
    result = v.audit
    if result.rating is None:
        return prose.group(v.heading("players"), prose.prose(v.say("audit.not_rated")), language=v.language)
    printed: dict[str, dict[int, str]] = {
        str(field): dict(zip(rows["number"].tolist(), rows["published"].tolist(), strict=True))
        for field, rows in result.comparison.groupby("field")
    }
    off = differing(result)
    rows = [_player_row(v, row, printed, off) for row in result.rating.players.to_dict("records")]
    columns = _player_columns()
    used = [
        column
        for column in columns
        if column.key in ("number", "name") or any(row.get(column.key) not in (None, "") for row in rows)
    ]
    table = Table(
        "players",
        used,
        rows,
        caption=words.pair("audit_section.players", "zh"),
        notes=[v.say("audit.players_note")],
        language=v.language,
        marks=["differs" if row["number"] in off else "" for row in rows],
    )
    agreed = None
    if not off and len(result.comparison):
        agreed = prose.prose(v.say("audit.no_difference"))
    return prose.group(v.heading("players"), agreed, table, language=v.language)


def _player_columns() -> list[Column]:
    return [
        Column("number", "integer"),
        Column("name", "name"),
        Column("rating", "rating"),
        Column("k", "integer"),
        Column("games", "integer"),
        Column("opponents_average", "integer"),
        Column("score", "points"),
        Column("we", "decimal"),
        column("printed_we", "decimal", "printed"),
        column("delta", "signed"),
        column("rounded", "signed"),
        column("printed_change", "signed"),
        column("deviation", "signed"),
        Column("new_rating", "integer"),
        column("printed_new", "integer"),
        column("explanation"),
    ]


def _player_row(
    v: View,
    row: Mapping[Any, Any],
    printed: dict[str, dict[int, str]],
    off: dict[int, tuple[Cause, ...]],
) -> dict[str, Any]:
    number = row["number"]
    rating = row["rating"]
    change, rounded = printed.get("change", {}).get(number), row.get("rounded_change")
    found = off.get(number, ())
    return {
        "number": number,
        "name": row["name"],
        "rating": "–" if is_missing(rating) else f"{rating}{'*' if row.get('provisional') else ''}",
        "k": row["k"],
        "games": row["games"],
        "opponents_average": row["opponents_average"],
        "score": row["score"],
        "we": row["we"],
        "printed_we": printed.get("expected", {}).get(number),
        "delta": row["change"],
        "rounded": rounded,
        "printed_change": _signed(change),
        "deviation": _deviation(change, rounded) if number in off else None,
        "new_rating": row["new_rating"],
        "printed_new": printed.get("new_rating", {}).get(number),
        "explanation": words.listed(
            dict.fromkeys(cause.name(v.language) for cause in found[:2]), v.language, parts=True
        ),
    }


def _deviation(printed: str | None, rounded: Any) -> Decimal | None:
    if printed is None or is_missing(rounded):
        return None
    off = Decimal(printed) - Decimal(str(rounded))
    return off if off else None


def _signed(printed: str | None) -> str | None:
    if printed is None:
        return None
    return f"+{printed}" if not printed.startswith("-") and printed.strip("0.") else printed


def sheets(v: View) -> prose.Piece | None:
    """The whole calculation, game by game, of every player whose published numbers differ."""
    result = v.audit
    if not v.wants("sheets") or result.rating is None:
        return None
    chosen = list(differing(result))
    if not chosen:
        return None
    parts: list[Any] = [v.heading("sheets")]
    for number in chosen[:_SHEETS]:
        parts += _sheet(v, number)
    if len(chosen) > _SHEETS:
        parts.append(prose.prose(v.say("audit.sheets_left_out", count=len(chosen) - _SHEETS), "note"))
    return prose.group(*parts, language=v.language)


def _sheet(v: View, number: int) -> list[Any]:
    rating = v.audit.rating
    assert rating is not None
    games = explain.rating_games(rating, number)
    rows = [
        {
            "round": game["round"],
            "opponent": game["opponent"],
            "opponent_name": name_of(v, game["opponent"]),
            "opponent_rating": game["opponent_rating"],
            "difference": game["difference"],
            "counted_difference": game["counted_difference"],
            "expected": game["expected"],
            "score": game["score"],
            "reason": "" if game["counted"] else explain.reason_word(game["reason"], v.language),
        }
        for game in games.to_dict("records")
    ]
    columns = [
        Column("round", "integer"),
        Column("opponent", "integer"),
        column("opponent_name", "name"),
        Column("opponent_rating", "integer"),
        Column("difference", "integer"),
        Column("counted_difference", "integer"),
        Column("expected", "decimal"),
        Column("score", "points"),
        Column("reason"),
    ]
    used = [
        c
        for c in columns
        if c.key in ("round", "opponent") or any(not is_missing(r[c.key]) and r[c.key] != "" for r in rows)
    ]
    steps = [
        {"step": step.what, "value": step.value, "how": step.how, "article": step.article}
        for step in explain.steps_of(rating, number, v.language)
    ]
    name = v.say("audit_place.player", number=number, name=name_of(v, number))
    return [
        prose.heading(name, v.language, 2),
        Table(
            "sheet_games",
            used,
            rows,
            language=v.language,
            marks=["quiet" if row["reason"] else "" for row in rows],
        ),
        Table(
            "sheet_steps",
            [Column("step"), Column("value", "code"), Column("how"), Column("article")],
            steps,
            language=v.language,
        ),
    ]
