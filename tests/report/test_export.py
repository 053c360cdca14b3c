"""PDF and HTML of documents: text, outline, pages, hostile data, missing characters, the same bytes twice."""

from __future__ import annotations

import io
import json
import re
import shutil
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pypdf
import pytest

from qiyi_analysis.model.errors import ReportError
from qiyi_analysis.report.export import Document, Letterhead, document, page, pdf, read_letterhead
from qiyi_analysis.report.export.table_layout import ACROSS, UPRIGHT, arranged
from qiyi_analysis.report.kit import blocks, fonts, plots
from qiyi_analysis.report.kit.page import Page
from qiyi_analysis.report.kit.tables import Column, Table

HOSTILE = [
    "<script>alert(1)</script>",
    "=cmd|'/C calc'!A0",
    '#include("x")',
    r"\input{x}",
    "$(x)",
    "$x$",
    '#read("/etc/passwd")',
    "*a* _b_ `c`",
    "@label <label> //x",
]


ZH = Page("zh")


def column(key: str, kind: str, zh: str, en: str = "") -> Column:
    return Column(key, kind, (zh, en))


def players(names: list[str], language: str = "zh") -> Table:
    columns = [
        column("n", "integer", "序号", "No."),
        column("name", "name", "姓名", "Name"),
        column("change", "signed", "升降值", "Change"),
        column("points", "points", "得分", "Points"),
    ]
    rows = [(i, name, Decimal(i) - Decimal("1.95"), i / 2) for i, name in enumerate(names, 1)]
    return Table("players", columns, rows, caption=("棋手", "Players"), language=language)


def made(*pieces: Any, language: str = "zh", title: str = "审核报告") -> Document:
    return Document(title, language, [piece.block() for piece in pieces])


def text_of(data: bytes) -> str:
    return "\n".join(sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(data)).pages)


def joined(text: str) -> str:
    return re.sub(r"[\s\u200b]+", "", text)


@pytest.fixture(scope="module")
def report() -> Document:
    ax = plots.scatter([1, 2, 3], [1, 2, 4], identity=True, names=HOSTILE[:3], marked=[True, False, True])
    plots.label(ax, "复算  Recomputed", "公布  Published")
    chart = plots.Figure(ax.figure, ("散点图", "Scatter"), ("公布与复算", "Published and recomputed"), "zh")
    return made(
        ZH.title("副题", {("比赛", "Event"): "南京"}, text=("审核报告", "Audit")),
        ZH.verdict("return", ("退回", "Return"), "两处不符。"),
        ZH.heading(text=("棋手", "Players")),
        players([f"棋手{i:03d}，名字写得很长，因此表格占满版心" for i in range(120)]),
        ZH.heading(level=3, text=("图", "Figures")),
        chart,
        ZH.heading(text=("信", "Letter")),
        ZH.letter(
            "关于更正", "裁判长：", paragraphs=["请更正："], items=["第一轮", "第二轮"], closing=["此致"]
        ),
        ZH.signature(),
    )


@pytest.fixture(scope="module")
def report_pdf(report: Document) -> bytes:
    return pdf(report, datetime(2010, 10, 30, tzinfo=UTC))


def test_pdf_twice_is_the_same(report: Document, report_pdf: bytes) -> None:
    assert pdf(report, datetime(2010, 10, 30, tzinfo=UTC)) == report_pdf


def test_page_twice_is_the_same(report: Document) -> None:
    assert page(report) == page(report)


def test_pdf_holds_the_words(report_pdf: bytes) -> None:
    text = joined(text_of(report_pdf))
    for words in (
        "审核报告",
        "Audit",
        "退回",
        "Return",
        "棋手119",
        "此致",
        "计算人",
        "复核人",
        "盖章",
        "公布Published",
    ):
        assert words in text


def test_heads_repeat_and_pages_are_numbered(report_pdf: bytes) -> None:
    sheets = [joined(sheet.extract_text()) for sheet in pypdf.PdfReader(io.BytesIO(report_pdf)).pages]
    assert len(sheets) >= 3
    for number, sheet in enumerate(sheets, 1):
        assert f"第{number}页，共{len(sheets)}页" in sheet
    assert sum("姓名Name" in sheet or "升降值Change" in sheet or "升降值" in sheet for sheet in sheets) >= 2


