"""The audit on real and constructed events of data/events: what agrees, and what a wrong input is traced to."""

import dataclasses
import re
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.model.event import make_event
from qiyi_analysis.model.frame import frame
from qiyi_analysis.model.rating_list import LIST_COLUMNS, RatingList
from qiyi_analysis.rating import rate
from qiyi_analysis.rating.k_factor import games_for_limited_k
from qiyi_analysis.readers import read_event
from qiyi_analysis.rules import ruleset as rulesets
from qiyi_analysis.rules.choice import choose

EVENTS = Path(__file__).parents[2] / "data" / "events"
NUMBERS = ("CK26", "CK27", "CK32")


def differing(result):
    return {f.player for f in result.findings if f.code in NUMBERS}


@pytest.mark.parametrize(
    "name", ["nanjing-2010", "five-rams-13-1992", "constructed-cca-2024", "constructed-xiangqi-2024"]
)
def test_an_event_of_the_collection_is_accepted(name):
    result = audit(read_event(EVENTS / name))
    if name == "five-rams-13-1992":
        # Nobody has a rating: nothing was calculated.
        assert (result.verdict, [f.reason for f in result.findings if f.severity != "I"]) == (
            "insufficient", ["players-without-rating"],
        )  # fmt: skip
        return
    assert result.verdict == "accept"
    assert [f for f in result.findings if f.severity != "I"] == []


@pytest.mark.parametrize(
    ("name", "rules", "compared"),
    [
        ("nanjing-2010", "fide/rating-standard/2009-07-01", 12),
        ("constructed-cca-2024", "cca/rating/undated", 24),
        ("constructed-xiangqi-2024", "cxa/rating/undated", 33),
    ],
)
def test_every_printed_number_is_reproduced(name, rules, compared):
    result = audit(read_event(EVENTS / name))
    assert result.rating_rules.id == rules
    assert result.comparison["agrees"].tolist() == [True] * compared


def test_the_notes_of_the_constructed_events_hold_every_published_number():
    for name in ("constructed-cca-2024", "constructed-xiangqi-2024"):
        notes = (EVENTS / name / "NOTES.md").read_text(encoding="utf-8")
        official = pd.read_csv(EVENTS / name / "official.csv", dtype=str, keep_default_na=False)
        for column in ("expected_score", "rating_change", "new_rating"):
            for value in official[column]:
                if column == "new_rating" and value:
                    value = f"**{value}**"
                assert value.removeprefix("+") in notes or value == "+0.00"


def test_the_constructed_xiangqi_event_has_what_it_is_there_for():
    event = read_event(EVENTS / "constructed-xiangqi-2024")
    rows = rate(event, rulesets.ruleset("cxa/rating/undated"))
    rating = rows.players
    assert set(rating["k"]) == {10, 15, 25}
    assert rating["protected"].tolist() == [True] + [False] * 11
    assert [row["new_rating"] for row in rows.player_rows() if row["provisional"]] == [2321, None]
    assert "mixed" in set(rating["formula"])


# --- Nanjing with a wrong rating --------------------------------------------------------------------


def nanjing(rating=2716, player=6):
    event = read_event(EVENTS / "nanjing-2010")
    ratings = np.where(event.players["number"] == player, float(rating), event.players["rating"])
    return event.with_players(rating=ratings)


def test_a_wrong_rating_of_player_6_shows_in_the_change_of_player_3_only():
    result = audit(nanjing(2720))
    changes = [f for f in result.findings if f.code in NUMBERS and f.field == "change"]
    assert [f.player for f in changes] == [3]
    assert (changes[0].published, changes[0].recomputed) == ("4", "5")
    assert any(
        c.cause == "opponent-rating" and "player 6: 2715 to 2716" in c.detail for c in changes[0].causes
    )


