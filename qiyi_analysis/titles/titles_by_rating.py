"""Titles that need a rating only, and titles that an event gives by place (B.01 0.6, 1.2)."""

from __future__ import annotations

import pandas as pd

from qiyi_analysis.model.event import Event
from qiyi_analysis.rules.ruleset import Block, RuleSet
from qiyi_analysis.titles.missing import Missing
from qiyi_analysis.titles.norms import Entrant, standard_ratings
from qiyi_analysis.titles.result import Row
from qiyi_analysis.titles.title_names import UNKNOWN

DIRECT, BY_RATING = "direct-title", "rating-title"


def titles_by_rating(event: Event, rules: RuleSet, players: dict[int, Entrant]) -> list[Row]:
    """Titles whose rating a player has reached (FM, CM and the women's ones), the highest one only."""
    order = rules.need("title_order")
    rows = []
    bests, played = _best_ratings(event), _column(event, "games_before")
    for number, player in players.items():
        best, games = bests[number], played[number]
        for women in (False, True):
            ladder = order["women"] if women else order["open"]
            held = min((ladder.index(t) for t in player.titles if t in ladder), default=len(ladder))
            if women and player.sex != "w":
                continue
            if women and player.titles & set(order["open"][:3]):
                continue
            for block in rules.rows("rating_title"):
                title = block["title"]
                if block["women_only"] != women or ladder.index(title) >= held or best < block["rating_once"]:
                    continue
                rows.append(_rating_row(player, block, games))
                break
    return rows


def _column(event: Event, name: str) -> dict[int, float]:
    """A number column of the players by player number."""
    return dict(zip(event.players["number"].tolist(), event.players[name].tolist(), strict=True))


def _best_ratings(event: Event) -> dict[int, float]:
    """Highest standard rating the file knows of each player, 0 for none."""
    best = standard_ratings(event).fillna(0).clip(lower=0).max(axis=1)
    return dict(zip(event.players["number"].tolist(), best.tolist(), strict=True))


def _rating_row(player: Entrant, block: Block, games: float) -> Row:
    missing: tuple[Missing, ...] = ()
    reached: bool | None = True
    if UNKNOWN in player.titles:
        reached = None
        missing = (
            Missing(
                what="own_title_unknown",
                article=block.article,
                values={"text": player.title_text},
                unknown=True,
            ),
        )
    elif pd.isna(games):
        reached = None
        values = {"limit": block["games_at_least"]}
        missing = (Missing(what="games_before_unknown", article=block.article, values=values, unknown=True),)
    elif games < block["games_at_least"]:
        reached = False
        values = {
            "short": int(block["games_at_least"] - games),
            "value": int(games),
            "limit": block["games_at_least"],
        }
        missing = (Missing(what="games_before", article=block.article, values=values),)
    return Row(
        number=player.number,
        name=player.name,
        title=block["title"],
        kind=BY_RATING,
        reached=reached,
        missing=missing,
        article=block.article,
    )


def _missing_rating(best: float, limit: int, article: str) -> tuple[Missing, ...]:
    """What is missing of a rating once needed; of a player without one here nothing is known."""
    if best >= limit:
        return ()
    if not best:
        return (Missing(what="rating_once_unknown", article=article, values={"limit": limit}, unknown=True),)
    values = {"short": int(limit - best), "value": int(best), "limit": limit}
    return (Missing(what="rating_once", article=article, values=values),)


def direct_titles(event: Event, rules: RuleSet, players: dict[int, Entrant]) -> list[Row]:
    """Titles that the event gives by place, where its facts say so.

    ``direct_titles`` among the event's facts is a list of ``{"title", "from_place", "to_place"}``; the
    rating once needed comes from the rule set.
    """
    needed = {
        b["title"]: (b["direct_rating_once"], b.article)
        for b in rules.rows("norm")
        if b.get("direct_rating_once")
    }
    needed |= {b["title"]: (b["rating_once"], b.article) for b in rules.rows("direct_title")}
    order = rules.need("title_order")
    ranks, bests = _column(event, "rank"), _best_ratings(event)
    rows = []
    for award in event.extra.get("direct_titles", ()):
        title = award.get("title", "")
        if title not in needed:
            continue
        limit, article = needed[title]
        for number, player in players.items():
            rank = ranks[number]
            if not (int(award["from_place"]) <= rank <= int(award.get("to_place", award["from_place"]))):
                continue
            ladder = order["open"] if title in order["open"] else order["women"]
            if any(t in ladder and ladder.index(t) <= ladder.index(title) for t in player.titles):
                continue
            missing = _missing_rating(bests[number], limit, article)
            rows.append(
                Row(
                    number=number,
                    name=player.name,
                    title=title,
                    kind=DIRECT,
                    reached=None if missing and missing[0].unknown else not missing,
                    missing=missing,
                    article=article,
                )
            )
    return rows
