"""Tie-breaks named by Swiss-Manager's numbers: what a number is, and printed columns compared with hand-worked values."""

from __future__ import annotations

import dataclasses
from datetime import date

import numpy as np
import pytest

from qiyi_analysis.audit.printed_standings import compare
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import Event, make_event
from qiyi_analysis.tiebreaks import standings
from qiyi_analysis.tiebreaks import swiss_manager_numbers as numbers
from qiyi_analysis.tiebreaks.agreement import order_agreement
from qiyi_analysis.tiebreaks.codes import parse, parse_list
from qiyi_analysis.tiebreaks.printed import code_of

RESULTS = {"1": ("1", "0"), "=": ("=", "="), "0": ("0", "1"), "": ("", "")}


def small(start: date = date(2026, 4, 1)) -> Event:
    """Five players, three rounds, a given bye in the first two and a requested half-point bye in the last.

    Points: 2½, 1½, 1, 2½, 1. The values of the tests below follow by hand from C.07 as of 1 March 2026.
    """
    rows = [
        (1, 1, 2, "1", "played"), (1, 3, 4, "=", "played"), (1, 5, 0, "", "pab"),
        (2, 5, 1, "0", "played"), (2, 2, 3, "1", "played"), (2, 4, 0, "", "pab"),
        (3, 1, 3, "=", "played"), (3, 4, 5, "1", "played"), (3, 2, 0, "", "half_bye"),
    ]  # fmt: skip
    games = [
        {"round": r, "first": a, "second": b, "first_result": RESULTS[x][0], "second_result": RESULTS[x][1], "kind": kind}
        for r, a, b, x, kind in rows
    ]  # fmt: skip
    players = [{"number": n, "name": f"P{n}", "rating": 2000 - 100 * n} for n in range(1, 6)]
    return make_event(players=players, games=games, format="swiss", rounds=3, start=start)


def printing(values: list[float], words: str, event: Event | None = None) -> Event:
    event = event or small()
    return dataclasses.replace(event.with_players(tb1=values), tie_break_columns={"tb1": words})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1", "PTS"),
        ("84(0;0;0;-;-;0;1)", "BH"),
        ("84(0;0;0;-;-;0;0)", "BH@2024"),
        ("84(0,0,1,-,-)", "BH/C1"),
        ("84 (0,0,2,-,-)", "BH/C2"),
        ("84: 0;1;1;-;-;0;1", "BH/M1"),
        ("84(0;2;2;P;-;0;1)", "BH/M2/P"),
        ("84(0;0;1;-;F;0;1)", "BH/C1/F"),
        ("85(0;0;1;-)", "SB/C1"),
        ("[79]", "REP"),
        ("68(0;P)", "WIN"),
        ("68(1;-)", "WON"),
        ("68(2)", "BWG"),
        ("68(3)", "BPG"),
        ("77(F)", "AOB/F"),
        ("80(0;1;1;0)", "ARO/M1"),
        ("80(1400;0;1;0)", "ARO/C1/U1400"),
        ("81(P)", "DE/P"),
        ("86(0;1)", "PS/C1"),
        ("87(0;50)", "KS"),
        ("88(0;0)", "TPR"),
        ("88(3;1400)", "APPO/U1400"),
    ],
)
def test_a_number_with_its_parameters_is_a_code(text: str, code: str) -> None:
    found = numbers.translate(text, edition="2026")
    assert found is not None
    assert (found.code, found.others) == (code, ())
    assert dataclasses.replace(parse(numbers.named(text)), text="", edition="") == dataclasses.replace(
        parse(code), text="", edition=""
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("82(0;0;1;-;0)", "EMMSB/C1"), ("82(3;0;0;P;0)", "EGGSB/P"), ("83(MP;-)", "EDE:MP"), ("83(GP;P)", "EDE:GP/P"),
        ("84(1;0;1;-;-;0;1)", "BH:MP/C1"), ("84(0;0;0;-;-)", "BH:GP"), ("86(1;0)", "PS:MP"), ("91(GP;P)", "SSSC:GP/P"),
        ("78", "BC"), ("89", "TBR"), ("90", "BBE"), ("13", "MP"), ("40", "MP"),
    ],
)  # fmt: skip
def test_numbers_of_teams(text: str, code: str) -> None:
    found = numbers.translate(text, teams=True, edition="2026")
    assert found is not None
    assert (found.code, found.others) == (code, ())
    assert parse(code).name


def test_every_code_of_the_table_is_one() -> None:
    for number in range(1, 100):
        found = numbers.translate(str(number), edition="2026")
        assert found is not None
        for code in {found.code, *found.others} - {""}:
            assert parse(code).name, (number, code)


