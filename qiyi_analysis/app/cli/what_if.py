"""`qiyi what-if`: who changes, by how much, if a game or a rating were different."""

from __future__ import annotations

import re

import click

from qiyi_analysis.app.cli import arguments, output
from qiyi_analysis.audit import hypotheses
from qiyi_analysis.audit.interface import answer, records
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import Event
from qiyi_analysis.rating import Rating, rate
from qiyi_analysis.readers import read_event
from qiyi_analysis.report.kit.tables import Column
from qiyi_analysis.rules.choice import choose


@arguments.command("what-if", help="Recalculate EVENT with a game or rating changed. 假设计算")
@click.argument("event")
@click.option("--drop", multiple=True, metavar="ROUND:PLAYER", help="Leave a game out 去掉一局")
@click.option(
    "--result", multiple=True, metavar="ROUND:PLAYER=CODE", help="Another result: 1 = 0 + - 另一结果"
)
@click.option("--rating", multiple=True, metavar="PLAYER=N", help="Another rating 另一等级分")
@output.rules_option
@output.lists_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object")
@output.reading_options
@output.language_option
def command(
    event: str,
    drop: tuple[str, ...],
    result: tuple[str, ...],
    rating: tuple[str, ...],
    rules: tuple[str, ...],
    lists: tuple[str, ...],
    as_json: bool,
    language: str,
) -> int:
    """Print the players whose numbers change with the hypotheses; 0."""
    read = read_event(output.event_path(event))
    if not (drop or result or rating):
        raise ParameterError("what-if-nothing")
    rating_lists = output.read_lists(lists)
    rating_rules = choose(read, rules).for_rating(event)
    variants = [
        *(hypotheses.without_game(*_round_player(read, text)) for text in drop),
        *(_result(read, text) for text in result),
        *(_rating(read, text) for text in rating),
    ]
    changed_event, changed_rules = read, rating_rules
    for variant in variants:
        changed_event, changed_rules = variant.apply(changed_event, changed_rules)
    before = rate(read, rating_rules, rating_lists)
    after = rate(changed_event, changed_rules, rating_lists)
    rows = differences(before, after)
    if as_json:
        players = records(rows, COLUMNS)
        details = [variant.detail for variant in variants]
        click.echo(answer(read.id, [rating_rules], players, (), what_if=details))
    else:
        columns = [
            Column("number", "integer"), Column("name", "name"), Column("games", "integer"),
            Column("games_if", "integer"), Column("we", "decimal"), Column("we_if", "decimal"),
            Column("change", "signed"), Column("change_if", "signed"), Column("new_rating", "integer"),
            Column("new_rating_if", "integer"),
        ]  # fmt: skip
        output.print_table(columns, rows, language)
    return 0


COLUMNS = [
    "number", "id", "name", "games", "games_if", "score", "score_if", "we", "we_if", "change", "change_if",
    "new_rating", "new_rating_if",
]  # fmt: skip


def differences(before: Rating, after: Rating) -> list[dict[str, object]]:
    """Players any of whose numbers differ, before and if."""
    rows = []
    for old, new in zip(before.player_rows(), after.player_rows(), strict=True):
        fields = ("games", "score", "we", "change", "new_rating")
        if any(old[name] != new[name] for name in (*fields, "rating")):
            row = {name: old[name] for name in ("number", "id", "name", *fields)}
            rows.append(row | {f"{name}_if": new[name] for name in fields})
    return rows


def _round_player(event: Event, text: str) -> tuple[int, int]:
    match = re.fullmatch(r"\s*(\d+)\s*[:：]\s*(.+?)\s*", text)
    if match is None:
        raise ParameterError("what-if-game", text=text)
    return int(match[1]), event.find_player(match[2])


def _result(event: Event, text: str) -> hypotheses.Hypothesis:
    # The code may itself be "=": split at the first "=" after the player.
    where, equals, code = text.partition("=")
    if not equals or not code:
        raise ParameterError("what-if-result", text=text)
    return hypotheses.other_result(*_round_player(event, where), code)


def _rating(event: Event, text: str) -> hypotheses.Hypothesis:
    who, equals, value = text.rpartition("=")
    if not equals or not re.fullmatch(r"\d{1,4}", value.strip()):
        raise ParameterError("what-if-rating", text=text)
    return hypotheses.rating_of(event.find_player(who), int(value))
