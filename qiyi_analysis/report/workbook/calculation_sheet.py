"""The calculation sheet: one row a player, Ro to Rn, as the regulations name the columns."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import floor
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.audit.event_audit import Audit
from qiyi_analysis.audit.explain import reason_word
from qiyi_analysis.files.spreadsheet import print_setup
from qiyi_analysis.rating.expected import expected_score
from qiyi_analysis.report.kit.tables import is_missing
from qiyi_analysis.report.workbook import mixed
from qiyi_analysis.report.workbook.book import FIRST_ROW, Book, column_letter, computed, known
from qiyi_analysis.report.workbook.game_sums import GameSums, rounded_mean
from qiyi_analysis.report.workbook.games_sheet import lookup
from qiyi_analysis.report.workbook.mixed import Mixed
from qiyi_analysis.report.workbook.system_formulas import System
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.words.visible import storable

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
    more = mixed.PLAYER_COLUMNS if book.mixed else ("bonus",) if book.system and book.system.has_bonus else ()
    book.head(sheet, FIRST_ROW - 1, (*PLAYER_COLUMNS, *more))
    rating = audit.rating
    calculated = {} if rating is None else {row["number"]: row for row in rating.player_rows()}
    printed: dict[Any, dict[int, str]] = {
        name: dict(zip(rows["number"].tolist(), rows["published_text"].tolist(), strict=True))
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
        book.put(
            sheet,
            row,
            18,
            words.listed(filter(None, [str(player["note"]), *missed]), language, parts=True),
            "note",
        )
        _published(book, sheet, row, printed, number, calculated.get(number, {}))
    last = FIRST_ROW + max(len(book.rows), 1) - 1
    sheet.autofilter(FIRST_ROW - 1, 0, last, len(PLAYER_COLUMNS) + len(more) - 1)
    sheet.freeze_panes(FIRST_ROW, 2)
    print_setup(sheet, FIRST_ROW - 1)


def _sheet_head(book: Book, sheet: Any) -> None:
    event, language = book.audit.event, book.language
    first, last = FIRST_ROW + 1, FIRST_ROW + max(len(book.rows), 1)

    def label(row: int, column: int, key: str) -> None:
        main, other = words.pair(key, language)
        sheet.write_string(row, column, f"{main} {other}", book.formats["label"])

    sheet.write_string(0, 0, " ".join(words.pair("sheet_head.title", language)), book.formats["title"])
    facts = [
        (1, 0, "audit_fact.event", event.name or event.id),
        (2, 0, "audit_fact.place", event.place),
        (3, 0, "audit_fact.dates", event.period),
        (4, 0, "audit_fact.format", words.text(f"format.{event.format}", language) if event.format else ""),
        (5, 0, "audit_fact.rounds", event.rounds or ""),
        (1, 8, "sheet_head.arbiter", words.listed(event.arbiters, language)),
        (2, 8, "sheet_head.period", ""),
        (5, 8, "signature.calculated", ""),
        (6, 8, "sheet_head.day", ""),
        (6, 0, "audit_fact.rules", words.listed((rules.id for rules in book.audit.rules), language)),
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
        average = floor(exact + Decimal("0.5"))  # kyu ratings of the AGA are below zero
        sheet.write_formula(4, 11, f"=INT(AVERAGE(F{first}:F{last})+0.5)", book.formats["fact"], average)
    legend = "legend_system" if book.system else "legend" if book.live else "values_only"
    sheet.write_string(7, 0, words.text(f"sheet_head.{legend}", language), book.formats["label"])


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
    games = book.sums
    cells: dict[int, tuple[str | None, Any, str]] = {
        7: (_count_formula(a1, c, games), c["games"], "live_whole"),
        8: (_average_formula(book, a1, c), c["opponents_average"], "live_whole"),
        9: (_difference_formula(book, a1, c), c["difference"], "live_whole"),
        10: (lookup(f"J{a1}"), c["expected"], "live_two"),
        11: (_we_formula(book, a1, c, games), c["we"], "live_two"),
        12: (_score_formula(a1, c, games), c["score"], "live_halves"),
    }
    cells |= _table_cells(book, a1, c) if book.system is None else _system_cells(book.system, a1, c)
    if book.mixed is not None and c.get("formula") == "mixed":
        assert book.audit.rating is not None
        cells |= _mixed_cells(book.mixed, book.audit.rating.rules, a1, c, games)
    for column, (formula, value, style) in cells.items():
        computed(book, sheet, row, column, f"={formula}" if formula and book.live else None, value, style)


def _table_cells(book: Book, a1: int, c: Mapping[Any, Any]) -> dict[int, tuple[str | None, Any, str]]:
    """W - We to Rn by the table method."""
    change = f"MAX(0,ROUND(O{a1}*N{a1},4))" if c.get("protected") else f"ROUND(O{a1}*N{a1},4)"
    plain = c.get("w_minus_we") is not None and c["k"] is not None
    return {
        13: (f"ROUND(M{a1}-L{a1},4)", c.get("w_minus_we"), "live_signed"),
        14: (None, c["k"], "live_whole"),
        15: (change if plain else None, c["change"], "live_signed"),
        16: (_new_formula(book, a1, c), c["new_rating"], "live_whole"),
    }


def _system_cells(system: System, a1: int, c: Mapping[Any, Any]) -> dict[int, tuple[str | None, Any, str]]:
    """W - We to Rn by a system without a printed table; the bonus behind the sheet's columns."""
    rated = not any(is_missing(c[key]) for key in ("rating", "change", "new_rating"))
    # The new rating is written from the change on the sheet: where that is not the whole of it, it is a value.
    adds_up = rated and abs(float(c["rating"]) + float(c["change"]) - float(c["new_rating"])) < 0.5
    change = system.change(a1, c) if rated else None
    cells: dict[int, tuple[str | None, Any, str]] = {
        13: (f"M{a1}-L{a1}", c.get("w_minus_we"), "live_exact"),
        14: (system.k(a1, c) if rated else None, c["k"], "live_exact"),
        15: (change, c["change"], "live_exact"),
        16: (system.new(a1, c) if adds_up else None, c["new_rating"], "live_exact"),
    }
    if system.has_bonus:
        cells[len(PLAYER_COLUMNS)] = (system.bonus(a1, c) if rated else None, c.get("bonus"), "live_exact")
    return cells


