"""Rule files with one thing wrong: each is refused with the file, the key, what was read and what was expected.

Two whole files of associations that do not exist, one of the table method and one of go, are damaged in one
place at a time; a damage that is none is accepted.
"""

import re
from fractions import Fraction

import pytest

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis.model.errors import RulesetError
from qiyi_analysis.rating import METHODS

TABLE = """
kind = "rating"
title = "Rating rules of an association"
title_zh = "某协会等级分规则"
picked_by = "start"
confidence = "text"
sources = ["rating rules, edition 2025"]
sources_zh = ["等级分规则 2025 年版"]
retrieved = 2025-02-01
until = 2025-12-31

[method]
name = "table"
article = "1"

[expected]
table = "p_from_d"
by = "game"
article = "2"

[cap]
value = 400
relief = "every-game"
article = "2"

[[k_factor]]
k = 40
when = { games_below = 20 }
article = "3"

[[k_factor]]
k = 32
when = { rating_below = 1600 }
article = "3"

[[k_factor]]
k = 24
when = { rating_at_least = 1600, rating_below = 2000 }
article = "3"

[[k_factor]]
k = 10
when = { rating_at_least = 2000 }
article = "3"

[change]
rounding = "half-up"
rounded = "rating"
article = "4"

[unrated]
rule = "not-counted"
games_at_least = 5
article = "5"

[initial_rating]
above_half = "per-half-point"
per_half_point = 20
below_half = "table"
highest = 2200
rating_at_least = 1000
games_at_least = 5
zero_first_event = "left-out"
article = "5"

[list]
months = [1, 7]
months_per_period = 6
article = "6"

[[publication]]
sex = "m"
rating_at_least = 1000
article = "6"

[[publication]]
sex = "w"
rating_at_least = 1000
article = "6"

[[rounds]]
players_at_least = 20
players_at_most = 40
rounds_at_least = 7
article = "7"

[rated_share]
at_least = "0.35"
article = "7"
"""

GO = """
kind = "rating"
title = "Rating rules of a go association"
title_zh = "某围棋协会等级分规则"
picked_by = "start"
confidence = "text"
sources = ["rating rules, edition 2024"]

[method]
name = "egf"
article = "1"

[gor]
top = 3200
beta = 6.5
con_divisor = 200
con_power = "1.6"
bonus_centre = 2300
bonus_width = 80
bonus_share = 5
lowest = -500
article = "1"

[[event_class]]
name = "A"
factor = 1
article = "2"

[[event_class]]
name = "B"
factor = "0.75"
article = "2"

[handicap]
points = 100
less = "0.5"
article = "3"

[grades]
first_dan = 2100
step = 100
article = "3"

[change]
rounding = "none"
rounded = "rating"
decimals = 6
article = "1"
"""

LAST = '[[k_factor]]\nk = 10\nwhen = { rating_at_least = 2000 }\narticle = "3"\n'

