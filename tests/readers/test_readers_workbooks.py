"""Workbooks: cells as text, in whatever format; what would fill the memory is measured before it is read."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from datetime import date, time, timedelta

import openpyxl
import pytest
import xlsxwriter

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers.door import events_in_bytes
from qiyi_analysis.readers.source import Source
from qiyi_analysis.readers.tables import workbook

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def rows(data: bytes) -> list[list[tuple[int, list[str]]]]:
    found = workbook.from_workbook(Source("book.xlsx", data))
    return [[(row.line, row.cells) for row in sheet.rows] for sheet in found]


def packed(members: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return stream.getvalue()


def written(sheet: str, strings: str = "") -> bytes:
    """A workbook of one sheet as XML."""
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    members = {
        "[Content_Types].xml": HEAD
        + '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": HEAD
        + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        + f'<Relationship Id="rId1" Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": HEAD
        + f'<workbook xmlns="{MAIN}" xmlns:r="{relations}"><sheets><sheet name="成绩 &amp; x" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": HEAD
        + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        + f'<Relationship Id="rId1" Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/>'
        + f'<Relationship Id="rId2" Type="{relations}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": HEAD + f'<worksheet xmlns="{MAIN}">{sheet}</worksheet>',
    }
    if strings:
        members["xl/sharedStrings.xml"] = HEAD + f'<sst xmlns="{MAIN}">{strings}</sst>'
    return packed(members)


def test_values_of_every_kind_as_text() -> None:
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream)
    sheet = book.add_worksheet("list")
    day, clock, bold = (
        book.add_format(f) for f in ({"num_format": "yyyy-mm-dd"}, {"num_format": "h:mm"}, {"bold": True})
    )
    sheet.write_row(0, 0, ["name", "rating", "born", "ok", "note"])
    sheet.write_row(1, 0, ["Müller & Söhne <x>", 2000.5])
    sheet.write_datetime(1, 2, date(1990, 5, 6), day)
    sheet.write_boolean(1, 3, True)
    sheet.write_formula(1, 4, '=IF(1<2,"a & b","")', None, "a & b")
    sheet.write_row(3, 0, ["  王涛 ", 0.1 + 0.2, 32633, False, "a\nb"])
    sheet.write_rich_string(4, 0, "Hou ", bold, "Yifan")
    sheet.write_number(4, 1, 1e15)
    sheet.write_datetime(4, 2, time(1, 0), clock)
    sheet.write_string(4, 3, "00123")
    hidden = book.add_worksheet("hidden")
    hidden.write(0, 0, "no")
    hidden.hide()
    book.close()
    assert rows(stream.getvalue()) == [[
        (1, ["name", "rating", "born", "ok", "note"]),
        (2, ["Müller & Söhne <x>", "2000.5", "1990-05-06", "1", "a & b"]),
        (4, ["王涛", "0.3", "32633", "0", "a\nb"]),
        (5, ["Hou Yifan", "1000000000000000", "1:0", "00123"]),
    ]]  # fmt: skip


def test_tables_that_begin_below_and_right_of_the_corner_keep_their_places() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["C5"], sheet["E6"], sheet["F8"], sheet["G6"] = "队", 2000, "y", timedelta(hours=30)
    sheet.merge_cells("C5:C8")
    stream = io.BytesIO()
    book.save(stream)
    assert rows(stream.getvalue()) == [
        [(5, ["", "", "队"]), (6, ["", "", "队", "", "2000", "", "30:0"]), (8, ["", "", "队", "", "", "y"])]
    ]


CELL = '<c r="A1"><v>1</v></c>'


@pytest.mark.parametrize(
    "far",
    [
        '<row r="200001"><c r="KO200001"><v>2</v></c></row>',
        '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>',
        "<row r='9'><c s='1' r='A1048576' t='str'><v>x</v></c></row>",
        '<row><c r="KO1048570"><v>2</v></c></row>',
    ],
)
def test_far_cells_take_no_memory_and_keep_their_lines(far: str) -> None:
    data = written(f'<sheetData><row r="1">{CELL}</row>{far}</sheetData>')
    tracemalloc.start()
    found = rows(data)[0]
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert found[0] == (1, ["1"])
    assert all(line > 100_000 for line, _ in found[1:])


def test_one_long_text_in_a_million_cells_is_refused() -> None:
    cells = "".join('<c t="s"><v>0</v></c>' for _ in range(100))
    sheet = "".join(f'<row r="{i}">{cells}</row>' for i in range(1, 1001))
    with pytest.raises(ReadError) as error:
        rows(written(f"<sheetData>{sheet}</sheetData>", f"<si><t>{'长' * 32_000}</t></si>"))
    assert error.value.reason == "file-too-large"


def test_the_open_format_is_read_and_its_repetitions_are_bounded() -> None:
    office, table, text = (
        f"urn:oasis:names:tc:opendocument:xmlns:{one}:1.0" for one in ("office", "table", "text")
    )

    def cell(value: str, more: str = "") -> str:
        return (
            f'<table:table-cell office:value-type="string" {more}><text:p>{value}</text:p></table:table-cell>'
        )

    content = (
        f'{HEAD}<office:document-content xmlns:office="{office}" xmlns:table="{table}" xmlns:text="{text}"><office:body>'
        f'<office:spreadsheet><table:table table:name="list"><table:table-row>{cell("姓名")}{cell("等级分")}</table:table-row>'
        f"<table:table-row>{cell('王涛')}{cell('2000')}</table:table-row>"
        '<table:table-row table:number-rows-repeated="900000"><table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
        f"<table:table-row>{cell('李雷')}{cell('1900')}</table:table-row>"
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    data = packed(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": f"{HEAD}<manifest/>",
            "content.xml": content,
        }
    )
    found = rows(data)[0]
    assert [cells for _, cells in found] == [["姓名", "等级分"], ["王涛", "2000"], ["李雷", "1900"]]


@pytest.mark.parametrize("data", [b"PK\x03\x04 no archive", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)])
def test_a_damaged_workbook_is_refused(data: bytes) -> None:
    with pytest.raises(ReadError):
        rows(data)


def test_a_sheet_spanning_too_many_cells_is_named() -> None:
    records = b"".join(
        bytes([0, 4]) + line.to_bytes(4, "little") + bytes([2, 4]) + place.to_bytes(4, "little")
        for line, place in ((0, 0), (1_000_000, 16_000))
    )
    data = packed({"xl/workbook.bin": "x"})
    stream = io.BytesIO(data)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("xl/worksheets/sheet1.bin", records)
    with pytest.raises(ReadError) as error:
        rows(stream.getvalue())
    assert error.value.reason == "sheet-too-large"


def test_an_event_with_a_player_in_the_last_row() -> None:
    def cell(place: str, text: str) -> str:
        return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'

    sheet = (
        f'<dimension ref="A1:XFD1048576"/><sheetData><row r="1">{cell("A1", "No")}{cell("B1", "Name")}</row>'
        f'<row r="1048576"><c r="A1048576"><v>1</v></c>{cell("B1048576", "Ann")}<c r="XFD1048576"><v>7</v></c></row></sheetData>'
    )
    event = events_in_bytes(written(sheet), "big.xlsx")[0]
    assert event.players["name"].tolist() == ["Ann"]
    assert event.players["line"].tolist() == [1048576]
