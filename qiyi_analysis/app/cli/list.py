"""`qiyi list`: a rating list rebuilt from the one before and the events of its period."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.app.cli.asked import Asked, remark_all, report_options
from qiyi_analysis.lists import read_state
from qiyi_analysis.lists.identities import read_identities
from qiyi_analysis.lists.list_comparison import CLASSES, Comparison
from qiyi_analysis.lists.list_files import read_reports, write_list
from qiyi_analysis.lists.movements import summary
from qiyi_analysis.lists.rebuild import Rebuilt
from qiyi_analysis.lists.roll import roll
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.findings import exit_code, ordered
from qiyi_analysis.report.kit.tables import Column
from qiyi_analysis.report.run.list_jobs import LIST_FORMATS, rebuild

SHOWN = (
    Column("id", "code"),
    Column("name", "name"),
    Column("published", "integer"),
    Column("rebuilt", "integer"),
    Column("difference", "signed", ("差", "difference"), 0),
    Column("class", "text"),
)


@arguments.command(
    "list", help="Rebuild the list of a period from the one before and its events. 重建等级分表"
)
@click.option("--rules", required=True, metavar="ID", help="Rating document, edition or file 规则")
@click.option(
    "--previous", "previous", multiple=True, required=True, metavar="FILE", callback=output.a_file,
    help="List before; repeat for older ones 上期等级分表",
)  # fmt: skip
@click.option("--events", required=True, metavar="DIR", help="Folder with the period's events 比赛目录")
@click.option("--period", default="", metavar="YYYY-MM", help="Month of the list 期")
@click.option("--from", "first", default="", metavar="YYYY-MM", help="First of several months 起始期")
@click.option("--to", "last", default="", metavar="YYYY-MM", help="Last of several months 结束期")
@click.option(
    "--published",
    default="",
    metavar="FILE",
    callback=output.a_file,
    help="What was published, to be compared 公布的等级分表",
)
@click.option(
    "--ratings", type=arguments.OneOf(["event", "list"]), default="event", show_default=True,
    help="Ratings printed in the events, or those of the list 用比赛所印或等级分表",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace other files that are there 替换已有文件")
@output.identities_option
@report_options(LIST_FORMATS, "pdf,json,csv,xlsx,xml,txt", "Folder; else reports/list-<day>/ 输出目录")
def command(
    asked: Asked, period: str, first: str, last: str, published: str, force: bool, language: str, **given: Any
) -> int:
    """Write the rebuilt list and print its differences to the published one; 1 if something asks for an answer, else 0."""
    parameters: dict[str, Any] = {
        **given,
        "previous": [output.event_path(path) for path in given["previous"]],
        "published": output.event_path(published) if published else "",
        "period": period,
        "language": language,
    }
    if not period or first or last:
        if period or published or asked.as_json or not (first and last):
            raise ParameterError("period-or-range")
        return _several(asked, parameters, first, last)
    done = rebuild(parameters, asked.formats if asked.files else (), seconds=asked.seconds)
    comparison = done.result.comparison
    if asked.as_json:
        click.echo(done.json)
    else:
        output.say(_summary(done.result.rebuilt, comparison, language))
        if comparison is not None and len(comparison.differences):
            named = comparison.differences["class"].map(lambda one: words.text(f"class.{one}", language))
            output.print_table(SHOWN, comparison.differences.assign(**{"class": named}), language)
        # The differences stand in the table above.
        rows = {f"list-{one}" for one in CLASSES}
        output.print_findings([f for f in done.findings if f.reason not in rows], language, err=True)
    if asked.files:
        remark_all(done.write(asked.out, force=force).values())
    return done.exit_code


def _several(asked: Asked, given: dict[str, Any], first: str, last: str) -> int:
    """Roll the lists of several periods: each is written when it is there, the reports are read once."""
    target, language, rules = (
        asked.out or Path("reports") / f"lists-{first}-{last}",
        given["language"],
        given["rules"],
    )
    states = [read_state(path, rules) for path in given["previous"]]
    reports = read_reports(given["events"])
    findings = list(reports.findings)
    identities = read_identities(given["identities"])
    for rebuilt in roll(
        reports.events, rules, states, first, last, ratings=given["ratings"], identities=identities
    ):
        findings += rebuilt.findings
        output.say(_summary(rebuilt, None, language))
        remark_all(write_list(rebuilt, None, target, language, formats=("csv",)).values())
    output.print_findings(ordered(findings), language, err=True)
    return exit_code(findings)


def _summary(rebuilt: Rebuilt, comparison: Comparison | None, language: str) -> str:
    line = words.shown(summary(rebuilt, rebuilt.ledger), language)
    if comparison is None:
        return line
    counts = words.joined(
        f"{words.text(f'class.{kind}', language)} {comparison.counts[kind]}"
        for kind in CLASSES
        if comparison.counts[kind]
    )
    return f"{line}\n{words.shown(counts, language)}"
