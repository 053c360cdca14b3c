"""The cells of a notebook run as plain Python in this process, for tests: what each showed, and its names at the end."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

from qiyi_analysis.report.export.document import _ungrouped
from qiyi_analysis.report.kit import blocks

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"


def run(name: str, **given: Any) -> tuple[list[blocks.Block], dict[str, Any]]:
    """Run the notebook ``name``; a name given replaces what its cells set it to (parameters, ``audited``)."""
    names: dict[str, Any] = {}
    shown: list[blocks.Block] = []
    for cell in json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        for statement in body:
            target = getattr(statement, "targets", [getattr(statement, "target", None)])[0]
            if getattr(target, "id", "") in given:
                names[target.id] = given[target.id]
            else:
                exec(compile(ast.Module([statement], []), name, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)
            # Frames in a cell tagged remove-output are for whoever opens the notebook.
            if value is not None and "remove-output" not in cell["metadata"].get("tags", []):
                shown.append(value.block())
    return _ungrouped(shown), names
