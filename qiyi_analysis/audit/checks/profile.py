"""What a report must hold for its purpose: profiles of rising strictness.

``read``: it can be read. ``rating``: it can be rated, so every player, round and result is identified.
``title``: norms can be examined, so titles, federations and days are complete too. A stricter profile
holds all findings of the laxer ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qiyi_analysis import words
from qiyi_analysis.audit.checks import check_event
from qiyi_analysis.audit.checks.results import file_of
from qiyi_analysis.model.event import Event, Kind
from qiyi_analysis.model.findings import Finding, Severity

PROFILES = ("read", "rating", "title")


def check_profile(event: Event, profile: str) -> tuple[Finding, ...]:
    """The reader's findings, those of the checks, and what the profile demands in addition."""
    level = PROFILES.index(profile)
    found = [*event.faults, *check_event(event)]
    for demands in (_RATING, _TITLE)[:level]:
        for demand in demands:
            found.extend(demand(event))
    return tuple(found)


def _missing(
    event: Event, column: str, code: str, severity: Severity, *, rated_only: bool = False
) -> Iterator[Finding]:
    """One finding for a column that some players leave empty; the first lines are named."""
    players = event.players
    values = players[column]
    empty = values.isna() if values.dtype.kind == "f" else values.astype(str).str.strip() == ""
    if rated_only:
        empty = empty & players["rating"].notna()
    numbers = players.loc[empty & (players["line"] > 0), "number"].tolist()
    if not numbers:
        return
    shown = words.joined(numbers, 10)
    line = int(players.loc[players["number"] == numbers[0], "line"].iloc[0])
    yield Finding(
        code=code, severity=severity, reason="profile-missing", file=file_of(event, "players"), line=line, field=column,
        published="", values={"count": len(numbers), "players": shown},
    )  # fmt: skip


def _fact(event: Event, name: str, present: object, code: str, severity: Severity) -> Iterator[Finding]:
    if not present:
        yield Finding(
            code=code, severity=severity, reason="profile-fact", file=file_of(event, "meta"), field=name
        )


def _unknown_byes(event: Event) -> Iterator[Finding]:
    for fault in event.faults:
        if fault.code == "CK19" and fault.severity == Severity.ASK:
            yield Finding(
                code="CK19", severity=Severity.RETURN, reason="profile-bye", file=fault.file, line=fault.line,
                round=fault.round, player=fault.player, published=fault.published,
            )  # fmt: skip


def _open_games(event: Event) -> Iterator[Finding]:
    count = int(((event.games["kind"] == Kind.UNPLAYED) & (event.games["second"] != 0)).sum())
    if count:
        yield Finding(
            code="CK19",
            severity=Severity.RETURN,
            reason="profile-open-games",
            file=file_of(event, "games"),
            values={"count": count},
        )


def _colours(event: Event) -> Iterator[Finding]:
    games = event.games
    unknown = int(((games["kind"] == Kind.PLAYED) & ~games["colours_known"]).sum())
    if unknown:
        yield Finding(
            code="CK23",
            severity=Severity.ASK,
            reason="profile-colours",
            file=file_of(event, "games"),
            values={"count": unknown},
        )


def _days(event: Event) -> Iterator[Finding]:
    days = event.games.loc[event.games["day"] != "", "round"].nunique()
    if days < event.rounds_played:
        yield Finding(
            code="CK36", severity=Severity.ASK, reason="profile-days", file=file_of(event, "games"), field="132",
            values={"given": int(days), "rounds": event.rounds_played},
        )  # fmt: skip


Demand = Callable[[Event], Iterator[Finding]]

_RATING: tuple[Demand, ...] = (
    lambda e: _fact(e, "start", e.start, "CK03", Severity.RETURN),
    lambda e: _fact(e, "end", e.end, "CK03", Severity.RETURN),
    lambda e: _fact(e, "time_control", e.time_control, "CK05", Severity.ASK),
    lambda e: _fact(e, "chief_arbiter", e.arbiters, "CK08", Severity.ASK),
    lambda e: _fact(e, "rounds", e.rounds, "CK06", Severity.ASK),
    lambda e: _missing(e, "name", "CK09", Severity.RETURN),
    lambda e: _missing(e, "id", "CK14", Severity.ASK),
    lambda e: _missing(e, "birth_year", "CK29", Severity.ASK),
    lambda e: _missing(e, "sex", "CK10", Severity.NOTE),
    _unknown_byes,
    _open_games,
    _colours,
)

_TITLE: tuple[Demand, ...] = (
    lambda e: _missing(e, "federation", "CK38", Severity.RETURN),
    lambda e: _missing(e, "id", "CK14", Severity.RETURN, rated_only=True),
    lambda e: _fact(e, "federation", e.federation, "CK38", Severity.ASK),
    lambda e: _fact(e, "format", e.format, "CK36", Severity.ASK),
    _days,
)
