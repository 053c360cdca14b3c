"""The names of the interface can be imported and called in any order, also after the modules of the same name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "first",
    ["", "import qiyi_analysis.titles.norms, qiyi_analysis.audit.event_audit, qiyi_analysis.rules.ruleset"],
)
def test_functions_named_like_their_modules(first: str, project: Path) -> None:
    code = f"""{first}
from qiyi_analysis import audit, rate, read_event, ruleset, titles
from qiyi_analysis import audit, ruleset, titles
event = read_event("data/events/nanjing-2010")
assert ruleset("fide/titles/2024-01-01").kind == "titles"
assert titles(event, ruleset("fide/titles/2014-07-01")).event == event.id
assert audit(event).event is event
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=project
    )
    assert done.returncode == 0, done.stderr


def test_the_example_of_the_library_runs(project: Path) -> None:
    text = (project / "docs" / "library.md").read_text(encoding="utf-8")
    code = text.partition("```python\n")[2].partition("```")[0]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=False, cwd=project
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Carlsen, Magnus" in done.stdout
