"""Xiangqi title events (等级称号赛): is the event one, and which score is a norm in it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.frame import records
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles.missing import Missing
from qiyi_analysis.titles.norms import Count
from qiyi_analysis.titles.result import Row, number_text
from qiyi_analysis.titles.standing import score_shares


@dataclass(frozen=True, slots=True, kw_only=True)
class NormScore:
    """The score that is a norm against a field, with its working."""

    rounds: int
    average: int
    level: int  # title performance level, given by the user
    share: Fraction  # expected share of a player of that level
    raw: Fraction
    score: Fraction  # after the rounding of the article
    article: str


def title_event_counts(
    event: Event, rules: RuleSet, unrated: Sequence[int] | None = None
) -> tuple[Count, ...]:
    """The counted conditions of a title event: players, unrated ones, largest unit, arbiters.

    ``unrated`` are the numbers of players without a rating (those of the file if left out). Units are
    counted only where the file names them.
    """
    block = rules.need("title_event")
    size = len(event.players)
    without = int(event.players["rating"].isna().sum()) if unrated is None else len(unrated)
    units = Counter(unit for unit in event.players["unit"] if unit)
    counts = [
        Count(
            what="title_event_players",
            value=size,
            limit=block["players_at_least"],
            at_least=True,
            article=block.article,
        ),
        Count(
            what="title_event_unrated",
            value=without,
            limit=at_most(block["unrated_share_at_most"], size),
            at_least=False,
            article=block.article,
        ),
    ]
    if units:
        counts.append(
            Count(
                what="title_event_unit",
                value=max(units.values()),
                limit=at_most(block["unit_share_at_most"], size),
                at_least=False,
                article=block.article,
            )
        )
    if event.arbiters:
        counts.append(
            Count(
                what="title_event_arbiters",
                value=len(event.arbiters),
                limit=block["arbiters_at_least"],
                at_least=True,
                article=block.article,
            )
        )
    return tuple(counts)


def at_most(share: Fraction, size: int) -> int:
    """Largest whole number that is at most ``share`` of ``size``."""
    return math.floor(share * size)


def at_least(share: Fraction, size: int) -> int:
    """Smallest whole number that is at least ``share`` of ``size``."""
    return math.ceil(share * size)


def rounded_norm_score(raw: Fraction, rules: RuleSet) -> Fraction:
    """Smallest multiple of the step that exceeds ``raw`` less the tolerance: 7.09 is 7, 7.10 is 7.5."""
    block = rules.need("norm_score")
    steps = (raw - block["tolerance"]) / block["step"]
    return max(Fraction(0), (math.floor(steps) + 1) * block["step"])


def norm_score(ratings: Sequence[int], rounds: int, level: int, rules: RuleSet) -> NormScore:
    """Norm score of an event of ``rounds`` games against a field of ``ratings`` for a performance ``level``.

    The average is rounded half up to a whole number first (article 6, 3).
    """
    average = math.floor(Fraction(sum(ratings), len(ratings)) + Fraction(1, 2))
    block = rules.need("norm_score")
    share = expected_share(level - average, rules)
    raw = rounds * share
    return NormScore(
        rounds=rounds,
        average=average,
        level=level,
        share=share,
        raw=raw,
        score=rounded_norm_score(raw, rules),
        article=f"{rules.id} {block.article}",
    )


def expected_share(difference: int, rules: RuleSet) -> Fraction:
    """Score expected at a rating difference, from the printed table."""
    for row in rules.table(rules.need("norm_score")["table"]):
        if int(row["d_low"]) <= abs(difference) <= int(row["d_high"]):
            return Fraction(row["p_high"] if difference >= 0 else row["p_low"])
    return Fraction(1 if difference >= 0 else 0)


def field_average_ratings(event: Event, rules: RuleSet) -> list[int]:
    """Ratings of all players; an unrated one with the provisional rating of the sex, left out if that is not known."""
    provisional = {row["sex"]: row["rating"] for row in rules.rows("provisional_rating")}
    found = []
    for player in records(event.players):
        rating = provisional.get(player.sex) if player.rating != player.rating else int(player.rating)
        if rating is not None:
            found.append(rating)
    return found


def title_event_rows(event: Event, rules: RuleSet, level: int | None) -> tuple[list[Row], list[Finding]]:
    """Norms of a title event: every player's score against the norm score of the level that the user gives.

    Nothing is judged where the event does not say that it is a title event (``title_event`` among its
    facts, the title it is for) and no level is given.
    """
    title = str(event.extra.get("title_event") or "")
    cite = rules.cite("norm_score")
    if level is None:
        return [], [Finding(code="CK44", reason="norm-level-unknown", article=cite)] if title else []
    rounds = event.rounds or event.rounds_played
    ratings = field_average_ratings(event, rules)
    if not rounds or not ratings:
        return [], [Finding(code="CK44", reason="norm-level-unknown", article=cite)]
    wanted = norm_score(ratings, rounds, level, rules)
    findings = [
        Finding(
            code="CK45",
            reason="norm-score",
            recomputed=number_text(wanted.score),
            article=wanted.article,
            values={
                "title": title,
                "average": wanted.average,
                "level": level,
                "share": number_text(wanted.share),
                "rounds": rounds,
                "raw": number_text(wanted.raw),
            },
        )
    ]
    unfit = tuple(
        Missing(what=count.what, article=count.article, values={"value": count.value, "limit": count.limit})
        for count in title_event_counts(event, rules)
        if not count.met
    )
    shares = score_shares(event)
    rows = []
    for player in records(event.players):
        share = shares.get(int(player.number))
        missing = unfit
        if share is None:
            missing += (
                Missing(what="score_unknown", article=rules.need("norm_score").article, unknown=True),
            )
        elif share < wanted.score:
            values = {
                "short": number_text(wanted.score - share),
                "value": number_text(share),
                "needed": number_text(wanted.score),
            }
            missing += (Missing(what="norm_score", article=rules.need("norm_score").article, values=values),)
        only_open = bool(missing) and all(item.unknown for item in missing)
        rows.append(
            Row(
                number=int(player.number),
                name=player.name,
                title=title,
                kind="norm",
                reached=None if only_open else not missing,
                missing=missing,
                article=rules.need("norm_score").article,
            )
        )
    return rows, findings
