"""Files of worked examples with one thing wrong: refused with the file, the case, the key and what was expected."""

import re
import tomllib
from pathlib import Path

import pytest
import worked_examples
from worked_examples import CaseError

CASE = """
[[case]]
name = "a game"
article = "8.3.3"
player = { rating = 1800, peak = 1800, games_before = 60, birth_year = 1980 }
opponents = [1800, { rating = 1900, kind = "forfeit" }]
results = "1 0"
start = "2025-06-01"
reading = { cap = { value = 350 } }
expect = { k = 20, change = "10", new_rating = 1810, expected_by_game = ["0.50", "none"] }
"""

#: What is done to the file, and the message; "" where it is accepted and comes out as expected.
CHANGES = {
    "nothing": ("", "", ""),
    "a number as text": ("k = 20", 'k = "20"', ""),
    "a trailing zero": ('change = "10"', 'change = "10.00"', ""),
    "a typo in a key of the case": ("results", "result", r"case 1 'a game': unknown key 'result'; did you mean results\?"),
    "a reading under a name that nothing reads": ("reading", "readings", r"unknown key 'readings'; did you mean reading\?"),
    "no name": ('name = "a game"\n', "", r"case 1 '': name is missing"),
    "no article": ('article = "8.3.3"\n', "", r"case 1 'a game': article is missing"),
    "an article that is a number": ('"8.3.3"', "8.3", r"article: read 8.3; expected a text"),
    "no opponents": ('opponents = [1800, { rating = 1900, kind = "forfeit" }]\n', "", "opponents is missing"),
    "opponents that are one number": ('[1800, { rating = 1900, kind = "forfeit" }]', "1800", "opponents: read 1800; expected a list of ratings"),
    "nothing expected": ('expect = { k = 20, change = "10", new_rating = 1810, expected_by_game = ["0.50", "none"] }', "expect = {}", "expect is empty"),
    "a typo in a column of the result": ("new_rating", "newrating", r"expect: unknown key 'newrating'; did you mean new_rating\?"),
    "a typo in a column of the player": ("games_before", "game_before", r"player: unknown key 'game_before'; did you mean games_before\?"),
    "a typo in a key of an opponent": ('kind = "forfeit"', 'knd = "forfeit"', r"opponent 2: unknown key 'knd'; did you mean kind\?"),
    "a rating as text": ("rating = 1800, peak", 'rating = "1800", peak', r"player: rating: read '1800'; expected a number"),
    "a negative number of games": ("games_before = 60", "games_before = -60", r"games_before: read -60; expected 0 or more"),
    "too few results": ('results = "1 0"', 'results = "1"', r"results: read 1 results; expected 2, one for each opponent"),
    "a result that is none": ('results = "1 0"', 'results = "1 x"', r"results: read 'x'; expected 1, = or 0"),
    "results without blanks": ('results = "1 0"', 'results = "10"', r"results: read '10'; expected 1, = or 0, with blanks"),
    "results and score": ('results = "1 0"', 'results = "1 0"\nscore = 1', "either results or score, and not both"),
    "neither": ('results = "1 0"\n', "", "either results or score, and not both"),
    "more points than games": ('results = "1 0"', "score = 3", r"score: read 3; expected a number from 0 to 2 in halves"),
    "a quarter of a point": ('results = "1 0"', "score = 0.25", r"score: read 0.25; expected a number from 0 to 2 in halves"),
    "a score in words": ('results = "1 0"', 'score = "one"', r"score: read 'one'; expected a number from 0 to 2 in halves"),
    "a day that is none": ('"2025-06-01"', '"2025-06-31"', r"start: read '2025-06-31'; expected a day as text"),
    "a day that is no text": ('"2025-06-01"', "2025-06-01", r"start: read datetime.date\(2025, 6, 1\); expected a day as text"),
    "an unknown format": ('results = "1 0"', 'results = "1 0"\nformat = "roundrobin"', r"format: read 'roundrobin'; expected one of swiss, round-robin"),
    "a reading of a block that is none": ("cap = {", "caps = {", r"reading: unknown key 'caps'; did you mean cap\?"),
    "a reading of a key that is none": ("value = 350", "valu = 350", r"reading: cap: unknown key 'valu'; did you mean value\?"),
    "a reading that cannot be": ("value = 350", "value = -350", r"reading: cap: value: read -350; expected 1 or more"),
    "a decimal that is no text": ('change = "10"', "change = 10.0", r"change: read 10.0; expected a decimal as text"),
    "a decimal comma": ('change = "10"', 'change = "10,0"', r"change: read '10,0'; expected a number"),
    "a wrong number": ("new_rating = 1810", "new_rating = 1811", r"new_rating: expected 1811, came out 1810; also k = 20, .*change = '10'"),
    "a wrong decimal": ('change = "10"', 'change = "10.4"', r"change: expected '10.4', came out '10'; also k = 20"),
    "nothing where there is something": ("k = 20", 'k = "none"', r"k: expected 'none', came out 20"),
    "one look-up where there are many": ("k = 20", 'expected = "0.5"', r"expected: expected '0.5', came out 'none'; looked up game by game: expected_by_game = \['0.50'"),
    "a key beside the cases": ("[[case]]", 'kind = "rating"\n[[case]]', "read 'kind'; expected nothing but"),
    "no case at all": (CASE, "# nothing yet\n", "no cases; expected one"),
    "a case twice": (CASE, CASE + CASE, r"case 2 'a game': case 1 has the same name"),
    "no TOML": ("[[case]]", "[[case]", "not a readable TOML file"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), list(CHANGES.values()), ids=list(CHANGES))
