"""Where jobs of a batch write, and what its messages show of the texts of a table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from qiyi_analysis.app.batch import read_jobs
from qiyi_analysis.app.batch.jobs import SUMMARY_FILES
from qiyi_analysis.model.errors import ParameterError


def jobs_of(folder: Path, *outs: str) -> tuple[str, ...]:
    path = folder / "jobs.csv"
    path.write_text("command,input,out\n" + "".join(f'audit,x,"{out}"\n' for out in outs), encoding="utf-8")
    return tuple(job.folder for job in read_jobs(path))


@pytest.mark.parametrize(
    "other", ["./one", "one/", "one//", "ONE", ".\\one", "one.", "one/.", "óne".replace("ó", "o")]
)
def test_one_folder_in_two_spellings(tmp_path: Path, other: str) -> None:
    with pytest.raises(ParameterError, match="same folder as line 2"):
        jobs_of(tmp_path, "one", other)
    with pytest.raises(ParameterError, match="same folder as line 2"):
        jobs_of(tmp_path, "\u00e9", "e\u0301")


@pytest.mark.parametrize(
    "out",
    ["../a", "a/../../b", "..\\a", "a\\..\\..\\b", "/a", "\\a", "C:a", "c:\\a", "\\\\host\\a", "a\x00b", "a\x1b[2Jb", *SUMMARY_FILES, "batch.json/a"],
)  # fmt: skip
def test_a_folder_outside_or_none_is_refused(tmp_path: Path, out: str) -> None:
    with pytest.raises(ParameterError, match="expected a folder below"):
        jobs_of(tmp_path, out)


def test_folders_of_several_parts(tmp_path: Path) -> None:
    assert jobs_of(tmp_path, "a/b", "a", "a\\c", "南京 2010", ".") == (
        "a/b",
        "a",
        "a/c",
        "南京 2010",
        "00006-x",
    )


def test_texts_of_a_table_do_not_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("command,input,out\naudit,no\x1b[2J\u202efile,a\n", encoding="utf-8")
    for arguments in (["batch", "jobs.csv", "--workers", "1", "--out", "out"], ["audit", "no\x1b[2Jfile"]):
        done = subprocess.run(
            [sys.executable, "-m", "qiyi_analysis", *arguments],
            cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert "[U+001B]" in done.stderr
        assert not {"\x1b", "\u202e", "\x00"} & set(done.stderr)
