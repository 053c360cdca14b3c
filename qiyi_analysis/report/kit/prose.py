"""What stands between the tables of a report: titles, headings, verdicts, letters, signatures.

Each function returns a Piece, which shows itself in JupyterLab and is read by the exporters. Texts are
data, never markup. A text given as the pair (Chinese, English) is set in the language of the report with
the other one small beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.report.kit import blocks
from qiyi_analysis.report.kit.tables import Said, said
from qiyi_analysis.words.visible import storable


@dataclass(frozen=True, slots=True)
class Piece:
    """A block that can be displayed."""

    data: blocks.Block

    def block(self) -> blocks.Block:
        """The block itself."""
        return self.data

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if self.data["type"] == "group" and not self.data["blocks"]:
            return {"text/plain": ""}
        state = {"language": self.data.get("language", "zh"), "bare": True}
        return {
            blocks.BLOCK_MIME: self.data,
            "text/html": blocks.LAB_STYLE + blocks.html(self.data, state),
            "text/plain": blocks.plain(self.data),
        }


def title(
    text: Said,
    language: str,
    subtitle: str = "",
    facts: Iterable[tuple[Said, Any]] = (),
    day: date | None = None,
) -> Piece:
    """The head of a report; it also names the PDF, sets its language and dates it. One a report, first of all.

    ``day``: the last day of the event or the day of the list. It is what the PDF says it was made on: the day on
    which somebody ran the program would make other bytes of the same report.
    """
    main, other = said(text, language)
    return Piece(
        {
            "type": "title",
            "text": main,
            "other": other,
            "subtitle": storable(subtitle),
            "language": language,
            "facts": _rows(facts, language),
            "day": day.isoformat() if day else "",
        }
    )


def heading(text: Said, language: str, level: int = 1) -> Piece:
    """A heading; level 1 is a section of the report."""
    main, other = said(text, language)
    return Piece({"type": "heading", "level": level, "text": main, "other": other, "language": language})


def section(key: str, language: str, level: int = 1) -> Piece:
    """A heading whose text is in words ``[section.<key>]``."""
    return heading(words.pair(f"section.{key}", "zh"), language, level)


def prose(text: str, style: str = "") -> Piece:
    """A paragraph; ``style`` may be "note" (small) or "lead" (larger)."""
    return Piece({"type": "paragraph", "text": storable(text), "style": style})


def verdict(tone: str, text: Said, language: str, detail: str = "") -> Piece:
    """The verdict in one line; ``tone`` is "accept", "remarks", "return" or ""."""
    main, other = said(text, language)
    return Piece(
        {
            "type": "verdict",
            "tone": tone,
            "text": main,
            "other": other,
            "detail": storable(detail),
            "language": language,
        }
    )


def key_values(rows: Iterable[tuple[Said, Any]], language: str) -> Piece:
    """Labels and values, one a line."""
    return Piece({"type": "key_values", "rows": _rows(rows, language), "language": language})


def bullets(items: Iterable[str], ordered: bool = False) -> Piece:
    """A list of texts."""
    parts = [[{"type": "paragraph", "text": storable(str(item))}] for item in items]
    return Piece({"type": "bullets", "items": parts, "ordered": ordered})


def letter(
    subject: str,
    to: str = "",
    paragraphs: Sequence[str] = (),
    items: Sequence[str] = (),
    closing: Sequence[str] = (),
) -> Piece:
    """A letter that can be copied and sent: address, paragraphs, a numbered list, closing lines."""
    return Piece(
        {
            "type": "letter",
            "subject": storable(subject),
            "to": storable(to),
            "paragraphs": [storable(text) for text in paragraphs],
            "items": [storable(text) for text in items],
            "closing": [storable(text) for text in closing],
        }
    )


def signature(language: str, roles: Sequence[Said] = ()) -> Piece:
    """Lines to sign on; without ``roles`` those of an audit: calculated by, checked by, seal."""
    chosen = list(roles) or [
        words.pair(f"signature.{key}", "zh") for key in ("calculated", "checked", "seal")
    ]
    return Piece(
        {"type": "signature", "roles": [list(said(role, language)) for role in chosen], "language": language}
    )


def page_break() -> Piece:
    """What follows begins on a new page (in the PDF)."""
    return Piece({"type": "break"})


def group(*pieces: Any, language: str = "zh") -> Piece:
    """Several pieces (of this module, tables, figures) displayed by one cell; None is left out."""
    parts = [piece.block() for piece in pieces if piece is not None]
    return Piece({"type": "group", "blocks": parts, "language": language})


def _rows(rows: Iterable[tuple[Said, Any]], language: str) -> list[list[str]]:
    return [[*said(label, language), storable("" if value is None else str(value))] for label, value in rows]
