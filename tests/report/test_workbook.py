"""The workbook of an audit: live formulas whose cached values are ours and LibreOffice's; texts stay texts."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.readers import read_event
from qiyi_analysis.report.kit.tables import is_missing
from qiyi_analysis.report.workbook import audit_workbook

EVENTS = Path(__file__).resolve().parents[2] / "data" / "events"
NAMES = ["nanjing-2010", "constructed-cca-2024", "constructed-xiangqi-2024", "five-rams-13-1992"]
OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
#: Every function used must exist in Excel 2010 and WPS.
KNOWN = {
    "SUMIFS",
    "INT",
    "SUM",
    "COUNT",
    "IF",
    "LOOKUP",
    "ROUND",
    "MAX",
    "MIN",
    "ABS",
    "INDEX",
    "MATCH",
    "AVERAGE",
}


@pytest.fixture(scope="module", params=NAMES)
def made(request: pytest.FixtureRequest) -> tuple[Any, bytes]:
    result = audit(read_event(EVENTS / request.param))
    return result, audit_workbook(result, "zh")


def values(data: bytes, cached: bool = True) -> dict[str, dict[str, Any]]:
    book = openpyxl.load_workbook(io.BytesIO(data), data_only=cached)
    return {
        sheet.title: {
            cell.coordinate: cell.value for row in sheet.iter_rows() for cell in row if cell.value is not None
        }
        for sheet in book
    }


def test_same_audit_same_bytes(made: tuple[Any, bytes]) -> None:
    result, data = made
    assert audit_workbook(result, "zh") == data
    assert openpyxl.load_workbook(io.BytesIO(data)).properties.created.date() == result.event.last_day


def test_cached_values_are_the_librarys(made: tuple[Any, bytes]) -> None:
    result, data = made
    sheet = values(data)["等级分计算表"]
    for row, player in enumerate(result.rating.player_rows(), 10):
        columns = {"F": "rating", "H": "games", "I": "opponents_average", "J": "difference", "K": "expected"}
        columns |= {"L": "we", "M": "score", "N": "w_minus_we", "O": "k", "P": "change", "Q": "new_rating"}
        for letter, key in columns.items():
            cell = sheet.get(f"{letter}{row}")
            if is_missing(player[key]):
                assert cell is None, (letter, row)
            else:
                assert cell == pytest.approx(float(player[key]), abs=1e-9), (letter, row)


def test_computed_cells_are_formulas(made: tuple[Any, bytes]) -> None:
    result, data = made
    formulas = values(data, cached=False)["等级分计算表"]
    for row, player in enumerate(result.rating.player_rows(), 10):
        for letter, key in {
            "H": "games",
            "M": "score",
            "N": "w_minus_we",
            "P": "change",
            "Q": "new_rating",
        }.items():
            if not is_missing(player[key]):
                assert str(formulas[f"{letter}{row}"]).startswith("="), (letter, row)
        if player["formula"] in ("game", "swiss", "round-robin"):
            assert str(formulas[f"L{row}"]).startswith("="), row


def test_functions_are_old_enough(made: tuple[Any, bytes]) -> None:
    import re

    for sheet in values(made[1], cached=False).values():
        for cell in sheet.values():
            if str(cell).startswith("="):
                assert set(re.findall(r"([A-Z][A-Z.]+)\(", cell)) <= KNOWN


@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")
def test_recalculated_by_libreoffice_it_shows_the_same(made: tuple[Any, bytes], tmp_path: Path) -> None:
    assert OFFICE is not None
    (tmp_path / "in.xlsx").write_bytes(without_cached_values(made[1]))
    command = [OFFICE, "--headless", f"-env:UserInstallation=file://{tmp_path}/profile", "--convert-to"]
    subprocess.run(
        [
            *command,
            "xlsx:Calc MS Excel 2007 XML",
            "--outdir",
            str(tmp_path / "out"),
            str(tmp_path / "in.xlsx"),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    again = values((tmp_path / "out" / "in.xlsx").read_bytes())
    formulas = values(made[1], cached=False)
    compared = 0
    for title, cells in values(made[1]).items():
        for coordinate, cell in cells.items():
            if not str(formulas[title].get(coordinate, "")).startswith("="):
                continue
            compared += 1
            assert again[title].get(coordinate) == pytest.approx(cell, abs=1e-9), (title, coordinate)
    assert compared > 20


def without_cached_values(data: bytes) -> bytes:
    """The workbook as openpyxl writes it: formulas only, so that what is read afterwards was calculated."""
    book = openpyxl.load_workbook(io.BytesIO(data))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_texts_never_become_formulas_or_links(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    shutil.copytree(EVENTS / "nanjing-2010", folder)
    names = ["=cmd|'/C calc'!A0", "+1", "@x", "http://x.y", "-1", "\u202eab\x07" + "x" * 500]
    lines = (folder / "players.csv").read_text(encoding="utf-8").splitlines()
    for number, name in enumerate(names, 1):
        fields = lines[number].split('"')
        rest = fields[-1] if len(fields) > 1 and number != 4 else None
        parts = lines[number].split(",")
        quoted = '"' + name.replace('"', '""') + '"'
        if lines[number].count('"') >= 2 and rest is not None:
            start = lines[number].index(",") + 1
            old = lines[number][start:]
            old_name = old[: old.index('"', 1) + 1] if old.startswith('"') else old.split(",")[0]
            lines[number] = lines[number][:start] + quoted + old[len(old_name) :]
        else:
            parts[1] = quoted
            lines[number] = ",".join(parts)
    (folder / "players.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = audit_workbook(audit(read_event(folder)), "en")
    book = openpyxl.load_workbook(io.BytesIO(data))
    shown = [row[1] for row in book["Calculation"].iter_rows(min_row=10, max_row=15)]
    assert [cell.data_type for cell in shown] == ["s"] * 6
    assert [cell.value for cell in shown][:5] == names[:5]
    assert not any(sheet._hyperlinks for sheet in book)
