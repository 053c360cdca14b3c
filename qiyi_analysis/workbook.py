"""The audit as an Excel workbook an officer checks by clicking: live formulas with our values cached in them.

Only functions that WPS and Excel 2010 know are used. A cell gets a formula where the formula gives the
library's value; where the edition's rule cannot be written in a cell, it holds the value. Texts are written as
texts: no name becomes a formula or a link.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from qiyi_analysis import words
from qiyi_analysis.blocks import storable
from qiyi_analysis.explain import reason_word
from qiyi_analysis.tables import is_missing

if TYPE_CHECKING:
    from qiyi_analysis.audit import Audit
    from qiyi_analysis.ruleset import RuleSet

#: Excel wants a date of creation; one of its own would differ on every run.
_CREATED = datetime(2000, 1, 1)
_FIRST_ROW = 9  # of the players, counted from 0: eight rows of head above
_LONGEST = 32000  # characters in a cell; Excel takes 32,767
#: Rounding names of the rule files -> formula of an exact value x (rounded to 4 decimals first: binary dust).
_ROUNDINGS = {"half-up": "INT(ROUND({x},4)+0.5)", "half-away-from-zero": "ROUND(ROUND({x},4),0)"}
_GREY = "#EDEDED"

_PLAYER_COLUMNS = (
    "number", "name", "sex", "unit", "title", "rating", "provisional", "games", "average", "difference", "expected",
    "we", "score", "w_minus_we", "k", "change", "new_rating", "unplayed", "note", "printed_change", "printed_new",
    "check",
)  # fmt: skip
_GAME_COLUMNS = (
    "number", "name", "round", "opponent", "opponent_name", "rating", "opponent_rating", "difference",
    "counted_difference", "expected", "score", "counted", "reason", "article",
)  # fmt: skip
_WIDTHS = {
    "name": 14, "unit": 14, "title": 10, "note": 24, "opponent_name": 14, "reason": 16, "article": 34, "what": 70,
    "causes": 60, "sha256": 68, "file": 34, "rules": 34, "source": 60, "printed": 12, "recomputed": 12, "number": 6,
    "sex": 6, "round": 6,
}  # fmt: skip


@dataclass
class _Book:
    """The workbook being written and what its sheets refer to in each other."""

    audit: Audit
    language: str
    book: Any
    formats: dict[str, Any] = field(default_factory=dict)
    rows: dict[int, int] = field(default_factory=dict)  # number -> row on the players' sheet, from 0
    games: int = 0  # rows of the games' sheet
    live: bool = False

    def sheet(self, key: str) -> Any:
        """A new sheet named in the language of the report."""
        return self.book.add_worksheet(words.text(f"sheet.{key}", self.language))

    def head(self, sheet: Any, row: int, keys: Sequence[str]) -> None:
        """Column heads in both languages, and the widths of the columns."""
        for column, key in enumerate(keys):
            main, other = words.pair(f"sheet_column.{key}", self.language)
            sheet.write_string(
                row, column, main if main == other else f"{main}\n{other}", self.formats["head"]
            )
            sheet.set_column(column, column, _WIDTHS.get(key, 10))
        sheet.set_row(row, 45)

    def put(self, sheet: Any, row: int, column: int, value: Any, style: str = "text") -> None:
        """Write a value: text as text, numbers as numbers, nothing for what is missing."""
        if is_missing(value) or value == "":
            sheet.write_blank(row, column, None, self.formats[style])
        elif isinstance(value, str):
            sheet.write_string(row, column, storable(value)[:_LONGEST], self.formats[style])
        else:
            sheet.write_number(row, column, float(value), self.formats[style])

    def formula(self, sheet: Any, row: int, column: int, formula: str, value: Any, style: str) -> None:
        """A formula with the library's value cached, so that it shows without being recalculated."""
        sheet.write_formula(
            row, column, formula, self.formats[style], "" if is_missing(value) else float(value)
        )


