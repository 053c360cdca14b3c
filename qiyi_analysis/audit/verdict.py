"""The verdict of an audit, and how much of the event it rests on.

``return``: something is to be corrected; ``insufficient``: too little is known to judge (a rule guessed, K not known,
rounds or boards missing, no games); ``remarks``: something is asked; ``accept``: none of these.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import pandas as pd

from qiyi_analysis.model.findings import Finding, Severity, ordered, worst
from qiyi_analysis.rating import Rating

#: Reasons for which an event cannot be judged; where one of them holds, its finding is asked about.
GROUNDS = frozenset(
    {
        "rules-assumed", "no-date-newest-edition", "editions-of-span", "rules-undecided", "no-edition-in-force", "rules-of-file-unknown", "not-rated",
        "k-unknown", "k-unknown-of-many", "development-unknown", "rounds-open", "rounds-missing", "boards-missing",
        "games-without-players", "event-without-games", "changes-open", "players-without-rating",
    }
)  # fmt: skip
#: Codes that a rule decides; under a rule that was guessed none of them returns a report.
BY_RULE = frozenset(
    {"CK02", "CK04", "CK05", "CK26", "CK30", "CK31", "CK32", "CK36", "CK37", "CK38", "CK39", "CK40"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What was calculated and compared: players who can be rated, new ratings, printed rating numbers, ranks and tie-breaks."""

    rateable: int = 0
    new: int = 0
    calculated: int = 0
    published: int = 0
    compared: int = 0
    agree: int = 0
    placed: int = 0
    in_place: int = 0

    @property
    def confirms(self) -> bool:
        """Whether the published numbers themselves show by which rules they were calculated."""
        return bool(self.agree) and 2 * self.agree >= self.compared

    def as_dict(self) -> dict[str, int]:
        """The counts in the fields of the interface."""
        return {name: getattr(self, name) for name in self.__slots__}


def coverage(rating: Rating | None, comparison: pd.DataFrame, standings: pd.DataFrame) -> Coverage:
    """Count what an audit calculated and compared."""
    counts = {
        "published": len(comparison),
        "compared": int(comparison["compared"].sum()),
        "agree": int(comparison["agrees"].sum()),
        "placed": int(standings["compared"].sum()),
        "in_place": int(standings["agrees"].sum()),
    }
    if rating is None:
        return Coverage(**counts)
    players = rating.players
    rateable = players["rating"].notna() & ~players["provisional"] & (players["games"] > 0)
    known = players["change"].notna()
    return Coverage(
        rateable=int(rateable.sum()), new=int(players["new_rating"].notna().sum()), calculated=int((rateable & known).sum()), **counts
    )  # fmt: skip


def judged(findings: Iterable[Finding], done: Coverage, guessed: bool) -> tuple[tuple[Finding, ...], str]:
    """The findings in order, those that forbid a judgement raised to a question, and the verdict.

    ``guessed``: the rating rules were assumed for want of a better reason.
    """
    guessed = guessed and not done.confirms
    every = [_weighed(finding, guessed) for finding in findings]
    every += _open(done, every)
    every = list(ordered(every))
    grounds = any(f.reason in GROUNDS and f.severity == Severity.ASK for f in every)
    severest = worst(every)
    if severest == Severity.RETURN:
        return tuple(every), "return"
    if grounds:
        return tuple(every), "insufficient"
    return tuple(every), "remarks" if severest == Severity.ASK else "accept"


def _weighed(finding: Finding, guessed: bool) -> Finding:
    if finding.reason == "rules-assumed":
        return replace(finding, severity=Severity.ASK if guessed else Severity.NOTE)
    if finding.reason in GROUNDS:
        return replace(finding, severity=Severity.ASK)
    if guessed and finding.code in BY_RULE and finding.severity == Severity.RETURN:
        return replace(finding, severity=Severity.ASK)
    return finding


def _open(done: Coverage, findings: Iterable[Finding]) -> list[Finding]:
    """A finding where changes are open that no other finding names."""
    if not (done.rateable or done.new or done.agree):
        return [Finding(code="CK44", reason="players-without-rating", severity=Severity.ASK, field="rating")]
    if done.calculated == done.rateable or any(f.code in ("CK42", "CK30") for f in findings):
        return []
    values = {"count": done.rateable - done.calculated, "of": done.rateable}
    return [Finding(code="CK44", reason="changes-open", severity=Severity.ASK, field="change", values=values)]
