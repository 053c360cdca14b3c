"""What became of every player between two lists: who stayed, came, returned, left, and who cannot be told apart.

Counted are players with a rating. The parts add up:
before + new + first rating + back + doubtful - gone - undecided = now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.lists.identities import Identities, row_keys
from qiyi_analysis.model.findings import Finding
from qiyi_analysis.model.identity import candidates, match
from qiyi_analysis.model.rating_list import RatingList
from qiyi_analysis.model.register import Register, plain_ids
from qiyi_analysis.model.spelling import written
from qiyi_analysis.rules.chinese_names import plain_title

#: Statuses of the rows of the new list, in the order of the accounting; then those of rows of the list before.
NOW = ("stayed", "new", "first", "back", "doubtful", "registered")
LEFT = ("gone", "undecided", "unregistered")
#: Columns whose changes are reported of players on both lists.
COMPARED = ("id", "name", "federation", "unit", "title", "sex", "birth_year")
#: Names in one finding.
_NAMED = 10


@dataclass(frozen=True, kw_only=True)
class Accounts:
    """``now``: the rows of the new list with ``row`` (that of the list before, -1 for none), ``previous``, ``change``,
    ``status`` (NOW) and ``reason``; ``left``: rows of the list before that have no rated row on the new one, with
    ``status`` (LEFT) and ``reason``; ``before``: the list before.
    """

    before: pd.DataFrame
    now: pd.DataFrame
    left: pd.DataFrame
    findings: tuple[Finding, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Players with a rating ``before`` and ``now``, and what happened between; ``registered``: without one."""
        found = {name: int((self.now["status"] == name).sum()) for name in NOW}
        found |= {name: int((self.left["status"] == name).sum()) for name in LEFT}
        found["before"] = int(self.before["rating"].notna().sum())
        found["now"] = int(self.now["rating"].notna().sum())
        return found

    @property
    def balanced(self) -> bool:
        """Whether the parts add up."""
        c = self.counts
        came = c["new"] + c["first"] + c["back"] + c["doubtful"]
        return c["before"] + came - c["gone"] - c["undecided"] == c["now"]

    def line(self) -> words.Said:
        """The accounts in one line, in either language."""
        c = self.counts
        open_ = words.said("accounts.open", **c) if c["doubtful"] or c["undecided"] else ""
        return words.said("accounts.line", **c, open=open_)

    def of(self, status: str) -> pd.DataFrame:
        """The players of a status, best first."""
        side = self.left if status in LEFT else self.now
        return side[side["status"] == status].sort_values(
            ["rating", "name"], ascending=[False, True], kind="stable"
        )

    def changed(self, column: str) -> pd.DataFrame:
        """Players on both lists whose ``column`` (of COMPARED) differs: the rows of now with ``was``.

        What one list does not say is no change, but for titles and units; a title is compared as what it means.
        """
        both = self.now[self.now["row"] >= 0]
        was = self.before[column].take(both["row"].to_numpy()).set_axis(both.index)
        now = both[column]
        if column == "birth_year":
            differs = was.notna() & now.notna() & (was != now)
        else:
            differs = was != now
            if column not in ("title", "unit"):
                differs &= (was != "") & (now != "")
            plain = _PLAIN.get(column, str)
            pairs = zip(was[differs], now[differs], strict=True)
            differs.loc[differs] = np.array([plain(a) != plain(b) for a, b in pairs], dtype=bool)
        return both[differs].assign(was=was[differs])


def _id(text: str) -> str:
    return plain_ids([text])[0]


_PLAIN = {"id": _id, "name": written, "title": plain_title, "unit": written}