@pytest.mark.parametrize(
    "text",
    ["5", "25", "58", "61", "84(0;1;0)", "84(1;0;0)", "80(0;0;0;1)", "87(0;60)", "68(1;P)", "84(x)", "999"],
)
def test_what_has_no_equivalent_has_no_code(text: str) -> None:
    found = numbers.translate(text, edition="2026")
    assert found is not None
    assert found.code == ""
    assert not found.certain
    with pytest.raises(ParameterError):
        parse(text)


def test_match_points_that_a_number_fixes() -> None:
    assert numbers.match_points("13") == ("2", "1", "0")
    assert numbers.match_points("40") == ("3", "1", "0")
    assert numbers.match_points("84") is None
    assert numbers.match_points("Buchholz") is None


@pytest.mark.parametrize(
    ("start", "code"),
    [
        (date(2026, 4, 1), "BH@2024"),
        (date(2025, 4, 1), "BH"),
        (date(2024, 5, 1), "BH"),
        (date(2022, 5, 1), "BH@2023"),
    ],
)
def test_the_rules_before_2026_are_those_of_the_events_day(start: date, code: str) -> None:
    event = printing([3.5, 5.0, 6.5, 4.5, 6.0], "84(0;0;0;-;-;0;0)", small(start))
    assert dict(compare(event).codes) == {"tb1": code}


@pytest.mark.parametrize(
    ("words", "code", "values"),
    [
        ("84(0;0;0;-;-;0;1)", "BH", [3.5, 5.0, 6.5, 3.5, 6.0]),
        ("84(0;0;1;-;-;0;1)", "BH/C1", [2.5, 3.5, 5.0, 2.5, 5.0]),
        ("84(0;0;0;-;-;0;0)", "BH@2024", [3.5, 5.0, 6.5, 4.5, 6.0]),
        ("85(0;0;0;-)", "SB", [3.0, 1.75, 2.5, 3.0, 1.0]),
        ("68(0;P)", "WIN", [2, 1, 0, 2, 1]),
        ("68(1;-)", "WON", [2, 1, 0, 1, 0]),
        ("68(3;-)", "BPG", [1, 1, 2, 1, 1]),
        ("79", "REP", [3, 2, 3, 3, 3]),
        ("80(0;0;0;0)", "ARO", [1667, 1800, 1767, 1600, 1750]),
        ("86(0;0)", "PS", [5.5, 2.5, 2.0, 4.5, 3.0]),
        ("1", "PTS", [2.5, 1.5, 1.0, 2.5, 1.0]),
        ("Buchholz Tie-Break Variable (2026) (Gamepoints, Cut1)", "BH/C1", [2.5, 3.5, 5.0, 2.5, 5.0]),
        ("Buchholz Tie-Break Variable (2023) (Gamepoints)", "BH@2024", [3.5, 5.0, 6.5, 4.5, 6.0]),
        ("Number of wins including byes (WIN) (Gamepoints, Forfeited games count)", "WIN", [2, 1, 0, 2, 1]),
        ("Rounds Elected to Play (REP) [79]", "REP", [3, 2, 3, 3, 3]),
    ],
)
def test_printed_columns_are_compared_by_their_number(words: str, code: str, values: list[float]) -> None:
    found = compare(printing(values, words))
    assert dict(found.codes) == {"tb1": code}
    assert found.rows["agrees"].all()
    assert not [f for f in found.findings if f.reason in ("tie-break-differs", "tie-break-column-not-read")]
    wrong = [*values[:-1], values[-1] + 1]
    differing = [f for f in compare(printing(wrong, words)).findings if f.reason == "tie-break-differs"]
    assert [(f.code, f.player) for f in differing] == [("CK33", 5)]


def test_a_column_by_an_edition_no_longer_in_force_is_told_with_those_it_matters_to() -> None:
    found = compare(printing([3.5, 5.0, 6.5, 4.5, 6.0], "84(0;0;0;-;-;0;0)"))
    told = [f for f in found.findings if f.reason == "tie-break-edition-told"]
    assert [(f.code, f.values["told"], f.values["count"]) for f in told] == [("CK33", "2024", 1)]
    assert "BH@2024" in told[0].message("en")
    assert "BH@2024" in told[0].message("zh")