#: What is done to the table file: the text, what takes its place, and the message; "" where it is accepted.
TABLE_CHANGES = {
    # wrong types
    "a title that is a number": (
        'title = "Rating rules of an association"',
        "title = 3",
        r"title: read 3; expected a text",
    ),
    "a title that says nothing": (
        'title_zh = "某协会等级分规则"',
        'title_zh = " "',
        r"title_zh: read ' '; expected a text",
    ),
    "sources that are a text": (
        'sources = ["rating rules, edition 2025"]',
        'sources = "x"',
        r"sources: read 'x'; expected a list of texts",
    ),
    "no source at all": (
        'sources = ["rating rules, edition 2025"]\nsources_zh = ["等级分规则 2025 年版"]',
        "sources = []",
        r"sources: the list is empty; expected a list of texts",
    ),
    "an empty source": (
        'sources = ["rating rules, edition 2025"]',
        'sources = [""]',
        r"sources: read ''; expected a text",
    ),
    "Chinese sources that are not as many": (
        'sources_zh = ["等级分规则 2025 年版"]',
        "sources_zh = []",
        r"0 texts in sources_zh, 1 in sources|sources_zh: the list is empty",
    ),
    "K as text": ("k = 24", 'k = "24"', r"k_factor row 3: k: read '24'; expected a whole number"),
    "K with a decimal": ("k = 24", "k = 24.5", r"k_factor row 3: k: read 24\.5; expected a whole number"),
    "K as a truth": ("k = 24", "k = true", r"k_factor row 3: k: read true; expected a whole number"),
    "a cap as a list": (
        "value = 400",
        "value = [400]",
        r"\[cap\]: value: read \[400\]; expected a whole number",
    ),
    "a share with a percent sign": (
        '"0.35"',
        '"35 %"',
        r"\[rated_share\]: at_least: read '35 %'; expected a number",
    ),
    "a share over nothing": ('"0.35"', '"1/0"', r"at_least: read '1/0'; expected a number"),
    "a share that is no number": ('"0.35"', "nan", r"at_least: read nan; expected a number"),
    "an endless share": ('"0.35"', "inf", r"at_least: read inf; expected a number"),
    "months as text": (
        "months = [1, 7]",
        'months = ["1", "7"]',
        r"\[list\]: months: read \['1', '7'\]; expected a list of whole numbers",
    ),
    "conditions as a number": (
        "when = { games_below = 20 }",
        "when = 20",
        r"k_factor row 1: when: read 20; expected conditions",
    ),
    "a condition as text": (
        "games_below = 20",
        'games_below = "20"',
        r"k_factor row 1: when: games_below: read '20'; expected a whole number",
    ),
    "an article that is a number": (
        '[cap]\nvalue = 400\nrelief = "every-game"\narticle = "2"',
        '[cap]\nvalue = 400\nrelief = "every-game"\narticle = 2',
        r"\[cap\]: article: read 2; expected a text",
    ),
    "rows written as one block": ("[[rounds]]", "[rounds]", r"rounds must be rows, written \[\[rounds\]\]"),
    "one block written as rows": ("[cap]", "[[cap]]", r"cap must be a single block, written \[cap\]"),
    # missing keys and blocks
    "no kind": ('kind = "rating"\n', "", "kind is missing from the head"),
    "no Chinese title": ('title_zh = "某协会等级分规则"\n', "", "title_zh is missing from the head"),
    "no K in a row": ("k = 24\n", "", "k_factor row 3: k is missing"),
    "no article in a row": (
        'when = { games_below = 20 }\narticle = "3"',
        "when = { games_below = 20 }",
        "k_factor row 1: article is missing",
    ),
    "no method": ('[method]\nname = "table"\narticle = "1"\n', "", r"block \[method\] is missing"),
    "no expected score": (
        '[expected]\ntable = "p_from_d"\nby = "game"\narticle = "2"\n',
        "",
        r"block \[expected\] is missing; name = table in \[method\] needs it",
    ),
    "points above half without their number": (
        "per_half_point = 20\n",
        "",
        r"\[initial_rating\]: per_half_point is missing; above_half = per-half-point needs it",
    ),
    "added draws without a rating": (
        "highest = 2200",
        "added_draws = 2",
        r"\[initial_rating\]: added_draws_rating is missing; added_draws needs it",
    ),
    # unknown keys and blocks
    "a typo in a key": (
        "rounding = ",
        "roundng = ",
        r"\[change\]: unknown key 'roundng'; did you mean rounding\?",
    ),
    "a typo in an optional key": (
        "highest = 2200",
        "higest = 2200",
        r"\[initial_rating\]: unknown key 'higest'; did you mean highest\?",
    ),
    "a typo in a block": ("[unrated]", "[unratd]", r"unknown block \[unratd\]; did you mean \[unrated\]"),
    "a typo in the head": (
        "retrieved = ",
        "retreived = ",
        r"unknown key 'retreived' in the head of the file; did you mean retrieved\?",
    ),
    "a typo in a condition": (
        "games_below",
        "game_below",
        r"k_factor row 1: when: unknown condition 'game_below'; did you mean games_below\?",
    ),
    "a typo in a choice": ('"half-up"', '"halfup"', r"\[change\]: rounding: 'halfup' is not one of half-up"),
    "a key of no kind": (
        'rounding = "half-up"',
        'rounding = "half-up"\ncolour = 3',
        r"\[change\]: unknown key 'colour'; this block takes rounding, rounded, decimals, article",
    ),
    "a key of the wrong case": ("k = 24", "K = 24", r"k_factor row 3: unknown key 'K'; did you mean k\?"),
    "a key written twice": ("k = 24", "k = 24\nk = 20", "not a readable TOML file"),
    "a block written twice": ("[unrated]", "[cap]", "not a readable TOML file"),
    "an unknown method": (
        'name = "table"',
        'name = "tabel"',
        r"\[method\]: name: 'tabel' is not one of table, go-professional",
    ),
    "an unknown table": (
        '"p_from_d"',
        '"p_from_dd"',
        r"\[expected\]: table: table p_from_dd.csv is not among the rule files",
    ),
    "an unknown kind": ('kind = "rating"', 'kind = "ratings"', "unknown kind of document 'ratings'"),
    "an unknown confidence": (
        'confidence = "text"',
        'confidence = "sure"',
        "confidence: 'sure' is not one of text, practice, secondary",
    ),
    "a block of another method": (
        LAST,
        LAST
        + '[gor_steps]\ncon = [10]\ncon_from = 100\ncon_step = 100\na_zero = 200\na_divisor = 20\na_least = 70\na_most = 110\nepsilon = "0.016"\nlowest = 100\narticle = "9"\n',
        r"\[gor_steps\] has no effect here; it needs name = egf-steps in \[method\]",
    ),
    "a number that nothing reads": (
        'above_half = "per-half-point"',
        'above_half = "table"',
        r"\[initial_rating\]: per_half_point has no effect here; it needs above_half = per-half-point",
    ),
    "an end of a condition that is not there": (
        "k = 32",
        'k = 32\nends_when = "both"',
        r"k_factor row 2: ends_when has no effect here; it needs games_or_events_below",
    ),
    # impossible values
    "a negative K": ("k = 24", "k = -24", r"k_factor row 3: k: read -24; expected 1 to 999"),
    "a K of thousands": ("k = 24", "k = 2400", r"k_factor row 3: k: read 2400; expected 1 to 999"),
    "a negative rating": (
        "rating_at_least = 1000\narticle",
        "rating_at_least = -1000\narticle",
        r"rating_at_least: read -1000; expected 0 or more",
    ),
    "a negative number of games": (
        "games_below = 20",
        "games_below = -20",
        r"when: games_below: read -20; expected 0 or more",
    ),
    "a share of 35": ('"0.35"', "35", r"\[rated_share\]: at_least: read 35; expected 0 to 1"),
    "a share of 0.35": ('"0.35"', "0.35", ""),
    "a share as a fraction": ('"0.35"', '"7/20"', ""),
    "a thirteenth month": (
        "months = [1, 7]",
        "months = [1, 13]",
        r"\[list\]: months: read 13; expected 1 to 12",
    ),
    "a month of none": ("months = [1, 7]", "months = [0, 7]", r"\[list\]: months: read 0; expected 1 to 12"),
    "months that go back": (
        "months = [1, 7]",
        "months = [7, 1]",
        r"\[list\]: months: read \[7, 1\]; expected them in rising order",
    ),
    "a month twice": (
        "months = [1, 7]",
        "months = [1, 1]",
        r"\[list\]: months: read \[1, 1\]; expected them in rising order",
    ),
    "no months": ("months = [1, 7]", "months = []", r"\[list\]: months: the list is empty"),
    "a list without a period": (
        "months_per_period = 6",
        "months_per_period = 0",
        r"months_per_period: read 0; expected 1 to 12",
    ),
    # bands
    "bands that overlap: the first row that holds counts": ("rating_below = 2000", "rating_below = 2100", ""),
    "a gap between two bands": (
        "rating_below = 2000",
        "rating_below = 1900",
        r"k_factor: no row holds for rating 1900, games 20; add one",
    ),
    "no row at the end": (LAST, "", r"k_factor: no row holds for rating 2000, games 20"),
    "rows for beginners only": (
        "rating_below = 1600 }",
        "rating_below = 1600, games_below = 30 }",
        r"k_factor: no row holds for rating 0, games 30",
    ),
    "a band upside down": (
        "rating_at_least = 1600, rating_below = 2000",
        "rating_at_least = 2000, rating_below = 1600",
        r"k_factor row 3 never holds",
    ),
    "a row behind one for everybody": (
        "when = { rating_below = 1600 }\n",
        "",
        r"k_factor row 3 never holds: the rows before it take everybody",
    ),
    "a row twice": (LAST, LAST + LAST, r"k_factor row 5 never holds"),
    "two rows for the same": ('sex = "w"', 'sex = "m"', "publication rows 1 and 2 overlap: both are for m"),
    "a row for all beside one for men": (
        'sex = "w"',
        'sex = "all"',
        "publication rows 1 and 2 overlap: both are for m",
    ),
    "at least 20, at most 10": (
        "players_at_most = 40",
        "players_at_most = 10",
        r"rounds row 1: players_at_least 20 is above players_at_most 10",
    ),
    # dates
    "a day that is none": (
        "retrieved = 2025-02-01",
        'retrieved = "2025-02-30"',
        "retrieved: '2025-02-30' is not a date",
    ),
    "a day with a time": (
        "retrieved = 2025-02-01",
        "retrieved = 2025-02-01T10:00:00",
        "retrieved: read 2025-02-01 10:00:00; expected a date",
    ),
    "a day as a number": (
        "retrieved = 2025-02-01",
        "retrieved = 20250201",
        "retrieved: read 20250201; expected a date",
    ),
    "an end before the beginning": (
        "until = 2025-12-31",
        "until = 2024-12-31",
        "until 2024-12-31 lies before 2025-01-01",
    ),
    "an end on the first day": ("until = 2025-12-31", "until = 2025-01-01", ""),
    # the text itself
    "a line that is no TOML": ("[cap]", "[cap", "not a readable TOML file"),
    "a decimal comma": ('"0.35"', "0,35", "not a readable TOML file"),
    "a decimal comma in a text": ('"0.35"', '"0,35"', r"at_least: read '0,35'; expected a number"),
    "a full-width digit": ("k = 24", "k = ２４", "not a readable TOML file"),
}

