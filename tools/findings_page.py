"""Writes docs/findings.md from the program's own words: `python tools/findings_page.py`."""

from __future__ import annotations

from pathlib import Path

from qiyi_analysis import words
from qiyi_analysis.model.findings import CODES


def page() -> str:
    """The page of finding codes as Markdown."""
    lines = [
        "# Finding codes 审核代码",
        "",
        "Made from the program's words by `python tools/findings_page.py`; a test keeps it true. Severity: E return to the",
        "arbiter 退回, W ask 询问, I note 说明 (a single finding may be milder than its code).",
        "",
        "| Code | Sev. | 检查 | Check | 怎么办 | What to do |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for code, severity in CODES.items():
        cells = [
            words.text(f"{kind}.{code}", language) for kind in ("code", "advice") for language in ("zh", "en")
        ]
        lines.append(f"| {code} | {severity} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (Path(__file__).parents[1] / "docs" / "findings.md").write_text(page(), encoding="utf-8")
