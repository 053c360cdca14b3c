"""The publication of a rating list: what the pages say, in PDF and HTML, of a made-up federation and of a real list."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from qiyi_analysis.app.cli.publish import command
from qiyi_analysis.lists import publication
from qiyi_analysis.model.errors import EventError
from qiyi_analysis.report.sections.list_publication import published as published_list

SURNAMES = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨"


def made_list(folder: Path, day: str, numbers: range, moved: int) -> Path:
    """A list of a made-up federation: number n has rating 2400 - 5n, changed by ``moved`` times -3..3."""
    rows = [
        f"D{n:04},{SURNAMES[n % 16]}{SURNAMES[n // 16]},{'w' if n % 5 == 4 else 'm'},{'东西南北'[n % 4]}区,"
        f"{1950 + n * 7 % 65},{'大师' if n < 9 else ''},{2400 - 5 * n + moved * (n % 7 - 3)}"
        for n in numbers
    ]
    path = folder / f"made-{day}.csv"
    path.write_text("\n".join(["id,name,sex,unit,birth_year,title,rating", *rows, ""]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def three(tmp_path_factory) -> list[Path]:
    """Three lists, half a year apart: numbers 0-199, then 3-209, then 6-219."""
    folder = tmp_path_factory.mktemp("lists")
    days = ("2024-12-01", "2025-06-01", "2025-12-01")
    return [made_list(folder, day, range(3 * i, 200 + 10 * i), i) for i, day in enumerate(days)]


def publish(out: Path, *arguments: object) -> dict[str, Path]:
    result = CliRunner().invoke(command, [*map(str, arguments), "--out", str(out)], standalone_mode=False)
    assert result.exception is None, result.output
    return {path.suffix[1:]: path for path in map(Path, result.output.split("\n")) if path.suffix}


def pages_of(path: Path) -> list[str]:
    pypdf = pytest.importorskip("pypdf")
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(path.read_bytes())).pages]


def words_of(path: Path) -> str:
    return re.sub(r"\s+", " ", " ".join(pages_of(path)))


def sound(paths: dict[str, Path]) -> None:
    """What holds for every publication."""
    text = words_of(paths["pdf"])
    page = paths["html"].read_text(encoding="utf-8")
    for shown in (text, re.sub(r"<style.*?</style>|data:[^\"')]+", "", page, flags=re.DOTALL)):
        assert not re.search(r"\b(nan|NaN|None|NaT|inf)\b", shown)
        assert "Traceback" not in shown
        # The box of a missing character, the replacement character, and the list of what the fonts lack.
        assert not {"\u25a1", "\ufffd"} & set(shown)
        assert "U+" not in shown
    # Nothing in the page makes a browser ask for anything.
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!data:|#)", page)
    assert not re.search(r"url\((?![\"']?(data:|#))|@import|<script", page)


# --- the numbers


def test_places_changes_and_newcomers(three: list[Path]) -> None:
    p = publication.publication(three[2], three[:2])
    by_id = p.rows.set_index("id")
    # Number 10: 2400 - 50 = 2350 on the first list; 10 % 7 - 3 = 0: never moves.
    assert by_id.loc["D0010", ["rating", "previous", "change"]].tolist() == [2350, 2350, 0]
    # Number 13: 13 % 7 - 3 = 3: 2335 + 3, then 2335 + 6.
    assert by_id.loc["D0013", ["rating", "previous", "change"]].tolist() == [2341, 2338, 3]
    # 0-2 went with the list before, 3-5 go now; 210-219 are new; the others were there.
    assert sorted(p.gone["id"]) == ["D0003", "D0004", "D0005"]
    assert sorted(by_id.index[by_id["new"]]) == [f"D{n:04}" for n in range(210, 220)]
    assert len(p.rows) == 214
    assert p.rows["place"].is_monotonic_increasing
    # Equal ratings share a place, the next place is passed over.
    shared = p.rows[p.rows["rating"].duplicated(keep=False)]
    assert (shared.groupby("rating")["place"].nunique() == 1).all()


def test_a_player_who_comes_back_is_not_new(tmp_path: Path) -> None:
    first, second, third = (
        made_list(tmp_path, "2024-12-01", range(10), 0),
        made_list(tmp_path, "2025-06-01", range(1, 10), 0),
        made_list(tmp_path, "2025-12-01", range(10), 0),
    )
    rows = publication.publication(third, [first, second]).rows.set_index("id")
    assert not rows.loc["D0000", "new"]
    assert pd.isna(rows.loc["D0000", "previous"])


def test_namesakes_without_id_are_not_compared(tmp_path: Path) -> None:
    head = "id,name,sex,unit,birth_year,title,rating\n"
    now, before = tmp_path / "now-2025-12-01.csv", tmp_path / "before-2025-06-01.csv"
    now.write_text(head + ",王一,m,,,,2000\n,王一,m,,,,1800\n,李二,m,,,,1900\n", encoding="utf-8")
    before.write_text(head + ",王一,m,,,,1990\n,李二,m,,,,1890\n", encoding="utf-8")
    p = publication.publication(now, [before])
    assert p.namesakes == 2
    assert p.rows["change"].fillna(0).tolist() == [0, 10, 0]
    assert not p.rows["new"].any()


def test_an_unknown_section_is_named(three: list[Path]) -> None:
    with pytest.raises(EventError, match=r"'movres' is not one of corrections, facts, accounts"):
        published_list(three[2], sections=["movres"])


# --- the pages


@pytest.fixture(scope="module")
def published(three: list[Path], tmp_path_factory) -> dict[str, Path]:
    out = tmp_path_factory.mktemp("published")
    return publish(
        out,
        three[2],
        "--previous",
        three[0],
        "--previous",
        three[1],
        "--rules",
        "cxa/rating",
        "--player",
        "D0013",
    )


def test_the_pages_of_a_made_up_federation(published: dict[str, Path]) -> None:
    sound(published)
    text = words_of(published["pdf"])
    for section in (
        "等级分公布",
        "等级分表",
        "升降榜",
        "人数变动",
        "变动名单",
        "分类统计",
        "等级分分布",
        "前十名历期等级分",
        "历期回顾",
    ):
        assert section in text, section
    # Both languages stand side by side in the heads.
    for head in ("男子 Men", "女子 Women", "名次", "Place", "姓名", "Rating"):
        assert head in text, head
    assert "2025-12-01" in text
    assert "象棋" in text
    # Everybody is there: 214 names, each with the rating.
    for n in range(6, 220):
        rating = 2400 - 5 * n + 2 * (n % 7 - 3)
        assert re.search(rf"{SURNAMES[n % 16]}{SURNAMES[n // 16]}\b.{{0,40}}\b{rating}\b", text), n


def test_a_long_narrow_list_is_set_in_columns(published: dict[str, Path]) -> None:
    first = next(page for page in pages_of(published["pdf"]) if "男子" in page)
    # The heads of a run stand side by side, once for each column of the page.
    assert first.count("名次") >= 2
    assert len(pages_of(published["pdf"])) <= 9


def test_the_same_bytes_twice(published: dict[str, Path], three: list[Path], tmp_path: Path) -> None:
    again = publish(
        tmp_path,
        three[2],
        "--previous",
        three[0],
        "--previous",
        three[1],
        "--rules",
        "cxa/rating",
        "--player",
        "D0013",
    )
    for kind in ("pdf", "html"):
        assert again[kind].read_bytes() == published[kind].read_bytes(), kind


def test_in_english_with_chosen_sections(three: list[Path], tmp_path: Path) -> None:
    paths = publish(
        tmp_path, three[2], "--previous", three[1], "--sections", "facts,movers", "--language", "en"
    )
    sound(paths)
    text = words_of(paths["pdf"])
    assert "Largest gains" in text
    assert "上升最多" in text
    assert "Distribution of ratings" not in text


LETTERHEAD = """name = "某市棋类协会"
other = "Chess Association of Somewhere"
logo = "logo.svg"
footer = "电话 000-0000"
language = "en"
"""


def test_letterhead_on_every_page_and_its_language(three: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "letterhead.toml"
    file.write_text(LETTERHEAD, encoding="utf-8")
    (tmp_path / "logo.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle cx="4" cy="4" r="4"/></svg>',
        encoding="utf-8",
    )
    short = (three[2], "--sections", "facts", "--letterhead", file)
    paths = publish(tmp_path / "out", *short)
    sound(paths)
    pages = pages_of(paths["pdf"])
    assert all("电话 000-0000" in page for page in pages)
    assert "某市棋类协会" in pages[0]
    assert "Chess Association of Somewhere" in pages[0]
    page = paths["html"].read_text(encoding="utf-8")
    assert "某市棋类协会" in page
    assert "data:image/svg+xml" in page
    # The letterhead names English; the command line wins.
    assert re.search(r"Rating list.*等级分公布", words_of(paths["pdf"]))
    chinese = publish(tmp_path / "zh", *short, "--language", "zh")
    assert re.search(r"等级分公布.*Rating list", words_of(chinese["pdf"]))


def test_the_sample_letterhead_can_be_read(project: Path) -> None:
    from qiyi_analysis.report.export import read_letterhead

    head = read_letterhead(project / "docs" / "letterhead" / "letterhead.toml")
    assert head.language == "zh"
    assert head.logo.startswith(b"<svg")


def test_the_list_of_the_chinese_go_association(shared: Path, tmp_path: Path) -> None:
    source = shared / "data" / "lists" / "cwa-go-2026-05.csv"
    paths = publish(tmp_path, source, "--rules", "cwa/rating")
    sound(paths)
    text = words_of(paths["pdf"])
    assert "468" in text
    listed = pd.read_csv(source, dtype=str)
    name = next(column for column in listed.columns if "name" in column.casefold() or "姓名" in column)
    missing = [one for one in listed[name] if re.sub(r"\s+", " ", one.strip()) not in text]
    assert not missing, missing[:10]
    # 468 players in three columns of the page.
    assert len(pages_of(paths["pdf"])) <= 6


def test_a_file_that_is_no_list_is_told_before_anything_is_written(tmp_path: Path) -> None:
    import subprocess
    import sys

    games = Path(__file__).parents[2] / "data" / "events" / "nanjing-2010" / "games.csv"
    done = subprocess.run(
        [sys.executable, "-m", "qiyi_analysis", "publish", str(games), "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert "games.csv: one file of an event's folder; expected a rating list" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_year_of_lists(tmp_path: Path) -> None:
    heads = "id,name,rating,games\n"
    rows = {
        "01": (2000, 2100, 10, 5),
        "04": (2050, 2080, 14, 5),
        "07": (2040, 2150, 20, 9),
        "10": (2030, 2100, 31, 10),
    }
    paths = [
        a_file(tmp_path, f"y-2025-{month}-01.csv", f"1,A,{a},{n}\n2,B,{b},{m}\n", heads)
        for month, (a, b, n, m) in rows.items()
    ]
    found = publication.over_all(published_list(paths[-1], paths[:-1])).set_index("id")
    assert found.loc["1", ["first", "moved", "peak", "date", "lists", "played"]].tolist() == [
        2000,
        30,
        2050,
        "2025-04-01",
        4,
        21,
    ]
    assert found.loc["2", ["first", "moved", "peak", "date", "lists", "played"]].tolist() == [
        2100,
        0,
        2150,
        "2025-07-01",
        4,
        5,
    ]
    code, _, _ = code_of(
        paths[-1],
        *(x for path in paths[:-1] for x in ("--previous", path)),
        "--formats",
        "html",
        "--out",
        tmp_path / "o",
    )
    assert code == 0
    assert "历期最高等级分" in (tmp_path / "o" / "y-2025-10-01-publication.html").read_text(encoding="utf-8")


# --- the gate: a list is checked before it is published

HEADS = "注册号,姓名,性别,单位,等级分,出生年\n"
BAD = (
    "A1,王一,男,北京,2400,1990\nA1,王一,男,北京,2400,1990\nA2,李二,女,上海,2100,1991\nA2,张三,男,上海,2050,1992\n"
    "A3,赵四,男,上海,二千,1992\nA4,钱五,男,上海,21000,1992\nA5,孙六,男,上海,-100,1992\nA6,周七,男,上海,1900,92\n"
    ",,男,上海,1800,1992\nA8,吴八,男,上海,1700,2099\n"
)


def a_file(folder: Path, name: str, rows: str, heads: str = HEADS) -> Path:
    path = folder / name
    path.write_text(heads + rows, encoding="utf-8")
    return path


def code_of(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(command, [*map(str, arguments)], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.return_value, result.stdout, result.stderr


def test_a_list_with_faults_is_named_line_by_line_and_published_by_force_only(tmp_path: Path) -> None:
    bad = a_file(tmp_path, "bad-2026-01-01.csv", BAD)
    given = (bad, "--out", tmp_path / "out", "--formats", "csv", "--language", "en")
    code, _, told = code_of(*given)
    assert code == 1
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
    named = {3: "王一", 5: "张三", 6: "赵四", 7: "钱五", 8: "A5", 9: "周七", 10: "1800", 11: "吴八"}
    for line, name in named.items():
        assert re.search(rf":{line}: CK\d\d [EW]: .*{name}", told), (line, name)
    code, _, _ = code_of(*given, "--force")
    assert code == 1
    listed = pd.read_csv(tmp_path / "out" / "bad-2026-01-01-publication.csv")
    assert listed["id"].tolist() == ["A1", "A2", "A6", "A8", "A5"]


def test_the_order_of_lists_and_their_days_are_asked_about(tmp_path: Path) -> None:
    old = a_file(tmp_path, "l-2026-01-01.csv", "A1,王一,男,北京,2400,1990\n")
    new = a_file(tmp_path, "l-2026-02-01.csv", "A1,王一,男,北京,2410,1990\n")
    undated = a_file(tmp_path, "二月.csv", "A1,王一,男,北京,2410,1990\n")
    out = ("--out", tmp_path / "out", "--formats", "csv", "--language", "en")
    assert "not before" in code_of(old, "--previous", new, *out)[2]
    assert "the same file" in code_of(new, "--previous", new, *out)[2]
    code, _, told = code_of(undated, "--previous", old, *out)
    assert code == 1
    assert "give --day" in told
    assert code_of(undated, "--previous", old, "--day", "2026-02-01", *out)[0] == 0
    assert code_of(new, "--previous", old, *out)[0] == 0


def test_a_published_file_is_replaced_by_force_only(tmp_path: Path) -> None:
    path = a_file(tmp_path, "l-2026-01-01.csv", "A1,王一,男,北京,2400,1990\n")
    given = (path, "--out", tmp_path / "out", "--formats", "csv,html", "--sections", "facts")
    assert code_of(*given)[0] == 0
    assert code_of(*given)[0] == 0  # the same content again
    before = (tmp_path / "out" / "l-2026-01-01-publication.html").read_bytes()
    a_file(tmp_path, "l-2026-01-01.csv", "A1,王一,男,北京,2300,1990\n")
    result = CliRunner().invoke(command, [*map(str, given)], standalone_mode=False)
    assert "--force" in str(result.exception)
    assert (tmp_path / "out" / "l-2026-01-01-publication.html").read_bytes() == before
    assert code_of(*given, "--force")[0] == 0


def test_a_correction_says_who_from_what_to_what_and_why(tmp_path: Path) -> None:
    wrong = a_file(
        tmp_path,
        "l-2026-01-01.csv",
        "A1,王一,男,北京,2400,1990\nA2,李二,女,上海,2100,1991\nA3,赵四,男,上海,2000,1992\n",
    )
    (tmp_path / "new").mkdir()
    right = a_file(
        tmp_path / "new", "l-2026-01-01.csv", "A1,王一,男,北京,2390,1990\nA2,李二,女,广东,2100,1991\n"
    )
    code, out, _ = code_of(
        right, "--replaces", wrong, "--revision", 2, "--reason", "漏计一项比赛", "--json", "--out", tmp_path / "out",
        "--formats", "html",
    )  # fmt: skip
    assert code == 0
    answer = json.loads(out.splitlines()[0])
    assert answer["schema"] == 1
    assert answer["revision"] == 2
    assert [(c["id"], c["field"], c["was"], c["now"]) for c in answer["corrections"]] == [
        ("A1", "rating", "2400", "2390"), ("A2", "unit", "上海", "广东"), ("A3", "rating", "2000", ""),
    ]  # fmt: skip
    page = (tmp_path / "out" / "l-2026-01-01-publication-r2.html").read_text(encoding="utf-8")
    for text in ("更正公告", "漏计一项比赛", "第 2 次更正"):
        assert text in page


def test_a_list_of_another_scale_and_one_without_ratings(tmp_path: Path) -> None:
    heads = "id,name,rating\n"
    scale = a_file(tmp_path, "k-2026-01-01.csv", "1,A,10393\n2,B,9164\n", heads)
    assert code_of(scale, "--out", tmp_path / "k", "--language", "en")[0] == 0
    none = a_file(tmp_path, "n-2026-01-01.csv", "1,A,\n", heads)
    code, _, told = code_of(none, "--out", tmp_path / "n", "--language", "en")
    assert code == 1
    assert "no rating at all" in told
    assert code_of(none, "--out", tmp_path / "n", "--force")[0] == 1


def test_namesakes_curves_inactive_and_minors(tmp_path: Path) -> None:
    heads = "id,name,sex,birth_year,rating,flag\n"
    old = a_file(
        tmp_path,
        "l-2026-01-01.csv",
        "1,王伟,m,1990,2450,\n2,王伟,m,1995,2440,\n3,李娜,w,2012,2400,i\n",
        heads,
    )
    new = a_file(
        tmp_path,
        "l-2026-02-01.csv",
        "1,王伟,m,1990,2455,\n2,王伟,m,1995,2440,\n3,李娜,w,2012,2500,i\n",
        heads,
    )
    p = published_list(new, [old])
    assert p.rows["id"].tolist() == ["1", "2", "3"]
    assert p.rows["place"].tolist()[:2] == [1, 2]
    assert pd.isna(p.rows["place"][2])
    curves = publication.history(p)
    assert curves.columns.tolist() == ["王伟 1", "王伟 2", "李娜"]
    assert curves.iloc[:, 0].tolist() == [2450, 2455]
    assert published_list(new, [old], rank_inactive=True).rows["id"].tolist() == ["3", "1", "2"]
    code, _, _ = code_of(
        new, "--previous", old, "--mask-minors", "--out", tmp_path / "o", "--formats", "html,csv,json"
    )
    assert code == 0
    for path in (tmp_path / "o").iterdir():
        text = path.read_text(encoding="utf-8")
        assert "李娜" not in text
        assert "2012" not in re.sub(
            r"<style.*?</style>|data:[^\"')]+|[0-9a-f]{64}|<svg.*?</svg>", "", text, flags=re.DOTALL
        )


def test_the_ledger_decides_which_events_are_of_the_period(shared: Path, tmp_path: Path) -> None:
    from qiyi_analysis.report.kit.page import Page
    from qiyi_analysis.report.sections.list_publication import events

    folder = shared / "findings" / "inputs" / "publish" / "evs"
    lists = Path(__file__).parents[2] / "data" / "periods" / "constructed-2025-12"
    p = published_list(
        lists / "published-2025-12-01.csv", [lists / "list-2025-11-01.csv"], rules="fide/rating-standard"
    )
    held = events(Page("en", "publish"), p, str(folder))
    states = held.groupby("state").size().to_dict()
    assert states["not readable" if "not readable" in states else "unreadable"] == 1
    assert (held["reason"] != "").sum() >= 4
