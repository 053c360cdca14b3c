"""With the list in force the recalculation uses its ratings and K; mistakes of copying are named."""

from datetime import date

import numpy as np
import pytest
from test_missing_and_columns import eight
from test_verdicts import FIDE

from qiyi_analysis import audit, rate, ruleset
from qiyi_analysis.model.rating_list import make_list

RULES = f"{FIDE}/2024-03-01"


def right():
    """Eight players with K 20, their changes and new ratings as the rules give them."""
    event = eight().with_players(k=20.0, id=[f"{n}" for n in range(101, 109)])
    players = rate(event, ruleset(RULES)).players
    change = players["change"].to_numpy()
    texts = [f"{value:.2f}" for value in change]
    return event.with_players(change=change, change_text=texts, new_rating=players["new_rating"].to_numpy())


def listed(event):
    rows = event.players[["id", "name", "rating", "k"]]
    return make_list(rows, id="2025-01", day=date(2025, 1, 1))


def differing(result):
    return {f.player: [c.cause for c in f.causes] for f in result.findings if f.code in ("CK26", "CK32")}


def with_value(event, column, row, value):
    values = event.players[column].to_numpy().copy()
    values[row] = value
    return event.with_players(**{column: values})


def test_a_wrong_rating_of_the_report_accuses_no_right_number():
    event = right()
    result = audit(with_value(event, "rating", 2, 1890.0), [RULES], [listed(event)])
    assert differing(result) == {}
    assert [(f.player, f.recomputed) for f in result.findings if f.code == "CK12"] == [(3, "1980")]
    # As reported, six and more numbers would be wrong.
    assert differing(audit(with_value(event, "rating", 2, 1890.0), [RULES], [listed(event)], ratings="event"))


@pytest.mark.parametrize(
    ("column", "value", "cause"), [("rating", 1890.0, "reported-rating"), ("k", 10.0, "reported-k")]
)
def test_numbers_calculated_with_a_wrong_value_of_the_report_name_it_first(column, value, cause):
    event = right()
    wrong = with_value(event, column, 2, value)
    players = rate(wrong, ruleset(RULES)).players
    published = wrong.with_players(
        change=players["change"].to_numpy(), change_text=[f"{v:.2f}" for v in players["change"]],
        new_rating=players["new_rating"].to_numpy(),
    )  # fmt: skip
    found = differing(audit(published, [RULES], [listed(event)]))
    assert found
    assert {causes[0] for causes in found.values()} == {cause}


def test_a_list_that_is_not_in_force_decides_nothing():
    event = right()
    late = make_list(listed(event).rows.assign(rating=1500.0), id="2026-01", day=date(2026, 1, 1))
    assert differing(audit(event, [RULES], [late])) == {}


def changed(event, values):
    players = event.players
    change = players["change"].to_numpy().copy()
    for row, value in values.items():
        change[row] = value
    return event.with_players(change=change, change_text=[f"{v:.2f}" for v in change], new_rating=np.nan)


def test_mistakes_of_copying_are_named():
    event = right()
    change = event.players["change"].to_numpy()
    largest = int(np.argmax(np.abs(change)))
    assert (
        "sign-reversed" in differing(audit(changed(event, {largest: -change[largest]}), [RULES]))[largest + 1]
    )
    first, second = (int(i) for i in np.argsort(-np.abs(change))[:2])
    both = differing(audit(changed(event, {first: change[second], second: change[first]}), [RULES]))
    assert "players-exchanged" in both[first + 1]
    assert "players-exchanged" in both[second + 1]
    text = f"{change[largest]:.2f}"
    digits = text.replace("-", "").replace(".", "")
    swapped = (
        float(f"{'-' if text[0] == '-' else ''}{digits[1]}{digits[0]}{digits[2:-2]}.{digits[-2:]}")
        if len(digits) > 3
        else None
    )
    if swapped is not None and swapped != change[largest]:
        assert (
            "digits-exchanged" in differing(audit(changed(event, {largest: swapped}), [RULES]))[largest + 1]
        )


def test_a_rating_left_out_that_the_list_has_is_asked_about():
    event = right()
    found = [
        f
        for f in audit(with_value(event, "rating", 2, np.nan), [RULES], [listed(event)]).findings
        if f.code == "CK12"
    ]
    assert [(f.player, f.reason, f.severity, f.recomputed) for f in found] == [
        (3, "rated-on-list", "W", "1980")
    ]
