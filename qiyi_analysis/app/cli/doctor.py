"""`qiyi doctor`: what is installed, what is missing, what to do; 0 when all is well, 1 otherwise."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments
from qiyi_analysis.app.doctor import Examination, examine


@arguments.command("doctor", help="What is installed, what is missing, what to do. 检查安装情况")
@click.option("--out", default="reports", show_default=True, help="The folder reports go to. 输出文件夹")
@click.option(
    "--language",
    type=arguments.OneOf(["zh", "en"]),
    default=None,
    help="Language; both if left out 语言，默认双语",
)
def command(out: str, language: str | None) -> int:
    """Print one line per part, in both languages or one, and what to do where something is missing."""
    missing = 0
    for part in examine(Path(out), sys.stdout.encoding or "ascii"):
        click.echo(line(part, language))
        missing += part.state == "missing"
    click.echo()
    click.echo(told("doctor.unwell" if missing else "doctor.well", language, count=missing))
    return 1 if missing else 0


def line(part: Examination, language: str | None = None) -> str:
    """One part: mark, title, what was found; and below it what to do. Without ``language`` in both."""
    mark = {"ok": "+", "missing": "!", "absent": "-"}[part.state]
    state = told(f"doctor.{part.state}", language)
    text = f"{mark} {told(part.title, language)}: {state}; {told(part.finding, language, **part.values)}"
    if part.state == "missing":
        text += f"\n    {told('doctor.todo', language)}: {told(part.advice, language)}"
    return text


def told(key: str, language: str | None = None, **values: object) -> str:
    """The text in the language; without one the Chinese and the English, once where they are the same."""
    if language is not None:
        return words.text(key, language, **values)
    zh, en = words.pair(key, "zh", **values)
    return zh if zh == en else f"{zh}  {en}"
