"""The sheet of one player and norm: what the decisive selection of games shows and lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from qiyi_analysis import words
from qiyi_analysis.rules.rounding import half_up
from qiyi_analysis.rules.ruleset import Block, RuleSet
from qiyi_analysis.titles.missing import Missing
from qiyi_analysis.titles.norm_search import (
    Candidate,
    Selection,
    least,
    lowest_score,
    most,
    performance_table,
)
from qiyi_analysis.titles.norms import Count, Entrant, NormRound, NormSheet
from qiyi_analysis.titles.result import Row
from qiyi_analysis.titles.title_names import UNKNOWN

NORM = "norm"


def norm_sheet(
    candidate: Candidate, rounds: Sequence[NormRound], selection: Selection, norm: Block, rules: RuleSet
) -> NormSheet:
    """The sheet of one player and norm for the selection of games that decides."""
    player = candidate.player
    taken = [candidate.games[i] for i in selection.taken]
    opponents = [candidate.opponents[i] for i in selection.taken]
    n = len(taken)
    inside = {item.round for item in taken}
    last = max(inside, default=0)
    shown = [_left_out(item, inside, last, rules) for item in rounds]
    used = [item.rating_used or 0 for item in taken]
    floor_at, total = _floored(used, norm, rules)
    if floor_at is not None:
        number, at = taken[floor_at].opponent, taken[floor_at].round
        raised = {"rating_used": norm["floor"]}
        shown = [
            replace(item, **raised) if (item.opponent, item.round) == (number, at) else item for item in shown
        ]
    half_points = sum(item.half_points or 0 for item in taken)
    exact = Fraction(total, n)
    average = int(half_up(total, n))
    percent = int(half_up(100 * half_points, 2 * n))
    difference = int(performance_table(rules)[percent])
    counts = _counts(candidate, opponents, n, norm, rules)
    counts_as, extra = _games_for_application(candidate, n, half_points, average, norm, rules)
    foreigner = all(c.met for c in counts if c.what in ("foreign", "own", "one"))
    draft = NormSheet(
        number=player.number,
        id=player.id,
        name=player.name,
        sex=player.sex,
        federation=player.federation,
        held=player.title,
        title=norm["title"],
        reached=selection.reached,
        rounds=tuple(shown),
        games=n,
        counts_as=counts_as + extra,
        extra_games=extra,
        normal_foreigner=foreigner and player.known_federation,
        missing_game=candidate.missing_game and n == candidate.games_at_least,
        counts=counts,
        floor_opponent=taken[floor_at].opponent if floor_at is not None else 0,
        floor=norm["floor"],
        average_exact=exact,
        average=average,
        average_at_least=norm["average_at_least"],
        half_points=half_points,
        percent_exact=Fraction(100 * half_points, 2 * n),
        percent=percent,
        difference=difference,
        performance=average + difference,
        performance_exact=exact + difference,
        performance_at_least=norm["performance"],
        missing=(),
        article=norm.article,
    )
    missing = _missing(draft, candidate, selection, opponents, taken, norm, rules)
    return replace(draft, missing=missing)


def _left_out(item: NormRound, inside: set[int], last: int, rules: RuleSet) -> NormRound:
    """A counted round that the selection leaves out, with the article that allows it."""
    if not item.counted or item.round in inside:
        return item
    name = "later_rounds" if item.round > last else "beaten_opponents"
    article = rules.need(name).article
    return replace(item, counted=False, reason=f"{article}-{name}", article=article)


def _floored(used: Sequence[int], norm: Block, rules: RuleSet) -> tuple[int | None, int]:
    """Position of the opponent who is raised to the floor, and the sum of the ratings after that."""
    total = sum(used)
    if not used or not rules.need("floor")["opponents_at_most"]:
        return None, total
    lowest = min(range(len(used)), key=used.__getitem__)
    if used[lowest] >= norm["floor"]:
        return None, total
    return lowest, total + norm["floor"] - used[lowest]


def _counts(
    candidate: Candidate, opponents: Sequence[Entrant], n: int, norm: Block, rules: RuleSet
) -> tuple[Count, ...]:
    not_a_federation = set(rules.need("foreign")["not_a_federation"])
    codes = [o.federation for o in opponents if o.known_federation and o.federation not in not_a_federation]
    own = candidate.player.federation
    share, titled, question = (
        rules.need("federation_share"),
        rules.need("titled"),
        rules.need("title_in_question"),
    )
    wanted = set(norm["met"])
    if candidate.double_round_robin:
        needed = int(least(rules.need("double_round_robin")["title_share_at_least"], n))
    else:
        needed = max(int(least(question["share_at_least"], n)), question["number_at_least"])
    foreign = rules.need("foreign")
    return (
        Count(
            what="games",
            value=n,
            limit=candidate.games_at_least,
            at_least=True,
            article=rules.need("games").article,
        ),
        Count(
            what="foreign",
            value=len(set(codes) - {own}),
            limit=foreign["federations_at_least"],
            at_least=True,
            article=foreign.article,
        ),
        Count(
            what="own",
            value=codes.count(own),
            limit=int(most(share["own_at_most"], n)),
            at_least=False,
            article=share.article,
        ),
        Count(
            what="one",
            value=max((codes.count(code) for code in set(codes)), default=0),
            limit=int(most(share["one_at_most"], n)),
            at_least=False,
            article=share.article,
        ),
        Count(
            what="titled",
            value=sum(bool(o.titles & set(titled["titles"])) for o in opponents),
            limit=int(least(titled["share_at_least"], n)),
            at_least=True,
            article=titled.article,
        ),
        Count(
            what="in_question",
            value=sum(bool(o.titles & wanted) for o in opponents),
            limit=needed,
            at_least=True,
            article=question.article,
        ),
    )


def _games_for_application(
    candidate: Candidate, n: int, half_points: int, average: int, norm: Block, rules: RuleSet
) -> tuple[int, int]:
    """Games the norm counts towards an application, and the extra ones for points over the norm score."""
    counts_as = min(n, rules.value("games", "counts_at_most", n))
    if n == candidate.games_at_least and candidate.counts_as is not None:
        counts_as = candidate.counts_as
    needed = lowest_score(rules, norm, average, n)
    extra = 0
    if needed is not None and half_points > needed:
        extra = (half_points - needed) // 2 * rules.value("extra_points", "games_per_point", 0)
    return counts_as, extra


def _missing(
    sheet: NormSheet,
    candidate: Candidate,
    selection: Selection,
    opponents: Sequence[Entrant],
    taken: Sequence[NormRound],
    norm: Block,
    rules: RuleSet,
) -> tuple[Missing, ...]:
    """What the selection lacks, condition by condition in the order of the rule."""
    found: list[Missing] = []
    met, possible = selection.met, selection.possible
    if not met["format"]:
        later = rules.need("later_rounds")
        if not candidate.complete:
            double = rules.block("double_round_robin")
            few = candidate.double_round_robin and double is not None
            found.append(
                Missing(what="not_complete_double" if few else "not_complete", article=later.article)
            )
        else:
            found.append(Missing(what="format_unknown", article=later.article, unknown=True))
    for count in sheet.counts:
        short = abs(count.value - count.limit)
        if met[count.what]:
            continue
        if possible[count.what]:
            found.append(_unknown_count(count, candidate, opponents, rules))
        else:
            values = {"short": short, "value": count.value, "limit": count.limit, "title": sheet.title}
            found.append(Missing(what=count.what, article=count.article, values=values))
    if not met["known"]:
        found += _unknown_facts(opponents, taken, rules)
    found += _missing_score(sheet, met, possible, opponents, norm, rules)
    # One unknown federation can leave several conditions open; it is named once.
    return tuple({item.what: item for item in reversed(found)}.values())[::-1]


def _unknown_count(
    count: Count, candidate: Candidate, opponents: Sequence[Entrant], rules: RuleSet
) -> Missing:
    if count.what in ("titled", "in_question"):
        names = words.joined(
            f"{o.number} {o.name} ({o.title_text})" for o in opponents if UNKNOWN in o.titles
        )
        return Missing(what="title_unknown", article=count.article, values={"players": names}, unknown=True)
    if not candidate.player.known_federation:
        code = candidate.player.federation or "-"
        return Missing(
            what="own_federation_unknown", article=count.article, values={"code": code}, unknown=True
        )
    if candidate.exempt is None:
        article = rules.need("foreign_exempt_field").article
        return Missing(what="host_unknown", article=article, unknown=True)
    return _federation_unknown(opponents, count.article)


def _federation_unknown(opponents: Sequence[Entrant], article: str) -> Missing:
    names = words.joined(
        f"{o.number} {o.name} ({o.federation or '-'})" for o in opponents if not o.known_federation
    )
    return Missing(what="federation_unknown", article=article, values={"players": names}, unknown=True)


def _unknown_facts(opponents: Sequence[Entrant], taken: Sequence[NormRound], rules: RuleSet) -> list[Missing]:
    found = []
    if any(not opponent.known_federation for opponent in opponents):
        found.append(_federation_unknown(opponents, rules.need("no_fide_federation").article))
    days = [item.round for item in taken if not item.rating_known]
    if days:
        found.append(
            Missing(
                what="day_rating_unknown",
                article=rules.need("long_event").article,
                values={"rounds": days},
                unknown=True,
            )
        )
    return found


def _missing_score(
    sheet: NormSheet,
    met: Any,
    possible: Any,
    opponents: Sequence[Entrant],
    norm: Block,
    rules: RuleSet,
) -> list[Missing]:
    """Average, percentage and performance; the score that would have been enough, where there is one."""
    holders = set(rules.need("titled")["titles"])
    unrated = [o for o in opponents if o.rating is None and o.titles & holders]
    wanting = [name for name in ("average", "percent", "performance") if not met[name]]
    if wanting and unrated and all(possible[name] for name in wanting):
        names = words.joined(f"{o.number} {o.name} ({o.title})" for o in unrated)
        return [
            Missing(
                what="rating_unknown",
                article=rules.need("unrated_opponent").article,
                values={"players": names},
                unknown=True,
            )
        ]
    found = []
    values: dict[str, object]
    if not met["average"]:
        short = sheet.average_at_least - sheet.average
        values = {"short": short, "value": sheet.average, "limit": sheet.average_at_least}
        found.append(Missing(what="average", article=norm.article, values=values))
    if met["percent"] and met["performance"]:
        return found
    needed = lowest_score(rules, norm, max(sheet.average, sheet.average_at_least), sheet.games)
    gap = sheet.performance_at_least - sheet.performance
    values = {
        "value": sheet.score,
        "performance": sheet.performance,
        "limit": sheet.performance_at_least,
        "gap": gap,
    }
    if needed is None:
        found.append(
            Missing(what="no_score_enough", article=norm.article, values={**values, "average": sheet.average})
        )
    elif needed > sheet.half_points:
        short = needed - sheet.half_points
        values |= {
            "short": f"{short // 2}{'.5' if short % 2 else ''}",
            "needed": f"{needed // 2}{'.5' if needed % 2 else ''}",
        }
        found.append(Missing(what="score", article=norm.article, values=values))
    elif not met["performance"]:
        found.append(Missing(what="performance", article=norm.article, values=values))
    return found


def doubted(sheet: NormSheet, why: str, article: str) -> NormSheet:
    """The same sheet, not to be judged because of one more unknown thing."""
    if sheet.reached is False and why != "too_many_selections":
        return sheet
    return replace(
        sheet, reached=None, missing=(*sheet.missing, Missing(what=why, article=article, unknown=True))
    )


def norm_row(sheet: NormSheet) -> Row:
    """The row of the result that a norm sheet makes: reached or not, and what is missing."""
    articles = list(dict.fromkeys(item.article for item in sheet.missing)) or [sheet.article]
    return Row(
        number=sheet.number,
        name=sheet.name,
        title=sheet.title,
        kind=NORM,
        reached=sheet.reached,
        missing=sheet.missing,
        article=", ".join(articles),
    )
