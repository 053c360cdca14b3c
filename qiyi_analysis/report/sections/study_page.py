"""What all research reports share: where the games come from, what was left out, heads of columns, the study's frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.report.kit import prose
from qiyi_analysis.report.kit.prose import Piece
from qiyi_analysis.report.kit.tables import Column, Said, Table
from qiyi_analysis.research.history.games import connectivity
from qiyi_analysis.research.history.result_files import versions, write_results
from qiyi_analysis.research.studies.study import Frame, say, spoken

#: Tone of a verdict for each kind of evidence.
TONES = {"clear": "accept", "flat": "remarks", "none": "remarks"}


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
