"""A mixed xiangqi event in cells: women below the floor count as the floor where women and men meet (art. 9).

A woman who met both has two averages and two differences; they stand in columns of their own behind the sheet's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qiyi_analysis.audit.event_audit import Audit

#: Columns of the players' sheet, W to AD: against women, then against men.
PLAYER_COLUMNS = (
    "women_games", "women_average", "women_difference", "women_expected", "men_games", "men_average", "men_difference",
    "men_expected",
)  # fmt: skip
#: Columns of the games' sheet, O and P: the opponent's rating as counted, and whether a woman met a man.
GAME_COLUMNS = ("counted_rating", "woman_meets_man")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixed:
    """The floor, whether a woman's own rating is raised to it as well, and the numbers of the women."""

    floor: int
    both: bool
    women: frozenset[int]
    article: str

    def counted_rating(self, number: int, opponent: int, rating: Any) -> Any:
        """The opponent's rating as it goes into the average."""
        meets_woman = opponent in self.women and number not in self.women
        return max(self.floor, rating) if meets_woman else rating

    def woman_meets_man(self, number: int, opponent: int) -> int:
        """1 where a woman meets a man, else 0 (mixed-sex articles)."""
        return int(number in self.women and opponent not in self.women)


def mixed_of(audit: Audit) -> Mixed | None:
    """What an audit's workbook needs for a mixed event; None where everybody is counted alike."""
    if audit.rating is None:
        return None
    rules = audit.rating.rules
    block, players = rules.block("mixed_sex"), audit.event.players
    women = frozenset(players.loc[players["sex"] == "w", "number"].tolist())
    # An average that is not rounded itself is another reading, for which these columns do not hold.
    if (
        block is None
        or not 0 < len(women) < len(players)
        or rules.value("average", "rounded", "average") != "average"
    ):
        return None
    return Mixed(
        floor=block["woman_counts_at_least"],
        both=block["counts_for"] == "both",
        women=women,
        article=rules.cite("mixed_sex"),
    )
