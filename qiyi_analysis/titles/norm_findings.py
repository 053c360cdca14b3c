"""Findings about titles and norms of an event (CK36 to CK40, and what could not be checked)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.time_control import player_minutes
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles.norm_sheets import NORM
from qiyi_analysis.titles.norms import Entrant, NormRounds, NormSheet
from qiyi_analysis.titles.result import Row
from qiyi_analysis.titles.title_names import UNKNOWN

_CLAIM_CODES = {
    "games": "CK37",
    "not_complete": "CK37",
    "not_complete_double": "CK37",
    "foreign": "CK38",
    "own": "CK38",
    "one": "CK38",
    "titled": "CK39",
    "in_question": "CK39",
}


def spelling_findings(event: Event, rules: RuleSet, players: dict[int, Entrant]) -> list[Finding]:
    """Titles that no rule knows, titles in an old spelling, and titles that contradict the sex."""
    findings = []
    women = set(rules.need("title_order")["women"])
    lines = dict(zip(event.players["number"], event.players["line"], strict=True))
    order = rules.need("title_order")
    known = {*order["open"], *order["women"], *order.get("others", ())}
    for number, player in players.items():
        place: dict[str, Any] = {
            "player": number,
            "line": int(lines[number]),
            "field": "title",
            "published": player.title_text,
        }
        article = f"{rules.id} {order.article}"
        if UNKNOWN in player.titles:
            findings.append(
                Finding(
                    code="CK39",
                    severity="W",
                    reason="title-unknown",
                    article=article,
                    values={"name": player.name},
                    **place,
                )
            )
        elif player.titles and player.title_text not in known:
            findings.append(
                Finding(
                    code="CK39",
                    severity="I",
                    reason="title-spelling",
                    article=article,
                    recomputed=player.title,
                    values={"name": player.name},
                    **place,
                )
            )
        if player.sex == "m" and player.titles & women:
            findings.append(
                Finding(
                    code="CK43",
                    reason="title-against-sex",
                    article=article,
                    values={"name": player.name},
                    **place,
                )
            )
    return findings


def norm_findings(
    event: Event, rules: RuleSet, rounds: NormRounds, sheets: Sequence[NormSheet], rows: Sequence[Row]
) -> list[Finding]:
    """Findings about the norm sheets: games left out, what decided narrowly, what the file does not say (B.01 1.4)."""
    findings = []
    for sheet in sheets:
        place: dict[str, Any] = {"player": sheet.number, "values": {"name": sheet.name, "title": sheet.title}}
        if sheet.reached:
            left = [str(r.round) for r in sheet.rounds if not r.counted]
            if left:
                values = {
                    "name": sheet.name,
                    "title": sheet.title,
                    "rounds": left,
                    "games": sheet.games,
                }
                findings.append(
                    Finding(
                        code="CK37",
                        severity="I",
                        reason="norm-games-out",
                        player=sheet.number,
                        article=f"{rules.id} {rules.need('games').article}",
                        values=values,
                    )
                )
        elif sheet.reached is None:
            for item in sheet.missing:
                if item.unknown:
                    values = {
                        "name": sheet.name,
                        "title": sheet.title,
                        "why": item.said,
                    }
                    findings.append(
                        Finding(
                            code="CK44",
                            reason="norm-not-judged",
                            player=sheet.number,
                            article=f"{rules.id} {item.article}",
                            values=values,
                        )
                    )
        if (
            sheet.percent >= rules.need("percent")["at_least"] > sheet.percent_exact
            and sheet.percent_exact > 0
        ):
            findings.append(
                Finding(
                    code="CK45",
                    reason="norm-percent-borderline",
                    article=f"{rules.id} {rules.need('percent').article}",
                    recomputed=f"{sheet.score}/{sheet.games}",
                    **place,
                )
            )
    findings += _claimed_findings(event, rules, rows)
    if any(sheet.reached for sheet in sheets):
        findings += _event_findings(event, rules, rounds)
    return findings


def _claimed_findings(event: Event, rules: RuleSet, rows: Sequence[Row]) -> list[Finding]:
    """Norms that the event file claims (``norms`` among its facts) and the rule does not give."""
    findings = []
    judged = {(row.number, row.title): row for row in rows if row.kind == NORM}
    for claim in event.extra.get("norms", ()):
        number, title = int(claim.get("player", 0)), str(claim.get("title", ""))
        row = judged.get((number, title))
        if row is None or row.reached:
            continue
        for item in row.missing:
            values = {"name": row.name, "title": title, "why": item.said}
            findings.append(
                Finding(
                    code="CK44" if item.unknown else _CLAIM_CODES.get(item.what, "CK40"),
                    reason="norm-claimed",
                    player=number,
                    field="norm",
                    published=title,
                    article=f"{rules.id} {item.article}",
                    values=values,
                )
            )
    return findings


def _event_findings(event: Event, rules: RuleSet, rounds: NormRounds) -> list[Finding]:
    """Is the event fit for norms (CK36)? Only what the file tells; the rest is named as not checked."""
    block = rules.block("title_tournament")
    if block is None:
        return []
    cite = f"{rules.id} {block.article}"
    findings = []
    if event.format and event.format not in rules.need("formats")["allowed"]:
        findings.append(
            Finding(
                code="CK36",
                reason="norm-format",
                published=event.format,
                values={"published": words.named("format", event.format)},
                article=f"{rules.id} {rules.need('formats').article}",
            )
        )
    days = event.games[event.games["day"] != ""]
    if len(days):
        busiest = int(days.groupby("day")["round"].nunique().max())
        limit = block.get("rounds_per_day_at_most", busiest)
        if busiest > limit:
            findings.append(
                Finding(
                    code="CK36",
                    reason="norm-rounds-a-day",
                    published=str(busiest),
                    recomputed=str(limit),
                    article=cite,
                )
            )
    minutes, least_minutes = player_minutes(event.time_control), block.get("minutes_at_least")
    if minutes is not None and least_minutes and minutes < least_minutes:
        findings.append(
            Finding(
                code="CK36",
                reason="norm-minutes",
                published=f"{float(minutes):g}",
                recomputed=str(least_minutes),
                article=cite,
            )
        )
    unchecked = [
        name
        for name, absent in (
            ("time-control", player_minutes(event.time_control) is None),
            ("arbiters", not event.arbiters),
            ("registration", True),
        )
        if absent
    ]
    for name in unchecked:
        findings.append(Finding(code="CK44", reason=f"norm-not-checked-{name}", article=cite))
    if rounds.long_event:
        findings.append(Finding(code="CK44", reason="norm-long-event", article=rules.cite("long_event")))
    return findings
