"""Worked examples of the Chinese rules: xiangqi 1999 and 2011, go 2002, counting, withdrawal.

The tables are those of the collected rules (TB-1 to TB-8, GO-3, GO-4), set down here game by game.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from qiyi_analysis.audit.area_counting import check, margin
from qiyi_analysis.audit.pairing_table import table
from qiyi_analysis.model.event import Event, Scoring, make_event
from qiyi_analysis.rules.ruleset import RuleSet, ruleset
from qiyi_analysis.tiebreaks import standings
from qiyi_analysis.tiebreaks.withdrawals import results_stand

XIANGQI = "cxa/tie-breaks/1999-01-01"
XIANGQI_2011 = "cxa/tie-breaks/2011-01-01"
GO = "cwa/tie-breaks/2002-01-01"

#: Rows A to F against columns A to F; 2 a win, 1 a draw, 0 a loss.
TB1 = {
    "A": "-10122",
    "B": "1-2120",
    "C": "20-102",
    "D": "111-02",
    "E": "0022-0",
    "F": "02002-",
}
RESULTS = {"2": ("1", "0"), "1": ("=", "="), "0": ("0", "1")}


def round_robin(
    rows: dict[str, str], scoring: Scoring, discipline: str = "xiangqi", **facts: object
) -> Event:
    """The table played in the order and with the colours of the pairing table."""
    names = list(rows)
    games = []
    for round_, pairs in enumerate(table(len(names)), 1):
        for first, second in pairs:
            one, other = RESULTS[rows[names[first - 1]][second - 1]]
            games.append(
                {
                    "round": round_,
                    "first": first,
                    "second": second,
                    "first_result": one,
                    "second_result": other,
                    "kind": "played",
                }
            )
    players = [{"number": i, "name": name} for i, name in enumerate(names, 1)]
    return make_event(
        players=players,
        games=games,
        scoring=scoring,
        discipline=discipline,
        format="round-robin",
        rounds=len(names) - 1,
        start=date(2005, 5, 1),
        **facts,
    )


def order(event: Event, rules: str | RuleSet, codes: str | None = None, **options: object) -> list[list[str]]:
    """Names in order, those who stay tied together."""
    rules = ruleset(rules) if isinstance(rules, str) else rules
    result = standings(event, codes, rules, **options)  # type: ignore[arg-type]
    groups: dict[int, list[str]] = {}
    for rank, name in zip(result.table["rank"], result.table["name"], strict=True):
        groups.setdefault(rank, []).append(name)
    return list(groups.values())


def flat(groups: list[list[str]]) -> list[str]:
    return [name for group in groups for name in group]


def column(event: Event, rules: str, code: str, **options: object) -> dict[str, Fraction]:
    result = standings(event, ["PTS", code], ruleset(rules), **options)  # type: ignore[arg-type]
    values = result.column(code).values()
    return {name: Fraction(value) for name, value in zip(result.grid.names, values, strict=True)}


def test_tb1_xiangqi_round_robin_of_1999() -> None:
    event = round_robin(TB1, Scoring.of(1))
    assert column(event, XIANGQI, "小分") == {
        "A": Fraction("6.75"),
        "B": Fraction("7.25"),
        "C": Fraction("6.25"),
        "D": Fraction("6.25"),
        "E": 5,
        "F": 5,
    }
    assert column(event, XIANGQI, "胜局") == {"A": 2, "B": 2, "C": 2, "D": 1, "E": 2, "F": 2}
    assert order(event, XIANGQI) == [["B"], ["A"], ["C"], ["D"], ["F"], ["E"]]
    who = standings(event, None, ruleset(XIANGQI)).separators
    assert list(who["code"]) == ["XF", "PTS", "SJ", "PTS", "ZS"]


def test_tb2_go_round_robin_compares_warnings_and_not_wins() -> None:
    event = round_robin(TB1, Scoring.of(2), "go")
    assert column(event, GO, "XF") == {
        "A": Fraction("13.5"),
        "B": Fraction("14.5"),
        "C": Fraction("12.5"),
        "D": Fraction("12.5"),
        "E": 10,
        "F": 10,
    }
    assert order(event, GO) == [["B"], ["A"], ["C", "D"], ["E", "F"]]
    warned = event.with_players(warnings=[0, 0, 1, 0, 0, 0])
    assert order(warned, GO) == [["B"], ["A"], ["D"], ["C"], ["E", "F"]]


def test_tb3_three_points_for_a_win_and_two_for_a_draw_of_the_second_player() -> None:
    scoring = Scoring.of(3, 1, 0, draw_second=2, half_bye=1)
    event = round_robin(TB1, scoring)
    points = standings(event, "PTS", ruleset(XIANGQI)).table
    assert dict(zip(points["name"], points["PTS"], strict=True)) == {
        "A": 8,
        "B": 10,
        "C": 7,
        "D": 8,
        "E": 6,
        "F": 6,
    }
    assert sum(points["PTS"]) == 45


#: opponent and points of each round, 2-1-0.
TB4 = {
    1: "2:0 6:0 7:2 4:0",
    2: "1:2 3:0 6:1 5:0",
    3: "4:2 2:2 5:0 8:0",
    4: "3:0 7:2 8:1 1:2",
    5: "6:1 8:2 3:2 2:2",
    6: "5:1 1:2 2:1 7:0",
    7: "8:0 4:0 1:0 6:2",
    8: "7:2 5:0 4:1 3:2",
}


def swiss(rows: dict[int, str], discipline: str) -> Event:
    games = []
    for number, text in rows.items():
        for round_, cell in enumerate(text.split(), 1):
            opponent, points = map(int, cell.split(":"))
            if number < opponent:
                one, other = RESULTS[str(points)]
                games.append(
                    {
                        "round": round_,
                        "first": number,
                        "second": opponent,
                        "first_result": one,
                        "second_result": other,
                        "kind": "played",
                    }
                )
    return make_event(
        players=[{"number": n, "name": str(n)} for n in rows],
        games=games,
        scoring=Scoring.of(2),
        discipline=discipline,
        format="swiss",
        rounds=4,
        start=date(2012, 5, 1),
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("DSF", [14, 17, 20, 13, 16, 14, 16, 18]),
        ("LJF", [4, 10, 14, 10, 16, 12, 2, 12]),
        ("SJ", [1, 1, 2, 2, 3, 1, 1, 2]),
    ],
)
def test_tb4_criteria_of_a_swiss(code: str, expected: list[int]) -> None:
    assert list(column(swiss(TB4, "xiangqi"), XIANGQI_2011, code).values()) == expected


def test_tb4_orders_of_a_swiss() -> None:
    event = swiss(TB4, "xiangqi")
    assert flat(order(event, XIANGQI)) == list("58436271")
    assert flat(order(event, XIANGQI_2011)) == list("58436271")
    assert flat(order(event, XIANGQI_2011, option="progressive")) == list("58436217")
    assert flat(order(swiss(TB4, "go"), GO)) == list("58436271")


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        ("achieved", ["2", "27/7", "40/7", "33/7", "53/7", "4", "18/7", "43/7"]),
        ("possible", ["1.5", "3.25", "5", "4.25", "7", "3.5", "2", "5.5"]),
    ],
)
def test_tb4_total_score_under_both_readings_of_the_maximum(reading: str, expected: list[str]) -> None:
    rules = ruleset(GO).with_block("total_score", maximum=reading)
    result = standings(swiss(TB4, "go"), "ZDF", rules)
    assert [Fraction(v) for v in result.column("ZDF").values()] == [Fraction(text) for text in expected]
    # Method A lets player 3 with four points pass player 4 with five.
    assert list(result.table["name"]) == list("58346271")


def test_go3_total_score_from_points_and_opponents_points() -> None:
    """S + (OS / (Smax / 2) - R) with R = 6; P 10 and 34, Q 8 and 48."""
    for top, (p, q) in {12: ("29/3", "10"), 10: ("10.8", "11.6")}.items():
        total = [Fraction(s) + (Fraction(os) / Fraction(top, 2) - 6) for s, os in ((10, 34), (8, 48))]
        assert total == [Fraction(p), Fraction(q)]
        assert total[1] > total[0]


@pytest.mark.parametrize(
    ("rules", "count", "black", "white", "expected"),
    [
        (GO, "185", 0, 0, "0.75"),
        (GO, "184.5", 0, 0, "0.25"),
        (GO, "184", 0, 0, "-0.25"),
        (GO, "185", 1, 0, "-0.25"),
        (GO, "184", 0, 1, "0.75"),
        (GO, "184", 1, 1, "-0.25"),
        ("cwa/tie-breaks/1988-01-01", "185", 0, 0, "1.75"),
        ("cwa/tie-breaks/1988-01-01", "183.5", 0, 0, "0.25"),
        ("cwa/tie-breaks/1988-01-01", "183", 0, 0, "-0.25"),
    ],
)
def test_go4_counting(rules: str, count: str, black: int, white: int, expected: str) -> None:
    result = margin(Fraction(count), ruleset(rules), first_warnings=black, second_warnings=white)
    assert result == Fraction(expected)


def test_go4_only_the_warned_side_counts_less_under_the_other_reading() -> None:
    rules = ruleset(GO).with_block("counting", warning_counts="own-side-only")
    assert margin(Fraction(184), rules, second_warnings=1) == Fraction("0.25")


def test_a_reported_result_that_the_count_does_not_bear_out() -> None:
    game = {"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"}
    event = make_event(
        players=[{"number": 1, "name": "甲"}, {"number": 2, "name": "乙"}],
        games=[
            {**game, "first_count": 185},
            {**game, "round": 2, "first_count": 180},
            {**game, "round": 3, "first_count": 184},
            {**game, "round": 4, "first_count": 362},
            {**game, "round": 5, "first_count": 184, "komi": 5.5},
        ],
        discipline="go",
    )
    found = {finding.round: finding.reason for finding in check(event, ruleset(GO))}
    # Komi 5.5 is written in points: 2.75 stones, so 184 wins.
    assert found == {2: "go-count-differs", 3: "go-count-with-warning", 4: "go-count-impossible"}


def team_event(format: str) -> Event:
    """TB-5: four teams of four boards, P-Q 2½-1½, P-R 1½-2½, P-S 3-1, Q-R 2½-1½, Q-S 2-2, R-S 3-1."""
    boards = {
        (1, "P", "Q"): "2210",  # 2 wins 1 draw 1 loss
        (2, "P", "R"): "2100",
        (3, "P", "S"): "2220",
        (3, "Q", "R"): "2111",
        (2, "Q", "S"): "2011",
        (1, "R", "S"): "2211",
    }
    teams = {name: [4 * i + board for board in range(1, 5)] for i, name in enumerate("PQRS")}
    players = [
        {"number": number, "name": f"{name}{board}", "team": name, "board": board}
        for name, numbers in teams.items()
        for board, number in enumerate(numbers, 1)
    ]
    games = []
    for (round_, one, other), results in boards.items():
        for board, result in enumerate(results):
            first, second = RESULTS[result]
            games.append(
                {
                    "round": round_,
                    "board": f"1.{board + 1}",
                    "first": teams[one][board],
                    "second": teams[other][board],
                    "first_result": first,
                    "second_result": second,
                    "kind": "played",
                }
            )
    return make_event(
        players=players,
        games=games,
        teams=[
            {"number": i, "name": name, "members": " ".join(map(str, numbers))}
            for i, (name, numbers) in enumerate(teams.items(), 1)
        ],
        discipline="xiangqi",
        format=format,
        rounds=3,
        start=date(2005, 5, 1),
    )


def test_tb5_team_round_robin_counts_games_won_before_the_mutual_match() -> None:
    event = team_event("team-round-robin")
    result = standings(event, "CF,JF,SJ,ZS,FG", ruleset(XIANGQI))
    shown = {row["name"]: (row["CF"], row["JF"], row["SJ"]) for row in result.as_records()}
    assert shown["P"] == ("4.0", "7.0", "6")
    assert shown["R"] == ("4.0", "7.0", "4")
    assert [shown[name][:2] for name in "QS"] == [("3.0", "6.0"), ("1.0", "4.0")]
    assert order(event, XIANGQI) == [["P"], ["R"], ["Q"], ["S"]]
    # Without the games won R, who beat P, would be first.
    assert order(event, XIANGQI, "CF,JF,ZS") == [["R"], ["P"], ["Q"], ["S"]]


def test_tb6_team_swiss_counts_matches_won() -> None:
    event = team_event("team-swiss")
    result = standings(event, "CF,TDF,JF,SC,FG", ruleset(XIANGQI))
    shown = {row["name"]: (row["TDF"], row["JF"], row["SC"]) for row in result.as_records()}
    assert shown["P"] == shown["R"] == ("8.0", "7.0", "2")
    assert order(event, XIANGQI)[0] == ["P", "R"]
    # 胜局 in the place of 胜场 would separate them.
    assert order(event, XIANGQI, "CF,TDF,JF,SJ")[0] == ["P"]


def test_go_teams_compare_board_one_next() -> None:
    event = replace(team_event("team-round-robin"), discipline="go")
    result = standings(event, None, ruleset(GO))
    assert [code.text for code in result.codes] == ["CF", "JF", "TBR"]
    assert list(result.table["name"]) == ["P", "R", "Q", "S"]


def test_tb7_sum_of_the_places_of_the_members() -> None:
    places = {"T1": (1, 6, 9), "T2": (3, 5, 8), "T3": (2, 7, 10)}
    rows = [(rank, team) for team, ranks in places.items() for rank in ranks]
    players = [
        {"number": rank, "name": f"{team}-{rank}", "team": team, "rank": rank} for rank, team in sorted(rows)
    ]
    event = make_event(
        players=players,
        games=[],
        teams=[{"number": i, "name": team} for i, team in enumerate(places, 1)],
        matches=[{"round": 1, "first": 1, "second": 2, "kind": "played"}],
        discipline="xiangqi",
        start=date(2005, 5, 1),
    )
    result = standings(event, "MC,ZJ,ZJ/2,FG", ruleset(XIANGQI))
    assert [(row["name"], row["MC"], row["ZJ"], row["ZJ/2"]) for row in result.as_records()] == [
        ("T1", "16", "1", "6"),
        ("T2", "16", "3", "5"),
        ("T3", "19", "2", "7"),
    ]


@pytest.mark.parametrize(
    ("rules", "played", "total", "stand"),
    [
        (XIANGQI, 3, 7, False),
        (XIANGQI, 4, 7, True),
        (XIANGQI, 4, 8, True),
        (XIANGQI, 3, 8, False),
        (GO, 4, 9, False),
        (GO, 5, 9, True),
    ],
)
def test_tb8_half_rule(rules: str, played: int, total: int, stand: bool) -> None:
    assert results_stand(played, total, ruleset(rules)) is stand


def withdrawn(after: int) -> Event:
    """A round robin of six, everybody beats those of higher number; player 2 leaves after some rounds."""
    rows = {
        name: "".join("-" if i == j else "2" if i < j else "0" for j in range(6))
        for i, name in enumerate("ABCDEF")
    }
    event = round_robin(rows, Scoring.of(1))
    games = event.games
    kept = ~(((games["first"] == 2) | (games["second"] == 2)) & (games["round"] > after))
    event = event.with_games(games[kept])
    return event.with_players(withdrawn_after=[float("nan"), float(after), *[float("nan")] * 4])


def test_withdrawal_before_half_annuls_the_results() -> None:
    result = standings(withdrawn(2), None, ruleset(XIANGQI))
    points = dict(zip(result.table["name"], result.table["PTS"], strict=True))
    assert points == {"A": 4, "B": 0, "C": 3, "D": 2, "E": 1, "F": 0}
    assert [finding.reason for finding in result.findings][:1] == ["withdrawal-annulled"]


def test_withdrawal_at_half_leaves_the_results_and_forfeits_the_rest() -> None:
    result = standings(withdrawn(3), None, ruleset(XIANGQI))
    points = dict(zip(result.table["name"], result.table["PTS"], strict=True))
    assert sum(points.values()) == 15
    assert [finding.reason for finding in result.findings][:1] == ["withdrawal-forfeits"]


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        ("lowest-with-points", 2 + 3),
        ("lowest", 0 + 3),
        ("own-score", 3 + 3),
        ("rounds-left", 2 + 3),
        ("nothing", 3),
    ],
)
def test_what_a_bye_adds_to_the_opponents_points(reading: str, expected: int) -> None:
    games = [
        {"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"},
        {"round": 1, "first": 3, "second": 4, "first_result": "1", "second_result": "0", "kind": "played"},
        {"round": 1, "first": 5, "second": 0, "kind": "pab"},
        {"round": 2, "first": 5, "second": 3, "first_result": "=", "second_result": "=", "kind": "played"},
        {"round": 2, "first": 1, "second": 0, "kind": "pab"},
        {"round": 2, "first": 2, "second": 4, "first_result": "1", "second_result": "0", "kind": "played"},
    ]
    event = make_event(
        players=[{"number": n, "name": str(n)} for n in range(1, 6)],
        games=games,
        scoring=Scoring.of(2),
        discipline="xiangqi",
        format="swiss",
        rounds=2,
        start=date(2012, 5, 1),
    )
    rules = ruleset(XIANGQI_2011).with_block("unplayed", bye=reading)
    # 5 had the bye in round 1 and drew with 3, who has three points.
    values = standings(event, "PTS,DSF", rules).column("DSF").values()
    assert values[4] == expected


@pytest.mark.parametrize(("reading", "wins"), [("counts", 1), ("does-not-count", 0)])
def test_whether_a_win_without_play_counts_among_the_wins(reading: str, wins: int) -> None:
    event = forfeited()
    rules = ruleset(XIANGQI).with_block("unplayed", win_without_play=reading)
    assert standings(event, "PTS,SJ", rules).column("SJ").values()[0] == wins


@pytest.mark.parametrize(("reading", "points"), [("not-added", 0), ("added", 1)])
def test_whether_the_points_of_an_absent_opponent_are_added(reading: str, points: int) -> None:
    event = forfeited()
    rules = ruleset(XIANGQI).with_block("unplayed", absent_opponent=reading)
    assert standings(event, "PTS,DSF", rules).column("DSF").values()[0] == points


def forfeited() -> Event:
    """1 wins against 2 without play; 2 beats 3 in round 2."""
    return make_event(
        players=[{"number": n, "name": str(n)} for n in (1, 2, 3, 4)],
        games=[
            {
                "round": 1,
                "first": 1,
                "second": 2,
                "first_result": "1",
                "second_result": "0",
                "kind": "forfeit",
            },
            {
                "round": 2,
                "first": 2,
                "second": 3,
                "first_result": "1",
                "second_result": "0",
                "kind": "played",
            },
        ],
        discipline="xiangqi",
        format="swiss",
        rounds=2,
        start=date(2005, 5, 1),
    )


@pytest.mark.parametrize(
    ("reading", "expected"),
    [
        ("beat-all-others", [["A"], ["B"], ["C"], ["D"]]),
        ("separate-standings", [["A"], ["B"], ["C"], ["D"]]),
        ("two-only", [["A", "B", "C"], ["D"]]),
    ],
)
def test_direct_win_of_three(reading: str, expected: list[list[str]]) -> None:
    """A beats B and C, and B beats C; by forfeits lost to D and E all three have the same points."""
    results = {
        (1, 2): "2",
        (1, 3): "2",
        (2, 3): "2",
        (1, 4): "0",
        (2, 4): "2",
        (3, 4): "2",
        (1, 5): "0",
        (2, 5): "0",
        (3, 5): "2",
        (4, 5): "0",
    }
    games = []
    for round_, ((first, second), result) in enumerate(results.items(), 1):
        one, other = RESULTS[result]
        games.append(
            {
                "round": round_,
                "first": first,
                "second": second,
                "first_result": one,
                "second_result": other,
                "kind": "played",
            }
        )
    players = [{"number": n, "name": name} for n, name in enumerate("ABCDE", 1)]
    event = make_event(
        players=players, games=games, discipline="xiangqi", format="round-robin", start=date(2005, 5, 1)
    )
    rules = ruleset(XIANGQI).with_block("direct", method=reading)
    tied = [group for group in order(event, rules, "PTS,ZS") if set(group) & set("ABC")]
    assert tied == expected[: len(tied)]


def test_a_circle_of_three_has_no_direct_win() -> None:
    rows = {"A": "-202", "B": "0-22", "C": "20-2", "D": "000-"}
    assert order(round_robin(rows, Scoring.of(1)), XIANGQI, "PTS,ZS") == [["A", "B", "C"], ["D"]]


def test_the_standings_of_the_round_before_break_what_is_left() -> None:
    """2011 14.3.1: 1 and 2 end level on everything; 1 led after round 1."""
    games = [
        {"round": 1, "first": 1, "second": 3, "first_result": "1", "second_result": "0", "kind": "played"},
        {"round": 1, "first": 4, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"},
        {"round": 2, "first": 4, "second": 1, "first_result": "1", "second_result": "0", "kind": "played"},
        {"round": 2, "first": 2, "second": 3, "first_result": "1", "second_result": "0", "kind": "played"},
    ]
    event = make_event(
        players=[{"number": n, "name": str(n)} for n in (1, 2, 3, 4)],
        games=games,
        scoring=Scoring.of(2),
        discipline="xiangqi",
        format="swiss",
        rounds=2,
        start=date(2012, 5, 1),
    )
    rules = ruleset(XIANGQI_2011)
    assert order(event, rules, "PTS,DSF,SJ,FG") == [["4"], ["1", "2"], ["3"]]
    assert order(event, rules, "PTS,DSF,SJ,FG,QL") == [["4"], ["1"], ["2"], ["3"]]


def test_a_warned_player_goes_last_among_equal_points() -> None:
    """1999 18.4 comes before every other criterion."""
    event = round_robin(TB1, Scoring.of(1)).with_players(warnings=[0, 1, 0, 0, 0, 0])
    assert order(event, XIANGQI)[:2] == [["A"], ["B"]]


def test_every_named_reading_names_a_key_and_a_value_of_its_file() -> None:
    for id in (XIANGQI, XIANGQI_2011, GO, "cwa/tie-breaks/1988-01-01", "egf/tie-breaks/undated"):
        rules = ruleset(id)
        for reading in rules.rows("reading"):
            assert rules.need(reading["block"])[reading["key"]] == reading["taken"], (id, reading["name"])
            assert reading["taken"] not in reading["others"]
