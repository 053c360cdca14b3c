"""Players of several events who are not on the list: which entries are one person.

By the rules of :mod:`qiyi_analysis.model.identity`, as if the persons found so far were a list: the same id; the same name in
any spelling where birth year or unit agree; the name alone where it is written the same and all who have it can be one
person. What may be one person and is not certain stays apart and is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from qiyi_analysis.model.findings import Finding, Severity
from qiyi_analysis.model.identity import (
    Candidates,
    Described,
    Person,
    agreements,
    contradict,
    described,
    differ,
    persons_of,
    years_differ,
)
from qiyi_analysis.model.register import MOST_NAMESAKES, Register
from qiyi_analysis.model.spelling import comparable, same_name, written


@dataclass(slots=True)
class Stranger:
    """A person of one or more entries; ``entries`` are positions in the table, in its order."""

    entries: list[int]
    persons: list[Person]
    events: set[int]
    ratings: set[float]
    #: Whether an entry may be somebody of the list: then the name alone joins it to nobody.
    doubtful: bool
    #: Key in the pool of the list before, "" where the person is not known there.
    pooled: str = ""

    @property
    def id(self) -> str:
        """The id, "" without one."""
        return next((one.id for one in self.persons if one.id), "")

    def can_be(self, other: Stranger) -> bool:
        """Whether nothing says that the two are two people."""
        return not (
            self.events & other.events
            or differ(self.id, other.id)
            or any(contradict(one, two) for one in self.persons for two in other.persons)
        )

    def agrees(self, other: Stranger) -> bool:
        """Whether birth year or unit speak for one person; beside two ratings the unit alone does not."""
        pairs = [(one, two) for one in self.persons for two in other.persons]
        if len(self.ratings | other.ratings) > 1:
            return any(one.born == two.born for one, two in pairs)
        return any(agreements(one, two) for one, two in pairs)

    def take(self, other: Stranger) -> None:
        """Join another into this one."""
        self.entries = sorted((*self.entries, *other.entries))
        self.persons += other.persons
        self.events |= other.events
        self.ratings |= other.ratings
        self.doubtful |= other.doubtful


@dataclass(slots=True)
class _Told:
    """Findings, and the entries joined by name."""

    table: pd.DataFrame
    names: Sequence[str]  # file or id of each event
    event: Sequence[int]
    findings: list[Finding] = field(default_factory=list)
    joined: int = 0

    def add(
        self, code: str, reason: str, i: int, others: Sequence[Stranger], severity: Severity | None = None,
        more: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """A finding about an entry that is, or may be, one of some others, or of ``more`` names."""
        rows = [row for other in others for row in other.entries[:1]][:8]
        shown = [
            one.behind(f"{self.names[self.event[row]]}: {one.number}")._replace(number=0)
            for row, one in ((row, described(self.table, row)) for row in rows)
        ]
        shown += [Described(name, np.nan, 0) for name in more]
        self.findings.append(
            Finding(
                code=code, reason=reason, severity=severity, file=self.names[self.event[i]],
                line=int(self.table["line"].iloc[i]), player=int(self.table["number"].iloc[i]), field="name",
                published=str(self.table["name"].iloc[i]), values={"candidates": Candidates(shown)},
            )
        )  # fmt: skip


def strangers(
    table: pd.DataFrame,
    some: Sequence[int],
    event: Sequence[int],
    doubtful: Sequence[bool],
    names: Sequence[str],
    pool: Sequence[str] = (),
) -> tuple[list[Stranger], tuple[Finding, ...], int]:
    """The persons among ``some`` rows of the entries, what is to be said, and how many entries were joined by name.

    ``table``: PERSON_COLUMNS, ``rating, number, line``; ``event``: the event of each row; ``names``: file or id of each
    event; ``doubtful``: whether a row may be somebody of the list; ``pool``: persons whose games are carried, known by
    id or name alone.
    """
    told = _Told(table, names, event)
    people = persons_of(table, some)
    ratings = table["rating"].to_numpy(dtype=np.float64)[list(some)]
    single = [
        Stranger(
            entries=[i], persons=[person], events={event[i]}, doubtful=doubtful[i],
            ratings={float(rating)} if rating == rating else set(),
        )
        for i, person, rating in zip(some, people, ratings.tolist(), strict=True)
    ]  # fmt: skip
    found = _by_id(single, told)
    groups = _groups(found)
    for group in groups:
        if 1 < len(group) < MOST_NAMESAKES:
            kept = _by_facts(found, group, told)
            _by_name_alone(found, kept, told)
    left = [one for one in found if one.entries]
    _with_pool(left, pool, told)
    left.sort(key=lambda one: one.entries[0])
    return left, tuple(told.findings), told.joined


def _by_id(single: list[Stranger], told: _Told) -> list[Stranger]:
    """Entries of one id are one person, unless birth year or sex differ beside another name."""
    found: list[Stranger] = []
    by_id: dict[str, int] = {}
    for one in single:
        person = one.persons[0]
        if not person.id or person.id not in by_id:
            if person.id:
                by_id[person.id] = len(found)
            found.append(one)
            continue
        other = found[by_id[person.id]]
        first = other.persons[0]
        if one.events & other.events:
            found.append(one)  # an id given twice in an event is another finding (CK09)
            continue
        if (
            person.name
            and first.name
            and comparable(person.name, first.name)
            and not same_name(person.name, first.name)
        ):
            apart = differ(person.sex, first.sex) or years_differ(person, first)
            told.add(
                "CK10", "newcomer-id-of-two" if apart else "newcomer-other-name", one.entries[0], [other]
            )
            if apart:
                found.append(one)
                continue
        other.take(one)
    return found


def _groups(found: list[Stranger]) -> list[list[int]]:
    """Those who share a spelling of a name, directly or through another."""
    if not found:
        return []
    # Not at the start: lists without newcomers do without scipy.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    names = [one.persons[0].name for one in found]
    same = Register(pd.DataFrame({"id": "", "name": names})).with_names(names)
    pairs = np.array([(i, row) for i, rows in enumerate(same) for row in rows], dtype=np.int64).reshape(-1, 2)
    links = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(names), len(names)))
    _, label = connected_components(links.tocsr(), directed=False)
    groups: dict[int, list[int]] = {}
    for i, one in enumerate(label.tolist()):
        groups.setdefault(one, []).append(i)
    return [group for group in groups.values() if len(group) > 1]


def _by_facts(found: list[Stranger], group: list[int], told: _Told) -> list[int]:
    """Join those of a name for whom birth year or unit speak; returns who is left."""
    kept: list[int] = []
    for i in group:
        one = found[i]
        likely = [j for j in kept if one.can_be(found[j]) and one.agrees(found[j])]
        if len(likely) != 1:
            kept.append(i)
            continue
        other = found[likely[0]]
        if written(one.persons[0].name) != written(other.persons[0].name):
            told.add("CK11", "newcomer-by-name", one.entries[0], [other], Severity.NOTE)
        if not (one.id and other.id):
            told.joined += len(one.entries)
        other.take(one)
        one.entries = []
    return kept


def _by_name_alone(found: list[Stranger], group: list[int], told: _Told) -> None:
    """Join those of a name if it is written the same and all can be one person; tell of those who may be."""
    if len(group) < 2:
        return
    everybody = [found[i] for i in group]
    possible = [[other for other in everybody if other is not one and one.can_be(other)] for one in everybody]
    ratings = set().union(*(one.ratings for one in everybody))
    alone = (
        all(len(others) == len(everybody) - 1 for others in possible)
        and len({written(one.persons[0].name) for one in everybody}) == 1
        and len(ratings) <= 1
        and not any(one.doubtful for one in everybody)
    )
    first = everybody[0]
    if alone:
        for other in everybody[1:]:
            told.joined += len(other.entries)
            first.take(other)
            other.entries = []
        return
    for place, (one, others) in enumerate(zip(everybody, possible, strict=True)):
        # Of two who may be one the later tells; who may be on the list has a finding of that already.
        earlier = [other for other in others if any(other is before for before in everybody[:place])]
        if earlier and not one.doubtful:
            told.add("CK11", "newcomer-doubtful", one.entries[0], earlier)


def _with_pool(found: list[Stranger], pool: Sequence[str], told: _Told) -> None:
    """The persons whose games of earlier periods wait: by id, or by the name where nobody else has it."""
    known = dict.fromkeys(pool)
    keys = list(known)
    fitting: dict[str, list[Stranger]] = {key: [] for key in keys}
    waiting = [one for one in found if not one.doubtful]
    names = [one.persons[0].name for one in waiting]
    printed = {one.entries[0]: str(told.table["id"].iloc[one.entries[0]]) for one in waiting if one.id}
    rows = Register(pd.DataFrame({"id": "", "name": keys})).with_names(names) if keys else []
    for one, some in zip(waiting, rows, strict=False):
        if one.id and printed[one.entries[0]] in known:
            one.pooled = printed[one.entries[0]]
            continue
        for row in some:
            fitting[keys[row]].append(one)
    for key, several in fitting.items():
        only = several[0] if len(several) == 1 else None
        plain = only is not None and not only.id and written(only.persons[0].name) == written(key)
        if only is not None and plain and not only.pooled:
            only.pooled = key
            continue
        for one in several:
            told.add("CK11", "newcomer-doubtful", one.entries[0], [], more=[key])
