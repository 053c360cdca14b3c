"""`qiyi standings`: ranks and tie-breaks of an event, by any list of codes or by a rule set."""

from __future__ import annotations

import click

from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.audit.checks import check_event
from qiyi_analysis.audit.checks.results import placed
from qiyi_analysis.audit.interface import answer
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.findings import Severity, exit_code, ordered
from qiyi_analysis.readers import read_event
from qiyi_analysis.report.sections.standings import columns
from qiyi_analysis.rules.choice import choose
from qiyi_analysis.tiebreaks import standings

#: Results that do not fit together, players twice in a round, points that are not the sum of the results.
CONTRADICTIONS = frozenset({"CK15", "CK16", "CK17"})


@arguments.command("standings", help="Ranks and tie-breaks of EVENT. 名次与破同分")
@click.argument("event")
@click.option(
    "--tie-breaks",
    "codes",
    default="",
    metavar="CODES",
    help="In order, for example PTS,DE,BH/C1,SB 判定顺序",
)
@output.rules_option
@click.option(
    "--option", default="", help="Another order of the rule set, for example total-score 规则中的另一顺序"
)
@click.option(
    "--of", "level", type=arguments.OneOf(["teams", "players"]), help="Rank teams or players 团体或个人"
)
@click.option(
    "--through", type=arguments.Whole(min=1), metavar="ROUND", help="Standings after a round 截至轮次"
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object")
@click.option("--csv", "as_csv", is_flag=True, help="CSV with a BOM")
@output.reading_options
@output.language_option
def command(
    event: str,
    codes: str,
    rules: tuple[str, ...],
    option: str,
    level: str | None,
    through: int | None,
    as_json: bool,
    as_csv: bool,
    language: str,
) -> int:
    """Print the standings with every tie-break; 1 if a finding asks for something, else 0."""
    output.one_form(as_json, as_csv)
    read = read_event(output.event_path(event))
    if through is not None and through > read.rounds_played:
        raise ParameterError("round-not-played", event=read.id, round=through, played=read.rounds_played)
    chosen = choose(read, rules).of_kind("tie-breaks")
    if rules and chosen is None:
        raise ParameterError("no-tie-break-rules", rules=rules)
    result = standings(read, codes or None, chosen, of=level or "", option=option, through=through)
    # What contradicts the standings is told here too; the rest of the checks belongs to the audit.
    faults = [fault for fault in read.faults if fault.severity != Severity.NOTE]
    faults += [finding for finding in check_event(read) if finding.code in CONTRADICTIONS]
    findings = ordered(placed(read, finding) for finding in (*faults, *result.findings))
    records = result.as_records()
    if as_json:
        click.echo(answer(read.id, [result.rules], records, findings))
    elif as_csv:
        click.echo(output.csv_text(records, list(records[0])), nl=False)
    else:
        output.print_table(columns(result), records, language)
        output.print_findings(findings, language, err=True)
    return exit_code(findings)