GO_CHANGES = {
    "no class of events": (GO[GO.index("[[event_class]]"):GO.index("[handicap]")], "", r"block \[event_class\] is missing; name = egf in \[method\] needs it"),
    "no worth of a stone": (GO[GO.index("[handicap]"):GO.index("[grades]")], "", r"block \[handicap\] is missing; name = egf in \[method\] needs it"),
    "no formula": (GO[GO.index("[gor]"):GO.index("[[event_class]]")], "", r"block \[gor\] is missing; name = egf in \[method\] needs it"),
    "no decimals": ("decimals = 6\n", "", r"\[change\]: decimals is missing; name = egf in \[method\] needs it"),
    "no grades": (GO[GO.index("[grades]"):GO.index("[change]")], "", ""),
    "ten decimals": ("decimals = 6", "decimals = 10", r"\[change\]: decimals: read 10; expected 0 to 9"),
    "a class twice": ('name = "B"', 'name = "A"', "event_class rows 1 and 2 overlap: both are for A"),
    "a negative class": ('factor = "0.75"', 'factor = "-0.75"', r"event_class row 2: factor: read '-0.75'; expected 0 or more"),
    "a divisor of nothing": ("con_divisor = 200", "con_divisor = 0", r"\[gor\]: con_divisor: read 0; expected more than 0"),
    "a share of nothing": ("bonus_share = 5", "bonus_share = 0", r"\[gor\]: bonus_share: read 0; expected more than 0"),
    "a width of nothing": ("bonus_width = 80", "bonus_width = 0", r"\[gor\]: bonus_width: read 0; expected more than 0"),
    "a negative slope": ("beta = 6.5", "beta = -6.5", r"\[gor\]: beta: read -6.5; expected more than 0"),
    "a lowest above the top": ("lowest = -500", "lowest = 3300", r"\[gor\]: lowest 3300 is above top 3200"),
    "a K table that nothing reads": ("[grades]", '[[k_factor]]\nk = 20\narticle = "9"\n[grades]', r"\[k_factor\] has no effect here; it needs name = table / go-professional"),
    "a rating of the other shape": ("top = 3200", 'top = "3200 GoR"', r"\[gor\]: top: read '3200 GoR'; expected a number"),
}  # fmt: skip

