"""The parameters of a notebook: declared once, in its cell tagged ``parameters``, and checked before anything runs.

    newcomer_games: Whole[1, 1000] = 30  # 新手局数 | games up to which a player is a newcomer

Name, type, default, and a comment with the Chinese and the English help. Types: ``str``, ``bool``, ``int``, ``float``,
``Whole[low, high]``, ``Number[low, high]``, ``FilePath``, ``Day`` (YYYY-MM-DD), ``Language``, a ``Literal`` or a name for one,
``list[...]`` of them, ``... | None``, and ``Needed[...]`` for what must be given. Types that are not Python's own are imported by
the notebook above the cell or in it. Ids are texts, so that no zero is lost.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import io
import json
import re
import tokenize
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import annotated_types

from qiyi_analysis import words
from qiyi_analysis.model.errors import ParameterError, of_system

_TRUE, _FALSE = ("true", "yes", "1", "是"), ("false", "no", "0", "否")
_NEEDED = "needed"
_PACKAGE = Path(__file__).parents[2]

FilePath = Annotated[str, "path"]
Day = Annotated[str, "date"]
Language = Literal["zh", "en"]


class _Range:
    """A number between two ends, both allowed: ``Whole[1, 1000]``."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def __getitem__(self, ends: tuple[float, float]) -> Any:
        return Annotated[self.kind, annotated_types.Ge(ends[0]), annotated_types.Le(ends[1])]


class _Needed:
    """A parameter that must be given: ``Needed[FilePath]``."""

    def __getitem__(self, item: Any) -> Any:
        return Annotated[item, _NEEDED]


Whole: Any = _Range(int)
Number: Any = _Range(float)
Needed: Any = _Needed()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter; ``help`` is the pair (Chinese, English)."""

    name: str
    annotation: Any = str
    default: Any = None
    help: tuple[str, str] = ("", "")

    @property
    def type(self) -> str:
        """text, integer, number, boolean, choice, path, date or list."""
        return _kind(self.annotation)

    @property
    def items(self) -> Parameter:
        """What one item of a list is."""
        (inner,) = typing.get_args(_parts(self.annotation)[0]) or (str,)
        return Parameter(name=self.name, annotation=inner)

    @property
    def optional(self) -> bool:
        """Whether None is allowed."""
        return _parts(self.annotation)[2]

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return _NEEDED in _parts(self.annotation)[1]


@dataclass(frozen=True, slots=True)
class Schema:
    """The parameters of one notebook in the order of its cell; ``file`` is named in messages."""

    file: str
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
    """The parameters declared in the cell of ``notebook``, read as Python; nothing in it is run.

    Raises ParameterError for a notebook that cannot be read, a default that is no plain value, an unknown type.
    """
    found = []
    imports: dict[str, str] = {}
    for source, is_ours in _code_cells(notebook):
        imports |= _imported(source)
        if is_ours:
            found = [_declared(notebook.name, *one, imports) for one in _statements(source)]
    return Schema(notebook.name, tuple(found))


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
                _from_text(schema.file, parameter.items, item.strip())
                for item in text.split(",")
                if item.strip()
            ]
        else:
            values[parameter.name] = _from_text(schema.file, parameter, text.strip())
    return values


# --------------------------------------------------------------------------------------------- reading the cell


def _code_cells(notebook: Path) -> Iterator[tuple[str, bool]]:
    """The source of each cell of code up to the one tagged ``parameters``, and whether it is that one."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError) as error:
        raise ParameterError("notebook-damaged", notebook=notebook, error=of_system(error)) from error
    for cell in cells:
        if cell.get("cell_type") != "code":
            continue
        ours = "parameters" in cell.get("metadata", {}).get("tags", [])
        yield cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"]), ours
        if ours:
            return


