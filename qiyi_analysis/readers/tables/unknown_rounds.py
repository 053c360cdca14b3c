"""Rounds for games of which a table does not say the round.

A cross table put together from players' sheets often tells who met whom and not when. The games are
numbered so that nobody plays twice in a round, in as few rounds as can be found by exchanging rounds along
chains; ratings do not depend on it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

#: One game: the numbers of its players, one of them where there is no opponent.
Meeting = tuple[int, ...]

#: Where the games do not fit in the order of the table, other orders are tried, always the same ones.
_ATTEMPTS, _FEW = 30, 1000


def rounds_for(meetings: Sequence[Meeting], taken: Iterable[tuple[int, int]], rounds: int) -> list[int]:
    """A round for each meeting, from 1 on; beyond ``rounds`` only where no exchange makes room.

    ``taken``: (player, round) of the games whose round is known; those games keep their rounds.
    """
    known, order = list(taken), list(range(len(meetings)))
    best: dict[int, int] = {}
    for attempt in range(_ATTEMPTS if len(meetings) <= _FEW else 1):
        if attempt:
            random.Random(attempt).shuffle(order)
        plan = _Plan(known)
        for number in order:
            plan.place(number, meetings[number], rounds)
        last = max(plan.round_of.values(), default=0)
        if not best or last < max(best.values()):
            best = plan.round_of
        if last <= rounds:
            break
    return [best[number] for number in range(len(meetings))]


class _Plan:
    """Who plays which meeting in which round."""

    def __init__(self, taken: Iterable[tuple[int, int]]) -> None:
        #: (player, round) -> meeting; -1 for games whose round is known.
        self.busy: dict[tuple[int, int], int] = dict.fromkeys(taken, -1)
        self.round_of: dict[int, int] = {}
        self.players: dict[int, Meeting] = {}

    def place(self, number: int, meeting: Meeting, rounds: int) -> None:
        self.players[number] = meeting
        free = [
            [r for r in range(1, max(rounds, 1) + 1) if (player, r) not in self.busy] for player in meeting
        ]
        both = set(free[0]).intersection(*free[1:])
        if both:
            self._put(number, min(both))
            return
        if len(meeting) == 2:
            for one in free[0]:
                for other in free[1]:
                    if self._exchange(meeting[1], meeting[0], one, other):
                        self._put(number, one)
                        return
        late = max(rounds, 1) + 1
        while any((player, late) in self.busy for player in meeting):
            late += 1
        self._put(number, late)

    def _put(self, number: int, round_: int) -> None:
        self.round_of[number] = round_
        for player in self.players[number]:
            self.busy[player, round_] = number

    def _exchange(self, start: int, stop: int, one: int, other: int) -> bool:
        """Swap the rounds ``one`` and ``other`` along the chain from ``start``, so that ``one`` is free there.

        False, and nothing changed, where the chain holds a game of known round or ends at ``stop``.
        """
        chain: list[int] = []
        player, wanted = start, one
        while (player, wanted) in self.busy:
            number = self.busy[player, wanted]
            if number < 0:
                return False
            chain.append(number)
            others = [p for p in self.players[number] if p != player]
            if not others:
                break
            player, wanted = others[0], other if wanted == one else one
        if player == stop:
            return False
        for number in chain:
            for p in self.players[number]:
                del self.busy[p, self.round_of[number]]
        for number in chain:
            self._put(number, other if self.round_of[number] == one else one)
        return True
