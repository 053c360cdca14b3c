"""Points, score rate and place of every player, as promotion and grades by place need them."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

from qiyi_analysis.model.event import Event, Kind, Result, Scoring
from qiyi_analysis.model.frame import records

#: Points as the score rate counts them, a win as one.
_SHARES = Scoring()


def score_shares(event: Event) -> dict[int, Fraction]:
    """Score of every player counted 1, 1/2, 0, byes and forfeits as awarded; published points without games.

    Other point systems (3-1-0, 3/1/2/0) are counted anew from the results, so a score rate never
    depends on the event's own points.
    """
    numbers = [int(number) for number in event.players["number"]]
    if not len(event.games):
        win = event.scoring.win
        points = event.players["points"]
        return {
            number: Fraction(str(value)) / win
            for number, value in zip(numbers, points, strict=True)
            if not pd.isna(value) and win
        }
    shares = dict.fromkeys(numbers, Fraction(0))
    columns = ["first", "second", "first_result", "second_result", "kind"]
    for game in records(event.games[columns]):
        for number, result, first in (
            (int(game.first), game.first_result, True),
            (int(game.second), game.second_result, False),
        ):
            if number in shares:
                shares[number] += _SHARES.points(game.kind, result, first=first)
    return shares


def wins(event: Event) -> dict[int, int]:
    """Games and byes won by every player."""
    found = dict.fromkeys((int(number) for number in event.players["number"]), 0)
    columns = ["first", "second", "first_result", "second_result", "kind"]
    for game in records(event.games[columns]):
        if game.kind in (Kind.ANNULLED, Kind.EXTRA):
            continue
        for number, result in ((int(game.first), game.first_result), (int(game.second), game.second_result)):
            if number in found and (
                result == Result.WIN or (game.kind in (Kind.PAB, Kind.FULL_BYE) and number)
            ):
                found[number] += 1
    return found


def places(event: Event) -> dict[int, int]:
    """Place of every player: as published, else by points where nobody shares them.

    A player whose place cannot be told from the file is not among the keys.
    """
    published = {
        int(number): int(rank)
        for number, rank in zip(event.players["number"], event.players["rank"], strict=True)
        if not pd.isna(rank)
    }
    if published:
        return published
    shares = score_shares(event)
    ordered = sorted(shares.values(), reverse=True)
    return {number: ordered.index(share) + 1 for number, share in shares.items() if ordered.count(share) == 1}


def starters(event: Event) -> set[int]:
    """Players who have a round of any kind other than absence."""
    games = event.games[event.games["kind"] != Kind.ZERO_BYE]
    return {int(number) for column in ("first", "second") for number in games[column] if number}
