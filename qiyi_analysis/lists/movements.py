"""What an officer reports of a list: movers, newcomers, removed and returned players, sums, age of ratings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from qiyi_analysis.lists.rebuild import Rebuilt


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
    old = rebuilt.previous[-1].rows
    listed = old[old["published"] & ~old["rating"].isna()]
    ratings = dict(zip(rebuilt.previous[-1].persons(), old["rating"], strict=True))
    published = old["published"].to_numpy()
    was = {k for k, p in zip(rebuilt.previous[-1].persons(), published, strict=True) if p}
    players = rebuilt.players
    keys = players["key"].tolist()
    now = players["published"].to_numpy() & ~players["status"].isin(["removed"]).to_numpy()
    before = np.array([ratings.get(key, np.nan) if key in was else np.nan for key in keys])
    after = np.where(now, players["rating"].astype(float), np.nan)
    both = ~np.isnan(before) & ~np.isnan(after)
    played = players["period_games"].to_numpy() > 0
    moved = after - before
    return Balance(
        before=float(listed["rating"].sum()),
        after=float(np.nansum(after)),
        played=float(moved[both & played].sum()),
        adjusted=float(moved[both & ~played].sum()),
        entered=float(after[np.isnan(before) & ~np.isnan(after)].sum()),
        left=float(before[~np.isnan(before) & np.isnan(after)].sum()),
        players_before=len(listed),
        players_after=int((~np.isnan(after)).sum()),
    )


def movers(rebuilt: Rebuilt, count: int = 20) -> pd.DataFrame:
    """The players whose rating moved most, in either direction."""
    rows = rebuilt.players
    rows = rows[rows["published"] & ~rows["previous"].isna() & (rows["status"] != "removed")].copy()
    rows["moved"] = rows["rating"] - rows["previous"]
    order = np.lexsort((rows["key"].to_numpy(), -rows["moved"].abs().to_numpy()))
    rows = rows.iloc[order[:count]]
    return rows[rows["moved"] != 0].reset_index(drop=True)


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
