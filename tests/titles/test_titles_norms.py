"""Norms of FIDE B.01: thresholds on both sides, mix, floors, what may be left out, and what is not known."""

from __future__ import annotations

import csv
import itertools
import json
import time
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import Event, make_event
from qiyi_analysis.model.frame import frame
from qiyi_analysis.model.rating_list import LIST_COLUMNS, RatingList
from qiyi_analysis.rules.ruleset import RuleSet, editions, ruleset
from qiyi_analysis.titles import NormSheet, Titles, titles
from qiyi_analysis.titles.norm_search import least, lowest_score, minimum_average, most

RULES = ruleset("fide/titles/2024-01-01")
RESULTS = {1: ("1", "0"), 0.5: ("=", "="), 0: ("0", "1")}

#: Nine opponents that make a GM norm possible: three GMs, six title holders, five federations.
FIELD = (
    ("GM", "GER", 2560), ("GM", "FRA", 2540), ("GM", "ITA", 2520), ("IM", "ESP", 2480), ("IM", "POL", 2460),
    ("FM", "GER", 2380), ("", "CHN", 2360), ("", "CHN", 2340), ("", "CHN", 2320),
)  # fmt: skip


def event(
    opponents: Any = FIELD, scores: Any = (), *, federation: str = "CHN", rounds: int = 0, **facts: Any
) -> Event:
    """An event in which player 1 met ``opponents`` (title, federation, rating[, kind[, sex]]) in turn."""
    player = {
        "number": 1,
        "name": "Candidate",
        "federation": federation,
        "sex": "m",
        "rating": 2450,
        **facts.pop("player", {}),
    }
    players, games = [player], []
    for i, (opponent, score) in enumerate(zip(opponents, scores or [0.5] * len(opponents), strict=True), 1):
        title, code, rating, *rest = opponent
        kind = rest[0] if rest else "played"
        first, second = RESULTS[score]
        if kind in ("pab", "full_bye", "half_bye", "zero_bye"):
            games.append({"round": i, "first": 1, "second": 0, "first_result": first, "kind": kind})
            continue
        players.append(
            {
                "number": i + 1,
                "name": f"Opponent {i}",
                "federation": code,
                "title": title,
                "rating": rating,
                "sex": "",
            }
        )
        games.append(
            {
                "round": i,
                "first": 1,
                "second": i + 1,
                "first_result": first,
                "second_result": second,
                "kind": kind,
            }
        )
    facts = {"format": "swiss", "federation": "CHN", **facts}
    return make_event(players=players, games=games, rounds=rounds or len(opponents), **facts)


def judged(made: Event, title: str, rules: RuleSet = RULES, **options: Any) -> tuple[bool | None, str]:
    """(reached, what is missing) of player 1 for one norm."""
    rows = [
        r
        for r in titles(made, rules, **options).as_rows()
        if r["number"] == 1 and r["title"] == title and r["kind"] == "norm"
    ]
    assert len(rows) == 1, rows
    return rows[0]["reached"], rows[0]["missing"] or ""


def sheet(result: Titles, title: str, number: int = 1) -> NormSheet:
    return next(s for s in result.sheets if (s.number, s.title) == (number, title))


