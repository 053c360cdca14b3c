"""What the formulas of the calculation sheet know of the games' sheet: its columns, and the sums it will give."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from qiyi_analysis.report.kit.tables import is_missing
from qiyi_analysis.rules.rounding import half_up

if TYPE_CHECKING:
    from qiyi_analysis.rating import Rating
    from qiyi_analysis.report.workbook.mixed import Mixed


def rounded_mean(total: Any, count: int) -> int:
    """``total / count`` rounded half up, exactly, as the formulas of the sheets round averages."""
    return int(half_up(Fraction(str(total)), count))


class GameSums:
    """The games' sheet seen from formulas: its columns, and the sums it will give."""

    def __init__(self, name: str, rows: int, rating: Rating, mixed: Mixed | None) -> None:
        self.name = name
        self.last = rows + 1
        self.mixed = mixed
        #: The column of the opponents' ratings that averages are made of.
        self.averaged = "O" if mixed else "G"
        counted = rating.games[rating.games["counted"].astype(bool)]
        #: Number -> (opponent, opponent's rating, score) of each counted game.
        self.games: dict[int, list[tuple[Any, Any, Any]]] = {}
        columns = (counted[key].tolist() for key in ("number", "opponent", "opponent_rating", "score"))
        for number, *game in zip(*columns, strict=True):
            self.games.setdefault(number, []).append(tuple(game))

    def column(self, letter: str) -> str:
        """Reference of a whole column of the sheet, without its head."""
        return f"'{self.name}'!${letter}$2:${letter}${max(self.last, 2)}"

    def count(self, number: int) -> int:
        """Number of games of a player on the sheet."""
        return len(self.games.get(number, ()))

    def by_sex(self, number: int) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Games and average against women and against men of a woman who met both; None where a rating is unknown."""
        if self.mixed is None or not self.opponents(number)[1]:
            return None
        ratings: tuple[list[Any], list[Any]] = ([], [])
        for opponent, rating, _ in self.games[number]:
            ratings[self.mixed.woman_meets_man(number, opponent)].append(rating)
        if not all(ratings):
            return None
        women, men = ((len(part), rounded_mean(sum(part), len(part))) for part in ratings)
        return women, men

    def score(self, number: int) -> Any:
        """Points of a player's counted games, exactly."""
        return sum((Decimal(str(score)) for _, _, score in self.games.get(number, ())), Decimal(0))

    def opponents(self, number: int) -> tuple[Any, int]:
        """Sum of the opponents' ratings as they count for the average, and their number; (0, 0) where one is unknown."""
        games = self.games.get(number, ())
        if any(is_missing(rating) for _, rating, _ in games):
            return (0, 0)
        counted = [self.mixed.counted_rating(number, o, r) if self.mixed else r for o, r, _ in games]
        return sum(counted), len(counted)
