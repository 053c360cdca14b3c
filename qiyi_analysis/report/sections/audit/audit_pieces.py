"""What an audit's report says beside its tables: verdict, facts of the event, calculation sheets, letter."""

from __future__ import annotations

from decimal import Decimal
from importlib import metadata
from typing import Any

import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.audit import explain
from qiyi_analysis.audit.event_audit import Audit
from qiyi_analysis.audit.masking import minors
from qiyi_analysis.model.findings import Severity
from qiyi_analysis.report.kit.page import Page, Piece
from qiyi_analysis.report.kit.tables import is_missing
from qiyi_analysis.report.sections.audit.audit_frames import differing, names_of, placed

#: Calculation sheets printed; the workbook holds every game of everybody.
_SHEETS = 40
_GAMES = (
    "round", "opponent", "opponent_name", "opponent_rating", "difference", "counted_difference", "expected", "score", "reason",
)  # fmt: skip


def verdict(page: Page, result: Audit) -> Piece:
    """The verdict in one line, with the number of findings and of values compared."""
    counts = {severity: sum(f.severity == severity for f in result.findings) for severity in Severity}
    done = result.coverage
    tone = "remarks" if result.verdict == "insufficient" else result.verdict
    detail = page.say(
        "detail",
        errors=counts[Severity.RETURN],
        asks=counts[Severity.ASK],
        notes=counts[Severity.NOTE],
        rateable=done.rateable,
        calculated=done.calculated,
        compared=done.compared,
        differ=done.compared - done.agree,
        ranks=done.placed,
        off=done.placed - done.in_place,
    )
    return page.verdict(tone, f"verdict.{result.verdict}", detail)


def of_unknown_age(page: Page, audited: Audit) -> Piece:
    """How many players were not masked since nothing tells their age; nothing for none."""
    count = len(audited.event.players) - len(minors(audited.event, audited.lists))
    return page.prose(page.say("unmasked", count=count) if count else "", "note")


def facts(page: Page, result: Audit) -> dict[str, Any]:
    """What kind of event it was and by which rules it was judged."""
    event, rating = result.event, result.rating
    ratings = event.players["rating"].dropna()
    counted = int(rating.games["counted"].astype(bool).sum()) // 2 if rating is not None else 0
    known = words.has(f"discipline.{event.discipline}")
    return {
        "event": event.name or event.id,
        "place": event.place,
        "dates": event.period,
        "federation": event.federation,
        "discipline": page.say(f"discipline.{event.discipline}") if known else "",
        "format": page.say(f"format.{event.format}") if event.format else "",
        "rounds": event.rounds or "",
        "players": f"{len(event.players)} ({int((ratings > 0).sum())})",
        "games": f"{len(event.games)} ({counted})",
        "average": str(round(Decimal(float(ratings.mean())))) if len(ratings) else "",
        "time_control": event.time_control,
        "arbiters": words.listed(event.arbiters, page.language),
        "rules": "\n".join(
            f"{one.id}  {one.title_zh if page.language == 'zh' else one.title}" for one in result.rules
        ),
        "lists": words.listed((one.id for one in result.lists), page.language),
    }


def sheets(page: Page, result: Audit) -> list[Any]:
    """The whole calculation, game by game, of every player whose published numbers differ."""
    if result.rating is None:
        return []
    chosen = list(differing(result))
    parts = [piece for number in chosen[:_SHEETS] for piece in sheet(page, result, number)]
    if len(chosen) > _SHEETS:
        parts.append(page.text("sheets_left_out", "note", count=len(chosen) - _SHEETS))
    return parts


def sheet(page: Page, result: Audit, number: int) -> list[Any]:
    """The calculation of one player: heading, games, steps."""
    rating, names = result.rating, names_of(result)
    assert rating is not None
    games = pd.DataFrame(rating.game_rows(number), dtype=object)
    games = games.assign(
        opponent_name=games["opponent"].map(names).fillna(""),
        reason=[
            "" if counted else explain.reason_word(reason, page.language)
            for counted, reason in zip(games["counted"], games["reason"], strict=True)
        ],
    )
    steps = [
        (step.what, step.value, step.how, step.article)
        for step in explain.steps_of(rating, number, page.language)
    ]
    return [
        page.heading(text=page.say("audit_place.player", number=number, name=names.get(number, "")), level=2),
        page.table(
            games,
            _GAMES,
            "sheet_games",
            drop_empty=_GAMES[2:],
            marks=games["reason"].map(lambda why: "quiet" if why else ""),
        ),
        page.table(
            pd.DataFrame(steps, columns=["step", "value", "how", "article"]),
            {"step": "text", "value": "code", "how": "text", "article": "text"},
            "sheet_steps",
        ),
    ]


def letter(page: Page, result: Audit) -> Piece:
    """A letter to the chief arbiter that lists what is to be corrected or explained."""
    event, letter = result.event, page.of("audit_letter")
    errors, asks = (
        [f for f in result.findings if f.severity == severity] for severity in (Severity.RETURN, Severity.ASK)
    )
    opening = "correct" if errors else "ask" if asks else "clean"
    arbiter = str(event.arbiters[0]) if event.arbiters else ""
    return letter.letter(
        letter.say("subject", event=event.name or event.id),
        letter.say("to_named", name=arbiter) if arbiter else letter.say("to"),
        paragraphs=[letter.say(opening) + (_ratings(letter, result) if opening != "correct" else "")],
        items=[placed(names_of(result), finding, page.language) for finding in [*errors, *asks]],
        closing=[letter.say("basis", rules=[rules.id for rules in result.rules]), letter.say("closing")],
    )


def _ratings(letter: Page, result: Audit) -> str:
    """What follows for the ratings: the event can be rated, for whom no new rating can be calculated, or for nobody."""
    if result.rating is None:
        return ""
    played = result.rating.players.query("games > 0")
    without = sum(is_missing(new) for new in played["new_rating"])
    key = "rated" if not without else "rated-none" if without == len(played) else "rated-some"
    return letter.say(key, count=without, total=len(played))


def program() -> str:
    """Name and version of the program."""
    return f"qiyi-analysis {metadata.version('qiyi-analysis')}"
