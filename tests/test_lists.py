"""Lists rebuilt from events: periods, inactivity, newcomers, several lists, differences, files, bad input."""

import csv
import json
from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

from qiyi_analysis.errors import EventError, ParameterError, RulesetError
from qiyi_analysis.lists import rebuild_list
from qiyi_analysis.lists.check import check_rows
from qiyi_analysis.lists.compare import compare
from qiyi_analysis.lists.files import put_whole, write_list
from qiyi_analysis.lists.k_arrays import choose_k as choose_many
from qiyi_analysis.lists.periods import following, period, period_of, preceding
from qiyi_analysis.lists.state import carried, read_state, state_of, with_carried
from qiyi_analysis.lists.summary import balance, movers, waiting
from qiyi_analysis.lists.write import csv_list, fide_text, fide_xml
from qiyi_analysis.model import make_event, make_list
from qiyi_analysis.rating.k_factor import KFacts, choose_k
from qiyi_analysis.ruleset import all_rulesets, ruleset

RESULTS = {1: ("1", "0"), 0.5: ("=", "="), 0: ("0", "1")}
CCA, CXA, FIDE = "cca/rating", "cxa/rating", "fide/rating-standard"


def swiss(id, end, player, opponents, score, *, start=None, format="swiss", **facts):
    """Player 1 against the opponents; columns of both as dicts."""
    left, games, rows = Fraction(str(score)), [], [{"number": 1, **player}]
    for i, opponent in enumerate(opponents, 2):
        columns = opponent if isinstance(opponent, dict) else {"rating": opponent}
        rows.append({"number": i, "name": f"{id} {i}", "id": f"{id}-{i}", **columns})
        points = float(min(left, 1))
        left -= Fraction(str(points))
        first, second = RESULTS[points]
        games.append({
            "round": i - 1, "first": 1, "second": i, "first_result": first, "second_result": second, "kind": "played",
        })  # fmt: skip
    end = date.fromisoformat(end)
    return make_event(
        id=id, players=rows, games=games, format=format, end=end,
        start=date.fromisoformat(start) if start else end, **facts,
    )  # fmt: skip


def a_list(day, *rows, id=None):
    return make_list(list(rows), id=id or f"list-{day}", day=date.fromisoformat(day))


def of(rebuilt, key):
    return rebuilt.players.set_index("key").loc[key]


# --- periods -----------------------------------------------------------------------------------------


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


# --- CCA -----------------------------------------------------------------------------------------------


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


# --- Xiangqi -----------------------------------------------------------------------------------------


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
        for month in (1, 7):
            state = rebuild_list([], CXA, [state], f"{year}-{month:02d}").state
            ratings.append(None if not len(state.rows) else state.rows["rating"].iloc[0])
    assert ratings == [2350, 2350, 2350, 2330, 2330, 2280, 2280, None]


def xiangqi_newcomer(events):
    """A new man who meets rated men; ``events`` are (id, end, ratings of the opponents, score)."""
    return [
        swiss(
            id,
            end,
            {"id": "N", "name": "N", "sex": "m"},
            [{"rating": r, "sex": "m", "k": 15} for r in ratings],
            score,
        )
        for id, end, ratings, score in events
    ]


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


# --- FIDE --------------------------------------------------------------------------------------------------


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


