"""`qiyi rate`: rating changes of an event."""

from __future__ import annotations

import click

from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.audit.checks import results
from qiyi_analysis.audit.interface import GAME_FIELDS, PLAYER_FIELDS, answer, records
from qiyi_analysis.model.findings import exit_code, ordered
from qiyi_analysis.rating import rate
from qiyi_analysis.readers import read_event
from qiyi_analysis.report.kit.tables import Column
from qiyi_analysis.rules.choice import choose

SHOWN = (
    Column("number", "integer"),
    Column("name", "name"),
    Column("rating", "integer"),
    Column("k", "integer"),
    Column("games", "integer"),
    Column("score", "points"),
    Column("opponents_average", "integer"),
    Column("we", "decimal"),
    Column("change", "signed"),
    Column("new_rating", "integer"),
)


@arguments.command("rate", help="Calculate the rating changes of EVENT. 计算等级分升降")
@click.argument("event")
@output.rules_option
@output.lists_option
@click.option("--games", "with_games", is_flag=True, help="The working game by game 逐局计算")
@click.option("--json", "as_json", is_flag=True, help="One JSON object")
@click.option("--csv", "as_csv", is_flag=True, help="CSV with a BOM")
@output.reading_options
@output.language_option
def command(
    event: str,
    rules: tuple[str, ...],
    lists: tuple[str, ...],
    with_games: bool,
    as_json: bool,
    as_csv: bool,
    language: str,
) -> int:
    """Print the changes of all players, or the working game by game; 1 if a finding asks for something, else 0."""
    output.one_form(as_json, as_csv)
    read = read_event(output.event_path(event))
    rating_lists = output.read_lists(lists)
    chosen = choose(read, rules)
    rating_rules = chosen.for_rating(event)
    result = rate(read, rating_rules, rating_lists)
    # Of the checks only what decides whether a game counts, and how often.
    doubtful = [f for f in results.check(read) if f.code in ("CK15", "CK16")]
    told = (*read.faults, *chosen.findings, *result.findings, *doubtful, *results.without_games(read))
    findings = ordered(results.placed(read, finding) for finding in told)
    players = records(result.player_rows(), PLAYER_FIELDS)
    games = records(result.game_rows(), GAME_FIELDS) if with_games else []
    if as_json:
        more = {"games": games} if with_games else {}
        click.echo(answer(read.id, [rating_rules], players, findings, **more))
    elif as_csv:
        columns, rows = (GAME_FIELDS, games) if with_games else (PLAYER_FIELDS, players)
        click.echo(output.csv_text(rows, columns), nl=False)
    else:
        output.print_table(SHOWN, result.player_rows(), language)
        if with_games:
            kinds = {
                "expected": "decimal",
                "score": "points",
                "reason": "text",
                "article": "text",
                "counted": "yes",
            }
            shown = [Column(name, kinds.get(name, "integer")) for name in GAME_FIELDS]
            output.print_table(shown, result.game_rows(), language)
        output.print_findings(findings, language, err=True)
    return exit_code(findings)
