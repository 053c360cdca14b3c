"""Figures in the house style, by matplotlib: functions that take ``ax=``, draw on it and return it.

The style is ``house.mplstyle``: series are told apart by colour, dash and mark together. A figure becomes SVG with its text as
text, the same bytes on every run. Words from the data are never read as mathematics. Numbers may be lists, arrays or Series;
missing ones are left out. Nothing here imports pyplot: no window, no list of open figures.
"""

from __future__ import annotations

import importlib
import io
import math
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from qiyi_analysis.report.kit import blocks, fonts
from qiyi_analysis.report.kit.tables import Said, said
from qiyi_analysis.words.visible import code_point, visible

#: The colour of lines that are no series: the diagonal, a reference.
QUIET = "#767676"
#: Families named in the drawing after our own, for a reader who has not Noto.
_FAMILIES = (
    "'Noto Sans SC', 'Source Han Sans SC', 'PingFang SC', 'Microsoft YaHei', 'DejaVu Sans', sans-serif"
)
_POINTS = 72.0
#: Names beside points: size in points, how many, and the places tried in turn (right, above, below; left of the point).
_NAME_SIZE, _NAMES = 7.5, 40
_PLACES = ((5, -3), (5, 5), (5, -11), (-5, -3), (-5, 5), (-5, -11))


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture with its words: ``picture`` is a matplotlib figure or SVG text.

    ``alt`` says in a sentence what the picture shows, for those who cannot see it.
    """

    picture: Any
    alt: Said
    caption: Said = ""
    language: str = "zh"

    def block(self) -> blocks.Block:
        """The figure as a block."""
        caption, other = said(self.caption, self.language)
        return {
            "type": "figure",
            "svg": self.picture if isinstance(self.picture, str) else svg(self.picture),
            "alt": said(self.alt, self.language)[0],
            "caption": caption,
            "other": other,
            "language": self.language,
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        block = self.block()
        drawing = block.pop("svg")
        return {"image/svg+xml": drawing, blocks.FIGURE_MIME: block, "text/plain": blocks.plain(block)}


def axes(width: float = 6.53, height: float = 2.99) -> Any:
    """Empty axes of a size in inches, in the house style, which then is that of everything drawn in this process."""
    use_style()
    from matplotlib.figure import Figure as Sheet

    ax = Sheet(figsize=(width, height)).subplots()
    _margins(ax, left=44, right=12, top=26, bottom=40)
    return ax


def scatter(
    x: Any,
    y: Any,
    *,
    names: Sequence[str] = (),
    marked: Any = None,
    marked_label: str = "",
    identity: bool = False,
    line: tuple[float, float] | None = None,
    ax: Any = None,
) -> Any:
    """Points; with ``identity`` the line y = x, with ``line`` (slope, intercept) another one.

    ``marked`` (one truth value a point) are drawn as orange triangles, on top and with their ``names``.
    """
    ax = ax or axes(height=3.26 if identity else 2.99)
    xs, ys = _numbers(x), _numbers(y)
    flags = np.zeros(len(xs), bool) if marked is None else np.array([bool(flag) for flag in marked], bool)
    ax.plot(xs[~flags], ys[~flags], "o", color="C0", alpha=0.75)
    over = ax.plot(xs[flags], ys[flags], "^", color="C1", alpha=0.85, markersize=6, label=marked_label)
    if identity:
        _square(ax, xs, ys)
    if identity or line is not None:
        slope, start = line or (1.0, 0.0)
        ax.set(xlim=ax.get_xlim(), ylim=ax.get_ylim())
        ax.axline(
            (0, start), slope=slope, color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)), marker="", zorder=1
        )
    if len(names) and flags.any():
        _name(ax, xs, ys, [str(name) for name in names], np.flatnonzero(flags))
    if marked_label and flags.any():
        legend(ax, over)
    return ax


def lines(
    series: Any,
    *,
    bands: Mapping[str, tuple[Any, Any]] | None = None,
    points: bool = False,
    zero: bool = False,
    marked_x: float | None = None,
    ax: Any = None,
) -> Any:
    """Lines by name -> (x, y), or the columns of a data frame over its index; ``bands`` by name -> (low, high).

    ``points`` marks the values; ``zero`` makes the y axis begin at nought; ``marked_x`` draws an upright line.
    """
    ax = ax or axes()
    drawn = []
    if hasattr(series, "columns"):
        series = {str(name): (series.index, series[name]) for name in series}
    for number, (name, (x, y)) in enumerate(series.items()):
        xs = _numbers(x)
        mark = {} if points else {"marker": ""}
        drawn += ax.plot(xs, _numbers(y), label=_short(name), zorder=3, **mark)
        if name in (bands or {}):
            low, high = (_numbers(edge) for edge in (bands or {})[name])
            ax.fill_between(xs, low, high, color=f"C{number % 6}", alpha=0.16, linewidth=0)
    ax.margins(x=0.01)
    if zero:
        ax.set_ylim(bottom=0)
    if marked_x is not None:
        ax.axvline(marked_x, color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)), marker="", zorder=1)
    if all(float(value).is_integer() for line in drawn for value in line.get_xdata() if math.isfinite(value)):
        whole(ax.xaxis)
    if len(drawn) > 1:
        legend(ax, drawn)
    return ax


def histogram(values: Any, *, width: float | None = None, ax: Any = None) -> Any:
    """How many values fall into each class; ``width`` of a class is a round number unless given."""
    ax = ax or axes()
    data = _numbers(values)
    data = data[np.isfinite(data)]
    low, high = (float(data.min()), float(data.max())) if len(data) else (0.0, 1.0)
    step = width or _round_up(max(high - low, 1e-9) / max(6, min(24, math.isqrt(len(data) or 1))))
    first = math.floor(low / step)
    edges = (first + np.arange(math.floor(high / step) - first + 2)) * step
    ax.hist(data, edges, color="C0", rwidth=0.92)
    ax.margins(x=0)
    return ax


def intervals(
    labels: Sequence[str], middle: Any, low: Any, high: Any, *, reference: float | None = None, ax: Any = None
) -> Any:
    """An estimate and its interval for each label, the first on top; ``reference`` draws an upright line."""
    shown = [_short(str(label), 30) for label in labels]
    ax = ax or axes(height=(54 + 17 * max(len(shown), 1)) / _POINTS)
    rows = np.arange(len(shown))
    ax.errorbar(
        _numbers(middle), rows, xerr=np.abs(np.array([_numbers(low), _numbers(high)]) - _numbers(middle)),
        fmt="D", color="C1", ecolor="C0", elinewidth=1.8, capsize=3, markersize=5,
    )  # fmt: skip
    if reference is not None:
        ax.axvline(reference, color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)), marker="", zorder=1)
    ax.set(yticks=rows, yticklabels=shown, ylim=(max(len(shown), 1) - 0.5, -0.5))
    ax.tick_params(axis="y", labelcolor="#1a1a1a")
    wide = 14 + max((fonts.text_width(label) for label in shown), default=4) * 8.5
    _margins(ax, left=min(wide, 230), right=34, top=12, bottom=40)
    return ax


def calibration(
    series: Mapping[str, tuple[Any, Any]], *, low: Any = None, high: Any = None, ax: Any = None
) -> Any:
    """Observed against expected score by class, name -> (expected, observed), beside the line on which both agree.

    ``low``, ``high``: the intervals of the first series.
    """
    ax = ax or axes(5.28, 4.17)
    ax.axline((0, 0), slope=1, color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)), marker="", zorder=1)
    if low is not None and high is not None and series:
        place = _numbers(next(iter(series.values()))[0])
        ax.vlines(
            place, np.clip(_numbers(low), 0, 1), np.clip(_numbers(high), 0, 1), color="C0", linewidth=1.1
        )
    drawn = [
        ax.plot(_numbers(x), _numbers(y), linestyle="", label=_short(name), markersize=5.5)[0]
        for name, (x, y) in series.items()
    ]
    ax.set(xlim=(0, 1), ylim=(0, 1))
    if len(drawn) > 1:
        legend(ax, drawn)
    return ax


# ------------------------------------------------------------------------------------------- words on axes


def label(ax: Any, x: str = "", y: str = "") -> Any:
    """Name the axes; the name of the y axis stands level above it, where it is read without turning the head."""
    if x:
        ax.set_xlabel(x)
    upright = y or ax.get_ylabel()
    if upright:
        width, height = (inches * _POINTS for inches in ax.figure.get_size_inches())
        ax.set_ylabel(upright, rotation=0, ha="left", va="top")
        ax.yaxis.set_label_coords(6 / width, 1 - 4 / height, ax.figure.transFigure)
    return ax


def legend(ax: Any, handles: Sequence[Any]) -> Any:
    """What the marks mean, above the axes: right of the name of the y axis, in more lines where it needs them."""
    names = [str(handle.get_label()) for handle in handles]
    wide = max(fonts.text_width(name) for name in names) * 8.5 + 32
    room = ax.get_position().width * ax.figure.get_figwidth() * _POINTS
    columns = max(1, min(len(names), int(room // wide)))
    rows = math.ceil(len(names) / columns)
    below = 13.0 if columns * wide > 0.66 * room else 0.0
    height = ax.figure.get_figheight() * _POINTS + below + 13 * (rows - 1)
    ax.figure.set_figheight(height / _POINTS)
    _margins(ax, left=44, right=12, top=26 + below + 13 * (rows - 1), bottom=40)
    anchor = (ax.get_position().x1, 1 - (3 + below) / height)
    ax.legend(
        handles=handles,
        loc="upper right",
        bbox_to_anchor=anchor,
        bbox_transform=ax.figure.transFigure,
        ncols=columns,
    )
    return ax


def whole(axis: Any) -> None:
    """Only whole numbers below an axis."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(7, integer=True))


