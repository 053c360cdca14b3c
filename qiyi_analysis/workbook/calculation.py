"""The calculation sheet: one row a player, Ro to Rn, as the regulations name the columns."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.audit import Audit
from qiyi_analysis.blocks import storable
from qiyi_analysis.explain import reason_word
from qiyi_analysis.tables import is_missing
from qiyi_analysis.workbook.book import FIRST_ROW, Book, computed, half_up, known, print_setup
from qiyi_analysis.workbook.games import GameSums, lookup

#: Rounding names of the rule files -> formula of an exact value x (rounded to 4 decimals first: binary dust).
_ROUNDINGS = {"half-up": "INT(ROUND({x},4)+0.5)", "half-away-from-zero": "ROUND(ROUND({x},4),0)"}
PLAYER_COLUMNS = (
    "number", "name", "sex", "unit", "title", "rating", "provisional", "games", "average", "difference", "expected",
    "we", "score", "w_minus_we", "k", "change", "new_rating", "unplayed", "note", "printed_change", "printed_new",
    "check",
)  # fmt: skip


def players_sheet(book: Book, sheet: Any) -> None:
    """One row a player, Ro to Rn with live formulas, beside what was published."""
    audit, language = book.audit, book.language
    _sheet_head(book, sheet)
    book.head(sheet, FIRST_ROW - 1, PLAYER_COLUMNS)
    rating = audit.rating
    calculated = {} if rating is None else {row["number"]: row for row in rating.players.to_dict("records")}
    printed: dict[Any, dict[int, str]] = {
        name: dict(zip(rows["number"].tolist(), rows["published"].tolist(), strict=True))
        for name, rows in audit.comparison.groupby("field")
    }
    unplayed = _unplayed(audit, language)
    for player in audit.event.players.to_dict("records"):
        number = player["number"]
        row = book.rows[number]
        for column, key in enumerate(PLAYER_COLUMNS[:5]):
            book.put(
                sheet,
                row,
                column,
                _identity(player[key], key, language),
                "whole" if key == "number" else "text",
            )
        _player_numbers(book, sheet, row, calculated.get(number, {}), player)
        missed = unplayed.get(number, [])
        book.put(sheet, row, 17, "※" if missed else "")
        book.put(sheet, row, 18, "; ".join(filter(None, [str(player["note"]), *missed])), "note")
        _published(book, sheet, row, printed, number, calculated.get(number, {}))
    last = FIRST_ROW + max(len(book.rows), 1) - 1
    sheet.autofilter(FIRST_ROW - 1, 0, last, len(PLAYER_COLUMNS) - 1)
    sheet.freeze_panes(FIRST_ROW, 2)
    print_setup(sheet, FIRST_ROW - 1)


def _sheet_head(book: Book, sheet: Any) -> None:
    event, language = book.audit.event, book.language
    first, last = FIRST_ROW + 1, FIRST_ROW + max(len(book.rows), 1)

    def label(row: int, column: int, key: str) -> None:
        main, other = words.pair(key, language)
        sheet.write_string(row, column, f"{main} {other}", book.formats["label"])

    sheet.write_string(0, 0, " ".join(words.pair("sheet_head.title", language)), book.formats["title"])
    days = [day.isoformat() for day in (event.start, event.end) if day is not None]
    facts = [
        (1, 0, "audit_fact.event", event.name or event.id),
        (2, 0, "audit_fact.place", event.place),
        (3, 0, "audit_fact.dates", " – ".join(dict.fromkeys(days))),
        (4, 0, "audit_fact.format", words.text(f"format.{event.format}", language) if event.format else ""),
        (5, 0, "audit_fact.rounds", event.rounds or ""),
        (1, 8, "sheet_head.arbiter", ", ".join(map(str, event.arbiters))),
        (2, 8, "sheet_head.period", ""),
        (5, 8, "signature.calculated", ""),
        (6, 8, "sheet_head.day", ""),
        (6, 0, "audit_fact.rules", ", ".join(rules.id for rules in book.audit.rules)),
    ]
    for row, column, key, value in facts:
        label(row, column, key)
        if value != "":
            sheet.write_string(row, column + 3, storable(str(value)), book.formats["fact"])
    label(3, 8, "sheet_head.count")
    sheet.write_formula(3, 11, f"=COUNT(A{first}:A{last})", book.formats["fact"], len(book.rows))
    label(4, 8, "audit_fact.average")
    ratings = (
        []
        if book.audit.rating is None
        else [r for r in book.audit.rating.players["rating"].tolist() if not is_missing(r)]
    )
    if ratings:
        exact = Decimal(str(sum(ratings))) / len(ratings)
        average = int(exact + Decimal("0.5"))
        sheet.write_formula(4, 11, f"=INT(AVERAGE(F{first}:F{last})+0.5)", book.formats["fact"], average)
    legend = "sheet_head.legend" if book.live else "sheet_head.values_only"
    sheet.write_string(7, 0, words.text(legend, language), book.formats["label"])


def _player_numbers(
    book: Book, sheet: Any, row: int, c: Mapping[Any, Any], player: Mapping[Any, Any]
) -> None:
    """Ro to Rn of one player."""
    a1 = row + 1
    if not c:
        for column in range(5, 17):
            book.put(sheet, row, column, player["rating"] if column == 5 else None, "whole")
        return
    book.put(sheet, row, 5, c["rating"], "input")
    book.put(sheet, row, 6, "✓" if c["provisional"] else "")
    games = GameSums(book)
    number = player["number"]
    live = book.live
    score_formula = f"=SUMIFS({games.column('K')},{games.column('A')},A{a1},{games.column('L')},1)"
    games_formula = f"=SUMIFS({games.column('L')},{games.column('A')},A{a1})"
    cells: list[tuple[int, str | None, Any, str]] = [
        (7, games_formula if live and games.count(number) == c["games"] else None, c["games"], "live_whole"),
        (8, _average_formula(book, a1, c) if live else None, c["opponents_average"], "live_whole"),
        (
            9,
            f"=F{a1}-I{a1}"
            if live and known(c["difference"]) and c["difference"] == c["rating"] - c["opponents_average"]
            else None,
            c["difference"],
            "live_whole",
        ),
        (10, lookup(f"J{a1}") if live else None, c["expected"], "live_two"),
        (11, _we_formula(book, a1, c, games) if live else None, c["we"], "live_two"),
        (
            12,
            score_formula if live and games.score(number) == c["score"] else None,
            c["score"],
            "live_halves",
        ),
        (13, f"=ROUND(M{a1}-L{a1},4)" if live else None, c.get("w_minus_we"), "live_signed"),
    ]
    for column, formula, value, style in cells:
        computed(book, sheet, row, column, formula, value, style)
    book.put(sheet, row, 14, c["k"], "whole")
    change = f"=MAX(0,ROUND(O{a1}*N{a1},4))" if c.get("protected") else f"=ROUND(O{a1}*N{a1},4)"
    plain = c.get("w_minus_we") is not None and c["k"] is not None
    computed(book, sheet, row, 15, change if live and plain else None, c["change"], "live_signed")
    computed(book, sheet, row, 16, _new_formula(book, a1, c) if live else None, c["new_rating"], "live_whole")


def _average_formula(book: Book, a1: int, c: Mapping[Any, Any]) -> str | None:
    """Average of the opponents, or of all players; None where the edition's average is another one."""
    games = GameSums(book)
    if is_missing(c["opponents_average"]):
        return None
    if c.get("formula") == "round-robin":
        first, last = FIRST_ROW + 1, FIRST_ROW + len(book.rows)
        assert book.audit.rating is not None
        ratings = [r for r in book.audit.rating.players["rating"].tolist() if not is_missing(r)]
        if not ratings or half_up(sum(ratings), len(ratings)) != c["opponents_average"]:
            return None
        return f"=INT(SUM(F{first}:F{last})/COUNT(F{first}:F{last})+0.5)"
    total, count = games.opponents(c["number"])
    if not count or half_up(total, count) != c["opponents_average"]:
        return None
    return f"=INT(SUMIFS({games.column('G')},{games.column('A')},A{a1},{games.column('L')},1)/H{a1}+0.5)"


