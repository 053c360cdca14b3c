"""Plots: valid SVG, the same twice, hostile words as text, missing values, empty data, axes that can be changed."""

from __future__ import annotations

import math
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from qiyi_analysis.report.kit import blocks, plots
from qiyi_analysis.report.kit.page import Page

EVIL = ["<script>alert(1)</script>", "$x$ & \"y\" 'z'", "\x00\x07\ud800\u202e", "𠮷", "x" * 500]
NAN = math.nan

MAKERS: dict[str, Callable[[], Any]] = {
    "scatter": lambda: plots.scatter(
        [1, 2, NAN, 4], [2, NAN, 1, 4], identity=True, names=EVIL, marked=[True] * 4
    ),
    "marked": lambda: plots.scatter([1, 2], [2, 1], marked=pd.Series([True, False]), marked_label=EVIL[1]),
    "one point": lambda: plots.scatter([1], [1], line=(1.0, 0.0)),
    "nothing": lambda: plots.scatter([], []),
    "all missing": lambda: plots.scatter([NAN], [None], identity=True),
    "lines": lambda: plots.lines(
        {name: ([1, 2, 3], [0.1, NAN, 0.3]) for name in EVIL},
        bands={EVIL[0]: ([0, 0, 0], [1, 1, 1])},
        points=True,
        zero=True,
        marked_x=2,
    ),
    "histogram": lambda: plots.histogram([1.0, 2.0, 2.5, NAN, 1e6]),
    "histogram of one": lambda: plots.histogram([7]),
    "histogram of none": lambda: plots.histogram([]),
    "intervals": lambda: plots.intervals(
        EVIL, [1, -2, 3, NAN, 0], [0, -3, 2, NAN, 0], [2, 1, 4, NAN, 0], reference=1
    ),
    "no intervals": lambda: plots.intervals([], [], [], []),
    "calibration": lambda: plots.calibration(
        {EVIL[4]: ([0.1, 0.9], [0.2, NAN]), EVIL[0]: ([0.5], [0.5])}, low=[0.1, NAN], high=[1.2, NAN]
    ),
}


def drawn(name: str) -> str:
    ax = MAKERS[name]()
    return plots.svg(plots.label(ax, "x", EVIL[1]).figure)


def texts(svg: str) -> list[str]:
    return ["".join(part.itertext()) for part in ET.fromstring(svg).iter() if part.tag.endswith("text")]


@pytest.mark.parametrize("name", list(MAKERS))
def test_plot_is_sound_and_the_same_twice(name: str) -> None:
    svg = drawn(name)
    assert svg == drawn(name)
    assert svg.startswith("<svg")
    assert "<script" not in svg
    assert not re.search(r"\bnan\b|\binf\b", svg)
    assert "matplotlib.org" not in svg
    assert not re.search(r"<dc:date>|href=[\"']https?:", svg)


def test_words_of_the_data_stay_words() -> None:
    found = texts(drawn("intervals"))
    assert "<script>alert(1)</script>" in found
    assert "$x$ & \"y\" 'z'" in found
    assert "〓[U+0000]〓[U+0007]〓[U+D800]〓[U+202E]" in found


def test_no_pyplot_and_what_pyplot_made_is_closed() -> None:
    frame = pd.DataFrame({"recomputed": [1.0, 2.0], "published": [1.0, 3.0]})
    ax = frame.plot.scatter("recomputed", "published", ax=plots.axes())
    ax.set_title("标题 𠮷 $x$")
    assert "标题 〓[U+20BB7] $x$" in texts(plots.svg(ax.figure))
    other = frame.plot.line()
    plots.svg(other.figure)
    assert not sys.modules["matplotlib.pyplot"].get_fignums()


def test_a_function_draws_on_the_axes_it_is_given() -> None:
    mine = plots.axes(4, 3)
    assert plots.histogram([1, 2, 3], ax=mine) is mine
    assert plots.scatter([1, 2], [1, 2], ax=mine) is mine


def test_series_differ_by_colour_dash_and_mark() -> None:
    ax = plots.lines({str(i): ([1, 2], [i, i]) for i in range(6)}, points=True)
    assert len({line.get_color() for line in ax.get_lines()}) == 6
    assert len({str(line._unscaled_dash_pattern) for line in ax.get_lines()}) == 6
    assert len({line.get_marker() for line in ax.get_lines()}) >= 5


def test_a_long_legend_takes_more_lines_above_the_plot() -> None:
    few, many = (plots.lines({f"{i} {'name' * 6}": ([1, 2], [1, 2]) for i in range(n)}) for n in (2, 6))
    assert many.figure.get_figheight() > few.figure.get_figheight()
    heights = [ax.get_position().height * ax.figure.get_figheight() for ax in (few, many)]
    assert heights[0] == pytest.approx(heights[1])


def test_a_name_covers_no_mark_where_there_is_room_beside_it() -> None:
    # Two marks so near that a name right of the first lies on the second.
    xs, ys = [0, 5.0, 5.2, 10], [0, 5.0, 5.0, 10]
    ax = plots.scatter(xs, ys, names=["", "Player 10", "Player 11", ""], marked=[False, True, True, False])
    places = ax.transData.transform(np.column_stack([xs, ys])) * 72 / ax.figure.dpi
    names = [one for one in ax.texts if one.get_text()]
    assert len(names) == 2
    for one in names:
        x, y = np.array(ax.transData.transform(one.xy)) * 72 / ax.figure.dpi + one.get_position()
        wide = plots.fonts.text_width(one.get_text()) * 7.5
        assert not any(x < a + 3 and a - 3 < x + wide and y - 2 < b + 3 and b - 3 < y + 7 for a, b in places)


def test_points_far_from_nought_fill_the_plot() -> None:
    ax = plots.scatter([2700, 2800], [2600, 2900], line=(1.0, 0.0))
    assert ax.get_xlim()[0] > 2600


def test_figure_holds_the_drawing_once_on_its_own_paper() -> None:
    page = Page("en", "audit")
    figure = page.figure("scores", plots.scatter([1, 2], [2, 1]), count=2)
    bundle = figure._repr_mimebundle_()
    assert "svg" not in bundle[blocks.FIGURE_MIME]
    assert bundle[blocks.FIGURE_MIME]["alt"].startswith("Scatter plot")
    # The ink is dark: on the dark page of a notebook a chart without paper cannot be seen.
    assert 'style="fill: #ffffff"' in bundle["image/svg+xml"]
    assert page.figure("scores", None).data["blocks"] == []


def test_the_style_in_a_notebook_has_no_ink_without_its_paper() -> None:
    rules = re.findall(r"\{([^}]*)\}", blocks.LAB_STYLE)
    assert rules
    for rule in rules:
        assert bool(re.search(r"(?<![-\w])color:", rule)) == ("background" in rule)
