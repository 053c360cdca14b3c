"""`qiyi list`: a rating list rebuilt from the one before and the events of its period."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments, output
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
@click.option(
    "--events", "folder_", required=True, metavar="DIR", help="Folder with the period's events 比赛目录"
)
@click.option("--period", "period_id", metavar="YYYY-MM", help="Month of the list 期")
@click.option("--from", "first", metavar="YYYY-MM", help="First of several months 起始期")
@click.option("--to", "last", metavar="YYYY-MM", help="Last of several months 结束期")
@click.option(
    "--published",
    metavar="FILE",
    callback=output.a_file,
    help="What was published, to be compared 公布的等级分表",
)
@click.option(
    "--ratings", type=arguments.OneOf(["event", "list"]), default="event", show_default=True,
    help="Ratings printed in the events, or those of the list 用比赛所印或等级分表",
)  # fmt: skip
@click.option("--out", metavar="DIR", help="Folder for the files; else reports/list-<day>/ 输出目录")
@click.option(
    "--formats",
    default="pdf,json,csv,xlsx,xml,txt",
    show_default=True,
    help=f"Of {','.join(LIST_FORMATS)} 输出格式",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; files only with --out")
@click.option("--force", is_flag=True, help="Replace other files that are there 替换已有文件")
@output.identities_option
@output.language_option
def command(
    rules: str,
    previous: tuple[str, ...],
    folder_: str,
    period_id: str | None,
    first: str | None,
    last: str | None,
    published: str | None,
    ratings: str,
    out: str | None,
    formats: str,
    force: bool,
    as_json: bool,
    identities: str,
    language: str,
) -> int:
    """Write the rebuilt list and print its differences to the published one; 1 if something asks for an answer, else 0."""
    if not period_id or first or last:
        if period_id or published or as_json or not (first and last):
            raise ParameterError("period-or-range")
        return _several(rules, previous, folder_, first, last, ratings, out, identities, language)
    wanted = output.chosen_formats(formats, LIST_FORMATS)
    folder = output.folder_for(out) if out else None
    parameters: dict[str, Any] = {
        "rules": rules, "previous": [output.event_path(path) for path in previous], "events": folder_, "period": period_id,
        "published": output.event_path(published) if published else "", "ratings": ratings, "identities": identities,
        "language": language,
    }  # fmt: skip
    if as_json and not out:
        wanted = ()
    done = rebuild(parameters, wanted)
    comparison = done.result.comparison
    if as_json:
        click.echo(done.json)
    else:
        output.say(_summary(done.result.rebuilt, comparison, language))
        if comparison is not None and len(comparison.differences):
            named = comparison.differences["class"].map(lambda one: words.text(f"class.{one}", language))
            output.print_table(SHOWN, comparison.differences.assign(**{"class": named}), language)
        # The differences stand in the table above.
        rows = {f"list-{one}" for one in CLASSES}
        output.print_findings([f for f in done.findings if f.reason not in rows], language, err=True)
    if out or not as_json:
        for path in done.write(folder, force=force).values():
            output.remark(str(path))
    return done.exit_code


def _several(
    rules: str, previous: tuple[str, ...], folder: str, first: str, last: str, ratings: str, out: str | None, identities: str,
    language: str,
) -> int:  # fmt: skip
    """Roll the lists of several periods: each is written when it is there, the reports are read once."""
    target = output.folder_for(out) if out else Path("reports") / f"lists-{first}-{last}"
    states = [read_state(output.event_path(path), rules) for path in previous]
    reports = read_reports(folder)
    findings = list(reports.findings)
    for rebuilt in roll(
        reports.events, rules, states, first, last, ratings=ratings, identities=read_identities(identities)
    ):
        findings += rebuilt.findings
        output.say(_summary(rebuilt, None, language))
        for path in write_list(rebuilt, None, target, language, formats=("csv",)).values():
            output.remark(str(path))
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
