"""One spelling of titles, grades and groups for all commands."""

from __future__ import annotations

from datetime import date

import pytest

from qiyi_analysis.model.event import make_event
from qiyi_analysis.rating.entrants import base_rating
from qiyi_analysis.rules.chinese_names import plain_group, plain_title
from qiyi_analysis.rules.ruleset import ruleset
from qiyi_analysis.titles import titles
from qiyi_analysis.titles.places import group_name
from qiyi_analysis.titles.title_names import ladder_title

CCA, TITLES, FESTIVAL = (
    ruleset("cca/rating/undated"),
    ruleset("cca/titles/2018-01-01"),
    ruleset("festival/2015/undated"),
)


@pytest.mark.parametrize(
    ("written", "title", "rating"),
    [
        ("棋协一级棋士", "一级棋士", 1800),
        ("棋協一級棋士", "一级棋士", 1800),
        ("一級棋士", "一级棋士", 1800),
        ("1级棋士", "一级棋士", 1800),
        ("６级", "六级棋士", 1550),
        ("业余六级棋士", "六级棋士", 1550),
        ("棋协十五级棋士", "十五级棋士", 1500),
        ("15级", "十五级棋士", 1500),
        ("候补大师", "候补棋协大师", 1850),
        ("候補棋協大師", "候补棋协大师", 1850),
        ("国家棋协大师", "棋协大师", 1900),
        ("無", "", 1500),
        ("定级", "", 1500),
        ("", "", 1500),
    ],
)
def test_a_title_is_the_same_for_rating_and_titles(written: str, title: str, rating: int) -> None:
    """CCA 6(5), titles of 2018: the seeds write 棋协一级棋士."""
    assert plain_title(written) == title
    assert base_rating(CCA, "m", written) == rating
    assert ladder_title(written, TITLES) == title


@pytest.mark.parametrize("written", ["荣誉棋协大师", "运动健将", "FM"])
def test_a_title_outside_the_vocabulary_stays_unknown(written: str) -> None:
    assert base_rating(CCA, "m", written) is None
    assert ladder_title(written, TITLES) is None


@pytest.mark.parametrize(
    ("written", "group", "sex"),
    [
        ("11-12岁组", "12岁", ""),
        ("11～12歲組", "12岁", ""),
        ("男子10岁组", "10岁", "m"),
        ("10岁组男", "10岁", "m"),
        ("10岁女子组", "10岁", "w"),
        ("u10", "10岁", ""),
        ("１０岁组", "10岁", ""),
        ("初中组", "初中", ""),
        ("公开组", None, ""),
        ("十八岁", None, ""),
    ],
)
def test_groups_in_both_orders(written: str, group: str | None, sex: str) -> None:
    assert group_name(written, FESTIVAL) == group
    assert plain_group(written)[1] == sex


def test_unknown_groups_and_births_outside_a_group_are_one_finding_each() -> None:
    """Festival 2015, 五: born 2005 in the group of ten years."""
    players = [
        {"number": n, "name": f"P{n}", "sex": "m", "birth_year": float(year), "rank": float(n)}
        for n, year in enumerate((2005, 2004, 2006, 2005), 1)
    ]
    extra = {"group": "男子10岁组"}
    event = make_event(
        players=players, games=[], format="swiss", end=date(2015, 10, 4), discipline="chess", extra=extra
    )
    found = {f.reason: f for f in titles(event, FESTIVAL).findings}
    assert found["group-of-other-births"].values["players"] == "2, 3"
    event = make_event(
        players=players,
        games=[],
        format="swiss",
        end=date(2015, 10, 4),
        discipline="chess",
        extra={"group": "公开组"},
    )
    reasons = [f.reason for f in titles(event, FESTIVAL).findings]
    assert reasons.count("group-unknown") == 1
