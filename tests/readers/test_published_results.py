"""The published results in a file of their own: whose they are is decided by the one matcher."""

from __future__ import annotations

from pathlib import Path

import pytest

from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event, make_event
from qiyi_analysis.model.findings import Severity
from qiyi_analysis.readers import read_event
from qiyi_analysis.readers.published_files import read_published

EVENT = make_event(
    id="open",
    players=[
        {"number": 1, "name": "Hou, Yifan", "federation": "CHN", "rating": 2600},
        {"number": 2, "name": "吕钦", "unit": "广东", "rating": 2500},
        {"number": 3, "name": "王涛", "unit": "北京", "rating": 2400},
        {"number": 4, "name": "王涛", "unit": "上海", "rating": 2300},
        {"number": 5, "name": "Müller, Jan", "rating": 2200},
    ],
    games=[{"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0"}],
)


def changes(
    tmp_path: Path, text: str, event: Event = EVENT
) -> tuple[dict[int, float], list[tuple[str, str, int]], list[str]]:
    """Published change by number, the findings' code, reason and line, and their messages."""
    path = tmp_path / "official.csv"
    path.write_text(text, encoding="utf-8")
    read = read_published(path, event)
    table, findings = read.players, read.faults
    some = table[~table["change"].isna()]
    told = [f for f in findings if f.code in ("CK07", "CK10", "CK11")]
    return (
        dict(zip(some["number"].tolist(), some["change"].tolist(), strict=True)),
        [(f.code, f.reason, f.line) for f in told],
        [f.message("en") for f in told],
    )


def test_names_without_numbers_are_found_in_any_way_of_writing_that_is_certain(tmp_path: Path) -> None:
    text = "姓名,unit,rating_change\n呂 欽,,5\n王濤,上海队,-3\n王濤,北京,2\nHOU Yifan,,1.5\n"
    found, told, _ = changes(tmp_path, text)
    assert found == {1: 1.5, 3: 2.0, 4: -3.0}
    # Traditional characters are another way of writing: one fits, but nothing else speaks for it.
    assert told == [("CK11", "published-name-doubtful", 2)]


def test_doubtful_names_are_told_with_the_players_who_may_be_meant(tmp_path: Path) -> None:
    text = "name,rating_change\nYifan Hou,1\n王涛,2\nMüller Jan,3\nNobody,4\n"
    found, told, messages = changes(tmp_path, text)
    assert found == {5: 3.0}
    assert told == [
        ("CK07", "official-unknown-player", 5),
        ("CK11", "published-name-doubtful", 2),
        ("CK11", "published-name-doubtful", 3),
    ]
    assert "1 Hou, Yifan (CHN)" in messages[1]
    assert "3 王涛 (北京); 4 王涛 (上海)" in messages[2]
    doubtful = read_published(tmp_path / "official.csv", EVENT).faults
    assert "3 王涛（北京）；4 王涛（上海）" in "".join(finding.message("zh") for finding in doubtful)


def test_numbers_that_are_places_give_way_to_the_names(tmp_path: Path) -> None:
    text = "no,name,rating_change\n1,吕钦,7\n2,Hou Yifan,-7\n5,Müller Jan,0\n"
    found, told, _ = changes(tmp_path, text)
    assert found == {1: -7.0, 2: 7.0, 5: 0.0}
    assert told == []


def test_a_number_with_a_name_that_nobody_has_is_taken_and_told(tmp_path: Path) -> None:
    found, told, messages = changes(tmp_path, "no,name,rating_change\n1,Hou Yifan,1\n2,吕饮,7\n")
    assert found == {1: 1.0, 2: 7.0}
    assert told == [("CK10", "published-other-name", 3)]
    assert "吕饮" in messages[0]


def test_the_numbers_decide_where_there_are_no_names(tmp_path: Path) -> None:
    found, told, _ = changes(tmp_path, "no,rating_change\n1,1\n4,2\n")
    assert (found, told) == ({1: 1.0, 4: 2.0}, [])