def history(shared, name):
    with (shared / "data" / "history" / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def period_events(events, games, case, period_id):
    """The reports of one player in one period, as FIDE's calculation pages print them."""
    for e in (e for e in events if (e["case"], e["period"]) == (case, period_id)):
        mine = [
            g for g in games if (g["case"], g["period"], g["event_id"]) == (case, period_id, e["event_id"])
        ]
        rows = [{"number": 1, "id": case, "name": case, "rating": float(e["Ro"])}]
        played = []
        for i, g in enumerate(mine, 2):
            rows.append(
                {
                    "number": i,
                    "id": f"{case}{e['event_id']}{i}",
                    "name": f"O{i}",
                    "rating": float(g["opponent_rating_used"]),
                }
            )
            first, second = RESULTS[float(g["score"])]
            played.append(
                {
                    "round": i - 1,
                    "first": 1,
                    "second": i,
                    "first_result": first,
                    "second_result": second,
                    "kind": "played",
                }
            )
        yield e, mine, make_event(
            id=f"{case}-{e['event_id']}", players=rows, games=played, format="swiss",
            start=date.fromisoformat(e["start"]), end=date.fromisoformat(e["end"]),
        )  # fmt: skip


def month(text):
    return date(int(text[:4]), int(text[5:7]), 1)


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
            right += row["score"] - row["expected"] == round(
                float(g[f"fide_chg_{side}"]) * 100
            ) / 100 or Fraction(row["score"] - row["expected"]) == Fraction(g[f"fide_chg_{side}"])
            assert sign
    assert right == 132
    for p in players:
        other = Fraction(p["other_event_K_chg"] or 0)
        one = of(rebuilt, p["fide_id"])
        assert one["change"] == Fraction(p["K_chg"])
        total = one["change"] + other
        whole = int(abs(total) + Fraction(1, 2)) * (1 if total > 0 else -1)
        assert float(p["rating_2025_10"]) + whole == float(p["rating_2025_11"])


# --- differences ----------------------------------------------------------------------------------------


def two_events():
    old = a_list(
        "2025-11-01",
        *(
            {
                "id": c,
                "name": f"Player {c}",
                "rating": 2000 + 37 * i,
                "k": 20,
                "unit": "u",
                "games": 50,
                "peak": 2200,
            }
            for i, c in enumerate("ABCDEF")
        ),
    )

    def table(id, end, pairs):
        who = sorted({c for a, b, _ in pairs for c in (a, b)})
        place = {c: i for i, c in enumerate(who, 1)}
        rows = [{"number": place[c], "id": c, "name": f"Player {c}"} for c in who]
        games = [
            {
                "round": i,
                "first": place[a],
                "second": place[b],
                "first_result": RESULTS[s][0],
                "second_result": RESULTS[s][1],
                "kind": "played",
            }
            for i, (a, b, s) in enumerate(pairs, 1)
        ]
        return make_event(
            id=id,
            players=rows,
            games=games,
            format="swiss",
            start=date.fromisoformat(end),
            end=date.fromisoformat(end),
        )

    one = table(
        "one", "2025-11-05", [("A", "B", 1), ("C", "D", 0.5), ("A", "C", 1), ("B", "D", 1), ("E", "F", 0)]
    )
    two = table(
        "two", "2025-11-12", [("A", "D", 1), ("B", "C", 1), ("A", "E", 0.5), ("B", "E", 1), ("D", "F", 1)]
    )
    return old, one, two


def published(rebuilt, day="2025-12-01", **changes):
    rows = [
        {"id": r["id"], "name": r["name"], "rating": changes.get(r["id"], r["rating"])}
        for r in rebuilt.list.rows.to_dict("records")
        if changes.get(r["id"], 0) is not None
    ]
    return make_list(rows, id="published", day=date.fromisoformat(day))


def test_an_event_left_out_of_the_published_list_is_found_for_all_its_players():
    old, one, two = two_events()
    without = rebuild_list([one], FIDE, [old], "2025-12")
    rebuilt = rebuild_list([one, two], FIDE, [old], "2025-12")
    comparison = compare(rebuilt, published(without))
    changed = comparison.differences
    assert len(changed) == 6
    assert set(changed["class"]) == {"event-missing"}
    best = [row[0] for row in changed["causes"]]
    assert {(c.cause, c.detail) for c in best} == {("event-left-out", "two")}
    assert all(c.explains == 6 for c in best)


def test_an_event_counted_twice_is_found():
    old, one, two = two_events()
    rebuilt = rebuild_list([one, two], FIDE, [old], "2025-12")
    entries = rebuilt.entries.set_index(["person", "event"])["change"]
    twice = {}
    for key in "AB":
        total = of(rebuilt, key)["change"] + entries[key, "two"]
        twice[key] = of(rebuilt, key)["previous"] + int(total + Fraction(1, 2))
    comparison = compare(rebuilt, published(rebuilt, **twice))
    assert set(comparison.differences["class"]) == {"event-twice"}


def test_another_edition_explains_a_player_of_2650():
    old = a_list(
        "2025-11-01",
        {"id": "P", "name": "P", "rating": 2700, "k": 10},
        {"id": "Q", "name": "Q", "rating": 2100, "k": 20},
    )
    rows = [{"number": 1, "id": "P", "name": "P"}, {"number": 2, "id": "Q", "name": "Q"}]
    games = [
        {"round": i, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"}
        for i in range(1, 9)
    ]
    event = make_event(
        id="e", players=rows, games=games, format="swiss", start=date(2025, 11, 5), end=date(2025, 11, 9)
    )
    rebuilt = rebuild_list([event], FIDE, [old], "2025-12")
    assert of(rebuilt, "P")["rating"] == 2702
    comparison = compare(rebuilt, published(rebuilt, P=2706))
    row = comparison.differences.iloc[0]
    assert row["class"] == "explained"
    assert ("other-edition", "fide/rating-standard/2024-03-01") in {
        (c.cause, c.detail) for c in row["causes"]
    }


def test_players_on_one_list_only_and_wrong_numbers_without_a_cause():
    old, one, two = two_events()
    rebuilt = rebuild_list([one, two], FIDE, [old], "2025-12")
    other = published(rebuilt, A=1234, F=None)
    extra = make_list(
        [*other.rows.to_dict("records"), {"id": "Z", "name": "Z", "rating": 1800, "line": 9}],
        id="published",
        day=date(2025, 12, 1),
    )
    comparison = compare(rebuilt, extra)
    assert dict(zip(comparison.differences["id"], comparison.differences["class"], strict=True)) == {
        "A": "unexplained", "F": "not-published", "Z": "only-published",
    }  # fmt: skip
    assert comparison.counts["agrees"] == 4
    assert [f.severity for f in comparison.findings].count("W") == 3
    wrong_day = compare(rebuilt, published(rebuilt, day="2025-11-01"))
    assert "published-of-another-period" in [f.reason for f in wrong_day.findings]


def test_the_points_of_the_period_add_up():
    old, one, two = two_events()
    rebuilt = rebuild_list([one, two], FIDE, [old], "2025-12")
    sums = balance(rebuilt)
    assert sums.after - sums.before == sums.played + sums.adjusted + sums.entered - sums.left
    assert movers(rebuilt)["moved"].abs().is_monotonic_decreasing


# --- bad input ----------------------------------------------------------------------------------------------


def reasons(rebuilt):
    return {f.reason for f in rebuilt.findings}


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"id": "1", "name": "A", "rating": 1}, {"id": "1", "name": "B", "rating": 2}], "row-id-twice"),
        ([{"id": "1", "name": "A", "rating": 1}, {"id": "1", "name": "A", "rating": 1}], "list-row-twice"),
        ([{"id": "1.2E+10", "name": "A", "rating": 1}], "list-id-exponent"),
        (
            [{"id": i, "name": i, "rating": 1} for i in ("00123", "00124", "00125", "126")],
            "list-id-zeros-lost",
        ),
        ([{"id": "1", "name": "A", "rating": 1, "last_event": "45992"}], "list-date-serial"),
        ([{"id": "1", "name": "A", "rating": 1, "birth_year": 36526}], "list-date-serial"),
        ([{"id": "1", "name": "A"}], "list-without-ratings"),
        ([], "list-empty"),
    ],
)
def test_damaged_rows_of_a_list_are_named(rows, reason):
    _, findings = check_rows(state_of(make_list(rows)).rows, "list")
    assert reason in [f.reason for f in findings]
    assert all(f.message("zh") and f.message("en") for f in findings)