def rated(average: int, titled: str = "GM", games: int = 9) -> tuple[tuple[str, str, int], ...]:
    """Opponents of one rating with a mix that is in order."""
    codes = itertools.cycle(("GER", "FRA", "ITA", "ESP", "CHN"))
    return tuple((titled if i < (games + 1) // 2 else "", next(codes), average) for i in range(games))


# --- tables of the regulations ---------------------------------------------------------------------


def printed_cells() -> list[tuple[str, str, int, str]]:
    path = Path(__file__).parents[1] / "data" / "titles_minimum_average.csv"
    with path.open(encoding="utf-8") as stream:
        return [(r["title"], r["score"], int(r["games"]), r["average"]) for r in csv.DictReader(stream)]


def test_minimum_averages_of_every_printed_cell() -> None:
    """All cells of the tables of minimum averages, 7 to 13 games, four titles; a dash is under 35 %."""
    norms = {norm["title"]: norm for norm in RULES.rows("norm")}
    cells = printed_cells()
    assert len(cells) == 424
    wrong = [
        (title, score, games, printed, got)
        for title, score, games, printed in cells
        for got in [minimum_average(RULES, norms[title], int(float(score) * 2), games)]
        if (None if printed == "-" else int(printed)) != got
    ]
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("games", "titled", "in_question", "own", "one", "score"),
    [(7, 4, 3, 4, 4, 2.5), (8, 4, 3, 4, 5, 3), (9, 5, 3, 5, 6, 3.5), (10, 5, 4, 6, 6, 3.5), (11, 6, 4, 6, 7, 4),
     (12, 6, 4, 7, 8, 4.5), (13, 7, 5, 7, 8, 5)],
)  # fmt: skip
def test_numbers_of_opponents(
    games: int, titled: int, in_question: int, own: int, one: int, score: float
) -> None:
    n, share = np.int64(games), RULES.need("federation_share")
    question = RULES.need("title_in_question")
    assert least(RULES.need("titled")["share_at_least"], n) == titled
    assert max(least(question["share_at_least"], n), question["number_at_least"]) == in_question
    assert most(share["own_at_most"], n) == own
    assert most(share["one_at_most"], n) == one
    lowest = next(
        s for s in range(2 * games + 1) if Fraction(100 * s, 2 * games) >= RULES.need("percent")["at_least"]
    )
    assert lowest == score * 2


# --- performance ------------------------------------------------------------------------------------


def test_performance_of_2599_and_a_half_rounds_up_to_a_norm() -> None:
    """4.5 of 9 is 50 %, so the performance is the average: 2599.5 is a norm, the next lower average is not."""
    ratings = [2600] * 5 + [2599] * 4  # 23396 / 9 = 2599.56
    made = event([(t, c, r) for (t, c, _), r in zip(rated(0), ratings, strict=True)], [0.5] * 9)
    assert judged(made, "GM") == (True, "")
    ratings = [2600] * 4 + [2599] * 5  # 2599.44
    reached, missing = judged(
        event([(t, c, r) for (t, c, _), r in zip(rated(0), ratings, strict=True)], [0.5] * 9), "GM"
    )
    assert reached is False
    assert missing.startswith("0.5 point(s) short")


def test_exactly_2599_and_a_half() -> None:
    ratings = [2600] * 5 + [2599] * 5
    assert (
        judged(
            event([(t, c, r) for (t, c, _), r in zip(rated(0, games=10), ratings, strict=True)], [0.5] * 10),
            "GM",
        )[0]
        is True
    )


@pytest.mark.parametrize(("average", "reached"), [(2379, False), (2380, True)])
def test_minimum_average_however_good_the_score(average: int, reached: bool) -> None:
    made = event(rated(average), [1] * 9, format="round-robin")
    got, missing = judged(made, "GM")
    assert got is reached
    assert ("average 1 too low" in missing) is not reached


@pytest.mark.parametrize(("scores", "reached"), [([0.5] * 7 + [0, 0], True), ([0.5] * 6 + [0, 0, 0], False)])
def test_35_percent(scores: list[float], reached: bool) -> None:
    """3.5 of 9 (38.9 %) against 2900 is enough, 3 of 9 (33.3 %) is not whatever the performance."""
    assert judged(event(rated(2900), scores), "GM")[0] is reached


def test_35_percent_is_compared_unrounded_and_the_borderline_reported() -> None:
    """4.5 of 13 is 34.6 %: it rounds to 35 and is under it."""
    made = event(rated(2900, games=13), [0.5] * 9 + [0] * 4, format="round-robin")
    result = titles(made, RULES)
    assert judged(made, "GM")[0] is False
    assert "norm-percent-borderline" in {f.reason for f in result.findings}


def test_percent_is_rounded_half_up() -> None:
    """62.5 % is 63: 5 of 8 in the case of a nine-round event with a bye, dp 95 and not 87."""
    opponents = [*rated(2505)[:8], ("", "", 0, "pab")]
    result = titles(event(opponents, [0.5] * 6 + [1, 1] + [1]), RULES)
    found = sheet(result, "GM")
    assert (found.percent, found.difference, found.performance) == (63, 95, 2600)
    assert found.reached is True


# --- floor --------------------------------------------------------------------------------------------


def test_floor_lifts_one_opponent_only() -> None:
    low = [*FIELD[:7], ("", "CHN", 1900), ("", "CHN", 1800)]
    found = sheet(titles(event(low, [1, 1, 1, 1, 1, 0.5, 1, 1, 1]), RULES), "GM")
    assert found.floor_opponent == 10
    used = [item.rating_used for item in found.rounds]
    assert used[-2:] == [1900, 2200]
    assert found.average == (sum(r for _, _, r in FIELD[:7]) + 1900 + 2200 + 4) // 9


@pytest.mark.parametrize(("rating", "lifted"), [(2199, 10), (2200, 0), (2201, 0)])
def test_both_sides_of_the_floor(rating: int, lifted: int) -> None:
    found = sheet(titles(event([*FIELD[:8], ("", "CHN", rating)], [1] * 6 + [0.5] * 3), RULES), "GM")
    assert found.floor_opponent == lifted


@pytest.mark.parametrize(
    ("edition", "used"), [("fide/titles/2024-01-01", 1400), ("fide/titles/2023-01-01", 1000)]
)
def test_unrated_opponents_count_by_edition(edition: str, used: int) -> None:
    field = [*FIELD[:7], ("", "CHN", None), ("", "CHN", None)]
    found = sheet(titles(event(field, [1] * 9), ruleset(edition)), "GM")
    assert sorted(item.rating_used or 0 for item in found.rounds)[:2] == [used, 2200]


# --- mix -----------------------------------------------------------------------------------------------


def with_titles(*held: str) -> list[tuple[str, str, int]]:
    return [(title, code, 2620) for title, (_, code, _) in zip(held, FIELD, strict=True)]


@pytest.mark.parametrize(
    ("held", "missing"),
    [
        (("GM", "GM", "GM", "FM", "FM", "", "", "", ""), ""),
        (("GM", "GM", "IM", "FM", "FM", "", "", "", ""), "1 opponent(s) with the title GM"),
        (("GM", "GM", "GM", "FM", "CM", "WCM", "", "", ""), "1 title holder(s) short"),
        (("gm", "g", "GM", "f", "fm", "", "", "", ""), ""),
    ],
)
def test_half_hold_titles_and_a_third_the_title_in_question(held: tuple[str, ...], missing: str) -> None:
    reached, text = judged(event(with_titles(*held), [0.5] * 9), "GM")
    assert reached is (missing == "")
    assert text.startswith(missing)


def with_codes(*codes: str) -> list[tuple[str, str, int]]:
    return [(title, code, 2620) for (title, _, _), code in zip(FIELD, codes, strict=True)]


@pytest.mark.parametrize(
    ("codes", "missing"),
    [
        (["CHN"] * 5 + ["GER"] * 2 + ["FRA"] * 2, ""),
        (["CHN"] * 6 + ["GER"] * 2 + ["FRA"], "1 opponent(s) of the own federation too many"),
        (["GER"] * 6 + ["FRA"] * 3, ""),
        (["GER"] * 7 + ["FRA"] * 2, "1 opponent(s) of one federation too many"),
        (["CHN"] * 5 + ["GER"] * 4, "1 foreign federation(s) short"),
        (["CHN"] * 5 + ["FID"] * 3 + ["GER"], "1 foreign federation(s) short"),
        (["FID"] * 7 + ["GER", "FRA"], ""),
    ],
)
def test_federations(codes: list[str], missing: str) -> None:
    """Own at most 3/5, one at most 2/3, two foreign ones; FID counts as a game and as no federation."""
    reached, text = judged(event(with_codes(*codes), [0.5] * 9), "GM")
    assert reached is (missing == "")
    assert text.startswith(missing)


def test_foreign_means_other_than_the_players_own_federation() -> None:
    made = event(with_codes(*["CHN"] * 6, "GER", "GER", "FRA"), [0.5] * 9, federation="USA")
    assert judged(made, "GM") == (True, "")


@pytest.mark.parametrize("kind", ["national-championship", "zonal"])
def test_exempt_events_waive_both_foreigner_rules(kind: str) -> None:
    made = event(with_codes(*["CHN"] * 9), [0.5] * 9)
    assert judged(made, "GM")[0] is False
    assert judged(made, "GM", event_type=kind) == (True, "")
    found = sheet(titles(made, RULES, event_type=kind), "GM")
    assert found.normal_foreigner is False


def test_team_championship_frees_only_players_of_the_registering_federation() -> None:
    home = event(with_codes(*["CHN"] * 9), [0.5] * 9)
    guest = event(with_codes(*["CHN"] * 9), [0.5] * 9, federation="GER")
    assert judged(home, "GM", event_type="national-team-championship")[0] is True
    assert judged(guest, "GM", event_type="national-team-championship")[0] is False


def field_of(foreigners: int, titled: int, codes: int, *, absent: int = 0) -> Event:
    """A Swiss of home players and foreigners; the candidate meets nine home players."""
    made = event(with_codes(*["CHN"] * 9), [0.5] * 9)
    players = made.players[["number", "name", "federation", "title", "rating", "sex"]].to_dict("records")
    games = made.games[["round", "first", "second", "first_result", "second_result", "kind"]].to_dict(
        "records"
    )
    first = len(players) + 1
    for i in range(foreigners):
        players.append(
            {
                "number": first + i,
                "name": f"Guest {i}",
                "federation": ("GER", "FRA", "ITA", "POL")[i % codes],
                "title": "IM" if i < titled else "",
                "rating": 2300,
                "sex": "",
            }
        )
    for round_ in range(1, 10):
        for a, b in zip(
            range(first, first + foreigners, 2), range(first + 1, first + foreigners, 2), strict=True
        ):
            if a < first + absent and round_ <= 2:
                continue
            games.append(
                {
                    "round": round_,
                    "first": a,
                    "second": b,
                    "first_result": "=",
                    "second_result": "=",
                    "kind": "played",
                }
            )
    return make_event(players=players, games=games, rounds=9, format="swiss", federation="CHN")


@pytest.mark.parametrize(
    ("foreigners", "titled", "codes", "absent", "reached"),
    [
        (20, 10, 3, 0, True),
        (18, 10, 3, 0, False),
        (20, 9, 3, 0, False),
        (20, 10, 2, 0, False),
        (20, 10, 3, 2, False),
    ],
)
def test_a_swiss_with_twenty_foreigners_in_every_round(
    foreigners: int, titled: int, codes: int, absent: int, reached: bool
) -> None:
    assert judged(field_of(foreigners, titled, codes, absent=absent), "GM")[0] is reached


def test_twenty_foreigners_but_host_unknown_is_not_judged() -> None:
    reached, missing = judged(replace(field_of(20, 10, 3), federation=""), "GM")
    assert reached is None
    assert "host federation" in missing


def test_women_titles_count_by_norm() -> None:
    held = ("WGM", "WGM", "IM", "WIM", "WFM", "", "", "", "")
    made = event(
        [(t, c, 2420) for t, (_, c, _) in zip(held, FIELD, strict=True)],
        [0.5] * 9,
        player={"sex": "w", "title": "WFM", "rating": 2200},
    )
    assert judged(made, "WGM") == (True, "")
    assert judged(made, "WIM")[0] is True
    assert judged(made, "GM")[0] is False


# --- which games count -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("games", "reached"), [(8, False), (9, True)])
def test_nine_games(games: int, reached: bool) -> None:
    got, missing = judged(event(rated(2620, games=games), [0.5] * games, rounds=games), "GM")
    assert got is reached
    assert ("1 game(s) short" in missing) is not reached


@pytest.mark.parametrize(
    ("kind", "score", "rounds", "reached"),
    [("pab", 1, 9, True), ("forfeit", 1, 9, True), ("forfeit", 0, 9, False), ("full_bye", 1, 9, False),
     ("half_bye", 0.5, 9, False), ("zero_bye", 0, 9, False), ("pab", 1, 10, False)],
)  # fmt: skip
def test_eight_games_of_a_nine_round_event(kind: str, score: float, rounds: int, reached: bool) -> None:
    made = event([*rated(2620)[:8], ("", "GER", 2400, kind)], [0.5] * 8 + [score], rounds=rounds)
    assert judged(made, "GM")[0] is reached
    if reached:
        found = sheet(titles(made, RULES), "GM")
        assert (found.games, found.counts_as, found.missing_game) == (8, 9, True)


@pytest.mark.parametrize(
    ("kind", "score", "reached"), [("pab", 1, False), ("forfeit", 1, True), ("forfeit", 0, False)]
)
def test_the_free_round_of_nine_players_who_all_meet_is_no_bye_of_the_pairing(
    kind: str, score: float, reached: bool
) -> None:
    """A round robin of nine has nine rounds of which everybody is free in one: eight games, one short."""
    made = event([*rated(2620)[:8], ("", "GER", 2400, kind)], [0.5] * 8 + [score], format="round-robin")
    assert judged(made, "GM")[0] is reached


def test_the_world_cup_is_no_event_with_a_missing_game() -> None:
    """Its eight games count as nine by 1.4.1b, in as many norms of an application as there are."""
    found = sheet(titles(event(rated(2620, games=8), [0.5] * 8), RULES, event_type="world-cup"), "GM")
    assert (found.games, found.counts_as, found.missing_game) == (8, 9, False)


def test_a_kind_of_event_that_the_rules_do_not_name_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"--event-type zonnal: .*zonal"):
        titles(event(), RULES, event_type="zonnal")


