"""Blocks: the plain data a report is made of, and how a block looks as HTML and as text.

A block is a dict with a ``type``; everything in it is a string, number, list or dict, so that it travels
in a notebook output and into the exporters as JSON. Text in a block is data: it is shown, never read as
markup. The types:

=============  =====================================================================================
title          text, other, subtitle, language, facts [[label, other, value], ...], day YYYY-MM-DD or ""
heading        level (1 the highest inside a report), text, other
paragraph      text, or spans (see below); style "" | "note" | "lead"
verdict        tone "accept" | "remarks" | "return" | "", text, other, detail
key_values     rows [[label, other, value], ...]
bullets        items [[block, ...], ...], ordered
table          key, caption, other, columns [{key, kind, head, other}], rows [[text, ...], ...],
               marks [mark, ...] (one a row, or empty), notes [text, ...], keep (leading columns that
               are repeated when a wide table is split)
figure         svg | png (base64), alt, caption, other
letter         to, subject, salutation, paragraphs, items, closing, place
signature      roles [[label, other], ...]
quote          blocks
code           text
rule, break    a line; a new page
group          blocks
=============  =====================================================================================

Spans (from Markdown cells only): text, strong, emphasis, code, link, math, footnote, newline.
"""

from __future__ import annotations

import base64
import html as _html
import re
from typing import Any

from qiyi_analysis.words.visible import padded, storable, visible, width

Block = dict[str, Any]

TABLE_MIME = "application/vnd.qiyi.table+json"
FIGURE_MIME = "application/vnd.qiyi.figure+json"
BLOCK_MIME = "application/vnd.qiyi.block+json"

#: Kinds of columns whose cells stand right, with figures of equal width.
NUMBER_KINDS = frozenset({"integer", "decimal", "signed", "points", "percent", "rating"})


def figure_padding(texts: list[str], kind: str) -> list[str]:
    """What each cell of a column of numbers lacks at its right end for the units to stand in one line.

    Points lack a ``½`` where others have one, ratings a ``*``; decimals lack ``.`` and figures.
    """
    if kind == "rating":
        stars = any(text.endswith("*") for text in texts)
        return ["*" if stars and text and not text.endswith("*") else "" for text in texts]
    if kind == "points":
        halves = any(text.endswith("½") for text in texts)
        return ["½" if halves and text and not text.endswith("½") else "" for text in texts]
    if kind not in ("decimal", "signed"):
        return [""] * len(texts)
    tails = [len(text) - text.rfind(".") if "." in text else 0 for text in texts]
    longest = max(tails, default=0)
    return [
        ("." if not tail and longest else "") + "0" * (longest - tail - (1 if not tail and longest else 0))
        if text[-1:].isdigit()
        else ""
        for text, tail in zip(texts, tails, strict=True)
    ]


# ------------------------------------------------------------------------------------------------ HTML

#: JupyterLab has dark themes: what is quiet takes the theme's own colour, a tinted row brings its ink along.
LAB_STYLE = (
    "<style>.qiyi-table{border-collapse:collapse;font-variant-numeric:tabular-nums}.qiyi-table th,.qiyi-table td"
    "{padding:2px 8px;text-align:left!important;vertical-align:top}.qiyi-table .n{text-align:right!important}"
    ".qiyi-table small,.qiyi-pairs small,.qiyi-other{font-weight:normal;opacity:.7}.qiyi-table small,.qiyi-other{display:block}.qiyi-table tr.differs td,"
    ".qiyi-table tr.error td{background:#fdebd8;color:#1a1a1a}.qiyi-pairs th,.qiyi-pairs td{text-align:left!important;"
    "vertical-align:top;white-space:pre-line}.qiyi-pairs th{font-weight:normal}.qiyi-table td[data-pad]::after{content:attr(data-pad);"
    "visibility:hidden}</style>"
)


def escape(text: object) -> str:
    """``text`` for HTML, invisible characters made visible."""
    return _html.escape(visible(str(text)), quote=True)


def html(block: Block, state: dict[str, Any] | None = None) -> str:
    """The block as an HTML fragment without script, style or address of any other file.

    ``state`` carries the numbering through a document: ``headings`` (list of [level, id, text]),
    ``tables``, ``figures``, ``footnotes``, ``language``, ``shift`` (added to heading levels).
    """
    if state is None:
        state = {}
    return _HTML[block["type"]](block, state)


