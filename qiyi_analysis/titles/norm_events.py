"""What an application asks about the event of a norm (FIDE B.01 1.1.3, 1.5.6): its kind, its field, its days.

Every answer is True, False or None: None where the file does not tell.
"""

from __future__ import annotations

from qiyi_analysis.model.event import Event
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.titles.norms import NormSheet, rounds_present
from qiyi_analysis.titles.norms_application import NormRecord


def norm_record(sheet: NormSheet, event: Event, rules: RuleSet, title_event: bool = True) -> NormRecord:
    """A norm as an application takes it, judged by ``rules``, those of the application."""
    return NormRecord(
        event=event.name or event.id,
        title=sheet.title,
        day=event.last_day,
        games=sheet.counts_as,
        normal_foreigner=sheet.normal_foreigner,
        missing_game=sheet.missing_game,
        event_type=str(event.extra.get("title_event", "")),
        qualifying_swiss=qualifying_swiss(event, rules),
        one_round_a_day=one_round_a_day(event, rules),
        title_event=title_event,
    )


def qualifying_swiss(event: Event, rules: RuleSet) -> bool | None:
    """Whether a Swiss has, in every round, the number and average of players that 1.5.6 asks for.

    Players who miss more rounds than allowed do not count; the pairing-allocated bye is no missed round. Where only
    the best of the field have the average, or unrated players decide, the answer is None.
    """
    block = rules.block("application_event")
    if block is None:
        return None
    if event.format != "swiss":
        return None if not event.format else False
    rounds = event.rounds or event.rounds_played
    present = rounds_present(event)
    ratings = dict(zip(event.players["number"].tolist(), event.players["rating"].tolist(), strict=True))
    here = [n for n, seen in present.items() if rounds - len(seen) <= block["missed_rounds_at_most"]]
    unrated = rules.need("unrated_opponent")["counts_as"]
    answers = []
    for number in range(1, rounds + 1):
        field = [ratings[n] for n in here if number in present[n]]
        known = sorted((r for r in field if r == r and r > 0), reverse=True)
        answers.append(_large_and_strong(known, len(field) - len(known), unrated, block))
    if not answers or False in answers:
        return False
    return None if None in answers else True


def _large_and_strong(known: list[float], others: int, unrated: int, block: object) -> bool | None:
    least, average = block["swiss_players_at_least"], block["swiss_average_at_least"]  # type: ignore[index]
    if len(known) + others < least:
        return False
    everybody = [*known, *[unrated] * others]
    if sum(everybody) >= average * len(everybody):
        return True
    best = everybody[:least]
    return None if sum(best) >= average * len(best) else False


def one_round_a_day(event: Event, rules: RuleSet) -> bool | None:
    """Whether the event had, on the days that 1.1.3a asks for, a single round each."""
    block = rules.block("one_round_a_day")
    if block is None:
        return None
    days: dict[str, set[int]] = {}
    unknown = False
    for turn, day in event.games[["round", "day"]].drop_duplicates().itertuples(index=False):
        if day:
            days.setdefault(day, set()).add(int(turn))
        else:
            unknown = True
    if sum(len(rounds) == 1 for rounds in days.values()) >= block["days"] and not unknown:
        return True
    return None if unknown or not days else False
