"""Standings: the codes in order, ranks shared by what stays tied, and what separated whom."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

import qiyi_analysis.rules.ruleset as rulesets
from qiyi_analysis import words
from qiyi_analysis.model.errors import EventError, ParameterError
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.rules.ruleset import RuleSet
from qiyi_analysis.tiebreaks import mcmahon, withdrawals
from qiyi_analysis.tiebreaks.codes import parse_list
from qiyi_analysis.tiebreaks.column import Column
from qiyi_analysis.tiebreaks.criterion import Code
from qiyi_analysis.tiebreaks.grid import (
    FORFEIT_LOSS,
    FORFEIT_WIN,
    GIVEN,
    PENDING,
    PLAYED,
    REQUESTED,
    REST,
    UNASSIGNED,
    VOID,
    Grid,
    individual_grid,
    is_round_robin,
)
from qiyi_analysis.tiebreaks.teams import team_grid
from qiyi_analysis.tiebreaks.work import Work, document_for, in_force

#: Formats of events of individuals.
INDIVIDUAL = frozenset(
    {"swiss", "round-robin", "double-round-robin", "match", "knock-out", "mcmahon", "member-places"}
)

CELL_WORDS = {
    VOID: "void",
    REST: "rest",
    PLAYED: "played",
    FORFEIT_WIN: "forfeit-win",
    FORFEIT_LOSS: "forfeit-loss",
    GIVEN: "given-bye",
    REQUESTED: "requested-bye",
    PENDING: "pending",
    UNASSIGNED: "not-paired",
}


@dataclass(frozen=True)
class Standings:
    """Ranked competitors. ``order`` are rows of the grid, best first; ``steps`` the groups still tied after each code."""

    event: Event
    rules: RuleSet
    codes: tuple[Code, ...]
    columns: tuple[Column, ...]
    order: np.ndarray
    ranks: np.ndarray
    steps: np.ndarray  # [codes x competitors]
    work: Work = field(repr=False)
    findings: tuple[Finding, ...] = ()
    #: Codes that were ranked by and were not asked for (the points, where a list is for equal points).
    implied: tuple[str, ...] = ()

    @property
    def grid(self) -> Grid:
        """Results and opponents the standings were made from."""
        return self.work.grid

    @cached_property
    def table(self) -> pd.DataFrame:
        """``rank, number, id, name`` and one column per code as typed, exact values, best first."""
        return self._table("values")

    @cached_property
    def texts(self) -> pd.DataFrame:
        """The same table with the values of the codes as they are printed (None where missing)."""
        return self._table("texts")

    def _table(self, what: str) -> pd.DataFrame:
        # Objects throughout: pandas would turn a missing text into a number.
        return pd.DataFrame(
            {
                head: pd.Series(cells, dtype="int64" if head in ("rank", "number") else object)
                for head, cells in self._cells(what).items()
            }
        )

    def _cells(self, what: str) -> dict[str, Any]:
        grid, order = self.grid, self.order
        ids = (
            np.full(grid.size, "", dtype=object)
            if grid.teams
            else self.event.players["id"].to_numpy(dtype=object)
        )
        cells: dict[str, Any] = {
            "rank": self.ranks[order],
            "number": grid.numbers[order],
            "id": ids[order],
            "name": np.array(grid.names, dtype=object)[order],
        }
        for code, column in zip(self.codes, self.columns, strict=True):
            if code.text not in self.implied:
                cells[code.text] = getattr(column, what)()[order]
        return cells

    def column(self, code: str) -> Column:
        """The column of a code as typed. Raises ParameterError where it is not in these standings."""
        for own, column in zip(self.codes, self.columns, strict=True):
            if own.text == code:
                return column
        raise ParameterError("tie-break-not-here", code=code, codes=[c.text for c in self.codes])

    def ranks_after(self, round_: int) -> np.ndarray:
        """Ranks as they were after an earlier round, by the same codes; rows as in the grid."""
        return _earlier(self.event, self.grid, self.rules, self.codes)(round_)

    def rank_of(self, number: int) -> int:
        """Rank of the competitor with that number. Raises EventError where there is none."""
        return int(self.ranks[self.grid.index_of(number)])

    def working(self, number: int, code: str) -> pd.DataFrame:
        """What the value of a competitor is made of, one row per round.

        ``round, opponent, name, kind, points, seen`` (the opponent's adjusted score, dummy or rating), ``counted``
        (what it adds), ``kept`` (False where it was cut), ``article``. Raises EventError for an unknown number.
        """
        row, column = self.grid.index_of(number), self.column(code)
        grid, parts = self.grid, column.parts
        own = grid.score()
        index = next(i for i, known in enumerate(self.codes) if known.text == code)
        group = self.groups_before(index)
        rows: list[dict[str, Any]] = []
        if parts is not None and parts.start is not None and isinstance(column.denominator, int):
            begin = Column(
                numerator=parts.start[row : row + 1], denominator=column.denominator, shape=column.shape
            )
            rows.append(
                {
                    "round": 0,
                    "opponent": 0,
                    "name": "",
                    "kind": "start-score",
                    "points": None,
                    "seen": None,
                    "counted": begin.texts()[0],
                    "kept": True,
                    "article": column.article,
                }
            )
        for c in range(grid.cell.shape[1]):
            if grid.cell[row, c] in (VOID, REST):
                continue
            other = int(grid.opponent[row, c])
            if parts is None and (other < 0 or group[other] != group[row]):
                continue
            unit = int(column.denominator if isinstance(column.denominator, int) else own.unit)
            counted = Column(
                numerator=np.array([0 if parts is None else parts.counted[row, c]]),
                denominator=unit,
                shape=column.shape,
            )
            if parts is None:
                counted = Column(numerator=own.points[row : row + 1, c], denominator=own.unit)
            seen = None
            if parts is not None and parts.seen is not None:
                seen = Column(
                    numerator=np.array([parts.seen[row, c]]),
                    denominator=parts.seen_unit,
                    shape="integer" if parts.seen_unit == 1 else "points",
                ).texts()[0]
            rows.append(
                {
                    "round": int(grid.rounds[c]),
                    "opponent": int(grid.numbers[other]) if other >= 0 else 0,
                    "name": grid.names[other] if other >= 0 else "",
                    "kind": CELL_WORDS[int(grid.cell[row, c])],
                    "points": Column(numerator=own.points[row : row + 1, c], denominator=own.unit).texts()[0],
                    "seen": seen,
                    "counted": counted.texts()[0],
                    "kept": bool(parts is None or parts.kept[row, c]),
                    "article": column.article,
                }
            )
        return pd.DataFrame(
            rows,
            columns=["round", "opponent", "name", "kind", "points", "seen", "counted", "kept", "article"],
        )

    def groups_before(self, index: int) -> np.ndarray:
        """Groups still tied before a code, numbered in order of merit; rows as in the grid."""
        return self.steps[index - 1] if index else np.zeros(self.grid.size, dtype=np.int64)

    @cached_property
    def separators(self) -> pd.DataFrame:
        """For each pair of neighbours the first criterion that separates them; ``code`` is "" where they stay tied."""
        rows = []
        for upper, lower in zip(self.order[:-1], self.order[1:], strict=True):
            index = next(
                (i for i in range(len(self.codes)) if self.steps[i, upper] != self.steps[i, lower]), None
            )
            column = None if index is None else self.columns[index]
            rows.append(
                {
                    "rank": int(self.ranks[upper]),
                    "number": int(self.grid.numbers[upper]),
                    "next": int(self.grid.numbers[lower]),
                    "code": "" if index is None else self.codes[index].text,
                    "value": None if column is None else column.texts()[upper],
                    "next_value": None if column is None else column.texts()[lower],
                    "article": "" if column is None else column.article,
                }
            )
        return pd.DataFrame(
            rows, columns=["rank", "number", "next", "code", "value", "next_value", "article"]
        )

    def as_records(self) -> list[dict[str, Any]]:
        """The players of the interface: numbers as numbers, values of codes as text, missing as None."""
        cells = self._cells("texts")
        cells["rank"], cells["number"] = cells["rank"].tolist(), cells["number"].tolist()
        cells["id"] = [id or None for id in cells["id"]]
        return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]


def standings(
    event: Event,
    codes: str | Iterable[str] | None = None,
    rules: RuleSet | None = None,
    *,
    of: str = "",
    option: str = "",
    through: int | None = None,
) -> Standings:
    """Rank the competitors of an event by ``codes``, else by the event's own list, else by the rule set's order.

    ``rules``: a rule set of kind "tie-breaks"; by default the edition in force on the event's first day. ``of``:
    "teams" or "players" (teams where the event has a table of them). ``option``: another order of the rule file.
    ``through``: standings after that round. Raises ParameterError for an unknown code and EventError where nothing can
    be ranked.
    """
    findings: list[Finding] = []
    if rules is None:
        rules, why = in_force(document_for(event), event)
        findings += _edition_findings(event, rules, why)
    elif rules.kind != "tie-breaks":
        raise ParameterError(
            "rules-not-tie-breaks", rules=rules.id, kind=words.named("rules-kind", rules.kind)
        )
    event, changed = withdrawals.applied(event, rules)
    findings += changed
    wanted = _codes(event, codes, rules, option, findings, of)
    level = of or _level(event, wanted)
    implied: tuple[str, ...] = ()
    # Go programs rank by the criteria of the file and nothing before them.
    announced = event.discipline == "go" and any(code.criterion.announced for code in wanted)
    if not any(code.criterion.primary for code in wanted) and not (announced and not codes):
        wanted = (parse_list("PTS")[0], *wanted)
        implied = ("PTS",)
    # They count every round that was announced, and pairings without result.
    grid = team_grid(event) if level == "teams" else individual_grid(event, announced=announced)
    if through is not None:
        grid = grid.through(through)
    for code in wanted:
        if level != "teams" and code.for_teams:
            raise EventError("tie-break-for-teams", event=event.id, code=code.text)
        # They read grades, start scores and absences, which only players have; go teams have criteria of their own.
        if level == "teams" and code.criterion.announced:
            raise EventError("tie-break-for-players", event=event.id, code=code.text)

    def places() -> np.ndarray:
        format = "" if event.format == MEMBER_PLACES[0] else event.format.removeprefix("team-")
        singles = dataclasses.replace(event, format=format)
        return standings(singles, None, rules, of="players", through=through).ranks

    work = Work(
        event=event, grid=grid, rules=rules, earlier=_earlier(event, grid, rules, wanted), places=places
    )
    columns, steps, ranks, order = _ranked(work, wanted)
    for code, column in zip(wanted, columns, strict=True):
        findings += _column_findings(work, code, column)
    findings += _event_findings(event, grid)
    findings += _played_off(rules, wanted, ranks, grid)
    if announced and (unread := mcmahon.own_settings(event)[1]):
        findings.append(Finding(code="CK44", reason="mcmahon-settings-unread", values={"keys": unread}))
    return Standings(
        event=event,
        rules=rules,
        codes=wanted,
        columns=columns,
        order=order,
        ranks=ranks,
        steps=steps,
        work=work,
        findings=tuple(findings),
        implied=implied,
    )


def _ranked(
    work: Work, codes: Sequence[Code]
) -> tuple[tuple[Column, ...], np.ndarray, np.ndarray, np.ndarray]:
    """Columns, groups still tied after each code, ranks, and rows in order."""
    grid = work.grid
    columns, steps = [], []
    groups = np.zeros(grid.size, dtype=np.int64)

    def behind(code: Code) -> np.ndarray:
        later = np.zeros(grid.size, dtype=np.int64)
        for other in codes[codes.index(code) + 1 :]:
            later = _refined(later, work.column(other, groups).order_key())
        return later

    work = dataclasses.replace(work, behind=behind)
    for code in codes:
        column = work.column(code, groups)
        columns.append(column)
        groups = _refined(groups, column.order_key())
        steps.append(groups)
    order = np.lexsort((grid.numbers, groups))
    ordered = groups[order]
    starts = np.ones(len(order), dtype=bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    ranks = np.zeros(grid.size, dtype=np.int64)
    ranks[order] = np.maximum.accumulate(np.where(starts, np.arange(1, len(order) + 1), 0))
    return tuple(columns), np.array(steps).reshape(len(codes), grid.size), ranks, order


def _earlier(event: Event, grid: Grid, rules: RuleSet, codes: Sequence[Code]) -> Callable[[int], np.ndarray]:
    """Ranks after an earlier round by the same codes, those that look back left out."""
    kept = [code for code in codes if not code.criterion.looks_back]

    def ranks(round_: int) -> np.ndarray:
        return _ranked(Work(event=event, grid=grid.through(round_), rules=rules), kept)[2]

    return ranks


def _refined(groups: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Groups split by ``key``, larger first, numbered from 0 in order of merit."""
    order = np.lexsort((-key, groups))
    changed = np.zeros(len(order), dtype=np.int64)
    changed[1:] = (groups[order][1:] != groups[order][:-1]) | (key[order][1:] != key[order][:-1])
    refined = np.empty(len(order), dtype=np.int64)
    refined[order] = np.cumsum(changed)
    return refined


def order_of(rules: RuleSet, format: str, option: str = "") -> tuple[str, ...]:
    """The codes of the rule set's order for a format; () where it has none."""
    for row in rules.rows("order"):
        if row["format"] == format and row.get("option", "") == option:
            return tuple(row["codes"])
    return ()


#: The format of teams ranked by their players' places, and its name in the rules; either may be asked for as an order.
MEMBER_PLACES = ("member-places", "队员总分制")


def without_matches(event: Event) -> bool:
    """Whether the event is one of individuals: its teams have players but met no other team."""
    return event.format in INDIVIDUAL and not len(event.matches)


def format_of(event: Event) -> str:
    """The event's format; where it is not known, round robin or Swiss by its pairings."""
    return event.format or ("round-robin" if is_round_robin(event) else "swiss")


def team_tie_breaks(event: Event) -> tuple[str, ...]:
    """The event's own criteria of teams: go files name them apart, in others they are those of the event."""
    apart = tuple(event.extra.get("team_tie_breaks") or ())
    return apart if apart or event.discipline == "go" else event.tie_breaks


def _codes(
    event: Event,
    codes: str | Iterable[str] | None,
    rules: RuleSet,
    option: str,
    findings: list[Finding],
    of: str = "",
) -> tuple[Code, ...]:
    if codes:
        if not (asked := parse_list(codes)):
            # Without a code everybody would be first.
            raise ParameterError("tie-break-none", codes=codes)
        return asked
    own = team_tie_breaks(event) if of == "teams" else event.tie_breaks
    if own and not option:
        usable: list[Code] = []
        for text in own:
            try:
                usable += parse_list([text])
            except ParameterError as error:
                findings.append(
                    Finding(
                        code="CK44",
                        reason="tie-break-not-known",
                        field=text,
                        values={"code": text, "why": error.said},
                    )
                )
        if usable:
            return tuple({code.text: code for code in usable}.values())
    format = format_of(event)
    if option in MEMBER_PLACES or (of == "teams" and not option and without_matches(event)):
        format, option = MEMBER_PLACES[0], ""
        if not order_of(rules, format):
            raise EventError("teams-without-matches", event=event.id, rules=rules.id)
    wanted = order_of(rules, format, option) or order_of(rules, "swiss", option)
    if not wanted:
        known = sorted({row.get("option", "") for row in rules.rows("order")} - {""})
        raise ParameterError(
            "order-unknown",
            rules=rules.id,
            option=option,
            format=format,
            known=known,
            hint=words.nearest(option, known),
        )
    warned = rules.block("warned_last")
    if warned is not None and (event.players["warnings"] > 0).any():
        # Among equal points those with a warning go last (1999 18.4).
        wanted = (wanted[0], warned["code"], *wanted[1:])
    findings.append(
        Finding(
            code="CK41",
            reason="tie-break-order-assumed",
            article=rules.id,
            values={"rules": rules.id, "codes": wanted, "format": words.named("format", format)},
        )
    )
    return parse_list(wanted)


def _level(event: Event, codes: Sequence[Code]) -> str:
    asked_for_teams = any(code.for_teams for code in codes)
    # Go files name criteria of players and of teams apart.
    of_players = event.discipline == "go" and any(code.criterion.announced for code in codes)
    return "teams" if asked_for_teams or (len(event.teams) and not of_players) else "players"


def _edition_findings(event: Event, rules: RuleSet, why: str) -> list[Finding]:
    day = str(event.start or event.end or "")
    if why:
        values = {"rules": rules.id, "day": day}
        return [Finding(code="CK41", reason=f"tie-break-edition-{why}", article=rules.id, values=values)]
    settled = rules.value("edition", "settled")
    if settled is not None and event.start is not None and event.start < settled:
        ids = rulesets.editions(rules.document)
        before = ids[ids.index(rules.id) - 1]
        values = {"rules": rules.id, "other": before, "day": day, "settled": str(settled)}
        return [Finding(code="CK45", reason="tie-break-edition-unsettled", article=rules.id, values=values)]
    return []


def _column_findings(work: Work, code: Code, column: Column) -> list[Finding]:
    found = []
    rules, format = work.rules_for(code), format_of(work.event)
    for row in rules.rows("undefined"):
        if row["code"] in (code.name, code.bare) and (not row.get("formats") or format in row["formats"]):
            values = {"code": code.text, "format": words.named("format", format), "rules": rules.id}
            article = f"{rules.id} {row.article}"
            found.append(
                Finding(
                    code="CK46", reason="tie-break-undefined", field=code.text, article=article, values=values
                )
            )
    if not code.edition and rules.document != work.rules.document:
        values = {"code": code.text, "rules": work.rules.id, "used": rules.id}
        found.append(
            Finding(
                code="CK46",
                reason="tie-break-of-other-rules",
                field=code.text,
                article=rules.id,
                values=values,
            )
        )
    if column.missing is not None and column.missing.all() and code.criterion.ratings:
        unrated = int(np.isnan(work.grid.rating).sum() + (work.grid.rating == 0).sum())
        if unrated:
            values = {"code": code.text, "count": str(unrated)}
            found.append(
                Finding(
                    code="CK44",
                    reason="tie-break-unrated",
                    field=code.text,
                    article=rules.cite("performance"),
                    values=values,
                )
            )
    if code.criterion.colours and column.missing is not None:
        values = {"code": code.text, "count": str(int(column.missing.sum()))}
        found.append(Finding(code="CK44", reason="tie-break-colours-unknown", field=code.text, values=values))
    equal = code.criterion.needs_equal
    if equal and len(np.unique(work.grid.score(equal).total)) > 1:
        values = {"code": code.text}
        found.append(
            Finding(
                code="CK46",
                reason="tie-break-board-count",
                field=code.text,
                article=work.cite(code),
                values=values,
            )
        )
    return found


def _played_off(rules: RuleSet, codes: Sequence[Code], ranks: np.ndarray, grid: Grid) -> list[Finding]:
    """What breaks the ties that are left, where the order of the rules is the one used and does not share the places."""
    texts = [code.text for code in codes]
    row = next((row for row in rules.rows("order") if list(row["codes"]) == texts), None)
    if row is None or row["then"] == "shared" or grid.played < grid.scheduled:
        return []
    shared = [int(rank) for rank in np.unique(ranks) if (ranks == rank).sum() > 1]
    if not shared:
        return []
    values = {"ranks": shared, "rules": rules.id}
    article = f"{rules.id} {row.article}"
    return [Finding(code="CK45", reason=f"tie-break-then-{row['then']}", article=article, values=values)]


def _event_findings(event: Event, grid: Grid) -> list[Finding]:
    found = []
    if not grid.scheduled_known and not grid.round_robin:
        values = {"rounds": grid.played}
        found.append(Finding(code="CK44", reason="tie-break-rounds-unknown", values=values))
    elif grid.played < grid.scheduled:
        values = {"played": grid.played, "rounds": grid.scheduled}
        found.append(Finding(code="CK44", reason="tie-break-provisional", values=values))
    return found
