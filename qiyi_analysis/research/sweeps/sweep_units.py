"""Which sums a game of a sweep is scored in: its unit of games, and the pair of its players."""

from __future__ import annotations

import numpy as np

from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import PackedHistory

#: Most units of games that are summed separately; finer units are joined by a fixed pseudo-random rule.
UNITS = 4096


EXACT_UNITS = 50_000


#: Most games of a packed history that is read whole instead of piece by piece.
IN_MEMORY = 20 * EXACT_UNITS


#: Groups of players in a history with more pairs than EXACT_UNITS.
GROUPS = 256


class Units:
    """Which sum a game is scored in: itself in a short history, else a part of its period."""

    def __init__(self, about: History | PackedHistory, scored: np.ndarray | None = None) -> None:
        self.games = 0
        self.scored = scored
        self.exact = isinstance(about, History) and len(about) <= EXACT_UNITS
        periods = about.periods
        if self.exact:
            assert isinstance(about, History)
            self.parts = 1
            self.count = len(about)
            self.period = about.period.astype(np.int32)
        else:
            self.parts = max(1, UNITS // max(periods, 1))
            self.count = periods * self.parts
            self.period = np.repeat(np.arange(periods, dtype=np.int32), self.parts)
        self.labels = tuple(about.label(p) for p in range(periods)) if periods <= 10 * EXACT_UNITS else ()

    def of(self, period: np.ndarray) -> np.ndarray:
        """Units of the next games, int32; -1 for a game that is not scored."""
        begin = self.games
        unit = self._of(period)
        return unit if self.scored is None else np.where(self.scored[begin : self.games], unit, np.int32(-1))

    def _of(self, period: np.ndarray) -> np.ndarray:
        begin, self.games = self.games, self.games + period.size
        if self.exact:
            return np.arange(begin, self.games, dtype=np.int32)
        if self.parts == 1:
            return period.astype(np.int32)
        # Neighbouring games (one event, one round) must not fall into the same part: multiply by an odd constant,
        # in 32 bits on purpose and in place, because these arrays are as long as the history.
        part = np.arange(begin & 0xFFFFFFFF, (begin & 0xFFFFFFFF) + period.size, dtype=np.uint32)
        part *= np.uint32(2654435761)
        part >>= np.uint32(12)
        part %= np.uint32(self.parts)
        unit = period * np.int32(self.parts)
        unit += part.view(np.int32)
        return unit


class Pairs:
    """Which two players (or groups of players) a game belongs to, for the bootstrap over players."""

    def __init__(self, about: History | PackedHistory, wanted: bool) -> None:
        self.exact = False
        self.wanted = wanted
        self.sides = np.zeros((2, 0), np.int32)
        if not self.wanted:
            self.count = 0
            return
        players = player_count(about)
        if isinstance(about, History) and len(about) <= IN_MEMORY:
            low, high = np.minimum(about.first, about.second), np.maximum(about.first, about.second)
            keys, where = np.unique(low.astype(np.int64) * players + high, return_inverse=True)
            if keys.size <= EXACT_UNITS:
                self.exact, self.count = True, keys.size
                self.where = where.astype(np.int32)
                self.sides = np.stack([keys // players, keys % players]).astype(np.int32)
                return
        self.groups = min(GROUPS, max(players, 1))
        self.count = self.groups * (self.groups + 1) // 2
        high, low = np.tril_indices(self.groups)
        self.sides = np.stack([low, high]).astype(np.int32)
        # Players numbered in the order of appearance must be spread over the groups: an odd multiplier does it.
        number = np.arange(players, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        self.group = ((number >> np.uint64(33)) % np.uint64(self.groups)).astype(np.int32)

    def of(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Pairs of the next games, int32 (of length 0 when not wanted)."""
        if not self.wanted:
            return np.zeros(0, np.int32)
        if self.exact:
            return self.where
        a, b = self.group[first], self.group[second]
        high, low = np.maximum(a, b), np.minimum(a, b)
        return high * (high + 1) // 2 + low


def player_count(about: History | PackedHistory) -> int:
    """Number of players of a history, packed or not."""
    return len(about.players)
