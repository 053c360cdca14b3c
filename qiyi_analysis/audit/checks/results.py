"""Checks of the results: ids, pairs of results, rounds, points, byes, ranks (CK09, CK15 to CK20, CK24, CK25, CK34).

Everything is seen on the finished event, whatever file it came from; what only the layout of a file can
show (cells that do not point back) the readers report.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.audit.pairing_table import points_without_games
from qiyi_analysis.model.event import KINDS, TIE_BREAK_COLUMNS, Event, Kind, sides
from qiyi_analysis.model.findings import Finding, Severity
from qiyi_analysis.model.register import plain_ids

#: Smallest number of games of a round whose equal results are worth a note.
_EQUAL_ROUND = 5


def check(event: Event) -> tuple[Finding, ...]:
    """All findings about the results of an event."""
    own = sides(event.games)
    return tuple(
        chain(
            _ids(event),
            _pairs(event),
            _twice(event, own),
            _repeated(event),
            _points(event, own),
            _team_points(event),
            _byes(event),
            _without_result(event),
            _equal_rounds(event),
            _ranks(event),
        )
    )


def without_games(event: Event) -> Iterator[Finding]:
    """A table of players alone: nothing can be rated (CK44)."""
    if not len(event.games):
        yield Finding(code="CK44", reason="event-without-games", severity=Severity.ASK)


def file_of(event: Event, table: str) -> str:
    """Name of the file that holds a table: ``games.csv`` of a folder, else the only file."""
    for source in event.sources:
        if source.name.casefold().endswith(f"{table}.csv"):
            return source.name
    return event.sources[0].name if len(event.sources) == 1 else ""


#: Codes of differences between what was published of a player and what was recomputed, and the fields of these.
_ABOUT_PUBLISHED = frozenset({"CK17", "CK26", "CK27", "CK30", "CK32", "CK33", "CK34", "CK42"})
_PUBLISHED = frozenset(
    {"points", "rank", "expected", "change", "new_rating", "performance", *TIE_BREAK_COLUMNS}
)


def placed(event: Event, finding: Finding) -> Finding:
    """The finding with the file it is about, where none was named: a player's line is in the players' file.

    What was published of a player stands where it was published, if that is a file of its own.
    """
    if (
        finding.code in _ABOUT_PUBLISHED
        and finding.field in _PUBLISHED
        and finding.player in event.published_lines
    ):
        return replace(finding, file=event.published_file, line=event.published_lines[finding.player])
    if finding.file:
        return finding
    if not finding.line:
        return replace(finding, file=_whole(event))
    table = "games" if finding.round else "players" if finding.player else "meta"
    return replace(finding, file=file_of(event, table) or _whole(event))


def _whole(event: Event) -> str:
    """The name of the event's file, or of the folder that holds its files."""
    first = event.sources[0].name if event.sources else event.id
    return first if len(event.sources) < 2 else first.rpartition("/")[0] or event.id


def _ids(event: Event) -> Iterator[Finding]:
    players = event.players
    seen: dict[str, int] = {}
    ids = plain_ids(players["id"].tolist())
    rows = zip(players["number"], players["id"], ids, players["line"], strict=True)
    for number, identity, key, line in rows:
        if not key:
            continue
        if key in seen:
            yield Finding(
                code="CK09", reason="id-twice", file=file_of(event, "players"), line=int(line), player=int(number),
                field="id", published=identity, values={"other": seen[key]},
            )  # fmt: skip
        else:
            seen[key] = int(number)


_LEGAL = {("1", "0"), ("0", "1"), ("=", "=")}


