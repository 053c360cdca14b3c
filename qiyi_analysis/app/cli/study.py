"""`qiyi study`: a research notebook run and exported, with tidy Parquet results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.app.cli.asked import Asked, remark_all, report_options
from qiyi_analysis.audit.interface import json_text
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.findings import Finding, exit_code
from qiyi_analysis.report.run.parameters import assigned, checked, find_notebook, read_schema
from qiyi_analysis.report.run.render import FORMATS
from qiyi_analysis.research.history.result_files import read_record, write_record
from qiyi_analysis.research.studies.catalogue import STUDIES, run


@arguments.command(
    "study", help="Compare K-factors and rating systems on GAMES, or simulate a federation. 研究"
)
@click.argument("study", type=arguments.OneOf(list(STUDIES)), default=None, required=False)
@click.argument("games", default="", required=False)
@click.option("-p", "assignments", multiple=True, metavar="NAME=VALUE", help="Parameter of the study 参数")
@click.option("--events", default="", metavar="DIR", help="Folder of events in place of GAMES 赛事文件夹")
@click.option(
    "--lists", default="", metavar="DIR", help="Folder of rating lists, with --events 等级分表文件夹"
)
@click.option("--again", default="", metavar="RECORD", help="Make the study of a record again 按记录重做")
@click.option("--cluster", default="", metavar="ADDRESS", help="Dask scheduler, tcp://host:port 集群地址")
@click.option("--workers", default=0, type=arguments.Whole(min=0), help="Local worker processes 本机进程数")
@click.option("--parameters", "list_them", is_flag=True, help="List the parameters of the study. 列出参数")
@report_options(FORMATS, "pdf,html", "Folder of report and results 输出目录")
def command(
    asked: Asked, study: str | None, assignments: tuple[str, ...], again: str, list_them: bool, language: str, **typed: Any
) -> int:  # fmt: skip
    """Run the study; print its verdict and the files it wrote; 1 where rows of the user's were left out."""
    kept = read_record(again) if again else {"study": study, "parameters": {}}
    study = str(kept["study"])
    if study not in STUDIES:
        raise ParameterError("study-unnamed", known=list(STUDIES))
    notebook, _, _ = STUDIES[study]
    schema = read_schema(find_notebook(notebook))
    if list_them:
        for parameter in schema.parameters:
            click.echo(
                f"{parameter.name} = {parameter.default!r}  {parameter.help[0 if language == 'zh' else 1]}"
            )
        return 0
    given: dict[str, Any] = {**kept["parameters"], "language": language, **assigned(schema, assignments)}
    files = [typed.pop(name) for name in ("games", "events", "lists")]
    if study == "simulate" and any(files):
        raise ParameterError("simulate-takes-no-file")
    for name, path in zip(("games", "events", "lists"), files, strict=True):
        if path:
            given[name] = output.event_path(path)
    given |= {name: value for name, value in typed.items() if value}
    own = Path("reports") / (Path(files[0] or files[1]).stem or study)
    folder = asked.out or Path(given.get("results") or own)
    if asked.pages:
        folder.mkdir(parents=True, exist_ok=True)
        given["results"] = str(folder)
    given = checked(schema, given)
    executed = asked.calculated(notebook, given, lambda: run(study, given))
    result = executed.result
    found = _findings(result)
    if asked.as_json:
        click.echo(json_text(_answer(study, result)))
    written = list(executed.write(folder, asked.pages, study).values())
    if asked.pages:
        defaults = {parameter.name: parameter.default for parameter in schema.parameters}
        written += sorted(folder.glob(f"{study}-*.parquet"))
        written.append(write_record(folder, study, {**defaults, **given}))
    if not asked.as_json:
        output.say(result.verdict[words.LANGUAGES.index(language)])
        output.print_findings(found, language, err=True)
    remark_all(written)
    return exit_code(found)


def _answer(study: str, result: Any) -> dict[str, Any]:
    """The object --json prints: verdict, settings, versions, what was left out, and the tables without the replicates."""
    from qiyi_analysis.research.history.result_files import versions

    tables = {name: _records(rows) for name, rows in result.tables.items()}
    answer: dict[str, Any] = {
        "schema": 1,
        "study": study,
        "evidence": result.evidence,
        "verdict": {"zh": result.verdict[0], "en": result.verdict[1]},
        "settings": json.loads(json.dumps(dict(result.settings), default=str)),
        "versions": versions(),
        "tables": tables,
        "findings": [finding.as_dict() for finding in _findings(result)],
    }
    if result.history is not None:
        history = result.history
        answer["data"] = {
            "rows_read": history.rows_read,
            "games": len(history),
            "left_out": history.left_out(),
            "remarks": [
                {"kind": r.kind, "rows": r.rows, "left_out": r.left_out, "example": r.example}
                for r in history.remarks
            ],
        }
        answer["attribution"] = history.attribution
    return answer


def _records(rows: Any) -> list[dict[str, Any]]:
    """Rows as JSON: what is no number or infinite becomes null."""
    import math

    def plain(value: Any) -> Any:
        value = value.item() if hasattr(value, "item") else value
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return [{name: plain(value) for name, value in row.items()} for row in rows.to_dict("records")]


def _findings(result: Any) -> tuple[Finding, ...]:
    from qiyi_analysis.research.studies.study import history_findings

    return () if result.history is None else history_findings(result.history)