def test_serial_dates_are_read_as_days():
    rows, _ = check_rows(
        state_of(
            make_list([{"id": "1", "name": "A", "rating": 1, "last_event": "45992", "birth_year": 36526}])
        ).rows,
        "list",
    )
    assert (rows["last_event"][0], rows["birth_year"][0]) == ("2025-12-01", 2000)


def test_a_list_of_another_period_is_named():
    old = a_list("2025-09-01", {"id": "P", "name": "P", "rating": 2000, "k": 20})
    assert "list-of-another-period" in reasons(rebuild_list([], FIDE, [old], "2025-12"))
    later = a_list("2026-02-01", {"id": "P", "name": "P", "rating": 2000, "k": 20})
    assert "list-of-later-period" in reasons(rebuild_list([], FIDE, [later], "2025-12"))


def test_events_of_no_period_of_another_and_twice_are_left_out_and_named():
    old, one, two = two_events()
    import dataclasses

    undated = dataclasses.replace(one, id="undated", start=None, end=None)
    january = dataclasses.replace(one, id="january", start=date(2026, 1, 5), end=date(2026, 1, 5))
    renamed = dataclasses.replace(two, id="renamed")
    empty = dataclasses.replace(one, id="empty", games=one.games.iloc[:0])
    rebuilt = rebuild_list([one, two, undated, january, renamed, one, empty], FIDE, [old], "2025-12")
    assert {
        "event-without-date",
        "event-of-another-period",
        "event-twice",
        "event-id-twice",
        "event-no-games",
    } <= reasons(rebuilt)
    assert rebuilt.ledger["state"].value_counts().to_dict() == {"left-out": 5, "counted": 2}
    assert of(rebuilt, "A")["period_games"] == 4
    again = rebuild_list([one], FIDE, [dataclasses.replace(rebuilt.state, day=date(2025, 11, 1))], "2025-12")
    assert "event-counted-before" in reasons(again)
    assert all(f.message("zh") and f.message("en") for f in rebuilt.findings)


