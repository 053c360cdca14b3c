"""The publication report of a rating list, section by section: one function a cell of the notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.lists import publication
from qiyi_analysis.lists.publication import Publication
from qiyi_analysis.model.errors import EventError
from qiyi_analysis.model.identity import match
from qiyi_analysis.model.register import plain_ids
from qiyi_analysis.report.kit import figures, prose
from qiyi_analysis.report.kit.tables import Column, Table
from qiyi_analysis.report.run.parameters import find_input
from qiyi_analysis.rules.ruleset import RuleSet, resolve

SECTIONS = (
    "facts", "lists", "groups", "movers", "newcomers", "distribution", "history", "events", "season", "method",
)  # fmt: skip
#: A longer table belongs into the workbook: the report prints so many places of each list.
LONGEST = 1000
MOVERS = 15


@dataclass(frozen=True, kw_only=True)
class View:
    """A publication and how it is to be shown."""

    publication: Publication
    language: str
    sections: tuple[str, ...]
    rules: RuleSet | None
    events: str
    player: str
    decimals: int
    variant: str

    def wants(self, section: str) -> bool:
        """Whether the section is among those asked for."""
        return section in self.sections


def publication_of(
    rating_list: str | Path,
    previous: Sequence[str] = (),
    *,
    rules: str = "",
    events: str = "",
    player: str = "",
    language: str = "zh",
    sections: Sequence[str] = (),
    variant: str = "standard",
) -> View:
    """Read the lists; an unknown section raises EventError naming those that exist.

    ``variant``: which rating (standard, rapid, blitz) of lists that have several side by side.
    """
    for one in sections:
        if one not in SECTIONS:
            raise EventError(
                "section-unknown", section=one, sections=SECTIONS, hint=words.nearest(one, SECTIONS)
            )
    found = publication.publication(
        find_input(str(rating_list)), [find_input(one) for one in previous], variant=variant
    )
    whole = (found.rows["rating"] == found.rows["rating"].round()).all()
    return View(
        publication=found,
        language=language,
        sections=tuple(sections) or SECTIONS,
        rules=resolve(rules, found.current.day) if rules else None,
        events=events,
        player=player,
        decimals=0 if whole else 1,
        variant=variant,
    )


def _word(view: View, key: str, **values: object) -> str:
    return words.text(f"publish.{key}", view.language, **values)


def _section(view: View, key: str) -> Any:
    return prose.heading(words.pair(f"publish.{key}", "zh"), view.language)


def head(view: View) -> Any:
    """Title, the list's name and its day."""
    current = view.publication.current
    return prose.title(
        words.pair("publish.title", "zh"),
        view.language,
        f"{current.id}  {current.day or ''}".strip(),
        day=current.day,
    )


def facts(view: View) -> Any:
    """Numbers of the list in one table, compared with the list before."""
    p = view.publication
    rows = p.rows
    pairs = [
        (words.pair("publish.players", "zh"), _counts(rows)),
        (words.pair("publish.mean", "zh"), f"{rows['rating'].mean():.1f}"),
        (words.pair("publish.median", "zh"), f"{rows['rating'].median():.1f}"),
        (
            words.pair("publish.first", "zh"),
            f"{rows['name'].iloc[0]} {_rating(view, rows['rating'].iloc[0])}",
        ),
    ]
    if p.current.kinds:
        kind = view.variant if view.variant in p.current.kinds else next(iter(p.current.kinds))
        pairs.insert(0, (words.pair("publish.kind", "zh"), words.text(f"rating-kind.{kind}", view.language)))
    if p.before is not None:
        pairs += [
            (words.pair("publish.before", "zh"), publication.label(p.before)),
            (words.pair("publish.changed", "zh"), str(int((rows["change"].fillna(0) != 0).sum()))),
            (words.pair("publish.new", "zh"), str(int(rows["new"].sum()))),
            (words.pair("publish.gone", "zh"), str(len(p.gone))),
            (words.pair("publish.mean_change", "zh"), f"{rows['change'].mean():+.2f}"),
        ]
    if p.namesakes:
        pairs.append((words.pair("publish.namesakes", "zh"), str(p.namesakes)))
    return prose.key_values(pairs, view.language)


def _counts(rows: pd.DataFrame) -> str:
    men, women = int((rows["sex"] == "m").sum()), int((rows["sex"] == "w").sum())
    return f"{len(rows)}  (♂ {men}, ♀ {women})" if men or women else str(len(rows))


def _rating(view: View, value: float) -> str:
    return f"{value:.{view.decimals}f}"


def lists(view: View) -> Any:
    """The list itself: one table for each sex where the list tells, else one."""
    if not view.wants("lists"):
        return None
    rows = view.publication.rows
    parts = [(sex, rows[rows["sex"] == sex]) for sex in ("m", "w")]
    parts = [(sex, part) for sex, part in parts if len(part)] or [("", rows)]
    rest = rows[~rows["sex"].isin(("m", "w"))]
    if parts[0][0] and len(rest):
        parts.append(("", rest))
    pieces: list[Any] = [_section(view, "lists")]
    for sex, part in parts:
        place = part["rating"].rank(method="min", ascending=False).astype(int)
        caption = words.pair(f"publish.list_{sex or 'all'}", "zh")
        notes = []
        if len(part) > LONGEST:
            notes.append(_word(view, "cut", shown=LONGEST, total=len(part)))
        pieces.append(_list_table(view, part.assign(place=place).head(LONGEST), caption, notes))
    return prose.group(*pieces, language=view.language)


