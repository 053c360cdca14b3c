"""What an officer reports of a list: movers, newcomers, removed and returned players, sums, age of ratings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from qiyi_analysis import words
from qiyi_analysis.lists.rebuild import Rebuilt


def summary(rebuilt: Rebuilt, ledger: pd.DataFrame) -> words.Said:
    """A list in one line: its period, the events counted, and every player accounted for."""
    events = int((ledger["state"] == "counted").sum())
    return words.said(
        "list.summary", period=rebuilt.period.id, events=events, accounts=rebuilt.accounts.line()
    )


@dataclass(frozen=True, kw_only=True)
class Balance:
    """Where the points of the period went; the parts add up to ``after - before`` exactly.

    ``before`` and ``after`` are sums of all published ratings. ``played`` is the sum of the changes of
    those on both lists, ``adjusted`` the deductions and one-off adjustments, ``entered`` and ``left``
    the ratings of newcomers and of removed players.
    """

    before: float
    after: float
    played: float
    adjusted: float
    entered: float
    left: float
    players_before: int
    players_after: int

    @property
    def mean_before(self) -> float:
        """Mean rating on the list before, 0 for an empty one."""
        return self.before / max(self.players_before, 1)

    @property
    def mean_after(self) -> float:
        """Mean rating on the new list, 0 for an empty one."""
        return self.after / max(self.players_after, 1)


def balance(rebuilt: Rebuilt) -> Balance:
    """The sum check of a period (inflation)."""
    a = rebuilt.accounts
    stayed = (a.now["status"] == "stayed").to_numpy()
    played = (a.now["period_games"] > 0).to_numpy()
    change, rating = (a.now[name].to_numpy(dtype=np.float64) for name in ("change", "rating"))
    return Balance(
        before=float(a.before["rating"].sum()),
        after=float(np.nansum(rating)),
        played=float(change[stayed & played].sum()),
        adjusted=float(change[stayed & ~played].sum()),
        entered=float(np.nansum(rating[~stayed])),
        left=float(a.left["rating"].sum()),
        players_before=a.counts["before"],
        players_after=a.counts["now"],
    )


def movers(rebuilt: Rebuilt, count: int = 20) -> pd.DataFrame:
    """The players whose rating moved most, in either direction."""
    rows = rebuilt.players
    rows = rows[rows["published"] & ~rows["previous"].isna() & (rows["status"] != "removed")].copy()
    rows["moved"] = rows["rating"] - rows["previous"]
    return largest(rows, "moved", count)


def largest(rows: pd.DataFrame, column: str, count: int) -> pd.DataFrame:
    """The rows with the largest values of a column in either direction, none of them 0; equals of the last stay too."""
    size = rows[column].abs()
    rows = rows[size >= max(size.nlargest(count).min(), 1e-9)] if size.notna().any() else rows.iloc[:0]
    order = np.lexsort((rows["name"].to_numpy(), -rows[column].abs().to_numpy()))
    return rows.iloc[order].reset_index(drop=True)


def with_status(rebuilt: Rebuilt, *statuses: str) -> pd.DataFrame:
    """Players with one of the statuses, by rating."""
    rows = rebuilt.players
    rows = rows[rows["status"].isin(statuses)]
    order = np.lexsort((rows["key"].to_numpy(), -rows["rating"].fillna(-1e9).to_numpy()))
    return rows.iloc[order].reset_index(drop=True)


def waiting(rebuilt: Rebuilt) -> pd.DataFrame:
    """Newcomers whose games do not yet make a rating: games so far, and why not."""
    pool = rebuilt.state.pool
    if not len(pool):
        return pd.DataFrame(columns=["person", "events", "games", "score", "reason"])
    reasons = dict(zip(rebuilt.players["key"], rebuilt.players["reason"], strict=True))
    rows = [
        {
            "person": person,
            "events": len(part),
            "games": int(part["games"].sum()),
            "score": int(part["half_points"].sum()) / 2,
            "reason": reasons.get(person, ""),
        }
        for person, part in pool.groupby("person", sort=True)
    ]
    return pd.DataFrame(rows)
