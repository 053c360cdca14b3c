"""Is the event one that the rules rate or give titles in: rounds, clock, rated players, units, arbiters, report.

Only what the file tells is judged; what it does not tell is named as not checked (CK44).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from itertools import chain

from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding, Severity
from qiyi_analysis.model.time_control import LIMITS, player_minutes, within
from qiyi_analysis.rules.ruleset import Block, RuleSet
from qiyi_analysis.titles import titles
from qiyi_analysis.titles.title_events import at_least, at_most, title_event_counts

_ROUND_ROBINS = ("round-robin", "double-round-robin")


def check(event: Event, rules: RuleSet) -> tuple[Finding, ...]:
    """Findings about the fitness of the event for the list or the titles of ``rules``."""
    if rules.kind == "titles":
        return (*titles(event, rules).findings, *_title_event(event, rules))
    if not len(event.players):
        return ()
    parts = (_rounds, _time_control, _rated_share, _units, _arbiters, _report)
    return tuple(chain.from_iterable(part(event, rules) for part in parts))


def _rounds(event: Event, rules: RuleSet) -> Iterator[Finding]:
    """Rounds against the size of the field; a small round robin cannot have more and is asked about."""
    size, rounds = len(event.players), event.rounds or event.rounds_played
    for block in rules.rows("rounds"):
        fits = block.get("players_at_least", 0) <= size <= block.get("players_at_most", size)
        if not fits or not rounds or rounds >= block["rounds_at_least"]:
            continue
        small = event.format in _ROUND_ROBINS and rounds >= size - 1
        yield Finding(
            code="CK36",
            severity=Severity.ASK if small else Severity.RETURN,
            reason="eligibility-rounds-round-robin" if small else "eligibility-rounds",
            field="rounds",
            published=str(rounds),
            recomputed=str(block["rounds_at_least"]),
            article=_cite(rules, block),
            values={"players": size},
        )


def _time_control(event: Event, rules: RuleSet) -> Iterator[Finding]:
    """The clock against the limits for the highest rating present (CK05)."""
    rows = rules.rows("time_control")
    if not rows:
        return
    article = _cite(rules, rows[0])
    if not event.time_control.strip():
        yield Finding(
            code="CK44", reason="eligibility-no-time-control", field="time_control", article=article
        )
        return
    minutes = player_minutes(event.time_control)
    if minutes is None:
        yield Finding(
            code="CK44",
            reason="eligibility-time-control-unread",
            field="time_control",
            published=event.time_control,
            article=article,
        )
        return
    ratings = event.players["rating"].dropna()
    highest = float(ratings.max()) if len(ratings) else 0.0
    graded = [row for row in rows if "rating_at_least" in row and highest >= row["rating_at_least"]]
    plain = [row for row in rows if "rating_at_least" not in row]
    # Rows by rating go from the strictest; the plain row is the one for everybody else.
    for row in graded[:1] or plain:
        for limit in LIMITS:
            if limit in row and not within(minutes, limit, row[limit]):
                yield Finding(
                    code="CK05",
                    reason=f"eligibility-{limit.replace('_', '-')}",
                    field="time_control",
                    published=f"{float(minutes):g}",
                    recomputed=str(row[limit]),
                    article=_cite(rules, row),
                )


def _rated_share(event: Event, rules: RuleSet) -> Iterator[Finding]:
    """How many of the players must be rated; in a small field all of them."""
    block = rules.block("rated_share")
    if block is None or event.format not in block.get("formats", (event.format,)):
        return
    size, rated = len(event.players), int(event.players["rating"].notna().sum())
    if not rated:
        yield Finding(
            code="CK44", reason="eligibility-no-ratings", field="rating", article=_cite(rules, block)
        )
        return
    needed = size if size <= block.get("all_if_players_at_most", 0) else at_least(block["at_least"], size)
    if rated < needed:
        yield Finding(
            code="CK36",
            reason="eligibility-rated-share",
            field="rating",
            published=str(rated),
            recomputed=str(needed),
            article=_cite(rules, block),
            values={"players": size},
        )


def _units(event: Event, rules: RuleSet) -> Iterator[Finding]:
    """Number of units, and the largest one's share of the players."""
    block = rules.block("units")
    if block is None:
        return
    article = _cite(rules, block)
    units = Counter(
        unit or team for unit, team in zip(event.players["unit"], event.players["team"], strict=True)
    )
    if units[""]:
        yield Finding(code="CK44", reason="eligibility-no-units", field="unit", article=article)
        return
    if len(units) < block.get("at_least", 0):
        yield Finding(
            code="CK36",
            reason="eligibility-units",
            field="unit",
            published=str(len(units)),
            recomputed=str(block["at_least"]),
            article=article,
        )
    unit, largest = units.most_common(1)[0]
    limit = at_most(block["share_at_most"], len(event.players)) if "share_at_most" in block else largest
    if largest > limit:
        yield Finding(
            code="CK36",
            reason="eligibility-unit-share",
            field="unit",
            published=str(largest),
            recomputed=str(limit),
            article=article,
            values={"unit": unit},
        )


