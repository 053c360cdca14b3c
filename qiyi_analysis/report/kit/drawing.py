"""Plots drawn straight into SVG: axes, marks and words, in a millisecond and without matplotlib.

Lengths are points. Colours are told apart by the colour-blind and, with the marks and dashes that go with
them, in grey. Every text is escaped data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from qiyi_analysis.report.kit.fonts import text_width
from qiyi_analysis.words.visible import visible

#: Dark blue, orange, green, purple, sky, black (after Okabe and Ito), in order of falling darkness steps.
COLOURS = ("#0b4f8a", "#d55e00", "#009e73", "#8a5a9e", "#56a0d3", "#333333")
DASHES = ("", "6 3", "2 2.5", "8 3 2 3", "1 3", "10 4")
MARKS = ("circle", "triangle", "square", "diamond", "cross", "circle")
QUIET, INK, GRID = "#767676", "#1a1a1a", "#dcdcdc"
FAMILY = "'Noto Sans SC','Source Han Sans SC','PingFang SC','Microsoft YaHei','DejaVu Sans',sans-serif"
SIZE = 8.5


#: An entry of a legend: words, colour, mark or "", dash or "-" for no line.
Entry = tuple[str, str, str, str]


def ticks(low: float, high: float, wanted: int = 6, whole: bool = False) -> list[float]:
    """Round numbers between ``low`` and ``high``, about ``wanted`` of them; ``whole``: no fractions."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low]
    step = _step((high - low) / max(1, wanted))
    if whole:
        step = float(max(1, math.ceil(step)))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(number * step, 10) + 0.0 for number in range(first, last + 1)]


