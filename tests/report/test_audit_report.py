"""The audit's report from the notebook: sections, words, working, minors, the same bytes twice."""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pypdf
import pytest
from click.testing import CliRunner
from notebook_cells import run

from qiyi_analysis.app.cli.audit import command
from qiyi_analysis.audit.event_audit import Audit, audit
from qiyi_analysis.audit.masking import masked, minors
from qiyi_analysis.readers import read_event
from qiyi_analysis.report.export import Document, pdf
from qiyi_analysis.report.kit import blocks
from qiyi_analysis.report.run.render import render

EVENTS = Path(__file__).resolve().parents[2] / "data" / "events"


def altered(folder: Path, old: str, new: str, file: str = "players.csv") -> Path:
    """A copy of Nanjing 2010 with one text replaced."""
    shutil.copytree(EVENTS / "nanjing-2010", folder)
    path = folder / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    return folder


def blocks_of(
    result: Audit, language: str = "zh", sections: tuple[str, ...] = (), **given: Any
) -> list[blocks.Block]:
    return run("audit_event", audited=result, language=language, sections=sections, **given)[0]


def text_of(data: bytes) -> str:
    text = "\n".join(sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(data)).pages)
    return re.sub(r"[\s\u200b]+", "", text)


def table(found: list[blocks.Block], key: str) -> list[dict[str, str]]:
    block = next(block for block in found if block.get("key") == key)
    heads = [column["key"] for column in block["columns"]]
    return [dict(zip(heads, row, strict=True)) for row in block["rows"]]


def test_table_of_players_is_the_librarys_answer() -> None:
    result = audit(read_event(EVENTS / "nanjing-2010"))
    rows = table(blocks_of(result), "players")
    assert result.rating is not None
    for row, player in zip(rows, result.rating.player_rows(), strict=True):
        assert row["number"] == str(player["number"])
        assert row["we"] == str(player["we"])
        assert row["new_rating"] == str(player["new_rating"])
        assert row["rounded"] == row["printed_change"]
    assert rows[1]["delta"] == "-11.20"


def test_a_difference_is_explained_with_its_sheet(tmp_path: Path) -> None:
    event = read_event(altered(tmp_path / "event", ",2716,", ",2720,"))
    found = blocks_of(audit(event))
    assert [row["player"] for row in table(found, "causes")] == ["3 号 Anand, Viswanathan"] * 2
    assert "对手等级分不同" in table(found, "causes")[0]["causes"]
    marks = next(block for block in found if block.get("key") == "players")["marks"]
    assert marks == ["", "", "differs", "", "", ""]
    assert len(table(found, "sheet_games")) == 10
    assert any("4.60" in row["value"] for row in table(found, "sheet_steps"))
    letter = next(block for block in found if block["type"] == "letter")
    assert len(letter["items"]) == 2
    assert "更正" in letter["paragraphs"][0]


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    "name", ["nanjing-2010", "constructed-cca-2024", "constructed-xiangqi-2024", "five-rams-13-1992"]
)
def test_every_event_can_be_set(name: str, language: str) -> None:
    result = audit(read_event(EVENTS / name))
    found = Document("审核", language, blocks_of(result, language))
    data = pdf(found)
    assert pdf(found) == data
    text = text_of(data)
    for word in ("计算人", "复核人", "盖章", "SHA-256", "Seal"):
        assert word in text
    for bad in ("NaN", "(?<![A-Za-z])nan(?![a-z])", "None", "Traceback", "〓"):
        assert not re.search(bad, text), bad
    for source in result.event.sources:
        assert source.sha256 in text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nanjing-2010", "Nothing has to be corrected. The event can be rated."),
        ("constructed-open-2025", "for 11: the findings say why"),  # K of eleven players is not known
        ("five-rams-13-1992", "No player gets a new rating by these rules"),  # nobody has a rating
    ],
)
def test_the_letter_says_for_whom_nothing_can_be_calculated(name: str, said: str) -> None:
    found = blocks_of(audit(read_event(EVENTS / name)), "en", ("letter",))
    (paragraph,) = next(block for block in found if block["type"] == "letter")["paragraphs"]
    assert said in paragraph
    assert ("can be rated" in paragraph) == (name != "five-rams-13-1992")