def _count_formula(a1: int, c: Mapping[Any, Any], games: GameSums) -> str | None:
    counted = games.count(c["number"]) == c["games"]
    return f"SUMIFS({games.column('L')},{games.column('A')},A{a1})" if counted else None


def _score_formula(a1: int, c: Mapping[Any, Any], games: GameSums) -> str | None:
    if games.score(c["number"]) != c["score"]:
        return None
    return f"SUMIFS({games.column('K')},{games.column('A')},A{a1},{games.column('L')},1)"


def _difference_formula(book: Book, a1: int, c: Mapping[Any, Any]) -> str | None:
    """Ro minus Ra; within the edition's cap; with the floor for women against men."""
    if not known(c["difference"]) or not known(c["rating"]) or not known(c["opponents_average"]):
        return None
    plain = c["rating"] - c["opponents_average"]
    if c["difference"] == plain:
        return f"F{a1}-I{a1}"
    mixed = book.mixed
    if (
        mixed
        and c["number"] in mixed.women
        and c["difference"] == max(mixed.floor, c["rating"]) - c["opponents_average"]
    ):
        return f"MAX(woman_floor,F{a1})-I{a1}"
    assert book.audit.rating is not None
    cap = book.audit.rating.rules.value("cap", "value")
    if cap is not None and c["difference"] == max(-cap, min(cap, plain)):
        return f"MAX(-cap_D,MIN(cap_D,F{a1}-I{a1}))"
    return None


