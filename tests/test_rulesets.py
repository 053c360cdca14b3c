"""Worked examples of every edition: tests/rulesets/<federation>/<document>/<edition>.toml.

A file holds [[case]] tables: one player against opponents, and what the edition makes of it. Also: every
edition loads, editions of a document do not overlap, and days around each change find exactly one.
"""

import tomllib
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

import qiyi_analysis.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.errors import RulesetError
from qiyi_analysis.model import make_event
from qiyi_analysis.rating import rate

CASES = Path(__file__).parent / "rulesets"
HALVES = {2: ("1", "0"), 1: ("=", "="), 0: ("0", "1")}


def rating_cases():
    for path in sorted(CASES.glob("*/rating*/*.toml")):
        id = "/".join([*path.parts[-3:-1], path.stem])
        for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]:
            yield pytest.param(id, case, id=f"{id}: {case['name']}")


def event_of(case):
    """The event of a case: player 1 meets the opponents one by one; ``score`` is filled from the first game."""
    opponents = [o if isinstance(o, dict) else {"rating": o} for o in case["opponents"]]
    players = [{"number": 1, "name": "P", **case.get("player", {})}]
    if "results" in case:
        half_points = [{"1": 2, "=": 1, "0": 0}[r] for r in case["results"].split()]
    else:
        left = int(Decimal(str(case["score"])) * 2)
        half_points = []
        for _ in opponents:
            half_points.append(min(2, left))
            left -= half_points[-1]
    games = []
    for i, (opponent, points) in enumerate(zip(opponents, half_points, strict=True), 1):
        players.append(
            {"number": i + 1, "name": f"O{i}", **{k: v for k, v in opponent.items() if k != "kind"}}
        )
        first, second = HALVES[points]
        games.append({
            "round": i, "first": 1, "second": i + 1, "first_result": first, "second_result": second,
            "kind": opponent.get("kind", "played"),
        })  # fmt: skip
    for row in players:
        for key in [k for k, v in row.items() if k == "rating" and not v]:
            del row[key]
    for extra in case.get("also", []):
        games.append({"second": 0, "first": 1, **extra})
    return make_event(
        players=players,
        games=games,
        format=case.get("format", "swiss"),
        start=date.fromisoformat(case["start"]) if "start" in case else None,
    )


@pytest.mark.parametrize(("id", "case"), list(rating_cases()))
def test_worked_example(id, case):
    rules = rulesets.ruleset(id)
    for block, values in case.get("reading", {}).items():
        rules = rules.with_block(block, **values)
    rating = rate(event_of(case), rules)
    row = rating.players.iloc[0]
    expect = dict(case["expect"])
    if "expected_by_game" in expect:
        games = rating.games[rating.games["number"] == 1]
        assert [str(e) for e in games["expected"]] == expect.pop("expected_by_game")
    for key, value in expect.items():
        got = row[key]
        if value == "none" and key != "formula":
            value = None
        elif isinstance(value, str) and isinstance(got, Decimal):
            value = Decimal(value)
        assert got == value, f"{key}: {got} instead of {value}"


@pytest.mark.parametrize("document", rulesets.documents())
def test_every_edition_loads_and_none_overlap(document):
    rulesets.check_editions(document)


@pytest.mark.parametrize("document", rulesets.documents())
def test_one_edition_answers_on_every_day_around_a_change(document):
    for id in rulesets.editions(document):
        rules = rulesets.ruleset(id)
        if rules.effective is None:
            assert rulesets.in_force(document, date(1990, 1, 1)) is rules
            continue
        assert rulesets.in_force(document, rules.effective) is rules
        last = rulesets.last_day(rules)
        if last is not None and rules.until is None:
            assert rulesets.in_force(document, last) is rules
            assert rulesets.in_force(document, last + timedelta(days=1)) is not rules


def test_before_the_first_edition_the_message_names_it():
    with pytest.raises(RulesetError, match="nothing in force on 1960-01-01; the earliest edition here is"):
        rulesets.in_force("fide/rating-standard", date(1960, 1, 1))


def test_an_unknown_id_names_the_nearest():
    with pytest.raises(RulesetError, match="fide/rating-standard/2024-03-01"):
        rulesets.ruleset("fide/rating-standard/2024-03-02")


