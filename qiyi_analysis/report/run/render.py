"""Run a notebook with checked parameters and export it: the one way to every report.

Parameters are checked against the notebook's schema before anything starts. The notebook runs by papermill, in this
process (see qiyi_analysis.report.run.engine); what it displayed becomes PDF, HTML and the executed notebook, and what it
calculated is the caller's to use. Files appear whole or not at all. The same notebook, parameters and data give the same
bytes.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.files.moments import moment
from qiyi_analysis.files.whole_files import write_whole
from qiyi_analysis.model import errors
from qiyi_analysis.model.errors import QiyiError, ReportError
from qiyi_analysis.report.run import engine
from qiyi_analysis.report.run.parameters import checked, find_notebook, read_schema
from qiyi_analysis.report.run.time_limit import LONGEST, Late, time_limit

FORMATS = ("pdf", "html", "ipynb")
#: Packages that jsonschema loads for checks no notebook needs, at the cost of a second.
_SLOW = ("rfc3987_syntax", "isoduration")
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Rendered(dict[str, Path]):
    """The files written, by format; ``result`` is what the notebook calculated."""

    result: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """What was calculated, and the notebook that did it: plain data with its outputs, or None where none was run.

    ``error``: what a cell raised; the cells after it were not run.
    """

    file: str
    result: Any
    notebook: dict[str, Any] | None = None
    error: BaseException | None = None

    def write(
        self,
        folder: Path,
        formats: Iterable[str],
        name: str,
        *,
        stamp: date | None = None,
        letterhead: str | Path = "",
    ) -> Rendered:
        """Write the notebook's pages.

        Raises ReportError if a cell failed; then ``<name>.failed.ipynb`` holds what was done.
        """
        written, wanted = Rendered(), _formats(formats)
        written.result = self.result
        if self.notebook is None or not wanted:
            return written
        head = None
        if letterhead:
            from qiyi_analysis.report.export.letterhead import read_letterhead

            head = read_letterhead(Path(letterhead))
        folder.mkdir(parents=True, exist_ok=True)
        failed = folder / f"{name}.failed.ipynb"
        fault = failure(self.notebook)
        if fault:
            write_whole(failed, notebook_bytes(self.notebook))
            raise ReportError("notebook-failed", file=self.file, fault=fault, failed=failed) from self.error
        failed.unlink(missing_ok=True)
        written |= export(self.notebook, folder, name, wanted, stamp=stamp, letterhead=head)
        return written


def calculated(
    notebook: str,
    parameters: Mapping[str, Any],
    formats: Iterable[str],
    directly: Callable[[], Any],
    *,
    seconds: float = LONGEST,
) -> Executed:
    """Calculate once: in the notebook where one of ``formats`` comes out of it, else by calling ``directly``.

    Raises what the calculation raises, as if there were no notebook, and ReportError where it takes longer than
    ``seconds``. What a later cell raises waits for ``write``.
    """
    if not set(FORMATS).intersection(formats):
        with _limited(notebook, seconds):
            return Executed(file=notebook, result=directly())
    executed = execute(notebook, parameters, seconds=seconds)
    if executed.error is not None and executed.result is None:
        raise executed.error
    return executed


def render(
    notebook: str | Path,
    parameters: Mapping[str, Any],
    out: str | Path,
    formats: Iterable[str] = FORMATS,
    *,
    name: str = "",
    stamp: date | None = None,
    letterhead: str | Path = "",
    seconds: float = LONGEST,
) -> Rendered:
    """Run ``notebook`` and write ``<out>/<name>.<format>`` for each of ``formats``; return paths and result.

    ``notebook`` is a path or the name of one that comes with the package. ``stamp`` is the date written into the PDF (if
    left out the day the report belongs to, or a fixed one). Raises ParameterError before anything is started, ReportError
    if a cell fails or the run takes longer than ``seconds``.
    """
    wanted, path = _formats(formats), find_notebook(notebook)
    executed = execute(path, parameters, seconds=seconds)
    return executed.write(Path(out), wanted, name or path.stem, stamp=stamp, letterhead=letterhead)


def execute(notebook: str | Path, parameters: Mapping[str, Any], *, seconds: float = LONGEST) -> Executed:
    """Run a notebook; a cell that raises ends the run and is kept, not raised.

    Raises ParameterError before anything is started, ReportError where the run takes longer than ``seconds``.
    """
    path = find_notebook(notebook)
    values = checked(read_schema(path), parameters)
    papermill = _papermill()
    ran = engine.Ran()
    try:
        with _limited(path.name, seconds):
            papermill.execute_notebook(
                str(path), None, parameters=values, engine_name=engine.NAME, progress_bar=False, ran=ran,
            )  # fmt: skip
    except papermill.PapermillExecutionError:
        pass  # the error stands in the cell's outputs
    return Executed(file=path.name, notebook=stripped(ran.notebook), result=ran.result, error=ran.error)


@contextmanager
def _limited(name: str, seconds: float) -> Iterator[None]:
    try:
        with time_limit(seconds):
            yield
    except Late:
        raise ReportError("notebook-late", file=name, seconds=f"{seconds:.0f}") from None


def _papermill() -> Any:
    """papermill with the engine; without an installation's entry points too."""
    for package in _SLOW:
        # jsonschema treats an ImportError here as "no such check".
        sys.modules.setdefault(package, None)  # type: ignore[arg-type]
    import papermill
    from papermill.engines import papermill_engines

    papermill_engines.register(engine.NAME, engine.InProcess)
    # papermill's own remarks (paths, cell numbers) are no part of a report.
    logging.getLogger("papermill").setLevel(logging.CRITICAL)
    return papermill


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


def _joined(source: Any) -> str:
    return source if isinstance(source, str) else "".join(source)
