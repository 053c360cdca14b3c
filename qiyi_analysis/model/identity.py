"""Who is who: players against the rows of a list, for everything that asks a list.

By id first; without one by the name, however it is spelled. A match is certain, or doubtful with the rows that may
be meant, or there is none. Only a certain one enters a calculation or joins two rows: two people are never made
one. What makes a match certain:

* the id is on the list and the name there can be the same (or is in another script, or nobody else on the list
  has the player's name and birth year and sex do not contradict);
* the name fits a single row that birth year or unit (单位) speak for and nothing speaks against; namesakes are
  told apart by these;
* the name is written the same, no other row has it, and birth year, sex, federation and unit do not contradict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, Severity
from qiyi_analysis.model.register import MOST_NAMESAKES, Register, plain_ids
from qiyi_analysis.model.spelling import comparable, same_name, same_unit, written

#: What is known of a person on either side.
PERSON_COLUMNS = ("id", "name", "sex", "federation", "unit", "birth_year")
#: Codes that stand for no federation (B.01: FID is not a federation of its own).
NO_FEDERATION = frozenset({"", "non", "fid"})
#: Strength of a claim on a row; of two players who claim one, the weaker is doubtful.
_BY_ID, _BY_ID_ALONE, _BY_FACTS, _BY_NAME = 4, 3, 2, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """One entry per player: the row of the list where the match is certain, else -1.

    ``how``: id, name, doubtful or none; ``candidates``: the rows that may be meant; ``reason``: what a finding
    has to say, "" for nothing.
    """

    row: np.ndarray
    how: tuple[str, ...]
    candidates: tuple[tuple[int, ...], ...]
    reason: tuple[str, ...]


class Person(NamedTuple):
    """What is known of a person; the id as :func:`plain_ids` gives it, the year NaN where not known."""

    id: str
    name: str
    sex: str
    federation: str
    unit: str
    born: float


class _Decision(NamedTuple):
    row: int
    how: str
    candidates: tuple[int, ...] = ()
    reason: str = ""
    strength: int = 0


def match(players: pd.DataFrame, register: Register, group: Sequence[int] | None = None) -> Matches:
    """The row of the register for every player.

    ``group``: the event of each player where several are matched at once; a row is one player's in each.

    ``players`` and the rows of the register have PERSON_COLUMNS, missing text "", a missing year NaN. The order of the players does not matter.
    """
    ids, names = plain_ids(players["id"].tolist()), players["name"].tolist()
    decisions = [_Decision(-1, "none")] * len(players)
    with_id = [register.with_id(id) for id in ids]
    single = [i for i, rows in enumerate(with_id) if len(rows) == 1]
    listed = register.rows["name"].iloc[[with_id[i][0] for i in single]].tolist()
    settled: dict[int, int] = {}  # player -> row
    for i, name in zip(single, listed, strict=True):
        reason = None
        if names[i] == name or not names[i] or not name or same_name(names[i], name):
            reason = ""
        elif not comparable(names[i], name):
            reason = "id-name-other-script"
        if reason is not None:
            decisions[i] = _Decision(with_id[i][0], "id", with_id[i], reason, _BY_ID)
            settled[i] = with_id[i][0]
    asked = [i for i in range(len(players)) if i not in settled and (names[i] or with_id[i])]
    fitting = register.with_names([names[i] for i in asked])
    own = persons_of(players, asked)
    wanted = sorted({row for i, rows in zip(asked, fitting, strict=True) for row in (*with_id[i], *rows)})
    rows_of = dict(zip(wanted, persons_of(register.rows, wanted), strict=True))
    groups = np.zeros(len(players), dtype=np.int64) if group is None else np.asarray(group)
    event_of = groups.tolist()
    taken = {(event_of[i], row) for i, row in settled.items()}
    for i, person, rows in zip(asked, own, fitting, strict=True):
        # A row that another player has by id is not this player's.
        left = tuple(row for row in rows if (event_of[i], row) not in taken)
        if with_id[i]:
            decisions[i] = _by_id(person, with_id[i], left, rows_of, register)
        else:
            decisions[i] = _by_name(person, rows, left, rows_of)
    decisions = _one_claim_a_row(decisions, groups, len(register.rows))
    return Matches(
        row=np.array([one.row for one in decisions], dtype=np.int64),
        how=tuple(one.how for one in decisions),
        candidates=tuple(one.candidates for one in decisions),
        reason=tuple(one.reason for one in decisions),
    )


def persons_of(table: pd.DataFrame, rows: Sequence[int]) -> list[Person]:
    """The persons in some rows of a table with PERSON_COLUMNS."""
    some = table[list(PERSON_COLUMNS)].iloc[list(rows)]
    columns = [some[name].tolist() for name in some.columns]
    return [
        Person(id, name, sex, federation, unit, born)
        for id, name, sex, federation, unit, born in zip(plain_ids(columns[0]), *columns[1:], strict=True)
    ]


def _by_id(
    own: Person,
    with_id: tuple[int, ...],
    named: tuple[int, ...],
    rows: dict[int, Person],
    register: Register,
) -> _Decision:
    """The id is on the list, but with another name, or more than once."""
    if len(with_id) > 1:
        same = [row for row in with_id if same_name(own.name, rows[row].name)] or list(with_id)
        if len(same) == 1 or _one_row_repeated(register.rows, same):
            return _Decision(same[0], "id", tuple(same), "", _BY_ID)
        return _Decision(-1, "doubtful", with_id, "name-doubtful")
    listed = rows[with_id[0]]
    others = tuple(row for row in named if not contradict(own, rows[row]))
    if others:
        return _Decision(-1, "doubtful", (*with_id, *others), "id-and-name-of-two")
    if differ(own.sex, listed.sex) or years_differ(own, listed):
        return _Decision(-1, "doubtful", with_id, "id-with-other-name")
    return _Decision(with_id[0], "id", with_id, "id-with-other-name", _BY_ID_ALONE)


def _by_name(
    own: Person, named: tuple[int, ...], left: tuple[int, ...], rows: dict[int, Person]
) -> _Decision:
    """The player has no id, or one that is not on the list; ``left``: the rows of the name that nobody has by id."""
    free = [row for row in left if not contradict(own, rows[row])]
    if own.id:
        other_id = tuple(row for row in free if rows[row].id)
        free = [row for row in free if not rows[row].id]
        if not free:
            return (
                _Decision(-1, "doubtful", other_id, "name-under-other-id")
                if other_id
                else _Decision(-1, "none")
            )
    counts = [agreements(own, rows[row]) for row in free]
    best = max(counts, default=0)
    likely = [row for row, count in zip(free, counts, strict=True) if count == best]
    alone = len(named) == 1 and len(free) == 1 and written(own.name) == written(rows[free[0]].name)
    if len(likely) == 1 and len(named) < MOST_NAMESAKES:
        row = likely[0]
        if best:
            plain = alone and not units_differ(own, rows[row])
            return _Decision(row, "name", (row,), "" if plain else "identity-by-name", _BY_FACTS)
        if alone:
            return _Decision(row, "name", (row,), "", _BY_NAME)
    if not named:
        return _Decision(-1, "none")
    return _Decision(
        -1, "doubtful", tuple(free) or named, "name-under-other-id" if own.id else "name-doubtful"
    )


def contradict(own: Person, other: Person) -> bool:
    """Whether sex, federation, birth year or unit say that two rows are two people.

    A unit changes; where the birth years agree another one does not contradict.
    """
    federations = {own.federation.casefold(), other.federation.casefold()} - NO_FEDERATION
    return (
        differ(own.sex, other.sex)
        or len(federations) > 1
        or years_differ(own, other)
        or (own.born != other.born and units_differ(own, other))
    )


def agreements(own: Person, other: Person) -> int:
    """How many of birth year and unit are known and the same."""
    units = bool(own.unit and other.unit and same_unit(own.unit, other.unit))
    return int(own.born == other.born) + int(units)


def differ(one: str, other: str) -> bool:
    """Whether both are known and not the same."""
    return bool(one and other and one.casefold() != other.casefold())


def years_differ(own: Person, other: Person) -> bool:
    """Whether both birth years are known and not the same."""
    return own.born == own.born and other.born == other.born and own.born != other.born


def units_differ(own: Person, other: Person) -> bool:
    """Whether both units are known and cannot be one."""
    return bool(own.unit and other.unit) and same_unit(own.unit, other.unit) is False


def _one_row_repeated(table: pd.DataFrame, rows: Sequence[int]) -> bool:
    """Whether rows of a list say the same in every column."""
    some = table.iloc[list(rows)].drop(columns=["line", "rank"], errors="ignore")
    return len(some.drop_duplicates()) == 1


def _one_claim_a_row(decisions: list[_Decision], groups: np.ndarray, size: int) -> list[_Decision]:
    """Of several players of an event who would be one row the strongest claim stays; equal claims by name are all
    doubtful.

    An id given twice is another finding (CK09) and stays.
    """
    rows = np.array([one.row for one in decisions], dtype=np.int64)
    claims = np.flatnonzero(rows >= 0)
    places = groups[claims] * size + rows[claims]
    each, often = np.unique(places, return_counts=True)
    for place in each[often > 1]:
        claimed = claims[places == place].tolist()
        best = max(decisions[i].strength for i in claimed)
        strongest = [i for i in claimed if decisions[i].strength == best]
        keep = strongest if best >= _BY_ID_ALONE or len(strongest) == 1 else []
        for i in claimed:
            if i not in keep:
                decisions[i] = decisions[i]._replace(
                    row=-1, how="doubtful", reason="name-doubtful", strength=0
                )
    return decisions


_CODES = {
    "id-with-other-name": ("CK10", None),
    "id-and-name-of-two": ("CK10", None),
    "identity-by-name": ("CK11", Severity.NOTE),
    "name-under-other-id": ("CK11", None),
    "name-doubtful": ("CK11", None),
}


def match_findings(
    players: pd.DataFrame, register: Register, matches: Matches, some: Iterable[int] | None = None
) -> tuple[Finding, ...]:
    """What is to be said of the matches of the players (of ``some``, their positions): doubts with candidates."""
    findings = []
    chosen = list(range(len(players)) if some is None else some)
    for i in chosen:
        reason = matches.reason[i]
        if reason not in _CODES:
            continue
        code, severity = _CODES[reason]
        findings.append(_finding(code, reason, players, i, matches.candidates[i], register.rows, severity))
    other_script = sum(matches.reason[i] == "id-name-other-script" for i in chosen)
    if other_script:
        findings.append(
            Finding(code="CK10", reason="id-name-other-script", severity=Severity.NOTE, field="name",
                    values={"count": other_script})
        )  # fmt: skip
    return tuple(findings)


def namesakes(event: Event) -> tuple[Finding, ...]:
    """Players of one event whose names can be one: told apart where id, birth year or unit differ (I), else W."""
    players = event.players
    register = Register(players)
    names = players["name"].tolist()
    groups = {rows for rows in register.with_names(names) if 1 < len(rows) < MOST_NAMESAKES}
    findings = []
    for rows in sorted(groups):
        persons = persons_of(players, rows)
        apart = all(
            differ(one.id, other.id) or contradict(one, other) or units_differ(one, other)
            for place, one in enumerate(persons)
            for other in persons[place + 1 :]
        )
        findings.append(
            _finding(
                "CK11", "namesakes", players, rows[1], rows, players, Severity.NOTE if apart else Severity.ASK,
                numbers=words.joined(players["number"].iloc[row] for row in rows),
            )
        )  # fmt: skip
    return tuple(findings)


class Described(NamedTuple):
    """A person as a candidate is named, with what decides whether the name may be shown.

    ``born``: year, NaN where not known; ``number``: that of a player of an event, 0 for a row of a list.
    """

    text: str
    born: float
    number: int

    def behind(self, place: str) -> Described:
        """The person behind what tells where the row stands, in either language."""
        said = words.Said(*(f"{place} {words.shown(self.text, language)}" for language in ("en", "zh")))
        return self._replace(text=said)


class Candidates(words.Said):
    """Persons in one text, as findings name them; ``persons`` are the single ones."""

    __slots__ = ("persons",)
    persons: tuple[Described, ...]

    def __new__(cls, persons: Iterable[Described]) -> Candidates:
        """The persons in the order in which they are named."""
        some = tuple(persons)
        said = words.joined((one.text for one in some), parts=True)
        text = super().__new__(cls, str(said), said.zh)
        text.persons = some
        return text

    def __reduce__(self) -> tuple[object, ...]:
        return (Candidates, (self.persons,))


def candidates(table: pd.DataFrame, rows: Iterable[int]) -> Candidates:
    """The first eight of some rows: the name, and in brackets id, federation, unit and birth year, those known."""
    return Candidates(described(table, row) for row in list(rows)[:8])


def described(table: pd.DataFrame, row: int) -> Described:
    """One row as a candidate is named."""
    born = float(table["birth_year"].iloc[row])
    about = (
        table["id"].iloc[row],
        table["federation"].iloc[row],
        table["unit"].iloc[row],
        f"{born:.0f}" if born == born else "",
    )
    number = int(table["number"].iloc[row]) if "number" in table.columns else 0
    known = words.joined(fact for fact in about if fact)
    said = words.said("candidate", name=table["name"].iloc[row], about=known if known else "-")
    return Described(said, born, number)


def _finding(
    code: str, reason: str, players: pd.DataFrame, i: int, rows: Sequence[int], table: pd.DataFrame,
    severity: Severity | None = None, **values: object,
) -> Finding:  # fmt: skip
    listed = table["name"].iloc[rows[0]]
    return Finding(
        code=code, reason=reason, severity=severity, line=int(players["line"].iloc[i]), player=int(players["number"].iloc[i]),
        field="name", published=str(players["name"].iloc[i]), values={"candidates": candidates(table, rows), "listed": listed, **values},
    )  # fmt: skip
