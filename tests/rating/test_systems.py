"""Worked examples of the rating systems: printed ones first, then values computed by hand."""

import json
import math
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from qiyi_analysis.model.event import make_event
from qiyi_analysis.rating import aga, dwz, egf, go_professional, initial, rate, uscf
from qiyi_analysis.rules.ruleset import in_force, ruleset

RESULTS = {1: ("1", "0"), 0.5: ("=", "="), 0: ("0", "1")}


def one_player(player, opponents, scores, *, day=date(2025, 12, 5), games=None, **facts):
    """Player 1 with the first move against opponents 2, 3, ...; entries are ratings or dicts of columns."""
    rows = [{"number": 1, "name": "P", **player}]
    played = []
    for i, (opponent, score) in enumerate(zip(opponents, scores, strict=True), 2):
        columns = opponent if isinstance(opponent, dict) else {"rating": opponent}
        rows.append(
            {
                "number": i,
                "name": f"O{i}",
                **{k: v for k, v in columns.items() if k not in ("kind", "handicap")},
            }
        )
        first, second = RESULTS[score]
        played.append({
            "round": i - 1, "first": 1, "second": i, "first_result": first, "second_result": second,
            "kind": columns.get("kind", "played"), "handicap": columns.get("handicap", 0.0),
        })  # fmt: skip
    return make_event(players=rows, games=[*played, *(games or [])], start=day, end=day, **facts)


def first_row(event, id):
    return rate(event, ruleset(id)).player_rows()[0]


# --- EGF ---------------------------------------------------------------------------------------------


def test_egf_official_example_of_2021():
    row = first_row(
        one_player({"rating": 2674.564}, [2611.051], [0], extra={"class": "A"}), "egf/rating/2021-04-01"
    )
    assert row["new_rating"] == pytest.approx(2670.456171, abs=1e-5)
    assert float(row["we"]) == pytest.approx(0.66307499, abs=1e-6)
    assert row["k"] == pytest.approx(6.1979006, abs=1e-6)
    assert row["bonus"] == pytest.approx(0.00184348, abs=1e-6)


@pytest.mark.parametrize(
    ("own", "other", "score", "new"),
    [(2100, 2100, 1, 2109.306), (2100, 2100, 0, 2091.725), (2400, 2400, 1, 2405.598), (100, 200, 1, 152.397)],
)
def test_egf_2021_pays_the_bonus_to_both_players(own, other, score, new):
    row = first_row(
        one_player({"rating": own}, [other], [score], extra={"class": "A"}), "egf/rating/2021-04-01"
    )
    assert row["new_rating"] == pytest.approx(new, abs=0.001)


def test_egf_handicap_raises_black_in_the_expected_score_only():
    event = one_player(
        {"rating": 1850}, [{"rating": 2400, "handicap": 5}], [1], discipline="go", extra={"class": "A"}
    )
    players = rate(event, ruleset("egf/rating/2021-04-01")).players
    assert float(players["we"][0]) == pytest.approx(0.3235, abs=0.0001)
    assert list(players["new_rating"]) == pytest.approx([1867.224, 2392.545], abs=0.001)


@pytest.mark.parametrize(("stones", "white"), [(0, 0.8266), (1, 0.79), (2, 0.6952), (3, 0.571), (4, 0.4261)])
def test_egf_expectation_of_white_falls_with_each_stone(stones, white):
    rules = ruleset("egf/rating/2021-04-01")
    assert egf.expected_score(2100, 1800, stones, rules) == pytest.approx(white, abs=0.0001)


@pytest.mark.parametrize(
    ("own", "other", "stones", "score", "news"),
    [(320, 400, 0, 1, (383, 340)), (2400, 2400, 0, 1, (2407.5, 2392.5)), (1850, 2400, 5, 1, (1875, 2389))],
)
def test_egf_official_examples_before_2021(own, other, stones, score, news):
    rules = ruleset("egf/rating/1998-01-01").with_block("gor_steps", epsilon=Fraction(0))
    event = one_player(
        {"rating": own}, [{"rating": other, "handicap": stones}], [score], extra={"class": "A"}
    )
    got = rate(event, rules).players["new_rating"]
    assert list(got) == pytest.approx(news, abs=0.5)


