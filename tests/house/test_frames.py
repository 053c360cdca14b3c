"""The public frames hold numbers as numbers, and docs/frames.md says what they hold."""

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

from qiyi_analysis import audit, rate, read_event
from qiyi_analysis.rating.rating_frames import MORE_KINDS
from qiyi_analysis.rules.ruleset import ruleset

ROOT = Path(__file__).parents[2]
EVENTS = ROOT / "data" / "events"


def documented():
    spec = importlib.util.spec_from_file_location("frames_doc", ROOT / "tools" / "frames_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_document_is_what_the_program_says():
    assert (ROOT / "docs" / "frames.md").read_text(encoding="utf-8") == documented().table()


@pytest.fixture(scope="module")
def nanjing():
    return audit(read_event(EVENTS / "nanjing-2010"))


def test_the_frames_have_the_types_of_the_document(nanjing):
    own = documented().FRAMES
    frames = {
        "`rate(...).players` and `audit(...).rating.players`": nanjing.rating.players,
        "`rate(...).games`": nanjing.rating.games,
        "`audit(...).comparison` and `audit(...).standings.rows`": nanjing.comparison,
        "`read_event(...).players`": nanjing.event.players,
    }
    for name, frame in frames.items():
        for column, kind in own[name].items():
            if column not in MORE_KINDS and kind != "str":
                assert str(frame[column].dtype) == kind, (name, column)
    assert nanjing.standings.rows.dtypes.equals(nanjing.comparison.dtypes)


def test_an_analyst_can_work_with_them(nanjing):
    players, rows = nanjing.rating.players, nanjing.comparison
    assert players["change"].describe()["count"] == 6
    assert players.nlargest(1, "change")["name"].tolist() == ["Carlsen, Magnus"]
    assert players["change_hundredths"].sum() == round(100 * players["change"].sum())
    off = rows.query("field == 'change' and compared")
    assert (off["published"] - off["recomputed"]).abs().max() < 1
    assert off["agrees"].all()


@pytest.mark.parametrize("rules", ["egf/rating/2021-04-01", "uscf/rating/2025-07-26", "icu/rating/undated",
                                   "dsb/dwz/undated", "aga/rating/undated", "cxa/rating/undated"])  # fmt: skip
def test_every_procedure_gives_numbers_and_rows_with_their_decimals(rules):
    rating = rate(read_event(EVENTS / "nanjing-2010"), ruleset(rules))
    for name in ("rating", "k", "score", "we", "change", "new_rating", "rounded_change"):
        assert pd.api.types.is_float_dtype(rating.players[name]), name
    for row, change in zip(rating.player_rows(), rating.players["change"], strict=True):
        if row["change"] is not None:
            assert -row["change"].as_tuple().exponent == rating.places
            assert float(row["change"]) == change
