"""Worked examples of every edition: tests/rulesets/<federation>/<document>/<edition>.toml.

A file holds [[case]] tables (worked_examples.py). Also: every edition loads, editions of a document do not
overlap, and days around each change find exactly one.
"""

import hashlib
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
import worked_examples

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.model.errors import RulesetError
from qiyi_analysis.model.event import make_event
from qiyi_analysis.rating import rate
from qiyi_analysis.readers import read_event
from qiyi_analysis.rules.choice import choose

EVENT = Path(__file__).parents[2] / "data" / "events" / "nanjing-2010"


@pytest.mark.parametrize(
    ("id", "case"),
    [pytest.param(id, case, id=f"{id}: {case['name']}") for id, case in worked_examples.all_cases()],
)
def test_worked_example(id, case):
    if "error" in case:
        raise case["error"]
    worked_examples.hold(id, case)


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
    from qiyi_analysis.audit.explain import steps_of

    def steps(format, games, opponents):
        case = {"player": {"rating": 2000}, "opponents": opponents, "score": 1, "format": format}
        event = worked_examples.event_of(case)
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


def own_rules(folder: Path) -> Path:
    """A rule file that claims to be an official edition, with another cap."""
    shipped = Path(rulesets.__file__).parents[1] / "rulesets" / "fide" / "rating-standard" / "2009-07-01.toml"
    path = folder / "fide" / "rating-standard" / "2009-07-01.toml"
    path.parent.mkdir(parents=True)
    text = shipped.read_text(encoding="utf-8")
    assert "value = 400" in text
    path.write_text(text.replace("value = 400", "value = 50", 1), encoding="utf-8")
    return path


def test_an_event_chooses_among_known_rules_only(tmp_path: Path) -> None:
    """What a stranger's file names is neither opened nor taken for an official text."""
    path = own_rules(tmp_path)
    event = replace(read_event(EVENT), rules=(str(path),))
    chosen = choose(event)
    assert [one.id for one in chosen.rules] == ["fide/rating-standard/2009-07-01"]
    assert chosen.rules[0].value("cap", "value") == 400
    told = [finding for finding in chosen.findings if finding.reason == "rules-of-file-unknown"]
    assert "is not opened" in told[0].message("en")


def test_a_rule_file_of_ones_own_is_named_by_path_and_hash(tmp_path: Path) -> None:
    path = own_rules(tmp_path)
    chosen = choose(read_event(EVENT), (str(path),))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    assert chosen.rules[0].id == f"{path.as_posix()} sha256:{digest}"
    assert chosen.rules[0].document == "fide/rating-standard"
