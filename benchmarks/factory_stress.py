"""The report factory under strain; no part of ``python -m benchmarks``, which only measures.

    python -m benchmarks.factory_stress                    # 500 jobs, 30 kills: some minutes
    python -m benchmarks.factory_stress --jobs 20 --kills 5

1. Many small jobs, one in twenty of them damaged: every sound one gives its report, every damaged one an
   explanation, and the memory of the process that directs them stays where it was.
2. A batch killed by SIGKILL at random moments and resumed: what lies there in the end is what an undisturbed
   batch leaves, byte for byte.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.events import write_event
from qiyi_analysis.app.batch import Outcome, read_jobs, run_batch
from qiyi_analysis.app.batch.outcome import DONE, FAILED

ONE_IN = 20
#: Growth of the directing process from the first tenth of the jobs to the last, in MB, that still counts as flat.
FLAT = 20.0
#: A batch lives so many seconds at least and at most before it is killed.
LIFE = (0.3, 6.0)


def main() -> int:
    """Both parts; prints one JSON object, 1 when something does not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.factory_stress", description=__doc__)
    parser.add_argument("--jobs", type=int, default=500)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = many_jobs(Path(name) / "many", arguments.jobs)
        found |= killed_and_resumed(Path(name) / "killed", arguments.kills, arguments.seed)
    print(json.dumps(found, indent=1))
    return 0 if found["as_expected"] and found["memory_flat"] and found["same_after_kills"] else 1


def many_jobs(folder: Path, count: int) -> dict[str, object]:
    """Run ``count`` jobs in this process and tell what became of them and of its memory."""
    jobs = read_jobs(write_jobs(folder, count, damaged=count // ONE_IN))
    memory: list[float] = []
    started = time.perf_counter()
    outcomes = run_batch(jobs, folder / "out", finished=lambda outcome: memory.append(resident()))
    seconds = time.perf_counter() - started
    failed = [one for one in outcomes if one.state == FAILED]
    reports = [one for one in outcomes if one.state == DONE and _is_there(folder / "out", one)]
    explained = [
        one for one in failed if one.message and not one.message.startswith("a fault of the program")
    ]
    marks = {"first_tenth": count // 10, "middle": count // 2, "end": count - 1}
    return {
        "jobs": count,
        "reports": len(reports),
        "explained_failures": len(explained),
        "as_expected": len(explained) == count // ONE_IN and len(reports) == count - count // ONE_IN,
        "messages": sorted({one.message.rsplit("/", 1)[-1] for one in failed})[:8],
        "seconds": round(seconds, 1),
        "memory_mb": {name: round(memory[at], 1) for name, at in marks.items()},
        "memory_flat": memory[-1] - memory[count // 10] < FLAT,
    }


def killed_and_resumed(folder: Path, kills: int, seed: int) -> dict[str, object]:
    """Kill a batch ``kills`` times at random moments, resume it each time, and compare with an undisturbed one."""
    chance = random.Random(seed)
    jobs = write_jobs(folder, max(4 * kills, 20), damaged=2)
    _batch(jobs, folder / "undisturbed").wait()
    expected = hashes(folder / "undisturbed")
    same = True
    done = finished = 0
    out = folder / "out0"
    while done < kills:
        batch = _batch(jobs, out)
        try:
            batch.wait(chance.uniform(*LIFE))
        except subprocess.TimeoutExpired:
            batch.kill()
            batch.wait()
            done += 1
        else:
            # It came to its end: compared, and the rest of the kills fall on a new one.
            same &= hashes(out) == expected
            finished += 1
            out = folder / f"out{finished}"
    _batch(jobs, out).wait()
    same &= hashes(out) == expected
    return {"kills": done, "batches": finished + 1, "files": len(expected), "same_after_kills": same}


def write_jobs(folder: Path, count: int, damaged: int) -> Path:
    """A table of ``count`` audits of small events, ``damaged`` of them of files that cannot be read."""
    folder.mkdir(parents=True)
    events = [write_event(folder / f"event{seed}", 12, 5, seed=seed, mistakes=seed % 2) for seed in range(10)]
    table = folder / "jobs.csv"
    step = count // damaged
    with table.open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file).writerow
        write(["command", "input", "formats", "out"])
        for number in range(count):
            if number % step == step // 2 and number // step < damaged:
                path = folder / f"damaged{number}.trf"
                path.write_bytes(DAMAGES[number // step % len(DAMAGES)])
            else:
                path = events[number % len(events)]
            write(["audit", str(path), "pdf;json", f"job{number:03}"])
    return table


DAMAGES = (
    b"",
    b"\x00\x01\x02 no event",
    b"PK\x03\x04 cut off",
    b"<html><body>503</body></html>",
    b'{"half": ',
)


def hashes(folder: Path) -> dict[str, str]:
    """Name -> hash of everything a batch leaves."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def resident() -> float:
    """Memory of this process in MB; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * 4096 / 1e6


def _is_there(out: Path, outcome: Outcome) -> bool:
    return any(
        (out / name).read_bytes().startswith(b"%PDF") for name in outcome.files if name.endswith("pdf")
    )


def _batch(jobs: Path, out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "qiyi_analysis", "batch", str(jobs), "--resume", "--out", str(out)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    sys.exit(main())
