"""A notebook run inside this process: the runner of forked workers.

The cells run in an IPython shell of their own and give the same notebook as a kernel would; a test holds
the PDFs of both ways to the same bytes. Nothing is shared between notebooks because every one runs in a
process forked for it.
"""

from __future__ import annotations

import json
import logging
import traceback
from pathlib import Path
from typing import Any

from qiyi_analysis.report.run.kernel import silence_slow_import

REHEARSAL = "data/events/constructed-open-2025"


def preload() -> None:
    """Import what notebooks and exporters use, once, before workers are forked from this process."""
    silence_slow_import()
    import importlib

    for module in (
        "IPython.core.interactiveshell", "IPython.utils.capture", "mistune", "nbformat", "numpy", "pandas",
        "papermill.parameterize", "papermill.iorw", "typst", "xlsxwriter",
        "qiyi_analysis.report.run.audit_files", "qiyi_analysis.report.sections.audit", "qiyi_analysis.report.export",
        "qiyi_analysis.report.kit.figures", "qiyi_analysis.audit.printed_standings", "qiyi_analysis.report.workbook",
    ):  # fmt: skip
        importlib.import_module(module)
    logging.getLogger("papermill").setLevel(logging.ERROR)


def rehearse() -> None:
    """Run the audit's notebook on its own example, so that what is read once (rule files, words, schemas, patterns)
    is read before workers are forked.

    Nothing is exported: Typst starts threads, and a process with threads must not fork.
    """
    from qiyi_analysis.model.errors import QiyiError
    from qiyi_analysis.report.export import document
    from qiyi_analysis.report.run.parameters import checked, find_notebook, read_schema
    from qiyi_analysis.rules.ruleset import all_rulesets

    all_rulesets()
    path = find_notebook("audit_event")
    try:
        values = checked(read_schema(path), {"event": REHEARSAL})
        document(run_in_process(path, values, path), "rehearsal")
    except (QiyiError, OSError):
        return  # an installation without examples: the first cells of every child take longer


def run_in_process(path: Path, parameters: dict[str, Any], partial: Path) -> Any:
    """Run a notebook in this process; see qiyi_analysis.report.run.render.Runner.

    A cell that raises is left as an error output, the cells after it are not run.
    """
    silence_slow_import()
    from IPython.core.interactiveshell import InteractiveShell
    from papermill.iorw import load_notebook_node
    from papermill.parameterize import parameterize_notebook
    from traitlets.config import Config

    notebook = load_notebook_node(str(path))
    if parameters:
        notebook = parameterize_notebook(
            notebook, parameters, False, kernel_name="python3", language="python"
        )
    InteractiveShell.clear_instance()
    # Without a history of what was typed there is no file to share and no thread to write it.
    shell: Any = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    shell.enable_gui = lambda *_: None
    count = 0
    for cell in notebook.cells:
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        count += 1
        cell.execution_count = count
        cell.outputs, failed = _run_cell(shell, cell.source, count)
        if failed:
            break
    return json.loads(json.dumps(notebook))


def _run_cell(shell: Any, source: str, count: int) -> tuple[list[dict[str, Any]], bool]:
    """Outputs of one cell in the notebook format, and whether it raised."""
    from IPython.utils.capture import capture_output

    shown: list[dict[str, Any]] = []
    hook, publisher = shell.displayhook, shell.display_pub
    with capture_output(stdout=True, stderr=True, display=False) as streams:
        shell.display_pub = _Publisher(shown)
        shell.displayhook = _Hook(shell, shown, count)
        trap_hook, shell.display_trap.hook = shell.display_trap.hook, shell.displayhook
        showtraceback, shell.showtraceback = shell.showtraceback, lambda *a, **k: None
        try:
            result = shell.run_cell(source, store_history=False)
        finally:
            shell.display_trap.hook = trap_hook
            shell.showtraceback = showtraceback
            shell.displayhook, shell.display_pub = hook, publisher
    for name, text in (("stdout", streams.stdout), ("stderr", streams.stderr)):
        if text:
            shown.append({"output_type": "stream", "name": name, "text": text})
    error = result.error_before_exec or result.error_in_exec
    if error is not None:
        own = getattr(error, "_render_traceback_", None)
        lines = own() if own else traceback.format_exception(type(error), error, error.__traceback__)
        shown.append(
            {"output_type": "error", "ename": type(error).__name__, "evalue": str(error), "traceback": lines}
        )
    return shown, error is not None


class _Publisher:
    """Takes what ``display`` publishes."""

    is_publishing = False

    def __init__(self, shown: list[dict[str, Any]]) -> None:
        self.shown = shown

    def publish(self, data: Any, metadata: Any = None, **_: Any) -> None:
        self.shown.append(
            {"output_type": "display_data", "data": dict(data), "metadata": dict(metadata or {})}
        )

    def clear_output(self, wait: bool = False) -> None:
        self.shown.clear()


class _Hook:
    """Takes the value of a cell's last expression."""

    exec_result = None
    is_active = True

    def __init__(self, shell: Any, shown: list[dict[str, Any]], count: int) -> None:
        self.shell, self.shown, self.count = shell, shown, count

    def __call__(self, result: Any = None) -> None:
        if result is None:
            return
        data, metadata = self.shell.display_formatter.format(result)
        if data:
            self.shown.append(
                {
                    "output_type": "execute_result",
                    "data": data,
                    "metadata": metadata,
                    "execution_count": self.count,
                }
            )
