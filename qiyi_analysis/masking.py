"""Hide the names of minors in an audit, wherever they stand: tables, findings, causes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from qiyi_analysis import words
from qiyi_analysis.audit import Audit
from qiyi_analysis.findings import Finding
from qiyi_analysis.model import Event

#: Age of majority (Law on the Protection of Minors, art. 2; UN Convention on the Rights of the Child, art. 1).
MAJORITY = 18


def minors(event: Event) -> dict[int, bool]:
    """Number -> whether the player may be a minor on the first day; players without birth data are left out.

    Of a year of birth alone, the age at the end of the year decides for the player's protection. Without a date
    of the event, everybody with birth data counts as a minor.
    """
    day = event.start or event.end
    found: dict[int, bool] = {}
    players = event.players
    for number, year, date in zip(
        players["number"].tolist(),
        players["birth_year"].tolist(),
        players["birth_date"].tolist(),
        strict=True,
    ):
        full = str(date)[:10]
        if np.isnan(year) and not full:
            continue
        if day is None:
            found[number] = True
        elif len(full) == 10 and full[:4].isdigit():
            found[number] = f"{int(full[:4]) + MAJORITY:04d}{full[4:]}" > day.isoformat()
        else:
            found[number] = day.year - int(full[:4] if np.isnan(year) else year) <= MAJORITY
    return found


def masked(audit: Audit, language: str) -> Audit:
    """The audit with neutral names instead of minors' names and without their ids."""
    hidden = {number for number, minor in minors(audit.event).items() if minor}
    players = audit.event.players
    names = {
        name: words.text("audit.minor", language, number=number)
        for number, name in zip(players["number"].tolist(), players["name"].tolist(), strict=True)
        if number in hidden and name
    }
    if not names:
        return audit
    rating = audit.rating
    if rating is not None:
        rating = replace(
            rating,
            players=_frame(rating.players, hidden, names),
            findings=tuple(_finding(f, names) for f in rating.findings),
        )
    return replace(
        audit,
        event=replace(
            audit.event,
            players=_frame(players, hidden, names),
            faults=tuple(_finding(fault, names) for fault in audit.event.faults),
        ),
        rating=rating,
        comparison=_frame(audit.comparison, hidden, names),
        findings=tuple(_finding(finding, names) for finding in audit.findings),
    )


def _frame(frame: Any, hidden: set[int], names: Mapping[str, str]) -> Any:
    rows = frame["number"].isin(hidden).to_numpy()
    columns: dict[str, Any] = {
        "name": [names.get(n, n) if row else n for n, row in zip(frame["name"], rows, strict=True)]
    }
    for column, empty in (("id", ""), ("birth_year", np.nan), ("birth_date", "")):
        if column in frame.columns:
            columns[column] = frame[column].where(~rows, empty)
    return frame.assign(**columns)


def _finding(finding: Finding, names: Mapping[str, str]) -> Finding:
    def clean(value: Any) -> Any:
        if isinstance(value, words.Said):
            return words.Said(clean(str(value)), clean(value.zh))
        if isinstance(value, str):
            for name, stand_in in names.items():
                value = value.replace(name, stand_in)
        return value

    return replace(
        finding,
        published=clean(finding.published),
        recomputed=clean(finding.recomputed),
        causes=tuple(replace(cause, detail=clean(cause.detail)) for cause in finding.causes),
        values={key: clean(value) for key, value in finding.values.items()},
    )
