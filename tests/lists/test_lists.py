"""Lists rebuilt from events: periods, inactivity, newcomers, several lists, real periods."""

from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from lists_made import (
    CCA,
    CXA,
    FIDE,
    RESULTS,
    a_list,
    history,
    month,
    of,
    period_events,
    swiss,
    xiangqi_newcomer,
)

from qiyi_analysis.lists import rebuild_list
from qiyi_analysis.lists.list_comparison import compare
from qiyi_analysis.lists.movements import waiting
from qiyi_analysis.lists.periods import following, period, period_of, preceding
from qiyi_analysis.lists.state import state_of
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import make_event
from qiyi_analysis.model.rating_list import make_list
from qiyi_analysis.rules.ruleset import all_rulesets, ruleset


@pytest.mark.parametrize(
    ("id", "end", "list"),
    [
        ("cxa/rating/undated", "2010-06-02", "2011-01"),  # XQ-9
        ("cxa/rating/undated", "2010-05-31", "2010-07"),
        ("cxa/rating/undated", "2010-12-01", "2011-07"),
        ("cxa/rating/undated", "2010-11-30", "2011-01"),
        ("cca/rating/undated", "2008-01-31", "2008-02"),
        ("cca/rating/undated", "2008-02-01", "2008-04"),
        ("cwa/rating/undated", "2026-05-31", "2026-05"),
        ("cwa/rating/undated", "2026-06-01", "2026-06"),
        ("fide/rating-standard/2024-03-01", "2025-05-29", "2025-06"),  # three days before the list
        ("fide/rating-standard/2024-03-01", "2025-05-30", "2025-07"),
        ("fide/rating-standard/2009-07-01", "2010-04-24", "2010-05"),
        ("fide/rating-standard/2009-07-01", "2010-04-25", "2010-07"),
    ],
)
def test_an_event_belongs_to_the_period_of_its_last_day(id, end, list):
    one = period_of(ruleset(id), date.fromisoformat(end))
    assert one.id == list
    assert period(ruleset(id), list) == one


def test_periods_follow_one_another_without_gap():
    for rules in all_rulesets():
        if rules.kind != "rating":
            continue
        one = period_of(rules, date(2020, 6, 15))
        for _ in range(30):
            after = following(rules, one)
            assert (after.first - one.last).days == 1
            assert preceding(rules, after) == one
            one = after


@pytest.mark.parametrize(
    ("id", "message"),
    [("2010-03", "has no list in month 3"), ("spring", "expected the month"), ("2010-13", "expected")],
)
def test_a_period_that_does_not_exist_is_named(id, message):
    with pytest.raises(ParameterError, match=message):
        period(ruleset("cxa/rating/undated"), id)


def test_cca_two_events_of_a_period_from_the_same_old_rating():
    """CCA-1 and CCA-2: 15.4 - 5.8 = 9.6, a new man of the sixth grade: 1559.6 is 1560."""
    man = {"id": "M", "name": "M", "sex": "m", "title": "六级棋士"}
    first = swiss("S", "2008-01-10", man, [1500, 1600, 1450, 1700, 1550, 1500, 1800, 1650, 1600], 5.5)
    others = [1700, 1650, 1600, 1500, 1500, 1450, 1400]
    games = [
        {"round": 20 + 9 * i + j, "first": i + 2, "second": j + 2, "first_result": "=", "second_result": "=", "kind": "played", "line": 0, "colours_known": True}
        for i in range(7) for j in range(i + 1, 7)
    ]  # fmt: skip
    second = swiss("R", "2008-01-20", man, others, 3, format="round-robin")
    second = second.with_games(make_event(players=[], games=[*second.games.to_dict("records"), *games]).games)
    rebuilt = rebuild_list([second, first], CCA, [a_list("2007-12-01")], "2008-02")
    row = of(rebuilt, "M")
    assert (row["rating"], row["status"], row["games"]) == (1560, "newcomer", 16)


