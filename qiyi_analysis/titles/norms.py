"""Norms of FIDE B.01: which games count, and the sheet that shows one norm with every condition.

A fact that the file does not give (federation, title, rating of a day) has a pessimistic and an
optimistic value. A norm is reached when it stands on the pessimistic ones, missed when it fails on the
optimistic ones, and could not be judged in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

import numpy as np
import pandas as pd

from qiyi_analysis.model.event import KINDS, Event, Kind, Result
from qiyi_analysis.model.frame import records
from qiyi_analysis.model.identity import match
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.model.time_control import player_minutes
from qiyi_analysis.rating.rating_kinds import list_for
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles.missing import Missing
from qiyi_analysis.titles.title_names import UNKNOWN, federations, fide_titles

#: A player's minutes for 60 moves under which no game is standard chess (rapid rules A.1).
STANDARD_MINUTES = 60
_HALF_POINTS = {Result.WIN: 2, Result.DRAW: 1, Result.LOSS: 0, Result.NONE: 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """What the norm rules ask about a player."""

    number: int
    id: str
    name: str
    sex: str
    federation: str
    known_federation: bool  # a member federation, or FID or NON
    titles: frozenset[str]
    title_text: str
    rating: int | None

    @property
    def title(self) -> str:
        """The opponent's titles, or the text of the file where it is no known title."""
        return "/".join(sorted(self.titles - {UNKNOWN})) or self.title_text


@dataclass(frozen=True, slots=True, kw_only=True)
class NormRound:
    """One round of one player: in the norm or out of it, and why.

    ``reason`` is ``<article>-<word>`` (words ``[norm_reason.<word>]``); ``half_points`` is None without a game.
    """

    round: int
    opponent: int
    name: str
    title: str
    federation: str
    rating: int | None  # as in the list; None = unrated
    rating_used: int | None
    half_points: int | None
    counted: bool
    reason: str
    article: str
    rating_known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A counted condition: how many there are, the limit, and whether more or fewer are wanted."""

    what: str
    value: int
    limit: int
    at_least: bool
    article: str

    @property
    def met(self) -> bool:
        """Whether the value is on the right side of its limit."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class NormSheet:
    """The content of a certificate of title result (IT1), in the order of the rule."""

    number: int
    id: str
    name: str
    sex: str
    federation: str
    held: str
    title: str
    reached: bool | None
    rounds: tuple[NormRound, ...]
    games: int
    counts_as: int  # games towards an application, extra points included
    extra_games: int
    normal_foreigner: bool  # achieved under the normal foreigner rule
    missing_game: bool  # eight games of a nine-round event
    counts: tuple[Count, ...]
    floor_opponent: int  # number of the opponent raised to the floor, 0 for none
    floor: int
    average_exact: Fraction
    average: int
    average_at_least: int
    half_points: int
    percent_exact: Fraction
    percent: int
    difference: int
    performance: int
    performance_exact: Fraction
    performance_at_least: int
    missing: tuple[Missing, ...]
    article: str

    @property
    def score(self) -> str:
        """Points in the usual notation, for example 4.5."""
        whole, half = divmod(self.half_points, 2)
        return f"{whole}{'.5' if half else ''}"


def entrants(event: Event, rules: RuleSet) -> dict[int, Entrant]:
    """The players of the event in the words of the rule set, by number."""
    members = federations(rules)
    special = {*rules.need("foreign")["not_a_federation"], *rules.need("no_fide_federation")["federations"]}
    found = {}
    for row in records(event.players):
        federation = row.federation.strip().upper()
        rating = None if pd.isna(row.rating) or row.rating <= 0 else int(row.rating)
        found[int(row.number)] = Entrant(
            number=int(row.number),
            id=row.id,
            name=row.name,
            sex=row.sex,
            federation=federation,
            known_federation=federation in members or federation in special,
            titles=fide_titles(row.title, rules),
            title_text=row.title.strip(),
            rating=rating,
        )
    return found


def standard_ratings(event: Event) -> pd.DataFrame:
    """Columns ``rating`` and ``peak`` of the players, those of standard chess, the only ones that titles go by.

    An event that its clock makes rapid or blitz prints ratings of its own kind; only its standard ratings count then.
    """
    minutes = player_minutes(event.time_control)
    if minutes is None or minutes >= STANDARD_MINUTES:
        return event.players[["rating", "peak"]]
    return pd.DataFrame({"rating": event.players["standard_rating"], "peak": np.nan})