@pytest.mark.parametrize(
    ("clock", "standard", "reached"),
    [
        ("90+30", float("nan"), True),
        ("15+10", float("nan"), None),
        ("15+10", 2350, True),
        ("15+10", 2100, None),
    ],
)
def test_titles_by_rating_need_a_standard_rating(clock: str, standard: float, reached: bool | None) -> None:
    """The ratings of a rapid event are rapid ones: 2350 there is no FM, and no 2200 for a direct title."""
    player = {"rating": 2350, "peak": 2360, "games_before": 50, "standard_rating": standard, "rank": 1}
    direct = {"direct_titles": [{"title": "IM", "from_place": 1}]}
    rows = titles(event((), player=player, time_control=clock, extra=direct), RULES).as_rows()
    assert [r["reached"] for r in rows if r["kind"] == "rating-title"] == ([True] if reached else [])
    expected = False if standard == 2100 else reached
    assert [r["reached"] for r in rows if r["kind"] == "direct-title"] == [expected]


def test_case_c50(shared: Path) -> None:
    case = json.loads(
        (shared / "cases" / "C50-eight-games-and-a-bye-can-be-a-nine-game-norm.json").read_text(
            encoding="utf-8"
        )
    )
    given, expected = case["input"], case["expected"]
    opponents = [(o["title"], o["fed"], o["rating"]) for o in given["opponents"]] + [("", "", 0, "pab")]
    made = event(
        opponents, [*given["scores"], 1], federation=given["player_federation"], rounds=given["rounds"]
    )
    found = sheet(titles(made, RULES), given["title"])
    counts = {c.what: (c.value, c.limit) for c in found.counts}
    assert found.reached is expected["norm"]
    assert (found.average, found.percent, found.difference, found.performance) == (
        expected["ra"], expected["percent"], expected["dp"], expected["rp"])  # fmt: skip
    assert f"{found.score}/{found.games}" == expected["score"]
    assert found.counts_as == expected["games_counted"]
    assert found.games == expected["mix_is_checked_on"]
    assert (counts["titled"], counts["in_question"], counts["own"]) == ((6, 4), (4, 3), (4, 4))
    assert (found.floor_opponent != 0) is expected["floor_used"]


