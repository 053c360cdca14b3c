"""From an executed notebook to the blocks of a document.

Inputs are never shown unless a cell is tagged ``show-input``; cells tagged ``parameters``,
``injected-parameters`` or ``remove-cell`` are left out. Of an output the richest known form is taken: our own
blocks, then a picture, then text. HTML of others is not read: its plain text stands for it.
"""

from __future__ import annotations

import html.parser
import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from qiyi_analysis.report.export.mathematics import picture
from qiyi_analysis.report.kit import blocks

HIDDEN_TAGS = frozenset({"parameters", "injected-parameters", "remove-cell", "remove_cell"})
_OURS = (blocks.TABLE_MIME, blocks.FIGURE_MIME, blocks.BLOCK_MIME)
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_SAFE_ADDRESS = re.compile(r"(?i)^(https?://|mailto:)")


@dataclass
class Document:
    """What the exporters set: title, language and blocks in order; ``day`` is the one the report belongs to."""

    title: str
    language: str
    blocks: list[blocks.Block] = field(default_factory=list)
    other: str = ""
    day: date | None = None


def document(notebook: Any, name: str = "", language: str = "") -> Document:
    """Collect the blocks of ``notebook`` (a NotebookNode or the dict of its JSON).

    Title and language come from the title block; else from the first heading or ``name``, and from the
    parameter ``language`` or the text itself.
    """
    found: list[blocks.Block] = []
    for cell in notebook["cells"]:
        tags = set(cell.get("metadata", {}).get("tags", []))
        if tags & HIDDEN_TAGS:
            continue
        if cell["cell_type"] == "markdown":
            found += markdown_blocks(_joined(cell["source"]))
        elif cell["cell_type"] == "code":
            if "show-input" in tags:
                found.append({"type": "code", "text": _joined(cell["source"])})
            if "remove-output" not in tags:
                found += _cell_blocks(cell.get("outputs", []))
    found = _ungrouped(found)
    heads = [block for block in found if block["type"] == "title"]
    title = heads[0]["text"] if heads else ""
    if not title:
        title = next((_text(block) for block in found if block["type"] == "heading"), "") or name or "Report"
    chosen = (heads[0].get("language") if heads else "") or language or _guessed_language(notebook, found)
    return Document(
        title,
        "zh" if chosen.startswith("zh") else "en",
        found,
        heads[0].get("other", "") if heads else "",
        _day(heads[0].get("day")) if heads else None,
    )


def _day(text: Any) -> date | None:
    """The day of a title block; None where it names none. A notebook may come from anywhere."""
    try:
        return date.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def _cell_blocks(outputs: list[Any]) -> list[blocks.Block]:
    found: list[blocks.Block] = []
    for output in outputs:
        kind = output["output_type"]
        if kind in ("display_data", "execute_result"):
            found += _data_blocks(output["data"])
        elif kind == "stream" and output.get("name") == "stdout":
            text = _ANSI.sub("", _joined(output["text"])).strip("\n")
            if text.strip():
                found.append({"type": "code", "text": text})
        elif kind == "error":
            found.append(
                {
                    "type": "verdict",
                    "tone": "return",
                    "text": output["ename"],
                    "detail": _ANSI.sub("", output["evalue"]),
                }
            )
    return found


def _data_blocks(data: dict[str, Any]) -> list[blocks.Block]:
    for mime in _OURS:
        block = data.get(mime)
        if mime == blocks.FIGURE_MIME and isinstance(block, dict):
            # The drawing itself stands once in the output, under its own type.
            block = block | {"svg": _joined(data.get("image/svg+xml", ""))}
        if block is not None and _sound(block):
            return [block]
    if "image/svg+xml" in data:
        return [
            {
                "type": "figure",
                "svg": _joined(data["image/svg+xml"]),
                "alt": _joined(data.get("text/plain", "")),
            }
        ]
    for mime in ("image/png", "image/jpeg"):
        if mime in data:
            kind = mime.removeprefix("image/")
            return [
                {
                    "type": "figure",
                    kind: _joined(data[mime]).strip(),
                    "alt": _joined(data.get("text/plain", "")),
                }
            ]
    if "text/markdown" in data:
        return markdown_blocks(_joined(data["text/markdown"]))
    if "text/latex" in data and "text/html" not in data:
        return [
            {"type": "math", "tex": _joined(data["text/latex"]).strip().strip("$").strip(), "display": True}
        ]
    if "text/html" in data and 'class="dataframe"' in _joined(data["text/html"]):
        table = _frame_table(_joined(data["text/html"]))
        if table:
            return [table]
    text = _ANSI.sub("", _joined(data.get("text/plain", "")))
    return [{"type": "code", "text": text}] if text.strip() else []


def _sound(block: Any) -> bool:
    """Whether ``block`` is of a known type and can be set; a notebook may come from anywhere."""
    try:
        blocks.html(block)
    except (KeyError, TypeError, ValueError, AttributeError):
        return False
    return True


def _ungrouped(found: list[blocks.Block]) -> list[blocks.Block]:
    flat: list[blocks.Block] = []
    for block in found:
        flat += _ungrouped(block["blocks"]) if block["type"] == "group" else [block]
    return flat


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)


def _text(block: blocks.Block) -> str:
    return block.get("text") or blocks.plain_spans(block.get("spans", []))


