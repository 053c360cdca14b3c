"""The parameters of a notebook: declared in a TOML file beside it, checked before a kernel starts.

A schema file ``<notebook>.toml`` holds ``title = {zh, en}`` and ``[[parameter]]`` rows with ``name``, ``type``
(text, integer, number, boolean, choice, path, date, or ``list`` with ``items``), ``default``, ``help = {zh, en}``, and
where they apply ``choices``, ``minimum``, ``maximum``, ``optional`` (None is allowed) and ``required``. Dates
are texts ``YYYY-MM-DD``; ids are texts, so that no zero is lost.
"""

from __future__ import annotations

import ast
import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError, of_system

TYPES = ("text", "integer", "number", "boolean", "choice", "path", "date", "list")
_KEYS = frozenset(
    ("name", "type", "items", "default", "choices", "minimum", "maximum", "optional", "required", "help")
)
_TRUE, _FALSE = ("true", "yes", "1", "是"), ("false", "no", "0", "否")

_PACKAGE = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter; ``items`` is the type of a list's items, ``help`` the pair (Chinese, English)."""

    name: str
    type: str
    default: Any = None
    items: str = ""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    optional: bool = False
    required: bool = False
    help: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Schema:
    """The parameters of one notebook in the order of its parameters cell; ``file`` is named in messages."""

    file: str
    title: tuple[str, str]
    parameters: tuple[Parameter, ...]

    def parameter(self, name: str) -> Parameter:
        """The parameter of that name; ParameterError naming the nearest known one."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = [parameter.name for parameter in self.parameters]
        hint = words.nearest(name, known, cutoff=0.4)
        raise ParameterError("parameter-unknown", file=self.file, name=name, hint=hint, known=known)


def find_notebook(name: str | Path) -> Path:
    """The file of a notebook: a path to a file, or the name of one that comes with the package."""
    path = Path(name)
    if path.suffix == ".ipynb" and path.is_file():
        return path
    candidate = _folder() / f"{path.name.removesuffix('.ipynb')}.ipynb"
    if candidate.is_file():
        return candidate
    raise ParameterError(
        "notebook-unknown",
        notebook=name,
        known=notebook_names(),
        hint=words.nearest(str(name), notebook_names()),
    )


def notebook_names() -> list[str]:
    """Names of the notebooks that come with the package."""
    return sorted(path.stem for path in _folder().glob("*.ipynb"))


def find_input(path: str) -> str:
    """A path as given; one that is not there, but is in the source tree, is taken from there.

    So the examples in the notebooks' defaults are found from whatever folder a notebook is run in.
    """
    inside = _PACKAGE.parent / path
    return str(inside) if path and not Path(path).exists() and inside.exists() else path


def _folder() -> Path:
    # In a source tree the notebooks lie beside the package; a wheel carries them inside.
    package = _PACKAGE
    source = package.parent / "notebooks"
    return (
        source
        if (package.parent / "pyproject.toml").is_file() and source.is_dir()
        else package / "_notebooks"
    )


def read_schema(notebook: Path) -> Schema:
    """The schema beside ``notebook``; without a file, one made from the notebook's parameters cell."""
    file = notebook.with_suffix(".toml")
    if not file.is_file():
        return _schema_of_cell(notebook)
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ParameterError("schema-damaged", file=file, error=of_system(error)) from error
    title = data.get("title", {})
    parameters = tuple(_parameter(file.name, row) for row in data.get("parameter", []))
    return Schema(file.name, (title.get("zh", ""), title.get("en", "")), parameters)


def checked(schema: Schema, given: Mapping[str, Any]) -> dict[str, Any]:
    """``given`` with every value checked and turned into what a notebook can hold.

    Raises ParameterError for an unknown name, a wrong type, a value out of range, a required one left out.
    Only what was given is returned: the rest keeps the notebook's own defaults.
    """
    values = {name: _checked(schema.file, schema.parameter(name), value) for name, value in given.items()}
    for parameter in schema.parameters:
        if parameter.required and values.get(parameter.name) in (None, "", []):
            raise ParameterError(
                "parameter-missing",
                file=schema.file,
                name=parameter.name,
                help=words.Said(parameter.help[1], parameter.help[0]),
            )
    return values


def assigned(schema: Schema, assignments: Iterable[str]) -> dict[str, Any]:
    """Values of ``name=value`` texts, read by the type the schema gives; list items are parted by commas."""
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise ParameterError("assignment", file=schema.file, assignment=assignment)
        parameter = schema.parameter(name.strip())
        if parameter.type == "list":
            values[parameter.name] = [
                _from_text(schema.file, parameter, parameter.items, item.strip())
                for item in text.split(",")
                if item.strip()
            ]
        else:
            values[parameter.name] = _from_text(schema.file, parameter, parameter.type, text.strip())
    return values


