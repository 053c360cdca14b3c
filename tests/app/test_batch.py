"""Batches: the table of jobs, the ways of running it, what is left when something goes wrong."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from qiyi_analysis.app.batch import read_jobs, run_batch, workers
from qiyi_analysis.app.batch.jobs import fingerprint
from qiyi_analysis.app.batch.one_job import do_job
from qiyi_analysis.app.batch.outcome import DONE, FAILED, SKIPPED
from qiyi_analysis.app.batch.workers import FORKS
from qiyi_analysis.files import folders
from qiyi_analysis.model.errors import ParameterError, QiyiError, ReadError

EVENTS = Path(__file__).parents[2] / "data" / "events"


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
        ("comand,input", "audit,x", "jobs.csv:1: unknown column 'comand'; did you mean command"),
        ("command,rules", "audit,x", "jobs.csv:1: column input is missing"),
        (
            "command,input",
            "adit,x",
            "jobs.csv:2: command 'adit'; expected one of audit, titles, list, publish, study",
        ),
        ("command,input,language", "audit,x,fr", "jobs.csv:2: language 'fr'; expected zh, en"),
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


def test_titles_are_a_job_as_well(tmp_path):
    jobs = read_jobs(table(
        tmp_path,
        f"titles,{EVENTS / 'constructed-open-2025'},fide/titles,pdf;xlsx",
        f"titles,{EVENTS / 'constructed-open-2025'},,pdf",
        head="command,input,rules,formats",
    ))  # fmt: skip
    done, failed = run_batch(jobs, tmp_path / "out", workers=1)
    assert done.state == DONE, done.message
    assert [Path(name).suffix for name in done.files] == [".pdf", ".xlsx"]
    assert all((tmp_path / "out" / name).is_file() for name in done.files)
    assert failed.message.startswith("line 3: rules is empty")


def test_a_changed_input_is_done_again(tmp_path):
    event = tmp_path / "event"
    shutil.copytree(EVENTS / "nanjing-2010", event)
    jobs = read_jobs(table(tmp_path, "audit,event,json"))
    key = fingerprint(jobs[0])
    meta = json.loads((event / "meta.json").read_text(encoding="utf-8"))
    (event / "meta.json").write_text(json.dumps(meta | {"place": "elsewhere"}), encoding="utf-8")
    assert fingerprint(jobs[0]) != key


def test_an_input_that_cannot_be_read_does_not_stop_the_other_jobs(tmp_path, monkeypatch):
    shutil.copytree(EVENTS / "nanjing-2010", tmp_path / "closed")
    job, other = read_jobs(table(tmp_path, "audit,closed,json", f"audit,{EVENTS / 'nanjing-2010'},json"))
    opened, read = fingerprint(job), Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.parent.name == "closed":
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert len({opened, fingerprint(job), fingerprint(other)}) == 3
    # Nor does a whole disk, which is not read to its end.
    monkeypatch.setattr(folders, "MOST_ENTRIES", 1)
    monkeypatch.setattr(Path, "read_bytes", read)
    assert fingerprint(job) != opened


@pytest.mark.skipif(not FORKS, reason="forked children are for Linux")
def test_children_that_are_forked_and_that_start_anew_give_the_same_bytes(tmp_path, monkeypatch):
    jobs = read_jobs(table(
        tmp_path,
        f"audit,{EVENTS / 'nanjing-2010'},pdf;html",
        f"audit,{EVENTS / 'constructed-xiangqi-2024'},pdf;html",
    ))  # fmt: skip
    run_batch(jobs, tmp_path / "forked", workers=2)
    monkeypatch.setattr(workers, "FORKS", False)
    begun = []
    outcomes = run_batch(jobs, tmp_path / "anew", workers=1, started=begun.append)
    assert [one.state for one in outcomes] == [DONE, DONE]
    assert begun == list(jobs)
    reports = {
        way: {k: v for k, v in hashes(tmp_path / way).items() if k.endswith((".pdf", ".html"))}
        for way in ("forked", "anew")
    }
    assert len(reports["forked"]) == 4
    assert reports["forked"] == reports["anew"]


def test_the_command_prints_what_became_of_the_jobs(tmp_path):
    jobs = table(tmp_path, f"audit,{EVENTS / 'nanjing-2010'},json", "audit,nowhere,json")
    done = subprocess.run(
        [sys.executable, "-m", "qiyi_analysis", "batch", str(jobs), "--out", str(tmp_path / "out")],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout) == {"schema": 1, "jobs": 2, "done": 1, "skipped": 0, "failed": 1}
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr
    for name in ("batch.json", "batch.pdf", "batch.html"):
        assert (tmp_path / "out" / name).is_file()
    # The reason of the failed job in the language of the summary; both in its record and log.
    row = json.loads((tmp_path / "out" / "batch.json").read_text(encoding="utf-8"))[1]
    assert row["message"].endswith(
        "cannot be opened (No such file or directory); expected an event or list file"
    )
    assert row["message_zh"].endswith("打不开（没有这个文件或文件夹）；应为比赛文件或等级分表")
    page = (tmp_path / "out" / "batch.html").read_text(encoding="utf-8")
    assert "打不开" in page
    assert "cannot be opened" not in page


# --- forked children ------------------------------------------------------------------------------

forks = pytest.mark.skipif(not FORKS, reason="forked children are for Linux")


def children_of(pid: int) -> set[int]:
    """The processes below ``pid``, however deep."""
    found: set[int] = set()
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    new = {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found


def jobs_children(pid: int) -> set[int]:
    """The children that do jobs: those of the fork server, which is a child of ``pid``."""
    direct = {child for child in children_of(pid) if parent_of(child) == pid}
    return children_of(pid) - direct


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def wait_for(what, seconds=60.0):
    """What ``what`` gives, as soon as it is something."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = what()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("nothing came in time")


