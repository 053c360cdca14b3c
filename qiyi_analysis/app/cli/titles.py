"""`qiyi titles`: who has earned which title, norm, grade or place points, and what the others lack."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.app.cli.asked import Asked, report_options
from qiyi_analysis.audit.checks.results import placed
from qiyi_analysis.audit.interface import answer, records
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.findings import exit_code, ordered
from qiyi_analysis.report.sections.titles import (
    NEAR_MISSES_SHOWN,
    TitlesReport,
    load_titles,
    open_sentences,
    shown_rows,
    write_workbook,
)
from qiyi_analysis.titles.result import TITLE_COLUMNS, missing_text

FORMATS = ("pdf", "html", "xlsx", "ipynb")
#: Options about an event, which an application by several events does not take.
OF_AN_EVENT = ("table", "event_type", "level", "norm_level", "others")
NOTEBOOK = "titles"


@arguments.command("titles", help="Titles and norms earned in EVENT, or what is missing. 称号与标准")
@click.argument("event")
@click.option(
    "--rules",
    default="",
    metavar="ID",
    help="Title rules; else those the file names or fide/titles, ... 称号规则",
)
@output.lists_option
@click.option(
    "--table", default="", metavar="FILE", help="Promotion table of your own (CSV or TOML) 自备晋级表"
)
@click.option("--event-type", default="", help="national-championship, zonal, world-team, ... 比赛性质")
@click.option("--level", default="", help="provincial, county, ... 赛事级别")
@click.option(
    "--norm-level",
    type=arguments.Whole(1, 4000),
    help="Title performance level of a xiangqi title event 称号表现分",
)
@click.option(
    "--with",
    "others",
    multiple=True,
    metavar="EVENT",
    callback=output.a_file,
    help="Another group of the event 其他组别",
)
@click.option(
    "--application",
    "applicant",
    default="",
    metavar="PLAYER",
    help="Judge a player's application for a title: number, id or name in EVENT 称号申请",
)
@click.option(
    "--also",
    multiple=True,
    metavar="EVENT",
    callback=output.a_file,
    help="Another event of the applicant 申请人的其他比赛",
)
@click.option(
    "--title", default="", metavar="TITLE", help="Title applied for; else the highest with a norm 申请称号"
)
@click.option(
    "--peak", type=arguments.Whole(0, 4000), help="Highest rating the applicant has had 曾达最高等级分"
)
@click.option("--csv", "as_csv", is_flag=True, help="The rows as CSV. CSV 输出")
@output.reading_options
@report_options(FORMATS, "pdf,xlsx", "Write the report here 输出目录")
def command(
    asked: Asked, event: str, applicant: str, also: tuple[str, ...], title: str, peak: int | None, as_csv: bool, **given: Any
) -> int:  # fmt: skip
    """Print the judgement; 1 if a finding asks for something, else 0."""
    output.one_form(asked.as_json, as_csv)
    # Without --out nothing is written.
    asked = replace(asked, formats=asked.formats if asked.out else ())
    of_an_event = [given.pop(name) for name in OF_AN_EVENT] if applicant else []
    if applicant:
        if any(of_an_event):
            raise ParameterError("application-alone")
        from qiyi_analysis.app.cli.application import apply_for_title

        parameters = {**given, "events": [event, *also], "player": applicant, "title": title, "peak": peak}
        return apply_for_title(asked, parameters, as_csv=as_csv)
    if also or title or peak is not None:
        raise ParameterError("application-needed")
    parameters = {**given, "event": output.event_path(event)}
    executed = asked.calculated(NOTEBOOK, parameters, lambda: load_titles(**parameters))
    report: TitlesReport = executed.result
    result, language = report.result, report.language
    faults = [fault for fault in report.event.faults if fault.severity != "I"]
    findings = ordered(placed(report.event, finding) for finding in (*faults, *result.findings))
    if asked.as_json:
        teams = {"teams": records(result.teams, list(result.teams.columns))} if len(result.teams) else {}
        click.echo(answer(result.event, (result.rules,), result.as_rows(), findings, **teams))
    elif as_csv:
        click.echo(output.csv_text(result.as_rows(language), TITLE_COLUMNS), nl=False)
    else:
        _print(report)
        output.print_findings(findings, language, err=True)
    if asked.out:
        name = f"{safe_name(report.event.id)}-titles"
        asked.write(executed, asked.out, name, xlsx=lambda path: write_workbook(report, path))
    return exit_code(findings)


def _print(report: TitlesReport) -> None:
    """What was earned, what could not be judged, and those who lack one condition only."""
    language = report.language
    rows = list(report.result.players.itertuples(index=False))
    shown = shown_rows(report)
    near = [row for row in rows if row.reached is False and len(row.missing) == 1]  # type: ignore[arg-type]
    for row in [*shown, *near[:NEAR_MISSES_SHOWN]]:
        kind = words.text(f"title_kind.{row.kind}", language)
        missing = missing_text(row.missing, language)
        # What could not be judged says so itself.
        verdicts = {True: "reached", False: "missed"}
        said = [words.text(f"titles.{verdicts[row.reached]}", language)] if row.reached is not None else []
        text = ": ".join([*said, *([missing] if missing else [])])
        what = f"{row.title} {kind}".strip()
        output.say(f"{row.number} {row.name}: {what} {text} ({report.result.rules.id} {row.article})")
    if not shown:
        click.echo(words.text("titles.nothing_earned", language))
    for sentence in open_sentences(report):
        output.say(sentence)
    if len(near) > NEAR_MISSES_SHOWN:
        click.echo(words.text("titles.more", language, count=len(near) - NEAR_MISSES_SHOWN))
    for team in report.result.teams.itertuples(index=False):
        output.say(f"{team.category} {team.place} {team.team} {team.points}")
