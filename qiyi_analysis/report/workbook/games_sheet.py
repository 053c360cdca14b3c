"""The games' sheet: the working of every game, and the sums the calculation sheet takes from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.audit.explain import reason_word
from qiyi_analysis.files.spreadsheet import print_setup
from qiyi_analysis.report.kit.tables import is_missing
from qiyi_analysis.report.workbook import mixed
from qiyi_analysis.report.workbook.book import FIRST_ROW, Book, computed

GAME_COLUMNS = (
    "number", "name", "round", "opponent", "opponent_name", "rating", "opponent_rating", "difference",
    "counted_difference", "expected", "score", "counted", "reason", "article",
)  # fmt: skip


def games_sheet(book: Book, sheet: Any) -> None:
    """One row a player and round; the sums of the other sheet come from here."""
    more = book.system.game_columns if book.system else mixed.GAME_COLUMNS if book.mixed else ()
    book.head(sheet, 0, (*GAME_COLUMNS, *more))
    rating, players = book.audit.rating, book.audit.event.players
    if rating is None:
        return
    names = dict(zip(players["number"].tolist(), players["name"].tolist(), strict=True))
    own = {row["number"]: row["rating"] for row in rating.player_rows()}
    for row, game in enumerate(rating.game_rows(), 1):
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
        _further(book, sheet, row, game)
    sheet.autofilter(0, 0, max(book.games, 1), len(GAME_COLUMNS) + len(more) - 1)
    sheet.freeze_panes(1, 2)
    print_setup(sheet, 0)


def _further(book: Book, sheet: Any, row: int, game: Mapping[Any, Any]) -> None:
    """What a game has beside the columns of all systems: stones, or how a mixed event counts it."""
    first = len(GAME_COLUMNS)
    if book.system is not None:
        values = book.system.game_values(game) if game["counted"] else ()
        for column, value in enumerate(values, first):
            book.put(sheet, row, column, value, "input")
    elif book.mixed is not None and game["counted"] and not is_missing(game["opponent_rating"]):
        number, opponent, rating = game["number"], game["opponent"], game["opponent_rating"]
        counted = book.mixed.counted_rating(number, opponent, rating)
        raised = opponent in book.mixed.women and number not in book.mixed.women
        formula = f"=MAX(woman_floor,G{row + 1})" if raised else f"=G{row + 1}"
        computed(book, sheet, row, first, formula, counted, "live_whole")
        book.put(sheet, row, first + 1, book.mixed.woman_meets_man(number, opponent), "whole")


def _game_numbers(book: Book, sheet: Any, row: int, game: Mapping[Any, Any], own: Mapping[int, Any]) -> None:
    a1 = row + 1
    number, opponent = game["number"], game["opponent"]
    players = f"'{words.text('sheet.players', book.language)}'!"
    last = FIRST_ROW + max(len(book.rows), 1)
    table = f"{players}$F${FIRST_ROW + 1}:$F${last},MATCH({{cell}},{players}$A${FIRST_ROW + 1}:$A${last},0)"

    def rating_of(column: int, cell: str, value: Any, known: Any) -> None:
        live = book.live and not is_missing(value) and value == known
        computed(
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
    ratings = (own.get(number), game["opponent_rating"])
    live = (
        book.live
        and not is_missing(difference)
        and not any(is_missing(one) for one in ratings)
        and abs(difference - (own.get(number, 0) - game["opponent_rating"])) < 1e-6
    )
    computed(book, sheet, row, 7, f"=F{a1}-G{a1}" if live else None, difference, "live_whole")
    assert book.audit.rating is not None
    cap = book.audit.rating.rules.block("cap")
    if cap is None or (difference == counted and cap["relief"] != "every-game"):
        formula = f"=H{a1}"
    elif difference == counted and not is_missing(difference) and abs(difference) > cap["value"]:
        formula = f"=H{a1}"  # exempt from the cap
    else:
        formula = f"=MAX(-cap_D,MIN(cap_D,H{a1}))"
    computed(book, sheet, row, 8, formula if live else None, counted, "live_whole")
    if book.system is not None:
        given = book.system.expected(a1, game) if live else None
        computed(book, sheet, row, 9, f"={given}" if given else None, game["expected"], "live_exact")
        return
    law = book.audit.rating.rules.value("expected", "law", "table")
    given = f"={lookup(f'I{a1}')}" if live and law == "table" else None
    computed(book, sheet, row, 9, given, game["expected"], "live_two")


def lookup(cell: str) -> str:
    """The printed table: H for the higher side, L for the lower."""
    return f"IF({cell}>=0,LOOKUP({cell},table_D,table_H),LOOKUP(-{cell},table_D,table_L))"
