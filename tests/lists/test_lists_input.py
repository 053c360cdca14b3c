"""Bad input: named, never merged or dropped in silence."""

from datetime import date

import pytest
from lists_made import FIDE, a_list, of, reasons, two_events

from qiyi_analysis.lists import rebuild_list
from qiyi_analysis.lists.before_rebuild import check_rows
from qiyi_analysis.lists.state import state_of
from qiyi_analysis.model.errors import EventError, RulesetError
from qiyi_analysis.model.event import make_event
from qiyi_analysis.model.rating_list import make_list


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
    doubts = {f.player: str(f.values["candidates"]) for f in rebuilt.findings if f.reason == "name-doubtful"}
    assert doubts == {1: "Wang Wei (-); wang, wei (-)", 2: "Li Na (-)"}
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


def test_an_id_with_zeros_in_front_is_the_same_id():
    rows = [{"id": "0008600001", "name": "A", "rating": 1}, {"id": "8600001", "name": "A", "rating": 1}]
    kept, findings = check_rows(state_of(make_list(rows)).rows, "list")
    assert [f.reason for f in findings] == ["list-row-twice"]
    assert len(kept) == 1
    older = a_list("2025-10-01", {"id": "8600001", "name": "A", "rating": 2000, "k": 20})
    newer = a_list("2025-11-01", {"id": "0008600001", "name": "A", "rating": 2010, "k": 20})
    assert "one-name-two-ids" not in reasons(rebuild_list([], FIDE, [newer, older], "2025-12"))
    other = a_list("2025-10-01", {"id": "8600010", "name": "A", "rating": 2000, "k": 20})
    assert "one-name-two-ids" in reasons(rebuild_list([], FIDE, [newer, other], "2025-12"))
