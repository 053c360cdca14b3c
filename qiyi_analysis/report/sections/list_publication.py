"""The publication report of a rating list: what the notebook shows, as data frames and pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.lists import publication
from qiyi_analysis.lists.accounting import LEFT
from qiyi_analysis.lists.list_gate import stops
from qiyi_analysis.lists.movements import largest
from qiyi_analysis.lists.publication import Publication
from qiyi_analysis.model.errors import EventError, ParameterError
from qiyi_analysis.report.kit.page import Page
from qiyi_analysis.report.run.parameters import find_input
from qiyi_analysis.rules.ruleset import resolve

Section = Literal[
    "corrections", "facts", "accounts", "lists", "movers", "changes", "groups", "distribution", "history", "events", "season", "year",
    "findings", "method",
]  # fmt: skip
SECTIONS: tuple[str, ...] = get_args(Section)
#: Rows printed of a long table; its notes say of how many, the workbook and the CSV have all.
MOST, MOVERS = 1000, 15
#: What can be told of players who are on both lists.
_CHANGED = {"id": "id-changed", "name": "renamed", "unit": "moved", "federation": "moved", "title": "titled",
            "sex": "corrected", "birth_year": "corrected"}  # fmt: skip


def published(
    rating_list: str | Path,
    previous: Sequence[str] = (),
    *,
    rules: str = "",
    variant: str = "standard",
    identities: str = "",
    day: str = "",
    replaces: str = "",
    revision: int = 0,
    reason: str = "",
    rank_inactive: bool = False,
    mask_minors: bool = False,
    sections: Sequence[str] = (),
    **_: Any,
) -> Publication:
    """Read and compare the lists, the parameters being those of the notebook. Raises EventError for an unknown section."""
    for one in sections:
        if one not in SECTIONS:
            hint = words.nearest(one, SECTIONS)
            raise EventError("section-unknown", section=one, sections=SECTIONS, hint=hint)
    try:
        own_day = date.fromisoformat(day) if day else None
    except ValueError:
        raise ParameterError("day-unreadable", day=day) from None
    found = publication.publication(
        find_input(str(rating_list)), [find_input(one) for one in previous], variant=variant,
        rules=resolve(rules, own_day) if rules else None, identities=find_input(identities) if identities else "",
        day=own_day, replaces=find_input(replaces) if replaces else "", revision=revision, reason=reason,
        rank_inactive=rank_inactive,
    )  # fmt: skip
    if rules and own_day is None and found.current.day:
        found = replace(found, rules=resolve(rules, found.current.day))
    return publication.masked(found) if mask_minors else found


def verdict(page: Page, p: Publication) -> Any:
    """Whether the list can be published as it stands, and how it follows from the one before."""
    tone = "return" if stops(p.gate) else ("remarks" if p.findings else "accept")
    line = "" if p.accounts is None else words.shown(p.accounts.line(), page.language)
    return page.verdict(tone, f"publish_verdict.{tone}", line)


def subtitle(page: Page, p: Publication) -> str:
    """The day of the list, and which correction of it this is."""
    day = publication.label(p.current)
    return page.say("revision", day=day, revision=p.revision) if p.revision else day


def facts(page: Page, p: Publication, variant: str = "standard") -> dict[str, Any]:
    """The numbers of the list."""
    rows = p.rows
    best = rows.nlargest(1, "rating")
    men, women = ((rows["sex"] == sex).sum() for sex in ("m", "w"))
    kinds = p.current.kinds
    kind = variant if variant in kinds else next(iter(kinds), "")
    compared = {} if p.before is None else {
        "before": publication.label(p.before),
        "changed": int((rows["change"].fillna(0) != 0).sum()),
        "mean_change": f"{rows['change'].mean():+.2f}" if rows["change"].notna().any() else "",
    }  # fmt: skip
    return {
        "kind": page.say(f"rating-kind.{kind}") if kind else "",
        "players": page.say("by_sex", players=len(rows), men=men, women=women) if men or women else len(rows),
        "registered": int(p.current.rows["rating"].isna().sum()) or "",
        "inactive": int(rows["inactive"].sum()) or "",
        "mean": f"{publication.mean(rows['rating']):.1f}" if len(rows) else "",
        "median": f"{rows['rating'].median():.1f}" if len(rows) else "",
        "first": f"{best['name'].iloc[0]} {best['rating'].iloc[0]:g}" if len(best) else "",
        **compared,
    }


def decimals(p: Publication) -> str:
    """The kind of the column of ratings: whole numbers, or one decimal where the list has some."""
    return "integer" if (p.rows["rating"] == p.rows["rating"].round()).all() else "decimal 1"


def columns(p: Publication, wanted: Sequence[str] = ()) -> dict[str, str]:
    """Columns of the tables of players: those that say something about this list, or the ones that are asked for."""
    rows, rating = p.rows, decimals(p)
    kinds = {"place": "integer", "id": "code", "name": "name", "sex": "text", "federation": "text", "unit": "text",
             "title": "text", "birth_year": "integer", "list_rating": rating,
             "change": "signed 0" if rating == "integer" else "signed 1", "games": "integer"}  # fmt: skip
    if wanted:
        return {one: kinds[one] for one in kinds if one in (*wanted, "list_rating")}
    several = {one for one in ("federation", "unit", "title") if rows[one].nunique() > 1}
    there = {one for one in ("birth_year", "change", "games") if rows[one].notna().any()}
    there |= {"id"} if rows["id"].ne("").any() else set()
    return {one: kinds[one] for one in kinds if one in {"place", "name", "list_rating", *several, *there}}


def shown(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows as the tables print them: the rating under its own head."""
    return rows.assign(list_rating=rows["rating"])