def audit_workbook(audit: Audit, language: str = "zh") -> bytes:
    """The workbook of an audit as bytes, the same for the same audit."""
    import xlsxwriter

    buffer = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    book = _Book(audit=audit, language=language, book=xlsxwriter.Workbook(buffer, options))
    book.book.set_properties(
        {"title": storable(audit.event.name or audit.event.id)[:250], "created": _CREATED}
    )
    _formats(book)
    players = audit.event.players["number"].tolist()
    book.rows = {number: _FIRST_ROW + index for index, number in enumerate(players)}
    book.games = len(audit.rating.games) if audit.rating is not None else 0
    book.live = audit.rating is not None and audit.rating.rules.value("method", "name") == "table"
    sheets = [book.sheet(key) for key in ("players", "cross", "games", "table", "findings", "sources")]
    _players(book, sheets[0])
    _cross(book, sheets[1])
    _games(book, sheets[2])
    _conversion(book, sheets[3])
    _findings(book, sheets[4])
    _sources(book, sheets[5])
    book.book.close()
    return buffer.getvalue()


def _formats(book: _Book) -> None:
    base: dict[str, Any] = {
        "font_name": "Microsoft YaHei",
        "font_size": 10,
        "valign": "top",
        "border": 1,
        "border_color": "#BFBFBF",
    }
    styles: dict[str, dict[str, Any]] = {
        "text": {"bg_color": _GREY, "num_format": "@"},
        "note": {"text_wrap": True},
        "whole": {"num_format": "0", "bg_color": _GREY},
        "halves": {"num_format": "0.0", "bg_color": _GREY},
        "input": {"num_format": "General", "bg_color": _GREY},
        "live_whole": {"num_format": "0"},
        "live_two": {"num_format": "0.00"},
        "live_halves": {"num_format": "0.0"},
        "live_signed": {"num_format": "+0.00;-0.00;0.00"},
        "signed": {"num_format": "+0.##;-0.##;0", "bg_color": _GREY},
        "check": {"num_format": '+0.##;-0.##;"✓"', "bold": True},
        "head": {
            "bold": True,
            "text_wrap": True,
            "valign": "vcenter",
            "align": "center",
            "bg_color": "#D9E2EE",
        },
    }
    book.formats = {name: book.book.add_format(base | style) for name, style in styles.items()}
    plain = {"font_name": "Microsoft YaHei", "font_size": 10}
    book.formats["title"] = book.book.add_format(plain | {"font_size": 16, "bold": True})
    book.formats["label"] = book.book.add_format(plain | {"font_color": "#595959"})
    book.formats["fact"] = book.book.add_format(plain | {"align": "left"})


# ------------------------------------------------------------------------------- the calculation sheet


def _players(book: _Book, sheet: Any) -> None:
    audit, language = book.audit, book.language
    _sheet_head(book, sheet)
    book.head(sheet, _FIRST_ROW - 1, _PLAYER_COLUMNS)
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
        for column, key in enumerate(_PLAYER_COLUMNS[:5]):
            book.put(sheet, row, column, player[key], "whole" if key == "number" else "text")
        _player_numbers(book, sheet, row, calculated.get(number, {}), player)
        missed = unplayed.get(number, [])
        book.put(sheet, row, 17, "※" if missed else "")
        book.put(sheet, row, 18, "; ".join(filter(None, [str(player["note"]), *missed])), "note")
        _published(book, sheet, row, printed, number, calculated.get(number, {}))
    last = _FIRST_ROW + max(len(book.rows), 1) - 1
    sheet.autofilter(_FIRST_ROW - 1, 0, last, len(_PLAYER_COLUMNS) - 1)
    sheet.freeze_panes(_FIRST_ROW, 2)
    _print(sheet, _FIRST_ROW - 1)


