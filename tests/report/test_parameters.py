"""Parameters are refused before a kernel starts, and schemas agree with the notebooks they stand beside."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.report.run.parameters import (
    assigned,
    checked,
    declared,
    find_notebook,
    notebook_names,
    read_schema,
)

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests" / "notebooks" / "sample.ipynb"
NOTEBOOKS = [SAMPLE, *sorted((ROOT / "notebooks").glob("*.ipynb"))]

SCHEMA = """
[[parameter]]
name = "k"
type = "integer"
minimum = 1
maximum = 80
[[parameter]]
name = "rate"
type = "number"
optional = true
[[parameter]]
name = "language"
type = "choice"
choices = ["zh", "en"]
[[parameter]]
name = "day"
type = "date"
[[parameter]]
name = "ids"
type = "list"
items = "text"
[[parameter]]
name = "mask"
type = "boolean"
[[parameter]]
name = "event"
type = "path"
"""


@pytest.fixture
def schema(tmp_path: Path) -> Any:
    (tmp_path / "n.toml").write_text(SCHEMA, encoding="utf-8")
    return read_schema(tmp_path / "n.ipynb")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_parameters_cell_and_schema_agree(path: Path) -> None:
    schema = read_schema(path)
    assert path.with_suffix(".toml").is_file()
    cell = declared(path)
    assert list(cell) == [parameter.name for parameter in schema.parameters]
    # What must be given has no default to agree on; the cell then holds a place for it.
    defaults = {p.name: p.default for p in schema.parameters if not p.required}
    assert {name: value for name, value in cell.items() if name in defaults} == defaults
    assert all(all(parameter.help) for parameter in schema.parameters)


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
    ("row", "message"),
    [
        ('name = "a b"\ntype = "text"', "expected a name"),
        ('name = "a"\ntype = "money"', "type 'money'"),
        ('name = "a"\ntype = "text"\ndefalt = 1', "unknown key 'defalt'"),
    ],
)
def test_faulty_schema_is_named(tmp_path: Path, row: str, message: str) -> None:
    (tmp_path / "n.toml").write_text(f"[[parameter]]\n{row}\n", encoding="utf-8")
    with pytest.raises(ParameterError, match=message):
        read_schema(tmp_path / "n.ipynb")


def test_required_parameter(tmp_path: Path) -> None:
    (tmp_path / "n.toml").write_text(
        '[[parameter]]\nname = "a"\ntype = "path"\nrequired = true\n', encoding="utf-8"
    )
    with pytest.raises(ParameterError, match="parameter a is missing"):
        checked(read_schema(tmp_path / "n.ipynb"), {})


def test_unknown_notebook_names_the_known() -> None:
    with pytest.raises(ParameterError, match="no such notebook"):
        find_notebook("audit_evnt")
    for name in notebook_names():
        assert find_notebook(name).is_file()