def cut(page: Page, rows: Any, most: int = MOST) -> list[str]:
    """The note below a table of which only the first rows are printed."""
    return [page.say("cut", shown=most, total=len(rows))] if len(rows) > most else []


def table(page: Page, rows: pd.DataFrame, wanted: Any, key: str, most: int = MOST) -> Any:
    """A table of the first rows with a note of how many there are."""
    return page.table(rows.head(most), wanted, key, notes=cut(page, rows, most))


def lists(page: Page, p: Publication, wanted: Sequence[str] = ()) -> list[Any]:
    """The list itself: a table for each sex where the list tells, places counted in each; the inactive apart."""
    active, idle = p.rows[p.rows["place"].notna()], p.rows[p.rows["place"].isna()]
    sexes = [sex for sex in ("m", "w") if (active["sex"] == sex).any()]
    parts = {f"list_{sex}": active[active["sex"] == sex] for sex in sexes}
    rest = active[~active["sex"].isin(sexes)] if sexes else active
    parts["list_unknown" if sexes else "list_all"] = rest
    made = []
    for key, part in parts.items():
        place = part["rating"].rank(method="min", ascending=False)
        made.append(table(page, shown(part.assign(place=place)), columns(p, wanted), key))
    without_place = {name: kind for name, kind in columns(p, wanted).items() if name != "place"}
    return [*made, table(page, shown(idle), without_place, "list_inactive")]


#: The parts of the accounts in the order of the table, and those that are shown when they are nobody.
_PARTS = (
    "before",
    "new",
    "first",
    "back",
    "doubtful",
    "gone",
    "undecided",
    "now",
    "registered",
    "unregistered",
)
_ALWAYS = ("before", "new", "gone", "now")


def accounts(page: Page, p: Publication) -> pd.DataFrame:
    """One row a part of the accounts: ``what, players, names`` (the first of them)."""
    if p.accounts is None:
        return pd.DataFrame(columns=["what", "players", "names"])
    counts = p.accounts.counts
    rows = []
    for key in _PARTS:
        if not counts[key] and key not in _ALWAYS:
            continue
        names = [] if key in ("before", "now") else p.accounts.of(key)["name"].head(6).tolist()
        more = ["…"] if len(names) < counts[key] and names else []
        rows.append(
            {
                "what": page.say(f"accounts.{key}"),
                "players": counts[key],
                "names": words.listed([*names, *more], page.language),
            }
        )
    return pd.DataFrame(rows, columns=["what", "players", "names"])