def test_outline_language_tags_and_title(report_pdf: bytes) -> None:
    reader = pypdf.PdfReader(io.BytesIO(report_pdf))
    titles = [item.title for item in _flat(reader.outline)]
    assert titles == ["棋手 Players", "图 Figures", "信 Letter"]
    assert reader.metadata is not None
    assert reader.metadata.title == "审核报告"
    assert str(reader.metadata.creation_date).startswith("2010-10-30")
    root: Any = reader.trailer["/Root"]
    assert root["/Lang"] == "zh-CN"
    assert root["/MarkInfo"]["/Marked"]
    assert "/StructTreeRoot" in root
    box = reader.pages[0].mediabox
    assert (round(float(box.width)), round(float(box.height))) == (595, 842)


def _flat(outline: Any) -> list[Any]:
    return [leaf for item in outline for leaf in (_flat(item) if isinstance(item, list) else [item])]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_text_in_every_piece(name: str) -> None:
    found = made(
        ZH.title(name, {name: name}, text=name),
        ZH.heading(text=name),
        ZH.verdict("accept", (name, name), name),
        players([name]),
        ZH.letter(name, name, paragraphs=[name], items=[name], closing=[name]),
        ZH.bullets([name]),
        title=name,
    )
    text = joined(text_of(pdf(found)))
    assert text.count(joined(name)) >= 8
    html = page(found)
    assert "<script" not in html
    assert html.count(blocks.escape(name)) >= 8


def test_names_of_500_characters_stay_on_the_page() -> None:
    names = ["x" * 500, "长" * 500, "a b " * 125, "ł" * 500]
    data = pdf(made(players(names), ZH.prose("y" * 500), ZH.heading(text="z" * 500), title="t" * 500))
    text = joined(text_of(data))
    assert "x" * 500 in text
    assert "长" * 500 in text
    for sheet in pypdf.PdfReader(io.BytesIO(data)).pages:
        edge = float(sheet.mediabox.width) - 40
        sheet.extract_text(visitor_text=lambda t, cm, tm, fd, fs, edge=edge: _within(t, cm, tm, edge))


def _within(text: str, cm: Any, tm: Any, edge: float) -> None:
    if text.strip():
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        assert -1 <= x <= edge + 1, (text[:20], x)


def test_missing_characters_are_replaced_and_listed() -> None:
    found = made(players(["𠮷田", "王", "a\u202eb", "Łódź Ő", "♔"]), title="表")
    text = joined(text_of(pdf(found)))
    assert text.count("〓[U+20BB7]") >= 3
    assert "无法显示的字符" in text
    assert "a〓[U+202E]b" in text
    assert "Łódź" in text
    assert "♔" in text
    assert "𠮷田" in page(found)


def test_text_in_a_figure_is_covered_too() -> None:
    middle = [1, 2, 3]
    ax = plots.intervals(["𠮷", "a\u202eb", "<b>&"], middle, middle, middle)
    chart = plots.Figure(ax.figure, "图", "图", "zh")
    assert "〓[U+202E]" in chart.block()["svg"]
    assert "〓[U+20BB7]" in joined(text_of(pdf(made(ZH.heading(text="图"), chart))))


def test_every_character_of_gb2312_is_covered() -> None:
    for row in range(0xB0, 0xF8):
        for cell in range(0xA1, 0xFF):
            if row == 0xD7 and cell > 0xF9:
                continue
            assert fonts.can_show(bytes([row, cell]).decode("gb2312"))


@pytest.mark.parametrize(("count", "across"), [(12, False), (24, False), (40, False)])
def test_cross_tables_fit(count: int, across: bool) -> None:
    heads = [column("n", "integer", "号", "No."), column("name", "name", "姓名", "Name")]
    cells = [column(str(i), "code", str(i)) for i in range(1, count + 1)]
    columns = [*heads, *cells, column("p", "points", "分", "Pts")]
    rows = [[i, "欧阳震华", *["½"] * count, i / 2] for i in range(count)]
    parts = arranged(Table("cross", columns, rows, caption="循环表").block(), str)
    assert len(parts) == 1
    assert parts[0]["across"] is across
    assert sum(parts[0]["widths"]) <= (ACROSS if across else UPRIGHT) + 0.1


