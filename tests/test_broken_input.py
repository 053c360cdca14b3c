"""Inputs on which a right publication was accused, or a number read as another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qiyi_analysis import audit, read_event
from qiyi_analysis.time_control import player_minutes

PLAYERS = "no,name,sex,birth_year,rating,k\n1,A,m,1980,1510,20\n2,B,m,1980,1520,20\n3,C,w,1980,1530,20\n4,D,m,1980,1540,20\n"
GAMES = "round,white,black,white_score,black_score,kind\n1,1,2,1,0,played\n1,3,4,0.5,0.5,played\n"
META = {
    "title": "T", "game": "chess", "format": "swiss", "rounds": 1, "start": "2025-03-01", "end": "2025-03-01",
    "rules": ["fide/rating-standard/2024-03-01"],
}  # fmt: skip


def folder(place: Path, official: str, games: str = GAMES, players: str = PLAYERS, **meta: Any) -> Path:
    place.mkdir(exist_ok=True)
    (place / "players.csv").write_text(players, encoding="utf-8")
    (place / "games.csv").write_text(games, encoding="utf-8")
    (place / "meta.json").write_text(json.dumps({**META, **meta}), encoding="utf-8")
    if official:
        (place / "official.csv").write_text(official, encoding="utf-8")
    return place


def asked(place: Path) -> list[tuple[str, str, int]]:
    """Code, reason and player of every finding that returns or asks."""
    return [(f.code, f.reason, f.player) for f in audit(read_event(place)).findings if f.severity in "EW"]


@pytest.mark.parametrize(
    "text",
    ["90/40+30", "1:30+30", "5400/30", "90 Min. + 30 Sek.", "1-40: 90 min, 41-: 30 min", "2 games of 30 min"],
)
def test_half_read_time_control_is_not_read(text: str) -> None:
    assert player_minutes(text) is None


@pytest.mark.parametrize(
    ("text", "minutes"), [("100'x40+15'+30\"", 145), ("90'/40 + 30' + 30''", 150), ("40/90+30", 120)]
)
def test_moves_are_no_time(text: str, minutes: int) -> None:
    assert player_minutes(text) == minutes
