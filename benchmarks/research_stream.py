"""A history larger than memory: 50 K values over many million games streamed from Parquet on two cores.

    python -m benchmarks research_stream                     (10 million games)
    python -m benchmarks.research_stream --games 100000000 [--folder DIR] [--keep]

Makes a packed history in pieces (20,000 players, 120 months, seed fixed), sweeps it in a process of its own and prints
seconds, games a second and the peak memory of that process. Run it at 10 and 100 million: growth should be linear.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks import Measurement

PLAYERS, MONTHS, PIECE = 20_000, 120, 1_000_000

SWEEP = """
import json, resource, sys, time
import numpy as np
from qiyi_analysis.research.history.history_files import open_packed
from qiyi_analysis.research.sweeps.k_sweep import sweep
games = open_packed(sys.argv[1])
begin = time.perf_counter()
swept = sweep(games, np.linspace(2, 100, 50), update="period", scored_from=12, threads=int(sys.argv[2]), by_player=False)
seconds = time.perf_counter() - begin
best = swept.candidates["k"][swept.best()]
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "scored": swept.scored, "best": best,
                  "peak_gb": used.ru_maxrss / 1024**2}))
"""


def make(path: Path, games: int) -> None:
    """Write the games piece by piece, in order of time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(20_260)
    strength = rng.normal(0, 250, PLAYERS)
    about = {
        "qiyi.players": str(PLAYERS), "qiyi.periods": str(MONTHS), "qiyi.period_length": "month",
        "qiyi.period_origin": str((2010 - 1970) * 12), "qiyi.discipline": "",
    }  # fmt: skip
    schema = pa.schema(
        [("first", pa.int32()), ("second", pa.int32()), ("half_points", pa.int8()), ("period", pa.int32())],
        metadata=about,
    )
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=1) as file:
        for begin in range(0, games, PIECE):
            n = min(PIECE, games - begin)
            period = ((begin + np.arange(n)) * MONTHS // games).astype(np.int32)
            first = rng.integers(0, PLAYERS, n, dtype=np.int32)
            second = ((first + 1 + rng.integers(0, PLAYERS - 1, n, dtype=np.int32)) % PLAYERS).astype(
                np.int32
            )
            p = 1 / (1 + 10 ** (-(strength[first] - strength[second] + 30) / 400))
            halves = rng.binomial(2, p).astype(np.int8)
            strength += rng.normal(0, 12 * np.sqrt(PIECE * MONTHS / games), PLAYERS)
            file.write_table(pa.table([first, second, halves, period], schema=schema), row_group_size=PIECE)


def swept(path: Path, threads: int) -> dict[str, float]:
    """Sweep in a process of its own: seconds, cpu seconds, peak memory."""
    done = subprocess.run(
        [sys.executable, "-c", SWEEP, str(path), str(threads)], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def measure(smoke: bool) -> Iterator[Measurement]:
    """Ten million games (a hundred thousand in a smoke run): time for each hundred million, and peak memory."""
    games = 100_000 if smoke else 10_000_000
    with TemporaryDirectory() as folder:
        path = Path(folder) / "games.parquet"
        make(path, games)
        found = swept(path, 2)
    scale = 100_000_000 / games
    yield Measurement(
        work=f"{games:,} games x 50 K streamed, for 100 million",
        value=found["seconds"] * scale,
        unit="s",
        limit=None if smoke else 120.0,
    )
    yield Measurement(work="peak memory while streaming", value=found["peak_gb"], unit="GB", limit=8.0)


def main() -> int:
    """Make, sweep, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10_000_000)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"games-{options.games}.parquet"
        if not path.exists():
            begin = time.perf_counter()
            make(path, options.games)
            print(
                f"made {path.name}: {path.stat().st_size / 1e6:.0f} MB in {time.perf_counter() - begin:.0f} s",
                flush=True,
            )
        found = swept(path, options.threads)
        print(
            f"{options.games:,} games x 50 K on {options.threads} threads: {found['seconds']:.1f} s "
            f"({1e9 * found['seconds'] / options.games:.0f} ns/game, {found['cpu']:.0f} s of processor time), peak {found['peak_gb']:.2f} GB, best K {found['best']:g}"
        )
        if options.folder and not options.keep:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