def _other(block: Block, tag: str = "span") -> str:
    other = block.get("other") or ""
    if not other:
        return ""
    return f' <{tag} class="qiyi-other" lang="{_lang(other)}">{escape(other)}</{tag}>'


def _lang(text: str) -> str:
    return "zh-CN" if any("\u4e00" <= character <= "\u9fff" for character in text) else "en"


def _title_html(block: Block, state: dict[str, Any]) -> str:
    subtitle = f'<p class="qiyi-subtitle">{escape(block["subtitle"])}</p>' if block.get("subtitle") else ""
    facts = _pairs_html(block.get("facts") or [])
    return f'<header class="qiyi-title"><h1>{escape(block["text"])}{_other(block)}</h1>{subtitle}{facts}</header>'


def _heading_html(block: Block, state: dict[str, Any]) -> str:
    level = min(6, max(1, int(block["level"])) + int(state.get("shift", 1)))
    headings = state.setdefault("headings", [])
    anchor = f"s{len(headings) + 1}"
    text = block.get("text") or plain_spans(block.get("spans", []))
    headings.append([level, anchor, visible(text)])
    inner = spans_html(block["spans"], state) if block.get("spans") else escape(text)
    return f'<h{level} id="{anchor}">{inner}{_other(block)}</h{level}>'


def _paragraph_html(block: Block, state: dict[str, Any]) -> str:
    style = f' class="qiyi-{block["style"]}"' if block.get("style") in ("note", "lead") else ""
    inner = spans_html(block["spans"], state) if block.get("spans") else escape(block.get("text", ""))
    return f"<p{style}>{inner.replace(chr(10), '<br>')}</p>"


def _verdict_html(block: Block, state: dict[str, Any]) -> str:
    tone = block.get("tone") if block.get("tone") in ("accept", "remarks", "return") else "plain"
    detail = f"<p>{escape(block['detail'])}</p>" if block.get("detail") else ""
    return f'<div class="qiyi-verdict {tone}"><strong>{escape(block["text"])}</strong>{_other(block)}{detail}</div>'


def _pairs_html(rows: list[Any]) -> str:
    if not rows:
        return ""
    lines = "".join(
        f'<tr><th scope="row">{escape(label)}'
        + (f' <small lang="{_lang(other)}">{escape(other)}</small>' if other else "")
        + f"</th><td>{escape(value)}</td></tr>"
        for label, other, value in rows
    )
    return f'<table class="qiyi-pairs"><tbody>{lines}</tbody></table>'


def _bullets_html(block: Block, state: dict[str, Any]) -> str:
    tag = "ol" if block.get("ordered") else "ul"
    items = "".join(f"<li>{''.join(html(part, state) for part in item)}</li>" for item in block["items"])
    return f"<{tag}>{items}</{tag}>"


def _caption(block: Block, state: dict[str, Any], counter: str) -> str:
    caption = block.get("caption") or ""
    if not caption:
        return ""
    number = state[counter] = state.get(counter, 0) + 1
    word = {"tables": ("表", "Table"), "figures": ("图", "Figure")}[counter][state.get("language") != "zh"]
    label = f"{word} {number}　" if state.get("language") == "zh" else f"{word} {number}. "
    return ("" if state.get("bare") else label) + escape(caption) + _other(block)


