"""A signal ends every command within seconds, with one message and nothing left, whatever it is doing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qiyi_analysis.files.temporary import PREFIX, sweep, temporary_folder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

DATA = Path(__file__).parents[2] / "data"
PERIOD = DATA / "periods" / "constructed-2025-12"
#: A command may take three seconds to end; a busy machine is slower than that.
SECONDS = 3.0 * 5
COMMANDS = {
    "audit": ["audit", str(DATA / "events" / "constructed-open-2025")],
    "list": [
        "list", "--rules", "fide/rating-standard", "--previous", str(PERIOD / "list-2025-11-01.csv"), "--events",
        str(PERIOD / "events"), "--period", "2025-12",
    ],
    "study": ["study", "simulate", "-p", "replicates=50", "-p", "months=60"],
    "titles": ["titles", str(DATA / "events" / "constructed-open-2025"), "--formats", "pdf"],
}  # fmt: skip


def started(arguments: list[str], folder: Path, **options: object) -> subprocess.Popen[bytes]:
    (folder / "temporary").mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "qiyi_analysis", *arguments, "--out", str(folder / "out")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "TMPDIR": str(folder / "temporary")},
        # A shell's background jobs ignore Ctrl-C, and so would everything started by tests run in one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options,
    )  # type: ignore[call-overload] # fmt: skip


def left_over(folder: Path) -> list[Path]:
    hidden = [path for path in folder.glob("out/**/.*") if path.name != ".done.json"]
    return [*folder.glob("temporary/*"), *hidden]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_at_a_random_moment(name: str, number: signal.Signals, tmp_path: Path) -> None:
    process = started(COMMANDS[name], tmp_path)
    time.sleep(random.Random(f"{name}{number}").uniform(0.05, 3.0))
    sent = time.monotonic()
    os.killpg(process.pid, number)
    try:
        _, said = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert time.monotonic() - sent < SECONDS
    assert process.returncode in (0, 1, 2, -number)  # done already, or ended while it was loading
    if process.returncode == 2:
        assert said.decode("utf-8").strip().splitlines()[-2:] == ["qiyi: interrupted", "qiyi: 已中断"]
    assert b"Traceback" not in said
    assert not left_over(tmp_path)


def test_compiled_code_that_hears_nothing_is_ended(tmp_path: Path) -> None:
    code = (
        "import threading, sys\n"
        "from qiyi_analysis.app.cli.interruption import interruptible\n"
        "with interruptible(lambda: print('ended', flush=True)):\n"
        "    ready = False\n"
        "    while True:\n"
        "        try:\n"
        "            ready = ready or print('ready', flush=True) is None\n"
        "            threading.Event().wait()\n"
        "        except KeyboardInterrupt:\n"
        "            pass\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGTERM)
    try:
        assert process.communicate(timeout=SECONDS)[0].endswith(b"ended\n")
    finally:
        process.kill()
    assert process.returncode == 2


def test_what_a_killed_process_left_goes_with_the_next_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import sys, time\nfrom pathlib import Path\n"
        "from qiyi_analysis.files.temporary import temporary_folder\n"
        "with temporary_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'half').write_text('names')\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    (other,) = tmp_path.iterdir()
    for foreign in (f".{PREFIX}notes", ".holiday.mp4.part", ".notes.1.part"):
        (tmp_path / foreign).mkdir()
        (tmp_path / foreign / "kept").write_text("x")
    sweep(tmp_path)
    assert other.is_dir()  # its process lives
    process.kill()
    process.wait()
    sweep(tmp_path)
    assert not other.exists()
    assert len(list(tmp_path.glob(".*/kept"))) == 3
    with temporary_folder(tmp_path) as own:
        sweep(tmp_path)
        assert own.is_dir()
