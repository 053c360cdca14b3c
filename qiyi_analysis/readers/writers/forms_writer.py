"""Blank forms for event offices: workbooks that are read back without a question.

Each has a title, a line of facts, headers that are known, two example rows and lists to choose from.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

#: Rows below the examples for which cells may be chosen from a list.
_ROWS = 200
_SEXES = ["男", "女"]
_FACTS = "比赛时间：2025年5月1日至5月3日　比赛地点：某市　裁判长：张三　用时：每方60分钟"
_CALCULATION_FACTS = "比赛名称：2025年某某杯赛　比赛地点：某市　比赛日期：2025.5.1-5.3　赛制：积分编排　轮数：3　计算人：李四　统计期：2025年5月"


@dataclass(frozen=True, slots=True)
class Form:
    """One form: name of the file, title, facts, headers, example rows, lists to choose from by header, how it is filled in."""

    name: str
    title: str
    facts: str
    heads: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    choices: dict[str, list[str]]
    hint: str


_PERSON = ("序号", "姓名", "性别", "单位", "注册号", "等级分")
_ONE = (1, "示例甲", "男", "北京", "100001", 1850)
_OTHER = (2, "示例乙", "女", "上海", "100002", 1780)
_CELLS = "各轮写：对手序号、颜色（白黑或红黑、先后）、结果（胜负和）；弃权写“弃权胜”“弃权负”，轮空写“轮空”。例：12白胜、5黑和、3白弃权胜。"

FORMS = (
    Form(
        "个人瑞士制", "2025年某某杯国际象棋公开赛（积分编排）成绩表", _FACTS,
        (*_PERSON, *(f"第{r}轮" for r in range(1, 10)), "积分", "名次"),
        (
            (*_ONE, "2白胜", *[""] * 8, 1, 1),
            (*_OTHER, "1黑负", *[""] * 8, 0, 2),
        ),
        {"性别": _SEXES}, _CELLS,
    ),
    Form(
        "单循环", "2025年某某杯国际象棋单循环赛成绩表", _FACTS,
        (*_PERSON, "1", "2", "积分", "名次"),
        ((*_ONE, "×", "1", 1, 1), (*_OTHER, "0", "×", 0, 2)),
        {"性别": _SEXES}, "一名棋手一行一列，自己对自己处写“×”；结果写 1、0、0.5，弃权写 +、-。增加棋手时在“2”的右边加列 3、4……。",
    ),
    Form(
        "团体", "2025年某某杯国际象棋团体赛第1轮对阵及成绩", _FACTS,
        ("台", "", "甲队", "等级分", "-", "", "乙队", "等级分", "结果"),
        (
            ("1", "", "北京队", "", "-", "", "上海队", "", "1½:½"),
            ("1.1", "", "示例甲", 1850, "-", "", "示例乙", 1780, "1 - 0"),
            ("1.2", "", "示例丙", 1700, "-", "", "示例丁", 1720, "½ - ½"),
        ),
        {}, "每轮一张工作表，工作表名写“第1轮”等；每场先写一行两队和总比分，再一台一行：1.1 为第1场第1台。结果按两队的顺序写。",
    ),
    Form(
        "等级分计算表", "国际象棋等级分计算表", _CALCULATION_FACTS,
        (
            *_PERSON[:4], "等级称号", "原等级分(Ro)", "第1轮", "第2轮", "第3轮", "局数(N)", "对手平均分(Ra)", "分差(D)", "预期得分率(Pc)",
            "预期局分(We)", "实得局分(W)", "W-We", "K", "升降值(ΔR)", "新等级分(Rn)", "备注",
        ),
        (
            (*_ONE[:4], "", 1850, "2白胜", *[""] * 13),
            (*_OTHER[:4], "", 1780, "1黑负", *[""] * 13),
        ),
        {"性别": _SEXES}, _CELLS + "计算各栏可以不填，由程序复算。",
    ),
    Form(
        "等级分表", "某某协会国际象棋等级分表（2025年5月）", "",
        ("注册号", "姓名", "性别", "单位", "出生年月", "称号", "等级分", "K值"),
        (("100001", "示例甲", "男", "北京", "1998-05", "", 1850, 20), ("100002", "示例乙", "女", "上海", "2005-11", "", 1780, 20)),
        {"性别": _SEXES}, "每名棋手一行；注册号写成文本，不要丢掉前面的零。",
    ),
)  # fmt: skip


def form_bytes(form: Form) -> bytes:
    """The workbook of a form; its second sheet says how it is filled in and is not read."""
    import xlsxwriter

    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"in_memory": True})
    title, head, cell = (
        book.add_format(one)
        for one in (
            {"bold": True, "font_size": 14},
            {"bold": True, "border": 1, "bg_color": "#E8EEF4"},
            {"border": 1},
        )
    )
    sheet = book.add_worksheet("第1轮" if form.name == "团体" else "成绩" if form.facts else "等级分表")
    sheet.write_string(0, 0, form.title, title)
    if form.facts:
        sheet.write_string(1, 0, form.facts)
    for place, text in enumerate(form.heads):
        sheet.write_string(3, place, text, head)
    for line, row in enumerate(form.rows, 4):
        for place, value in enumerate(row):
            sheet.write(line, place, value, cell) if not isinstance(value, str) else sheet.write_string(
                line, place, value, cell
            )
    for name, texts in form.choices.items():
        place = form.heads.index(name)
        sheet.data_validation(4, place, 4 + _ROWS, place, {"validate": "list", "source": texts})
    if "等级分" in form.heads:
        place = form.heads.index("等级分")
        sheet.data_validation(
            4, place, 4 + _ROWS, place,
            {"validate": "integer", "criteria": "between", "minimum": 0, "maximum": 4000, "error_title": "等级分", "error_message": "请写整数；没有等级分的留空。"},
        )  # fmt: skip
    sheet.set_column(1, 1, 12)
    sheet.freeze_panes(4, 2)
    help_ = book.add_worksheet("怎样填")
    help_.write_string(0, 0, f"{form.hint}示例行请删去。")
    help_.set_column(0, 0, 100)
    book.close()
    return stream.getvalue()
