"""Lists in several sheets, files and tables are joined; rows of players are never lost by their words."""

import zipfile

import pytest

from qiyi_analysis.files.spreadsheet import new_workbook
from qiyi_analysis.readers import read_list
from qiyi_analysis.readers.source import from_path

HEAD = ("id", "name", "rating")
MEN = [("1", "A", 2000), ("2", "B", 1900)]
WOMEN = [("3", "C", 1800), ("4", "D", 1700), ("5", "E", 1600)]


def workbook(path, **sheets):
    book = new_workbook(path, None)
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        for i, row in enumerate([HEAD, *rows]):
            sheet.write_row(i, 0, row)
    book.close()


def reasons(one):
    return sorted(f.reason for f in one.faults)


def text(rows):
    return "".join(",".join(map(str, row)) + "\n" for row in (HEAD, *rows))


def test_sheets_of_men_and_women_are_one_list(tmp_path):
    workbook(tmp_path / "mw-2025-01-01.xlsx", 男子=MEN, 女子=WOMEN)
    one = read_list(tmp_path / "mw-2025-01-01.xlsx")
    assert one.rows["id"].tolist() == ["1", "2", "3", "4", "5"]
    assert reasons(one) == ["list-part", "list-part"]


def test_a_sheet_that_repeats_others_is_left_out_and_told(tmp_path):
    workbook(tmp_path / "all-2025-01-01.xlsx", all=MEN + WOMEN, women=WOMEN)
    one = read_list(tmp_path / "all-2025-01-01.xlsx")
    assert len(one.rows) == 5
    assert reasons(one) == ["list-part-repeats"]


def test_files_of_an_archive_and_tables_of_a_page_are_joined(tmp_path):
    with zipfile.ZipFile(tmp_path / "l-2025-01-01.zip", "w") as archive:
        archive.writestr("part1.csv", text(MEN))
        archive.writestr("part2.csv", text(WOMEN))
        archive.writestr(
            "readme.txt", "the list of January, in two parts, made by hand and without any table\n" * 20
        )
    assert set(read_list(tmp_path / "l-2025-01-01.zip").rows["id"]) == set("12345")
    tables = "".join(
        "<table>"
        + "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in (HEAD, *part))
        + "</table>"
        for part in (MEN, WOMEN)
    )
    (tmp_path / "p.html").write_text(f"<html><body>{tables}</body></html>")
    assert set(read_list(tmp_path / "p.html").rows["id"]) == set("12345")


@pytest.mark.parametrize("name", ["Li: Wei", "http://a", "Total", "平均", "Sum"])
def test_a_player_stays_whatever_the_name_says(tmp_path, name):
    (tmp_path / "l-2025-01-01.csv").write_text(text([*MEN, ("9", name, 1500)]), encoding="utf-8")
    assert read_list(tmp_path / "l-2025-01-01.csv").rows["name"].tolist() == ["A", "B", name]


def test_a_row_with_a_rating_and_nobody_s_name_is_told(tmp_path):
    (tmp_path / "l.csv").write_text(text([*MEN, ("", "", 1500), ("合计", "2人", "")]), encoding="utf-8")
    one = read_list(tmp_path / "l.csv")
    assert len(one.rows) == 2
    assert [(f.reason, f.line, f.published) for f in one.faults] == [("list-row-left-out", 4, "1500")]


def test_ratings_near_ten_thousand_are_a_scale_of_their_own(tmp_path):
    (tmp_path / "k.csv").write_text(text([("1", "A", 10393), ("2", "B", 9164)]))
    one = read_list(tmp_path / "k.csv")
    assert one.rows["rating"].tolist() == [10393, 9164]
    assert [(f.reason, f.severity) for f in one.faults] == [("list-scale", "I")]
    (tmp_path / "n.csv").write_text(text([*MEN, ("3", "C", 21000)]))
    one = read_list(tmp_path / "n.csv")
    assert [(f.reason, f.line) for f in one.faults] == [("list-value", 4)]
    assert "C: " in one.faults[0].message("en")


def test_a_report_of_an_event_is_no_list(tmp_path):
    (tmp_path / "e.csv").write_text("no,name,rating,R1,R2\n1,A,2000,2w1,3b0\n2,B,1900,1b0,3w1\n3,C,1800,,\n")
    assert "list-is-event" in reasons(read_list(tmp_path / "e.csv"))


def test_every_file_of_a_large_archive_or_folder_is_read(tmp_path):
    path, count = tmp_path / "many.zip", 4200
    (tmp_path / "many").mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(count):
            archive.writestr(f"{number}.trf", f"012 Event {number}\n")
            (tmp_path / "many" / f"{number}.trf").touch()
    assert len(from_path(path)) == len(from_path(tmp_path / "many")) == count
