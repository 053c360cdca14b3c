"""A history of games made from events and rating lists: what the rest of the program reads, a study can study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.files.folders import entries_below
from qiyi_analysis.lists.list_files import read_reports
from qiyi_analysis.model.errors import ParameterError, QiyiError
from qiyi_analysis.model.event import Event, Kind
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.model.register import plain_ids
from qiyi_analysis.model.spelling import written
from qiyi_analysis.readers import read_list
from qiyi_analysis.research.history.from_table import history_from_table
from qiyi_analysis.research.history.games import History, Remark

_HALVES = {"1": 1.0, "=": 0.5, "0": 0.0}


def history_from_folder(events: str | Path, lists: str | Path = "", **choices: Any) -> History:
    """The history of every event in a folder (event folders, TRF files, workbooks, ...), with what the lists of another
    folder say of the players. choices: those of ``history_from_table``.

    Raises ParameterError where a folder is missing, ReadError when no game is found.
    """
    reports = read_reports(events)
    found, bad = _read_lists(lists) if lists else ([], [])
    history = history_from_events(reports.events, found, source=Path(events).name, **choices)
    lost = [finding.file for finding in reports.findings if finding.reason == "report-unreadable"] + bad
    if not lost:
        return history
    return replace(history, remarks=(Remark("event", len(lost), False, lost[0]), *history.remarks))


def history_from_events(
    events: Sequence[Event], lists: Sequence[RatingList] = (), *, source: str = "", **choices: Any
) -> History:
    """The games played over the board in these events, in order of time.

    A player is known by id, by name where an event has none. ``start`` is the rating of the earliest list that has
    the player; the ratings the events were played with are first_rating and second_rating. A game without a day of its
    own has that of its event. choices: those of ``history_from_table``.
    """
    tables = [_games_of(event) for event in sorted(events, key=lambda one: one.start or date.max)]
    columns = ["date", "first", "second", "score", "event", "time_control", "round", "board", "handicap", "first_rating", "second_rating", "kind"]  # fmt: skip
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)
    disciplines = {event.discipline for event in events}
    choices.setdefault("discipline", disciplines.pop() if len(disciplines) == 1 else "")
    return history_from_table(table, players=_people(events, lists), source=source, **choices)


def _games_of(event: Event) -> pd.DataFrame:
    games, players = event.games[event.games["second"] > 0], event.players
    key = dict(zip(players["number"], _keys(players), strict=True))
    rating = dict(zip(players["number"], players["rating"], strict=True))
    day = event.start.isoformat() if event.start else ""
    return pd.DataFrame(
        {
            "date": games["day"].where(games["day"] != "", day),
            "first": games["first"].map(key),
            "second": games["second"].map(key),
            "score": games["first_result"].map(_HALVES),
            "event": event.id,
            "time_control": event.time_control,
            "round": games["round"].astype(str),
            "board": games["board"],
            "handicap": games["handicap"],
            "first_rating": games["first"].map(rating),
            "second_rating": games["second"].map(rating),
            "kind": games["kind"].where(games["kind"] != Kind.PLAYED, "played"),
        }
    ).sort_values("round", key=lambda rounds: rounds.astype(int), kind="stable")


def _keys(rows: pd.DataFrame) -> list[str]:
    ids = plain_ids(rows["id"].tolist())
    return [id or written(name) for id, name in zip(ids, rows["name"], strict=True)]


def _people(events: Sequence[Event], lists: Sequence[RatingList]) -> pd.DataFrame:
    """One row per player: birth year where events or lists say it, and the first rating on a list."""
    known = [
        pd.DataFrame({"player": _keys(one.players), "birth_year": one.players["birth_year"], "start": np.nan})
        for one in events
    ]
    known += [
        pd.DataFrame(
            {"player": _keys(one.rows), "birth_year": one.rows["birth_year"], "start": one.rows["rating"]}
        )
        for one in sorted(lists, key=lambda one: one.day or date.max)
    ]
    if not known:
        return pd.DataFrame({"player": [], "birth_year": [], "start": []})
    played = set().union(*(frame["player"] for frame in known[: len(events)]))
    rows = pd.concat(known, ignore_index=True)
    return rows[rows["player"].isin(played)].groupby("player", sort=False, as_index=False).first()


def _read_lists(folder: str | Path) -> tuple[list[RatingList], list[str]]:
    """The lists of a folder, and the names of files that are none."""
    root = Path(folder)
    if not root.is_dir():
        raise ParameterError("events-folder-missing", folder=root)
    found, bad = [], []
    for path in entries_below(root, lambda _: False):
        try:
            found.append(read_list(path))
        except QiyiError:
            bad.append(path.name)
    return found, bad
