"""Every block and key that a rule file may hold is read somewhere: who edits one changes something."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "qiyi_analysis"
KINDS = sorted((PACKAGE / "rulesets" / "vocabulary").glob("*.toml"))


@cache
def read() -> frozenset[str]:
    """Every text that stands in the code of the package."""
    return frozenset(
        node.value
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


@pytest.mark.parametrize("path", KINDS, ids=lambda path: path.stem)
def test_every_block_and_key_is_read(path: Path) -> None:
    unread = []
    for block, spec in tomllib.loads(path.read_text(encoding="utf-8"))["blocks"].items():
        if block not in read():
            unread.append(block)
        for key, rule in spec.get("keys", {}).items():
            conditions = rule.get("of") if isinstance(rule.get("of"), dict) else {}
            unread += [f"{block}.{name}" for name in (key, *conditions) if name not in read()]
    assert unread == []
