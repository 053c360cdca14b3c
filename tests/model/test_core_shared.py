"""Published calculations and cases kept outside the project, all exact."""

import csv
import json
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.model.event import make_event
from qiyi_analysis.rating import rate
from qiyi_analysis.readers import read_event
from qiyi_analysis.rules import ruleset as rulesets
from qiyi_analysis.rules.rounding import rounded

DOCUMENT = "fide/rating-standard"
OTHER = {"1": "0", "=": "=", "0": "1"}
SCORE = {"1": "1", "1.0": "1", "0.5": "=", "0": "0", "0.0": "0"}


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def edition(day):
    return rulesets.in_force(DOCUMENT, day)


def against(own, k, games, rules, **player):
    """The rating of player 1 who meets (opponent's rating, score) one by one; returns (player row, games)."""
    players = [{"number": 1, "name": "P", "sex": "m", "rating": own, **({"k": k} if k else {}), **player}]
    table = []
    for i, (rating, score) in enumerate(games, 2):
        players.append({"number": i, "name": f"O{i}", "sex": "m", **({"rating": rating} if rating else {})})
        result = SCORE[str(score)]
        table.append({
            "round": i - 1, "first": 1, "second": i, "first_result": result, "second_result": OTHER[result],
            "kind": "played",
        })  # fmt: skip
    rating = rate(make_event(players=players, games=table, format="swiss"), rules)
    return rating.player_rows()[0], rating.game_rows(1)


# --- published FIDE calculations ------------------------------------------------------------------------


def test_every_published_game(shared):
    checked = 0
    for row in rows(shared / "data/ratings/fide_published_games.csv"):
        rules = edition(date.fromisoformat(row["start"]))
        own, opponent = int(row["own_rating_Ro"]), int(row["opponent_rating_used"])
        _, games = against(own, int(row["K"]), [(opponent, row["score"])], rules)
        game = games[0]
        assert game["score"] - game["expected"] == Decimal(row["change"]), row
        # The source marks a difference of 400 or more.
        reached = abs(game["difference"]) >= 400 == abs(game["counted_difference"])
        assert reached == (row["capped_400"] == "1"), row
        checked += 1
    assert checked == 27


def test_every_published_event(shared):
    games = rows(shared / "data/ratings/fide_published_games.csv")
    for row in rows(shared / "data/ratings/fide_published_events.csv"):
        own = [g for g in games if g["event_id"] == row["event_id"] and g["case"] == row["case"]]
        assert len(own) == int(row["games"])
        player, _ = against(
            int(row["own_rating_Ro"]),
            int(row["K"]),
            [(int(g["opponent_rating_used"]), g["score"]) for g in own],
            edition(date.fromisoformat(row["start"])),
        )
        assert player["score"] == Decimal(row["score"])
        assert player["w_minus_we"] == Decimal(row["change"])
        assert player["change"] == Decimal(row["K_times_change"])


@pytest.mark.parametrize(
    ("column", "day"), [("calculator_change", date(2024, 6, 1)), ("rule_2025_10_change", date(2025, 10, 1))]
)
def test_the_calculator_by_edition(shared, column, day):
    for row in rows(shared / "data/ratings/fide_calculator_change.csv"):
        player, _ = against(
            int(row["own"]), int(row["K"]), [(int(row["opponent"]), row["score"])], edition(day)
        )
        assert player["change"] == Decimal(row[column]), row


# --- Hobsons Bay ------------------------------------------------------------------------------------------

WITHOUT_K = {34, 36, 40, 42, 54, 86}


def test_hobsons_bay(shared):
    event = read_event(shared / "data/events/hobsons-bay-best-in-the-west-2025")
    result = audit(event)
    assert result.rating_rules.id == "fide/rating-standard/2024-03-01"
    changes = result.comparison[result.comparison["field"] == "change"]
    assert (changes["agrees"] == True).sum() == 72  # noqa: E712 - None is a third value
    assert not (changes["agrees"] == False).any()  # noqa: E712
    assert set(changes.loc[changes["agrees"].isna(), "number"]) == WITHOUT_K
    players = {row["number"]: row for row in result.rating.player_rows()}
    for number in WITHOUT_K:
        assert [players[number][name] for name in ("k", "change", "new_rating")] == [None, None, None]
    fitting = {f.player: f.values["fits"] for f in result.findings if f.code == "CK42"}
    assert fitting == {34: [10, 20], 36: [], 40: [10, 20], 42: [10, 20], 54: [10, 20, 40], 86: []}
    assert {f.severity for f in result.findings if f.code == "CK42"} == {"I"}
    differences = {
        f.player: [c.cause for c in f.causes] for f in result.findings if f.code in ("CK26", "CK27", "CK32")
    }
    assert differences == {36: ["w-minus-we"], 86: ["w-minus-we"]}
    assert {f.player: f.recomputed for f in result.findings if f.code == "CK27"} == {36: "-0.38", 86: "-1.45"}


