"""The cross table of the workbook."""

from __future__ import annotations

from typing import Any

from qiyi_analysis import words
from qiyi_analysis.files.spreadsheet import print_setup
from qiyi_analysis.report.kit.tables import is_missing
from qiyi_analysis.report.workbook.book import Book, column_letter


def cross_sheet(book: Book, sheet: Any) -> None:
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
            first, last = column_letter(2), column_letter(points_column - 1)
            book.formula(
                sheet, row, points_column, f"=SUM({first}{row + 1}:{last}{row + 1})", given, "live_halves"
            )
        else:
            book.put(sheet, row, points_column, total[number], "halves")
        book.put(sheet, row, points_column + 1, player["rank"], "whole")
    sheet.freeze_panes(1, 2)
    print_setup(sheet, 0)


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
