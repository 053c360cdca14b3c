"""The guides for officers: links and pictures are there, every command in them is understood, both say the same."""

from __future__ import annotations

import importlib
import importlib.util
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from qiyi_analysis.app.cli import COMMANDS
from qiyi_analysis.app.cli.output import finding_line
from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.readers import read_event

GUIDES = ("guide-zh.md", "guide-en.md")


@pytest.fixture(params=GUIDES)
def guide(request, project: Path) -> Path:
    return project / "docs" / request.param


def commands(text: str) -> list[list[str]]:
    """Command lines in blocks and in the text: after `qiyi`."""
    found = re.findall(r"^qiyi (.+)$", text, re.MULTILINE) + re.findall(r"`qiyi ([^`]+)`", text)
    return [shlex.split(line) for line in found]


def test_links_and_pictures_are_there(guide: Path) -> None:
    text = guide.read_text(encoding="utf-8")
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert len(pictures) >= 6
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (guide.parent / target).is_file(), target
    for picture in pictures:
        assert (guide.parent / picture).stat().st_size < 150_000, picture


def test_contents_lead_somewhere(guide: Path) -> None:
    text = guide.read_text(encoding="utf-8")
    heads = {
        re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", head)).lower()
        for head in re.findall(r"^## (.+)$", text, re.MULTILINE)
    }
    links = re.findall(r"\]\(#([^)]+)\)", text)
    assert len(links) == len(heads) == 9
    assert set(links) == heads


def test_every_command_and_option_exists(guide: Path) -> None:
    lines = commands(guide.read_text(encoding="utf-8"))
    assert len(lines) >= 10
    for name, *arguments in lines:
        assert name in COMMANDS, name
        module, attribute = COMMANDS[name][0].split(":")
        command = getattr(importlib.import_module(module), attribute)
        path = [name]
        while hasattr(command, "commands") and arguments and arguments[0] in command.commands:
            path.append(arguments[0])
            command = command.commands[arguments[0]]
            arguments = arguments[1:]
        known = {option for parameter in command.params for option in parameter.opts}
        for word in arguments:
            if word.startswith("--"):
                assert word in known | {"--help"}, (path, word)
            elif word.startswith("data/"):
                assert (guide.parents[1] / word).exists(), word


def test_both_guides_show_the_same_commands_and_pictures(project: Path) -> None:
    texts = [(project / "docs" / name).read_text(encoding="utf-8") for name in GUIDES]
    shown = [
        [
            [word for word in line if word not in ("--language", "en")]
            for line in commands(text)
            if "rules" not in line
        ]
        for text in texts
    ]
    assert [line[0] for line in shown[0]] == [line[0] for line in shown[1]]
    pictures = [
        sorted(re.sub(r"-(zh|en)", "", one) for one in re.findall(r"pictures/([^)]+)", text))
        for text in texts
    ]
    assert pictures[0] == pictures[1]


def test_a_rule_file_of_ones_own_is_used(project: Path, tmp_path: Path) -> None:
    """Section 7: a copy with another K, named on the command line."""
    from qiyi_analysis.app.cli.rate import command

    own = tmp_path / "2026-01-01.toml"
    source = project / "qiyi_analysis" / "rulesets" / "cca" / "rating" / "undated.toml"
    text = source.read_text(encoding="utf-8")
    assert "[[k_factor]]\nk = 10\n" in text
    own.write_text(text.replace("[[k_factor]]\nk = 10\n", "[[k_factor]]\nk = 20\n"), encoding="utf-8")
    event = str(project / "data" / "events" / "constructed-cca-2024")
    outputs = [
        CliRunner().invoke(command, [event, "--rules", rules], standalone_mode=False).output
        for rules in ("cca/rating/undated", str(own))
    ]
    # Number 5: 4.5 - 3.66 = 0.84 times K.
    assert "8.40" in outputs[0]
    assert "16.80" in outputs[1]


def test_the_line_that_is_explained_is_what_the_program_says(
    guide: Path, project: Path, tmp_path: Path
) -> None:
    """The event of the pictures, in the folder that the guides name."""
    spec = importlib.util.spec_from_file_location("pictures", project / "tools" / "pictures.py")
    pictures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pictures)
    event = pictures.event_with_a_mistake(tmp_path).rename(tmp_path / "planted")
    language = guide.stem.removeprefix("guide-")
    (finding,) = (f for f in audit(read_event(event)).findings if (f.player, f.field) == (6, "change"))
    text = guide.read_text(encoding="utf-8")
    assert f"\n{finding_line(finding, language)}\n" in text
    # The table takes it apart.
    assert f"| `{finding.file}:{finding.line}` |" in text
    assert f"`<- {finding.causes[0].message(language)}" in text