# --- the collection's own copies agree with the foreign ones ------------------------------------------------


@pytest.mark.parametrize("name", ["nanjing-2010", "five-rams-13-1992"])
def test_facts_set_down_anew_are_the_same(shared, project, name):
    own, foreign = read_event(project / "data/events" / name), read_event(shared / "data/events" / name)
    for column in ("round", "first", "second", "first_result", "second_result", "kind"):
        assert own.games[column].tolist() == foreign.games[column].tolist()
    for column in ("name", "sex", "rating", "k", "rank", "points", "expected", "change"):
        one, other = own.players[column], foreign.players[column]
        assert ((one == other) | (one.isna() & other.isna())).all(), column


# --- cases ---------------------------------------------------------------------------------------------------


def case(shared, id):
    path = next((shared / "cases").glob(f"{id}-*.json"))
    content = json.loads(path.read_text(encoding="utf-8"))
    return content["input"], content["expected"]


def exact(number):
    return Decimal(str(number))


def test_c01_one_event_under_two_versions_of_the_cap(shared):
    given, expected = case(shared, "C01")
    games = [(g["opponent"], g["score"]) for g in given["games"]]
    for variant in given["variants"]:
        start = variant["event_start"]
        rules = (
            edition(date.fromisoformat(start)) if start else edition(date(2024, 6, 1)).without_block("cap")
        )
        right = expected[start or "no_cap_for_comparison"]
        player, rated = against(given["player"]["rating"], given["player"]["k"], games, rules)
        per_game = [game["score"] - game["expected"] for game in rated]
        assert per_game == [exact(x) for x in right["per_game"]]
        assert player["w_minus_we"] == exact(right["w_minus_we"])
        assert player["change"] == exact(right["raw_change"])
        assert player["rounded_change"] == right["rounded_change"]


def test_c02_no_cap_for_2650(shared):
    given, expected = case(shared, "C02")
    rules = edition(date.fromisoformat(given["event_start"]))
    for game, right in zip(given["games"], expected["results"], strict=True):
        player, rated = against(game["player"], given["k"], [(game["opponent"], game["score"])], rules)
        assert rated[0]["expected"] == exact(right["expected_score"])
        assert (player["change"], player["rounded_change"]) == (
            exact(right["raw_change"]),
            right["rounded_change"],
        )
    before, _ = against(2800, 10, [(1800, 1)], edition(date(2025, 9, 30)))
    assert (before["change"], before["rounded_change"]) == (Decimal("0.8"), 1)


def test_c04_half_points(shared):
    given, expected = case(shared, "C04")
    for right in expected["results"]:
        player, _ = against(
            right["player"], right["k"], [(right["opponent"], right["score"])], edition(date(2024, 6, 1))
        )
        assert (player["change"], player["rounded_change"]) == (exact(right["raw"]), right["rounded"])
    halves = [int(Fraction(str(x)) * 2) for x in given["also_round"]]
    assert [int(rounded(x, 2, "half-away-from-zero")) for x in halves] == expected["rounded_list"]


def test_c06_table_and_formula(shared):
    given, expected = case(shared, "C06")
    rules = edition(date.fromisoformat(given["event_start"]))
    games = [(g["opponent"], g["score"]) for g in given["games"]]
    player, _ = against(given["player"]["rating"], given["player"]["k"], games, rules)
    assert (player["we"], player["change"]) == (
        exact(expected["expected_score"]),
        exact(expected["raw_change"]),
    )
    law = rules.with_block("expected", law="logistic")
    formula, _ = against(given["player"]["rating"], given["player"]["k"], games, law)
    assert round(formula["we"], 4) == exact(expected["logistic_expected_score"])
    assert round(formula["change"], 2) == exact(expected["logistic_raw_change"])


def c09_event(given, **printed):
    players = [{"number": 1, "name": "P", "rating": given["player"]["rating"], **printed}]
    games = []
    for i, game in enumerate(given["games"], 2):
        players.append({"number": i, "name": f"O{i}", "rating": game["opponent"]})
        result = SCORE[str(game["score"])]
        games.append({
            "round": i - 1, "first": 1, "second": i, "first_result": result, "second_result": OTHER[result],
            "kind": "played",
        })  # fmt: skip
    return make_event(players=players, games=games, format="swiss", start=date(2025, 8, 30))


