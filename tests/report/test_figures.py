"""Figures: valid SVG, the same twice, hostile words as text, missing values, empty data, matplotlib in the same style."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest

from qiyi_analysis.report.kit import blocks, figures
from qiyi_analysis.report.kit.drawing import COLOURS, INK, Plot, legend_lines, tick_text, ticks

WORDS: dict[str, Any] = {"caption": ("图", "Figure"), "alt": ("说明", "Description"), "language": "zh"}
EVIL = ["<script>alert(1)</script>", "$x$ & \"y\" 'z'", "\x00\x07\ud800\u202e", "𠮷", "x" * 500]
NAN = math.nan


def scatter(x: Any, y: Any, **more: Any) -> figures.Figure:
    return figures.scatter(x, y, x_label="x", y_label=EVIL[0], **WORDS, **more)


MAKERS: dict[str, Callable[[], figures.Figure]] = {
    "scatter": lambda: scatter([1, 2, NAN, 4], [2, NAN, 1, 4], identity=True, names=EVIL, marked=[True] * 4),
    "one point": lambda: scatter([1], [1], line=(1.0, 0.0)),
    "nothing": lambda: scatter([], []),
    "all missing": lambda: scatter([NAN], [None]),
    "lines": lambda: figures.lines(
        {name: ([1, 2, 3], [0.1, NAN, 0.3]) for name in EVIL},
        x_label="x",
        y_label="y",
        bands={EVIL[0]: ([0, 0, 0], [1, 1, 1])},
        points=True,
        zero=True,
        marked_x=2,
        **WORDS,
    ),
    "histogram": lambda: figures.histogram([1.0, 2.0, 2.5, NAN, 1e6], x_label=EVIL[1], **WORDS),
    "histogram of one": lambda: figures.histogram([7], x_label="x", **WORDS),
    "histogram of none": lambda: figures.histogram([], x_label="x", **WORDS),
    "intervals": lambda: figures.intervals(
        EVIL, [1, -2, 3, NAN, 0], [0, -3, 2, NAN, 0], [2, 1, 4, NAN, 0], x_label="x", reference=1, **WORDS
    ),
    "no intervals": lambda: figures.intervals([], [], [], [], x_label="x", **WORDS),
    "calibration": lambda: figures.calibration(
        [0.1, 0.9],
        [0.2, NAN],
        low=[0.1, NAN],
        high=[1.2, NAN],
        name=EVIL[4],
        others={EVIL[0]: ([0.5], [0.5])},
        **WORDS,
    ),
}


@pytest.mark.parametrize("name", list(MAKERS))
def test_figure_is_sound_and_the_same_twice(name: str) -> None:
    block = MAKERS[name]().block()
    assert block == MAKERS[name]().block()
    root = ET.fromstring(block["svg"])
    assert {part.tag.rpartition("}")[2] for part in root.iter()} <= {"svg", "g", "path", "text"}
    assert "nan" not in block["svg"].lower().replace("dominant", "")
    assert block["alt"] == "说明"


def test_words_of_the_data_stay_words() -> None:
    root = ET.fromstring(MAKERS["intervals"]().block()["svg"])
    texts = ["".join(part.itertext()) for part in root.iter() if part.tag.endswith("text")]
    assert "<script>alert(1)</script>" in texts
    assert "$x$ & \"y\" 'z'" in texts
    assert "〓[U+0000]〓[U+0007]〓[U+D800]〓[U+202E]" in texts


def test_bundle_holds_the_drawing_once() -> None:
    bundle = MAKERS["scatter"]()._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert "svg" not in bundle[blocks.FIGURE_MIME]


@pytest.mark.parametrize(
    ("low", "high", "whole", "expected"),
    [
        (0, 1, False, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (1400, 2500, False, [1400, 1600, 1800, 2000, 2200, 2400]),
        (-3, 3, False, [-3, -2, -1, 0, 1, 2, 3]),
        (1, 4, True, [1, 2, 3, 4]),
        (2, 2, False, [2]),
        (math.nan, 1, False, [math.nan]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, whole: bool, expected: list[float]) -> None:
    assert ticks(low, high, whole=whole) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("value", "step", "text"), [(0.25, 0.25, "0.25"), (1400, 200, "1400"), (0.2, 0.1, "0.2"), (5, 2.5, "5.0")]
)
def test_tick_text_has_the_decimals_of_its_step(value: float, step: float, text: str) -> None:
    assert tick_text(value, step) == text


def test_a_long_legend_takes_more_lines() -> None:
    entries = [("a name of some length", "#000", "circle", "")] * 6
    lines = legend_lines(entries, 450, "label")
    assert lines[0] == []
    assert sum(map(len, lines)) == 6
    assert legend_lines(entries[:1], 450, "label") == [entries[:1]]


def test_matplotlib_in_the_house_style_is_the_same_twice() -> None:
    def made() -> str:
        sheet, axes = figures.axes()
        axes.plot([1, 2, 3], [1, 4, 9])
        axes.set_title("$x$ 标题 𠮷", parse_math=False)
        axes.text(1, 1, "$\\write18{id}$", parse_math=False)
        return str(figures.Figure(sheet, "说明").block()["svg"])

    first = made()
    assert first == made()
    assert "标题 〓[U+20BB7]" in first
    assert "<dc:date>" not in first


def test_a_name_covers_no_mark_where_there_is_room_beside_it() -> None:
    plot = Plot((0.0, 10.0), (0.0, 10.0))
    plot.axes("x", "y")
    # Two marks so near that a name right of the first lies on the second.
    plot.dots([5.0, 5.2], [5.0, 5.0], COLOURS[1], "triangle", 3.6)
    assert plot.name(5.0, 5.0, "Player 10", INK)
    assert plot.name(5.2, 5.0, "Player 11", INK)
    marks = [
        (plot.at_x(x) - 3.6, plot.at_y(5.0) - 3.6, plot.at_x(x) + 3.6, plot.at_y(5.0) + 3.6)
        for x in (5.0, 5.2)
    ]
    for left, top, right, bottom in plot._boxes:
        assert not any(left < c and a < right and top < d and b < bottom for a, b, c, d in marks)


def test_charts_bring_their_paper_along() -> None:
    """The ink is dark: on the dark page of a notebook a chart without paper cannot be seen."""
    root = ET.fromstring(MAKERS["scatter"]().block()["svg"])
    paper = root[0]
    width, height = root.get("width", "").removesuffix("pt"), root.get("height", "").removesuffix("pt")
    assert (paper.get("d"), paper.get("fill")) == (f"M0 0H{width}V{height}H0z", "#fff")


def test_the_style_in_a_notebook_has_no_ink_without_its_paper() -> None:
    rules = re.findall(r"\{([^}]*)\}", blocks.LAB_STYLE)
    assert rules
    for rule in rules:
        assert bool(re.search(r"(?<![-\w])color:", rule)) == ("background" in rule)
