"""`qiyi standings`: ranks and tie-breaks of an event, by any list of codes or by a rule set."""

from __future__ import annotations

import csv
import json
import sys
import unicodedata
from collections.abc import Sequence

import click

import qiyi_analysis.ruleset as rulesets
from qiyi_analysis.choice import event_day
from qiyi_analysis.errors import ParameterError
from qiyi_analysis.findings import Finding, exit_code, located, ordered
from qiyi_analysis.model import Event
from qiyi_analysis.readers.door import read_event
from qiyi_analysis.ruleset import RuleSet
from qiyi_analysis.tiebreaks import standings

KIND = "tie-breaks"


@click.command("standings", help="Ranks and tie-breaks of an event. 名次与破同分")
@click.argument("event")
@click.option(
    "--tie-breaks", "codes", default="", help="Codes in order, for example PTS,DE,BH/C1,SB. 判定顺序"
)
@click.option("--rules", multiple=True, help="Rule set or document; may be repeated. 规则文件")
@click.option(
    "--option",
    "option",
    default="",
    help="Another order of the rule set, for example total-score. 规则中的另一顺序",
)
@click.option(
    "--of", "level", type=click.Choice(["teams", "players"]), help="Rank teams or players. 团体或个人"
)
@click.option("--through", type=click.IntRange(min=1), help="Standings after this round. 截至轮次")
@click.option("--json", "as_json", is_flag=True, help="One JSON object. JSON 输出")
@click.option("--csv", "as_csv", is_flag=True, help="The table as CSV. CSV 输出")
@click.option(
    "--language",
    type=click.Choice(["zh", "en"]),
    default="en",
    show_default=True,
    help="Of the findings. 语言",
)
def command(
    event: str,
    codes: str,
    rules: Sequence[str],
    option: str,
    level: str | None,
    through: int | None,
    as_json: bool,
    as_csv: bool,
    language: str,
) -> int:
    """Print the standings; findings go to stderr. 1 if a finding asks for something, else 0."""
    found = read_event(event)
    result = standings(
        found, codes or None, _rules(found, rules), of=level or "", option=option, through=through
    )
    file = found.sources[0].name if found.sources else found.id
    findings = ordered(located(finding, file=file) for finding in (*_serious(found), *result.findings))
    records = result.as_records()
    if as_json:
        answer = {
            "schema": 1,
            "event": found.id,
            "rules": [result.rules.id],
            "players": records,
            "findings": [finding.as_dict() for finding in findings],
        }
        click.echo(json.dumps(answer, ensure_ascii=False))
        return exit_code(findings)
    heads = list(result.texts.columns)
    rows = [["" if record[head] is None else str(record[head]) for head in heads] for record in records]
    if as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows([heads, *rows])
    else:
        click.echo("\n".join(aligned(heads, rows)))
    for finding in findings:
        where = f"{finding.file}:{finding.line}: " if finding.line else f"{finding.file}: "
        click.echo(f"{where}{finding.code} {finding.message(language)}", err=True)
    return exit_code(findings)


def _serious(event: Event) -> list[Finding]:
    """What the reader found wrong in the file; its mere remarks belong to the audit."""
    return [fault for fault in event.faults if fault.severity != "I"]


def _rules(event: Event, wanted: Sequence[str]) -> RuleSet | None:
    """The tie-break rules among those asked for, then among those the file names; None for the edition in force."""
    for text in wanted:
        chosen = _resolved(event, text)
        if chosen.kind == KIND:
            return chosen
    if wanted:
        raise ParameterError(f"--rules {', '.join(wanted)}: none of them is a rule set for {KIND}")
    for text in event.rules:
        document = text if text in rulesets.documents() else text.rpartition("/")[0]
        if document in rulesets.documents() and rulesets.ruleset(rulesets.editions(document)[0]).kind == KIND:
            return _resolved(event, text)
    return None


def _resolved(event: Event, text: str) -> RuleSet:
    if text in rulesets.documents():
        return rulesets.resolve(text, event_day(event, rulesets.ruleset(rulesets.editions(text)[-1])))
    return rulesets.resolve(text)


def aligned(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a plain table; names to the left, everything else to the right, wide characters counted as two."""
    table = [list(heads), *map(list, rows)]
    widths = [max(_width(row[i]) for row in table) for i in range(len(heads))]
    left = {i for i, head in enumerate(heads) if head in ("name", "id")}
    return [
        "  ".join(
            cell + " " * (widths[i] - _width(cell)) if i in left else " " * (widths[i] - _width(cell)) + cell
            for i, cell in enumerate(row)
        ).rstrip()
        for row in table
    ]


def _width(text: str) -> int:
    return sum(
        2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text
    )
