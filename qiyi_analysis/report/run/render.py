"""Run a notebook with checked parameters and export it: the one way to every report.

Parameters are checked against the notebook's schema before anything starts. The notebook runs by papermill in
a fresh kernel of this interpreter; what it displayed becomes PDF, HTML and the executed notebook. Files
appear whole or not at all. The same notebook, parameters and data give the same bytes.
"""

from __future__ import annotations

import json
import logging
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.files.moments import moment
from qiyi_analysis.files.whole_files import naming, write_whole
from qiyi_analysis.model import errors
from qiyi_analysis.model.errors import QiyiError, ReportError
from qiyi_analysis.report.run.kernel import NAME, Kernel, silence_slow_import
from qiyi_analysis.report.run.parameters import checked, find_notebook, read_schema

FORMATS = ("pdf", "html", "ipynb")
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

#: Takes the notebook's path, its parameters and a path to keep the notebook at while it runs; returns the
#: executed notebook. A cell that raises is left in the notebook as an error output, not raised.
Runner = Callable[[Path, dict[str, Any], Path], Any]


def render(
    notebook: str | Path,
    parameters: Mapping[str, Any],
    out: str | Path,
    formats: Iterable[str] = FORMATS,
    *,
    name: str = "",
    stamp: date | None = None,
    letterhead: Path | None = None,
    runner: Runner | None = None,
) -> dict[str, Path]:
    """Run ``notebook`` and write ``<out>/<name>.<format>`` for each of ``formats``; return their paths.

    ``notebook`` is a path or the name of one that comes with the package. ``stamp`` is the date written into the
    PDF (if left out the day the report belongs to, or a fixed one). ``runner`` replaces papermill (see Runner). Raises ParameterError before
    anything is started, ReportError if a cell fails; then ``<name>.failed.ipynb`` holds what was done.
    """
    path = find_notebook(notebook)
    values = checked(read_schema(path), parameters)
    wanted = _formats(formats)
    folder, name = Path(out), name or path.stem
    head = None
    if letterhead is not None:
        from qiyi_analysis.report.export.letterhead import read_letterhead

        head = read_letterhead(letterhead)
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f".{name}.{os.getpid()}.part.ipynb"
    try:
        executed = stripped((runner or run)(path, values, partial))
    except OSError as error:
        # What a full disk says about the notebook on the way names no file.
        raise naming(error, Path(error.filename or folder)) from error
    finally:
        partial.unlink(missing_ok=True)
    fault = failure(executed)
    if fault:
        failed = folder / f"{name}.failed.ipynb"
        write_whole(failed, notebook_bytes(executed))
        raise ReportError("notebook-failed", file=path.name, fault=fault, failed=failed)
    (folder / f"{name}.failed.ipynb").unlink(missing_ok=True)
    return export(executed, folder, name, wanted, stamp=stamp, letterhead=head)


def export(
    executed: Any,
    folder: Path,
    name: str,
    formats: Iterable[str] = FORMATS,
    *,
    stamp: date | None = None,
    letterhead: Any = None,
) -> dict[str, Path]:
    """Write an executed notebook (a stripped one) in ``formats``; return the paths by format."""
    from qiyi_analysis.report.export import document, page, pdf

    written: dict[str, Path] = {}
    found = document(executed, name)
    for kind in _formats(formats):
        path = folder / f"{name}.{kind}"
        if kind == "pdf":
            write_whole(path, pdf(found, moment(stamp) if stamp else None, letterhead))
        elif kind == "html":
            write_whole(path, page(found, letterhead).encode("utf-8"))
        else:
            write_whole(path, notebook_bytes(executed))
        written[kind] = path
    return written


