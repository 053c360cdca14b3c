"""竞赛报告: head facts, points marked ※ with their explanation, changes of name and unit, both scripts, CSV and XLSX."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook

from qiyi_analysis import read_event
from qiyi_analysis.readers.tables.cell_text import TextCell, split_cell

TRADITIONAL = str.maketrans("竞赛报称样国轮数裁长编统计单积备丙请", "競賽報稱樣國輪數裁長編統計單積備丙請")


def rows(project: Path) -> list[list[str]]:
    text = (project / "data/samples/xiangqi-report.csv").read_text(encoding="utf-8")
    return [line.split(",") for line in text.splitlines()]


def written(folder: Path, cells: list[list[str]], kind: str) -> Path:
    path = folder / f"report.{kind}"
    if kind == "csv":
        path.write_text("\n".join(",".join(row) for row in cells) + "\n", encoding="utf-8")
        return path
    book = Workbook()
    for row in cells:
        book.active.append([int(cell) if cell.isdigit() else cell or None for cell in row])
    book.save(path)
    return path


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize("script", ["simplified", "traditional"])
def test_a_report_in_both_scripts(project: Path, tmp_path: Path, kind: str, script: str) -> None:
    cells = rows(project)
    if script == "traditional":
        cells = [
            [
                cell.translate(TRADITIONAL).replace("胜", "勝").replace("负", "負").replace("红", "紅")
                for cell in row
            ]
            for row in cells
        ]
    event = read_event(written(tmp_path, cells, kind))
    assert (event.discipline, event.format, event.rounds, len(event.players)) == ("xiangqi", "swiss", 3, 4)
    assert (str(event.start), str(event.end)) == ("2024-05-01", "2024-05-03")
    assert len(event.arbiters) == 1
    kinds = {(g.round, g.first): g.kind for g in event.games.itertuples()}
    # The forfeit of round 3 has its opponent; of round 2 the points tell a bye and an absence.
    assert kinds[3, 1] == "forfeit"
    assert kinds[2, 4] == "full_bye"
    assert kinds[2, 3] in ("half_bye", "zero_bye")
    reasons = {(f.code, f.reason, f.player) for f in event.faults}
    assert {
        ("CK11", "remark-name", 2),
        ("CK11", "remark-unit", 3),
        ("CK19", "unplayed-explained", 0),
    } <= reasons
    assert len(event.extra["unplayed"]) == 1
    assert "※" in event.extra["unplayed"][0]
    for finding in event.faults:
        assert "{" not in finding.message("zh") + finding.message("en")


def test_marks_that_nothing_explains_are_asked_about(project: Path, tmp_path: Path) -> None:
    cells = [row for row in rows(project) if not row[0].startswith("※")]
    for row in cells[5:]:
        row[-1] = ""
    event = read_event(written(tmp_path, cells, "csv"))
    found = [f for f in event.faults if f.reason == "unplayed-not-explained"]
    assert [(f.code, str(f.severity), f.values["times"]) for f in found] == [("CK19", "W", 3)]
    assert not [f for f in event.faults if f.reason.startswith("remark-")]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("红3胜※", TextCell(3, "红", "+")), ("黑1负※", TextCell(1, "黑", "-")), ("※", TextCell(0, "", "")), ("胜※", TextCell(0, "", "F")),
        ("※勝", TextCell(0, "", "F")), ("和(※)", TextCell(0, "", "H")), ("负※", TextCell(0, "", "Z")), ("2※", TextCell(0, "", "")),
        ("红3和※", TextCell(0, "", "H")), ("红3胜", TextCell(3, "红", "1")), ("样甲※", None),
    ],
)  # fmt: skip
def test_cells_with_the_mark(text: str, cell: TextCell | None) -> None:
    assert split_cell(text) == cell
