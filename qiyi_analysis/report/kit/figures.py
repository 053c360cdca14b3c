"""Figures in the house style: drawn as SVG by ``drawing``, or by matplotlib for what is not offered here.

Every figure has an alternative text. Words from the data are never read as mathematics or markup. Numbers
that go in may be lists, arrays or Series; missing ones (NaN) are left out.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qiyi_analysis.report.kit import blocks, fonts
from qiyi_analysis.report.kit.drawing import COLOURS, DASHES, INK, MARKS, QUIET, Entry, Plot, legend_lines
from qiyi_analysis.report.kit.tables import Said, said
from qiyi_analysis.words.visible import code_point, visible


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture with its words: ``picture`` is SVG text or a matplotlib figure (which is closed).

    ``alt`` says in a sentence what the picture shows, for those who cannot see it.
    """

    picture: Any
    alt: Said
    caption: Said = ""
    language: str = "zh"

    def block(self) -> blocks.Block:
        """The figure as a block."""
        caption, other = said(self.caption, self.language)
        svg = self.picture if isinstance(self.picture, str) else matplotlib_svg(self.picture)
        return {
            "type": "figure",
            "svg": svg,
            "alt": said(self.alt, self.language)[0],
            "caption": caption,
            "other": other,
            "language": self.language,
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        block = self.block()
        svg = block.pop("svg")
        return {"image/svg+xml": svg, blocks.FIGURE_MIME: block, "text/plain": blocks.plain(block)}


def scatter(
    x: Any,
    y: Any,
    *,
    x_label: Said,
    y_label: Said,
    caption: Said,
    alt: Said,
    language: str,
    identity: bool = False,
    names: Sequence[str] = (),
    marked: Any = None,
    marked_label: Said = "",
    line: tuple[float, float] | None = None,
) -> Figure:
    """Points; with ``identity`` the line y = x, with ``line`` (slope, intercept) another one.

    ``marked`` (one truth value a point) are drawn as orange triangles, on top and with their names.
    """
    xs, ys = _numbers(x), _numbers(y)
    flags = [bool(flag) for flag in marked] if marked is not None else [False] * len(xs)
    shared = [*xs, *ys] if identity else []
    plot = Plot(_range(shared or xs), _range(shared or ys), height=235 if identity else 215)
    plot.axes(_say(x_label, language), _say(y_label, language))
    if identity:
        low, high = max(plot.x[0], plot.y[0]), min(plot.x[1], plot.y[1])
        plot.line([(plot.at_x(low), plot.at_y(low)), (plot.at_x(high), plot.at_y(high))], QUIET, 0.9, "4 3")
    if line is not None:
        ends = [(end, line[0] * end + line[1]) for end in plot.x]
        plot.line(
            [(plot.at_x(a), plot.at_y(min(max(b, plot.y[0]), plot.y[1]))) for a, b in ends], QUIET, 1.1, "4 3"
        )
    plain = [index for index, flag in enumerate(flags) if not flag]
    plot.dots([xs[i] for i in plain], [ys[i] for i in plain], COLOURS[0])
    on_top = [index for index, flag in enumerate(flags) if flag]
    plot.dots([xs[i] for i in on_top], [ys[i] for i in on_top], COLOURS[1], "triangle", 3.6)
    for index in on_top[:40]:
        if names and math.isfinite(xs[index]) and math.isfinite(ys[index]):
            plot.name(xs[index], ys[index], str(names[index]), INK)
    if on_top and marked_label:
        plot.legend([(_say(marked_label, language), COLOURS[1], "triangle", "-")], _say(y_label, language))
    return Figure(plot.svg(), alt, caption, language)


def lines(
    series: Mapping[str, tuple[Any, Any]],
    *,
    x_label: Said,
    y_label: Said,
    caption: Said,
    alt: Said,
    language: str,
    bands: Mapping[str, tuple[Any, Any]] | None = None,
    points: bool = False,
    zero: bool = False,
    marked_x: float | None = None,
) -> Figure:
    """Lines by name -> (x, y), told apart by colour, dash and mark; ``bands`` by name -> (low, high).

    ``zero`` makes the y axis begin at nought; ``marked_x`` draws an upright line.
    """
    data = {name: (_numbers(x), _numbers(y)) for name, (x, y) in series.items()}
    edges = {name: (_numbers(low), _numbers(high)) for name, (low, high) in (bands or {}).items()}
    ys = [value for _, y in data.values() for value in y] + [
        v for pair in edges.values() for side in pair for v in side
    ]
    xs = [value for x, _ in data.values() for value in x]
    looks = [(name, *_look(number)) for number, name in enumerate(data)]
    legend = [(_short(name), colour, mark if points else "", dash) for name, colour, dash, mark in looks]
    upright = _say(y_label, language)
    above = _above(legend, upright) if len(data) > 1 else 0.0
    plot = Plot(_range(xs, 0.01), _range([*ys, 0.0] if zero else ys), height=215 + above, top=26 + above)
    plot.whole_x = all(value == int(value) for value in xs if math.isfinite(value))
    plot.axes(_say(x_label, language), upright)
    if marked_x is not None:
        place = plot.at_x(marked_x)
        plot.line([(place, plot.top), (place, plot.height - plot.bottom)], QUIET, 0.9, "4 3")
    for number, (name, (x, y)) in enumerate(data.items()):
        colour, dash, mark = _look(number)
        if name in edges:
            plot.band(x, *edges[name], colour)
        plot.curve(x, y, colour, dash)
        if points:
            plot.dots(x, y, colour, mark, 2.2)
    if len(data) > 1:
        plot.legend(legend, upright)
    return Figure(plot.svg(), alt, caption, language)


def histogram(
    values: Any,
    *,
    x_label: Said,
    y_label: Said = ("人数", "Number"),
    caption: Said,
    alt: Said,
    language: str,
    width: float | None = None,
) -> Figure:
    """How many values fall into each class; ``width`` of a class is a round number unless given."""
    data = sorted(value for value in _numbers(values) if math.isfinite(value))
    low, high = (data[0], data[-1]) if data else (0.0, 1.0)
    step = width or _round_up(max(high - low, 1e-9) / max(6, min(24, math.isqrt(len(data) or 1))))
    first = math.floor(low / step)
    counts: dict[int, int] = {}
    for value in data:
        counts[math.floor(value / step) - first] = counts.get(math.floor(value / step) - first, 0) + 1
    classes = max(counts, default=0) + 1
    plot = Plot((first * step, (first + classes) * step), (0, max(counts.values(), default=1) * 1.05))
    plot.axes(_say(x_label, language), _say(y_label, language))
    for index, count in counts.items():
        left = (first + index) * step
        gap = step * 0.04
        plot.bar((left + gap, left + step - gap), (0, count), COLOURS[0])
    return Figure(plot.svg(), alt, caption, language)


def intervals(
    labels: Sequence[str],
    middle: Any,
    low: Any,
    high: Any,
    *,
    x_label: Said,
    caption: Said,
    alt: Said,
    language: str,
    reference: float | None = None,
) -> Figure:
    """An estimate and its interval for each label; ``reference`` draws an upright line."""
    middles, lows, highs = _numbers(middle), _numbers(low), _numbers(high)
    extra = [] if reference is None else [reference]
    plot = _rows([str(label) for label in labels], [*middles, *lows, *highs, *extra], _say(x_label, language))
    if reference is not None:
        place = plot.at_x(reference)
        plot.line([(place, plot.top), (place, plot.height - plot.bottom)], QUIET, 0.9, "4 3")
    for index, (a, b) in enumerate(zip(lows, highs, strict=True)):
        if math.isfinite(a) and math.isfinite(b):
            y = plot.at_y(index)
            plot.line([(plot.at_x(a), y), (plot.at_x(b), y)], COLOURS[0], 1.8)
            for end in (a, b):
                plot.line([(plot.at_x(end), y - 3), (plot.at_x(end), y + 3)], COLOURS[0], 1.2)
    plot.dots(middles, [float(index) for index in range(len(middles))], COLOURS[1], "diamond", 3.2)
    return Figure(plot.svg(), alt, caption, language)


def calibration(
    expected: Any,
    observed: Any,
    *,
    caption: Said,
    alt: Said,
    language: str,
    low: Any = None,
    high: Any = None,
    name: str = "",
    others: Mapping[str, tuple[Any, Any]] | None = None,
) -> Figure:
    """Observed against expected score by class, with intervals, beside the line on which both agree.

    ``others``: further systems by name -> (expected, observed), each with its own mark.
    """
    series = {name: (_numbers(expected), _numbers(observed))}
    series |= {other: (_numbers(x), _numbers(y)) for other, (x, y) in (others or {}).items()}
    legend = [(_short(key), _look(number)[0], _look(number)[2], "-") for number, key in enumerate(series)]
    upright = _say(("实际得分率", "Observed score"), language)
    above = _above(legend, upright, 380) if len(series) > 1 else 0.0
    plot = Plot((0.0, 1.0), (0.0, 1.0), height=300 + above, width=380, top=26 + above)
    plot.axes(_say(("预期得分率", "Expected score"), language), upright)
    plot.line([(plot.at_x(0), plot.at_y(0)), (plot.at_x(1), plot.at_y(1))], QUIET, 0.9, "4 3")
    if low is not None and high is not None:
        for place, a, b in zip(series[name][0], _numbers(low), _numbers(high), strict=True):
            if math.isfinite(a) and math.isfinite(b):
                ends = [(plot.at_x(place), plot.at_y(min(max(end, 0.0), 1.0))) for end in (a, b)]
                plot.line(ends, COLOURS[0], 1.1)
    for number, (x, y) in enumerate(series.values()):
        colour, _, mark = _look(number)
        plot.dots(x, y, colour, mark, 3.0)
    if len(series) > 1:
        plot.legend(legend, upright)
    return Figure(plot.svg(), alt, caption, language)


# ------------------------------------------------------------------------------------------- matplotlib


def axes(width: float = 6.5, height: float = 3.9) -> tuple[Any, Any]:
    """A matplotlib figure and axes in the house style, for plots not offered here.

    Label data with ``parse_math=False``: a name with two dollar signs is no formula.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Sheet

    with rc_context(_style()):
        sheet = Sheet(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(sheet)
        pair = sheet.subplots()
        pair.spines[["top", "right"]].set_visible(False)
        pair.grid(axis="y", color="#dcdcdc", linewidth=0.6)
        pair.set_axisbelow(True)
    return sheet, pair


def matplotlib_svg(sheet: Any) -> str:
    """A matplotlib figure as SVG that is the same on every run; missing characters are replaced visibly."""
    from matplotlib import pyplot, rc_context
    from matplotlib.text import Text

    for words in sheet.findobj(Text):
        content = words.get_text()
        if content and not content.isascii():
            words.set_text("".join(c if fonts.can_show(c) else code_point(c) for c in visible(content)))
    buffer = io.StringIO()
    with rc_context(_style()), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        sheet.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(sheet)
    return buffer.getvalue()


def _style() -> Any:
    from cycler import cycler
    from matplotlib import font_manager

    path = str(fonts.sans_path())
    if not any(entry.fname == path for entry in font_manager.fontManager.ttflist):
        font_manager.fontManager.addfont(path)
    return {
        "font.family": [fonts.SANS, fonts.SPARE],
        "font.size": 8.5,
        "svg.fonttype": "none",
        "svg.hashsalt": "qiyi",
        "axes.prop_cycle": cycler(color=list(COLOURS)),
        "axes.edgecolor": QUIET,
        "xtick.color": QUIET,
        "ytick.color": QUIET,
        "text.parse_math": False,
    }


# ---------------------------------------------------------------------------------------------- pieces


def _rows(labels: Sequence[str], values: Sequence[float], x_label: str) -> Plot:
    """A plot with one row a label, the first on top."""
    shown = [label if len(label) <= 30 else label[:29] + "…" for label in labels]
    left = 14 + max((fonts.text_width(label) for label in shown), default=4) * 8.5
    low, high = _range(values)
    plot = Plot(
        (low, high),
        (max(len(labels), 1) - 0.5, -0.5),
        height=54 + 17 * max(len(labels), 1),
        left=min(left, 230),
        right=34,
    )
    plot.top = 12
    plot.axes(x_label, "", y_ticks=False)
    for index, label in enumerate(shown):
        plot.text(plot.left - 6, plot.at_y(index) + 3, label, "end")
    return plot


def _short(name: str) -> str:
    return name if len(name) <= 32 else name[:31] + "…"


def _above(legend: Sequence[Entry], y_label: str, width: float = 470.0) -> float:
    """Room above a plot for the further lines of its legend."""
    return 13.0 * (len(legend_lines(legend, width - 12, y_label)) - 1)


def _look(number: int) -> tuple[str, str, str]:
    return COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)], MARKS[number % len(MARKS)]


def _say(text: Said, language: str) -> str:
    main, other = said(text, language)
    return f"{main}  {other}" if other else main


def _numbers(values: Any) -> list[float]:
    return [math.nan if value is None else float(value) for value in values]


def _range(values: Sequence[float], margin: float = 0.05) -> tuple[float, float]:
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return (0.0, 1.0)
    low, high = min(finite), max(finite)
    if low == high:
        return (low - 1, high + 1)
    edge = (high - low) * margin
    return (low - edge if low else low, high + edge if high else high)


def _round_up(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