def test_egf_class_halves_change_and_bonus_and_an_unknown_class_is_said():
    full, half = (
        first_row(one_player({"rating": 2100}, [2100], [1], extra={"class": c}), "egf/rating/2021-04-01")[
            "change"
        ]
        for c in ("A", "C")
    )
    assert float(half) == pytest.approx(float(full) / 2, abs=1e-6)
    rating = rate(one_player({"rating": 2100}, [2100], [1]), ruleset("egf/rating/2021-04-01"))
    assert [f.reason for f in rating.findings] == ["event-class-assumed"]


@pytest.mark.parametrize(
    ("title", "rating"),
    [("1D", 2100), ("3 dan", 2300), ("1k", 2000), ("20K", 100), ("2p", 2730), ("", None), ("GM", None)],
)
def test_egf_rating_of_a_declared_grade(title, rating):
    assert egf.grade_rating(title, ruleset("egf/rating/2021-04-01")) == rating


@pytest.mark.parametrize(
    ("own", "other", "score", "we", "new"),
    [
        # con(-900) = 21^1.6 = 130.482, bonus(-900) = ln(1 + e^40) / 5 = 8; Se = 1 / (1 + (42/41)^7) = 0.457929:
        # 130.482 x (1 - 0.457929) + 8 = 78.730; a loss ends at the floor.
        (-900, -800, 1, 0.457929, -821.270),
        (-900, -800, 0, 0.457929, -900),
        # 21 kyu is 0: con(0) = 16.5^1.6 = 88.710, bonus(0) = 5.75; 88.710 x 0.5 + 5.75 = 50.105
        (0, 0, 1, 0.5, 50.105),
    ],
)
def test_egf_zero_and_negative_numbers_are_ratings(own, other, score, we, new):
    event = one_player(
        {"rating": own, "title": "5k"}, [{"rating": other}], [score], discipline="go", extra={"class": "A"}
    )
    row = first_row(event, "egf/rating/2021-04-01")
    assert not row["provisional"]
    assert float(row["we"]) == pytest.approx(we, abs=1e-6)
    assert row["new_rating"] == pytest.approx(new, abs=0.001)


SYSTEMS_BY_GAME = (
    "egf/rating/2021-04-01", "egf/rating/1998-01-01", "aga/rating/undated", "dsb/dwz/undated", "icu/rating/undated",
    "uscf/rating/2025-07-26",
)  # fmt: skip


@pytest.mark.parametrize("id", [*SYSTEMS_BY_GAME, "fide/rating-standard/2024-03-01"])
@pytest.mark.filterwarnings("error")
def test_an_event_without_a_rated_game(id):
    event = one_player({"sex": "m"}, [{"sex": "m", "kind": "forfeit"}], [1])
    row = first_row(event, id)
    assert (row["games"], str(row["score"]), row["change"]) == (0, "0.0", None)


@pytest.mark.parametrize("id", [*SYSTEMS_BY_GAME, "fide/rating-standard/2024-03-01"])
def test_points_have_one_decimal_in_every_system(id):
    event = one_player({"rating": 2000, "k": 20}, [2000, 2000], [1, 1])
    rating = rate(event, ruleset(id))
    assert str(rating.player_rows()[0]["score"]) == "2.0"
    assert str(rating.game_rows()[0]["score"]) == "1.0"


# --- AGA -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("white", "black", "stones", "komi", "wins"),
    [
        (1.5, -1.5, 0, 7.5, 0.8250),
        (3.5, -4.4, 0, 5.5, 1.0),
        (2.5, -1.5, 2, -2, 0.4473),
        (-3.2, -5.2, 0, 0.5, 0.9147),
        (5.5, 1.5, 4, 0.5, 0.51231),
    ],
)
def test_aga_win_probability_closes_the_gap(white, black, stones, komi, wins):
    rules = ruleset("aga/rating/undated")
    closed = aga.closed_gap(np.array([white, black]), float(rules.need("bayrate")["gap"]))
    found = aga.white_wins(closed[:1], closed[1:], np.array([float(stones)]), np.array([float(komi)]), rules)
    assert found[0] == pytest.approx(wins, abs=0.0001)


