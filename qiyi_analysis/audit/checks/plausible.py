"""Ratings that hardly are ratings (CK43): too few digits, too many, or below the lowest that the federation keeps.

An event may print national ratings, which reach lower than the federation's own, so the federation's limit is a note; only what
no system of chess or xiangqi gives is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

import numpy as np
import pandas as pd

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.model.errors import RulesetError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, Severity
from qiyi_analysis.rating.entrants import lowest_published
from qiyi_analysis.rules.ruleset import RuleSet

#: No system of chess or xiangqi here keeps a rating of one or two digits (US Chess, the lowest: 100), and no rating
#: ever published reached 3000. Ranks and start numbers typed into the column do not reach 100.
_LEAST, _MOST = 100, 3000
_FOUR_DIGITS = frozenset({"chess", "xiangqi"})
#: Block and key that hold the lowest rating of an edition.
_FLOORS = (
    ("publication", "rating_at_least"),
    ("special_formula", "lowest"),
    ("gor", "lowest"),
    ("gor_steps", "lowest"),
)
#: From this share of ratings above _MOST on, a list has a scale of its own.
_OWN_SCALE = 0.5
#: Players named in one finding.
_NAMED = 10


def check(event: Event, rules: RuleSet) -> Iterator[Finding]:
    """Findings about the ratings of an event's players under its rating rules."""
    if rules.kind == "rating":
        players = event.players
        yield from _unlikely(players, players["number"].tolist(), event.discipline)
        # A rating below what is published is none: the calculation says so itself.
        if lowest_published(event, rules) is None:
            yield from _below_floor(players, players["number"].tolist(), rules)


def check_list(rows: pd.DataFrame, rules: RuleSet, day: date | None, name: str) -> Iterator[Finding]:
    """The same of a list's rows, whose limit is that of the edition in force on its day."""
    people = _people(rows)
    found = list(check_unlikely(rows, rules.federation, name))
    try:
        edition = rulesets.in_force(rules.document, day) if day else None
    except RulesetError:
        edition = None
    if edition is not None:
        found += _below_floor(rows, people, edition, name)
    yield from found


def check_unlikely(rows: pd.DataFrame, document: str, name: str) -> Iterator[Finding]:
    """Ratings that no system of the discipline of a document gives; chess where the list names none.

    Most ratings above what is known are a scale of their own, which the reader has told.
    """
    federation = document.partition("/")[0].casefold()
    discipline = {"cxa": "xiangqi", "cwa": "go", "egf": "go", "aga": "go", "ffg": "go"}.get(
        federation, "chess"
    )
    if not (rows["rating"] > _MOST).mean() > _OWN_SCALE:
        yield from _unlikely(rows, _people(rows), discipline, name)


def _people(rows: pd.DataFrame) -> list[str]:
    return [id or person for id, person in zip(rows["id"].tolist(), rows["name"].tolist(), strict=True)]


def floor_of(rules: RuleSet) -> tuple[int, str] | None:
    """The lowest rating of an edition and its article; None where it names none."""
    for name, key in _FLOORS:
        rows = rules.rows(name)
        if rows:
            return min(int(row[key]) for row in rows), rules.cite(name)
    return None


def _unlikely(
    rows: pd.DataFrame, people: Sequence[object], discipline: str, file: str = ""
) -> Iterator[Finding]:
    if discipline not in _FOUR_DIGITS:
        return
    ratings = rows["rating"].to_numpy(dtype=float)
    wrong = np.flatnonzero((ratings < _LEAST) | (ratings > _MOST))
    if len(wrong):
        yield _finding("rating-unlikely", Severity.ASK, rows, people, wrong, file, low=_LEAST, high=_MOST)


def _below_floor(
    rows: pd.DataFrame, people: Sequence[object], rules: RuleSet, file: str = ""
) -> Iterator[Finding]:
    floor = floor_of(rules)
    if floor is None:
        return
    ratings = rows["rating"].to_numpy(dtype=float)
    below = np.flatnonzero((ratings < floor[0]) & (ratings >= (_LEAST if floor[0] > _LEAST else -np.inf)))
    if len(below):
        yield _finding(
            "rating-below-floor", Severity.NOTE, rows, people, below, file, article=floor[1], floor=floor[0]
        )


def _finding(
    reason: str,
    severity: Severity,
    rows: pd.DataFrame,
    people: Sequence[object],
    which: np.ndarray,
    file: str,
    article: str = "",
    **limits: int,
) -> Finding:
    """One finding for all of them: the first are named with their ratings."""
    ratings = rows["rating"].tolist()
    shown = words.joined((f"{people[i]}: {ratings[i]:g}" for i in which), _NAMED)
    single = people[which[0]] if len(which) == 1 and isinstance(people[which[0]], int) else 0
    return Finding(
        code="CK43", reason=reason, severity=severity, file=file, field="rating", article=article,
        line=int(rows["line"].iloc[which[0]]), player=int(single) if single else 0,
        published=f"{ratings[which[0]]:g}" if len(which) == 1 else "",
        values={"players": shown, "count": len(which), **limits},
    )  # fmt: skip