def test_a_list_that_has_the_right_rating_puts_that_cause_first():
    rows = frame([{"name": "Bacrot, Etienne", "rating": 2716.0}], LIST_COLUMNS)
    one = RatingList(id="FIDE 2010-09", day=date(2010, 9, 1), rows=rows)
    change = next(f for f in audit(nanjing(2720), lists=[one], ratings="event").findings if f.code in NUMBERS)
    # Where the list decides, no number of the report is wrong but the rating.
    assert not [f for f in audit(nanjing(2720), lists=[one]).findings if f.code in NUMBERS]
    first = change.causes[0]
    assert first.cause == "opponent-rating"
    assert first.detail.startswith("player 6: 2715 to 2716")
    assert "2716" in first.detail
    assert first.detail.zh.startswith("6 号棋手：2715 至 2716")
    assert first.message("zh") == f"对手等级分不同：{first.detail.zh} [1]"


# --- agreement at the precision printed ---------------------------------------------------------------


def pair(
    change, text, k=10, ratings=(2000, 2000), result="1", rules="fide/rating-standard/2024-03-01", **printed
):
    """Two players, one game; what was printed for the first."""
    other = {"1": "0", "=": "=", "0": "1"}[result]
    players = [
        {"number": 1, "name": "A", "sex": "m", "rating": ratings[0], "k": k, "change": change, "change_text": text, **printed},
        {"number": 2, "name": "B", "sex": "m", "rating": ratings[1], "k": k},
    ]  # fmt: skip
    games = [
        {
            "round": 1,
            "first": 1,
            "second": 2,
            "first_result": result,
            "second_result": other,
            "kind": "played",
        }
    ]
    return audit(make_event(players=players, games=games, format="swiss", start=date(2024, 6, 1)), [rules])


@pytest.mark.parametrize(
    ("k", "ratings", "change", "text"),
    [
        (10, (2000, 2000), 5.0, "5"),
        (10, (2000, 2000), 5.0, "+5"),
        (10, (2000, 2000), 5.0, "5.0"),
        (10, (2000, 2000), 5.0, "5,00"),
        (10, (2000, 2007), 5.1, "5.1"),
        (10, (2000, 2007), 5.1, "5,10"),
        (10, (2000, 2007), 5.0, "5"),
        (10, (2000, 2007), 5.0, "5.0"),  # a program that prints whole changes with a decimal
        (15, (2000, 2007), 7.65, "7.65"),
        (15, (2000, 2007), 7.6, "7.6"),  # the tie of the last printed digit may go either way
        (15, (2000, 2007), 7.7, "7.7"),
        (15, (2000, 2000), 7.5, "7½"),
        (15, (2000, 2000), 8.0, "8"),
    ],
)  # fmt: skip
def test_no_accusation_for_the_way_a_number_is_written(k, ratings, change, text):
    assert differing(pair(change, text, k, ratings)) == set()


@pytest.mark.parametrize("text", ["−5", "-5", "- 5", "-5.0", "−5,0"])
def test_minus_signs(text):
    assert differing(pair(-5.0, text, result="0")) == set()


@pytest.mark.parametrize(
    ("k", "ratings", "change", "text", "cause"),
    [
        (15, (2000, 2000), 7.0, "7", "truncated"),
        (10, (2000, 2000), 10.0, "10", "other-k"),
        (10, (2000, 2025), 5.4, "5.4", "formula"),
        (10, (2000, 2100), 0.64, "0.64", "w-minus-we"),
    ],
)
def test_a_wrong_number_is_reported_with_its_cause(k, ratings, change, text, cause):
    result = pair(change, text, k, ratings)
    assert differing(result) == {1}
    finding = next(f for f in result.findings if f.code in NUMBERS)
    assert cause in {c.cause for c in finding.causes}


def test_a_column_with_decimals_does_not_excuse_a_rounded_cell():
    event = read_event(EVENTS / "constructed-cca-2024")
    change, texts = event.players["change"].to_numpy().copy(), list(event.players["change_text"])
    change[1], texts[1] = -9.0, "-9.0"  # exact -9.2
    changed = event.with_players(change=change, change_text=texts)
    assert differing(audit(changed)) == {2}


