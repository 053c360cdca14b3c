"""`qiyi doctor`: what is installed, what is missing, what to do; 0 when all is well, 1 otherwise."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from qiyi_analysis import words
from qiyi_analysis.doctor import Examination, examine


@click.command("doctor", help="What is installed, what is missing, what to do. 检查安装情况")
@click.option("--out", default="reports", show_default=True, help="The folder reports go to. 输出文件夹")
def command(out: str) -> int:
    """Print one line per part, in both languages, and what to do where something is missing."""
    missing = 0
    for part in examine(Path(out), sys.stdout.encoding or "ascii"):
        click.echo(line(part))
        missing += part.state == "missing"
    key = "doctor.unwell" if missing else "doctor.well"
    click.echo()
    click.echo("  ".join(words.pair(key, "zh", count=missing)))
    return 1 if missing else 0


def line(part: Examination) -> str:
    """One part: mark, title, what was found; and below it what to do."""
    mark = {"ok": "+", "missing": "!", "absent": "-"}[part.state]
    text = f"{mark} {both(part.title)}: {both(f'doctor.{part.state}')}; {both(part.finding, **part.values)}"
    if part.state == "missing":
        text += f"\n    {both('doctor.todo')}: {both(part.advice)}"
    return text


def both(key: str, **values: object) -> str:
    """The Chinese and the English text, once where they are the same."""
    zh, en = words.pair(key, "zh", **values)
    return zh if zh == en else f"{zh}  {en}"
