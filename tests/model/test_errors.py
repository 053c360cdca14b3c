"""Errors are said in Chinese and English, from the words; they cross process borders as they are."""

from __future__ import annotations

import ast
import pickle
import string
import tomllib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from qiyi_analysis import words
from qiyi_analysis.model import errors
from qiyi_analysis.model.errors import QiyiError, ReadError, of_system, sentence

CLASSES = {
    name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, QiyiError)
}


def calls(project: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every place of the package that makes an error, as ``file:line``."""
    for path in sorted((project / "qiyi_analysis").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            place = f"{path.relative_to(project).as_posix()}:{node.lineno}"
            assert ast.unparse(node.func) != "click.UsageError", f"{place}: a ParameterError has words"
            if isinstance(node.func, ast.Name) and node.func.id in CLASSES:
                yield place, node


@cache
def texts() -> dict[str, dict[str, str]]:
    """The texts of all reasons."""
    return {
        reason: text
        for path in Path(words.__file__).parent.glob("*.toml")
        for reason, text in tomllib.loads(path.read_text(encoding="utf-8")).get("error", {}).items()
    }


def fields_of(reason: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(texts()[reason]["en"]) if name}


def test_every_error_is_made_with_a_reason_of_the_words_and_its_fields(project: Path) -> None:
    wrong = []
    for place, call in calls(project):
        reason = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else None
        if not isinstance(reason, str) or len(call.args) != 1 or not words.has(f"error.{reason}"):
            wrong.append(f"{place}: no reason of words/errors*.toml")
        elif {keyword.arg for keyword in call.keywords} != fields_of(reason):
            wrong.append(f"{place}: {reason} has the fields {sorted(fields_of(reason))}")
    assert not wrong, "\n".join(wrong)


def test_every_reason_of_the_words_is_used(project: Path) -> None:
    used = {
        f"error.{call.args[0].value}" for _, call in calls(project) if isinstance(call.args[0], ast.Constant)
    }
    assert not sorted(set(words.keys("error.")) - used)


def test_an_error_says_the_same_in_both_languages() -> None:
    error = ReadError("no-number-column", file="a.csv", line=1, found=("编号", "Elo"))
    assert str(error) == error.message("en") == "a.csv:1: no column 'no' and none 'name'; found 编号, Elo"
    assert error.message("zh") == "a.csv:1：没有 no 列，也没有 name 列；读到的列：编号、Elo"
    assert error.reason == "no-number-column"


def test_an_error_inside_an_error_is_said_in_the_same_language() -> None:
    inner = ReadError("event-file-empty", file="b.csv")
    outer = ReadError("no-event-among", file="a.zip", count=2, first=inner.said)
    assert outer.message("zh") == "a.zip：2 个文件都不是比赛；第一个的原因：b.csv：文件是空的；应为比赛文件"
    assert (
        str(outer)
        == "a.zip: none of 2 files is an event; the first: b.csv: the file is empty; expected an event"
    )


def test_values_are_never_read_as_templates() -> None:
    error = ReadError("event-file-empty", file="{line}{0.__class__}")
    assert "{line}{0.__class__}" in str(error)
    assert "{line}{0.__class__}" in error.message("zh")


def fail() -> None:
    raise ReadError("xml-refused", file="a.xml", why=words.said("xml-refused.deep", most=100))


def test_errors_cross_process_borders() -> None:
    with ProcessPoolExecutor(1) as pool, pytest.raises(ReadError) as caught:
        pool.submit(fail).result()
    assert caught.value.reason == "xml-refused"
    assert str(caught.value) == "a.xml: refused, more than 100 elements inside each other; expected plain XML"
    assert caught.value.message("zh") == "a.xml：不予读取，元素嵌套超过 100 层；应为普通的 XML"
    # An error holds texts only, so one whose field cannot be pickled crosses too.
    odd = ReadError("event-file-empty", file=lambda: None)
    assert pickle.loads(pickle.dumps(odd)).message("zh") == odd.message("zh")


def test_the_operating_system_is_quoted_in_both_languages(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="none") as caught:
        (tmp_path / "none").read_bytes()
    said = sentence(caught.value)
    assert said.endswith("No such file or directory")
    assert said.zh.endswith("没有这个文件或文件夹")
    assert of_system(ValueError("embedded null byte")) == "embedded null byte"
