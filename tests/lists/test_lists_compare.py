"""The rebuilt list against the published one: classes, causes, sums."""

from datetime import date
from fractions import Fraction

from lists_made import CXA, FIDE, a_list, of, published, two_events

from qiyi_analysis.lists import rebuild_list
from qiyi_analysis.lists.list_comparison import compare
from qiyi_analysis.lists.movements import balance, movers
from qiyi_analysis.lists.state import state_of
from qiyi_analysis.model.event import make_event
from qiyi_analysis.model.rating_list import make_list


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


def test_doubtful_rows_of_the_published_list_name_who_may_be_meant():
    old, one, two = two_events()
    rebuilt = rebuild_list([one, two], FIDE, [old], "2025-12")
    rows = published(rebuilt, A=None).rows.to_dict("records")
    # Written otherwise, without id; and an id that nobody has beside a name that somebody has.
    rows = [
        row if row["id"] != "B" else {**row, "id": "", "name": "B Player", "line": 8, "unit": ""}
        for row in rows
    ]
    rows = [row if row["id"] != "C" else {**row, "id": "X9", "line": 9} for row in rows]
    comparison = compare(rebuilt, make_list(rows, id="published", day=date(2025, 12, 1)))
    found = comparison.differences[["name", "class"]].to_numpy().tolist()
    assert sorted(found) == [
        ["B Player", "doubtful"], ["Player A", "not-published"], ["Player B", "doubtful"], ["Player C", "doubtful"],
        ["Player C", "doubtful"],
    ]  # fmt: skip
    assert comparison.counts["doubtful"] == 4
    told = {f.line: f for f in comparison.findings if f.reason == "published-row-doubtful"}
    assert "Player B (B, u)" in told[8].message("en")
    assert "Player C（C、u）" in told[9].message("zh")
    assert [f.code for f in told.values()] == ["CK11", "CK11"]
    # Nobody is accused of being left out who may be there.
    left_out = [f.values["name"] for f in comparison.findings if f.code == "CK26"]
    assert left_out == ["Player A"]