def _sheet_head(book: _Book, sheet: Any) -> None:
    event, language = book.audit.event, book.language
    first, last = _FIRST_ROW + 1, _FIRST_ROW + max(len(book.rows), 1)

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
    book: _Book, sheet: Any, row: int, c: Mapping[Any, Any], player: Mapping[Any, Any]
) -> None:
    """Ro to Rn of one player."""
    a1 = row + 1
    if not c:
        for column in range(5, 17):
            book.put(sheet, row, column, player["rating"] if column == 5 else None, "whole")
        return
    book.put(sheet, row, 5, c["rating"], "input")
    book.put(sheet, row, 6, "✓" if c["provisional"] else "")
    games = _Games(book)
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
            if live and _whole(c["difference"]) and c["difference"] == c["rating"] - c["opponents_average"]
            else None,
            c["difference"],
            "live_whole",
        ),
        (10, _lookup(f"J{a1}") if live else None, c["expected"], "live_two"),
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
        _number(book, sheet, row, column, formula, value, style)
    book.put(sheet, row, 14, c["k"], "whole")
    change = f"=MAX(0,ROUND(O{a1}*N{a1},4))" if c.get("protected") else f"=ROUND(O{a1}*N{a1},4)"
    plain = c.get("w_minus_we") is not None and c["k"] is not None
    _number(book, sheet, row, 15, change if live and plain else None, c["change"], "live_signed")
    _number(book, sheet, row, 16, _new_formula(book, a1, c) if live else None, c["new_rating"], "live_whole")


def _number(
    book: _Book, sheet: Any, row: int, column: int, formula: str | None, value: Any, style: str
) -> None:
    if is_missing(value):
        book.put(sheet, row, column, None, style)
    elif formula is None:
        book.put(
            sheet, row, column, value, {"live_whole": "whole", "live_halves": "halves"}.get(style, "input")
        )
    else:
        book.formula(sheet, row, column, formula, value, style)


def _average_formula(book: _Book, a1: int, c: Mapping[Any, Any]) -> str | None:
    """Average of the opponents, or of all players; None where the edition's average is another one."""
    games = _Games(book)
    if is_missing(c["opponents_average"]):
        return None
    if c.get("formula") == "round-robin":
        first, last = _FIRST_ROW + 1, _FIRST_ROW + len(book.rows)
        assert book.audit.rating is not None
        ratings = [r for r in book.audit.rating.players["rating"].tolist() if not is_missing(r)]
        if not ratings or _half_up(sum(ratings), len(ratings)) != c["opponents_average"]:
            return None
        return f"=INT(SUM(F{first}:F{last})/COUNT(F{first}:F{last})+0.5)"
    total, count = games.opponents(c["number"])
    if not count or _half_up(total, count) != c["opponents_average"]:
        return None
    return f"=INT(SUMIFS({games.column('G')},{games.column('A')},A{a1},{games.column('L')},1)/H{a1}+0.5)"


def _we_formula(book: _Book, a1: int, c: Mapping[Any, Any], games: _Games) -> str | None:
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
            first, last = _FIRST_ROW + 1, _FIRST_ROW + len(book.rows)
            once = f"COUNT(F{first}:F{last})*K{a1}-0.5"
            return f"={once}" if cycles == 1 else f"=2*({once})"
    return None


def _new_formula(book: _Book, a1: int, c: Mapping[Any, Any]) -> str | None:
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
    book: _Book,
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


# -------------------------------------------------------------------------------------------- the games


