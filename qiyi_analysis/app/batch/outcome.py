"""One job carried out, and what became of it.

A job's mark is written after its files, so that a batch killed at any moment can be resumed.
"""

from __future__ import annotations

import hashlib
import json
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.app.batch.jobs import Job
from qiyi_analysis.app.batch.one_job import do_job
from qiyi_analysis.files.temporary import sweep
from qiyi_analysis.files.whole_files import inputs_kept, write_whole
from qiyi_analysis.model.errors import QiyiError, sentence

MARK = ".done.json"
LOG = "failed.log"

DONE, SKIPPED, FAILED = "done", "skipped", "failed"
NOTHING_TO_SAY = words.Said("", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a job. ``files`` are names below the batch's folder; ``seconds`` is for the screen."""

    line: int
    command: str
    input: str
    folder: str
    state: str
    verdict: str = ""
    findings: int = 0
    message: words.Said = NOTHING_TO_SAY
    files: tuple[str, ...] = ()
    seconds: float = 0.0


def perform(job: Job, out: Path, key: str) -> Outcome:
    """Do one job in this process; whatever goes wrong becomes a failed outcome with a log."""
    folder = out / job.folder
    begun = time.monotonic()
    facts: dict[str, Any] = {
        "line": job.line,
        "command": job.command,
        "input": job.input,
        "folder": job.folder,
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARK).unlink(missing_ok=True)
        sweep(folder)
        with inputs_kept():
            done = do_job(job, folder)
        # In order of their names, so that a job taken over from an earlier run reads the same.
        files = tuple(sorted(path.relative_to(out).as_posix() for path in done.files))
        outcome = Outcome(
            **facts, state=DONE, verdict=done.verdict, findings=done.findings, files=files,
            seconds=time.monotonic() - begun,
        )  # fmt: skip
        hashes = {name: _sha256(out / name) for name in files}
        mark = {"fingerprint": key, "verdict": done.verdict, "findings": done.findings, "files": hashes}
        write_whole(folder / MARK, json.dumps(mark, indent=1, sort_keys=True).encode("utf-8"))
        (folder / LOG).unlink(missing_ok=True)
        return outcome
    except (QiyiError, OSError) as error:
        message = sentence(error)
        _log(folder, f"{message}\n{message.zh}")
    except Exception as error:  # one job's fault, of whatever kind, is that job's outcome
        message = sentence(error)
        _log(folder, traceback.format_exc())
    return Outcome(**facts, state=FAILED, message=message, seconds=time.monotonic() - begun)


def lost(job: Job, out: Path, why: words.Said, seconds: float = 0.0) -> Outcome:
    """The outcome of a job whose process is gone; what it left half-written goes too."""
    sweep(out / job.folder)
    _log(out / job.folder, f"{why}\n{why.zh}")
    return Outcome(
        line=job.line, command=job.command, input=job.input, folder=job.folder, state=FAILED, message=why,
        seconds=seconds,
    )  # fmt: skip


def _log(folder: Path, text: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / LOG, (text.rstrip() + "\n").encode("utf-8"))
    except OSError:
        return  # the disk is full or read-only: the outcome still says what happened


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def finished_before(job: Job, out: Path, key: str) -> Outcome | None:
    """The outcome of an earlier run whose files are all there and unchanged."""
    try:
        mark = json.loads((out / job.folder / MARK).read_text(encoding="utf-8"))
        if mark["fingerprint"] != key or any(
            _sha256(out / name) != sha for name, sha in mark["files"].items()
        ):
            return None
        return Outcome(
            line=job.line, command=job.command, input=job.input, folder=job.folder, state=SKIPPED,
            verdict=mark["verdict"], findings=mark["findings"], files=tuple(sorted(mark["files"])),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None
