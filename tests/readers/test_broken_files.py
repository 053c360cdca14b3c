"""Devices, pipes and closed streams, other people's files, and files of a batch that make no sense."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from test_broken_input import folder

from qiyi_analysis import read_event
from qiyi_analysis.app.batch.jobs import read_jobs
from qiyi_analysis.model.errors import ParameterError, ReadError, ReportError
from qiyi_analysis.readers.writers.event_writer import write_event
from qiyi_analysis.report.export.letterhead import read_letterhead

devices = pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero on this system")


@devices
def test_an_endless_letterhead_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="no ordinary file"):
        read_letterhead(Path("/dev/zero"))
    head = tmp_path / "head.toml"
    (tmp_path / "logo.png").symlink_to("/dev/zero")
    head.write_text('name = "x"\nlogo = "logo.png"\n', encoding="utf-8")
    with pytest.raises(ReportError, match="no ordinary file"):
        read_letterhead(head)


@devices
def test_an_endless_table_of_jobs_is_refused() -> None:
    with pytest.raises(ReadError, match="no ordinary file"):
        read_jobs("/dev/zero")


def test_a_format_that_does_not_exist_is_refused_before_the_batch_starts(tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.csv"
    jobs.write_text("command,input,formats\naudit,x,pdf;exe\n", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"jobs.csv:2: formats 'exe'"):
        read_jobs(jobs)


@pytest.mark.skipif(os.name == "nt", reason="a shell that closes standard input")
@pytest.mark.parametrize("command", ["rate -", "audit - --json"])
def test_closed_standard_input_is_no_fault_of_the_program(command: str) -> None:
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -c 'from qiyi_analysis.app.cli import main; main()' {command} <&-",
        shell=True, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 2
    assert "standard input is closed" in done.stderr


def test_a_copy_does_not_mix_with_another_event(tmp_path: Path) -> None:
    event = read_event(folder(tmp_path / "new", ""))
    other = folder(tmp_path / "other", "no,points\n1,0\n")
    before = {one.name: one.read_bytes() for one in other.iterdir()}
    with pytest.raises(ReadError, match=r"official\.csv of another event"):
        write_event(event, other)
    assert {one.name: one.read_bytes() for one in other.iterdir()} == before
    with pytest.raises(ReadError, match="standard output"):
        write_event(event, "-")


def test_a_copy_leaves_other_names_of_the_file_alone(tmp_path: Path) -> None:
    event = read_event(folder(tmp_path / "e", ""))
    original, name = tmp_path / "a.trf", tmp_path / "b.trf"
    original.write_bytes(b"the original")
    os.link(original, name)
    write_event(event, name, force=True)
    assert original.read_bytes() == b"the original"
    assert name.read_bytes() != b"the original"
    assert not list(tmp_path.glob(".*.part"))