def _pairs(event: Event) -> Iterator[Finding]:
    games = event.games
    rows = zip(
        games["round"], games["first"], games["second"], games["first_result"], games["second_result"], games["kind"],
        games["line"], strict=True,
    )  # fmt: skip
    file = file_of(event, "games")
    for round_, first, second, one, two, kind, line in rows:
        if not second or kind in (Kind.UNPLAYED, Kind.DOUBLE_LOSS) or (one, two) in _LEGAL:
            continue
        shown = f"{one or '?'}-{two or '?'}"
        if kind in (Kind.ANNULLED, Kind.EXTRA) and not (one and two):
            continue
        if (one, two) == ("0", "0"):
            if kind == Kind.DOUBLE_FORFEIT:
                continue
            code, reason = "CK20", "zero-zero"
        elif event.discipline == "go" and (one, two) == ("1", "1"):
            code, reason = "CK20", "both-win"  # a result that pairing programs of go know
        else:
            code, reason = "CK15", "pair-impossible" if one and two else "pair-one-sided"
        yield Finding(
            code=code, reason=reason, file=file, line=int(line), round=int(round_), player=int(first), field="result",
            published=shown, values={"first": int(first), "second": int(second)},
        )  # fmt: skip


def _twice(event: Event, own: pd.DataFrame) -> Iterator[Finding]:
    """Nobody plays twice in a round, except in matches of several games against the same opponent."""
    counted = own[~own["kind"].isin([Kind.EXTRA, Kind.ANNULLED])]
    for (round_, player), rows in _groups(counted, ["round", "player"]):
        opponents = set(rows["opponent"])
        if event.format == "knock-out" and len(opponents) == 1 and 0 not in opponents:
            continue
        yield Finding(
            code="CK16", reason="twice-in-a-round", file=file_of(event, "games"), line=int(rows["line"].iloc[1]),
            round=int(round_), player=int(player), published=words.joined(o or "-" for o in rows["opponent"]),
            values={"count": len(rows)},
        )  # fmt: skip


