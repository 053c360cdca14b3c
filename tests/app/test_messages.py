"""What findings say: words where a word exists, in the language of the reader; codes stay in the JSON."""

from __future__ import annotations

import ast
import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from qiyi_analysis import audit, read_event, read_list, words
from qiyi_analysis.app.cli.output import finding_line
from qiyi_analysis.model.errors import EventError, ReadError, RulesetError
from qiyi_analysis.model.event import GAME_COLUMNS, KINDS, PLAYER_COLUMNS, TEAM_COLUMNS, Kind
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.rating_list import LIST_COLUMNS
from qiyi_analysis.readers.faults import MOST_PER_REASON, Faults
from qiyi_analysis.readers.tables.crosstable import Cell
from qiyi_analysis.readers.trf import scoring as trf_points
from qiyi_analysis.report.kit.page import Page
from qiyi_analysis.report.sections.standings import working_table
from qiyi_analysis.rules.ruleset import in_force, resolve, ruleset
from qiyi_analysis.tiebreaks import standings
from qiyi_analysis.titles import titles

EVENT = Path(__file__).resolve().parents[2] / "data" / "events" / "constructed-open-2025"


def folder(place: Path, games: str = "", players: str = "", **meta: Any) -> Path:
    """The shipped event with other games, players or facts."""
    place.mkdir()
    for name, text in (("players.csv", players), ("games.csv", games)):
        (place / name).write_text(text or (EVENT / name).read_text(encoding="utf-8"), encoding="utf-8")
    facts = json.loads((EVENT / "meta.json").read_text(encoding="utf-8"))
    (place / "meta.json").write_text(json.dumps(facts | meta), encoding="utf-8")
    return place


def of(findings: Any, reason: str) -> Finding:
    return next(one for one in findings if one.reason == reason)


# --- codes are said in words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != Kind.PLAYED])
def test_a_kind_of_game_is_said_in_words_and_kept_as_its_code(kind: Kind) -> None:
    faults = Faults("event.trf")
    faults.add("CK19", "bye-letter", round=3, player=7, read="=", assumed=kind)
    (finding,) = faults.findings()
    assert finding.recomputed == finding.as_dict()["recomputed"] == str(kind)
    assert str(kind) not in finding.message("zh")
    assert finding.value("recomputed", "zh") in finding.message("zh")
    assert finding.value("recomputed", "en") in finding.message("en")


def test_byes_of_a_report_file(tmp_path: Path) -> None:
    report = tmp_path / "event.trf"
    report.write_text(
        "012 Open\nXXR 1\n"
        "001    1 m    Berger, Anna                      2000 GER     1234567 2000/01/01  0.5    1  0000 - =  \n",
        encoding="utf-8",
    )
    finding = of(read_event(report).faults, "bye-letter")
    assert finding.recomputed == "half_bye"
    assert finding.message("zh") == "1 号第 1 轮无对手而写“0000 - =”；按“半分轮空”处理"


def test_a_free_round_written_as_a_game(tmp_path: Path) -> None:
    games = "round,white,black,white_score,black_score,kind\n1,1,2,1,0,\n1,3,,0.5,,\n1,4,,0,,played\n"
    faults = read_event(folder(tmp_path / "e", games)).faults
    found = [one for one in faults if one.reason == "bye-kind-assumed"]
    assert [one.recomputed for one in found] == ["half_bye", "zero_bye"]
    assert found[0].message("zh") == "没有对手，类型却是“空白”；按“半分轮空”处理"
    assert found[1].message("zh") == "没有对手，类型却是“played”；按“缺席”处理"
    assert found[1].message("en") == "there is no opponent but the kind reads 'played'; taken as absent"


def test_byes_put_in_for_the_points() -> None:
    faults = Faults("event.trf")
    for code, word in (("H", "半分轮空"), ("F", "整分轮空")):
        rounds = [{7: Cell(0, "", "", 5)}]
        trf_points._fill(rounds, 0, 7, code, faults, str, "I")
        finding = faults.findings()[-1]
        assert (finding.published, finding.recomputed) == ("blank", code)
        assert finding.message("zh") == f"7 号第 1 轮为“空白”，而公布积分多出；按“{word}”处理"


