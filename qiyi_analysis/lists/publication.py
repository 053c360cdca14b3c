"""A rating list as people read it: who stands where, who moved, who came and went, by the accounts of the two lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd

from qiyi_analysis.lists.accounting import COMPARED, Accounts, accounts_of, matched
from qiyi_analysis.lists.identities import Identities, read_identities
from qiyi_analysis.lists.list_gate import gate
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.identity import PERSON_COLUMNS
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.model.register import plain_ids
from qiyi_analysis.rating.rating_kinds import kind_of, list_for
from qiyi_analysis.readers import read_list
from qiyi_analysis.rules.ruleset import RuleSet

#: Age of majority, and what stands for the name of somebody younger.
MAJORITY, HIDDEN = 18, "***"
#: Last ages of the classes by the year a player turns the age; the last one is open.
AGES = (8, 10, 12, 14, 16, 18, 20, 29, 39, 49, 59)
AGE_NAMES = ("U8", "U10", "U12", "U14", "U16", "U18", "U20", "21-29", "30-39", "40-49", "50-59", "60+")
#: A player who belongs to no group that is known.
NOT_KNOWN = ""


@dataclass(frozen=True, kw_only=True)
class Publication:
    """A list with what is needed to publish it.

    ``rows``: the players with a rating, best first and the inactive ones last, with ``place`` (shared by equals; NaN for the
    inactive, who are not ranked), ``previous``, ``change``, ``status`` and ``reason`` of the accounts, ``new``, ``inactive``,
    ``minor``. ``accounts`` and ``earlier`` (oldest first): empty for the first list. ``gate``: what is wrong with the lists;
    ``skipped``: a finding for each list that has no ratings of this kind. ``replaced``: the accounts of the list this one
    corrects, ``revision`` its number.
    """

    current: RatingList
    earlier: tuple[RatingList, ...]
    rows: pd.DataFrame
    accounts: Accounts | None = None
    gate: tuple[Finding, ...] = ()
    skipped: tuple[Finding, ...] = ()
    replaced: Accounts | None = None
    revision: int = 0
    reason: str = ""
    rules: RuleSet | None = field(default=None, repr=False)

    @property
    def before(self) -> RatingList | None:
        """The list that came before, None for the first."""
        return self.earlier[-1] if self.earlier else None

    @property
    def gone(self) -> pd.DataFrame:
        """Players of the list before who have no rating on this one."""
        return self.rows.iloc[:0] if self.accounts is None else self.accounts.of("gone")

    @property
    def namesakes(self) -> int:
        """How many may be somebody of the list before, and are not compared with it."""
        return 0 if self.accounts is None else self.accounts.counts["doubtful"]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong with the lists, then what cannot be decided between them."""
        return (*self.gate, *self.skipped, *(self.accounts.findings if self.accounts else ()))


def publication(
    path: str | Path,
    previous: Sequence[str | Path] = (),
    *,
    variant: str = "standard",
    rules: RuleSet | None = None,
    identities: str | Path = "",
    day: date | None = None,
    replaces: str | Path = "",
    revision: int = 0,
    reason: str = "",
    rank_inactive: bool = False,
) -> Publication:
    """Read a list and earlier ones, each once, and compare it with the newest of those.

    ``variant`` as for ``read_list``; ``identities``: a file of decisions on who is who; ``day``: the day of a list whose name
    and rows tell none; ``replaces``: the published list that this one, its ``revision``, corrects.
    """
    current = read_list(path, variant=variant)
    if day is not None:
        current = replace(current, day=day)
    decided = read_identities(identities)
    same, skipped = of_one_kind(current, [read_list(one, variant=variant) for one in previous], variant)
    # Lists without a date keep the order they were given in.
    lists = sorted(same, key=lambda one: one.day.toordinal() if one.day else 0)
    checked, older, found = gate(current, lists, rules, decided)
    made = compared(checked, older, decided, rank_inactive=rank_inactive)
    corrected = None
    if replaces:
        (wrong,) = of_one_kind(current, [read_list(replaces, variant=variant)], variant)[0] or (current,)
        wrong, *_ = gate(wrong, (), rules)
        corrected = accounts_of(wrong, checked, (), decided)
    return replace(
        made, gate=found, skipped=skipped, replaced=corrected, revision=revision, reason=reason, rules=rules
    )


