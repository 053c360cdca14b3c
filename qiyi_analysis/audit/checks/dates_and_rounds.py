"""Checks of the frame of an event: its dates, numbers of rounds and players (CK03, CK06, CK07, CK21, CK22)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import chain

from qiyi_analysis import words
from qiyi_analysis.audit.checks.results import file_of
from qiyi_analysis.model.event import Event, Kind, sides
from qiyi_analysis.model.findings import Finding, Severity


def check(event: Event) -> tuple[Finding, ...]:
    """All findings about dates, rounds and completeness."""
    return tuple(
        chain(
            _dates(event),
            _days(event),
            _rounds(event),
            _missing(event),
            _complete(event),
            _without_moves(event),
        )
    )


def _dates(event: Event) -> Iterator[Finding]:
    file = file_of(event, "meta")
    if event.start is not None and event.end is not None and event.start > event.end:
        yield Finding(
            code="CK03", reason="dates-reversed", file=file, field="end", published=event.end.isoformat(),
            values={"start": event.start.isoformat()},
        )  # fmt: skip


def _days(event: Event) -> Iterator[Finding]:
    """Rounds outside the event, or in the wrong order; one finding a round."""
    days = event.games.loc[event.games["day"] != "", ["round", "day"]].drop_duplicates()
    for round_, text in days.sort_values(["round", "day"]).itertuples(index=False):
        try:
            day = date.fromisoformat(text)
        except ValueError:
            yield Finding(
                code="CK03",
                reason="day-unreadable",
                file=file_of(event, "games"),
                round=int(round_),
                field="day",
                published=text,
            )
            continue
        if (event.start and day < event.start) or (event.end and day > event.end):
            yield Finding(
                code="CK03", reason="day-outside", file=file_of(event, "games"), round=int(round_), field="day", published=text,
                values={"start": event.start or "?", "end": event.end or "?"},
            )  # fmt: skip


def _rounds(event: Event) -> Iterator[Finding]:
    played = event.rounds_played
    if event.rounds is not None and played > event.rounds:
        yield Finding(
            code="CK06", reason="too-many-rounds", file=file_of(event, "games"), field="rounds", published=str(event.rounds),
            recomputed=str(played),
        )  # fmt: skip
    elif event.rounds is not None and 0 < played < event.rounds:
        yield Finding(
            code="CK06", severity=Severity.NOTE, reason="rounds-open", file=file_of(event, "games"), field="rounds",
            published=str(event.rounds), recomputed=str(played),
        )  # fmt: skip


#: Formats in which everybody has a game or a bye in every round.
_EVERYBODY = frozenset({"swiss", "mcmahon"})


def _missing(event: Event) -> Iterator[Finding]:
    """Rounds without a pairing before the last one, and players of a Swiss without game or bye inside their rounds."""
    games, last = event.games, event.rounds_played
    file = file_of(event, "games")
    paired = set(games.loc[games["second"] != 0, "round"].tolist())
    empty = [one for one in range(1, last) if one not in paired]
    if empty and paired:
        values = {"rounds": words.ranges(empty), "count": len(empty)}
        yield Finding(
            code="CK22", reason="rounds-missing", file=file, round=empty[0], field="rounds", values=values
        )
    if event.format not in _EVERYBODY:
        return
    table = sides(games)
    span = table.groupby("player")["round"].agg(["min", "max"])
    present = set(zip(table["player"].tolist(), table["round"].tolist(), strict=True))
    for one in sorted(paired):
        inside = span.index[(span["min"] < one) & (span["max"] > one)].tolist()
        absent = [number for number in inside if (number, one) not in present]
        if absent:
            values = {"players": words.ranges(absent), "count": len(absent)}
            yield Finding(code="CK22", reason="boards-missing", file=file, round=one, values=values)


#: What a file notes of a game in which no move was made.
_NO_MOVE = re.compile(
    r"\b(un ?played|not played|no moves?|did not appear|no[- ]?show|default|walk ?over)\b|未走|未到|缺席",
    re.IGNORECASE,
)


def _without_moves(event: Event) -> Iterator[Finding]:
    """Games counted as played whose note says that no move was made (CK21)."""
    games = event.games[event.games["kind"] == Kind.PLAYED]
    for round_, first, second, note, line in games.loc[
        games["note"] != "", ["round", "first", "second", "note", "line"]
    ].itertuples(index=False):
        if _NO_MOVE.search(note):
            yield Finding(
                code="CK21", reason="game-without-moves", file=file_of(event, "games"), line=int(line), round=int(round_),
                player=int(first), field="result", published=note, values={"first": int(first), "second": int(second)},
            )  # fmt: skip


def _complete(event: Event) -> Iterator[Finding]:
    numbers = event.players["number"]
    if len(numbers) and int(numbers.max()) > len(numbers):
        missing = sorted(set(range(1, min(int(numbers.max()), 20_000) + 1)) - set(numbers))
        shown = words.ranges(missing)
        if missing:
            yield Finding(
                code="CK07", severity=Severity.NOTE, reason="numbers-missing", file=file_of(event, "players"), field="number",
                published=shown, values={"highest": int(numbers.max()), "counted": len(numbers)},
            )  # fmt: skip