def declared(notebook: Path) -> dict[str, Any]:
    """Names and defaults in the cell tagged ``parameters``, read as Python, never run."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError) as error:
        raise ParameterError("notebook-damaged", notebook=notebook, error=of_system(error)) from error
    found: dict[str, Any] = {}
    for cell in cells:
        if "parameters" not in cell.get("metadata", {}).get("tags", []):
            continue
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name, value = statement.target.id, statement.value
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name, value = statement.targets[0].id, statement.value
            else:
                continue
            try:
                found[name] = None if value is None else ast.literal_eval(value)
            except ValueError as error:
                raise ParameterError("parameter-default", file=notebook.name, name=name) from error
    return found


def _parameter(file: str, row: Mapping[str, Any]) -> Parameter:
    name = row.get("name", "")
    if not isinstance(name, str) or not name.isidentifier():
        raise ParameterError("parameter-name", file=file, name=name)
    for key in row:
        if key not in _KEYS:
            raise ParameterError("parameter-key", file=file, name=name, key=key, keys=sorted(_KEYS))
    kind = row.get("type")
    if kind not in TYPES:
        raise ParameterError("parameter-type", file=file, name=name, kind=kind, types=TYPES)
    texts = row.get("help", {})
    return Parameter(
        name=name,
        type=kind,
        default=row.get("default"),
        items=row.get("items", "text") if kind == "list" else "",
        choices=tuple(row.get("choices", ())),
        minimum=row.get("minimum"),
        maximum=row.get("maximum"),
        optional=row.get("optional", False),
        required=row.get("required", False),
        help=(texts.get("zh", ""), texts.get("en", "")),
    )


def _schema_of_cell(notebook: Path) -> Schema:
    kinds: dict[type, str] = {str: "text", bool: "boolean", int: "integer", float: "number", list: "list"}
    parameters = tuple(
        Parameter(
            name=name,
            type=kinds.get(type(value), "text"),
            default=value,
            optional=value is None,
            items=kinds.get(type(value[0]), "text") if isinstance(value, list) and value else "text",
        )
        for name, value in declared(notebook).items()
    )
    return Schema(notebook.name, ("", ""), parameters)


def _checked(file: str, parameter: Parameter, value: Any) -> Any:
    if value is None:
        if parameter.optional:
            return None
        raise _wrong(file, parameter, value, parameter.type)
    if parameter.type == "list":
        if not isinstance(value, list | tuple):
            raise _wrong(file, parameter, value, "list", items=parameter.items)
        return [_one(file, parameter, parameter.items, item) for item in value]
    return _one(file, parameter, parameter.type, value)


def _one(file: str, parameter: Parameter, kind: str, value: Any) -> Any:
    # Numbers of numpy are turned into Python's: papermill would pass them on as texts.
    if hasattr(value, "item") and hasattr(value, "dtype") and not getattr(value, "shape", ()):
        value = value.item()
    if kind == "boolean":
        if not isinstance(value, bool):
            raise _wrong(file, parameter, value, "boolean")
        return value
    if kind in ("integer", "number"):
        wanted = int if kind == "integer" else (int, float)
        if isinstance(value, bool) or not isinstance(value, wanted) or not math.isfinite(value):
            raise _wrong(file, parameter, value, kind)
        low, high = parameter.minimum, parameter.maximum
        if (low is not None and value < low) or (high is not None and value > high):
            raise _wrong(
                file,
                parameter,
                value,
                "range",
                low="" if low is None else low,
                high="" if high is None else high,
            )
        return value
    if kind == "date" and isinstance(value, date):
        value = value.isoformat()[:10]
    if kind == "path" and isinstance(value, Path):
        value = str(value)
    if not isinstance(value, str):
        raise _wrong(file, parameter, value, kind)
    if "\x00" in value:
        raise _wrong(file, parameter, value, "no-null")
    if parameter.choices and value not in parameter.choices:
        hint = words.nearest(value, parameter.choices)
        raise _wrong(file, parameter, value, "choice", choices=parameter.choices, hint=hint)
    if kind == "date" and value and not _is_date(value):
        raise _wrong(file, parameter, value, "date")
    return value


def _from_text(file: str, parameter: Parameter, kind: str, text: str) -> Any:
    if parameter.optional and text == "" and kind in ("integer", "number", "date"):
        return None
    if kind == "integer":
        if not re.fullmatch(r"[+-]?[0-9]+", text):
            raise _wrong(file, parameter, text, kind)
        return int(text)
    if kind == "number":
        if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
            raise _wrong(file, parameter, text, kind)
        return float(text)
    if kind == "boolean":
        if text.lower() not in _TRUE + _FALSE:
            raise _wrong(file, parameter, text, "boolean")
        return text.lower() in _TRUE
    return text


def _is_date(text: str) -> bool:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _wrong(file: str, parameter: Parameter, value: Any, kind: str, **fields: object) -> ParameterError:
    shown = repr(value)
    shown = shown if len(shown) <= 80 else shown[:79] + "…"
    return ParameterError(
        "parameter-value",
        file=file,
        name=parameter.name,
        shown=shown,
        expected=words.said(f"expected.{kind}", **fields),
    )