def test_a_finding_that_stayed_unchecked_is_no_reason_for_itself() -> None:
    found = blocks_of(audit(read_event(EVENTS / "constructed-open-2025")), "en", ("unchecked",))
    rows = [row for row in table(found, "unchecked") if row["code"] == "CK42"]
    assert len(rows) == 4
    assert all("players.csv" not in row["why"] for row in rows)
    assert "Player 26" in rows[1]["item"]


def test_the_verdict_counts_ranks_and_tie_breaks_too() -> None:
    found = blocks_of(audit(read_event(EVENTS / "nanjing-2010")), "en", ())
    detail = next(block for block in found if block["type"] == "verdict")["detail"]
    assert (
        "rating values compared: 12, differing: 0; ranks and tie-breaks compared: 6, differing: 0" in detail
    )


def test_sections_can_be_left_out() -> None:
    result = audit(read_event(EVENTS / "nanjing-2010"))
    found = blocks_of(result, "zh", ("facts", "letter"))
    assert [block["text"] for block in found if block["type"] == "heading"] == ["比赛概况", "致裁判长的函"]


@pytest.mark.parametrize(
    ("birth", "minor"),
    [("1992", True), ("1991", False), ("", None)],
)
def test_age_of_minors_from_the_year_of_birth(tmp_path: Path, birth: str, minor: bool | None) -> None:
    folder = tmp_path / "event"
    shutil.copytree(EVENTS / "nanjing-2010", folder)
    lines = (folder / "players.csv").read_text(encoding="utf-8").splitlines()
    lines = [
        f"{lines[0]},birth_year",
        *(f"{line},{birth if index == 0 else 1970}" for index, line in enumerate(lines[1:])),
    ]
    (folder / "players.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    event = read_event(folder)
    assert minors(event).get(1) is minor
    hidden = masked(audit(event), "zh")
    assert (hidden.event.players["name"].iloc[0] == "未成年棋手1") is (minor is True)
    text = json.dumps(blocks_of(audit(event), mask_minors=True), ensure_ascii=False)
    assert ("Carlsen" in text) is not (minor is True)
    assert ("1 名棋手没有出生年份，无法判断是否未成年" in text) is (minor is None)


#: What would tell who the minors are: names, ids, years and days of birth, in the event or on the list.
SECRETS = (
    "陈小明",
    "陳小明",
    "小明",
    "C77001",
    "C77002",
    "2010-05-06",
    "2011",
    "李小红",
    "C77009",
    "2012",
    "Zhou",
    "X5551",
    "13912345678",
)


def event_with_minors(folder: Path) -> tuple[Path, Path]:
    """An event with three minors, one of them known as such by the list alone, and the list."""
    folder.mkdir()
    (folder / "meta.json").write_text(
        '{"game": "xiangqi", "format": "Swiss", "rounds": 1, "start": "2024-05-01", "end": "2024-05-02"}',
        encoding="utf-8",
    )
    (folder / "players.csv").write_text(
        "no,id,name,sex,rating,birth_year,birth_date,phone\n"
        "1,,陈小明,m,2200,,2010-05-06,13912345678\n"
        "2,C77009,李小红,f,2100,2012,,\n"
        "3,,王涛,m,2300,1980,,\n"
        "4,X5551,Zhou Min,f,2000,,,\n"
        "5,,成年,m,2000,1970,,\n",
        encoding="utf-8",
    )
    (folder / "games.csv").write_text("round,white,black,result\n1,1,2,1-0\n1,3,4,1-0\n", encoding="utf-8")
    (folder / "official.csv").write_text(
        "no,rating_change,rank\n1,99,1\n2,-99,4\n3,5,2\n4,-5,3\n", encoding="utf-8"
    )
    path = folder.parent / "list-2024-01-01.csv"
    path.write_text(
        "id,name,sex,unit,birth_year,rating,k\nC77001,陳小明,m,北京,2010,2222,15\nC77002,陈小明,m,上海,2011,2333,15\n"
        "C77009,李小红,f,北京,2012,2111,15\nC77003,王涛,m,北京,1980,2300,15\nC77004,王涛,m,上海,2011,2250,15\n"
        "X5551,Zhou Min,f,北京,2011,2000,15\n",
        encoding="utf-8",
    )
    return folder, path


def test_masked_minors_are_in_no_output(tmp_path: Path) -> None:
    folder, listed = event_with_minors(tmp_path / "event")
    arguments = [str(folder), "--list", str(listed), "--mask-minors", "--formats", "pdf,html,xlsx,json,ipynb"]
    done = CliRunner().invoke(command, [*arguments, "--out", str(tmp_path / "out")], standalone_mode=False)
    assert done.exception is None, done.output
    printed = CliRunner().invoke(
        command, [*arguments[:4], "--json", "--language", "en"], standalone_mode=False
    )
    texts = {"terminal": done.output, "json": printed.output}
    for path in (tmp_path / "out").iterdir():
        data = path.read_bytes()
        if path.suffix == ".xlsx":
            with zipfile.ZipFile(io.BytesIO(data)) as book:
                sheets = [book.read(name).decode("utf-8", "replace") for name in book.namelist()]
            texts["xlsx"] = re.sub(r"<f>.*?</f>", "", "".join(sheets))
        else:
            texts[path.suffix] = text_of(data) if path.suffix == ".pdf" else data.decode("utf-8")
    assert set(texts) == {"terminal", "json", "xlsx", ".pdf", ".html", ".json", ".ipynb"}
    for kind, text in texts.items():
        shown = [one for one in SECRETS if re.search(rf"(?<![0-9A-Za-z.]){one}(?![0-9A-Za-z.-])", text)]
        assert not shown, (kind, shown)
    # Who is of age stays, with candidates who are.
    for kind in ("terminal", "json", ".html", "xlsx"):
        assert "王涛" in texts[kind]
        assert "成年" in texts[kind]
    assert "(a minor, hidden)" in texts["json"]


def test_a_finding_about_the_line_of_a_minor_hides_the_line(tmp_path: Path) -> None:
    folder, _ = event_with_minors(tmp_path / "event")
    path = folder / "players.csv"
    text = path.read_text(encoding="utf-8").replace("13912345678", "13912345678,06.05.2010")
    path.write_text(text, encoding="utf-8")
    result = audit(read_event(folder))
    assert any("06.05.2010" in f.message("zh") for f in result.findings)
    hidden = masked(result, "zh")
    assert not [f for f in hidden.findings if "06.05.2010" in json.dumps(f.as_dict(), ensure_ascii=False)]
    assert not hidden.event.extra.get("players.phone")


def test_command_writes_every_format_the_same_twice(tmp_path: Path) -> None:
    folder = altered(tmp_path / "event", "Wang Yue", "<script>𠮷\u202e")
    runs = []
    for out in ("one", "two"):
        arguments = [
            str(folder),
            "--out",
            str(tmp_path / out),
            "--formats",
            "pdf,html,xlsx,json,ipynb",
            "--language",
            "en",
        ]
        done = CliRunner().invoke(command, arguments, standalone_mode=False)
        assert done.exception is None, done.output
        runs.append({path.name: path.read_bytes() for path in (tmp_path / out).iterdir()})
    assert (
        sorted(runs[0]) == [f"event-audit.{kind}" for kind in ("html", "ipynb", "json", "pdf", "xlsx")]
        or len(runs[0]) == 5
    )
    assert runs[0] == runs[1]
    html = next(data for name, data in runs[0].items() if name.endswith(".html")).decode("utf-8")
    assert "<script" not in html
    assert "&lt;script&gt;𠮷〓[U+202E]" in html
    text = text_of(next(data for name, data in runs[0].items() if name.endswith(".pdf")))
    assert "<script>〓[U+20BB7]〓[U+202E]" in text


def test_notebook_by_its_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # JupyterLab runs a notebook in its own folder, the command line in any other.
    monkeypatch.chdir(tmp_path)
    made: dict[str, Any] = render("audit_event", {}, tmp_path)
    reader = pypdf.PdfReader(io.BytesIO(made["pdf"].read_bytes()))
    titles = [item.title for item in reader.outline if not isinstance(item, list)]
    assert titles[0] == "比赛概况 The event"
    assert "附录：所用规则与输入文件 Appendix: rules used and input files" in titles


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_text_that_the_sentence_holds_is_not_printed_twice(language: str) -> None:
    """The heads as read, in which the sentence about them took half the width of the table."""
    sample = Path(__file__).parents[2] / "data" / "samples" / "xiangqi-report.csv"
    found = blocks_of(audit(read_event(sample)), language, ("findings",))
    rows = [
        row
        for block in found
        if str(block.get("key")).startswith("findings_")
        for row in table([block], block["key"])
    ]
    heads = next(row for row in rows if "round:1" in row["what"])
    assert heads.get("printed", "") == ""
    others = [row for row in rows if row.get("printed")]
    assert others  # a short value stays beside its sentence
    assert all(len(row["printed"]) < 40 for row in others)
