"""A whole federation rolled forward from list to list on arrays, Parquet in, Parquet out, resumable.

For documents that look up each game (FIDE). ``rebuild_list`` does the same for any document from reports;
a test ties the two together. A history folder holds

* ``players.parquet``: ``birth_year, sex``; the row is the player;
* ``list-YYYY-MM.parquet``: ``rating, k, games, peak, last`` before the first period (0, 0, 0, 0, -1 = none;
  ``last`` in days since 1970);
* ``events-YYYY-MM.parquet`` and ``games-YYYY-MM.parquet`` of each period: ``start, end`` (days) by event, and
  ``event, first, second, half_points`` of the first player.

Every period writes a list and the pool of newcomers' games. A file is there whole or not at all, the list last:
whatever moment the program is killed at, the next run goes on from the last whole list.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from qiyi_analysis.files.whole_files import write_whole
from qiyi_analysis.lists.periods import Period, following, period, preceding
from qiyi_analysis.model.errors import EventError, ReadError, RulesetError
from qiyi_analysis.rating.expected import HUNDREDTHS, expected_scores
from qiyi_analysis.rating.initial import initial_rating
from qiyi_analysis.rating.k_factor import choose_k, limited_k
from qiyi_analysis.rating.rounding import rounded
from qiyi_analysis.rules.ruleset import RuleSet, editions, in_force, ruleset

EPOCH = date(1970, 1, 1)
NEVER = -1
#: Lists kept at hand: an event may have begun under one of them.
KEPT = 4
_STATE = ("rating", "k", "games", "peak", "last")
_POOL = ("player", "end", "event", "games", "rating_sum", "half_points")


@dataclass(frozen=True, kw_only=True)
class Rolled:
    """A list on arrays, one entry per player; ``inactive`` by the edition's months; the newcomers' pool."""

    id: str
    day: date
    rating: np.ndarray
    k: np.ndarray
    games: np.ndarray
    peak: np.ndarray
    last: np.ndarray
    inactive: np.ndarray
    pool: dict[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class PeriodGames:
    """Games of one period; ``start`` and ``end`` in days by event, ``event`` the index into them."""

    event: np.ndarray
    first: np.ndarray
    second: np.ndarray
    half_points: np.ndarray
    start: np.ndarray
    end: np.ndarray


def days(day: date) -> int:
    """Days since 1970."""
    return (day - EPOCH).days


def roll(folder: Path, out: Path, document: str, first: str, last: str) -> Iterator[Rolled]:
    """Roll the lists of the periods ``first`` to ``last`` and yield each.

    ``document``: a rating document, each event judged by its edition, or the id of one edition. Goes on
    after the last whole list in ``out``. Raises RulesetError for editions the arrays do not cover,
    ReadError for files that are not what they should be.
    """
    fixed = None if document in _documents() else ruleset(document)
    newest = fixed or ruleset(editions(document)[-1])
    _kernel_rules(newest)
    wanted = period(newest, first)
    end = period(newest, last)
    out.mkdir(parents=True, exist_ok=True)
    birth_year = _read(folder / "players.parquet", ("birth_year",))["birth_year"].astype(np.float64)
    lists = _at_hand(folder, preceding(newest, wanted), newest)
    while wanted.list_day <= end.list_day:
        done = out / f"list-{wanted.id}.parquet"
        if done.is_file():
            one = _read_list(out, wanted)
        else:
            one = next_list(lists, birth_year, _read_games(folder, wanted), wanted, fixed or document)
            _write_list(out, one)
        lists = [one, *lists][:KEPT]
        yield one
        wanted = following(newest, wanted)


def next_list(
    lists: list[Rolled], birth_year: np.ndarray, games: PeriodGames, wanted: Period, rules: RuleSet | str
) -> Rolled:
    """The list after ``lists`` (newest first) from the games of its period."""
    fixed = rules if isinstance(rules, RuleSet) else None
    old = lists[0]
    size = len(old.rating)
    list_rules = fixed or in_force(str(rules), wanted.list_day)
    surplus, played = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
    last = old.last.copy()
    unrated = old.rating == 0
    fresh: list[dict[str, np.ndarray]] = []
    from qiyi_analysis.lists.period_kernel import newcomer_games, period_games

    for state, edition, mine in _groups(lists, games, fixed, str(rules)):
        cap, exempt, table = _kernel_rules(edition)
        first, second = games.first[mine], games.second[mine]
        half_points, event = games.half_points[mine], games.event[mine]
        ends = games.end[event]
        # A newcomer whose first rating is out counts with it, and as unrated for the opponents (8.2.4).
        late = edition.value("unrated", "late_newcomer") == "current-rating"
        own = np.where((state.rating == 0) & late, old.rating, state.rating)
        period_games(
            first, second, half_points, ends, own, state.rating, table, cap, exempt, surplus, played, last
        )
        none = np.zeros(0, dtype=np.int64)
        count = newcomer_games(first, second, half_points, state.rating, unrated, none, none, none, none)
        row, person, opponent, points = (np.empty(count, dtype=np.int64) for _ in range(4))
        if count:
            newcomer_games(first, second, half_points, state.rating, unrated, row, person, opponent, points)
            fresh.append(
                {"player": person, "event": event[row], "end": ends[row], "sum": opponent, "points": points}
            )
    facts = {
        "rating": np.where(unrated, np.nan, old.rating),
        "peak": old.peak.astype(np.float64),
        "games": old.games.astype(np.float64),
        "events": np.full(size, np.nan),
        "birth_year": birth_year,
    }
    k = np.where(old.k > 0, old.k, choose_k(list_rules, facts, old.day).k)
    k = limited_k(k, played, list_rules)
    change = rounded(k * surplus.astype(np.int64), HUNDREDTHS, list_rules.need("change")["rounding"])
    rating = np.where(unrated, 0, _adjusted(old.rating, list_rules, wanted) + change)
    total = np.where(unrated, 0, old.games + played)
    rating, total, last, pool = _newcomers(old, fresh, rating, total, last, list_rules, wanted)
    floor = min((row["rating_at_least"] for row in list_rules.rows("publication")), default=0)
    gone = (rating > 0) & (rating < floor)
    rating, total = np.where(gone, 0, rating), np.where(gone, 0, total)
    listed = rating > 0
    peak = np.where(listed, np.maximum(old.peak, np.maximum(rating, old.rating)), 0)
    last = np.where(listed, last, NEVER)
    next_facts = {**facts, "rating": np.where(listed, rating, np.nan), "peak": peak.astype(np.float64),
                  "games": total.astype(np.float64)}  # fmt: skip
    new_k = choose_k(list_rules, next_facts, wanted.list_day).k
    months = list_rules.value("inactivity", "flag_after_months")
    limit = days(_months_before(wanted.list_day, months)) if months is not None else NEVER
    return Rolled(
        id=wanted.id,
        day=wanted.list_day,
        rating=rating.astype(np.int32),
        k=np.where(listed, np.where(new_k > 0, new_k, old.k), 0).astype(np.int32),
        games=total.astype(np.int32),
        peak=peak.astype(np.int32),
        last=last.astype(np.int32),
        inactive=listed & (last <= limit) & (last != NEVER),
        pool=pool,
    )


def _groups(
    lists: list[Rolled], games: PeriodGames, fixed: RuleSet | None, document: str
) -> Iterator[tuple[Rolled, RuleSet, np.ndarray | slice]]:
    """Games by the list in force and the edition on their event's first day."""
    event_list = np.zeros(len(games.start), dtype=np.int64)
    for place, one in enumerate(lists):
        event_list[games.start < days(one.day)] = min(place + 1, len(lists) - 1)
    dates = [(ruleset(id).effective, ruleset(id)) for id in editions(document)] if fixed is None else []
    event_edition = np.zeros(len(games.start), dtype=np.int64)
    for place, (day, _) in enumerate(dates):
        if day is not None:
            event_edition[games.start >= days(day)] = place
    key = (event_list * max(len(dates), 1) + event_edition)[games.event]
    values = np.unique(key)
    for value in values:
        place, edition = divmod(int(value), max(len(dates), 1))
        mine = slice(None) if len(values) == 1 else np.flatnonzero(key == value)
        yield lists[place], fixed or dates[edition][1], mine


