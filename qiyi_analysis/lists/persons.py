"""The persons of a rebuilt list: its rows, and who plays without being on it.

Players are matched to the list as everywhere (:mod:`qiyi_analysis.identity`). What cannot be decided stays a
person of its own, with a finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from qiyi_analysis.findings import Finding
from qiyi_analysis.identity import match, match_findings
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


def find_persons(events: Sequence[Event], state: ListState) -> Persons:
    """The person behind every entry of the events."""
    keys = state.persons()
    used = set(keys)
    entry: list[int] = []
    first: list[int] = [-1] * len(keys)
    new_by_id: dict[str, int] = {}
    # Newcomers without an id: one person where name, sex, unit, year and rating are the same.
    new_by_name: dict[tuple[str, str, str, float, float], int] = {}
    findings: list[Finding] = []
    named = 0
    for event in events:
        players = event.players
        file = event.sources[0].name if event.sources else event.id
        found = match(players, state.register)
        findings += [replace(one, file=file) for one in match_findings(players, state.register, found)]
        taken: set[int] = set()
        columns = (
            players[name].tolist()
            for name in ("name", "sex", "unit", "birth_year", "rating", "number", "line")
        )
        printed = players["id"].tolist()
        ids = plain_ids(printed)
        for i, (name, sex, unit, born, rating, number, line) in enumerate(zip(*columns, strict=True)):
            id, person, doubtful = ids[i], int(found.row[i]), found.how[i] == "doubtful"
            named += found.how[i] == "name"
            key = (written(name), sex, unit, *(-1.0 if np.isnan(v) else float(v) for v in (born, rating)))
            if person < 0 and id:
                person = new_by_id.get(id, -1)
            elif person < 0 and not doubtful:
                person = new_by_name.get(key, -1)
                named += person >= 0
            if person in taken:
                findings.append(
                    Finding(
                        code="CK47",
                        reason="list-twice-in-event",
                        file=file,
                        line=int(line),
                        player=int(number),
                        field="name",
                        values={"name": name},
                    )
                )
                person, doubtful = -1, True
            if person < 0:
                person = len(keys)
                key_text = (id and printed[i]) or name
                if key_text in used:
                    key_text = f"{name} ({event.id} {number})"
                used.add(key_text)
                keys.append(key_text)
                first.append(len(entry))
                if id:
                    new_by_id[id] = person
                elif not doubtful:
                    new_by_name[key] = person
            taken.add(person)
            entry.append(person)
    if named:
        findings.append(Finding(code="CK44", reason="matched-by-name", values={"count": named}))
    return Persons(
        tuple(keys),
        state.rows.shape[0],
        np.array(entry, dtype=np.int64),
        np.array(first, dtype=np.int64),
        tuple(findings),
    )
