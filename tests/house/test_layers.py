"""Imports point downward only, and never in a circle.

A module may import modules of its own folder and of folders before it. Imports inside functions and for type checkers
count too: they hide an upward dependency without removing it.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

PACKAGE = "qiyi_analysis"
# From the bottom up: a folder may import itself and the folders before it. A new folder gets its place here.
FOLDERS = (
    "words",
    "model",
    "files",
    "rules",
    "tiebreaks",
    "rating",
    "titles",
    "readers",
    "audit",
    "lists",
    "research",
    "report",
    "app",
)
LAYER = {name: height for height, name in enumerate(FOLDERS)}


def modules(root: Path) -> dict[str, Path]:
    found = {}
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def every_import(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """The package's own modules that a module imports: when loaded, inside functions, for type checkers."""
    found: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = name if path.name == "__init__.py" else name.rpartition(".")[0]
            for _ in range(node.level - 1):
                package = package.rpartition(".")[0]
            source = ".".join(filter(None, [package if node.level else "", node.module or ""]))
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                found.add(inner if inner in known else source)
    return {target for target in found if target == PACKAGE or target.startswith(f"{PACKAGE}.")}


def part(module: str) -> str:
    pieces = module.split(".")
    return pieces[1] if len(pieces) > 1 else ""


@pytest.fixture(scope="module")
def graph(project: Path) -> dict[str, set[str]]:
    known = modules(project)
    return {name: every_import(name, path, known) for name, path in known.items()}


def test_every_module_has_a_layer(graph: dict[str, set[str]]) -> None:
    without = sorted({part(module) for module in graph} - {"", "__init__", "__main__"} - set(LAYER))
    assert not without, f"give these a layer in {Path(__file__).name}: {', '.join(without)}"


def test_imports_point_downward(graph: dict[str, set[str]]) -> None:
    upward = [
        f"{module} imports {target}"
        for module, targets in graph.items()
        for target in sorted(targets)
        if part(module) in LAYER and LAYER.get(part(target), -1) > LAYER[part(module)]
    ]
    assert not upward, "\n".join(upward)


def test_nothing_inside_imports_the_public_door(graph: dict[str, set[str]]) -> None:
    """`from qiyi_analysis import read_event` inside the package would make a circle through the door."""
    inner = [module for module, targets in graph.items() if module != PACKAGE and PACKAGE in targets]
    assert not inner, inner


def test_no_circular_imports(project: Path) -> None:
    """Whatever kind of import: late ones and those for type checkers count as well."""
    known = modules(project)
    graph = {name: every_import(name, path, known) - {name} for name, path in known.items()}
    done: set[str] = set()

    def walk(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module in done:
            return
        for target in sorted(graph.get(module, ())):
            walk(target, (*path, module))
        done.add(module)

    for module in sorted(graph):
        walk(module, ())


def test_every_folder_says_what_lives_there(project: Path) -> None:
    silent = [
        str(path)
        for path in (project / PACKAGE).rglob("__init__.py")
        if not ast.get_docstring(parsed(path)) and "_notebooks" not in path.parts
    ]
    assert not silent, silent


def test_the_top_of_the_package_holds_at_most_three_files(project: Path) -> None:
    files = [path.name for path in (project / PACKAGE).iterdir() if path.is_file()]
    assert len(files) <= 3, files


def test_no_file_name_has_two_meanings(project: Path) -> None:
    """A command's file is named after the command, and may have the name of the module that does its work."""
    names: dict[str, list[str]] = {}
    for name, path in modules(project).items():
        if path.name != "__init__.py" and ".app.cli." not in name:
            names.setdefault(path.name, []).append(name)
    twice = {name: places for name, places in names.items() if len(places) > 1}
    assert not twice, twice
