"""Who is who: spellings of one name, namesakes, and nothing merged on doubt."""

from __future__ import annotations

import csv
import json
import random
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.model.event import Event, make_event
from qiyi_analysis.model.identity import match, match_findings, namesakes
from qiyi_analysis.model.rating_list import RatingList, make_list
from qiyi_analysis.model.register import Register
from qiyi_analysis.model.spelling import fingerprints, name_keys, same_name, same_unit
from qiyi_analysis.rating import rate
from qiyi_analysis.readers import read_list
from qiyi_analysis.rules.ruleset import ruleset


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
    # What is looked up by fingerprint must find every pair that the comparison takes for one name.
    register = Register(pd.DataFrame({"name": ["Nobody Else", other, "别人"], "id": ""}))
    assert register.with_names([one, "x"]) == [(1,) if same else (), ()]


def test_fingerprints_are_one_by_one_what_they_are_together() -> None:
    names = ["Müller, A", "", "Wang (CHN)", "呂 欽", "a\nb", "É", "Mueller A", "x" * 1000]
    together = np.stack(fingerprints(names))
    alone = np.concatenate([np.stack(fingerprints([name])) for name in names], axis=1)
    assert (together == alone).all()
    assert together[1, 0] == together[0, 6]
    assert together[0, 1] == 0
    assert fingerprints([])[0].shape == (0,)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("北京", "北京队", True), ("北京市", "北京", True), ("广东省代表队", "廣東", True), ("SK Bremen", "Bremen SK", True),
        ("北京", "上海", False), ("北京", "北京体育大学", None), ("SK", "SK Bremen", None), ("Bremen", "Hamburg", False),
    ],
)  # fmt: skip
def test_units(one: str, other: str, same: bool | None) -> None:
    assert same_unit(one, other) is same
    assert same_unit(other, one) is same


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
    found = match(event.players, LIST.register)
    told = match_findings(event.players, LIST.register, found)
    return int(found.row[0]), found.how[0], [(f.code, f.reason) for f in told]


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
    finding = match_findings(event.players, LIST.register, match(event.players, LIST.register))[0]
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


# --- every spelling through the calculation and the checks ------------------------------------------

SPELLINGS = {
    "case": ("HOU, YIFAN", "Hou, Yifan"),
    "accents": ("Sorensen, Nils", "Sørensen, Nils"),
    "umlaut as two letters": ("Mueller, Jürgen", "Müller, Juergen"),
    "order": ("Yifan Hou", "Hou Yifan"),
    "pinyin with blanks": ("Hou Yi Fan", "Hou, Yifan"),
    "pinyin without blanks": ("Houyifan", "Hou Yi Fan"),
    "traditional": ("許銀川", "许银川"),
    "blanks in Chinese": ("吕 钦", "吕钦"),
    "full width": ("Ｈｏｕ，　Ｙｉｆａｎ", "Hou, Yifan"),
    "full-width digit": ("Player １２", "Player 12"),
    "decomposed": ("Mu\u0308ller", "Müller"),
}
#: Spellings that are the same writing: certain without a birth year or a unit.
SAME_WRITING = ("case", "blanks in Chinese", "full width", "full-width digit", "decomposed")


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "support", [{"birth_year": 1994}, {"unit": "北京"}, {}], ids=["year", "unit", "name"]
)
def test_a_rating_is_taken_from_the_list_whatever_the_spelling(
    spelling: str, support: dict, tmp_path: Path, qiyi: Callable
) -> None:
    own, on_list = SPELLINGS[spelling]
    certain = bool(support) or spelling in SAME_WRITING
    folder, rating_list = _files(
        tmp_path, {"name": own, **support}, [{"name": on_list, "rating": 2100, **support}]
    )
    answer = json.loads(qiyi("rate", folder, "--rules", RULES, "--list", rating_list, "--json")[1])
    assert answer["players"][0]["rating"] == (2100 if certain else None)
    told = {f["code"]: f for f in answer["findings"] if f["player"] == 1 and f["code"] in ("CK10", "CK11")}
    if not certain:
        assert told["CK11"]["severity"] == "W"
        assert on_list in told["CK11"]["message"]
    elif spelling not in SAME_WRITING:
        assert told["CK11"]["severity"] == "I"
    else:
        assert not told
    checked = json.loads(qiyi("audit", folder, "--rules", RULES, "--list", rating_list, "--json")[1])
    assert {f["code"]: f["severity"] for f in checked["findings"] if f["player"] == 1 and f["code"] in ("CK10", "CK11")} == {
        code: f["severity"] for code, f in told.items()
    }  # fmt: skip


