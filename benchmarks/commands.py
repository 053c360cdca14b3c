"""Whole processes as a user starts them, imports included: `qiyi rate` and `qiyi audit` on 200 players and 9 rounds."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import Measurement, median_seconds

# What the interface promises for one core of an ordinary server.
RATE_SECONDS = 1.0
AUDIT_SECONDS = 5.0


def measure(smoke: bool) -> Iterator[Measurement]:
    """Time the two commands; with ``smoke`` on 20 players."""
    players, repetitions = (20, 1) if smoke else (200, 5)
    with tempfile.TemporaryDirectory() as folder:
        event = write_event(Path(folder) / "open", players, 9)
        out = str(Path(folder) / "out")

        def qiyi(*arguments: str) -> None:
            done = subprocess.run(
                [sys.executable, "-m", "qiyi_analysis", *arguments], capture_output=True, check=False
            )
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


def write_event(folder: Path, players: int, rounds: int) -> Path:
    """Write a constructed Swiss event in the folder format, the same every time; returns the folder."""
    chance = random.Random(2024)
    folder.mkdir()
    ratings = [chance.randint(1500, 2500) for _ in range(players)]
    with (folder / "players.csv").open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file).writerow
        write(["no", "name", "fed", "sex", "birth_year", "rating", "k"])
        for number, rating in enumerate(ratings, 1):
            write([number, f"Player {number:03}", "NOR", "m", 1990, rating, 10 if rating >= 2400 else 20])
    points = dict.fromkeys(range(1, players + 1), 0.0)
    with (folder / "games.csv").open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file).writerow
        write(["round", "board", "white", "black", "white_score", "black_score", "kind"])
        for number in range(1, rounds + 1):
            order = sorted(points, key=lambda player: (-points[player], chance.random()))
            for board, (white, black) in enumerate(zip(order[::2], order[1::2], strict=True), 1):
                result = chance.choice([0, 0.5, 1])
                points[white] += result
                points[black] += 1 - result
                write([number, board, white, black, result, 1 - result, "played"])
    meta = {
        "slug": "constructed-open",
        "title": "Constructed open",
        "game": "chess",
        "format": "Swiss",
        "rounds": rounds,
        "players": players,
        "start": "2024-05-01",
        "end": "2024-05-09",
    }
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    return folder
