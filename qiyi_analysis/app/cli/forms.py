"""`qiyi forms`: blank workbooks for event offices, with lists to choose from and examples."""

from __future__ import annotations

from pathlib import Path

import click

from qiyi_analysis.app.cli import arguments, output


@arguments.command("forms", help="Write blank forms (XLSX) into DIR. 空白表格")
@click.argument("folder", metavar="DIR")
@click.option("--force", is_flag=True, help="Replace what is there already 替换已有的文件")
@output.language_option
def command(folder: str, force: bool, language: str) -> int:
    """Write every form into the folder and print their names; 0."""
    from qiyi_analysis.readers.writers.event_writer import write_file
    from qiyi_analysis.readers.writers.forms_writer import FORMS, form_bytes

    place = Path(output.folder_for(folder))
    place.mkdir(parents=True, exist_ok=True)
    for form in FORMS:
        path = place / f"{form.name}.xlsx"
        write_file(path, form_bytes(form), force=force)
        output.say(str(path))
    return 0
