"""Workbooks: the quick way of reading a sheet gives what the XML reader gives, and gives way where it cannot."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from datetime import date

import openpyxl
import pytest
import xlsxwriter

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers.source import Source
from qiyi_analysis.readers.tables import sheets

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
SHEET = HEAD + '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</worksheet>'


def workbook(sheet: str, strings: str = "") -> Source:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", sheet.encode())
        if strings:
            archive.writestr("xl/sharedStrings.xml", strings.encode())
    return Source("book.xlsx", stream.getvalue())


def rows(source: Source) -> list[list[tuple[int, list[str]]]]:
    return [[(row.line, row.cells) for row in sheet.rows] for sheet in sheets.from_xlsx(source)]


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> Callable[[Source], tuple[object, object, bool]]:
    """What the two ways of reading give, and whether the quick one was taken."""

    def read(source: Source) -> tuple[object, object, bool]:
        slow: list[int] = []
        whole = sheets._sheet
        with monkeypatch.context() as patched:
            patched.setattr(sheets, "_sheet", lambda *a: (slow.append(1), whole(*a))[1])
            quick = outcome(source)
        with monkeypatch.context() as patched:
            patched.setattr(sheets, "rows_of", lambda *_: None)
            patched.setattr(sheets, "strings_of", lambda *_: None)
            plain = outcome(source)
        return quick, plain, not slow

    def outcome(source: Source) -> object:
        try:
            return rows(source)
        except ReadError as error:
            return error.reason

    return read


def by_xlsxwriter(stream: io.BytesIO) -> None:
    book = xlsxwriter.Workbook(stream)
    sheet = book.add_worksheet("list")
    day, bold = book.add_format({"num_format": "yyyy-mm-dd"}), book.add_format({"bold": True})
    sheet.write_row(0, 0, ["name", "rating", "born", "ok", "note"])
    sheet.write_row(1, 0, ["Müller & Söhne <x>", 2000.5])
    sheet.write_datetime(1, 2, date(1990, 5, 6), day)
    sheet.write_boolean(1, 3, True)
    sheet.write_formula(1, 4, '=IF(1<2,"a & b","")', None, "a & b")
    sheet.write_row(3, 0, ["  王涛 ", 0.1 + 0.2, 32633, False, "_x0041_"])
    sheet.write_rich_string(4, 0, "Hou ", bold, "Yifan")
    sheet.write_number(4, 1, 1e15)
    sheet.write_formula(5, 1, "=1+1", None, 2)
    sheet.write_string(6, 600, "far right")
    book.close()


def by_openpyxl(stream: io.BytesIO) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["name", "rating", "born"])
    sheet.append(["李 & 雷", 1999, date(1990, 5, 6)])
    sheet.append([None, 1.25, "x\ny"])
    book.save(stream)


@pytest.mark.parametrize("write", [by_xlsxwriter, by_openpyxl])
def test_workbooks_of_programs_are_read_the_quick_way(
    write: Callable[[io.BytesIO], None], ways: Callable[[Source], tuple[object, object, bool]]
) -> None:
    stream = io.BytesIO()
    write(stream)
    quick, plain, taken = ways(Source("book.xlsx", stream.getvalue()))
    assert taken
    assert quick == plain
    assert "1990-05-06" in str(quick)


CELL = '<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>'
#: What is written otherwise -> the rows it holds, or why it is refused.
OTHERWISE = {
    "a comment that looks like the table": (
        '<!--<sheetData><row r="1"><c r="A1"><v>9</v></c></row></sheetData>-->' + CELL, [[(1, ["1"])]],
    ),
    "the table in a comment": ("<sheetData/><!--" + CELL + "-->", [[]]),
    "two tables": (CELL + CELL.replace('r="1"', 'r="2"').replace("A1", "A2"), [[(1, ["1"]), (2, ["1"])]]),
    "another order of attributes": ('<sheetData><row r="1"><c t="str" r="A1"><v>x</v></c></row></sheetData>', [[(1, ["x"])]]),
    "rows without numbers": ("<sheetData><row><c><v>1</v></c><c><v>2</v></c></row></sheetData>", [[(1, ["1", "2"])]]),
    "rows in no order": (
        '<sheetData><row r="2"><c r="A2"><v>2</v></c></row><row r="1"><c r="A1"><v>1</v></c></row></sheetData>',
        [[(1, ["1"]), (2, ["2"])]],
    ),
    "a cell of another row": ('<sheetData><row r="1"><c r="A7"><v>1</v></c></row></sheetData>', [[(1, ["1"])]]),
    "a cell twice": ('<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row></sheetData>', [[(1, ["2"])]]),
    "numbers of characters": ('<sheetData><row r="1"><c r="A1" t="str"><v>&#65;</v></c></row></sheetData>', [[(1, ["A"])]]),
    "marked sections": ('<sheetData><row r="1"><c r="A1" t="str"><v><![CDATA[a<b]]></v></c></row></sheetData>', [[(1, ["a<b"])]]),
    "a text in pieces": (
        '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c></row></sheetData>',
        [[(1, ["ab"])]],
    ),
    "cells merged down": (
        '<sheetData><row r="1"><c r="A1" t="str"><v>x</v></c></row><row r="2"><c r="B2"><v>2</v></c></row></sheetData>'
        '<mergeCells count="1"><mergeCell ref="A1:A2"/></mergeCells>', [[(1, ["x"]), (2, ["x", "2"])]],
    ),
    "a cell left open": ('<sheetData><row r="1"><c r="A1"><v>1</v></row></sheetData>', "xml-damaged"),
    "a row left open": ('<sheetData><row r="1"><c r="A1"><v>1</v></c></sheetData>', "xml-damaged"),
    "an unknown entity": ('<sheetData><row r="1"><c r="A1" t="str"><v>&x;</v></c></row></sheetData>', "xml-damaged"),
    "an attribute without quotes": ('<sheetData><row r="1" x=1><c r="A1"><v>1</v></c></row></sheetData>', "xml-damaged"),
    "a sign XML has not": ('<sheetData><row r="1"><c r="A1" t="str"><v>\x01</v></c></row></sheetData>', "xml-damaged"),
}  # fmt: skip


@pytest.mark.parametrize(("sheet", "found"), OTHERWISE.values(), ids=OTHERWISE)
def test_what_is_written_otherwise_is_read_as_xml(
    sheet: str, found: object, ways: Callable[[Source], tuple[object, object, bool]]
) -> None:
    quick, plain, taken = ways(workbook(SHEET.format(sheet)))
    assert plain == found
    assert quick == found
    assert not taken or isinstance(found, str)


def test_shared_strings_in_pieces_stand_among_plain_ones() -> None:
    strings = HEAD + (
        "<sst><si><t>plain</t></si><si><r><t>a</t></r><r><t>b</t></r><rPh><t>no</t></rPh></si>"
        '<si><t xml:space="preserve"> x &amp; y </t></si><si/><si><t>_x0041_</t></si></sst>'
    )
    cells = "".join(f'<c r="{letter}1" t="s"><v>{i}</v></c>' for i, letter in enumerate("ABCDE"))
    sheet = SHEET.format(
        f'<sheetData><row r="1">{cells}<c r="F1" t="s"><v>99</v></c>'
        '<c r="G1" t="s"><v>000000000099</v></c></row></sheetData>'
    )
    assert rows(workbook(sheet, strings)) == [[(1, ["plain", "ab", "x & y", "", "A"])]]
    without = strings.replace("<si/>", "")
    assert rows(workbook(sheet, without)) == [[(1, ["plain", "ab", "x & y", "A"])]]


def test_pieces_of_a_sheet_at_random(ways: Callable[[Source], tuple[object, object, bool]]) -> None:
    rng = random.Random(4)
    pieces = ['<row r="1">', '<row r="2">', '<row r="3"/>', "</row>", '<c r="A1"><v>1</v></c>', '<c r="B1" t="str"><v>b</v></c>',
              '<c r="A2" t="s"><v>0</v></c>', '<c r="C2"/>', "<c><v>5</v></c>", '<c r="D2"><v></v></c>', " ", "\n", "x", '<c r="A3"><f>1+1</f><v>2</v></c>']  # fmt: skip
    taken = 0
    for _ in range(3000):
        body = "".join(rng.choice(pieces) for _ in range(rng.randint(0, 7)))
        if rng.random() < 0.7:
            body = f'<row r="1">{body}</row>'
        quick, plain, one = ways(
            workbook(SHEET.format(f"<sheetData>{body}</sheetData>"), "<sst><si><t>s</t></si></sst>")
        )
        assert quick == plain, body
        taken += one and quick != [[]]
    assert taken > 20


def test_a_long_sheet_is_read_the_quick_way(
    ways: Callable[[Source], tuple[object, object, bool]],
) -> None:
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream)
    sheet = book.add_worksheet()
    for row in range(3_000):
        sheet.write_row(
            row,
            0,
            [
                f"{10_000_000 + row}",
                f"Family{row % 977}, Given",
                "m",
                "CHN",
                1000 + row % 1800,
                20,
                row % 500,
            ],
        )
    book.close()
    quick, plain, taken = ways(Source("book.xlsx", stream.getvalue()))
    assert taken
    assert quick == plain
    assert len(quick[0]) == 3_000