def svg(sheet: Any) -> str:
    """A matplotlib figure as SVG that is the same on every run; missing characters are replaced visibly.

    A figure that pyplot knows (from ``frame.plot()``) is closed, so that a notebook does not show it a second time.
    """
    use_style()
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.text import Text

    for text in sheet.findobj(Text):
        text.set_text(_visible(text.get_text()))
    buffer = io.StringIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        FigureCanvasSVG(sheet).print_svg(buffer, metadata={"Date": None, "Creator": None})
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(sheet)
    drawing = buffer.getvalue()
    return drawing[drawing.index("<svg") :].replace("'Noto Sans SC', 'DejaVu Sans'", _FAMILIES)


@cache
def use_style() -> None:
    """Make the house style that of matplotlib, its fonts known to it; once a process."""
    _load()
    from matplotlib import font_manager, rc_file

    font_manager.fontManager.addfont(str(fonts.sans_path()))
    rc_file(Path(__file__).with_name("house.mplstyle"), use_default_template=False)


def _load() -> None:
    """Import matplotlib; where no kernel serves a user who could ask for help, without what takes most of its import.

    That is the list of properties in the docstring of every artist, and the axes in three dimensions.
    """
    if "ipykernel" in sys.modules or "matplotlib.figure" in sys.modules:
        return
    from matplotlib import artist

    kwdoc = artist.kwdoc
    artist.kwdoc = lambda artist: ""
    sys.modules["mpl_toolkits.mplot3d"] = None  # type: ignore[assignment]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            importlib.import_module("matplotlib.figure")
    finally:
        artist.kwdoc = kwdoc
        del sys.modules["mpl_toolkits.mplot3d"]


