"""A surviving cause of one player with its evidence, and which goes first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from qiyi_analysis.model.findings import Cause

#: Among causes with equal evidence, the commoner mistake first.
ORDER = (
    "reported-rating",
    "reported-k",
    "sign-reversed",
    "digits-exchanged",
    "players-exchanged",
    "w-minus-we",
    "other-edition",
    "other-k",
    "formula",
    "uncapped",
    "capped",
    "half-even",
    "half-up",
    "truncated",
    "rounded-change",
    "swiss-formula",
    "round-robin-formula",
    "average-opponent",
    "per-game",
    "forfeit-counted",
    "unrated-counted",
    "unrated-left-out",
    "champion-unprotected",
    "mixed-sex-rule",
    "other-reading",
    "opponent-rating",
    "own-rating",
    # After the single rating: a list in which one rating differs says the same with more words.
    "other-list",
    "game-left-out",
    "other-result",
    "other-row",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A surviving cause for one player, with the evidence it is ranked by."""

    cause: Cause
    consistent: bool  # reproduces every published number of the event
    supported: bool  # a list at hand says the same
    complete: bool = True  # reproduces also the numbers of the player that agree with the rules

    @property
    def rank(self) -> tuple[int, int, int, int, int, str]:
        """What candidates are sorted by, the best first: evidence at hand, players explained, all numbers of the player, all of the event, how common the mistake is."""
        order = ORDER.index(self.cause.cause) if self.cause.cause in ORDER else len(ORDER)
        return (
            -self.supported, -self.cause.explains, -self.complete, -self.consistent, order, self.cause.detail,
        )  # fmt: skip


#: Surviving causes by the position of the player in the players table.
Found = dict[int, list[Candidate]]


def best_of_each(candidates: Iterable[Candidate]) -> list[Candidate]:
    """One candidate for each cause and detail, the best supported."""
    best: dict[tuple[str, str], Candidate] = {}
    for candidate in candidates:
        key = (candidate.cause.cause, candidate.cause.detail)
        if key not in best or candidate.rank < best[key].rank:
            best[key] = candidate
    return list(best.values())
