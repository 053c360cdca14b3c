"""Each command reads every input once and calculates once, whatever formats it writes."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from qiyi_analysis.app.cli import main
from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.lists.list_comparison import compare
from qiyi_analysis.lists.publication import compared
from qiyi_analysis.lists.rebuild import rebuild_list
from qiyi_analysis.research.studies.simulate_federation import simulate_federation
from qiyi_analysis.titles import apply_for, titles

DATA = Path(__file__).parents[2] / "data"
PERIOD = DATA / "periods" / "constructed-2025-12"
OPEN = str(DATA / "events" / "constructed-open-2025")
LIST = str(PERIOD / "list-2025-11-01.csv")
PUBLISHED = str(PERIOD / "published-2025-12-01.csv")

#: Files opened since the hook was told to look; an audit hook stays for ever, so there is one for the process.
_opened: Counter[str] | None = None


def _hook(name: str, arguments: tuple[Any, ...]) -> None:
    if name == "open" and _opened is not None and isinstance(arguments[0], str):
        _opened[str(Path(arguments[0]).absolute())] += 1


sys.addaudithook(_hook)


@contextmanager
def counted(*functions: Callable[..., Any]) -> Iterator[tuple[Counter[str], Counter[str]]]:
    """Counts of the files opened, by path, and of the calls of the functions, by name."""
    global _opened
    codes = {function.__code__: function.__name__ for function in functions}
    calls: Counter[str] = Counter()

    def profile(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in codes:
            calls[codes[frame.f_code]] += 1

    _opened = Counter()
    sys.setprofile(profile)
    try:
        yield _opened, calls
    finally:
        sys.setprofile(None)
        _opened = None


LISTED = (
    "list", "--rules", "fide/rating-standard", "--previous", LIST, "--events", str(PERIOD / "events"),
    "--period", "2025-12", "--published", PUBLISHED,
)  # fmt: skip
SIMULATED = (
    "study", "simulate", "-p", "replicates=2", "-p", "federation_players=60", "-p", "months=12", "-p", "warm_up=3",
)  # fmt: skip
COMMANDS = {
    "audit": (("audit", OPEN, "--list", LIST), "html,xlsx,json", {"audit": audit}),
    "list": (LISTED, "html,xlsx,json,csv", {"rebuild_list": rebuild_list, "compare": compare}),
    "titles": (("titles", OPEN, "--list", LIST), "html,xlsx", {"titles": titles}),
    "application": (
        ("titles", OPEN, "--application", "1", "--list", LIST),
        "html,xlsx",
        {"apply_for": apply_for},
    ),
    "publish": (("publish", PUBLISHED, "--previous", LIST), "html", {"compared": compared}),
    "study": (SIMULATED, "html", {"simulate_federation": simulate_federation}),
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("way", ["files", "json", "files and json"])
def test_once(name: str, way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed, formats, functions = COMMANDS[name]
    options = [*typed]
    if "files" in way:
        options += ["--out", str(tmp_path / "out"), "--formats", formats]
    if "json" in way:
        options += ["--json"]
    if name == "publish" and "json" in way:
        pytest.skip("publish prints no JSON")
    with counted(*functions.values()) as (opened, calls), pytest.raises(SystemExit) as left:
        main(options)
    assert left.value.code in (0, 1), capsys.readouterr().err
    assert calls == dict.fromkeys(functions, 1)
    inputs = {path: times for path, times in opened.items() if Path(path).is_relative_to(DATA)}
    assert {path: times for path, times in inputs.items() if times > 1} == {}
    assert inputs or name == "study"


@pytest.mark.parametrize("command", ["rate", "audit"])
def test_a_command_loads_no_library_before_it_needs_it(command: str) -> None:
    code = (
        f"import sys, qiyi_analysis.app.cli.{command}\n"
        "print([m for m in ('scipy', 'matplotlib', 'pydantic', 'papermill', 'IPython', 'typst') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
