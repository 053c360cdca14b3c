"""A federation rolled on arrays: the same lists as from reports, killed and resumed, and a plain calculation."""

import signal
import subprocess
import sys
import time
from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import pytest

from qiyi_analysis.lists import rebuild_list
from qiyi_analysis.lists.periods import following, period
from qiyi_analysis.lists.roll import (
    EPOCH,
    PeriodGames,
    Rolled,
    days,
    first_list,
    next_list,
    roll,
    write_columns,
)
from qiyi_analysis.lists.synthetic import write_federation
from qiyi_analysis.model.errors import EventError, ReadError, RulesetError
from qiyi_analysis.model.event import make_event, make_list
from qiyi_analysis.rules.ruleset import ruleset

FIDE = "fide/rating-standard"
EDITION = f"{FIDE}/2024-03-01"
FIRST, LAST = "2025-06", "2025-11"
HALVES = {2: ("1", "0"), 1: ("=", "="), 0: ("0", "1")}


@pytest.fixture(scope="module")
def federation(tmp_path_factory):
    folder = tmp_path_factory.mktemp("federation")
    write_federation(folder, ruleset(EDITION), FIRST, players=400, months=6, events=90, seed=5)
    return folder


def columns(path):
    import pyarrow.parquet as parquet

    table = parquet.read_table(path)
    return {name: table[name].to_numpy() for name in table.column_names}


def the_list(folder, id, birth_year):
    state = columns(folder / f"list-{id}.parquet")
    rows = [
        {
            "id": str(i), "name": str(i), "rating": float(r), "games": float(g), "peak": float(p), "birth_year": float(b),
            "k": float(k) if k else np.nan,
            "last_event": (EPOCH + timedelta(days=int(last))).isoformat() if last >= 0 else "",
        }
        for i, (r, k, g, p, last, b) in enumerate(
            zip(*(state[n] for n in ("rating", "k", "games", "peak", "last")), birth_year, strict=True)
        )
        if r > 0
    ]  # fmt: skip
    return make_list(rows, id=id, day=date(int(id[:4]), int(id[5:]), 1))


def the_events(folder, id, birth_year):
    events, games = columns(folder / f"events-{id}.parquet"), columns(folder / f"games-{id}.parquet")
    for e, (start, end) in enumerate(zip(events["start"], events["end"], strict=True)):
        mine = games["event"] == e
        first, second, half = (games[n][mine] for n in ("first", "second", "half_points"))
        who = np.unique(np.concatenate([first, second]))
        number = {int(p): i for i, p in enumerate(who, 1)}
        players = [
            {"number": n, "id": str(p), "name": str(p), "birth_year": float(birth_year[p])}
            for p, n in number.items()
        ]
        rows = [
            {
                "round": i,
                "first": number[int(a)],
                "second": number[int(b)],
                "first_result": HALVES[int(h)][0],
                "second_result": HALVES[int(h)][1],
                "kind": "played",
            }
            for i, (a, b, h) in enumerate(zip(first, second, half, strict=True), 1)
        ]
        yield make_event(
            id=f"{id}-{e:06d}", players=players, games=rows, format="swiss",
            start=EPOCH + timedelta(days=int(start)), end=EPOCH + timedelta(days=int(end)),
        )  # fmt: skip


def test_arrays_and_reports_give_the_same_lists(federation, tmp_path):
    """Six months, events under older lists, newcomers from pools, K, peaks, the floor; across two editions."""
    birth_year = columns(federation / "players.parquet")["birth_year"]
    states = [the_list(federation, "2025-05", birth_year)]
    newcomers = dropped = 0
    for one in roll(federation, tmp_path, FIDE, FIRST, LAST):
        rebuilt = rebuild_list(the_events(federation, one.id, birth_year), FIDE, states, one.id)
        states.append(rebuilt.state)
        rows = rebuilt.state.rows
        rows = rows[rows["published"]].set_index("id")
        mine = {str(i): i for i in np.flatnonzero(one.rating)}
        assert set(rows.index) == set(mine)
        place = [mine[id] for id in rows.index]
        for name in ("rating", "games", "peak", "k"):
            assert rows[name].astype(int).tolist() == getattr(one, name)[place].tolist(), (one.id, name)
        assert rows["flag"].str.contains("i").tolist() == one.inactive[place].tolist()
        assert [
            date.fromisoformat(t).toordinal() - EPOCH.toordinal() if t else -1 for t in rows["last_event"]
        ] == one.last[place].tolist()
        pool = rebuilt.state.pool
        assert sorted(
            zip(
                pool["person"].astype(int),
                pool["games"],
                pool["rating_sum"],
                pool["half_points"],
                strict=True,
            )
        ) == sorted(
            zip(
                *(one.pool[n].tolist() for n in ("player", "games", "rating_sum", "half_points")), strict=True
            )
        )
        newcomers += (rebuilt.players["status"] == "newcomer").sum()
        dropped += (rebuilt.players["reason"] == "below-floor").sum()
    assert newcomers > 20
    assert dropped > 0


