"""`qiyi explain`: one player on one screen, each step with its article."""

from __future__ import annotations

import click

from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.audit.explain import rating_steps, reason_word
from qiyi_analysis.model.errors import QiyiError
from qiyi_analysis.readers import read_event
from qiyi_analysis.report.kit.tables import Column
from qiyi_analysis.rules.choice import choose

GAMES = (
    Column("round", "integer"),
    Column("opponent", "integer"),
    Column("name", "name"),
    Column("opponent_rating", "integer"),
    Column("difference", "integer"),
    Column("counted_difference", "integer"),
    Column("expected", "decimal"),
    Column("score", "points"),
    Column("reason", "text"),
    Column("article", "text"),
)
STEPS = (Column("step", "text"), Column("value", "text"), Column("how", "text"), Column("article", "text"))


@arguments.command("explain", help="One player's calculation, step by step. 逐步说明一名棋手的计算")
@click.argument("event")
@click.argument("player")
@output.rules_option
@output.lists_option
@output.reading_options
@output.language_option
def command(event: str, player: str, rules: tuple[str, ...], lists: tuple[str, ...], language: str) -> int:
    """Print the calculation, tie-breaks and titles of one player; 0."""
    read = read_event(output.event_path(event))
    number = read.find_player(player)
    rating_lists = output.read_lists(lists)
    chosen = choose(read, rules)
    row = read.players.loc[read.players["number"] == number].iloc[0]
    names = dict(zip(read.players["number"], read.players["name"], strict=True))
    output.say(f"{number}  {row['name']}  {row['title']}  {read.name or read.id}".rstrip())
    rating_rules = chosen.of_kind("rating")
    if rating_rules is not None:
        title = rating_rules.title_zh if language == "zh" else rating_rules.title
        output.say(f"\n{title}  ({rating_rules.id})")
        rating, steps = rating_steps(read, rating_rules, number, rating_lists, language)
        rows = [
            {
                **game,
                "name": names.get(game["opponent"], ""),
                "reason": reason_word(game["reason"], language) if game["reason"] else "",
                "article": str(game["article"]).removeprefix(f"{rating_rules.id} "),
            }
            for game in rating.game_rows(number)
        ]
        output.print_table(GAMES, rows, language)
        click.echo("")
        output.print_table(
            STEPS,
            [
                {
                    "step": s.what,
                    "value": s.value,
                    "how": s.how,
                    "article": s.article.removeprefix(f"{rating_rules.id} "),
                }
                for s in steps
            ],
            language,
        )
    for explain in (_standings, _titles):
        try:
            explain(read, number, chosen, language)
        except QiyiError as error:
            output.remark(error.message(language))
    return 0


def _standings(event, number, chosen, language) -> None:
    """Place and the working of every tie-break, under the rules asked for or those in force."""
    from qiyi_analysis.report.sections.standings import player_pieces

    rules = next((one for one in chosen.rules if one.kind == "tie-breaks"), None)
    for piece in player_pieces(event, number, language, rules):
        click.echo("")
        output.say(piece._repr_mimebundle_()["text/plain"])


def _titles(event, number, chosen, language) -> None:
    """Titles of the player under the title rules that were asked for, with the norm sheets."""
    from qiyi_analysis.report.sections.titles import player_pieces

    for rules in chosen.rules:
        if rules.kind == "titles":
            for piece in player_pieces(event, rules, number, language):
                click.echo("")
                output.say(piece._repr_mimebundle_()["text/plain"])
