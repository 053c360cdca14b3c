"""A report speaks one language: what is not a name, a code, an article or a unit is in the language asked for.

Heads carry the other language beside their own, marked with ``lang``; that is left aside here.
"""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from qiyi_analysis.report.run.render import render
from qiyi_analysis.rules.ruleset import all_rulesets

EVENTS = Path(__file__).parents[2] / "data" / "events"
#: The program's own name.
NAMES = {"qiyi", "analysis"}
#: Elements without an end tag.
EMPTY = {"br", "img", "meta", "link", "hr", "input", "col"}


class Texts(HTMLParser):
    """The texts of a page that are not marked as the other language."""

    def __init__(self, other: str) -> None:
        super().__init__()
        self.other = other
        self.open: list[tuple[str, bool]] = []
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in EMPTY:
            inside = bool(self.open) and self.open[-1][1]
            marked = (dict(attrs).get("lang") or "").startswith(self.other) or tag in ("style", "script")
            self.open.append((tag, inside or marked))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if not (self.open and self.open[-1][1]):
            self.found.append(data)


def texts(event: Path, folder: Path, language: str) -> list[str]:
    """The texts of the event's report in one language."""
    other = "en" if language == "zh" else "zh"
    parameters = {"event": str(event), "language": language}
    page = render("audit_event", parameters, folder, ("html",), name="a")["html"]
    parser = Texts(other)
    parser.feed(page.read_text(encoding="utf-8"))
    return parser.found


def own_words(event: Path, pattern: str) -> set[str]:
    """What stands in the event's own files: names of players, places, arbiters."""
    return {
        word
        for path in event.iterdir()
        for word in re.findall(pattern, f"{event.name} {path.name} {path.read_text(encoding='utf-8')}")
    }


@pytest.fixture(params=["constructed-open-2025", "constructed-xiangqi-2024", "nanjing-2010"])
def event(request, tmp_path) -> Path:
    """A shipped event; in that of Nanjing a rating is changed, so that causes are named."""
    place = tmp_path / request.param
    shutil.copytree(EVENTS / request.param, place)
    if request.param == "nanjing-2010":
        players = place / "players.csv"
        text = players.read_text(encoding="utf-8")
        assert "2716" in text
        players.write_text(text.replace("2716", "2720"), encoding="utf-8")
    return place


def test_a_chinese_report_has_no_english_words(event, tmp_path):
    found = texts(event, tmp_path / "out", "zh")
    own = own_words(event, r"[A-Za-z]+")
    left = set()
    for text in found:
        # Ids of rule sets, paths, tie-breaks with an edition, options and checksums are codes.
        bare = re.sub(r"\S*[/@]\S*|--[a-z-]+|\b[0-9a-f]{16,}\b", " ", text)
        for word in re.findall(r"[A-Za-z]{3,}", bare):
            if not word.isupper() and word not in own | NAMES:
                left.add(f"{word}: {text.strip()[:80]}")
    assert not left, "\n".join(sorted(left))
    assert any("等级分" in text for text in found)


def test_an_english_report_has_no_chinese_words(event, tmp_path):
    found = texts(event, tmp_path / "out", "en")
    own = own_words(event, r"[\u4e00-\u9fff]+")
    titles = {rules.title_zh for rules in all_rulesets()}
    left = set()
    for text in found:
        bare = text
        for title in titles:
            bare = bare.replace(title, " ")
        # Articles are cited as they are printed.
        bare = re.sub(r"第[一二三四五六七八九十]+条|（[一二三四五六七八九十]+）", " ", bare)
        left |= {
            f"{word}: {text.strip()[:80]}"
            for word in re.findall(r"[\u4e00-\u9fff]+", bare)
            if word not in own
        }
    assert not left, "\n".join(sorted(left))
    assert any("rating" in text for text in found)


def test_causes_are_told_in_the_language_of_the_report(tmp_path):
    place = tmp_path / "nanjing-2010"
    shutil.copytree(EVENTS / "nanjing-2010", place)
    players = place / "players.csv"
    players.write_text(players.read_text(encoding="utf-8").replace("2716", "2720"), encoding="utf-8")
    chinese = "".join(texts(place, tmp_path / "zh", "zh"))
    english = "".join(texts(place, tmp_path / "en", "en"))
    assert "6 号棋手：2715 至 2716" in chinese
    assert "player 6: 2715 to 2716" in english
