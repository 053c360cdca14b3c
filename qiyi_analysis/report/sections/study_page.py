"""What all research reports share: where the games come from, what was left out, heads of columns, the study's frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.model.findings import Finding, Severity, ordered
from qiyi_analysis.report.kit import prose
from qiyi_analysis.report.kit.prose import Piece
from qiyi_analysis.report.kit.tables import Column, Said, Table
from qiyi_analysis.research.history.games import History, connectivity
from qiyi_analysis.research.history.history_files import read_history, xiangqi_masters
from qiyi_analysis.research.history.result_files import versions, write_results

#: The history that is used where none is named.
SHIPPED_FILE = "xiangqi_masters.parquet"
#: Tone of a verdict for each kind of evidence.
TONES = {"clear": "accept", "flat": "remarks", "none": "remarks"}


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


def column(key: str, kind: str = "text", decimals: int | None = None) -> Column:
    """A column with its head from words ``[research_column.<key>]``."""
    return Column(key, kind, words.pair(f"research_column.{key}", "zh"), decimals)


def table(
    key: str, columns: Iterable[Column], rows: Any, language: str, notes: Sequence[str] = (), **marks: Any
) -> Table:
    """A table with its caption from words ``[research_table.<key>]``."""
    return Table(
        key, tuple(columns), rows, words.pair(f"research_table.{key}", "zh"), notes, language, **marks
    )


def section(key: str, language: str) -> Piece:
    """A heading from words ``[research_section.<key>]``."""
    return prose.heading(words.pair(f"research_section.{key}", "zh"), language)


def head(frame: Frame, language: str) -> Piece:
    """Title, source and size of the study."""
    facts: list[tuple[Said, Any]] = []
    if frame.history is not None:
        history = frame.history
        facts = [
            (say("source"), history.source),
            (say("games"), f"{len(history):,}"),
            (say("players"), f"{len(history.players):,}"),
            (say("span"), f"{history.label(0)} – {history.label(history.periods - 1)}"),
        ]
    title = words.pair(f"research_title.{frame.study}", "zh")
    return prose.title(title, language, facts=facts)


def verdict(frame: Frame, language: str) -> Piece:
    """The verdict in one line."""
    return prose.verdict(TONES.get(frame.evidence, ""), frame.verdict, language)


def data_section(frame: Frame, language: str) -> Piece:
    """What was read, left out and why, and whether all players are linked by games."""
    history = frame.history
    assert history is not None
    rows = [
        {
            "what": words.text(f"research_remark.{remark.kind}", language),
            "rows": remark.rows,
            "fate": spoken("left_out" if remark.left_out else "kept", language),
            "example": words.shown(remark.example, language),
        }
        for remark in history.remarks
    ]
    said = spoken(
        "data", language, read=history.rows_read or len(history), used=len(history), out=history.left_out()
    )
    pieces: list[Any] = [section("data", language), prose.prose(said)]
    if rows:
        columns = (column("what"), column("rows", "integer"), column("fate"), column("example"))
        pieces.append(table("remarks", columns, rows, language))
    parts = connectivity(history)
    if len(parts) > 1:
        shown = parts.head(8)
        sizes = (column("component", "integer"), column("players", "integer"), column("games", "integer"))
        notes = [spoken("islands_note", language, count=len(parts))]
        pieces.append(table("islands", sizes, shown, language, notes))
    return prose.group(*pieces, language=language)


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


def sources_section(
    frame: Frame, language: str, assumptions: Sequence[str] = (), skip: Sequence[str] = ()
) -> Piece:
    """Assumptions, attribution of the games, settings (but for those named in ``skip``), seed and versions."""
    pieces: list[Any] = [section("sources", language)]
    if assumptions:
        pieces.append(prose.bullets(assumptions))
    if frame.history is not None and frame.history.attribution:
        pieces.append(prose.prose(frame.history.attribution, "note"))
    said = [
        f"{name} = {_plain(value, language)}" for name, value in frame.settings.items() if name not in skip
    ]
    said += [f"{name} {version}" for name, version in versions().items()]
    pieces.append(prose.prose(words.listed(said, language, parts=True), "note"))
    return prose.group(*pieces, language=language)


def save(frame: Frame, folder: str, language: str) -> Piece:
    """Write the tidy results where a folder is named, and say which files."""
    if not folder:
        return prose.group(language=language)
    settings = {
        **frame.settings,
        "verdict_zh": frame.verdict[0],
        "verdict_en": frame.verdict[1],
        "evidence": frame.evidence,
    }
    if frame.history is not None:
        settings["attribution"] = frame.history.attribution
        settings["source"] = frame.history.source
        settings["games_used"] = len(frame.history)
        settings["games_read"] = frame.history.rows_read
        settings["left_out"] = {
            remark.kind: remark.rows for remark in frame.history.remarks if remark.left_out
        }
        settings["remarks"] = {
            remark.kind: remark.rows for remark in frame.history.remarks if not remark.left_out
        }
    paths = write_results(frame.tables, folder, frame.study, settings)
    return prose.prose(spoken("files", language, files=[Path(path).name for path in paths]), "note")


def _plain(value: Any, language: str) -> str:
    if isinstance(value, (list, tuple)):
        return words.listed((_plain(one, language) for one in value), language)
    return f"{value:g}" if isinstance(value, float) else str(value)