def test_one_name_is_never_merged_on_doubt():
    old = a_list(
        "2025-11-01",
        {"name": "Wang Wei", "rating": 2000, "k": 20},
        {"name": "wang, wei", "rating": 2100, "k": 20},
        {"name": "Li Na", "sex": "w", "rating": 1900, "k": 20},
    )
    rows = [{"number": 1, "name": "Wang Wei"}, {"number": 2, "name": "Li Na", "sex": "m", "rating": 1500}]
    games = [
        {"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"}
    ]
    event = make_event(id="e", players=rows, games=games, start=date(2025, 11, 5), end=date(2025, 11, 5))
    rebuilt = rebuild_list([event], FIDE, [old], "2025-12")
    assert {"list-name-ambiguous", "list-name-contradicts"} <= reasons(rebuilt)
    assert rebuilt.list.rows["rating"].tolist() == [2100, 2000, 1900]


def test_a_name_under_two_ids_on_two_lists_is_named():
    older = a_list("2025-10-01", {"id": "1", "name": "Chen", "rating": 2000, "k": 20})
    newer = a_list("2025-11-01", {"id": "2", "name": "Chen", "rating": 2000, "k": 20})
    assert "one-name-two-ids" in reasons(rebuild_list([], FIDE, [older, newer], "2025-12"))


def test_what_ends_the_work():
    old = a_list("2025-11-01", {"id": "P", "name": "P", "rating": 2000})
    with pytest.raises(EventError, match="no previous list"):
        rebuild_list([], FIDE, [], "2025-12")
    with pytest.raises(RulesetError, match="kind titles"):
        rebuild_list([], "fide/titles/2024-01-01", [old], "2025-12")


# --- K on arrays, files, the command -------------------------------------------------------------------------


def test_k_of_many_players_is_k_of_each():
    rng = np.random.default_rng(7)
    size = 400
    facts = {
        "rating": rng.integers(1400, 2700, size).astype(float), "peak": rng.integers(1400, 2800, size).astype(float),
        "games": rng.integers(0, 60, size).astype(float), "events": rng.integers(0, 6, size).astype(float),
        "birth_year": rng.integers(1990, 2014, size).astype(float),
    }  # fmt: skip
    for values in facts.values():
        values[rng.random(size) < 0.3] = np.nan
    day = date(2025, 11, 1)
    for rules in all_rulesets():
        if not rules.rows("k_factor"):
            continue
        many = choose_many(rules, facts, day)
        for i in range(size):
            own = {name: None if np.isnan(v[i]) else float(v[i]) for name, v in facts.items()}
            assert many[i] == (choose_k(rules, KFacts(day=day, **own)).k or 0), (rules.id, own)


