"""A document as PDF: its blocks become JSON, which one fixed Typst template sets.

The template reads texts as data; nothing of a notebook is ever compiled. The PDF satisfies PDF/A-2a and
PDF/UA-1 (by Typst's own checks), and the same document gives the same bytes.
"""

from __future__ import annotations

import base64
import json
import shutil
from dataclasses import dataclass, field
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.files.moments import moment
from qiyi_analysis.files.temporary import temporary_folder
from qiyi_analysis.model.errors import ReportError
from qiyi_analysis.report.export.document import Document
from qiyi_analysis.report.export.letterhead import Letterhead
from qiyi_analysis.report.export.table_layout import arranged, breakable
from qiyi_analysis.report.kit import blocks, fonts
from qiyi_analysis.words.visible import code_point, visible

STANDARDS: tuple[Any, ...] = ("a-2a", "ua-1")


def pdf(document: Document, timestamp: datetime | None = None, letterhead: Letterhead | None = None) -> bytes:
    """Set ``document`` and return the PDF; its date is ``timestamp``, else the day the document belongs to."""
    import typst

    with temporary_folder() as folder:
        setting = _Setting(document.language, folder)
        data = setting.data(document, letterhead or Letterhead())
        (folder / "doc.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        (folder / "report.typ").write_bytes(
            resources.files("qiyi_analysis")
            .joinpath("report", "export", "templates", "report.typ")
            .read_bytes()
        )
        try:
            return typst.compile(
                str(folder / "report.typ"),
                root=str(folder),
                font_paths=[str(fonts.sans_path().parent), str(_spare_folder(folder))],
                ignore_system_fonts=True,
                pdf_standards=list(STANDARDS),
                timestamp=timestamp or moment(document.day),
            )
        except RuntimeError as error:
            raise ReportError("pdf-failed", error=error) from error


def _spare_folder(folder: Path) -> Path:
    # Beside DejaVu Sans lies a font of boxes for every character, which must not be found.
    spare = folder / "fonts"
    spare.mkdir()
    shutil.copyfile(fonts.spare_path(), spare / fonts.spare_path().name)
    return spare


