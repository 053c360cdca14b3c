"""The right file in the wrong place: what it is and which command takes it; every kind in every place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from qiyi_analysis.app.cli.kinds import kind_of

PROJECT = Path(__file__).resolve().parents[2]
EVENT = PROJECT / "data" / "events" / "constructed-open-2025"
PERIOD = PROJECT / "data" / "periods" / "constructed-2025-12"
LIST = PERIOD / "list-2025-11-01.csv"
RULES = PROJECT / "qiyi_analysis" / "rulesets" / "fide" / "titles" / "2024-01-01.toml"
#: Place -> the command with a file there, and the kind that belongs there.
PLACES = {
    "audit EVENT": (lambda x: ["audit", x, "--json"], "event"),
    "standings EVENT": (lambda x: ["standings", x], "event"),
    "audit --list": (lambda x: ["audit", EVENT, "--json", "--list", x], "list"),
    "publish LIST": (lambda x: ["publish", x], "list"),
    "publish --previous": (lambda x: ["publish", LIST, "--previous", x], "list"),
    "list --previous": (
        lambda x: ["list", "--json", "--rules", "fide/rating-standard", "--previous", x, "--events", PERIOD / "events",
                   "--period", "2025-12"],
        "list",
    ),
    "rate --rules": (lambda x: ["rate", EVENT, "--rules", x], "rules"),
    "rules show": (lambda x: ["rules", "show", x], "rules"),
    "study": (lambda x: ["study", "compare-k", x, "--json"], "history"),
    "batch": (lambda x: ["batch", x], "jobs"),
}  # fmt: skip
NAMES = {
    "event": ("比赛", "qiyi audit、rate、standings"), "event-part": ("比赛文件夹中的一个文件", "请给出其所在的文件夹"),
    "list": ("等级分表", "qiyi publish"), "rules": ("规则文件", "--rules"), "letterhead": ("信头文件", "--letterhead"),
    "jobs": ("批量任务表", "qiyi batch"), "history": ("对局记录", "qiyi study"), "pdf": ("PDF 文件", "裁判长"), "picture": ("图片", "裁判长"),
    "document": ("文字文档", ".xlsx"),
}  # fmt: skip
#: A list of players without games is read as an event before its first round; a table of players with ratings is a list.
TAKEN = {
    ("audit EVENT", "list"), ("standings EVENT", "list"), ("audit EVENT", "history"), ("standings EVENT", "history"),
    ("rate --rules", "letterhead"), ("rules show", "letterhead"),
}  # fmt: skip


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(EVENT, tmp_path / "my-event")
    texts = {
        "jobs": ("jobs.csv", b"command,input\naudit,x\n"), "letterhead": ("head.toml", b'name = "A"\n'), "pdf": ("a.pdf", b"%PDF-1.4\n"),
        "picture": ("a.png", b"\x89PNG\r\n\x1a\n"), "document": ("a.rtf", b"{\\rtf1 A}"),
        "history": ("games.csv", b"date,white,black,result\n2020-01-01,a,b,1-0\n2020-01-02,a,c,0-1\n"),
    }  # fmt: skip
    for name, data in texts.values():
        (tmp_path / name).write_bytes(data)
    shutil.copy(LIST, tmp_path / "list.csv")
    (tmp_path / "titles").mkdir()
    shutil.copy(RULES, tmp_path / "titles" / RULES.name)
    own = {kind: tmp_path / name for kind, (name, _) in texts.items()}
    return {
        **own, "event": tmp_path / "my-event", "event-part": tmp_path / "my-event" / "games.csv", "list": tmp_path / "list.csv",
        "rules": tmp_path / "titles" / RULES.name,
    }  # fmt: skip


@pytest.mark.parametrize("kind", NAMES)
def test_files_are_known_by_what_is_in_them(given: dict[str, Path], kind: str) -> None:
    assert kind_of(given[kind]) == kind


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", NAMES)
def test_a_file_in_the_wrong_place_is_told_with_its_own(
    qiyi, given: dict[str, Path], place: str, kind: str
) -> None:
    command, wanted = PLACES[place]
    if kind == wanted or (place, kind) in TAKEN:
        pytest.skip("it belongs there, or is taken")
    code, out, error = qiyi(*command(given[kind]), "--language", "zh")
    (line,) = error.splitlines()
    what, where = NAMES[kind]
    assert (code, out) == (2, "")
    assert what in line, line
    assert where in line, line
    if kind not in ("pdf", "picture", "document"):
        assert f"：这是{what}，此处应为{NAMES[wanted][0]}；" in line


def test_a_list_given_as_an_event_is_told(qiyi, given: dict[str, Path]) -> None:
    code, out, _ = qiyi("audit", given["list"], "--json")
    assert code == 1
    assert "a rating list is for qiyi publish" in out


def test_an_error_about_something_else_stays(qiyi, given: dict[str, Path]) -> None:
    error = qiyi("explain", given["event"], "nobody", "--list", given["list"], "--language", "en")[2]
    assert error.startswith("qiyi: constructed-open-2025: no player 'nobody'")


def test_results_without_opponents_are_no_list(qiyi, tmp_path: Path) -> None:
    path = tmp_path / "event.csv"
    rows = ["序号,姓名,等级分,第1轮,第2轮", "1,甲,2000,胜,和", "2,乙,1900,负,和"]
    path.write_text("\n".join(rows), encoding="utf-8")
    code, _, error = qiyi("rate", str(path), "--rules", "cca/rating", "--language", "zh")
    assert code == 2
    assert "对手" in error
    assert "D2" in error
    assert "这是等级分表" not in error
