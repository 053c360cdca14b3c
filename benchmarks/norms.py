"""The search for norms: an open of 300 women in which everybody may try for all four, in 9 and in 13 rounds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from benchmarks import Measurement, median_seconds
from benchmarks.standings import swiss
from qiyi_analysis.model.event import Event
from qiyi_analysis.rules.ruleset import ruleset
from qiyi_analysis.titles import titles


def measure(smoke: bool = False) -> Iterator[Measurement]:
    """Titles and norms of everybody, after reading."""
    rules = ruleset("fide/titles/2024-01-01")
    for players, rounds in ((30, 5),) if smoke else ((300, 9), (300, 13)):
        event = strong_open(players, rounds)
        yield Measurement(
            work=f"all norms of an open, {players} x {rounds}, after reading",
            value=median_seconds(lambda event=event: titles(event, rules), 1 if smoke else 5),
            unit="s",
            limit=2.0,
        )


def strong_open(players: int, rounds: int) -> Event:
    """An open with ratings, federations and titles from which norms can come."""
    draw = random.Random(1)
    event = swiss(players, rounds)
    return replace(
        event.with_players(
            rating=[float(round(draw.gauss(2330, 150))) for _ in range(players)],
            federation=[
                draw.choice(["FRA", "FRA", "GER", "ITA", "ESP", "POL", "CHN", "IND"]) for _ in range(players)
            ],
            title=[draw.choice(["IM", "FM", "WGM", "WIM", "", "CM", "WFM"]) for _ in range(players)],
            sex=["w"] * players,
        ),
        federation="FRA",
    )
