"""Formulas as pictures: TeX in, SVG and its place on the line out, without TeX installed."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

_SIZE = 10  # points; lengths are given per em by the renderers


@cache
def picture(tex: str, display: bool) -> dict[str, Any]:
    """``svg``, ``height`` and ``depth`` (below the baseline, both in points at 10 points type) of a formula.

    What cannot be set comes back without ``svg``, and is shown as it was typed.
    """
    import ziamath

    try:
        # ziamath and latex2mathml raise many kinds of error for what they do not know.
        svg = ziamath.Latex(tex, size=_SIZE, inline=not display).svg()
        box = [float(part) for part in re.findall(r'viewBox="([^"]+)"', svg)[0].split()]
    except Exception:
        return {"type": "math", "tex": tex}
    return {"type": "math", "tex": tex, "svg": svg, "height": box[3], "depth": round(box[3] + box[1], 3)}
