"""Files are there whole or not at all: on a full disk, where the name is taken, whoever writes them."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from lists_made import FIDE, two_events

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
