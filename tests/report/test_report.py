"""Running a notebook: the same bytes twice, refusals before a kernel starts, what a failure leaves behind."""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import json
import subprocess
import sys
import threading
from datetime import date
from pathlib import Path
from typing import Any

import pypdf
import pytest

from qiyi_analysis.model.errors import ParameterError, ReportError
from qiyi_analysis.report.kit import blocks
from qiyi_analysis.report.run import render as report

SAMPLE = Path(__file__).resolve().parents[1] / "notebooks" / "sample.ipynb"


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: Any, **__: Any) -> Any:
        raise AssertionError("a notebook was run")

    monkeypatch.setattr("papermill.execute_notebook", run)


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
    assert "page.title" not in text


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
@pytest.mark.usefixtures("nothing_runs")
def test_refused_before_anything_starts(given: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ParameterError):
        report.render(SAMPLE, given, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("nothing_runs")
def test_unknown_format_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="format 'docx'"):
        report.render(SAMPLE, {}, tmp_path, ["docx"])


def test_failed_cell_is_named_and_the_notebook_kept(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"sample\.ipynb: step 4 \(1 / 0 if fail.*division by zero"):
        report.render(SAMPLE, {"fail": True}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["sample.failed.ipynb"]
    report.render(SAMPLE, {}, tmp_path, ["html"])
    assert [path.name for path in tmp_path.iterdir()] == ["sample.html"]


def test_a_cell_that_fails_with_an_error_of_ours_is_told_in_both_languages(tmp_path: Path) -> None:
    event = tmp_path / "empty.csv"
    event.write_bytes(b"")
    with pytest.raises(ReportError, match="the file is empty; expected an event") as caught:
        report.render("audit_event", {"event": str(event)}, tmp_path / "out")
    assert "empty.csv：文件是空的；应为比赛文件" in caught.value.message("zh")
    assert "the file is empty" not in caught.value.message("zh")
    kept = json.loads((tmp_path / "out" / "audit_event.failed.ipynb").read_text(encoding="utf-8"))
    shown = [o for cell in kept["cells"] for o in cell.get("outputs", []) if o["output_type"] == "error"]
    assert not any("Traceback" in line for output in shown for line in output["traceback"])


def notebook_of(tmp_path: Path, *cells: str) -> Path:
    """A notebook of those cells, without parameters."""
    made = json.loads(SAMPLE.read_text(encoding="utf-8"))
    empty = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    made["cells"] = [{**empty, "id": f"c{i}", "source": source} for i, source in enumerate(cells)]
    path = tmp_path / "made.ipynb"
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


def outputs(executed: report.Executed) -> list[Any]:
    assert executed.notebook is not None
    return [output for cell in executed.notebook["cells"] for output in cell["outputs"]]


def test_what_the_notebook_calculated_is_given_back_as_the_object_it_is(tmp_path: Path) -> None:
    path = notebook_of(tmp_path, "class Own: pass\nresult = Own()", "result.x = 1")
    made = report.render(path, {}, tmp_path, ["html"])
    assert made.result.x == 1
    assert type(made.result).__name__ == "Own"


def test_prints_displays_and_values_stand_in_their_order(tmp_path: Path) -> None:
    cells = (
        "import sys\nprint(1)\ndisplay(2)\nprint(3)\nprint(4, file=sys.stderr)\n5",
        "get_ipython() is not None",
    )
    shown = outputs(report.execute(notebook_of(tmp_path, *cells), {}))
    assert [(one["output_type"], one.get("text") or one["data"]["text/plain"]) for one in shown] == [
        ("stream", "1\n"), ("display_data", "2"), ("stream", "3\n"), ("stream", "4\n"), ("execute_result", "5"),
        ("execute_result", "True"),
    ]  # fmt: skip


@pytest.mark.parametrize("in_main_thread", [True, False])
def test_a_notebook_has_a_time_limit_that_nothing_in_it_swallows(
    tmp_path: Path, in_main_thread: bool
) -> None:
    path = notebook_of(
        tmp_path, "try:\n    while True:\n        pass\nexcept Exception:\n    pass", "result = 1"
    )
    caught: list[BaseException] = []

    def run() -> None:
        try:
            report.render(path, {}, tmp_path / "out", seconds=0.3)
        except ReportError as error:
            caught.append(error)

    if in_main_thread:
        run()
    else:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join(20)
    assert [str(one) for one in caught] == [
        "made.ipynb: stopped after 0 s; a longer time can be asked for with --time-limit"
    ]
    assert not (tmp_path / "out").exists()


def test_an_interrupted_cell_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        report.render(notebook_of(tmp_path, "raise KeyboardInterrupt"), {}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_shell_and_main_module_of_the_caller_come_back(tmp_path: Path) -> None:
    from IPython.core.interactiveshell import InteractiveShell

    InteractiveShell.clear_instance()
    own, main, stdout = InteractiveShell.instance(), sys.modules["__main__"], sys.stdout
    try:
        report.execute(notebook_of(tmp_path, "x = 1", "1 / 0"), {})
        assert InteractiveShell.instance() is own
        assert sys.modules["__main__"] is main
        assert sys.stdout is stdout
    finally:
        InteractiveShell.clear_instance()


def test_the_default_engine_of_papermill_and_nbconvert_give_the_same_pdf(tmp_path: Path) -> None:
    """A kernel is started, as JupyterLab does: the pages do not depend on who runs the notebook."""
    import nbformat
    import papermill
    from nbconvert.preprocessors import ExecutePreprocessor

    source = report.find_notebook("audit_event")
    here = report.render(source, {}, tmp_path, ["pdf"], name="audit")["pdf"].read_bytes()
    by_papermill = papermill.execute_notebook(str(source), str(tmp_path / "p.ipynb"), progress_bar=False)
    by_nbconvert = nbformat.read(source, as_version=4)
    ExecutePreprocessor(timeout=600).preprocess(by_nbconvert, {"metadata": {"path": str(source.parent)}})
    for executed in (by_papermill, by_nbconvert):
        other = report.export(report.stripped(executed), tmp_path, "other", ["pdf"])
        assert other["pdf"].read_bytes() == here


def test_papermill_runs_notebooks_by_our_engine(tmp_path: Path) -> None:
    if not importlib.metadata.entry_points(group="papermill.engine", name="qiyi"):
        pytest.skip("installed before the engine was there: python3 start.py test --version")
    done = subprocess.run(
        [sys.executable, "-m", "papermill", "--engine", "qiyi", str(SAMPLE), str(tmp_path / "out.ipynb")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    executed = json.loads((tmp_path / "out.ipynb").read_text(encoding="utf-8"))
    assert any(cell.get("outputs") for cell in executed["cells"])
    failed = subprocess.run(
        [sys.executable, "-m", "papermill", "--engine", "qiyi", "-p", "fail", "1", str(SAMPLE), str(tmp_path / "f.ipynb")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert failed.returncode != 0
    assert "ZeroDivisionError" in failed.stderr


def test_loading_the_report_is_light() -> None:
    code = "import sys, qiyi_analysis.report.run.render, qiyi_analysis.report.kit.plots, qiyi_analysis.report.kit.page; print([m for m in ('matplotlib', 'papermill', 'nbconvert', 'typst', 'pandas', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