GOOD = """
kind = "rating"
title = "T"
title_zh = "题"
picked_by = "start"
confidence = "text"
sources = ["x"]
[method]
name = "table"
article = "1"
[[k_factor]]
k = 20
article = "2"
[change]
rounding = "half-up"
rounded = "change"
article = "2"
"""


BY = '[expected]\ntable = "p_from_d"\nby = "{}"\narticle = "3"\n'
CAP = '[cap]\nvalue = 350\nrelief = "{}"\narticle = "4"\n'
WHOLE = GOOD + BY.format("game")
AVERAGE = '[average]\nrounding = "half-up"\nrounded = "average"\narticle = "4"\n'


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (
            BY.format("average") + CAP.format("widest-game-only"),
            r"\[cap\]: relief = widest-game-only has no effect here; it needs by = game in \[expected\]",
        ),
        (
            BY.format("game") + AVERAGE,
            r"\[average\] has no effect here; it needs by = average in \[expected\]",
        ),
        (BY.format("average") + CAP.format("every-game") + AVERAGE, ""),
        (BY.format("game") + CAP.format("widest-game-only"), ""),
    ],
)
def test_a_block_without_effect_is_refused(tmp_path, blocks, message):
    path = tmp_path / "2021-01-01.toml"
    path.write_text(GOOD + blocks, encoding="utf-8")
    if not message:
        assert rulesets.load(path).block("cap") is not None
        return
    with pytest.raises(RulesetError, match=message):
        rulesets.load(path)


def test_the_difference_of_two_editions_is_the_2650_exemption():
    old, new = (rulesets.ruleset(f"fide/rating-standard/{d}") for d in ("2024-03-01", "2025-10-01"))
    lasting = [d for d in rulesets.diff(old, new) if d.block != "adjustment"]  # the one-off of March 2024
    assert [(d.block, d.key, d.old, d.new) for d in lasting] == [("cap", "exempt_from", None, 2650)]


KEYS = ["round", "first", "second", "first_result", "second_result", "kind"]


def test_the_steps_show_a_cap_and_the_cycles_of_a_round_robin():
    from qiyi_analysis.explain import steps_of

    def steps(format, games, opponents):
        case = {"player": {"rating": 2000}, "opponents": opponents, "score": 1, "format": format}
        event = event_of(case)
        extra = [{"round": 9 + i, "first": a, "second": b, "first_result": "=", "second_result": "=", "kind": "played"}
                 for i, (a, b) in enumerate(games)]  # fmt: skip
        rows = [*event.games[KEYS].to_dict("records"), *extra]
        whole = make_event(players=event.players.to_dict("records"), games=rows, format=format)
        rules = rulesets.ruleset("cca/rating/undated").with_block("cap", value=350, relief="every-game")
        return {(step.value, step.how) for step in steps_of(rate(whole, rules), 1, "en")}

    assert ("350", "2000 − 1200 = 800 → ±350") in steps("swiss", [], [1200])
    assert ("0.50", "2 × 0.50 − 1/2") in steps("round-robin", [], [2000])
    assert ("1.00", "2 × (2 × 0.50 − 1/2)") in steps("double-round-robin", [(2, 1)], [2000])


def test_what_a_shipped_file_says_about_itself_is_said_in_chinese_too():
    for rules in rulesets.all_rulesets():
        for text in (*rules.sources, *rules.notes):
            assert any("\u4e00" <= character <= "\u9fff" for character in words.shown(text, "zh")), text
            assert words.shown(text, "en") == text


def test_chinese_texts_of_a_rule_file_are_as_many_as_the_english(tmp_path):
    path = tmp_path / "own" / "rating" / "undated.toml"
    path.parent.mkdir(parents=True)
    path.write_text(
        WHOLE.replace('sources = ["x"]', 'sources = ["x"]\nsources_zh = ["甲"]'), encoding="utf-8"
    )
    assert words.shown(rulesets.load(path).sources[0], "zh") == "甲"
    path.write_text(
        WHOLE.replace('sources = ["x"]', 'sources = ["x"]\nsources_zh = ["甲", "乙"]'), encoding="utf-8"
    )
    with pytest.raises(RulesetError, match="2 texts in sources_zh, 1 in sources"):
        rulesets.load(path)
