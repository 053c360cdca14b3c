"""What is typed after a command: the same classes everywhere, so that what is wrong is told in both languages."""

from __future__ import annotations

import re

import click
import pytest

from qiyi_analysis.app.cli import COMMANDS, arguments, group

EVENT = "data/events/nanjing-2010"


def every_command(inside: click.Group = group, path: str = "") -> list[tuple[str, click.Command]]:
    """Every command with its name, those of groups too."""
    context = click.Context(inside)
    found: list[tuple[str, click.Command]] = []
    for name in inside.list_commands(context):
        one = inside.get_command(context, name)
        assert one is not None
        found += every_command(one, f"{name} ") if isinstance(one, click.Group) else [(path + name, one)]
    return found


def test_every_command_and_choice_is_of_the_classes_that_tell_both_languages() -> None:
    for name, one in every_command():
        assert isinstance(one, arguments.Command), name
        for parameter in one.params:
            kind = parameter.type
            plain = type(kind) in (click.types.StringParamType, click.types.BoolParamType, click.Path)
            assert plain or isinstance(kind, arguments.OneOf | arguments.Whole), (
                f"{name} {parameter.name}: {kind}"
            )


def test_every_command_takes_a_language_but_the_page() -> None:
    without = [name for name, one in every_command() if "language" not in {p.name for p in one.params}]
    assert without == ["desk"]  # the page has its own switch


@pytest.mark.parametrize(
    ("typed", "chinese"),
    [
        ("study compre", "STUDY：“compre”不是 compare-k、compare-systems、simulate、expected-score 之一；是不是 compare-k？"),
        ("study zzz", "STUDY：“zzz”不是 compare-k、compare-systems、simulate、expected-score 之一"),
        ("rules shw", "没有“shw”这个命令；是不是 show？"),
        ("rules show", "缺少 ID；-h 显示用法"),
        ("audit e --jsno", "没有选项 --jsno；相近的有 --json"),
        ("audit e --zzz", "没有选项 --zzz；-h 显示用法"),
        ("audit e --json=1", "选项 --json 不带值；-h 显示用法"),
        ("standings e --of player", "--of：“player”不是 teams、players 之一；是不是 players？"),
        ("standings e --through 0", "--through 为“0”；应为 1 或以上"),
        ("titles e --norm-level high", "--norm-level 为“high”；应为 1 到 4000 的整数"),
        ("titles e --peak 9999", "--peak 为“9999”；应为 0 到 4000 的整数"),
        ("audit e f g", "多余的参数：f、g；qiyi audit -h 显示用法"),
        ("convert a b --to trf61", "--to：“trf61”不是 folder、zip、xlsx、trf16、trf26、h9、h9-utf8、csv 之一；是不是 trf26？"),
        ("audit e --formats pfd", "--formats：没有“pfd”这种格式；可用 pdf、html、xlsx、json、ipynb；是不是 pdf？"),
    ],
)  # fmt: skip
def test_what_is_mistyped_is_told_in_chinese_with_the_nearest(qiyi, typed: str, chinese: str) -> None:
    code, out, error = qiyi(*typed.split(), "--language", "zh")
    *usage, last = error.splitlines()
    assert (code, out, last) == (2, "", f"qiyi: {chinese}")
    assert all(line.startswith("用法：qiyi ") for line in usage)
    code, _, error = qiyi(*typed.split())
    assert error.splitlines()[-1] == last
    assert not re.search(r"[\u4e00-\u9fff]", error.splitlines()[-2])


@pytest.mark.parametrize(
    "command",
    ["audit e", "titles e", "publish e", "study compare-k e", "list --rules r --previous p --events e --period 2025-12"],
)  # fmt: skip
def test_formats_are_taken_in_any_case_and_refused_alike(qiyi, command: str) -> None:
    """A format that is none is found before the work begins, by every command that writes files."""
    for formats in ("htm", "PDF,htm"):
        assert "--formats: 'htm' is not one of pdf, html" in qiyi(*command.split(), "--formats", formats)[2]
    # The same in capitals is one: the files that are named are read then, and are not there.
    assert "--formats" not in qiyi(*command.split(), "--formats", "PDF,pdf")[2]


def test_without_a_command_the_help_is_shown_once(qiyi) -> None:
    code, out, error = qiyi()
    assert (code, out) == (2, "")
    assert error.count("Usage") == 1
    assert all(name in error for name in COMMANDS)
    assert qiyi("rules")[2].count("Usage") == 1
    assert "全部版本" in qiyi("rules")[2]


def test_the_doctor_speaks_the_language_asked_for(qiyi) -> None:
    from qiyi_analysis.app.cli.doctor import line
    from qiyi_analysis.app.doctor import healthy

    part = healthy("packages", count=3)
    both, chinese, english = line(part), line(part, "zh"), line(part, "en")
    assert re.search(r"[\u4e00-\u9fff]", chinese)
    assert not re.search(r"[\u4e00-\u9fff]", english)
    assert len(both) > len(chinese)
    assert chinese.partition(": ")[0] in both