def _kernel_rules(rules: RuleSet) -> tuple[int, int, np.ndarray]:
    """Cap, rating from which it does not hold, and the table. Raises RulesetError for other procedures."""
    if rules.value("expected", "by") != "game" or rules.value("method", "name") != "table":
        raise RulesetError("roll-not-by-game", rules=rules.id)
    if rules.value("cap", "relief", "every-game") != "every-game":
        raise RulesetError("roll-cap", rules=rules.id)
    if rules.block("wide_games") is not None:
        raise RulesetError("roll-left-out", rules=rules.id)
    if rules.block("floor") is not None:
        raise RulesetError("roll-floor", rules=rules.id)
    scores = expected_scores(rules)
    if scores.unit != HUNDREDTHS:
        raise RulesetError("roll-not-hundredths", rules=rules.id)
    nowhere = np.iinfo(np.int32).max
    return (
        rules.value("cap", "value", nowhere),
        rules.value("cap", "exempt_from", nowhere),
        scores.high.astype(np.int32),
    )


def _adjusted(rating: np.ndarray, rules: RuleSet, wanted: Period) -> np.ndarray:
    block = rules.block("adjustment")
    if block is None or block["list"] != wanted.list_day:
        return rating
    inside = (rating >= block["rating_at_least"]) & (rating < block["rating_below"])
    lift = (block["towards"] - rating.astype(np.int64)) * block["share"].numerator
    return np.where(inside, rating + rounded(lift, block["share"].denominator, block["rounding"]), rating)