RULES = "fide/rating-standard/2024-03-01"
IDS = ("id", "name", "sex", "federation", "unit", "birth_year", "rating", "k")


def _files(place: Path, player: dict, listed: list[dict]) -> tuple[str, str]:
    """A folder with an event of one unrated player against a rated one, and a list."""
    folder = place / "event"
    folder.mkdir()
    _table(
        folder / "players.csv",
        ("no", *IDS),
        [{"no": 1, **player}, {"no": 2, "name": "Opponent", "rating": 2000, "k": 20}],
    )
    _table(
        folder / "games.csv",
        ("round", "board", "white", "black", "white_score", "black_score", "kind"),
        [
            {
                "round": 1,
                "board": 1,
                "white": 1,
                "black": 2,
                "white_score": 1,
                "black_score": 0,
                "kind": "played",
            }
        ],
    )
    meta = {"slug": "e", "game": "chess", "format": "Swiss", "start": "2025-03-01", "end": "2025-03-02"}
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    path = place / "list-2025-03-01.csv"
    _table(path, IDS, listed)
    return str(folder), str(path)


def _table(path: Path, heads: tuple[str, ...], rows: list[dict]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, heads, restval="")
        writer.writeheader()
        writer.writerows(rows)


def rated(player: dict, *listed: dict, opponent: dict | None = None) -> tuple[list[float | None], list[str]]:
    """The ratings that two players are calculated with, and what is said about who they are."""
    event = make_event(
        players=[
            {"number": 1, **player},
            {"number": 2, "name": "Opponent", "rating": 2000, **(opponent or {})},
        ],
        games=[
            {"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"}
        ],
        start=date(2025, 3, 1),
    )
    result = rate(event, ruleset(RULES), [make_list(listed, day=date(2025, 3, 1))])
    told = [f.reason for f in result.findings if f.code in ("CK10", "CK11")]
    return [row["rating"] for row in result.player_rows()], told


BEIJING = {"id": "1", "name": "王涛", "unit": "北京", "birth_year": 1990, "rating": 2300}
SHANGHAI = {"id": "2", "name": "王涛", "unit": "上海", "birth_year": 1985, "rating": 2200}


def test_namesakes_are_told_apart_in_a_calculation() -> None:
    lists = (BEIJING, SHANGHAI)
    assert rated({"name": "王涛", "unit": "上海队"}, *lists) == ([2200, 2000], ["identity-by-name"])
    assert rated({"name": "王濤", "birth_year": 1990}, *lists) == ([2300, 2000], ["identity-by-name"])
    assert rated({"name": "王涛", "id": "２"}, *lists) == ([2200, 2000], [])
    assert rated({"name": "王涛"}, *lists) == ([None, 2000], ["name-doubtful"])
    assert rated({"name": "王涛", "unit": "广州"}, *lists) == ([None, 2000], ["name-doubtful"])
    # The year fits one, the unit the other.
    assert rated({"name": "王涛", "birth_year": 1990, "unit": "上海"}, *lists) == (
        [2300, 2000],
        ["identity-by-name"],
    )
    # The same year: only the unit tells.
    twins = (BEIJING, {**SHANGHAI, "birth_year": 1990})
    assert rated({"name": "王涛", "birth_year": 1990}, *twins) == ([None, 2000], ["name-doubtful"])
    assert rated({"name": "王涛", "birth_year": 1990, "unit": "上海"}, *twins)[0] == [2200, 2000]


def test_a_single_namesake_of_another_unit_is_not_the_player() -> None:
    assert rated({"name": "王涛", "unit": "广州"}, BEIJING) == ([None, 2000], ["name-doubtful"])
    # Units change: with the birth year it is the player, and the finding shows both.
    assert rated({"name": "王涛", "unit": "广州", "birth_year": 1990}, BEIJING) == (
        [2300, 2000],
        ["identity-by-name"],
    )


