"""Every notebook as PDF and HTML: Chinese is there, nothing is missing or broken, a second run gives the same bytes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from qiyi_analysis.report.run.render import render

PROJECT = Path(__file__).parents[2]
EVENTS = PROJECT / "data" / "events"

#: Notebook -> parameters that keep it small, a text its PDF must hold, whether it is run a second time.
NOTEBOOKS: dict[str, tuple[dict[str, Any], str, bool]] = {
    "audit_event": ({"event": str(EVENTS / "constructed-xiangqi-2024")}, "象棋", True),
    "titles": ({"event": str(EVENTS / "constructed-open-2025"), "rules": "fide/titles"}, "达到", True),
    "titles_application": ({"events": [str(EVENTS / "constructed-open-2025")], "player": "14"}, "IT2", True),
    "reproduce_list": ({}, "等级分", True),
    "publish_list": ({}, "甲乙", True),
    "compare_k_factors": ({"k": [10.0, 20.0, 30.0, 40.0], "advantage": [40.0]}, "CC BY 4.0", True),
    "compare_systems": ({"systems": ["elo", "glicko", "guess"]}, "CC BY 4.0", False),
    "expected_score": ({}, "620", False),
    "simulate_federation": ({"replicates": 2, "federation_players": 200, "months": 24, "warm_up": 6}, "K 40", False),
    "tour": ({"language": "zh"}, "八页看懂", False),
    "batch_summary": ({}, "失败 1 项", True),
}  # fmt: skip


#: The last day of the event or the day of the list; what belongs to no day carries a fixed one.
DAYS = {
    "audit_event": "20240418",
    "titles": "20250510",
    "titles_application": "20250510",
    "reproduce_list": "20251201",
    "publish_list": "20250601",
}


def inputs(name: str, tmp_path: Path) -> dict[str, Any]:
    """Files that a notebook needs and the project does not ship."""
    if name == "publish_list":
        rows = "\n".join(
            f"{i},甲乙{i},{'mw'[i % 2]},CHN,单位{i % 4},{1980 + i},,{2400 - 7 * i}" for i in range(40)
        )
        path = tmp_path / "list-2025-06.csv"
        path.write_text(f"id,name,sex,federation,unit,birth_year,title,rating\n{rows}\n", encoding="utf-8")
        return {"rating_list": str(path)}
    if name == "batch_summary":
        path = tmp_path / "batch.json"
        path.write_text(
            '[{"line": 2, "command": "audit", "input": "甲.trf", "folder": "a", "state": "failed", "verdict": "",'
            ' "findings": 0, "message": "甲.trf: empty", "message_zh": "甲.trf：空文件", "files": []}]',
            encoding="utf-8",
        )
        return {"record": str(path)}
    return {}


def test_every_notebook_is_here() -> None:
    assert set(NOTEBOOKS) == {path.stem for path in (PROJECT / "notebooks").glob("*.ipynb")}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_report(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    parameters, needed, twice = NOTEBOOKS[name]
    parameters = {**parameters, **inputs(name, tmp_path)}
    paths = render(name, parameters, tmp_path / "one", ("pdf", "html"), name="report")
    reader = PdfReader(paths["pdf"])
    pages = [page.extract_text() for page in reader.pages]
    text = "\n".join(pages)
    html = paths["html"].read_text(encoding="utf-8")
    assert needed in text.replace("\n", "") or needed in text
    assert re.search(r"[\u4e00-\u9fff]", text)
    for wrong in ("NaN", "nan ", "Traceback", "None ", "<NA>", "\ufffd", "inf "):
        assert wrong not in text, f"{wrong!r} in the PDF"
    assert all(page.strip() for page in pages), "an empty page"
    assert reader.outline
    assert reader.metadata["/CreationDate"] == f"D:{DAYS.get(name, '20000101')}000000Z"
    assert "Traceback" not in html
    # Opened from disk the page asks nobody for anything.
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", re.sub(r"<a [^>]*>", "", html))
    assert "<script" not in html
    if name == "tour":
        assert len(pages) == 8
    if twice:
        again = render(name, parameters, tmp_path / "two", ("pdf", "html"), name="report")
        assert {k: p.read_bytes() for k, p in again.items()} == {k: p.read_bytes() for k, p in paths.items()}
