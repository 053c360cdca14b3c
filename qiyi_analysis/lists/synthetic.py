"""A made-up federation of any size: players, events and results from true strengths, with a fixed seed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np

from qiyi_analysis.lists.periods import following, period, preceding
from qiyi_analysis.lists.roll import days, first_list, write_columns
from qiyi_analysis.rules.ruleset import RuleSet

#: Players and rounds of each event: 100 games.
FIELD, ROUNDS = 20, 10
MEAN, SPREAD = 1750.0, 280.0


def write_federation(
    folder: Path, rules: RuleSet, first: str, *, players: int, months: int, events: int, seed: int = 1
) -> int:
    """Write a history for :func:`roll.roll`; ``events`` over all months. Returns the number of games.

    One player in five has no rating at first. One event in ten began under the list before. Fields are
    of like strength; results follow the true strengths with draws.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    strength = rng.normal(MEAN, SPREAD, players)
    birth_year = rng.integers(1950, 2014, players).astype(np.int16)
    sex = np.where(rng.random(players) < 0.12, 1, 0).astype(np.int8)
    write_columns(folder / "players.parquet", {"birth_year": birth_year, "sex": sex})
    floor = min((row["rating_at_least"] for row in rules.rows("publication")), default=1)
    rating = np.rint(strength + rng.normal(0, 60, players)).astype(np.int32)
    rating[(rng.random(players) < 0.2) | (rating < floor)] = 0
    one = period(rules, first)
    before = preceding(rules, one)
    rated = rating > 0
    games = np.where(rated, rng.integers(5, 200, players), 0)
    peak = np.where(rated, rating + rng.integers(0, 120, players), 0)
    last = np.where(rated, days(before.list_day) - rng.integers(5, 500, players), -1)
    first_list(folder, before.id, rating, games=games, peak=peak, last=last)
    order = np.argsort(strength)
    total = 0
    for month in range(months):
        share = events // months + (month < events % months)
        total += _write_period(folder, one.id, one.first, one.last, share, strength, order, rng)
        one = following(rules, one)
    return total


def _write_period(
    folder: Path,
    id: str,
    first: date,
    last: date,
    events: int,
    strength: np.ndarray,
    order: np.ndarray,
    rng: np.random.Generator,
) -> int:
    span = (last - first).days
    end = days(first) + rng.integers(0, span + 1, events)
    length = np.where(rng.random(events) < 0.1, rng.integers(20, 45, events), rng.integers(0, 9, events))
    window = min(2000, len(order))
    centre = rng.integers(0, len(order) - window + 1, events)
    # Players of an event: distinct places in a window of like strength.
    field = order[centre[:, None] + _places(rng, events, window)]
    firsts, seconds = [], []
    for _ in range(ROUNDS):
        seat = np.argsort(rng.random((events, FIELD)), axis=1)
        seated = np.take_along_axis(field, seat, axis=1)
        firsts.append(seated[:, 0::2])
        seconds.append(seated[:, 1::2])
    white, black = np.stack(firsts, axis=1).reshape(-1), np.stack(seconds, axis=1).reshape(-1)
    event = np.repeat(np.arange(events, dtype=np.int32), ROUNDS * FIELD // 2)
    p = 1 / (1 + 10 ** ((strength[black] - strength[white]) / 400))
    draw = np.minimum(p, 1 - p) * 0.6
    dice = rng.random(len(p))
    half_points = np.where(dice < p - draw / 2, 2, np.where(dice < p + draw / 2, 1, 0)).astype(np.int8)
    write_columns(
        folder / f"games-{id}.parquet",
        {
            "event": event,
            "first": white.astype(np.int32),
            "second": black.astype(np.int32),
            "half_points": half_points,
        },
    )
    write_columns(
        folder / f"events-{id}.parquet",
        {"start": (end - length).astype(np.int32), "end": end.astype(np.int32)},
    )
    return len(white)


def _places(rng: np.random.Generator, events: int, window: int) -> np.ndarray:
    """FIELD distinct places per event: evenly spread over the window, shifted by chance."""
    step = window // FIELD
    return np.arange(FIELD) * step + rng.integers(0, step, (events, FIELD))