class _Games:
    """The games' sheet seen from formulas: its columns, and the sums it will give."""

    def __init__(self, book: _Book) -> None:
        self.name = words.text("sheet.games", book.language)
        self.last = book.games + 1
        rating = book.audit.rating
        assert rating is not None
        counted = rating.games[rating.games["counted"].astype(bool)]
        self.by_player = counted.groupby("number") if book.games else None
        self.numbers = set(counted["number"].tolist())

    def column(self, letter: str) -> str:
        return f"'{self.name}'!${letter}$2:${letter}${max(self.last, 2)}"

    def _rows(self, number: int) -> Any:
        return (
            self.by_player.get_group(number)
            if self.by_player is not None and number in self.numbers
            else None
        )

    def count(self, number: int) -> int:
        rows = self._rows(number)
        return 0 if rows is None else len(rows)

    def score(self, number: int) -> Any:
        rows = self._rows(number)
        return Decimal(0) if rows is None else sum((s for s in rows["score"] if s is not None), Decimal(0))

    def opponents(self, number: int) -> tuple[Any, int]:
        rows = self._rows(number)
        known = [] if rows is None else [r for r in rows["opponent_rating"].tolist() if not is_missing(r)]
        return (sum(known), len(known)) if rows is not None and len(known) == len(rows) else (0, 0)


def _games(book: _Book, sheet: Any) -> None:
    book.head(sheet, 0, _GAME_COLUMNS)
    rating = book.audit.rating
    if rating is None:
        return
    names = dict(
        zip(
            book.audit.event.players["number"].tolist(),
            book.audit.event.players["name"].tolist(),
            strict=True,
        )
    )
    own = dict(zip(rating.players["number"].tolist(), rating.players["rating"].tolist(), strict=True))
    for row, game in enumerate(rating.games.to_dict("records"), 1):
        number, opponent = game["number"], game["opponent"]
        book.put(sheet, row, 0, number, "whole")
        book.put(sheet, row, 1, names.get(number, ""))
        book.put(sheet, row, 2, game["round"], "whole")
        book.put(sheet, row, 3, opponent, "whole")
        book.put(sheet, row, 4, names.get(opponent, ""))
        _game_numbers(book, sheet, row, game, own)
        book.put(sheet, row, 10, game["score"], "halves")
        book.put(sheet, row, 11, int(bool(game["counted"])), "whole")
        book.put(sheet, row, 12, "" if game["counted"] else reason_word(game["reason"], book.language))
        book.put(sheet, row, 13, game["article"])
    sheet.autofilter(0, 0, max(book.games, 1), len(_GAME_COLUMNS) - 1)
    sheet.freeze_panes(1, 2)
    _print(sheet, 0)


def _game_numbers(book: _Book, sheet: Any, row: int, game: Mapping[Any, Any], own: Mapping[int, Any]) -> None:
    a1 = row + 1
    number, opponent = game["number"], game["opponent"]
    players = f"'{words.text('sheet.players', book.language)}'!"
    last = _FIRST_ROW + max(len(book.rows), 1)
    table = f"{players}$F${_FIRST_ROW + 1}:$F${last},MATCH({{cell}},{players}$A${_FIRST_ROW + 1}:$A${last},0)"

    def rating_of(column: int, cell: str, value: Any, known: Any) -> None:
        live = book.live and not is_missing(value) and value == known
        _number(
            book,
            sheet,
            row,
            column,
            f"=INDEX({table.format(cell=cell)})" if live else None,
            value,
            "live_whole",
        )

    rating_of(5, f"A{a1}", own.get(number), own.get(number))
    rating_of(6, f"D{a1}", game["opponent_rating"], own.get(opponent))
    difference, counted = game["difference"], game["counted_difference"]
    live = (
        book.live
        and not is_missing(difference)
        and difference == own.get(number, 0) - (game["opponent_rating"] or 0)
    )
    _number(book, sheet, row, 7, f"=F{a1}-G{a1}" if live else None, difference, "live_whole")
    assert book.audit.rating is not None
    cap = book.audit.rating.rules.block("cap")
    if cap is None or (difference == counted and cap["relief"] != "every-game"):
        formula = f"=H{a1}"
    elif difference == counted and not is_missing(difference) and abs(difference) > cap["value"]:
        formula = f"=H{a1}"  # exempt from the cap
    else:
        formula = f"=MAX(-cap_D,MIN(cap_D,H{a1}))"
    _number(book, sheet, row, 8, formula if live else None, counted, "live_whole")
    law = book.audit.rating.rules.value("expected", "law", "table")
    _number(
        book,
        sheet,
        row,
        9,
        _lookup(f"I{a1}") if live and law == "table" else None,
        game["expected"],
        "live_two",
    )


