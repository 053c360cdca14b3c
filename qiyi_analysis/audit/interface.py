"""The JSON object outside scripts rely on: fields, their types, what is null.

Types go by field, never by value: scores, expected scores and changes are strings with their decimals,
everything else numeric is a number, missing is null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pandas as pd

from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from qiyi_analysis.audit.event_audit import Audit

#: Fields of a player of `rate` and `audit`, in order.
PLAYER_FIELDS = (
    "number", "id", "name", "rating", "provisional", "k", "games", "score", "opponents_average", "difference",
    "expected", "we", "change", "new_rating",
)  # fmt: skip
#: Fields of a game of `rate --games`, in order.
GAME_FIELDS = (
    "round", "number", "opponent", "opponent_rating", "difference", "counted_difference", "expected", "score",
    "counted", "reason", "article",
)  # fmt: skip


def json_value(value: Any) -> Any:
    """A cell as JSON: Decimals as the strings of the interface, missing as null."""
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, Decimal):
        return f"{value:f}"
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def records(rows: pd.DataFrame | Iterable[Mapping[Any, Any]], columns: Sequence[str]) -> list[dict[str, Any]]:
    """Rows, or those of a frame, as JSON objects with ``columns`` in order."""
    every = rows.to_dict("records") if isinstance(rows, pd.DataFrame) else rows
    return [{name: json_value(row[name]) for name in columns} for row in every]


def answer(
    event: str,
    rules: Iterable[RuleSet],
    players: list[dict[str, Any]],
    findings: Iterable[Finding],
    **more: Any,
) -> str:
    """The JSON object every command prints with --json."""
    return json_text(
        {
            "schema": 1,
            "event": event,
            "rules": [one.id for one in rules],
            "players": players,
            **more,
            "findings": [finding.as_dict() for finding in findings],
        }
    )


#: Characters that JSON leaves as they are and a terminal acts upon: controls from U+007F on, marks of direction.
_ACTED_UPON = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON in UTF-8, the same values whoever reads it, without a character that a terminal would act upon."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _ACTED_UPON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def audit_json(result: Audit) -> str:
    """The JSON object of an audit."""
    players = records(result.rating.player_rows(), PLAYER_FIELDS) if result.rating else []
    sources = (*result.event.sources, *(source for one in result.lists for source in one.sources))
    return answer(
        result.event.id,
        result.rules,
        players,
        result.findings,
        verdict=result.verdict,
        coverage=result.coverage.as_dict(),
        inputs=[{"file": s.name, "sha256": s.sha256, "bytes": s.size} for s in sources],
    )
