"""Promotion by score rate, wins and place; place points of teams; title events; applications; time controls."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from qiyi_analysis.model.errors import ParameterError, RulesetError
from qiyi_analysis.model.event import Event, Scoring, make_event
from qiyi_analysis.model.time_control import longest_game_minutes, player_minutes
from qiyi_analysis.rules.ruleset import RuleSet, ruleset
from qiyi_analysis.titles import NormRecord, apply_for, titles
from qiyi_analysis.titles.places import points_of_place, team_ranking
from qiyi_analysis.titles.promotion import minimum_score, read_table
from qiyi_analysis.titles.title_events import (
    at_least,
    at_most,
    norm_score,
    rounded_norm_score,
    title_event_counts,
    title_event_rows,
)

CXA = ruleset("cxa/titles/undated")
CCA = ruleset("cca/titles/2018-01-01")
CCA_RATES = (
    ("一级棋士", "候补棋协大师", 65),
    ("候补棋协大师", "棋协大师", 65),
    ("八级棋士", "六级棋士", 80),
    ("八级棋士", "七级棋士", 50),
)


def scored(title: str, points: float, rounds: int, *, win: int = 1, **facts: Any) -> Event:
    """An event without games in which player 1 made ``points`` of the event's own scoring."""
    player = {
        "number": 1,
        "name": "P",
        "title": title,
        "points": points,
        "sex": "m",
        **facts.pop("player", {}),
    }
    others = [{"number": n, "name": f"O{n}", "points": 0, "sex": "m"} for n in range(2, facts.pop("size", 3))]
    return make_event(
        players=[player, *others], games=[], rounds=rounds, scoring=Scoring.of(win=win), **facts
    )


def outcome(event: Event, rules: RuleSet, **options: Any) -> tuple[str, bool | None, str]:
    row = next(r for r in titles(event, rules, **options).as_rows() if r["number"] == 1)
    return row["title"], row["reached"], row["missing"] or ""


def table_of(tmp_path: Path, rows: Any = CCA_RATES, rules: RuleSet = CCA) -> RuleSet:
    path = tmp_path / "table.csv"
    path.write_text("from,to,percent\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows), encoding="utf-8")
    return read_table(path, rules)


# --- minimum scores -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("percent", "scores"),
    [(40, (2, 3, 4, 4.5)), (50, (2.5, 3.5, 4.5, 5.5)), (55, (3, 4, 5, 6.5)), (65, (3.5, 5, 6, 7.5)),
     (70, (3.5, 5, 6.5, 8)), (80, (4, 6, 7.5, 9))],
)  # fmt: skip
def test_minimum_scores_by_rounds(percent: int, scores: tuple[float, ...]) -> None:
    """PR-1 and the table of 40 to 80 % in 5, 7, 9 and 11 rounds."""
    assert tuple(float(minimum_score(Fraction(percent), rounds)) for rounds in (5, 7, 9, 11)) == scores


@pytest.mark.parametrize("percent", range(40, 81, 5))
@pytest.mark.parametrize("rounds", range(5, 12))
def test_minimum_score_is_the_least_that_reaches_the_rate(percent: int, rounds: int) -> None:
    score = minimum_score(Fraction(percent), rounds)
    assert score * 100 >= percent * rounds
    assert (score - Fraction(1, 2)) * 100 < percent * rounds


# --- CCA ladder -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("points", "reached"), [(5.5, False), (6, True), (7, True)])
def test_chess_65_percent_of_nine_rounds(points: float, reached: bool, tmp_path: Path) -> None:
    table = table_of(tmp_path)
    title, got, missing = outcome(scored("一级棋士", points, 9), CCA, table=table)
    assert (title, got) == ("候补棋协大师", reached)
    assert ("0.5 point(s) short" in missing) is not reached


def test_without_a_table_promotion_is_not_judged() -> None:
    result = titles(scored("一级棋士", 9, 9), CCA)
    assert [r["reached"] for r in result.as_rows() if r["number"] == 1] == [None]
    assert "promotion-table-absent" in {f.reason for f in result.findings}
    assert not len(result.certificates)