def test_fifteen_rounds_fit() -> None:
    heads = [
        column("n", "integer", "号", "No."),
        column("name", "name", "姓名", "Name"),
        column("r", "integer", "等级分"),
    ]
    rounds = [column(f"r{i}", "code", f"第{i}轮", f"R{i}") for i in range(1, 16)]
    rows = [[i, "Nakamura, Hikaru", 2750, *["123w½"] * 15, 7.5] for i in range(30)]
    block = Table("swiss", [*heads, *rounds, column("p", "points", "分", "Pts")], rows).block()
    parts = arranged(block, str)
    assert len(parts) == 1
    assert sum(parts[0]["widths"]) <= ACROSS + 0.1


@pytest.mark.parametrize(("count", "fold"), [(23, 1), (24, 3), (120, 3)])
def test_long_narrow_tables_are_folded(count: int, fold: int) -> None:
    table = players([f"棋手{i:03d}" for i in range(count)])
    part = arranged(table.block(), str)[0]
    assert part["fold"] == fold
    assert fold * sum(part["widths"]) + (fold - 1) * part.get("gutter", 0.0) <= UPRIGHT + 0.1
    sheets = [joined(sheet.extract_text()) for sheet in pypdf.PdfReader(io.BytesIO(pdf(made(table)))).pages]
    text = "".join(sheets)
    # Nobody is lost or printed twice, the order is that of the table, the caption stands once.
    assert re.findall(r"棋手(\d{3})", text) == [f"{i:03d}" for i in range(count)]
    assert text.count("表1") == 1
    # Each run of the table has its own heads: three side by side.
    assert text.count("姓名") >= fold


def test_too_many_columns_are_split_with_the_names_repeated() -> None:
    columns = [column("n", "integer", "号"), column("name", "name", "姓名")]
    columns += [column(f"c{i}", "decimal", f"项目{i}") for i in range(40)]
    rows = [[i, "王", *[Decimal("12345.67")] * 40] for i in range(3)]
    parts = arranged(Table("wide", columns, rows, caption="大表").block(), str)
    assert len(parts) > 1
    assert all(part["heads"][1][0] == "姓名" for part in parts)
    assert sum(len(part["heads"]) - 2 for part in parts) == 40
    assert all(sum(part["widths"]) <= UPRIGHT + 0.1 for part in parts)


@pytest.mark.parametrize(("rows", "across"), [(6, False), (14, False), (28, True), (60, True)])
def test_a_wide_table_turns_the_page_only_where_it_fills_it(rows: int, across: bool) -> None:
    columns = [column("n", "integer", "号"), column("name", "name", "姓名")]
    columns += [column(f"c{i}", "decimal", f"BH@pre2023/C{i}") for i in range(16)]
    cells = [[i, "Viswanathan, Anand", *["141.25"] * 16] for i in range(rows)]
    parts = arranged(Table("editions", columns, cells, caption="对照").block(), str)
    assert {part["across"] for part in parts} == {across}
    assert len(parts) == (1 if across else 2)
    assert all(sum(part["widths"]) <= (ACROSS if across else UPRIGHT) + 0.1 for part in parts)


def test_the_code_of_a_tie_break_breaks_at_its_joints_and_no_word_does() -> None:
    def least(head: str) -> float:
        columns = [column("n", "integer", "号"), *(column(f"c{i}", "decimal", head) for i in range(30))]
        rows = [[1, *["1.5"] * 30]]
        return min(arranged(Table("t", columns, rows).block(), str)[0]["widths"][1:])

    assert least("BH@pre2023/C1") < least("Wiederholung")
    assert least("BH@pre2023/C1") < 0.7 * least("BH.pre2023.C1")


def test_a_star_behind_a_rating_hangs_out() -> None:
    block = Table("r", [column("r", "rating", "等级分")], [["2300*"], ["995"], ["–"]]).block()
    part = arranged(block, str)[0]
    assert part["right"] == [True]
    assert part["cells"] == ["2300*", ["995", "*"], ["–", "*"]]
    assert 'data-pad="*"' in blocks.html(block)


def test_lines_to_sign_on_are_level_where_a_role_takes_two_lines() -> None:
    long = (
        "主办协会等级分管理员或主席，或其代表人",
        "Rating officer or president of the organising federation, or a deputy",
    )
    roles = [("裁判长", "Chief arbiter"), long]
    sheet = pypdf.PdfReader(io.BytesIO(pdf(made(Page("en").signature(*roles))))).pages[0]
    heights: list[int] = []
    sheet.extract_text(
        visitor_text=lambda said, place, *_: heights.append(round(place[5])) if "日期" in said else None
    )
    assert len(heights) == 2
    assert heights[0] == heights[1]