def test_names_in_another_script_follow_the_numbers(tmp_path: Path) -> None:
    found, told, _ = changes(tmp_path, "no,name,rating_change\n1,侯逸凡,1\n2,Lü Qin,2\n")
    assert (found, told) == ({1: 1.0, 2: 2.0}, [("CK10", "published-other-script", 0)])


def folder(path: Path, players: str, official: str = "") -> Path:
    path.mkdir()
    (path / "meta.json").write_text('{"rounds": 1, "format": "Swiss"}', encoding="utf-8")
    (path / "players.csv").write_text(players, encoding="utf-8")
    (path / "games.csv").write_text("round,white,black,result\n", encoding="utf-8")
    numbers = [line.partition(",")[0] for line in players.splitlines()[1:]]
    changed = "".join(f"{number},{number}.5\n" for number in numbers)
    (path / "official.csv").write_text("no,rating_change\n" + (official or changed), encoding="utf-8")
    return path


def test_an_event_file_that_numbers_otherwise_is_matched_by_names(tmp_path: Path) -> None:
    players = "no,name,rating\n1,Müller Jan,2200\n2,吕钦,2500\n3,Hou Yifan,2600\n"
    read = read_published(folder(tmp_path / "published", players), EVENT)
    table, findings = read.players, read.faults
    assert dict(zip(table["number"], table["change"].fillna(0), strict=True)) == {
        1: 3.5, 2: 2.5, 3: 0, 4: 0, 5: 1.5,
    }  # fmt: skip
    assert [f for f in findings if f.code in ("CK10", "CK11")] == []


def test_an_event_file_of_other_people_is_refused(tmp_path: Path) -> None:
    players = "no,name,rating\n1,Xie Jun,2500\n5,Zhu Chen,2500\n3,Xu Yuhua,2500\n"
    with pytest.raises(ReadError) as raised:
        read_published(folder(tmp_path / "published", players), EVENT)
    assert raised.value.reason == "published-others"


@pytest.mark.parametrize(
    ("head", "severity"),
    [("rank", Severity.ASK), ("rating_change", Severity.NOTE), ("Points", Severity.NOTE)],
)
def test_names_in_another_script_prove_nothing(tmp_path: Path, head: str, severity: Severity) -> None:
    """Taken by number; where no number can contradict it, whether it is the same event is asked."""
    path = tmp_path / "official.csv"
    rows = ((1, "侯逸凡"), (2, "Lyu Qin"), (3, "Wang Tao"), (4, "Wang Tao"), (5, "穆勒"))
    path.write_text(f"no,name,{head}\n" + "".join(f"{n},{name},{n}\n" for n, name in rows), encoding="utf-8")
    told = [f for f in read_published(path, EVENT).faults if f.reason == "published-other-script"]
    assert [(f.severity, f.values["count"]) for f in told] == [(severity, 5)]


def test_a_difference_stands_where_it_was_published(tmp_path: Path) -> None:
    """Of a folder in official.csv, of a file of its own there: not in the line of the player."""
    event = folder(tmp_path / "event", "no,name,rating,k\n1,甲,2200,10\n2,乙,2300,10\n", "2,5\n1,3\n")
    (event / "meta.json").write_text(
        '{"game": "chess", "rounds": 1, "start": "2024-05-01", "rules": ["fide/rating-standard"]}', encoding="utf-8"
    )  # fmt: skip
    read = read_event(event)
    places = {(f.player, f.file, f.line) for f in audit(read).findings if f.field == "change" and f.player}
    assert places == {(1, "event/official.csv", 3), (2, "event/official.csv", 2)}
    beside = tmp_path / "published.csv"
    beside.write_text("\nno,rating_change\n1,3\n2,5\n", encoding="utf-8")
    places = {
        (f.player, f.file, f.line)
        for f in audit(read_published(beside, read)).findings
        if f.field == "change" and f.player
    }
    assert places == {(1, "published.csv", 3), (2, "published.csv", 4)}