def of_one_kind(
    current: RatingList, earlier: Iterable[RatingList], variant: str = "standard"
) -> tuple[tuple[RatingList, ...], tuple[Finding, ...]]:
    """Earlier lists with ratings of the kind that stands in the current one, and a finding for each that has none.

    Standard, rapid and blitz ratings are three ratings: a change from one to another is none. Lists that do not tell their
    kind are taken as they are.
    """
    own = kind_of(current.document)
    if current.kinds:
        own = variant if variant in current.kinds else next(iter(current.kinds))
    if not own:
        return tuple(earlier), ()
    found, findings = [], []
    for one in earlier:
        same = list_for(one, f"fide/rating-{own}")
        if same.rows["rating"].notna().any():
            found.append(same)
        else:
            values = {"list": one.id, "rules": current.id}
            findings.append(
                Finding(code="CK44", reason="list-of-other-kind", severity="W", file=one.id, values=values)
            )
    return tuple(found), tuple(findings)


def compared(
    current: RatingList,
    earlier: tuple[RatingList, ...] = (),
    identities: Identities | None = None,
    *,
    rank_inactive: bool = False,
) -> Publication:
    """The publication of a list that is already read and checked."""
    if earlier:
        accounts = accounts_of(earlier[-1], current, earlier[:-1], identities)
        rows = accounts.now
    else:
        accounts = None
        rows = current.rows.assign(row=-1, previous=np.nan, change=np.nan, status="", reason="")
    rows = rows[rows["rating"].notna()]
    idle = rows["flag"].str.casefold().str.contains("i", regex=False)
    rows = rows.assign(inactive=idle, new=rows["status"] == "new", minor=_minors(rows, current.day))
    ranked = rows["rating"] if rank_inactive else rows["rating"].where(~idle)
    rows["place"] = ranked.rank(method="min", ascending=False)
    rows["last"] = ranked.isna()
    rows = rows.sort_values(["last", "rating", "name"], ascending=[True, False, True], kind="stable")
    rows = rows.drop(columns="last").reset_index(drop=True)
    return Publication(current=current, earlier=earlier, rows=rows, accounts=accounts)


def _minors(rows: pd.DataFrame, day: date | None) -> pd.Series:
    """Who may be younger than 18 on the day of the list; everybody with a year of birth where it has no day."""
    born = rows["birth_year"]
    return born.notna() if day is None else born >= day.year - MAJORITY


def masked(p: Publication) -> Publication:
    """The same without the names and birth years of minors, on this list and those before."""

    def hide(rows: pd.DataFrame, minor: pd.Series | np.ndarray) -> pd.DataFrame:
        return rows.assign(
            name=rows["name"].where(~minor, HIDDEN), birth_year=rows["birth_year"].where(~minor)
        )

    def accounts(one: Accounts | None) -> Accounts | None:
        if one is None:
            return None
        day = p.current.day
        before, now, left = (hide(part, _minors(part, day)) for part in (one.before, one.now, one.left))
        return replace(
            one,
            before=before,
            now=now,
            left=left,
            findings=tuple(f for f in one.findings if f.code != "CK11"),
        )

    return replace(
        p,
        rows=hide(p.rows, p.rows["minor"]),
        accounts=accounts(p.accounts),
        replaced=accounts(p.replaced),
        current=replace(p.current, rows=hide(p.current.rows, _minors(p.current.rows, p.current.day))),
        gate=tuple(
            replace(f, values={**f.values, "name": HIDDEN}) if "name" in f.values else f for f in p.gate
        ),
    )


