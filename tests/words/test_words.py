"""Every text people see exists in Chinese and in English, and says the same things in both."""

from __future__ import annotations

import re
import string
import tomllib
from pathlib import Path

import pytest

from qiyi_analysis import words


def files(project: Path) -> list[Path]:
    return sorted((project / "qiyi_analysis" / "words").glob("*.toml"))


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_all_files_load(project: Path) -> None:
    for path in files(project):
        try:
            tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            pytest.fail(f"{path.name}: {error}")
    words.keys()  # raises where a language is missing


def test_no_text_is_defined_twice(project: Path) -> None:
    seen: dict[str, str] = {}
    twice = []

    def walk(table: dict, prefix: str, file: str) -> None:
        if set(table) == set(words.LANGUAGES):
            if prefix in seen:
                twice.append(f"{prefix} in {seen[prefix]} and {file}")
            seen[prefix] = file
            return
        for key, value in table.items():
            walk(value, f"{prefix}.{key}" if prefix else key, file)

    for path in files(project):
        walk(tomllib.loads(path.read_text(encoding="utf-8")), "", path.name)
    assert not twice, twice


def test_no_text_is_empty() -> None:
    empty = [
        f"{key}.{language}"
        for key in words.keys("")
        for language in words.LANGUAGES
        if not words.text(key, language).strip()
    ]
    assert not empty, empty


def test_both_languages_use_the_same_fields(project: Path) -> None:
    """A value named in one language only would be lost to the readers of the other."""
    different = []

    def walk(table: dict, prefix: str) -> None:
        if set(table) == set(words.LANGUAGES):
            if fields(table["zh"]) != fields(table["en"]):
                different.append(prefix)
            return
        for key, value in table.items():
            walk(value, f"{prefix}.{key}")

    for path in files(project):
        walk(tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    assert not different, different


def test_chinese_texts_are_chinese() -> None:
    """Only texts without any word (codes, symbols, fields and punctuation) may do without Chinese characters."""
    suspicious = [
        key
        for key in words.keys("")
        if not any("\u4e00" <= character <= "\u9fff" for character in words.text(key, "zh"))
        and words.text(key, "zh") != words.text(key, "en")
        and any(character.isalpha() for character in re.sub(r"\{\w*\}", "", words.text(key, "zh")))
    ]
    assert not suspicious, suspicious


class Source:
    """The text of the program, and the names in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names = set(re.findall(r"[\w-]+", text))

    def asks_for(self, key: str) -> bool:
        """Whether a text may be asked for: by its key, by the end of it, or by a key that is put together.

        Ends are common words, so that this finds what is certainly asked for nowhere, not everything.
        """
        area, _, name = key.partition(".")
        last = key.rpartition(".")[2]
        if area.endswith(
            "_figure"
        ):  # a figure asks for its description and the names of its axes by its own key
            last = re.sub(r"_(alt|x|y)$", "", last)
        if {last, last.replace("-", "_")} & self.names or key in self.text:
            return True
        cuts = [place for place, sign in enumerate(name) if sign in "_-"]
        parts = [f"{name[: at + 1]}{{" for at in cuts] + [f"}}{name[at:]}" for at in cuts]
        if (
            area != "finding"
        ):  # the message of every finding is looked up by its reason, which the checks name
            parts += [f"{area}.{{", f'named("{area}"']
        return any(part in self.text for part in parts)


def test_no_text_is_asked_for_nowhere(project: Path) -> None:
    package = project / "qiyi_analysis"
    paths = [path for path in package.rglob("*") if path.suffix in (".py", ".toml", ".typ", ".css")]
    paths = [path for path in paths if "words" not in path.parts or path.suffix == ".py"]
    paths += [*project.glob("notebooks/*"), *project.glob("docs/*.py"), project / "start.py"]
    source = Source("\n".join(path.read_text(encoding="utf-8") for path in paths if path.is_file()))
    assert not source.asks_for("finding.nobody-asks-so")
    left = [key for key in words.keys("") if not source.asks_for(key)]
    assert not left, left
