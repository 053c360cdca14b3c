"""The search for norms: every allowed selection of games of every player, all conditions at once.

In a Swiss later rounds and games against beaten opponents may be left out. Among beaten opponents of
the same federation and title it is never worse to leave out the lower rated ones (average and mix can
only gain), so only how many of each such group are left out has to be tried; this keeps the search
exact and short.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from qiyi_analysis.rules.rounding import half_up, rounded
from qiyi_analysis.rules.ruleset import Block, RuleSet
from qiyi_analysis.titles.norms import Entrant, NormRound
from qiyi_analysis.titles.title_names import UNKNOWN

#: A whole number, or an array of them.
Whole = Any

#: Selections tried for one player; only an event of far more rounds than any norm event comes near.
SELECTIONS_AT_MOST = 200_000

#: The conditions, in the order of the rule. One column each in ``Outcome.met``.
CONDITIONS = (
    "known",  # nothing the selection rests on is unknown
    "format",
    "games",
    "foreign",
    "own",
    "one",
    "titled",
    "in_question",
    "average",
    "percent",
    "performance",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One player's counted games and what may be left out of them."""

    player: Entrant
    games: tuple[NormRound, ...]
    opponents: tuple[Entrant, ...]
    games_at_least: int
    counts_as: int | None  # games a norm of the least number counts as, where an article says so
    may_skip_later: bool  # rounds after the norm was complete
    may_skip_beaten: bool  # games against beaten opponents
    leave_out_known: bool  # False where the event's format is not given
    exempt: bool | None  # from the foreigner rule
    double_round_robin: bool
    missing_game: bool  # one of nine rounds was no game of the player's making (1.4.1c)
    complete: bool  # all scheduled rounds are played, where every round counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The selection of games that decides about one player and title."""

    taken: tuple[int, ...]  # positions in the candidate's games
    met: Mapping[str, bool]  # on the pessimistic values
    possible: Mapping[str, bool]  # on the optimistic values
    reached: bool | None


def performance_table(rules: RuleSet) -> np.ndarray:
    """Rating difference by whole per cent, 0 to 100 (table 8.1.1)."""
    name = rules.need("performance")["table"]
    key = (rules.id, str(rules.folder), name)
    if key not in _TABLES:
        table = np.zeros(101, dtype=np.int64)
        for row in rules.table(name):
            table[int(Fraction(row["p"]) * 100)] = int(row["dp"])
        table.flags.writeable = False
        _TABLES[key] = table
    return _TABLES[key]


#: Tables that were read once; they never change, and a sheet needs them dozens of times.
_TABLES: dict[tuple[str, str, str], np.ndarray] = {}


