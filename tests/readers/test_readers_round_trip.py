"""Reading what was written gives the same tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from events_made import made_event

from qiyi_analysis.model.event import Event, sides
from qiyi_analysis.readers import read_event
from qiyi_analysis.readers.writers.event_writer import write_event

FACTS = (
    "name",
    "discipline",
    "federation",
    "format",
    "rounds",
    "start",
    "end",
    "place",
    "time_control",
    "scoring",
    "arbiters",
)


def with_points(event: Event) -> Event:
    """The event with the points of its games printed, as every report file has them."""
    own = sides(event.games)
    sums = own.groupby("player")["points"].sum()
    return event.with_players(points=[float(sums.get(n, 0.0)) for n in event.players["number"]])


def same_table(written: pd.DataFrame, read: pd.DataFrame, keys: list[str]) -> None:
    one, two = (
        table.sort_values(keys).reset_index(drop=True).drop(columns=["line"]) for table in (written, read)
    )
    pd.testing.assert_frame_equal(one, two, check_dtype=False)


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("name", ["folder", "event.zip", "event.xlsx"])
def test_folder_zip_and_workbook_give_the_same_event(tmp_path: Path, name: str, seed: int) -> None:
    event = with_points(made_event(seed))
    write_event(event, tmp_path / name)
    back = read_event(tmp_path / name)
    same_table(event.players, back.players, ["number"])
    same_table(event.games, back.games, ["round", "first"])
    for fact in FACTS:
        assert getattr(back, fact) == getattr(event, fact), fact
    assert not back.faults


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("form", ["trf16", "trf26"])
def test_report_files_give_the_same_event(tmp_path: Path, form: str, seed: int) -> None:
    event = with_points(made_event(seed, trf=True))
    path = tmp_path / "event.trf"
    assert write_event(event, path, form) == ()
    back = read_event(path)
    same_table(event.players, back.players, ["number"])
    same_table(event.games.drop(columns=["board"]), back.games.drop(columns=["board"]), ["round", "first"])
    for fact in FACTS:
        assert getattr(back, fact) == getattr(event, fact), fact
    assert {f.reason for f in back.faults} <= {"rank-blank", "double-zero"}


@pytest.mark.parametrize("discipline", ["xiangqi", "go"])
@pytest.mark.parametrize("name", ["folder", "event.trf", "event.xlsx"])
def test_disciplines_keep_their_first_player(tmp_path: Path, name: str, discipline: str) -> None:
    from dataclasses import replace

    event = replace(with_points(made_event(3, trf=True)), discipline=discipline)
    write_event(event, tmp_path / name)
    back = read_event(tmp_path / name)
    assert back.discipline == discipline
    assert np.array_equal(back.games.sort_values(["round", "first"])["first"], event.games["first"])
