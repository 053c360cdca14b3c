"""`qiyi audit`: the main job. Checks, recalculates, compares, explains; writes the report; prints the verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.app.cli.asked import Asked, parts, remark_all, report_options
from qiyi_analysis.audit.event_audit import Audit
from qiyi_analysis.audit.interface import audit_json
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.model.findings import exit_code
from qiyi_analysis.report.run.audit_files import FORMATS, AuditRequest, write_audit


@arguments.command("audit", help="Check EVENT, recalculate it and write the report. 审核比赛，生成报告")
@click.argument("event")
@output.rules_option
@output.lists_option
@click.option(
    "--published", default="", metavar="FILE", callback=output.a_file,
    help="What was published, if it is in another file 公布的结果",
)  # fmt: skip
@click.option("--sections", default="", callback=parts, help="Sections, separated by commas 报告章节")
@click.option("--mask-minors", is_flag=True, help="Hide the names of minors 隐去未成年人姓名")
@output.letterhead_option
@output.reading_options
@report_options(FORMATS, "pdf,xlsx,json", "Folder for the files; else reports/<event>/ 输出目录")
def command(asked: Asked, event: str, language: str, letterhead: str, **given: Any) -> int:
    """Write the reports and print verdict and findings; 1 if a finding asks for something, else 0."""
    request = AuditRequest(
        event=output.event_path(event),
        language=output.report_language(letterhead, language),
        letterhead=letterhead,
        **given,
    )
    executed = asked.calculated(*request.calculation())
    result: Audit = executed.result
    if asked.as_json:
        click.echo(audit_json(result))
    else:
        verdict = words.text(f"verdict.{result.verdict}", request.language)
        output.say(f"{result.event.name or result.event.id}: {verdict} ({result.verdict})")
        output.say(words.text("coverage.line", request.language, **result.coverage.as_dict()))
        output.print_findings(result.findings, request.language)
    if asked.files:
        folder = asked.out or Path("reports") / safe_name(result.event.id)
        remark_all(write_audit(request, executed, folder, asked.formats).values())
    return exit_code(result.findings)