def _arbiters(event: Event, rules: RuleSet) -> Iterator[Finding]:
    block = rules.block("arbiters")
    if block is None:
        return
    article = _cite(rules, block)
    if not event.arbiters:
        yield Finding(code="CK44", reason="eligibility-no-arbiters", field="arbiters", article=article)
    elif len(event.arbiters) < block["at_least"]:
        yield Finding(
            code="CK08",
            reason="eligibility-arbiters",
            field="arbiters",
            published=str(len(event.arbiters)),
            recomputed=str(block["at_least"]),
            article=article,
            values={"level": block.get("level", "")},
        )


def _report(event: Event, rules: RuleSet) -> Iterator[Finding]:
    """Deadline of the report, and the fee where the file tells the entry fee."""
    block = rules.block("report")
    if block is None:
        return
    article = _cite(rules, block)
    last = event.end or event.start
    if last is not None:
        due = last + timedelta(days=block["days"])
        sent = _day(event.extra.get("reported"))
        if sent is None:
            yield Finding(code="CK44", reason="report-due", recomputed=due.isoformat(), article=article)
        elif sent > due:
            yield Finding(
                code="CK04",
                severity=Severity.ASK,
                reason="report-late",
                field="reported",
                published=sent.isoformat(),
                recomputed=due.isoformat(),
                article=article,
            )
    fees = entry_fees(event)
    if "fee_percent" in block and fees is not None:
        fee = fees * block["fee_percent"] / 100
        yield Finding(
            code="CK44",
            reason="report-fee",
            recomputed=f"{float(fee):.2f}".removesuffix(".00"),
            article=article,
            values={"percent": f"{float(block['fee_percent']):g}"},
        )


def entry_fees(event: Event) -> Fraction | None:
    """Sum of the entry fees: ``entry_fees``, or ``entry_fee`` for each player, among the event's facts."""
    for key, times in (("entry_fees", 1), ("entry_fee", len(event.players))):
        try:
            return Fraction(str(event.extra[key])) * times
        except (KeyError, ValueError, ZeroDivisionError):
            continue
    return None


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return None


def _title_event(event: Event, rules: RuleSet) -> Iterator[Finding]:
    """A xiangqi event that says it is a title event: players, unrated ones, units, arbiters."""
    if rules.block("title_event") is None or not event.extra.get("title_event"):
        return
    for count in title_event_counts(event, rules):
        if not count.met:
            yield Finding(
                code="CK36",
                reason=count.what.replace("_", "-"),
                published=str(count.value),
                recomputed=str(count.limit),
                article=f"{rules.id} {count.article}",
            )


def _cite(rules: RuleSet, block: Block) -> str:
    return f"{rules.id} {block.article}"