def run(path: Path, parameters: dict[str, Any], partial: Path, kernel: Kernel | None = None) -> Any:
    """Run a notebook by papermill and return it executed; the runner used by default.

    ``kernel``: one that was started before, while the caller did something else; it is used up.
    """
    silence_slow_import()
    with kernel or Kernel() as kernel:
        import papermill
        from papermill.exceptions import PapermillExecutionError

        # What the exporters need is loaded while the kernel works.
        threading.Thread(target=_load_exporters, daemon=True).start()
        # papermill's own remarks (paths, cell numbers) are no part of a report.
        logging.getLogger("papermill").setLevel(logging.CRITICAL)
        try:
            return papermill.execute_notebook(
                str(path),
                str(partial),
                parameters=parameters,
                kernel_name=NAME,
                progress_bar=False,
                log_output=False,
                km=kernel.manager(),
            )
        except PapermillExecutionError:
            return json.loads(partial.read_text(encoding="utf-8"))
        except RuntimeError as error:
            # nbclient: the kernel did not answer or died in a cell.
            raise ReportError("kernel-stopped", file=path.name, why=kernel.words() or error) from error


@contextmanager
def ahead(notebook: str | Path, parameters: Mapping[str, Any]) -> Iterator[Runner]:
    """Run a notebook in the background and give the Runner that waits for it.

    For a caller that has work of its own to do meanwhile; the kernel is gone when the block is left. Raises
    ParameterError before anything is started.
    """
    path = find_notebook(notebook)
    values = checked(read_schema(path), parameters)
    silence_slow_import()
    with (
        tempfile.TemporaryDirectory(prefix="qiyi-") as folder,
        ThreadPoolExecutor(1) as pool,
        Kernel() as kernel,
    ):
        # Loaded here and now: in the background it would share the interpreter with the caller's work, and
        # the kernel would wait for it.
        import papermill  # noqa: F401

        executed = pool.submit(run, path, values, Path(folder) / "part.ipynb", kernel)
        yield lambda *arguments: executed.result()


def failure(executed: Any) -> words.Said | None:
    """The step and message of the first cell that raised; None if all went well."""
    heading = ""
    step = 0
    for cell in executed["cells"]:
        if cell["cell_type"] != "code":
            continue
        if not set(cell["metadata"].get("tags", [])) & {"parameters", "injected-parameters"}:
            step += 1
        for output in cell.get("outputs", []):
            if output["output_type"] == "error":
                line = _joined(cell["source"]).strip().splitlines()[0:1]
                heading = line[0] if line else ""
                return words.said("notebook.step-failed", step=step, heading=heading, said=_said(output))
    return None


def _said(output: Mapping[str, Any]) -> words.Said:
    """What an error output says. The library's own errors left both languages in place of a traceback."""
    message = f"{output['ename']}: {_ANSI.sub('', output['evalue']).strip()}"
    own = issubclass(getattr(errors, output["ename"], Exception), QiyiError)
    return words.Said(message, output["traceback"][-1] if own else message)


def stripped(executed: Any) -> Any:
    """The notebook as plain data without what differs from run to run: times, counts of papermill, ids."""
    notebook = json.loads(json.dumps(executed))
    notebook["metadata"].pop("papermill", None)
    for cell in notebook["cells"]:
        for key in ("papermill", "execution"):
            cell["metadata"].pop(key, None)
        if "injected-parameters" in cell["metadata"].get("tags", []):
            cell["id"] = "injected-parameters"
        elif "papermill-error-cell-tag" in cell["metadata"].get("tags", []):
            cell["id"] = f"failed-{notebook['cells'].index(cell)}"
    return notebook


def notebook_bytes(notebook: Any) -> bytes:
    """A notebook as it stands in a file."""
    return (json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8")


def _formats(formats: Iterable[str]) -> list[str]:
    wanted = list(dict.fromkeys(formats))
    for kind in wanted:
        if kind not in FORMATS:
            raise ReportError("notebook-format", format=kind, formats=FORMATS)
    return wanted


def _load_exporters() -> None:
    import typst  # noqa: F401

    from qiyi_analysis.report.kit import fonts

    fonts.text_width("等")


def _joined(source: Any) -> str:
    return source if isinstance(source, str) else "".join(source)
