"""Compare the --json outputs of two checkouts over folders of events, lists and histories.

    python tools/compare_outputs.py OLD NEW FOLDER...      every difference, grouped by command; exit 1 if there are any

OLD and NEW are checkouts with an environment in ``.venv``. Each file or event folder below FOLDER is given to every
command that may take it, in one process per checkout; a command that refuses an input is compared by its exit code.
Used before and after a change that must not touch results; wanted differences are listed in the commit.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

COMMANDS = (("rate", "--games"), ("standings",), ("titles",), ("audit",), ("study", "compare-k"))
EVENT_SUFFIXES = {".trf", ".tab", ".xml", ".h9", ".pgn", ".xlsx", ".html", ".txt", ".csv", ".zip"}
# Runs in the checkout's own interpreter: a line of JSON for every job read from standard input.
WORKER = """
import contextlib, io, json, sys
try:
    from qiyi_analysis.app.cli import main
except ImportError:
    from qiyi_analysis.cli import main
for line in sys.stdin:
    job = json.loads(line)
    out, err = io.StringIO(), io.StringIO()
    code = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(job)
        except SystemExit as left:
            code = left.code
        except BaseException as fault:
            code = repr(fault)
    print(json.dumps([code, out.getvalue()]), file=sys.__stdout__, flush=True)
"""


def main(arguments: list[str]) -> int:
    """Compare and print; the number of differing jobs decides the exit code."""
    old, new, *folders = map(Path, arguments)
    jobs = [job for folder in folders for job in jobs_of(folder.resolve())]
    with ThreadPoolExecutor(2) as pool:
        before, after = pool.map(lambda root: answers(root.resolve(), jobs), (old, new))
    kinds: Counter[str] = Counter()
    for job, one, other in zip(jobs, before, after, strict=True):
        found = differences(one, other)
        if found:
            kinds[job[0]] += 1
            print(" ".join(job))
            print("".join(f"    {line}\n" for line in found[:8]), end="")
            if len(found) > 8:
                print(f"    ... {len(found)} differences")
    print(f"{len(jobs)} outputs compared, {kinds.total()} differ: {dict(kinds)}")
    return int(bool(kinds))


def jobs_of(folder: Path) -> list[list[str]]:
    """Every command on every input below a folder."""
    events = sorted({path.parent for path in folder.rglob("players.csv")})
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in EVENT_SUFFIXES and not any(path.is_relative_to(event) for event in events)
    )
    return [
        [command[0], *command[1:], str(path), "--json"]
        for path in [*events, *files]
        for command in COMMANDS
        if command[0] != "study" or path.suffix in (".csv", ".parquet")
    ]


def answers(root: Path, jobs: list[list[str]]) -> list[list[Any]]:
    """Exit code and output of every job, by the program of one checkout."""
    done = subprocess.run(
        [root / ".venv" / "bin" / "python", "-c", WORKER],
        cwd=root,
        input="".join(json.dumps(job) + "\n" for job in jobs),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences(one: list[Any], other: list[Any]) -> list[str]:
    """Where two answers differ, a line each: place in the JSON, before, after."""
    if one == other:
        return []
    found = [] if one[0] == other[0] else [f"exit code: {one[0]} -> {other[0]}"]
    try:
        before, after = json.loads(one[1]), json.loads(other[1])
    except ValueError:
        return found or ["the output is no JSON in one of them"]
    return found + list(walk(before, after, ""))


def walk(one: Any, other: Any, place: str):
    """Differences of two JSON values, depth first."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from walk(one.get(key, "(absent)"), other.get(key, "(absent)"), f"{place}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (first, second) in enumerate(zip(one, other, strict=True)):
            yield from walk(first, second, f"{place}[{index}]")
    elif one != other:
        yield f"{place}: {json.dumps(one, ensure_ascii=False)[:120]} -> {json.dumps(other, ensure_ascii=False)[:120]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
