"""Who is who: players of events against the rows of the list, never merged on doubt.

By id; without one by a name that only one row has and nothing contradicts. What cannot be decided stays a
person of its own, with a finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qiyi_analysis.findings import Finding
from qiyi_analysis.lists.state import ListState
from qiyi_analysis.model import Event


@dataclass(frozen=True, slots=True)
class Persons:
    """Keys of all persons, list rows first; ``entry`` gives the person of each event entry in turn."""

    keys: tuple[str, ...]
    listed: int
    entry: np.ndarray
    first_entry: np.ndarray  # entry that introduced a newcomer, -1 for list rows
    findings: tuple[Finding, ...]


def plain_name(name: str) -> str:
    """A name for comparing: case folded, commas and blanks alike."""
    return " ".join(name.casefold().replace(",", " ").split())


def find_persons(events: Sequence[Event], state: ListState) -> Persons:
    """The person behind every entry of the events."""
    rows = state.rows
    keys = state.persons()
    used = set(keys)
    by_id = {id: i for i, id in enumerate(rows["id"]) if id}
    by_name: dict[str, list[int]] = {}
    for i, name in enumerate(rows["name"]):
        by_name.setdefault(plain_name(name), []).append(i)
    list_has_ids = bool(by_id)
    list_sex, list_born = rows["sex"].to_numpy(), rows["birth_year"].to_numpy()
    entry: list[int] = []
    first: list[int] = [-1] * len(keys)
    new_by_id: dict[str, int] = {}
    # Newcomers without an id: one person where name, sex, unit, year and rating are the same.
    new_by_name: dict[tuple[str, str, str, float, float], int] = {}
    findings: list[Finding] = []
    named = 0
    position = 0
    for event in events:
        players = event.players
        taken: dict[int, int] = {}
        columns = (
            players[name].to_numpy()
            for name in ("id", "name", "sex", "unit", "birth_year", "number", "line", "rating")
        )
        for id, name, sex, unit, born, number, line, rating in zip(*columns, strict=True):
            person = -1
            finding = None
            if id and id in by_id:
                person = by_id[id]
            elif id and id in new_by_id:
                person = new_by_id[id]
            elif not id or not list_has_ids:
                person, finding = _by_name(
                    by_name.get(plain_name(name), []), name, sex, born, list_sex, list_born
                )
                named += person >= 0
            key = (plain_name(name), sex, unit, *(-1.0 if np.isnan(v) else float(v) for v in (born, rating)))
            if person < 0 and not id and finding is None:
                person = new_by_name.get(key, -1)
                named += person >= 0
            if person >= 0 and person in taken:
                finding, person = ("list-twice-in-event", -1) if not finding else (finding, -1)
            if person < 0:
                person = len(keys)
                key_text = id or (name if name not in used else f"{name} ({event.id} {number})")
                used.add(key_text)
                keys.append(key_text)
                first.append(position)
                if id:
                    new_by_id[id] = person
                elif finding is None:
                    new_by_name[key] = person
            if finding:
                findings.append(
                    Finding(
                        code="CK47",
                        reason=finding,
                        file=event.sources[0].name if event.sources else event.id,
                        line=int(line),
                        player=int(number),
                        field="name",
                        values={"name": name},
                    )
                )
            taken[person] = position
            entry.append(person)
            position += 1
    if named:
        findings.append(Finding(code="CK44", reason="matched-by-name", values={"count": named}))
    return Persons(
        tuple(keys),
        len(rows),
        np.array(entry, dtype=np.int64),
        np.array(first, dtype=np.int64),
        tuple(findings),
    )


def _by_name(
    rows: Sequence[int], name: str, sex: str, born: float, list_sex: np.ndarray, list_born: np.ndarray
) -> tuple[int, str | None]:
    """Row of a name: the only one that nothing contradicts; else -1 with the reason of the finding."""
    fitting = [
        i
        for i in rows
        if not (sex and list_sex[i] and sex != list_sex[i])
        and (np.isnan(born) or np.isnan(list_born[i]) or born == list_born[i])
    ]
    if len(fitting) == 1:
        return fitting[0], None
    if len(fitting) > 1:
        return -1, "list-name-ambiguous"
    return -1, ("list-name-contradicts" if rows else None)
