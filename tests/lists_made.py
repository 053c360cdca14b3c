"""Events and lists made for the tests of lists."""

import csv
import json
from datetime import date
from fractions import Fraction

from qiyi_analysis.model.event import make_event
from qiyi_analysis.model.rating_list import make_list

RESULTS = {1: ("1", "0"), 0.5: ("=", "="), 0: ("0", "1")}
CCA, CXA, FIDE = "cca/rating", "cxa/rating", "fide/rating-standard"


def swiss(id, end, player, opponents, score, *, start=None, format="swiss", **facts):
    """Player 1 against the opponents; columns of both as dicts."""
    left, games, rows = Fraction(str(score)), [], [{"number": 1, **player}]
    for i, opponent in enumerate(opponents, 2):
        columns = opponent if isinstance(opponent, dict) else {"rating": opponent}
        rows.append({"number": i, "name": f"{id} {i}", "id": f"{id}-{i}", **columns})
        points = float(min(left, 1))
        left -= Fraction(str(points))
        first, second = RESULTS[points]
        games.append({
            "round": i - 1, "first": 1, "second": i, "first_result": first, "second_result": second, "kind": "played",
        })  # fmt: skip
    end = date.fromisoformat(end)
    return make_event(
        id=id, players=rows, games=games, format=format, end=end,
        start=date.fromisoformat(start) if start else end, **facts,
    )  # fmt: skip


def a_list(day, *rows, id=None):
    return make_list(list(rows), id=id or f"list-{day}", day=date.fromisoformat(day))


def of(rebuilt, key):
    return rebuilt.players.set_index("key").loc[key]


def xiangqi_newcomer(events):
    """A new man who meets rated men; ``events`` are (id, end, ratings of the opponents, score)."""
    return [
        swiss(
            id,
            end,
            {"id": "N", "name": "N", "sex": "m"},
            [{"rating": r, "sex": "m", "k": 15} for r in ratings],
            score,
        )
        for id, end, ratings, score in events
    ]


def history(shared, name):
    with (shared / "data" / "history" / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def period_events(events, games, case, period_id):
    """The reports of one player in one period, as FIDE's calculation pages print them."""
    for e in (e for e in events if (e["case"], e["period"]) == (case, period_id)):
        mine = [
            g for g in games if (g["case"], g["period"], g["event_id"]) == (case, period_id, e["event_id"])
        ]
        rows = [{"number": 1, "id": case, "name": case, "rating": float(e["Ro"])}]
        played = []
        for i, g in enumerate(mine, 2):
            rows.append(
                {
                    "number": i,
                    "id": f"{case}{e['event_id']}{i}",
                    "name": f"O{i}",
                    "rating": float(g["opponent_rating_used"]),
                }
            )
            first, second = RESULTS[float(g["score"])]
            played.append(
                {
                    "round": i - 1,
                    "first": 1,
                    "second": i,
                    "first_result": first,
                    "second_result": second,
                    "kind": "played",
                }
            )
        yield e, mine, make_event(
            id=f"{case}-{e['event_id']}", players=rows, games=played, format="swiss",
            start=date.fromisoformat(e["start"]), end=date.fromisoformat(e["end"]),
        )  # fmt: skip


def month(text):
    return date(int(text[:4]), int(text[5:7]), 1)


def two_events():
    old = a_list(
        "2025-11-01",
        *(
            {
                "id": c,
                "name": f"Player {c}",
                "rating": 2000 + 37 * i,
                "k": 20,
                "unit": "u",
                "games": 50,
                "peak": 2200,
            }
            for i, c in enumerate("ABCDEF")
        ),
    )

    def table(id, end, pairs):
        who = sorted({c for a, b, _ in pairs for c in (a, b)})
        place = {c: i for i, c in enumerate(who, 1)}
        rows = [{"number": place[c], "id": c, "name": f"Player {c}"} for c in who]
        games = [
            {
                "round": i,
                "first": place[a],
                "second": place[b],
                "first_result": RESULTS[s][0],
                "second_result": RESULTS[s][1],
                "kind": "played",
            }
            for i, (a, b, s) in enumerate(pairs, 1)
        ]
        return make_event(
            id=id,
            players=rows,
            games=games,
            format="swiss",
            start=date.fromisoformat(end),
            end=date.fromisoformat(end),
        )

    one = table(
        "one", "2025-11-05", [("A", "B", 1), ("C", "D", 0.5), ("A", "C", 1), ("B", "D", 1), ("E", "F", 0)]
    )
    two = table(
        "two", "2025-11-12", [("A", "D", 1), ("B", "C", 1), ("A", "E", 0.5), ("B", "E", 1), ("D", "F", 1)]
    )
    return old, one, two


def published(rebuilt, day="2025-12-01", **changes):
    rows = [
        {"id": r["id"], "name": r["name"], "rating": changes.get(r["id"], r["rating"])}
        for r in rebuilt.list.rows.to_dict("records")
        if changes.get(r["id"], 0) is not None
    ]
    return make_list(rows, id="published", day=date.fromisoformat(day))


def reasons(rebuilt):
    return {f.reason for f in rebuilt.findings}


def write_event(folder, event):
    folder.mkdir(parents=True)
    with (folder / "players.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["no", "id", "name"])
        writer.writerows(event.players[["number", "id", "name"]].to_numpy().tolist())
    score = {"1": "1", "=": "0.5", "0": "0"}
    with (folder / "games.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["round", "white", "black", "white_score", "black_score", "kind"])
        for g in event.games.to_dict("records"):
            writer.writerow(
                [
                    g["round"],
                    g["first"],
                    g["second"],
                    score[g["first_result"]],
                    score[g["second_result"]],
                    "played",
                ]
            )
    meta = {
        "slug": event.id,
        "game": "chess",
        "format": "Swiss",
        "start": str(event.start),
        "end": str(event.end),
    }
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
