"""Lists: a federation rolled over two years by `qiyi list --from --to`, a list made from thousands of reports."""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from benchmarks import Measurement

#: Players and rounds of each event: 100 games.
FIELD, ROUNDS = 20, 10
PLAYERS, EVENTS, MONTHS = 50_000, 2_400, 24


def measure(smoke: bool = False) -> Iterator[Measurement]:
    """The command over two years of a federation, from its reports on the disk; one period from reports in memory."""
    yield from _rolled(*((400, 24) if smoke else (PLAYERS, EVENTS)))
    yield from _reports(40 if smoke else 2_000)


def _rolled(players: int, events: int) -> Iterator[Measurement]:
    """`qiyi list --from 2024-05 --to 2026-04` in a process of its own, so that its memory can be told."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_federation(folder, players, events)
        given = ["--rules", "fide/rating-standard", "--previous", str(folder / "list-2024-04-01.csv")]
        given += ["--events", str(folder / "events"), "--from", "2024-05", "--to", "2026-04"]
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "qiyi_analysis", "list", *given, "--out", str(folder / "out")], check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        seconds = time.perf_counter() - started
        lists = len([*(folder / "out").glob("*.csv")])
    assert lists == MONTHS, lists
    gigabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    title = f"qiyi list over {MONTHS} months, {players:,} players, {events:,} reports"
    yield Measurement(work=title, value=seconds, unit="s")
    yield Measurement(work=f"{title}: memory at most", value=gigabytes, unit="GB")


def _write_federation(folder: Path, players: int, events: int) -> None:
    """A list, and reports of like fields whose results follow the ratings."""
    rng = np.random.default_rng(11)
    rating = np.clip(rng.normal(1750, 280, players), 1400, 2800).round()
    order = np.argsort(rating)
    with (folder / "list-2024-04-01.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "name", "rating", "games"])
        writer.writerows(
            [i + 1, f"P{i + 1}", int(r) if i % 5 else "", 30] for i, r in enumerate(rating.tolist())
        )
    window = min(2000, players)
    for e in range(events):
        at = int(rng.integers(0, players - window + 1))
        field = rng.permutation(order[at + rng.choice(window, FIELD, replace=False)])
        one = folder / "events" / f"e{e:05d}"
        one.mkdir(parents=True)
        with (one / "players.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows(
                [("no", "id", "name"), *((n, p + 1, f"P{p + 1}") for n, p in enumerate(field.tolist(), 1))]
            )
        games = [("round", "white", "black", "white_score", "black_score", "kind")]
        for r in range(ROUNDS):
            seat = rng.permutation(FIELD)
            for a, b in zip(seat[0::2].tolist(), seat[1::2].tolist(), strict=True):
                expected = 1 / (1 + 10 ** ((rating[field[b]] - rating[field[a]]) / 400))
                score = float(np.clip(np.round(2 * expected + rng.normal(0, 0.7)), 0, 2)) / 2
                games.append((r + 1, a + 1, b + 1, score, 1 - score, "played"))
        with (one / "games.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows(games)
        end = date(2024, 4, 3) + timedelta(days=int(e * 720 / events))
        meta = {
            "slug": one.name,
            "game": "chess",
            "format": "Swiss",
            "start": str(end - timedelta(days=4)),
            "end": str(end),
        }
        (one / "meta.json").write_text(json.dumps(meta))


def _reports(count: int) -> Iterator[Measurement]:
    """One period from reports in memory: the whole path of `qiyi list` after reading."""
    from qiyi_analysis.lists import rebuild_list
    from qiyi_analysis.model.event import make_event
    from qiyi_analysis.model.rating_list import make_list

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