def _table_html(block: Block, state: dict[str, Any]) -> str:
    columns = block["columns"]
    numeric = [column["kind"] in NUMBER_KINDS for column in columns]
    heads = "".join(
        f'<th scope="col"{" class=n" if number else ""}>{escape(column["head"])}'
        + (
            f'<small lang="{_lang(column["other"])}">{escape(column["other"])}</small>'
            if column.get("other")
            else ""
        )
        + "</th>"
        for column, number in zip(columns, numeric, strict=True)
    )
    pads = [
        figure_padding([row[i] for row in block["rows"]], column["kind"]) for i, column in enumerate(columns)
    ]
    marks = block.get("marks") or [""] * len(block["rows"])
    lines = []
    for index, (row, mark) in enumerate(zip(block["rows"], marks, strict=True)):
        cells = "".join(
            (
                (f'<td class=n data-pad="{pads[i][index]}">' if pads[i][index] else "<td class=n>")
                + escape(text)
                if numeric[i]
                else f"<td>{escape(text)}"
            )
            + "</td>"
            for i, text in enumerate(row)
        )
        lines.append(f'<tr class="{escape(mark)}">{cells}</tr>' if mark else f"<tr>{cells}</tr>")
    caption = _caption(block, state, "tables")
    caption = f"<caption>{caption}</caption>" if caption else ""
    notes = "".join(f'<p class="qiyi-note">{escape(note)}</p>' for note in block.get("notes") or [])
    return (
        f'<div class="qiyi-scroll"><table class="qiyi-table">{caption}<thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>{notes}"
    )


def _figure_html(block: Block, state: dict[str, Any]) -> str:
    if block.get("svg"):
        # As an image the drawing can neither run a script nor load a file.
        data = base64.b64encode(storable(block["svg"]).encode("utf-8")).decode("ascii")
        source = f"data:image/svg+xml;base64,{data}"
    else:
        kind = "jpeg" if block.get("jpeg") else "png"
        source = f"data:image/{kind};base64,{re.sub(r'[^A-Za-z0-9+/=]', '', block.get(kind, ''))}"
    caption = _caption(block, state, "figures")
    caption = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f'<figure><img src="{source}" alt="{escape(block.get("alt") or "")}">{caption}</figure>'


def _letter_html(block: Block, state: dict[str, Any]) -> str:
    subject = (
        f'<p class="qiyi-subject"><strong>{escape(block["subject"])}</strong></p>'
        if block.get("subject")
        else ""
    )
    paragraphs = [f"<p>{escape(text)}</p>" for text in block.get("paragraphs") or []]
    items = "".join(f"<li>{escape(item)}</li>" for item in block.get("items") or [])
    closing = "".join(f"<p>{escape(text)}</p>" for text in block.get("closing") or [])
    head = f"<p>{escape(block['to'])}</p>" if block.get("to") else ""
    body = "".join(paragraphs) + (f"<ol>{items}</ol>" if items else "") + closing
    return f'<div class="qiyi-letter">{subject}{head}{body}</div>'


def _signature_html(block: Block, state: dict[str, Any]) -> str:
    cells = "".join(
        f"<td>{escape(label)}"
        + (f' <small lang="{_lang(other)}">{escape(other)}</small>' if other else "")
        + "</td>"
        for label, other in block["roles"]
    )
    return f'<table class="qiyi-signature"><tbody><tr>{cells}</tr></tbody></table>'


def _children_html(block: Block, state: dict[str, Any]) -> str:
    return "".join(html(part, state) for part in block["blocks"])


def _math_html(block: Block, state: dict[str, Any]) -> str:
    return f'<p class="qiyi-math">{_math_image(block)}</p>'


def _math_image(part: Block) -> str:
    if not part.get("svg"):
        return f"<code>{escape(part['tex'])}</code>"
    data = base64.b64encode(part["svg"].encode("utf-8")).decode("ascii")
    return (
        f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(part["tex"])}" '
        f'style="height:{part["height"] / 10:.2f}em;vertical-align:{-part["depth"] / 10:.2f}em">'
    )


_HTML: dict[str, Any] = {
    "title": _title_html,
    "heading": _heading_html,
    "paragraph": _paragraph_html,
    "verdict": _verdict_html,
    "key_values": lambda block, state: _pairs_html(block["rows"]),
    "bullets": _bullets_html,
    "table": _table_html,
    "figure": _figure_html,
    "letter": _letter_html,
    "signature": _signature_html,
    "quote": lambda block, state: f"<blockquote>{_children_html(block, state)}</blockquote>",
    "code": lambda block, state: f"<pre><code>{escape(block['text'])}</code></pre>",
    "math": _math_html,
    "rule": lambda block, state: "<hr>",
    "break": lambda block, state: '<div class="qiyi-break"></div>',
    "contents": lambda block, state: "",
    "group": _children_html,
}


