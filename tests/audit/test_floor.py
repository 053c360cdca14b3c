"""A floor below which no change takes a rating: worked by hand, in event, explanation, audit, workbook and list."""

import io
import shutil
import subprocess

import numpy as np
import openpyxl
import pytest

from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.audit.explain import steps_of
from qiyi_analysis.lists.sums import new_rating
from qiyi_analysis.model.event import make_event
from qiyi_analysis.rating import rate
from qiyi_analysis.report.workbook import audit_workbook
from qiyi_analysis.rules import ruleset as rulesets

FILE = """
kind = "rating"
title = "Rating rules of an association"
title_zh = "某协会等级分规则"
picked_by = "start"
confidence = "text"
sources = ["rating rules, edition 2025"]
[method]
name = "table"
article = "1"
[expected]
table = "p_from_d"
by = "game"
article = "2"
[[k_factor]]
k = 32
article = "3"
[change]
rounding = "half-up"
rounded = "ROUNDED"
article = "4"
[floor]
lowest = 1000
article = "5"
"""


@pytest.fixture(params=["rating", "change"])
def file(request, tmp_path):
    path = tmp_path / "own" / "rating" / "2025-01-01.toml"
    path.parent.mkdir(parents=True)
    path.write_text(FILE.replace("ROUNDED", request.param), encoding="utf-8")
    return path


@pytest.fixture
def rules(file):
    return rulesets.load(file)


def game(rating, won, **columns):
    """One game between equals: K 32 and a half to win or lose, 16 points."""
    players = [
        {"number": n, "name": f"P{n}", "rating": rating, "k": 32, **({} if n == 2 else columns)}
        for n in (1, 2)
    ]
    results = ("1", "0") if won else ("0", "1")
    games = [
        {
            "round": 1,
            "first": 1,
            "second": 2,
            "first_result": results[0],
            "second_result": results[1],
            "kind": "played",
        }
    ]
    return make_event(players=players, games=games, format="swiss")


@pytest.mark.parametrize(
    ("rating", "won", "change", "rounded", "new"),
    [
        (1017, False, -16, -16, 1001),
        (1016, False, -16, -16, 1000),  # just there
        (1015, False, -16, -15, 1000),  # held
        (1000, False, -16, 0, 1000),
        (990, False, -16, 0, 990),  # below already: nothing is lost, nothing given
        (990, True, 16, 16, 1006),
        (980, True, 16, 16, 996),
    ],
)
def test_no_change_takes_a_rating_below_it(rules, rating, won, change, rounded, new):
    row = rate(game(rating, won), rules).player_rows()[0]
    assert (row["change"], row["rounded_change"], row["new_rating"]) == (change, rounded, new)
    listed = new_rating(np.array([float(rating)]), np.array([change * 100]), 100, rules)
    assert listed.tolist() == [new]


def test_the_explanation_names_floor_and_article(rules):
    *_, held = steps_of(rate(game(1005, False), rules), 1, "en")
    assert held.how.endswith("≥ 1000")
    assert held.article.endswith("5")
    *_, free = steps_of(rate(game(1016, False), rules), 1, "en")
    assert "≥" not in free.how
    assert free.article.endswith("4")


@pytest.mark.parametrize(("published", "accepted"), [(1000, True), (989, False)])
def test_an_audit_accepts_the_held_rating_alone(file, published, accepted):
    result = audit(game(1005, False, new_rating=published), rules=[str(file)])
    assert result.rating.players["new_rating"].tolist() == [1000, 1021]
    assert [f.reason for f in result.findings if f.code in ("CK26", "CK27")] == (
        [] if accepted else ["new-rating-differs"]
    )
    assert result.comparison["agrees"].tolist() == [accepted]


def test_the_workbook_holds_it_in_a_formula(file, tmp_path):
    data = audit_workbook(audit(game(1005, False), rules=[str(file)]), "zh")
    sheet = openpyxl.load_workbook(io.BytesIO(data)).worksheets[0]
    held = [cell for row in sheet.iter_rows() for cell in row if "rating_floor" in str(cell.value)]
    assert len(held) == 2
    shown = openpyxl.load_workbook(io.BytesIO(data), data_only=True).worksheets[0]
    assert [shown[cell.coordinate].value for cell in held] == [1000, 1021]
    office = shutil.which("soffice")
    if not office:
        pytest.skip("needs LibreOffice for the rest")
    bare, copy = io.BytesIO(), tmp_path / "held.xlsx"
    openpyxl.load_workbook(io.BytesIO(data)).save(bare)
    copy.write_bytes(bare.getvalue())
    subprocess.run(
        [office, f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "xlsx", "--outdir", str(tmp_path / "out"), str(copy)],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    again = openpyxl.load_workbook(tmp_path / "out" / "held.xlsx", data_only=True).worksheets[0]
    assert [again[cell.coordinate].value for cell in held] == [1000, 1021]