def corrections(p: Publication) -> pd.DataFrame:
    """What the list corrects, one row a value: ``id, name, field, was, now`` (texts), best players first."""
    if p.replaced is None:
        return pd.DataFrame(columns=["id", "name", "field", "was", "now"])
    parts = [p.replaced.changed(column).assign(field=column) for column in COMPARED]
    for part, column in zip(parts, COMPARED, strict=True):
        part["now"] = part[column]
    moved = p.replaced.now[p.replaced.now["change"].fillna(0) != 0]
    parts.append(moved.assign(field="rating", was=moved["previous"], now=moved["rating"]))
    for status in ("new", "first", "back", "doubtful"):
        rows = p.replaced.of(status)
        parts.append(rows.assign(field="rating", was=np.nan, now=rows["rating"]))
    for status in ("gone", "undecided"):
        rows = p.replaced.of(status)
        parts.append(rows.assign(field="rating", was=rows["rating"], now=np.nan))
    table = pd.concat(
        [part[["id", "name", "rating", "field", "was", "now"]].astype(object) for part in parts]
    )
    table = table.sort_values(["rating", "name"], ascending=[False, True], kind="stable", na_position="last")
    for side in ("was", "now"):
        table[side] = [
            "" if v is None or v != v else (f"{v:g}" if isinstance(v, float) else str(v)) for v in table[side]
        ]
    return table.drop(columns="rating").reset_index(drop=True)


def history(p: Publication, players: pd.DataFrame | None = None, count: int = 10) -> pd.DataFrame:
    """Ratings over all lists at hand, a row a list by its day (its number, where one has none), a column a player.

    ``players``: rows of the publication, the first ``count`` unless given. Names that two share have the id beside them.
    """
    first = p.rows.head(count) if players is None else players
    lists = (*p.earlier, p.current)
    if not len(first):
        return pd.DataFrame(index=pd.RangeIndex(len(lists)))
    twice = first["name"].duplicated(keep=False)
    names = first["name"].where(~twice, first["name"] + " " + first["id"])
    names = names.where(~names.duplicated(keep=False), names + " " + first["place"].map("{:g}".format))
    days = [one.day for one in lists]
    index = pd.DatetimeIndex(days) if all(days) else pd.RangeIndex(1, len(lists) + 1)
    return pd.DataFrame(ratings_over(p, first), index=index, columns=names.tolist())


def ratings_over(p: Publication, players: pd.DataFrame) -> np.ndarray:
    """Ratings of some rows of the publication: a row a list, oldest first, a column a player."""
    lists = (*p.earlier, p.current)
    table = {p.current.id: _rows_of(players, p.current)}
    who = players
    for one in reversed(p.earlier):
        # By the accounts who had another id or name on the list before; older lists are asked for whom that one names.
        known = one is p.before and "row" in players and p.accounts is not None
        row = players["row"].to_numpy() if known else _rows_of(who, one)
        table[one.id] = row
        named = one.rows.iloc[np.maximum(row, 0)].set_index(who.index)[list(PERSON_COLUMNS)]
        there = pd.Series(row >= 0, index=who.index)
        who = named.where(there, who[list(PERSON_COLUMNS)])
    return np.array(
        [np.append(one.rows["rating"].to_numpy(dtype=np.float64), np.nan)[table[one.id]] for one in lists]
    )


def _rows_of(players: pd.DataFrame, one: RatingList) -> np.ndarray:
    return matched(players, one.rows, Identities())[0]


def player_rows(p: Publication, asked: str) -> pd.DataFrame:
    """The players of the list with an id or a name; those of the lists before where this one has none."""
    lists = [p.rows, *(one.rows.assign(place=np.nan) for one in reversed(p.earlier))]
    for rows in lists:
        *listed, wanted = plain_ids([*rows["id"].tolist(), asked])
        same = np.array([bool(wanted) and one == wanted for one in listed], dtype=bool)
        found = rows[same] if same.any() else rows[rows["name"].str.casefold() == asked.casefold()]
        if len(found):
            return found
    return p.rows.iloc[:0]


def label(one: RatingList) -> str:
    """A list's date, or its name where it has none."""
    return one.day.isoformat() if one.day else one.id


