"""`qiyi rules`: the rule files, readable."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any

import click

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.report.kit.tables import Column


@arguments.group("rules", help="List, show and compare rule files. 规则文件")
def command() -> None:
    """Rule files: list, show, compare, and which edition was in force on a day."""


@command.command("list", help="Every edition with the days it is in force. 全部版本")
@output.language_option
def list_rules(language: str) -> int:
    """Print every edition with its period and title; 0."""
    rows = []
    for rules in rulesets.all_rulesets():
        last = rulesets.last_day(rules)
        rows.append(
            {
                "rules": rules.id,
                "first_day": rules.effective,
                "last_day": last,
                "confidence": words.text(f"confidence.{rules.confidence}", language),
                "rules_title": rules.title_zh if language == "zh" else rules.title,
            }
        )
    columns = [
        Column("rules", "code"),
        Column("first_day", "date"),
        Column("last_day", "date"),
        Column("confidence", "text"),
        Column("rules_title", "text"),
    ]
    output.print_table(columns, rows, language)
    return 0


@command.command("show", help="One edition, value by value with its article. 显示一个版本")
@click.argument("id")
@output.language_option
def show(id: str, language: str) -> int:
    """Print an edition block by block with its articles; 0."""
    rules = rulesets.resolve(id)
    output.say(rules.id)
    output.say(rules.title_zh if language == "zh" else rules.title)
    for note in rules.notes:
        output.say(f"  {words.shown(note, language)}")
    for source in rules.sources:
        output.say(f"  {words.shown(source, language)}")
    for name, rows in rules.blocks.items():
        for i, block in enumerate(rows, 1):
            head = f"[{name}]" if len(rows) == 1 else f"[{name} {i}]"
            output.say(f"{head}  {block.article}")
            for key, value in block.items():
                output.say(f"  {key} = {written(value)}")
    return 0


@command.command("diff", help="What differs between two editions. 比较两个版本")
@click.argument("old")
@click.argument("new")
@output.language_option
def diff(old: str, new: str, language: str) -> int:
    """Print what differs between two editions, block by block; 0."""
    rows = [
        {
            "block": d.block,
            "row": d.row,
            "key": d.key,
            "old": written(d.old),
            "new": written(d.new),
        }
        for d in rulesets.diff(rulesets.resolve(old), rulesets.resolve(new))
    ]
    columns = [
        Column(name, "integer" if name == "row" else "text") for name in ("block", "row", "key", "old", "new")
    ]
    output.print_table(columns, rows, language)
    return 0


@command.command("in-force", help="The edition of DOCUMENT on DATE (YYYY-MM-DD). 某日有效的版本")
@click.argument("document")
@click.argument("day")
@output.language_option
def in_force(document: str, day: str, language: str) -> int:
    """Print the edition of a document in force on a day; 0. Raises RulesetError where there is none."""
    try:
        wanted = date.fromisoformat(day)
    except ValueError:
        raise ParameterError("date-typed", day=day) from None
    click.echo(rulesets.in_force(document, wanted).id)
    return 0


def written(value: Any) -> str:
    """A value of a rule file as people write it."""
    if value is None:
        return "–"
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {written(content)}" for key, content in value.items())
    if isinstance(value, tuple):
        return ", ".join(written(one) or '""' for one in value)
    return str(value)
