"""Makes the tour kept in reports/sample: `python tools/tour.py`."""

from __future__ import annotations

from pathlib import Path

from qiyi_analysis.report.run.render import render

FOLDER = Path(__file__).parents[1] / "reports" / "sample"

if __name__ == "__main__":
    for language in ("zh", "en"):
        paths = render("tour", {"language": language}, FOLDER, ("pdf",), name=f"qiyi-tour-{language}")
        print(paths["pdf"])