def mean(values: pd.Series) -> float:
    """The mean to one decimal, a half away from zero; NaN of nothing."""
    exact = values.mean()
    return float(np.sign(exact) * np.floor(abs(exact) * 10 + 0.5) / 10)


def grouped(p: Publication, column: str) -> pd.DataFrame:
    """Players by a column: ``group, players, mean, best, best_name``, the largest group first, those not known last."""
    return _groups(p.rows, p.rows[column].astype(str)).sort_values(
        ["unknown", "players", "mean"], ascending=[True, False, False], kind="stable", ignore_index=True
    )  # fmt: skip


def _groups(rows: pd.DataFrame, of: pd.Series) -> pd.DataFrame:
    best = rows.sort_values(["rating", "name"], ascending=[False, True], kind="stable")
    parts = best.groupby(of.reindex(best.index), sort=True)
    table = pd.DataFrame(
        {"players": parts.size(), "mean": parts["rating"].agg(mean), "best": parts["rating"].first(),
         "best_name": parts["name"].first()}
    )  # fmt: skip
    return table.rename_axis("group").reset_index().assign(unknown=lambda t: t["group"] == NOT_KNOWN)


def by_age(p: Publication) -> pd.DataFrame:
    """Players by age class in the year of the list; empty without birth years or a date."""
    if p.current.day is None or not p.rows["birth_year"].notna().any():
        return grouped(p, "unit").iloc[:0]
    age = p.current.day.year - p.rows["birth_year"]
    classes = (
        pd.cut(age, [-1, *AGES, 200], labels=AGE_NAMES)
        .astype(object)
        .where(~age.isna(), NOT_KNOWN)
        .fillna(NOT_KNOWN)
    )
    order = {name: i for i, name in enumerate((*AGE_NAMES, NOT_KNOWN))}
    return _groups(p.rows, classes).sort_values("group", key=lambda g: g.map(order), ignore_index=True)


def season(p: Publication) -> pd.DataFrame:
    """One row a list: ``date, players, mean, best, best_name``, and the changes to the list before it."""
    rows = []
    for one in (*p.earlier, p.current):
        listed = one.rows[one.rows["rating"].notna()]
        best = listed.nlargest(1, "rating")
        rows.append(
            {"date": label(one), "players": len(listed), "mean": mean(listed["rating"]), "best": best["rating"].max(),
             "best_name": best["name"].iloc[0] if len(best) else ""}
        )  # fmt: skip
    return pd.DataFrame(rows)


def over_all(p: Publication) -> pd.DataFrame:
    """The players over all lists at hand: the rows with ``first`` and ``moved`` (from the first rating there to the one now),
    ``peak`` and its ``date``, ``lists`` (on how many with a rating) and ``played`` (games; NaN where the lists do not tell).
    """
    lists = (*p.earlier, p.current)
    ratings = ratings_over(p, p.rows)
    there = ~np.isnan(ratings)
    columns = np.arange(len(p.rows))
    first = ratings[there.argmax(axis=0), columns]
    highest = np.where(there, ratings, -np.inf).argmax(axis=0)
    return p.rows.assign(
        first=first, moved=p.rows["rating"].to_numpy() - first, peak=ratings[highest, columns],
        date=np.array([label(one) for one in lists], dtype=object)[highest], lists=there.sum(axis=0), played=_played(p),
    )  # fmt: skip


def _played(p: Publication) -> np.ndarray:
    """Games over the lists: the sum of those of each period, or how the games so far have grown since the first list."""
    lists = (*p.earlier, p.current)
    rows = [p.rows.index.to_numpy() if one is p.current else _rows_of(p.rows, one) for one in lists]
    tables = [p.rows if one is p.current else one.rows for one in lists]
    games = np.array(
        [
            np.append(one["games"].to_numpy(dtype=np.float64), np.nan)[row]
            for one, row in zip(tables, rows, strict=True)
        ]
    )
    if p.current.document.startswith("fide/"):
        known = ~np.isnan(games)
        return np.where(known.any(axis=0), np.where(known, games, 0).sum(axis=0), np.nan)
    return games[-1] - games[0]