def days_of(event: Event) -> int | None:
    """Length of the event in days, first and last included; None where a date is missing."""
    return (event.end - event.start).days + 1 if event.start and event.end else None


def _ratings_on(rating_list: RatingList, event: Event) -> dict[int, int | None]:
    """Number -> rating on a list, None for players on it without one and for ids that are not on it; players who
    cannot be identified for certain are left out."""
    found = match(event.players, rating_list.register)
    ratings = np.append(rating_list.rows["rating"].to_numpy(), np.nan)[found.row]
    return {
        int(number): None if np.isnan(rating) else int(rating)
        for number, id, how, rating in zip(
            event.players["number"], event.players["id"], found.how, ratings, strict=True
        )
        if how in ("id", "name") or (how == "none" and id)
    }


def standard_lists(lists: Iterable[RatingList]) -> tuple[RatingList, ...]:
    """The lists with standard ratings, those of B.01, whatever else they print; a rapid or blitz list is left out."""
    found = (list_for(one, "fide/rating-standard") for one in lists)
    return tuple(one for one in found if one.rows["rating"].notna().any())


class NormRounds:
    """The rounds of every player of an event, each in or out under the rule set."""

    def __init__(self, event: Event, rules: RuleSet, lists: Sequence[RatingList] = ()) -> None:
        self.event, self.rules = event, rules
        self.players = entrants(event, rules)
        self.scheduled = event.rounds or event.rounds_played
        days = days_of(event)
        self.long_event = days is not None and days > rules.need("long_event")["days"]
        dated = (item for item in standard_lists(lists) if item.day)
        self._lists = sorted(dated, key=lambda item: item.day or date.min)
        self._ratings_by_list: dict[int, dict[int, int | None]] = {}
        self.zero_against_rated = self._zero_against_rated()
        self.rounds: dict[int, list[NormRound]] = {number: [] for number in self.players}
        columns = ("round", "first", "second", "first_result", "second_result", "kind", "day")
        for game in records(event.games.sort_values("round", kind="stable")[list(columns)]):
            for own, other, result in (
                (game.first, game.second, game.first_result),
                (game.second, game.first, game.second_result),
            ):
                if own in self.rounds:
                    self.rounds[own].append(self._round(game, other, result))

    def _round(self, game: object, other: int, result: str) -> NormRound:
        kind, number = Kind(game.kind), int(game.round)  # type: ignore[attr-defined]
        opponent = self.players.get(int(other)) if KINDS[kind].paired else None
        counted, reason, article = self._decide(kind, opponent)
        rating, known = self._rating(opponent, game.day) if opponent else (None, True)  # type: ignore[attr-defined]
        used = None
        if opponent:
            used = rating if rating is not None else self.rules.need("unrated_opponent")["counts_as"]
        return NormRound(
            round=number,
            opponent=opponent.number if opponent else 0,
            name=opponent.name if opponent else "",
            title=opponent.title if opponent else "",
            federation=opponent.federation if opponent else "",
            rating=rating,
            rating_used=used,
            half_points=_HALF_POINTS[Result(result)] if KINDS[kind].over_the_board else None,
            counted=counted,
            reason=reason,
            article=article,
            rating_known=known,
        )

    def _decide(self, kind: Kind, opponent: Entrant | None) -> tuple[bool, str, str]:
        """Whether a game counts, the reason key and the article (1.4.2a to c)."""
        not_played = self.rules.need("not_over_the_board")
        if kind in not_played["kinds"] or opponent is None:
            return False, f"{not_played.article}-{kind}", not_played.article
        stranger = self.rules.need("no_fide_federation")
        if opponent.federation in stranger["federations"]:
            return False, f"{stranger.article}-no_fide_federation", stranger.article
        if opponent.number in self.zero_against_rated:
            block = self.rules.need("zero_against_rated")
            return False, f"{block.article}-zero_against_rated", block.article
        article = self.rules.need("games").article
        return True, f"{article}-counted", article

    def _zero_against_rated(self) -> frozenset[int]:
        """Unrated players of a round robin without a point against rated opponents (1.4.2b)."""
        if self.event.format not in self.rules.need("zero_against_rated")["formats"]:
            return frozenset()
        points = {number: 0 for number, player in self.players.items() if player.rating is None}
        games = self.event.games
        played = games[[KINDS[Kind(kind)].rated for kind in games["kind"]]]
        for game in records(played[["first", "second", "first_result", "second_result"]]):
            for own, other, result in (
                (game.first, game.second, game.first_result),
                (game.second, game.first, game.second_result),
            ):
                if own in points and self.players[other].rating is not None:
                    points[own] += _HALF_POINTS[Result(result)]
        return frozenset(number for number, half_points in points.items() if half_points == 0)

    def _rating(self, opponent: Entrant, day: str) -> tuple[int | None, bool]:
        """Rating that counts, and whether it is known; a long event takes the list of the game's day."""
        if not self.long_event:
            return opponent.rating, True
        current = None
        for place, item in enumerate(self._lists):
            if day and item.day and item.day.isoformat() <= day:
                current = place
        if current is None:
            return opponent.rating, False
        if current not in self._ratings_by_list:
            self._ratings_by_list[current] = _ratings_on(self._lists[current], self.event)
        known = self._ratings_by_list[current]
        if opponent.number in known:
            return known[opponent.number], True
        return opponent.rating, False

    def missing_game_allowed(self, number: int) -> bool:
        """Whether a nine-round event with eight games is enough for this player (1.4.1c).

        Where everybody meets everybody the round in which a player of an odd number is free was paired by nobody: it is no
        pairing-allocated bye, and nine players make eight games.
        """
        block = self.rules.block("missing_game")
        if block is None or self.scheduled != block["rounds"]:
            return False
        rounds = self.rounds[number]
        out = [item for item in rounds if not item.counted]
        return (
            len(rounds) == block["rounds"]
            and len(out) == 1
            and len(rounds) - len(out) == block["games"]
            and self._missed_by_no_fault(number, out[0], self._kinds_of_missing(block["kinds"]))
        )

    def _kinds_of_missing(self, kinds: Sequence[str]) -> list[str]:
        fixed = self.event.format in self.rules.need("later_rounds")["fixed_pairings"]
        return [kind for kind in kinds if not (fixed and kind == Kind.PAB)]

    def _missed_by_no_fault(self, number: int, item: NormRound, kinds: Sequence[str]) -> bool:
        games = self.event.games
        here = games[
            (games["round"] == item.round) & ((games["first"] == number) | (games["second"] == number))
        ]
        game = here.iloc[0]
        if game["kind"] not in kinds:
            return False
        # Of forfeits only the one that the player won.
        result = game["first_result"] if game["first"] == number else game["second_result"]
        return game["kind"] != Kind.FORFEIT or result == Result.WIN


