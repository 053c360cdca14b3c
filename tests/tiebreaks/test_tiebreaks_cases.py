"""Complaints from practice about tie-breaks, go standings and team boards, with their right answers."""

from __future__ import annotations

import dataclasses
import json
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qiyi_analysis.audit.pairing_table import first_movers
from qiyi_analysis.audit.printed_standings import compare
from qiyi_analysis.model.event import Event, make_event
from qiyi_analysis.readers.door import read_event
from qiyi_analysis.rules.rounding import half_up
from qiyi_analysis.rules.ruleset import ruleset
from qiyi_analysis.tiebreaks import standings
from qiyi_analysis.tiebreaks.mcmahon import start_scores
from qiyi_analysis.tiebreaks.unplayed import cut

RESULTS = {1: ("1", "0"), 0.5: ("=", "="), 0: ("0", "1")}


def made_game(round_: int, first: int, second: int, points: float, kind: str = "played") -> dict[str, Any]:
    """A game in which ``first`` made ``points``."""
    one, other = RESULTS[points]
    return {
        "round": round_, "first": first, "second": second, "first_result": one, "second_result": other, "kind": kind,
    }  # fmt: skip


def other_rounds(
    met_in: dict[int, int], left: dict[int, float], rounds: int
) -> tuple[list[dict[str, Any]], int]:
    """Games of each opponent in all rounds but the one in ``met_in``, and the next free number.

    Against players of their own, numbered after them, so that their points are the printed ones; ``left`` is what
    they make in these rounds.
    """
    games, number = [], max(met_in) + 1
    for opponent, met in met_in.items():
        points = left[opponent]
        for round_ in [r for r in range(1, rounds + 1) if r != met]:
            result = 1 if points >= 1 else 0.5 if points > 0 else 0
            points -= result
            games.append(made_game(round_, opponent, number, result))
            number += 1
    return games, number


def case(shared: Path, id: str) -> dict[str, Any]:
    path = next((shared / "cases").glob(f"{id}-*.json"))
    return json.loads(path.read_text(encoding="utf-8"))


def performance_event(opponents: list[int], scores: list[float]) -> Event:
    players = [{"number": 1, "name": "own", "rating": 2000}]
    players += [{"number": i, "name": f"O{i}", "rating": rating} for i, rating in enumerate(opponents, 2)]
    games = [made_game(i - 1, 1, i, score) for i, score in enumerate(scores, 2)]
    return make_event(players=players, games=games, format="swiss", start=date(2026, 4, 1))


@pytest.mark.parametrize(
    ("halves", "games", "percent"),
    [(10, 8, 63), (2, 8, 13), (6, 8, 38), (14, 8, 88), (8, 12, 33), (4, 6, 33)],
)
def test_c07_percentages_round_half_up(halves: int, games: int, percent: int) -> None:
    assert int(half_up(np.array([100 * halves]), 2 * games)[0]) == percent


def test_c07_performance_of_five_out_of_eight(shared: Path) -> None:
    facts = case(shared, "C07")
    average = facts["input"]["opponents_average"]
    event = performance_event([average] * 8, [1, 1, 1, 1, 1, 0, 0, 0])
    assert standings(event, "TPR").column("TPR").values()[0] == facts["expected"]["performance"]


def test_c29_direct_encounter_of_a_double_round_robin(shared: Path) -> None:
    """A and B with 7.5 each: drawn, then won by A; the average of both games counts."""
    facts = case(shared, "C29")["input"]
    games = []
    for round_, game in enumerate(facts["games"], 1):
        pair = (1, 2) if game["players"][0].endswith("A") else (2, 1)
        games.append(made_game(round_, *pair, game["scores"][0]))
    # The rest of the points, against a third player, makes the two equal.
    games.append(made_game(3, 2, 3, 1))
    players = [{"number": n, "name": name} for n, name in ((1, "A"), (2, "B"), (3, "C"))]
    event = make_event(players=players, games=games, format="double-round-robin", start=date(2024, 9, 1))
    result = standings(event, "PTS,DE,WIN")
    assert result.column("PTS").values()[0] == result.column("PTS").values()[1]
    assert list(result.column("DE").values()[:2]) == [1, 2]


