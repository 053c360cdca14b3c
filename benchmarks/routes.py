"""From notebook to PDF: `qiyi audit` beside papermill followed by nbconvert, on the same notebook in one run.

The usual route is ``nbconvert --to webpdf``. It needs a browser that playwright has downloaded; where only a browser of
the system is at hand, ``nbconvert --to html`` and that browser's own printing stand for it. Without a browser the HTML alone is
measured, which flatters the usual route.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import Measurement, environment, median_seconds
from benchmarks.commands import AUDIT_SECONDS
from benchmarks.events import write_event

ROOT = Path(__file__).resolve().parents[1]


def measure(smoke: bool) -> Iterator[Measurement]:
    """Time both routes on a constructed event of 200 players and 9 rounds; with ``smoke`` on 20 players, once."""
    players, repetitions = (20, 1) if smoke else (200, 3)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        event = write_event(here / "open", players, 9)
        ours = [
            sys.executable,
            "-m",
            "qiyi_analysis",
            "audit",
            str(event),
            "--formats",
            "pdf",
            "--out",
            str(here),
        ]
        label, usual = usual_route(event, here)
        seconds = median_seconds(lambda: run(ours), repetitions)
        peer = median_seconds(lambda: [run(step) for step in usual], repetitions)
        yield Measurement(
            work=f"notebook to PDF, {players} x 9, whole processes",
            value=seconds,
            unit="s",
            limit=AUDIT_SECONDS,
            peer=label,
            peer_value=peer,
        )


def usual_route(event: Path, folder: Path) -> tuple[str, list[list[str]]]:
    """The steps of the usual route, as far as this machine has what it needs, and what to call it."""
    executed, page = folder / "executed.ipynb", folder / "executed.html"
    notebook = ROOT / "notebooks" / "audit_event.ipynb"
    steps = [
        [
            sys.executable,
            "-m",
            "papermill",
            str(notebook),
            str(executed),
            "-p",
            "event",
            str(event),
            "-k",
            "python3",
        ],
        [
            sys.executable,
            "-m",
            "nbconvert",
            "--to",
            "html",
            "--no-input",
            "--output",
            page.name,
            str(executed),
        ],
    ]
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        return "papermill, nbconvert to HTML only", steps
    printing = [
        browser,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--print-to-pdf={folder / 'usual.pdf'}",
    ]
    return "papermill, nbconvert, browser", [*steps, [*printing, page.as_uri()]]


def run(command: list[str]) -> None:
    """Run one step. Raises RuntimeError with what it said when it did not do its work."""
    done = subprocess.run(command, capture_output=True, check=False, cwd=ROOT, env=environment())
    if done.returncode > 1 or (done.returncode == 1 and "qiyi_analysis" not in command):
        raise RuntimeError(done.stderr.decode("utf-8", "replace")[-2000:])