def test_one_thing_wrong_is_told_with_its_place(tmp_path, old, new, message):
    assert old in CASE
    path = tmp_path / "fide" / "rating-standard" / "2024-03-01.toml"
    path.parent.mkdir(parents=True)
    path.write_text(CASE.replace(old, new, 1), encoding="utf-8")

    def hold():
        for case in worked_examples.read(path):
            worked_examples.hold(worked_examples.edition_of(path), case)

    if not message:
        hold()
        return
    with pytest.raises(Exception, match=message) as error:
        hold()
    assert str(error.value).startswith("fide/rating-standard/2024-03-01.toml: ")


def test_a_file_beside_no_rule_file_is_refused(tmp_path):
    path = tmp_path / "fide" / "rating-standard" / "2024-03-02.toml"
    with pytest.raises(CaseError, match=r"no rule file of this path.*fide/rating-standard/2024-03-01"):
        worked_examples.edition_of(path)


GO = {"name": "go", "article": "1", "player": {"rating": 2100}, "opponents": [2400], "score": 0}


@pytest.mark.parametrize(
    ("more", "expect"),
    [
        # con = 6^1.6 = 17.5810, Se = ((3300 - 2400) / (3300 - 2100))^7 / (1 + that) = 0.117764; bonus 0.515778
        ({}, {"change": "-1.554628", "expected_by_game": ["0.117764"]}),
        ({}, {"change": "-1.555"}),
        ({"class": "C"}, {"change": "-0.777314"}),
        # Three stones are 250 points for Black, who moves first.
        ({"opponents": [{"rating": 2400, "handicap": 3}]}, {"expected_by_game": ["0.406496"]}),
        ({"opponents": [{"rating": 2100, "handicap": 3, "first": True}]}, {"expected_by_game": ["0.163105"]}),
    ],
)
def test_go_examples_have_classes_handicaps_and_the_digits_written(more, expect):
    worked_examples.hold("egf/rating/2021-04-01", {**GO, **more, "expect": expect})


def test_another_digit_than_the_written_ones_is_not_the_expected():
    with pytest.raises(CaseError, match=r"change: expected '-1.556', came out '-1.55"):
        worked_examples.hold("egf/rating/2021-04-01", {**GO, "expect": {"change": "-1.556"}})


def test_the_example_for_contributors_holds():
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(\[\[case\]\].*?)```", text, re.DOTALL)[1]
    (case,) = tomllib.loads(example)["case"]
    worked_examples.check(case, "CONTRIBUTING.md")
    worked_examples.hold(re.search(r"holds for (\S+)", example)[1], case)
