"""What stands below the players of a report: signatures, the day of signing, sums. None of them is a player."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import Workbook

from qiyi_analysis import audit, read_event
from qiyi_analysis.model.event import Event

HEAD = [
    ["样品杯国际象棋公开赛"], ["比赛日期：2024年5月1日至5月3日", "赛制：单循环", "轮数：3"],
    ["裁判长：甲裁（国家级）", "副裁判长：乙裁（国家级）、丙裁（一级）"],
    ["序号", "姓名", "性别", "原等级分", "第1轮", "第2轮", "第3轮", "积分", "升降值(ΔR)"],
]  # fmt: skip
# Average of the four 1550, D 50, 30, -20, -60: Pa .57, .54, .47, .42, We 1.78, 1.66, 1.38, 1.18.
PLAYERS = [
    ["1", "王一", "男", "1600", "白4胜", "黑3和", "白2胜", "2.5", "7.2"],
    ["2", "李二", "男", "1580", "白3和", "白4胜", "黑1负", "1.5", "-1.6"],
    ["3", "张三", "男", "1530", "黑2和", "白1和", "黑4胜", "2", "6.2"],
    ["4", "赵四", "男", "1490", "黑1负", "黑2负", "白3负", "0", "-11.8"],
]
BELOW = [
    [["裁判长签字：", "日期：2024年6月9日"]],
    [["裁判长签字：", "", "", "日期：", "2024年6月9日"]],
    [["裁判长：", "日期：2024年6月9日"]],
    [["", "裁判长签字：甲裁", "", "", "日期：2024年6月9日"]],
    [["制表人", "甲裁", "", "审核", "乙裁"]],
    [["制表人：甲裁", "审核人：乙裁", "2024年6月9日"]],
    [["合计", "", "", "6200", "", "", "", "6", "0.0"], ["平均", "", "", "1550", "", "", "", "1.5"]],
    [["", "平均等级分", "", "1550"]],
    [["备注：", "本表一式三份"], ["日期：2024年6月9日"]],
]


def report(folder: Path, cells: list[list[str]], kind: str = "csv") -> Path:
    path = folder / f"report.{kind}"
    if kind == "csv":
        path.write_text("\n".join(",".join(row) for row in cells) + "\n", encoding="utf-8")
        return path
    book = Workbook()
    for row in cells:
        book.active.append(
            [float(c) if c.replace(".", "", 1).lstrip("-").isdigit() else c or None for c in row]
        )
    book.save(path)
    return path


def names(event: Event) -> list[str]:
    return event.players["name"].tolist()


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize("below", BELOW, ids=lambda rows: rows[0][0] or rows[0][1])
@pytest.mark.parametrize("blank", [False, True])
def test_what_stands_below_is_no_player(
    tmp_path: Path, below: list[list[str]], kind: str, blank: bool
) -> None:
    event = read_event(report(tmp_path, [*HEAD, *PLAYERS, *([[""]] if blank else []), *below], kind))
    assert names(event) == ["王一", "李二", "张三", "赵四"]
    assert (str(event.start), str(event.end)) == ("2024-05-01", "2024-05-03")
    assert event.arbiters == ("甲裁（国家级）", "乙裁（国家级）", "丙裁（一级）")
    result = audit(event, ["cca/rating"])
    assert result.comparison["agrees"].tolist() == [True] * 4
    told = [f.code for f in result.findings if str(f.severity) != "I"]
    assert not {"CK06", "CK26", "CK30", "CK35"} & set(told)


def test_the_day_of_signing_is_not_the_day_of_the_event(tmp_path: Path) -> None:
    for below in (["日期：2024年6月9日"], ["2024年6月9日"], ["裁判长签字：", "日期：2024年6月9日"]):
        event = read_event(report(tmp_path, [HEAD[0], *HEAD[2:], *PLAYERS, below]))
        assert event.start is None
    event = read_event(report(tmp_path, [HEAD[0], *HEAD[2:], *PLAYERS, ["比赛日期：2024年5月1日"]]))
    assert str(event.start) == "2024-05-01"


def test_a_player_with_an_odd_number_or_name_stays(tmp_path: Path) -> None:
    odd = [["", "钱五", "男", "1500"], ["6.", "平一", "男", "1500"], ["A7", "总可", "女", "1400"]]
    event = read_event(report(tmp_path, [*HEAD, *PLAYERS, *odd]))
    assert names(event) == ["王一", "李二", "张三", "赵四", "钱五", "平一", "总可"]