@pytest.mark.parametrize(
    ("list_day", "period_id", "there"), [("2007-12-01", "2008-02", True), ("2008-02-01", "2008-04", False)]
)
def test_cca_two_years_without_an_event_remove(list_day, period_id, there):
    """CCA-4: the last event ended on 10 March 2006."""
    old = a_list(
        list_day, {"id": "M", "name": "M", "sex": "m", "rating": 1820, "k": 10, "last_event": "2006-03-10"}
    )
    rebuilt = rebuild_list([], CCA, [old], period_id)
    assert (len(rebuilt.list.rows) == 1) is there
    assert of(rebuilt, "M")["status"] == ("stayed" if there else "removed")


def test_cca_who_returns_starts_from_the_base_rating_of_the_title_now():
    gone = a_list(
        "2008-08-01",
        {"id": "X", "name": "X", "sex": "m", "rating": 1600, "k": 10, "last_event": "2008-06-01"},
    )
    event = swiss(
        "E",
        "2008-09-05",
        {"id": "M", "name": "M", "sex": "m", "title": "三级棋士"},
        [{"id": "X", "rating": None}],
        0.5,
    )
    rebuilt = rebuild_list([event], CCA, [gone], "2008-10")
    assert rebuilt.working.entries.rating[0] == 1700


@pytest.mark.parametrize(
    ("list_day", "period_id", "before", "idle", "after", "published"),
    [
        ("2011-01-01", "2011-07", 2350, 0, 2350, True),
        ("2012-01-01", "2012-07", 2350, 1, 2330, True),
        ("2013-01-01", "2013-07", 2330, 2, 2280, False),
        ("2014-01-01", "2014-07", 2280, 3, None, False),
    ],
)
def test_xiangqi_inactivity(list_day, period_id, before, idle, after, published):
    """XQ-5: unchanged, -20, -50 (no more published), cancelled; the last event ended in May 2010."""
    old = state_of(
        a_list(
            list_day,
            {"id": "M", "name": "M", "sex": "m", "rating": before, "k": 15, "last_event": "2010-05-20"},
        )
    )
    old.rows["idle_years"] = float(idle)
    old.rows["published"] = before >= 2301
    rebuilt = rebuild_list([], CXA, [old], period_id)
    kept = dict(zip(rebuilt.state.rows["id"], rebuilt.state.rows["rating"], strict=True))
    assert kept.get("M") == after
    assert (len(rebuilt.list.rows) == 1) is published


def test_xiangqi_deductions_are_made_once_when_rolled_from_list_to_list():
    state = state_of(
        a_list(
            "2010-07-01",
            {"id": "M", "name": "M", "sex": "m", "rating": 2350, "k": 15, "last_event": "2010-05-20"},
        )
    )
    ratings = []
    for year in (2011, 2012, 2013, 2014):
        for half_year in (1, 7):
            state = rebuild_list([], CXA, [state], f"{year}-{half_year:02d}").state
            ratings.append(None if not len(state.rows) else state.rows["rating"].iloc[0])
    assert ratings == [2350, 2350, 2350, 2330, 2330, 2280, 2280, None]


def test_xiangqi_nine_games_within_two_years():
    first, second = xiangqi_newcomer(
        [("A", "2010-05-01", [2380] * 5, 3.5), ("B", "2011-03-01", [2380] * 4, 3)]
    )
    state = rebuild_list([first], CXA, [a_list("2010-01-01")], "2010-07")
    assert "N" not in set(state.state.rows["id"])
    assert list(state.state.pool["games"]) == [5]
    assert waiting(state)["reason"].tolist() == ["too-few-games"]
    middle = rebuild_list([], CXA, [state.state], "2011-01")
    done = rebuild_list([second], CXA, [middle.state], "2011-07")
    row = of(done, "N")
    # D = -80: .39; 25 x (3.5 - 1.95) + 25 x (3 - 1.56) = 74.75
    assert row["rating"] == 2375
    assert (row["games"], row["events"]) == (9, 2)
    assert len(done.state.pool) == 0
    late = xiangqi_newcomer([("B", "2012-09-01", [2380] * 4, 3)])
    old = rebuild_list([], CXA, [middle.state], "2012-07")
    assert of(rebuild_list(late, CXA, [old.state], "2013-01"), "N")["reason"] == "too-few-games"