def test_a_negative_half_is_rounded_away_from_zero_by_fide():
    half = ("fide/rating-standard/2024-03-01", 10, (2033, 2000), "=", -1.0, "-1")  # 10 x (.5 - .55) = -0.5
    rules, k, ratings, result, change, text = half
    assert differing(pair(change, text, k, ratings, result, rules)) == set()
    found = pair(0.0, "0", k, ratings, result, rules)
    causes = next(f for f in found.findings if f.code in NUMBERS).causes
    assert "half-even" in {c.cause for c in causes}


def test_a_printed_k_that_the_edition_does_not_know_is_asked_about():
    result = pair(12.5, "12.5", k=25)
    assert [(f.code, f.severity, f.player) for f in result.findings if f.code == "CK29"] == [
        ("CK29", "W", 1),
        ("CK29", "W", 2),
    ]


def test_games_that_make_k_smaller():
    """FIDE B.02 8.3.3: with K n above 700, K is the largest whole number with K n of 700 or less. By hand: 700 / 18 =
    38.9, 700 / 17 = 41.2, so 38 needs 18 games at K 40; 700 / 34 = 20.6 and 700 / 35 = 20 give 20."""
    rules = rulesets.ruleset("fide/rating-standard/2024-03-01")
    assert games_for_limited_k(38, (40,), rules) == (18, 18)
    assert games_for_limited_k(20, (40,), rules) == (34, 35)
    assert games_for_limited_k(19, (20, 40), rules) == (36, 36)
    assert games_for_limited_k(15, (10, 20), rules) == (44, 46)
    assert games_for_limited_k(39, (40,), rules) is None  # 18 games make it 38
    assert games_for_limited_k(40, (20,), rules) is None
    assert games_for_limited_k(5, (10,), rulesets.ruleset("cca/rating/undated")) is None


def one_against_many(k, rating, games, **player):
    """A player with a printed K who plays ``games`` games; the others have no K."""
    players = [{"number": 1, "name": "A", "rating": rating, "k": k, **player}]
    players += [{"number": n, "name": f"P{n}", "rating": 2000} for n in range(2, games + 2)]
    rows = [
        {"round": n, "first": 1, "second": n + 1, "first_result": "=", "second_result": "=", "kind": "played"}
        for n in range(1, games + 1)
    ]
    event = make_event(players=players, games=rows, format="swiss", start=date(2024, 6, 1))
    found = audit(event, ["fide/rating-standard/2024-03-01"]).findings
    return [(f.reason, f.severity) for f in found if f.code == "CK29" and f.player == 1]


@pytest.mark.parametrize(
    ("k", "games", "found"),
    [
        # An adult of 2100 with 100 games has 20. Another row of the edition, or a K of a former one, is asked about, in
        # however large an event.
        (15, 9, "printed-k-by-limit"), (15, 40, "printed-k-by-limit"), (10, 9, "printed-k-by-limit"), (40, 9, "printed-k-not-allowed"), (10, 40, "printed-k-by-limit"),
        # 18 needs 37 or 38 games in the period, which other events may have brought; 39 no number of games gives.
        (18, 9, ""), (17, 40, ""), (39, 9, "printed-k-not-allowed"), (19, 36, ""),
        # More games here than give this K; less than any row of the edition.
        (19, 40, "printed-k-not-allowed"), (7, 9, "printed-k-by-limit"),
        # This event alone has the games.
        (10, 66, ""),
    ],
)  # fmt: skip
def test_a_printed_k_is_a_limited_one_only_with_the_games_for_it(k, games, found):
    told = one_against_many(k, 2100, games, games_before=100, birth_year=1980, peak=2150)
    assert told == ([(found, "W")] if found else [])


def test_findings_name_the_file_their_line_is_in(tmp_path):
    result = audit(nanjing(2720))
    finding = next(f for f in result.findings if f.code in NUMBERS)
    assert (finding.file, finding.line) == ("nanjing-2010/official.csv", 3)


