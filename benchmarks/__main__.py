"""python -m benchmarks [--smoke] [--out FILE] [NAME ...]: run the benchmarks and write one Markdown table."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from benchmarks import Measurement


def main() -> int:
    """Run what is named, or everything; 1 when a limit is missed (never in a smoke run)."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="modules of this folder; all without one")
    parser.add_argument("--smoke", action="store_true", help="smallest work, to see that everything runs")
    parser.add_argument("--out", type=Path, help="write the table to this file as well")
    arguments = parser.parse_args()
    rows: list[Measurement] = []
    for name in arguments.names or modules():
        print(f"{name} ...", file=sys.stderr, flush=True)
        rows += importlib.import_module(f"benchmarks.{name}").measure(arguments.smoke)
    text = f"{machine()}\n\n{table(rows)}"
    print(text)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
    missed = [row for row in rows if row.reached is False]
    return 1 if missed and not arguments.smoke else 0


def modules() -> list[str]:
    """The benchmarks of this folder: every module with a function `measure`."""
    paths = sorted(Path(__file__).parent.glob("*.py"))
    return [path.stem for path in paths if "\ndef measure(" in path.read_text(encoding="utf-8")]


def machine() -> str:
    """Where and when the table was made."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{date.today()}, {cores} cores {platform.machine()}, {platform.system()}, Python {platform.python_version()}"


def table(rows: Iterable[Measurement]) -> str:
    """The rows as a Markdown table."""
    lines = ["| work | measured | must reach | beside | ratio |", "| --- | ---: | ---: | --- | ---: |"]
    for row in rows:
        limit = (
            "" if row.limit is None else f"{row.limit:.3g} {row.unit}" + ("" if row.reached else " (missed)")
        )
        beside = ratio = ""
        if row.peer_value is not None:
            beside = f"{row.peer}: {row.peer_value:.3g} {row.unit}"
            ratio = f"{row.peer_value / row.value:.3g}"
        lines.append(f"| {row.work} | {row.value:.3g} {row.unit} | {limit} | {beside} | {ratio} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