def test_xiangqi_k_25_ends_with_the_third_event_inside_a_period():
    old = state_of(
        a_list("2010-01-01", {"id": "N", "name": "N", "sex": "m", "rating": 2400, "games": 12, "peak": 2400})
    )
    old.rows["events"] = 2.0
    events = xiangqi_newcomer([("A", "2010-02-01", [2400] * 4, 3), ("B", "2010-03-01", [2400] * 4, 3)])
    rebuilt = rebuild_list(events, CXA, [old], "2010-07")
    mine = rebuilt.entries[rebuilt.entries["person"] == "N"]
    assert mine["k"].tolist() == [25, 15]
    assert of(rebuilt, "N")["rating"] == 2440


def test_xiangqi_2500_is_remembered():
    old = a_list(
        "2010-01-01",
        {"id": "N", "name": "N", "sex": "m", "rating": 2480, "games": 200, "peak": 2505, "k": 10},
    )
    events = xiangqi_newcomer([("A", "2010-02-01", [2480] * 4, 3)])
    rebuilt = rebuild_list(events, CXA, [old], "2010-07")
    assert rebuilt.entries["k"].iloc[0] == 10
    assert of(rebuilt, "N")["k"] == 10


def test_fide_several_dated_lists_and_the_sum_rounded_once():
    older = a_list("2025-10-01", {"id": "P", "name": "P", "rating": 2395, "k": 10})
    newer = a_list("2025-11-01", {"id": "P", "name": "P", "rating": 2400, "k": 10})
    early = swiss("E1", "2025-11-02", {"id": "P", "name": "P"}, [2395, 2395], 1.5, start="2025-10-31")
    late = swiss("E2", "2025-11-09", {"id": "P", "name": "P"}, [2400], 1, start="2025-11-07")
    rebuilt = rebuild_list([late, early], FIDE, [newer, older], "2025-12")
    mine = rebuilt.entries[rebuilt.entries["person"] == "P"]
    assert mine["rating"].tolist() == [2395, 2400]
    assert (of(rebuilt, "P")["previous"], of(rebuilt, "P")["rating"]) == (2400, 2410)
    assert [str(r.id) for r in rebuilt.working.editions] == ["fide/rating-standard/2025-10-01"] * 2


def test_fide_k_times_games_is_limited_by_the_period():
    old = a_list("2026-09-01", {"id": "P", "name": "P", "rating": 2000, "k": 20})
    events = [
        swiss(f"E{i}", f"2026-09-{10 + i}", {"id": "P", "name": "P"}, [2000] * 13, 7.5) for i in range(3)
    ]
    row = of(rebuild_list(events, FIDE, [old], "2026-10"), "P")
    assert (row["period_games"], row["k_used"], row["k"]) == (39, 17, 20)
    assert row["change"] == Fraction(51)


def test_fide_newcomer_pools_games_over_periods_and_first_zero_is_ignored():
    rated = [{"rating": r, "k": 20} for r in (1902, 1877, 1884, 2012, 1832)]
    zero = swiss("Z", "2025-09-10", {"id": "N", "name": "N"}, rated[:2], 0)
    part = swiss("A", "2025-10-10", {"id": "N", "name": "N"}, rated[:3], 3)
    rest = swiss("B", "2025-11-10", {"id": "N", "name": "N"}, rated[3:], 0)
    state = rebuild_list([zero], FIDE, [a_list("2025-09-01")], "2025-10").state
    assert len(state.pool) == 0
    state = rebuild_list([part], FIDE, [state], "2025-11").state
    done = rebuild_list([rest], FIDE, [state], "2025-12")
    row = of(done, "N")
    assert (row["rating"], row["status"], row["games"], row["k"]) == (1922, "newcomer", 5, 40)