def _lookup(cell: str) -> str:
    """The printed table: H for the higher side, L for the lower."""
    return f"=IF({cell}>=0,LOOKUP({cell},table_D,table_H),LOOKUP(-{cell},table_D,table_L))"


# -------------------------------------------------------------------------------------- the other sheets


def _cross(book: _Book, sheet: Any) -> None:
    """Everybody against everybody in a round robin, else opponent, colour and result of each round."""
    event, language = book.audit.event, book.language
    numbers = event.players["number"].tolist()
    robin = event.format.endswith("round-robin") and len(numbers) <= 60
    book.head(sheet, 0, ("number", "name"))
    rounds = sorted({int(r) for r in event.games["round"].tolist()})
    heads = (
        [str(number) for number in numbers]
        if robin
        else [words.text("audit_place.round", language, round=r) for r in rounds]
    )
    for column, text in enumerate(heads, 2):
        sheet.write_string(0, column, text, book.formats["head"])
    points_column = 2 + len(heads)
    sheet.write_string(0, points_column, words.text("sheet_column.points", language), book.formats["head"])
    sheet.write_string(0, points_column + 1, words.text("sheet_column.rank", language), book.formats["head"])
    sheet.set_column(2, points_column + 1, 7)
    matrix, total = _results(event, numbers, rounds, robin)
    for row, player in enumerate(event.players.to_dict("records"), 1):
        number = player["number"]
        book.put(sheet, row, 0, number, "whole")
        book.put(sheet, row, 1, player["name"])
        for column, value in enumerate(matrix[number], 2):
            book.put(sheet, row, column, value, "input" if robin else "text")
        given = sum(value for value in matrix[number] if isinstance(value, float)) if robin else None
        if robin and given == total[number] and len(heads):
            first, last = _letter(2), _letter(points_column - 1)
            book.formula(
                sheet, row, points_column, f"=SUM({first}{row + 1}:{last}{row + 1})", given, "live_halves"
            )
        else:
            book.put(sheet, row, points_column, total[number], "halves")
        book.put(sheet, row, points_column + 1, player["rank"], "whole")
    sheet.freeze_panes(1, 2)
    _print(sheet, 0)


def _results(
    event: Any, numbers: list[int], rounds: list[int], robin: bool
) -> tuple[dict[int, list[Any]], dict[int, float]]:
    place = {key: index for index, key in enumerate(numbers if robin else rounds)}
    matrix: dict[int, list[Any]] = {number: [None] * len(place) for number in numbers}
    total = dict.fromkeys(numbers, 0.0)
    colours = {"xiangqi": ("红", "黑"), "go": ("黑", "白")}.get(event.discipline, ("w", "b"))
    for game in event.games.to_dict("records"):
        for side, other, key, colour in (
            ("first", "second", "first_points", 0),
            ("second", "first", "second_points", 1),
        ):
            number, opponent, points = game[side], game[other], game[key]
            if number not in matrix:
                continue
            if not is_missing(points):
                total[number] += points
            if robin and opponent in place:
                old = matrix[number][place[opponent]]
                matrix[number][place[opponent]] = (old or 0.0) + (
                    0.0 if is_missing(points) else float(points)
                )
            elif not robin:
                shown = "" if is_missing(points) else f"{points:g}".replace("0.5", "½").replace(".5", "½")
                text = f"{opponent}{colours[colour]}{shown}" if opponent else f"({shown or 0})"
                old = matrix[number][place[game["round"]]]
                matrix[number][place[game["round"]]] = f"{old} {text}" if old else text
    return matrix, total