def test_no_skipping_from_grade_seven_upward(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    assert outcome(scored("八级棋士", 7, 7), CCA, table=table)[:2] == ("七级棋士", True)
    low = table_of(tmp_path, [("十级棋士", "八级棋士", 80)])
    assert outcome(scored("十级棋士", 7, 7), CCA, table=low)[:2] == ("八级棋士", True)


@pytest.mark.parametrize(("rounds", "reached"), [(8, False), (9, True)])
def test_minimum_rounds_of_the_title(rounds: int, reached: bool, tmp_path: Path) -> None:
    assert outcome(scored("一级棋士", rounds, rounds), CCA, table=table_of(tmp_path))[1] is reached


@pytest.mark.parametrize(
    ("control", "reached"), [("59 min", False), ("60 min", True), ("30 min + 30 s", True), ("", True)]
)
def test_minimum_time_of_the_title(control: str, reached: bool, tmp_path: Path) -> None:
    result = titles(scored("一级棋士", 9, 9, time_control=control), CCA, table=table_of(tmp_path))
    assert result.as_rows()[0]["reached"] is reached
    assert ("promotion-time-unknown" in {f.reason for f in result.findings}) is (control == "")


def test_caps_by_age_group(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    young = scored("一级棋士", 9, 9, extra={"age_group": "U8"})
    _, reached, missing = outcome(young, CCA, table=table)
    assert reached is False
    assert "一级棋士" in missing
    assert outcome(scored("一级棋士", 9, 9, extra={"age_group": "U10"}), CCA, table=table)[:2] == (
        "候补棋协大师",
        True,
    )


def test_edition_before_2018_skips_with_80_percent() -> None:
    rules = ruleset("cca/titles-before-2018/undated")
    assert outcome(scored("一级棋士", 7, 9), rules)[:2] == ("候补棋协大师", True)
    assert outcome(scored("一级棋士", 7.5, 9), rules)[:2] == ("棋协大师", True)


def test_an_unknown_title_is_not_judged(tmp_path: Path) -> None:
    assert outcome(scored("高手", 9, 9), CCA, table=table_of(tmp_path))[1] is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("von,nach\n", "table.csv:1: columns are von, nach; expected from, to, percent"),
        ("from,to,percent\n一级棋士,棋圣,65\n", "table.csv:2: to reads '棋圣'"),
        ("from,to,percent\n一级棋士,棋协大师,viel\n", "table.csv:2: percent reads 'viel'"),
        ("from,to,percent\n一级棋士,棋协大师,101\n", "table.csv:2: percent reads '101'"),
    ],
)
def test_damaged_tables_name_the_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesetError, match=message.replace("(", r"\(")):
        read_table(path, CCA)


def test_a_table_in_gbk_with_chinese_heads(tmp_path: Path) -> None:
    path = tmp_path / "晋级表.csv"
    path.write_bytes("原称号,新称号,得分率\n一级棋士,候补棋协大师,65%\n".encode("gbk"))
    assert outcome(scored("一级", 6, 9), CCA, table=read_table(path, CCA))[:2] == ("候补棋协大师", True)


# --- xiangqi ladder ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "points", "rounds", "reached"),
    [("九级棋士", 9, 7, "七级棋士"), ("三级棋士", 10, 9, "二级棋士"), ("三级棋士", 13, 9, "一级棋士")],
)
def test_pr_2(title: str, points: int, rounds: int, reached: str) -> None:
    """Score rate is points / 2 / rounds on the 2-1-0 scale: 64.29, 55.56 and 72.22 %."""
    result = titles(scored(title, points, rounds, win=2), CXA)
    assert result.as_rows()[0]["title"] == reached
    certificate = result.certificates.iloc[0]
    assert (certificate["from"], certificate["to"], certificate["score"]) == (title, reached, str(points))
    assert certificate["percent"] == {9: "64.29", 10: "55.56", 13: "72.22"}[points]


def test_every_cell_of_the_xiangqi_table_on_both_sides() -> None:
    """34 cells; with 100 rounds a per cent is one point of a win, half a point less falls short."""
    cells = CXA.rows("promotion")
    assert len(cells) == 34
    ladder = CXA.need("ladder")["titles"]
    for cell in cells:
        for held in cell["from"]:
            title, reached, _ = outcome(scored(held, int(cell["percent"]) * 2, 100, win=2), CXA)
            assert (title, reached) == (cell["to"], True)
            title, reached, _ = outcome(scored(held, int(cell["percent"]) * 2 - 1, 100, win=2), CXA)
            assert not reached or ladder.index(title) > ladder.index(cell["to"])


