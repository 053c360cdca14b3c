"""Published first ratings of players without one, beside what the games of the event give (CK30)."""

from __future__ import annotations

from typing import Any

from qiyi_analysis import words
from qiyi_analysis.audit.published import Published
from qiyi_analysis.model.findings import Finding, Severity
from qiyi_analysis.rating import Rating
from qiyi_analysis.rating.initial import TOO_FEW_GAMES, TOO_FEW_OPPONENTS


def first_ratings(rating: Rating, printed: Published, rows: list[dict[str, Any]]) -> list[Finding]:
    """A finding for each published first rating that the event's games do not give.

    Games of earlier events can be part of a first rating, so another number is asked about, and one that this event is
    too short for is a note. ``rows`` of the comparison get what was recomputed.
    """
    players = rating.players
    if "initial_reason" not in players:
        return []
    row_of = {row["number"]: row for row in rows if row["field"] == "new_rating"}
    values, half = printed.new_rating.points, printed.new_rating.half
    findings = []
    for i, (number, name, old, new, games, score, reason) in enumerate(
        players[
            ["number", "name", "rating", "new_rating", "initial_games", "initial_score", "initial_reason"]
        ].itertuples(index=False)
    ):
        if old == old or games != games or not printed.new_rating.present[i]:
            continue
        agrees = new == new and abs(values[i] - new) <= half[i]
        if number in row_of:
            row_of[number].update(
                recomputed=new,
                recomputed_text=_shown(new),
                compared=new == new,
                agrees=agrees if new == new else None,
            )
        if agrees:
            continue
        short = reason in (TOO_FEW_GAMES, TOO_FEW_OPPONENTS)
        findings.append(
            Finding(
                code="CK30",
                reason="first-rating-differs" if new == new else "first-rating-not-due",
                severity=Severity.NOTE if short else Severity.ASK,
                player=int(number),
                field="new_rating",
                published=printed.new_rating.text(i),
                recomputed=_shown(new),
                article=rating.rules.cite("initial_rating"),
                values={
                    "name": name, "games": int(games), "score": f"{score:g}",
                    "why": words.named("list_reason", reason) if short else "",
                },
            )
        )  # fmt: skip
    return findings


def _shown(new: float) -> str:
    return "" if new != new else f"{new:g}"
