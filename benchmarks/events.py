"""Constructed Swiss events in the folder format, with the changes an officer published; the same for the same seed."""

from __future__ import annotations

import csv
import itertools
import json
import math
import random
from pathlib import Path

from qiyi_analysis.rating import rate
from qiyi_analysis.readers import read_event
from qiyi_analysis.rules.ruleset import ruleset

RULES = "fide/rating-standard/2024-03-01"
ROUND_HEADS = ("round", "board", "white", "black", "white_score", "black_score", "kind")


def write_event(folder: Path, players: int, rounds: int, *, seed: int = 2024, mistakes: int = 0) -> Path:
    """Write an event of ``players`` (an even number) and return its folder.

    Nobody meets twice, the stronger score more, and the published points, expected scores and changes are right
    except for ``mistakes`` changes.
    """
    chance = random.Random(seed)
    folder.mkdir(parents=True)
    ratings = sorted((chance.randint(1500, 2500) for _ in range(players)), reverse=True)
    with (folder / "players.csv").open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file).writerow
        write(["no", "id", "name", "fed", "sex", "birth_year", "rating", "k"])
        for number, rating in enumerate(ratings, 1):
            k = 10 if rating >= 2400 else 20
            sex, born = chance.choice("mmmw"), chance.randint(1950, 2004)
            write([number, 500_000 + number, f"Player {number:03}", "NOR", sex, born, rating, k])
    points = dict.fromkeys(range(1, players + 1), 0.0)
    met: set[frozenset[int]] = set()
    with (folder / "games.csv").open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file).writerow
        write(ROUND_HEADS)
        for number in range(1, rounds + 1):
            for board, (white, black) in enumerate(_paired(points, met, chance), 1):
                result = _result(ratings[white - 1] - ratings[black - 1], chance)
                points[white] += result
                points[black] += 1 - result
                write([number, board, white, black, result, 1 - result, "played"])
    meta = {
        "slug": f"constructed-open-{seed}",
        "title": f"Constructed open {seed}",
        "game": "chess",
        "format": "Swiss",
        "rounds": rounds,
        "players": players,
        "start": "2024-05-01",
        "end": "2024-05-09",
        "time_control": "90+30",
    }
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    _publish(folder, points, set(chance.sample(sorted(points), mistakes)))
    return folder


def _paired(
    points: dict[int, float], met: set[frozenset[int]], chance: random.Random
) -> list[tuple[int, int]]:
    """Neighbours in the standings who have not met; drawn again, more loosely, where the last ones would have to."""
    for attempt in itertools.count(1):
        order = sorted(points, key=lambda player: -points[player] + attempt * 0.1 * chance.random())
        pairs: list[tuple[int, int]] = []
        while order:
            first = order.pop(0)
            at = next((i for i, other in enumerate(order) if frozenset((first, other)) not in met), None)
            if at is None:
                break
            second = order.pop(at)
            pairs.append((first, second) if chance.random() < 0.5 else (second, first))
        else:
            met.update(frozenset(pair) for pair in pairs)
            return pairs
    raise AssertionError


def _result(difference: int, chance: random.Random) -> float:
    expected = 1 / (1 + math.pow(10, -difference / 400))
    if chance.random() < 0.3:
        return 0.5
    return float(chance.random() < expected)


def _publish(folder: Path, points: dict[int, float], wrong: set[int]) -> None:
    rated = rate(read_event(folder), ruleset(RULES)).players
    with (folder / "official.csv").open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file).writerow
        write(["no", "points", "expected_score", "rating_change"])
        for number, expected, change in zip(
            rated["number"], rated["we"], rated["rounded_change"], strict=True
        ):
            printed = "" if change is None else change + 3 if number in wrong else change
            write([number, points[number], "" if expected is None else expected, printed])
