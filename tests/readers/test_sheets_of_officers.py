"""Sheets as officers have them: cells in any style, several sheets and groups, repeated headers, dates and births as written."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date

import openpyxl
import pytest

from qiyi_analysis.model.errors import ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.door import events_in_bytes

NAMES = ("王志远", "李佳怡", "张一鸣", "刘　洋", "陈思涵", "赵　敏")
#: (round, first, second, result of first): four players have colours both ways, one game is forfeited ("+").
GAMES = (
    (1, 1, 6, 1), (1, 5, 2, 0), (1, 3, 4, 0.5), (2, 6, 4, 0), (2, 2, 3, 0.5), (2, 1, 5, 1),
    (3, 2, 6, "+"), (3, 3, 1, 0), (3, 4, 5, 1),
)  # fmt: skip
HEADS = ["序号", "姓名", "单位", "等级分", "第1轮", "第2轮", "第3轮"]
Cell = Callable[[int, str, object], object]


def entries() -> dict[tuple[int, int], tuple[int, str, object]]:
    found: dict[tuple[int, int], tuple[int, str, object]] = {}
    for round_, one, two, result in GAMES:
        back = {1: 0, 0: 1, 0.5: 0.5, "+": "-"}[result]
        found[round_, one], found[round_, two] = (two, "w", result), (one, "b", back)
    return found


def table(cell: Cell) -> list[list[object]]:
    found = entries()
    return [
        [number, name, "北京", 2000 - 20 * number, *(cell(*found[round_, number]) for round_ in (1, 2, 3))]
        for number, name in enumerate(NAMES, 1)
    ]


def read(*sheets: tuple[str, list[list[object]]]) -> tuple[Event, ...]:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return events_in_bytes(stream.getvalue(), "book.xlsx")


def games(event: Event) -> set[tuple[object, ...]]:
    rows = event.games[["round", "first", "second", "first_result", "kind"]].itertuples(index=False)
    opposite = {"1": "0", "0": "1", "=": "="}
    return {(r, a, b, x, str(k)) if a < b else (r, b, a, opposite[x], str(k)) for r, a, b, x, k in rows}


def expected(forfeit: str) -> set[tuple[object, ...]]:
    letters = {1: "1", 0: "0", 0.5: "=", "+": "1"}
    opposite = {"1": "0", "0": "1", "=": "="}
    found = set()
    for round_, one, two, result in GAMES:
        kind, letter = forfeit if result == "+" else "played", letters[result]
        found.add(
            (round_, one, two, letter, kind) if one < two else (round_, two, one, opposite[letter], kind)
        )
    return found


def by(results: dict[object, str], form: str) -> Cell:
    """A style: ``{o}`` opponent, ``{n}`` his name, ``{c}`` 白/黑, ``{h}`` 先/后, ``{l}`` w/b, ``{r}`` the result."""

    def cell(opponent: int, colour: str, result: object) -> str:
        first = colour == "w"
        return form.format(
            o=opponent, n=NAMES[opponent - 1], c="白" if first else "黑", h="先" if first else "后", l=colour, u=colour.upper(),
            r=results[result],
        )  # fmt: skip

    return cell


WORDS = {1: "胜", 0: "负", 0.5: "和", "+": "弃权胜", "-": "弃权负"}
ABSENT = {1: "胜", 0: "负", 0.5: "平", "+": "胜(缺)", "-": "缺席"}
PLAIN = {1: "胜", 0: "负", 0.5: "和", "+": "胜", "-": "负"}
POINTS = {1: "1", 0: "0", 0.5: "0.5", "+": "1", "-": "0"}
WHOLE = {1: "1.0", 0: "0.0", 0.5: "0.5", "+": "1.0", "-": "0.0"}
TWO = {1: "2", 0: "0", 0.5: "1", "+": "2", "-": "0"}
SIGNS = {1: "+", 0: "-", 0.5: "=", "+": "+", "-": "-"}
STONES = {1: "○", 0: "●", 0.5: "△", "+": "○", "-": "●"}
STYLES = [
    ("{o}{c}{r}", WORDS), ("{o}{c}{r}", ABSENT), ("{o}({h}){r}", WORDS), ("{o}（{h}）{r}", TWO), ("{h}{r}{o}", PLAIN),
    ("{h}手{r}{o}号", PLAIN), ("{r}{o}", PLAIN), ("{o}{r}", PLAIN), ("{o}{r}", SIGNS), ("{o}{u}{r}", SIGNS), ("{r}/{o}", POINTS),
    ("{o}/{r}", POINTS), ("{o}-{r}", POINTS), ("{o}:{r}", POINTS), ("{r}{o}", STONES), ("{o}{r}", STONES), ("{n}{h}{r}", PLAIN),
    ("{r} {n}", PLAIN), ("{n} {r}", WORDS), ("{o}{c}{r}", WHOLE), ("{r}({o})", POINTS), ("{r}{l}{o}", POINTS), ("{o}{c}\n{r}", PLAIN),
    ("第{o}号 {c}方 {r}", PLAIN),
    # "=3" is kept by the workbook as a formula without a value.
    ("{r}{o}", SIGNS), ("{r}{o}{l}", SIGNS),
]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "results"), STYLES, ids=[f"{form}{one[1]}{one['+']}" for form, one in STYLES]
)
def test_cells_in_any_style_are_read(form: str, results: dict[object, str]) -> None:
    (event,) = read(("成绩", [HEADS, *table(by(results, form))]))
    told = results["+"] != results[1]
    assert games(event) == expected("forfeit" if told else "played")
    assert not [fault for fault in event.faults if fault.code == "CK15"]


def test_a_cell_that_cannot_be_read_is_named_by_its_place() -> None:
    rows = table(by(WORDS, "{o}{c}{r}"))
    rows[3][5] = "？？"
    (event,) = read(("成绩", [["标题"], HEADS, *rows]))
    (fault,) = [fault for fault in event.faults if fault.reason == "cell-not-understood"]
    assert (fault.values["column"], fault.line, fault.round, fault.player) == ("F6", 6, 2, 4)


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        (lambda o, c, r: POINTS[r], "results-without-opponents"),
        (lambda o, c, r: "见附表", "results-not-read"),
    ],
)
def test_rounds_without_a_game_are_refused_with_the_first_cell(cell: Cell, reason: str) -> None:
    with pytest.raises(ReadError) as error:
        read(("成绩", [HEADS, *table(cell)]))
    assert error.value.reason == reason
    assert "E2" in error.value.message("zh")


def test_two_columns_a_round_under_one_header() -> None:
    found = entries()
    heads = [["序号", "姓名", "第一轮", "", "第二轮", "", "第三轮", ""], ["", "", *["对手", "得分"] * 3]]
    rows: list[list[object]] = [
        [
            n,
            name,
            *(x for r in (1, 2, 3) for x in (f"{found[r, n][0]}{found[r, n][1]}", POINTS[found[r, n][2]])),
        ]
        for n, name in enumerate(NAMES, 1)
    ]
    (event,) = read(("成绩", [*heads, *rows]))
    assert games(event) == expected("played")


@pytest.mark.parametrize(
    "heads",
    [
        ["一", "二", "三"],
        ["轮1", "轮2", "轮3"],
        ["Ⅰ", "Ⅱ", "Ⅲ"],
        ["R1", "R2", "R3"],
        ["第一轮", "第二轮", "第三轮"],
    ],
)
def test_headers_of_rounds(heads: list[str]) -> None:
    (event,) = read(("成绩", [[*HEADS[:4], *heads], *table(by(WORDS, "{o}{c}{r}"))]))
    assert games(event) == expected("forfeit")


def test_a_repeated_header_does_not_end_the_table() -> None:
    rows = table(by(WORDS, "{o}{c}{r}"))
    (event,) = read(("成绩", [HEADS, *rows[:3], ["（续表）"], HEADS, *rows[3:]]))
    assert games(event) == expected("forfeit")
    assert [fault.values["times"] for fault in event.faults if fault.reason == "heads-again"] == [1]


REFEREES = [
    ["序号", "姓名", "性别", "单位", "职务"],
    [1, "裁判甲", "男", "北京", "裁判长"],
    [2, "裁判乙", "女", "上海", "编排长"],
]
PRIZES = [["名次", "姓名", "单位", "奖金"], [1, "王志远", "北京", 1000], [2, "刘　洋", "浙江", 800]]


def test_referees_prizes_and_other_sheets_are_no_players() -> None:
    result = [HEADS, *table(by(WORDS, "{o}{c}{r}"))]
    (event,) = read(("裁判员名单", REFEREES), ("获奖名单", PRIZES), ("成绩表", result))
    assert event.players["name"].tolist() == list(NAMES)
    assert games(event) == expected("forfeit")
    assert [fault.values["sheet"] for fault in event.faults if fault.reason == "table-left-out"] == [
        "裁判员名单"
    ]


def others(rows: list[list[object]]) -> list[list[object]]:
    return [[row[0], f"女{row[1]}", *row[2:]] for row in rows]


def test_two_groups_are_two_events_in_two_sheets_or_in_one() -> None:
    rows = table(by(WORDS, "{o}{c}{r}"))
    apart = read(("男子组", [["某杯赛"], HEADS, *rows]), ("女子组", [["某杯赛"], HEADS, *others(rows)]))
    stacked = read(("成绩", [["某杯赛"], ["男子组"], HEADS, *rows, ["女子组"], HEADS, *others(rows)]))
    for events in (apart, stacked):
        assert [games(event) for event in events] == [expected("forfeit")] * 2
        assert events[1].players["name"].tolist()[0] == "女王志远"
        assert "女子组" in events[1].name


def test_headers_of_other_offices_and_facts_of_a_merged_line() -> None:
    heads = ["抽签号", "运动员姓名", "参赛单位", "赛前分", "R1", "R2", "R3"]
    line = "比赛时间：2024年12月30日至1月2日      地点：某市棋院      裁判长：李裁判"
    (event,) = read(("成绩", [["某杯赛"], [line], heads, *table(by(WORDS, "{o}{c}{r}"))]))
    assert (event.start, event.end) == (date(2024, 12, 30), date(2025, 1, 2))
    assert (event.place, event.arbiters) == ("某市棋院", ("李裁判",))
    assert event.players["rating"].tolist()[:2] == [1980, 1960]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2024.2.12-2.15", ["2024-02-12", "2024-02-15"]), ("2024/2/12-2/15", ["2024-02-12", "2024-02-15"]),
        ("2024年2月12日—15日", ["2024-02-12", "2024-02-15"]), ("2024年12月30日至1月2日", ["2024-12-30", "2025-01-02"]),
        ("20240212-20240215", ["2024-02-12", "2024-02-15"]), ("二〇二四年二月十二日至十五日", ["2024-02-12", "2024-02-15"]),
        ("2月12日—15日", ["2024-02-12", "2024-02-15"]), ("2024-02-12", ["2024-02-12"]), ("某杯赛", []),
    ],
)  # fmt: skip
def test_days_as_they_are_written(text: str, days: list[str]) -> None:
    assert [day.isoformat() for day in fields.days_of(text, 2024)] == days


@pytest.mark.parametrize(
    "text", ["1990", "1990-01", "1990.1", "1990年1月", "1990年", "199001", "一九九〇年一月", "1990.0"]
)
def test_a_month_of_birth_says_the_year(text: str) -> None:
    assert fields.read_birth(text) == (1990.0, "")


@pytest.mark.parametrize("text", ["8600001", "8600001.0", "'8600001", "'8600001'", '="8600001"', "8,600,001"])
def test_ids_as_people_and_spreadsheets_write_them(text: str) -> None:
    assert fields.read_id(text) == "8600001"


def test_ratings_with_marks_are_read_and_said() -> None:
    rows = table(by(WORDS, "{o}{c}{r}"))
    for row, text in zip(rows, ["2012分", "1956*", "2000P", "(1800)", "1800/12", "1850(暂定)"], strict=True):
        row[3] = text
    (event,) = read(("成绩", [HEADS, *rows]))
    assert event.players["rating"].tolist() == [2012, 1956, 2000, 1800, 1800, 1850]
    assert [fault.values["times"] for fault in event.faults if fault.reason == "rating-marked"] == [6]


def test_a_matrix_with_words_names_and_signs() -> None:
    result = {(1, 2): "胜", (2, 1): "负", (1, 3): "和", (3, 1): "和", (2, 3): "负", (3, 2): "胜"}
    signs = {"胜": "+", "负": "-", "和": "="}
    names = NAMES[:3]
    wanted = {(1, 2, "1"), (1, 3, "="), (2, 3, "0")}
    for heads, way in (([1, 2, 3], str), (list(names), str), ([1, 2, 3], signs.__getitem__)):
        rows: list[list[object]] = [
            [i, names[i - 1], "北京", *("╲" if i == j else way(result[i, j]) for j in (1, 2, 3))]
            for i in (1, 2, 3)
        ]
        (event,) = read(("循环", [["序号", "姓名", "单位", *heads], *rows]))
        opposite = {"1": "0", "0": "1", "=": "="}
        found = {
            (a, b, x) if a < b else (b, a, opposite[x])
            for a, b, x, kind in event.games[["first", "second", "first_result", "kind"]].itertuples(
                index=False
            )
            if kind == "played"
        }
        assert found == wanted
