"""Standings: 28 codes on 200 players and nine rounds, beside gacrux on the same file, and 5,000 players in 13 rounds."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator
from datetime import date

from benchmarks import Measurement, median_seconds
from qiyi_analysis.model.event import Event, Scoring, make_event, sides
from qiyi_analysis.readers.writers.trf_writer import write_trf
from qiyi_analysis.tiebreaks import standings

CODES = [
    "PTS",
    "DE",
    "WIN",
    "WON",
    "BPG",
    "BWG",
    "REP",
    "PS",
    "PS/C1",
    "KS",
    "ARO",
    "ARO/C1",
    "TPR",
    "PTP",
    "APRO",
    "APPO",
    "STD",
    "BH",
    "BH/C1",
    "BH/C2",
    "BH/M1",
    "BH/M2",
    "AOB",
    "SB",
    "SB/C1",
    "SB/C2",
    "FB",
    "FB/C1",
]


def swiss(players: int, rounds: int) -> Event:
    """An event with byes and forfeits, neighbours of equal points paired without regard to colours."""
    draw = random.Random(players)
    points = dict.fromkeys(range(1, players + 1), 0.0)
    scoring, games = Scoring(), []
    for round_ in range(1, rounds + 1):
        free = []
        for number in points:
            if draw.random() < 0.03:
                games.append(
                    {
                        "round": round_,
                        "first": number,
                        "second": 0,
                        "kind": draw.choice(["half_bye", "zero_bye"]),
                    }
                )
                points[number] += float(scoring.points(games[-1]["kind"], "", first=True))
            else:
                free.append(number)
        free.sort(key=lambda number: (-points[number], draw.random()))
        if len(free) % 2:
            games.append({"round": round_, "first": free.pop(), "second": 0, "kind": "pab"})
            points[games[-1]["first"]] += 1
        for one, two in zip(free[::2], free[1::2], strict=True):
            first, second = draw.choices([("1", "0"), ("=", "="), ("0", "1")], [35, 30, 35])[0]
            kind = "forfeit" if first != "=" and draw.random() < 0.02 else "played"
            games.append(
                {
                    "round": round_,
                    "first": one,
                    "second": two,
                    "first_result": first,
                    "second_result": second,
                    "kind": kind,
                }
            )
            points[one] += {"1": 1.0, "=": 0.5, "0": 0.0}[first]
            points[two] += {"1": 1.0, "=": 0.5, "0": 0.0}[second]
    rows = [{"number": n, "name": f"Player {n}", "rating": draw.randint(1000, 2700)} for n in points]
    return make_event(
        players=rows, games=games, rounds=rounds, format="swiss", start=date(2026, 4, 1), name="Speed"
    )


def measure(smoke: bool = False) -> Iterator[Measurement]:
    """The two sizes; gacrux in the same process where it is installed."""
    small = swiss(40, 5) if smoke else swiss(200, 9)
    size = f"{len(small.players)} x {small.rounds}"
    own = median_seconds(lambda: standings(small, CODES).as_records(), 1 if smoke else 9)
    peer = _gacrux(small, smoke) if importlib.util.find_spec("gacrux") else None
    yield Measurement(
        work=f"{len(CODES)} tie-breaks, {size}, after reading",
        value=own,
        unit="s",
        limit=0.03,
        peer="gacrux" if peer else "",
        peer_value=peer,
    )
    large = swiss(300, 5) if smoke else swiss(5000, 13)
    yield Measurement(
        work=f"{len(CODES)} tie-breaks, {len(large.players)} x {large.rounds}, after reading",
        value=median_seconds(lambda: standings(large, CODES).as_records(), 1 if smoke else 3),
        unit="s",
        limit=1.0,
    )


def _gacrux(event: Event, smoke: bool) -> float:
    """Seconds gacrux takes for the same codes, its own reading of the file not counted."""
    from gacrux.tiebreak import tiebreak
    from gacrux.trf2json import trf2json

    own = sides(event.games).groupby("player")["points"].sum()
    printed = event.with_players(points=[float(own.get(n, 0.0)) for n in event.players["number"]])
    text, _ = write_trf(printed, version=26)
    file = trf2json()
    file.parse_file(text, 0)

    def work() -> object:
        tournament = file.get_tournament(1)
        tournament.pop("rankOrder", None)
        params = {
            "tiebreak": list(CODES),
            "check": False,
            "unrated": None,
            "pre_determined": False,
            "swiss": True,
        }
        return tiebreak(tournament, -1, params).compute_tiebreaks(tournament, params)

    return median_seconds(work, 1 if smoke else 5)