def test_the_carried_facts_come_back():
    first, _ = xiangqi_newcomer([("A", "2010-05-01", [2380] * 5, 3.5), ("B", "2011-03-01", [2380] * 4, 3)])
    old = state_of(
        a_list(
            "2010-01-01",
            {
                "id": "M",
                "name": "M",
                "sex": "m",
                "rating": 2310,
                "k": 15,
                "games": 20,
                "last_event": "2008-06-01",
            },
        )
    )
    state = rebuild_list([first], CXA, [old], "2010-07").state
    text = carried(state)
    shown = make_list(
        state.rows[state.rows["published"]].drop(columns=["events", "idle_years", "published"]), day=state.day
    )
    back = with_carried(state_of(shown), text, "carry")
    assert carried(back) == text


def test_files_are_written_and_read_back(tmp_path):
    old, one, two = two_events()
    rebuilt = rebuild_list([one, two], FIDE, [old], "2025-12")
    paths = write_list(rebuilt, compare(rebuilt, published(rebuilt)), tmp_path)
    first = {name: path.read_bytes() for name, path in paths.items()}
    write_list(rebuilt, compare(rebuilt, published(rebuilt)), tmp_path)
    assert first == {name: path.read_bytes() for name, path in paths.items()}
    back = read_state(paths["csv"])
    assert back.day == date(2025, 12, 1)
    assert back.rows["rating"].tolist() == rebuilt.list.rows["rating"].tolist()
    assert back.counted == ("one", "two")
    assert csv_list(rebuilt.list).startswith("\ufeffid,name,sex,")
    from qiyi_analysis.readers import read_list

    for name in ("txt", "xml"):
        again = read_list(paths[name])
        assert again.rows["rating"].tolist() == rebuilt.list.rows["rating"].tolist(), name
        assert again.rows["id"].tolist() == rebuilt.list.rows["id"].tolist(), name


def test_cells_that_excel_would_run_are_disarmed():
    one = make_list([{"id": "1", "name": "=cmd()", "rating": 2000}], document="fide/rating-standard")
    assert ",'=cmd()," not in csv_list(one).splitlines()[0]
    assert "'=cmd()" in csv_list(one)
    assert "<name>=cmd()</name>" in fide_xml(one)
    long_name = make_list([{"id": "1", "name": "x" * 70, "rating": 2000}], document="fide/rating-standard")
    with pytest.raises(Exception, match="expected at most 60 characters"):
        fide_text(long_name)