def _groups(frame: pd.DataFrame, keys: list[str]) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Groups of more than one row; found without building the others."""
    repeated = frame.duplicated(keys, keep=False)
    if repeated.any():
        yield from frame[repeated].groupby(keys, sort=True)


_PAIRS_ONCE = frozenset({"swiss", "round-robin", "mcmahon", "team-swiss"})


def _repeated(event: Event) -> Iterator[Finding]:
    if event.format not in _PAIRS_ONCE:
        return
    games = event.games
    met = games[
        (games["second"] != 0)
        & games["kind"].isin([k for k, f in KINDS.items() if f.over_the_board and f.scored])
    ]
    pairs = pd.DataFrame(
        {
            "low": np.minimum(met["first"], met["second"]),
            "high": np.maximum(met["first"], met["second"]),
            "round": met["round"],
            "line": met["line"],
        }
    ).drop_duplicates(["low", "high", "round"])
    repeated = pairs[pairs.duplicated(["low", "high"])]
    if len(repeated) > 3 and 3 * len(repeated) >= len(pairs):
        yield Finding(
            code="CK16", severity=Severity.ASK, reason="pairs-repeated", file=file_of(event, "games"), field="format",
            published=event.format,
            values={"count": len(repeated), "published": words.named("format", event.format)},
        )  # fmt: skip
        return
    # Pairing programs of go avoid it and do not forbid it.
    severity = Severity.ASK if event.discipline == "go" else None
    for low, high, round_, line in repeated.itertuples(index=False):
        yield Finding(
            code="CK16", severity=severity, reason="pair-again", file=file_of(event, "games"), line=int(line), round=int(round_),
            player=int(low), values={"first": int(low), "second": int(high)},
        )  # fmt: skip


def _points(event: Event, own: pd.DataFrame) -> Iterator[Finding]:
    """Printed points against the sum of the results, under the one scoring of the event."""
    players = event.players
    printed = players["points"].to_numpy()
    if np.isnan(printed).all() or event.extra.get("points_check") is False:
        return
    after = event.extra.get("official_after_round")
    last = after if isinstance(after, int) and not isinstance(after, bool) else event.rounds_played
    sums = _sums(own, players["number"].to_numpy(), last)
    wrong = ~np.isnan(printed) & (np.abs(printed - sums) > 1e-6)
    known = int((~np.isnan(printed)).sum())
    if wrong.sum() > max(3, known // 3):
        if not printed[~np.isnan(printed)].any():
            yield Finding(
                code="CK17", severity=Severity.ASK, reason="points-all-zero", field="points", published="0"
            )
            return
        for round_ in range(last - 1, 0, -1):
            earlier = _sums(own, players["number"].to_numpy(), round_)
            if (np.abs(printed - earlier)[~np.isnan(printed)] <= 1e-6).mean() > 0.95:
                yield Finding(
                    code="CK24", reason="points-of-earlier-round", file=file_of(event, "official"), field="points",
                    round=round_, values={"last": last},
                )  # fmt: skip
                sums = earlier
                wrong = ~np.isnan(printed) & (np.abs(printed - sums) > 1e-6)
                break
    factor = _factor(printed, sums) if wrong.any() else None
    if factor is not None:
        yield Finding(
            code="CK17", severity=Severity.ASK, reason="points-in-other-scoring", file=file_of(event, "official"),
            field="points", values={"factor": _short(factor)},
        )  # fmt: skip
        return
    unproven = points_without_games(event) if wrong.any() else set()
    if unproven:
        yield Finding(
            code="CK17", severity=Severity.NOTE, reason="points-without-games", file=file_of(event, "players"),
            field="points", values={"players": len(unproven)},
        )  # fmt: skip
        return
    for i in np.flatnonzero(wrong):
        yield Finding(
            code="CK17", reason="points-differ", file=file_of(event, "players"), line=int(players["line"].iloc[i]),
            player=int(players["number"].iloc[i]), field="points", published=_short(printed[i]), recomputed=_short(sums[i]),
        )  # fmt: skip


def _factor(printed: np.ndarray, sums: np.ndarray) -> float | None:
    """What all printed points are a multiple of the sums by: printed by 1, 1/2, 0 where a win counts 2, say."""
    known = ~np.isnan(printed)
    some = known & (sums > 0)
    if some.sum() < 3 or len(np.unique(sums[some])) < 2:
        return None
    factor = float(printed[some][0] / sums[some][0])
    fits = factor > 0 and bool((np.abs(printed - factor * sums)[known] <= 1e-6).all())
    return factor if fits else None


def _sums(own: pd.DataFrame, numbers: np.ndarray, last: int) -> np.ndarray:
    counted = own[(own["round"] <= last) & ~own["kind"].isin([Kind.EXTRA, Kind.ANNULLED])]
    sums = counted.groupby("player")["points"].sum()
    return sums.reindex(numbers, fill_value=0.0).to_numpy(dtype=float)


def _short(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _team_points(event: Event) -> Iterator[Finding]:
    teams, matches = event.teams, event.matches
    if teams.empty or matches.empty:
        return
    for column in ("match_points", "game_points"):
        sums: dict[int, float] = defaultdict(float)
        for side in ("first", "second"):
            for team, value in zip(matches[side], matches[f"{side}_{column}"], strict=True):
                sums[int(team)] += value if value == value else 0.0
        for number, printed, line, name in zip(
            teams["number"], teams[column], teams["line"], teams["name"], strict=True
        ):
            if printed == printed and abs(printed - sums[int(number)]) > 1e-6:
                yield Finding(
                    code="CK17", reason="team-points-differ", file=file_of(event, "teams"), line=int(line), field=column,
                    published=_short(printed), recomputed=_short(sums[int(number)]),
                    values={"team": int(number), "name": name},
                )  # fmt: skip


def _byes(event: Event) -> Iterator[Finding]:
    games = event.games[event.games["kind"] == Kind.PAB]
    free = _boards_of_free_teams(event)
    alone = [key not in free for key in zip(games["round"], games["first"], strict=True)]
    games = games[np.array(alone, dtype=bool)]
    # In an odd round robin everybody is free once; in the other formats somebody is, once a round.
    for round_, count in sorted(Counter(games["round"]).items()):
        if count > 1:
            yield Finding(
                code="CK18", reason="byes-in-a-round", file=file_of(event, "games"), round=int(round_),
                line=int(games.loc[games["round"] == round_, "line"].iloc[1]), published=str(count), values={"count": count},
            )  # fmt: skip
    if event.format in ("double-round-robin", "team-round-robin", "knock-out"):
        return
    for player, count in sorted(Counter(games["first"]).items()):
        if count > 1:
            rows = games[games["first"] == player]
            yield Finding(
                code="CK18", reason="byes-of-a-player", file=file_of(event, "games"), line=int(rows["line"].iloc[1]),
                round=int(rows["round"].iloc[1]), player=int(player), published=str(count),
                values={"rounds": words.joined(rows["round"])},
            )  # fmt: skip


def _boards_of_free_teams(event: Event) -> set[tuple[int, int]]:
    """(round, player) of the players whose team has the pairing-allocated bye: one bye, however many boards."""
    if event.teams.empty or event.matches.empty:
        return set()
    members = dict(zip(event.teams["number"], event.teams["members"], strict=True))
    free = event.matches[event.matches["kind"] == "pab"]
    return {
        (int(round_), int(member))
        for round_, team in zip(free["round"], free["first"], strict=True)
        for member in members.get(team, "").split()
    }


def _without_result(event: Event) -> Iterator[Finding]:
    games = event.games
    empty = (
        (games["kind"] == Kind.UNPLAYED)
        & (games["second"] != 0)
        & (games["first_result"] == "")
        & (games["second_result"] == "")
    )
    for round_, first, second, line in games.loc[empty, ["round", "first", "second", "line"]].itertuples(
        index=False
    ):
        yield Finding(
            code="CK19", reason="no-result", file=file_of(event, "games"), line=int(line), round=int(round_),
            player=int(first), values={"first": int(first), "second": int(second)},
        )  # fmt: skip


def _equal_rounds(event: Event) -> Iterator[Finding]:
    games = event.games[event.games["kind"].isin([Kind.PLAYED, Kind.UNRATED])]
    if not len(games):
        return
    results = (
        (games["first_result"] + games["second_result"])
        .groupby(games["round"])
        .agg(["nunique", "size", "first"])
    )
    for round_, (different, size, result) in zip(results.index, results.to_numpy(), strict=True):
        if different == 1 and size >= _EQUAL_ROUND and result == "==":
            yield Finding(
                code="CK25",
                reason="round-of-draws",
                file=file_of(event, "games"),
                round=int(round_),
                values={"count": int(size)},
            )


def _ranks(event: Event) -> Iterator[Finding]:
    """A better rank with fewer points. Where ranks do not follow the points at all, one finding says so."""
    players = event.players
    known = players[players["rank"].notna() & players["points"].notna()]
    if len(known) < 2 or event.discipline == "go" or event.format.startswith(("team", "knock-out")):
        return  # in a knock-out who goes on is decided by games outside the points
    file = file_of(event, "players")
    ordered = known.sort_values(["rank", "points"], ascending=[True, False], kind="stable")
    points = ordered["points"].to_numpy()
    before_more = np.flatnonzero(points[:-1] < np.maximum.accumulate(points[::-1])[::-1][1:] - 1e-9)
    behind_fewer = np.flatnonzero(points[1:] > np.minimum.accumulate(points)[:-1] + 1e-9) + 1
    if len(before_more) > max(3, len(known) // 10):
        numbered = (ordered["rank"] == ordered["number"]).mean() > 0.9
        yield Finding(
            code="CK34", reason="ranks-are-numbers" if numbered else "ranks-not-by-points", file=file, field="rank",
            severity=Severity.NOTE if numbered else Severity.ASK,
            values={"count": len(before_more), "players": len(known)},
        )  # fmt: skip
        return
    # One misplaced player shows up on one side or the other; the side that names fewer is the likelier.
    ahead = len(before_more) < len(behind_fewer)
    for i in before_more if ahead else behind_fewer:
        row = ordered.iloc[i]
        other = points[i + 1 :].max() if ahead else points[:i].min()
        yield Finding(
            code="CK34", reason="rank-before-more-points" if ahead else "rank-behind-fewer-points", file=file,
            line=int(row["line"]), player=int(row["number"]), field="rank", published=_short(row["rank"]),
            values={"points": _short(row["points"]), "other": _short(other)},
        )  # fmt: skip
