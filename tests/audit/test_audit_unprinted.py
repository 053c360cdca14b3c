"""Correct publications whose publisher knew more than the file tells are not accused; wrong ones still are."""

from __future__ import annotations

import csv
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from qiyi_analysis import rate, read_event, ruleset
from qiyi_analysis.audit.event_audit import audit
from qiyi_analysis.model.event import Event, make_event
from qiyi_analysis.model.rating_list import make_list
from qiyi_analysis.readers.published_files import read_published

GOR, US = "egf/rating/2021-04-01", "uscf/rating/2025-07-26"
#: Round, first, second, result of the first.
CIRCLE = [(1, 1, 2, "1"), (1, 3, 4, "0"), (2, 1, 3, "1"), (2, 4, 2, "1"), (3, 4, 1, "0"), (3, 2, 3, "0")]


def event_of(
    rules: str, players: list[dict], games: list[tuple] = CIRCLE, discipline: str = "go", **facts: object
) -> Event:
    return make_event(
        players=[{"number": i, "name": f"P{i} Q", **player} for i, player in enumerate(players, 1)],
        games=[
            {"round": r, "first": a, "second": b, "first_result": s, "second_result": {"1": "0", "0": "1", "=": "="}[s],
             "kind": "played"} for r, a, b, s in games
        ],
        id="e", discipline=discipline, format="swiss", start=date(2025, 8, 1), end=date(2025, 8, 1), rules=(rules,),
        **facts,
    )  # fmt: skip


def accused(event: Event) -> set[int | None]:
    return {f.player for f in audit(event).findings if f.code in ("CK26", "CK27", "CK32")}


def notes(event: Event) -> list[str]:
    return [f.reason for f in audit(event).findings]


def printed(event: Event, **columns: list) -> Event:
    texts = {
        f"{name}_text": [str(v) for v in values] for name, values in columns.items() if name != "new_rating"
    }
    return event.with_players(**{k: np.array(v, dtype=float) for k, v in columns.items()}, **texts)


def test_whole_changes_of_a_system_that_keeps_decimals() -> None:
    event = event_of(
        GOR, [{"rating": r} for r in (2105.25, 2010.625, 1984.125, 2200.75)], extra={"class": "A"}
    )
    players = rate(event, ruleset(GOR)).players
    exact = [float(v) for v in players["change"]]
    nearest = [round(v) for v in exact]
    assert any(abs(a - b) > 0.1 for a, b in zip(exact, nearest, strict=True))
    assert accused(printed(event, change=nearest)) == set()
    # What lies between the whole ratings as they are shown is printed too.
    shown = [
        round(new) - round(old) for new, old in zip(players["new_rating"], players["rating"], strict=True)
    ]
    assert accused(printed(event, change=shown)) == set()
    assert accused(printed(event, change=[nearest[0] + 3, *nearest[1:]])) == {1}


def test_half_a_point_of_a_change_in_professional_go() -> None:
    # 2400 loses to 2435: D -35, 0.45, 10 (0 - 0.45) = -4.5. The new rating is 2395.5, half up 2396.
    event = event_of("cwa/rating/undated", [{"rating": 2435}, {"rating": 2400}], [(1, 1, 2, "1")])
    for change in (-4, -5):
        assert 2 not in accused(printed(event, change=[5, change]))
    for change in (-3, -6):
        assert 2 in accused(printed(event, change=[5, change]))


def us_field(rnd: np.random.Generator, size: int = 16, rounds: int = 4) -> tuple[list[float], list[tuple]]:
    """Ratings with decimals and the games of a Swiss by numbers."""
    ratings = rnd.uniform(900, 2100, size).round(3).tolist()
    games = []
    for round_ in range(1, rounds + 1):
        order = [int(i) for i in rnd.permutation(size)]
        games += [
            (round_, a + 1, b + 1, str(rnd.choice(["1", "0", "="])))
            for a, b in zip(order[::2], order[1::2], strict=True)
        ]
    return ratings, games


@pytest.mark.parametrize("rules", [US, GOR])
@pytest.mark.parametrize("seed", range(3))
def test_ratings_calculated_with_decimals_and_shown_whole(rules: str, seed: int) -> None:
    ratings, games = us_field(np.random.default_rng(seed))
    games = [game for game in games if game[3] != "="] if rules == GOR else games
    facts = {"discipline": "go" if rules == GOR else "chess", "extra": {"class": "B"}}
    exact = event_of(rules, [{"rating": r} for r in ratings], games, **facts)
    new = [round(v) for v in rate(exact, ruleset(rules)).players["new_rating"]]
    shown = event_of(rules, [{"rating": round(r)} for r in ratings], games, **facts)
    again = [round(v) for v in rate(shown, ruleset(rules)).players["new_rating"]]
    assert new != again
    event = printed(shown, new_rating=new)
    assert accused(event) == set()
    assert "decimals-not-printed" in notes(event)
    assert 1 in accused(printed(shown, new_rating=[new[0] + 4, *new[1:]]))
    # Where the decimals are printed nothing is allowed for.
    off = next(i for i, (a, b) in enumerate(zip(new, again, strict=True)) if a != b)
    assert off + 1 in accused(printed(exact, new_rating=[*new[:off], again[off], *new[off + 1 :]]))


