"""Histories from folders of events and of lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.from_events import history_from_folder

PLAYERS = "no,id,name,rating,birth_year\n1,0011,Ann,1500,1990\n2,12,Bob,1600,\n3,,Cai,1400,2008\n"
GAMES = (
    "round,board,white,black,white_score,black_score,kind\n1,1,1,2,1,0,played\n1,,3,,1,,full_bye\n"
    "2,1,2,3,0.5,0.5,played\n2,,1,,0.5,,half_bye\n"
)


def folder(place: Path, name: str, start: str, games: str = GAMES) -> None:
    own = place / name
    own.mkdir(parents=True)
    (own / "meta.json").write_text(
        f'{{"slug": "{name}", "title": "{name}", "game": "chess", "start": "{start}"}}'
    )
    (own / "players.csv").write_text(PLAYERS)
    (own / "games.csv").write_text(games)


def test_a_folder_of_events_is_a_history(tmp_path: Path) -> None:
    folder(tmp_path / "events", "spring", "2024-04-01")
    folder(tmp_path / "events", "winter", "2024-01-01", GAMES.replace("1,1,1,2,1,0", "1,1,2,1,1,0"))
    (tmp_path / "lists").mkdir()
    for day, rating in (("2023-12-01", 1480), ("2024-03-01", 1510)):
        (tmp_path / "lists" / f"list-{day}.csv").write_text(
            f"id,name,rating,birth_year\n11,Ann,{rating},1990\n"
        )
    history = history_from_folder(tmp_path / "events", tmp_path / "lists")
    names = history.players["player"].to_numpy()
    assert [(names[a], names[b], h) for a, b, h in zip(history.first, history.second, history.half_points, strict=True)] == [
        ("12", "11", 2), ("12", "cai", 1), ("11", "12", 2), ("12", "cai", 1),
    ]  # fmt: skip
    assert history.events == ("winter", "spring")
    assert history.extra["first_rating"].tolist() == [1600, 1600, 1500, 1600]
    people = history.players.set_index("player")
    assert people.loc["11", "start"] == 1480
    assert people.loc["11", "birth_year"] == 1990
    assert people.loc["cai", "birth_year"] == 2008
    assert history.discipline == "chess"
    with pytest.raises(ParameterError):
        history_from_folder(tmp_path / "none")
