"""`qiyi doctor`: finds what is wrong, says what to do, and survives whatever is broken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from qiyi_analysis import words
from qiyi_analysis.app import doctor
from qiyi_analysis.app.cli.doctor import command, line


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, doctor.Examination]:
    return {found.part: found for found in doctor.examine(tmp_path_factory.mktemp("out"), "utf-8")}


def test_all_is_well_in_the_environment_of_the_tests(findings: dict[str, doctor.Examination]) -> None:
    assert {part: line(found) for part, found in findings.items() if found.state == "missing"} == {}


def test_every_part_says_what_to_do(findings: dict[str, doctor.Examination]) -> None:
    for found in findings.values():
        for key in (found.title, found.advice):
            assert words.has(key), key


def test_only_tools_of_the_tests_are_optional(findings: dict[str, doctor.Examination]) -> None:
    optional = {part for part in findings if words.has(f"doctor.{part}.absent")}
    assert optional == {"lab", "libreoffice", "chromium"}


def test_output_folder_that_cannot_be_made(tmp_path: Path) -> None:
    occupied = tmp_path / "reports"
    occupied.write_text("a file where a folder is wanted")
    assert doctor.writable(occupied).state == "missing"
    assert doctor.writable(occupied / "event").state == "missing"
    assert doctor.writable(tmp_path / "new" / "deeper").state == "ok"
    assert list(tmp_path.iterdir()) == [occupied]


@pytest.mark.parametrize(
    ("encoding", "state"),
    [("utf-8", "ok"), ("gbk", "ok"), ("cp936", "ok"), ("cp1252", "missing"), ("nonsense", "missing")],
)
def test_console(encoding: str, state: str) -> None:
    assert doctor.encoding(encoding).state == state


def test_missing_and_outdated_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        doctor.importlib.metadata, "requires", lambda _: ["no-such-package", "click>=99", "pandas"]
    )
    found = doctor.packages()
    assert found.state == "missing"
    assert "no-such-package" in found.values["names"]
    assert "click" in found.values["names"]
    assert "pandas" not in found.values["names"]


def test_missing_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pylopdf_fonts_zh_cn", None)
    assert doctor.fonts().state == "missing"


def test_wrong_arithmetic_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "CHANGES", {1: -4, 2: 5, 3: -2})
    assert doctor.calculation().state == "missing"


def test_a_broken_part_hides_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken() -> doctor.Examination:
        raise ZeroDivisionError("bad luck")

    for part in ("fonts", "pdf", "notebook", "calculation", "rules"):
        monkeypatch.setattr(doctor, part, broken)
    done = CliRunner().invoke(command, ["--out", str(tmp_path)], standalone_mode=False)
    assert done.return_value == 1
    assert done.output.count("bad luck") == 10  # five parts, two languages
    assert "JupyterLab" in done.output
    assert "5 项有问题" in done.output