def test_a_floor_that_the_file_does_not_tell() -> None:
    # 1510 loses four times to 1500, well below 1500; the highest rating ever may have been 1700 or more.
    games = [(r, 1, r + 1, "0") for r in range(1, 5)]
    players = [{"rating": 1510.5}, *({"rating": 1500.25 + i} for i in range(4))]
    event = event_of(US, players, games, discipline="chess")
    computed = rate(event, ruleset(US)).players["new_rating"].tolist()
    assert computed[0] < 1490
    at_floor = printed(event, new_rating=[1500, *computed[1:]])
    assert accused(at_floor) == set()
    assert "floor-not-told" in notes(at_floor)
    assert accused(printed(event, new_rating=[1501, *computed[1:]])) == {1}
    # A floor below the recomputed rating, and one the file tells to be another, explain nothing.
    assert accused(printed(event, new_rating=[1400, *computed[1:]])) == {1}
    told = event.with_players(peak=np.array([1650.0, *([np.nan] * 4)]))
    assert 1 in accused(printed(told, new_rating=[1500, *computed[1:]]))


def test_a_floor_stops_the_published_rating_only() -> None:
    games = [(r, 1, r + 1, "0") for r in range(1, 5)]
    players = [{"rating": 1510.5}, *({"rating": 1500.25 + i} for i in range(4))]
    free = rate(event_of(US, players, games, discipline="chess"), ruleset(US)).players
    floored = event_of(US, players, games, discipline="chess", extra={"players.floor": {1: "1500"}})
    rated = rate(floored, ruleset(US)).players
    assert rated["new_rating"].tolist() == [1500, *free["new_rating"].tolist()[1:]]


def test_the_open_of_64_players_is_accepted_as_it_was_published(shared: Path) -> None:
    tables = {}
    for name in ("players", "games"):
        with (shared / "data" / "history" / f"uscf_swiss64_{name}.csv").open(encoding="utf-8") as stream:
            tables[name] = list(csv.DictReader(stream))
    points = {"1": "1", "0": "0", "0.5": "="}
    event = event_of(
        "uscf/rating/2015-06-01",
        [
            {"rating": float(p["pre_rating"]), "new_rating": float(p["post_rating"]),
             "games_before": float(p["pre_provisional_games"] or "nan")} for p in tables["players"]
        ],
        [(int(g["round"]), int(g["white"]), int(g["black"]), points[g["score_white"]]) for g in tables["games"]],
        discipline="chess",
    )  # fmt: skip
    assert accused(event) == set()
    assert {"decimals-not-printed", "floor-not-told"} <= set(notes(event))


def test_an_event_whose_class_is_not_told() -> None:
    players = [{"rating": r} for r in (2105.25, 2010.625, 1984.125, 2200.75)]
    named = event_of(GOR, players, extra={"class": "C"})
    new = [float(v) for v in rate(named, ruleset(GOR)).players["new_rating"]]
    silent = printed(event_of(GOR, players), new_rating=new)
    result = audit(silent)
    assert accused(silent) == set()
    assert [f.recomputed for f in result.findings if f.reason == "event-class-that-fits"] == ["C"]
    assert "event-class-assumed" not in notes(silent)
    assert result.rating is not None
    assert result.rating.players["new_rating"].tolist() == new
    # Another class that is named is not doubted.
    assert accused(printed(event_of(GOR, players, extra={"class": "A"}), new_rating=new)) == {1, 2, 3, 4}
    # One wrong number is one wrong number, with the class that the others tell; two of four tell nothing.
    assert accused(printed(event_of(GOR, players), new_rating=[new[0] + 9, *new[1:]])) == {1}
    assert "event-class-assumed" in notes(
        printed(event_of(GOR, players), new_rating=[new[0] + 9, new[1] - 7, *new[2:]])
    )


def test_what_the_list_told_is_told_with_the_class_found_too() -> None:
    """A player without a rating whose name two persons of the list have stays a question."""
    players = [{"rating": r} for r in (2105.25, 2010.625, 1984.125, 2200.75)]
    named = event_of(GOR, players, extra={"class": "C"})
    new = [float(v) for v in rate(named, ruleset(GOR)).players["new_rating"]]
    event = printed(event_of(GOR, [*players, {}]), new_rating=[*new, np.nan])
    twice = make_list(
        [{"id": str(i), "name": "P5 Q", "rating": 1500.0 + i} for i in (1, 2)], day=date(2025, 7, 1)
    )
    result = audit(event, lists=(twice,))
    assert "event-class-that-fits" in [f.reason for f in result.findings]
    assert result.rating is not None
    assert [(f.code, f.player) for f in result.rating.findings if f.code == "CK11"] == [("CK11", 5)]


