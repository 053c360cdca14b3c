"""Plant single human mistakes in events and count how many the audit notices.

    python benchmarks/mistakes.py PATH...      each an event or a folder of report files; a table by kind as Markdown

A mistake is noticed when the audit asks or returns something (W, E) that it did not ask of the untouched event. With the
list: the ratings, K, names, titles and federations of the untouched event as the list in force.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np

from qiyi_analysis import audit, read_event
from qiyi_analysis.model.errors import QiyiError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.frame import frame
from qiyi_analysis.model.rating_list import LIST_COLUMNS, RatingList
from qiyi_analysis.rating import rate

Mistake = Callable[[Event, random.Random], Event | None]


def _cell(
    event: Event, rnd: random.Random, column: str, change: Callable[[object], object], **where: object
) -> Event | None:
    """One cell of the players changed; None where no player has one."""
    values = event.players[column].to_numpy().copy()
    known = [i for i, v in enumerate(values) if v == v and v not in ("", 0)]
    for name, wanted in where.items():
        known = [i for i in known if event.players[name].iloc[i] == wanted]
    if not known:
        return None
    i = rnd.choice(known)
    new = change(values[i])
    if new == values[i]:
        return None
    values[i] = new
    more = {}
    if f"{column}_text" in event.players:
        texts = event.players[f"{column}_text"].to_numpy().copy()
        texts[i] = f"{float(new):g}"  # type: ignore[arg-type]
        more[f"{column}_text"] = texts
    return event.with_players(**{column: values}, **more)


def _swap(event: Event, rnd: random.Random, column: str) -> Event | None:
    """The cells of two players exchanged."""
    values = event.players[column].to_numpy().copy()
    known = [i for i, v in enumerate(values) if v == v and v not in ("", 0)]
    if len(set(values[known].tolist())) < 2:
        return None
    one = rnd.choice(known)
    other = rnd.choice([i for i in known if values[i] != values[one]])
    values[[one, other]] = values[[other, one]]
    return event.with_players(**{column: values})


def _digits(value: object) -> float:
    text = f"{value:g}".replace(".", "")
    return float(text[:1] + text[2:3] + text[1:2] + text[3:]) if len(text) > 2 else float(value)  # type: ignore[arg-type]


def _game(event: Event, rnd: random.Random, change: Callable[[dict], dict | None]) -> Event | None:
    """One played game changed, or left out."""
    games = event.games
    rows = np.flatnonzero((games["kind"] == "played").to_numpy())
    if not len(rows):
        return None
    row = int(rnd.choice(rows.tolist()))
    new = change(games.iloc[row].to_dict())
    left = games.drop(index=row)
    if new is None:
        return event.with_games(left)
    table = games.copy()
    for name, value in new.items():
        table.loc[row, name] = value
    return event.with_games(table)


def _results(first: str, second: str) -> Callable[[dict], dict]:
    return lambda game: {**game, "first_result": first, "second_result": second}


def _round(event: Event, rnd: random.Random) -> Event | None:
    if event.rounds_played < 3:
        return None
    gone = rnd.randint(2, event.rounds_played - 1)
    return event.with_games(event.games[event.games["round"] != gone])


def _woman(event: Event, rnd: random.Random) -> Event | None:
    men = np.flatnonzero((event.players["sex"] == "m").to_numpy())
    titles = event.players["title"].to_numpy().copy()
    if not len(men):
        return None
    titles[rnd.choice(men.tolist())] = "WIM"
    return event.with_players(title=titles)


def _days(**change: int) -> Mistake:
    return lambda event, rnd: replace(event, end=event.end + timedelta(**change)) if event.end else None


KINDS: dict[str, Mistake] = {
    "rating: digits exchanged": lambda e, r: _cell(e, r, "rating", _digits),
    "rating: a digit lost": lambda e, r: _cell(e, r, "rating", lambda v: float(f"{v:g}"[:1] + f"{v:g}"[2:])),
    "rating: 100 more": lambda e, r: _cell(e, r, "rating", lambda v: v + 100),
    "rating left out": lambda e, r: _cell(e, r, "rating", lambda v: np.nan),
    "ratings of two exchanged": lambda e, r: _swap(e, r, "rating"),
    "K of another row": lambda e, r: _cell(e, r, "k", lambda v: 40.0 if v != 40 else 10.0),
    "title of women for a man": lambda e, r: _woman(e, r),
    "federation misspelt": lambda e, r: _cell(e, r, "federation", lambda v: v[0] + v[2] + v[1] if len(v) == 3 else v),
    "name of another player": lambda e, r: _cell(e, r, "name", lambda v: e.players["name"].iloc[0]),
    "birth year 100 years off": lambda e, r: _cell(e, r, "birth_year", lambda v: v - 100),
    "birth digits exchanged": lambda e, r: _cell(e, r, "birth_year", lambda v: float(f"{v:g}"[:2] + f"{v:g}"[3] + f"{v:g}"[2])),
    "id twice": lambda e, r: _cell(e, r, "id", lambda v: e.players["id"].iloc[0]),
    "points half more": lambda e, r: _cell(e, r, "points", lambda v: v + 0.5),
    "points of two exchanged": lambda e, r: _swap(e, r, "points"),
    "rank twice": lambda e, r: _cell(e, r, "rank", lambda v: v + 1 if v < len(e.players) else v),
    "ranks of two exchanged": lambda e, r: _swap(e, r, "rank"),
    "tie-break off by 5": lambda e, r: _cell(e, r, "tb1", lambda v: v + 5),
    "result reversed": lambda e, r: _game(e, r, lambda g: {**g, "first_result": g["second_result"], "second_result": g["first_result"]}),
    "result a draw": lambda e, r: _game(e, r, _results("=", "=")),
    "both win": lambda e, r: _game(e, r, _results("1", "1")),
    "result on one side": lambda e, r: _game(e, r, lambda g: {**g, "second_result": ""}),
    "result left out": lambda e, r: _game(e, r, _results("", "")),
    "game left out": lambda e, r: _game(e, r, lambda g: None),
    "game twice": lambda e, r: e.with_games(e.games.iloc[[*range(len(e.games)), r.randrange(len(e.games))]]) if len(e.games) else None,
    "opponent is the player": lambda e, r: _game(e, r, lambda g: {**g, "second": g["first"]}),
    "wrong opponent": lambda e, r: _game(e, r, lambda g: {**g, "second": int(r.choice(e.players["number"].tolist()))}),
    "colors of a game exchanged": lambda e, r: _game(e, r, lambda g: {**g, "first": g["second"], "second": g["first"], "first_result": g["second_result"], "second_result": g["first_result"]}),
    "forfeit for a game": lambda e, r: _game(e, r, lambda g: {**g, "kind": "forfeit"}),
    "a round missing": _round,
    "end a year later": _days(days=365),
    "end before the start": _days(days=-400),
    "one round too few announced": lambda e, r: replace(e, rounds=e.rounds - 1) if e.rounds else None,
    "one round too many announced": lambda e, r: replace(e, rounds=e.rounds + 1) if e.rounds else None,
    "change: sign reversed": lambda e, r: _cell(e, r, "change", lambda v: -v),
    "change: digits exchanged": lambda e, r: _cell(e, r, "change", _digits),
    "changes of two exchanged": lambda e, r: _swap(e, r, "change"),
    "expected score 1 more": lambda e, r: _cell(e, r, "expected", lambda v: v + 1),
    "new rating 10 more": lambda e, r: _cell(e, r, "new_rating", lambda v: v + 10),
    "new ratings of two exchanged": lambda e, r: _swap(e, r, "new_rating"),
    "performance of another": lambda e, r: _swap(e, r, "performance"),
}  # fmt: skip


def with_numbers(event: Event, result: object) -> Event:
    """The event with right changes, expected scores and new ratings where it publishes none."""
    rules = result.rating_rules  # type: ignore[attr-defined]
    if rules is None or event.players["change"].notna().any():
        return event
    players = rate(event, rules).players
    change, we = players["change"].to_numpy(), players["we"].to_numpy()
    text = lambda values: ["" if v != v else f"{v:.2f}" for v in values]  # noqa: E731
    return event.with_players(
        change=np.round(change, 2), change_text=text(change), expected=np.round(we, 2), expected_text=text(we),
        new_rating=players["new_rating"].to_numpy(),
    )  # fmt: skip


def asked(event: Event, rules: list[str], lists: list[RatingList]) -> set[tuple[object, ...]]:
    """What the audit asks and returns: code, reason, player, round, field."""
    found = audit(event, rules, lists).findings
    return {(f.code, f.reason, f.player, f.round, f.field, f.published) for f in found if f.severity != "I"}


def main(paths: list[str]) -> int:
    """Print the table."""
    events = []
    for path in map(Path, paths):
        for one in (
            sorted(path.iterdir()) if path.is_dir() and not (path / "players.csv").exists() else [path]
        ):
            try:
                event = read_event(str(one))
                events.append((with_numbers(event, audit(event)), [r.id for r in audit(event).rules]))
            except QiyiError:
                continue
    planted: dict[str, list[tuple[bool, bool]]] = {kind: [] for kind in KINDS}
    for number, (event, rules) in enumerate(events):
        known = frame(
            event.players[[c for c in LIST_COLUMNS if c in event.players and c not in ("rank", "line")]],
            LIST_COLUMNS,
        )
        lists = [RatingList(id="list", day=event.start, rows=known)]
        before = asked(event, rules, []), asked(event, rules, lists)
        for kind, mistake in KINDS.items():
            wrong = mistake(event, random.Random(f"{number} {kind}"))
            if wrong is not None:
                planted[kind].append(
                    (bool(asked(wrong, rules, []) - before[0]), bool(asked(wrong, rules, lists) - before[1]))
                )
    print("| mistake | planted | noticed | noticed with the list |\n| --- | ---: | ---: | ---: |")
    for kind, results in [*planted.items(), ("all", [one for found in planted.values() for one in found])]:
        plain, listed = (sum(column) for column in zip(*results, strict=True)) if results else (0, 0)
        print(f"| {kind} | {len(results)} | {plain} | {listed} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