def account(
    before: pd.DataFrame,
    now: pd.DataFrame,
    row: np.ndarray,
    *,
    doubtful: np.ndarray | None = None,
    meant: np.ndarray | None = None,
    rated_before: np.ndarray | None = None,
    reason: np.ndarray | None = None,
    reason_left: np.ndarray | None = None,
    findings: Sequence[Finding] = (),
) -> Accounts:
    """The accounts of two lists whose rows are matched: ``row`` is the row of ``before`` of each row of ``now``, else -1.

    Masks: ``doubtful`` of rows of now who may be somebody of the list before, ``meant`` of the rows of the list before who
    may be one of these, ``rated_before`` of rows of now who have a rating on a still older list. ``reason`` and
    ``reason_left`` say more of a row of now and of the list before.
    """
    nobody = np.zeros(len(now), dtype=bool)
    doubtful = nobody if doubtful is None else doubtful
    older = nobody if rated_before is None else rated_before
    ratings = before["rating"].to_numpy(dtype=np.float64)
    previous = np.append(ratings, np.nan)[row]
    rating = now["rating"].to_numpy(dtype=np.float64)
    rated, was = ~np.isnan(rating), ~np.isnan(previous)
    status = np.select(
        [~rated, was, doubtful & (row < 0), older, row >= 0],
        ["registered", "stayed", "doubtful", "back", "first"],
        "new",
    ).astype(object)  # fmt: skip
    there = np.zeros(len(before), dtype=bool)
    there[row[row >= 0]] = True
    kept = np.zeros(len(before), dtype=bool)
    kept[row[(row >= 0) & rated]] = True
    meant = np.zeros(len(before), dtype=bool) if meant is None else meant & ~there
    was_rated = ~np.isnan(ratings)
    left = (was_rated & ~kept) | ~there
    status_left = np.select([meant & was_rated, was_rated], ["undecided", "gone"], "unregistered").astype(
        object
    )
    why = np.where(there, "rating-withdrawn", "" if reason_left is None else reason_left)
    why = np.where((status_left == "gone") & (why == ""), "off-list", why)
    return Accounts(
        before=before,
        now=now.assign(
            row=row, previous=previous, change=rating - previous, status=status,
            reason=np.full(len(now), "", dtype=object) if reason is None else reason,
        ),
        left=before[left].assign(status=status_left[left], reason=why[left]),
        findings=tuple(findings),
    )  # fmt: skip


def accounts_of(
    before: RatingList,
    now: RatingList,
    older: Sequence[RatingList] = (),
    identities: Identities | None = None,
) -> Accounts:
    """The accounts of two published lists; ``older`` are lists before those, by which a return is known."""
    decided = identities or Identities()
    rows, current = decided.renewed(before.rows), decided.renewed(now.rows)
    merged = np.zeros(len(rows), dtype=bool)
    if decided.same:
        merged |= (rows["id"].ne("") & rows["id"].ne(before.rows["id"])).to_numpy()
        merged &= pd.Index(row_keys(rows)).isin(row_keys(before.rows))
    standing = np.flatnonzero(~merged)
    kept = rows[~merged] if merged.any() else rows
    found, how, near = matched(current, kept, decided)
    changed = _other_id(current, kept, found, how, near)
    row = np.append(standing, -1)[np.where(changed >= 0, changed, found)]
    doubtful = (how == "doubtful") & (row < 0)
    meant = np.zeros(len(rows), dtype=bool)
    for i in np.flatnonzero(doubtful).tolist():
        meant[standing[list(near.get(i, ()))]] = True
    rated = now.rows["rating"].notna().to_numpy()
    asked = rated & np.append(before.rows["rating"].isna().to_numpy(), True)[row]
    returned, perhaps = _rated_on(older, current, asked, decided)
    doubtful |= perhaps & (row < 0)
    reason = np.full(len(current), "", dtype=object)
    reason[(row >= 0) & (changed >= 0)] = "id-changed"
    return account(
        before.rows, now.rows, row, doubtful=doubtful, meant=meant, rated_before=returned, reason=reason,
        reason_left=np.where(merged, "merged", ""),
        findings=_findings(before, now, row, changed >= 0, doubtful),
    )  # fmt: skip