def test_c30_koya_with_final_scores(shared: Path) -> None:
    facts = case(shared, "C30")
    games, players = [], []
    for player in facts["input"]["players"]:
        players.append({"number": player["no"], "name": str(player["no"])})
        for round_, result in enumerate(player["results"], 1):
            if result["colour"] == "w":
                games.append(made_game(round_, player["no"], result["opponent"], result["score"]))
    event = make_event(players=players, games=games, format="round-robin", start=date(2025, 1, 1))
    result = standings(event, "PTS,KS")
    for number, row in zip(result.grid.numbers, result.column("KS").values(), strict=True):
        assert float(row) == facts["expected"]["koya"][str(number)]
    early = standings(event, "PTS,KS", through=6).column("KS").values()
    assert [float(v) for v in early] != [facts["expected"]["koya"][str(n)] for n in result.grid.numbers]


def test_c31_forfeit_win_of_a_round_robin(shared: Path) -> None:
    """SB 17.5 by the text; the printed 20 is the Swiss rule, and the comparison says so."""
    facts = case(shared, "C31")
    rows, scores = facts["input"]["results"], {1: facts["input"]["own_score"]}
    scores.update({i: row["opponent_score"] for i, row in enumerate(rows, 2)})
    games, left = [], {}
    for i, row in enumerate(rows, 2):
        result = 1 if row["result"] == "+" else row["result"]
        games.append(made_game(i - 1, 1, i, result, "forfeit" if row["result"] == "+" else "played"))
        left[i] = row["opponent_score"] - (1 if row["result"] == 0 else 0)
    extra, number = other_rounds({i: i - 1 for i in left}, left, len(rows))
    event = make_event(
        players=[{"number": n, "name": str(n)} for n in range(1, number)],
        games=[*games, *extra],
        format="round-robin",
        start=date(2026, 2, 1),
    )
    assert standings(event, "PTS,SB").column("SB").texts()[0] == "17.50"
    printed = event.with_players(tb1=[20.0] + [float("nan")] * (number - 2))
    printed = make_event_with_columns(printed, {"tb1": "Sonneborn-Berger"})
    causes = compare(printed).rows.iloc[0]["causes"]
    assert "swiss-rule" in {cause.cause for cause in causes}


def make_event_with_columns(event: Event, columns: dict[str, str]) -> Event:
    return dataclasses.replace(event, tie_break_columns=columns)


def test_c33_median_with_two_requested_byes(shared: Path) -> None:
    facts = case(shared, "C33")
    rounds = facts["input"]["rounds"]
    own = facts["input"]["own_score"]
    value = np.array([[int(4 * row.get("opponent_adjusted_score", own)) for row in rounds]])
    voluntary = np.array([["bye" in row["kind"] for row in rounds]])
    present = np.ones_like(voluntary)
    kept = cut(value, value, present, voluntary, 1, 1, ruleset("fide/tie-breaks/2023-09-01"))
    assert Fraction(int(value[kept].sum()), 4) == facts["expected"]["median_buchholz_1"]


def test_c35_dummy_before_and_after_the_first_of_march(shared: Path) -> None:
    """The real event of the complaint: number 13 of Best in the West 2025."""
    facts = case(shared, "C35")
    event = read_event(shared / "data" / "events" / "hobsons-bay-best-in-the-west-2025")
    result = standings(event, "PTS,BH,BH@2023,BH@2026")
    row = result.grid.index_of(13)
    values = [float(result.column(code).values()[row]) for code in ("BH", "BH@2023", "BH@2026")]
    assert values == [
        facts["expected"]["right_for_event_date"],
        facts["expected"]["rules 2023"],
        facts["expected"]["rules 2026"],
    ]
    lower = sum(
        a != b for a, b in zip(result.column("BH").values(), result.column("BH@2026").values(), strict=True)
    )
    assert lower == 10


def test_c36_bye_under_three_texts(shared: Path) -> None:
    facts = case(shared, "C36")
    wins = facts["input"]["wins_against_final_scores"]
    rounds = [r for r in range(1, 8) if r != facts["input"]["bye"]["round"]]
    games = [{"round": facts["input"]["bye"]["round"], "first": 1, "second": 0, "kind": "pab"}]
    games += [made_game(round_, 1, i, 1) for i, round_ in enumerate(rounds, 2)]
    extra, number = other_rounds(dict(enumerate(rounds, 2)), dict(enumerate(wins, 2)), 7)
    event = make_event(
        players=[{"number": n, "name": str(n)} for n in range(1, number)],
        games=[*games, *extra],
        format="swiss",
        rounds=7,
    )
    result = standings(event, "PTS,SB@pre2023,SB@2023,SB@2026")
    expected = facts["expected"]
    assert float(result.column("SB@pre2023").values()[0]) == expected["sb_old_rule"]
    assert float(result.column("SB@2023").values()[0]) == expected["sb_rules_2023"]
    assert float(result.column("SB@2026").values()[0]) == expected["sb_rules_2026"]


