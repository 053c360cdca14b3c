"""Ratings worked a second time, one player and one game after the other in fractions, for made-up events.

Nothing of the package is used but the tables as printed; the numbers of the regulations stand here a second time.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parents[1] / "qiyi_analysis" / "rulesets" / "tables"
VALUE = {"1": Fraction(1), "=": Fraction(1, 2), "0": Fraction(0)}
NAN = float("nan")


def _bands() -> list[tuple[int, int, Fraction, Fraction]]:
    with (TABLES / "p_from_d.csv").open(encoding="utf-8") as stream:
        rows = csv.DictReader(line for line in stream if not line.startswith("#"))
        return [
            (int(r["d_low"]), int(r["d_high"]), Fraction(r["p_high"]), Fraction(r["p_low"])) for r in rows
        ]


BANDS = _bands()


def half_up(value: Fraction) -> int:
    return math.floor(Fraction(value) + Fraction(1, 2))


def away(value: Fraction) -> int:
    return half_up(value) if value >= 0 else -half_up(-value)


def probability(difference: int) -> Fraction:
    for low, high, p, q in BANDS:
        if low <= abs(difference) <= high:
            return p if difference >= 0 else q
    return Fraction(difference > 0)


def made(
    chance: random.Random, *, robin: bool, sexes: str, ratings: tuple[int, int], unrated: float
) -> dict[str, Any]:
    """Players, games and format of an event with forfeits and byes."""
    size = chance.randint(4, 9) if robin else chance.randint(5, 18)
    cycles = chance.choice((1, 1, 2)) if robin else 1
    players = []
    for number in range(1, size + 1):
        rating = float(chance.randint(*ratings)) if chance.random() >= unrated else NAN
        players.append({
            "number": number, "name": f"P{number}", "sex": chance.choice(sexes), "rating": rating, "rank": float(number),
            "peak": rating + chance.randint(0, 90), "games_before": float(chance.randint(0, 60)) if rating == rating else 0.0,
            "events_before": float(chance.randint(0, 6)) if rating == rating else 0.0, "birth_year": float(chance.randint(1950, 1990)),
        })  # fmt: skip
    games = list(_robin(chance, size, cycles) if robin else _swiss(chance, size))
    return {
        "players": players,
        "games": games,
        "format": ("double-" if cycles == 2 else "") + "round-robin" if robin else "swiss",
    }


def _game(chance: random.Random, round_: int, first: int, second: int) -> dict[str, Any]:
    kind = "forfeit" if chance.random() < 0.06 else "played"
    result = chance.choice("10" if kind == "forfeit" else "1=0")
    other = {"1": "0", "=": "=", "0": "1"}[result]
    return {
        "round": round_,
        "first": first,
        "second": second,
        "first_result": result,
        "second_result": other,
        "kind": kind,
    }


def _robin(chance: random.Random, size: int, cycles: int) -> Iterator[dict[str, Any]]:
    seats = list(range(1, size + 1 + size % 2))
    for round_ in range(1, cycles * (len(seats) - 1) + 1):
        for i in range(len(seats) // 2):
            pair = seats[i], seats[-1 - i]
            if max(pair) <= size:
                yield _game(chance, round_, *pair[:: chance.choice((1, -1))])
        seats = [seats[0], seats[-1], *seats[1:-1]]


def _swiss(chance: random.Random, size: int) -> Iterator[dict[str, Any]]:
    met: set[frozenset[int]] = set()
    for round_ in range(1, chance.randint(2, min(9, size - 1)) + 1):
        left = list(range(1, size + 1))
        chance.shuffle(left)
        while left:
            one = left.pop()
            other = next((o for o in left if frozenset((one, o)) not in met), 0)
            if not other:
                yield {
                    "round": round_,
                    "first": one,
                    "second": 0,
                    "first_result": "",
                    "second_result": "",
                    "kind": "pab",
                }
                continue
            left.remove(other)
            met.add(frozenset((one, other)))
            yield _game(chance, round_, one, other)


def games_of(event: dict[str, Any], number: int) -> list[tuple[int, Fraction]]:
    """Opponent and score of each game over the board."""
    found = []
    for game in event["games"]:
        if game["kind"] == "played" and number in (game["first"], game["second"]):
            first = game["first"] == number
            found.append(
                (
                    game["second" if first else "first"],
                    VALUE[game["first_result" if first else "second_result"]],
                )
            )
    return found


def _robin_expectation(
    event: dict[str, Any], rating: dict[int, int], own: int, games: int
) -> Fraction | None:
    """M Pa - 1/2 where all games of the cycle or cycles were played."""
    cycles = {"round-robin": 1, "double-round-robin": 2}.get(event["format"], 0)
    members = len(rating)
    if not cycles or games != cycles * (members - 1):
        return None
    return cycles * (
        members * probability(own - half_up(Fraction(sum(rating.values()), members))) - Fraction(1, 2)
    )


def cca(event: dict[str, Any]) -> dict[int, tuple[int, Fraction, Fraction]]:
    """N, We and change of each player: K 10, 1500 or 1300 for the unrated."""
    rating = {
        p["number"]: int(p["rating"]) if p["rating"] == p["rating"] else {"m": 1500, "w": 1300}[p["sex"]]
        for p in event["players"]
    }
    found = {}
    for number, own in rating.items():
        games = games_of(event, number)
        expected = _robin_expectation(event, rating, own, len(games))
        if expected is None:
            average = half_up(Fraction(sum(rating[o] for o, _ in games), len(games))) if games else own
            expected = len(games) * probability(own - average)
        found[number] = (
            len(games),
            expected if games else Fraction(0),
            10 * (sum(s for _, s in games) - expected) if games else Fraction(0),
        )
    return found


def xiangqi(event: dict[str, Any]) -> dict[int, tuple[int, Fraction, Fraction]]:
    """K 25, 15, 10; in a Swiss rated opponents only; women below 2300 in mixed events; nobody is champion but rank 1."""
    players = {p["number"]: p for p in event["players"]}
    rated = {n: p["rating"] == p["rating"] for n, p in players.items()}
    rating = {
        n: int(p["rating"]) if rated[n] else {"m": 2300, "w": 2100}[p["sex"]] for n, p in players.items()
    }
    low = {n for n, p in players.items() if p["sex"] == "w" and rating[n] < 2300}
    mixed = bool(low) and {p["sex"] for p in players.values()} == {"m", "w"}
    found = {}
    for number, player in players.items():
        own, peak = rating[number], max((x for x in (player["peak"], player["rating"]) if x == x), default=0)
        new = not rated[number] or (player["games_before"] < 30 and player["events_before"] < 3)
        k = 10 if peak >= 2500 else 25 if new else 15
        games = games_of(event, number)
        if event["format"] == "swiss":
            games = [(o, s) for o, s in games if rated[o]]
        expected = None if mixed else _robin_expectation(event, rating, own, len(games))
        if expected is None:
            expected = Fraction(0)
            split = "mw" if mixed and number in low else ("mw",)
            for sexes in split:
                group = [o for o, _ in games if players[o]["sex"] in sexes]
                if group:
                    man = player["sex"] == "m"
                    counted = [
                        max(rating[o], 2300) if mixed and man and o in low else rating[o] for o in group
                    ]
                    mine = max(own, 2300) if mixed and number in low and sexes == "m" else own
                    expected += len(group) * probability(mine - half_up(Fraction(sum(counted), len(group))))
        change = k * (sum((s for _, s in games), Fraction(0)) - expected) if games else Fraction(0)
        if number == 1 and change < 0:
            change = Fraction(0)
        found[number] = (len(games), expected if games else Fraction(0), change)
    return found


def fide(event: dict[str, Any], edition: str) -> dict[int, tuple[int, Fraction, Fraction]]:
    """Game by game against rated opponents: 400 points, from October 2025 not for 2650; K by edition; K n at most 700."""
    players = {p["number"]: p for p in event["players"]}
    day = int(edition[:4])
    found = {}
    for number, player in players.items():
        if player["rating"] != player["rating"]:
            continue
        own, peak = int(player["rating"]), max(player["rating"], player["peak"])
        games = [(o, s) for o, s in games_of(event, number) if players[o]["rating"] == players[o]["rating"]]
        few = player["games_before"] < 30
        if day < 2014:
            k = (25 if day < 2011 else 30) if few else 10 if peak >= 2400 else 15
        else:
            k = 10 if peak >= 2400 else 40 if few else 20
            k = min(k, 700 // len(games)) if day >= 2017 and games and k * len(games) > 700 else k
        expected = Fraction(0)
        for opponent, _ in games:
            difference = own - int(players[opponent]["rating"])
            if not (edition >= "2025-10-01" and own >= 2650):
                difference = max(-400, min(400, difference))
            expected += probability(difference)
        found[number] = (len(games), expected, k * (sum((s for _, s in games), Fraction(0)) - expected))
    return found


def dwz(rating: int, age: int, index: int | None, surplus: Fraction) -> int:
    """Coefficient of development, DSB Anhang 2.4."""
    base = (rating / 1000) ** 4 + (5 if age <= 20 else 10 if age <= 25 else 15)
    factor = min(1.0, max(0.5, rating / 2000)) if age <= 20 and surplus >= 0 else 1.0
    brake = math.exp((1300 - rating) / 150) - 1 if rating < 1300 and surplus <= 0 else 0.0
    value = math.floor(base * factor + brake + 0.5)
    most = 150 if brake else 30
    if index is not None and not brake:
        most = min(most, max(5, 5 * index))
    return max(5, min(value, most))


def chinese_criteria(event: dict[str, Any]) -> dict[int, tuple[Fraction, Fraction, int]]:
    """小分, 对手分 (no byes) and 胜局 of xiangqi 1999 with 2-1-0: forfeits count as points and as wins, opponents met only."""
    points = {p["number"]: Fraction(0) for p in event["players"]}
    wins = dict.fromkeys(points, 0)
    for game in event["games"]:
        for side in ("first", "second"):
            number = game[side]
            if number:
                score = VALUE[game[f"{side}_result"]] if game["kind"] != "pab" else Fraction(1)
                points[number] += 2 * score
                wins[number] += score == 1
    found = {}
    for number in points:
        games = games_of(event, number)
        found[number] = (
            sum((s * points[o] for o, s in games), Fraction(0)),
            sum((points[o] for o, _ in games), Fraction(0)),
            wins[number],
        )
    return found