def test_the_caption_of_a_narrow_table_has_the_width_of_the_page() -> None:
    columns = [column("n", "integer", "号", "No.")]
    table = Table(
        "t",
        columns,
        [[1]],
        caption=("差异分类与原因不明的差异一览", "Differences by class, those unexplained among them"),
    )
    sheet = pypdf.PdfReader(io.BytesIO(pdf(made(table)))).pages[0]
    heights: list[int] = []
    sheet.extract_text(
        visitor_text=lambda said, place, *_: (
            heights.append(round(place[5])) if "Differences" in said or "among" in said else None
        )
    )
    assert len(set(heights)) == 1


def test_page_is_self_contained(report: Document) -> None:
    html = page(report)
    assert "<script" not in html
    assert not re.search(r"(?:src|href)=\"(?!data:|#)", html)
    assert not re.search(r"url\(|@import", html)
    assert '<html lang="zh-CN">' in html
    assert "default-src 'none'" in html
    assert html.count("<h1") == 1


def test_letterhead(tmp_path: Path, report: Document) -> None:
    (tmp_path / "logo.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>'
    )
    (tmp_path / "head.toml").write_text(
        'name = "某市棋协"\nlogo = "logo.svg"\nfooter = "电话"\n', encoding="utf-8"
    )
    head = read_letterhead(tmp_path / "head.toml")
    text = joined(text_of(pdf(report, letterhead=head)))
    assert "某市棋协" in text
    assert "电话" in text
    assert "某市棋协" in page(report, head)
    (tmp_path / "head.toml").write_text('nme = "x"\n')
    with pytest.raises(ReportError, match="unknown key 'nme'"):
        read_letterhead(tmp_path / "head.toml")
    assert pdf(report, letterhead=Letterhead()) == pdf(report)


# --------------------------------------------------------------------------- notebooks of other people

MARKDOWN = """# 方法 Method

公式 $\\frac{1}{1+10^{-D/400}}$，脚注[^1]，**粗体**，[好](https://example.org)，[坏](javascript:alert(1))，<b>x</b>

$$E = \\sum_i p_i$$

### 跳级

| 甲 | 乙 |
|---|--:|
| a | 1 |

> 引用

1. 一
   - 二

[^1]: 脚注的内容。
"""


def notebook(*outputs: dict[str, Any], markdown: str = MARKDOWN) -> dict[str, Any]:
    return {
        "cells": [
            {
                "cell_type": "code",
                "metadata": {"tags": ["parameters"]},
                "execution_count": None,
                "source": "secret = 1",
                "outputs": [],
            },
            {"cell_type": "markdown", "metadata": {}, "source": markdown},
            {
                "cell_type": "code",
                "metadata": {},
                "execution_count": 1,
                "source": "hidden()",
                "outputs": list(outputs),
            },
            {
                "cell_type": "code",
                "metadata": {"tags": ["show-input"]},
                "execution_count": 2,
                "source": "shown()",
                "outputs": [],
            },
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def shown_data(**data: Any) -> dict[str, Any]:
    names = {"html": "text/html", "plain": "text/plain", "png": "image/png", "svg": "image/svg+xml"}
    return {"output_type": "display_data", "metadata": {}, "data": {names[k]: v for k, v in data.items()}}


def test_markdown_becomes_blocks() -> None:
    found = document(notebook(), "n")
    assert found.title == "方法 Method"
    text = joined(text_of(pdf(found)))
    for words in ("脚注的内容", "粗体", "引用", "甲乙", "<b>x</b>", "shown()"):
        assert words in text
    assert "hidden()" not in text
    assert "secret" not in text
    html = page(found)
    assert "javascript:" not in html
    assert 'href="https://example.org"' in html
    assert html.count("data:image/svg+xml") == 2


def test_stock_outputs() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"姓名": ["<script>x</script>", "王"], "change": [1.5, -2.0]})
    dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    evil = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script><rect width="9" height="9"/></svg>'
    found = document(
        notebook(
            shown_data(html=frame._repr_html_(), plain=repr(frame)),
            shown_data(html="<b>bold</b><script>1</script>", plain="plain words"),
            shown_data(png=dot, plain="<Figure>"),
            shown_data(svg=evil, plain="drawing"),
            {"output_type": "stream", "name": "stdout", "text": "printed\n"},
            {"output_type": "stream", "name": "stderr", "text": "warned\n"},
        )
    )
    kinds = [block["type"] for block in found.blocks]
    assert kinds.count("table") == 2
    assert kinds.count("figure") == 2
    text = joined(text_of(pdf(found)))
    for words in ("<script>x</script>", "plainwords", "printed"):
        assert words in text
    assert "warned" not in text
    assert "<script" not in page(found)