def test_fide_under_1400_leaves_the_list_and_inactive_players_are_flagged():
    old = a_list(
        "2025-10-01",
        {"id": "L", "name": "L", "rating": 1402, "k": 40, "last_event": "2025-09-01"},
        {"id": "I", "name": "I", "rating": 2000, "k": 20, "last_event": "2024-10-20", "sex": "w"},
    )
    rebuilt = rebuild_list(
        [swiss("E", "2025-10-10", {"id": "L", "name": "L"}, [1402], 0)], FIDE, [old], "2025-11"
    )
    assert of(rebuilt, "L")["status"] == "removed"
    assert of(rebuilt, "L")["reason"] == "below-floor"
    assert rebuilt.list.rows["flag"].tolist() == ["wi"]
    back = swiss("F", "2025-11-10", {"id": "I", "name": "I"}, [2000], 1)
    again = rebuild_list([back], FIDE, [rebuilt.state], "2025-12")
    assert (of(again, "I")["status"], again.list.rows["flag"].tolist()) == ("returned", ["w"])


@pytest.mark.parametrize(("before", "after"), [(1000, 1400), (1999, 1999), (1501, 1701), (2000, 2000)])
def test_fide_adjustment_of_march_2024(before, after):
    old = a_list("2024-02-01", {"id": "P", "name": "P", "rating": before, "k": 20})
    rebuilt = rebuild_list([], FIDE, [old], "2024-03")
    assert rebuilt.list.rows["rating"].tolist() == [after]


def test_one_edition_for_everything_where_it_was_asked_for():
    old = a_list("2025-11-01", {"id": "P", "name": "P", "rating": 2700, "k": 10})
    event = swiss("E", "2025-11-10", {"id": "P", "name": "P"}, [2200], 1)
    new = rebuild_list([event], FIDE, [old], "2025-12")
    former = rebuild_list([event], "fide/rating-standard/2024-03-01", [old], "2025-12")
    assert of(new, "P")["change"] == Fraction(4, 10)
    assert of(former, "P")["change"] == Fraction(8, 10)


def test_fide_twelve_real_periods(shared):
    """193 games, 30 event sums, 12 K; list values with their base corrections and the one unexplained."""
    lists, events, games = (history(shared, f"fide_periods_{n}") for n in ("lists", "events", "games"))
    seen = {"games": 0, "sums": 0, "k": 0}
    classes = {}
    for period_id in sorted({row["period"] for row in lists}):
        mine = [row for row in lists if row["period"] == period_id]
        rows = {}
        for row in mine:
            k = float(row["k_on_previous_list"])
            rows.setdefault(row["previous_list"], []).append(
                {"id": row["case"], "name": row["case"], "rating": float(row["rating_before"]), "k": k}
            )
            if row["older_list"]:
                rows.setdefault(row["older_list"], []).append(
                    {"id": row["case"], "name": row["case"], "rating": float(row["older_rating"]), "k": k}
                )
        reports = [r for row in mine for r in period_events(events, games, row["case"], period_id)]
        rebuilt = rebuild_list(
            [event for _, _, event in reports],
            FIDE,
            [make_list(r, id=m, day=month(m)) for m, r in rows.items()],
            period_id,
        )
        entries = rebuilt.entries.set_index(["event", "person"])
        from qiyi_analysis.lists.entries import calculate_batch

        by_player = {}
        for batch in (
            rebuilt.working.batches
            if hasattr(rebuilt.working, "batches")
            else rebuilt.working.entries.batches
        ):
            c = calculate_batch(batch)
            for row, player, expected, half, counted in zip(
                c.rows.row, c.rows.player, c.row_expected, c.rows.half_points, c.rows.counted, strict=True
            ):
                if counted:
                    by_player.setdefault(int(player) + batch.start, {})[int(row)] = Fraction(
                        int(50 * half - expected), 100
                    )
        ends = np.cumsum([0, *(len(e.players) for e in rebuilt.working.events)])
        place = {e.id: int(ends[i]) for i, e in enumerate(rebuilt.working.events)}
        for e, rows_of_games, event in reports:
            changes = [v for _, v in sorted(by_player[place[event.id]].items())]
            seen["games"] += sum(
                a == Fraction(g["fide_chg"]) for a, g in zip(changes, rows_of_games, strict=True)
            )
            row = entries.loc[(event.id, e["case"])]
            k = of(rebuilt, e["case"])["k_used"]
            seen["sums"] += row["w_minus_we"] == Fraction(e["chg"]) and k * row["w_minus_we"] == Fraction(
                e["K_chg"]
            )
        for row in mine:
            one = of(rebuilt, row["case"])
            seen["k"] += one["k_used"] * one["period_games"] <= 700 and str(one["k_used"]) == next(
                e["K"] for e in events if (e["case"], e["period"]) == (row["case"], period_id)
            )
            assert one["change"] == Fraction(row["total_change_shown"])
        published = make_list(
            [{"id": r["case"], "name": r["case"], "rating": float(r["rating_after"])} for r in mine],
            id=period_id,
            day=month(period_id),
        )
        comparison = compare(rebuilt, published)
        classes |= dict(zip(comparison.rows["id"], comparison.rows["class"], strict=True))
        if period_id == "2025-12":
            odd = comparison.differences.set_index("id").loc["P02"]
            assert next(c.cause for c in odd["causes"]) == "rounded-per-event"
    assert seen == {"games": 193, "sums": 30, "k": 12}
    assert {case for case, kind in classes.items() if kind == "agrees"} == {
        "P01",
        "P03",
        "P05",
        "M02",
        "M03",
        "M05",
        "M06",
        "M07",
    }
    assert {case for case, kind in classes.items() if kind == "base-corrected"} == {"P04", "M01", "M04"}
    assert classes["P02"] == "unexplained"


