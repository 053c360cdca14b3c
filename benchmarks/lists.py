"""Lists: the kernel of a period, a federation rolled forward, a list rebuilt from thousands of reports."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np

from benchmarks import Measurement, median_seconds
from qiyi_analysis.lists.period_kernel import period_games
from qiyi_analysis.lists.synthetic import FIELD, ROUNDS, write_federation
from qiyi_analysis.rating.expected import expected_scores
from qiyi_analysis.rules.ruleset import ruleset

EDITION = "fide/rating-standard/2024-03-01"
#: What the design asks for: nanoseconds per game of the kernel; seconds and gigabytes of the whole federation.
KERNEL, SECONDS, GIGABYTES = 45.0, 60.0, 6.0
PLAYERS, EVENTS, MONTHS = 200_000, 50_000, 24


def measure(smoke: bool = False) -> Iterator[Measurement]:
    """Kernel against a plain loop, the federation at 1/10 and 1/1, one period from reports."""
    yield from _kernel(20_000 if smoke else 1_000_000)
    small = _federation(0.002 if smoke else 0.1)
    yield from small[1]
    if not smoke:
        whole = _federation(1.0)
        yield from whole[1]
        # Linear: ten times the games in ten times the time (a start-up of the process is in both).
        yield Measurement(
            work="rolling 1/1 against 10 x 1/10", value=whole[0] / (10 * small[0]), unit="ratio", limit=1.25
        )
    yield from _reports(40 if smoke else 2_000)


def _kernel(count: int) -> Iterator[Measurement]:
    rng = np.random.default_rng(3)
    players = 20_000
    first, second = (rng.integers(0, players, count).astype(np.int32) for _ in range(2))
    half = rng.integers(0, 3, count).astype(np.int8)
    end = np.zeros(count, dtype=np.int32)
    rating = rng.integers(1400, 2700, players).astype(np.int32)
    table = expected_scores(ruleset(EDITION)).high.astype(np.int32)
    sums = [np.zeros(players, dtype=np.int32) for _ in range(3)]

    def compiled() -> None:
        period_games(first, second, half, end, rating, rating, table, 400, 2**31 - 1, *sums)

    few = max(1, count // 20)
    lists = [column[:few].tolist() for column in (first, second, half)]
    ratings, bands = rating.tolist(), table.tolist()

    def plain() -> None:
        surplus, games = [0] * players, [0] * players
        for a, b, h in zip(*lists, strict=True):
            d = max(-400, min(400, ratings[a] - ratings[b]))
            e = bands[d] if d >= 0 else 100 - bands[-d]
            surplus[a] += 50 * h - e
            surplus[b] += 50 * (2 - h) - (100 - e)
            games[a] += 1
            games[b] += 1

    yield Measurement(
        work=f"period kernel, {count:,} games", value=median_seconds(compiled) / count * 1e9, unit="ns/game", limit=KERNEL,
        peer="plain loop", peer_value=median_seconds(plain, 3) / few * 1e9,
    )  # fmt: skip


def _federation(share: float) -> tuple[float, list[Measurement]]:
    """Roll a share of the federation in a process of its own, so that its memory can be told."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        games = write_federation(
            folder / "history", ruleset(EDITION), "2024-05", players=int(PLAYERS * share), months=MONTHS,
            events=int(EVENTS * share), seed=11,
        )  # fmt: skip
        code = (
            "from pathlib import Path; from qiyi_analysis.lists.roll import roll\n"
            f"for _ in roll(Path({str(folder / 'history')!r}), Path({str(folder / 'out')!r}), {EDITION!r}, '2024-05', '2026-04'): pass"
        )
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        seconds = time.perf_counter() - started
    gigabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    title = f"rolling {int(PLAYERS * share):,} players, {games:,} games, {MONTHS} months, whole process"
    return seconds, [
        Measurement(work=title, value=seconds, unit="s", limit=SECONDS * share if share == 1 else None),
        Measurement(work=f"{title}: memory at most", value=gigabytes, unit="GB", limit=GIGABYTES),
    ]


def _reports(count: int) -> Iterator[Measurement]:
    """One period from reports in memory: the whole path of `qiyi list` after reading."""
    from qiyi_analysis.lists import rebuild_list
    from qiyi_analysis.model.event import make_event, make_list

    rng = np.random.default_rng(5)
    pool = count * 4
    old = make_list(
        {"id": [str(i) for i in range(pool)], "name": [f"P{i}" for i in range(pool)],
         "rating": rng.integers(1400, 2600, pool).astype(float), "k": np.full(pool, 20.0)},
        id="list-2025-11-01", day=date(2025, 11, 1),
    )  # fmt: skip
    halves = {2: ("1", "0"), 1: ("=", "="), 0: ("0", "1")}
    events = []
    for e in range(count):
        who = rng.choice(pool, FIELD, replace=False)
        games: dict[str, list[object]] = {
            n: [] for n in ("round", "first", "second", "first_result", "second_result", "kind")
        }
        for round in range(1, ROUNDS + 1):
            seat = rng.permutation(FIELD) + 1
            for a, b, h in zip(seat[0::2], seat[1::2], rng.integers(0, 3, FIELD // 2), strict=True):
                for name, value in zip(games, (round, a, b, *halves[int(h)], "played"), strict=True):
                    games[name].append(value)
        players = {
            "number": np.arange(1, FIELD + 1),
            "id": [str(w) for w in who],
            "name": [f"P{w}" for w in who],
        }
        events.append(
            make_event(
                id=f"e{e}",
                players=players,
                games=games,
                format="swiss",
                start=date(2025, 11, 3),
                end=date(2025, 11, 9),
            )
        )
    started = time.perf_counter()
    rebuild_list(events, "fide/rating-standard", [old], "2025-12")
    seconds = time.perf_counter() - started
    yield Measurement(
        work=f"a list from {count:,} reports of {FIELD} players, 100 games each", value=seconds, unit="s"
    )