def _newcomers(
    old: Rolled,
    fresh: list[dict[str, np.ndarray]],
    rating: np.ndarray,
    games: np.ndarray,
    last: np.ndarray,
    rules: RuleSet,
    wanted: Period,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """First ratings from the pool, which keeps the games of those who have too few."""
    pool = {name: old.pool[name] for name in _POOL}
    block = rules.block("initial_rating")
    if block is None:
        return rating, games, last, pool
    months = block.get("within_months")
    if months is not None:
        # Whole months up to the limit still count.
        young = pool["end"] > days(_months_before(wanted.list_day, months + 1))
        pool = {name: values[young] for name, values in pool.items()}
    # A player who has got a rating meanwhile needs no pool.
    wait = old.rating[pool["player"]] == 0
    pool = {name: values[wait] for name, values in pool.items()}
    pool = _joined(pool, _by_event(fresh))
    if not len(pool["player"]):
        return rating, games, last, pool
    order = np.lexsort((pool["event"], pool["end"], pool["player"]))
    pool = {name: values[order] for name, values in pool.items()}
    if block["zero_first_event"] == "left-out":
        keep = _since_first_point(pool["player"], pool["half_points"])
        pool = {name: values[keep] for name, values in pool.items()}
    size = len(rating)
    sums = {
        name: np.bincount(pool["player"], weights=pool[name], minlength=size).astype(np.int64)
        for name in ("games", "rating_sum", "half_points")
    }
    done = np.zeros(size, dtype=bool)
    rating, games = rating.copy(), games.copy()
    for player in np.flatnonzero(sums["games"] >= block["games_at_least"]).tolist():
        one = initial_rating(rules, *(int(sums[n][player]) for n in ("rating_sum", "games", "half_points")))
        if one.rating is not None:
            rating[player], games[player], done[player] = one.rating, sums["games"][player], True
    latest = np.full(size, NEVER, dtype=np.int64)
    np.maximum.at(latest, pool["player"], pool["end"])
    last = np.where(done, np.maximum(last, latest), last)
    left = ~done[pool["player"]]
    return rating, games, last, {name: values[left] for name, values in pool.items()}


def _by_event(fresh: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """One row per newcomer and event from the newcomers' single games."""
    if not fresh:
        return {name: np.zeros(0, dtype=np.int64) for name in _POOL}
    one = {name: np.concatenate([part[name] for part in fresh]) for name in fresh[0]}
    order = np.lexsort((one["event"], one["player"]))
    one = {name: values[order].astype(np.int64) for name, values in one.items()}
    new = np.ones(len(order), dtype=bool)
    new[1:] = (one["player"][1:] != one["player"][:-1]) | (one["event"][1:] != one["event"][:-1])
    start = np.flatnonzero(new)
    return {
        "player": one["player"][start],
        "end": one["end"][start],
        "event": one["event"][start],
        "games": np.diff(np.append(start, len(order))),
        "rating_sum": np.add.reduceat(one["sum"], start),
        "half_points": np.add.reduceat(one["points"], start),
    }


def _joined(pool: dict[str, np.ndarray], more: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([pool[name].astype(np.int64), more[name]]) for name in _POOL}


def _since_first_point(player: np.ndarray, half_points: np.ndarray) -> np.ndarray:
    """Rows from each player's first event with a point on (rows sorted by player)."""
    total = np.cumsum(half_points)
    new = np.ones(len(player), dtype=bool)
    new[1:] = player[1:] != player[:-1]
    before = np.where(new, total - half_points, 0)
    start = np.maximum.accumulate(before)
    return total - start > 0


def _months_before(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 - months
    return date(index // 12, index % 12 + 1, min(day.day, 28))


# --- files ---------------------------------------------------------------------------------------------


def _documents() -> tuple[str, ...]:
    from qiyi_analysis.rules.ruleset import documents

    return documents()


def _read(path: Path, columns: tuple[str, ...]) -> dict[str, np.ndarray]:
    import pyarrow.parquet as parquet

    if not path.is_file():
        raise ReadError("roll-file-missing", file=path.name, folder=path.parent.name, columns=columns)
    try:
        table = parquet.read_table(path, columns=list(columns), use_threads=False)
    except (OSError, ValueError, KeyError) as error:
        raise ReadError("roll-file-damaged", file=path.name, columns=columns, error=error) from error
    missing = [name for name in columns if name not in table.column_names]
    if missing:
        raise ReadError("column-missing", file=path.name, needed=missing[0], known=columns)
    return {name: table[name].to_numpy() for name in columns}


def write_columns(path: Path, columns: dict[str, np.ndarray]) -> None:
    """Arrays of equal length as a Parquet file that is there whole or not at all; equal data, equal bytes."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    stream = io.BytesIO()
    parquet.write_table(arrow.table(columns), stream, compression="zstd", compression_level=1)
    write_whole(path, stream.getvalue())


def _read_games(folder: Path, wanted: Period) -> PeriodGames:
    events = _read(folder / f"events-{wanted.id}.parquet", ("start", "end"))
    games = _read(folder / f"games-{wanted.id}.parquet", ("event", "first", "second", "half_points"))
    ends = events["end"]
    outside = (ends < days(wanted.first)) | (ends > days(wanted.last))
    if outside.any():
        raise EventError(
            "roll-event-outside",
            period=wanted.id,
            event=int(np.flatnonzero(outside)[0]),
            first=wanted.first,
            last=wanted.last,
        )
    return PeriodGames(**games, start=events["start"], end=ends)


def _at_hand(folder: Path, before: Period, rules: RuleSet) -> list[Rolled]:
    """The list before the first period and those before it that exist, newest first."""
    lists = []
    for _ in range(KEPT):
        if (folder / f"list-{before.id}.parquet").is_file():
            lists.append(_read_list(folder, before))
        elif not lists:
            raise ReadError("roll-list-missing", period=before.id)
        before = preceding(rules, before)
    return lists


def _read_list(folder: Path, wanted: Period) -> Rolled:
    path = folder / f"list-{wanted.id}.parquet"
    state = _read(path, _STATE)
    pool_path = folder / f"pool-{wanted.id}.parquet"
    pool = _read(pool_path, _POOL) if pool_path.is_file() else {n: np.zeros(0, dtype=np.int64) for n in _POOL}
    state = {name: values.astype(np.int32) for name, values in state.items()}
    return Rolled(
        id=wanted.id, day=wanted.list_day, **state, inactive=np.zeros(len(state["rating"]), dtype=bool), pool=pool
    )  # fmt: skip


def _write_list(out: Path, one: Rolled) -> None:
    # The pool first: a list without its pool would be rolled on wrongly.
    write_columns(out / f"pool-{one.id}.parquet", one.pool)
    columns = {name: getattr(one, name) for name in _STATE}
    write_columns(out / f"list-{one.id}.parquet", {**columns, "inactive": one.inactive})


def first_list(folder: Path, id: str, rating: np.ndarray, **more: np.ndarray) -> None:
    """Write the list a history starts from; ``more``: k, games, peak, last (zeros, no last event without)."""
    columns = {name: np.zeros(len(rating), dtype=np.int32) for name in _STATE}
    columns["last"] = np.full(len(rating), NEVER, dtype=np.int32)
    columns |= {name: values.astype(np.int32) for name, values in {"rating": rating, **more}.items()}
    write_columns(folder / f"list-{id}.parquet", columns)
