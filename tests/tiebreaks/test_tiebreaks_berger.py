"""The pairing table of round robins, and events laid beside it."""

from __future__ import annotations

from datetime import date

import pytest

from qiyi_analysis.audit.pairing_table import check, check_team_colours, first_movers, fit, table
from qiyi_analysis.model.event import Event, make_event


def printed(text: str) -> list[list[tuple[int, int]]]:
    return [[tuple(map(int, pair.split("-"))) for pair in round_.split()] for round_ in text.split(";")]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("players", "rounds"),
    [
        (6, "1-6 2-5 3-4; 6-4 5-3 1-2; 2-6 3-1 4-5; 6-5 1-4 2-3; 3-6 4-2 5-1"),
        (
            8,
            "1-8 2-7 3-6 4-5; 8-5 6-4 7-3 1-2; 2-8 3-1 4-7 5-6; 8-6 7-5 1-4 2-3; 3-8 4-2 5-1 6-7; "
            "8-7 1-6 2-5 3-4; 4-8 5-3 6-2 7-1",
        ),
    ],
)
def test_the_table_as_it_is_printed(players: int, rounds: str) -> None:
    assert table(players) == printed(rounds)


@pytest.mark.parametrize("players", range(3, 25))
def test_everybody_meets_everybody_once(players: int) -> None:
    met = [frozenset(pair) for pairs in table(players) for pair in pairs if 0 not in pair]
    assert len(met) == len(set(met)) == players * (players - 1) // 2
    for number in range(1, players + 1):
        first = sum(pair[0] == number for pairs in table(players) for pair in pairs if 0 not in pair)
        assert abs(2 * first - (players - 1)) <= 1


def played(players: int, lots: dict[int, int], cycles: int = 1, turned: tuple[int, ...] = ()) -> Event:
    """A round robin by the table under lots; in the rounds of ``turned`` the first pair has its colours reversed."""
    games, round_ = [], 0
    for cycle in range(cycles):
        for pairs in table(players):
            round_ += 1
            for order, pair in enumerate(pairs):
                if 0 in pair:
                    continue
                one, two = (lots[n] for n in (pair if cycle % 2 == 0 else pair[::-1]))
                if round_ in turned and order == 1:
                    one, two = two, one
                games.append(
                    {
                        "round": round_,
                        "first": one,
                        "second": two,
                        "first_result": "=",
                        "second_result": "=",
                        "kind": "played",
                    }
                )
    return make_event(
        players=[{"number": n, "name": f"P{n}"} for n in range(1, players + 1)],
        games=games,
        format="double-round-robin" if cycles == 2 else "round-robin",
        rounds=round_,
        start=date(2026, 4, 1),
    )


@pytest.mark.parametrize("players", [4, 5, 6, 7, 8, 11])
@pytest.mark.parametrize("cycles", [1, 2])
def test_lot_numbers_are_found_again(players: int, cycles: int) -> None:
    lots = {
        lot: 1 + (lot * 3 + 1) % players if players % 3 else 1 + (lot + 1) % players
        for lot in range(1, players + 1)
    }
    found = fit(played(players, lots, cycles))
    assert found is not None
    assert not found.pairings
    assert not found.colours
    assert found.lots == {number: lot for lot, number in lots.items()}


def test_a_turned_colour_is_told() -> None:
    event = played(8, {n: n for n in range(1, 9)}, turned=(3,))
    found = check(event)
    assert [(f.code, f.reason, f.round) for f in found] == [("CK35", "berger-colours", 3)]
    assert {found[0].player, found[0].values["other"]} == {3, 1}


def test_a_pair_that_met_twice() -> None:
    event = played(4, {n: n for n in range(1, 5)})
    games = event.games.copy()
    games.loc[0, "second"] = 2
    assert "round-robin-meetings" in {f.reason for f in check(event.with_games(games))}


def test_first_movers_alternate_from_board_one() -> None:
    assert first_movers(5) == [1, 2, 1, 2, 1]
    assert first_movers(4, first_team_begins=False) == [2, 1, 2, 1]


@pytest.mark.parametrize(("second", "wrong"), [((6, 2), []), ((2, 6), [2])])
def test_colours_of_the_boards_of_a_match(second: tuple[int, int], wrong: list[int]) -> None:
    pairs = [(1, 5), second, (3, 7), (8, 4)]
    players = [{"number": n, "name": f"P{n}", "team": "A" if n <= 4 else "B"} for n in range(1, 9)]
    games = [
        {
            "round": 1,
            "board": f"1.{board}",
            "first": one,
            "second": two,
            "first_result": "=",
            "second_result": "=",
            "kind": "played",
        }
        for board, (one, two) in enumerate(pairs, 1)
    ]
    event = make_event(players=players, games=games, format="team-round-robin")
    assert [f.values["board"] for f in check_team_colours(event)] == wrong