def test_c37_perfect_performance_on_the_table(shared: Path) -> None:
    facts = case(shared, "C37")
    for player, expected in zip(facts["input"]["players"], facts["expected"]["ptp"], strict=True):
        ratings = [game["opponent"] for game in player["games"]]
        event = performance_event(ratings, [game["score"] for game in player["games"]])
        assert standings(event, "PTP").column("PTP").values()[0] == expected


@pytest.mark.parametrize(("scores", "expected"), [([1, 1, 1], 1900 + 736), ([0, 0, 0], 1500 - 800)])
def test_perfect_performance_of_all_and_of_nothing(scores: list[float], expected: int) -> None:
    event = performance_event([1500, 1700, 1900], scores)
    assert standings(event, "PTP").column("PTP").values()[0] == expected


def test_c54_half_points_for_absence(shared: Path) -> None:
    facts = case(shared, "C54")
    event = read_event(shared / "data" / "events" / "juvisy-2019-go")
    result = standings(event, "MMS,SOS,SOSOS")
    row = result.grid.index_of(2)
    assert result.column("MMS").values()[row] == facts["expected"]["mms"]["2"]
    assert result.column("SOS").values()[row] == facts["expected"]["sosm_2"]
    assert result.column("SOSOS").values()[row] == 512
    exact = result.rules.with_block("mcmahon", absence_rounding="none")
    unrounded = standings(event, "MMS", exact)
    assert float(unrounded.column("MMS").values()[row]) == facts["expected"]["exact"]["2"]
    assert (
        float(unrounded.column("MMS").values()[unrounded.grid.index_of(14)])
        == facts["expected"]["exact"]["14"]
    )


def test_juvisy_is_printed_as_recomputed(shared: Path) -> None:
    found = compare(read_event(shared / "data" / "events" / "juvisy-2019-go"))
    assert dict(found.codes) == {"tb1": "MMS", "tb2": "SOS", "tb3": "SOSOS"}
    assert found.rows["agrees"].all()
    assert len(found.rows[found.rows["field"] == "tb3"]) == 19


def test_c57_start_scores_follow_the_rank(shared: Path) -> None:
    facts = case(shared, "C57")
    given = facts["input"]
    assert (
        start_scores(given["players"], given["upper_bar"], given["lower_bar"], zero_at_upper_bar=True)
        == facts["expected"]["start"]
    )


def test_start_scores_counted_from_30_kyu() -> None:
    assert start_scores(["3D", "1D", "1K", "30k", "5段"], "4d") == [32, 30, 29, 0, 33]


def test_c75_colours_of_a_team_match(shared: Path) -> None:
    facts = case(shared, "C75")
    boards = facts["input"]["boards"]
    white = [f"{'AB'[mover - 1]}{board}" for board, mover in enumerate(first_movers(len(boards)), 1)]
    assert white == facts["expected"]["white"]


def test_points_of_the_womens_league_after_round_one(shared: Path) -> None:
    """30 of 30; the extra games after drawn matches do not count."""
    event = read_event(shared / "data" / "events" / "womens-xiangqi-league-2026-partial")
    result = standings(event, "PTS", of="players", through=1)
    printed = dict(zip(event.players["number"], event.players["points"], strict=True))
    own = {record["number"]: float(record["PTS"]) for record in result.as_records()}
    assert len(own) == 30
    assert own == printed


def test_champion_and_pairing_table_of_the_five_rams_cup(shared: Path) -> None:
    event = read_event(shared / "data" / "events" / "five-rams-13-1992")
    found = compare(event)
    assert standings(event).rank_of(1) == 1
    assert found.rows["agrees"].all()
    assert "berger-followed" in {finding.reason for finding in found.findings}


def test_printed_buchholz_of_an_australian_weekender(shared: Path) -> None:
    found = compare(read_event(shared / "data" / "events" / "hobsons-bay-best-in-the-west-2025"))
    assert dict(found.codes) == {"tb1": "BH@2023"}
    assert int(found.rows["agrees"].sum()) == 212  # 106 ranks and 106 values