def test_other_point_systems_are_counted_anew() -> None:
    """3-1-0: four draws and a win are 60 % and not 7/15."""
    players = [{"number": n, "name": f"P{n}", "title": "九级棋士" if n == 1 else ""} for n in range(1, 7)]
    results = ["=", "=", "=", "=", "1"]
    games = [
        {
            "round": r,
            "first": 1,
            "second": r + 1,
            "first_result": x,
            "second_result": "0" if x == "1" else "=",
            "kind": "played",
        }
        for r, x in enumerate(results, 1)
    ]
    event = make_event(players=players, games=games, rounds=5, scoring=Scoring.of(win=3, draw=1))
    assert outcome(event, CXA)[:2] == ("七级棋士", True)


def test_an_empty_title_is_not_judged() -> None:
    """No title, or one that nobody wrote down: the table starts from 十三级 and below, which are titles."""
    title, reached, missing = outcome(scored("", 14, 7, win=2), CXA)
    assert (title, reached) == ("十六级棋士", None)
    assert "no title" in missing


def test_rules_of_another_game_are_named() -> None:
    findings = titles(scored("九级棋士", 9, 7, win=2), CXA).findings
    assert "titles-other-discipline" in {f.reason for f in findings}
    xiangqi = scored("九级棋士", 9, 7, win=2, discipline="xiangqi")
    assert "titles-other-discipline" not in {f.reason for f in titles(xiangqi, CXA).findings}


def test_level_caps_of_xiangqi() -> None:
    event = scored("一级棋士", 18, 9, win=2)
    assert outcome(event, CXA)[0] == "棋协大师"
    assert outcome(event, CXA, level="provincial")[0] == "地方大师"


@pytest.mark.parametrize(
    ("rank", "title"),
    [(1, "棋协大师"), (3, "棋协大师"), (4, "地方大师"), (9, "一级棋士"), (32, "二级棋士"), (33, None)],
)
def test_grades_by_place(rank: int, title: str | None) -> None:
    event = scored("特级大师", 0, 9, win=2, player={"rank": rank})
    rows = [
        r
        for r in titles(event, CXA, level="provincial-individual").as_rows()
        if r["kind"] == "grade" and r["number"] == 1
    ]
    assert [r["title"] for r in rows] == ([title] if title else [])


@pytest.mark.parametrize(("points", "master"), [(6.5, False), (7, True)])
def test_pr_3_champion_and_76_percent(points: float, master: bool) -> None:
    """9 rounds: 6.5 is 72.2 %, 7 is 77.8 %; without the rate the champion is still 一级."""
    rules = ruleset("cxa/youth-grades/2014-01-01")
    rows = [r for r in titles(scored("", points, 9, player={"rank": 1}), rules).as_rows() if r["number"] == 1]
    assert [(r["title"], r["reached"]) for r in rows] == (
        [("运动健将", True)] if master else [("运动健将", False), ("一级运动员", True)]
    )


@pytest.mark.parametrize(
    ("rules", "level", "rank", "sex", "title"),
    [
        ("cxa/sport-grades-2022/undated", "national-individual", 2, "m", "国际级运动健将"),
        ("cxa/sport-grades-2022/undated", "national-individual", 24, "m", "运动健将"),
        ("cxa/sport-grades-2022/undated", "national-individual", 25, "m", None),
        ("cxa/sport-grades-2010s/undated", "national-individual", 17, "w", "一级运动员"),
        ("cxa/sport-grades-older/undated", "county", 6, "m", "三级运动员"),
        ("cca/sport-grades-2010/undated", "national-individual", 12, "m", "运动健将"),
        ("cca/sport-grades-2010/undated", "national-individual", 9, "w", None),
        ("cca/sport-grades-older/undated", "national-individual", 8, "m", "运动健将"),
    ],
)
def test_sport_grades_by_edition(rules: str, level: str, rank: int, sex: str, title: str | None) -> None:
    event = scored("", 5, 9, player={"rank": rank, "sex": sex})
    rows = [r for r in titles(event, ruleset(rules), level=level).as_rows() if r["number"] == 1]
    assert [r["title"] for r in rows if r["reached"]] == ([title] if title else [])