def matched(
    now: pd.DataFrame, before: pd.DataFrame, decided: Identities
) -> tuple[np.ndarray, np.ndarray, dict[int, tuple[int, ...]]]:
    """Row of each player (-1 for none), how it was found, and who may be meant where that is doubtful.

    Equal ids with equal names are settled at once; the others are looked at one by one.
    """
    row, settled = np.full(len(now), -1, dtype=np.int64), np.zeros(len(now), dtype=bool)
    how = np.full(len(now), "none", dtype=object)
    ids, listed = (pd.Series(plain_ids(one["id"].tolist()), dtype=object) for one in (now, before))
    if (ids != "").all():
        single = ~listed.duplicated(keep=False) & (listed != "")
        at = pd.Index(listed[single]).get_indexer(pd.Index(ids))
        place = np.append(np.flatnonzero(single), -1)[at]
        same = np.append(before["name"].to_numpy(), [None])[place] == now["name"].to_numpy()
        settled = (place >= 0) & same & ~ids.duplicated(keep=False).to_numpy()
        row[settled], how[settled] = place[settled], "id"
    free = np.ones(len(before), dtype=bool)
    free[row[settled]] = False
    places, asked = np.flatnonzero(free), np.flatnonzero(~settled)
    near: dict[int, tuple[int, ...]] = {}
    if not len(asked):
        return row, how, near
    found = match(now.iloc[asked], Register(before.iloc[places].reset_index(drop=True)))
    row[asked], how[asked] = np.append(places, -1)[found.row], found.how
    for i, some, reason in zip(asked.tolist(), found.candidates, found.reason, strict=True):
        likely = tuple(int(places[j]) for j in some)
        if decided.different:
            mine = (now["id"].iloc[i], now["name"].iloc[i])
            likely = tuple(
                j for j in likely if not decided.apart((before["id"].iloc[j], before["name"].iloc[j]), mine)
            )
            if not likely:
                row[i], how[i] = -1, "none"
        if how[i] == "doubtful":
            near[i] = likely
            how[i] = "other-id" if reason == "name-under-other-id" else "doubtful"
    return row, how, near


def _other_id(
    now: pd.DataFrame,
    before: pd.DataFrame,
    row: np.ndarray,
    how: np.ndarray,
    near: dict[int, tuple[int, ...]],
) -> np.ndarray:
    """The row of players whose id is new and whose name, sex and year of birth are those of one who is gone.

    Another id alone is another person: ``how`` of all others becomes none.
    """
    found = np.full(len(now), -1, dtype=np.int64)
    claims: dict[int, list[int]] = {}
    taken = set(row[row >= 0].tolist())
    for i in np.flatnonzero(how == "other-id").tolist():
        alike = [j for j in near[i] if j not in taken and _alike(now.iloc[i], before.iloc[j])]
        if len(alike) == 1:
            claims.setdefault(alike[0], []).append(i)
    for j, some in claims.items():
        if len(some) == 1:
            found[some[0]] = j
    how[how == "other-id"] = "none"
    return found


def _alike(one: pd.Series, other: pd.Series) -> bool:
    return (
        written(one["name"]) == written(other["name"])
        and one["birth_year"] == other["birth_year"]
        and one["sex"] == other["sex"]
        and all(
            not one[name] or not other[name] or one[name] == other[name] for name in ("federation", "unit")
        )
    )


def _rated_on(
    older: Sequence[RatingList], now: pd.DataFrame, asked: np.ndarray, decided: Identities
) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the players, of those asked, who have a rating on one of some lists, and of those who may have one."""
    found, perhaps = np.zeros(len(now), dtype=bool), np.zeros(len(now), dtype=bool)
    settled = row_keys(now[~asked]) if older else ()
    for one in older:
        left = np.flatnonzero(asked & ~found)
        if not len(left):
            break
        rows = decided.renewed(one.rows[one.rows["rating"].notna()])
        # Who is on the new list with an id, or a name, of his own is nobody else there.
        rows = rows[~pd.Index(row_keys(rows)).isin(settled)].reset_index(drop=True)
        row, how, _ = matched(now.iloc[left], rows, decided)
        found[left[row >= 0]] = True
        perhaps[left[(how == "doubtful") & (row < 0)]] = True
    return found, perhaps & ~found


def _findings(
    before: RatingList, now: RatingList, row: np.ndarray, changed: np.ndarray, doubtful: np.ndarray
) -> list[Finding]:
    """Ids that seem to have changed, one by one; those who cannot be told apart in one finding."""
    rows, old = now.rows, before.rows
    findings = [
        Finding(
            code="CK11", reason="id-changed", file=now.id, line=int(rows["line"].iloc[i]), field="id",
            published=str(rows["id"].iloc[i]), recomputed=str(old["id"].iloc[row[i]]),
            values={"name": rows["name"].iloc[i], "old": old["id"].iloc[row[i]], "new": rows["id"].iloc[i]},
        )
        for i in np.flatnonzero(changed)
    ]  # fmt: skip
    some = np.flatnonzero(doubtful & rows["rating"].notna().to_numpy())
    if len(some):
        values = {"count": len(some), "names": candidates(rows, some[:_NAMED]), "list": before.id}
        line = int(rows["line"].iloc[some[0]])
        findings.append(
            Finding(code="CK11", reason="not-told-apart", file=now.id, line=line, field="name", values=values)
        )
    return findings
