"""The summary of a batch: a table of what became of every job, as JSON, PDF and HTML with links."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.app.batch.outcome import DONE, FAILED, Outcome
from qiyi_analysis.files.whole_files import write_whole
from qiyi_analysis.report.kit.prose import Piece, group, heading, prose, verdict
from qiyi_analysis.report.kit.tables import Column, Table
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


def read_record(record: str | Path) -> list[dict[str, Any]]:
    """The rows of a ``batch.json``."""
    return json.loads(Path(record).read_text(encoding="utf-8"))


def verdict_of(rows: Sequence[dict[str, Any]], language: str) -> Piece:
    """How many jobs there were, how many failed, how many reports ask for something."""
    failed = sum(row["state"] == FAILED for row in rows)
    returned = sum(row["verdict"] == "return" for row in rows)
    tone = "return" if failed else "remarks" if returned else "accept"
    text = words.pair("batch.verdict", "zh", jobs=len(rows), failed=failed, returned=returned)
    return verdict(tone, text, language)


def jobs(rows: Sequence[dict[str, Any]], language: str) -> Piece:
    """One row a job: what it was, its verdict, the number of findings, its folder."""
    shown = [
        {
            "line": row["line"],
            "command": row["command"],
            "input": Path(row["input"]).name,
            "state": words.text(f"batch.{row['state']}", language),
            "verdict": words.text(f"verdict.{row['verdict']}", language) if row["verdict"] else "",
            "findings": row["findings"],
            "folder": row["folder"],
        }
        for row in rows
    ]
    columns = [
        Column("line", "integer"),
        Column("command", "text"),
        Column("input", "text"),
        Column("state", "text"),
        Column("verdict", "text"),
        Column("findings", "integer"),
        Column("folder", "text"),
    ]
    marks = ["error" if row["state"] == FAILED else "" for row in rows]
    table = Table("batch_jobs", columns, shown, language=language, marks=marks)
    return group(heading(words.pair("table.batch_jobs", "zh"), language), table, language=language)


def failures(rows: Sequence[dict[str, Any]], language: str) -> Piece:
    """The failed jobs with their messages."""
    said = "message_zh" if language == "zh" else "message"
    failed = [row | {"message": row[said]} for row in rows if row["state"] == FAILED]
    head = heading(words.pair("table.batch_failures", "zh"), language)
    if not failed:
        return group(head, prose(words.text("batch.no-failures", language)), language=language)
    columns = [Column("line", "integer"), Column("folder", "text"), Column("message", "text")]
    return group(head, Table("batch_failures", columns, failed, language=language), language=language)
