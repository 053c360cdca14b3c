"""The sections of the list report on the constructed period, in both languages, and with nothing to show."""

import io
import json
from dataclasses import replace

import openpyxl
import pytest

from qiyi_analysis.lists.list_files import workbook
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.rating_list import make_list
from qiyi_analysis.readers.writers.list_writer import csv_list
from qiyi_analysis.report.kit.page import Page, is_nothing
from qiyi_analysis.report.sections import rebuilt_list as report

PERIOD = "data/periods/constructed-2025-12"
CELLS = ("classes", "differences", "ledger", "findings")


@pytest.fixture(scope="module")
def view(project):
    folder = project / PERIOD
    return report.list_of(
        "fide/rating-standard", [str(folder / "list-2025-11-01.csv")], str(folder / "events"), "2025-12",
        str(folder / "published-2025-12-01.csv"),
    )  # fmt: skip


@pytest.fixture(params=["zh", "en"])
def page(request):
    return Page(request.param, "list")


def text_of(piece):
    return json.dumps(piece._repr_mimebundle_(), ensure_ascii=False)


@pytest.mark.parametrize("section", CELLS)
def test_every_frame_has_rows_that_can_be_set(page, view, section):
    rows = getattr(report, section)(page, view)
    assert len(rows)
    assert page.table(rows)._repr_mimebundle_()["text/plain"].strip()


def test_the_mistakes_built_in_are_reported(page, view):
    assert view.comparison.counts["event-missing"] == 3
    assert view.comparison.counts["unexplained"] == 1
    assert report.differences(page, view)["causes"].str.contains("club-cup").any()
    assert "december-cup" in set(report.ledger(page, view)["event"])
    assert "return" in text_of(report.verdict(page, view))


def test_without_a_published_list_and_without_players(tmp_path):
    path = tmp_path / "list-2025-11-01.csv"
    path.write_text(
        csv_list(make_list([{"id": "1", "name": "A", "rating": 2000, "k": 20}])), encoding="utf-8"
    )
    (tmp_path / "events").mkdir()
    view = report.list_of("fide/rating-standard", [str(path)], str(tmp_path / "events"), "2025-12")
    page = Page("en", "list")
    for section in ("classes", "differences", "ledger"):
        assert not len(getattr(report, section)(page, view)), section
    assert not len(report.spread(view))
    assert is_nothing(
        page.section("differences", report.table(page, report.differences(page, view), report.DIFFERENCE, ""))
    )
    assert "nobody entered" in text_of(
        page.section("arrivals", *report.arrivals(page, view), otherwise="nobody")
    )


def test_the_report_says_severities_and_sums_in_words(page, view):
    assert ("询问" if page.language == "zh" else "ask") in set(report.findings(page, view)["severity"])
    assert not set(report.appendix(page, view).values()) & {"W", "I", "E"}
    assert report.sums(view)["list_sum.left"] == "0"  # nobody was removed


def test_many_notes_of_one_kind_are_one_row(page, view):
    note = Finding(code="CK06", reason="rounds-unknown", severity="I", file="x")
    rows = report.findings(page, replace(view, findings=(note,) * 300))
    assert len(rows) == 1
    assert "299" in rows["message"][0]


def test_the_workbook_speaks_the_language_and_prints_whole(page, view):
    book = openpyxl.load_workbook(io.BytesIO(workbook(view.rebuilt, view.comparison, page.language)))
    listed, differences, _, ledger = book.worksheets
    cells = [[cell.value for cell in row] for row in differences.iter_rows()]
    at = cells[0].index("分类" if page.language == "zh" else "Class")
    assert {row[at] for row in cells[1:]} == (
        {"一致", "漏计比赛", "原因不明"}
        if page.language == "zh"
        else {"agrees", "event missing", "unexplained"}
    )
    assert ("等级分" if page.language == "zh" else "Rating") in [cell.value for cell in listed[1]]
    assert "not-this-period" not in {cell.value for row in ledger.iter_rows() for cell in row}
    for sheet in book.worksheets:
        assert (sheet.page_setup.orientation, sheet.page_setup.fitToHeight) == ("landscape", 0)
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        assert sheet.print_title_rows == "$1:$1"
        for head, first in zip(sheet[1], sheet[2], strict=True):
            assert (head.alignment.horizontal == "right") == isinstance(
                first.value, int | float
            ) or first.value is None
