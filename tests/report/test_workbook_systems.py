"""Workbooks of systems without a printed table, of mixed events and of capped averages: live, and recalculated alike."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from test_workbook import KNOWN, OFFICE, values, without_cached_values

from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.model.event import Event, make_event
from qiyi_analysis.rating import rate
from qiyi_analysis.report.kit.tables import is_missing
from qiyi_analysis.report.workbook import audit_workbook

#: Six players, everybody against everybody: winner's number first; a draw as a third entry "=".
PAIRS = [
    (1, 1, 6, "0"), (1, 2, 5, "1"), (1, 3, 4, "="), (2, 6, 4, "1"), (2, 5, 3, "0"), (2, 1, 2, "1"), (3, 2, 6, "="),
    (3, 3, 1, "1"), (3, 4, 5, "1"), (4, 6, 5, "0"), (4, 1, 4, "1"), (4, 2, 3, "0"), (5, 3, 6, "1"), (5, 4, 2, "0"), (5, 5, 1, "="),
]  # fmt: skip
RESULTS = {"1": ("1", "0"), "0": ("0", "1"), "=": ("=", "=")}


def robin(ratings: list[float | None], *, draws: bool = True, stones: bool = False, **facts: Any) -> Event:
    """A round robin of six; ``facts`` with six entries are columns of the players."""
    columns = {name: value for name, value in facts.items() if isinstance(value, list)}
    players: list[dict[str, Any]] = [
        {"number": i + 1, "name": f"P{i + 1}", "rating": rating, **{k: v[i] for k, v in columns.items()}}
        for i, rating in enumerate(ratings)
    ]
    for player in players:
        if player["rating"] is None:
            del player["rating"]
    games = []
    for turn, first, second, code in PAIRS:
        one, two = RESULTS[code if draws or code != "=" else "1"]
        games.append({
            "round": turn, "first": first, "second": second, "first_result": one, "second_result": two, "kind": "played",
            "handicap": float(first % 4) if stones else 0.0, "komi": 6.5 if stones and first % 4 == 0 else 0.0,
        })  # fmt: skip
    other = {name: value for name, value in facts.items() if not isinstance(value, list)}
    return make_event(
        players=players, games=games, format="swiss", start=date(2025, 12, 1), end=date(2025, 12, 5), **other
    )


CHESS = [2410.0, 2233.0, 1985.0, 1702.0, 1466.0, 1204.0]
GO = [2674.564, 2350.0, 2101.5, 1780.0, 1333.0, 640.0]
EVENTS: dict[str, tuple[Event, str, str]] = {
    # name: event, rules, columns of the players' sheet that must be formulas
    "egf": (robin(GO, stones=True, discipline="go", extra={"class": "B"}), "egf/rating/2021-04-01", "HLMNOPQW"),
    "egf-steps": (robin(GO, stones=True, discipline="go", extra={"class": "A"}), "egf/rating/1998-01-01", "HLMNOPQ"),
    "aga": (robin([5.2, 3.4, 1.5, -2.5, -4.1, -9.9], stones=True, draws=False, discipline="go"), "aga/rating", "HLMN"),
    "dwz": (robin(CHESS, k=[30, 25, 20, 15, 10, 5]), "dsb/dwz", "HILMNPQ"),
    "icu": (robin(CHESS, k=[16, 16, 24, 32, 40, 40]), "icu/rating", "HILMNPQ"),
    "uscf": (robin(CHESS, games_before=[60, 40, 30, 26, 12, 200]), "uscf/rating", "HLMNOPQ"),
    "go-professional": (robin(CHESS, discipline="go"), "cwa/rating", "HIJKLMNPQ"),
    "mixed": (
        robin([2510, 2380, 2205, 2198, 2260, 2100], sex=["m", "w", "w", "m", "m", "w"], k=[15] * 6, discipline="xiangqi"),
        "cxa/rating",
        "HLMNPQ",
    ),
    "capped": (robin(CHESS, k=[20] * 6), "cca/rating", "HIJKLMNPQ"),
}  # fmt: skip


def audited(name: str) -> Any:
    event, rules, _ = EVENTS[name]
    result = audit(event, [rules])
    assert result.rating is not None
    if name == "capped":
        capped = result.rating.rules.with_block("cap", value=350, relief="every-game", article="a reading")
        result = replace(result, rating=rate(event, capped))
    return result


@pytest.fixture(scope="module")
def books() -> dict[str, tuple[Any, bytes]]:
    made = {}
    for name in EVENTS:
        result = audited(name)
        made[name] = (result, audit_workbook(result, "en"))
    return made


@pytest.fixture(scope="module")
def again(books: dict[str, tuple[Any, bytes]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The workbooks recalculated by LibreOffice, all in one run of it."""
    if OFFICE is None:
        pytest.skip("LibreOffice is not installed")
    place = tmp_path_factory.mktemp("office")
    for name, (_, data) in books.items():
        (place / f"{name}.xlsx").write_bytes(without_cached_values(data))
    subprocess.run(
        [
            OFFICE, "--headless", f"-env:UserInstallation=file://{place}/profile", "--convert-to",
            "xlsx:Calc MS Excel 2007 XML", "--outdir", str(place / "out"), *(str(place / f"{name}.xlsx") for name in books),
        ],
        check=True, capture_output=True, timeout=240,
    )  # fmt: skip
    return {name: values(Path(place / "out" / f"{name}.xlsx").read_bytes()) for name in books}


