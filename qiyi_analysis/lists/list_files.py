"""A folder of reports in, the files of a rebuilt list out."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.audit.interface import answer, json_value
from qiyi_analysis.files.folders import entries_below
from qiyi_analysis.files.whole_files import write_all
from qiyi_analysis.lists.before_rebuild import LEDGER_COLUMNS
from qiyi_analysis.lists.list_comparison import DIFFERENCE_COLUMNS, Comparison
from qiyi_analysis.lists.rebuild import Rebuilt
from qiyi_analysis.lists.state import carried
from qiyi_analysis.model.errors import ParameterError, QiyiError, ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.readers.writers.list_writer import (
    csv_list,
    extracts,
    fide_text,
    fide_xml,
    list_sheets,
    xlsx_tables,
)
from qiyi_analysis.words import text as word

#: Formats in which a list itself is written.
LIST_FORMATS = ("csv", "xlsx", "xml", "txt")
#: Files that lie in folders of reports and are no event.
_NO_EVENTS = frozenset({".md", ".pdf", ".png", ".jpg", ".jpeg", ".doc", ".docx", ".log", ".toml", ".py"})


@dataclass(frozen=True, slots=True)
class Reports:
    """The events of a folder, and a finding for each file that could not be read."""

    events: tuple[Event, ...]
    findings: tuple[Finding, ...]


def read_reports(folder: Path | str) -> Reports:
    """Every event in a folder: files of any readable format, and folders with players.csv.

    Raises ParameterError where the folder does not exist or is a whole disk. A file that is no event has a finding.
    """
    from qiyi_analysis.readers import read_events

    root = Path(folder)
    if not root.is_dir():
        raise ParameterError("events-folder-missing", folder=root)
    events: list[Event] = []
    findings: list[Finding] = []
    for path in _event_paths(root):
        try:
            if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
                # A pipe or a device is no report; one of them may never end.
                raise ReadError("no-ordinary-file", path=path)
            read = read_events(path)
        except QiyiError as error:
            findings.append(
                Finding(
                    code="CK50",
                    reason="report-unreadable",
                    file=path.relative_to(root).as_posix(),
                    values={"message": error.said},
                )
            )
            continue
        for event in read:
            events.append(event)
            findings += event.faults
    if not events and not findings:
        findings.append(
            Finding(code="CK50", reason="no-report-in-folder", severity="W", values={"folder": root.name})
        )
    return Reports(tuple(events), tuple(findings))


def _event_paths(root: Path) -> list[Path]:
    """Event folders and files under a folder, in the order of their names."""
    return [
        path
        for path in entries_below(root, lambda folder: (folder / "players.csv").is_file())
        if os.path.isdir(path)
        or not (path.suffix.casefold() in _NO_EVENTS or path.name.endswith(".carry.json"))
    ]


def with_unreadable(ledger: pd.DataFrame, findings: Sequence[Finding]) -> pd.DataFrame:
    """The ledger with a line for each report that could not be read."""
    lost = [f for f in findings if f.reason == "report-unreadable"]
    if not lost:
        return ledger
    rows = [
        {**dict.fromkeys(LEDGER_COLUMNS), "event": f.file, "name": "", "players": 0, "games": 0, "late": False,
         "state": "unreadable", "reason": "report-unreadable"}
        for f in lost
    ]  # fmt: skip
    return pd.concat([ledger.astype(object), pd.DataFrame(rows, dtype=object)], ignore_index=True)


def list_name(rebuilt: Rebuilt) -> str:
    """Name of the list's files: its day is read back from it."""
    return f"list-{rebuilt.period.list_day.isoformat()}"


def write_list(
    rebuilt: Rebuilt,
    comparison: Comparison | None,
    folder: Path,
    language: str = "zh",
    *,
    formats: Collection[str] = LIST_FORMATS,
    read: Iterable[str | Path] = (),
    force: bool = True,
) -> dict[str, Path]:
    """Write the list: CSV with its carried facts, workbook with extracts per unit, for FIDE text and XML too.

    ``read``: files that were read, none of which is replaced; another file only by ``force``. Each file appears whole or not at all, and the carried facts before the list they belong to: a list
    without them would be rolled on wrongly.
    """
    name = list_name(rebuilt)
    made: dict[str, bytes] = {}
    if "csv" in formats:
        made["csv"] = csv_list(rebuilt.list).encode("utf-8")
        made = {"carry": carried(rebuilt.state, made["csv"]).encode("utf-8"), **made}
    if "xlsx" in formats:
        made["xlsx"] = workbook(rebuilt, comparison, language)
        if rebuilt.list.rows["unit"].ne("").any():
            made["units"] = extracts(rebuilt.list, rebuilt.players, language)
    if rebuilt.list.document.startswith("fide/"):
        played = dict(zip(rebuilt.players["id"], rebuilt.players["period_games"].astype(float), strict=True))
        for form, write in (("xml", fide_xml), ("txt", fide_text)):
            if form in formats:
                made[form] = write(rebuilt.list, played).encode("utf-8")
    endings = {"carry": ".carry.json", "units": "-units.xlsx"}
    paths = {form: folder / f"{name}{endings.get(form, f'.{form}')}" for form in made}
    given = [Path(one) for one in read if one and Path(one).exists()]
    for form, path in paths.items():
        if path.exists() and any(path.samefile(one) for one in given):
            raise ReadError("output-is-input", file=path)
        if path.exists() and not force and path.read_bytes() != made[form]:
            raise ReadError("file-would-be-replaced", file=path)
    write_all(folder, {path.name: made[form] for form, path in paths.items()})
    return paths


