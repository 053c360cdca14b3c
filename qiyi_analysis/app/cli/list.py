"""`qiyi list`: a rating list rebuilt from the one before and the events of its period."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.audit.interface import answer, json_value
from qiyi_analysis.files.whole_files import write_whole
from qiyi_analysis.lists import read_state
from qiyi_analysis.lists.identities import read_identities
from qiyi_analysis.lists.list_comparison import CLASSES, Comparison
from qiyi_analysis.lists.list_files import LIST_FORMATS, list_name, read_reports, write_list
from qiyi_analysis.lists.movements import summary
from qiyi_analysis.lists.rebuild import Rebuilt
from qiyi_analysis.lists.roll import roll
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.findings import exit_code, ordered
from qiyi_analysis.report.kit.tables import Column
from qiyi_analysis.report.run.render import FORMATS as PAGES
from qiyi_analysis.report.run.render import calculated
from qiyi_analysis.report.sections.rebuilt_list import View, list_of

PLAYERS = (
    "id", "name", "sex", "federation", "unit", "birth_year", "title", "rating", "k", "games", "peak", "last_event",
    "flag", "previous", "change", "period_games", "status", "reason",
)  # fmt: skip
DIFFERENCES = (
    "id",
    "name",
    "previous",
    "published",
    "rebuilt",
    "difference",
    "change",
    "period_games",
    "class",
)
FORMATS = ("pdf", "html", "ipynb", "json", *LIST_FORMATS)
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
    "--events", "folder", required=True, metavar="DIR", help="Folder with the period's events 比赛目录"
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
    help=f"Of {','.join(FORMATS)} 输出格式",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; files only with --out")
@output.identities_option
@output.language_option
def command(
    rules: str,
    previous: tuple[str, ...],
    folder: str,
    period_id: str | None,
    first: str | None,
    last: str | None,
    published: str | None,
    ratings: str,
    out: str | None,
    formats: str,
    as_json: bool,
    identities: str,
    language: str,
) -> int:
    """Write the rebuilt list and print its differences to the published one; 1 if something asks for an answer, else 0."""
    if not period_id or first or last:
        if period_id or published or as_json or not (first and last):
            raise ParameterError("period-or-range")
        return _several(rules, previous, folder, first, last, ratings, out, identities, language)
    wanted = output.chosen_formats(formats, FORMATS)
    if out:
        output.folder_for(out)
    parameters: dict[str, Any] = {
        "rules": rules, "previous": [output.event_path(path) for path in previous], "events": folder, "period": period_id,
        "published": output.event_path(published) if published else "", "ratings": ratings, "identities": identities, "language": language,
    }  # fmt: skip
    pages = tuple(one for one in wanted if one in PAGES) if out or not as_json else ()
    executed = calculated("reproduce_list", parameters, pages, lambda: list_of(**parameters))
    view: View = executed.result
    rebuilt, comparison, findings = view.rebuilt, view.comparison, view.findings
    text = list_json(rebuilt, comparison, findings)
    if as_json:
        click.echo(text)
    else:
        output.say(_summary(rebuilt, comparison, language))
        if comparison is not None and len(comparison.differences):
            named = comparison.differences["class"].map(lambda one: words.text(f"class.{one}", language))
            output.print_table(SHOWN, comparison.differences.assign(**{"class": named}), language)
        # The differences stand in the table above.
        rows = {f"list-{one}" for one in CLASSES}
        output.print_findings([f for f in findings if f.reason not in rows], language, err=True)
    if out or not as_json:
        target = Path(out) if out else Path("reports") / list_name(rebuilt)
        paths = write_list(replace(rebuilt, ledger=view.ledger), comparison, target, language, formats=wanted)
        paths |= executed.write(target, pages, f"list-{period_id}-report")
        if "json" in wanted:
            paths["json"] = target / f"{list_name(rebuilt)}.json"
            write_whole(paths["json"], (text + "\n").encode("utf-8"))
        for path in paths.values():
            output.remark(str(path))
    return exit_code(findings)


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


def list_json(rebuilt: Rebuilt, comparison: Comparison | None, findings: Any) -> str:
    """The JSON object of a rebuilt list: players, and the differences to what was published."""
    on_list = rebuilt.players["published"] & (rebuilt.players["status"] != "removed")
    players = [_record(dict(row), PLAYERS) for row in rebuilt.players[on_list].to_dict("records")]
    more: dict[str, Any] = {
        "not_listed": [_record(dict(row), PLAYERS) for row in rebuilt.players[~on_list].to_dict("records")],
        "period": rebuilt.period.id,
        "list_day": rebuilt.period.list_day.isoformat(),
    }
    if comparison is not None:
        more["counts"] = comparison.counts
        more["differences"] = [
            {**_record(dict(row), DIFFERENCES), "causes": [cause.as_dict() for cause in row["causes"]]}
            for row in comparison.differences.to_dict("records")
        ]
    return answer(rebuilt.period.id, [rebuilt.rules], players, findings, **more)


def _record(row: dict[Any, Any], names: tuple[str, ...]) -> dict[str, Any]:
    record = {name: json_value(row[name]) for name in names if name != "change"}
    record["id"] = row["id"] or None
    change = row["change"]
    # Exact hundredths; systems in floating point keep four decimals.
    if change is None or change != change:
        record["change"] = None
    elif hasattr(change, "numerator") and hasattr(change, "denominator") and 100 % change.denominator == 0:
        record["change"] = f"{Decimal(change.numerator) / Decimal(change.denominator):.2f}"
    else:
        record["change"] = f"{float(change):.4f}"
    return {name: record[name] for name in names}