def test_fide_us_championship_2025(shared):
    players, games = (history(shared, f"fide_us_championship_2025_{n}") for n in ("players", "games"))
    number = {p["fide_id"]: i for i, p in enumerate(players, 1)}
    rows = [
        {
            "number": number[p["fide_id"]],
            "id": p["fide_id"],
            "name": p["fide_id"],
            "rating": float(p["rating_2025_10"]),
        }
        for p in players
    ]
    played = []
    for g in games:
        first, second = RESULTS[float(g["score_white"])]
        played.append(
            {
                "round": int(g["round"]),
                "first": number[g["white"]],
                "second": number[g["black"]],
                "first_result": first,
                "second_result": second,
                "kind": "played",
            }
        )
    event = make_event(
        id="us",
        players=rows,
        games=played,
        format="round-robin",
        start=date(2025, 10, 12),
        end=date(2025, 10, 25),
    )
    old = make_list(
        [
            {
                "id": p["fide_id"],
                "name": p["fide_id"],
                "rating": float(p["rating_2025_10"]),
                "k": float(p["k"]),
            }
            for p in players
        ],
        id="2025-10",
        day=date(2025, 10, 1),
    )
    rebuilt = rebuild_list([event], FIDE, [old], "2025-11")
    from qiyi_analysis.rating import rate

    working = rate(event, ruleset("fide/rating-standard/2025-10-01")).games.set_index(["number", "round"])
    right = 0
    for g in games:
        for side, sign in (("white", 1), ("black", -1)):
            row = working.loc[(number[g[side]], int(g["round"]))]
            right += round(row["score"] - row["expected"], 2) == round(float(g[f"fide_chg_{side}"]), 2)
            assert sign
    assert right == 132
    for p in players:
        other = Fraction(p["other_event_K_chg"] or 0)
        one = of(rebuilt, p["fide_id"])
        assert one["change"] == Fraction(p["K_chg"])
        total = one["change"] + other
        whole = int(abs(total) + Fraction(1, 2)) * (1 if total > 0 else -1)
        assert float(p["rating_2025_10"]) + whole == float(p["rating_2025_11"])


