"""Criteria of European go programs: 48 files with the values of the program itself, and made ones against definitions."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from go_made import Made, made, plain

from qiyi_analysis.model.event import Event
from qiyi_analysis.readers.door import events_in_bytes, read_event
from qiyi_analysis.readers.go.opengotha import _key
from qiyi_analysis.tiebreaks.ranking import standings


def read(one: Made) -> Event:
    (event,) = events_in_bytes(one.xml().encode(), "made.xml")
    return event


def differing(
    event: Event, wanted: dict[str, dict[int, Fraction]]
) -> list[tuple[str, int, object, Fraction]]:
    """What is not as wanted: criterion, player, value, wanted value."""
    found = standings(event, list(wanted), of="players")
    return [
        (code, number, value, row[number])
        for code, row in wanted.items()
        for number, value in zip(found.grid.numbers.tolist(), found.column(code).values(), strict=True)
        if number in row and Fraction(str(value)) != row[number]
    ]


def test_every_value_and_place_of_the_program(shared: Path, tmp_path: Path) -> None:
    folder, values, places = shared / "data" / "opengotha", 0, 0
    for file in sorted((folder / "xml").glob("*.xml")):
        # Preregistered people are no players of an event; the program lists them, so here they are made players.
        whole = tmp_path / file.name
        whole.write_bytes(file.read_bytes().replace(b'registeringStatus="PRE"', b'registeringStatus="FIN"'))
        event = read_event(whole)
        number = {
            _key(name): n for n, name in zip(event.players["number"], event.players["name"], strict=True)
        }
        rows = list(csv.DictReader((folder / "expected" / f"{file.stem}.csv").open(encoding="utf-8")))
        wanted = {
            code: {number[_key(row["key"])]: Fraction(row[code]) for row in rows}
            for code in rows[0]
            if code not in ("place", "key", "rank")
        }
        assert not differing(event, wanted), file.name
        ranked = standings(event)
        assert [ranked.rank_of(number[_key(row["key"])]) for row in rows] == [
            int(row["place"]) for row in rows
        ], file.name
        values += sum(len(row) for row in wanted.values())
        places += len(rows)
    assert (values, places) == (1160 * 17, 1160)


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_made_tournaments_by_definition(first: int) -> None:
    for seed in range(first, first + 20):
        one = made(seed)
        wanted = {code: dict(enumerate(values, 1)) for code, values in plain(one).items()}
        assert not differing(read(one), wanted), seed


def direct(
    criteria: tuple[str, ...], games: list[tuple[int, int, str]], ranks: list[int] | None = None
) -> dict[int, int]:
    """Places in an event of games (white, black, word), a round each."""
    size = max(max(white, black) for white, black, _ in games) + 1
    one = Made(
        ranks=ranks or [30] * size, corrections=[0] * size, rounds=len(games), games=[{(w, b): (word, 0)} for w, b, word in games],
        away=[set() for _ in games], bye=[None] * len(games), parameters={"genMMBar": "9D", "genMMFloor": "30K"}, criteria=criteria,
    )  # fmt: skip
    found = standings(read(one))
    return {int(n) - 1: int(rank) for n, rank in zip(found.grid.numbers, found.ranks, strict=True)}


def test_direct_confrontation_puts_cycles_together() -> None:
    # 0 beats 1, 1 beats 2, 2 beats 0: a cycle; all of it is ahead of 3, whom 2 beat, and of 4, who met nobody but 3.
    won = "WHITEWINS"
    games = [(0, 1, won), (1, 2, won), (2, 0, won), (2, 3, won), (3, 4, won)]
    assert direct(("NULL", "DC"), games) == {0: 1, 1: 1, 2: 1, 3: 4, 4: 5}
    # Behind DC the rank decides who is taken out first, but never against a game.
    assert direct(("DC", "Rank"), games, [29, 31, 30, 36, 38]) == {1: 1, 2: 2, 0: 3, 3: 4, 4: 5}


def test_direct_confrontation_counts_games_over_the_board() -> None:
    assert direct(("DC",), [(0, 1, "WHITEWINS_BYDEF")]) == {0: 1, 1: 1}
    assert direct(("DC",), [(0, 1, "BOTHWIN")]) == {0: 1, 1: 1}
    assert direct(("DC",), [(0, 1, "BLACKWINS")]) == {0: 2, 1: 1}
    assert direct(("DC",), [(0, 1, "WHITEWINS"), (1, 0, "WHITEWINS")]) == {0: 1, 1: 1}


def test_simplified_confrontation_needs_every_game() -> None:
    won = "WHITEWINS"
    assert direct(("SDC",), [(0, 1, won), (1, 2, won), (0, 2, won)]) == {0: 1, 1: 2, 2: 3}
    assert direct(("SDC",), [(0, 1, won), (1, 2, won), (0, 3, won)]) == {0: 1, 1: 1, 2: 1, 3: 1}
    assert direct(("SDC",), [(0, 1, won), (1, 2, won), (0, 2, "EQUAL")]) == {0: 1, 1: 1, 2: 1}


def test_strasbourg_points_from_the_quarter_final() -> None:
    # Four rounds from a bar of 4 dan (33): 0 wins all, 1 the first two, 2 the first, then all lose.
    won = "WHITEWINS"
    rounds = [
        {(0, 4): won, (1, 5): won, (2, 6): won, (3, 7): won},
        {(0, 2): won, (1, 3): won},
        {(0, 1): won},
        {(0, 5): won},
    ]
    one = Made(
        ranks=[38] * 8, corrections=[0] * 8, rounds=4, games=[{pair: (word, 0) for pair, word in games.items()} for games in rounds],
        away=[set()] * 4, bye=[None] * 4, parameters={"genMMBar": "4D", "genMMFloor": "20K"}, criteria=("STS", "SOSTS"),
    )  # fmt: skip
    found = standings(read(one), "STS,SOSTS,MMS")
    assert [int(v) for v in found.column("MMS").values()[:4]] == [37, 35, 34, 34]
    assert [int(v) for v in found.column("STS").values()[:4]] == [41, 37, 34, 34]
    # 3 met 7 (33) and 1 (37 with the two points of the quarter-final), and two rounds of his own start.
    assert int(found.column("SOSTS").values()[3]) == 33 + 37 + 33 + 33


def test_a_cup_doubles_what_was_won_on_the_board() -> None:
    one = Made(
        ranks=[30] * 3, corrections=[0] * 3, rounds=3, games=[{(0, 1): ("WHITEWINS", 0)}, {(0, 2): ("EQUAL", 0)}, {(1, 2): ("BLACKWINS", 0)}],
        away=[set()] * 3, bye=[2, 1, 0], parameters={"genMMBar": "9D", "genMMFloor": "30K", "genNBW2ValueBye": "2"}, criteria=("CPS",),
    )  # fmt: skip
    # A win in the first of three rounds is 4, half a win in the second 1, a bye 1 in any round.
    assert [str(v) for v in standings(read(one)).column("CPS").texts()] == ["6.0", "1.0", "3.0"]


def test_a_file_that_ranks_by_nothing_places_everybody_first() -> None:
    one = made(3)
    one.criteria = ("NULL", "NULL")
    assert set(standings(read(one)).ranks) == {1}


def test_categories_are_ranked_apart() -> None:
    one = made(5)
    one.categories, one.criteria = [31, 20], ("CAT", "NBW")
    found = standings(read(one))
    category = found.column("CAT").values()[found.order]
    assert list(category) == sorted(category)
    assert set(category) <= {1, 2, 3}


def test_the_working_of_a_value_shows_every_round() -> None:
    one = made(11)
    event = read(one)
    for code in ("SOSM", "SOSOSM", "SODOSM", "MMS", "CUSSM", "EXT"):
        found = standings(event, [code])
        for number in event.players["number"]:
            rows = found.working(int(number), code)
            kept = sum(Fraction(str(value)) for value in rows.loc[rows["kept"].astype(bool), "counted"])
            assert kept == Fraction(str(found.column(code).value(found.grid.index_of(int(number))))), (
                code,
                number,
            )


def test_six_hundred_players_in_a_tenth_of_a_second() -> None:
    import time

    chance = np.random.default_rng(1)
    games = []
    for _ in range(10):
        order = chance.permutation(600).tolist()
        games.append(dict.fromkeys(zip(order[::2], order[1::2], strict=True), ("WHITEWINS", 0)))
    one = Made(
        ranks=chance.integers(0, 38, 600).tolist(), corrections=[0] * 600, rounds=10, games=games, away=[set()] * 10, bye=[None] * 10,
        parameters={"genMMBar": "4D", "genMMFloor": "20K"},
    )  # fmt: skip
    event = read(one)
    codes = "MMS,NBW,SOSM,SOSM-1,SOSM-2,SODOSM,SOSOSM,CUSSM,SOSW,SOSW-1,SOSW-2,SODOSW,SOSOSW,CUSSW,EXT,EXR,CPS,STS,SOSTS,DC,CAT,Rank,Rating"
    least = 9.0
    for _ in range(5):
        began = time.perf_counter()
        standings(event, codes)
        least = min(least, time.perf_counter() - began)
    assert least < 0.1
