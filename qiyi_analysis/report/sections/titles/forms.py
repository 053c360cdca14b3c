"""The forms of FIDE title regulations: certificate of title result (IT1), tournament report form (IT3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.report.kit.page import Page
from qiyi_analysis.report.sections.titles.judged import TitlesReport
from qiyi_analysis.report.sections.titles.title_frames import CONDITIONS, ROUNDS, STATES, rounds
from qiyi_analysis.rules.rounding import half_up
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles import NormSheet
from qiyi_analysis.titles.result import missing_text, percent_text

#: The tone of a verdict for each state of a norm.
TONES = {True: "accept", False: "return", None: "remarks"}


def sheets(page: Page, report: TitlesReport) -> list[Any]:
    """A page for every norm that was reached or could not be judged: the content of form IT1."""
    parts: list[Any] = []
    for sheet in report.result.sheets:
        if sheet.reached is not False:
            parts += [page.new_page(), *it1(page, sheet, report)]
    return parts


def it1(page: Page, sheet: NormSheet, report: TitlesReport) -> list[Any]:
    """The content of a certificate of title result (form IT1), in the order of the rule."""
    event = report.event
    facts = {
        "candidate": f"{sheet.number} {sheet.name}",
        "id": sheet.id,
        "federation": sheet.federation,
        "held": sheet.held,
        "norm": sheet.title,
        "event": event.name or event.id,
        "place": event.place,
        "dates": event.period,
        "host": event.federation,
        "rounds": event.rounds or event.rounds_played,
        "time_control": event.time_control,
        "arbiters": words.listed(event.arbiters, page.language),
    }
    chinese, english = page.pair("it1")
    return [
        page.heading(
            text=(
                f"{chinese}（IT1）：{sheet.name}，{sheet.title}",
                f"{english} (IT1): {sheet.name}, {sheet.title}",
            )
        ),
        page.verdict(TONES[sheet.reached], STATES[sheet.reached], missing_text(sheet.missing, page.language)),
        page.facts({key: value or "—" for key, value in facts.items()}),
        rounds_table(page, sheet),
        conditions_table(page, sheet, report.result.rules),
        page.signature("chief_arbiter", "rating_officer"),
    ]


def rounds_table(page: Page, sheet: NormSheet) -> Any:
    """The rounds of a norm as a table."""
    return page.table(rounds(sheet.rounds, page.language), ROUNDS, "norm_rounds", marks="quiet")


def conditions_table(page: Page, sheet: NormSheet, rules: RuleSet) -> Any:
    """The conditions of a norm as a table."""
    rows = pd.DataFrame(list(_conditions(page, sheet, rules)), columns=list(CONDITIONS))
    return page.table(rows, CONDITIONS, "norm_conditions")


def _conditions(page: Page, sheet: NormSheet, rules: RuleSet) -> Iterable[tuple[str, ...]]:
    """The counted conditions and the performance, each with its limit."""

    def row(condition: str, value: str, limit: str, met: bool | None, article: str) -> tuple[str, ...]:
        return condition, value, limit, "" if met is None else page.say("yes" if met else "no"), article

    for count in sheet.counts:
        sign = "≥" if count.at_least else "≤"
        exempt = count.what in ("foreign", "own", "one") and not count.met and sheet.reached
        yield row(
            page.say(f"norm_count.{count.what}"),
            str(count.value),
            f"{sign} {count.limit}" + (f" ({page.say('exempt')})" if exempt else ""),
            None if exempt else count.met,
            count.article,
        )
    floor = rules.need("floor").article
    if sheet.floor_opponent:
        yield row(
            page.say("floor"),
            page.say("floor_at", opponent=sheet.floor_opponent, floor=sheet.floor),
            "",
            None,
            floor,
        )
    average = rules.need("average").article
    exact = f"{float(sheet.average_exact):.2f} → {sheet.average}"
    yield row(
        page.say("average_row"),
        exact,
        f"≥ {sheet.average_at_least}",
        sheet.average >= sheet.average_at_least,
        average,
    )
    limit = rules.need("percent")
    percent = f"{sheet.score}/{sheet.games} = {percent_text(sheet.percent_exact / 100)} % → {sheet.percent} %"
    yield row(
        page.say("percent_row"),
        percent,
        f"≥ {limit['at_least']} %",
        sheet.percent_exact >= limit["at_least"],
        limit.article,
    )
    yield row(
        page.say("difference_row"), f"{sheet.difference:+d}", "", None, rules.need("performance").article
    )
    performance = (
        f"{sheet.average} {sheet.difference:+d} = {sheet.performance} ({float(sheet.performance_exact):.2f})"
    )
    yield row(
        page.say("performance_row"),
        performance,
        f"≥ {sheet.performance_at_least}",
        sheet.performance >= sheet.performance_at_least,
        sheet.article,
    )
    games = f"{sheet.counts_as}" + (f" (+{sheet.extra_games})" if sheet.extra_games else "")
    yield row(page.say("counts_as_row"), games, "", None, rules.need("extra_points").article)


def it3(page: Page, report: TitlesReport) -> list[Any]:
    """Form IT3, statistics of the event and its arbiters, where the rules are those of norms; nothing for other titles."""
    if not report.result.rules.rows("norm"):
        return []
    event, language = report.event, report.language
    players = report.event.players
    rated = players["rating"].dropna()
    federations = sorted({code for code in players["federation"] if code})
    host = event.federation.strip().upper()
    held = players["title"].str.upper()
    facts: dict[str, Any] = {
        "event": event.name or event.id,
        "place": event.place,
        "dates": event.period,
        "host": event.federation,
        "format": words.shown(words.named("format", event.format), language),
        "rounds": event.rounds or event.rounds_played,
        "time_control": event.time_control,
        "players": len(players),
        "rated": len(rated),
        "unrated": len(players) - len(rated),
        "average": half_up(int(rated.sum()), len(rated)) if len(rated) else "",
        "federations": f"{len(federations)}: {words.listed(federations, language)}" if federations else "",
        "foreigners": int((players["federation"].str.upper() != host).sum()) if host else "",
        "holders": words.listed(
            (f"{title} {count}" for title, count in held[held != ""].value_counts().items()), language
        ),
        "norms": words.listed(
            (f"{s.number} {s.name} {s.title}" for s in report.result.sheets if s.reached), language
        ),
        "arbiters": words.listed(event.arbiters, language),
    }
    chinese, english = page.pair("it3")
    return [
        page.new_page(),
        page.heading(text=(f"{chinese}（IT3）", f"{english} (IT3)")),
        page.facts({key: value if value != "" else "—" for key, value in facts.items()}),
        page.signature("chief_arbiter"),
    ]
