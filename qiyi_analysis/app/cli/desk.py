"""`qiyi desk`: the page to drop a file on."""

from __future__ import annotations

from pathlib import Path

import click

from qiyi_analysis.app.cli import arguments


@arguments.command("desk", help="A local page to drop an event file on. 本地网页")
@click.option("--port", type=arguments.Whole(0, 65535), default=0, help="Port; a free one if left out 端口")
@click.option("--no-browser", is_flag=True, help="Do not open a browser 不打开浏览器")
@click.option("--token", default="", help="Token; a random one if left out 口令", envvar="QIYI_DESK_TOKEN")
@click.option("--letterhead", metavar="FILE", help="Federation's name, logo and footer (TOML) 信头")
def command(port: int, no_browser: bool, token: str, letterhead: str | None) -> int:
    """Serve the page until it is interrupted."""
    from qiyi_analysis.app.desk.app import serve

    if letterhead:
        # Read once now: a mistake in it is told to whoever starts the desk, not to the officer.
        from qiyi_analysis.report.export.letterhead import read_letterhead

        read_letterhead(Path(letterhead))
    serve(port, open_browser=not no_browser, token=token, letterhead=letterhead or "")
    return 0