def movers(p: Publication, sign: int) -> pd.DataFrame:
    """Who gained (1) or lost (-1) most; equals of the last are there too."""
    return shown(largest(p.rows[p.rows["change"] * sign > 0], "change", MOVERS))


#: Columns of the table of changes.
CHANGE = {
    "what": "text",
    "id": "code",
    "name": "name",
    "unit": "text",
    "list_rating": "integer",
    "was": "text",
    "now": "text",
}


def people(page: Page, p: Publication) -> pd.DataFrame:
    """Everybody of whom the accounts say something, one row each thing: ``what, id, name, unit, list_rating, was, now``."""
    if p.accounts is None:
        return pd.DataFrame(columns=["what", "id", "name", "unit", "list_rating", "was", "now"])
    parts = []
    for status in ("new", "first", "back", "doubtful", *LEFT):
        rows = p.accounts.of(status)
        why = [page.say(f"list_reason.{one}") if one and status == "gone" else "" for one in rows["reason"]]
        parts.append(rows.assign(what=page.say(f"accounts.{status}"), was="", now=why))
    for column, kind in _CHANGED.items():
        rows = p.accounts.changed(column)
        texts = {
            side: [f"{v:g}" if isinstance(v, float) else str(v) for v in rows[name]]
            for side, name in (("was", "was"), ("now", column))
        }
        parts.append(rows.assign(what=page.say(f"accounts.{kind}"), **texts))
    rows = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return shown(rows)[["what", "id", "name", "unit", "list_rating", "was", "now"]]


def groups(page: Page, p: Publication) -> list[Any]:
    """By federation, unit, title and age class, where the list tells."""
    found = {key: publication.grouped(p, key) for key in ("federation", "unit", "title")}
    found["age"] = publication.by_age(p)
    wanted = {
        "group": "text",
        "players": "integer",
        "mean": "decimal 1",
        "best": decimals(p),
        "best_name": "name",
    }
    return [
        table(
            page,
            part.assign(group=part["group"].where(~part["unknown"], page.say("not_known"))),
            wanted,
            f"by_{key}",
            300,
        )
        for key, part in found.items()
        if len(part) > 1
    ]


def curves(p: Publication, player: str = "") -> pd.DataFrame:
    """Ratings over the lists: of the first ten, or of the players with a name or an id."""
    return publication.history(p, publication.player_rows(p, player) if player else None)


def draw(ax: Any, ratings: pd.DataFrame) -> Any:
    """A line a player on matplotlib axes; the days of the lists are on the axis where all have one."""
    from qiyi_analysis.report.kit import plots

    if not len(ratings.columns):
        return None
    for number, name in enumerate(ratings.columns):
        ax.plot(ratings.index, ratings.iloc[:, number], label=name)
    if isinstance(ratings.index, pd.DatetimeIndex):
        ax.set_xticks(ratings.index[np.unique(np.linspace(0, len(ratings) - 1, 7).astype(int))])
        ax.xaxis.set_major_formatter(_days())
    else:
        plots.whole(ax.xaxis)
    return plots.legend(ax, ax.get_lines())


def _days() -> Any:
    from matplotlib.dates import DateFormatter

    return DateFormatter("%Y-%m-%d")


def of_player(p: Publication, player: str) -> pd.DataFrame:
    """One player's ratings: ``date, name, list_rating, change``; a list without the player is a row without a rating."""
    ratings = curves(p, player)
    parts = [
        pd.DataFrame({"date": [publication.label(one) for one in (*p.earlier, p.current)], "name": name,
                      "list_rating": values.to_numpy(), "change": values.diff().to_numpy()})
        for name, values in ratings.items()
    ]  # fmt: skip
    return pd.concat(parts) if parts else pd.DataFrame(columns=["date", "name", "list_rating", "change"])


