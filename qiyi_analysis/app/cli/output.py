"""What commands print: the JSON object of the interface, CSV for Excel, tables that align, findings by line."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments
from qiyi_analysis.app.cli.typed_paths import legible
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.report.kit.tables import Column, Table
from qiyi_analysis.words.visible import visible

language_option = click.option(
    "--language", type=arguments.OneOf(["zh", "en"]), default="zh", show_default=True, help="Language 语言"
)
rules_option = click.option(
    "--rules", "rules", multiple=True, metavar="ID", help="Rule set, document or file; once per document 规则"
)


def a_file(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Callback of options whose file is read more than once: only an EVENT may stand on standard input."""
    if value == "-" or (isinstance(value, tuple) and "-" in value):
        raise ParameterError("standard-input-only-event", option=parameter.opts[0])
    return value


lists_option = click.option(
    "--list",
    "lists",
    multiple=True,
    metavar="FILE",
    callback=a_file,
    help="Rating list; may be repeated 等级分表",
)


letterhead_option = click.option(
    "--letterhead", default="", metavar="FILE", help="Federation's name, logo and footer (TOML) 信头"
)


variant_option = click.option(
    "--variant",
    type=arguments.OneOf(["standard", "rapid", "blitz"]),
    help="Which rating of a list with several 并列几种等级分时取哪一种",
)


identities_option = click.option(
    "--identities",
    metavar="FILE",
    default="",
    help="Decisions on who is who (CSV: decision, old, new) 身份认定表",
)

#: Signs with which a cell is a formula to a spreadsheet, those of full width to some.
_RUNS = frozenset("=+-@＝＋－＠")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")


def read_lists(paths: Iterable[str], variant: str = "standard") -> tuple[RatingList, ...]:
    """The rating lists named on the command line; ``variant``: which rating of those with several side by side."""
    from qiyi_analysis.readers import read_list

    return tuple(read_list(path, variant=variant) for path in paths)


def csv_text(rows: list[dict[str, Any]], columns: Sequence[str]) -> str:
    """CSV with a BOM, so that Excel opens it as UTF-8; see :func:`safe_cell`."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([safe_cell(row.get(name)) for name in columns])
    return "\ufeff" + stream.getvalue()


def safe_cell(value: Any) -> str:
    """A CSV cell for people and spreadsheets: nothing in it runs, and what cannot be seen is shown.

    Text that a spreadsheet would take for a formula gets an apostrophe, with blanks or line ends before the sign too
    (some programs cut them off); numbers stay as they are.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value)
    text = visible(legible(value))
    if text.lstrip()[:1] in _RUNS and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def print_table(columns: Sequence[Column], rows: Any, language: str, key: str = "console") -> None:
    """A table on stdout, aligned for Chinese and Latin text."""
    bundle = Table(key, columns, rows, language=language)._repr_mimebundle_()
    say(bundle["text/plain"])


def say(text: str) -> None:
    """A text for people on stdout: what a file holds reaches no terminal as a control character."""
    click.echo(visible(legible(text)))


def finding_line(finding: Finding, language: str) -> str:
    """One finding on one line: file:line: code severity: message (rule set, article) causes."""
    place = finding.file or "-"
    if finding.line:
        place += f":{finding.line}"
    who = f" #{finding.player}" if finding.player else ""
    text = f"{place}: {finding.code} {finding.severity}{who}: {finding.message(language)}"
    if article := finding.cited(language):
        text += f" ({article})"
    if finding.causes:
        parts = [cause.message(language) for cause in finding.causes[:5]]
        if more := len(finding.causes[5:]):
            parts.append(f"+{more}")
        text += f" <- {words.listed(parts, language, parts=True)}"
    return visible(legible(" ".join(text.splitlines())))


def print_findings(findings: Iterable[Finding], language: str, *, err: bool = False) -> None:
    """Findings, one a line."""
    for finding in findings:
        click.echo(finding_line(finding, language), err=err)


def reading_options(command: Any) -> Any:
    """``--group`` and ``--columns``: which event of a file, and what its columns mean; part of the path from then on."""

    def keep(context: click.Context, option: click.Parameter, value: Any) -> None:
        context.meta[f"reading.{option.name}"] = value

    for option in (
        click.option("--group", "--sheet", "group", metavar="NAME", expose_value=False, callback=keep, help="Group, sheet or number of several events in a file 组别、工作表"),
        click.option("--columns", "columns", multiple=True, metavar="HEAD=COLUMN", expose_value=False, callback=keep, help="What a column means; may be repeated 列名对照（抽签号=序号）"),
    ):  # fmt: skip
        command = option(command)
    return command


def event_path(path: str) -> str:
    """The path of an event as given, with what ``--group`` and ``--columns`` say of it.

    For the current folder (``.``) in full, since the last part names the event.
    """
    from qiyi_analysis.readers.door import address

    base, group, columns = address(path)
    if base != "-" and not Path(base).exists():
        raise ParameterError("path-missing", path=path)
    context = click.get_current_context(silent=True)
    meta = context.meta if context else {}
    group = meta.get("reading.group") or group
    behind = [
        *filter(None, [group]),
        *(f"{a}={b}" for a, b in columns.items()),
        *(meta.get("reading.columns") or ()),
    ]
    if base != "-" and Path(base).name in ("", ".."):
        base = Path(base).resolve()
    return f"{base}#{';'.join(behind)}" if behind else str(base)


def folder_for(out: str) -> Path:
    """The folder of ``--out``, whether it is there yet or not. Raises ParameterError where it can be none."""
    path = Path(out)
    if out == "-":
        raise ParameterError("out-no-folder", path=out)
    for part in (path, *path.parents):
        if part.exists():
            if not part.is_dir():
                raise ParameterError("out-no-folder", path=part)
            break
    return path


def chosen_formats(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """The formats asked for, each once. Raises ParameterError naming those that are ``known``."""
    wanted = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    for one in wanted:
        if one not in known:
            raise ParameterError("format-unknown", format=one, formats=known, hint=words.nearest(one, known))
    return wanted


def one_form(as_json: bool, as_csv: bool) -> None:
    """Raises ParameterError where two forms of the same answer are asked for."""
    if as_json and as_csv:
        raise ParameterError("json-and-csv")


def report_language(letterhead: str, language: str) -> str:
    """The language asked for on the command line; else the letterhead's, where it names one; else the default."""
    if not letterhead:
        return language
    from qiyi_analysis.report.export.letterhead import read_letterhead

    own = read_letterhead(Path(letterhead)).language
    asked = click.get_current_context().get_parameter_source("language")
    return own if own and asked is click.core.ParameterSource.DEFAULT else language


def remark(text: str) -> None:
    """A remark for the person at the keyboard: stderr, never part of the data."""
    print(visible(legible(text)), file=sys.stderr, flush=True)
