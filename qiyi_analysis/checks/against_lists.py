"""Players against the rating list in force on the first day (CK10 to CK14)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qiyi_analysis.findings import Finding
from qiyi_analysis.identity import match_players
from qiyi_analysis.model import Event, RatingList
from qiyi_analysis.rating.entrants import list_in_force, match_list

#: Column of the event, column of the list, how the two are written in a finding.
COMPARED = (
    ("rating", "rating"),
    ("k", "k"),
    ("title", "title"),
    ("federation", "federation"),
    ("birth_year", "birth_year"),
)


def check(event: Event, lists: Sequence[RatingList]) -> tuple[Finding, ...]:
    """Every value of the event that differs from the list in force (CK12), and players not on it (CK10).

    Without a list in force on the event's first day the findings say so (CK44).
    """
    if not lists:
        return ()
    current = list_in_force(lists, event.start)
    if current is None:
        return (
            Finding(code="CK44", reason="no-list-in-force", severity="W", values={"day": str(event.start)}),
        )
    plainly = match_list(event.players, current)
    who = match_players(event, current)
    sure = set(event.players["number"].to_numpy()[plainly >= 0].tolist())
    # Other spellings, doubtful names and ids with another name; a name written the same needs no remark.
    findings = [f for f in who.findings if f.reason == "id-with-other-name" or f.player not in sure]
    for i, row in enumerate(np.where(plainly >= 0, plainly, who.row)):
        player = event.players.iloc[i]
        place: dict[str, Any] = {"player": int(player["number"]), "line": int(player["line"])}
        if row < 0 and who.how[i] == "doubtful":
            continue
        if row < 0:
            rated = not np.isnan(player["rating"])
            findings.append(
                Finding(
                    code="CK10",
                    reason="not-on-list",
                    severity="W" if rated else "I",
                    values={"name": player["name"], "list": current.id},
                    **place,
                )
            )
            continue
        listed = current.rows.iloc[row]
        for own_name, list_name in COMPARED:
            own, other = _text(player[own_name]), _text(listed[list_name])
            if own and other and own != other and not (own_name == "k" and other == "0"):
                findings.append(
                    Finding(
                        code="CK12",
                        reason="differs-from-list",
                        severity="W" if own_name in ("rating", "k") else "I",
                        field=own_name,
                        published=own,
                        recomputed=other,
                        values={"name": player["name"], "list": current.id},
                        **place,
                    )
                )
    return tuple(findings)


def _text(value: object) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:g}"
    return str(value)