def test_what_is_not_listed_one_by_one_is_named_by_its_check() -> None:
    faults = Faults("event.trf")
    for line in range(MOST_PER_REASON + 3):
        faults.add("CK15", "result-unreadable", line=line)
    assert of(faults.findings(), "more-of-the-same").message("zh") == (
        "另有 3 处同类问题（CK15 双方结果相符）未逐条列出"
    )


def test_disciplines_formats_and_columns_are_told_as_people_write_them(tmp_path: Path) -> None:
    event = read_event(
        folder(tmp_path / "e", players="no,name\n1,A\n2,B\n", games="round,white,black\n1,1,2\n", game="ludo",
               scoring={"win": 0, "loss": 0})
    )  # fmt: skip
    assert of(event.faults, "discipline-unknown").message("zh") == "棋种“ludo”不认识；按 国际象棋 处理"
    assert of(event.faults, "discipline-unknown").recomputed == "chess"
    assert of(event.faults, "column-missing").message("zh") == "缺少列“rating”；表头有：no、name"
    assert (
        of(event.faults, "column-missing").message("en") == "column rating is missing; the heads are no, name"
    )
    assert '{"win": 0, "loss": 0}' in of(event.faults, "scoring-unreadable").message("zh")
    others = titles(event, ruleset("cxa/titles/undated"))
    assert of(others.findings, "titles-other-discipline").message("zh").endswith("用于象棋，本比赛是国际象棋")


def test_repeated_pairs_name_the_format(tmp_path: Path) -> None:
    games = "round,white,black,white_score,black_score\n" + "".join(
        f"{r},{a},{b},1,0\n" for r in (1, 2) for a, b in ((1, 2), (3, 4), (5, 6), (7, 8))
    )
    found = audit(read_event(folder(tmp_path / "e", games, format="swiss"))).findings
    finding = of(found, "pairs-repeated")
    assert finding.published == "swiss"
    assert "与赛制“积分编排”不符" in finding.message("zh")


def test_documents_of_another_kind_are_named_in_words() -> None:
    with pytest.raises(RulesetError) as caught:
        titles(read_event(EVENT), ruleset("fide/rating-standard/2024-03-01"))
    assert caught.value.message("zh") == "fide/rating-standard/2024-03-01：该规则（等级分 类）中没有称号规定"


# --- fields have names ------------------------------------------------------------------------------------------------------


def fields_named(project: Path) -> set[str]:
    """The columns of the model, and every field that the code gives to a finding whose words name it."""
    telling = {
        path.removeprefix("finding.") for path in words.keys("finding.") if "{field}" in template(path)
    }
    found = {*PLAYER_COLUMNS, *GAME_COLUMNS, *TEAM_COLUMNS, *LIST_COLUMNS} - {"line"}
    for path in (project / "qiyi_analysis").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                given = {word.arg: word.value for word in node.keywords}
                reasons = {
                    one.value for one in [*node.args, given.get("reason")] if isinstance(one, ast.Constant)
                }
                field = given.get("field")
                if reasons & telling and isinstance(field, ast.Constant):
                    found.add(field.value)
    return found


def template(key: str) -> str:
    """The text as it stands in the words, its fields not filled."""
    return words.text(key, "zh", **{name: f"{{{name}}}" for name in ("field", "column")})


def test_every_field_that_is_told_has_a_name(project: Path) -> None:
    found = fields_named(project)
    assert {"komi", "Date", "match_points", "last_event"} <= found
    assert not sorted(name for name in found if not words.has(f"field.{name}"))


@pytest.mark.parametrize(
    ("given", "chinese", "english"),
    [
        ("2025.05.02", "开始日期：日期写法不合规定“2025.05.02”；读作 2025-05-02", "first day: date '2025.05.02' is not"),
        ("02/05/2025", "开始日期：“02/05/2025”日月次序不明", "first day: day and month of '02/05/2025'"),
        ("soon", "开始日期：日期“soon”无法读取", "first day: date 'soon' cannot be read"),
    ],
)  # fmt: skip
def test_dates_are_named(tmp_path: Path, given: str, chinese: str, english: str) -> None:
    finding = next(f for f in read_event(folder(tmp_path / "e", start=given)).faults if f.code == "CK03")
    assert finding.as_dict()["field"] == "start"
    assert finding.message("zh").startswith(chinese)
    assert finding.message("en").startswith(english)


