"""Titles as people read them: the section of the report, the sheets IT1 and IT3, the list of certificates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import qiyi_analysis.ruleset as rulesets
from qiyi_analysis import prose, words
from qiyi_analysis.blocks import moment
from qiyi_analysis.choice import choose
from qiyi_analysis.errors import ParameterError
from qiyi_analysis.findings import Finding
from qiyi_analysis.model import Event, RatingList
from qiyi_analysis.prose import Piece
from qiyi_analysis.readers import read_event, read_list
from qiyi_analysis.ruleset import RuleSet
from qiyi_analysis.tables import Column, Table
from qiyi_analysis.titles import NormSheet, Titles, titles
from qiyi_analysis.titles.norms import NormRound
from qiyi_analysis.titles.promotion import read_table
from qiyi_analysis.titles.result import missing_text, percent_text
from qiyi_analysis.titles.title_events import title_event_counts

#: Rows of players without success that the summary shows at most; the JSON has all.
NEAR_MISSES_SHOWN = 20
#: Rows with one and the same reason for not being judged that get a line each; more are counted.
OPEN_SHOWN = 10


def _column(key: str, kind: str) -> Column:
    """A column with its head from the words of titles."""
    return Column(key, kind, words.pair(f"title_column.{key}", "zh"))


_SUMMARY = (
    _column("number", "integer"),
    _column("name", "name"),
    _column("title", "text"),
    _column("kind", "text"),
    _column("verdict", "text"),
    _column("missing", "text"),
    _column("article", "code"),
)
CERTIFICATES = (
    _column("number", "integer"),
    _column("id", "code"),
    _column("name", "name"),
    _column("sex", "text"),
    _column("unit", "text"),
    _column("from", "text"),
    _column("to", "text"),
    _column("score", "text"),
    _column("rounds", "integer"),
    _column("percent", "text"),
    _column("place", "integer"),
    _column("article", "code"),
)
_ENTRIES = (
    _column("number", "integer"),
    _column("name", "name"),
    _column("team", "text"),
    _column("group", "text"),
    _column("sex", "text"),
    _column("place", "integer"),
    _column("points", "integer"),
    _column("article", "code"),
)
_TEAMS = (
    _column("category", "text"),
    _column("place", "integer"),
    _column("team", "name"),
    _column("points", "integer"),
    _column("members", "text"),
    _column("article", "code"),
)
_ROUNDS = (
    _column("round", "integer"),
    _column("opponent", "name"),
    _column("title", "code"),
    _column("federation", "code"),
    _column("rating", "integer"),
    _column("rating_used", "integer"),
    _column("result", "text"),
    _column("counted", "text"),
    _column("reason", "text"),
    _column("article", "code"),
)
_CONDITIONS = (
    _column("condition", "text"),
    _column("value", "text"),
    _column("limit", "text"),
    _column("met", "text"),
    _column("article", "code"),
)
_FINDINGS = (
    _column("code", "code"),
    _column("severity", "code"),
    _column("player", "integer"),
    _column("message", "text"),
    _column("article", "code"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TitlesReport:
    """One event judged, and the language to show it in."""

    event: Event
    result: Titles
    language: str


def load_titles(
    event: str | Path,
    rules: str,
    *,
    lists: Sequence[str | Path] = (),
    table: str | Path = "",
    event_type: str = "",
    level: str = "",
    norm_level: int | None = None,
    others: Sequence[str | Path] = (),
    language: str = "zh",
) -> TitlesReport:
    """Read an event and judge its titles under ``rules`` (an id, a document or a file)."""
    found = read_event(event)
    chosen = titles_rules(found, rules)
    result = titles(
        found,
        chosen,
        tuple(read_list(path) for path in lists),
        table=read_table(table, chosen) if str(table) else None,
        event_type=event_type,
        level=level,
        norm_level=norm_level,
        others=tuple(read_event(path) for path in others),
    )
    return TitlesReport(event=found, result=result, language=language)


def audit_section(
    event: Event, rules: Iterable[RuleSet], lists: Sequence[RatingList] = (), language: str = "zh"
) -> Piece | None:
    """The section 'titles' of an audit with its norm sheets; None where no title rules are asked for."""
    pieces: list[Any] = []
    for one in rules:
        if one.kind == "titles":
            report = TitlesReport(event=event, result=titles(event, one, lists), language=language)
            pieces += [section(report), sheets(report)]
    return prose.group(*pieces, language=language) if pieces else None


def player_pieces(event: Event, rules: RuleSet, number: int, language: str) -> list[Any]:
    """What one player reached or lacks, and the sheet of every norm that was near: for `qiyi explain`."""
    report = TitlesReport(event=event, result=titles(event, rules), language=language)
    rows = [row for row in _rows(report) if row["number"] == number]
    pieces: list[Any] = [Table("titles", _SUMMARY, rows, language=language)] if rows else []
    for sheet in report.result.sheets:
        if sheet.number == number:
            pieces += it1(sheet, report)[3:5]
    return pieces


def titles_rules(event: Event, wanted: str) -> RuleSet:
    """The title rules for an event: the edition asked for, or the one in force of a document.

    Without a wish those the file names, else the document ``titles`` of the federation whose rating rules
    are taken. Raises ParameterError where that federation has none here.
    """
    if wanted:
        return next(iter(choose(event, (wanted,)).rules))
    found = choose(event)
    if (named := found.of_kind("titles")) is not None:
        return named
    rating = found.of_kind("rating")
    document = f"{rating.federation}/titles" if rating is not None else ""
    if document not in rulesets.documents():
        known = [
            one
            for one in rulesets.documents()
            if rulesets.ruleset(rulesets.editions(one)[-1]).kind == "titles"
        ]
        raise ParameterError("title-rules-none", event=event.id, known=known)
    return next(iter(choose(event, (document,)).rules))


def head(report: TitlesReport) -> Piece:
    """Title of the report with the facts of the event."""
    event, language = report.event, report.language
    return prose.title(
        words.pair("titles_report.title", "zh"),
        language,
        event.name or event.id,
        [
            (words.pair(f"titles_report.{key}", "zh"), value)
            for key, value in (
                ("place", event.place),
                ("dates", _dates(event)),
                ("players", len(event.players)),
                ("rounds", event.rounds or event.rounds_played),
                ("time_control", event.time_control),
                ("arbiters", "、".join(event.arbiters) if language == "zh" else ", ".join(event.arbiters)),
                ("rules", f"{report.result.rules.id} {_rules_title(report.result.rules, language)}"),
            )
            if value not in ("", None)
        ],
        event.last_day,
    )


def verdict(report: TitlesReport) -> Piece:
    """How many were earned, missed and not judged, in one line."""
    reached = [row["reached"] for row in report.result.as_rows()]
    earned, open_ = sum(r is True for r in reached), sum(r is None for r in reached)
    values = {"earned": earned, "open": open_}
    tone = "remarks" if open_ else "accept" if earned else ""
    return prose.verdict(
        tone,
        (
            words.text("titles_report.verdict", "zh", **values),
            words.text("titles_report.verdict", "en", **values),
        ),
        report.language,
    )


def section(report: TitlesReport) -> Piece:
    """The section 'titles' of a report: what was earned and nearly earned, sheets, certificates, teams."""
    result, language = report.result, report.language
    pieces: list[Any] = [prose.section("titles", language), summary(report)]
    pieces += [near_misses(report), certificates(report), title_event(report), teams(report)]
    return (
        prose.group(*[piece for piece in pieces if piece is not None], language=language)
        if len(result.players)
        else prose.group(
            prose.section("titles", language),
            prose.prose(words.text("titles_report.none", language)),
            language=language,
        )
    )


def summary(report: TitlesReport) -> Table | Piece:
    """Everything earned, and everything that could not be judged."""
    language = report.language
    rows = [_row(row, language) for row in shown_rows(report)]
    if not rows:
        nothing = words.text("titles_report.nothing_earned", language)
        return prose.prose(" ".join([nothing, *open_sentences(report)]))
    return Table(
        "titles",
        _SUMMARY,
        rows,
        notes=open_sentences(report),
        language=language,
        marks=["" if r["reached"] else "warn" for r in rows],
    )


def shown_rows(report: TitlesReport) -> list[Any]:
    """What was earned or could not be judged, without rows that share one reason with many others."""
    many = set(_open_groups(report))
    return [
        row
        for row in report.result.players.itertuples(index=False)
        if row.reached is not False and _open_key(row) not in many
    ]


def open_sentences(report: TitlesReport) -> list[str]:
    """One sentence for each reason that many players share and for which nothing could be judged."""
    language = report.language
    return [
        words.text(
            "titles_report.open_many",
            language,
            count=len(rows),
            kind=words.text(f"title_kind.{rows[0].kind}", language),
            why=missing_text(rows[0].missing, language),
        )
        for rows in _open_groups(report).values()
    ]


def _open_key(row: Any) -> tuple[str, ...] | None:
    return (row.kind, *(item.what for item in row.missing)) if row.reached is None else None


def _open_groups(report: TitlesReport) -> dict[tuple[str, ...], list[Any]]:
    """Rows that could not be judged, by reason, where more share it than are worth a line each."""
    groups: dict[tuple[str, ...], list[Any]] = {}
    for row in report.result.players.itertuples(index=False):
        key = _open_key(row)
        if key is not None and row.kind != "norm":
            groups.setdefault(key, []).append(row)
    return {key: rows for key, rows in groups.items() if len(rows) > OPEN_SHOWN}


def near_misses(report: TitlesReport) -> Table | None:
    """Those who lack least: one condition only."""
    missed = report.result.players[[r is False for r in report.result.players["reached"]]]
    rows = [
        _row(row, report.language)
        for row in missed.itertuples(index=False)
        if len(row.missing) == 1  # type: ignore[arg-type]
    ]
    if not rows:
        return None
    notes = []
    if len(rows) > NEAR_MISSES_SHOWN:
        notes = [words.text("titles_report.more", report.language, count=len(rows) - NEAR_MISSES_SHOWN)]
    return Table("titles_missed", _SUMMARY, rows[:NEAR_MISSES_SHOWN], notes=notes, language=report.language)


def certificates(report: TitlesReport) -> Table | None:
    """The list of certificates: who, from which title to which, score, rate, article."""
    if not len(report.result.certificates):
        return None
    return Table("certificates", CERTIFICATES, report.result.certificates, language=report.language)


def title_event(report: TitlesReport) -> Table | None:
    """The conditions of a xiangqi title event, counted; None for other events."""
    rules, event, language = report.result.rules, report.event, report.language
    if rules.block("title_event") is None or not event.extra.get("title_event"):
        return None
    rows = [
        {
            "condition": words.text(f"norm_count.{count.what}", language),
            "value": str(count.value),
            "limit": f"{'≥' if count.at_least else '≤'} {count.limit}",
            "met": words.text("titles_report.yes" if count.met else "titles_report.no", language),
            "article": count.article,
        }
        for count in title_event_counts(event, rules)
    ]
    return Table("title_event", _CONDITIONS, rows, language=language)


def teams(report: TitlesReport) -> Table | None:
    """Teams by place points."""
    if not len(report.result.teams):
        return None
    return Table("team_points", _TEAMS, report.result.teams, language=report.language)


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
        ("dates", _dates(event)),
        ("host", event.federation),
        ("rounds", event.rounds or event.rounds_played),
        ("time_control", event.time_control),
        ("arbiters", ", ".join(event.arbiters)),
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
            _ROUNDS,
            [_round(item, language) for item in sheet.rounds],
            language=language,
            marks=["" if item.counted else "quiet" for item in sheet.rounds],
        ),
        Table(
            "norm_conditions",
            _CONDITIONS,
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
        ("dates", _dates(event)),
        ("host", event.federation),
        ("format", words.shown(words.named("format", event.format), language)),
        ("rounds", event.rounds or event.rounds_played),
        ("time_control", event.time_control),
        ("players", len(players)),
        ("rated", len(rated)),
        ("unrated", len(players) - len(rated)),
        ("average", _half_up(rated.sum(), len(rated)) if len(rated) else ""),
        ("federations", f"{len(federations)}: {', '.join(federations)}" if federations else ""),
        ("foreigners", int((players["federation"].str.upper() != host).sum()) if host else ""),
        (
            "holders",
            ", ".join(f"{title} {count}" for title, count in held[held != ""].value_counts().items()),
        ),
        ("norms", ", ".join(f"{s.number} {s.name} {s.title}" for s in report.result.sheets if s.reached)),
        ("arbiters", ", ".join(event.arbiters)),
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


def remarks(report: TitlesReport) -> Piece:
    """What was not checked and what is worth knowing."""
    findings = report.result.findings
    if not findings:
        return prose.group(language=report.language)
    return prose.group(
        prose.heading(words.pair("titles_report.remarks", "zh"), report.language),
        Table(
            "title_findings",
            _FINDINGS,
            [_finding(f, report.language) for f in findings],
            language=report.language,
        ),
        language=report.language,
    )


def write_workbook(report: TitlesReport, path: str | Path) -> Path:
    """The certificates list, the judgements and the norm sheets as an Excel file."""
    import xlsxwriter

    path = Path(path)
    book = xlsxwriter.Workbook(str(path), {"strings_to_formulas": False, "strings_to_urls": False})
    book.set_properties({"created": moment(report.event.last_day), "author": "qiyi_analysis"})
    styles = {
        "head": book.add_format(
            {"bold": True, "bg_color": "#E7ECF3", "border": 1, "text_wrap": True, "valign": "top"}
        ),
        "cell": book.add_format({"border": 1, "text_wrap": True, "valign": "top"}),
    }
    language, result = report.language, report.result
    if len(result.certificates):
        _sheet(book, styles, "certificates", CERTIFICATES, result.certificates.to_dict("records"), language)
    _sheet(book, styles, "titles", _SUMMARY, _rows(report), language)
    norm_rows = [
        {"player": f"{s.number} {s.name}", "norm": s.title, **_round(item, language)}
        for s in result.sheets
        if s.reached is not False
        for item in s.rounds
    ]
    if norm_rows:
        _sheet(
            book,
            styles,
            "norm_rounds",
            (_column("player", "name"), _column("norm", "code"), *_ROUNDS),
            norm_rows,
            language,
        )
    if len(result.entries):
        _sheet(book, styles, "place_points", _ENTRIES, result.entries.to_dict("records"), language)
        _sheet(book, styles, "team_points", _TEAMS, result.teams.to_dict("records"), language)
    _sheet(
        book, styles, "title_findings", _FINDINGS, [_finding(f, language) for f in result.findings], language
    )
    book.close()
    return path


def _sheet(
    book: Any, styles: Any, key: str, columns: Sequence[Column], rows: Sequence[Any], language: str
) -> None:
    sheet = book.add_worksheet(words.text(f"table.{key}", language)[:31])
    sheet.freeze_panes(1, 0)
    for x, column in enumerate(columns):
        sheet.write_string(0, x, words.text(f"title_column.{column.key}", language), styles["head"])
        sheet.set_column(
            x,
            x,
            40 if column.key in ("missing", "message", "members") else 18 if column.kind == "name" else 12,
        )
    for y, row in enumerate(rows, 1):
        for x, column in enumerate(columns):
            value = row.get(column.key)
            if value is None or value != value:
                sheet.write_blank(y, x, None, styles["cell"])
            elif isinstance(value, int | float) and not isinstance(value, bool):
                sheet.write_number(y, x, value, styles["cell"])
            else:
                sheet.write_string(y, x, str(value), styles["cell"])
    if rows:
        sheet.autofilter(0, 0, len(rows), len(columns) - 1)


def _rows(report: TitlesReport) -> list[dict[str, Any]]:
    return [_row(row, report.language) for row in report.result.players.itertuples(index=False)]


def _row(row: Any, language: str) -> dict[str, Any]:
    key = {True: "reached", False: "missed", None: "open"}[row.reached]
    return {
        "number": int(row.number),
        "name": row.name,
        "title": row.title,
        "kind": words.text(f"title_kind.{row.kind}", language),
        "reached": row.reached,
        "verdict": words.text(f"titles_report.{key}", language),
        "missing": missing_text(row.missing, language),
        "article": row.article,
    }


def _round(item: NormRound, language: str) -> dict[str, Any]:
    reason = item.reason.partition("-")[2]
    return {
        "round": item.round,
        "opponent": f"{item.opponent} {item.name}" if item.opponent else "—",
        "title": item.title,
        "federation": item.federation,
        "rating": item.rating,
        "rating_used": item.rating_used if item.counted else None,
        "result": {2: "1", 1: "½", 0: "0", None: ""}[item.half_points],
        "counted": words.text("titles_report.in" if item.counted else "titles_report.out", language),
        "reason": words.text(f"norm_reason.{reason}", language),
        "article": item.article,
    }


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


def _finding(finding: Finding, language: str) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": str(finding.severity),
        "player": finding.player or None,
        "message": finding.message(language),
        "article": finding.article,
    }


def _rules_title(rules: RuleSet, language: str) -> str:
    return rules.title_zh if language == "zh" else rules.title


def _dates(event: Event) -> str:
    days = [day.isoformat() for day in (event.start, event.end) if day]
    return " – ".join(dict.fromkeys(days))


def _half_up(total: float, size: int) -> int:
    return int((2 * int(total) + size) // (2 * size))