def _mixed_cells(
    mixed: Mixed, rules: RuleSet, a1: int, c: Mapping[Any, Any], games: GameSums
) -> dict[int, tuple[str | None, Any, str]]:
    """The working of a woman who met women and men: games, average, difference, probability of each."""
    found = games.by_sex(c["number"])
    if found is None or is_missing(c["we"]):
        return {}
    cells: dict[int, tuple[str | None, Any, str]] = {}
    for first, against_men, own in (
        (len(PLAYER_COLUMNS), 0, "F{r}"),
        (len(PLAYER_COLUMNS) + 4, 1, "MAX(woman_floor,F{r})"),
    ):
        n, average = found[against_men]
        rating = max(mixed.floor, c["rating"]) if against_men and mixed.both else c["rating"]
        if not mixed.both:
            own = "F{r}"
        at = [column_letter(first + i) for i in range(3)]
        rows = f"{games.column('A')},A{a1},{games.column('L')},1,{games.column('P')},{against_men}"
        expected = Decimal(expected_score(int(rating - average), rules)).scaleb(-2)
        cells |= {
            first: (f"SUMIFS({games.column('L')},{rows})", n, "live_whole"),
            first + 1: (f"INT(SUMIFS({games.column('O')},{rows})/{at[0]}{a1}+0.5)", average, "live_whole"),
            first + 2: (f"{own.format(r=a1)}-{at[1]}{a1}", rating - average, "live_whole"),
            first + 3: (lookup(f"{at[2]}{a1}"), expected, "live_two"),
        }
    return cells


def _average_formula(book: Book, a1: int, c: Mapping[Any, Any]) -> str | None:
    """Average of the opponents, or of all players; None where the edition's average is another one."""
    games = book.sums
    if is_missing(c["opponents_average"]):
        return None
    if c.get("formula") == "round-robin":
        first, last = FIRST_ROW + 1, FIRST_ROW + len(book.rows)
        assert book.audit.rating is not None
        ratings = [r for r in book.audit.rating.players["rating"].tolist() if not is_missing(r)]
        if not ratings or rounded_mean(sum(ratings), len(ratings)) != c["opponents_average"]:
            return None
        return f"INT(SUM(F{first}:F{last})/COUNT(F{first}:F{last})+0.5)"
    total, count = games.opponents(c["number"])
    if not count or rounded_mean(total, count) != c["opponents_average"]:
        return None
    return f"INT(SUMIFS({games.column(games.averaged)},{games.column('A')},A{a1},{games.column('L')},1)/H{a1}+0.5)"


def _we_formula(book: Book, a1: int, c: Mapping[Any, Any], games: GameSums) -> str | None:
    formula = c.get("formula")
    if is_missing(c["we"]):
        return None
    if formula == "mixed" and book.mixed is not None and games.by_sex(c["number"]) is not None:
        return f"W{a1}*Z{a1}+AA{a1}*AD{a1}"
    if formula == "game":
        return f"SUMIFS({games.column('J')},{games.column('A')},A{a1},{games.column('L')},1)"
    if is_missing(c["expected"]):
        return None
    if formula == "swiss" and c["we"] == c["games"] * c["expected"]:
        return f"H{a1}*K{a1}"
    for cycles in (1, 2):
        if formula == "round-robin" and c["we"] == cycles * (len(book.rows) * c["expected"] - Decimal("0.5")):
            first, last = FIRST_ROW + 1, FIRST_ROW + len(book.rows)
            once = f"COUNT(F{first}:F{last})*K{a1}-0.5"
            return once if cycles == 1 else f"2*({once})"
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
        new = pattern.format(x=f"F{a1}+P{a1}")
    else:
        new = f"F{a1}+" + pattern.format(x=f"P{a1}")
    return new if rules.block("floor") is None else f"MAX({new},MIN(F{a1},rating_floor))"


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
