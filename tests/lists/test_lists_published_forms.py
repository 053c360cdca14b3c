"""A correct published list in the forms of spreadsheets is no difference; what is wrong in it still is one."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from qiyi_analysis import read_list
from qiyi_analysis.lists import rebuild_list
from qiyi_analysis.lists.list_comparison import compare
from qiyi_analysis.lists.rebuild import Rebuilt
from qiyi_analysis.readers import read_events
from qiyi_analysis.readers.lists.list_door import list_from
from qiyi_analysis.readers.source import Source
from qiyi_analysis.readers.writers.event_writer import list_csv

Rows = list[list[str]]


@pytest.fixture(scope="module")
def rebuilt(project: Path) -> Rebuilt:
    period = project / "data/periods/constructed-2025-12"
    events = [event for path in sorted((period / "events").iterdir()) for event in read_events(path)]
    previous = [read_list(period / "list-2025-11-01.csv")]
    return rebuild_list(events, "fide/rating-standard", previous, "2025-12")


def rows_of(rebuilt: Rebuilt) -> Rows:
    return list(csv.reader(io.StringIO(list_csv(rebuilt.list).decode("utf-8-sig"))))


def found(rebuilt: Rebuilt, rows: Rows) -> tuple[int, list[tuple]]:
    stream = io.StringIO()
    csv.writer(stream).writerows(rows)
    published = list_from((Source("list-2025-12-01.csv", stream.getvalue().encode()),), "list-2025-12-01")
    result = compare(rebuilt, published)
    told = [(f.code, f.field, f.published) for f in result.findings if str(f.severity) == "W"]
    return len(result.differences), told


def each(head: str, change: Callable[[str], str]) -> Callable[[Rows], Rows]:
    def changed(rows: Rows) -> Rows:
        at = rows[0].index(head)
        return [rows[0], *([*row[:at], change(row[at]), *row[at + 1 :]] for row in rows[1:])]

    return changed


FORMS: dict[str, Callable[[Rows], Rows]] = {
    "as it is": lambda rows: rows,
    "point for thousands": each("rating", lambda v: v and f"{v[0]}.{v[1:]}"),
    "comma for thousands": each("rating", lambda v: v and f"{v[0]},{v[1:]}"),
    "years with decimals": each("birth_year", lambda v: v and f"{v}.0"),
    "count below": lambda rows: [*rows, [f"共 {len(rows) - 1} 人"]],
    "sum below": lambda rows: [*rows, ["合计", str(len(rows) - 1)], ["", "平均等级分", *[""] * 5, "1850"]],
    "signature below": lambda rows: [*rows, ["制表人：甲", "日期：2025年12月1日"]],
    "English sum": lambda rows: [*rows, ["", "Total", *[""] * 5, "60000"]],
    "player without a rating": lambda rows: [*rows, ["99", "Nobody, New", "m", "CHN"]],
}


@pytest.mark.parametrize("form", FORMS)
def test_a_correct_list_in_another_form(rebuilt: Rebuilt, form: str) -> None:
    assert found(rebuilt, FORMS[form](rows_of(rebuilt))) == (0, [])


def test_what_is_wrong_is_told(rebuilt: Rebuilt) -> None:
    rows = rows_of(rebuilt)
    at = rows[0].index("rating")
    wrong = [*rows[:4], [*rows[4][:at], str(int(rows[4][at]) + 7), *rows[4][at + 1 :]], *rows[5:]]
    assert found(rebuilt, wrong)[0] == 1
    assert found(rebuilt, FORMS["point for thousands"](wrong))[0] == 1
    assert found(rebuilt, [*rows, ["99", "Nobody, New", "m", "CHN", "", "", "", "1500"]])[0] == 1
    k = rows[0].index("k")
    negative = [*rows[:4], [*rows[4][:k], "-5", *rows[4][k + 1 :]], *rows[5:]]
    assert found(rebuilt, negative) == (0, [("CK47", "k", "-5")])


def test_a_person_whose_name_is_a_word_of_sums_stays() -> None:
    text = b'id,name,rating\n1,"Sum, Wing",1500\n2,"Mittel, Hans",1600\n3,Mean Amy,1700\n'
    assert list_from((Source("l.csv", text),), "l").rows["name"].tolist() == [
        "Sum, Wing", "Mittel, Hans", "Mean Amy",
    ]  # fmt: skip
