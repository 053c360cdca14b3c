"""Collection of norms to an application for a title (FIDE B.01 1.5)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from qiyi_analysis.rules.ruleset import Block, RuleSet
from qiyi_analysis.titles.missing import Missing


@dataclass(frozen=True, slots=True, kw_only=True)
class NormRecord:
    """One norm as a certificate gives it. None stands for what the certificate does not say."""

    event: str
    title: str  # of the norm
    day: date | None  # last day of the event
    games: int  # as they count: thirteen at most, extra points included
    normal_foreigner: bool | None
    missing_game: bool = False  # eight games of a nine-round event
    event_type: str = ""
    qualifying_swiss: bool | None = None  # field of the size and average that 1.5.6 asks for
    one_round_a_day: bool | None = None
    title_event: bool = True  # False where the event itself breaks a condition of title events (1.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """Whether norms and rating make a title; ``complete`` is None where something could not be judged."""

    title: str
    norms: tuple[NormRecord, ...]
    games: int
    games_at_least: int
    complete: bool | None
    missing: tuple[Missing, ...]


def apply_for(
    title: str, norms: Sequence[NormRecord], rating_once: int | None, rules: RuleSet
) -> Application:
    """Judge an application for ``title`` under ``rules``.

    A norm of a higher title counts as well (1.5.2). ``rating_once`` is the highest standard rating the
    player has had, None if not known.
    """
    norm = next((row for row in rules.rows("norm") if row["title"] == title), None)
    block = rules.need("application")
    if norm is None:
        return Application(
            title=title,
            norms=(),
            games=0,
            games_at_least=block["games_at_least"],
            complete=False,
            missing=(Missing(what="no_norm_title", article=block.article, values={"title": title}),),
        )
    higher = {row["title"] for row in rules.rows("norm") if row["performance"] >= norm["performance"]}
    usable = [record for record in norms if record.title in higher]
    judged = [
        _judged(title, norm, kept, [*unfit, *left_out], rating_once, rules)
        for fit, unfit in [_of_title_events(usable, rules)]
        for kept, left_out in _at_most_one_missing_game(fit, rules)
    ]
    # Which of several norms stays is the applicant's choice: the one that serves best.
    return min(judged, key=lambda one: ({True: 0, None: 1, False: 2}[one.complete], len(one.missing)))


def _judged(
    title: str,
    norm: Block,
    usable: list[NormRecord],
    left_out: list[Missing],
    rating_once: int | None,
    rules: RuleSet,
) -> Application:
    """The application by some norms; ``left_out`` says why others do not count."""
    block = rules.need("application")
    games = sum(record.games for record in usable)
    # A norm too many does no harm if the others are enough.
    missing = left_out if games < block["games_at_least"] else []
    if games < block["games_at_least"]:
        values = {"short": block["games_at_least"] - games, "value": games, "limit": block["games_at_least"]}
        missing.append(Missing(what="application_games", article=block.article, values=values))
    _some(
        [record.normal_foreigner for record in usable],
        block.get("normal_foreigner_norms_at_least", 0),
        "application_foreigner",
        block.article,
        missing,
    )
    _event_types(usable, rules, missing)
    _one_round_a_day(title, usable, rules, missing)
    _rating_once(rating_once, norm, missing)
    return Application(
        title=title,
        norms=tuple(usable),
        games=games,
        games_at_least=block["games_at_least"],
        complete=None if missing and all(item.unknown for item in missing) else not missing,
        missing=tuple(missing),
    )


def _one_round_a_day(
    title: str, usable: Sequence[NormRecord], rules: RuleSet, missing: list[Missing]
) -> None:
    """For the highest titles one norm must be of an event with one round a day."""
    block = rules.block("one_round_a_day")
    if block is not None and title in block["titles"]:
        answers = [record.one_round_a_day for record in usable]
        _some(answers, 1, "application_one_round_a_day", block.article, missing)


def _rating_once(rating_once: int | None, norm: Block, missing: list[Missing]) -> None:
    """The rating the applicant must have had once."""
    limit = norm["rating_once"]
    if rating_once is None:
        missing.append(
            Missing(what="rating_once_unknown", article=norm.article, values={"limit": limit}, unknown=True)
        )
    elif rating_once < limit:
        values = {"short": limit - rating_once, "value": rating_once, "limit": limit}
        missing.append(Missing(what="rating_once", article=norm.article, values=values))


def _of_title_events(records: Sequence[NormRecord], rules: RuleSet) -> tuple[list[NormRecord], list[Missing]]:
    """Norms without those of events that give none: too little time, too many rounds a day, a format not allowed."""
    unfit = [record for record in records if not record.title_event]
    left_out = [
        Missing(
            what="application_no_title_event",
            article=rules.need("title_tournament").article,
            values={"event": record.event},
        )
        for record in unfit
    ]
    return [record for record in records if record.title_event], left_out


def _at_most_one_missing_game(
    records: list[NormRecord], rules: RuleSet
) -> Iterator[tuple[list[NormRecord], list[Missing]]]:
    """Every choice of as many norms with a missing game as one application may hold, those of most games first."""
    block = rules.block("missing_game")
    limit = block.get("per_application_at_most") if block else None
    short = sorted((record for record in records if record.missing_game), key=lambda record: -record.games)
    if block is None or limit is None or len(short) <= limit:
        yield records, []
        return
    for chosen in itertools.combinations(short, limit):
        left_out = [record for record in short if all(record is not one for one in chosen)]
        yield (
            [record for record in records if all(record is not other for other in left_out)],
            [
                Missing(
                    what="application_missing_game", article=block.article, values={"event": record.event}
                )
                for record in left_out
            ],
        )


def _some(
    answers: Sequence[bool | None], at_least: int, what: str, article: str, missing: list[Missing]
) -> None:
    if sum(answer is True for answer in answers) >= at_least:
        return
    unknown = sum(answer is not False for answer in answers) >= at_least
    missing.append(Missing(what=what, article=article, unknown=unknown))


def _event_types(records: Sequence[NormRecord], rules: RuleSet, missing: list[Missing]) -> None:
    """One norm from an event of the kinds of 1.5.6, where a norm is later than the day it names."""
    block = rules.block("application_event")
    if block is None:
        return
    if not any(record.day is None or record.day > block["norms_after"] for record in records):
        return
    answers = [
        True if record.event_type in block["event_types"] else record.qualifying_swiss for record in records
    ]
    _some(answers, 1, "application_event", block.article, missing)