def _columns(view: View, part: pd.DataFrame) -> list[Column]:
    """The columns that say something about these players."""
    columns = [Column("place", "integer"), Column("name", "name")]
    for name in ("federation", "unit", "title"):
        if part[name].nunique() > 1:
            columns.append(Column(name, "text"))
    if part["birth_year"].notna().any():
        columns.append(Column("birth_year", "integer"))
    columns.append(
        Column("list_rating", "decimal" if view.decimals else "integer", decimals=view.decimals or None)
    )
    if part["change"].notna().any():
        columns.append(Column("change", "signed", decimals=view.decimals))
    if part["games"].notna().any():
        columns.append(Column("games", "integer"))
    return columns


def _list_table(view: View, part: pd.DataFrame, caption: tuple[str, str], notes: Sequence[str] = ()) -> Table:
    shown = part.assign(list_rating=part["rating"])
    return Table("publish", _columns(view, part), shown, caption=caption, notes=notes, language=view.language)


def groups(view: View) -> Any:
    """By federation, unit, title and age class, where the list tells."""
    if not view.wants("groups"):
        return None
    tables = [
        (key, publication.grouped(view.publication, key, least=2 if key == "unit" else 1))
        for key in ("federation", "unit", "title")
    ]
    tables.append(("age", publication.by_age(view.publication)))
    pieces: list[Any] = []
    for key, table in tables:
        if len(table) < 2:
            continue
        columns = [
            Column("group", "text"),
            Column("players", "integer"),
            Column("mean", "decimal", decimals=1),
            Column("best", "decimal" if view.decimals else "integer", decimals=view.decimals or None),
            Column("best_name", "name"),
        ]
        caption = words.pair(f"publish.by_{key}", "zh")
        pieces.append(
            Table("publish_groups", columns, table.head(40), caption=caption, language=view.language)
        )
    if not pieces:
        return None
    return prose.group(_section(view, "groups"), *pieces, language=view.language)


def movers(view: View) -> Any:
    """Those who gained and lost most since the list before."""
    p = view.publication
    if not view.wants("movers") or p.before is None:
        return None
    changed = p.rows[p.rows["change"].fillna(0) != 0]
    up = changed[changed["change"] > 0].nlargest(MOVERS, "change")
    down = changed[changed["change"] < 0].nsmallest(MOVERS, "change")
    pieces: list[Any] = [_section(view, "movers")]
    for key, part in (("up", up), ("down", down)):
        if len(part):
            pieces.append(_list_table(view, part, words.pair(f"publish.{key}", "zh")))
    if len(pieces) == 1:
        pieces.append(prose.prose(_word(view, "no_change")))
    return prose.group(*pieces, language=view.language)


def newcomers(view: View) -> Any:
    """New names and names that are gone."""
    p = view.publication
    if not view.wants("newcomers") or p.before is None:
        return None
    pieces: list[Any] = [_section(view, "newcomers")]
    new = p.rows[p.rows["new"]]
    pieces.append(
        _list_table(view, new.head(LONGEST), words.pair("publish.new_names", "zh"))
        if len(new)
        else prose.prose(_word(view, "nobody_new"))
    )
    if len(p.gone):
        columns = [Column("name", "name"), Column("unit", "text"), Column("rating", "integer")]
        caption = words.pair("publish.gone_names", "zh")
        pieces.append(
            Table("publish_gone", columns, p.gone.head(LONGEST), caption=caption, language=view.language)
        )
    inactive = p.rows[p.rows["flag"].str.contains("i", regex=False)]
    if len(inactive):
        pieces.append(prose.prose(_word(view, "inactive", count=len(inactive))))
    return prose.group(*pieces, language=view.language)


def distribution(view: View) -> Any:
    """How the ratings are spread."""
    if not view.wants("distribution") or len(view.publication.rows) < 2:
        return None
    ratings = view.publication.rows["rating"]
    figure = figures.histogram(
        ratings,
        x_label=words.pair("column.list_rating", "zh"),
        caption=words.pair("publish.distribution", "zh"),
        alt=words.pair(
            "publish.distribution_alt", "zh", count=len(ratings), low=f"{ratings.min():.0f}",
            high=f"{ratings.max():.0f}", median=f"{ratings.median():.0f}",
        ),
        language=view.language,
    )  # fmt: skip
    return prose.group(_section(view, "distribution"), figure, language=view.language)


