"""What lists and batches print while they work is in one language: classes, states, verdicts, what went wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from qiyi_analysis.app.cli import main

PROJECT = Path(__file__).resolve().parents[2]
PERIOD = PROJECT / "data" / "periods" / "constructed-2025-12"
NANJING = PROJECT / "data" / "events" / "nanjing-2010"


def run(*arguments: str, capsys: Any) -> tuple[Any, str, list[str]]:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    said = capsys.readouterr()
    return end.value.code, said.out, said.err.splitlines()


@pytest.mark.parametrize(
    ("language", "here", "not_here"),
    [
        ("zh", {"原因不明", "漏计比赛"}, "unexplained|event"),
        ("en", {"unexplained", "event missing"}, "[原漏]"),
    ],
)
def test_classes_of_differences(
    language: str, here: set[str], not_here: str, tmp_path: Path, capsys: Any
) -> None:
    lists = [str(PERIOD / f"{name}.csv") for name in ("list-2025-11-01", "published-2025-12-01")]
    _, out, _ = run(
        "list", "--rules", "fide/rating-standard", "--previous", lists[0], "--published", lists[1], "--period", "2025-12",
        "--events", str(PERIOD / "events"), "--language", language, "--out", str(tmp_path), "--formats", "csv", capsys=capsys,
    )  # fmt: skip
    rows = [line for line in out.splitlines() if re.match(r"\d{7} ", line)]
    assert {re.split(r"\s{2,}", row.strip())[-1] for row in rows} == here
    assert not re.search(not_here, "\n".join(rows))


@pytest.mark.parametrize(("through", "code"), [("10", 0), ("11", 2), ("99", 2)])
def test_standings_after_a_round_that_is_not_there(through: str, code: int, capsys: Any) -> None:
    found, out, err = run("standings", str(NANJING), "--through", through, capsys=capsys)
    assert (found, bool(out)) == (code, code == 0)
    if code:
        assert err == [
            f"qiyi: nanjing-2010: no games in round {through}; those of the file end with round 10",
            f"qiyi: nanjing-2010：第 {through} 轮没有对局；文件中的对局到第 10 轮为止",
        ]


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "zh",
            [
                r"1/3 完成 \S+ [\d.]+ s 通过$",
                r"2/3 失败 \S+ [\d.]+ s \S*nowhere：打不开（没有这个文件或文件夹）",
                r"3/3 失败 \S+ [\d.]+ s 第 4 行：缺少 rules、list、period；",
            ],
        ),
        (
            "en",
            [
                r"1/3 done \S+ [\d.]+ s accept$",
                r"2/3 failed \S+ [\d.]+ s \S*nowhere: cannot be opened \(No such file",
                r"3/3 failed \S+ [\d.]+ s line 4: rules, list, period missing;",
            ],
        ),
    ],
)
def test_progress_of_a_batch(language: str, lines: list[str], tmp_path: Path, capsys: Any) -> None:
    jobs = tmp_path / "jobs.csv"
    jobs.write_text(
        f"command,input,formats\naudit,{NANJING},json\naudit,nowhere,json\nlist,{PERIOD / 'events'},html\n",
        encoding="utf-8",
    )
    arguments = ("batch", str(jobs), "--out", str(tmp_path / "out"), "--language", language, "--workers", "1")
    code, _, err = run(*arguments, capsys=capsys)
    assert code == 3  # some jobs were not done
    told = [line for line in err if re.match(r"\d/3 ", line)]
    assert len(told) == 3
    for line, expected in zip(told, lines, strict=True):
        assert re.match(expected, line), line
    assert not list((tmp_path / "out").rglob("*.failed.ipynb"))
    _, _, err = run(*arguments, "--resume", capsys=capsys)
    skipped = {"zh": "跳过", "en": "skipped"}[language]
    assert [line for line in err if f" {skipped} " in line]
