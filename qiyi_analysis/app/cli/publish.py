"""`qiyi publish`: the publication report of a rating list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.files.names import safe_name
from qiyi_analysis.model.findings import exit_code
from qiyi_analysis.report.run.render import FORMATS, calculated
from qiyi_analysis.report.sections.list_publication import publication_of


@arguments.command("publish", help="Publication report of the rating list LIST. 等级分公布报告")
@click.argument("rating_list", metavar="LIST", callback=output.a_file)
@click.option(
    "--previous",
    multiple=True,
    metavar="FILE",
    callback=output.a_file,
    help="Earlier lists; may be repeated 上期等级分表",
)
@click.option("--rules", default="", metavar="ID", help="Rating document, for the page on method 规则")
@click.option("--events", default="", metavar="DIR", help="Folder with the period's events 比赛目录")
@output.variant_option
@click.option("--player", default="", help="A player whose history is shown 棋手")
@click.option("--sections", default="", help="Sections, separated by commas 章节")
@click.option("--out", metavar="DIR", help="Folder; else reports/<list>/ 输出目录")
@click.option("--formats", default="pdf,html", show_default=True, help=f"Of {','.join(FORMATS)} 输出格式")
@click.option("--letterhead", metavar="FILE", help="Federation's name, logo and footer (TOML) 信头")
@output.language_option
def command(
    rating_list: str,
    previous: tuple[str, ...],
    rules: str,
    events: str,
    variant: str | None,
    player: str,
    sections: str,
    out: str | None,
    formats: str,
    letterhead: str | None,
    language: str,
) -> int:
    """Write the publication report; 1 where the ratings asked for are not in the list, else 0."""
    wanted = output.chosen_formats(formats, FORMATS)
    from qiyi_analysis.readers.lists.kinds_columns import KINDS, variant_taken

    folder = output.folder_for(out) if out else Path("reports") / safe_name(Path(rating_list).stem)
    language = output.report_language(letterhead, language)
    parameters: dict[str, Any] = {
        "rating_list": output.event_path(rating_list),
        "previous": list(previous),
        "rules": rules,
        "events": events,
        "player": player,
        "variant": variant or KINDS[0],
        "language": language,
        "sections": [part.strip() for part in sections.split(",") if part.strip()],
    }
    executed = calculated("publish_list", parameters, wanted, lambda: publication_of(**parameters))
    found = executed.result.publication
    name = f"{safe_name(Path(rating_list).stem)}-publication"
    for path in executed.write(folder, wanted, name, letterhead=letterhead or "").values():
        output.say(str(path))
    findings = (*variant_taken(found.current, variant or ""), *found.skipped)
    output.print_findings(findings, language, err=True)
    return exit_code(findings)