@dataclass
class _Setting:
    """Turns blocks into what the template reads; remembers numbers, files and replaced characters."""

    language: str
    folder: Path
    replaced: dict[str, str] = field(default_factory=dict)
    level: int = 0
    tables: int = 0
    figures: int = 0
    files: int = 0

    def data(self, document: Document, letterhead: Letterhead) -> dict[str, Any]:
        content = [part for block in document.blocks for part in self.block(block)]
        if not any(part["type"] == "title" for part in content) and not any(
            part["type"] == "heading" for part in content
        ):
            content.insert(
                0, {"type": "heading", "level": 1, "spans": [self.span(document.title)], "other": ""}
            )
        head = {
            "name": self.clean(letterhead.name),
            "other": self.clean(letterhead.other),
            "footer": self.clean(letterhead.footer),
            "logo": self._file(letterhead.logo, letterhead.logo_kind) if letterhead.logo else "",
        }
        title = self.clean(document.title)
        content += self._list_of_replaced()
        return {
            "language": self.language,
            "title": title,
            "running": title if len(title) <= 60 else title[:59] + "…",
            "letterhead": head,
            "page": words.text("report.page", self.language, page="\x00", pages="\x01")
            .replace("\x00", "{p}")
            .replace("\x01", "{n}"),
            "contents": words.text("report.contents", self.language),
            "blocks": content,
        }

    def clean(self, text: object) -> str:
        """``text`` as the fonts can show it; what they lack is replaced visibly and remembered."""
        plain = visible(str(text)).replace("\t", "    ")
        if plain.isascii():
            return plain
        if all(map(fonts.can_show, plain)):
            return plain
        for character in plain:
            if not fonts.can_show(character):
                self.replaced.setdefault(character, plain)
        return "".join(
            character if fonts.can_show(character) else code_point(character) for character in plain
        )

    def span(self, text: str) -> dict[str, Any]:
        return {"type": "text", "text": breakable(self.clean(text), 40.0)}

    def spans(self, block: blocks.Block) -> list[dict[str, Any]]:
        if not block.get("spans"):
            return [self.span(block.get("text") or "")]
        return [self._inline(span) for span in block["spans"]]

    def _inline(self, span: dict[str, Any]) -> dict[str, Any]:
        kind = span["type"]
        if kind == "text":
            return self.span(span["text"])
        if kind == "code":
            return {"type": "code", "text": breakable(self.clean(span["text"]), 40.0)}
        if kind == "math":
            return self._math(span)
        if kind == "newline":
            return {"type": "newline"}
        inner = [self._inline(part) for part in span["spans"]]
        return {"type": kind, "spans": inner} | ({"url": span["url"]} if kind == "link" else {})

    def block(self, block: blocks.Block) -> list[dict[str, Any]]:
        method = getattr(self, f"_set_{block['type']}", None)
        if method is None:
            return [{"type": "paragraph", "spans": [self.span(blocks.plain(block))], "style": ""}]
        return method(block)

    def _set_title(self, block: blocks.Block) -> list[dict[str, Any]]:
        return [
            {
                "type": "title",
                "text": self.clean(block["text"]),
                "other": self.clean(block.get("other") or ""),
                "subtitle": self.clean(block.get("subtitle") or ""),
                "facts": self._rows(block.get("facts") or []),
            }
        ]

    def _set_heading(self, block: blocks.Block) -> list[dict[str, Any]]:
        # PDF/UA: the first heading is of level 1 and no level is skipped.
        self.level = max(1, min(int(block["level"]), self.level + 1))
        other = self.clean(block.get("other") or "")
        return [{"type": "heading", "level": self.level, "spans": self.spans(block), "other": other}]

    def _set_paragraph(self, block: blocks.Block) -> list[dict[str, Any]]:
        return [{"type": "paragraph", "spans": self.spans(block), "style": block.get("style") or ""}]

    def _set_verdict(self, block: blocks.Block) -> list[dict[str, Any]]:
        texts = {
            key: breakable(self.clean(block.get(key) or ""), 30.0) for key in ("text", "other", "detail")
        }
        return [{"type": "verdict", "tone": block.get("tone") or ""} | texts]

    def _set_key_values(self, block: blocks.Block) -> list[dict[str, Any]]:
        return [{"type": "key_values", "rows": self._rows(block["rows"])}]

    def _rows(self, rows: list[Any]) -> list[list[str]]:
        return [
            [
                breakable(self.clean(label), 11.0),
                breakable(self.clean(other), 13.0),
                breakable(self.clean(value), 32.0),
            ]
            for label, other, value in rows
        ]

    def _set_bullets(self, block: blocks.Block) -> list[dict[str, Any]]:
        items = [[part for inner in item for part in self._inside(inner)] for item in block["items"]]
        return [{"type": "bullets", "items": items, "ordered": bool(block.get("ordered"))}]

    def _set_quote(self, block: blocks.Block) -> list[dict[str, Any]]:
        return [
            {"type": "quote", "blocks": [part for inner in block["blocks"] for part in self._inside(inner)]}
        ]

    def _inside(self, block: blocks.Block) -> list[dict[str, Any]]:
        # A heading inside a list or a quotation would upset the outline.
        if block["type"] == "heading":
            return [
                {"type": "paragraph", "spans": [{"type": "strong", "spans": self.spans(block)}], "style": ""}
            ]
        return self.block(block)

    def _set_group(self, block: blocks.Block) -> list[dict[str, Any]]:
        return [part for inner in block["blocks"] for part in self.block(inner)]

    def _set_table(self, block: blocks.Block) -> list[dict[str, Any]]:
        caption = self._caption(block, "tables")
        parts = arranged(block, self.clean)
        notes = [breakable(self.clean(note), 40.0) for note in block.get("notes") or []]
        for number, part in enumerate(parts, 1):
            counted = (
                words.text("report.part", self.language, part=number, parts=len(parts))
                if len(parts) > 1
                else ""
            )
            part.update(
                type="table", caption=caption[0] + counted if caption[0] else counted, other=caption[1]
            )
            part["notes"] = notes if number == len(parts) else []
        return parts

    def _set_figure(self, block: blocks.Block) -> list[dict[str, Any]]:
        caption = self._caption(block, "figures")
        if block.get("svg"):
            file = self._file(self._covered_svg(block["svg"]).encode("utf-8"), "svg")
        else:
            kind = "png" if block.get("png") else "jpeg"
            file = self._file(base64.b64decode(block.get(kind) or ""), "jpg" if kind == "jpeg" else kind)
        alt = self.clean(block.get("alt") or "") or caption[0] or words.text("report.figure", self.language)
        return [{"type": "figure", "file": file, "alt": alt, "caption": caption[0], "other": caption[1]}]

    def _covered_svg(self, svg: str) -> str:
        return svg if svg.isascii() else self.clean(svg)

    def _caption(self, block: blocks.Block, counter: str) -> tuple[str, str]:
        caption = breakable(self.clean(block.get("caption") or ""), 36.0)
        if not caption:
            return "", ""
        number = getattr(self, counter) + 1
        setattr(self, counter, number)
        word = words.text(
            "report.table_number" if counter == "tables" else "report.figure_number",
            self.language,
            number=number,
        )
        return word + caption, breakable(self.clean(block.get("other") or ""), 36.0)

    def _set_letter(self, block: blocks.Block) -> list[dict[str, Any]]:
        texts: dict[str, Any] = {
            key: breakable(self.clean(block.get(key) or ""), 36.0) for key in ("subject", "to")
        }
        for key in ("paragraphs", "items", "closing"):
            texts[key] = [breakable(self.clean(text), 36.0) for text in block.get(key) or []]
        return [{"type": "letter"} | texts]

    def _set_signature(self, block: blocks.Block) -> list[dict[str, Any]]:
        date = words.text("signature.date", self.language)
        roles = [[self.clean(label), self.clean(other)] for label, other in block["roles"]]
        return [{"type": "signature", "roles": roles, "date": date}]

    def _set_code(self, block: blocks.Block) -> list[dict[str, Any]]:
        return [{"type": "code", "text": breakable(self.clean(block["text"]), 60.0)}]

    def _set_math(self, block: blocks.Block) -> list[dict[str, Any]]:
        part = self._math(block)
        return [part if part["type"] == "math" else {"type": "code", "text": part["text"]}]

    def _math(self, span: dict[str, Any]) -> dict[str, Any]:
        if not span.get("svg"):
            return {"type": "code", "text": breakable(self.clean(span["tex"]), 40.0)}
        file = self._file(span["svg"].encode("utf-8"), "svg")
        return {
            "type": "math",
            "file": file,
            "alt": self.clean(span["tex"]),
            "height": span["height"] / 10,
            "depth": span["depth"] / 10,
        }

    def _set_rule(self, block: blocks.Block) -> list[dict[str, Any]]:
        return [{"type": "rule"}]

    def _set_break(self, block: blocks.Block) -> list[dict[str, Any]]:
        return [{"type": "break"}]

    def _set_contents(self, block: blocks.Block) -> list[dict[str, Any]]:
        return [{"type": "contents"}]

    def _file(self, data: bytes, kind: str) -> str:
        self.files += 1
        name = f"part{self.files}.{kind}"
        (self.folder / name).write_bytes(data)
        return name

    def _list_of_replaced(self) -> list[dict[str, Any]]:
        if not self.replaced:
            return []
        language = self.language
        lines = []
        for character, context in sorted(self.replaced.items()):
            shown = self.clean(context if len(context) <= 60 else context[:59] + "…").replace("\n", " ")
            lines.append(f"{code_point(character)} · {words.text('report.replaced_in', language)} {shown}")
        items = [[{"type": "paragraph", "spans": [self.span(line)], "style": "note"}] for line in lines]
        main, other = words.pair("report.replaced", language)
        return [
            {"type": "heading", "level": 1, "spans": [self.span(main)], "other": other},
            {
                "type": "paragraph",
                "spans": [self.span(words.text("report.replaced_note", language))],
                "style": "note",
            },
            {"type": "bullets", "items": items, "ordered": False},
        ]
