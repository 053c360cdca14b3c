"""Batches: the table of jobs, the ways of running it, what is left when something goes wrong."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from qiyi_analysis.batch import read_jobs, run_batch
from qiyi_analysis.batch.jobs import fingerprint
from qiyi_analysis.batch.run import DONE, FAILED, SKIPPED
from qiyi_analysis.errors import ParameterError, ReadError

EVENTS = Path(__file__).parents[1] / "data" / "events"


def table(tmp_path: Path, *rows: str, head: str = "command,input,formats") -> Path:
    path = tmp_path / "jobs.csv"
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def hashes(folder: Path) -> dict[str, str]:
    """Name below the folder -> hash, of everything a batch leaves."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("head", "row", "message"),
    [
        ("comand,input", "audit,x", "jobs.csv:1: column 'comand'; did you mean command"),
        ("command,rules", "audit,x", "jobs.csv:1: column input is missing"),
        (
            "command,input",
            "adit,x",
            "jobs.csv:2: command 'adit'; expected one of audit, list, publish, study",
        ),
        ("command,input,language", "audit,x,fr", "jobs.csv:2: language 'fr'; expected zh or en"),
        ("command,input,out", "audit,x,../../y", "jobs.csv:2: out '../../y'; expected a folder below"),
        ("command,input", "", "jobs.csv: no job"),
    ],
)
def test_a_table_that_cannot_be_a_batch_is_refused_before_anything_starts(tmp_path, head, row, message):
    with pytest.raises((ReadError, ParameterError), match=message.replace(".", r"\.")):
        read_jobs(table(tmp_path, row, head=head))


def test_two_jobs_must_not_write_to_one_folder(tmp_path):
    with pytest.raises(ParameterError, match=r"jobs\.csv:3: writes to the same folder as line 2"):
        read_jobs(table(tmp_path, "audit,x,one", "audit,y,ONE", head="command,input,out"))


def test_a_batch_with_a_damaged_file_ends_with_the_other_reports(tmp_path):
    (tmp_path / "broken.trf").write_bytes(b"\x00\x01 no event at all")
    jobs = read_jobs(table(
        tmp_path,
        f"audit,{EVENTS / 'nanjing-2010'},pdf;json",
        "audit,broken.trf,pdf;json",
        f"audit,{EVENTS / 'constructed-cca-2024'},pdf;json",
    ))  # fmt: skip
    out = tmp_path / "out"
    outcomes = run_batch(jobs, out, workers=2)
    assert [one.state for one in outcomes] == [DONE, FAILED, DONE]
    assert outcomes[0].verdict == "accept"
    assert "broken.trf" in outcomes[1].message
    assert (out / outcomes[1].folder / "failed.log").is_file()
    assert not list(out.rglob("*.part*"))
    for one in (outcomes[0], outcomes[2]):
        assert all((out / name).is_file() for name in one.files)

    before = hashes(out)
    again = run_batch(jobs, out, workers=2, resume=True)
    assert [one.state for one in again] == [SKIPPED, FAILED, SKIPPED]
    assert hashes(out) == before


def test_a_changed_input_is_done_again(tmp_path):
    event = tmp_path / "event"
    shutil.copytree(EVENTS / "nanjing-2010", event)
    jobs = read_jobs(table(tmp_path, "audit,event,json"))
    key = fingerprint(jobs[0])
    meta = json.loads((event / "meta.json").read_text(encoding="utf-8"))
    (event / "meta.json").write_text(json.dumps(meta | {"place": "elsewhere"}), encoding="utf-8")
    assert fingerprint(jobs[0]) != key


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forked workers are for POSIX")
def test_forked_warm_and_isolated_runs_give_the_same_bytes(tmp_path):
    from qiyi_analysis.batch import run

    jobs = read_jobs(table(
        tmp_path,
        f"audit,{EVENTS / 'nanjing-2010'},pdf;html",
        f"audit,{EVENTS / 'constructed-xiangqi-2024'},pdf;html",
    ))  # fmt: skip
    run_batch(jobs, tmp_path / "forked", workers=2)
    run_batch(jobs, tmp_path / "isolated", isolated=True)
    waiting = [(job, fingerprint(job)) for job in jobs]
    (tmp_path / "warm").mkdir()
    assert all(one.state == DONE for one in run._in_pool(waiting, tmp_path / "warm", 1))
    reports = {
        way: {k: v for k, v in hashes(tmp_path / way).items() if k.endswith((".pdf", ".html"))}
        for way in ("forked", "isolated", "warm")
    }
    assert len(reports["forked"]) == 4
    assert reports["forked"] == reports["isolated"] == reports["warm"]


def test_the_command_prints_what_became_of_the_jobs(tmp_path):
    jobs = table(tmp_path, f"audit,{EVENTS / 'nanjing-2010'},json", "audit,nowhere,json")
    done = subprocess.run(
        [sys.executable, "-m", "qiyi_analysis", "batch", str(jobs), "--out", str(tmp_path / "out")],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout) == {"jobs": 2, "done": 1, "skipped": 0, "failed": 1}
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr
    for name in ("batch.json", "batch.pdf", "batch.html"):
        assert (tmp_path / "out" / name).is_file()
