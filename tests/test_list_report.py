"""The sections of the list report on the constructed period, in both languages, and with nothing to show."""

import json

import pytest

from qiyi_analysis import list_report as report
from qiyi_analysis.lists.write import csv_list
from qiyi_analysis.model import make_list

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
