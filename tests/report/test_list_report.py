"""The sections of the list report on the constructed period, in both languages, and with nothing to show."""

import io
import json
import re

import openpyxl
import pytest

from qiyi_analysis.lists.list_files import workbook
from qiyi_analysis.model.rating_list import make_list
from qiyi_analysis.readers.writers.list_writer import csv_list
from qiyi_analysis.report.sections import rebuilt_list as report

PERIOD = "data/periods/constructed-2025-12"
SECTIONS = (
    "title",
    "classes",
    "differences",
    "movers",
    "arrivals",
    "sums",
    "distribution",
    "ledger",
    "findings",
    "appendix",
)


@pytest.fixture(scope="module", params=["zh", "en"])
def view(request, project):
    folder = project / PERIOD
    return report.list_of(
        "fide/rating-standard", [str(folder / "list-2025-11-01.csv")], str(folder / "events"), "2025-12",
        str(folder / "published-2025-12-01.csv"), language=request.param,
    )  # fmt: skip


def text_of(piece):
    return json.dumps(piece._repr_mimebundle_(), ensure_ascii=False)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_shows_something(view, section):
    assert getattr(report, section)(view)._repr_mimebundle_()["text/plain"].strip()


def test_the_mistakes_built_in_are_reported(view):
    assert view.comparison.counts["event-missing"] == 3
    assert view.comparison.counts["unexplained"] == 1
    assert "club-cup" in text_of(report.differences(view))
    assert "december-cup" in text_of(report.ledger(view))
    assert "return" in text_of(report.title(view))


def test_without_a_published_list_and_without_players(tmp_path):
    path = tmp_path / "list-2025-11-01.csv"
    path.write_text(
        csv_list(make_list([{"id": "1", "name": "A", "rating": 2000, "k": 20}])), encoding="utf-8"
    )
    (tmp_path / "events").mkdir()
    view = report.list_of(
        "fide/rating-standard", [str(path)], str(tmp_path / "events"), "2025-12", language="en"
    )
    assert report.classes(view) is None
    assert report.differences(view) is None
    assert report.distribution(view) is None
    for section in ("title", "movers", "arrivals", "sums", "ledger", "appendix"):
        assert getattr(report, section)(view) is not None


def test_the_report_says_severities_and_sums_in_words(view):
    language = view.language
    findings = report.findings(view)._repr_mimebundle_()["text/plain"]
    assert ("询问" if language == "zh" else "ask") in findings
    assert not re.search(r"\b[WIE]\b", findings)
    facts = report.appendix(view)._repr_mimebundle_()["text/plain"]
    assert not re.search(r"\b[WIE]\b", facts)
    assert not re.search(
        r"[-+]0\b", report.sums(view)._repr_mimebundle_()["text/plain"]
    )  # nobody was removed


def test_the_workbook_speaks_the_language_and_prints_whole(view):
    book = openpyxl.load_workbook(io.BytesIO(workbook(view.rebuilt, view.comparison, view.language)))
    listed, differences, _, ledger = book.worksheets
    cells = [[cell.value for cell in row] for row in differences.iter_rows()]
    at = cells[0].index("分类" if view.language == "zh" else "Class")
    assert {row[at] for row in cells[1:]} == (
        {"一致", "漏计比赛", "原因不明"}
        if view.language == "zh"
        else {"agrees", "event missing", "unexplained"}
    )
    assert ("等级分" if view.language == "zh" else "Rating") in [cell.value for cell in listed[1]]
    assert "not-this-period" not in {cell.value for row in ledger.iter_rows() for cell in row}
    for sheet in book.worksheets:
        assert (sheet.page_setup.orientation, sheet.page_setup.fitToHeight) == ("landscape", 0)
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        assert sheet.print_title_rows == "$1:$1"
        for head, first in zip(sheet[1], sheet[2], strict=True):
            assert (head.alignment.horizontal == "right") == isinstance(
                first.value, int | float
            ) or first.value is None
