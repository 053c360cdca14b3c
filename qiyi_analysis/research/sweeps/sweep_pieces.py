"""The games of a sweep piece by piece, with the class of K and the sums each belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.research.history.games import History, birth_years
from qiyi_analysis.research.history.history_files import (
    PackedHistory,
    as_history,
    is_packed,
    open_packed,
    read_history,
)
from qiyi_analysis.research.history.rating_periods import years_of
from qiyi_analysis.research.sweeps import sweep_units
from qiyi_analysis.research.sweeps.sweep_result import SweepSettings
from qiyi_analysis.research.sweeps.sweep_units import Pairs, Units, player_count


class Piece(NamedTuple):
    """Some games in order, an element each. int32 but for half_points (int8, points of ``first`` in halves), shift
    (float64, points added to the first side's difference) and the classes (uint8, rows of a table of K).

    shift, the classes and pair have length 0 where there are none. unit: the row of the sums a game is scored in;
    pair: that of its two players.
    """

    first: np.ndarray
    second: np.ndarray
    half_points: np.ndarray
    period: np.ndarray
    shift: np.ndarray
    class_first: np.ndarray
    class_second: np.ndarray
    unit: np.ndarray
    pair: np.ndarray


def pieces_of(games: Any) -> History | PackedHistory:
    """What a sweep goes through: a history, or a packed one that is too large to be read whole.

    Raises ParameterError for what is no history.
    """
    if isinstance(games, (str, Path)) and is_packed(games):
        games = open_packed(games)
    if isinstance(games, PackedHistory):
        return games if len(games) > sweep_units.IN_MEMORY else read_history(games.path)
    return as_history(games)


def prepared(
    about: History | PackedHistory, tables: Sequence[Any], settings: SweepSettings, units: Units, pairs: Pairs
) -> Iterator[Piece]:
    """The pieces with the class of K, the unit and the pair of each game.

    Raises ParameterError for more classes than 256, and for games that are not in order of their periods.
    """
    nothing = np.zeros(0, np.uint8)
    games_limits, age_limits = tables[0].games, tables[0].ages
    classes = tables[0].values.shape[0] * (games_limits.size + 1) * (age_limits.size + 1)
    if classes > 256:
        raise ParameterError("k-classes", classes=classes)
    if classes > 1:
        from qiyi_analysis.research.loops.arguments import Bands, Counters, Games
        from qiyi_analysis.research.loops.class_loop import classes_of_games

        players = player_count(about)
        counters = Counters(*(np.full(players, value, np.int32) for value in (0, 0, -1)))
        birth_year = birth_years(about.players)
        bands = Bands(np.zeros((1, 1)), games_limits, age_limits, np.zeros(0), np.zeros(0))
    last = 0
    no_control, no_shift = np.zeros(0, np.int32), np.zeros(0)
    for part in (about,) if isinstance(about, History) else about:
        first, second, half_points, period = part.first, part.second, part.half_points, part.period
        control = no_control if part.time_control is None else part.time_control
        if period.size and (int(period[0]) < last or (period[1:] < period[:-1]).any()):
            raise ParameterError("sweep-order")
        last = int(period[-1]) if period.size else last
        class_first = class_second = nothing
        if classes > 1:
            year = years_of(part.day)
            class_first, class_second = np.empty(first.size, np.uint8), np.empty(first.size, np.uint8)
            classes_of_games(
                Games(first, second, half_points, period, year, control, no_shift), bands, birth_year,
                settings.update == "period", counters, class_first, class_second,
            )  # fmt: skip
        yield Piece(
            first,
            second,
            half_points,
            period,
            no_shift if part.shift is None else part.shift,
            class_first,
            class_second,
            units.of(period),
            pairs.of(first, second),
        )