def test_sport_grades_need_the_sex_and_the_level() -> None:
    rules = ruleset("cca/sport-grades-2010/undated")
    event = scored("", 5, 9, player={"rank": 9, "sex": ""})
    assert outcome(event, rules, level="national-individual")[1] is None
    assert [f.reason for f in titles(event, rules).findings] == ["grades-level-unknown"]


def test_a_place_that_is_not_in_the_file_is_not_judged() -> None:
    rules = ruleset("cxa/youth-grades/2014-01-01")
    rows = titles(scored("", 0, 9, size=4), rules).as_rows()
    assert {r["reached"] for r in rows if r["number"] > 1} == {None}


# --- go ------------------------------------------------------------------------------------------------


def winner(title: str, wins: int, size: int = 20, rank: float | None = None) -> Event:
    players = [{"number": n, "name": f"P{n}", "title": title} for n in range(1, size + 1)]
    if rank is not None:
        players[0]["rank"] = rank
    games = [
        {"round": r, "first": 1, "second": r + 1, "first_result": "1", "second_result": "0", "kind": "played"}
        for r in range(1, wins + 1)
    ]
    return make_event(players=players, games=games, rounds=7, discipline="go")


@pytest.mark.parametrize(
    ("title", "wins", "size", "expected"),
    [("30级", 4, 20, ("15级", True)), ("25K", 3, 20, ("15级", True)), ("15级", 1, 20, ("10级", True)),
     ("10级", 6, 20, ("7级", True)), ("10级", 5, 20, ("8级", True)), ("10级", 3, 20, ("9级", True)), ("10级", 2, 20, ("9级", False)),
     ("10级", 6, 19, ("9级", False))],
)  # fmt: skip
def test_local_go_table(title: str, wins: int, size: int, expected: tuple[str, bool]) -> None:
    assert outcome(winner(title, wins, size), ruleset("cwa/titles-local/undated"))[:2] == expected


@pytest.mark.parametrize(
    ("rank", "size", "expected"),
    [
        (1, 40, ("2段", True)),
        (2, 40, ("1段", True)),
        (10, 40, ("1段", True)),
        (11, 40, ("1段", False)),
        (1, 11, ("1段", False)),
    ],
)
def test_first_dan_by_share_of_the_field(rank: int, size: int, expected: tuple[str, bool]) -> None:
    """25 % of 40 are ten players, 3 % one; at least twelve must take part."""
    assert outcome(winner("1级", 0, size, rank), ruleset("cwa/titles-local/undated"))[:2] == expected


def test_national_go_text_has_no_win_rates() -> None:
    assert outcome(winner("1级", 7), ruleset("cwa/titles/undated"))[1] is None


# --- place points --------------------------------------------------------------------------------------------

FESTIVAL = ruleset("festival/2015/undated")


def group(name: str, sex: str, entrants: Any, size: int = 12) -> Event:
    """A group with the club's entrants at their places, everybody else of other clubs."""
    places = dict(entrants)
    players = [
        {"number": n, "name": f"{name}{sex}{n}", "sex": sex, "unit": places.get(n, f"Club {n}"), "rank": n}
        for n in range(1, size + 1)
    ]
    return make_event(players=players, games=[], id=f"{name}-{sex}", extra={"group": name})


def test_tm_1() -> None:
    """8 + 1 + 2 + 10 + 5 + 4 + 1 + 1 = 32 points in 儿童甲组."""
    events = [
        group("12岁", "m", [(2, "A"), (9, "A")]),
        group("12岁", "w", [(8, "A")]),
        group("10岁", "m", [(1, "A")]),
        group("9岁", "m", [(5, "A"), (6, "A")]),
        group("9岁组", "w", [(10, "A"), (11, "A")]),
        group("8岁", "m", [(1, "A")]),
    ]
    result = titles(events[0], FESTIVAL, others=events[1:])
    teams = result.teams
    assert teams.loc[(teams["category"] == "儿童甲组团体") & (teams["team"] == "A"), "points"].tolist() == [
        32
    ]
    assert teams.loc[(teams["category"] == "儿童乙组团体") & (teams["team"] == "A"), "points"].tolist() == [
        10
    ]