@pytest.mark.parametrize(
    ("words", "code", "values"),
    [
        ("84", "BH", [3.5, 5.0, 6.5, 3.5, 6.0]),
        ("84", "BH/C1", [2.5, 3.5, 5.0, 2.5, 5.0]),
        ("84", "BH@2024", [3.5, 5.0, 6.5, 4.5, 6.0]),
        ("68", "WON", [2, 1, 0, 1, 0]),
        ("Buchholz Tie-Breaks (variabel with parameter)", "BH/C1", [2.5, 3.5, 5.0, 2.5, 5.0]),
    ],
)
def test_parameters_that_are_not_told_follow_from_the_values(
    words: str, code: str, values: list[float]
) -> None:
    found = compare(printing(values, words))
    assert dict(found.codes) == {"tb1": code}
    assert [f.values["code"] for f in found.findings if f.reason == "tie-break-parameters-fitted"] == [code]
    assert not [f for f in found.findings if f.reason == "tie-break-differs"]
    # One value off is still told, values that fit nothing are not judged.
    off = compare(printing([*values[:-1], 17.0], words))
    assert [f.player for f in off.findings if f.reason == "tie-break-differs"] == [5]
    nothing = compare(printing([11.0, 12.0, 13.0, 14.0, 15.0], words))
    assert [f.reason for f in nothing.findings if f.field == "tb1"] == ["tie-break-column-not-read"]


def test_two_columns_of_one_number_are_two_codes() -> None:
    event = small().with_players(tb1=[2.5, 3.5, 5.0, 2.5, 5.0], tb2=[3.5, 5.0, 6.5, 3.5, 6.0])
    event = dataclasses.replace(
        event, tie_break_columns={"tb1": "84(0;0;1;-;-;0;1)", "tb2": "84(0;0;0;-;-;0;1)"}
    )
    assert dict(compare(event).codes) == {"tb1": "BH/C1", "tb2": "BH"}


def test_a_number_without_equivalent_is_named() -> None:
    found = compare(printing([1.0, 2.0, 3.0, 4.0, 5.0], "25"))
    told = [f for f in found.findings if f.reason == "tie-break-number-without-code"]
    assert [(f.code, f.field, f.values["words"]) for f in told] == [("CK44", "tb1", "25")]
    assert "sum of Buchholz" in told[0].message("en")
    assert "25" in told[0].message("zh")


@pytest.mark.parametrize(
    "words",
    [
        "Sum of Buchholz-Tie-Breaks (all Results)", "Buchholz Tie-Breaks (with the real points)", "Koya Tie-Break (fine)",
        "Sonneborn-Berger-Tie-Break (with modified points, analogous to Buchholz Tie-Break)",
        "Rating Performance without two results (EM 2011)", "Manually input in field rankcorr. in player-dialog",
    ],
)  # fmt: skip
def test_words_of_other_tie_breaks_are_not_taken_for_known_ones(words: str) -> None:
    assert code_of(words) is None


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("Buchholz Tie-Breaks (without two results=middle Tie-Breaks)", "BH/M1"),
        ("Buchholzwertung (1 Streichresultat)", "BH/C1"),
        ("rating average of the opponents (without one result)", "ARO/C1"),
        ("points (game-points)", "PTS"),
        ("Direct Encounter (DE) (Gamepoints, Forfeited games count)", "DE"),
    ],
)
def test_words_of_the_program(words: str, code: str) -> None:
    assert code_of(words) == code


def test_numbers_in_a_list_of_codes() -> None:
    assert [c.text for c in parse_list("PTS,84(0,0,1,-,-,0,1),DE")] == ["PTS", "84(0,0,1,-,-,0,1)", "DE"]
    values = standings(small(), "PTS,84(0;0;1;-;-;0;1)").column("84(0;0;1;-;-;0;1)").texts()
    assert list(values) == ["2.5", "3.5", "5.0", "2.5", "5.0"]
    with pytest.raises(ParameterError, match="give its parameters"):
        parse_list("PTS,84")


@pytest.mark.parametrize("values", [[1, 2, 1, 2], [2, 1, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0], [1, 0.5, 1, 1]])
def test_a_direct_encounter_may_be_printed_as_place_or_as_points(values: list[float]) -> None:
    places, groups = np.array([1.0, 2, 1, 2]), np.array([0, 0, 1, 1])
    assert order_agreement(np.array(values, dtype=float), places, groups).all()


def test_a_direct_encounter_the_other_way_round_disagrees() -> None:
    places, groups = np.array([1.0, 2, 1, 2, 1, 2]), np.array([0, 0, 1, 1, 2, 2])
    printed = np.array([1.0, 0, 1, 0, 0, 1])
    assert order_agreement(printed, places, groups).tolist() == [True, True, True, True, False, False]


def test_undecided_direct_encounters_are_not_judged() -> None:
    """Players one and four are tied and have not met; a program may print anything."""
    found = compare(printing([1.0, 0.0, 0.0, 0.5, 0.0], "81(-)"))
    assert dict(found.codes) == {"tb1": "DE"}
    assert found.rows["agrees"].all()