CASES = [(TABLE, *c, name) for name, c in TABLE_CHANGES.items()] + [
    (GO, *c, name) for name, c in GO_CHANGES.items()
]


def written(tmp_path, text, name="2025-01-01.toml"):
    path = tmp_path / "own" / "rating" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("text", [TABLE, GO], ids=["table", "go"])
def test_the_whole_files_are_accepted(tmp_path, text):
    assert rulesets.load(written(tmp_path, text)).kind == "rating"


@pytest.mark.parametrize(("text", "old", "new", "message"), [c[:4] for c in CASES], ids=[c[4] for c in CASES])
def test_one_thing_wrong_is_told_with_its_place(tmp_path, text, old, new, message):
    assert text.count(old) >= 1
    path = written(tmp_path, text.replace(old, new, 1))
    if not message:
        rulesets.load(path)
        return
    with pytest.raises(RulesetError, match=message) as error:
        rulesets.load(path)
    if "ratings" not in message:
        assert str(error.value).startswith("own/rating/2025-01-01.toml: ")
    chinese = error.value.message("zh")
    assert re.search("[\u4e00-\u9fff]", chinese)
    assert "; expected" not in chinese
    assert "did you mean" not in chinese


@pytest.mark.parametrize(
    "name",
    ["2025-1-1.toml", "20250101.toml", "2025.toml", "2025-W01-1.toml", "Undated.toml", "2025-02-29.toml"],
)
def test_a_file_name_that_is_no_day_is_refused(tmp_path, name):
    with pytest.raises(
        RulesetError, match=rf"the file name: '{name[:-5]}' is not a date YYYY-MM-DD or 'undated'"
    ):
        rulesets.load(written(tmp_path, TABLE, name))


