"""What a list carries to the next one: its rows with games, events, peak and idle years; the newcomers' games.

The published file holds the rows; what it has no column for goes into a small JSON file beside it, so that
a history can be rolled on from files as well as from memory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis.files.whole_files import note_input
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import frame
from qiyi_analysis.model.rating_list import LIST_COLUMNS, RatingList
from qiyi_analysis.model.register import Register
from qiyi_analysis.rating.rating_kinds import list_for

#: The rows of a list with what is carried and never printed. ``idle_years``: deductions already made.
STATE_COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        **{name: kind for name, kind in LIST_COLUMNS.items() if name not in ("rank", "line")},
        "events": "number",
        "idle_years": "number",
        "published": "bool",
        "line": "int64",
    }
)
#: One row per event of a player who has no rating yet. ``change`` in hundredths of a point.
POOL_COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "person": "text",  # id, else name
        "event": "text",
        "end": "text",
        "games": "int64",
        "rating_sum": "int64",
        "half_points": "int64",
        "change": "int64",
        "base": "int64",
    }
)
CARRIED = ("events", "idle_years")


@dataclass(frozen=True, kw_only=True)
class ListState:
    """A list as the next calculation needs it. ``rows`` has STATE_COLUMNS, ``pool`` POOL_COLUMNS.

    ``counted`` names the events that were counted for this list.
    """

    day: date | None
    rows: pd.DataFrame
    pool: pd.DataFrame = field(default_factory=lambda: frame([], POOL_COLUMNS))
    counted: tuple[str, ...] = ()
    id: str = "list"
    faults: tuple[Finding, ...] = ()

    @cached_property
    def register(self) -> Register:
        """The rows by id and by name; made when first asked for."""
        return Register(self.rows)

    def persons(self) -> list[str]:
        """The key of each row: its id, or its name where it has none."""
        return [id or name for id, name in zip(self.rows["id"], self.rows["name"], strict=True)]


def state_of(one: RatingList | ListState, document: str = "") -> ListState:
    """The state of a published list: nothing carried is known, no game of a newcomer either.

    Of a list with standard, rapid and blitz ratings those of the document are taken.
    """
    if isinstance(one, ListState):
        return one
    given, one = one, list_for(one, document)
    rows = one.rows.drop(columns=["rank"]).assign(games=one.games_so_far)
    faults = one.faults
    if given.rows["rating"].notna().any() and rows["rating"].isna().all():
        values = {"list": one.id, "rules": document}
        other = Finding(code="CK44", reason="list-of-other-kind", severity="W", file=one.id, values=values)
        faults = (*faults, other)
    return ListState(day=one.day, rows=frame(rows, STATE_COLUMNS), id=one.id, faults=faults)


def published_list(state: ListState, *, federation: str = "", document: str = "") -> RatingList:
    """The rows that are published, by rating, with ranks; equal ratings share a rank."""
    rows = state.rows[state.rows["published"]].copy()
    order = np.lexsort((rows["id"].to_numpy(), rows["name"].to_numpy(), -rows["rating"].to_numpy()))
    rows = rows.iloc[order].reset_index(drop=True)
    rows["rank"] = rows["rating"].rank(method="min", ascending=False)
    rows["line"] = 0
    return RatingList(
        id=state.id,
        federation=federation,
        document=document,
        day=state.day,
        rows=frame(rows[list(LIST_COLUMNS)], LIST_COLUMNS),
    )


def carry_path(path: Path) -> Path:
    """Where the carried facts of a list file lie."""
    return path.with_name(f"{path.stem}.carry.json")


def carried(state: ListState, list_bytes: bytes = b"") -> str:
    """What the list file has no column for, as JSON: equal states give equal bytes.

    ``list_bytes`` are those of the list file; their digest tells later whether the two still belong together.
    """
    rows = state.rows
    # A column nobody is known in is named once; a single unknown value is null, a zero is left out.
    unknown = [name for name in CARRIED if len(rows) and rows[name].isna().all()]
    columns = {name: rows[name].tolist() for name in CARRIED if name not in unknown}
    facts: dict[str, Any] = {}
    for i, person in enumerate(state.persons()):
        values = {name: _plain(column[i]) for name, column in columns.items() if column[i] != 0}
        if values:
            facts[person] = values
    names = [name for name in STATE_COLUMNS if name not in ("line", "published")]
    hidden = rows.loc[~rows["published"], names].to_dict("records")
    content = {
        "list": state.day.isoformat() if state.day else None,
        "sha256": hashlib.sha256(list_bytes).hexdigest() if list_bytes else "",
        "counted": list(state.counted),
        "unknown": unknown,
        "players": facts,
        # The order of the rows of a state is no fact: a file has another than the memory it came from.
        "unpublished": sorted((_plain_row(row) for row in hidden), key=lambda row: (row["id"], row["name"])),
        "pool": [_plain_row(row) for row in state.pool.to_dict("records")],
    }
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _plain_row(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in row.items()}


def with_carried(state: ListState, text: str, where: str, list_bytes: bytes = b"") -> ListState:
    """The state with the facts of a carry file; a list changed since has a finding. ReadError where it is none."""
    try:
        content = json.loads(text)
        facts, pool = content["players"], content["pool"]
        hidden, counted = content["unpublished"], content["counted"]
        unknown, digest = content["unknown"], content["sha256"]
    except (ValueError, KeyError, TypeError) as error:
        raise ReadError("carried-facts-damaged", file=where, error=error) from error  # fmt: skip
    rows = state.rows.copy()
    persons = state.persons()
    for name in CARRIED:
        known = [None if name in unknown else facts.get(person, {}).get(name, 0) for person in persons]
        rows[name] = [np.nan if value is None else float(value) for value in known]
    if hidden:
        extra = frame([{**row, "published": False} for row in hidden], STATE_COLUMNS)
        rows = pd.concat([rows, extra], ignore_index=True)
    faults = state.faults
    if list_bytes and digest and hashlib.sha256(list_bytes).hexdigest() != digest:
        faults = (
            *faults,
            Finding(code="CK47", reason="list-changed-since", file=where, values={"list": state.id}),
        )
    return replace(
        state,
        rows=frame(rows, STATE_COLUMNS),
        pool=frame(pool, POOL_COLUMNS),
        counted=tuple(counted),
        faults=faults,
    )


def read_state(path: Path | str, document: str = "") -> ListState:
    """A list file as a document reads it, with the carried facts beside it if there are any."""
    from qiyi_analysis.readers import read_list

    path = Path(path)
    state = state_of(read_list(path), document)
    beside = carry_path(path)
    if beside.is_file():
        note_input(beside)
        state = with_carried(state, beside.read_text(encoding="utf-8"), beside.name, path.read_bytes())
    return state


def in_force(states: Iterable[ListState], day: date | None) -> ListState | None:
    """The newest list that is not younger than ``day``; the newest of all without a day."""
    usable = [one for one in states if one.day is None or day is None or one.day <= day]
    return max(usable, key=lambda one: one.day or date.min, default=None)


def _plain(value: Any) -> Any:
    if isinstance(value, float | np.floating):
        return None if np.isnan(value) else (int(value) if float(value).is_integer() else float(value))
    if isinstance(value, np.integer):
        return int(value)
    return value