def test_every_comparison_row_is_told_apart_from_not_compared():
    event = read_event(EVENTS / "nanjing-2010")
    without = event.with_players(k=np.where(event.players["number"] == 1, np.nan, 10.0), rating=np.where(
        event.players["number"] == 1, 2300.0, event.players["rating"]))  # fmt: skip
    rows = audit(dataclasses.replace(without)).comparison
    one = rows[(rows["number"] == 1) & (rows["field"] == "change")].iloc[0]
    assert one["agrees"] is pd.NA
    assert not one["compared"]


@pytest.mark.parametrize(("printed", "agrees"), [("-3", True), ("-2", True), ("-4", False), ("-2.5", True)])
def test_a_negative_half_of_the_chinese_rules_may_be_printed_either_way(printed, agrees):
    """CCA art. 6(4) rounds the new rating: 1500 - 2.5 -> 1498; the change itself has no rounding of its own."""
    from qiyi_analysis.audit.event_audit import audit
    from qiyi_analysis.model.event import make_event

    # Five games at D = 33 (.55): We = 2.75, W = 2.5, change 10 x -.25; 1533 - 2.5 = 1530.5 -> 1531.
    games = [
        {"round": i, "first": 1, "second": i + 1, "first_result": "=", "second_result": "=", "kind": "played"}
        for i in range(1, 6)
    ]
    players = [
        {
            "number": 1,
            "name": "甲",
            "rating": 1533,
            "sex": "m",
            "change": float(printed),
            "change_text": printed,
        }
    ]
    players += [{"number": i, "name": f"乙{i}", "rating": 1500, "sex": "m"} for i in range(2, 7)]
    result = audit(make_event(players=players, games=games, format="swiss"), ["cca/rating"])
    assert [f.code for f in result.findings if f.field == "change"] == ([] if agrees else ["CK26"])
    assert result.rating.players["new_rating"].iloc[0] == 1531


def _with_list(player: dict, *rows: dict):
    from datetime import date

    from qiyi_analysis.audit.event_audit import audit
    from qiyi_analysis.model.event import make_event
    from qiyi_analysis.model.rating_list import make_list

    event = make_event(
        players=[{"number": 1, **player}, {"number": 2, "name": "乙", "rating": 1500}],
        games=[
            {"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"}
        ],
        start=date(2025, 3, 1),
        end=date(2025, 3, 2),
        format="swiss",
    )
    found = audit(
        event, ["fide/rating-standard"], [make_list(rows, id="list", day=date(2025, 3, 1))]
    ).findings
    return [(f.code, f.reason) for f in found if f.player == 1 and f.code in ("CK10", "CK11", "CK12", "CK13")]


def test_a_name_written_the_same_once_on_the_list_is_the_player():
    assert _with_list({"name": "Hou, Yifan", "rating": 1700}, {"name": "Hou Yifan", "rating": 1710}) == [
        ("CK12", "differs-from-list")
    ]


@pytest.mark.parametrize(
    ("own", "listed", "asked"),
    [(1750, None, True), (None, None, False), (1750, 1750, False)],
)
def test_a_rating_of_a_player_who_is_unrated_on_the_list_is_asked_about(own, listed, asked):
    """It may be a national rating; a list without any ratings says nothing."""
    player = {"id": "7", "name": "Hou Yifan", **({"rating": own} if own else {})}
    rows = [{"id": "7", "name": "Hou Yifan", **({"rating": listed} if listed else {})}]
    somebody = {"id": "8", "name": "Somebody", "rating": 1900}
    assert _with_list(player, *rows, somebody) == ([("CK13", "unrated-on-list")] if asked else [])
    if not listed:
        assert _with_list(player, *rows) == []


@pytest.mark.parametrize("other", [{"birth_year": 1990}, {"sex": "m"}, {"federation": "SGP"}])
def test_a_name_with_another_birth_year_sex_or_federation_is_doubtful(other):
    player = {"name": "Hou Yifan", "rating": 1700, "birth_year": 1994, "sex": "w", "federation": "CHN"}
    assert _with_list(player, {"name": "Hou Yifan", "rating": 1710, **other}) == [("CK11", "name-doubtful")]