def test_a_wrong_id_with_the_right_name_decides_nothing() -> None:
    other = {"id": "7", "name": "李四", "rating": 1500}
    assert rated({"id": "7", "name": "王涛"}, BEIJING, other) == ([None, 2000], ["id-and-name-of-two"])
    assert rated({"id": "7", "name": "王涛", "birth_year": 1990}, BEIJING, other)[0] == [None, 2000]
    # The other man of that name is in the event himself: then the id is a misspelt name.
    assert rated(
        {"id": "7", "name": "王涛"}, BEIJING, other, opponent={"id": "1", "name": "王涛", "rating": 2300}
    )[0] == [1500, 2300]
    # Nobody else has the name: the id decides, unless birth year or sex say otherwise.
    assert rated({"id": "7", "name": "张三"}, other) == ([1500, 2000], ["id-with-other-name"])
    born = {**other, "birth_year": 1960}
    assert rated({"id": "7", "name": "张三", "birth_year": 2001}, born) == (
        [None, 2000],
        ["id-with-other-name"],
    )


def test_a_name_in_another_script_is_no_other_name() -> None:
    listed = {"id": "8602980", "name": "Hou, Yifan", "rating": 2630}
    assert rated({"id": "8602980", "name": "侯逸凡"}, listed) == ([2630, 2000], ["id-name-other-script"])


def test_an_id_that_the_list_has_twice() -> None:
    row = {"id": "7", "name": "李四", "rating": 1500}
    assert rated({"id": "7", "name": "李四"}, row, row) == ([1500, 2000], [])
    assert rated({"id": "7", "name": "李四"}, row, {**row, "rating": 1600}) == (
        [None, 2000],
        ["name-doubtful"],
    )
    assert rated({"id": "7", "name": "李四"}, row, {**row, "name": "王五"}) == ([1500, 2000], [])
    assert rated({"id": "0", "name": "李四"}, {**row, "id": "0"}) == ([1500, 2000], [])


def test_two_players_are_never_one_row() -> None:
    row = {"name": "王涛", "unit": "北京", "rating": 2300}
    both = rated({"name": "王涛", "rating": np.nan}, row, opponent={"name": "王涛", "rating": np.nan})
    assert both == ([None, None], ["name-doubtful", "name-doubtful"])
    # The one whose unit agrees is the player of the list.
    both = rated({"name": "王涛"}, row, opponent={"name": "王涛", "unit": "北京", "rating": np.nan})
    assert both[0] == [None, 2300]


def test_one_row_is_one_player_in_each_of_several_events() -> None:
    """Matched at once, the players of two events are what they are one event at a time."""
    event = make_event(
        players=[{"number": n, "name": "Sorensen Nils", "birth_year": 2001} for n in (1, 2)], games=[]
    )
    together = match(event.players, LIST.register)
    apart = match(event.players, LIST.register, [0, 1])
    assert (together.how, apart.how) == (("doubtful",) * 2, ("name",) * 2)
    assert apart.row.tolist() == [2, 2]


def test_the_doubt_of_a_player_whose_values_are_printed_is_for_the_checks() -> None:
    printed = {"name": "王涛", "rating": 2250, "k": 20}
    opponent = {"k": 20}
    assert rated(printed, BEIJING, SHANGHAI, opponent=opponent) == ([2250, 2000], [])
    event = make_event(players=[{"number": 1, **printed}], games=[], start=date(2025, 3, 1))
    found = audit(event, [RULES], [make_list([BEIJING, SHANGHAI], day=date(2025, 3, 1))]).findings
    assert [f.reason for f in found if f.code == "CK11"] == ["name-doubtful"]


def test_games_of_a_list_of_fides_own_are_those_of_the_period(tmp_path: Path) -> None:
    path = tmp_path / "standard-2025-03-01.xml"
    player = "<fideid>7</fideid><name>Li Si</name><rating>2300</rating><games>0</games><k>20</k>"
    path.write_text(
        f"<?xml version='1.0'?><playerslist><player>{player}</player></playerslist>", encoding="utf-8"
    )
    event = make_event(
        players=[{"number": 1, "id": "7", "name": "Li Si", "rating": 2300, "k": 20}, {"number": 2, "name": "B", "rating": 2000}],
        games=[{"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"}],
        start=date(2025, 3, 1),
    )  # fmt: skip
    findings = audit(event, [RULES], [read_list(path)]).findings
    # Counted as games so far, no game in the period would make a K of 40 the only one allowed.
    assert not [f for f in findings if f.code == "CK29"]


