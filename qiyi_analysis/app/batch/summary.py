"""The summary of a batch: a table of what became of every job, as JSON, PDF and HTML with links."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from qiyi_analysis.app.batch.outcome import DONE, FAILED, Outcome
from qiyi_analysis.files.whole_files import write_whole
from qiyi_analysis.report.run.render import render

NAME = "batch"


def write_summary(outcomes: Sequence[Outcome], out: Path, language: str) -> tuple[Path, ...]:
    """Write ``batch.json``, ``batch.pdf`` and ``batch.html`` into the batch's folder.

    Times and whether a job was done now or earlier are left out: a resumed batch gives the same summary.
    """
    rows = []
    for one in outcomes:
        row = asdict(one)
        del row["seconds"]
        row |= {"state": FAILED if one.state == FAILED else DONE, "message_zh": one.message.zh}
        rows.append(row)
    record = out / f"{NAME}.json"
    write_whole(record, (json.dumps(rows, ensure_ascii=False, indent=1) + "\n").encode("utf-8"))
    parameters = {"record": str(record), "language": language}
    paths = render("batch_summary", parameters, out, ("pdf", "html"), name=NAME)
    return (record, *paths.values())