def test_xiangqi_new_man_of_a_round_robin_comes_on_the_list():
    """XQ-6: 2300 and eleven players, 5.5 points: 2334.5 is 2335; ten games, published from 2301 on."""
    others = [2420, 2400, 2390, 2380, 2370, 2360, 2350, 2340, 2330, 2310]
    event = swiss(
        "R", "2010-05-20", {"id": "N", "name": "N", "sex": "m"}, [{"rating": r, "sex": "m", "k": 15} for r in others], 5.5,
        format="round-robin",
    )  # fmt: skip
    rest = [
        {
            "round": 20 + 10 * i + j,
            "first": i + 2,
            "second": j + 2,
            "first_result": "=",
            "second_result": "=",
            "kind": "played",
            "line": 0,
            "colours_known": True,
        }
        for i in range(10)
        for j in range(i + 1, 10)
    ]
    event = event.with_games(make_event(players=[], games=[*event.games.to_dict("records"), *rest]).games)
    rebuilt = rebuild_list([event], CXA, [a_list("2010-01-01")], "2010-07")
    assert (of(rebuilt, "N")["rating"], of(rebuilt, "N")["status"]) == (2335, "newcomer")
    clause = ruleset("cxa/rating/undated").with_block("performance_clause", used=True)
    assert of(rebuild_list([event], clause, [a_list("2010-01-01")], "2010-07"), "N")["rating"] == 2378


def test_go_professionals_across_a_list():
    """GO-1 and GO-2: +9.2, and half of the points of an international event lose nothing."""
    old = a_list(
        "2026-04-30",
        {"id": "A", "name": "A", "rating": 2500, "k": 10},
        {"id": "B", "name": "B", "rating": 2700, "k": 10},
    )
    home = swiss("H", "2026-05-10", {"id": "A", "name": "A"}, [2540] * 7, 4)
    world = swiss(
        "W",
        "2026-05-20",
        {"id": "B", "name": "B"},
        [{"rating": 2500, "rank": 1}] * 6,
        3,
        extra={"international": True},
    )
    rebuilt = rebuild_list([home, world], "cwa/rating", [old], "2026-05")
    assert (of(rebuilt, "A")["rating"], of(rebuilt, "B")["rating"]) == (2509, 2700)
    assert rebuilt.list.day == date(2026, 5, 31)


def test_systems_that_publish_after_each_event_go_from_event_to_event():
    old = a_list(
        "2025-05-01", {"id": "A", "name": "A", "rating": 2100}, {"id": "B", "name": "B", "rating": 2100}
    )

    def game(id, end):
        return make_event(
            id=id, players=[{"number": 1, "id": "A", "name": "A"}, {"number": 2, "id": "B", "name": "B"}],
            games=[{"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"}],
            end=date.fromisoformat(end), start=date.fromisoformat(end), discipline="go", extra={"class": "A"},
        )  # fmt: skip

    rebuilt = rebuild_list([game("2", "2025-05-20"), game("1", "2025-05-10")], "egf/rating", [old], "2025-06")
    first = rebuilt.entries.iloc[0]
    assert (first["event"], first["rating"]) == ("1", 2100)
    assert rebuilt.entries["rating"].iloc[2] == pytest.approx(2109.306, abs=0.001)
    assert of(rebuilt, "A")["rating"] > 2109.306
    assert of(rebuilt, "A")["events_counted"] == 2


def test_fide_a_newcomer_is_rated_for_an_event_that_began_before_the_first_rating_was_out():
    """8.2.4: rated with the current rating; for the opponents of that event still unrated."""
    older = a_list("2025-10-01", {"id": "O", "name": "O", "rating": 1900, "k": 20})
    newer = a_list(
        "2025-11-01",
        {"id": "O", "name": "O", "rating": 1900, "k": 20},
        {"id": "N", "name": "N", "rating": 1850, "k": 40},
    )
    event = make_event(
        id="e", players=[{"number": 1, "id": "N", "name": "N"}, {"number": 2, "id": "O", "name": "O"}],
        games=[{"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"}],
        format="swiss", start=date(2025, 10, 30), end=date(2025, 11, 5),
    )  # fmt: skip
    rebuilt = rebuild_list([event], FIDE, [older, newer], "2025-12")
    # D = -50: .43; 40 x .57 = 22.8
    assert (of(rebuilt, "N")["rating"], of(rebuilt, "N")["period_games"]) == (1873, 1)
    assert (of(rebuilt, "O")["rating"], of(rebuilt, "O")["period_games"]) == (1900, 0)