def run(federation, out, *, kill_after=None):
    """Roll in another process; kill it hard after so many seconds."""
    code = (
        "import sys; from pathlib import Path; from qiyi_analysis.lists.roll import roll\n"
        f"for _ in roll(Path({str(federation)!r}), Path({str(out)!r}), {FIDE!r}, {FIRST!r}, {LAST!r}): pass"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    if kill_after is not None:
        deadline = time.monotonic() + kill_after
        while time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.01)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
    process.wait()


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}


def test_killed_at_any_moment_and_resumed_the_lists_are_the_same_bytes(federation, tmp_path):
    whole = tmp_path / "whole"
    run(federation, whole)
    expected = contents(whole)
    assert len(expected) == 12
    out = tmp_path / "killed"
    for pause in (0.8, 1.1, 1.4):
        run(federation, out, kill_after=pause)
    run(federation, out)
    assert contents(out) == expected


@pytest.mark.parametrize("stage", ["list-missing", "list-and-pool-missing", "half-written"])
def test_resumed_after_each_step_of_a_period(federation, tmp_path, stage):
    list(roll(federation, tmp_path, FIDE, FIRST, LAST))
    expected = contents(tmp_path)
    for id in ("2025-09", "2025-10", "2025-11"):
        (tmp_path / f"list-{id}.parquet").unlink()
        if stage != "list-missing":
            (tmp_path / f"pool-{id}.parquet").unlink()
        if stage == "half-written":
            (tmp_path / f".list-{id}.parquet.part").write_bytes(b"PAR1 half")
    list(roll(federation, tmp_path, FIDE, FIRST, LAST))
    assert contents(tmp_path) == expected


def test_in_one_go_or_in_two_the_same(federation, tmp_path):
    list(roll(federation, tmp_path / "one", FIDE, FIRST, LAST))
    list(roll(federation, tmp_path / "two", FIDE, FIRST, "2025-08"))
    list(roll(federation, tmp_path / "two", FIDE, FIRST, LAST))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_what_the_arrays_do_not_cover_is_refused(federation, tmp_path):
    with pytest.raises(RulesetError, match="rebuild_list"):
        list(roll(federation, tmp_path / "a", f"{FIDE}/2022-01-01", FIRST, LAST))
    with pytest.raises(RulesetError, match="rebuild_list"):
        list(roll(federation, tmp_path / "b", "cca/rating/undated", "2025-06", "2025-06"))
    with pytest.raises(ReadError, match=r"list-2030-01\.parquet: no such file"):
        list(roll(federation, tmp_path / "c", FIDE, "2030-02", "2030-02"))


def test_an_event_of_another_period_and_a_missing_column_are_named(tmp_path):
    write_federation(tmp_path, ruleset(EDITION), FIRST, players=60, months=1, events=1, seed=1)
    events = columns(tmp_path / f"events-{FIRST}.parquet")
    write_columns(tmp_path / f"events-{FIRST}.parquet", {"start": events["start"], "end": events["end"] + 60})
    with pytest.raises(EventError, match="event 0 does not end in the period"):
        list(roll(tmp_path, tmp_path / "out", FIDE, FIRST, FIRST))
    write_columns(tmp_path / f"events-{FIRST}.parquet", {"start": events["start"]})
    with pytest.raises(ReadError, match="end"):
        list(roll(tmp_path, tmp_path / "out", FIDE, FIRST, FIRST))


# --- two independent ways to the same number -----------------------------------------------------------


def printed_table():
    """The conversion table as (lowest, highest difference, P of the stronger), read on its own."""
    import csv
    from importlib import resources

    text = (
        resources.files("qiyi_analysis")
        .joinpath("rulesets", "tables", "p_from_d.csv")
        .read_text(encoding="utf-8")
    )
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return [(int(r["d_low"]), int(r["d_high"]), Fraction(r["p_high"])) for r in rows]


TABLE = printed_table()


def probability(difference):
    """Article 8.1.2, by searching the printed bands."""
    for low, high, p in TABLE:
        if low <= abs(difference) <= high:
            return p if difference >= 0 else 1 - p
    raise AssertionError(difference)


def nearest(x):
    """Article 8.3.4: nearest whole number, a half away from zero."""
    whole = (abs(x) + Fraction(1, 2)) // 1
    return whole if x >= 0 else -whole


def plain_change(own, opponents, results, k):
    """Articles 8.3.1 to 8.3.4 of March 2024, game by game: 400 points, table, K n at most 700."""
    total = Fraction(0)
    for opponent, result in zip(opponents, results, strict=True):
        difference = max(-400, min(400, own - opponent))
        total += Fraction(result, 2) - probability(difference)
    n = len(opponents)
    while k * n > 700:
        k -= 1
    return k * total


