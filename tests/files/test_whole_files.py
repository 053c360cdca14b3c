"""Files are there whole or not at all: on a full disk, where the name is taken, whoever writes them."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from lists_made import FIDE, two_events

from qiyi_analysis.app.cli import main
from qiyi_analysis.files.whole_files import whole, write_whole
from qiyi_analysis.lists import rebuild_list
from qiyi_analysis.lists.list_files import write_list
from qiyi_analysis.research.history.result_files import write_results
from qiyi_analysis.research.studies.study import Study


def test_a_file_that_cannot_be_written_is_named_itself(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").mkdir()
    with pytest.raises(OSError, match=r"a\.pdf") as error:
        write_whole(tmp_path / "a.pdf", b"x")
    assert error.value.filename == str(tmp_path / "a.pdf")
    assert [one.name for one in tmp_path.iterdir()] == ["a.pdf"]


def test_what_was_there_before_stays_where_the_writer_fails(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"old")

    def fail() -> None:
        with whole(tmp_path / "a.xlsx") as part:
            part.write_bytes(b"half")
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("a.xlsx", b"old")]


def test_an_error_that_is_not_the_systems_keeps_its_words(tmp_path: Path) -> None:
    def wait() -> None:
        with whole(tmp_path / "a.pdf"):
            raise TimeoutError("a cell took longer than 5 seconds")

    with pytest.raises(TimeoutError, match="took longer"):
        wait()


def a_list(folder: Path) -> None:
    old, one, two = two_events()
    write_list(rebuild_list([one, two], FIDE, [old], "2025-12"), None, folder)


def results(folder: Path) -> None:
    write_results(Study(study="study", settings={}, tables={"table": pd.DataFrame({"x": [1]})}), folder)


@pytest.mark.parametrize("write", [a_list, results])
def test_a_full_disk_leaves_nothing_half_and_names_the_file(
    write: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    def full(path: Path | str, *_: object, **__: object) -> None:
        with open(path, "wb") as file:
            file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")  # write() names no file

    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setattr(pq, "write_table", lambda table, path, **options: full(path))
    with pytest.raises(OSError, match="No space") as error:
        write(tmp_path)
    assert Path(error.value.filename).parent == tmp_path
    assert list(tmp_path.iterdir()) == []


PERIOD = Path(__file__).parents[2] / "data" / "periods" / "constructed-2025-12"


def run(*arguments: str) -> int:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as left:
        main([*arguments])
    return int(left.value.code or 0)


def test_no_list_is_written_in_the_place_of_one_that_was_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The published list has the name that the rebuilt one gets: writing there would destroy what is to be checked."""
    for name, own in (("list-2025-11-01", "list-2025-11-01"), ("published-2025-12-01", "list-2025-12-01")):
        shutil.copy(PERIOD / f"{name}.csv", tmp_path / f"{own}.csv")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    arguments = (
        "list", "--rules", "fide/rating-standard", "--previous", str(tmp_path / "list-2025-11-01.csv"), "--events",
        str(PERIOD / "events"), "--period", "2025-12", "--published", str(tmp_path / "list-2025-12-01.csv"),
        "--formats", "csv", "--out", str(tmp_path),
    )  # fmt: skip
    assert run(*arguments) == 2
    assert "list-2025-12-01.csv: a file that was read is never changed" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_no_page_is_written_in_the_place_of_a_file_that_was_read(tmp_path: Path) -> None:
    """By whatever name: the output is a link to the input."""
    event = tmp_path / "event.csv"
    shutil.copy(PERIOD.parents[1] / "samples" / "xiangqi-report.csv", event)
    (tmp_path / "event-audit.json").hardlink_to(event)
    before = event.read_bytes()
    assert run("audit", str(event), "--out", str(tmp_path), "--formats", "json") == 2
    assert event.read_bytes() == before
    assert run("audit", str(event), "--out", str(tmp_path / "other"), "--formats", "json") == 1
    assert not [path for path in tmp_path.rglob(".*") if path.is_dir()]


def test_the_list_of_changes_is_not_replaced_unasked(tmp_path: Path) -> None:
    event, out = tmp_path / "event.csv", tmp_path / "out.trf"
    shutil.copy(PERIOD.parents[1] / "samples" / "xiangqi-report.csv", event)
    changes = tmp_path / "out.trf.changes.csv"
    changes.write_text("MY NOTES", encoding="utf-8")
    assert run("convert", str(event), str(out)) == 2
    assert (changes.read_text(encoding="utf-8"), out.exists()) == ("MY NOTES", False)
    assert run("convert", str(event), str(out), "--force") in (0, 1)
    assert changes.read_text(encoding="utf-8") != "MY NOTES"


@pytest.mark.skipif(os.name == "nt", reason="closes a descriptor as shells of POSIX do")
@pytest.mark.parametrize("closed", [">&-", "> /dev/full"])
def test_an_answer_that_cannot_be_printed_is_an_error(closed: str) -> None:
    command = f'"{sys.executable}" -m qiyi_analysis rate "{PERIOD.parents[1] / "events" / "nanjing-2010"}" --json {closed}'
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"qiyi: ")
    assert b"Traceback" not in done.stderr