def _imported(source: str) -> dict[str, str]:
    """Name -> module of what a cell imports by ``from ... import``; a cell that is no Python imports nothing."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return {}
    return {
        alias.asname or alias.name: f"{statement.module}:{alias.name}"
        for statement in body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }


def _statements(source: str) -> Iterator[tuple[str, ast.expr | None, ast.expr | None, str]]:
    """Name, annotation, default and comment of each assignment of a cell."""
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    for statement in ast.parse(source).body:
        lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        comment = next((comments[line] for line in lines if line in comments), "")
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement.annotation, statement.value, comment
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield statement.targets[0].id, None, statement.value, comment


def _declared(
    file: str,
    name: str,
    annotation: ast.expr | None,
    value: ast.expr | None,
    comment: str,
    imports: Mapping[str, str],
) -> Parameter:
    try:
        default = None if value is None else ast.literal_eval(value)
    except ValueError as error:
        raise ParameterError("parameter-default", file=file, name=name) from error
    chinese, _, english = comment.partition(" | ")
    kind = type(default) if annotation is None and default is not None else str
    if annotation is not None:
        kind = _evaluated(file, name, annotation, imports)
    return Parameter(
        name=name,
        annotation=kind,
        default=default,
        help=(chinese.strip(), english.strip() or chinese.strip()),
    )


def _evaluated(file: str, name: str, annotation: ast.expr, imports: Mapping[str, str]) -> Any:
    """The type an annotation names: of Python's own names and what is imported from this package or ``typing``."""
    plain = (
        ast.Name,
        ast.Subscript,
        ast.Tuple,
        ast.Constant,
        ast.BinOp,
        ast.BitOr,
        ast.UnaryOp,
        ast.USub,
        ast.Load,
    )
    known: dict[str, Any] = {}
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name):
            module, _, own = imports.get(node.id, f"builtins:{node.id}").partition(":")
            if module.partition(".")[0] in ("qiyi_analysis", "typing") or own in (
                "str",
                "int",
                "float",
                "bool",
                "list",
            ):
                known[node.id] = getattr(importlib.import_module(module), own, None)
        if not isinstance(node, plain) or known.get(getattr(node, "id", ""), 0) is None:
            break
    else:
        try:
            return eval(compile(ast.Expression(annotation), file, "eval"), {"__builtins__": builtins}, known)
        except (NameError, TypeError, ValueError):
            pass
    raise ParameterError("parameter-type", file=file, name=name, kind=ast.unparse(annotation))


def _parts(annotation: Any) -> tuple[Any, tuple[Any, ...], bool]:
    """The type inside an annotation, what is said about it, and whether it may be None."""
    about: tuple[Any, ...] = ()
    optional = False
    while True:
        origin = typing.get_origin(annotation)
        if origin is Annotated:
            about, annotation = (*about, *annotation.__metadata__), annotation.__origin__
        elif origin in (typing.Union, types.UnionType):
            optional = True
            annotation = next(one for one in typing.get_args(annotation) if one is not type(None))
        else:
            return annotation, about, optional


def _kind(annotation: Any) -> str:
    inside, about, _ = _parts(annotation)
    origin = typing.get_origin(inside) or inside
    named = {bool: "boolean", int: "integer", float: "number", list: "list", Literal: "choice"}.get(
        origin, ""
    )
    return named or next((one for one in about if one in ("path", "date")), "text")


# ----------------------------------------------------------------------------------------------- checking values


def _plain(value: Any) -> Any:
    """Values of other libraries as Python's own: papermill would pass the rest on as texts."""
    if hasattr(value, "item") and hasattr(value, "dtype") and not getattr(value, "shape", ()):
        return value.item()
    if isinstance(value, date):
        return value.isoformat()[:10]
    if isinstance(value, Path):
        return str(value)
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _checked(file: str, parameter: Parameter, given: Any) -> Any:
    from pydantic import ConfigDict, TypeAdapter, ValidationError

    value = _plain(given)
    try:
        TypeAdapter(
            parameter.annotation, config=ConfigDict(strict=True, allow_inf_nan=False)
        ).validate_python(value)
    except ValidationError as error:
        # The name of a file may hold what is no character; it is passed on as it is.
        faults = [fault for fault in error.errors(include_url=False) if fault["type"] != "string_unicode"]
        if faults:
            inside = parameter.items if faults[0]["loc"] and parameter.type == "list" else parameter
            raise _wrong(file, inside, faults[0]["input"], *_expected(inside, faults[0])) from None
    for item in value if isinstance(value, list) else [value]:
        inside = parameter.items if isinstance(value, list) else parameter
        if isinstance(item, str) and "\x00" in item:
            raise _wrong(file, inside, item, "no-null")
        if inside.type == "date" and item and not _is_date(item):
            raise _wrong(file, inside, item, "date")
    return value


def _expected(parameter: Parameter, fault: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """What was expected in place of a value pydantic refused: a key of the words and its fields."""
    inside, about, _ = _parts(parameter.annotation)
    if fault["type"] in ("greater_than_equal", "less_than_equal"):
        ends = {end: getattr(one, end) for one in about for end in ("ge", "le") if hasattr(one, end)}
        return "range", {"low": ends.get("ge", ""), "high": ends.get("le", "")}
    if parameter.type == "choice":
        choices = typing.get_args(inside)
        return "choice", {"choices": choices, "hint": words.nearest(str(fault["input"]), choices)}
    return parameter.type, {"items": parameter.items.type} if parameter.type == "list" else {}


def _from_text(file: str, parameter: Parameter, text: str) -> Any:
    kind = parameter.type
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


def _wrong(
    file: str,
    parameter: Parameter,
    value: Any,
    kind: str,
    fields: Mapping[str, Any] = types.MappingProxyType({}),
) -> ParameterError:
    shown = repr(value)
    shown = shown if len(shown) <= 80 else shown[:79] + "…"
    return ParameterError(
        "parameter-value",
        file=file,
        name=parameter.name,
        shown=shown,
        expected=words.said(f"expected.{kind}", **fields),
    )
