"""Blank forms are read back without a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from qiyi_analysis.app.cli import main
from qiyi_analysis.readers import read_event, read_list
from qiyi_analysis.readers.writers.forms_writer import FORMS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("forms")
    with pytest.raises(SystemExit) as ended:
        main(["forms", str(place)])
    assert not ended.value.code
    return place


@pytest.mark.parametrize("name", [form.name for form in FORMS if form.name != "等级分表"])
def test_a_form_of_an_event_is_read_without_a_question(folder: Path, name: str) -> None:
    event = read_event(folder / f"{name}.xlsx")
    assert "示例甲" in event.players["name"].tolist()
    assert (event.games["kind"] == "played").any()
    assert event.start is not None
    assert event.place == "某市"
    assert not [fault.message("en") for fault in event.faults if fault.severity != "I"]


def test_the_form_of_a_list_is_read_without_a_question(folder: Path) -> None:
    read = read_list(folder / "等级分表.xlsx")
    assert read.rows["id"].tolist() == ["100001", "100002"]
    assert read.rows["birth_year"].tolist() == [1998, 2005]
    assert not [fault.message("en") for fault in read.faults if fault.severity != "I"]