@forks
def test_threads_of_the_caller_do_not_matter(tmp_path):
    """A lock held by another thread would stay locked for ever in a process forked from this one."""
    lock, ready, done = logging._lock, threading.Event(), threading.Event()

    def hold():
        with lock:
            ready.set()
            done.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    ready.wait()
    try:
        jobs = read_jobs(table(tmp_path, f"audit,{EVENTS / 'nanjing-2010'},pdf"))
        assert [one.state for one in run_batch(jobs, tmp_path / "out", workers=1)] == [DONE]
    finally:
        done.set()
        holder.join()


@forks
def test_the_server_has_a_single_thread_after_its_imports(project):
    code = (
        "import qiyi_analysis.app.batch.preloaded\n"
        "from pathlib import Path\n"
        "print(*(file.read_text().strip() for file in Path('/proc/self/task').glob('*/comm')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=project,
        env=os.environ | workers.ENVIRONMENT,
    )  # fmt: skip
    # Arrow's allocator has a thread that it stops before a fork and starts again after it.
    assert len(set(done.stdout.split()) - {"jemalloc_bg_thd"}) == 1, done.stdout


@forks
def test_a_child_that_is_killed_or_takes_too_long_is_a_failed_job(tmp_path, monkeypatch):
    jobs = read_jobs(
        table(
            tmp_path, f"audit,{EVENTS / 'nanjing-2010'},json", f"audit,{EVENTS / 'constructed-cca-2024'},json"
        )
    )
    killed = []

    def kill(job):
        def later():
            child = wait_for(lambda: jobs_children(os.getpid()))
            for pid in child:
                os.kill(pid, signal.SIGKILL)
            killed.append(child)

        if job is jobs[0]:
            threading.Thread(target=later).start()

    outcomes = run_batch(jobs, tmp_path / "out", workers=1, started=kill)
    assert killed
    assert outcomes[0].state == FAILED
    assert outcomes[0].message == "worker ended by signal 9"
    assert outcomes[1].state == DONE
    assert "signal 9" in (tmp_path / "out" / outcomes[0].folder / "failed.log").read_text(encoding="utf-8")

    monkeypatch.setattr(workers, "LONGEST_JOB", 0.01)
    outcomes = run_batch(jobs[:1], tmp_path / "late", workers=1)
    assert outcomes[0].state == FAILED
    assert outcomes[0].message.startswith("took longer than")


@forks
def test_the_server_may_be_killed_between_two_jobs(tmp_path):
    from multiprocessing import forkserver

    jobs = read_jobs(table(tmp_path, f"audit,{EVENTS / 'nanjing-2010'},json"))
    assert run_batch(jobs, tmp_path / "a", workers=1)[0].state == DONE
    os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)
    assert run_batch(jobs, tmp_path / "b", workers=1)[0].state == DONE


def many(tmp_path: Path, count: int) -> Path:
    return table(
        tmp_path,
        *(f"audit,{EVENTS / 'constructed-cca-2024'},pdf;json,job{number:02}" for number in range(count)),
        head="command,input,formats,out",
    )


