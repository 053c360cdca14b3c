"""Running a notebook: the same bytes twice, refusals before a kernel starts, what a failure leaves behind."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pypdf
import pytest

from qiyi_analysis.app.batch.forked import run_forked
from qiyi_analysis.model.errors import ParameterError, ReportError
from qiyi_analysis.report.kit import blocks
from qiyi_analysis.report.run import render as report
from qiyi_analysis.report.run.kernel import Kernel

SAMPLE = Path(__file__).resolve().parents[1] / "notebooks" / "sample.ipynb"


def no_runner(*arguments: Any) -> Any:
    raise AssertionError("a kernel was started")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("first")
    return report.render(SAMPLE, {"names": ["<b>", "𠮷", "$x$"]}, folder, stamp=date(2010, 10, 30))


def test_all_formats_twice_are_the_same(first: dict[str, Path], tmp_path: Path) -> None:
    second = report.render(SAMPLE, {"names": ["<b>", "𠮷", "$x$"]}, tmp_path, stamp=date(2010, 10, 30))
    assert list(second) == ["pdf", "html", "ipynb"]
    for kind, path in second.items():
        assert (
            hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(first[kind].read_bytes()).digest()
        ), kind
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sample.html", "sample.ipynb", "sample.pdf"]


def test_words_of_the_notebook_are_in_the_pdf(first: dict[str, Path]) -> None:
    text = "".join(
        sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(first["pdf"].read_bytes())).pages
    )
    for words in (
        "测试报告",
        "Test report",
        "<b>",
        "〓[U+20BB7]",
        "$x$",
        "-1.95",
        "脚注内容",
        "第 1 页，共 1 页",
    ):
        assert words in text
    assert "prose.title" not in text


def test_executed_notebook_holds_the_table_and_no_times(first: dict[str, Path]) -> None:
    notebook = json.loads(first["ipynb"].read_text(encoding="utf-8"))
    assert "papermill" not in notebook["metadata"]
    assert all("papermill" not in cell["metadata"] for cell in notebook["cells"])
    tables = [
        output["data"][blocks.TABLE_MIME]
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if blocks.TABLE_MIME in output.get("data", {})
    ]
    assert tables[0]["rows"] == [["1", "<b>", "-1.95"], ["2", "𠮷", "-1.95"], ["3", "$x$", "-1.95"]]


@pytest.mark.parametrize("given", [{"langage": "zh"}, {"count": "3"}, {"count": 1000}, {"language": "fr"}])
def test_refused_before_anything_starts(given: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ParameterError):
        report.render(SAMPLE, given, tmp_path / "out", runner=no_runner)
    assert not (tmp_path / "out").exists()


def test_unknown_format_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="format 'docx'"):
        report.render(SAMPLE, {}, tmp_path, ["docx"], runner=no_runner)


def test_failed_cell_is_named_and_the_notebook_kept(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"sample\.ipynb: step 4 \(1 / 0 if fail.*division by zero"):
        report.render(SAMPLE, {"fail": True}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["sample.failed.ipynb"]
    report.render(SAMPLE, {}, tmp_path, ["html"])
    assert [path.name for path in tmp_path.iterdir()] == ["sample.html"]


@pytest.mark.parametrize("runner", [None, run_forked])
def test_a_cell_that_fails_with_an_error_of_ours_is_told_in_both_languages(
    tmp_path: Path, runner: Any
) -> None:
    event = tmp_path / "empty.csv"
    event.write_bytes(b"")
    with pytest.raises(ReportError, match="the file is empty; expected an event") as caught:
        report.render("audit_event", {"event": str(event)}, tmp_path / "out", runner=runner)
    assert "empty.csv：文件是空的；应为比赛文件" in caught.value.message("zh")
    assert "the file is empty" not in caught.value.message("zh")
    kept = json.loads((tmp_path / "out" / "audit_event.failed.ipynb").read_text(encoding="utf-8"))
    shown = [o for cell in kept["cells"] for o in cell.get("outputs", []) if o["output_type"] == "error"]
    assert not any("Traceback" in line for output in shown for line in output["traceback"])


def test_dead_kernel_is_an_error_not_a_hang(tmp_path: Path) -> None:
    notebook = json.loads(SAMPLE.read_text(encoding="utf-8"))
    notebook["cells"][-1]["source"] = "import os\nos._exit(3)"
    (tmp_path / "dies.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    with pytest.raises(ReportError, match="kernel"):
        report.render(tmp_path / "dies.ipynb", {}, tmp_path)


def test_another_runner_gives_the_same_pdf(first: dict[str, Path], tmp_path: Path) -> None:
    executed = json.loads(first["ipynb"].read_text(encoding="utf-8"))
    made = report.render(SAMPLE, {}, tmp_path, ["pdf"], stamp=date(2010, 10, 30), runner=lambda *_: executed)
    assert made["pdf"].read_bytes() == first["pdf"].read_bytes()


def test_kernel_is_of_this_interpreter_and_leaves_nothing() -> None:
    with Kernel() as kernel:
        folder, process = kernel.folder, kernel.process
        assert process is not None
        assert Path(process.args[0]) == Path(sys.executable)  # type: ignore[index, arg-type]
    assert process.returncode is not None
    assert not folder.exists()


def test_loading_the_report_is_light() -> None:
    code = "import sys, qiyi_analysis.report.run.render, qiyi_analysis.report.kit.figures; print([m for m in ('matplotlib', 'papermill', 'nbconvert', 'typst', 'pandas', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_disk_that_fills_while_the_notebook_runs_is_named(tmp_path: Path) -> None:
    def full(path: Path, values: dict[str, Any], partial: Path) -> Any:
        partial.write_text("{", encoding="utf-8")
        raise OSError(errno.ENOSPC, "No space left on device")  # as papermill passes it on: without a file

    with pytest.raises(OSError, match="No space") as error:
        report.render("tour", {}, tmp_path / "out", ("html",), runner=full)
    assert error.value.filename == str(tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
