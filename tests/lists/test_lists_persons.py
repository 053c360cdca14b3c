"""Who the players of a period are: on the list, one newcomer in several events, or not decided."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from lists_made import CCA, CXA, FIDE, a_list, of, swiss, xiangqi_newcomer

from qiyi_analysis.lists import rebuild_list
from qiyi_analysis.lists.persons import find_persons
from qiyi_analysis.lists.state import POOL_COLUMNS, state_of
from qiyi_analysis.model.event import make_event
from qiyi_analysis.model.frame import frame

STATE = state_of(a_list("2025-01-01", {"id": "L1", "name": "张三", "birth_year": 1980, "rating": 2000}))


def found(
    *events: list[dict[str, Any]] | dict[str, Any], pool: tuple[str, ...] = ()
) -> tuple[Any, list[str]]:
    """The person of each entry, numbered anew in order, and reason of each finding."""
    made = [
        make_event(
            id=f"E{place}",
            players=[
                {"number": i, **row} for i, row in enumerate([one] if isinstance(one, dict) else one, 1)
            ],
            games=[],
        )
        for place, one in enumerate(events, 1)
    ]
    rows = [{"person": person, "event": "x", "end": "2024-12-01", "games": 1} for person in pool]
    persons = find_persons(made, replace(STATE, pool=frame(rows, POOL_COLUMNS)))
    order: dict[int, int] = {}
    numbers = [order.setdefault(person, len(order)) for person in persons.entry.tolist()]
    return numbers, [f.reason for f in persons.findings if f.code != "CK44"]


JOINED: dict[str, list[Any]] = {
    "the name written the same": [{"name": "Hou, Yifan"}, {"name": "HOU Yifan"}],
    "characters and unit": [{"name": "呂欽", "unit": "广东"}, {"name": "吕钦", "unit": "广东队"}],
    "another order and birth year": [{"name": "Yifan Hou", "birth_year": 1994}, {"name": "Hou Yifan", "birth_year": 1994}],
    "birth year against another rating": [
        {"name": "王涛", "birth_year": 1990, "rating": 1500}, {"name": "王涛", "birth_year": 1990, "rating": 1800},
    ],
    "birth year against another unit": [
        {"name": "王涛", "birth_year": 1990, "unit": "北京"}, {"name": "王涛", "birth_year": 1990, "unit": "上海"},
    ],
    "one id": [{"id": "N1", "name": "王涛"}, {"id": "N1", "name": "王濤"}],
    "one with the id, the other with the birth year": [
        {"id": "N1", "name": "王涛", "birth_year": 1990}, {"name": "王涛", "birth_year": 1990},
    ],
}  # fmt: skip
APART: dict[str, tuple[list[Any], list[str]]] = {
    "another spelling alone": ([{"name": "Yifan Hou"}, {"name": "Hou Yifan"}], ["newcomer-doubtful"]),
    "two ratings": (
        [{"name": "王涛", "rating": 1500}, {"name": "王涛", "rating": 1800}], ["newcomer-doubtful"],
    ),
    "the unit alone beside two ratings": (
        [{"name": "王涛", "unit": "北京", "rating": 1500}, {"name": "王涛", "unit": "北京", "rating": 1800}],
        ["newcomer-doubtful"],
    ),
    "birth years": ([{"name": "王涛", "birth_year": 1990}, {"name": "王涛", "birth_year": 1991}], []),
    "units": ([{"name": "王涛", "unit": "北京"}, {"name": "王涛", "unit": "上海"}], []),
    "sexes": ([{"name": "王涛", "sex": "m"}, {"name": "王涛", "sex": "w"}], []),
    "ids": ([{"id": "N1", "name": "王涛"}, {"id": "N2", "name": "王涛"}], []),
    "one id and two birth years": (
        [{"id": "N1", "name": "王涛", "birth_year": 1990}, {"id": "N1", "name": "李雷", "birth_year": 1991}],
        ["newcomer-id-of-two"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("entries", JOINED.values(), ids=JOINED)
def test_newcomers_of_two_events_who_are_one(entries: list[Any]) -> None:
    assert found(*entries)[0] == [0, 0]
    assert found(*reversed(entries))[0] == [0, 0]


@pytest.mark.parametrize(("entries", "reasons"), APART.values(), ids=APART)
def test_newcomers_of_two_events_who_stay_two(entries: list[Any], reasons: list[str]) -> None:
    assert found(*entries) == ([0, 1], reasons)
    assert found(*reversed(entries)) == ([0, 1], reasons)


def test_a_name_without_facts_is_nobodys_where_two_have_it() -> None:
    north, south, bare = {"name": "王涛", "unit": "北京"}, {"name": "王涛", "unit": "上海"}, {"name": "王涛"}
    for entries in ((north, south, bare), (bare, north, south), (north, bare, south)):
        numbers, reasons = found(*entries)
        assert numbers == [0, 1, 2]
        assert set(reasons) == {"newcomer-doubtful"}
    # Two of one event are two, so the third of another event is nobody's either.
    assert found([bare, bare], bare) == ([0, 1, 2], ["newcomer-doubtful"])


def test_another_name_under_the_id_is_told() -> None:
    entries = [{"id": "N1", "name": "王涛"}, {"id": "N1", "name": "李雷"}]
    assert found(*entries) == ([0, 0], ["newcomer-other-name"])


def test_candidates_name_the_event_and_the_player() -> None:
    events = [
        make_event(id="甲", players=[{"number": 7, "name": "Yifan Hou", "unit": "北京"}], games=[]),
        make_event(id="乙", players=[{"number": 3, "name": "Hou Yifan", "line": 4}], games=[]),
    ]
    finding = next(f for f in find_persons(events, STATE).findings if f.reason == "newcomer-doubtful")
    assert (finding.file, finding.line, finding.player) == ("乙", 4, 3)
    assert "甲: 7 Yifan Hou（北京）" in finding.message("zh")
    assert "甲: 7 Yifan Hou (北京)" in finding.message("en")


def test_games_that_wait_are_joined_by_id_or_by_the_name_of_one() -> None:
    def keys(*events: dict[str, Any], pool: tuple[str, ...]) -> tuple[list[str], list[str]]:
        made = [
            make_event(id=f"E{i}", players=[{"number": 1, **row}], games=[]) for i, row in enumerate(events)
        ]
        rows = frame([{"person": person} for person in pool], POOL_COLUMNS)
        persons = find_persons(made, replace(STATE, pool=rows))
        return list(persons.keys[1:]), [f.reason for f in persons.findings if f.code != "CK44"]

    assert keys({"id": "N1", "name": "王涛"}, pool=("N1",)) == (["N1"], [])
    assert keys({"name": "HOU Yifan"}, pool=("Hou, Yifan",)) == (["Hou, Yifan"], [])
    assert keys({"name": "Yifan Hou"}, pool=("Hou, Yifan",)) == (["Yifan Hou"], ["newcomer-doubtful"])
    two = keys({"name": "王涛", "unit": "北京"}, {"name": "王涛", "unit": "上海"}, pool=("王涛",))
    assert two == (["王涛 (E0 1)", "王涛 (E1 1)"], ["newcomer-doubtful"] * 2)


def test_a_newcomer_in_two_spellings_is_rated_once() -> None:
    first, second = xiangqi_newcomer([("A", "2010-02-01", [2400] * 5, 3), ("B", "2010-03-01", [2400] * 4, 3)])
    spelled = [
        event.with_players(
            id=["", *event.players["id"].tolist()[1:]], name=[name, *event.players["name"].tolist()[1:]],
            unit=["广东", *event.players["unit"].tolist()[1:]],
        )
        for event, name in ((first, "呂欽"), (second, "吕钦"))
    ]  # fmt: skip
    rebuilt = rebuild_list(spelled, CXA, [a_list("2010-01-01")], "2010-07")
    with_id = rebuild_list([first, second], CXA, [a_list("2010-01-01")], "2010-07")
    rows = rebuilt.players[rebuilt.players["name"].isin(["呂欽", "吕钦"])]
    assert len(rows) == 1
    assert rows["rating"].iloc[0] == of(with_id, "N")["rating"]


@pytest.mark.parametrize(
    ("rules", "day", "end", "period"),
    [
        (FIDE, "2025-01-01", "2025-01-20", "2025-02"),
        (CCA, "2007-12-01", "2008-01-05", "2008-02"),
        ("egf/rating", "2025-01-01", "2025-01-20", "2025-02"),
    ],
)
def test_an_id_of_the_list_under_another_name_becomes_no_second_person(
    rules: str, day: str, end: str, period: str
) -> None:
    rated = [
        {"id": f"R{i}", "name": f"Rated {i}", "rating": 1900 + i, "k": 20, "games": 50} for i in range(6)
    ]
    listed = [
        {"id": "A1", "name": "Wang Tao", "birth_year": 1980, "rating": 2000, "k": 20, "games": 50},
        {"id": "A2", "name": "Li Lei", "birth_year": 1990, "rating": 1900, "k": 20, "games": 50},
        *rated,
    ]
    # The id of one, the name of the other.
    player = {"id": "A1", "name": "Li Lei", "birth_year": 1990}
    event = swiss("E", end, player, [{"id": r["id"], "name": r["name"]} for r in rated], 4)
    rebuilt = rebuild_list([event], rules, [a_list(day, *listed)], period)
    ids = rebuilt.list.rows["id"].tolist()
    assert sorted(ids) == sorted({*ids})
    assert "id-and-name-of-two" in [f.reason for f in rebuilt.findings]
    undecided = rebuilt.players[rebuilt.players["key"] == "Li Lei (E 1)"]
    assert set(undecided["reason"]) <= {"who-is-not-decided"}
    assert len(rebuilt.state.pool) == 0
    assert not np.isnan(of(rebuilt, "A1")["rating"])