def started_batch(jobs: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "qiyi_analysis", "batch", str(jobs), "--out", str(out), *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        # A shell's background jobs ignore Ctrl-C, and so would everything started by tests run in one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


@forks
@pytest.mark.parametrize("whole_group", [True, False], ids=["terminal", "process"])
def test_ctrl_c_leaves_nothing_half_written_and_nobody_behind(tmp_path, whole_group):
    out = tmp_path / "out"
    batch = started_batch(many(tmp_path, 12), out)
    try:
        wait_for(lambda: list(out.glob("*/.done.json")))
        everybody = children_of(batch.pid)
        assert everybody
        if whole_group:
            os.killpg(batch.pid, signal.SIGINT)
        else:
            batch.send_signal(signal.SIGINT)
        assert batch.wait(20) != 0
    finally:
        batch.kill()
    wait_for(lambda: not any(alive(pid) for pid in everybody), 10)
    assert not list(out.rglob("*.part*"))
    assert len(list(out.glob("*/.done.json"))) < 12


@forks
def test_the_children_of_a_killed_batch_end_at_once(tmp_path):
    out = tmp_path / "out"
    batch = started_batch(many(tmp_path, 12), out)
    wait_for(lambda: list(out.glob("*/.done.json")))
    everybody = children_of(batch.pid)
    batch.kill()
    batch.wait()
    wait_for(lambda: not any(alive(pid) for pid in everybody), 10)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@forks
def test_a_batch_killed_again_and_again_leaves_in_the_end_what_an_undisturbed_one_leaves(project):
    """The small form of ``python -m benchmarks.factory_stress``."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.factory_stress", "--jobs", "20", "--kills", "3"],
        capture_output=True, text=True, encoding="utf-8", check=False, cwd=project, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


# --- a cluster ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scheduler():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=2,
        processes=True,
        dashboard_address=None,
        worker_dashboard_address=None,
    ) as cluster:
        yield cluster


def test_a_cluster_gives_the_same_bytes(tmp_path, scheduler):
    # The same job twice, and several threads a worker: neither may be mistaken for another.
    rows = [f"audit,{EVENTS / 'nanjing-2010'},pdf;json"] * 2
    rows += [f"audit,{EVENTS / 'constructed-cca-2024'},pdf;json", "audit,nowhere.trf,json"]
    jobs = read_jobs(table(tmp_path, *rows))
    here = run_batch(jobs, tmp_path / "here", workers=2)
    begun = []
    there = run_batch(
        jobs,
        tmp_path / "there",
        cluster=scheduler.scheduler_address,
        started=lambda job: begun.append(job.line),
    )
    assert sorted(begun) == [job.line for job in jobs]
    assert [one.state for one in there] == [one.state for one in here] == [DONE, DONE, DONE, FAILED]
    assert hashes(tmp_path / "there") == hashes(tmp_path / "here")


def test_a_lost_worker_does_not_lose_the_batch(tmp_path, scheduler):
    jobs = read_jobs(many(tmp_path, 8))
    victims = []

    def kill(outcome):
        if not victims:
            pids = [worker.pid for worker in scheduler.workers.values() if worker.pid]
            victims.append(pids[0])
            os.kill(pids[0], signal.SIGTERM if os.name == "nt" else signal.SIGKILL)

    outcomes = run_batch(jobs, tmp_path / "out", cluster=scheduler.scheduler_address, finished=kill)
    assert victims
    assert [one.state for one in outcomes] == [DONE] * 8
    assert not list((tmp_path / "out").rglob("*.part*"))


def test_a_cluster_that_is_not_there_is_told_in_words(tmp_path):
    pytest.importorskip("distributed")
    jobs = read_jobs(many(tmp_path, 1))
    with pytest.raises(QiyiError, match="no scheduler answers"):
        run_batch(jobs, tmp_path / "out", cluster="tcp://127.0.0.1:9")


def test_a_list_job_gives_what_the_command_gives(tmp_path):
    """publish.md A9: the list itself, not only its report; its findings are the job's."""
    period = EVENTS.parent / "periods" / "constructed-2025-12"
    jobs = tmp_path / "jobs.csv"
    jobs.write_text(
        "command,input,rules,list,published,formats\n"
        f"list,{period / 'events'},fide/rating-standard;period=2025-12,{period / 'list-2025-11-01.csv'},"
        f"{period / 'published-2025-12-01.csv'},csv;json;xlsx\n",
        encoding="utf-8",
    )  # fmt: skip
    (job,) = read_jobs(jobs)
    done = do_job(job, tmp_path / "out")
    names = {path.name for path in done.files}
    assert {
        "list-2025-12-01.csv",
        "list-2025-12-01.carry.json",
        "list-2025-12-01.json",
        "list-2025-12-01.xlsx",
    } <= names
    assert done.findings > 0
