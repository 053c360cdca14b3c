"""The ways a printed tie-break goes wrong in practice: other editions, readings and cuts, unplayed rounds misread.

Each way changes the rules or the event; the ordinary calculation does the rest.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis.model.event import Event, Kind, Result
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks.column import Column
from qiyi_analysis.tiebreaks.criterion import Code
from qiyi_analysis.tiebreaks.grid import is_round_robin
from qiyi_analysis.tiebreaks.ranking import standings
from qiyi_analysis.tiebreaks.work import document_of
from qiyi_analysis.words import named, said


@dataclass(frozen=True)
class Variant:
    """A way the printed value may have come about: a word for it, what exactly, and the calculation."""

    cause: str
    detail: str
    run: Callable[[], Column]


def variants(event: Event, rules: RuleSet, code: Code) -> list[Variant]:
    """The ways a printed value of ``code`` goes wrong in practice."""
    found: list[Variant] = []

    def add(cause: str, detail: str, run: Callable[[], Column]) -> None:
        found.append(Variant(cause, detail, run))

    def value(
        changed: Event = event, with_rules: RuleSet = rules, text: str = code.text, **options: Any
    ) -> Column:
        return standings(
            changed, ["PTS", text] if text != "PTS" else ["PTS"], with_rules, of="players", **options
        ).column(text)

    document = document_of(code.name, event)
    plain = replace(code, edition="", text="")
    bare = plain.bare + (f"/U{code.unrated}" if code.unrated is not None else "")
    name, _, tail = bare.partition("/")
    if code.criterion.unplayed:
        own = code.edition or str(rules.value("edition", "name", ""))
        for id in rulesets.editions(document):
            other = rulesets.ruleset(id).need("edition")["name"]
            if other != own:
                text = f"{name}@{other}" + (f"/{tail}" if tail else "")
                cause = "virtual-opponent" if other == "pre2023" else "other-edition"
                add(cause, f"@{other}", lambda text=text: value(text=text))  # type: ignore[misc]
        if "P" not in tail.split("/"):
            text = f"{code.text}/P"
            add(
                "forfeit-as-game",
                said("cause-detail.scheduled-opponent"),
                lambda: value(text=text),
            )
    if is_round_robin(event):
        swiss = dataclasses.replace(event, format="swiss")
        add(
            "swiss-rule",
            said("cause-detail.swiss-rule"),
            lambda: value(swiss),
        )
    if (event.games["kind"] == Kind.FORFEIT).any():
        add(
            "forfeit-as-bye",
            said("cause-detail.forfeits-as-byes"),
            lambda: value(_forfeits_as_byes(event)),
        )
        add(
            "forfeit-as-played",
            said("cause-detail.forfeits-over-the-board"),
            lambda: value(_forfeits_played(event)),
        )
    if (event.games["kind"] == Kind.FULL_BYE).any() or (event.games["kind"] == Kind.PAB).any():
        add("bye-as-requested", said("cause-detail.byes-as-requested"), lambda: value(_byes_requested(event)))
    if (event.games["kind"] == Kind.HALF_BYE).any() or (event.games["kind"] == Kind.ZERO_BYE).any():
        add("bye-as-given", said("cause-detail.byes-as-given"), lambda: value(_byes_given(event)))
    if code.low and not code.high:
        base = replace(code, low=0)
        add("not-cut", said("cause-detail.nothing-cut"), lambda: value(text=_spelled(base)))
        if code.criterion.unplayed:
            naive = rulesets.ruleset(rules.id) if rules.id in rulesets.editions(document) else None
            if naive is not None and not code.edition:
                wrong = naive.with_block("cut", voluntary_first=False)
                add(
                    "cut-wrong-round",
                    said("cause-detail.lowest-cut"),
                    lambda: value(with_rules=wrong),
                )
    elif "cut" in code.criterion.options:
        add("cut", said("cause-detail.one-cut"), lambda: value(text=_spelled(replace(code, low=1))))
    if not code.edition:
        for reading in rules.rows("reading"):
            for other_reading in reading["others"]:
                read = rules.with_block(reading["block"], **{reading["key"]: other_reading})
                detail = said(
                    "cause-detail.tie-break-reading",
                    what=named("reading", reading["name"]),
                    other=named("reading-value", other_reading),
                )
                add("other-reading", detail, lambda read=read: value(with_rules=read))  # type: ignore[misc]
    last = event.rounds_played
    if last > 1:
        add(
            "before-last-round",
            said("cause-detail.after-round", round=last - 1),
            lambda: value(through=last - 1),
        )
    if code.name == "BH":
        fore = _spelled(replace(code, name="FB"))
        add("opponents-before-last-round", said("cause-detail.fore"), lambda: value(text=fore))
    return found


def _spelled(code: Code) -> str:
    name, _, tail = replace(code, edition="").bare.partition("/")
    parts = [name + (f"@{code.edition}" if code.edition else "")] + ([tail] if tail else [])
    return "/".join(parts) + (f"/U{code.unrated}" if code.unrated is not None else "")


def _forfeits_as_byes(event: Event) -> Event:
    """The same event from a file that writes ``0000 - +`` where another writes the scheduled opponent."""
    games = event.games.copy()
    forfeits = games["kind"].to_numpy() == Kind.FORFEIT
    rows = []
    for game in games[forfeits].to_dict("records"):
        for side in ("first", "second"):
            won = game[f"{side}_result"] == Result.WIN
            if game[side]:
                rows.append(
                    {
                        **game,
                        "first": game[side],
                        "second": 0,
                        "first_result": "",
                        "second_result": "",
                        "first_points": game[f"{side}_points"],
                        "second_points": np.nan,
                        "kind": str(Kind.FULL_BYE if won else Kind.ZERO_BYE),
                        "colours_known": False,
                    }
                )
    return event.with_games(
        pd.concat([games[~forfeits], pd.DataFrame(rows, columns=games.columns)], ignore_index=True)
    )


def _kinds(event: Event, change: Mapping[str, str]) -> Event:
    games = event.games.copy()
    games["kind"] = [change.get(kind, kind) for kind in games["kind"]]
    return event.with_games(games)


def _forfeits_played(event: Event) -> Event:
    return _kinds(event, {Kind.FORFEIT: str(Kind.UNRATED), Kind.DOUBLE_FORFEIT: str(Kind.DOUBLE_LOSS)})


def _byes_requested(event: Event) -> Event:
    return _kinds(event, {Kind.FULL_BYE: str(Kind.HALF_BYE), Kind.PAB: str(Kind.HALF_BYE)})


def _byes_given(event: Event) -> Event:
    return _kinds(event, {Kind.HALF_BYE: str(Kind.PAB), Kind.ZERO_BYE: str(Kind.PAB)})
