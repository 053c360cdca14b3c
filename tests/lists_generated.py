"""A made-up federation over several lists, every change known: what a publication has to say of it, to the last player."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from qiyi_analysis.model.rating_list import make_list

CHANGES = (
    "new", "first", "back", "gone", "withdrawn", "renamed", "moved", "titled", "id_changed", "merged", "registered",
)  # fmt: skip
_SYLLABLES = (
    "an",
    "bo",
    "cheng",
    "dong",
    "er",
    "fang",
    "gu",
    "hai",
    "jin",
    "kai",
    "lan",
    "ming",
    "ning",
    "ou",
    "ping",
)
_UNITS = ("Beijing", "Shanghai", "Guangdong", "Sichuan", "Zhejiang", "Hubei", "Jiangsu")


@dataclass
class Truth:
    """What is true of the last step: ids of the new list by change, numbers of rated players before and now."""

    before: int
    now: int
    changes: dict[str, set[str]] = field(default_factory=dict)
    change: dict[str, float] = field(default_factory=dict)
    same: list[tuple[str, str]] = field(default_factory=list)  # merged ids, as an officer decides


def federation(size, lists=2, seed=1):
    """RatingLists, oldest first, and the Truth of the last of them."""
    rng = np.random.default_rng(seed)
    people = [_person(rng, i) for i in range(size)]
    away: list[dict] = []
    found, truth = [], None
    for step in range(lists):
        if step:
            people, away, truth = _step(rng, people, away, first=step == 1)
        day = date(2024 + (step + 11) // 12, (step + 11) % 12 + 1, 1)
        rows = [dict(p) for p in people]
        order = rng.permutation(len(rows))
        found.append(make_list([rows[i] for i in order], id=f"list-{day}", day=day))
    return found, truth


def _person(rng, i):
    name = " ".join(rng.choice(_SYLLABLES, 3)).title()
    return {
        # Every seventh shares a name with others; the ids tell them apart.
        "id": f"{100000 + i}", "name": "Wang Wei" if i % 7 == 0 else name, "sex": "w" if rng.random() < 0.3 else "m",
        "federation": "CHN", "unit": str(rng.choice(_UNITS)), "birth_year": float(rng.integers(1945, 2016)), "title": "",
        "rating": float(rng.integers(1400, 2600)) if i % 6 else np.nan, "flag": "i" if rng.random() < 0.2 else "",
    }  # fmt: skip


def _step(rng, people, away, *, first):
    """One list on: every change happens to a share of the players, each player has one at most."""
    truth = Truth(
        before=sum(p["rating"] == p["rating"] for p in people), now=0, changes={n: set() for n in CHANGES}
    )
    share = max(1, len(people) // 50)
    rated = [i for i, p in enumerate(people) if p["rating"] == p["rating"]]
    waiting = [i for i, p in enumerate(people) if p["rating"] != p["rating"] and "peak" not in p]
    seen = Counter((p["name"], p["birth_year"], p["sex"]) for p in people + away)
    order = rng.permutation(rated).tolist()
    # An id that changed is known by name, sex and year of birth: those who share them come last.
    order.sort(key=lambda i: seen[people[i]["name"], people[i]["birth_year"], people[i]["sex"]] > 1)
    chosen = iter(order)
    kinds = {
        k: [next(chosen) for _ in range(share)]
        for k in ("id_changed", "gone", "withdrawn", "renamed", "moved", "titled")
    }
    pairs = [(next(chosen), next(chosen)) for _ in range(share)]
    played = [next(chosen) for _ in range(min(10 * share, len(rated) - 8 * share))]
    firsts = rng.permutation(waiting)[:share].tolist()
    now = [dict(p) for p in people]
    said = truth.changes
    for i in kinds["withdrawn"]:
        now[i]["peak"], now[i]["rating"] = now[i]["rating"], np.nan
        said["withdrawn"].add(now[i]["id"])
    for i in kinds["renamed"]:
        now[i]["name"] = f"{now[i]['name']} Junior"
        said["renamed"].add(now[i]["id"])
    for i in kinds["moved"]:
        now[i]["unit"] = next(u for u in _UNITS if u != now[i]["unit"])
        said["moved"].add(now[i]["id"])
    for i in kinds["titled"]:
        now[i]["title"] = "FM" if now[i]["title"] != "FM" else "IM"
        said["titled"].add(now[i]["id"])
    for i in kinds["id_changed"]:
        now[i]["id"] = f"9{now[i]['id']}"
        said["id_changed"].add(now[i]["id"])
    for i in firsts:
        now[i]["rating"] = float(rng.integers(1400, 2000))
        said["first"].add(now[i]["id"])
    for i in played:
        change = float(rng.integers(-20, 21))
        now[i]["rating"] += change
        truth.change[now[i]["id"]] = change
    out = set(kinds["gone"])
    for old, new in pairs:
        out.add(old)
        truth.same.append((now[old]["id"], now[new]["id"]))
        said["merged"].add(now[old]["id"])
    said["gone"] = {now[i]["id"] for i in kinds["gone"]}
    back = [p for p in away if rng.random() < 0.5]
    said["back"] = {p["id"] for p in back}
    fresh = [_person(rng, 10 * int(rng.integers(10**6, 10**7)) + 1) for _ in range(share)]
    fresh = [{**p, "id": f"7{p['id']}{n}"} for n, p in enumerate(fresh)]
    silent = [{**_person(rng, 6), "id": f"8{rng.integers(10**8, 10**9)}{n}"} for n in range(share)]
    said["new"], said["registered"] = {p["id"] for p in fresh}, {p["id"] for p in silent}
    left = [p for p in away if p["id"] not in said["back"]]
    away = [*left, *(people[i] for i in kinds["gone"])]
    everybody = [p for i, p in enumerate(now) if i not in out] + back + fresh + silent
    truth.now = sum(p["rating"] == p["rating"] for p in everybody)
    return everybody, away, truth