def write_event(folder, event):
    folder.mkdir(parents=True)
    with (folder / "players.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["no", "id", "name"])
        writer.writerows(event.players[["number", "id", "name"]].to_numpy().tolist())
    score = {"1": "1", "=": "0.5", "0": "0"}
    with (folder / "games.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["round", "white", "black", "white_score", "black_score", "kind"])
        for g in event.games.to_dict("records"):
            writer.writerow(
                [
                    g["round"],
                    g["first"],
                    g["second"],
                    score[g["first_result"]],
                    score[g["second_result"]],
                    "played",
                ]
            )
    meta = {
        "slug": event.id,
        "game": "chess",
        "format": "Swiss",
        "start": str(event.start),
        "end": str(event.end),
    }
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")


def test_the_command_rebuilds_compares_and_rolls_on(tmp_path):
    from qiyi_analysis.cli.list import command

    old, one, two = two_events()
    put_whole(tmp_path / "list-2025-11-01.csv", csv_list(old).encode())
    for event in (one, two):
        write_event(tmp_path / "events" / event.id, event)
    (tmp_path / "events" / "broken.csv").write_text("", encoding="utf-8")
    rebuilt = rebuild_list([one, two], FIDE, [old], "2025-12")
    put_whole(tmp_path / "list-2025-12-01.csv", csv_list(published(rebuilt, A=1234.0)).encode())
    arguments = [
        "--rules", FIDE, "--previous", str(tmp_path / "list-2025-11-01.csv"), "--events", str(tmp_path / "events"),
        "--period", "2025-12", "--published", str(tmp_path / "list-2025-12-01.csv"), "--json",
        "--out", str(tmp_path / "out"), "--formats", "json",
    ]  # fmt: skip
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert result.exception is None, result.exception
    assert result.return_value == 1
    answer = json.loads(result.stdout)
    assert {p["id"]: p["rating"] for p in answer["players"]} == dict(
        zip(rebuilt.list.rows["id"], rebuilt.list.rows["rating"].astype(int), strict=True)
    )
    assert [(d["id"], d["class"], d["published"]) for d in answer["differences"]] == [
        ("A", "unexplained", 1234)
    ]
    assert "report-unreadable" in {
        f["message"] and f["code"] and "report-unreadable" for f in answer["findings"] if f["code"] == "CK50"
    }
    assert all(isinstance(p["change"], str) for p in answer["players"])
    assert (tmp_path / "out" / "list-2025-12-01.csv").is_file()
    assert read_state(tmp_path / "out" / "list-2025-12-01.csv").counted == ("one", "two")


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


def test_the_ledger_knows_fees_and_late_reports():
    """CCA-7: 60 entries at 200, 3 per cent of 12000 is 360; ten days for the report."""
    old = a_list("2007-12-01", {"id": "M", "name": "M", "sex": "m", "rating": 1500, "k": 10})
    facts = {"entry_fees": 12000, "received": "2008-01-25"}
    event = swiss("E", "2008-01-10", {"id": "M", "name": "M", "sex": "m"}, [1500, 1500], 1, extra=facts)
    early = swiss(
        "F",
        "2008-01-11",
        {"id": "M", "name": "M", "sex": "m"},
        [1500, 1500],
        1,
        extra={"received": "2008-01-12"},
    )
    ledger = rebuild_list([event, early], CCA, [old], "2008-02").ledger.set_index("event")
    assert ledger.loc["E", "fee"] == 360
    assert ledger["late"].tolist() == [True, False]
    assert ledger.loc["E", "due"] == date(2008, 1, 20)


def test_a_deduction_that_was_not_made_is_found():
    state = state_of(
        a_list(
            "2012-01-01",
            {"id": "M", "name": "M", "sex": "m", "rating": 2400, "k": 15, "last_event": "2010-05-20"},
        )
    )
    state.rows["idle_years"] = 1.0
    rebuilt = rebuild_list([], CXA, [state], "2012-07")
    assert rebuilt.list.rows["rating"].tolist() == [2380]
    row = compare(
        rebuilt, make_list([{"id": "M", "name": "M", "rating": 2400}], day=date(2012, 7, 1))
    ).differences.iloc[0]
    assert (row["class"], [c.cause for c in row["causes"]]) == ("explained", ["deduction-left-out"])


def test_two_exchanged_numbers_are_found():
    old, one, two = two_events()
    rebuilt = rebuild_list([one, two], FIDE, [old], "2025-12")
    a, f = of(rebuilt, "A")["rating"], of(rebuilt, "F")["rating"]
    rows = compare(rebuilt, published(rebuilt, A=f, F=a)).differences.set_index("id")
    assert [c.detail for c in rows.loc["A", "causes"] if c.cause == "other-row"] == ["F"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--period": "2025-13"}, "expected the month"),
        ({"--rules": "fide/nothing"}, "unknown rule set"),
        ({"--events": "nowhere"}, "no such folder"),
    ],
)
def test_the_command_ends_with_a_message(tmp_path, change, message, capsys):
    from qiyi_analysis.cli import main

    put_whole(tmp_path / "list-2025-11-01.csv", csv_list(two_events()[0]).encode())
    (tmp_path / "events").mkdir()
    options = {
        "--rules": FIDE,
        "--previous": str(tmp_path / "list-2025-11-01.csv"),
        "--events": str(tmp_path / "events"),
        "--period": "2025-12",
        **change,
    }
    with pytest.raises(SystemExit) as stop:
        main(["list", *(part for pair in options.items() for part in pair), "--json"])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


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
