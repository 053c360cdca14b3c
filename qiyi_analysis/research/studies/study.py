"""What every study shares: where its games come from, what was met while reading them, and the frame of its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.findings import Finding, Severity, ordered
from qiyi_analysis.research.history.games import History
from qiyi_analysis.research.history.history_files import read_history, xiangqi_masters

#: The history that is used where none is named.
SHIPPED_FILE = "xiangqi_masters.parquet"


@dataclass(frozen=True)
class Frame:
    """What a study was asked and from which games: settings go into every result file.

    tables: tidy results by name; verdict: the pair (Chinese, English).
    """

    study: str
    settings: Mapping[str, Any]
    history: History | None
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    verdict: tuple[str, str] = ("", "")
    evidence: str = "none"


def load_games(
    games: str,
    period: str,
    *,
    columns: Sequence[str] = (),
    players: str = "",
    partial_dates: str = "leave out",
    duplicates: str = "keep",
    discipline: str = "",
    points_per_handicap: float = 0.0,
) -> History:
    """The history a study is about: a file, or the shipped games of xiangqi masters where none is named.

    columns: texts ``ours=theirs``. Raises ReadError, ParameterError.
    """
    pairs = dict(text.split("=", 1) for text in columns if "=" in text)
    choices: dict[str, Any] = {"partial_dates": partial_dates, "duplicates": duplicates}
    if not games:
        return xiangqi_masters(period, **choices)
    return read_history(
        games,
        period=period,
        columns=pairs,
        players=players or None,
        discipline=discipline,
        points_per_handicap=points_per_handicap,
        **choices,
    )


def say(key: str, /, **values: object) -> tuple[str, str]:
    """The pair (Chinese, English) of words ``[research.<key>]``."""
    return words.text(f"research.{key}", "zh", **values), words.text(f"research.{key}", "en", **values)


def spoken(key: str, language: str, /, **values: object) -> str:
    """Words ``[research.<key>]`` in one language."""
    return words.text(f"research.{key}", language, **values)


def findings(
    file: str, left_out: Mapping[str, int], kept: Mapping[str, int], examples: Mapping[str, str] | None = None
) -> tuple[Finding, ...]:
    """What was met while reading, as findings: kinds of remarks and their numbers of rows.

    Rows left out of a file of the user's are to be asked about (W), those of the shipped history are known (I).
    """
    found = []
    for kinds, out in ((left_out, True), (kept, False)):
        for kind, rows in kinds.items():
            serious = kind in ("one-period", "all-draws") or (out and file != SHIPPED_FILE)
            found.append(
                Finding(
                    code="CK51",
                    severity=Severity.ASK if serious else Severity.NOTE,
                    reason="study-rows-left-out" if out else "study-rows-kept",
                    file=file,
                    field=kind,
                    values={
                        "what": words.said(f"research_remark.{kind}"),
                        "rows": rows,
                        "example": (examples or {}).get(kind, ""),
                    },
                )
            )
    return ordered(found)


def history_findings(history: History) -> tuple[Finding, ...]:
    """The remarks of a history as findings."""
    return findings(
        history.source,
        {remark.kind: remark.rows for remark in history.remarks if remark.left_out},
        {remark.kind: remark.rows for remark in history.remarks if not remark.left_out},
        {remark.kind: remark.example for remark in history.remarks},
    )
