"""Smallest events on which rules and program once disagreed, each with its article, the numbers worked by hand."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from lists_made import a_list, of, swiss, xiangqi_newcomer

from qiyi_analysis import rate
from qiyi_analysis.audit.explain import rating_steps
from qiyi_analysis.lists.rebuild import rebuild_list
from qiyi_analysis.model.errors import EventError, RulesetError
from qiyi_analysis.model.event import Event, Scoring, make_event
from qiyi_analysis.rating.dwz import development
from qiyi_analysis.rating.entrants import entrants
from qiyi_analysis.rating.table_method import k_choice
from qiyi_analysis.rules.ruleset import load, ruleset
from qiyi_analysis.tiebreaks import standings

CXA, CCA = "cxa/rating/undated", "cca/rating/undated"
NAN = float("nan")


def player(number: int, rating: float, sex: str = "m", **facts: Any) -> dict[str, Any]:
    return {
        "number": number, "name": f"P{number}", "sex": sex, "rating": float(rating), "games_before": 100.0,
        "events_before": 20.0, "peak": float(rating), **facts,
    }  # fmt: skip


def game(round_: int, first: int, second: int, result: str, kind: str = "played") -> dict[str, Any]:
    other = {"1": "0", "0": "1", "=": "="}[result]
    return {
        "round": round_, "first": first, "second": second, "first_result": result,
        "second_result": "0" if kind == "double_loss" else other, "kind": kind,
    }  # fmt: skip


def event(players: list[dict[str, Any]], games: list[dict[str, Any]], **facts: Any) -> Event:
    facts = {
        "format": "swiss", "rounds": max(g["round"] for g in games), "start": date(2006, 5, 1), "end": date(2006, 5, 9),
        "discipline": "xiangqi", "scoring": Scoring.of(2), **facts,
    }  # fmt: skip
    return make_event(players=players, games=games, **facts)


def of_player(one: Event, rules: str, number: int) -> Any:
    return rate(one, ruleset(rules)).players.set_index("number").loc[number]


DWZ = ruleset("dsb/dwz/undated")


def test_dwz_limit_by_earlier_events_is_for_players_without_the_brake() -> None:
    """DSB Anhang 2.4: E at most 30 or five times the index only where the brake is 0."""
    assert development(1015, 15, Fraction("-0.662"), DWZ, 1) == 12
    assert development(1015, 15, Fraction("0.338"), DWZ, 1) == 5
    assert development(1700, 30, Fraction("-0.5"), DWZ, 2) == 10


def withdrawn(rules: str, **facts: Any) -> Any:
    games = [game(1, 1, 4, "1"), game(1, 2, 3, "="), game(2, 1, 2, "1"), game(3, 1, 3, "1")]
    players = [player(1, 2400), player(2, 2400), player(3, 2400), player(4, 2400, withdrawn_after=1.0)]
    return rate(event(players, games, format="round-robin", **facts), ruleset(rules))


@pytest.mark.parametrize(("rules", "discipline"), [(CXA, "xiangqi"), ("cwa/rating/undated", "go")])
def test_games_annulled_by_a_withdrawal_are_not_rated(rules: str, discipline: str) -> None:
    """Xiangqi 20.3, go 28: fewer than half of the games played, the results are void."""
    result = withdrawn(rules, discipline=discipline)
    games = result.players.set_index("number")["games"]
    assert games.tolist() == [2, 2, 2, 0]
    assert "annulled" in set(result.games["reason"])
    assert "annulled-not-rated" in {finding.reason for finding in result.findings}


def test_nobody_enters_the_amateur_list_without_a_game() -> None:
    """CCA art. 2: a list of players with games; a bye is none."""
    before = a_list("2006-04-01", {"id": "1", "name": "A", "rating": 1700, "last_event": "2006-03-10"})
    one = event(
        [{"number": 1, "id": "1", "name": "A", "rating": 1700.0}, {"number": 2, "id": "2", "name": "B", "sex": "m", "title": "候补棋协大师", "rating": NAN}],
        [{"round": 1, "first": 2, "second": 0, "kind": "pab", "first_result": "", "second_result": ""}],
        discipline="chess", id="e1",
    )  # fmt: skip
    assert rebuild_list([one], "cca/rating", [before], "2006-06").list.rows["id"].tolist() == ["1"]


def test_a_player_without_a_known_last_event_leaves_after_two_years() -> None:
    """CCA art. 2, counted from the first list on which nothing tells of an event."""
    before = a_list("2006-04-01", {"id": "1", "name": "A", "rating": 1700})
    first = rebuild_list([], "cca/rating", [before], "2006-06")
    assert [f.reason for f in first.findings].count("last-event-unknown") == 1
    state = first.state
    found = {}
    for period in ("2006-08", "2008-04", "2008-06"):
        rebuilt = rebuild_list([], "cca/rating", [state], period)
        state = rebuilt.state
        found[period] = len(rebuilt.list.rows)
        assert "last-event-unknown" not in {f.reason for f in rebuilt.findings}
    assert found == {"2006-08": 1, "2008-04": 1, "2008-06": 0}


def test_champions_are_who_the_standings_say() -> None:
    """Xiangqi art. 8; every co-champion. Everybody beat one and lost to one: three share first place."""
    games = [game(1, 1, 2, "1"), game(2, 2, 3, "1"), game(3, 3, 1, "1")]
    one = event([player(1, 2450), player(2, 2400), player(3, 2500)], games, format="round-robin")
    result = rate(one, ruleset(CXA))
    assert result.players["new_rating"].tolist() == [2450, 2403, 2500]
    assert "champion-by-standings" in {finding.reason for finding in result.findings}
    # Equal points, 对手分 decides: only player 2 is champion.
    games = [
        game(1, 1, 4, "1"), game(1, 2, 3, "1"), game(2, 1, 2, "="), game(2, 3, 4, "1"), game(3, 3, 1, "="), game(3, 4, 2, "="),
    ]  # fmt: skip
    one = event([player(1, 2560), player(2, 2570), player(3, 2400), player(4, 2300)], games)
    protected = rate(one, ruleset(CXA)).players["protected"].tolist()
    assert sum(protected) >= 1
    assert "champion-not-known" not in {f.reason for f in rate(one, ruleset(CXA)).findings}


def test_a_woman_of_2300_is_calculated_like_everybody() -> None:
    """Xiangqi art. 9 is for women below 2300: .76 + .36 = 1.12 by the special case, 1.14 by art. 8."""
    games = [game(1, 1, 2, "="), game(2, 1, 3, "=")]
    players = [player(1, 2600, "w"), player(2, 2400), player(3, 2700, "w")]
    assert of_player(event(players, games), CXA, 1)["we"] == 1.14
    players[0] = player(1, 2250, "w")
    # Against the man 2300 - 2400: .36; against the woman 2250 - 2700: .06.
    assert of_player(event(players, games), CXA, 1)["we"] == 0.42


def test_a_mixed_round_robin_of_players_above_2300_keeps_its_formula() -> None:
    """Xiangqi art. 8: M Pa - 1/2, whoever plays, unless art. 9 concerns somebody."""
    games = [game(1, 1, 4, "="), game(1, 2, 3, "="), game(2, 4, 3, "="), game(2, 1, 2, "="), game(3, 2, 4, "="), game(3, 3, 1, "=")]  # fmt: skip
    ratings = (2560, 2540, 2330, 2310)
    men = event([player(i, r) for i, r in enumerate(ratings, 1)], games, format="round-robin")
    mixed = event(
        [player(i, r, "w" if i == 4 else "m") for i, r in enumerate(ratings, 1)], games, format="round-robin"
    )
    expected = rate(men, ruleset(CXA)).players["we"].tolist()
    assert rate(mixed, ruleset(CXA)).players["we"].tolist() == expected
    assert set(rate(mixed, ruleset(CXA)).players["formula"]) == {"round-robin"}


@pytest.mark.parametrize(
    ("edition", "new"), [("1993-01-01", 25), ("2009-07-01", 25), ("2011-07-01", 30), ("2012-07-01", 30)]
)
def test_k_ten_takes_thirty_games_before_july_2014(edition: str, new: int) -> None:
    """FIDE Handbook id=73: 2400 reached "and he has also completed events with at least 30 games"."""
    rules = ruleset(f"fide/rating-standard/{edition}")
    players = [
        player(1, 2474, games_before=0.0),
        player(2, 2474, games_before=30.0),
        player(3, 2474, games_before=NAN),
    ]
    one = event(players, [game(1, 1, 2, "=")], discipline="chess", start=rules.effective, end=None)
    assert k_choice(one, rules, entrants(one, rules)).k.tolist() == [new, 10, 10]


def test_no_shows_do_not_use_up_the_first_three_events() -> None:
    """Xiangqi art. 8: an event without a rated game is none of the first three."""
    absent = [
        event(
            [
                {"number": 1, "id": "N", "name": "N", "sex": "m", "rating": NAN},
                player(2, 2400, id="x"),
                player(3, 2410, id="y"),
            ],
            [game(1, 2, 1, "1", "forfeit"), game(2, 3, 2, "=")],
            id=id, start=date(2006, 1, day), end=date(2006, 1, day),
        )
        for id, day in (("a1", 8), ("a2", 20))
    ]  # fmt: skip
    played = xiangqi_newcomer([("E", "2006-03-01", [2400] * 9, 5)])
    plain = rebuild_list(played, "cxa/rating", [a_list("2006-01-01")], "2006-07").state.rows
    with_absences = rebuild_list(
        [*absent, *played], "cxa/rating", [a_list("2006-01-01")], "2006-07"
    ).state.rows
    for state in (plain, with_absences):
        newcomer = state[state["id"] == "N"].iloc[0]
        assert (newcomer["events"], newcomer["k"]) == (1, 25)


def test_go_lists_came_every_four_months_until_2013() -> None:
    """Regulation of 1997: 30 April, 31 August, 31 December."""
    before = a_list(
        "1997-12-31", {"id": "1", "name": "A", "rating": 2500}, {"id": "2", "name": "B", "rating": 2500}
    )
    one = event(
        [player(1, 2500, id="1", name="A"), player(2, 2500, id="2", name="B")], [game(1, 1, 2, "1")],
        discipline="go", id="e", start=date(1998, 1, 15), end=date(1998, 1, 15),
    )  # fmt: skip
    rebuilt = rebuild_list([one], "cwa/rating", [before], "1998-04")
    assert rebuilt.state.day == date(1998, 4, 30)
    assert dict(zip(rebuilt.list.rows["id"], rebuilt.list.rows["rating"], strict=True)) == {
        "1": 2505,
        "2": 2495,
    }


def test_a_game_lost_by_both_is_rated_by_fide_alone() -> None:
    """B.02 5.1: both have made a move, the game is rated; the Chinese texts are silent."""
    one = event(
        [player(1, 1500, birth_year=1980.0), player(2, 1500, birth_year=1980.0)],
        [game(1, 1, 2, "0", "double_loss")],
        discipline="chess",
        start=date(2025, 11, 1),
        end=None,
    )
    row = of_player(one, "fide/rating-standard/2025-10-01", 1)
    assert (row["games"], row["change"]) == (1, -10.00)
    assert of_player(one, CCA, 1)["games"] == 0


def test_two_years_of_xiangqi_are_those_between_the_games() -> None:
    """Art. 9: nine games within two consecutive years; 20 July 2006 and 20 June 2008 are 23 months apart."""
    first, second = xiangqi_newcomer(
        [("e1", "2006-07-20", [2380] * 5, 3.5), ("e2", "2008-06-20", [2380] * 4, 3)]
    )
    state = a_list("2006-07-01")
    for period, events in (
        ("2007-01", [first]),
        ("2007-07", []),
        ("2008-01", []),
        ("2008-07", []),
        ("2009-01", [second]),
    ):
        rebuilt = rebuild_list(events, "cxa/rating", [state], period)
        state = rebuilt.state
    assert of(rebuilt, "N")["status"] == "newcomer"
    assert len(swiss("x", "2008-06-20", {"id": "N"}, [2300], 1).games) == 1


def test_handbook_of_2003_looks_up_the_average() -> None:
    """14.4: 2450 against 4 x 2150 and 2650, average 2250: We 3.80, -3.00; game by game 3.64."""
    players = [player(1, 2450), *(player(i, r) for i, r in enumerate((2150, 2150, 2150, 2150, 2650), 2))]
    games = [game(i, 1, i + 1, result) for i, result in enumerate("111=0", 1)]
    one = event(players, games, discipline="chess", start=date(2003, 5, 1), end=None)
    for edition in ("1993-01-01", "2000-10-01"):
        row = of_player(one, f"fide/rating-standard/{edition}", 1)
        assert (row["we"], row["change"]) == (3.80, -3.00)
    assert of_player(one, "fide/rating-standard/2005-01-01", 1)["we"] == 3.64


def test_unrated_players_of_round_robins_count_with_their_performance() -> None:
    """fide.com, 13 July 2009: "as so far". U scores 50 % against three of 2000, so Ru 2000; A beat him: K 15, +7.50."""
    players = [player(i, 2000, birth_year=1970.0) for i in (1, 2, 3)]
    players.append({"number": 4, "name": "U", "rating": NAN})
    games = [
        game(1, 1, 4, "1"), game(1, 2, 3, "="), game(2, 4, 2, "="), game(2, 1, 3, "="), game(3, 3, 4, "0"), game(3, 1, 2, "="),
    ]  # fmt: skip
    one = event(players, games, format="round-robin", discipline="chess", start=date(2010, 5, 1), end=None)
    row = of_player(one, "fide/rating-standard/2009-07-01", 1)
    assert (row["games"], row["change"]) == (3, 7.50)
    assert of_player(one, "fide/rating-standard/2014-07-01", 1)["games"] == 2


def test_an_irish_bonus_stops_at_2100() -> None:
    """Program of the union: rating, change and bonus together exceed neither 2100 nor the performance."""
    players = [{"number": 1, "name": "A", "rating": 2050.0, "k": 32.0}]
    players += [{"number": i, "name": f"P{i}", "rating": 2050.0, "k": 16.0} for i in range(2, 8)]
    games = [game(i, 1, i + 1, result) for i, result in enumerate("1111=0", 1)]
    one = event(players, games, discipline="chess", start=date(2012, 5, 5), end=None)
    row = of_player(one, "icu/rating/undated", 1)
    assert (row["bonus"], row["new_rating"]) == (2, 2100)


def test_version_two_of_the_irish_program_rates_in_order() -> None:
    """No second bonus; who has one is seen by later players with the change of the second phase."""
    rules = ruleset("icu/rating/undated")
    second = rules.with_block("junior_bonus", worked_out_again=False, refreshed_in_order=True).with_block(
        "performance", passes_after_bonus=30
    )
    players = [
        {"number": 1, "name": "A", "rating": 1000.0, "k": 40.0},
        {"number": 2, "name": "B", "rating": 1000.0, "k": 40.0},
    ]
    players += [{"number": i, "name": f"P{i}", "rating": 1200.0, "k": 24.0} for i in range(3, 9)]
    games = [game(round_, first, 3 + (round_ + first) % 6, "1") for round_ in range(1, 6) for first in (1, 2)]
    games.append(game(6, 1, 2, "="))
    one = event(players, games, discipline="chess", start=date(2012, 5, 5), end=None)
    first, later = (rate(one, given).players.set_index("number") for given in (rules, second))
    assert first["bonus"][1] > 0
    assert later["bonus"][1] > 0
    assert float(first["new_rating"][3]) != float(later["new_rating"][3])


def teams_of_members(**facts: Any) -> Event:
    """Ten players, the lower number always wins: places are numbers. T1 {1,6,9}, T2 {3,5,8}, T3 {2,7,10}."""
    team = {1: "T1", 6: "T1", 9: "T1", 3: "T2", 5: "T2", 8: "T2", 2: "T3", 7: "T3", 10: "T3"}
    players = [player(i, 2400, team=team.get(i, "")) for i in range(1, 11)]
    pairs = [(a, b) for a in range(1, 11) for b in range(a + 1, 11)]
    games = [game(1 + (a + b) % 9, a, b, "1") for a, b in pairs]
    return event(players, games, format="round-robin", start=date(2002, 5, 1), end=date(2002, 5, 9), **facts)


def test_places_of_members_rank_teams_of_an_individual_event() -> None:
    """Xiangqi 12.5, 15.5: smaller sum of places first, then the best place: 16, 16, 19 and 1 before 3."""
    one = teams_of_members()
    for option in ("", "member-places", "队员总分制"):
        result = standings(one, of="teams", option=option)
        assert result.table["name"].tolist() == ["T1", "T2", "T3"]
        assert [code.text for code in result.codes][:2] == ["MC", "ZJ"]
    named = make_event(
        players=one.players.to_dict("records"), games=one.games.to_dict("records"), format="member-places",
        rounds=9, start=one.start, discipline="xiangqi", scoring=Scoring.of(2),
    )  # fmt: skip
    assert standings(named).table["name"].tolist() == ["T1", "T2", "T3"]


def test_no_table_of_teams_is_made_from_games_of_individuals() -> None:
    """FIDE C.07 knows no ranking of teams by the places of their members."""
    one = teams_of_members()
    chess = make_event(
        players=one.players.to_dict("records"), games=one.games.to_dict("records"), format="round-robin", rounds=9, start=date(2025, 5, 1),
    )  # fmt: skip
    with pytest.raises(EventError, match="individuals"):
        standings(chess, of="teams")


def test_games_of_a_match_after_its_decision_and_with_the_unrated() -> None:
    """FIDE B.02 6: best of six, 3.5 after four games; the rest is not rated, nor is a match with an unrated player."""
    players = [player(1, 2500, birth_year=1980.0), player(2, 2400, birth_year=1980.0)]
    games = [game(i, 1 + (i + 1) % 2, 2 - (i + 1) % 2, result) for i, result in enumerate("101==1", 1)]
    one = event(
        players, games, format="match", rounds=6, discipline="chess", start=date(2025, 11, 1), end=None
    )
    result = rate(one, ruleset("fide/rating-standard/2025-10-01"))
    # Player 1 wins games 1 to 3, and half a point of the fourth makes 3.5.
    assert result.players["games"].tolist() == [4, 4]
    assert set(result.games["reason"]) == {"", "match-decided"}
    swiss = rate(
        event(players, games, rounds=6, discipline="chess", start=date(2025, 11, 1), end=None),
        ruleset("fide/rating-standard/2025-10-01"),
    )
    assert swiss.players["games"].tolist() == [6, 6]
    players[1] = {"number": 2, "name": "U", "rating": NAN}
    one = event(
        players, games, format="match", rounds=6, discipline="chess", start=date(2025, 11, 1), end=None
    )
    result = rate(one, ruleset("fide/rating-standard/2025-10-01"))
    assert set(result.games["reason"]) == {"match-unrated"}


@pytest.mark.parametrize(
    ("format", "blocks"),
    [
        (
            "round-robin",
            ("change", "round_robin", "method", "round_robin", "round_robin", "round_robin", "round_robin"),
        ),
        ("swiss", ("change", "expected", "method", "average", "average", "expected", "expected")),
    ],
)
def test_each_step_cites_the_article_of_its_formula(format: str, blocks: tuple[str, ...]) -> None:
    """CCA 6(2) for the Swiss, 6(3) for round robins; 6(4) is R = Ro + change."""
    players = [player(1, 1700), player(2, 1600), player(3, 1500)]
    games = [game(1, 1, 2, "1"), game(2, 2, 3, "="), game(3, 3, 1, "0")]
    one = event(players, games, format=format, discipline="chess")
    rules = ruleset(CCA)
    rating, steps = rating_steps(one, rules, 1, language="en")
    assert tuple(step.article for step in steps[:7]) == tuple(rules.cite(block) for block in blocks)
    expected = rules.cite("round_robin" if format == "round-robin" else "expected")
    assert set(rating.games["article"]) == {expected}


PLAIN_ELO = """
kind = "rating"
title = "Plain Elo"
title_zh = "普通埃洛"
picked_by = "start"
confidence = "text"
sources = ["invented"]
[method]
name = "table"
article = "1"
[expected]
law = "logistic"
by = "game"
article = "2"
[[k_factor]]
k = 20
article = "3"
[change]
rounding = "half-away-from-zero"
rounded = "change"
decimals = 2
article = "4"
[unrated]
rule = "not-counted"
article = "5"
"""


def test_a_federation_on_the_plain_formula_is_one_file(tmp_path: Path) -> None:
    """1 / (1 + 10^(-100/400)) = .640065; 20 x .359935 = 7.1987, published as 7.20."""
    path = tmp_path / "nor" / "rating" / "2020-01-01.toml"
    path.parent.mkdir(parents=True)
    path.write_text(PLAIN_ELO, encoding="utf-8")
    rules = load(path)
    one = event([player(1, 2100), player(2, 2000)], [game(1, 1, 2, "1")], discipline="chess")
    row = rate(one, rules).players.set_index("number").loc[1]
    assert (row["we"], row["change"], row["new_rating"]) == (0.64, 7.2, 2107)
    path.write_text(PLAIN_ELO.replace('law = "logistic"', 'law = "table"'), encoding="utf-8")
    with pytest.raises(RulesetError, match="table is missing"):
        load(path)
    path.write_text(PLAIN_ELO.replace("decimals = 2\n", ""), encoding="utf-8")
    with pytest.raises(RulesetError, match="decimals"):
        load(path)
