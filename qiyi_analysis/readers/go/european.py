"""What files of go programs have in common: the class by the thinking times, and ratings on the American scale."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.grades import on_aga_scale
from qiyi_analysis.readers import fields
from qiyi_analysis.readers.tables.player_fields import whole
from qiyi_analysis.rules.choice import assumed_document

#: Systems of extra time as OpenGotha writes them, in words.
_EXTRA_TIME = {
    "SUDDENDEATH": "Sudden death",
    "STDBYOYOMI": "Standard byo-yomi",
    "CANBYOYOMI": "Canadian byo-yomi",
    "FISCHER": "Fischer",
}


def thinking_times(general: Mapping[str, str]) -> dict[str, str]:
    """Class of an event by its thinking times (X: too short for any), minutes with extra time, and the system in words.

    Empty where no time is given.
    """
    basic = whole(general.get("basicTime", "") or general.get("time", ""))
    if basic is None:
        return {}
    system = general.get("complementaryTimeSystem", "CANBYOYOMI")
    seconds = 60 * basic + {
        "STDBYOYOMI": 45 * _number(general, "stdByoYomiTime", 30),
        "CANBYOYOMI": 60
        * _number(general, "canByoYomiTime", 300)
        // max(_number(general, "nbMovesCanTime", 15), 1),
        "FISCHER": 120 * _number(general, "fischerTime", 10),
    }.get(system, 0)
    least = "fischer_basic" if system == "FISCHER" else "basic"
    online = general.get("bInternet", "false").casefold() == "true"
    rows = rulesets.ruleset(rulesets.editions("egf/rating")[-1]).rows("event_class")
    fits = [
        row["name"]
        for row in rows
        if bool(row.get("online")) == online and basic >= row[least] and seconds >= 60 * row["adjusted"]
    ]
    return {
        "class": str(fits[0]) if fits else "X",
        "TM": str(seconds // 60),
        "CM": _EXTRA_TIME.get(system, ""),
    }


def _number(general: Mapping[str, str], key: str, usual: int) -> int:
    found = whole(general.get(key, ""))
    return usual if found is None else found


def american_ratings(origins: Sequence[str], ranks: Sequence[str]) -> list[float]:
    """Ratings of players in stones, as the AGA counts them: those printed, else by rank."""
    ratings = []
    for origin, rank in zip(origins, ranks, strict=True):
        kind, _, value = (part.strip() for part in origin.partition(":"))
        printed = fields.decimal(value) if kind == "AGA" else math.nan
        graded = on_aga_scale(str(rank))
        ratings.append(printed if abs(printed) >= 1 else math.nan if graded is None else graded)
    return ratings


def on_scale(event: Event, origins: Sequence[str] = ()) -> Event:
    """The event with its ratings on the scale of the rules it speaks for, and those of the other scale kept for theirs."""
    ranks = [str(rank) for rank in event.players["title"]]
    american = np.array(
        american_ratings([*origins, *[""] * (len(ranks) - len(origins))], ranks), dtype=np.float64
    )
    european = event.players["rating"].to_numpy()
    if assumed_document(event)[0] == "aga/rating":
        event = event.with_players(rating=american)
        return replace(event, extra={**event.extra, "scales": {"egf/rating": european.tolist()}})
    return replace(event, extra={**event.extra, "scales": {"aga/rating": american.tolist()}})