def workbook(rebuilt: Rebuilt, comparison: Comparison | None, language: str) -> bytes:
    """List, differences, entries and ledger in one workbook; the list alone in the federation's columns."""
    sheets = list_sheets(rebuilt.list, rebuilt.players, language)
    if comparison is not None:
        rows = comparison.rows.assign(
            causes=pd.Series(
                [
                    words.listed((cause.message(language) for cause in causes), language, parts=True)
                    for causes in comparison.rows["causes"]
                ],
                dtype=object,
            ),
            change=_floats(comparison.rows["change"]),
        )
        rows["class"] = [word(f"class.{kind}", language) for kind in rows["class"]]
        sheets[word("sheet.differences", language)] = (DIFFERENCE_COLUMNS, rows)
    entries = rebuilt.entries.assign(
        change=_floats(rebuilt.entries["change"]), w_minus_we=_floats(rebuilt.entries["w_minus_we"])
    )
    columns = ("event", "person", "number", "rating", "k", "games", "score", "w_minus_we", "change")
    sheets[word("sheet.entries", language)] = (columns, entries)
    ledger = rebuilt.ledger.assign(
        state=[word(f"list_state.{state}", language) for state in rebuilt.ledger["state"]],
        reason=[reason_word(reason, language) for reason in rebuilt.ledger["reason"]],
    )
    sheets[word("sheet.ledger", language)] = (LEDGER_COLUMNS, ledger)
    return xlsx_tables(sheets, language, rebuilt.period.list_day)


def reason_word(reason: str, language: str) -> str:
    """Why a report or a newcomer does not count, in words."""
    return words.shown(words.named("list_reason", reason), language)


def _floats(values: pd.Series) -> pd.Series:
    """Exact numbers as the floats a workbook holds; None stays missing."""
    return pd.Series([None if v is None or v != v else float(v) for v in values], dtype=np.float64)


#: What the JSON of a list tells of each player, and of each difference to the published list.
PLAYERS = (
    "id", "name", "sex", "federation", "unit", "birth_year", "title", "rating", "k", "games", "peak", "last_event",
    "flag", "previous", "change", "period_games", "status", "reason",
)  # fmt: skip
DIFFERENCES = DIFFERENCE_COLUMNS[:-1]


def list_json(rebuilt: Rebuilt, comparison: Comparison | None, findings: Iterable[Finding]) -> str:
    """The JSON object of a rebuilt list: players, accounts, and the differences to what was published."""
    on_list = rebuilt.players["published"] & (rebuilt.players["status"] != "removed")
    players = [_record(dict(row), PLAYERS) for row in rebuilt.players[on_list].to_dict("records")]
    more: dict[str, Any] = {
        "not_listed": [_record(dict(row), PLAYERS) for row in rebuilt.players[~on_list].to_dict("records")],
        "period": rebuilt.period.id,
        "list_day": rebuilt.period.list_day.isoformat(),
        "accounts": rebuilt.accounts.counts,
    }
    if comparison is not None:
        more["counts"] = comparison.counts
        more["differences"] = [
            {**_record(dict(row), DIFFERENCES), "causes": [cause.as_dict() for cause in row["causes"]]}
            for row in comparison.differences.to_dict("records")
        ]
    return answer(rebuilt.period.id, [rebuilt.rules], players, findings, **more)


def _record(row: dict[Any, Any], names: tuple[str, ...]) -> dict[str, Any]:
    record = {name: json_value(row[name]) for name in names if name != "change"}
    record["id"] = row["id"] or None
    change = row["change"]
    # Exact hundredths; systems in floating point keep four decimals.
    if change is None or change != change:
        record["change"] = None
    elif hasattr(change, "numerator") and hasattr(change, "denominator") and 100 % change.denominator == 0:
        record["change"] = f"{Decimal(change.numerator) / Decimal(change.denominator):.2f}"
    else:
        record["change"] = f"{float(change):.4f}"
    return {name: record[name] for name in names}
