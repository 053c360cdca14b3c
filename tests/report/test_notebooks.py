"""'Run all' in JupyterLab: every notebook that asks for nothing runs as it is, from its own folder."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from qiyi_analysis.report.run.parameters import read_schema

FOLDER = Path(__file__).parents[2] / "notebooks"


def asks_for_nothing(path: Path) -> bool:
    return not any(parameter.required for parameter in read_schema(path).parameters)


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(FOLDER.glob("*.ipynb")) if asks_for_nothing(path)],
    ids=lambda path: path.stem,
)
def test_run_all(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    # JupyterLab starts the kernel in the notebook's folder.
    NotebookClient(notebook, timeout=900, resources={"metadata": {"path": str(FOLDER)}}).execute()
    shown = json.dumps([cell.get("outputs", []) for cell in notebook.cells])
    assert "application/vnd.qiyi." in shown


def test_some_notebook_asks_for_nothing() -> None:
    assert any(map(asks_for_nothing, FOLDER.glob("*.ipynb")))