@pytest.mark.parametrize(
    ("seed", "sigma"), [(-48.5, 5.491812), (-28.5, 3.544011), (-8.5, 1.720464), (2.5, 1.166191), (12.5, 1.0)]
)
def test_aga_first_sigma_at_the_known_points(seed, sigma):
    assert aga.first_sigma(seed, ruleset("aga/rating/undated")) == pytest.approx(sigma, abs=1e-6)


def test_aga_winner_rises_by_what_the_loser_falls_and_stays_out_of_the_gap():
    event = one_player(
        {"rating": -1.2},
        [{"rating": -1.2}],
        [1],
        discipline="go",
        extra={"players.sigma": {1: "0.5", 2: "0.5"}},
    )
    players = rate(event, ruleset("aga/rating/undated")).players
    assert float(players["change"][0]) > 0
    assert not players["new_rating"].between(-1, 1, inclusive="neither").any()
    assert (players["sigma"].astype(float) < 0.5).all()


def test_aga_self_promotion_of_three_grades_reseeds():
    rules = ruleset("aga/rating/undated")
    seed, sigma = aga.self_promoted(1.0, 0.5, 4.5, rules)
    assert seed == 4.5
    assert sigma == aga.first_sigma(5.5, rules)
    seed, sigma = aga.self_promoted(1.0, 0.5, 2.5, rules)
    assert seed == pytest.approx(1.0 + 0.024746 + 0.32127 * 1.5)
    assert sigma == pytest.approx(math.sqrt(0.25 + 0.256 * 1.5**1.9475))
    assert aga.self_promoted(4.0, 0.5, 1.0, rules) == (4.0, 0.5)


# --- DWZ -----------------------------------------------------------------------------------------------


def test_dwz_official_sheet():
    opponents = [1551, 1828, 2310, 2211, 2082, 1547, 2049, 2210, 2375]
    row = first_row(
        one_player({"rating": 2085, "k": 24}, opponents, [1, 1, 0.5, 0, 0.5, 1, 1, 0.5, 1]), "dsb/dwz/undated"
    )
    assert (row["we"], row["new_rating"]) == (Decimal("4.837"), 2125)
    assert float(row["change"]) == pytest.approx(40.3152, abs=0.0001)


@pytest.mark.parametrize(
    ("rating", "age", "surplus", "coefficient"),
    [
        (2085, 20, -1, 24),  # 18.9 + 5
        (2085, 30, 1, 30),  # 33.9, at most 30
        (1500, 18, 1, 8),  # (5.06 + 5) x 0.75 = 7.55
        (1500, 18, -1, 10),
        (1000, 15, -1, 12),  # (1 + 5) + e^2 - 1 = 12.4
        (1000, 15, 1, 5),  # (1 + 5) x 0.5 = 3, at least 5
    ],
)
def test_dwz_development_coefficient(rating, age, surplus, coefficient):
    assert dwz.development(rating, age, Fraction(surplus), ruleset("dsb/dwz/undated")) == coefficient


def test_dwz_without_coefficient_and_age_says_so():
    rating = rate(one_player({"rating": 1900}, [1900], [1]), ruleset("dsb/dwz/undated"))
    assert np.isnan(rating.players["new_rating"][0])
    assert "development-unknown" in [f.reason for f in rating.findings]


# --- US Chess --------------------------------------------------------------------------------------------

US = "uscf/rating/2025-07-26"


@pytest.mark.parametrize(
    ("rating", "games"),
    [(1000, 11.515), (1500, 16.568), (1700, 20.012), (2000, 28.608), (2300, 45.706), (2400, 50)],
)
def test_uscf_limit_of_effective_games(rating, games):
    assert uscf.limit_of_games(rating, ruleset(US)) == pytest.approx(games, abs=0.001)


def test_uscf_k_and_dual_rated_k():
    rules = ruleset(US)
    assert uscf.k_factor(1700, 20, 4, rules) == pytest.approx(33.33, abs=0.01)
    assert uscf.k_factor(2300, 50, 4, rules, dual=True) == pytest.approx(11.11, abs=0.01)
    assert uscf.k_factor(2500, 50, 4, rules, dual=True) == pytest.approx(200 / 54)


