"""Fifty audits with a PDF each: `qiyi batch` beside the plain loop of papermill and the same exporter, in one run."""

from __future__ import annotations

import csv
import hashlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import Measurement
from benchmarks.events import write_event

#: The batch must be so many times as fast as the loop on the cores of this machine (two at least).
TIMES_THE_LOOP = 4.0

#: What anybody would write: a kernel for each notebook, then the export, one after the other.
PLAIN_LOOP = """
import csv, sys
from pathlib import Path
import papermill
from qiyi_analysis.report.export import document, pdf
from qiyi_analysis.report.run.parameters import find_notebook
from qiyi_analysis.report.run.render import stripped
notebook, out = find_notebook("audit_event"), Path(sys.argv[2])
for row in csv.DictReader(open(sys.argv[1], encoding="utf-8")):
    executed = papermill.execute_notebook(
        str(notebook), str(out / f"{row['out']}.ipynb"), parameters={"event": row["input"]}, progress_bar=False
    )
    name = f"{Path(row['input']).name}-audit"
    (out / f"{row['out']}.pdf").write_bytes(pdf(document(stripped(executed), name)))
"""


def measure(smoke: bool = False) -> Iterator[Measurement]:
    """Time both ways as whole processes on the same events; with ``smoke`` on three small ones."""
    count = 3 if smoke else 50
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        jobs = write_jobs(here, count)
        (here / "loop").mkdir()
        started = time.perf_counter()
        batch = ["-m", "qiyi_analysis", "batch", str(jobs), "--out", str(here / "batch")]
        done = subprocess.run([sys.executable, *batch], capture_output=True, check=False)
        quick = time.perf_counter() - started
        if done.returncode > 1:
            raise RuntimeError(done.stderr.decode("utf-8", "replace"))
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", PLAIN_LOOP, str(jobs), str(here / "loop")], check=True, capture_output=True
        )
        plain = time.perf_counter() - started
        same = sum(
            _sha256(path) == _sha256(next((here / "batch" / path.stem).glob("*.pdf")))
            for path in (here / "loop").glob("*.pdf")
        )
    if same != count:
        raise RuntimeError(f"{count - same} of {count} reports differ between the two ways")
    yield Measurement(
        work=f"{count} audits with PDFs, whole process, qiyi batch",
        value=quick,
        unit="s",
        limit=None if smoke else plain / TIMES_THE_LOOP,
        peer="plain loop",
        peer_value=plain,
    )


def write_jobs(folder: Path, count: int) -> Path:
    """``count`` different events of 30 to 60 players and the table of their audits."""
    jobs = folder / "jobs.csv"
    with jobs.open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file).writerow
        write(["command", "input", "formats", "out"])
        for seed in range(count):
            event = write_event(
                folder / f"event{seed:02}", 30 + 2 * (seed * 7 % 16), 9, seed=seed, mistakes=seed % 4
            )
            write(["audit", str(event), "pdf", f"job{seed:02}"])
    return jobs


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
