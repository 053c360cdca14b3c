"""The map of docs/coverage.md is the table beside this file, and the tests it names exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROWS = tomllib.loads((HERE / "sentences.toml").read_text(encoding="utf-8"))["row"]


def test_the_map_of_the_coverage_page_is_the_table() -> None:
    page = (HERE.parents[1] / "docs" / "coverage.md").read_text(encoding="utf-8")
    lines = [f"| {row['source']} | {row['sentence']} | {row['command']} | {row['state']} |" for row in ROWS]
    assert [line for line in lines if line not in page] == []


def test_every_row_is_held_by_a_test_or_says_why_not() -> None:
    known = {
        name
        for path in HERE.glob("test_*.py")
        for name in re.findall(r"def (test_\w+)", path.read_text("utf-8"))
    }
    assert [row["test"] for row in ROWS if row["test"] and row["test"] not in known] == []
    assert all(row["test"] or row["state"] != "done" for row in ROWS)