@pytest.mark.parametrize(
    ("place", "points"), [(1, 10), (2, 8), (3, 7), (4, 6), (5, 5), (6, 4), (7, 3), (8, 2), (9, 1), (40, 1)]
)
def test_points_of_places(place: int, points: int) -> None:
    assert points_of_place(place, FESTIVAL) == points


def test_the_point_for_taking_part_can_be_added_in_rules_of_ones_own() -> None:
    rules = FESTIVAL.with_block("taking_part", given="added")
    assert [points_of_place(place, rules) for place in (1, 8, 9)] == [11, 3, 1]


def test_unknown_group_and_absent_entrant_get_nothing() -> None:
    event = group("公开组", "m", [(1, "A")])
    result = titles(event, FESTIVAL)
    assert not len(result.entries)
    assert {f.reason for f in result.findings} == {"group-unknown"}


def test_shared_places_are_named() -> None:
    event = group("12岁", "m", [(1, "A")])
    event = event.with_players(rank=[1.0, 1.0, *range(3, 13)])
    result = titles(event, FESTIVAL)
    assert result.entries["points"].tolist()[:3] == [10, 10, 7]
    assert "place-shared" in {f.reason for f in result.findings}


def test_equal_teams_share_the_place_and_six_are_rewarded() -> None:
    entries = pd.DataFrame(
        [
            {"number": n, "name": str(n), "team": f"T{n}", "group": "8岁", "sex": "m", "points": p}
            for n, p in enumerate([9, 9, 5, 4, 3, 2, 1])
        ]
    )
    teams = team_ranking(entries, FESTIVAL)
    assert teams["place"].tolist() == [1, 1, 3, 4, 5, 6, 7]
    assert teams["rewarded"].tolist() == [True] * 6 + [False]


# --- title events ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "score"),
    [
        ("7.00", "7"),
        ("7.08", "7"),
        ("7.10", "7.5"),
        ("7.59", "7.5"),
        ("7.60", "8"),
        ("7.99", "8"),
        ("8.05", "8"),
        ("8.10", "8.5"),
        ("0", "0"),
    ],
)
def test_xq_8_norm_rounding(raw: str, score: str) -> None:
    assert rounded_norm_score(Fraction(raw), CXA) == Fraction(score)


def test_xq_7_numbers() -> None:
    """Eleven players: 8 rated, 3 of one unit; a title event of twelve: 2 unrated, 4 of one unit."""
    assert at_least(Fraction(2, 3), 11) == 8
    assert at_most(Fraction(1, 3), 11) == 3
    event = make_event(
        players=[{"number": n, "name": str(n), "unit": f"U{n % 3}", "rating": None if n < 3 else 2400} for n in range(12)],
        games=[], discipline="xiangqi", arbiters=("A", "B"),
    )  # fmt: skip
    counts = {c.what: (c.value, c.limit, c.met) for c in title_event_counts(event, CXA)}
    assert counts["title_event_players"] == (12, 12, True)
    assert counts["title_event_unrated"] == (3, 2, False)
    assert counts["title_event_unit"] == (4, 4, True)
    assert counts["title_event_arbiters"] == (2, 2, True)


@pytest.mark.parametrize(("players", "met"), [(11, False), (12, True)])
def test_twelve_players(players: int, met: bool) -> None:
    event = make_event(
        players=[{"number": n, "name": str(n), "rating": 2400} for n in range(players)], games=[]
    )
    assert title_event_counts(event, CXA)[0].met is met


def test_norm_score_of_a_level_that_the_user_gives() -> None:
    """Average 2399.5 rounds to 2400; level 2600 is 200 above: 76 %, 9 games 6.84, norm 7."""
    found = norm_score([2399, 2400], 9, 2600, CXA)
    assert (found.average, found.share, found.raw, found.score) == (
        2400,
        Fraction("0.76"),
        Fraction("6.84"),
        7,
    )