def test_damaged_block_falls_back_to_text() -> None:
    broken = {
        "output_type": "display_data",
        "metadata": {},
        "data": {blocks.TABLE_MIME: {"type": "table", "rows": 3}, "text/plain": "the words"},
    }
    assert "thewords" in joined(text_of(pdf(document(notebook(broken)))))


def test_notebook_without_heading_is_set() -> None:
    found = document(notebook(markdown="only words"), "name of it")
    assert [item.title for item in pypdf.PdfReader(io.BytesIO(pdf(found))).outline] == ["name of it"]


@pytest.mark.parametrize(("kind", "ending"), [("qiyi-pdf", ".pdf"), ("qiyi-html", ".html")])
def test_nbconvert_finds_the_exporters(kind: str, ending: str) -> None:
    nbformat = pytest.importorskip("nbformat")
    from nbconvert.exporters import get_exporter

    source = nbformat.reads(json.dumps(notebook() | {"nbformat_minor": 4}), as_version=4)
    output, resources = get_exporter(kind)().from_notebook_node(source)
    assert resources["output_extension"] == ending
    assert output[:4] in (b"%PDF", "<!DO")


def test_a_report_is_dated_by_its_day_and_by_a_fixed_one_where_it_has_none():
    def dates(*pieces: Any, stamp: datetime | None = None) -> set[str]:
        notebook = {"cells": [{"cell_type": "code", "metadata": {}, "source": "", "outputs": [
            {"output_type": "execute_result", "data": piece._repr_mimebundle_()} for piece in pieces
        ]}]}  # fmt: skip
        facts = pypdf.PdfReader(io.BytesIO(pdf(document(notebook), stamp))).metadata
        return {str(facts["/CreationDate"]), str(facts["/ModDate"])}

    head = ZH.title(text=("审核", "Audit"), day=date(2010, 10, 30))
    assert dates(head) == {"D:20101030000000Z"}
    assert dates(head, stamp=datetime(2011, 1, 2, tzinfo=UTC)) == {"D:20110102000000Z"}
    assert dates(ZH.title(text=("审核", "Audit"))) == {"D:20000101000000Z"}
    head.data["day"] = "30 October"  # a notebook of somebody else
    assert dates(head) == {"D:20000101000000Z"}


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")


@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs Chromium and its driver")
def test_a_phone_scrolls_wide_tables_and_breaks_no_code_or_name(tmp_path: Path) -> None:
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    columns = [column("c", "code", "代号", "Code"), column("n", "name", "姓名", "Name")]
    columns += [column(f"t{i}", "text", "问题", "Finding") for i in range(6)]
    rows = [
        ["CK42", "Viswanathan", *["K 值不明，可能为 10、20；无法计算升降值"] * 6],
        ["CK44", "长" * 500, *["x" * 300] * 6],
    ]
    pairs = ZH.facts({("规则", "Rules"): "fide/titles\nfide/rating"})
    file = tmp_path / "page.html"
    file.write_text(page(made(pairs, Table("t", columns, rows))), encoding="utf-8")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        phone = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
        browser.get(file.as_uri())
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
        heights = "return [...document.querySelectorAll('.qiyi-table tbody tr:first-child td')].slice(0, 2).map(c => {const r = document.createRange(); r.selectNodeContents(c); return r.getClientRects().length})"
        assert browser.execute_script(heights) == [1, 1]
        widest = (
            "return Math.max(...[...document.querySelectorAll('.qiyi-table td')].map(c => c.offsetWidth))"
        )
        assert browser.execute_script(widest) <= 500
        lines = "const r = document.createRange(); r.selectNodeContents(document.querySelector('.qiyi-pairs td')); return r.getClientRects().length"
        assert browser.execute_script(lines) >= 2
    finally:
        browser.quit()