def test_a_field_without_a_name_keeps_its_own() -> None:
    finding = Finding(
        code="CK47", reason="list-value", field="Rtg_std2", published="x", values={"name": "Adler"}
    )
    assert finding.message("zh") == "Adler：Rtg_std2“x”无法读取；视为未知"


# --- lists are joined as the language joins them ----------------------------------------------------------------------------


def test_values_are_joined_by_language() -> None:
    said = words.joined([1, words.Said("two", "二"), "three"], 2)
    assert (said, said.zh) == ("1, two ...", "1、二……")
    assert words.joined(["a, b", "c"], parts=True).zh == "a, b；c"
    assert words.joined([]) == words.joined([]).zh == ""
    assert words.listed((1, 2), "zh") == "1、2"


def test_no_list_is_joined_with_an_english_comma(project: Path) -> None:
    """A text that reaches people joins its values by :func:`words.joined`; what is left are codes, names and messages
    to programmers."""
    allowed = {
        "qiyi_analysis/report/kit/tables.py", "qiyi_analysis/readers/go/h9.py", "qiyi_analysis/readers/go/wall_list.py", "qiyi_analysis/research/history/games.py",
        "qiyi_analysis/research/sweeps/k_schedule.py", "qiyi_analysis/research/sweeps/sweep_candidates.py", "qiyi_analysis/titles/norm_sheets.py",
        "qiyi_analysis/titles/places.py", "qiyi_analysis/app/cli/rules.py", "qiyi_analysis/rules/vocabulary.py",
    }  # fmt: skip
    found = {
        f"{path.relative_to(project).as_posix()}:{number}"
        for path in sorted((project / "qiyi_analysis").rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"""["'][,;] ["']\.join\(""", line)
    }
    assert not sorted(place for place in found if place.partition(":")[0] not in allowed)


def test_findings_of_the_shipped_event_join_their_values(tmp_path: Path) -> None:
    players = "no,name,sex,rating\n" + "".join(f"{n},P{n},,\n" for n in range(1, 17) if n not in (3, 4))
    games = "round,white,black,white_score,black_score\n1,1,2,1,0\n1,1,5,1,0\n"
    found = audit(read_event(folder(tmp_path / "e", games, players))).findings
    assert of(found, "twice-in-a-round").message("zh") == "1 号在第 1 轮出现 2 次（对手：2、5）"
    assert "缺 3、4" in of(found, "numbers-missing").message("zh")
    assert "missing 3, 4" in of(found, "numbers-missing").message("en")


# --- names that are not known: the nearest, and where all are seen ----------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "chinese"),
    [
        (
            "fide/xx",
            "没有规则“fide/xx”；相近的有 fide/rating-blitz、fide/rating-rapid、fide/rating-standard、",
        ),
        ("fide/rating-standart", "没有规则“fide/rating-standart”；相近的有 fide/rating-standard、"),
        ("cca", "没有规则“cca”；相近的有 cca/"),
        ("zzz/qq", "没有规则“zzz/qq”；qiyi rules list 列出全部"),
    ],
)
def test_unknown_rules_name_the_nearest_and_who_lists_all(typed: str, chinese: str) -> None:
    with pytest.raises(RulesetError) as caught:
        resolve(typed)
    assert caught.value.message("zh").startswith(chinese)
    assert caught.value.message("zh").endswith("；qiyi rules list 列出全部")
    assert caught.value.message("en").endswith("; qiyi rules list shows all")
    with pytest.raises(RulesetError) as caught:
        in_force(typed, date(2024, 1, 1))
    assert caught.value.message("zh").endswith("；qiyi rules list 列出全部")


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("Anand Vishwanathan", "3 Anand, Viswanathan"), ("Anad", "3 Anand, Viswanathan"), ("Carlson", "1 Carlsen, Magnus"),
        ("Viswanathan Anand", "3 Anand, Viswanathan"), ("Nobody Whatever", ""), ("99", ""),
    ],
)  # fmt: skip
def test_an_unknown_player_is_answered_with_the_nearest(typed: str, near: str) -> None:
    event = read_event(EVENT.parent / "nanjing-2010")
    people = [f"{n} {name}" for n, name in zip(event.players["number"], event.players["name"], strict=True)]
    assert near in ("", *people)
    with pytest.raises(EventError) as caught:
        event.find_player(typed)
    said = caught.value.message("zh")
    assert said.startswith(f"nanjing-2010：没有棋手“{typed}”" + (f"；相近的有 {near}" if near else "；应为"))
    assert said.endswith("qiyi standings 列出编号")


