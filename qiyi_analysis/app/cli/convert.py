"""`qiyi convert`: a file in another format, repaired, with the list of what was changed. The original stays."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path

import click

from qiyi_analysis import words
from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.audit.interface import json_text
from qiyi_analysis.files.whole_files import note_input, refuse_input
from qiyi_analysis.model.errors import ParameterError, ReadError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, exit_code, ordered
from qiyi_analysis.model.rating_list import RatingList

#: Columns of the list of changes.
CHANGES = (
    "code",
    "severity",
    "file",
    "line",
    "column",
    "round",
    "player",
    "field",
    "read",
    "assumed",
    "message",
    "message_zh",
)


@arguments.command("convert", help="Write IN as OUT, repaired; the original is never changed. 转换与修复")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--mapping", type=click.Path(), help="Heads of columns and what they mean (CSV, JSON or TOML) 列名对照"
)
@click.option(
    "--profile",
    type=arguments.OneOf(["read", "rating", "title"]),
    default="read",
    show_default=True,
    help="How strict 严格程度",
)
@click.option(
    "--to",
    "form",
    type=arguments.OneOf(["folder", "zip", "xlsx", "trf16", "trf26", "h9", "h9-utf8", "csv"]),
    help="Format; else by the ending of OUT",
)
@output.variant_option
@click.option("--force", is_flag=True, help="Replace what is there already 替换已有的文件")
@click.option("--json", "as_json", is_flag=True, help="One JSON object")
@output.reading_options
@output.language_option
def command(
    source: str, target: str, mapping: str | None, profile: str, form: str | None, variant: str | None, force: bool, as_json: bool, language: str
) -> int:  # fmt: skip
    """Write the copy and print what was repaired or lost; 1 if a finding asks for something, else 0."""
    from qiyi_analysis.readers import read_events, read_list
    from qiyi_analysis.readers.lists.kinds_columns import KINDS

    given, place = Path(source), Path(target)
    for one in (given, *(given.iterdir() if given.is_dir() else ())):
        note_input(one)
    refuse_input(place)
    heads = read_mapping(mapping) if mapping else None
    if form == "csv" or (form is None and place.suffix.casefold() == ".csv"):
        read = read_list(output.event_path(source), mapping=heads, variant=variant or KINDS[0])
        return _list(read, place, as_json, language, variant or "", force=force)
    if variant:
        raise ParameterError("variant-of-events")
    events = read_events(output.event_path(source), mapping=heads)
    return _events(events, place, form or "", profile, as_json, language, force=force)


def _events(
    events: tuple[Event, ...],
    place: Path,
    form: str,
    profile: str,
    as_json: bool,
    language: str,
    *,
    force: bool,
) -> int:
    from qiyi_analysis.audit.checks.profile import check_profile
    from qiyi_analysis.audit.checks.results import placed
    from qiyi_analysis.readers.source import EVENT_FILES
    from qiyi_analysis.readers.writers.event_writer import refuse_other, write_event, write_file

    paths = [
        place if len(events) == 1 else place.with_name(f"{place.stem}-{number}{place.suffix}")
        for number in range(1, len(events) + 1)
    ]
    shown = ordered(placed(event, finding) for event in events for finding in check_profile(event, profile))
    changes = [finding for finding in shown if _changed(finding)]
    listed, list_of_changes = place.with_name(f"{place.name}.changes.csv"), _changes(changes).encode("utf-8")
    for one in (listed, *paths, *(path / name for path in paths for name in EVENT_FILES)):
        refuse_input(one)
    if changes and not force:
        refuse_other(listed, list_of_changes)
    losses: list[str] = []
    for event, path in zip(events, paths, strict=True):
        losses.extend(write_event(event, path, form, force=force))
    if changes:
        write_file(listed, list_of_changes, force=force)
    written = [str(path) for path in paths]
    if as_json:
        answer = {
            "schema": 1, "written": written, "changes": [finding.as_dict() for finding in changes], "lost": losses,
            "findings": [finding.as_dict() for finding in shown],
        }  # fmt: skip
        click.echo(json_text(answer, indent=1))
        return exit_code(shown)
    for name in written:
        output.say(words.text("convert.written", language, path=name))
    if losses:
        output.remark(words.text("convert.lost", language, what=losses))
    if changes:
        output.remark(words.text("convert.changes", language, path=str(listed), count=len(changes)))
    output.print_findings(shown, language, err=True)
    return exit_code(shown)


def _changed(finding: Finding) -> bool:
    """Whether the copy differs from the file because of this finding."""
    return bool(finding.recomputed and finding.code not in ("CK06", "CK17")) or finding.code in (
        "CK01",
        "CK02",
        "CK49",
    )


def _changes(findings: Iterable[Finding]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CHANGES)
    for finding in findings:
        cells = (
            finding.code, finding.severity, finding.file, finding.line or "", finding.values.get("column", ""), finding.round or "",
            finding.player or "", finding.field, finding.published, finding.recomputed, finding.message("en"), finding.message("zh"),
        )  # fmt: skip
        writer.writerow([output.safe_cell(str(cell)) for cell in cells])
    return "\ufeff" + stream.getvalue()


def _list(read: RatingList, place: Path, as_json: bool, language: str, variant: str, *, force: bool) -> int:
    from qiyi_analysis.readers.lists.kinds_columns import kind_taken, variant_taken
    from qiyi_analysis.readers.writers.event_writer import list_csv, write_file

    write_file(place, list_csv(read, kind_taken(read, variant)), force=force)
    findings = ordered((*read.faults, *variant_taken(read, variant)))
    if as_json:
        answer = {
            "schema": 1,
            "written": [str(place)],
            "findings": [finding.as_dict() for finding in findings],
        }
        click.echo(json_text(answer, indent=1))
    else:
        output.say(words.text("convert.written", language, path=str(place)))
        output.print_findings(findings, language, err=True)
    return exit_code(findings)


def read_mapping(path: str) -> dict[str, str]:
    """Head -> column from a file of two columns, a JSON object or a TOML table.

    Raises ReadError for a file of another shape and for a column that does not exist.
    """
    import tomllib

    from qiyi_analysis.readers.source import decode, from_path
    from qiyi_analysis.readers.tables.heads import known_columns

    if Path(path).is_dir():
        raise ReadError("mapping-empty", path=path)
    text = decode(b"".join(source.data for source in from_path(path)[:1])).text
    try:
        if text.lstrip().startswith("{"):
            found = json.loads(text)
        elif Path(path).suffix.casefold() == ".toml":
            found = tomllib.loads(text)
        else:
            found = {row[0].strip(): row[1].strip() for row in csv.reader(io.StringIO(text)) if len(row) >= 2}
    except (ValueError, RecursionError, csv.Error) as error:
        raise ReadError("mapping-value", path=path, error=error) from error
    if not found:
        raise ReadError("mapping-empty", path=path)
    known = known_columns()
    for head, column in found.items():
        if (
            str(column) not in known
            and not str(column).startswith("round:")
            and (head, column) != ("head", "column")
        ):
            raise ReadError("mapping-column", path=path, head=head, column=column, known=sorted(known))
    return {str(head): str(column) for head, column in found.items()}