def round_robin_of_c52() -> Event:
    """Five games: opponents NON, FID, unrated without and with half a point against rated ones, a forfeit."""
    players = [
        {"number": 1, "name": "P", "federation": "FRA", "sex": "m", "rating": 2400},
        {"number": 2, "name": "A", "federation": "NON", "rating": 2300},
        {"number": 3, "name": "B", "federation": "FID", "rating": 2300},
        {"number": 4, "name": "C", "federation": "GER"},
        {"number": 5, "name": "D", "federation": "GER"},
        {"number": 6, "name": "E", "federation": "GER", "rating": 2300},
    ]
    results = [(1, 1, 2, "1", "0", "played"), (2, 1, 3, "1", "0", "played"), (3, 1, 4, "1", "0", "played"),
               (4, 1, 5, "1", "0", "played"), (5, 1, 6, "1", "0", "forfeit"), (5, 4, 5, "1", "0", "played"),
               (1, 3, 5, "=", "=", "played"), (1, 4, 6, "0", "1", "played")]  # fmt: skip
    keys = ("round", "first", "second", "first_result", "second_result", "kind")
    return make_event(
        players=players,
        games=[dict(zip(keys, r, strict=True)) for r in results],
        rounds=5,
        format="round-robin",
    )


@pytest.mark.parametrize(
    ("form", "included"),
    [("round-robin", [False, True, False, True, False]), ("swiss", [False, True, True, True, False])],
)
def test_case_c52_which_games_are_in(form: str, included: list[bool]) -> None:
    """1.4.2a, b, c; an unrated opponent without a point is out in a round robin only."""
    from qiyi_analysis.titles.norms import NormRounds

    rounds = NormRounds(replace(round_robin_of_c52(), format=form), RULES).rounds[1]
    assert [item.counted for item in rounds] == included
    reasons = [item.reason for item in rounds]
    assert reasons[0] == "1.4.2a-no_fide_federation"
    assert reasons[4] == "1.4.2c-forfeit"
    if form == "round-robin":
        assert reasons[2] == "1.4.2b-zero_against_rated"


