"""Checks between columns: what no single cell shows. Each is a question, never a reason to return a report (CK43, CK23, CK34)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import chain

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.audit.checks.results import file_of
from qiyi_analysis.model.event import Event, Kind, sides
from qiyi_analysis.model.findings import Finding, Severity

#: Titles that only women hold.
_WOMEN = frozenset({"WGM", "WIM", "WFM", "WCM", "WH"})
#: So many players must be in the order of their ratings, all but so few, for the others to be asked about.
_IN_ORDER, _OUT_OF_ORDER = 8, 2
#: Points between neighbors that are no misplacement.
_SLIGHT = 30
#: Days a round of a Swiss takes at most; nobody older or younger than these plays.
_DAYS_PER_ROUND, _OLDEST, _YOUNGEST = 15, 105, 4
#: A grandmaster's rating is not lower.
_GRANDMASTER = 1900


def check(event: Event) -> tuple[Finding, ...]:
    """All questions about values that do not go together."""
    parts = (_titles, _federations, _names, _start_order, _left_out, _colours, _length, _ages, _ranks)
    return tuple(chain.from_iterable(part(event) for part in parts))


def _ask(
    event: Event, reason: str, rows: pd.DataFrame, field: str, code: str = "CK43", **values: object
) -> Finding:
    """One question about some players."""
    return Finding(
        code=code, reason=reason, severity=Severity.ASK, file=file_of(event, "players"), field=field,
        line=int(rows["line"].iloc[0]), player=int(rows["number"].iloc[0]) if len(rows) == 1 else 0,
        values={"players": words.ranges(rows["number"]), "count": len(rows), **values},
    )  # fmt: skip


def _titles(event: Event) -> Iterator[Finding]:
    players = event.players
    titles = players["title"].str.upper()
    men = players[titles.isin(_WOMEN) & (players["sex"] == "m")]
    if len(men):
        yield _ask(event, "title-of-women", men, "title")
    weak = players[(titles == "GM") & (players["rating"] < _GRANDMASTER)]
    if len(weak):
        yield _ask(event, "title-and-rating", weak, "rating", least=_GRANDMASTER)


def _federations(event: Event) -> Iterator[Finding]:
    """A code used once that another one becomes by exchanging two neighboring letters."""
    players = event.players
    counts = Counter(players["federation"])
    for code, count in counts.items():
        swapped = {code[:i] + code[i + 1] + code[i] + code[i + 2 :] for i in range(len(code) - 1)} - {code}
        other = max(swapped & counts.keys(), key=lambda one: counts[one], default="")
        if other and count == 1 and len(code) == 3 and counts[other] > 2:
            yield _ask(
                event,
                "federation-misspelt",
                players[players["federation"] == code],
                "federation",
                read=code,
                other=other,
            )


def _names(event: Event) -> Iterator[Finding]:
    """The same full name twice with different ids."""
    players = event.players
    folded = players["name"].str.casefold().str.split().str.join(" ")
    twice = players[
        folded.duplicated(keep=False) & folded.str.contains(" |,", regex=True) & (players["id"] != "")
    ]
    for _, same in twice.groupby(folded, sort=True):
        if len(same) > 1 and same["id"].nunique() > 1:
            yield _ask(event, "same-name-twice", same, "name", name=same["name"].iloc[0])


def _start_order(event: Event) -> Iterator[Finding]:
    """Start numbers follow the ratings but for one or two players: a rating of theirs may be wrong."""
    rated = event.players[event.players["rating"] > 0].sort_values("number")
    ratings = rated["rating"].to_numpy()
    kept = _longest_falling(ratings)
    out = np.setdiff1d(np.arange(len(ratings)), kept)
    if event.discipline != "chess" or len(kept) < _IN_ORDER or not 0 < len(out) <= _OUT_OF_ORDER:
        return
    far = [
        i
        for i in out.tolist()
        if ratings[i] > ratings[kept[kept < i]].min(initial=np.inf) + _SLIGHT
        or ratings[i] < ratings[kept[kept > i]].max(initial=-np.inf) - _SLIGHT
    ]
    if far:
        shown = words.joined(
            f"{n}: {r:g}" for n, r in zip(rated["number"].iloc[far], ratings[far], strict=True)
        )
        yield _ask(event, "rating-out-of-order", rated.iloc[far], "rating", ratings=shown)


def _longest_falling(values: np.ndarray) -> np.ndarray:
    """Positions of a longest subsequence that never rises."""
    tails: list[float] = []
    ends: list[int] = []
    before = np.full(len(values), -1)
    for i, value in enumerate((-values).tolist()):
        at = bisect_right(tails, value)
        before[i] = ends[at - 1] if at else -1
        tails[at : at + 1], ends[at : at + 1] = [value], [i]
    chosen = []
    last = ends[-1] if ends else -1
    while last >= 0:
        chosen.append(last)
        last = int(before[last])
    return np.array(chosen[::-1], dtype=np.int64)


def _left_out(event: Event) -> Iterator[Finding]:
    """One player without a rating among rated ones that are in the order of their ratings."""
    players = event.players.sort_values("number")
    rating = players["rating"].to_numpy()
    rated = np.flatnonzero(rating > 0)
    if len(rated) < _IN_ORDER or (np.diff(rating[rated]) > 0).any():
        return
    without = np.flatnonzero(~(rating > 0))
    inside = without[without < rated[-1]]
    if len(inside) == 1:
        yield _ask(event, "rating-left-out", players.iloc[inside], "rating")


def _colours(event: Event) -> Iterator[Finding]:
    """Three times the same color in a row, or three more of one, in a Swiss (FIDE C.04)."""
    if event.format != "swiss" or event.discipline != "chess":
        return
    table = sides(event.games)
    table = table[(table["kind"] == Kind.PLAYED) & table["colours_known"]].sort_values(["player", "round"])
    wrong = [
        player
        for player, first in table.groupby("player")["first"]
        if "111" in (run := "".join(first.astype(int).astype(str)))
        or "000" in run
        or abs(2 * sum(first) - len(first)) > 2
    ]
    # Of many the pairings are no Swiss of FIDE's; only a few are mistakes.
    if 0 < len(wrong) <= max(2, len(event.players) // 10):
        chosen = event.players[event.players["number"].isin(wrong)]
        yield _ask(event, "colours-in-a-row", chosen, "games", "CK23")


def _length(event: Event) -> Iterator[Finding]:
    rounds = event.rounds or event.rounds_played
    if event.start is None or event.end is None or event.format != "swiss" or not rounds:
        return
    days = (event.end - event.start).days + 1
    if days > _DAYS_PER_ROUND * rounds:
        yield Finding(
            code="CK03", reason="event-too-long", file=file_of(event, "meta"), field="end", published=event.end.isoformat(),
            values={"days": days, "rounds": rounds, "start": event.start.isoformat()},
        )  # fmt: skip


def _ages(event: Event) -> Iterator[Finding]:
    day = event.last_day
    if day is None:
        return
    age = day.year - event.players["birth_year"]
    odd = event.players[(age > _OLDEST) | (age < _YOUNGEST)]
    if len(odd):
        yield _ask(
            event,
            "age-unlikely",
            odd,
            "birth_year",
            years=words.joined(f"{year:g}" for year in odd["birth_year"][:10]),
        )


def _ranks(event: Event) -> Iterator[Finding]:
    """A rank given twice although the next one is not skipped, where the other ranks are given once."""
    ranked = event.players[event.players["rank"] > 0]
    counts = ranked["rank"].value_counts()
    twice = counts[counts > 1]
    if event.format.startswith("team") or not 0 < len(twice) <= 2 or len(ranked) < _IN_ORDER:
        return
    for rank, count in zip(twice.index.astype(float), twice.tolist(), strict=True):
        if any(rank + step in counts.index for step in range(1, count)):
            yield _ask(event, "rank-twice", ranked[ranked["rank"] == rank], "rank", "CK34", rank=f"{rank:g}")
