"""Parameters are read from the cell of a notebook, and wrong values refused before anything runs."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.report.run.parameters import (
    assigned,
    checked,
    find_notebook,
    notebook_names,
    read_schema,
)

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests" / "notebooks" / "sample.ipynb"
NOTEBOOKS = [SAMPLE, *sorted((ROOT / "notebooks").glob("*.ipynb"))]

CELL = """
from typing import Literal
from qiyi_analysis.report.run.parameters import Day, FilePath, Whole
k: Whole[1, 80] = 20  # K 值 | K-factor
rate: float | None = None
language: Literal["zh", "en"] = "zh"
day: Day = ""
ids: list[str] = [
    "007",
]  # 编号 | ids
mask: bool = False
event: FilePath = ""
"""


def notebook(folder: Path, source: str) -> Path:
    """A notebook of one parameters cell."""
    path = folder / "n.ipynb"
    cell = {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": source}
    path.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    return path


@pytest.fixture
def schema(tmp_path: Path) -> Any:
    return read_schema(notebook(tmp_path, CELL))


def test_a_cell_declares_names_types_defaults_and_help(schema: Any) -> None:
    kinds = {parameter.name: parameter.type for parameter in schema.parameters}
    assert list(kinds.values()) == ["integer", "number", "choice", "date", "list", "boolean", "path"]
    assert schema.parameter("ids").default == ["007"]
    assert schema.parameter("ids").help == ("编号", "ids")
    assert schema.parameter("k").help == ("K 值", "K-factor")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_parameter_has_its_help(path: Path) -> None:
    assert all(all(parameter.help) for parameter in read_schema(path).parameters)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_defaults_pass_their_own_check(path: Path) -> None:
    schema = read_schema(path)
    given = {p.name: p.default for p in schema.parameters if not p.required}
    asked = {
        p.name: p.default or (["x"] if p.type == "list" else "x") for p in schema.parameters if p.required
    }
    checked(schema, given | asked)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k_factr": 10}, "unknown parameter 'k_factr'"),
        ({"langage": "zh"}, "did you mean language"),
        ({"k": "10"}, "'10'; expected a whole number"),
        ({"k": True}, "True; expected a whole number"),
        ({"k": 10.0}, "expected a whole number"),
        ({"k": 0}, "expected 1 to 80"),
        ({"k": None}, "None; expected a whole number"),
        ({"rate": float("nan")}, "expected a number"),
        ({"language": "de"}, "one of zh, en"),
        ({"day": "2024-02-30"}, "a date YYYY-MM-DD"),
        ({"day": "20240201"}, "a date YYYY-MM-DD"),
        ({"ids": "007"}, "a list of text"),
        ({"ids": [7]}, "expected a text"),
        ({"mask": "true"}, "true or false"),
        ({"event": 3}, "expected a path"),
        ({"event": "a\x00b"}, "without null"),
        ({"x=1; import os": 1}, "unknown parameter"),
    ],
)
def test_refused(schema: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message.replace("(", r"\(")):
        checked(schema, given)


def test_values_of_other_libraries_become_plain_ones(schema: Any) -> None:
    values = checked(
        schema, {"k": np.int64(20), "day": date(2024, 3, 1), "event": Path("a/b"), "ids": ("007", "8")}
    )
    assert values == {"k": 20, "day": "2024-03-01", "event": str(Path("a/b")), "ids": ["007", "8"]}
    assert type(values["k"]) is int


def test_texts_of_the_command_line_are_read_by_type(schema: Any) -> None:
    texts = ["k=20", "ids=007, NO", "mask=是", "rate=1e-3", "day=2024-03-01", "event=x=y"]
    assert assigned(schema, texts) == {
        "k": 20,
        "ids": ["007", "NO"],
        "mask": True,
        "rate": 0.001,
        "day": "2024-03-01",
        "event": "x=y",
    }


@pytest.mark.parametrize(
    "text", ["k", "k=1_0", "k=１２", "k=nan", "rate=inf", "rate=0x1", "mask=maybe", "q=1"]
)
def test_texts_refused(schema: Any, text: str) -> None:
    with pytest.raises(ParameterError):
        assigned(schema, [text])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a: Money = 1", "type 'Money'"),
        ("a: __import__('os').name = 1", "type "),
        ("from os import name as a\nb: a = 1", "type 'a'"),
        ("a: str = open('x')", "default of a is no plain value"),
    ],
)
def test_faulty_declaration_is_named(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_schema(notebook(tmp_path, line))


def test_required_parameter(tmp_path: Path) -> None:
    path = notebook(
        tmp_path,
        'from qiyi_analysis.report.run.parameters import FilePath, Needed\na: Needed[FilePath] = ""  # 甲 | A',
    )
    with pytest.raises(ParameterError, match="parameter a is missing; A"):
        checked(read_schema(path), {})


def test_unknown_notebook_names_the_known() -> None:
    with pytest.raises(ParameterError, match="no such notebook"):
        find_notebook("audit_evnt")
    for name in notebook_names():
        assert find_notebook(name).is_file()
