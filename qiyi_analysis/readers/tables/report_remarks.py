"""What a Chinese report (竞赛报告, 等级分计算表) says beside its numbers: points marked ※, changes of name or unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.characters import simplified
from qiyi_analysis.readers.faults import Faults
from qiyi_analysis.readers.tables.cell_text import UNPLAYED_MARK
from qiyi_analysis.readers.tables.sheet_tables import HeadedRows

#: The referee enters changes of name and unit in the remarks column.
_NAME = re.compile(
    r"原名|曾用名|更名|改名|姓名.{0,6}(?:变更|改为|应为|更正)|former name|name changed", re.IGNORECASE
)
_UNIT = re.compile(
    r"原单位|(?:单位|代表单位|注册单位).{0,6}(?:变更|改为|应为|更正)|原代表|转会|转入|调入|former (?:club|unit)|unit changed",
    re.IGNORECASE,
)


def unplayed_notes(tables: Iterable[HeadedRows], loose: Iterable[str], faults: Faults) -> tuple[str, ...]:
    """Explanations of the points marked ※; marks that nothing explains are a finding (CK19)."""
    notes = tuple(text for text in loose if UNPLAYED_MARK in text and len(text.strip("※ :：")) > 1)
    marked: list[int] = []
    explained = bool(notes)
    for table in tables:
        for row in table.rows:
            remark = table.cell(row, "note")
            if any(UNPLAYED_MARK in cell for cell in row.cells if cell != remark):
                marked.append(row.line)
                explained = explained or bool(remark)
    if marked and not explained:
        faults.add("CK19", "unplayed-not-explained", line=marked[0], read=UNPLAYED_MARK, times=len(marked))
    elif marked:
        faults.add(
            "CK19",
            "unplayed-explained",
            severity="I",
            line=marked[0],
            read=words.joined(notes, parts=True),
            times=len(marked),
        )
    return notes


def check_remarks(people: Iterable[tuple[int, int, Mapping[str, Any]]], faults: Faults) -> None:
    """Remarks that tell a change of name or unit (CK11); ``people``: number, line and values of each player."""
    for number, line, values in people:
        remark = simplified(str(values.get("note", "")))
        for field, pattern in (("name", _NAME), ("unit", _UNIT)):
            if pattern.search(remark):
                faults.add(
                    "CK11",
                    f"remark-{field}",
                    severity="I",
                    line=line,
                    player=number,
                    field=field,
                    read=values["note"],
                )