def spans_html(spans: list[Any], state: dict[str, Any]) -> str:
    """Spans of a Markdown paragraph as HTML."""
    parts = []
    for span in spans:
        kind = span["type"]
        if kind == "text":
            parts.append(escape(span["text"]))
        elif kind == "code":
            parts.append(f"<code>{escape(span['text'])}</code>")
        elif kind in ("strong", "emphasis"):
            tag = "strong" if kind == "strong" else "em"
            parts.append(f"<{tag}>{spans_html(span['spans'], state)}</{tag}>")
        elif kind == "link":
            parts.append(f'<a href="{escape(span["url"])}">{spans_html(span["spans"], state)}</a>')
        elif kind == "math":
            parts.append(_math_image(span))
        elif kind == "newline":
            parts.append("<br>")
        elif kind == "footnote":
            notes = state.setdefault("footnotes", [])
            number = len(notes) + 1
            notes.append(spans_html(span["spans"], state))
            parts.append(f'<sup><a id="r{number}" href="#n{number}">[{number}]</a></sup>')
    return "".join(parts)


def plain_spans(spans: list[Any]) -> str:
    """Spans without their marks."""
    return "".join(
        span.get("text")
        or span.get("tex")
        or ("\n" if span["type"] == "newline" else "")
        or plain_spans(span["spans"])
        if span["type"] != "footnote"
        else ""
        for span in spans
        if span.get("text") or span.get("tex") or span.get("spans") or span["type"] == "newline"
    )


# ------------------------------------------------------------------------------------------------ text


def plain(block: Block) -> str:
    """The block as text for a terminal, in its own language; Chinese counted two columns a character."""
    kind = block["type"]
    if kind == "table":
        return _table_text(block)
    if kind in ("key_values", "title"):
        rows = block.get("rows") or block.get("facts") or []
        longest = max((width(label) for label, _, _ in rows), default=0)
        lines = [f"{padded(label, longest)}  {visible(str(value))}" for label, _, value in rows]
        return "\n".join(([_text(block)] if kind == "title" else []) + lines)
    if kind == "verdict":
        return f"{_text(block)}\n{visible(block['detail'])}" if block.get("detail") else _text(block)
    if kind == "heading":
        return _text(block)
    if kind == "paragraph":
        return visible(block.get("text") or plain_spans(block.get("spans", [])))
    if kind == "figure":
        return visible(f"[{block.get('caption') or ''}] {block.get('alt') or ''}")
    if kind == "letter":
        lines = [block.get("subject") or "", block.get("to") or "", *(block.get("paragraphs") or [])]
        lines += [f"{number}. {item}" for number, item in enumerate(block.get("items") or [], 1)]
        return visible("\n".join(line for line in lines + list(block.get("closing") or []) if line))
    if kind == "signature":
        return "    ".join(f"{label}: ____________" for label, _ in block["roles"])
    if kind == "bullets":
        return "\n".join("- " + " ".join(plain(part) for part in item) for item in block["items"])
    if kind in ("group", "quote"):
        return "\n\n".join(plain(part) for part in block["blocks"])
    return visible(block.get("text") or block.get("tex") or "")


def _text(block: Block) -> str:
    return visible(block.get("text") or plain_spans(block.get("spans", [])))


def _table_text(block: Block) -> str:
    columns = block["columns"]
    heads = [visible(column["head"]) for column in columns]
    rows = [[visible(text).replace("\n", " ") for text in row] for row in block["rows"]]
    for index, column in enumerate(columns):
        pads = figure_padding([row[index] for row in rows], column["kind"])
        for row, pad in zip(rows, pads, strict=True):
            row[index] += " " * width(pad)
    widths = [max([width(head), *(width(row[i]) for row in rows)]) for i, head in enumerate(heads)]
    right = [column["kind"] in NUMBER_KINDS for column in columns]
    lines = [
        "  ".join(padded(text, widths[i], right[i]) for i, text in enumerate(row)).rstrip()
        for row in [heads, *rows]
    ]
    lines.insert(1, "  ".join("-" * columns_wide for columns_wide in widths))
    caption = [visible(block["caption"])] if block.get("caption") else []
    return "\n".join(caption + lines + [visible(note) for note in block.get("notes") or []])