def test_players_it_may_be_are_joined_by_language(tmp_path: Path) -> None:
    players = "no,name,rating\n" + "".join(f"{n},王{c},2000\n" for n, c in enumerate("一二三四五六", 1))
    with pytest.raises(EventError) as caught:
        read_event(
            folder(tmp_path / "e", "round,white,black,white_score,black_score\n1,1,2,1,0\n", players)
        ).find_player("王")
    assert caught.value.message("zh").endswith("对应多名棋手：1 王一、2 王二、3 王三、4 王四、5 王五……")


# --- points cite the scoring of the event: the rules on tie-breaks leave it to the event --------------------------------------


@pytest.mark.parametrize(
    ("event", "chinese", "english"),
    [
        ("nanjing-2010", "本比赛的记分办法：1、0.5、0", "scoring of the event: 1, 0.5, 0"),
        ("constructed-xiangqi-2024", "本比赛的记分办法：2、1、0", "scoring of the event: 2, 1, 0"),
    ],
)
def test_the_points_say_where_they_come_from(event: str, chinese: str, english: str) -> None:
    result = standings(read_event(EVENT.parent / event), "PTS")
    for language, text in (("zh", chinese), ("en", english)):
        assert (
            text
            in working_table(Page(language, "standings"), result, 1, "PTS")._repr_mimebundle_()["text/plain"]
        )


# --- an article stands once -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["nanjing-2010", "constructed-xiangqi-2024", "constructed-open-2025"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_line_names_its_rules_once(event: str, language: str) -> None:
    found = audit(read_event(EVENT.parent / event)).findings
    assert any(one.article for one in found)
    for finding in found:
        if finding.article:
            assert finding_line(finding, language).count(finding.article) == 1, finding_line(
                finding, language
            )
        assert finding.cited(language) in ("", finding.article)


def test_the_article_is_beside_a_message_that_does_not_name_it() -> None:
    finding = Finding(code="CK44", reason="event-without-games", article="fide/titles/2024-01-01 1.4")
    assert (
        finding_line(finding, "zh")
        == "-: CK44 I: 文件没有对局；若为等级分表，请用 qiyi publish (fide/titles/2024-01-01 1.4)"
    )


# --- workbooks without a usable sheet ---------------------------------------------------------------------------------------


def workbook(place: Path, **sheets: list[list[str]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(place)
    return place


def test_a_workbook_without_a_usable_sheet_is_told_with_what_was_seen(tmp_path: Path) -> None:
    place = workbook(
        tmp_path / "other.xlsx",
        说明=[["2024 年"], ["日期", "内容"], ["1", "x"]],
        Prices=[["item", "price"]],
        Empty=[],
    )
    for read in (read_event, read_list):
        with pytest.raises(ReadError) as caught:
            read(place)
        said = caught.value.message("zh")
        assert (
            "；读到：工作表“说明”（日期、内容）；工作表“Prices”（item、price）；工作表“Empty”（空）；应有一行写明"
            in said
        )
        assert (
            "read sheet '说明' (日期, 内容); sheet 'Prices' (item, price); sheet 'Empty' (empty); expected"
            in str(caught.value)
        )
        assert ("--columns" if read is read_event else "--mapping") in said
    table = tmp_path / "other.csv"
    table.write_text("item,price\na,1\n", encoding="utf-8")
    with pytest.raises(ReadError) as caught:
        read_event(table)
    assert "；读到：item、price；应有一行" in caught.value.message("zh")


def test_a_list_is_found_on_the_sheet_that_has_it(tmp_path: Path) -> None:
    place = workbook(
        tmp_path / "list.xlsx",
        说明=[["日期", "内容"]],
        等级分=[["编号", "姓名", "等级分"], ["1", "甲", "2000"]],
    )
    assert read_list(place).rows["name"].tolist() == ["甲"]
