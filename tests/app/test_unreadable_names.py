"""Files whose names are no UTF-8 (archives packed on Windows): read, named as people read them, never changed."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from qiyi_analysis import read_event
from qiyi_analysis.app.cli import main, prepare_console
from qiyi_analysis.readers import read_list
from qiyi_analysis.readers.source import readable

PROJECT = Path(__file__).resolve().parents[2]
PERIOD = PROJECT / "data" / "periods" / "constructed-2025-12"
#: In GBK the second byte of 镕 is a letter of ASCII.
NAME = os.fsdecode("广州镕赛".encode("gb18030"))

pytestmark = pytest.mark.skipif(
    os.name == "nt" or sys.platform == "darwin", reason="file names are Unicode there"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(PROJECT / "data" / "events" / "nanjing-2010", tmp_path / NAME)
    shutil.copy(PERIOD / "list-2025-11-01.csv", tmp_path / f"{NAME}.csv")
    return tmp_path


def run(*arguments: str, capfd: pytest.CaptureFixture[str]) -> tuple[Any, str, str]:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    said = capfd.readouterr()
    return end.value.code, said.out, said.err


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain.trf", "plain.trf"), ("中文.trf", "中文.trf"), (NAME, "广州镕赛"),
        (os.fsdecode("Müller.trf".encode("cp1252")), "Müller.trf"),
    ],
)  # fmt: skip
def test_a_name_as_people_read_it(name: str, shown: str) -> None:
    assert readable(name) == shown


def test_events_and_lists_carry_the_name_as_it_is_read(here: Path) -> None:
    event, rating_list = read_event(here / NAME), read_list(here / f"{NAME}.csv")
    assert [source.name for source in event.sources] == [
        f"广州镕赛/{name}" for name in ("meta.json", "players.csv", "games.csv", "official.csv")
    ]
    assert (rating_list.id, rating_list.sources[0].name) == ("广州镕赛", "广州镕赛.csv")


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", NAME, "--formats", "html,json"),
        ("publish", f"{NAME}.csv", "--day", "2025-12-01", "--formats", "html"),
        ("titles", NAME, "--rules", "fide/titles/2014-07-01", "--out", "reports", "--formats", "html"),
        ("list", "--rules", "fide/rating-standard", "--previous", f"{NAME}.csv", "--period", "2025-12", "--events", str(PERIOD / "events"),
         "--formats", "html"),
    ],
)  # fmt: skip
def test_reports_are_made_of_it(here: Path, arguments: tuple[str, ...], capfd: Any) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in here.iterdir()}
    code, out, err = run(*arguments, capfd=capfd)
    assert code in (0, 1), err
    assert "广州镕赛" in out + err or arguments[0] == "titles"  # which says nothing of its file here
    assert "U+DC" not in out + err
    assert [path for path in here.rglob("*.html") if "reports" in path.parts]
    assert {name: (here / name).stat().st_mtime_ns for name in before} == before


def test_what_is_written_beside_it_is_there_and_named(here: Path, capfd: Any) -> None:
    for _ in range(2):
        code, out, err = run("convert", NAME, f"{NAME}.trf", capfd=capfd)
        assert (code, "广州镕赛.trf" in out) == (0, True), err
        assert (here / f"{NAME}.trf").stat().st_size > 100
    out_there = f"{NAME}/reports"
    code, _, err = run("audit", NAME, "--formats", "json", "--out", out_there, capfd=capfd)
    assert (code, "广州镕赛/reports/" in err) == (0, True), err
    assert list((here / out_there).glob("*.json"))


def test_one_that_is_not_there_is_named(here: Path, capfd: Any) -> None:
    code, out, err = run("rate", f"{NAME}x", capfd=capfd)
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        "qiyi: 广州镕赛x: no such file or folder",
        "qiyi: 广州镕赛x：没有此文件或文件夹",
    ]


def test_a_job_of_it_is_known_again(here: Path, capfd: Any) -> None:
    (here / "event").mkdir()
    shutil.copytree(here / NAME, here / "event" / NAME)
    (here / "jobs.csv").write_text("command,input,formats\naudit,event,json\n", encoding="utf-8")
    for state in ("done", "skipped"):
        code, out, err = run("batch", "jobs.csv", "--resume", "--out", "out", capfd=capfd)
        assert (code, json.loads(out)[state]) == (0, 1), err


@pytest.mark.parametrize(
    ("encoding", "terminal", "shown"),
    [("utf-8", False, "广州镕赛 ½"), ("gbk", True, "广州镕赛 ?"), ("latin-1", True, "???? ½")],
)
def test_consoles_show_it_and_keep_their_own_signs(
    encoding: str, terminal: bool, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Console(io.TextIOWrapper):
        def isatty(self) -> bool:
            return terminal

    console = Console(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", console)
    prepare_console()
    print(f"{NAME} ½", end="", flush=True)
    assert console.buffer.getvalue().decode(encoding) == shown  # type: ignore[attr-defined]