def tick_text(value: float, step: float) -> str:
    """A tick's number with the decimals its step needs."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 0
    if abs(step * 10**decimals - round(step * 10**decimals)) > 1e-6:
        decimals += 1
    return f"{value:.{decimals}f}"


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    for factor in (1, 2, 2.5, 5, 10):
        if factor * power >= rough * 0.999:
            return factor * power
    return 10 * power


@dataclass
class Plot:
    """One pair of axes. ``x`` and ``y`` are the ranges shown; call ``axes`` first, ``svg`` last."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float = 470.0
    height: float = 215.0
    whole_x: bool = False  # only whole numbers stand below the x axis
    whole_y: bool = False
    left: float = 44.0
    right: float = 12.0
    top: float = 26.0
    bottom: float = 40.0
    parts: list[str] = field(default_factory=list)
    _boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    _marks: list[tuple[float, float, float, float]] = field(default_factory=list)

    def at_x(self, value: float) -> float:
        """Place of an x value on the sheet."""
        low, high = self.x
        return self.left + (value - low) / (high - low) * (self.width - self.left - self.right)

    def at_y(self, value: float) -> float:
        """Place of a y value on the sheet."""
        low, high = self.y
        return (
            self.height - self.bottom - (value - low) / (high - low) * (self.height - self.top - self.bottom)
        )

    def axes(self, x_label: str, y_label: str, x_ticks: bool = True, y_ticks: bool = True) -> None:
        """Grid, numbers and labels; the label of the y axis stands level above it."""
        bottom, right = self.height - self.bottom, self.width - self.right
        if y_ticks:
            marks = ticks(*self.y, wanted=5, whole=self.whole_y)
            step = marks[1] - marks[0] if len(marks) > 1 else 1.0
            for value in marks:
                place = self.at_y(value)
                self.line([(self.left, place), (right, place)], GRID, 0.6)
                self.text(self.left - 5, place + 3, tick_text(value, step), anchor="end", colour=QUIET)
        if x_ticks:
            marks = ticks(*self.x, wanted=7, whole=self.whole_x)
            step = marks[1] - marks[0] if len(marks) > 1 else 1.0
            for value in marks:
                place = self.at_x(value)
                self.line([(place, bottom), (place, bottom + 3)], QUIET, 0.6)
                self.text(place, bottom + 13, tick_text(value, step), anchor="middle", colour=QUIET)
        self.line([(self.left, bottom), (right, bottom)], QUIET, 0.8)
        self.text((self.left + right) / 2, self.height - 7, x_label, anchor="middle")
        self.text(6, 13, y_label)

    def line(
        self,
        places: Sequence[tuple[float, float]],
        colour: str,
        thick: float = 1.4,
        dash: str = "",
        opacity: float = 1,
    ) -> None:
        """A line through places of the sheet (not values)."""
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        extra = (f' stroke-dasharray="{dash}"' if dash else "") + (
            f' opacity="{opacity}"' if opacity < 1 else ""
        )
        self.parts.append(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{thick:g}" stroke-linejoin="round"{extra}/>'
        )

    def curve(
        self, x: Sequence[float], y: Sequence[float], colour: str, dash: str = "", thick: float = 1.6
    ) -> None:
        """A line through values; it is interrupted where a value is missing."""
        piece: list[tuple[float, float]] = []
        for a, b in zip(x, y, strict=True):
            if math.isfinite(a) and math.isfinite(b):
                piece.append((self.at_x(a), self.at_y(b)))
            elif len(piece) > 1:
                self.line(piece, colour, thick, dash)
                piece = []
            else:
                piece = []
        if len(piece) > 1:
            self.line(piece, colour, thick, dash)

    def band(self, x: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str) -> None:
        """The area between two curves, pale."""
        edge = [(self.at_x(a), self.at_y(b)) for a, b in zip(x, high, strict=True)]
        edge += [(self.at_x(a), self.at_y(b)) for a, b in zip(reversed(x), reversed(low), strict=True)]
        path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in edge) + "Z"
        self.parts.append(f'<path d="{path}" fill="{colour}" opacity="0.16"/>')

    def bar(self, x: tuple[float, float], y: tuple[float, float], colour: str, opacity: float = 1) -> None:
        """A filled rectangle between values."""
        left, right = sorted((self.at_x(x[0]), self.at_x(x[1])))
        top, bottom = sorted((self.at_y(y[0]), self.at_y(y[1])))
        extra = f' opacity="{opacity}"' if opacity < 1 else ""
        self.parts.append(
            f'<path d="M{left:.1f} {bottom:.1f}V{top:.1f}H{right:.1f}V{bottom:.1f}Z" fill="{colour}"{extra}/>'
        )

    def dots(
        self, x: Sequence[float], y: Sequence[float], colour: str, mark: str = "circle", size: float = 2.6
    ) -> None:
        """Marks at values, drawn as one path; missing values are left out."""
        places = [
            (self.at_x(a), self.at_y(b))
            for a, b in zip(x, y, strict=True)
            if math.isfinite(a) and math.isfinite(b)
        ]
        self._marks += [(a - size, b - size, a + size, b + size) for a, b in places]
        path = "".join(_MARK[mark](a, b, size) for a, b in places)
        if path:
            fill = "none" if mark == "cross" else colour
            self.parts.append(
                f'<path d="{path}" fill="{fill}" fill-opacity="0.75" stroke="{colour}" stroke-width="0.7"/>'
            )

    def text(
        self, x: float, y: float, words: str, anchor: str = "start", colour: str = INK, size: float = SIZE
    ) -> None:
        """Words on the sheet; ``y`` is their baseline."""
        if words:
            self.parts.append(
                f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size:g}">'
                f"{svg_text(words)}</text>"
            )

    def name(self, x: float, y: float, words: str, colour: str) -> bool:
        """Write ``words`` beside a value where they cover no other name, and no mark drawn before if there is such a place;
        say whether there was room."""
        words = words if len(words) <= 24 else words[:23] + "…"
        wide = text_width(words) * 7.5
        left, base = self.at_x(x), self.at_y(y)
        for others in (self._boxes + self._marks, self._boxes):
            for dx, dy in ((5, 3), (5, -5), (5, 11), (-5 - wide, 3), (-5 - wide, -5), (-5 - wide, 11)):
                box = (left + dx, base + dy - 7, left + dx + wide, base + dy + 2)
                inside = box[0] >= self.left and box[2] <= self.width and box[1] >= 0
                if inside and not any(_overlap(box, other) for other in others):
                    self._boxes.append(box)
                    self.text(left + dx, base + dy, words, colour=colour, size=7.5)
                    return True
        return False

    def legend(self, entries: Sequence[Entry], y_label: str = "") -> None:
        """What the marks mean, right of the label of the y axis, or in lines below it (see ``legend_lines``)."""
        for number, line in enumerate(legend_lines(entries, self.width - self.right, y_label)):
            y = 10.0 + 13 * number
            x = self.width - self.right - sum(_entry_width(entry) for entry in line)
            for entry in line:
                self._entry(entry, x, y)
                x += _entry_width(entry)

    def _entry(self, entry: Entry, x: float, y: float) -> None:
        words, colour, mark, dash = entry
        if dash != "-":
            self.line([(x, y), (x + 16, y)], colour, 1.6, dash)
        if mark:
            fill = "none" if mark == "cross" else colour
            path = _MARK[mark](x + 8, y, 2.8)
            self.parts.append(f'<path d="{path}" fill="{fill}" stroke="{colour}" stroke-width="0.7"/>')
        self.text(x + 20, y + 3, words)

    def svg(self) -> str:
        """The finished drawing."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:g}pt" height="{self.height:g}pt" '
            # White paper below the ink: charts are shown on dark pages too.
            f'viewBox="0 0 {self.width:g} {self.height:g}"><path d="M0 0H{self.width:g}V{self.height:g}H0z" fill="#fff"/>'
            f'<g font-family="{FAMILY}">' + "".join(self.parts) + "</g></svg>"
        )


def legend_lines(entries: Sequence[Entry], room: float, y_label: str = "") -> list[list[Entry]]:
    """The entries of a legend in lines that fit; the first is empty where the label of the y axis needs it."""
    lines: list[list[Entry]] = [[]]
    used = 14 + text_width(y_label) * SIZE
    if used + sum(map(_entry_width, entries)) > room and y_label:
        lines, used = [[], []], 0.0
    for entry in entries:
        if lines[-1] and used + _entry_width(entry) > room:
            lines.append([])
            used = 0.0
        lines[-1].append(entry)
        used += _entry_width(entry)
    return lines


def _entry_width(entry: Entry) -> float:
    return text_width(entry[0]) * SIZE + 30


def svg_text(words: str) -> str:
    """``words`` for an SVG text: escaped, without anything XML cannot hold."""
    return escape(visible(words).replace("\n", " "), quote=True)


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _circle(x: float, y: float, r: float) -> str:
    return f"M{x - r:.1f} {y:.1f}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0z"


def _triangle(x: float, y: float, r: float) -> str:
    return f"M{x:.1f} {y - 1.25 * r:.1f}l{1.2 * r:.2f} {2.1 * r:.2f}h{-2.4 * r:.2f}z"


def _square(x: float, y: float, r: float) -> str:
    return f"M{x - 0.9 * r:.1f} {y - 0.9 * r:.1f}h{1.8 * r:.2f}v{1.8 * r:.2f}h{-1.8 * r:.2f}z"


def _diamond(x: float, y: float, r: float) -> str:
    return f"M{x:.1f} {y - 1.3 * r:.1f}l{1.3 * r:.2f} {1.3 * r:.2f}l{-1.3 * r:.2f} {1.3 * r:.2f}l{-1.3 * r:.2f} {-1.3 * r:.2f}z"


def _cross(x: float, y: float, r: float) -> str:
    return f"M{x - r:.1f} {y - r:.1f}l{2 * r:g} {2 * r:g}m0 {-2 * r:g}l{-2 * r:g} {2 * r:g}"


_MARK = {"circle": _circle, "triangle": _triangle, "square": _square, "diamond": _diamond, "cross": _cross}
