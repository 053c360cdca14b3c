"""The files of a publication beside its pages: JSON, workbook and CSV, with every row that the pages cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.audit.interface import json_text, json_value
from qiyi_analysis.lists.accounting import LEFT, NOW
from qiyi_analysis.lists.publication import Publication, corrections
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.readers.writers.list_writer import csv_rows, xlsx_tables

#: What is told of each player of the list and of each one of the accounts.
ROWS = (
    "place", "id", "name", "sex", "federation", "unit", "birth_year", "title", "rating", "previous", "change", "games",
    "flag", "status", "reason",
)  # fmt: skip
_PERSON = ("id", "name", "rating", "previous", "reason")


def accounts_dict(accounts: Any) -> dict[str, Any] | None:
    """The accounts as JSON holds them: numbers, and the players of every part but those who stayed."""
    if accounts is None:
        return None
    people = {
        status: _records(accounts.of(status), [one for one in _PERSON if one in accounts.of(status)])
        for status in (*NOW[1:-1], *LEFT)
    }
    return {"counts": accounts.counts, "balanced": accounts.balanced, "players": people}


def publication_json(p: Publication, findings: Sequence[Finding]) -> str:
    """The JSON object of a publication; docs/formats.md says what is in it."""
    return json_text(
        {
            "schema": 1,
            "list": p.current.id,
            "day": p.current.day.isoformat() if p.current.day else None,
            "before": p.before.id if p.before else None,
            "revision": p.revision,
            "players": _records(p.rows, ROWS),
            "accounts": accounts_dict(p.accounts),
            "corrections": corrections(p).to_dict("records"),
            "findings": [finding.as_dict() for finding in findings],
        }
    )


def _records(rows: pd.DataFrame, names: Sequence[str]) -> list[dict[str, Any]]:
    columns = [[json_value(value) for value in rows[name].tolist()] for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def publication_csv(p: Publication) -> str:
    """The list with places and changes, one row a player."""
    return csv_rows(p.rows, ROWS[:-2])


def publication_workbook(p: Publication, language: str) -> bytes:
    """List, accounts and corrections as sheets."""
    shown = p.rows.assign(list_rating=p.rows["rating"])
    columns = tuple("list_rating" if one == "rating" else one for one in ROWS[:-2])
    sheets = {words.text("publish_section.lists", language): (columns, shown)}
    if p.accounts is not None:
        parts = []
        for status in (*NOW[1:-1], *LEFT):
            rows = p.accounts.of(status)
            rows = rows.assign(previous=rows["rating"], rating=np.nan) if status in LEFT else rows
            parts.append(
                rows.assign(what=words.text(f"accounts.{status}", language), list_rating=rows["rating"])
            )
        people = pd.concat(parts, ignore_index=True)
        people["reason"] = [
            words.text(f"list_reason.{one}", language) if one in _SAID else "" for one in people["reason"]
        ]
        wanted = ("what", "id", "name", "federation", "unit", "previous", "list_rating", "reason")
        sheets[words.text("publish_section.changes", language)] = (wanted, people)
    if p.replaced is not None:
        sheets[words.text("publish_section.corrections", language)] = (
            ("id", "name", "field", "was", "now"), corrections(p),
        )  # fmt: skip
    return xlsx_tables(sheets, language, p.current.day, "publish_column")


#: Reasons of the accounts that have words.
_SAID = frozenset({"off-list", "rating-withdrawn", "merged"})