def test_ten_thousand_random_events_by_hand_and_on_arrays():
    """Every player of 10,000 random events, each event a period of its own list."""
    rng = np.random.default_rng(2024)
    rules = ruleset(EDITION)
    one = period(rules, "2025-06")
    events, field = 10_000, 8
    size = events * field
    rating = rng.integers(1400, 2850, size).astype(np.int32)
    # Halves and edges of the table: some opponents at exactly 400, 401, 735 or 736 points.
    edges = rng.integers(0, size // 2, 4000) * 2
    rating[edges + 1] = np.clip(
        rating[edges] + rng.choice([400, 401, 399, 735, 736, -400, -401, 0, 3, 4], 4000), 1400, 3300
    )
    k = rng.choice([10, 20, 40, 15, 25, 30], size).astype(np.int32)
    first, second, event, half = [], [], [], []
    for e in range(events):
        seats = e * field + np.arange(field)
        rounds = int(rng.integers(1, 6)) if e % 50 else 24  # K n above 700 now and then
        for _ in range(rounds):
            rng.shuffle(seats)
            first += seats[0::2].tolist()
            second += seats[1::2].tolist()
            event += [e] * (field // 2)
            half += rng.integers(0, 3, field // 2).tolist()
    games = PeriodGames(
        event=np.array(event), first=np.array(first), second=np.array(second), half_points=np.array(half, dtype=np.int8),
        start=np.full(events, days(one.first)), end=np.full(events, days(one.last)),
    )  # fmt: skip
    empty = {
        name: np.zeros(0, dtype=np.int64)
        for name in ("player", "end", "event", "games", "rating_sum", "half_points")
    }
    zeros = np.zeros(size, dtype=np.int32)
    old = Rolled(
        id="2025-05", day=date(2025, 5, 1), rating=rating, k=k, games=zeros, peak=rating, last=zeros,
        inactive=zeros.astype(bool), pool=empty,
    )  # fmt: skip
    new = next_list([old], np.full(size, np.nan), games, one, rules)
    met = [[] for _ in range(size)]
    for a, b, h in zip(first, second, half, strict=True):
        met[a].append((b, h))
        met[b].append((a, 2 - h))
    for player in range(size):
        opponents, results = zip(*met[player], strict=True) if met[player] else ((), ())
        change = plain_change(
            int(rating[player]), [int(rating[o]) for o in opponents], results, int(k[player])
        )
        expected = int(rating[player]) + nearest(change)
        assert int(new.rating[player]) == (expected if expected >= 1400 else 0), player


def test_ten_thousand_random_events_by_hand_and_by_the_ordinary_method():
    """The same plain calculation against ``calculate``, all events merged; FIDE, and the Chinese average."""
    from qiyi_analysis.rating.table_method import calculate

    rng = np.random.default_rng(7)
    size = 20_000
    rating = rng.integers(1400, 2640, size)
    k = rng.choice([10, 15, 20, 25, 40], size)
    order = rng.permutation(size).reshape(-1, 2)
    games, met = [], {i: [] for i in range(size)}
    for round in range(1, 4):
        if round > 1:
            order = rng.permutation(size).reshape(-1, 2)
        half = rng.integers(0, 3, len(order))
        for (a, b), h in zip(order.tolist(), half.tolist(), strict=True):
            games.append(
                {
                    "round": round,
                    "first": a + 1,
                    "second": b + 1,
                    "first_result": HALVES[h][0],
                    "second_result": HALVES[h][1],
                    "kind": "played",
                }
            )
            met[a].append((b, h))
            met[b].append((a, 2 - h))
    players = [
        {"number": i + 1, "name": str(i), "rating": float(r), "k": float(q)}
        for i, (r, q) in enumerate(zip(rating, k, strict=True))
    ]
    event = make_event(players=players, games=games, format="swiss", start=date(2025, 5, 1))
    fide, chinese = (calculate(event, ruleset(id)) for id in (EDITION, "cca/rating/undated"))
    for player in range(size):
        opponents, results = zip(*met[player], strict=True)
        own, others = int(rating[player]), [int(rating[o]) for o in opponents]
        assert Fraction(int(fide.change[player]), 100) == plain_change(own, others, results, int(k[player]))
        # CCA art. 6(2): N Pc with the average of the opponents, rounded half up.
        average = (Fraction(sum(others), len(others)) + Fraction(1, 2)) // 1
        we = len(others) * probability(own - average)
        assert Fraction(int(chinese.change[player]), 100) == int(k[player]) * (Fraction(sum(results), 2) - we)


def test_a_federation_of_months_has_no_gap():
    rules = ruleset(EDITION)
    one = period(rules, FIRST)
    for _ in range(24):
        after = following(rules, one)
        assert (after.first - one.last).days == 1
        one = after


def test_first_list_has_no_last_events(tmp_path):
    first_list(tmp_path, "2025-05", np.array([1500, 0]))
    assert columns(tmp_path / "list-2025-05.parquet")["last"].tolist() == [-1, -1]