def least(share: Fraction, n: Whole) -> Whole:
    """Smallest whole number that is at least ``share`` of n."""
    return -((-share.numerator * n) // share.denominator)


def most(share: Fraction, n: Whole) -> Whole:
    """Largest whole number that is at most ``share`` of n."""
    return (share.numerator * n) // share.denominator


def selections(candidate: Candidate) -> Iterator[tuple[int, ...]]:
    """Positions of the games of every selection worth trying; all games come first.

    Each is made of a number of rounds from the start, without some beaten opponents.
    """
    size = len(candidate.games)
    everything = tuple(range(size))
    yield everything
    seen = {everything}
    shortest = candidate.games_at_least if candidate.may_skip_later else size
    for rounds in range(size, shortest - 1, -1):
        groups: dict[object, list[int]] = {}
        for i in range(rounds):
            game, opponent = candidate.games[i], candidate.opponents[i]
            if game.half_points == 2:
                certain = game.rating_known and opponent.known_federation and UNKNOWN not in opponent.titles
                key = (opponent.federation, opponent.titles) if certain else i
                groups.setdefault(key, []).append(i)
        ordered = [
            sorted(group, key=lambda i: candidate.games[i].rating_used or 0) for group in groups.values()
        ]
        out_at_most = max(rounds - candidate.games_at_least, 0) if candidate.may_skip_beaten else 0
        for counts in _counts([len(group) for group in ordered], out_at_most):
            out = {i for group, count in zip(ordered, counts, strict=True) for i in group[:count]}
            taken = tuple(i for i in range(rounds) if i not in out)
            if taken not in seen:
                seen.add(taken)
                yield taken


def _counts(sizes: Sequence[int], at_most: int) -> Iterator[tuple[int, ...]]:
    """Every way to take up to ``at_most`` things from groups of these sizes."""
    if not sizes:
        yield ()
        return
    for first in range(min(sizes[0], at_most) + 1):
        for others in _counts(sizes[1:], at_most - first):
            yield (first, *others)


class Search:
    """All selections of all candidates as arrays, to be judged title by title."""

    def __init__(self, candidates: Sequence[Candidate], rules: RuleSet) -> None:
        self.rules = rules
        self.candidates = [candidate for candidate in candidates if candidate.games]
        self.table = performance_table(rules)
        self.highest = max(
            (game.rating_used or 0 for candidate in self.candidates for game in candidate.games), default=0
        )
        width = max((len(candidate.games) for candidate in self.candidates), default=0)
        takens: list[tuple[int, ...]] = []
        owners: list[int] = []
        self.incomplete: set[int] = set()
        for position, candidate in enumerate(self.candidates):
            mine = list(itertools.islice(selections(candidate), SELECTIONS_AT_MOST + 1))
            if len(mine) > SELECTIONS_AT_MOST:
                self.incomplete.add(candidate.player.number)
                mine.pop()
            takens += mine
            owners += [position] * len(mine)
        self.takens = takens
        self.owner = np.array(owners, dtype=np.int64)
        self.starts = np.searchsorted(self.owner, np.arange(len(self.candidates)))
        self.mask = np.zeros((len(takens), width), dtype=bool)
        for i, taken in enumerate(takens):
            self.mask[i, list(taken)] = True
        if takens:
            self._count(width)

    def _count(self, width: int) -> None:
        """The counts that do not depend on the title."""
        rules, mask, owner = self.rules, self.mask, self.owner
        self.n = mask.sum(axis=1)
        self.n_all = np.array([len(c.games) for c in self.candidates], dtype=np.int64)[owner]
        self.half_points = self._sum(lambda game, _: game.half_points or 0)
        self.ratings = self._grid(lambda game, _: game.rating_used or 0)
        doubtful = {*rules.need("titled")["titles"]}

        def optimistic(game: NormRound, opponent: Entrant) -> int:
            # A title holder without a rating, or the list of the day missing: it may be anything seen here.
            unknown = not game.rating_known or (game.rating is None and bool(opponent.titles & doubtful))
            return self.highest if unknown else game.rating_used or 0

        self.ratings_possible = self._grid(optimistic)
        self.unknown = self._sum(
            lambda game, opponent: not opponent.known_federation or not game.rating_known
        )
        self._count_federations(width)
        holders = set(rules.need("titled")["titles"])
        self.titled = self._sum(lambda _, opponent: bool(opponent.titles & holders))
        self.titled_possible = self._sum(lambda _, opponent: bool(opponent.titles & (holders | {UNKNOWN})))

    def _grid(self, value) -> np.ndarray:
        """``value(game, opponent)`` by selection and game, 0 where a player has fewer games."""
        width = self.mask.shape[1]
        table = np.zeros((len(self.candidates), width), dtype=np.int64)
        for i, candidate in enumerate(self.candidates):
            values = [value(g, o) for g, o in zip(candidate.games, candidate.opponents, strict=True)]
            table[i, : len(values)] = values
        return table[self.owner]

    def _sum(self, value) -> np.ndarray:
        return (self._grid(value) * self.mask).sum(axis=1)

    def _count_federations(self, width: int) -> None:
        """Own, foreign and most frequent federation; FID is none, an unknown one may be any."""
        not_a_federation = set(self.rules.need("foreign")["not_a_federation"])
        index = np.full((len(self.candidates), width), -1, dtype=np.int64)
        own = np.full(len(self.candidates), -1, dtype=np.int64)
        for i, candidate in enumerate(self.candidates):
            codes: dict[str, int] = {}
            for j, opponent in enumerate(candidate.opponents):
                if opponent.known_federation and opponent.federation not in not_a_federation:
                    index[i, j] = codes.setdefault(opponent.federation, len(codes))
            own[i] = codes.get(candidate.player.federation, -1)
        size = int(index.max(initial=-1)) + 1
        rows = index[self.owner]
        counts = (
            np.stack([((rows == f) & self.mask).sum(axis=1) for f in range(size)], axis=1)
            if size
            else (np.zeros((len(self.mask), 1), dtype=np.int64))
        )
        own = own[self.owner]
        has_own = own >= 0
        self.own = np.where(has_own, counts[np.arange(len(counts)), np.maximum(own, 0)], 0)
        self.most_of_one = counts.max(axis=1)
        self.foreign = (counts > 0).sum(axis=1) - (self.own > 0)
        known = np.array([c.player.known_federation for c in self.candidates], dtype=bool)
        self.own_known = known[self.owner]

    def judge(self, norm: Block) -> dict[int, Selection]:
        """For each player (by number) the selection that decides about this norm.

        The one that meets every condition with the fewest games left out, else the nearest.
        """
        if not self.takens:
            return {}
        met, possible, lacking, performance = self._conditions(norm)
        reached: np.ndarray = np.all(met, axis=1)
        could: np.ndarray = np.all(possible, axis=1)
        left_out = self.n_all - self.n
        chosen = {}
        ends = np.append(self.starts[1:], len(self.takens))
        # Few unmet conditions first, then the smaller gap to the performance, then few games left out.
        order = (
            (~possible).sum(axis=1) * 10**13
            + (~met).sum(axis=1) * 10**11
            + lacking * 10**6
            + left_out * 10**4
            - performance
        )
        for position, candidate in enumerate(self.candidates):
            start, end = self.starts[position], ends[position]
            best = int(start + np.argmin(order[start:end]))
            verdict: bool | None = False
            if reached[best]:
                verdict = True
            elif could[start:end].any() or candidate.player.number in self.incomplete:
                verdict = None
            chosen[candidate.player.number] = Selection(
                taken=self.takens[best],
                met=dict(zip(CONDITIONS, map(bool, met[best]), strict=True)),
                possible=dict(zip(CONDITIONS, map(bool, possible[best]), strict=True)),
                reached=verdict,
            )
        return chosen

    def _conditions(self, norm: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        rules, n, owner = self.rules, self.n, self.owner
        share = rules.need("federation_share")
        foreign_at_least = rules.need("foreign")["federations_at_least"]
        exempt = np.array([c.exempt is True for c in self.candidates], dtype=bool)[owner]
        maybe_exempt = np.array([c.exempt is not False for c in self.candidates], dtype=bool)[owner]
        games_at_least = np.array([c.games_at_least for c in self.candidates], dtype=np.int64)[owner]
        complete = np.array([c.complete for c in self.candidates], dtype=bool)[owner]
        everything = n == self.n_all
        certain = np.array([c.leave_out_known for c in self.candidates], dtype=bool)[owner]

        foreign = self.own_known & (self.foreign >= foreign_at_least)
        own = self.own_known & (self.own <= most(share["own_at_most"], n))
        one = self.most_of_one <= most(share["one_at_most"], n)
        foreign_possible = self.foreign + self.unknown >= foreign_at_least
        own_possible = ~self.own_known | own

        wanted = set(norm["met"])
        in_question = self._sum(lambda _, opponent: bool(opponent.titles & wanted))
        in_question_possible = self._sum(lambda _, opponent: bool(opponent.titles & (wanted | {UNKNOWN})))
        titled_needed = least(rules.need("titled")["share_at_least"], n)
        needed = self.needed_in_question(n)

        average = self.average(self.ratings, norm)
        average_possible = self.average(self.ratings_possible, norm)
        percent = rounded(100 * self.half_points, 2 * n, rules.need("performance")["percent_rounding"])
        performance = average + self.table[percent]
        performance_possible = average_possible + self.table[percent]
        limit = rules.need("percent")
        if limit["compared"] == "unrounded":
            enough = (
                100 * self.half_points * limit["at_least"].denominator >= 2 * n * limit["at_least"].numerator
            )
        else:
            enough = percent >= limit["at_least"]

        always = np.ones(len(n), dtype=bool)
        met = np.stack(
            [
                self.unknown == 0,
                complete & (everything | certain),
                n >= games_at_least,
                foreign | exempt,
                own | exempt,
                one | exempt,
                self.titled >= titled_needed,
                in_question >= needed,
                average >= norm["average_at_least"],
                enough,
                performance >= norm["performance"],
            ],
            axis=1,
        )
        possible = np.stack(
            [
                always,
                complete,
                n >= games_at_least,
                foreign_possible | maybe_exempt,
                own_possible | maybe_exempt,
                one | maybe_exempt,
                self.titled_possible >= titled_needed,
                in_question_possible >= needed,
                average_possible >= norm["average_at_least"],
                enough,
                performance_possible >= norm["performance"],
            ],
            axis=1,
        )
        lacking = np.clip(norm["performance"] - performance, 0, 9999)
        return met, possible, lacking, performance

    def needed_in_question(self, n: np.ndarray) -> np.ndarray:
        """Opponents who must hold the title in question."""
        block = self.rules.need("title_in_question")
        needed = np.maximum(least(block["share_at_least"], n), block["number_at_least"])
        double = self.rules.block("double_round_robin")
        if double is not None:
            is_double = np.array([c.double_round_robin for c in self.candidates], dtype=bool)[self.owner]
            needed = np.where(is_double, least(double["title_share_at_least"], n), needed)
        return needed

    def average(self, ratings: np.ndarray, norm: Block) -> np.ndarray:
        """Average of the opponents, the one lowest raised to the floor, rounded half up."""
        high = np.int64(10**6)
        lowest = np.where(self.mask, ratings, high).min(axis=1)
        total = (ratings * self.mask).sum(axis=1)
        if self.rules.need("floor")["opponents_at_most"]:
            total = total + np.clip(norm["floor"] - lowest, 0, None)
        return half_up(total, self.n)


def minimum_average(rules: RuleSet, norm: Block, half_points: int, games: int) -> int | None:
    """Lowest average with which a score is a norm; None where the score is under the least percentage.

    This is a cell of the tables of the regulations: the larger of the minimum average and the
    performance wanted less the rating difference of the score.
    """
    limit = rules.need("percent")["at_least"]
    if Fraction(100 * half_points, 2 * games) < limit:
        return None
    table = performance_table(rules)
    percent = int(
        rounded(
            np.int64(100 * half_points), np.int64(2 * games), rules.need("performance")["percent_rounding"]
        )
    )
    return max(norm["average_at_least"], norm["performance"] - int(table[percent]))


def lowest_score(rules: RuleSet, norm: Block, average: int, games: int) -> int | None:
    """Half points that make a norm against this average; None where none do."""
    if average < norm["average_at_least"]:
        return None
    for half_points in range(2 * games + 1):
        wanted = minimum_average(rules, norm, half_points, games)
        if wanted is not None and average >= wanted:
            return half_points
    return None