def _we_formula(book: Book, a1: int, c: Mapping[Any, Any], games: GameSums) -> str | None:
    formula = c.get("formula")
    if is_missing(c["we"]):
        return None
    if formula == "game":
        return f"=SUMIFS({games.column('J')},{games.column('A')},A{a1},{games.column('L')},1)"
    if is_missing(c["expected"]):
        return None
    if formula == "swiss" and c["we"] == c["games"] * c["expected"]:
        return f"=H{a1}*K{a1}"
    for cycles in (1, 2):
        if formula == "round-robin" and c["we"] == cycles * (len(book.rows) * c["expected"] - Decimal("0.5")):
            first, last = FIRST_ROW + 1, FIRST_ROW + len(book.rows)
            once = f"COUNT(F{first}:F{last})*K{a1}-0.5"
            return f"={once}" if cycles == 1 else f"=2*({once})"
    return None


def _new_formula(book: Book, a1: int, c: Mapping[Any, Any]) -> str | None:
    if is_missing(c["new_rating"]) or is_missing(c["change"]):
        return None
    assert book.audit.rating is not None
    rules = book.audit.rating.rules
    pattern = _ROUNDINGS.get(rules.value("change", "rounding"))
    if pattern is None or is_missing(c.get("rounded_change")):
        return None
    if c["new_rating"] != c["rating"] + c["rounded_change"]:
        return None
    if rules.value("change", "rounded") == "rating":
        return "=" + pattern.format(x=f"F{a1}+P{a1}")
    return f"=F{a1}+" + pattern.format(x=f"P{a1}")


