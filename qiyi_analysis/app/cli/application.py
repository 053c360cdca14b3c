"""`qiyi titles --application`: the application for a title by the norms of several events, with its papers."""

from __future__ import annotations

from typing import Any

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import output
from qiyi_analysis.app.cli.asked import Asked
from qiyi_analysis.audit.interface import answer
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.model.findings import exit_code
from qiyi_analysis.report.sections.title_application import (
    NORMS,
    ApplicationReport,
    NormEvent,
    load_application,
    norm_rows,
    write_application,
)
from qiyi_analysis.titles.result import missing_text

NOTEBOOK = "titles_application"


def apply_for_title(asked: Asked, given: dict[str, Any], *, as_csv: bool) -> int:
    """Judge the application, print it, write its papers where a folder is named; 1 where a finding asks for something.

    ``given``: the parameters of the notebook.
    """
    parameters = {**given, "events": [output.event_path(event) for event in given["events"]]}
    executed = asked.calculated(NOTEBOOK, parameters, lambda: load_application(**parameters))
    report: ApplicationReport = executed.result
    if asked.as_json:
        click.echo(application_json(report))
    elif as_csv:
        click.echo(output.csv_text(norm_rows(report), list(NORMS)), nl=False)
    else:
        _print(report)
        output.print_findings(report.findings, report.language, err=True)
    if asked.out:
        name = f"{safe_name(str(report.applicant['name']))}-{report.application.title}-application"
        asked.write(executed, asked.out, name, xlsx=lambda path: write_application(report, path))
    return exit_code(report.findings)


def application_json(report: ApplicationReport) -> str:
    """The JSON object: the judgement as a row of ``titles``, the norms event by event, what the application lacks."""
    found, row = report.application, report.applicant
    missing = missing_text(found.missing, "en") or None
    article = report.rules.need("application").article
    player = {
        "number": int(row["number"]), "name": row["name"], "title": found.title, "kind": "application", "reached": found.complete,
        "missing": missing, "article": article,
    }  # fmt: skip
    return answer(
        "+".join(one.report.event.id for one in report.events),
        {one.report.result.rules.id: one.report.result.rules for one in report.events}.values(),
        [player],
        report.findings,
        application={
            "id": row["id"] or None,
            "title": found.title,
            "games": found.games,
            "games_at_least": found.games_at_least,
            "rating_once": report.rating_once,
            "missing": [
                {"what": item.what, "message": item.text("en"), "message_zh": item.text("zh"), "article": item.article,
                 "unknown": item.unknown}
                for item in found.missing
            ],
            "norms": [_norm(one) for one in report.events],
        },
    )  # fmt: skip


def _norm(one: NormEvent) -> dict[str, Any]:
    """One event of the applicant; null where it gave no norm that serves the application."""
    sheet, event = one.sheet, one.report.event
    facts: dict[str, Any] = {
        "number": one.number, "event": event.id, "start": event.start and event.start.isoformat(),
        "end": event.end and event.end.isoformat(), "rules": one.report.result.rules.id,
    }  # fmt: skip
    keys = (
        "title",
        "reached",
        "score",
        "games",
        "average",
        "performance",
        "counts_as",
        "normal_foreigner",
        "missing_game",
        "article",
    )
    values = {key: None if sheet is None else getattr(sheet, key) for key in keys}
    return {
        **facts,
        **values,
        "missing": None if sheet is None else missing_text(sheet.missing, "en") or None,
    }


def _print(report: ApplicationReport) -> None:
    """The verdict, one line an event, and what is missing, each with its article."""
    language, found = report.language, report.application
    state = {True: "complete", False: "incomplete", None: "open"}[found.complete]
    said = words.text(f"application.{state}", language, name=report.applicant["name"], title=found.title)
    output.say(f"{said} ({report.rules.id} {report.rules.need('application').article})")
    for row in norm_rows(report):
        key = "norm_line" if row["norm"] else "no_norm_line"
        line = words.text(
            f"application.{key}",
            language,
            **{**row, "games": row["games_in"], "counts": row["counts_as"] or 0},
        )
        lacks = f": {row['missing']}" if row["missing"] else ""
        article = f" ({row['rules']} {row['article']})" if row["article"] else f" ({row['rules']})"
        output.say(f"  {line}{lacks}{article}")
    click.echo(
        "  " + words.text("application.games_line", language, games=found.games, least=found.games_at_least)
    )
    for item in found.missing:
        output.say(f"  {item.text(language)} ({report.rules.id} {item.article})")
