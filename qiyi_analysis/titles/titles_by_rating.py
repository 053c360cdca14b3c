"""Titles that need a rating only, and titles that an event gives by place (B.01 0.6, 1.2)."""

from __future__ import annotations

import pandas as pd

from qiyi_analysis.model import Event
from qiyi_analysis.ruleset import Block, RuleSet
from qiyi_analysis.titles.norms import Entrant
from qiyi_analysis.titles.result import Missing, Row
from qiyi_analysis.titles.spelling import UNKNOWN

DIRECT, BY_RATING = "direct-title", "rating-title"


def titles_by_rating(event: Event, rules: RuleSet, players: dict[int, Entrant]) -> list[Row]:
    """Titles whose rating a player has reached (FM, CM and the women's ones), the highest one only."""
    order = rules.need("title_order")
    rows = []
    peaks, played = _column(event, "peak"), _column(event, "games_before")
    for number, player in players.items():
        best = _best_rating(player, peaks)
        games = played[number]
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


def _best_rating(player: Entrant, peaks: dict[int, float]) -> float:
    """Highest rating the file knows of a player, 0 for none."""
    peak = peaks[player.number]
    return max(float(player.rating or 0), 0.0 if pd.isna(peak) else peak)


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
    ranks, peaks = _column(event, "rank"), _column(event, "peak")
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
            best = _best_rating(player, peaks)
            short = int(limit - best)
            missing = (
                ()
                if short <= 0
                else (
                    Missing(
                        what="rating_once",
                        article=article,
                        values={"short": short, "value": int(best), "limit": limit},
                    ),
                )
            )
            rows.append(
                Row(
                    number=number,
                    name=player.name,
                    title=title,
                    kind=DIRECT,
                    reached=not missing,
                    missing=missing,
                    article=article,
                )
            )
    return rows