def _conversion(book: _Book, sheet: Any) -> None:
    rating = book.audit.rating
    if rating is None or not book.live:
        return
    rules: RuleSet = rating.rules
    rows = rules.table(rules.need("expected")["table"])
    keys = ("d_low", "d_high", "p_high", "p_low")
    book.head(sheet, 0, keys)
    for number, line in enumerate(rows, 1):
        for column, key in enumerate(keys):
            book.put(sheet, number, column, Decimal(line[key]), "whole" if column < 2 else "input")
    sheet.write_string(0, 5, words.text("sheet_column.article", book.language), book.formats["head"])
    sheet.write_string(1, 5, rules.cite("expected"), book.formats["text"])
    sheet.set_column(5, 5, 40)
    name = words.text("sheet.table", book.language)
    for defined, letter in (("table_D", "A"), ("table_H", "C"), ("table_L", "D")):
        book.book.define_name(defined, f"='{name}'!${letter}$2:${letter}${len(rows) + 1}")
    cap = rules.block("cap")
    if cap is not None:
        sheet.write_string(3, 5, words.text("sheet_column.cap", book.language), book.formats["head"])
        book.put(sheet, 4, 5, cap["value"], "whole")
        sheet.write_string(5, 5, rules.cite("cap"), book.formats["text"])
        book.book.define_name("cap_D", f"='{name}'!$F$5")
    sheet.freeze_panes(1, 0)


def _findings(book: _Book, sheet: Any) -> None:
    keys = (
        "severity",
        "code",
        "player",
        "name",
        "round",
        "file",
        "line",
        "what",
        "printed",
        "recomputed",
        "article",
        "causes",
    )
    book.head(sheet, 0, keys)
    names = dict(
        zip(
            book.audit.event.players["number"].tolist(),
            book.audit.event.players["name"].tolist(),
            strict=True,
        )
    )
    for row, finding in enumerate(book.audit.findings, 1):
        causes = "\n".join(f"{cause.cause}: {cause.detail} ({cause.explains})" for cause in finding.causes)
        values = [
            words.text(f"severity.{finding.severity}", book.language), finding.code, finding.player or None,
            names.get(finding.player, ""), finding.round or None, finding.file, finding.line or None,
            finding.message(book.language), finding.published, finding.recomputed, finding.article, causes,
        ]  # fmt: skip
        for column, value in enumerate(values):
            book.put(sheet, row, column, value, "note")
    sheet.autofilter(0, 0, max(len(book.audit.findings), 1), len(keys) - 1)
    sheet.freeze_panes(1, 0)
    _print(sheet, 0)


def _sources(book: _Book, sheet: Any) -> None:
    audit = book.audit
    book.head(sheet, 0, ("rules", "name", "source"))
    row = 0
    for row, rules in enumerate(audit.rules, 1):
        name = rules.title_zh if book.language == "zh" else rules.title
        for column, value in enumerate((rules.id, name, "; ".join(rules.sources))):
            book.put(sheet, row, column, value, "note")
    row += 2
    for column, key in enumerate(("file", "size", "sha256")):
        sheet.write_string(
            row, column, "\n".join(words.pair(f"sheet_column.{key}", book.language)), book.formats["head"]
        )
    for source in [*audit.event.sources, *(source for one in audit.lists for source in one.sources)]:
        row += 1
        book.put(sheet, row, 0, source.name, "note")
        book.put(sheet, row, 1, source.size, "live_whole")
        book.put(sheet, row, 2, source.sha256, "note")
    sheet.set_column(1, 1, 44)
    sheet.set_column(2, 2, 70)
    _print(sheet, 0)


def _print(sheet: Any, head: int) -> None:
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(head)
    sheet.set_footer("&R&P / &N")


def _letter(column: int) -> str:
    from xlsxwriter.utility import xl_col_to_name

    return str(xl_col_to_name(column))


def _half_up(total: Any, count: int) -> int:
    return int((2 * Decimal(str(total)) + count) // (2 * count))


def _whole(value: Any) -> bool:
    return not is_missing(value) and not isinstance(value, str)
