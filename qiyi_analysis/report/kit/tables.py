"""Tables people see: typed columns with heads in two languages, shown in JupyterLab and read by the exporters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.report.kit import blocks
from qiyi_analysis.rules.rounding import MOST_DECIMALS
from qiyi_analysis.words.visible import storable

#: A text in one language, or the pair (Chinese, English).
Said = str | tuple[str, str]

#: "code" and "digest" are texts without blanks; a digest is never broken. A "rating" may have a * behind it.
KINDS = (
    "text",
    "name",
    "integer",
    "decimal",
    "points",
    "percent",
    "date",
    "code",
    "digest",
    "signed",
    "yes",
    "rating",
)
MISSING = "–"

#: The kind of a column by its name, where its values do not tell it; the same in every report.
KIND_OF = {
    "name": "name", "opponent_name": "name", "next": "name", "rating": "rating", "score": "points", "change": "signed",
    "delta": "signed", "deviation": "signed", "difference_to_best": "signed", "code": "code", "article": "code", "rules": "code",
    "sha256": "digest", "id": "code", "rounded": "signed", "printed_change": "signed", "printed_we": "decimal", "printed_new": "integer",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """A column: ``key`` finds the cells and, unless ``head`` is given, its head in words ``[column.<key>]``.

    ``kind`` is one of KINDS. ``decimals`` fixes the decimals of a decimal or signed column; without it a
    Decimal shows its own and a float two.
    """

    key: str
    kind: str = "text"
    head: Said | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under typed columns.

    ``rows``: a DataFrame, or mappings by column key, or sequences in column order. ``marks``: one a row, ""
    or "differs", "error", "warn", "strong", "quiet". ``caption``: text or (Chinese, English); left out, words
    ``[table.<key>]`` where they exist. ``keep``: how many leading columns are repeated if it must be split.
    """

    key: str
    columns: Sequence[Column]
    rows: Any
    caption: Said = ""
    notes: Sequence[str] = ()
    language: str = "zh"
    marks: Sequence[str] = ()
    keep: int = 2

    def block(self) -> blocks.Block:
        """The table as a block: heads and cells as the texts that are printed."""
        caption, other = _caption(f"table.{self.key}", self.caption, self.language)
        rows = [
            [
                shown(value, column.kind, column.decimals)
                for value, column in zip(row, self.columns, strict=True)
            ]
            for row in cells(self.rows, [column.key for column in self.columns])
        ]
        marks = [str(mark) for mark in self.marks]
        if marks and len(marks) != len(rows):
            raise ValueError(f"table {self.key}: {len(marks)} marks for {len(rows)} rows")
        return {
            "type": "table",
            "key": self.key,
            "caption": caption,
            "other": other,
            "columns": [_column(column, self.language) for column in self.columns],
            "rows": rows,
            "marks": marks if any(marks) else [],
            "notes": [storable(note) for note in self.notes],
            "keep": min(self.keep, len(self.columns)),
            "language": self.language,
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        block = self.block()
        return {
            blocks.TABLE_MIME: block,
            "text/html": blocks.LAB_STYLE + blocks.html(block, {"language": self.language, "bare": True}),
            "text/plain": blocks.plain(block),
        }


def column_of(name: str, values: Any, kind: str = "", head: Said | None = None) -> Column:
    """The column of a data frame: its kind as given ("decimal 3"), by its name (KIND_OF), or by its values."""
    chosen, _, decimals = (kind or KIND_OF.get(name) or kind_of(values)).partition(" ")
    return Column(name, chosen, head, int(decimals) if decimals else None)


def kind_of(values: Any) -> str:
    """The kind of a column from the values that are there: whole numbers, decimals, days, yes and no; else text."""
    there = [value for value in values.tolist() if not is_missing(value)]
    for kind, types in (
        ("yes", bool),
        ("integer", int),
        ("decimal", int | float | Decimal | Fraction),
        ("date", date),
    ):
        if there and all(isinstance(value, types) for value in there):
            return kind
    return "text"


def said(text: Said, language: str) -> tuple[str, str]:
    """``text`` in ``language`` and in the other one ("" if it was given in one language only)."""
    if isinstance(text, str):
        return storable(text), ""
    main, other = text if language == "zh" else (text[1], text[0])
    return storable(main), storable(other) if other != main else ""


def cells(rows: Any, keys: Sequence[str]) -> Iterable[Sequence[Any]]:
    """The cell values of ``rows`` in the order of ``keys``."""
    if hasattr(rows, "columns") and hasattr(rows, "itertuples"):
        missing = [key for key in keys if key not in rows.columns]
        if missing:
            raise KeyError(f"no column {', '.join(missing)} in the rows")
        # tolist() gives Python values; taking a row at a time would turn whole numbers into floats.
        return list(zip(*(rows[key].tolist() for key in keys), strict=True)) if len(rows) else []
    return [[row.get(key) for key in keys] if isinstance(row, Mapping) else list(row) for row in rows]


def shown(value: Any, kind: str, decimals: int | None = None) -> str:
    """The text printed for a cell; a missing number is a dash, a missing text is empty."""
    if kind not in KINDS:
        raise ValueError(f"column kind {kind!r}; expected one of {', '.join(KINDS)}")
    numeric = kind in blocks.NUMBER_KINDS
    if is_missing(value):
        return MISSING if numeric else ""
    if not numeric:
        if kind == "yes":
            return "✓" if value else ""
        if isinstance(value, date | datetime):
            return value.strftime("%Y-%m-%d")
        return storable(str(value))
    if isinstance(value, str):
        return storable(value)
    if kind == "points":
        return points(value)
    if kind == "integer":
        return str(int(value)) if value == int(value) else _decimal(value, decimals)
    if kind == "percent":
        return f"{_decimal(Fraction(value) * 100, 1 if decimals is None else decimals)}%"
    text = _decimal(value, decimals)
    return f"+{text}" if kind == "signed" and not text.startswith("-") and text.strip("0.") else text


def points(value: Any) -> str:
    """Points with halves as ½: 4½, ½, 0; other fractions as decimals."""
    doubled = Fraction(value) * 2
    if doubled.denominator != 1:
        return _decimal(value, None)
    whole, half = divmod(abs(int(doubled)), 2)
    sign = "-" if doubled < 0 else ""
    return sign + ((str(whole) if whole or not half else "") + ("½" if half else ""))


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: None, NaN, pandas' NA and NaT."""
    if value is None:
        return True
    if isinstance(value, str | int | Fraction):
        return False
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return type(value).__name__ in ("NAType", "NaTType") or (hasattr(value, "dtype") and value != value)


def _decimal(value: Any, decimals: int | None) -> str:
    if isinstance(value, Fraction):
        value = Decimal(value.numerator) / Decimal(value.denominator)
        decimals = 2 if decimals is None else decimals
    if not isinstance(value, Decimal):
        whole = isinstance(value, int)
        value = Decimal(repr(float(value))) if not whole else Decimal(value)
        decimals = (0 if whole else 2) if decimals is None else decimals
    if not value.is_finite():
        return str(value)
    if decimals is None and value.as_tuple().exponent < -MOST_DECIMALS:
        decimals = MOST_DECIMALS - 1
    if decimals is not None:
        value = value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    text = f"{value:f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def _column(column: Column, language: str) -> dict[str, str]:
    if column.kind not in KINDS:
        raise ValueError(f"column kind {column.kind!r}; expected one of {', '.join(KINDS)}")
    text = words.pair(f"column.{column.key}", "zh") if column.head is None else column.head
    head, other = said(text, language)
    return {"key": column.key, "kind": column.kind, "head": head, "other": other}


def _caption(key: str, given: Said, language: str) -> tuple[str, str]:
    if given:
        return said(given, language)
    return words.pair(key, language) if words.has(key) else ("", "")