@pytest.mark.parametrize(("points", "short"), [(7, ""), (6.5, "0.5")])
def test_a_score_against_the_norm_score(points: float, short: str) -> None:
    """The same field and level: 7 of 9 is the norm, 6.5 is half a point short of it."""
    field = ((1, 2399, points), (2, 2400, 0))
    event = make_event(
        players=[{"number": n, "name": str(n), "rating": r, "points": p} for n, r, p in field],
        games=[],
        rounds=9,
    )
    rows, _ = title_event_rows(event, CXA, 2600)
    assert [m.values["short"] for m in rows[0].missing if m.what == "norm_score"] == [short] * bool(short)


# --- applications ------------------------------------------------------------------------------------------------------

FIDE = ruleset("fide/titles/2024-01-01")


def norm(games: int, **changes: Any) -> NormRecord:
    facts = {"event": "E", "title": "GM", "day": date(2025, 5, 1), "games": games, "normal_foreigner": True,
             "qualifying_swiss": True, "one_round_a_day": True} | changes  # fmt: skip
    return NormRecord(**facts)


@pytest.mark.parametrize(("games", "complete"), [((9, 9, 8), False), ((9, 9, 9), True), ((13, 14), True)])
def test_27_games(games: tuple[int, ...], complete: bool) -> None:
    assert apply_for("GM", [norm(g) for g in games], 2500, FIDE).complete is complete


@pytest.mark.parametrize(("rating", "complete"), [(2499, False), (2500, True), (None, None)])
def test_rating_once(rating: int | None, complete: bool | None) -> None:
    assert apply_for("GM", [norm(9)] * 3, rating, FIDE).complete is complete


@pytest.mark.parametrize(
    ("changes", "complete", "what"),
    [
        ({"normal_foreigner": False}, False, "application_foreigner"),
        ({"normal_foreigner": None}, None, "application_foreigner"),
        ({"qualifying_swiss": False}, False, "application_event"),
        ({"qualifying_swiss": False, "event_type": "olympiad"}, True, ""),
        ({"qualifying_swiss": False, "day": date(2022, 6, 30)}, True, ""),
        ({"qualifying_swiss": False, "day": date(2022, 7, 1)}, False, "application_event"),
        ({"one_round_a_day": False}, False, "application_one_round_a_day"),
        ({"title": "IM"}, False, "application_games"),
    ],
)
def test_conditions_of_an_application(changes: dict[str, Any], complete: bool | None, what: str) -> None:
    found = apply_for("GM", [norm(9, **changes)] * 3, 2600, FIDE)
    assert found.complete is complete
    assert what in {"", *(item.what for item in found.missing)}


def test_one_norm_of_eight_games_only() -> None:
    assert apply_for("GM", [norm(9, missing_game=True), norm(9), norm(9)], 2600, FIDE).complete is True
    found = apply_for("GM", [norm(9, missing_game=True), norm(9, missing_game=True), norm(9)], 2600, FIDE)
    assert found.complete is False
    assert found.games == 18


def test_a_higher_norm_counts_for_the_lower_title() -> None:
    assert apply_for("IM", [norm(9)] * 3, 2400, FIDE).complete is True


def test_fm_is_not_given_by_norms() -> None:
    assert apply_for("FM", [], 2400, FIDE).complete is False


# --- time controls -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("90 min + 30 s/move", 120), ("25'+5\"", 30), ("60分钟，每步加10秒", 70), ("40/6000+30:900+30", 145), ("5400+30", 120),
        ("60+10", 70), ("G/90", 90), ("1h30 + 30s", 120), ("2 hours", 120), ("90'/40 moves + 30' + 30''", 150), ("45 min", 45),
        ("30 minutes per player", 30), ("W3600+30-B1800+30", 60), ("", None), ("standard", None),
    ],
)  # fmt: skip
def test_minutes_of_a_player(text: str, minutes: int | None) -> None:
    assert player_minutes(text) == minutes


def test_minutes_of_a_whole_game() -> None:
    assert longest_game_minutes("30 min + 30 s") == 120
    assert longest_game_minutes("W3600-B1800") == 90
    assert longest_game_minutes("?") is None


def test_a_level_that_the_rules_do_not_name_is_refused() -> None:
    """Its cap would be left out without a word, and with it the note that no level is given."""
    event = make_event(players=[{"number": 1, "name": "A"}], games=[])
    with pytest.raises(ParameterError, match=r"--level provinzial: .*provincial"):
        titles(event, ruleset("cxa/titles/undated"), level="provinzial")
