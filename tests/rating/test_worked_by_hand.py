"""Events in the folder format, read from their files, with answers worked by hand from the articles.

Each line of a case's comment is the calculation; the files go through the readers, so that colours, stones, scorings and
kinds of games are part of what is tried.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qiyi_analysis.model.event import Event
from qiyi_analysis.rating import rate
from qiyi_analysis.readers import read_event
from qiyi_analysis.rules.ruleset import ruleset
from qiyi_analysis.tiebreaks import standings


def read(path: Path, players: str, games: str, **meta: Any) -> Event:
    """An event from its two tables, cells separated by blanks (``-`` empty); the first row of each is its head."""
    for name, text in (("players", players), ("games", games)):
        rows = [["" if cell == "-" else cell for cell in line.split()] for line in text.strip().splitlines()]
        lines = "".join(",".join(row) + "\n" for row in rows)
        (path / f"{name}.csv").write_text(lines, encoding="utf-8")
    facts = {"title": "By hand", "format": "Swiss", "start": "2024-05-01", "end": "2024-05-02", **meta}
    (path / "meta.json").write_text(json.dumps(facts), encoding="utf-8")
    return read_event(path)


def new_ratings(event: Event, rules: str) -> list[float]:
    return [float(value) for value in rate(event, ruleset(rules)).players["new_rating"]]


GO_HEAD = "round white black white_score black_score kind handicap\n"


def test_go_two_games_one_with_stones_from_the_ratings_before(tmp_path: Path) -> None:
    """White 2400 loses to 1850 with five stones (+450 on Black's side of Se), who then loses an even game to 2100.

    beta(r) = -7 ln(3300 - r), con = ((3300 - r) / 200)^1.6, bonus = ln(1 + e^((2300 - r) / 80)) / 5.
    Se(2300 against 2400) = 0.323546, Se(1850 against 2100) = 0.210038;
    2400: 11.09532 (0 - 0.676454) + 0.05039; 1850: 23.79802 (0.676454 - 0.210038) + 2 x 1.12572;
    2100: 17.58094 (1 - 0.789962) + 0.51578.
    """
    event = read(
        tmp_path,
        "no name rating\n1 A 2400\n2 B 1850\n3 C 2100",
        GO_HEAD + "1 1 2 0 1 played 5\n2 3 2 1 0 played 0",
        game="go",
        **{"class": "A"},
    )
    assert new_ratings(event, "egf/rating/2021-04-01") == pytest.approx(
        [2392.545, 1863.351, 2104.208], abs=0.001
    )


def test_go_one_stone_is_half_a_step_and_class_c_halves_the_bonus(tmp_path: Path) -> None:
    """2050 + 50 meets 2100 with White: Se = 1/2, a drawn game moves nothing but half the bonus.

    bonus(2100) = ln(1 + e^2.5) / 5 = 0.515778, bonus(2050) = ln(1 + e^3.125) / 5 = 0.633600.
    """
    event = read(
        tmp_path,
        "no name rating\n1 A 2100\n2 B 2050",
        GO_HEAD + "1 1 2 0.5 0.5 played 1",
        game="go",
        **{"class": "C"},
    )
    assert new_ratings(event, "egf/rating/2021-04-01") == pytest.approx([2100.258, 2050.317], abs=0.001)


def test_go_before_2021_stones_make_the_distance_nothing(tmp_path: Path) -> None:
    """250 points less 100 (3 - 0.5) are 0: each expects 0.5 - 0.008; con 47 at 1500, 39 at 1700.

    1530 - 47 x 0.492 = 1506.876; 1780 + 39 x (1 - 0.492) = 1799.812.
    """
    event = read(
        tmp_path,
        "no name rating\n1 A 1530\n2 B 1780",
        GO_HEAD + "1 2 1 1 0 played 3",
        game="go",
        start="2020-05-01",
        end="2020-05-02",
        **{"class": "A"},
    )
    assert new_ratings(event, "egf/rating/1998-01-01") == pytest.approx([1506.876, 1799.812], abs=0.0005)


def test_german_differences_from_735_on_are_certain(tmp_path: Path) -> None:
    """1200 (E 12) against 1300, 1935, 1500, 2400, 465: 0.362 + 0 + 0.144 + 0 + 1 = 1.506 expected, 3.5 scored.

    1200 + 800 x (3.5 - 1.506) / (12 + 5) = 1293.8; the walkover counts on neither side.
    """
    event = read(
        tmp_path,
        "no name rating k\n1 A 1200 12\n2 B 1300 -\n3 C 1935 -\n4 D 1500 -\n5 E 2400 -\n6 F 465 -\n7 G 1200 -",
        "round white black white_score black_score kind\n1 1 2 1 0 played\n2 1 3 1 0 played\n3 4 1 0.5 0.5 played\n"
        "4 1 5 0 1 played\n5 1 6 1 0 played\n6 1 7 1 0 forfeit",
    )
    row = rate(event, ruleset("dsb/dwz/undated")).player_rows()[0]
    assert (row["games"], float(row["we"]), row["new_rating"]) == (5, pytest.approx(1.506), 1294)


def test_a_double_round_robin_counts_the_formula_twice(tmp_path: Path) -> None:
    """1700 of 1700, 1600, 1500, 1400: average 1550, D 150, Pa .70; We = 2 x (4 x .70 - 1/2) = 4.6; 6 points: +14."""
    games, number = ["round white black white_score black_score kind"], 0
    for cycle in (0, 1):
        for one, other in ((1, 2), (3, 4), (1, 3), (2, 4), (1, 4), (2, 3)):
            white, black = (one, other) if cycle == 0 else (other, one)
            score = "0.5 0.5" if one > 1 else "1 0" if white == 1 else "0 1"
            games.append(f"{number // 2 + 1} {white} {black} {score} played")
            number += 1
    event = read(
        tmp_path,
        "no name sex rating k\n1 A m 1700 10\n2 B m 1600 10\n3 C m 1500 10\n4 D m 1400 10",
        "\n".join(games),
        format="double round robin",
        rounds=6,
    )
    row = rate(event, ruleset("cca/rating/undated")).player_rows()[0]
    assert (float(row["we"]), float(row["change"])) == (4.6, 14.0)


def test_points_of_2_1_0_are_rated_as_1_half_0(tmp_path: Path) -> None:
    """A win (2) and a draw (1) are 1.5 of 2; equal opponents, K 15: 15 x 0.5."""
    event = read(
        tmp_path,
        "no name sex rating k\n1 A m 2450 15\n2 B m 2450 15\n3 C m 2450 15",
        "round white black white_score black_score kind\n1 1 2 2 0 played\n2 3 1 1 1 played",
        game="xiangqi",
        scoring={"win": 2, "draw": 1, "loss": 0},
        points_per_game=2,
    )
    row = rate(event, ruleset("cxa/rating/undated")).player_rows()[0]
    assert (str(row["score"]), float(row["change"])) == ("1.5", 7.5)


KINDS = "round white black white_score black_score kind\n1 1 2 {} {}\n1 3 4 0 1 played\n2 1 3 1 0 played\n2 2 4 0.5 0.5 played\n3 1 4 1 0 played\n3 2 3 1 0 played"


@pytest.mark.parametrize(
    ("kind", "score", "points", "wins", "won"),
    [
        ("played", "1 0", "3.0", "3", "3"),
        ("unrated", "1 0", "3.0", "3", "3"),
        ("forfeit", "1 0", "3.0", "3", "2"),
        ("double_loss", "0 0", "2.0", "2", "2"),
        ("double_forfeit", "0 0", "2.0", "2", "2"),
        ("annulled", "1 0", "2.0", "2", "2"),
        ("extra", "1 0", "2.0", "2", "2"),
    ],
)
def test_every_kind_of_game_in_rating_and_standings(
    tmp_path: Path, kind: str, score: str, points: str, wins: str, won: str
) -> None:
    """Player 1 wins two games against rated players and meets player 2 in a game of this kind."""
    event = read(
        tmp_path,
        "no name rating k\n1 A 1900 20\n2 B 2000 20\n3 C - -\n4 D 1800 20",
        KINDS.format(score, kind),
        rounds=3,
    )
    table = standings(event, "PTS,WIN,WON")
    assert [str(table.column(code).values()[0]) for code in ("WIN", "WON")] == [wins, won]
    assert float(table.column("PTS").values()[0]) == float(points)
    own = rate(event, ruleset("fide/rating-standard/2024-03-01")).player_rows()[0]
    # 1900 - 1800: .64, +7.2; against 2000, where the game is rated: .36, +12.8.
    # A game that both lost was played and is rated, 0 - .36 for player 1 (B.02 5.1).
    assert float(own["change"]) == {"played": 20.0, "double_loss": 0.0}.get(kind, 7.2)


def test_limits_of_the_koya_system_in_a_double_round_robin(tmp_path: Path) -> None:
    """3.5, 1 and 1.5 points of 4: half is 2, so only player 1 counts; at 1.5 player 3 counts too, at 1 everybody."""
    event = read(
        tmp_path,
        "no name\n1 A\n2 B\n3 C",
        "round white black white_score black_score kind\n1 1 2 1 0 played\n2 2 1 0.5 0.5 played\n3 1 3 1 0 played\n"
        "4 3 1 0 1 played\n5 2 3 0 1 played\n6 3 2 0.5 0.5 played",
        format="double round robin",
        rounds=6,
    )
    table = standings(event, "PTS,KS,KS/L-1,KS/L-2")
    by_code = {code: [float(v) for v in table.column(code).values()] for code in ("KS", "KS/L-1", "KS/L-2")}
    assert by_code == {"KS": [0, 0.5, 0], "KS/L-1": [2, 1, 0], "KS/L-2": [3.5, 1, 1.5]}


def test_absent_rounds_of_a_mcmahon_event(tmp_path: Path) -> None:
    """Starts 32, 31, 30, 30; 2 and 4 are absent in round 2 (half a point, rounded down; opponent with the own start).

    MMS 34, 31, 31, 30; SOS 31+31, 34+31, 30+34, 31+30; SOSOS 65+64, 62+2x31, 61+62, 64+2x30; SODOS 31+31, 0, 30, 0.
    """
    event = read(
        tmp_path,
        "no name start_score\n1 A 32\n2 B 31\n3 C 30\n4 D 30",
        "round white black white_score black_score kind\n1 1 2 1 0 played\n1 3 4 1 0 played\n2 1 3 1 0 played\n"
        "2 2 - 0.5 - HPB\n2 4 - 0.5 - HPB",
        game="go",
        format="McMahon",
        rounds=2,
    )
    table = standings(event, "MMS,SOS,SOSOS,SODOS")
    by_code = {
        code: [float(v) for v in table.column(code).values()] for code in ("MMS", "SOS", "SOSOS", "SODOS")
    }
    assert by_code == {
        "MMS": [34, 31, 31, 30],
        "SOS": [62, 65, 64, 61],
        "SOSOS": [129, 124, 123, 124],
        "SODOS": [62, 0, 30, 0],
    }
