"""`qiyi publish`: the publication report of a rating list."""

from __future__ import annotations

from typing import Any

import click

from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.app.cli.asked import Asked, parts, report_options
from qiyi_analysis.report.run.list_jobs import PUBLISH_FORMATS, publish
from qiyi_analysis.report.run.render import FORMATS as PAGES


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
@output.identities_option
@click.option(
    "--day", default="", metavar="YYYY-MM-DD", help="Day of the list, where its name tells none 公布日"
)
@click.option(
    "--replaces", default="", metavar="FILE", help="Published list that this one corrects 被更正的表"
)
@click.option(
    "--revision", type=arguments.Whole(0, 99), default=0, help="Number of the correction 第几次更正"
)
@click.option("--reason", default="", help="Why it is corrected 更正原因")
@click.option("--rank-inactive", is_flag=True, help="Rank inactive players too 不活跃棋手也列名次")
@click.option("--mask-minors", is_flag=True, help="Hide names and birth years of minors 隐去未成年人")
@click.option(
    "--columns", default="", callback=parts, help="Columns of the tables, separated by commas 表中的列"
)
@click.option("--player", default="", help="A player whose history is shown 棋手")
@click.option("--sections", default="", callback=parts, help="Sections, separated by commas 章节")
@click.option("--site", default="", metavar="DIR", help="Folder for a site of static pages 静态网站目录")
@output.letterhead_option
@click.option("--force", is_flag=True, help="Publish in spite of faults, and replace what is there 仍然公布")
@report_options(PUBLISH_FORMATS, "pdf,html", "Folder; else reports/<list>/ 输出目录")
def command(
    asked: Asked, rating_list: str, site: str, letterhead: str, force: bool, language: str, **options: Any
) -> int:
    """Write the publication report; 1 where something is wrong with the lists, which are then published with --force only."""
    language = output.report_language(letterhead, language)
    parameters = {**options, "rating_list": output.event_path(rating_list), "language": language}
    formats = asked.formats if asked.files else tuple(one for one in asked.formats if one not in PAGES)
    done = publish(parameters, formats, letterhead=letterhead, seconds=asked.seconds)
    if asked.as_json:
        click.echo(done.json)
    if asked.files:
        for path in done.write(asked.out, force=force, site=site).values():
            output.say(str(path))
    output.print_findings(done.findings, language, err=True)
    if done.stopped and not force:
        output.remark(done.why(language))
    return done.exit_code