def events(page: Page, p: Publication, folder: str) -> pd.DataFrame:
    """The reports of the period, by the ledger of the list: ``event, venue, date, players, games, state, reason``."""
    if not folder:
        return pd.DataFrame()
    from qiyi_analysis.lists.before_rebuild import check_events
    from qiyi_analysis.lists.list_files import read_reports, reason_word, with_unreadable
    from qiyi_analysis.lists.periods import period
    from qiyi_analysis.lists.state import state_of

    if p.rules is None or p.current.day is None:
        raise ParameterError("publish-events-need-rules")
    place = Path(find_input(folder))
    if not place.is_dir():
        raise EventError("publish-events-folder", folder=folder)
    reports = read_reports(place)
    chosen = period(p.rules, f"{p.current.day:%Y-%m}")
    _, ledger, _ = check_events(reports.events, state_of(p.before or p.current), chosen, p.rules)
    ledger = with_unreadable(ledger, reports.findings)
    venues = {one.id: one.place for one in reports.events}
    return ledger.assign(
        event=ledger["name"].where(ledger["name"].astype(bool), ledger["event"]),
        venue=[venues.get(one, "") for one in ledger["event"]],
        date=[
            " – ".join(str(d) for d in pair if d == d and d)
            for pair in zip(ledger["start"], ledger["end"], strict=True)
        ],
        state=[page.say(f"list_state.{state}") for state in ledger["state"]],
        reason=[reason_word(one, page.language) for one in ledger["reason"]],
    )[["event", "venue", "date", "players", "games", "state", "reason"]]


def findings(page: Page, p: Publication) -> pd.DataFrame:
    """What is wrong with the lists, a row each: ``severity, file, line, message``."""
    return pd.DataFrame(
        [
            (page.say(f"severity.{f.severity}"), f.file, f.line or None, f.message(page.language))
            for f in p.findings
        ],
        columns=["severity", "file", "line", "message"],
    )


def correction(page: Page, p: Publication) -> list[Any]:
    """The notice of correction: what list it replaces, why, and each value that is another one."""
    if p.replaced is None:
        return []
    rows = publication.corrections(p)
    rows["field"] = [words.shown(words.named("field", one), page.language) for one in rows["field"]]
    return [
        page.text("correction", day=publication.label(p.current), revision=p.revision, count=len(rows)),
        page.text("why", reason=p.reason) if p.reason else None,
        table(
            page,
            rows,
            {"id": "code", "name": "name", "field": "text", "was": "text", "now": "text"},
            "corrections",
        ),
    ]


def method(page: Page, p: Publication) -> list[Any]:
    """How the ratings come about, and the files the report was made from."""
    sources = pd.DataFrame(
        [(one.name, one.sha256) for lists in (p.current, *p.earlier) for one in lists.sources],
        columns=["file", "sha256"],
    )
    if p.rules is None:
        return [
            page.text("no_rules"),
            page.table(sources, {"file": "text", "sha256": "code"}, "publish_sources"),
        ]
    title = p.rules.title_zh if page.language == "zh" else p.rules.title
    return [
        page.text("rules", title=title, rules=p.rules.id),
        page.bullets([words.shown(note, page.language) for note in p.rules.notes]),
        page.table(sources, {"file": "text", "sha256": "code"}, "publish_sources"),
    ]


#: From so many lists on there is a review of the players over all of them.
_SEVERAL = 4


def year(page: Page, p: Publication) -> list[Any]:
    """The players over all lists at hand, four at least: who moved most, who reached the highest ratings, who played most."""
    if len(p.earlier) + 1 < _SEVERAL:
        return []
    rows = publication.over_all(p)
    rating = decimals(p)
    person = {"id": "code", "name": "name", "unit": "text"}
    moved = largest(rows[rows["moved"].abs() > 0], "moved", MOVERS)
    played = rows[rows["played"] > 0].nlargest(MOVERS, "played", keep="all")
    return [
        page.table(moved, {**person, "first": rating, "rating": rating, "moved": "signed 0"}, "year_movers", drop_empty=True),
        page.table(
            rows.nlargest(MOVERS, "peak", keep="all"), {**person, "peak": rating, "date": "text", "lists": "integer"},
            "year_peaks", drop_empty=True,
        ),
        page.table(played, {**person, "played": "integer", "lists": "integer"}, "year_active", drop_empty=True),
    ]  # fmt: skip