def _published(
    book: Book,
    sheet: Any,
    row: int,
    printed: Mapping[Any, Mapping[int, str]],
    number: int,
    c: Mapping[Any, Any],
) -> None:
    """Published change and new rating, and how far the change is off."""
    a1 = row + 1
    change, new = (printed.get(key, {}).get(number) for key in ("change", "new_rating"))
    book.put(sheet, row, 19, None if change is None else Decimal(change), "signed")
    book.put(sheet, row, 20, None if new is None else Decimal(new), "input")
    exact, whole = c.get("change"), c.get("rounded_change")
    if change is None or is_missing(exact) or is_missing(whole):
        book.put(sheet, row, 21, None, "check")
    elif "." in change and Decimal(change) != whole:
        decimals = len(change.partition(".")[2])
        off = Decimal(change) - Decimal(str(exact))
        shown = Decimal(0) if abs(off) * 2 * 10**decimals <= 1 else off
        formula = f"=IF(ABS(T{a1}-P{a1})<=0.5/10^{decimals}+0.000001,0,ROUND(T{a1}-P{a1},4))"
        book.formula(sheet, row, 21, formula, shown, "check")
    else:
        formula = f"=ROUND(T{a1}-(Q{a1}-F{a1}),4)"
        if is_missing(c.get("new_rating")) or c["new_rating"] - c["rating"] != whole:
            book.put(sheet, row, 21, Decimal(change) - Decimal(str(whole)), "check")
        else:
            book.formula(sheet, row, 21, formula, Decimal(change) - Decimal(str(whole)), "check")


def _unplayed(audit: Audit, language: str) -> dict[int, list[str]]:
    """Number -> remarks on games that did not count, by round."""
    if audit.rating is None:
        return {}
    found: dict[int, list[str]] = {}
    games = audit.rating.games
    left_out = games[~games["counted"].astype(bool)]
    for number, turn, reason in zip(
        left_out["number"].tolist(), left_out["round"].tolist(), left_out["reason"].tolist(), strict=True
    ):
        where = words.text("audit_place.round", language, round=turn)
        found.setdefault(number, []).append(f"{where} {reason_word(reason, language)}")
    return found


def _identity(value: Any, key: str, language: str) -> Any:
    word = f"sex.{value}"
    return words.text(word, language) if key == "sex" and words.has(word) else value