@pytest.mark.parametrize("k", [np.nan, 0.0])
def test_c09_a_report_without_k(shared, k):
    given, expected = case(shared, "C09")
    event = c09_event(given, change=float(given["reported"]), change_text=given["reported"], k=k)
    result = audit(event, [DOCUMENT])
    player = result.rating.player_rows()[0]
    assert player["w_minus_we"] == exact(expected["w_minus_we"])
    assert player["k"] is None
    assert player["change"] is None
    note = next(f for f in result.findings if f.code == "CK42" and f.player == 1)
    assert note.values["each"] == [f"K {k}: {v}" for k, v in expected["change_if_k"].items()]
    assert any(f.code == "CK27" and f.causes[0].cause == "w-minus-we" for f in result.findings)


def test_c10_k_factors(shared):
    given, expected = case(shared, "C10")
    for player, right in zip(given["players"], expected["k"], strict=True):
        day = date.fromisoformat(player["date"])
        own = {
            "number": 1, "name": "P", "rating": player["rating"], "games_before": player["games"],
            "peak": 2400 if player["ever_2400"] else player["rating"],
            "birth_year": np.nan if player["birth_year"] is None else player["birth_year"],
        }  # fmt: skip
        games = [
            {"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"}
        ]
        event = make_event(players=[own, {"number": 2, "name": "O", "rating": 2000}], games=games, start=day)
        assert rate(event, edition(day)).player_rows()[0]["k"] == right, player


def test_c17_the_printed_change_finds_the_wrong_rating(shared):
    given, expected = case(shared, "C17")
    rules = rulesets.ruleset("fide/rating-standard/2009-07-01")
    for wrong, we, change, whole in (
        (2716, "expected_with_2716", "change_with_2716", "rounded_with_2716"),
        (2720, "expected_with_2720", "change_with_2720", "rounded_with_2720"),
    ):
        ratings = [wrong if r == given["alternative"]["replace"] else r for r in given["opponents_twice"]] * 2
        scores = [1, 1, *[0.5] * 8]
        player, _ = against(
            given["player"]["rating"], given["player"]["k"], list(zip(ratings, scores, strict=True)), rules
        )
        assert (player["we"], player["change"]) == (exact(expected[we]), exact(expected[change]))
        assert player["rounded_change"] == expected[whole]


def test_c27_rounding_against_cutting(shared):
    given, expected = case(shared, "C27")
    for (own, other), score, change, new in zip(
        ((1000, 1000), (1000, 1000)), (1, 0), expected["fide_changes"], expected["fide_rounded"],
        strict=True,
    ):  # fmt: skip
        player, _ = against(
            own, given["k"], [(other, score)], rulesets.ruleset("fide/rating-standard/2009-07-01")
        )
        assert (player["rounded_change"], player["new_rating"]) == (change, new)
    cutting = rulesets.ruleset("fide/rating-standard/2009-07-01").with_block(
        "change", rounding="toward-zero", rounded="rating"
    )
    assert against(1000, given["k"], [(1000, 1)], cutting)[0]["new_rating"] == expected["truncated_wrong"][0]


def test_c59_three_ways_to_an_expected_score(shared):
    given, expected = case(shared, "C59")
    ratings = given["ratings"]
    players = [
        {"number": i, "name": f"P{i}", "sex": "m", "rating": r, "k": 15} for i, r in enumerate(ratings, 1)
    ]
    games = [
        {"round": 1, "first": i, "second": j, "first_result": "=", "second_result": "=", "kind": "played"}
        for i in range(1, len(ratings) + 1)
        for j in range(i + 1, len(ratings) + 1)
    ]
    event = make_event(players=players, games=games, format="round-robin")
    rules = rulesets.ruleset("cxa/rating/undated")
    ways = {
        "we_round_robin_formula": rules,
        "we_average_opponent": rules.without_block("round_robin"),
        "we_per_game": rules.without_block("round_robin").with_block("expected", by="game"),
    }
    for way, edition_ in ways.items():
        we = [row["we"] for row in rate(event, edition_).player_rows()]
        assert we == [exact(p[way]) for p in expected["players"]], way
    assert [row["expected"] for row in rate(event, rules).player_rows()] == [
        exact(p["pa"]) for p in expected["players"]
    ]
    assert rate(event, rules).players["we_hundredths"].sum() == 1500