def test_uscf_bonus_beyond_the_threshold():
    rules = ruleset(US)
    # A change of exactly +40 in nine games: bonus 40 - 10 x 3 = 10.
    opponents = np.full(9, 1500.0)
    expected = 4.5
    effective = 20.0
    score = expected + 40 * (effective + 9) / 800
    new = uscf.standard_formula(1500.0, effective, score, opponents, np.arange(9), rules)
    assert new == pytest.approx(1550)
    assert uscf.standard_formula(
        1500.0, effective, score, opponents, np.zeros(9, dtype=int), rules
    ) == pytest.approx(1540)


def test_uscf_first_rating_from_other_systems():
    assert uscf.weighted_initial([(1759, 5.98), (1643, 2.74), (1658, 4.15)], ruleset(US)) == (1702.0, 10)


@pytest.mark.parametrize(("age", "rating"), [(1, 100), (10, 500), (26, 1300), (40, 1300), (None, 1300)])
def test_uscf_first_rating_by_age(age, rating):
    assert uscf.age_rating(age, ruleset(US)) == rating


@pytest.mark.parametrize(
    ("peak", "floor"), [(1941, 1700), (1999.51, 1800), (1399, 0), (1400, 1200), (2500, 2100)]
)
def test_uscf_floor_of_established_players(peak, floor):
    assert uscf.established_floor(peak, ruleset(US)) == floor


def test_uscf_absolute_floor():
    assert uscf.absolute_floor(3, 1, 10, ruleset(US)) == 124
    assert uscf.absolute_floor(20, 0, 10, ruleset(US)) == 150


def test_uscf_special_formula_takes_the_flat_point_nearest_to_the_rating():
    rules = ruleset(US)
    # One win against 1500 from 1300 with N' 4: 4 (1/2 + (x - 1300) / 800) + 1/2 + (x - 1500) / 800 = 3
    assert uscf.special_formula(1300.0, 4.0, 1.0, np.array([1500.0]), rules) == pytest.approx(1420)
    assert uscf.special_formula(2600.0, 8.0, 8.0, np.full(8, 2650.0), rules) == 2700


@pytest.mark.parametrize(
    ("day", "threshold"),
    [
        (date(2007, 1, 1), 10),
        (date(2010, 1, 1), 6),
        (date(2013, 1, 1), 8),
        (date(2016, 1, 1), 12),
        (date(2020, 1, 1), 14),
        (date(2024, 1, 1), 12),
        (date(2025, 6, 1), 10),
    ],
)
def test_uscf_threshold_by_date(day, threshold):
    assert in_force("uscf/rating", day).need("bonus")["threshold"] == threshold


def test_uscf_open_of_64_players(shared):
    players, games = (table(shared, f"uscf_swiss64_{name}") for name in ("players", "games"))
    rows = []
    for p in players:
        row = {"number": int(p["player"]), "name": p["player"], "rating": float(p["pre_rating"])}
        if p["pre_provisional_games"]:
            row["games_before"] = float(p["pre_provisional_games"])
        rows.append(row)
    event = make_event(
        players=rows,
        games=[
            game(int(g["round"]), int(g["white"]), int(g["black"]), float(g["score_white"])) for g in games
        ],
        format="swiss",
        end=date(2016, 6, 1),
    )
    news = rate(event, in_force("uscf/rating", date(2016, 6, 1))).players["new_rating"]
    errors = [
        abs(new - float(p["post_rating"]))
        for new, p in zip(news, players, strict=True)
        if p["at_floor"] == "0"
    ]
    assert len(errors) == 62
    assert max(errors) < 0.7401
    exact = [
        math.floor(n + 0.5) == int(p["post_rating"])
        for n, p in zip(news, players, strict=True)
        if p["at_floor"] == "0"
    ]
    assert sum(exact) == 51


