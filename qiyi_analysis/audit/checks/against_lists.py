"""Players against the rating list in force on the first day (CK10 to CK14)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.identity import match, match_findings
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rating.listed import list_in_force

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

    A player who is on the list without a rating and has one in the event is asked about (CK13): it may be a national one.

    Without a list in force on the event's first day the findings say so (CK44).
    """
    if not lists:
        return ()
    current = list_in_force(lists, event.start)
    if current is None:
        return (
            Finding(code="CK44", reason="no-list-in-force", severity="W", values={"day": str(event.start)}),
        )
    who = match(event.players, current.register)
    findings = list(match_findings(event.players, current.register, who))
    rows = iter(current.rows.iloc[who.row[who.row >= 0]].to_dict("records"))
    # A report that gives no ratings leaves them to the list.
    mostly_rated = 2 * int(event.players["rating"].notna().sum()) > len(event.players)
    gives_ratings = bool(current.rows["rating"].notna().any())
    for i, (row, player) in enumerate(zip(who.row, event.players.to_dict("records"), strict=True)):
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
        listed = next(rows)
        if gives_ratings and np.isnan(listed["rating"]) and not np.isnan(player["rating"]):
            # A rating of another kind may stand in for a missing one (rapid and blitz).
            stands_in = any(kind["rating"].iloc[row] == player["rating"] for kind in current.kinds.values())
            if not stands_in:
                findings.append(
                    Finding(
                        code="CK13",
                        reason="unrated-on-list",
                        severity="W",
                        field="rating",
                        published=_text(player["rating"]),
                        values={"name": player["name"], "list": current.id},
                        **place,
                    )
                )
        if mostly_rated and np.isnan(player["rating"]) and listed["rating"] > 0:
            findings.append(
                Finding(
                    code="CK12", reason="rated-on-list", severity="W", field="rating", recomputed=_text(listed["rating"]),
                    values={"name": player["name"], "list": current.id}, **place,
                )
            )  # fmt: skip
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