@pytest.mark.parametrize("name", EVENTS)
def test_whatever_has_a_closed_formula_is_one(name: str, books: dict[str, tuple[Any, bytes]]) -> None:
    result, data = books[name]
    formulas, cached = values(data, cached=False), values(data)
    for row, player in enumerate(result.rating.player_rows(), 10):
        for letter in EVENTS[name][2]:
            cell = formulas["Calculation"].get(f"{letter}{row}")
            if cached["Calculation"].get(f"{letter}{row}") is not None:
                assert str(cell).startswith("="), (letter, row, cell)
        assert player["games"] == 5
    if result.rating.rules.value("expected", "by") != "average":
        for row, game in enumerate(result.rating.games.to_dict("records"), 2):
            assert game["counted"]
            assert str(formulas["Games"][f"J{row}"]).startswith("="), row


@pytest.mark.parametrize("name", EVENTS)
def test_recalculated_by_libreoffice_it_shows_the_same(
    name: str, books: dict[str, tuple[Any, bytes]], again: dict[str, Any]
) -> None:
    result, data = books[name]
    formulas = values(data, cached=False)
    # What is shown is rounded to the system's decimals, what a formula works with is not.
    places = result.rating.rules.value("change", "decimals", 9)
    compared = 0
    for title, cells in values(data).items():
        for coordinate, cell in cells.items():
            formula = str(formulas[title].get(coordinate, ""))
            if not formula.startswith("="):
                continue
            compared += 1
            assert again[name][title].get(coordinate) == pytest.approx(cell, abs=0.51 * 10.0**-places), (
                title, coordinate, formula,
            )  # fmt: skip
    assert compared > 100


def test_only_old_functions_are_used(books: dict[str, tuple[Any, bytes]]) -> None:
    import re

    for _, data in books.values():
        for sheet in values(data, cached=False).values():
            for cell in sheet.values():
                if str(cell).startswith("="):
                    assert set(re.findall(r"([A-Z][A-Z.]+)\(", cell)) <= KNOWN | {
                        "EXP",
                        "LN",
                        "SQRT",
                        "NORMSDIST",
                    }


def test_a_woman_who_met_both_has_her_two_averages(books: dict[str, tuple[Any, bytes]]) -> None:
    sheet, formulas = (
        values(books["mixed"][1])["Calculation"],
        values(books["mixed"][1], cached=False)["Calculation"],
    )
    # Player 3, 2205: women 2380 and 2100, so 2240 and -35; men 2510, 2198, 2260, so 2323 against 2300 and -23.
    assert [sheet[f"{c}12"] for c in ("W", "X", "Y", "AA", "AB", "AC")] == [2, 2240, -35, 3, 2323, -23]
    assert formulas["L12"] == "=W12*Z12+AA12*AD12"
    # Player 4, a man: 2205 and 2100 count as 2300; (2510 + 2380 + 2300 + 2260 + 2300) / 5 = 2350.
    assert sheet["I13"] == 2350


def test_a_cap_limits_in_the_cell(books: dict[str, tuple[Any, bytes]]) -> None:
    sheet, formulas = (
        values(books["capped"][1])["Calculation"],
        values(books["capped"][1], cached=False)["Calculation"],
    )
    assert sheet["J10"] == 350
    assert formulas["J10"] == "=MAX(-cap_D,MIN(cap_D,F10-I10))"


def test_what_stays_a_value_is_grey_and_said(books: dict[str, tuple[Any, bytes]]) -> None:
    for name in ("aga", "icu", "uscf", "dwz", "egf"):
        assert "Grey cells are inputs, or values that a procedure finds" in str(
            values(books[name][1])["Calculation"]["A8"]
        )
    assert not str(values(books["aga"][1], cached=False)["Calculation"]["Q10"]).startswith("=")


def test_special_formula_and_newcomers_of_us_chess_stay_values() -> None:
    event = robin([1500.0, 1450.0, None, 1600.0, 1700.0, 1550.0], games_before=[6, 30, 0, 40, 100, 50])
    result = audit(event, ["uscf/rating"])
    formulas, cached = (values(audit_workbook(result, "en"), cached=c)["Calculation"] for c in (False, True))
    for cell, other in (("P10", "P11"), ("Q12", "Q11")):
        assert not is_missing(cached[cell])
        assert not str(formulas[cell]).startswith("=")
        assert str(formulas[other]).startswith("=")
