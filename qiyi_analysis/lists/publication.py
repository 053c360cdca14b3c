"""A rating list as people read it: who stands where, who moved, who came and went.

Rows are matched as everywhere (:mod:`qiyi_analysis.model.identity`); a doubtful one is neither compared nor called new.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.identity import Matches, match
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.rating.rating_kinds import kind_of, list_for
from qiyi_analysis.readers import read_list

#: Age classes by the year a player turns the age; the last one is open.
AGE_CLASSES = (8, 10, 12, 14, 16, 18, 20, 30, 40, 50, 60)


@dataclass(frozen=True, kw_only=True)
class Publication:
    """A list with what is needed to publish it.

    ``rows``: the current list by rating, with ``place`` (shared by equals), ``previous`` rating, ``change``
    and ``new`` (not on any earlier list). ``gone``: players of the list before who are not on this one;
    ``namesakes``: how many may be somebody of the list before, and are not compared with it.
    ``earlier``: older lists, oldest first; ``skipped``: a finding for each that has no ratings of this kind.
    """

    current: RatingList
    earlier: tuple[RatingList, ...]
    rows: pd.DataFrame
    gone: pd.DataFrame
    namesakes: int
    skipped: tuple[Finding, ...] = ()

    @property
    def before(self) -> RatingList | None:
        """The list that came before, None for the first."""
        return self.earlier[-1] if self.earlier else None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Faults of the lists, those of the newest first."""
        return (*self.current.faults, *(f for one in self.earlier for f in one.faults))


def publication(
    path: str | Path, previous: Sequence[str | Path] = (), *, variant: str = "standard"
) -> Publication:
    """Read a list and earlier ones, and compare it with the newest of those; ``variant`` as for ``read_list``."""
    current = read_list(path, variant=variant)
    same, skipped = of_one_kind(current, [read_list(one, variant=variant) for one in previous], variant)
    # Lists without a date keep the order they were given in.
    lists = sorted(same, key=lambda one: one.day.toordinal() if one.day else 0)
    return replace(compared(current, tuple(lists)), skipped=skipped)


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


def compared(current: RatingList, earlier: tuple[RatingList, ...] = ()) -> Publication:
    """The publication of a list that is already read."""
    rows = current.rows[~current.rows["rating"].isna()]
    rows = rows.sort_values(["rating", "name"], ascending=[False, True], kind="stable").reset_index(drop=True)
    rows["place"] = rows["rating"].rank(method="min", ascending=False).astype(int)
    rows["previous"] = np.nan
    namesakes = 0
    rows["new"] = False
    gone = current.rows.iloc[0:0]
    if earlier:
        before = earlier[-1]
        matches = match(rows, before.register)
        found = matches.row
        namesakes = len(rows) - int((_nobody(matches) | (found >= 0)).sum())
        rows["previous"] = np.where(found >= 0, before.rows["rating"].to_numpy()[found], np.nan)
        # Who may be somebody of a list before is not called new, nor gone.
        new = _nobody(matches)
        for one in earlier[:-1]:
            new &= _nobody(match(rows, one.register))
        rows["new"] = new
        absent = _nobody(match(before.rows, current.register)) & ~before.rows["rating"].isna().to_numpy()
        gone = before.rows[absent].reset_index(drop=True)
    rows["change"] = rows["rating"] - rows["previous"]
    return Publication(current=current, earlier=earlier, rows=rows, gone=gone, namesakes=namesakes)


def _nobody(matches: Matches) -> np.ndarray:
    """Mask of the players for whom no row comes into question; of two lists with ids another id is another person."""
    return np.array(
        [
            how == "none" or why == "name-under-other-id"
            for how, why in zip(matches.how, matches.reason, strict=True)
        ],
        dtype=bool,
    )


def history(p: Publication, count: int = 10) -> pd.DataFrame:
    """Ratings of the first ``count`` players on every list at hand: columns ``name`` and one a list."""
    first = p.rows.head(count)
    table = {"name": first["name"].to_numpy()}
    for one in p.earlier:
        found = match(first, one.register).row
        table[label(one)] = np.where(found >= 0, one.rows["rating"].to_numpy()[found], np.nan)
    table[label(p.current)] = first["rating"].to_numpy()
    return pd.DataFrame(table)


def label(one: RatingList) -> str:
    """A list's date, or its name where it has none."""
    return one.day.isoformat() if one.day else one.id


def grouped(p: Publication, column: str, least: int = 1) -> pd.DataFrame:
    """Players by a column: ``group, players, mean, best, best_name``, the largest group first."""
    known = p.rows[p.rows[column].astype(str) != ""]
    rows = [
        {
            "group": group,
            "players": len(part),
            "mean": part["rating"].mean(),
            "best": part["rating"].iloc[0],
            "best_name": part["name"].iloc[0],
        }
        for group, part in known.groupby(column, sort=True)
        if len(part) >= least
    ]
    table = pd.DataFrame(rows, columns=["group", "players", "mean", "best", "best_name"])
    return table.sort_values(["players", "mean"], ascending=False, kind="stable").reset_index(drop=True)


def by_age(p: Publication) -> pd.DataFrame:
    """Players by age class in the year of the list; empty without birth years or a date."""
    if p.current.day is None:
        return grouped(p, "unit").iloc[0:0]
    age = p.current.day.year - p.rows["birth_year"]
    edges = [-1, *AGE_CLASSES, 200]
    names = [f"U{top}" for top in AGE_CLASSES] + [f"{AGE_CLASSES[-1]}+"]
    classes = pd.cut(age, edges, labels=names)
    rows = p.rows.assign(age_class=classes.astype(object).where(~age.isna(), ""))
    table = grouped(
        Publication(current=p.current, earlier=(), rows=rows, gone=p.gone, namesakes=0), "age_class"
    )
    order = {name: i for i, name in enumerate(names)}
    return table.sort_values("group", key=lambda g: g.map(order)).reset_index(drop=True)
