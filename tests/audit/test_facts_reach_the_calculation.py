"""Facts known to the checks reach the calculation: the floor, incomplete dates, the kind of event in clock and title."""

from dataclasses import replace

import numpy as np
import pytest
from test_verdicts import FIDE, swiss

from qiyi_analysis import audit, rate, ruleset
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.time_control import player_minutes
from qiyi_analysis.rules.choice import assumed_document


def test_a_rating_below_the_floor_is_none():
    event = swiss((1700, 1385, 1650, 1800), rounds=2)
    rating = rate(event, ruleset("fide/rating-standard/2024-03-01"))
    below = rating.players.iloc[1]
    assert np.isnan(below["rating"])
    assert np.isnan(below["change"])
    assert set(rating.games.loc[rating.games["opponent"] == 2, "reason"]) == {"opponent-unrated"}
    assert [f.reason for f in rating.findings if f.code == "CK43"] == ["rating-below-floor"]
    # Below the floor of that time: 1000 before March 2024.
    assert rate(event, ruleset("fide/rating-standard/2022-01-01")).players["change"].notna().all()


@pytest.mark.parametrize(
    ("told", "edition", "reason"),
    [("2025-06", "2024-03-01", "edition-of-span"), ("2010-01", "2009-07-01", "edition-of-span"),
     ("2010年1月", "2009-07-01", "edition-of-span"), ("2025", "2025-10-01", "editions-of-span")],
)  # fmt: skip
def test_an_incomplete_date_chooses_the_edition(told, edition, reason):
    fault = Finding(code="CK03", reason="date-unreadable", field="start", published=told)
    event = replace(swiss(), start=None, end=None, faults=(fault,))
    result = audit(event, [FIDE])
    assert result.rating_rules.id == f"{FIDE}/{edition}"
    reasons = {f.reason for f in result.findings}
    assert reason in reasons
    assert not reasons & {"no-date-newest-edition", "event-without-dates"}


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("rapid 15+10", 25), ("Rapid: 15'+10''", 25), ("Blitz 3+2", 5), ("包干60分钟", 60), ("快棋 15分+10秒", 25), ("standard 90+30", 120)],
)  # fmt: skip
def test_the_kind_of_event_may_stand_before_its_clock(text, minutes):
    assert player_minutes(text) == minutes


@pytest.mark.parametrize(
    ("facts", "document"),
    [({"name": "Women World Rapid Championship"}, "rapid"), ({"name": "Blitz Cup"}, "blitz"),
     ({"name": "Grand Rapids Open"}, "standard"), ({"time_control": "rapid 15+10"}, "rapid"),
     ({"name": "Rapid Open", "time_control": "90+30"}, "standard")],
)  # fmt: skip
def test_title_and_clock_name_rapid_and_blitz(facts, document):
    assert assumed_document(replace(swiss(), **facts))[0] == f"fide/rating-{document}"
