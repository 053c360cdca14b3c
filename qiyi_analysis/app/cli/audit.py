"""`qiyi audit`: the main job. Checks, recalculates, compares, explains; writes the report; prints the verdict."""

from __future__ import annotations

from pathlib import Path

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.audit.event_audit import Audit
from qiyi_analysis.audit.interface import audit_json
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.model.findings import exit_code
from qiyi_analysis.report.run.audit_files import FORMATS, AuditRequest, write_audit

DEFAULT_FORMATS = "pdf,xlsx,json"


@arguments.command("audit", help="Check EVENT, recalculate it and write the report. 审核比赛，生成报告")
@click.argument("event")
@output.rules_option
@output.lists_option
@click.option(
    "--published",
    metavar="FILE",
    callback=output.a_file,
    help="What was published, if it is in another file 公布的结果",
)
@click.option("--out", metavar="DIR", help="Folder for the files; else reports/<event>/ 输出目录")
@click.option(
    "--formats", default=DEFAULT_FORMATS, show_default=True, help=f"Of {','.join(FORMATS)} 输出格式"
)
@click.option("--sections", default="", help="Sections of the report, separated by commas 报告章节")
@click.option("--mask-minors", is_flag=True, help="Hide the names of minors 隐去未成年人姓名")
@click.option("--letterhead", metavar="FILE", help="Federation's name, logo and footer (TOML) 信头")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; files only with --out")
@output.language_option
def command(
    event: str,
    rules: tuple[str, ...],
    lists: tuple[str, ...],
    published: str | None,
    out: str | None,
    formats: str,
    sections: str,
    mask_minors: bool,
    letterhead: str | None,
    as_json: bool,
    language: str,
) -> int:
    """Write the reports and print verdict and findings; 1 if a finding asks for something, else 0."""
    wanted = output.chosen_formats(formats, FORMATS)
    if out:
        output.folder_for(out)
    language = output.report_language(letterhead, language)
    request = AuditRequest(
        event=output.event_path(event),
        rules=rules,
        lists=lists,
        published=published or "",
        language=language,
        sections=tuple(part.strip() for part in sections.split(",") if part.strip()),
        mask_minors=mask_minors,
        letterhead=letterhead or "",
    )
    files = bool(out) or not as_json
    executed = request.calculated(wanted if files else ())
    result: Audit = executed.result
    if as_json:
        click.echo(audit_json(result))
    else:
        verdict = words.text(f"verdict.{result.verdict}", language)
        output.say(f"{result.event.name or result.event.id}: {verdict} ({result.verdict})")
        output.say(words.text("coverage.line", language, **result.coverage.as_dict()))
        output.print_findings(result.findings, language)
    if files:
        folder = Path(out) if out else Path("reports") / safe_name(result.event.id)
        for path in write_audit(request, executed, folder, wanted).values():
            output.remark(str(path))
    return exit_code(result.findings)
