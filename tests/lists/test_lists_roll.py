"""A federation rolled over many periods: the same lists as one at a time from files, and a plain calculation by hand."""

from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from lists_made import a_list, swiss, write_event

from qiyi_analysis.lists import read_state, rebuild_list
from qiyi_analysis.lists.list_files import read_reports, write_list
from qiyi_analysis.lists.periods import following, period
from qiyi_analysis.lists.roll import roll
from qiyi_analysis.model.errors import ParameterError
from qiyi_analysis.model.event import make_event
from qiyi_analysis.rules.ruleset import ruleset

FIDE = "fide/rating-standard"
EDITION = f"{FIDE}/2024-03-01"
FIRST, LAST = "2025-06", "2025-11"
HALVES = {2: ("1", "0"), 1: ("=", "="), 0: ("0", "1")}


def federation():
    """Sixty players, one in five without a rating, and ninety events; every tenth began under an older list."""
    rng = np.random.default_rng(5)
    strength = rng.normal(1750, 250, 60)
    rows = [
        {"id": str(i), "name": f"P{i}", "rating": float(max(1400, round(strength[i]))), "games": 40.0, "k": 20.0,  "birth_year": 1990.0}
        for i in range(60)
        if i % 5
    ]  # fmt: skip
    first = period(ruleset(EDITION), FIRST).first.toordinal()
    events = []
    for e in range(90):
        end = date.fromordinal(first + 2 * e)
        start = date.fromordinal(end.toordinal() - (40 if e % 10 == 0 else 3))
        seats = rng.choice(60, 8, replace=False)
        games = [
            {"round": 1 + g // 4, "first": 1 + g % 4, "second": 5 + (g + g // 4) % 4, "kind": "played",
             **dict(zip(("first_result", "second_result"), HALVES[int(rng.integers(0, 3))], strict=True))}
            for g in range(16)
        ]  # fmt: skip
        players = [{"number": n, "id": str(p), "name": f"P{p}"} for n, p in enumerate(seats, 1)]
        events.append(
            make_event(id=f"e{e:03d}", players=players, games=games, format="swiss", start=start, end=end)
        )
    return a_list("2025-05-01", *rows), events


def test_rolled_in_one_go_and_list_by_list_from_files_the_same_bytes(tmp_path):
    old, events = federation()
    names = []
    for rebuilt in roll(events, FIDE, [old], FIRST, LAST):
        names += write_list(rebuilt, None, tmp_path / "one", formats=("csv",)).values()
    states = [old]
    for id in ("2025-06", "2025-07", "2025-08", "2025-09", "2025-10", "2025-11"):
        rebuilt = rebuild_list(
            [e for e in events if period(ruleset(EDITION), id).holds(e.end)], FIDE, states, id
        )
        paths = write_list(rebuilt, None, tmp_path / "two", formats=("csv",))
        states = [*states, read_state(paths["csv"], FIDE)][-4:]
    assert len(names) == 12
    assert [p.read_bytes() for p in sorted((tmp_path / "one").iterdir())] == [
        p.read_bytes() for p in sorted((tmp_path / "two").iterdir())
    ]
    assert len(rebuilt.list.rows) > 48


def test_an_event_is_counted_once_and_in_its_own_period():
    old, events = federation()
    lists = list(
        roll([*events, swiss("late", "2026-03-02", {"id": "1"}, [1500], 1)], FIDE, [old], FIRST, LAST)
    )
    counted = [e for one in lists for e in one.ledger[one.ledger["state"] == "counted"]["event"]]
    assert sorted(counted) == sorted(e.id for e in events)
    assert lists[-1].ledger.set_index("event").loc["late", "reason"] == "event-of-another-period"


def test_the_command_rolls_over_the_periods(tmp_path, capfd):
    from qiyi_analysis.app.cli import main

    old, events = federation()
    rows = old.rows.to_dict("records")
    (tmp_path / "list-2025-05-01.csv").write_text(
        "id,name,rating,k\n" + "".join(f"{r['id']},{r['name']},{r['rating']:g},20\n" for r in rows)
    )  # fmt: skip
    for event in events[:20]:
        write_event(tmp_path / "events" / event.id, event)
    given = ["list", "--rules", FIDE, "--previous", str(tmp_path / "list-2025-05-01.csv")]
    given += ["--events", str(tmp_path / "events"), "--out", str(tmp_path / "out"), "--language", "en"]

    def run(*more):
        with pytest.raises(SystemExit) as left:
            main([*given, *more])
        return left.value.code

    assert run("--from", "2025-06", "--to", "2025-07") == 1
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        f"list-2025-0{m}-01.{form}" for m in (6, 7) for form in ("csv", "carry.json")
    }
    assert "2025-06" in capfd.readouterr().out
    assert run("--from", "2025-07", "--to", "2025-06") == 2
    assert run("--period", "2025-07", "--to", "2025-06") == 2
    assert len(read_reports(tmp_path / "events").events) == 20
    with pytest.raises(ParameterError, match="is after"):
        list(roll([], FIDE, [old], LAST, FIRST))


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


def test_a_thousand_random_events_by_hand_and_as_a_list():
    """Every player of 1,000 random events of a period: the plain change and one rounding against the list."""
    rng = np.random.default_rng(2024)
    field, events = 8, 1_000
    size = events * field
    rating = rng.integers(1400, 2850, size)
    edges = rng.integers(0, size // 2, 400) * 2
    rating[edges + 1] = np.clip(
        rating[edges] + rng.choice([400, 401, 399, 735, 736, -400, -401, 0, 3, 4], 400), 1400, 3300
    )
    k = rng.choice([10, 20, 40, 15, 25, 30], size)
    old = a_list(
        "2025-05-01",
        *(
            {"id": str(i + 1), "name": f"P{i}", "rating": float(rating[i]), "k": float(k[i])}
            for i in range(size)
        ),
    )
    met, made = [[] for _ in range(size)], []
    for e in range(events):
        seats, games = list(range(field)), []
        for r in range(int(rng.integers(1, 6)) if e % 50 else 24):  # K n above 700 now and then
            rng.shuffle(seats)
            for a, b in zip(seats[0::2], seats[1::2], strict=True):
                half = int(rng.integers(0, 3))
                first, second = HALVES[half]
                games.append(
                    {
                        "round": r + 1,
                        "first": a + 1,
                        "second": b + 1,
                        "first_result": first,
                        "second_result": second,
                        "kind": "played",
                    }
                )
                met[e * field + a].append((e * field + b, half))
                met[e * field + b].append((e * field + a, 2 - half))
        players = [
            {"number": n + 1, "id": str(e * field + n + 1), "name": f"P{e * field + n}"} for n in range(field)
        ]
        made.append(
            make_event(
                id=f"e{e}",
                players=players,
                games=games,
                format="swiss",
                start=date(2025, 5, 10),
                end=date(2025, 5, 12),
            )
        )
    new = rebuild_list(made, EDITION, [old], "2025-06").list.rows.set_index("id")["rating"]
    for player in range(size):
        opponents, results = zip(*met[player], strict=True) if met[player] else ((), ())
        change = plain_change(
            int(rating[player]), [int(rating[o]) for o in opponents], results, int(k[player])
        )
        expected = int(rating[player]) + nearest(change)
        assert new.get(str(player + 1), 0) == (expected if expected >= 1400 else 0), player


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