def test_whole_ratings_of_an_event_whose_class_is_not_told() -> None:
    exact = [2105.25, 2010.625, 1984.125, 2200.75]
    named = event_of(GOR, [{"rating": r} for r in exact], extra={"class": "D"})
    new = [round(float(v)) for v in rate(named, ruleset(GOR)).players["new_rating"]]
    whole = [{"rating": float(round(r))} for r in exact]
    assert accused(printed(event_of(GOR, whole), new_rating=new)) == set()
    assert accused(printed(event_of(GOR, whole), new_rating=[*new[:3], new[3] + 6])) == {4}


def test_numbers_that_rest_on_an_untold_value_are_not_compared() -> None:
    players = [{"rating": r} for r in (5.3, 4.1, 2.2, -1.7)]
    with_sigma = event_of(
        "aga/rating/undated", players, extra={"players.sigma": dict.fromkeys(range(1, 5), "0.4")}
    )
    new = [float(v) for v in rate(with_sigma, ruleset("aga/rating/undated")).players["new_rating"]]
    without = event_of("aga/rating/undated", players)
    assert accused(printed(with_sigma, new_rating=new)) == set()
    assert accused(printed(with_sigma, new_rating=[new[0] + 1, *new[1:]])) == {1}
    silent = printed(without, new_rating=new)
    assert accused(silent) == set()
    assert "sigma-not-told" in notes(silent)
    newcomers = [{"rating": 1500.5}, {"rating": 1480.25}, {}, {"rating": 1600.5}]
    us = event_of(US, newcomers, discipline="chess")
    assert accused(printed(us, new_rating=[1500, 1500, 900, 1600])) == set()
    assert "age-not-told" in notes(us)
    told = event_of(US, [{**p, "birth_year": 2000.0} for p in newcomers], discipline="chess")
    assert accused(printed(told, new_rating=[1500, 1500, 900, 1600])) != set()


def test_new_ratings_of_go_with_three_decimals(tmp_path: Path) -> None:
    tables = {
        "players.csv": "no,name,rating\n1,A B,120.5\n2,C D,-300.25\n",
        "games.csv": "round,white,black,white_score,black_score,kind\n1,1,2,1,0,played\n",
        "meta.json": '{"game": "go", "class": "A", "start": "2025-08-01", "rules": ["egf/rating"]}',
    }
    for name, text in tables.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    new = rate(read_event(tmp_path), ruleset(GOR)).players["new_rating"].tolist()
    rows = "".join(f"{number},{value:.3f}\n" for number, value in enumerate(new, 1))
    (tmp_path / "official.csv").write_text(f"no,new_rating\n{rows}", encoding="utf-8")
    event = read_event(tmp_path)
    assert event.players["new_rating"].tolist() == pytest.approx(new, abs=0.001)
    assert accused(event) == set()
    beside = tmp_path / "published.csv"
    beside.write_text(f"no,new_rating\n{rows}", encoding="utf-8")
    table = read_published(beside, event).players
    assert table["new_rating"].tolist() == pytest.approx(new, abs=0.001)


# --- first ratings ------------------------------------------------------------------------------


def newcomer(
    new: float, score: str = "1=01=", opponents: tuple[int, ...] = (1902, 1877, 1884, 2012, 1832)
) -> Event:
    """The published example: five rated opponents (sum 9507), 3 points: Ra 1872.43, p .57, dp 50: 1922."""
    event = event_of(
        "fide/rating-standard/2024-03-01",
        [{}, *({"rating": r, "k": 20.0} for r in opponents)],
        [(i, 1, i + 1, s) for i, s in enumerate(score, 1)],
        discipline="chess",
    )
    return printed(event, new_rating=[new, *([np.nan] * len(opponents))])


def first_findings(event: Event) -> list[tuple]:
    return [
        (f.reason, str(f.severity), f.player, f.published, f.recomputed)
        for f in audit(event, ["fide/rating-standard/2024-03-01"]).findings
        if f.code == "CK30"
    ]


def test_a_published_first_rating() -> None:
    assert first_findings(newcomer(1922)) == []
    assert first_findings(newcomer(1921)) == [("first-rating-differs", "W", 1, "1921", "1922")]
    # The rule before March 2024 (Ra 1901.4 + 20): what the federation's own calculator still shows.
    assert first_findings(newcomer(1921.4)) == [("first-rating-differs", "W", 1, "1921.4", "1922")]
    rows = audit(newcomer(1921)).comparison
    assert rows[["number", "field", "published", "recomputed", "agrees"]].values.tolist() == [
        [1, "new_rating", 1921, 1922, False]
    ]
    # Four games, or no point: this event gives none; earlier games may count too.
    assert first_findings(newcomer(1900, "1=01", (1902, 1877, 1884, 2012))) == [
        ("first-rating-not-due", "I", 1, "1900", "")
    ]
    assert first_findings(newcomer(1400, "00000")) == [("first-rating-not-due", "W", 1, "1400", "")]
