"""The forms of FIDE title regulations: certificate of title result (IT1), tournament report form (IT3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.report.kit import prose
from qiyi_analysis.report.kit.prose import Piece
from qiyi_analysis.report.kit.tables import Table
from qiyi_analysis.report.sections.titles.judged import TitlesReport
from qiyi_analysis.report.sections.titles.rows import CONDITIONS, ROUNDS, round_row
from qiyi_analysis.rules.rounding import half_up
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles import NormSheet
from qiyi_analysis.titles.result import missing_text, percent_text


def sheets(report: TitlesReport) -> Piece:
    """A page for every norm that was reached or could not be judged: the content of form IT1."""
    wanted = [sheet for sheet in report.result.sheets if sheet.reached is not False]
    pieces: list[Any] = []
    for sheet in wanted:
        pieces += [prose.page_break(), *it1(sheet, report)]
    return prose.group(*pieces, language=report.language)


def it1(sheet: NormSheet, report: TitlesReport) -> list[Any]:
    """The content of a certificate of title result (form IT1), in the order of the rule."""
    event, language = report.event, report.language
    verdict_key = {True: "reached", False: "missed", None: "open"}[sheet.reached]
    facts = [
        ("candidate", f"{sheet.number} {sheet.name}"),
        ("id", sheet.id),
        ("federation", sheet.federation),
        ("held", sheet.held),
        ("norm", sheet.title),
        ("event", event.name or event.id),
        ("place", event.place),
        ("dates", event.period),
        ("host", event.federation),
        ("rounds", event.rounds or event.rounds_played),
        ("time_control", event.time_control),
        ("arbiters", words.listed(event.arbiters, language)),
    ]
    return [
        prose.heading(
            (
                f"{words.text('titles_report.it1', 'zh')}（IT1）：{sheet.name}，{sheet.title}",
                f"{words.text('titles_report.it1', 'en')} (IT1): {sheet.name}, {sheet.title}",
            ),
            language,
        ),
        prose.verdict(
            {True: "accept", False: "return", None: "remarks"}[sheet.reached],
            words.pair(f"titles_report.{verdict_key}", "zh"),
            language,
            missing_text(sheet.missing, language),
        ),
        prose.key_values(
            [(words.pair(f"titles_report.{key}", "zh"), value or "—") for key, value in facts], language
        ),
        Table(
            "norm_rounds",
            ROUNDS,
            [round_row(item, language) for item in sheet.rounds],
            language=language,
            marks=["" if item.counted else "quiet" for item in sheet.rounds],
        ),
        Table(
            "norm_conditions",
            CONDITIONS,
            list(_conditions(sheet, report.result.rules, language)),
            language=language,
        ),
        prose.signature(
            language,
            [
                words.pair("titles_report.chief_arbiter", "zh"),
                words.pair("titles_report.rating_officer", "zh"),
            ],
        ),
    ]


def _conditions(sheet: NormSheet, rules: RuleSet, language: str) -> Iterable[dict[str, Any]]:
    """The counted conditions and the performance, each with its limit."""

    def row(condition: str, value: str, limit: str, met: bool | None, article: str) -> dict[str, Any]:
        shown = (
            "" if met is None else words.text("titles_report.yes" if met else "titles_report.no", language)
        )
        return {"condition": condition, "value": value, "limit": limit, "met": shown, "article": article}

    for count in sheet.counts:
        sign = "≥" if count.at_least else "≤"
        exempt = count.what in ("foreign", "own", "one") and not count.met and sheet.reached
        yield row(
            words.text(f"norm_count.{count.what}", language),
            str(count.value),
            f"{sign} {count.limit}"
            + (f" ({words.text('titles_report.exempt', language)})" if exempt else ""),
            None if exempt else count.met,
            count.article,
        )
    text = lambda key, **values: words.text(f"titles_report.{key}", language, **values)  # noqa: E731
    floor = rules.need("floor").article
    if sheet.floor_opponent:
        yield row(
            text("floor"), text("floor_at", opponent=sheet.floor_opponent, floor=sheet.floor), "", None, floor
        )
    average = rules.need("average").article
    exact = f"{float(sheet.average_exact):.2f} → {sheet.average}"
    yield row(
        text("average_row"),
        exact,
        f"≥ {sheet.average_at_least}",
        sheet.average >= sheet.average_at_least,
        average,
    )
    limit = rules.need("percent")
    percent = f"{sheet.score}/{sheet.games} = {percent_text(sheet.percent_exact / 100)} % → {sheet.percent} %"
    yield row(
        text("percent_row"),
        percent,
        f"≥ {limit['at_least']} %",
        sheet.percent_exact >= limit["at_least"],
        limit.article,
    )
    yield row(text("difference_row"), f"{sheet.difference:+d}", "", None, rules.need("performance").article)
    performance = (
        f"{sheet.average} {sheet.difference:+d} = {sheet.performance} ({float(sheet.performance_exact):.2f})"
    )
    yield row(
        text("performance_row"),
        performance,
        f"≥ {sheet.performance_at_least}",
        sheet.performance >= sheet.performance_at_least,
        sheet.article,
    )
    games = f"{sheet.counts_as}" + (f" (+{sheet.extra_games})" if sheet.extra_games else "")
    yield row(text("counts_as_row"), games, "", None, rules.need("extra_points").article)


def event_form(report: TitlesReport) -> Piece:
    """Form IT3 where the rules are those of norms; nothing for other titles."""
    if not report.result.rules.rows("norm"):
        return prose.group(language=report.language)
    return prose.group(prose.page_break(), it3(report), language=report.language)


def it3(report: TitlesReport) -> Piece:
    """The content of the tournament report form (IT3): statistics of the event and its arbiters."""
    event, language = report.event, report.language
    players = report.event.players
    rated = players["rating"].dropna()
    federations = sorted({code for code in players["federation"] if code})
    host = event.federation.strip().upper()
    held = players["title"].str.upper()
    facts: list[tuple[str, Any]] = [
        ("event", event.name or event.id),
        ("place", event.place),
        ("dates", event.period),
        ("host", event.federation),
        ("format", words.shown(words.named("format", event.format), language)),
        ("rounds", event.rounds or event.rounds_played),
        ("time_control", event.time_control),
        ("players", len(players)),
        ("rated", len(rated)),
        ("unrated", len(players) - len(rated)),
        ("average", half_up(int(rated.sum()), len(rated)) if len(rated) else ""),
        ("federations", f"{len(federations)}: {words.listed(federations, language)}" if federations else ""),
        ("foreigners", int((players["federation"].str.upper() != host).sum()) if host else ""),
        (
            "holders",
            words.listed(
                (f"{title} {count}" for title, count in held[held != ""].value_counts().items()), language
            ),
        ),
        (
            "norms",
            words.listed(
                (f"{s.number} {s.name} {s.title}" for s in report.result.sheets if s.reached), language
            ),
        ),
        ("arbiters", words.listed(event.arbiters, language)),
    ]
    return prose.group(
        prose.heading(
            (
                f"{words.text('titles_report.it3', 'zh')}（IT3）",
                f"{words.text('titles_report.it3', 'en')} (IT3)",
            ),
            language,
        ),
        prose.key_values(
            [
                (words.pair(f"titles_report.{key}", "zh"), value if value != "" else "—")
                for key, value in facts
            ],
            language,
        ),
        prose.signature(language, [words.pair("titles_report.chief_arbiter", "zh")]),
        language=language,
    )