# --- leaving out -------------------------------------------------------------------------------------------


def test_later_rounds_may_be_left_out_in_a_swiss() -> None:
    opponents = [*rated(2620), ("", "GER", 2400), ("", "GER", 2400)]
    made = event(opponents, [0.5] * 9 + [0, 0])
    result = titles(made, RULES)
    found = sheet(result, "GM")
    assert found.reached is True
    assert [item.round for item in found.rounds if not item.counted] == [10, 11]
    assert found.rounds[-1].reason == "1.4.1e-later_rounds"
    assert judged(replace(made, format="round-robin"), "GM")[0] is False


def test_a_beaten_opponent_may_be_left_out() -> None:
    """Of two weak ones the lower goes; the other is raised to the floor, so as few as possible are left out."""
    opponents = [("", "GER", 1900), ("", "GER", 1800), *rated(2620)]
    made = event(opponents, [1, 1] + [0.5] * 9)
    found = sheet(titles(made, RULES), "GM")
    assert found.reached is True
    assert [item.reason for item in found.rounds if not item.counted] == ["1.4.1f-beaten_opponents"]
    drawn = event(opponents, [0.5, 0.5] + [0.5] * 9)
    assert judged(drawn, "GM")[0] is False


def by_brute_force(made: Event, title: str) -> bool:
    """The norm by trying every subset, in plain words of the article."""
    norm = next(n for n in RULES.rows("norm") if n["title"] == title)
    facts = {int(p.number): p for p in made.players.itertuples()}
    games = [
        (g.round, facts[g.second], {"1": 2, "=": 1, "0": 0}[g.first_result]) for g in made.games.itertuples()
    ]
    for last in range(9, len(games) + 1):
        head = games[:last]
        won = [i for i, game in enumerate(head) if game[2] == 2]
        for count in range(last - 9 + 1):
            for out in itertools.combinations(won, count):
                kept = [game for i, game in enumerate(head) if i not in out]
                if plain_norm(kept, norm, facts[1].federation):
                    return True
    return False


