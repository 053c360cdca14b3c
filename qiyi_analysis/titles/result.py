"""What a judgement of titles consists of: one row per player and title, with what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pandas as pd

from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import records
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles.missing import Missing
from qiyi_analysis.titles.norms import NormSheet

#: Columns of ``Titles.players``. ``reached`` is True, False or None (could not be judged).
TITLE_COLUMNS = ("number", "name", "title", "kind", "reached", "missing", "article")

#: Columns of ``Titles.certificates``.
CERTIFICATE_COLUMNS = (
    "number",
    "id",
    "name",
    "sex",
    "unit",
    "from",
    "to",
    "score",
    "rounds",
    "percent",
    "place",
    "article",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One judgement: a player, a title, and whether it was reached."""

    number: int
    name: str
    title: str
    kind: str  # norm, direct-title, rating-title, promotion, grade, place-points
    reached: bool | None
    missing: tuple[Missing, ...]
    article: str


@dataclass(frozen=True, kw_only=True)
class Titles:
    """Titles, norms, grades or place points of an event.

    ``players``: frame with TITLE_COLUMNS, ``missing`` a tuple of Missing. ``sheets``: norm sheets of
    norms that were reached, nearly reached, or could not be judged. ``certificates``: who goes from
    which title to which. ``entries`` and ``teams``: place points of individuals and of teams.
    """

    event: str
    rules: RuleSet
    players: pd.DataFrame
    sheets: tuple[NormSheet, ...] = ()
    certificates: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(CERTIFICATE_COLUMNS))
    )
    entries: pd.DataFrame = field(default_factory=pd.DataFrame)
    teams: pd.DataFrame = field(default_factory=pd.DataFrame)
    findings: tuple[Finding, ...] = ()

    def as_rows(self, language: str = "en") -> list[dict[str, Any]]:
        """The rows in the fields of the interface; ``missing`` as text, None where nothing is missing."""
        rows = []
        for row in records(self.players):
            missing = missing_text(row.missing, language) or None
            rows.append(
                {
                    "number": int(row.number),
                    "name": row.name,
                    "title": row.title,
                    "kind": row.kind,
                    "reached": row.reached,
                    "missing": missing,
                    "article": row.article or None,
                }
            )
        return rows


def players_frame(rows: list[Row]) -> pd.DataFrame:
    """The rows as a frame with TITLE_COLUMNS."""
    return pd.DataFrame(
        {
            name: pd.Series([getattr(row, name) for row in rows], dtype=_DTYPES.get(name, object))
            for name in TITLE_COLUMNS
        }
    )


_DTYPES: Mapping[str, Any] = {"number": "int64"}


def missing_text(missing: tuple[Missing, ...], language: str) -> str:
    """All that is missing in one line."""
    return ("；" if language == "zh" else "; ").join(item.text(language) for item in missing)


def percent_text(share: Fraction) -> str:
    """A share in per cent with two decimals, half up: 64.29."""
    hundredths = (share * 10000 + Fraction(1, 2)).__floor__()
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def number_text(value: Fraction | int) -> str:
    """An exact number as it is printed: 5, 6.5."""
    fraction = Fraction(value)
    return str(fraction.numerator) if fraction.denominator == 1 else str(float(fraction))