def rounds_present(event: Event) -> dict[int, set[int]]:
    """Number -> rounds in which the player was there: over the board, or free by the pairing."""
    present: dict[int, set[int]] = {int(number): set() for number in event.players["number"]}
    for game in records(event.games[["round", "first", "second", "kind"]]):
        if KINDS[Kind(game.kind)].over_the_board or game.kind == Kind.PAB:
            for number in (int(game.first), int(game.second)):
                if number in present:
                    present[number].add(int(game.round))
    return present


def exempt_by_field(event: Event, rules: RuleSet, players: Mapping[int, Entrant]) -> bool | None:
    """Whether the whole field frees everybody from the foreigner rule (1.4.3d); None where not known.

    Players count in a round they are present in (the pairing-allocated bye included) if they miss at
    most the allowed number of rounds.
    """
    block = rules.block("foreign_exempt_field")
    if block is None or event.format not in block["formats"]:
        return False
    host = event.federation.strip().upper()
    rounds = event.rounds or event.rounds_played
    present = rounds_present(event)
    not_a_federation = {
        *rules.need("foreign")["not_a_federation"],
        *rules.need("no_fide_federation")["federations"],
    }
    here = [
        player
        for number, player in players.items()
        if player.rating is not None
        and player.known_federation
        and player.federation not in not_a_federation
        and player.federation != host
        and rounds - len(present[number]) <= block["missed_rounds_at_most"]
    ]
    enough = rounds > 0
    for number in range(1, rounds + 1):
        field = [player for player in here if number in present[player.number]]
        enough = (
            enough
            and len(field) >= block["players_at_least"]
            and len({player.federation for player in field}) >= block["federations_at_least"]
            and sum(bool(player.titles & set(block["titles"])) for player in field)
            >= block["titled_at_least"]
        )
    return None if enough and not host else enough
