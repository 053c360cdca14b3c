"""Cells as they are printed, heads in two languages, and what a table shows of hostile data."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from qiyi_analysis.report.kit import blocks
from qiyi_analysis.report.kit.page import Page
from qiyi_analysis.report.kit.tables import Column, Table, shown
from qiyi_analysis.words.visible import width

HOSTILE = [
    "<script>alert(1)</script>",
    "=cmd|'/C calc'!A0",
    '#include("x")',
    r"\input{x}",
    "$(x)",
    "$x$",
    "长" * 250 + "x" * 250,
    "*a* _b_ [c](javascript:1)",
]


@pytest.mark.parametrize(
    ("value", "kind", "decimals", "expected"),
    [
        (4.5, "points", None, "4½"),
        (0.5, "points", None, "½"),
        (0, "points", None, "0"),
        (-0.5, "points", None, "-½"),
        (Decimal("7.5"), "points", None, "7½"),
        (Fraction(1, 4), "points", None, "0.25"),
        (2000.0, "integer", None, "2000"),
        (np.int64(3), "integer", None, "3"),
        (Decimal("-1.950"), "signed", None, "-1.950"),
        (Decimal("3.6"), "signed", None, "+3.6"),
        (Decimal("0.00"), "signed", None, "0.00"),
        (Decimal("-0.00"), "signed", None, "0.00"),
        (Decimal("2.345"), "decimal", 2, "2.35"),
        (Fraction(1, 3), "decimal", 3, "0.333"),
        (0.615, "decimal", 2, "0.62"),
        (0.5, "percent", None, "50.0%"),
        (None, "integer", None, "–"),
        (float("nan"), "points", None, "–"),
        (pd.NA, "decimal", None, "–"),
        (None, "text", None, ""),
        ("2024-03-01", "date", None, "2024-03-01"),
        (pd.Timestamp("2024-03-01"), "date", None, "2024-03-01"),
        ("\ud800x", "text", None, "〓[U+D800]x"),
    ],
)
def test_cell_as_printed(value: object, kind: str, decimals: int | None, expected: str) -> None:
    assert shown(value, kind, decimals) == expected


ZH = Page("zh")


def test_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="column kind 'money'"):
        shown(1, "money")


def table(rows: object, language: str = "zh") -> Table:
    columns = [
        Column("number", "integer", ("序号", "No.")),
        Column("name", "name", ("姓名", "Name")),
        Column("change", "signed", ("升降值", "Change")),
    ]
    return Table("players", columns, rows, caption=("棋手", "Players"), language=language)


def test_rows_may_be_a_frame_mappings_or_sequences() -> None:
    mappings = [
        {"number": 1, "name": "王", "change": Decimal("1.5")},
        {"number": 2, "name": "Li", "change": None},
    ]
    sequences = [[1, "王", Decimal("1.5")], [2, "Li", None]]
    blocks_made = [table(rows).block() for rows in (mappings, sequences, pd.DataFrame(mappings))]
    assert blocks_made[0] == blocks_made[1] == blocks_made[2]
    assert blocks_made[0]["rows"] == [["1", "王", "+1.5"], ["2", "Li", "–"]]


def test_whole_numbers_of_a_frame_keep_no_decimals() -> None:
    frame = pd.DataFrame({"number": [1, 2], "name": ["a", "b"], "change": [0.5, 1.5]})
    assert [row[0] for row in table(frame).block()["rows"]] == ["1", "2"]


def test_missing_column_is_named() -> None:
    with pytest.raises(KeyError, match="change"):
        table(pd.DataFrame({"number": [1], "name": ["a"]})).block()


@pytest.mark.parametrize(("language", "head", "other"), [("zh", "序号", "No."), ("en", "No.", "序号")])
def test_heads_in_both_languages(language: str, head: str, other: str) -> None:
    block = table([[1, "a", 0]], language).block()
    assert (block["columns"][0]["head"], block["columns"][0]["other"]) == (head, other)
    assert {block["caption"], block["other"]} == {"棋手", "Players"}


def test_html_escapes_and_has_scopes() -> None:
    rows = [[index, name, 0] for index, name in enumerate(HOSTILE)]
    html = table(rows)._repr_mimebundle_()["text/html"]
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert html.count('scope="col"') == 3


def test_invisible_characters_become_visible() -> None:
    html = table([[1, "ab\u202ecd\u200f\x07", 0]])._repr_mimebundle_()["text/html"]
    assert "ab〓[U+202E]cd〓[U+200F]〓[U+0007]" in html


def test_text_form_counts_chinese_two_columns() -> None:
    lines = blocks.plain(
        table([[1, "王小明", Decimal("1.50")], [2, "Li", Decimal("-12.25")]]).block()
    ).splitlines()
    assert len({width(line) for line in lines[2:]}) == 1


def test_numbers_are_padded_to_one_line_of_units() -> None:
    assert blocks.figure_padding(["4½", "4", "–"], "points") == ["", "½", "½"]
    assert blocks.figure_padding(["1.25", "3.5", "2", "–"], "decimal") == ["", "0", ".00", ""]


def test_pads_are_no_text_of_the_cell() -> None:
    html = Table("t", [Column("p", "points", "分")], [[4.5], [4]])._repr_mimebundle_()["text/html"]
    assert ">4</td>" in html
    assert ">4½</td>" in html


def test_marks_must_fit_the_rows() -> None:
    with pytest.raises(ValueError, match="2 marks for 1 rows"):
        Table("t", [Column("p", "points", "分")], [[1]], marks=["differs", ""]).block()


def test_pieces_show_themselves_without_live_markup() -> None:
    evil = "<img src=x onerror=alert(1)>"
    pieces = [
        ZH.title(evil, {evil: evil}, text=evil),
        Page("en").heading(text=evil),
        ZH.prose(evil),
        ZH.verdict("return", (evil, evil), evil),
        ZH.facts({evil: evil}),
        ZH.bullets([evil]),
        ZH.letter(evil, evil, paragraphs=[evil], items=[evil], closing=[evil]),
        ZH.signature((evil, evil)),
    ]
    bundle = ZH.group(*pieces, None)._repr_mimebundle_()
    assert "<img" not in bundle["text/html"]
    assert len(bundle[blocks.BLOCK_MIME]["blocks"]) == len(pieces)


def test_empty_group_shows_nothing() -> None:
    assert ZH.group(None)._repr_mimebundle_() == {"text/plain": ""}