def test_namesakes_on_the_list_are_never_chosen_between():
    rows = [{"id": "1", "name": "王 硕", "rating": 1700}, {"id": "2", "name": "王硕", "rating": 1800}]
    assert _with_list({"name": "王硕", "rating": 1750}, *rows) == [("CK11", "name-doubtful")]


def test_an_id_with_another_name_is_told():
    found = _with_list(
        {"id": "7", "name": "张三", "rating": 1700}, {"id": "7", "name": "李四", "rating": 1700}
    )
    assert found == [("CK10", "id-with-other-name")]


@pytest.mark.parametrize(
    ("clock", "system", "year", "document", "reason"),
    [
        # 60 moves: 15 + 10 = 25 minutes, 59 + 0; 60 minutes are standard (B.02: rapid less than 60, blitz up to 10).
        ("15 min + 10 s", "", 2026, "fide/rating-rapid", "rules-by-clock"),
        ("59 min", "", 2026, "fide/rating-rapid", "rules-by-clock"),
        ("60 min", "", 2026, "fide/rating-standard", "rules-assumed"),
        ("11 min", "", 2026, "fide/rating-rapid", "rules-by-clock"),
        ("10 min", "", 2026, "fide/rating-blitz", "rules-by-clock"),
        ("3 min + 2 s", "FIDE", 2026, "fide/rating-blitz", "rules-by-clock"),
        (
            "3 min",
            "",
            2026,
            "fide/rating-standard",
            "rules-assumed",
        ),  # 3 minutes are no blitz of the regulations
        ("90 min + 30 s", "", 2026, "fide/rating-standard", "rules-assumed"),
        ("15 min + 10 s", "FIDE classical", 2026, "fide/rating-standard", "rules-by-system"),
        ("15 min + 10 s", "Standard chess", 2026, "fide/rating-standard", "rules-assumed"),
        ("15 min + 10 s", "FIDE rapid", 2026, "fide/rating-rapid", "rules-by-system"),
        ("as usual", "", 2026, "fide/rating-standard", "rules-assumed"),
        ("", "", 2026, "fide/rating-standard", "rules-assumed"),
        ("15 min + 10 s", "", 2005, "fide/rating-standard", "rules-assumed"),  # before rapid ratings
    ],
)
def test_an_event_that_names_no_rules_is_judged_by_those_of_its_clock(clock, system, year, document, reason):
    event = make_event(
        players=[{"number": n, "name": f"P{n}", "rating": 1700 + n, "k": 20} for n in (1, 2)],
        games=[{"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"}],
        start=date(year, 5, 1), time_control=clock, extra={"system": system},
    )  # fmt: skip
    chosen = choose(event)
    assert chosen.for_rating("x").document == document
    assert [f.reason for f in chosen.findings] == [reason]
    wrong = [f for f in audit(event).findings if f.code == "CK05"]
    assert bool(wrong) == (
        document == "fide/rating-standard" and clock in ("3 min", "15 min + 10 s") and year > 2010
    )


def test_rules_with_one_class_of_events_leave_nothing_to_choose(tmp_path: Path, project: Path) -> None:
    shipped = project / "qiyi_analysis/rulesets/egf/rating/2021-04-01.toml"
    head, *_, last = re.split(r"\[\[event_class\]\]\n(?:\w.*\n)+\n", shipped.read_text(encoding="utf-8"))
    own = tmp_path / "club" / "rating" / "2021-04-01.toml"
    own.parent.mkdir(parents=True)
    one = '[[event_class]]\nname = "A"\nfactor = 1\narticle = "1"\n\n'
    own.write_text(f"{head}{one}{last}", encoding="utf-8")
    event = make_event(
        players=[{"number": n, "name": f"P{n}", "rating": 2000 + n, "new_rating": 2050} for n in (1, 2)],
        games=[{"round": 1, "first": 1, "second": 2, "first_result": "1", "second_result": "0", "kind": "played"}],
        start=date(2025, 5, 1), discipline="go",
    )  # fmt: skip
    result = audit(event, [str(own)])
    assert {f.reason for f in result.findings} >= {"event-class-assumed", "new-rating-differs"}
