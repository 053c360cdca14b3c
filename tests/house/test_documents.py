"""The documents keep up with the program."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

from qiyi_analysis.model.findings import CODES
from qiyi_analysis.rules.ruleset import all_rulesets


def test_every_edition_is_in_the_coverage(project: Path) -> None:
    text = (project / "docs" / "coverage.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([^`]+)` \|(.*)$", text, re.M))
    marks = {"secondary": " s", "practice": " p"}
    editions: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for edition in all_rulesets():
        name = edition.id.rsplit("/", 1)[1]
        titles[edition.document] = edition.title
        editions.setdefault(edition.document, []).append(name + marks.get(edition.confidence, ""))
    lacking = [
        f"| `{document}` | {titles[document]} | {', '.join(names)} |"
        for document, names in editions.items()
        if not rows.get(document, "").endswith(f"| {', '.join(names)} |")
    ]
    assert not lacking, "docs/coverage.md needs in its first table:\n" + "\n".join(lacking)


def test_no_edition_is_claimed_that_is_not_there(project: Path) -> None:
    text = (project / "docs" / "coverage.md").read_text(encoding="utf-8")
    here = {edition.id for edition in all_rulesets()}
    claimed = {
        f"{document}/{edition}"
        for document, row in re.findall(r"^\| `([a-z/-]+[a-z0-9/-]*)` \|(.*)$", text, re.M)
        for edition in re.findall(r"\d{4}-\d{2}-\d{2}|undated", row)
    }
    assert claimed <= here


def test_every_finding_code_is_documented(project: Path) -> None:
    path = project / "docs" / "findings.md"
    if not path.exists():
        pytest.fail("docs/findings.md is missing: what each code means and what to do")
    text = path.read_text(encoding="utf-8")
    assert not [code for code in CODES if code not in text]


def test_the_page_of_finding_codes_is_made_from_the_words(project: Path) -> None:
    import runpy

    page = runpy.run_path(str(project / "tools" / "findings_page.py"))["page"]()
    assert (project / "docs" / "findings.md").read_text(encoding="utf-8") == page


def test_the_page_of_the_library_is_made_from_the_docstrings(project: Path) -> None:
    import runpy

    page = runpy.run_path(str(project / "tools" / "library_page.py"))["page"]()
    assert (project / "docs" / "library.md").read_text(encoding="utf-8") == page


def test_the_examples_in_docstrings_are_true(project: Path) -> None:
    shown = 0
    for path in sorted((project / "qiyi_analysis").rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            module = ".".join(path.relative_to(project).with_suffix("").parts)
            failed, tried = doctest.testmod(importlib.import_module(module))
            assert not failed, module
            shown += tried
    assert shown > 10


def test_every_name_of_the_glossary_is_in_the_code(project: Path) -> None:
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (project / "qiyi_analysis").rglob("*")
        if path.suffix in (".py", ".toml")
    )
    # Also parts of names in quotes and keys: "half-up", block names, codes such as BH in a list.
    known = set(re.findall(r"[\w-]+", code))
    rows = re.findall(
        r"^\|.*\| ([^|]*) \|$", (project / "docs" / "glossary.md").read_text(encoding="utf-8"), re.M
    )
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert len(named) > 80
    assert named <= known, named - known


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "README.md", "docs/formats.md", "docs/decisions.md"])
def test_files_and_folders_that_are_named_exist(project: Path, name: str) -> None:
    """Names in code marks with a slash or an ending, but for patterns and what a user makes."""
    text = re.sub(r"```.*?```", "", (project / name).read_text(encoding="utf-8"), flags=re.S)
    named = {
        one
        for one in re.findall(
            r"`((?:qiyi_analysis|docs|tests|data|notebooks|benchmarks|\.ci)/[\w./-]*)`", text
        )
        if not one.endswith("-")
    }
    missing = sorted(one for one in named if not (project / one).exists())
    assert not missing, missing
