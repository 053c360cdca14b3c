"""`qiyi titles`: who has earned which title, norm, grade or place points, and what the others lack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.audit.checks.results import placed
from qiyi_analysis.audit.interface import answer, records
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.findings import exit_code, ordered
from qiyi_analysis.report.run.render import FORMATS as PAGES
from qiyi_analysis.report.run.render import calculated
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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object. JSON 输出")
@click.option("--csv", "as_csv", is_flag=True, help="The rows as CSV. CSV 输出")
@click.option("--out", default="", metavar="DIR", help="Write the report here 输出目录")
@click.option("--formats", default="pdf,xlsx", show_default=True, help=f"Of {','.join(FORMATS)} 输出格式")
@output.language_option
def command(
    event: str,
    rules: str,
    lists: tuple[str, ...],
    table: str,
    event_type: str,
    level: str,
    norm_level: int | None,
    others: tuple[str, ...],
    applicant: str,
    also: tuple[str, ...],
    title: str,
    peak: int | None,
    as_json: bool,
    as_csv: bool,
    out: str,
    formats: str,
    language: str,
) -> int:
    """Print the judgement; 1 if a finding asks for something, else 0."""
    wanted = output.chosen_formats(formats, FORMATS)
    output.one_form(as_json, as_csv)
    if out:
        output.folder_for(out)
    if applicant:
        if table or level or norm_level or others or event_type:
            raise ParameterError("application-alone")
        from qiyi_analysis.app.cli.application import apply_for_title

        return apply_for_title(
            (event, *also), applicant, title, rules, lists, peak,
            as_json=as_json, as_csv=as_csv, out=out, formats=wanted, language=language,
        )  # fmt: skip
    if also or title or peak is not None:
        raise ParameterError("application-needed")
    parameters: dict[str, Any] = {
        "event": output.event_path(event), "rules": rules, "lists": list(lists), "table": table, "event_type": event_type, "level": level, "norm_level": norm_level, "others": list(others),
        "language": language,
    }  # fmt: skip
    pages = tuple(one for one in wanted if out and one in PAGES)
    executed = calculated(NOTEBOOK, parameters, pages, lambda: load_titles(**parameters))
    report: TitlesReport = executed.result
    result = report.result
    faults = [fault for fault in report.event.faults if fault.severity != "I"]
    findings = ordered(placed(report.event, finding) for finding in (*faults, *result.findings))
    if as_json:
        more = {}
        if len(result.teams):
            more["teams"] = records(result.teams, list(result.teams.columns))
        click.echo(answer(result.event, (result.rules,), result.as_rows(), findings, **more))
    elif as_csv:
        click.echo(output.csv_text(result.as_rows(language), TITLE_COLUMNS), nl=False)
    else:
        _print(report)
        output.print_findings(findings, language, err=True)
    if out:
        name = f"{safe_name(report.event.id)}-titles"
        if "xlsx" in wanted:
            Path(out).mkdir(parents=True, exist_ok=True)
            output.remark(str(write_workbook(report, Path(out) / f"{name}.xlsx")))
        for path in executed.write(Path(out), pages, name).values():
            output.remark(str(path))
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
