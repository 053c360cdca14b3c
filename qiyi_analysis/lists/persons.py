"""The persons of a rebuilt list: its rows, and who plays without being on it.

Players are matched to the list as everywhere (:mod:`qiyi_analysis.identity`). What cannot be decided stays a
person of its own, with a finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from qiyi_analysis.findings import Finding
from qiyi_analysis.identity import PERSON_COLUMNS, match, match_findings
from qiyi_analysis.lists.state import ListState
from qiyi_analysis.model import Event
from qiyi_analysis.register import plain_ids
from qiyi_analysis.spelling import written


@dataclass(frozen=True, slots=True)
class Persons:
    """Keys of all persons, list rows first; ``entry`` gives the person of each event entry in turn."""

    keys: tuple[str, ...]
    listed: int
    entry: np.ndarray
    first_entry: np.ndarray  # entry that introduced a newcomer, -1 for list rows
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class _Newcomers:
    """Persons who are not on the list; ``keys`` goes on from those of the list."""

    keys: list[str]
    first: list[int]
    used: set[str]
    by_id: dict[str, int] = field(default_factory=dict)
    #: Without an id: one person where name, sex, unit, year and rating are the same.
    by_name: dict[tuple[object, ...], int] = field(default_factory=dict)

    def add(self, position: int, key: str, other_key: str) -> int:
        """A new person; ``other_key`` where the key is somebody else's."""
        text = other_key if key in self.used else key
        self.used.add(text)
        self.keys.append(text)
        self.first.append(position)
        return len(self.keys) - 1


def find_persons(events: Sequence[Event], state: ListState) -> Persons:
    """The person behind every entry of the events."""
    sizes = [len(event.players) for event in events]
    entries = _entries(events)
    found = match(entries, state.register, np.repeat(np.arange(len(events)), sizes).tolist())
    listed = state.persons()
    new = _Newcomers(list(listed), [-1] * len(listed), set(listed))
    entry: list[int] = []
    findings: list[Finding] = []
    named = found.how.count("name")
    ids, printed = plain_ids(entries["id"].tolist()), entries["id"].tolist()
    columns = [
        entries[name].tolist() for name in ("name", "sex", "unit", "birth_year", "rating", "number", "line")
    ]
    for event, size in zip(events, sizes, strict=True):
        file = event.sources[0].name if event.sources else event.id
        begin = len(entry)
        told = match_findings(entries, state.register, found, range(begin, begin + size))
        findings += [replace(one, file=file) for one in told]
        taken: set[int] = set()
        for position in range(begin, begin + size):
            id, person, doubtful = ids[position], int(found.row[position]), found.how[position] == "doubtful"
            name, sex, unit, born, rating, number, line = (column[position] for column in columns)
            facts = (written(name), sex, unit, _key(born), _key(rating))
            if person < 0 and id:
                person = new.by_id.get(id, -1)
            elif person < 0 and not doubtful:
                person = new.by_name.get(facts, -1)
                named += person >= 0
            if person in taken:
                findings.append(
                    Finding(
                        code="CK47", reason="list-twice-in-event", file=file, line=int(line), player=int(number),
                        field="name", values={"name": name},
                    )
                )  # fmt: skip
                person, doubtful = -1, True
            if person < 0:
                person = new.add(position, printed[position] if id else name, f"{name} ({event.id} {number})")
                if id:
                    new.by_id[id] = person
                elif not doubtful:
                    new.by_name[facts] = person
            taken.add(person)
            entry.append(person)
    if named:
        findings.append(Finding(code="CK44", reason="matched-by-name", values={"count": named}))
    return Persons(
        tuple(new.keys),
        len(listed),
        np.array(entry, dtype=np.int64),
        np.array(new.first, dtype=np.int64),
        tuple(findings),
    )


def _entries(events: Sequence[Event]) -> pd.DataFrame:
    """The players of all events, one after another, with what tells who they are."""
    return pd.DataFrame(
        {
            name: [value for event in events for value in event.players[name].tolist()]
            for name in (*PERSON_COLUMNS, "rating", "number", "line")
        }
    )


def _key(value: float) -> float:
    """A number as part of a key, in which not known is equal to not known."""
    return -1.0 if np.isnan(value) else float(value)
