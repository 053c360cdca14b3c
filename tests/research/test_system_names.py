"""Systems of a study are called by words on its pages; results keep their names in English."""

from __future__ import annotations

import re

import pytest

from qiyi_analysis import words
from qiyi_analysis.report.kit.page import Page
from qiyi_analysis.report.sections import studies
from qiyi_analysis.research.studies.compare_systems import compare_systems
from qiyi_analysis.research.systems.system_candidates import FAMILIES
from qiyi_analysis.research.systems.system_names import family, said

#: Names of their own, which Chinese texts write in Latin letters too.
PROPER = {"Elo", "Glicko", "Bradley", "Terry", "Stephenson", "WHR", "Brier", "guess"}


@pytest.mark.parametrize(
    ("name", "chinese"),
    [
        ("Elo K 20", "埃洛（Elo）K 20"), ("Elo K 20 per game", "埃洛（Elo）K 20，逐局"),
        ("Elo normal K 12.5", "埃洛（Elo）K 12.5，正态分布"), ("Elo K 40/20 at games 30", "埃洛（Elo）K 40/20，以 30 局为界"),
        ("Bradley-Terry 6 years", "Bradley-Terry，6 年"), ("guess 0.5", "一律 0.5"), ("Glicko c 20 RD 350", "Glicko c 20 RD 350"), ("Glicko by day c 2 RD 90", "Glicko，按日，c 2 RD 90"),
        ("fide/rating-standard/2024-03-01", "fide/rating-standard/2024-03-01"),
    ],
)  # fmt: skip
def test_names_are_said_in_both_languages(name: str, chinese: str) -> None:
    assert str(said(name)) == name
    assert words.shown(said(name), "zh") == chinese


def test_families_have_words_and_the_name_that_is_typed() -> None:
    for name in FAMILIES:
        assert family(name, "en") == name
        assert name in family(name, "zh")
    assert "埃洛" in family("elo-game", "zh")


def test_the_pages_of_a_comparison_are_chinese() -> None:
    study = compare_systems(systems=["elo", "elo-game", "elo-games", "elo-normal", "guess"])
    assert {"guess 0.5"} <= set(study.tables["systems"]["candidate"])  # results keep the names
    page = Page("zh", "research")
    rows = studies.systems(page, study)
    texts = [page.table(rows, studies.SYSTEMS, "systems")._repr_mimebundle_()["text/plain"], study.verdict[0]]
    for text in texts:
        assert "埃洛（Elo）K" in text
        assert not re.search(r"per game|at games|normal K|guess 0\.5", text)
    assert "Elo K" in study.verdict[1]
    assert set(rows["says"]) <= {"无证据", "较差", "较好"}
