"""One tie-break is one record, made where its function is: ``@tie_break("PS", options="score cut", printed=...)``.

Everything else that is known of a criterion follows from its record: the options a code may carry, other spellings, the
headers it is printed under, its numbers in Swiss-Manager, whether it is for teams or needs ratings. Which document
defines a criterion, and by which article, is said by the rule files ([articles]); its name stands in words/standings.toml.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from qiyi_analysis.tiebreaks.column import Column


@dataclass(frozen=True, slots=True)
class Code:
    """A tie-break as asked for. ``text`` is the code as typed; it heads the column."""

    text: str
    name: str
    score: str = ""  # "MP", "GP" or "" for the event's primary score
    edition: str = ""  # "2026", "pre2023", ... or "" for the edition of the event
    low: int = 0  # values cut at the low end
    high: int = 0
    limit: int = 0  # Koya: half points up or down
    factor: int = 0  # SSSC
    fore: bool = False
    as_played: bool = False  # /P: forfeits as games against the scheduled opponent
    reverse: bool = False
    unrated: int | None = None  # what an unrated opponent counts as
    ordinal: int = 0  # ZJ/2: the second best place

    @property
    def criterion(self) -> TieBreak:
        """The record of the criterion."""
        return CRITERIA[self.name]

    @property
    def for_teams(self) -> bool:
        """Whether only teams can be ranked by it: by nature, or as it names one of their two scores."""
        return self.criterion.teams or bool(self.score)

    @property
    def bare(self) -> str:
        """The code without edition and rating, as the lists of a rule file write it."""
        kept = [self.name + (f":{self.score}" if self.score else "")]
        if self.high:
            kept.append(f"M{self.high}")
        elif self.low:
            kept.append(f"C{self.low}")
        if self.limit:
            kept.append(f"L{self.limit:+d}")
        if self.factor:
            kept.append(f"K{self.factor}")
        kept += [
            letter for letter, on in zip("FPR", (self.fore, self.as_played, self.reverse), strict=True) if on
        ]
        if self.ordinal:
            kept.append(str(self.ordinal))
        return "/".join(kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class TieBreak:
    """What is known of one criterion. ``compute`` takes work and code; of a ``relative`` one the tied groups as well."""

    name: str
    compute: Callable[..., Column]
    #: What a code may carry: score (:MP :GP), cut (/Cn), median (/Mn), and letters (F, P, R, L, K, U, N).
    options: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    #: Headers it is printed under, in small letters; of several criteria that fit a header the longest match counts.
    printed: re.Pattern[str] | None = None
    #: Its numbers in Swiss-Manager; what is peculiar to a number stands in swiss_manager_numbers.toml.
    numbers: tuple[int, ...] = ()
    relative: bool = False  # a place inside a tied group
    teams: bool = False  # only teams have it
    primary: bool = (
        False  # a score of its own: a list without any such code is for equal points (TRF record 202)
    )
    ratings: bool = False  # from the opponents' ratings
    colours: bool = False  # needs to know who had the second move
    unplayed: bool = False  # from opponents' scores, adjusted for unplayed rounds by the edition
    announced: bool = (
        False  # counts every round that was announced, and pairings without result (go programs)
    )
    looks_back: bool = False  # compares standings of earlier rounds
    needs_equal: str = ""  # comparable only between competitors equal in this score


_Function = TypeVar("_Function", bound=Callable[..., Column])

#: All criteria by their code, filled by the decorator as the modules with the functions are loaded.
CRITERIA: dict[str, TieBreak] = {}
#: Other spellings -> code.
ALIASES: dict[str, str] = {}


def tie_break(
    name: str, *, options: str = "", aliases: str = "", printed: str = "", **facts: Any
) -> Callable[[_Function], _Function]:
    """Make the decorated function the criterion ``name``. ``options`` and ``aliases`` are separated by spaces."""

    def register(function: _Function) -> _Function:
        CRITERIA[name] = TieBreak(
            name=name,
            compute=function,
            options=tuple(options.split()),
            aliases=tuple(aliases.split()),
            printed=re.compile(printed) if printed else None,
            **facts,
        )
        ALIASES.update(dict.fromkeys(aliases.split(), name))
        return function

    return register
