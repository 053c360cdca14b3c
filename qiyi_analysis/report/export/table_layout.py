"""How a table is fitted on the page: type size, column widths, upright or across, split where nothing helps.

A long narrow table is folded: set in two or three columns of the page. A wide table of a few rows is split by columns
where it stands, since a page turned for it would be mostly empty; only a long one turns the page.

Widths are measured with the fonts' own metrics, so that nothing depends on a renderer's guess. Lengths are in
points.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from qiyi_analysis.report.kit import blocks
from qiyi_analysis.report.kit.fonts import text_width

#: A4 less the margins of the template.
UPRIGHT, ACROSS = 481.0, 728.0

_SIZES_UPRIGHT = (9.0, 8.5, 8.0, 7.5, 7.0)
_SIZES_ACROSS = (8.5, 8.0, 7.5, 7.0, 6.5)
_SIZE_SPLIT = 8.0
#: Lines, heads among them, that the parts of a split table may have; a table of more lines turns the page.
_LINES_SPLIT = 36
_SIZES_FOLDED = (9.0, 8.5, 8.0)
#: Rows from which a narrow table is folded, and the air between its columns.
_FOLDED_FROM, _GUTTER = 24, 18.0
_OTHER = 0.78  # size of the second language in a head, relative to the first
_COMFORTABLE = {"text": 10.0, "name": 8.0, "code": 8.0, "date": 8.0, "yes": 3.0}  # em a wrapped column keeps
_CAPPED = {"text": 60.0, "name": 20.0, "code": 20.0}  # em beyond which a longer cell earns no more width


def arranged(block: blocks.Block, clean: Callable[[str], str]) -> list[dict[str, Any]]:
    """The parts a table is set in, one unless it must be split by columns.

    Each part: ``size``, ``across``, ``fold`` (columns of the page it is set in), ``widths``, ``right`` (one bool a column), ``centred``, ``heads`` [[main, other], ...],
    ``cells`` (flat; a text or [text, padding]), ``marks``, ``columns`` count.
    """
    columns = block["columns"]
    heads = [[clean(column["head"]), clean(column.get("other") or "")] for column in columns]
    rows = [[clean(text) for text in row] for row in block["rows"]]
    measured = [_measure(columns[i]["kind"], heads[i], [row[i] for row in rows]) for i in range(len(columns))]
    everything = list(range(len(columns)))
    if len(rows) >= _FOLDED_FROM:
        for fold in (3, 2):
            room = (UPRIGHT - (fold - 1) * _GUTTER) / fold
            for size in _SIZES_FOLDED:
                if sum(wish * size + 2 * _inset(size, len(columns)) + 0.1 for _, wish in measured) <= room:
                    part = _part(block, heads, rows, measured, everything, size, room, False)
                    return [part | {"fold": fold, "gutter": _GUTTER}]
    keep = everything[: block.get("keep", 1)]
    shares = _shares(measured, keep, everything[len(keep) :])
    for width, sizes, across in ((UPRIGHT, _SIZES_UPRIGHT, False), (ACROSS, _SIZES_ACROSS, True)):
        if across and len(shares) * (len(rows) + 3) <= _LINES_SPLIT:
            break
        for size in sizes:
            if sum(least * size + 2 * _inset(size, len(columns)) for least, _ in measured) <= width:
                return [_part(block, heads, rows, measured, everything, size, width, across)]
    return [_part(block, heads, rows, measured, chosen, _SIZE_SPLIT, UPRIGHT, False) for chosen in shares]


#: The pieces between the joints of a file name, an article or the code of a tie-break, each with its joint.
_JOINTS = re.compile(r"[^/\\_.,;:|@-]*[/\\_.,;:|@-]+|[^/\\_.,;:|@-]+")


def breakable(text: str, em: float) -> str:
    """``text`` with places to break (zero-width spaces) in every run of letters wider than ``em``."""
    if len(text) * 1.0 <= em or text_width(text) <= em:
        return text
    return re.sub(r"[^\s\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]{4,}", lambda run: _pieces(run[0], em), text)


def _pieces(run: str, em: float) -> str:
    if text_width(run) <= em:
        return run
    # At the joints of a file name or an article first, inside a word only where there is no other way.
    return "\u200b".join(
        part if text_width(part) <= em else "\u200b".join(part[i : i + 3] for i in range(0, len(part), 3))
        for part in _JOINTS.findall(run)
    )


def _inset(size: float, columns: int) -> float:
    # Cross tables have many columns of one character, which need little air between them.
    if columns > 22:
        return 1.0
    return 3.0 if size >= 8 else 2.0 if size >= 7 else 1.5


def _measure(kind: str, head: list[str], texts: list[str]) -> tuple[float, float]:
    """The least and the wished width of a column, in em."""
    pads = blocks.figure_padding(texts, kind)
    natural = max((text_width(text + pad) for text, pad in zip(texts, pads, strict=True)), default=0.0)
    # A head may wrap, but not inside a word; Chinese heads break after any second character, codes at their joints.
    head_least = max(
        [min(text_width(head[0]), 2.0) if _chinese(head[0]) else _longest_word(head[0])]
        + ([_OTHER * (2.0 if _chinese(head[1]) else _longest_word(head[1]))] if head[1] else [])
    )
    head_wish = max(text_width(head[0]), _OTHER * min(text_width(head[1]), 8.0))
    if kind in blocks.NUMBER_KINDS:
        return max(natural, head_least), max(natural, head_wish)
    if kind == "digest":
        return max(natural, head_least), max(natural, head_wish)
    natural = min(natural, _CAPPED.get(kind, 20.0))
    least = min(natural, _COMFORTABLE.get(kind, 14.0))
    return max(least, min(head_least, 8.0)), max(natural, head_wish)


def _chinese(text: str) -> bool:
    return any("\u2e80" <= character <= "\u9fff" for character in text)


def _longest_word(text: str) -> float:
    pieces = [piece for word in re.split(r"[\s\u200b]+", text) for piece in _joined(word)]
    return min(10.0, max(map(text_width, pieces), default=0.0))


def _joined(word: str) -> list[str]:
    """A code in its pieces; a word with a hyphen or a stop is none, and stays whole."""
    return _JOINTS.findall(word) if "@" in word else [word]


def _shares(measured: list[tuple[float, float]], keep: list[int], others: list[int]) -> list[list[int]]:
    """Column numbers of each part: the kept ones and as many others as the page holds, evenly."""
    inset = 2 * _inset(_SIZE_SPLIT, 1)
    room = UPRIGHT - sum(measured[i][0] * _SIZE_SPLIT + inset for i in keep)
    shares: list[list[int]] = [[]]
    used = 0.0
    for index in others:
        width = measured[index][0] * _SIZE_SPLIT + inset
        if shares[-1] and used + width > room:
            shares.append([])
            used = 0.0
        shares[-1].append(index)
        used += width
    return [keep + share for share in shares]


def _part(
    block: blocks.Block,
    heads: list[list[str]],
    rows: list[list[str]],
    measured: list[tuple[float, float]],
    chosen: list[int],
    size: float,
    width: float,
    across: bool,
) -> dict[str, Any]:
    kinds = [block["columns"][i]["kind"] for i in chosen]
    inset = _inset(size, len(chosen))
    widths = _widths([measured[i] for i in chosen], kinds, size, inset, width)
    cells: list[Any] = []
    pads = [
        blocks.figure_padding([row[i] for row in rows], kind) for i, kind in zip(chosen, kinds, strict=True)
    ]
    for number, row in enumerate(rows):
        for place, index in enumerate(chosen):
            text = breakable(row[index], (widths[place] - 2 * inset) / size)
            cells.append([text, pads[place][number]] if pads[place][number] else text)
    return {
        "size": size,
        "across": across,
        "fold": 1,
        "inset": inset,
        "widths": [round(value, 2) for value in widths],
        "right": [kind in blocks.NUMBER_KINDS for kind in kinds],
        "centred": [
            kind in ("code", "yes") and max([len(row[i]) for row in rows], default=9) <= 2
            for i, kind in zip(chosen, kinds, strict=True)
        ],
        "heads": [
            [
                breakable(heads[i][0], (widths[place] - 2 * inset) / size),
                breakable(heads[i][1], (widths[place] - 2 * inset) / size / _OTHER),
            ]
            for place, i in enumerate(chosen)
        ],
        "cells": cells,
        "marks": block.get("marks") or [],
    }


def _widths(
    measured: list[tuple[float, float]], kinds: list[str], size: float, inset: float, room: float
) -> list[float]:
    # A tenth of a point keeps a cell that fits exactly from wrapping by a rounding of the renderer.
    least = [low * size + 2 * inset + 0.1 for low, _ in measured]
    wished = [wish * size + 2 * inset + 0.1 for _, wish in measured]
    spare = room - sum(least)
    wanted = sum(wish - low for low, wish in zip(least, wished, strict=True))
    if spare <= 0 or wanted <= 0:
        widths = least
    else:
        share = min(1.0, spare / wanted)
        widths = [low + (wish - low) * share for low, wish in zip(least, wished, strict=True)]
    left = room - sum(widths)
    if left > 0 and sum(widths) > 0.55 * room:
        # Nearly full width: fill the line, so that the rules of all tables end at the margin.
        weights = [1.0 if kind in blocks.NUMBER_KINDS else 2.0 for kind in kinds]
        widths = [value + left * weight / sum(weights) for value, weight in zip(widths, weights, strict=True)]
    return widths
