"""Checks of the frame of an event: its dates, numbers of rounds and players (CK03, CK06, CK07)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import chain

from qiyi_analysis import words
from qiyi_analysis.audit.checks.results import file_of
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, Severity


def check(event: Event) -> tuple[Finding, ...]:
    """All findings about dates, rounds and completeness."""
    return tuple(chain(_dates(event), _days(event), _rounds(event), _complete(event)))


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


def _complete(event: Event) -> Iterator[Finding]:
    numbers = event.players["number"]
    if len(numbers) and int(numbers.max()) > len(numbers):
        missing = sorted(set(range(1, min(int(numbers.max()), 20_000) + 1)) - set(numbers))
        shown = words.joined(missing, 8)
        if missing:
            yield Finding(
                code="CK07", severity=Severity.NOTE, reason="numbers-missing", file=file_of(event, "players"), field="number",
                published=shown, values={"highest": int(numbers.max()), "counted": len(numbers)},
            )  # fmt: skip
