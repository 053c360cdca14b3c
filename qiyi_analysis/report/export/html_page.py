"""A document as one HTML page that opens from disk: no script, nothing loaded, figures inside."""

from __future__ import annotations

import base64
from importlib import resources
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.report.export.document import Document
from qiyi_analysis.report.export.letterhead import Letterhead
from qiyi_analysis.report.kit import blocks

# Even if a fragment slipped through, a browser would neither run nor fetch anything.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def page(document: Document, letterhead: Letterhead | None = None) -> str:
    """The whole page as text; write it as UTF-8."""
    letterhead = letterhead or Letterhead()
    titled = any(block["type"] == "title" for block in document.blocks)
    state: dict[str, Any] = {"language": document.language, "shift": 1 if titled else 0}
    parts = [blocks.html(block, state) for block in document.blocks if block["type"] != "contents"]
    language = "zh-CN" if document.language == "zh" else "en"
    notes = _footnotes(state.get("footnotes") or [], document.language)
    contents = _contents(state.get("headings") or [], document.language)
    columns = "qiyi-columns with-contents" if contents else "qiyi-columns"
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{blocks.escape(document.title)}</title>\n<style>\n{_style()}</style>\n</head>\n<body>\n"
        f'{_head(letterhead)}<div class="{columns}">{contents}<main>\n'
        + "\n".join(parts)
        + f"\n{notes}</main></div>\n{_foot(letterhead)}</body>\n</html>\n"
    )


def _style() -> str:
    return (
        resources.files("qiyi_analysis")
        .joinpath("report", "export", "templates", "report.css")
        .read_text(encoding="utf-8")
    )


def _head(letterhead: Letterhead) -> str:
    if not letterhead.name and not letterhead.logo:
        return ""
    kind = {"svg": "svg+xml", "jpg": "jpeg"}.get(letterhead.logo_kind, letterhead.logo_kind)
    data = base64.b64encode(letterhead.logo).decode("ascii")
    name = blocks.escape(letterhead.name)
    logo = f'<img src="data:image/{kind};base64,{data}" alt="{name}">' if letterhead.logo else ""
    other = f"<small>{blocks.escape(letterhead.other)}</small>" if letterhead.other else ""
    return f'<div class="qiyi-letterhead">{logo}<span>{name}{other}</span></div>\n'


def _foot(letterhead: Letterhead) -> str:
    return f"<footer>{blocks.escape(letterhead.footer)}</footer>\n" if letterhead.footer else ""


def _contents(headings: list[Any], language: str) -> str:
    top = min((level for level, _, _ in headings), default=1)
    lines = "".join(
        f'<li class="l{level - top}"><a href="#{anchor}">{blocks.escape(text)}</a></li>'
        for level, anchor, text in headings
        if level - top < 2
    )
    if len(headings) < 3:
        return ""
    word = blocks.escape(words.text("report.contents", language))
    return f'<nav aria-label="{word}"><p>{word}</p><ul>{lines}</ul></nav>'


def _footnotes(notes: list[str], language: str) -> str:
    if not notes:
        return ""
    items = "".join(
        f'<li id="n{number}">{note} <a href="#r{number}" aria-label="back">↩</a></li>'
        for number, note in enumerate(notes, 1)
    )
    return f'<section class="qiyi-footnotes"><p>{words.text("report.notes", language)}</p><ol>{items}</ol></section>'
