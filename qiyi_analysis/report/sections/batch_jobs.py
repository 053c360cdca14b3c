"""The jobs of a batch as a data frame."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from qiyi_analysis import words

#: Columns of the tables and their kinds.
JOBS = {
    "line": "integer", "command": "text", "input": "text", "state": "text", "verdict": "text", "findings": "integer",
    "folder": "text",
}  # fmt: skip
FAILURES = {"line": "integer", "folder": "text", "message": "text"}


def jobs(record: str | Path, language: str = "zh") -> pd.DataFrame:
    """One row a job of ``batch.json``: what it was, state, verdict and message in words, number of findings, folder.

    ``error`` where the job failed, ``returned`` where its event goes back to the arbiter.
    """
    rows = pd.DataFrame(json.loads(Path(record).read_text(encoding="utf-8")))
    return rows.assign(
        input=[Path(path).name for path in rows["input"]],
        state=[words.text(f"batch.{state}", language) for state in rows["state"]],
        verdict=[words.text(f"verdict.{one}", language) if one else "" for one in rows["verdict"]],
        message=rows["message_zh" if language == "zh" else "message"],
        error=rows["state"] == "failed",
        returned=rows["verdict"] == "return",
    )


def tone(rows: pd.DataFrame) -> str:
    """The tone of the verdict on a batch."""
    return "return" if rows["error"].any() else "remarks" if rows["returned"].any() else "accept"
