"""Hide who the minors are in an audit, wherever they stand: tables, findings, causes, candidates of a list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.audit.event_audit import Audit
from qiyi_analysis.model.event import Event
from qiyi_analysis.model.findings import Cause, Finding
from qiyi_analysis.model.identity import Candidates, Described, match
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.titles import Titles

#: Age of majority (Law on the Protection of Minors, art. 2; UN Convention on the Rights of the Child, art. 1).
MAJORITY = 18
#: Fields of a finding that tell who a player is.
PERSONAL = frozenset({"id", "name", "birth_year", "birth_date", "card"})
#: What else a finding may say of the person it is about: the row of a list, the cells of a line.
_ABOUT = frozenset({"listed", "read", "assumed", "published", "recomputed"})
#: Shorter ids are not looked for in texts, where any number could be one.
_SHORTEST_ID = 4


def minors(event: Event, lists: Sequence[RatingList] = ()) -> dict[int, bool]:
    """Number -> whether the player may be a minor on the first day; players without birth data are left out.

    Of a year of birth alone, the age at the end of the year decides for the player's protection. Without a date
    of the event, everybody with birth data counts as a minor. Whom the event tells no birth data of has those of the lists.
    """
    day = event.start or event.end
    found: dict[int, bool] = {}
    players = event.players
    for number, year, date in zip(
        players["number"].tolist(),
        _years(players, lists).tolist(),
        players["birth_date"].tolist(),
        strict=True,
    ):
        full = str(date)[:10]
        if np.isnan(year) and not full:
            continue
        if day is not None and len(full) == 10 and full[:4].isdigit():
            found[number] = f"{int(full[:4]) + MAJORITY:04d}{full[4:]}" > day.isoformat()
        else:
            found[number] = _minor_by_year(event, int(full[:4]) if np.isnan(year) else year)
    return found


def _minor_by_year(event: Event, year: float) -> bool:
    day = event.start or event.end
    return day is None or day.year - year <= MAJORITY


def _years(players: pd.DataFrame, lists: Sequence[RatingList]) -> np.ndarray:
    """The birth years of the event, what is missing from the first list that has the player for certain."""
    years = players["birth_year"].to_numpy(dtype=np.float64).copy()
    for one in lists:
        open_ = np.flatnonzero(np.isnan(years))
        if not len(open_):
            break
        row = match(players, one.register).row[open_]
        years[open_[row >= 0]] = one.rows["birth_year"].to_numpy()[row[row >= 0]]
    return years


@dataclass(frozen=True, slots=True)
class _Mask:
    """What is hidden and what stands in its place."""

    event: Event
    language: str
    numbers: frozenset[int]
    stand_in: Mapping[int, str]
    texts: Mapping[str, str]
    pattern: re.Pattern[str] | None
    lines: frozenset[int]

    def text(self, value: Any) -> Any:
        """A text with stand-ins for the names, ids and days of birth in it; anything else as it is."""
        if isinstance(value, Candidates):
            return Candidates(self.person(one) for one in value.persons)
        if isinstance(value, words.Said):
            return words.Said(self.text(str(value)), self.text(value.zh))
        if isinstance(value, str) and self.pattern is not None:
            return self.pattern.sub(lambda found: self.texts[found[0]], value)
        if isinstance(value, tuple | list):
            return type(value)(self.text(one) for one in value)
        return value

    def hides(self, one: Described) -> bool:
        """Whether a candidate is a minor, of the event or by the year of birth on a list."""
        if one.number:
            return one.number in self.numbers
        return one.born == one.born and _minor_by_year(self.event, one.born)

    def person(self, one: Described, always: bool = False) -> Described:
        """A candidate, without name, id and year of birth where they are hidden."""
        if always or self.hides(one):
            text = self.stand_in.get(one.number) or words.text("audit.hidden", self.language)
            return Described(text, np.nan, one.number)
        return one._replace(text=self.text(one.text))

    def about(self, finding: Finding) -> bool:
        """Whether a finding is about a minor: by number, or by the line of the players' file."""
        if finding.player:
            return finding.player in self.numbers
        named = [value for value in finding.values.values() if isinstance(value, Candidates)]
        if any(self.hides(one) for value in named for one in value.persons):
            return True
        file = finding.file.replace("\\", "/").rsplit("/", 1)[-1]
        several = any(source.name.endswith("players.csv") for source in self.event.sources)
        return finding.line in self.lines and (not several or file == "players.csv")

    def finding(self, finding: Finding) -> Finding:
        """The finding without what tells who a minor is."""
        published, recomputed = self.text(finding.published), self.text(finding.recomputed)
        values = {key: self.text(value) for key, value in finding.values.items()}
        if self.about(finding):
            hidden = self.stand_in.get(finding.player) or words.text("audit.hidden", self.language)
            if finding.field in PERSONAL or not finding.player:
                published, recomputed = published and hidden, recomputed and hidden
            for key, value in values.items():
                if isinstance(value, Candidates):
                    values[key] = Candidates(self.person(one, always=True) for one in value.persons)
                elif key in _ABOUT and (finding.field in PERSONAL or not finding.player):
                    values[key] = hidden
        return replace(
            finding,
            published=published,
            recomputed=recomputed,
            causes=self.causes(finding.causes),
            values=values,
        )

    def causes(self, causes: Sequence[Cause]) -> tuple[Cause, ...]:
        """Causes with clean details."""
        return tuple(replace(cause, detail=self.text(cause.detail)) for cause in causes)

    def findings(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Findings without what tells who a minor is."""
        return tuple(map(self.finding, findings))

    def frame(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A table with a row per player and value: stand-ins for names, nothing for ids and birth data."""
        if "number" not in frame.columns or not len(frame):
            return frame
        rows = frame["number"].isin(self.numbers).to_numpy()
        columns: dict[str, Any] = {}
        if "name" in frame.columns:
            columns["name"] = [
                self.stand_in.get(number, name) if hidden else name
                for number, name, hidden in zip(frame["number"], frame["name"], rows, strict=True)
            ]
        for column, empty in (("id", ""), ("birth_year", np.nan), ("birth_date", "")):
            if column in frame.columns:
                columns[column] = frame[column].where(~rows, empty)
        if "causes" in frame.columns:
            columns["causes"] = pd.Series([self.causes(one) for one in frame["causes"]], index=frame.index)
        if "note" in frame.columns:
            columns["note"] = frame["note"].map(self.text)
        return frame.assign(**columns)

    def extra(self, extra: Mapping[str, Any]) -> dict[str, Any]:
        """What else a file said: columns of players without the minors, no lines as they stood there."""
        kept: dict[str, Any] = {}
        for key, value in extra.items():
            if key.endswith("left_out"):
                continue
            if key.startswith(("players.", "official.")) and isinstance(value, Mapping):
                value = {number: one for number, one in value.items() if number not in self.numbers}
            kept[key] = value
        return kept

    def titles(self, titles: Titles) -> Titles:
        """Titles without the names of minors; sheets name every opponent and are left out."""
        return replace(
            titles,
            players=self.frame(titles.players),
            certificates=self.frame(titles.certificates),
            entries=self.frame(titles.entries),
            sheets=(),
            findings=self.findings(titles.findings),
        )


def masked(audit: Audit, language: str) -> Audit:
    """The audit with neutral names instead of minors' names, without their ids and birth data.

    In findings that is so for everything said of them: the rows of a list that may be theirs, the cells of their
    lines; candidates who are minors by the list are hidden in the findings about others too.
    """
    hidden = frozenset(number for number, minor in minors(audit.event, audit.lists).items() if minor)
    players = audit.event.players
    rows = players["number"].isin(hidden).to_numpy()
    stand_in = {number: words.text("audit.minor", language, number=number) for number in hidden}
    texts: dict[str, str] = {}
    some = players[rows]
    for number, name, id, born in zip(
        some["number"].tolist(),
        some["name"].tolist(),
        some["id"].tolist(),
        some["birth_date"].tolist(),
        strict=True,
    ):
        texts.setdefault(name, stand_in[number])
        if len(id) >= _SHORTEST_ID:
            texts.setdefault(id, stand_in[number])
        if len(born) == 10:
            texts.setdefault(born, "****-**-**")
    texts.pop("", None)
    # Longer ones first: one name may begin another. Ids and days are numbers of their own, not parts of others.
    whole = sorted(texts, key=len, reverse=True)
    parts = [rf"(?<!\w){re.escape(one)}(?!\w)" if one.isascii() else re.escape(one) for one in whole]
    mask = _Mask(
        event=audit.event,
        language=language,
        numbers=hidden,
        stand_in=stand_in,
        texts=texts,
        pattern=re.compile("|".join(parts)) if parts else None,
        lines=frozenset(int(line) for line in some["line"].tolist() if line > 0),
    )
    rating = audit.rating
    if rating is not None:
        rating = replace(rating, players=mask.frame(rating.players), findings=mask.findings(rating.findings))
    standings = audit.standings
    return replace(
        audit,
        event=replace(
            audit.event,
            players=mask.frame(players),
            faults=mask.findings(audit.event.faults),
            extra=mask.extra(audit.event.extra) if hidden else audit.event.extra,
        ),
        rating=rating,
        comparison=mask.frame(audit.comparison),
        standings=replace(
            standings,
            rows=mask.frame(standings.rows),
            findings=mask.findings(standings.findings),
            standings=None if hidden else standings.standings,
        ),
        titles=tuple(map(mask.titles, audit.titles)) if hidden else audit.titles,
        findings=mask.findings(audit.findings),
    )
