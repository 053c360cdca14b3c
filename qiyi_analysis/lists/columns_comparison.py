"""The other columns of a published list against the rebuilt one: sex, birth year, title, K, games, federation, unit.

A published list may know what neither the list before nor the events say (a title granted, a transfer), so a difference is
a note; only what does not change with time, and the K of the next period, is asked about. A column or a cell that one side
leaves empty says nothing. Where many players differ the column follows another custom, and one finding says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.lists.rebuild import Rebuilt
from qiyi_analysis.model.findings import Finding, Severity
from qiyi_analysis.model.spelling import same_unit
from qiyi_analysis.rules.chinese_names import plain_title

#: From so many differences on, and this share of the players compared, a column is another custom.
_MANY, _SHARE = 5, 0.3


def _same_number(one: Any, other: Any) -> bool:
    return abs(float(one) - float(other)) < 1e-9


def _same_text(one: Any, other: Any) -> bool:
    return str(one).strip().casefold() == str(other).strip().casefold()


def _same_title(one: Any, other: Any) -> bool:
    return _same_text(plain_title(str(one)), plain_title(str(other)))


def _may_be_same_unit(one: Any, other: Any) -> bool:
    return same_unit(str(one), str(other)) is not False


#: Column of both lists -> how its values compare, and the severity of a difference.
COLUMNS: dict[str, tuple[Callable[[Any, Any], bool], Severity]] = {
    "sex": (_same_text, Severity.ASK),
    "birth_year": (_same_number, Severity.ASK),
    "k": (_same_number, Severity.ASK),
    "title": (_same_title, Severity.NOTE),
    "games": (_same_number, Severity.NOTE),
    "federation": (_same_text, Severity.NOTE),
    "unit": (_may_be_same_unit, Severity.NOTE),
}


def column_findings(rebuilt: Rebuilt, printed: pd.DataFrame, places: np.ndarray, name: str) -> list[Finding]:
    """Findings (CK47) about the columns of a published list.

    ``printed``: its rows; ``places``: of each the row of ``rebuilt.players`` that is the same person for certain, -1 for
    none. ``name`` names the list. Players who are not on the rebuilt list are left out: their own class says so.
    """
    players = rebuilt.players
    listed = players["published"].to_numpy(dtype=bool) & (players["status"] != "removed").to_numpy()
    both = np.flatnonzero(places >= 0)
    both = both[listed[places[both]]]
    findings: list[Finding] = []
    for column, (same, severity) in COLUMNS.items():
        mine, theirs = players[column].tolist(), printed[column].tolist()
        pairs = [
            (i, mine[places[i]], theirs[i])
            for i in both.tolist()
            if _known(mine[places[i]], theirs[i], column)
        ]
        differ = [pair for pair in pairs if not same(*pair[1:])]
        if len(differ) >= _MANY and len(differ) >= _SHARE * len(pairs):
            values = {"count": len(differ), "players": len(pairs)}
            findings.append(
                Finding(
                    code="CK47",
                    severity=Severity.NOTE,
                    reason="column-of-another-custom",
                    file=name,
                    field=column,
                    values=values,
                )
            )
            continue
        findings += [
            Finding(
                code="CK47", severity=severity, reason="column-differs", file=name, line=int(printed["line"].iloc[i]),
                field=column, published=_shown(theirs_), recomputed=_shown(mine_),
                values={"id": printed["id"].iloc[i], "name": printed["name"].iloc[i], **_said(column, theirs_, mine_)},
            )
            for i, mine_, theirs_ in differ
        ]  # fmt: skip
    return findings


def _said(column: str, theirs: Any, mine: Any) -> dict[str, str]:
    """The values in words where the column holds codes."""
    if column != "sex":
        return {}
    return {"published": words.named("sex", _shown(theirs)), "recomputed": words.named("sex", _shown(mine))}


def _known(mine: Any, theirs: Any, column: str) -> bool:
    """Whether both sides say something; a K of 0 means not known."""
    values = (mine, theirs)
    if any(value is None or value != value or value == "" for value in values):
        return False
    return column != "k" or all(float(value) > 0 for value in values)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)
