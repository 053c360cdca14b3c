"""The other columns of a published list: what differs is told with modest severity, what is missing accuses nobody."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from lists_made import FIDE, a_list, two_events

from qiyi_analysis.lists import rebuild_list
from qiyi_analysis.lists.list_comparison import compare
from qiyi_analysis.lists.rebuild import Rebuilt
from qiyi_analysis.model.rating_list import make_list

#: What the list before knows of every player, beside what two_events says.
FACTS = {"sex": "w", "birth_year": 1990, "title": "六级棋士", "federation": "CHN", "unit": "北京"}
COLUMNS = ("id", "name", "rating", "sex", "birth_year", "title", "federation", "unit", "k", "games")


@pytest.fixture(scope="module")
def rebuilt() -> Rebuilt:
    old, one, two = two_events()
    rows = [{**row, **FACTS} for row in old.rows.drop(columns=["rank", "line"]).to_dict("records")]
    return rebuild_list([one, two], FIDE, [a_list("2025-11-01", *rows)], "2025-12")


def found(
    rebuilt: Rebuilt, columns: tuple[str, ...] = COLUMNS, **changes: Any
) -> list[tuple[str, str, str, str, str]]:
    """Field, severity, player, published and recomputed of each finding; ``changes`` are cells of player A."""
    rows = [{name: row[name] for name in columns} for row in rebuilt.list.rows.to_dict("records")]
    for row in rows:
        if row["id"] == "A":
            row |= changes
    printed = make_list(rows, id="published", day=date(2025, 12, 1))
    return [
        (f.field, str(f.severity), str(f.values["id"]), f.published, f.recomputed)
        for f in compare(rebuilt, printed).findings
        if f.reason == "column-differs"
    ]


def test_the_same_list_has_nothing_to_say(rebuilt: Rebuilt) -> None:
    assert found(rebuilt) == []


@pytest.mark.parametrize(
    ("column", "published", "severity", "texts"),
    [
        ("sex", "m", "W", ("m", "w")), ("birth_year", 1991, "W", ("1991", "1990")), ("k", 40, "W", ("40", "10")),
        ("title", "五级棋士", "I", ("五级棋士", "六级棋士")), ("games", 99, "I", ("99", "54")),
        ("federation", "VIE", "I", ("VIE", "CHN")), ("unit", "上海", "I", ("上海", "北京")),
    ],
)  # fmt: skip
def test_a_difference_names_both_values(
    rebuilt: Rebuilt, column: str, published: Any, severity: str, texts: tuple[str, str]
) -> None:
    rows = rebuilt.list.rows.set_index("id")
    if column in ("k", "games"):
        texts = (texts[0], f"{rows.loc['A', column]:g}")
        assert texts[0] != texts[1]
    assert found(rebuilt, **{column: published}) == [(column, severity, "A", *texts)]


@pytest.mark.parametrize(
    ("column", "published"),
    [
        ("title", "六級棋士"),
        ("title", "业余六级棋士"),
        ("unit", "北京队"),
        ("federation", "chn"),
        ("unit", "北京体育大学"),
        ("k", 0),
    ],
)
def test_another_spelling_is_no_difference(rebuilt: Rebuilt, column: str, published: Any) -> None:
    assert found(rebuilt, **{column: published}) == []


@pytest.mark.parametrize("column", ["sex", "birth_year", "title", "federation", "unit", "k", "games"])
def test_a_missing_column_or_cell_accuses_nobody(rebuilt: Rebuilt, column: str) -> None:
    without = tuple(name for name in COLUMNS if name != column)
    assert found(rebuilt, without) == []
    empty = float("nan") if column in ("birth_year", "k", "games") else ""
    assert found(rebuilt, **{column: empty}) == []


def test_a_column_filled_in_another_way_is_told_once(rebuilt: Rebuilt) -> None:
    rows = [
        {name: row[name] for name in COLUMNS} | {"games": 4} for row in rebuilt.list.rows.to_dict("records")
    ]
    findings = compare(rebuilt, make_list(rows, id="published", day=date(2025, 12, 1))).findings
    told = [f for f in findings if f.reason in ("column-differs", "column-of-another-custom")]
    assert [(f.reason, str(f.severity), f.values["count"]) for f in told] == [
        ("column-of-another-custom", "I", 6)
    ]
    assert "6 of 6 players" in told[0].message("en")


def test_ratings_are_classified_as_before(rebuilt: Rebuilt) -> None:
    rows = [
        {"id": r["id"], "name": r["name"], "rating": r["rating"]}
        for r in rebuilt.list.rows.to_dict("records")
    ]
    comparison = compare(rebuilt, make_list(rows, id="published", day=date(2025, 12, 1)))
    assert comparison.counts["agrees"] == 6
    assert comparison.findings == ()