def test_identity_cards_are_not_in_what_is_said_of_candidates(tmp_path: Path, qiyi: Callable) -> None:
    card = "11010519491231002X"
    listed = [
        {"id": card, "name": "王涛", "rating": 2300},
        {"id": "2", "name": "王涛", "unit": card, "rating": 2200},
    ]
    folder, rating_list = _files(tmp_path, {"name": "王涛"}, listed)
    done = qiyi("audit", folder, "--rules", RULES, "--list", rating_list, "--json")
    assert "name-doubtful" in {f.reason for f in _doubts(folder, rating_list)}
    assert card[:17] not in done[1] + done[2]


def _doubts(folder: str, rating_list: str) -> tuple:
    from qiyi_analysis.readers import read_event

    return audit(read_event(folder), [RULES], [read_list(rating_list)]).findings


# --- size -------------------------------------------------------------------------------------------


def large_list(size: int) -> RatingList:
    """A list of invented names in pinyin and Chinese characters."""
    chance = random.Random(5)
    parts = [
        "an",
        "bo",
        "chen",
        "du",
        "er",
        "fang",
        "gu",
        "he",
        "li",
        "ma",
        "na",
        "ou",
        "pei",
        "qi",
        "ren",
        "mü",
    ]
    characters = (
        "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕伟芳娜敏静丽强"
    )

    def name() -> str:
        if chance.random() < 0.5:
            return "".join(chance.choices(characters, k=3))
        return f"{''.join(chance.choices(parts, k=2)).title()}, {''.join(chance.choices(parts, k=3)).title()}"

    rows = pd.DataFrame({"id": [str(10**6 + i) for i in range(size)], "name": [name() for _ in range(size)]})
    rows["birth_year"] = [float(chance.randint(1950, 2015)) for _ in range(size)]
    rows["rating"] = [float(chance.randint(1400, 2600)) for _ in range(size)]
    return make_list(rows, day=date(2025, 3, 1))


def event_from(one: RatingList, size: int) -> Event:
    """Players of a list, every second one without an id and with given name first."""
    rows = one.rows.sample(size, random_state=3)
    players = [
        {"number": i, "id": "" if i % 2 else row.id, "name": " ".join(reversed(row.name.split(", "))), "birth_year": row.birth_year}
        for i, row in enumerate(rows.rename(columns={"name": "name"}).itertuples(index=False), 1)
    ]  # fmt: skip
    return make_event(players=players, games=[], start=date(2025, 3, 1))


def test_three_hundred_players_and_a_list_of_half_a_million() -> None:
    one = large_list(500_000)
    event = event_from(one, 300)
    begin = time.process_time()
    found = match(event.players, one.register)
    first = time.process_time() - begin
    begin = time.process_time()
    match(event.players, one.register)
    again = time.process_time() - begin
    listed = one.rows.iloc[found.row]
    sure = found.row >= 0
    assert sure.sum() > 280
    assert (listed["birth_year"].to_numpy()[sure] == event.players["birth_year"].to_numpy()[sure]).all()
    assert all(
        same_name(*pair)
        for pair in zip(listed["name"].to_numpy()[sure], event.players["name"][sure], strict=True)
    )
    begin = time.process_time()
    [name.casefold() for name in one.rows["name"]]
    scan = time.process_time() - begin
    # The list is gone through a few times and not once for each player; then what was made of it is at hand.
    assert first < 150 * scan
    assert again < 10 * scan


def test_zeros_in_front_of_a_number_make_no_other_id() -> None:
    listed = ["8600001", "0008600002", "12345", "A007", "0x12", "120"]
    register = Register(make_list([{"id": id, "name": f"Player {i}"} for i, id in enumerate(listed)]).rows)
    asked = ["0008600001", "8600002", "０12345", "00A007", "x12", "12", "000"]
    players = make_event(
        players=[{"number": i, "id": id, "name": ""} for i, id in enumerate(asked, 1)], games=[]
    ).players
    # Zeros behind, and zeros in front of what is no number, are part of the id.
    assert match(players, register).row.tolist() == [0, 1, 2, -1, -1, -1, -1]


def test_a_player_is_asked_for_and_checked_by_the_number_of_the_id() -> None:
    rows = [
        {"number": 1, "id": "0008600001", "name": "A"},
        {"number": 2, "id": "8600002", "name": "B"},
        {"number": 3, "id": "08600002", "name": "C"},
        {"number": 4, "id": "", "name": "D"},
    ]
    event = make_event(players=rows, games=[])
    assert event.find_player("8600001") == 1
    twice = [one for one in audit(event, ["fide/rating-standard"]).findings if one.reason == "id-twice"]
    assert [(one.player, one.values["other"]) for one in twice] == [(3, 2)]