def table(shared, name):
    import csv

    with (shared / "data" / "history" / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def game(round, first, second, score):
    one, two = RESULTS[score]
    return {
        "round": round,
        "first": first,
        "second": second,
        "first_result": one,
        "second_result": two,
        "kind": "played",
    }


# --- Irish Chess Union --------------------------------------------------------------------------------


def test_icu_walkovers_and_provisional_opponents():
    """A club event of 2007: published 1595; the walkover and the double default count on neither side."""
    event = one_player(
        {"rating": 1583, "k": 24},
        [
            {"rating": 1016, "games_before": 7, "kind": "forfeit"},
            {"rating": 1716, "k": 24},
            {"rating": 1283, "k": 24},
            {"rating": 1157.3125, "k": 24},
            {"rating": 1647, "k": 24},
        ],
        [1, 0, 1, 1, 1],
    )
    row = first_row(event, "icu/rating/undated")
    assert (row["games"], row["score"]) == (4, Decimal(3))
    assert float(row["we"]) == pytest.approx(2.496, abs=0.001)
    assert row["new_rating"] == pytest.approx(1595.1, abs=0.05)


@pytest.mark.parametrize(
    ("rating", "columns", "note", "k"),
    [
        (2150, {}, "", 16),
        (1500, {"birth_year": 1990}, "", 40),
        (1500, {"birth_year": 1960}, "joined 2005", 32),
        (1500, {"birth_year": 1960}, "joined 1990", 24),
        (1500, {"birth_year": 1960}, "", None),
        (1500, {}, "K 32", 32),
    ],
)
def test_icu_k_by_rating_age_and_membership(rating, columns, note, k):
    event = one_player(
        {"rating": rating, "note": note, **columns}, [{"rating": 1500, "k": 24}], [1], day=date(2008, 5, 1)
    )
    row = first_row(event, "icu/rating/undated")
    assert row["k"] == k
    assert (row["change"] is None) == (k is None)


def test_icu_all_events_of_the_union(shared):
    players, games = table(shared, "icu_players"), table(shared, "icu_games")
    published = reproduced = 0
    for name in sorted({p["tournament"] for p in players}):
        rows = []
        for p in (p for p in players if p["tournament"] == name):
            row = {"number": int(p["player"]), "name": p["player"], "note": p["type"]}
            row |= {key: float(p[key]) for key in ("rating", "k", "games_before") if p[key]}
            rows.append(row)
        seen, played = set(), []
        for g in (g for g in games if g["tournament"] == name):
            pair = (g["round"], *sorted((int(g["player"]), int(g["opponent"]))))
            if pair not in seen:
                seen.add(pair)
                played.append(game(int(g["round"]), int(g["player"]), int(g["opponent"]), float(g["score"])))
        got = rate(make_event(players=rows, games=played), ruleset("icu/rating/undated")).players.set_index(
            "number"
        )
        for p in (p for p in players if p["tournament"] == name):
            new = got["new_rating"][int(p["player"])]
            assert new == pytest.approx(float(p["new_rating"]), abs=0.00051), (name, p["player"])
            if p["icu_database_new_rating"]:
                published += 1
                reproduced += math.floor(new + 0.5) == int(p["icu_database_new_rating"])
    assert (reproduced, published) == (45, 45)


# --- FIDE first ratings, rapid and blitz --------------------------------------------------------------


@pytest.mark.parametrize(
    ("edition", "average", "half_points", "games", "rating"),
    [
        ("2022-01-01", 2000, 6, 5, 2020), ("2024-03-01", 2000, 6, 5, 1993),
        ("2022-01-01", 2000, 4, 5, 1928), ("2024-03-01", 2000, 4, 5, 1893),
        ("2022-01-01", 2000, 5, 5, 2000), ("2024-03-01", 2000, 5, 5, 1943),
        ("2022-01-01", 2100, 10, 5, 2200), ("2024-03-01", 2100, 10, 5, 2200),
        ("2022-01-01", 2400, 6, 5, 2420), ("2024-03-01", 2400, 6, 5, 2200),
        ("2022-01-01", 1600, 2, 5, 1360), ("2024-03-01", 1600, 2, 5, 1499),
        ("2022-01-01", 1657, 6, 5, 1677), ("2024-03-01", 1657, 6, 5, 1748),
        ("2022-01-01", 1800, 8, 7, 1820), ("2024-03-01", 1800, 8, 7, 1843),
        ("2017-07-01", 1980, 10, 5, 2080),
        ("2012-07-01", 2000, 10, 9, 2015), ("2009-07-01", 2000, 10, 9, 2013), ("1993-01-01", 2000, 10, 9, 2013),
    ],
)  # fmt: skip
def test_fide_first_rating_by_edition(edition, average, half_points, games, rating):
    rules = ruleset(f"fide/rating-standard/{edition}")
    assert initial.initial_rating(rules, average * games, games, half_points).rating == rating


def test_fide_first_rating_of_a_real_newcomer_in_rate():
    opponents = [{"rating": r, "k": 20} for r in (1902, 1877, 1884, 2012, 1832)]
    row = first_row(one_player({}, opponents, [1, 1, 1, 0, 0]), "fide/rating-standard/2025-10-01")
    assert (row["rating"], row["change"], row["new_rating"]) == (None, None, 1922)
    assert (row["initial_average"], row["initial_percent"], row["initial_difference"]) == (1872.43, 57, 50)
    old = first_row(one_player({}, opponents, [1, 1, 1, 0, 0]), "fide/rating-standard/2022-01-01")
    assert old["new_rating"] == 1921


@pytest.mark.parametrize(
    ("scores", "reason"),
    [([1, 1, 1, 1], "too-few-games"), ([0, 0, 0, 0, 0], "zero-score"), ([0.5, 0, 0, 0, 0], "below-floor")],
)
def test_fide_no_first_rating_and_why(scores, reason):
    event = one_player({}, [{"rating": 1450, "k": 20}] * len(scores), scores)
    row = first_row(event, "fide/rating-standard/2025-10-01")
    assert (row["new_rating"], row["initial_reason"]) == (None, reason)


def test_rapid_counts_the_standard_rating_of_a_player_without_a_rapid_one():
    event = one_player(
        {"rating": 1800, "k": 20}, [{"standard_rating": 1900}, {}], [1, 1], day=date(2024, 6, 1)
    )
    row = first_row(event, "fide/rating-rapid/2024-03-01")
    assert (row["games"], row["change"], row["rounded_change"]) == (1, Decimal("12.8"), 13)


def test_rapid_game_of_600_points_is_not_rated_from_december_2024():
    event = one_player({"rating": 2650, "k": 10}, [{"rating": 2050, "k": 20}], [1])
    assert first_row(event, "fide/rating-rapid/2024-03-01")["games"] == 1
    rating = rate(event, ruleset("fide/rating-rapid/2024-12-01"))
    assert rating.players["games"][0] == 0
    assert rating.games["reason"][0] == "ratings-too-far-apart"
    near = one_player({"rating": 2600, "k": 10}, [{"rating": 2000, "k": 20}], [1])
    assert first_row(near, "fide/rating-rapid/2024-12-01")["games"] == 1


def test_rapid_and_blitz_have_no_exemption_from_2650_on():
    event = one_player({"rating": 2700, "k": 10}, [{"rating": 2200, "k": 20}], [1])
    assert first_row(event, "fide/rating-blitz/2024-03-01")["change"] == Decimal("0.8")
    assert first_row(event, "fide/rating-standard/2025-10-01")["change"] == Decimal("0.4")


def test_rapid_k_is_20_for_everybody_until_september_2022():
    master = {"rating": 2500, "peak": 2500}
    for day, k in ((date(2022, 9, 30), 20), (date(2022, 10, 1), 10), (date(2024, 3, 1), 10)):
        event = one_player(master, [{"rating": 2500}], [1], day=day)
        assert first_row(event, in_force("fide/rating-rapid", day).id)["k"] == k


def test_weighted_first_rating_of_the_older_chinese_text():
    assert initial.weighted_rating([(2280, 5), (2400, 10), (2000, 5)]) == 2270


# --- Xiangqi clause, go professionals ------------------------------------------------------------------


def round_robin_of(own, others, score):
    """Player 1 against all others; the others' games among themselves are draws."""
    left, scores = Fraction(str(score)), []
    for _ in others:
        scores.append(float(min(left, 1)))
        left -= Fraction(str(scores[-1]))
    rest = [
        game(20 + i * len(others) + j, i + 2, j + 2, 0.5)
        for i in range(len(others))
        for j in range(i + 1, len(others))
    ]
    return one_player(own, others, scores, games=rest, format="round-robin")


@pytest.mark.parametrize(("used", "new"), [(False, 2335), (True, 2378)])
def test_xiangqi_new_man_literally_and_by_the_reconstructed_clause(used, new):
    rules = ruleset("cxa/rating/undated").with_block("performance_clause", used=used)
    others = [
        {"rating": r, "sex": "m", "k": 15}
        for r in (2420, 2400, 2390, 2380, 2370, 2360, 2350, 2340, 2330, 2310)
    ]
    event = round_robin_of({"sex": "m", "events_before": 0, "games_before": 0}, others, 5.5)
    assert rate(event, rules).players["new_rating"][0] == new


@pytest.mark.parametrize(("score", "new"), [(6, 2418), (4.5, 2380), (3.5, 2300)])
def test_xiangqi_clause_in_a_swiss(score, new):
    rules = ruleset("cxa/rating/undated").with_block("performance_clause", used=True)
    left, scores = score, []
    for _ in range(9):
        scores.append(min(left, 1))
        left -= scores[-1]
    event = one_player({"sex": "m"}, [{"rating": 2380, "sex": "m", "k": 15}] * 9, scores, format="swiss")
    assert rate(event, rules).players["new_rating"][0] == new


def test_go_professional_swiss():
    row = first_row(
        one_player({"rating": 2500}, [2540] * 7, [1, 1, 1, 1, 0, 0, 0], format="swiss"), "cwa/rating/undated"
    )
    assert (row["change"], row["new_rating"]) == (Decimal("9.2"), 2509)


def test_go_champion_of_a_round_robin_loses_nothing():
    others = [{"rating": r, "rank": i} for i, r in enumerate((2560, 2520, 2500, 2470, 2420, 2380, 2340), 2)]
    event = round_robin_of({"rating": 2650, "rank": 1}, others, 5)
    row = first_row(event, "cwa/rating/undated")
    assert (row["we"], row["change"], row["protected"]) == (Decimal("5.26"), Decimal(0), True)
    second = event.with_players(rank=event.players["rank"].replace({1.0: 2.0, 2.0: 1.0}))
    assert first_row(second, "cwa/rating/undated")["change"] == Decimal("-2.6")


def test_go_half_the_points_of_an_international_event_protect():
    scores = [1, 1, 1, 0, 0, 0]
    plain = one_player(
        {"rating": 2700, "rank": 5}, [{"rating": 2500, "rank": 1}] * 6, scores, format="knock-out"
    )
    assert first_row(plain, "cwa/rating/undated")["change"] == Decimal("-15.6")
    abroad = one_player(
        {"rating": 2700, "rank": 5},
        [{"rating": 2500, "rank": 1}] * 6,
        scores,
        format="knock-out",
        extra={"international": True},
    )
    assert first_row(abroad, "cwa/rating/undated")["change"] == 0
    worse = one_player(
        {"rating": 2700, "rank": 5},
        [{"rating": 2500, "rank": 1}] * 6,
        [1, 1, 0, 0, 0, 0],
        format="knock-out",
        extra={"international": True},
    )
    assert first_row(worse, "cwa/rating/undated")["change"] < 0


def test_go_best_score_rate_on_a_board_of_the_national_team_championship_protects():
    event = one_player(
        {"rating": 2700, "board": 1}, [{"rating": 2400, "board": 1}, {"rating": 2400, "board": 2}], [0.5, 1],
        format="team-swiss", extra={"national_team_championship": True},
    )  # fmt: skip
    players = rate(event, ruleset("cwa/rating/undated")).players
    assert players["protected"][0]
    assert not rate(event.with_players(board=[2.0, 1.0, 1.0]), ruleset("cwa/rating/undated")).players[
        "protected"
    ][1]


@pytest.mark.parametrize(("dan", "rating"), [(1, 2240), (5, 2400), (9, 2560)])
def test_go_opening_ratings_of_1995(dan, rating):
    assert go_professional.opening_rating(dan, ruleset("cwa/rating/undated")) == rating


# --- cases from outside ----------------------------------------------------------------------------------


def test_official_single_calculations(shared):
    fide = german = 0
    for row in table(shared, "official_single_calculations"):
        opponents = [{"rating": int(o), "k": 30} for o in row["opponents"].split()]
        event = one_player(
            {"rating": int(row["rating"]), "k": float(row["k_or_E"])},
            opponents,
            [float(r) for r in row["results"].split()],
        )
        if row["system"] == "FIDE":
            got = first_row(event, "fide/rating-standard/2009-07-01")
            fide += got["we"] == Decimal(row["official_expected"]) and got["change"] == Decimal(
                row["official_change"]
            )
        else:
            got = first_row(event, "dsb/dwz/undated")
            german += got["we"] == Decimal(row["official_expected"]) and got["new_rating"] == int(
                row["official_new_rating"]
            )
    assert (fide, german) == (9, 13)


def test_first_ratings_of_the_calculator_and_of_the_list(shared):
    for row in table(shared, "fide_initial_rating_cases"):
        total = 9507 if row["case"] == "F-N01" else int(row["average_opponent"]) * int(row["games"])
        for edition, column in (("2022-01-01", "rule_2022_24"), ("2024-03-01", "rule_2024_on")):
            rules = ruleset(f"fide/rating-standard/{edition}")
            got = initial.initial_rating(rules, total, int(row["games"]), round(2 * float(row["score"])))
            assert got.rating == int(row[column]), (row["case"], edition)


def test_three_ways_to_an_expected_score(shared):
    case = json.loads(next((shared / "cases").glob("C59*.json")).read_text(encoding="utf-8"))
    ratings = case["input"]["ratings"]
    games = [game(i * 6 + j, i + 1, j + 1, 0.5) for i in range(6) for j in range(i + 1, 6)]
    players = [
        {"number": i + 1, "name": str(i), "rating": r, "k": 10, "sex": "m"} for i, r in enumerate(ratings)
    ]
    for key, format, id in (
        ("we_round_robin_formula", "round-robin", "cxa/rating/undated"),
        ("we_average_opponent", "swiss", "cxa/rating/undated"),
        ("we_per_game", "round-robin", "fide/rating-standard/2024-03-01"),
    ):
        rating = rate(make_event(players=players, games=games, format=format), ruleset(id))
        assert [float(w) for w in rating.players["we"]] == [p[key] for p in case["expected"]["players"]]


def test_xiangqi_clause_below_half_of_a_round_robin():
    """XQ-4: 3.5 of 9 is .39, dp -80, nine tenths of it: 2308."""
    rules = ruleset("cxa/rating/undated").with_block("performance_clause", used=True)
    event = round_robin_of({"sex": "m"}, [{"rating": 2380, "sex": "m", "k": 15}] * 9, 3.5)
    assert rate(event, rules).players["new_rating"][0] == 2308


def test_fide_first_rating_of_an_old_round_robin_uses_the_pool():
    """Ra = average of the rated less their mean dp times n / (n + 1); 12.5 points per half point above one half."""
    event = round_robin_of({}, [{"rating": 2200, "k": 15}] * 9, 6)
    row = first_row(event, "fide/rating-standard/1993-01-01")
    # Six rated players lost to the newcomer: 4 of 9 is .44, dp -43; three won: 5 of 9 is .56, dp 43.
    # Mean -129 / 9; Ra = 2200 + 14.33 x 9 / 10 = 2212.9; three half points above: + 37.5.
    assert row["initial_average"] == 2212.9
    assert row["new_rating"] == 2250


@pytest.mark.parametrize(
    "note",
    [
        "provisional, 11 games before",
        "provisional rating after 11 games",
        "provisional (11)",
        "games before: 11",
    ],
)
def test_icu_earlier_games_of_a_provisional_player_in_words(note):
    words = note if "provisional" in note else f"provisional, {note}"
    event = one_player({"rating": 1096, "note": words}, [{"rating": 1283, "k": 24}], [1])
    row = first_row(event, "icu/rating/undated")
    assert row["provisional"]
    assert row["new_rating"] == pytest.approx((11 * 1096 + 1683) / 12, abs=0.0001)
