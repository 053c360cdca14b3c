"""The persons of a rebuilt list: its rows, and who plays without being on it.

Players are matched to the list as everywhere (:mod:`qiyi_analysis.model.identity`), those who are not on it among each other
(:mod:`qiyi_analysis.lists.strangers`). What cannot be decided stays a person of its own, with a finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from qiyi_analysis.lists.state import ListState
from qiyi_analysis.lists.strangers import strangers
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.identity import PERSON_COLUMNS, match, match_findings
from qiyi_analysis.model.register import plain_ids


@dataclass(frozen=True, slots=True)
class Persons:
    """Keys of all persons, list rows first; ``entry`` gives the person of each event entry in turn.

    ``undecided`` marks persons with an id of the list who may be somebody else: they play, and come on no list.
    """

    keys: tuple[str, ...]
    listed: int
    entry: np.ndarray
    first_entry: np.ndarray  # entry that introduced a newcomer, -1 for list rows
    undecided: np.ndarray
    findings: tuple[Finding, ...]


def find_persons(events: Sequence[Event], state: ListState) -> Persons:
    """The person behind every entry of the events."""
    sizes = [len(event.players) for event in events]
    files = [event.sources[0].name if event.sources else event.id for event in events]
    entries = _entries(events)
    event_of = np.repeat(np.arange(len(events)), sizes).tolist()
    found = match(entries, state.register, event_of)
    entry = found.row.copy()
    findings: list[Finding] = []
    begin = 0
    for file, size in zip(files, sizes, strict=True):
        told = match_findings(entries, state.register, found, range(begin, begin + size))
        findings += [replace(one, file=file) for one in told]
        begin += size
    doubtful = [how == "doubtful" for how in found.how]
    for i in _second_entries(entry, event_of):
        findings.append(
            Finding(
                code="CK47", reason="list-twice-in-event", file=files[event_of[i]], line=int(entries["line"].iloc[i]),
                player=int(entries["number"].iloc[i]), field="name", values={"name": entries["name"].iloc[i]},
            )
        )  # fmt: skip
        entry[i], doubtful[i] = -1, True
    outside = np.flatnonzero(entry < 0).tolist()
    pool = sorted(set(state.pool["person"].tolist()))
    new, told, joined = strangers(entries, outside, event_of, doubtful, files, pool)
    findings += told
    named = found.how.count("name") + joined
    if named:
        findings.append(Finding(code="CK44", reason="matched-by-name", values={"count": named}))
    listed = state.persons()
    on_list = [bool(id and state.register.with_id(id)) for id in plain_ids(entries["id"].tolist())]
    keys, used = list(listed), {*listed, *pool}
    first, undecided = [-1] * len(listed), [False] * len(listed)
    for one in new:
        i = one.entries[0]
        id, name = str(entries["id"].iloc[i]) if one.id else "", str(entries["name"].iloc[i])
        key = one.pooled or id or name
        if key in used and key != one.pooled:
            key = f"{name} ({events[event_of[i]].id} {int(entries['number'].iloc[i])})"
        used.add(key)
        entry[one.entries] = len(keys)
        keys.append(key)
        first.append(i)
        undecided.append(any(on_list[i] for i in one.entries))
    return Persons(
        tuple(keys),
        len(listed),
        entry,
        np.array(first, dtype=np.int64),
        np.array(undecided, dtype=bool),
        tuple(findings),
    )


def _second_entries(entry: np.ndarray, event_of: Sequence[int]) -> list[int]:
    """Entries of a row of the list that another entry of the same event has already."""
    seen: set[tuple[int, int]] = set()
    second = []
    for i, place in enumerate(zip(event_of, entry.tolist(), strict=True)):
        if place[1] >= 0 and place in seen:
            second.append(i)
        seen.add(place)
    return second


def _entries(events: Sequence[Event]) -> pd.DataFrame:
    """The players of all events, one after another, with what tells who they are."""
    return pd.DataFrame(
        {
            name: [value for event in events for value in event.players[name].tolist()]
            for name in (*PERSON_COLUMNS, "rating", "number", "line")
        }
    )