def test_the_methods_that_a_file_may_name_are_those_of_the_program():
    assert rulesets._vocabulary("rating")["method"]["keys"]["name"]["of"] == list(METHODS)


def test_a_decimal_is_read_as_it_is_typed(tmp_path):
    text = GO.replace("beta = 6.5", "beta = 6.1234567890123456789")
    assert rulesets.load(written(tmp_path, text)).need("gor")["beta"] == Fraction("6.1234567890123456789")


def test_a_place_in_a_file_is_said_in_the_language(tmp_path):
    def said(old, new):
        with pytest.raises(RulesetError) as refused:
            rulesets.load(written(tmp_path, TABLE.replace(old, new, 1)))
        return refused.value.message("zh").rpartition("toml：")[2]

    assert said("k = 32", "k = -32") == "k_factor 第 2 行：k：读到 -32；应为1 到 999"
    assert said("value = 400", "value = -1").startswith("[cap]：value：读到 -1")
    assert said("games_below = 20", "games_belo = 20").startswith("k_factor 第 1 行：when：")
    # What asks for a block is said with its place in the language too.
    assert said('[expected]\ntable = "p_from_d"\nby = "game"\narticle = "2"\n', "") == (
        "缺少 [expected] 段；[method] 中的 name = table 时必须有"
    )


def test_a_table_of_ones_own_without_a_row_is_refused(tmp_path):
    (tmp_path / "own" / "tables").mkdir(parents=True)
    (tmp_path / "own" / "tables" / "mine.csv").write_text("d,p\n", encoding="utf-8")
    with pytest.raises(RulesetError, match=r"\[expected\]: table: table mine.csv has no row"):
        rulesets.load(written(tmp_path, TABLE.replace('table = "p_from_d"', 'table = "mine"')))
