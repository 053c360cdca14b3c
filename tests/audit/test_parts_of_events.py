"""A part of an event given for the whole of it, and sheets in which nobody is found: said, never an event of nobody."""

from __future__ import annotations

import shutil
from pathlib import Path

import openpyxl
import pytest

from qiyi_analysis import audit, read_event
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.readers import read_list
from qiyi_analysis.readers.tables.heads import column_of
from qiyi_analysis.report.workbook import audit_workbook

EVENTS = Path(__file__).parents[2] / "data" / "events"


@pytest.fixture
def event(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EVENTS / "nanjing-2010", tmp_path / "nanjing"))


@pytest.mark.parametrize("name", ["players.csv", "games.csv", "meta.json", "official.csv", "PLAYERS.CSV"])
def test_one_file_of_an_event_names_the_folder(event: Path, name: str) -> None:
    if name.isupper():
        (event / "players.csv").rename(event / name)
    with pytest.raises(ReadError) as error:
        read_event(event / name)
    assert error.value.reason == "file-of-folder"
    assert str(event) in str(error.value)
    assert str(event) in error.value.message("zh")


def test_in_the_folder_itself_too(event: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(event)
    with pytest.raises(ReadError) as error:
        read_event("players.csv")
    assert str(event) in str(error.value)


def test_alone_such_a_file_is_read(event: Path, tmp_path: Path) -> None:
    shutil.copy(event / "players.csv", tmp_path / "players.csv")
    assert len(read_event(tmp_path / "players.csv").players) == 6
    assert len(read_list(event / "players.csv").rows) == 6  # as a list it is whole


def test_a_sheet_without_a_player_is_no_event(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("序号,姓名,等级分,积分\n,,1720,1\n,,1655,0\n", encoding="utf-8")
    with pytest.raises(ReadError) as error:
        read_event(path)
    assert error.value.reason == "sheet-no-player"


def test_what_the_audit_wrote_is_not_audited(tmp_path: Path) -> None:
    path = tmp_path / "nanjing-2010-audit.xlsx"
    path.write_bytes(audit_workbook(audit(read_event(EVENTS / "nanjing-2010")), "zh"))
    with pytest.raises(ReadError) as error:
        read_event(path)
    assert error.value.reason == "foreign-file"
    assert "give the event file that was audited" in str(error.value)


@pytest.mark.parametrize(
    ("head", "column"),
    [
        ("姓名 Name", "name"), ("序号 No.", "number"), ("等级分 Rating", "rating"), ("积分/Points", "points"),
        ("姓名 Rating", ""), ("小分 Sonne", ""), ("代表队 Colour", ""),
    ],
)  # fmt: skip
def test_heads_in_two_languages_mean_what_both_halves_mean(head: str, column: str) -> None:
    assert column_of(head) == column


def test_a_sheet_with_heads_in_two_languages(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (
        ["序号 No.", "姓名 Name", "等级分 Rating", "1", "2"],
        [1, "王一", 1720, "", "1"],
        [2, "李二", 1655, "0", ""],
    ):
        book.active.append(row)
    book.save(tmp_path / "sheet.xlsx")
    read = read_event(tmp_path / "sheet.xlsx")
    assert (read.players["rating"].tolist(), len(read.games)) == ([1720, 1655], 1)