# ------------------------------------------------------------------------------------------------- pieces


def _margins(ax: Any, left: float, right: float, top: float, bottom: float) -> None:
    """Place the axes by margins in points: nothing moves with the words, so that no layout is to be worked out."""
    width, height = (inches * _POINTS for inches in ax.figure.get_size_inches())
    ax.figure.subplots_adjust(left / width, bottom / height, 1 - right / width, 1 - top / height)


def _square(ax: Any, xs: np.ndarray, ys: np.ndarray) -> None:
    """The same range on both axes."""
    every = np.concatenate([xs, ys])
    every = every[np.isfinite(every)]
    if len(every):
        low, high = float(every.min()), float(every.max())
        edge = (high - low) * 0.05 or 1.0
        ax.set(xlim=(low - edge, high + edge), ylim=(low - edge, high + edge))


def _name(ax: Any, xs: np.ndarray, ys: np.ndarray, names: Sequence[str], chosen: np.ndarray) -> None:
    """Write names beside points where they cover no other name, and no point if there is such a place."""
    ax.autoscale_view()
    places = ax.transData.transform(np.column_stack([xs, ys])) * _POINTS / ax.figure.dpi
    width = ax.figure.get_figwidth() * _POINTS
    inside = [tuple(place) for place in places if np.isfinite(place).all()]
    points = [(x - 3, y - 3, x + 3, y + 3) for x, y in inside]
    taken: list[tuple[float, float, float, float]] = []
    for index in chosen[:_NAMES]:
        if not np.isfinite(places[index]).all():
            continue
        text, (x, y) = _short(names[index], 24), places[index]
        wide = fonts.text_width(text) * _NAME_SIZE
        boxes = [(x + dx - (wide if dx < 0 else 0), y + dy) for dx, dy in _PLACES]
        for left, base in (
            box for others in (points, []) for box in boxes if _free(box, wide, taken + others, width)
        ):
            taken.append((left, base - 2, left + wide, base + 7))
            ax.annotate(
                text,
                (xs[index], ys[index]),
                (left - x, base - y),
                textcoords="offset points",
                fontsize=_NAME_SIZE,
            )
            break


def _free(place: tuple[float, float], wide: float, others: Sequence[tuple[float, ...]], width: float) -> bool:
    left, low, right, high = place[0], place[1] - 2, place[0] + wide, place[1] + 7
    clear = all(left >= c or a >= right or low >= d or b >= high for a, b, c, d in others)
    return clear and left >= 44 and right <= width


def _short(name: str, most: int = 32) -> str:
    return _visible(name if len(name) <= most else name[: most - 1] + "…")


def _visible(text: str) -> str:
    """``text`` with what no font has, or no drawing can hold, replaced visibly."""
    return (
        text
        if text.isascii() and text.isprintable()
        else "".join(c if fonts.can_show(c) else code_point(c) for c in visible(text))
    )


def _numbers(values: Any) -> np.ndarray:
    return np.array([math.nan if value is None else float(value) for value in values], float)


def _round_up(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
