"""The ways a printed tie-break goes wrong in practice: other editions, readings and cuts, unplayed rounds misread.

Each way changes the rules or the event; the ordinary calculation does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
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


def variants(event: Event, rules: RuleSet, code: Code) -> Iterator[Variant]:
    """The ways a printed value of ``code`` goes wrong in practice."""
    ways = _Ways(event, rules, code)
    yield from ways.editions()
    yield from ways.unplayed()
    yield from ways.cuts()
    yield from ways.readings()
    yield from ways.rounds()


@dataclass(frozen=True)
class _Ways:
    event: Event
    rules: RuleSet
    code: Code

    def _variant(self, cause: str, detail: Any, **changes: Any) -> Variant:
        return Variant(cause, detail, partial(self._column, **changes))

    def _column(
        self, event: Event | None = None, rules: RuleSet | None = None, text: str = "", **options: Any
    ) -> Column:
        text = text or self.code.text
        codes = ["PTS", text] if text != "PTS" else ["PTS"]
        return standings(event or self.event, codes, rules or self.rules, of="players", **options).column(
            text
        )

    def editions(self) -> Iterator[Variant]:
        """The virtual opponents and scheduled opponents of the other editions."""
        code = self.code
        if not code.criterion.unplayed:
            return
        bare = replace(code, edition="", text="").bare
        bare += f"/U{code.unrated}" if code.unrated is not None else ""
        name, _, tail = bare.partition("/")
        own = code.edition or str(self.rules.value("edition", "name", ""))
        for id in rulesets.editions(document_of(code.name, self.event)):
            other = rulesets.ruleset(id).need("edition")["name"]
            if other != own:
                cause = "virtual-opponent" if other == "pre2023" else "other-edition"
                text = f"{name}@{other}" + (f"/{tail}" if tail else "")
                yield self._variant(cause, f"@{other}", text=text)
        if "P" not in tail.split("/"):
            detail = said("cause-detail.scheduled-opponent")
            yield self._variant("forfeit-as-game", detail, text=f"{code.text}/P")

    def unplayed(self) -> Iterator[Variant]:
        """Forfeits and byes taken for something else; a round robin counted like a Swiss."""
        event, kinds = self.event, set(self.event.games["kind"])
        if is_round_robin(event):
            swiss = replace(event, format="swiss")
            yield self._variant("swiss-rule", said("cause-detail.swiss-rule"), event=swiss)
        for of, cause, detail, changed in (
            ({Kind.FORFEIT}, "forfeit-as-bye", "forfeits-as-byes", _forfeits_as_byes),
            ({Kind.FORFEIT}, "forfeit-as-played", "forfeits-over-the-board", _forfeits_played),
            ({Kind.FULL_BYE, Kind.PAB}, "bye-as-requested", "byes-as-requested", _byes_requested),
            ({Kind.HALF_BYE, Kind.ZERO_BYE}, "bye-as-given", "byes-as-given", _byes_given),
        ):
            if kinds & of:
                yield self._variant(cause, said(f"cause-detail.{detail}"), event=changed(event))

    def cuts(self) -> Iterator[Variant]:
        """Nothing cut, one cut, or the lowest round cut where a voluntary one goes first."""
        code, rules = self.code, self.rules
        if code.low and not code.high:
            text = _spelled(replace(code, low=0))
            yield self._variant("not-cut", said("cause-detail.nothing-cut"), text=text)
            known = rules.id in rulesets.editions(document_of(code.name, self.event))
            if code.criterion.unplayed and known and not code.edition:
                wrong = rulesets.ruleset(rules.id).with_block("cut", voluntary_first=False)
                yield self._variant("cut-wrong-round", said("cause-detail.lowest-cut"), rules=wrong)
        elif "cut" in code.criterion.options:
            yield self._variant("cut", said("cause-detail.one-cut"), text=_spelled(replace(code, low=1)))

    def readings(self) -> Iterator[Variant]:
        """The readings of the rule file that were not taken."""
        for reading in () if self.code.edition else self.rules.rows("reading"):
            what = named("reading", reading["name"])
            for other in reading["others"]:
                value = named("reading-value", other)
                detail = said("cause-detail.tie-break-reading", what=what, other=value)
                read = self.rules.with_block(reading["block"], **{reading["key"]: other})
                yield self._variant("other-reading", detail, rules=read)

    def rounds(self) -> Iterator[Variant]:
        """The values after the last round but one, of the player or of the opponents."""
        if (last := self.event.rounds_played) > 1:
            detail = said("cause-detail.after-round", round=last - 1)
            yield self._variant("before-last-round", detail, through=last - 1)
        if self.code.name == "BH":
            fore = _spelled(replace(self.code, name="FB"))
            yield self._variant("opponents-before-last-round", said("cause-detail.fore"), text=fore)


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
