"""Whole processes as a user starts them, imports included: `qiyi rate` and `qiyi audit` on 200 players and 9 rounds."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import Measurement, environment, median_seconds
from benchmarks.events import write_event

# What the interface promises for one core of an ordinary server.
RATE_SECONDS = 1.0
AUDIT_SECONDS = 5.0


def measure(smoke: bool) -> Iterator[Measurement]:
    """Time the two commands; with ``smoke`` on 20 players."""
    players, repetitions = (20, 1) if smoke else (200, 5)
    with tempfile.TemporaryDirectory() as folder:
        event = write_event(Path(folder) / "open", players, 9, mistakes=3)
        out = str(Path(folder) / "out")

        def qiyi(*arguments: str) -> None:
            command = [sys.executable, "-m", "qiyi_analysis", *arguments]
            done = subprocess.run(command, capture_output=True, check=False, env=environment())
            if done.returncode > 1:
                raise RuntimeError(done.stderr.decode("utf-8", "replace"))

        seconds = median_seconds(lambda: qiyi("rate", str(event), "--json"), repetitions)
        yield Measurement(
            work=f"qiyi rate, {players} x 9, whole process", value=seconds, unit="s", limit=RATE_SECONDS
        )
        seconds = median_seconds(
            lambda: qiyi("audit", str(event), "--formats", "pdf", "--out", out), repetitions
        )
        yield Measurement(
            work=f"qiyi audit to PDF, {players} x 9, whole process",
            value=seconds,
            unit="s",
            limit=AUDIT_SECONDS,
        )