def history(view: View) -> Any:
    """The first ten over the lists at hand, and a player's own history where one was named."""
    p = view.publication
    if not view.wants("history") or not p.earlier:
        return None
    table = publication.history(p)
    dates = list(table.columns[1:])
    series = {
        row[0]: (np.arange(1, len(dates) + 1), np.array(row[1:], dtype=float))
        for row in table.itertuples(index=False)
    }
    figure = figures.lines(
        series,
        x_label=words.pair("publish.history_axis", "zh", first=dates[0], last=dates[-1], count=len(dates)),
        y_label=words.pair("column.list_rating", "zh"),
        caption=words.pair("publish.history", "zh"),
        alt=words.pair("publish.history_alt", "zh", lists=len(dates), first=table["name"].iloc[0]),
        language=view.language,
        points=True,
    )
    pieces: list[Any] = [_section(view, "history"), figure]
    if view.player:
        pieces.append(_player_history(view))
    return prose.group(*pieces, language=view.language)


def _player_history(view: View) -> Any:
    p = view.publication
    *listed, asked = plain_ids([*p.rows["id"].tolist(), view.player])
    same_id = np.array([bool(asked) and one == asked for one in listed], dtype=bool)
    wanted = p.rows[(p.rows["name"].str.casefold() == view.player.casefold()) | same_id]
    if len(wanted) != 1:
        return prose.prose(_word(view, "player_not_found", player=view.player, count=len(wanted)))
    rows, last = [], np.nan
    for one in (*p.earlier, p.current):
        at = match(wanted, one.register).row[0]
        if at < 0:
            continue
        rating = float(one.rows["rating"].iloc[at])
        rows.append({"date": publication.label(one), "list_rating": rating, "change": rating - last})
        last = rating
    columns = [
        Column("date", "text"),
        Column("list_rating", "decimal" if view.decimals else "integer", decimals=view.decimals or None),
        Column("change", "signed", decimals=view.decimals),
    ]
    caption = words.pair("publish.player_history", "zh", player=wanted["name"].iloc[0])
    return Table("publish_player", columns, rows, caption=caption, language=view.language)


def events(view: View) -> Any:
    """The events of the period, where their folder was given."""
    if not view.wants("events") or not view.events:
        return None
    from qiyi_analysis.model.errors import ReadError
    from qiyi_analysis.readers import read_event

    rows = []
    folder = Path(find_input(view.events))
    if not folder.is_dir():
        raise EventError("publish-events-folder", folder=view.events)
    for path in sorted(folder.iterdir()):
        try:
            event = read_event(path)
        except ReadError:
            continue
        rows.append(
            {
                "event": event.name or event.id,
                "place": event.place,
                "date": f"{event.start or ''} – {event.end or ''}".strip(" –"),
                "players": len(event.players),
                "rounds": event.rounds or event.rounds_played,
            }
        )
    columns = [
        Column("event", "text"),
        Column("venue", "text"),
        Column("date", "text"),
        Column("players", "integer"),
        Column("rounds", "integer"),
    ]
    shown = [{**row, "venue": row["place"]} for row in rows]
    table = Table("publish_events", columns, shown, language=view.language)
    return prose.group(_section(view, "events"), table, language=view.language)


def season(view: View) -> Any:
    """A review of all lists at hand: number of players, mean, leader."""
    p = view.publication
    if not view.wants("season") or len(p.earlier) < 2:
        return None
    rows = []
    for one in (*p.earlier, p.current):
        listed = one.rows[one.rows["rating"].notna()]
        ratings = listed["rating"]
        best = listed.iloc[int(ratings.to_numpy().argmax())]
        rows.append(
            {
                "date": publication.label(one),
                "players": len(ratings),
                "mean": ratings.mean(),
                "best": best["rating"],
                "best_name": best["name"],
            }
        )
    columns = [
        Column("date", "text"),
        Column("players", "integer"),
        Column("mean", "decimal", decimals=1),
        Column("best", "decimal" if view.decimals else "integer", decimals=view.decimals or None),
        Column("best_name", "name"),
    ]
    table = Table("publish_season", columns, rows, language=view.language)
    return prose.group(_section(view, "season"), table, language=view.language)


def method(view: View) -> Any:
    """How the ratings come about, and the files the report was made from."""
    if not view.wants("method"):
        return None
    p = view.publication
    pieces: list[Any] = [_section(view, "method")]
    if view.rules is not None:
        title = view.rules.title_zh if view.language == "zh" else view.rules.title
        pieces.append(prose.prose(_word(view, "rules", title=title, rules=view.rules.id)))
        pieces.append(prose.bullets([words.shown(note, view.language) for note in view.rules.notes]))
    else:
        pieces.append(prose.prose(_word(view, "no_rules")))
    sources = [source for one in (p.current, *p.earlier) for source in one.sources]
    columns = [Column("file", "text"), Column("sha256", "code")]
    rows = [{"file": source.name, "sha256": source.sha256} for source in sources]
    pieces.append(Table("publish_sources", columns, rows, language=view.language))
    remarks = [finding.message(view.language) for finding in p.findings if finding.severity != "I"]
    if remarks:
        pieces.append(prose.bullets(remarks[:40]))
    return prose.group(*pieces, language=view.language)