def _guessed_language(notebook: Any, found: list[blocks.Block]) -> str:
    for cell in notebook["cells"]:
        if set(cell.get("metadata", {}).get("tags", [])) & {"parameters", "injected-parameters"}:
            named = re.findall(r"(?m)^language\b[^=]*=\s*[\"'](zh|en)[\"']", _joined(cell["source"]))
            if named:
                return named[-1]
    sample = "".join(_text(block) for block in found if block["type"] in ("heading", "paragraph"))
    chinese = sum("\u4e00" <= character <= "\u9fff" for character in sample)
    return "zh" if chinese * 5 > len(sample) else "en"


# ------------------------------------------------------------------------------------------- Markdown


def markdown_blocks(source: str) -> list[blocks.Block]:
    """The blocks of a Markdown text; raw HTML in it is shown as text."""
    import mistune

    parse = mistune.create_markdown(renderer=None, plugins=["footnotes", "table", "math", "strikethrough"])
    tokens: Any = parse(source)
    notes = {
        item["attrs"]["key"]: [
            span for part in item["children"] for span in _spans(part.get("children", []), {})
        ]
        for token in tokens
        if token["type"] == "footnotes"
        for item in token["children"]
    }
    return _markdown(tokens, notes)


def _markdown(tokens: list[Any], notes: dict[str, Any]) -> list[blocks.Block]:
    found: list[blocks.Block] = []
    for token in tokens:
        kind = token["type"]
        children = token.get("children", [])
        if kind == "heading":
            found.append(
                {"type": "heading", "level": token["attrs"]["level"], "spans": _spans(children, notes)}
            )
        elif kind in ("paragraph", "block_text"):
            found.append({"type": "paragraph", "spans": _spans(children, notes)})
        elif kind == "list":
            items = [_markdown(item["children"], notes) for item in children]
            found.append({"type": "bullets", "items": items, "ordered": token["attrs"]["ordered"]})
        elif kind == "block_quote":
            found.append({"type": "quote", "blocks": _markdown(children, notes)})
        elif kind == "block_code":
            found.append({"type": "code", "text": token["raw"].rstrip("\n")})
        elif kind == "block_math":
            found.append(picture(token["raw"].strip(), True))
        elif kind == "table":
            found.append(_markdown_table(children))
        elif kind == "thematic_break":
            found.append({"type": "rule"})
        elif kind == "block_html":
            # Comments are remarks of the author; anything else is shown as it was typed.
            text = re.sub(r"(?s)<!--.*?-->", "", token["raw"]).strip()
            if text:
                found.append({"type": "paragraph", "text": text})
    return found


def _markdown_table(parts: list[Any]) -> blocks.Block:
    heads = parts[0]["children"]
    columns = [
        {
            "key": str(index),
            "kind": "integer" if cell["attrs"].get("align") == "right" else "text",
            "head": blocks.plain_spans(_spans(cell["children"], {})),
            "other": "",
        }
        for index, cell in enumerate(heads)
    ]
    body = parts[1]["children"] if len(parts) > 1 else []
    rows = [[blocks.plain_spans(_spans(cell["children"], {})) for cell in row["children"]] for row in body]
    rows = [(row + [""] * len(columns))[: len(columns)] for row in rows]
    return _table(columns, rows)


def _table(columns: list[dict[str, str]], rows: list[list[str]]) -> blocks.Block:
    """A table block without a caption."""
    return {
        "type": "table",
        "key": "",
        "caption": "",
        "other": "",
        "columns": columns,
        "rows": rows,
        "keep": 1,
    }


def _spans(tokens: list[Any], notes: dict[str, Any]) -> list[Any]:
    spans: list[Any] = []
    for token in tokens:
        kind = token["type"]
        if kind in ("text", "inline_html"):
            if token["raw"]:
                spans.append({"type": "text", "text": token["raw"]})
        elif kind == "codespan":
            spans.append({"type": "code", "text": token["raw"]})
        elif kind == "softbreak":
            spans.append({"type": "text", "text": " "})
        elif kind == "linebreak":
            spans.append({"type": "newline"})
        elif kind == "inline_math":
            spans.append(picture(token["raw"], False))
        elif kind == "footnote_ref":
            spans.append({"type": "footnote", "spans": notes.get(token["raw"], [])})
        elif kind == "image":
            spans.append({"type": "text", "text": f"[{blocks.plain_spans(_spans(token['children'], {}))}]"})
        elif kind == "link" and _SAFE_ADDRESS.match(token["attrs"]["url"]):
            spans.append(
                {"type": "link", "url": token["attrs"]["url"], "spans": _spans(token["children"], notes)}
            )
        elif kind in ("strong", "emphasis"):
            spans.append({"type": kind, "spans": _spans(token["children"], notes)})
        else:
            spans += _spans(token.get("children", []), notes)
    return spans


# ---------------------------------------------------------------------------------- frames of pandas


class _FrameReader(html.parser.HTMLParser):
    """The cells of the table that pandas writes for a DataFrame; anything else ends in no table."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.heads = 0
        self.inside = False
        self.spans = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self.inside = True
            self.spans |= any(name in ("colspan", "rowspan") for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.inside = False
        elif tag == "thead":
            self.heads = len(self.rows)

    def handle_data(self, data: str) -> None:
        if self.inside and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def _frame_table(source: str) -> blocks.Block | None:
    reader = _FrameReader()
    reader.feed(source)
    lengths = {len(row) for row in reader.rows}
    if reader.heads != 1 or reader.spans or len(lengths) != 1 or not reader.rows[0]:
        return None
    head, *rows = reader.rows
    columns = [
        {
            "key": text,
            "kind": "decimal"
            if all(re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?|NaN|", row[i]) for row in rows)
            else "text",
            "head": text,
            "other": "",
        }
        for i, text in enumerate(head)
    ]
    return _table(columns, rows)
