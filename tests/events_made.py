"""Events made up from a seed, for tests that write and read them back."""

from __future__ import annotations

import random
from datetime import date, timedelta

from qiyi_analysis.model.event import Event, Kind, Scoring, make_event

NAMES = (
    "Müller, Jörg",
    "O'Neill, Ann",
    "呂欽",
    "胡榮華",
    "Žižka, Jan",
    "de la Cruz, José",
    "𠮷野",
    "Smith, A.",
    "Ødegård, Å",
    "x",
)


def made_event(
    seed: int, *, players: int = 12, rounds: int = 5, trf: bool = False, teams: bool = False
) -> Event:
    """A Swiss-like event with every kind of row; ``trf`` keeps to what a report file can say."""
    chance = random.Random(seed)
    rows = []
    for number in range(1, players + 1):
        day = date(1950, 1, 1) + timedelta(days=chance.randrange(22_000))
        exact = chance.random() < 0.5
        rows.append(
            {
                "number": number,
                "id": str(1_000_000 + number * 37) if chance.random() < 0.7 else "",
                "name": f"{chance.choice(NAMES)} {number}",
                "sex": chance.choice(["m", "w", ""]),
                "federation": chance.choice(["CHN", "NOR", ""]),
                "title": chance.choice(["GM", "WIM", "", ""]),
                "rating": float(chance.randrange(1000, 2800)) if chance.random() < 0.8 else float("nan"),
                "birth_year": float(day.year) if exact or chance.random() < 0.6 else float("nan"),
                "birth_date": day.isoformat() if exact else "",
                "rank": float(number) if chance.random() < 0.9 else float("nan"),
            }
        )
        if exact:
            rows[-1]["birth_year"] = float(day.year)
        if not trf:
            rows[-1].update(
                k=chance.choice([10.0, 20.0, float("nan")]),
                unit=chance.choice(["北京, 队", 'a "b"', ""]),
                note=chance.choice(["", "=1+1"]),
            )
    games = []
    for round_ in range(1, rounds + 1):
        order = list(range(1, players + 1))
        chance.shuffle(order)
        free = order.pop()
        kind = chance.choice([Kind.PAB, Kind.HALF_BYE, Kind.FULL_BYE, Kind.ZERO_BYE])
        games.append(_bye(round_, free, kind))
        if len(order) % 2:
            games.append(_bye(round_, order.pop(), Kind.ZERO_BYE))
        for first, second in zip(order[::2], order[1::2], strict=True):
            games.append(_game(chance, round_, first, second, trf))
    scoring = chance.choice(
        [
            Scoring(),
            Scoring.of(win=3, draw=1),
            Scoring.of(win=2, draw=1),
            Scoring.of(win=3, draw_first=1, draw_second=2),
        ]
    )
    start = date(2024, 5, 1)
    for game in games:
        game["day"] = (start + timedelta(days=game["round"] - 1)).isoformat()
    games.sort(key=lambda game: (game["round"], game["first"]))
    event = make_event(
        players=rows, games=games, id="made", name=f"Made {seed}", federation="CHN", format="swiss", rounds=rounds, start=start,
        end=start + timedelta(days=rounds - 1), place="成都", scoring=scoring, arbiters=("A. Arbiter", "B. Second"),
        time_control="90+30",
    )  # fmt: skip
    return event


def _bye(round_: int, number: int, kind: Kind) -> dict:
    result = {Kind.PAB: "1", Kind.FULL_BYE: "1", Kind.HALF_BYE: "=", Kind.ZERO_BYE: "0"}[kind]
    return {
        "round": round_,
        "first": number,
        "second": 0,
        "kind": str(kind),
        "first_result": result,
        "colours_known": False,
    }


def _game(chance: random.Random, round_: int, first: int, second: int, trf: bool) -> dict:
    kind = chance.choice(
        [Kind.PLAYED] * 12
        + [Kind.UNRATED, Kind.FORFEIT, Kind.DOUBLE_FORFEIT, Kind.DOUBLE_LOSS, Kind.UNPLAYED]
    )
    one, two = chance.choice([("1", "0"), ("0", "1"), ("=", "=")])
    if kind is Kind.FORFEIT and one == "=":
        one, two = "1", "0"
    if kind in (Kind.DOUBLE_FORFEIT, Kind.DOUBLE_LOSS):
        one = two = "0"
    if kind is Kind.UNPLAYED:
        one = two = ""
    return {
        "round": round_,
        "first": first,
        "second": second,
        "kind": str(kind),
        "first_result": one,
        "second_result": two,
    }
