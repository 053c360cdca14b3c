"""Who is who: spellings of one name, namesakes, and nothing merged on doubt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qiyi_analysis.identity import match_players, name_keys, namesakes, same_name
from qiyi_analysis.model import make_event, make_list


def test_names_that_differ_only_by_spelling(shared: Path) -> None:
    path = shared / "cases" / "C42-names-that-differ-only-by-spelling.json"
    case = json.loads(path.read_text(encoding="utf-8"))
    found = [same_name(*pair) for pair in case["input"]["pairs"]]
    assert found == case["expected"]["same_after_normalisation"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("吕钦", "呂欽", True), ("胡荣华", "胡榮華", True), ("许银川", "許銀川", True), ("Hou Yifan", "YIFAN HOU", True),
        ("Hou Yi Fan", "Hou Yifan", True), ("WU/yiming", "Wu Yiming", True), ("Ｗang１", "wang1", True), ("Łukasz Đurić", "Lukasz Duric", True),
        ("Wang Tao", "Wang Hao", False), ("柳大华", "柳天", False), ("", "", False), ("Müller", "Moller", False),
    ],
)  # fmt: skip
def test_spellings(one: str, other: str, same: bool) -> None:
    assert same_name(one, other) is same
    assert same_name(other, one) is same


LIST = make_list(
    [
        {"id": "A1", "name": "王涛", "unit": "北京", "birth_year": 1990, "rating": 2300, "line": 2},
        {"id": "A2", "name": "王涛", "unit": "上海", "birth_year": 1985, "rating": 2200, "line": 3},
        {
            "id": "A3",
            "name": "Sørensen, Nils",
            "federation": "DEN",
            "birth_year": 2001,
            "rating": 2100,
            "line": 4,
        },
    ]
)


def matched(**player: object) -> tuple[int, str, list[tuple[str, str]]]:
    event = make_event(players=[{"number": 1, **player}], games=[])
    found = match_players(event, LIST)
    return int(found.row[0]), found.how[0], [(f.code, f.reason) for f in found.findings]


def test_the_id_decides_and_another_name_is_reported() -> None:
    assert matched(id="A2", name="王濤") == (1, "id", [])
    assert matched(id="A3", name="Olsen, Ole") == (2, "id", [("CK10", "id-with-other-name")])


def test_namesakes_are_told_apart_by_unit_or_birth_year() -> None:
    assert matched(name="王濤", unit="上海") == (1, "name", [("CK11", "identity-by-name")])
    assert matched(name="王涛", birth_year=1990) == (0, "name", [("CK11", "identity-by-name")])


def test_a_name_alone_is_never_merged() -> None:
    assert matched(name="王涛") == (-1, "doubtful", [("CK11", "name-doubtful")])
    assert matched(name="Nils Sorensen") == (-1, "doubtful", [("CK11", "name-doubtful")])
    assert matched(name="Nils Sorensen", birth_year=1999) == (-1, "doubtful", [("CK11", "name-doubtful")])
    assert matched(name="Nils Sorensen", federation="SWE", birth_year=2001)[0] == -1
    assert matched(id="Z9", name="Nils Sorensen", birth_year=2001) == (
        -1,
        "doubtful",
        [("CK11", "name-under-other-id")],
    )
    assert matched(name="Nobody") == (-1, "none", [])


def test_candidates_are_named() -> None:
    event = make_event(players=[{"number": 7, "name": "王涛", "line": 9}], games=[])
    finding = match_players(event, LIST).findings[0]
    assert (finding.player, finding.line) == (7, 9)
    assert "北京" in finding.message("zh")
    assert "A2" in finding.message("en")


def test_namesakes_inside_an_event() -> None:
    rows = [
        {"number": 1, "name": "王涛", "unit": "北京"},
        {"number": 2, "name": "王濤", "unit": "上海"},
        {"number": 3, "name": "王涛"},
    ]
    assert [f.severity for f in namesakes(make_event(players=rows[:2], games=[]))] == ["I"]
    assert [f.severity for f in namesakes(make_event(players=rows, games=[]))] == ["W"]


def test_keys_are_bounded_for_long_names() -> None:
    assert len(name_keys("a " * 5000)) < 10