def plain_norm(kept: list[Any], norm: Any, own: str) -> bool:
    n, points = len(kept), sum(game[2] for game in kept)
    held = [game[1].title for game in kept]
    codes = [game[1].federation for game in kept]
    ratings = sorted(int(game[1].rating) for game in kept)
    ratings[0] = max(ratings[0], norm["floor"])
    average = (2 * sum(ratings) + n) // (2 * n)
    wanted = minimum_average(RULES, norm, points, n)
    return (
        len(set(codes) - {own}) >= 2
        and codes.count(own) * 5 <= n * 3
        and max(map(codes.count, codes)) * 3 <= n * 2
        and sum(t in ("GM", "IM", "FM") for t in held) * 2 >= n
        and sum(t in norm["met"] for t in held) >= max(3, -(-n // 3))
        and wanted is not None
        and average >= wanted
    )


def test_the_search_finds_what_trying_every_subset_finds() -> None:
    generator = np.random.default_rng(7)
    outcomes = []
    for _ in range(150):
        games = int(generator.integers(9, 14))
        opponents = [
            (
                str(generator.choice(["GM", "IM", "FM", "", ""])),
                str(generator.choice(["CHN", "CHN", "GER", "FRA"])),
                int(generator.normal(2430, 130)),
            )
            for _ in range(games)
        ]
        made = event(opponents, [float(s) for s in generator.choice([0, 0.5, 1, 1], games)])
        got = judged(made, "IM")[0]
        assert got is by_brute_force(made, "IM")
        outcomes.append(got)
    assert 20 < sum(map(bool, outcomes)) < 140, "the sample should hold both outcomes"


def test_a_long_norm_counts_as_thirteen_games() -> None:
    made = event(rated(2620, games=15), [0.5] * 15, format="round-robin")
    found = sheet(titles(made, RULES), "GM")
    assert (found.games, found.counts_as) == (15, 13)


def test_each_full_point_over_the_norm_score_is_an_extra_game() -> None:
    norm = RULES.rows("norm")[0]
    assert lowest_score(RULES, norm, 2600, 9) == 9
    assert lowest_score(RULES, norm, 2379, 9) is None
    for scores, extra in (
        ([0.5] * 9, 0),
        ([1] + [0.5] * 8, 0),
        ([1, 1] + [0.5] * 7, 1),
        ([1] * 4 + [0.5] * 5, 2),
    ):
        found = sheet(titles(event(rated(2600), scores), RULES), "GM")
        assert (found.extra_games, found.counts_as) == (extra, 9 + extra)


@pytest.mark.parametrize(("gms", "reached"), [(2, False), (3, True)])
def test_double_round_robin_needs_half_with_the_title(gms: int, reached: bool) -> None:
    """Six players, ten games against five opponents: three of them (half, rounded up) hold the title."""
    held = ["GM"] * gms + ["IM"] * (5 - gms)
    players = [{"number": 1, "name": "P", "federation": "CHN", "rating": 2500, "sex": "m"}]
    players += [
        {"number": i + 2, "name": f"O{i}", "federation": c, "title": t, "rating": 2620}
        for i, (t, c) in enumerate(zip(held, ("GER", "FRA", "ITA", "ESP", "CHN"), strict=True))
    ]
    games = [
        {
            "round": r + 5 * c,
            "first": 1,
            "second": r + 1,
            "first_result": "=",
            "second_result": "=",
            "kind": "played",
        }
        for c in (0, 1)
        for r in range(1, 6)
    ]
    made = make_event(players=players, games=games, rounds=10, format="double-round-robin", federation="CHN")
    assert judged(made, "GM")[0] is reached


def test_fixed_pairings_need_all_scheduled_rounds() -> None:
    made = event(rated(2620), [0.5] * 9, format="round-robin", rounds=11)
    reached, missing = judged(made, "GM")
    assert reached is False
    assert "all scheduled rounds" in missing


@pytest.mark.parametrize(
    ("kind", "games", "reached", "counts_as"),
    [
        ("world-team", 7, True, 7),
        ("world-team", 6, False, 0),
        ("world-cup", 8, True, 9),
        ("world-cup", 7, False, 0),
    ],
)
def test_events_where_fewer_games_are_enough(kind: str, games: int, reached: bool, counts_as: int) -> None:
    made = event(rated(2620, games=games), [0.5] * games)
    assert judged(made, "GM", event_type=kind)[0] is reached
    if reached:
        assert sheet(titles(made, RULES, event_type=kind), "GM").counts_as == counts_as


def test_a_round_robin_leaves_out_nobody_but_the_other_reading_is_named() -> None:
    opponents = [("", "GER", 1900), ("", "GER", 1800), *rated(2620)]
    made = event(opponents, [1, 1] + [0.5] * 9, format="round-robin")
    assert judged(made, "GM")[0] is False
    named = [f.values["title"] for f in titles(made, RULES).findings if f.reason == "norm-other-reading"]
    assert named == ["GM", "IM"]
    other = RULES.with_block("beaten_opponents", with_fixed_pairings="allowed")
    assert judged(made, "GM", other)[0] is True
    later = event([*rated(2620), ("", "GER", 2400)], [0.5] * 9 + [0], format="round-robin")
    assert judged(later, "GM", other)[0] is False


def test_long_events_take_the_rating_of_each_games_day() -> None:
    made = event(rated(2500), [0.5] * 9, start=date(2025, 1, 1), end=date(2025, 3, 1))
    made = made.with_players(id=[str(n) for n in made.players["number"]])
    made = made.with_games(made.games.assign(day="2025-02-03"))
    reached, _ = judged(made, "GM")
    assert reached is False
    rows = [{"id": str(n), "rating": 2620} for n in range(2, 11)]
    later = RatingList(id="feb", day=date(2025, 2, 1), rows=frame(rows, LIST_COLUMNS))
    assert judged(made, "GM", lists=[later]) == (True, "")
    strong = event(rated(2620), [0.5] * 9, start=date(2025, 1, 1), end=date(2025, 3, 1))
    reached, missing = judged(strong, "GM")
    assert reached is None
    assert "day" in missing


# --- what is not known ---------------------------------------------------------------------------------------


def test_unknown_federation_is_not_judged() -> None:
    reached, missing = judged(event(with_codes(*["CHN"] * 5, "GER", "GER", "FRA", "VIC"), [0.5] * 9), "GM")
    assert reached is None
    assert "VIC" in missing


def test_unknown_title_that_decides_is_not_judged() -> None:
    reached, missing = judged(
        event(with_titles("GM", "GM", "XM", "FM", "FM", "", "", "", ""), [0.5] * 9), "GM"
    )
    assert reached is None
    assert "XM" in missing


def test_unknown_title_that_does_not_matter_is_no_obstacle() -> None:
    made = event(with_titles("GM", "GM", "GM", "FM", "FM", "XM", "", "", ""), [0.5] * 9)
    assert judged(made, "GM") == (True, "")
    assert "title-unknown" in {f.reason for f in titles(made, RULES).findings}


def test_own_federation_unknown_is_not_judged() -> None:
    reached, missing = judged(event(rated(2620), [0.5] * 9, federation=""), "GM")
    assert reached is None
    assert "own federation" in missing


def test_title_holder_without_rating_is_not_judged_where_the_rating_decides() -> None:
    field = [("GM", "GER", None), *rated(2620)[1:]]
    reached, missing = judged(event(field, [0.5] * 9), "GM")
    assert reached is None
    assert "without a rating" in missing


def test_unknown_format_is_not_judged_where_a_game_would_be_left_out() -> None:
    made = event([*rated(2620), ("", "GER", 2400)], [0.5] * 9 + [0], format="")
    reached, missing = judged(made, "GM")
    assert reached is None
    assert "format" in missing
    assert judged(event(rated(2620), [0.5] * 9, format=""), "GM")[0] is True


@pytest.mark.parametrize(
    ("sex", "title", "reached"), [("", "", None), ("m", "WFM", None), ("w", "", True), ("", "WFM", True)]
)
def test_womens_norms_need_to_know_the_sex(sex: str, title: str, reached: bool | None) -> None:
    made = event(rated(2420), [0.5] * 9, player={"sex": sex, "title": title, "rating": 2200})
    assert judged(made, "WGM")[0] is reached


def test_contradicting_sex_and_title_is_reported() -> None:
    made = event(rated(2420), [0.5] * 9, player={"sex": "m", "title": "WFM"})
    assert "title-against-sex" in {f.reason for f in titles(made, RULES).findings}


def test_men_have_no_rows_for_womens_norms() -> None:
    rows = titles(event(rated(2620), [0.5] * 9), RULES).as_rows()
    assert {r["title"] for r in rows if r["number"] == 1 and r["kind"] == "norm"} == {"GM", "IM"}


def test_event_without_games() -> None:
    result = titles(make_event(players=[{"number": 1, "name": "P"}], games=[]), RULES)
    assert [r for r in result.as_rows() if r["reached"]] == []


def test_every_edition_judges(project: Path) -> None:
    for name in editions("fide/titles"):
        assert judged(event(rated(2620), [0.5] * 9), "GM", ruleset(name))[0] is True


# --- titles by rating, direct titles, claims -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rating", "games", "title", "reached"),
    [(2299, 30, "CM", True), (2300, 30, "FM", True), (2300, 29, "FM", False), (2300, None, "FM", None)],
)
def test_titles_by_rating(rating: int, games: int | None, title: str, reached: bool | None) -> None:
    made = event((), player={"rating": rating, "games_before": games})
    rows = [r for r in titles(made, RULES).as_rows() if r["kind"] == "rating-title"]
    assert [(r["title"], r["reached"]) for r in rows] == [(title, reached)]


@pytest.mark.parametrize(("rating", "reached"), [(2199, False), (2200, True)])
def test_direct_titles_need_a_rating_once(rating: int, reached: bool) -> None:
    made = event(
        (), player={"rating": rating, "rank": 1}, extra={"direct_titles": [{"title": "IM", "from_place": 1}]}
    )
    rows = [r for r in titles(made, RULES).as_rows() if r["kind"] == "direct-title"]
    assert [r["reached"] for r in rows] == [reached]


def test_a_claimed_norm_that_is_none_is_an_error_with_its_article() -> None:
    made = event(
        with_codes(*["CHN"] * 5, *["GER"] * 4), [0.5] * 9, extra={"norms": [{"player": 1, "title": "GM"}]}
    )
    claims = [f for f in titles(made, RULES).findings if f.reason == "norm-claimed"]
    assert [(f.code, f.severity) for f in claims] == [("CK38", "E")]
    assert "1.4.3" in claims[0].article


# --- speed ------------------------------------------------------------------------------------------------------


def open_of(size: int, rounds: int) -> Event:
    """A strong open in which everybody may try for all four norms."""
    generator = np.random.default_rng(1)
    ratings = np.sort(generator.normal(2330, 150, size).astype(int))[::-1]
    players = [
        {"number": i + 1, "name": f"P{i}", "sex": "w", "rating": int(ratings[i]),
         "federation": str(generator.choice(["FRA", "FRA", "GER", "ITA", "ESP", "POL", "CHN", "IND"])),
         "title": str(generator.choice(["IM", "FM", "WGM", "WIM", "", "CM", "WFM"]))}
        for i in range(size)
    ]  # fmt: skip
    games = []
    for number in range(1, rounds + 1):
        order = np.argsort(-ratings + generator.normal(0, 120, size))
        for a, b in zip(order[::2], order[1::2], strict=True):
            result = str(generator.choice(["1", "=", "0"]))
            games.append({"round": number, "first": int(a) + 1, "second": int(b) + 1, "first_result": result,
                          "second_result": {"1": "0", "0": "1", "=": "="}[result], "kind": "played"})  # fmt: skip
    return make_event(players=players, games=games, rounds=rounds, format="swiss", federation="FRA")


def test_the_search_for_norms_takes_longer_only_as_rounds_and_players_are_more() -> None:
    short, long, large = (
        min(_seconds(made) for _ in range(3)) for made in (open_of(100, 9), open_of(100, 13), open_of(300, 9))
    )
    # All selections of four rounds more are sixteen times as many; all pairs of three times the players nine times.
    assert long < 6 * short
    assert large < 6 * short


def _seconds(made: Event) -> float:
    start = time.process_time()
    titles(made, RULES)
    return time.process_time() - start
